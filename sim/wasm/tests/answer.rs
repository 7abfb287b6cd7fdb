//! The program that answers on standard output: every line gets an answer, and what is no request ends nothing.

use std::error::Error;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

#[test]
fn every_line_is_answered_in_order() -> Result<(), Box<dyn Error>> {
    let requests = ["no JSON", r#"{"v":1,"id":2,"op":"nothing"}"#, r#"{"v":1,"id":3,"op":"hello"}"#];
    let mut program = Command::new(env!("CARGO_BIN_EXE_answer"));
    let mut running = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    running.stdin.take().ok_or("no standard input")?.write_all(requests.join("\n").as_bytes())?;
    let output = running.wait_with_output()?;
    assert!(output.status.success());

    let text = String::from_utf8(output.stdout)?;
    let answers: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    assert_eq!(answers.len(), requests.len(), "{text}");
    assert!(answers[0]["error"]["message"].is_string() && answers[1]["error"]["message"].is_string(), "{text}");
    assert_eq!(answers[1]["id"], 2);
    assert_eq!(answers[2]["id"], 3);
    assert!(answers[2].get("error").is_none(), "{text}");
    Ok(())
}
