//! The program that answers on standard output: every line gets an answer, and what is no request ends nothing.

use std::error::Error;

#[path = "shared/lines.rs"]
mod lines;

#[test]
fn every_line_is_answered_in_order() -> Result<(), Box<dyn Error>> {
    let requests = ["no JSON", r#"{"v":1,"id":2,"op":"nothing"}"#, r#"{"v":1,"id":3,"op":"hello"}"#];
    let answers = lines::answers(env!("CARGO_BIN_EXE_answer"), &requests)?;
    assert!(answers[0]["error"]["message"].is_string() && answers[1]["error"]["message"].is_string(), "{answers:?}");
    assert_eq!(answers[1]["id"], 2);
    assert_eq!(answers[2]["id"], 3);
    assert!(answers[2].get("error").is_none(), "{answers:?}");
    Ok(())
}
