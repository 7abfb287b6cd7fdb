//! The simulator as a WebAssembly module: a launch in, a report out, both as JSON.
//!
//! A host asks for room for its request with [`input`], writes the JSON there, calls [`run`], and reads as many bytes as
//! that returned from where [`output`] points. There is no other import or export, so that it runs wherever WebAssembly
//! does. `.ci/wasm` builds it and holds its answers against those of the same code on this machine.

#![allow(unsafe_code, reason = "names that are exported unmangled count as unsafe")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use sim::{Arg, Checks, Dim3, Launch, Module, Options, Report, Scalar, simulate};

/// What is to be simulated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Name of the PTX file, for messages.
    name: String,
    ptx: String,
    kernel: String,
    grid: Dim3,
    block: Dim3,
    #[serde(default)]
    shared_bytes: u32,
    args: Vec<Argument>,
    /// Which checks run, as `warpbook sim --checks` takes it; all if it is left out.
    #[serde(default)]
    checks: Option<String>,
}

/// An argument of the kernel: `{"scalar": "i32:5"}`, `{"zeros": 4096}`.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Argument {
    Scalar(String),
    Bytes(Vec<u8>),
    F32(Vec<f32>),
    U32(Vec<u32>),
    Zeros(u64),
    Uninit(u64),
}

/// What came of it.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Report(Box<Report>),
    Error(String),
}

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// A panic ends a module, so what it left behind is never seen.
fn lock(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a request of `bytes` bytes and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    input.clear();
    input.resize(bytes, 0);
    input.as_mut_ptr()
}

/// Answers the request that lies in the room and returns the size of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> usize {
    let answer = answer(&lock(&INPUT));
    let mut output = lock(&OUTPUT);
    *output = answer.into_bytes();
    output.len()
}

/// The address of the latest answer. It is good until the next call of [`run`].
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    lock(&OUTPUT).as_ptr()
}

/// The answer to a request: `{"report": …}`, or `{"error": "…"}` when it cannot be read or simulated.
pub fn answer(request: &[u8]) -> String {
    let answer = match report(request) {
        Ok(report) => Answer::Report(Box::new(report)),
        Err(error) => Answer::Error(error),
    };
    serde_json::to_string(&answer).unwrap_or_else(|error| format!("{{\"error\":\"no JSON: {error}\"}}"))
}

fn report(request: &[u8]) -> Result<Report, String> {
    let request: Request = serde_json::from_slice(request).map_err(|error| format!("this is no request: {error}"))?;
    let module = Module::parse(&request.name, &request.ptx).map_err(|error| error.to_string())?;
    let checks = request.checks.as_deref().map_or(Ok(Checks::ALL), str::parse)?;
    let launch = Launch {
        grid: request.grid,
        block: request.block,
        shared_bytes: request.shared_bytes,
        args: request.args.into_iter().map(argument).collect::<Result<_, _>>()?,
    };
    let options = Options { checks, ..Options::default() };
    Ok(simulate(&module, &request.kernel, &launch, &options).map_err(|error| error.to_string())?.report)
}

fn argument(argument: Argument) -> Result<Arg, String> {
    Ok(match argument {
        Argument::Scalar(text) => Arg::Scalar(Scalar::parse(&text)?),
        Argument::Bytes(bytes) => Arg::Buffer(bytes.into()),
        Argument::F32(values) => Arg::buffer_of(&values),
        Argument::U32(values) => Arg::buffer_of(&values),
        Argument::Zeros(bytes) => Arg::Zeros(bytes),
        Argument::Uninit(bytes) => Arg::Uninit(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn what_cannot_be_simulated_is_an_error() {
        assert!(answer(b"{}").contains("this is no request: missing field"));
        let none = r#"{"name":"a.ptx","ptx":".version 7.0\n","kernel":"k","grid":[1,1,1],"block":[1,1,1],"args":[]}"#;
        assert!(answer(none.as_bytes()).starts_with("{\"error\":"), "{}", answer(none.as_bytes()));
    }
}
