//! The translation of LLVM IR to PTX as a WebAssembly module: `{"ir":"…","target":"sm_90"}` in, `{"ok":{"ptx":"…"}}` or
//! `{"error":{"kind":"input"|"unsupported","message":"…","line":N}}` out, both as JSON.
//!
//! What a host calls is what every module of the pages exports (`wasm_interface`).

#![forbid(unsafe_code)]

use ptxgen::{Error, Options, translate};
use serde::{Deserialize, Serialize};

wasm_interface::exports!(answer);

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
