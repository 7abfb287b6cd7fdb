//! A program that answers requests on standard input, a line each.

use std::error::Error;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What a program answers, a line to each request.
pub(crate) fn answers(program: &str, requests: &[&str]) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut running = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    running.stdin.take().ok_or("no standard input")?.write_all(requests.join("\n").as_bytes())?;
    let output = running.wait_with_output()?;
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout)?;
    let answers: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    assert_eq!(answers.len(), requests.len(), "{text}");
    Ok(answers)
}
