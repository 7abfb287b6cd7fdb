//! What a page needs to run clang, as a WebAssembly module: clang's command line and the headers out, its messages in; both as
//! JSON.
//!
//! What a host calls is what every module of the pages exports (`wasm_interface`). Requests are [`Request`]; answers are
//! `{"ok": …}` or `{"error": {"kind", "message"}}`, as the program that serves the book gives them.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use front::flags::{self, Wanted};
use front::{Arch, arch, headers, messages, slice};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

wasm_interface::exports!(answer);

/// What pages compile for where a source asks for nothing: what exercises are compiled for, the architecture of the H200.
const ARCH: Arch = Arch::new(90);

/// The folder of the headers and the file of the source, where clang sees them.
const HEADERS: &str = "headers";
const SOURCE: &str = "source.cu";

/// What is asked.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// Which headers and command lines these are ([`front::identity`]).
    Identity,
    /// What a run of clang needs: its command line, the text that it reads, and where that, the headers and what it writes lie.
    Order {
        /// The source's bare name, for messages.
        name: String,
        /// CUDA C++.
        source: String,
        /// Without optimisation.
        #[serde(default)]
        debug: bool,
    },
    /// The headers, by name.
    Headers,
    /// What clang said, as it is shown: its words with what may help, and its messages by line.
    Read {
        /// The source's bare name.
        name: String,
        /// What clang said.
        log: String,
    },
    /// The part of a PTX that some kernels need, as it is run.
    Slice {
        /// The PTX.
        ptx: String,
        /// The kernels; all if there is none.
        kernels: Vec<String>,
    },
}

#[derive(Serialize)]
struct Order {
    arguments: Vec<String>,
    /// Files and what they hold; the folder of the headers is not among them.
    files: BTreeMap<&'static str, String>,
    headers: &'static str,
    output: &'static str,
    /// The GPU, as `sm_90`.
    target: String,
}

/// The answer to a request.
#[must_use]
pub fn answer(request: &[u8]) -> String {
    let answer = serde_json::from_slice(request).map_err(|why| ("input", format!("the request cannot be read: {why}")));
    match answer.and_then(done) {
        Ok(ok) => json!({ "ok": ok }).to_string(),
        Err((kind, message)) => json!({ "error": { "kind": kind, "message": message } }).to_string(),
    }
}

/// What is done for a request; else what kind of error it is, and a sentence.
fn done(request: Request) -> Result<Value, (&'static str, String)> {
    match request {
        Request::Identity => Ok(json!(front::identity())),
        Request::Headers => Ok(json!(headers::all().into_iter().collect::<BTreeMap<_, _>>())),
        Request::Order { name, source, debug } => {
            if let Some(before) = source.split_once('\0').map(|(before, _)| before) {
                let line = 1 + before.matches('\n').count();
                let why = "there is a NUL character in this line: is this a text file with CUDA C++?";
                return Err(("rejected", format!("{name}:{line}:1: error: {why}")));
            }
            let arch = match arch::wish(&source) {
                Some((line, wish)) => {
                    wish.parse().map_err(|why: String| ("rejected", format!("{name}:{line}:1: error: {why}")))?
                }
                None => ARCH,
            };
            let wanted = Wanted { arch, debug, ..Wanted::default() };
            let arguments = flags::front_end(&wanted, SOURCE, HEADERS);
            let files = BTreeMap::from([(SOURCE, flags::text(&name, &source, false))]);
            Ok(json!(Order { arguments, files, headers: HEADERS, output: flags::OUTPUT, target: arch.gpu() }))
        }
        Request::Read { name, log } => {
            let log = messages::readable(&log);
            let lines = messages::by_line(&name, &log);
            let wrong = lines.iter().any(|message| message.severity == "error");
            let help = if wrong { messages::help(&log) } else { None };
            let said = help.map_or_else(|| log.clone(), |help| format!("{log}\nhelp: {help}"));
            Ok(json!({ "log": said, "lines": lines }))
        }
        Request::Slice { ptx, kernels } => {
            let wanted: Vec<&str> = kernels.iter().map(String::as_str).collect();
            Ok(json!(if wanted.is_empty() { ptx } else { slice::slice(&ptx, &wanted) }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(request: &Value) -> Value {
        serde_json::from_str(&answer(request.to_string().as_bytes())).unwrap()
    }

    #[test]
    fn a_run_of_clang_is_described() {
        let source = "// warpbook: arch=compute_90a\n__global__ void k() {}\n";
        let order = &ask(&json!({"op": "order", "name": "k.cu", "source": source}))["ok"];
        assert_eq!(order["target"], "sm_90a");
        assert_eq!(order["files"]["source.cu"], format!("# 1 \"k.cu\"\n{source}\n"));
        let has = |order: &Value, what: &str| order["arguments"].as_array().unwrap().iter().any(|own| own == what);
        assert!(has(order, "-O3") && has(order, "headers/cuda_runtime.h") && has(order, "sm_90a"), "{order}");
        let debug = &ask(&json!({"op": "order", "name": "k.cu", "source": "", "debug": true}))["ok"];
        assert!(has(debug, "-O0") && debug["target"] == "sm_90", "{debug}");
        assert!(ask(&json!({"op": "headers"}))["ok"]["cuda_runtime.h"].is_string());
        assert_eq!(ask(&json!({"op": "identity"}))["ok"], front::identity());
    }

    #[test]
    fn messages_are_read_with_what_helps() {
        let log = "In file included from <built-in>:1:\nk.cu:2:3: error: use of undeclared identifier '__ballot'\n1 error generated.\n";
        let read = &ask(&json!({"op": "read", "name": "k.cu", "log": log}))["ok"];
        assert_eq!(read["lines"][0]["line"], 2);
        assert!(read["log"].as_str().unwrap().contains("help: __ballot was removed from CUDA"), "{read}");
    }

    #[test]
    fn nonsense_is_an_error() {
        assert_eq!(ask(&json!({"op": "guess"}))["error"]["kind"], "input");
        let nul = ask(&json!({"op": "order", "name": "k.cu", "source": "int a;\nint \0b;"}));
        assert!(nul["error"]["message"].as_str().unwrap().starts_with("k.cu:2:1: error: "), "{nul}");
        let arch = ask(&json!({"op": "order", "name": "k.cu", "source": "// warpbook: arch=fast"}));
        assert!(arch["error"]["kind"] == "rejected", "{arch}");
    }
}
