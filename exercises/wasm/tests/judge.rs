//! The program beside the module: every line gets an answer, a committed exercise is judged, and what is no request ends nothing.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use exercises::bundle::Bundle;
use exercises::course::Course;
use serde_json::{Value, json};

#[test]
fn every_line_is_answered_in_order() -> Result<(), Box<dyn Error>> {
    let course = Course::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))?;
    let exercise = course.exercise("stride_costs")?;
    let bundle = Bundle::of(&course, exercise)?;
    let check = json!({"op": "check", "course": bundle, "exercise": exercise.name, "text": "no answer"});
    let requests = ["no JSON".to_owned(), r#"{"op":"nothing"}"#.to_owned(), check.to_string()];

    let mut program = Command::new(env!("CARGO_BIN_EXE_judge"));
    let mut running = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    running.stdin.take().ok_or("no standard input")?.write_all(requests.join("\n").as_bytes())?;
    let output = running.wait_with_output()?;
    assert!(output.status.success());

    let text = String::from_utf8(output.stdout)?;
    let answers: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    assert_eq!(answers.len(), requests.len(), "{text}");
    assert!(answers[0]["error"]["message"].is_string() && answers[1]["error"]["message"].is_string(), "{text}");
    assert_eq!(answers[2]["ok"]["passed"], false, "{text}");
    Ok(())
}
