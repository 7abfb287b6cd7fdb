//! The program beside the module: every line gets an answer, a committed exercise is judged, and what is no request ends nothing.

use std::error::Error;
use std::path::Path;

use exercises::bundle::Bundle;
use exercises::course::Course;
use serde_json::json;

#[path = "../../../sim/wasm/tests/shared/lines.rs"]
mod lines;

#[test]
fn every_line_is_answered_in_order() -> Result<(), Box<dyn Error>> {
    let course = Course::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))?;
    let exercise = course.exercise("stride_costs")?;
    let bundle = Bundle::of(&course, exercise)?;
    let check = json!({"op": "check", "course": bundle, "exercise": exercise.name, "text": "no answer"}).to_string();
    let answers = lines::answers(env!("CARGO_BIN_EXE_judge"), &["no JSON", r#"{"op":"nothing"}"#, &check])?;
    assert!(answers[0]["error"]["message"].is_string() && answers[1]["error"]["message"].is_string(), "{answers:?}");
    assert_eq!(answers[2]["ok"]["passed"], false, "{answers:?}");
    Ok(())
}
