//! Figures that play, as a WebAssembly module and for the book that is built: launches in, a drawing and a sentence for each round
//! out. A page asks it when a reader has changed the data of such a figure.
//!
//! Requests and answers are JSON in the envelope of the protocol (`sim_wasm::protocol`): `{"v": 1, "id": 7, "op": "play", "module":
//! {"name": …, "ptx": …}, "what": {"rounds": …}, "columns": 16}` is answered by `{"id": 7, "ok": {"frames": […]}}` or by
//! `{"id": 7, "error": {"kind": …, "message": …}}`. What a host calls is what every module of the pages exports
//! (`wasm_interface`), and `sources`.

#![forbid(unsafe_code)]

use draw::rounds::Frame;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sim::Module;
use sim_wasm::protocol::{Failure, FailureKind, Load, VERSION};
use sim_wasm::rounds::{Rounds, rounds};
use sim_wasm::waves::{self, waves};

wasm_interface::exports!(answer, sources: env!("WARPBOOK_ROUNDS"));

/// Rounds of a figure, at most: so many can still be followed.
pub const MOST_ROUNDS: usize = 40;

/// What a figure shows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The kernels.
    pub module: Load,
    /// What is shown of which launches.
    pub what: What,
    /// Elements in a row of a drawing.
    #[serde(default)]
    pub columns: usize,
}

/// What is shown of launches.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// What becomes of arrays.
    Rounds(Box<Rounds>),
    /// In which order tiles of a table are written.
    Waves(Box<waves::Request>),
}

/// What there is to be shown.
#[derive(Debug, Clone)]
pub struct Played {
    /// The drawings, the first of which is the beginning.
    pub frames: Vec<Frame>,
    /// The round that shows the most: the first in which something is made of something.
    pub key: usize,
}

/// Runs the launches of a request and draws their rounds.
///
/// # Errors
/// [`Failure`], when the request does not fit the module or itself, a kernel is faulty, or there are no rounds or too many.
pub fn play(request: &Request) -> Result<Played, Failure> {
    let module = Module::parse(&request.module.name, &request.module.ptx)?;
    let (frames, speaks) = match &request.what {
        What::Rounds(asked) => {
            let seen = rounds(&module, asked)?;
            let count = seen.rounds.len();
            if count == 0 || count > MOST_ROUNDS {
                let message = format!("it writes to these arrays in {count} rounds; there may be 1 to {MOST_ROUNDS}");
                return Err(Failure { kind: FailureKind::Input, message });
            }
            let speaks = seen.rounds.iter().position(|round| round.writes.iter().any(|write| !write.from.is_empty()));
            (draw::rounds::frames(&seen, request.columns), speaks)
        }
        What::Waves(asked) => {
            let seen = waves(&module, asked)?;
            let speaks = seen.tiles.iter().filter(|tile| !tile.reads.is_empty()).map(|tile| tile.wave).min();
            (draw::waves::frames(&seen), speaks)
        }
    };
    Ok(Played { frames, key: speaks.map_or(1, |at| at + 1) })
}

#[derive(Serialize)]
struct Drawn<'a> {
    frames: Vec<&'a str>,
    said: Vec<&'a str>,
    key: usize,
}

impl Played {
    /// What a page's script gets of it.
    pub fn json(&self) -> Value {
        let drawn = Drawn {
            frames: self.frames.iter().map(|frame| &*frame.drawing.0).collect(),
            said: self.frames.iter().map(|frame| &*frame.said).collect(),
            key: self.key,
        };
        json!(drawn)
    }
}

/// The answer to a request, as JSON in one line.
pub fn answer(request: &[u8]) -> String {
    let (id, outcome) = match serde_json::from_slice::<Value>(request) {
        Ok(envelope) => (envelope["id"].as_u64().unwrap_or(0), opened(envelope)),
        Err(why) => (0, Err(wrong(&why))),
    };
    match outcome {
        Ok(drawn) => json!({"id": id, "ok": drawn}),
        Err(failure) => json!({"id": id, "error": failure}),
    }
    .to_string()
}

fn wrong(why: &dyn std::fmt::Display) -> Failure {
    Failure { kind: FailureKind::Input, message: format!("this is no request: {why}") }
}

/// Opens the envelope.
fn opened(mut envelope: Value) -> Result<Value, Failure> {
    let fields = envelope.as_object_mut().ok_or_else(|| wrong(&"a request is an object"))?;
    fields.remove("id");
    let (version, operation) = (fields.remove("v"), fields.remove("op"));
    if version != Some(VERSION.into()) || operation != Some("play".into()) {
        let message = format!("this module has the operation `play` of version {VERSION}, and no other");
        return Err(Failure { kind: FailureKind::Unsupported, message });
    }
    let request: Request = serde_json::from_value(envelope).map_err(|why| wrong(&why))?;
    play(&request).map(|played| played.json())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n\
        .reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
        mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n";

    fn asked(n: u64, what: &str) -> Value {
        let request = json!({
            "v": VERSION, "id": 7, "op": what, "module": {"name": "k.ptx", "ptx": PTX}, "columns": 4,
            "what": {"rounds": {
                "let": {"n": n},
                "buffers": [{"name": "out", "element": "u32", "count": "n", "content": "zeros"}],
                "launches": [{"kernel": "k", "grid": [1], "block": ["n"], "args": [{"buffer": "out"}]}],
                "arrays": [{"name": "out", "buffer": "out", "element": "u32", "count": "n"}], "by": "launch",
            }},
        });
        serde_json::from_str(&answer(request.to_string().as_bytes())).unwrap()
    }

    #[test]
    fn a_request_is_answered_by_drawings_of_its_size() {
        let cells = |n: u64| asked(n, "play")["ok"]["frames"][1].as_str().unwrap().matches("<rect").count() as u64;
        assert!(cells(8) > cells(4), "{} and {}", cells(8), cells(4));
        let eight = asked(8, "play");
        assert_eq!((eight["id"].as_u64(), eight["ok"]["said"].as_array().map(Vec::len)), (Some(7), Some(2)));
        assert!(
            eight["ok"]["said"][1].as_str().unwrap().starts_with("Round 1 of 1. 8 threads write 8 elements of out.")
        );
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(asked(5000, "play")["error"]["message"].as_str().unwrap().contains("at most 4096 elements"));
        assert_eq!(asked(8, "run")["error"]["kind"], "unsupported");
        assert!(answer(b"{").contains("this is no request"));
        assert!(answer(br#"{"v":1,"op":"play"}"#).contains("missing field `module`"));
    }
}
