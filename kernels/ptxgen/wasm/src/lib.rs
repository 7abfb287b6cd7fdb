//! The translation of LLVM IR to PTX as a WebAssembly module: `{"ir":"…","target":"sm_90"}` in, `{"ok":{"ptx":"…"}}` or
//! `{"error":{"kind":"input"|"unsupported","message":"…","line":N}}` out, both as JSON.
//!
//! The exports are those of `sim/wasm`: [`input`] makes room for a request, [`run`] answers it and returns the answer's size,
//! [`output`] says where the answer lies, and where the module traps [`panicked`] says why.

#![allow(unsafe_code, reason = "names that are exported unmangled count as unsafe")]

use std::panic::PanicHookInfo;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use ptxgen::{Error, Options, translate};
use serde::{Deserialize, Serialize};

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static HOOK: Once = Once::new();

/// A panic ends a module, so what it left behind is never seen.
fn lock(bytes: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes room for a request of `bytes` bytes and returns its address.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    input.clear();
    input.resize(bytes, 0);
    input.as_mut_ptr()
}

/// Answers the request that lies in the room and returns the size of the answer in bytes.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn run() -> usize {
    // In a module nobody else would show it; elsewhere it is shown as always.
    HOOK.call_once(|| {
        if cfg!(target_family = "wasm") {
            std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
                if let Ok(mut output) = OUTPUT.try_lock() {
                    *output = info.to_string().into_bytes();
                }
            }));
        }
    });
    let answer = answer(&lock(&INPUT));
    let mut output = lock(&OUTPUT);
    *output = answer.into_bytes();
    output.len()
}

/// The address of the latest answer. It is good until the next call of [`run`].
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn output() -> *const u8 {
    lock(&OUTPUT).as_ptr()
}

/// After a trap: the size of the text at [`output`] that says what happened.
#[cfg_attr(target_family = "wasm", unsafe(no_mangle))]
pub extern "C" fn panicked() -> usize {
    OUTPUT.try_lock().map_or(0, |output| output.len())
}

/// What is to be translated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    ir: String,
    #[serde(default)]
    target: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Ok { ptx: String },
    Error(Fault),
}

#[derive(Serialize)]
struct Fault {
    kind: &'static str,
    message: String,
    /// Line of the CUDA source where something is not supported; of the IR where that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// The answer to a request.
#[must_use]
pub fn answer(request: &[u8]) -> String {
    let reply = match serde_json::from_slice::<Request>(request) {
        Ok(request) => translated(request),
        Err(error) => {
            let message = format!("this is no request: {error}");
            Reply::Error(Fault { kind: "input", message, line: None })
        }
    };
    serde_json::to_string(&reply)
        .unwrap_or_else(|error| format!(r#"{{"error":{{"kind":"input","message":"no JSON: {error}"}}}}"#))
}

fn translated(request: Request) -> Reply {
    let mut options = Options::default();
    options.target = request.target.unwrap_or(options.target);
    match translate(&request.ir, &options) {
        Ok(ptx) => Reply::Ok { ptx },
        Err(error) => {
            let (kind, line) = match &error {
                Error::Syntax { line, .. } => ("input", Some(*line)),
                Error::Unsupported { line, .. } => ("unsupported", *line),
            };
            Reply::Error(Fault { kind, message: error.to_string(), line })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn a_request_is_answered_and_nonsense_is_an_error() {
        let right = answer(br#"{"ir":"define ptx_kernel void @k() {\n  ret void\n}\n","target":"sm_75"}"#);
        assert!(right.starts_with(r#"{"ok":{"ptx":""#) && right.contains(".target sm_75"), "{right}");
        let wrong = answer(br#"{"ir":"define ptx_kernel void @k() {\n  what\n}\n"}"#);
        assert!(wrong.contains(r#""kind":"input""#) && wrong.contains(r#""line":2"#), "{wrong}");
        let unknown = answer(br#"{"ir":"declare void @f()\ndefine void @g() {\n  call void @f()\n  ret void\n}\n"}"#);
        assert!(unknown.contains(r#""kind":"unsupported""#) && unknown.contains("`f`"), "{unknown}");
        assert!(answer(b"{}").contains("missing field `ir`"));
    }
}
