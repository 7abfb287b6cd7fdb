//! The protocol between a page and the engine, version 1.
//!
//! A request is `{"v": 1, "id": 7, "op": "run", …}`. Its answer is `{"id": 7, "ok": …}` or `{"id": 7, "error": {"kind": …,
//! "message": …}}`. Between them the page's own glue may tell of `{"id": 7, "event": {"progress": {"instructions": …}}}`.
//! `sim/wasm/protocol.schema.json` is made of these types; a test holds it against them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sim::Report;

pub use crate::session_protocol::{Close, Closed, Column, Find, Look, Moved, Open, Opened, Seek, Show, Step, Wanted};

/// The version of the protocol. A request of another version is refused.
pub const VERSION: u32 = 1;

/// The operations, for messages and for `hello`.
pub const OPERATIONS: [&str; 9] = ["hello", "load", "run", "open", "step", "seek", "find", "view", "close"];

/// What a page may ask for: the request without `v` and `id`.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Operation {
    /// Who is there.
    Hello(Hello),
    /// Reads PTX and says what is in it. Later requests name it by its hash.
    Load(Load),
    /// Simulates launches.
    Run(Box<Run>),
    /// Opens a session: a launch that is stepped forwards and back.
    Open(Box<Open>),
    /// Steps it.
    Step(Step),
    /// Goes to a position.
    Seek(Seek),
    /// Goes to something that one looks for.
    Find(Find),
    /// Looks at where it is.
    View(Look),
    /// Ends a session.
    Close(Close),
}

/// Nothing more is asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hello {}

/// A PTX file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Load {
    /// Its name, for messages.
    pub name: String,
    /// Its text.
    pub ptx: String,
}

/// Launches of kernels of one module, one after another, on the same buffers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Run {
    /// The module.
    pub module: ModuleRef,
    /// Numbers that the texts below name, such as `n`.
    #[serde(default, rename = "let")]
    pub numbers: BTreeMap<String, Number>,
    /// The buffers in global memory.
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    /// The launches, in order.
    pub launches: Vec<Launch>,
    /// The GPU; the H200 if it is left out.
    #[serde(default)]
    pub target: Option<String>,
    /// Whose memory instructions are counted; what the target says if it is left out, `none` for the PTX as it stands.
    #[serde(default)]
    pub lowering: Option<sim::Lowering>,
    /// Which checks run, as `warpbook sim --checks` takes it; all if it is left out.
    #[serde(default)]
    pub checks: Option<String>,
    /// Whether reports have the details of accesses.
    #[serde(default)]
    pub details: bool,
    /// Whether reports have a predicted time.
    #[serde(default)]
    pub predict: bool,
    /// Registers of a thread, by kernel, for predicted times; estimated where it is left out.
    #[serde(default)]
    pub registers: BTreeMap<String, u32>,
    /// The order of what the hardware leaves open.
    #[serde(default)]
    pub seed: u64,
    /// How many orders are tried.
    #[serde(default = "one")]
    pub schedules: u64,
    /// Warp-instructions that the whole request may execute. More is an error of the kind `budget`.
    #[serde(default = "budget")]
    pub budget: u64,
    /// Warp-instructions that one thread block may execute. More is a finding of the kind `budget`.
    #[serde(default)]
    pub block_budget: Option<u64>,
    /// Bytes that buffers and local memory may take.
    #[serde(default = "memory")]
    pub memory: u64,
    /// Elements of buffers that the answer shall have.
    #[serde(default)]
    pub want: Vec<Want>,
}

const fn one() -> u64 {
    1
}

/// Some seconds of a page's time.
pub(crate) const fn budget() -> u64 {
    1 << 25
}

/// A fraction of what a page may have.
pub(crate) const fn memory() -> u64 {
    1 << 29
}

/// A module that is there already, or a new one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ModuleRef {
    /// The hash that `load` gave.
    Hash(String),
    /// A PTX file.
    Text(Load),
}

/// A number, or an expression of the request's numbers, such as `ceil(n/256)`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Number {
    /// A number.
    Plain(serde_json::Number),
    /// An expression.
    Text(String),
}

impl Number {
    /// The text of it.
    pub fn text(&self) -> String {
        match self {
            Self::Plain(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// A buffer in global memory. It outlives the launches.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Buffer {
    /// What launches call it.
    pub name: String,
    /// The type of its elements, such as `f32`.
    pub element: String,
    /// How many.
    pub count: Number,
    /// What they are.
    pub content: Content,
}

/// What a buffer holds before the first launch.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Content {
    /// Zeros.
    Zeros,
    /// What nobody has written.
    Uninit,
    /// This byte everywhere.
    Fill(u8),
    /// As `warpbook sim --arg` takes it: `random(min=-1, max=1, seed=7)`, or an expression of the index `i`.
    Generate(String),
    /// An input of the workbook's own.
    Workbook {
        /// The problem.
        problem: String,
        /// The kind of input.
        kind: String,
        /// Which one of it; 0 is the recorded one.
        #[serde(default)]
        seed: u64,
    },
    /// The elements, one by one.
    Values(Vec<Number>),
    /// Their bytes.
    Base64(String),
}

/// One launch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Launch {
    /// The kernel.
    pub kernel: String,
    /// Thread blocks in x, y, z; missing ones are 1.
    pub grid: Vec<Number>,
    /// Threads of a block in x, y, z; missing ones are 1.
    pub block: Vec<Number>,
    /// Dynamic shared memory of a block, in bytes.
    #[serde(default)]
    pub shared: Option<Number>,
    /// The arguments.
    pub args: Vec<Argument>,
}

/// An argument of a kernel.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Argument {
    /// The address of a buffer.
    Buffer(String),
    /// A type and a number or an expression: `i32:5`, `u64:n`.
    Scalar(String),
    /// A struct by value: its bytes in base64.
    Bytes(String),
}

/// Elements of a buffer, after the last launch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Want {
    /// The buffer.
    pub buffer: String,
    /// The first element.
    #[serde(default)]
    pub from: u64,
    /// How many, at most.
    pub count: u64,
}

/// The answer to a request.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer {
    /// The request's number.
    pub id: u64,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of a request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Outcome {
    /// What was asked for.
    Ok(Box<Done>),
    /// Why it could not be done.
    Error(Failure),
}

/// What was asked for.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Done {
    /// Of `hello`.
    Hello(About),
    /// Of `load`.
    Load(Loaded),
    /// Of `run`.
    Run(Ran),
    /// Of `open`.
    Open(Opened),
    /// Of `step`, `seek`, `find` and `view`.
    Moved(Moved),
    /// Of `close`.
    Close(Closed),
}

/// Why a request was not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Failure {
    /// Who has to do something about it.
    pub kind: FailureKind,
    /// What went wrong.
    pub message: String,
}

/// Who has to do something about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum FailureKind {
    /// The request, its PTX or its launch cannot be read or taken.
    Input,
    /// It is fine, and is not supported.
    Unsupported,
    /// It takes more work than it may, or was stopped.
    Budget,
    /// A bug of ours.
    Internal,
}

/// Who is there.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct About {
    /// The simulator's version.
    pub engine: String,
    /// [`VERSION`].
    pub protocol: u32,
    /// The sources that it was made from, as a number: those of equal number are equal.
    pub sources: String,
    /// [`OPERATIONS`].
    pub operations: Vec<String>,
    /// The GPUs that can be simulated.
    pub targets: Vec<String>,
    /// The workbook's own inputs: problems, and kinds of each.
    pub inputs: BTreeMap<String, Vec<String>>,
}

/// What is in a module.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Loaded {
    /// The module's hash: later requests name it so.
    pub module: String,
    /// Its kernels.
    pub kernels: Vec<Kernel>,
}

/// A kernel of a module.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Kernel {
    /// Its name in the PTX.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Threads per block that it must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_threads: Option<[u32; 3]>,
    /// Most threads per block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_threads: Option<[u32; 3]>,
}

/// A parameter of a kernel.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Parameter {
    /// Its name in the PTX.
    pub name: String,
    /// The type of its elements, such as `u32`.
    pub element: String,
    /// Its size.
    pub bytes: u64,
}

/// What launches showed.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Ran {
    /// One report per launch, as `warpbook sim --json` prints it.
    pub reports: Vec<Report>,
    /// What was wanted of buffers, in its order.
    pub buffers: Vec<Values>,
    /// Warp-instructions that were executed for it: in all orders, and for predicted times.
    pub executed: u64,
}

/// Elements of a buffer.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Values {
    /// The buffer.
    pub buffer: String,
    /// The first element.
    pub from: u64,
    /// The elements as a person reads them.
    pub values: Vec<String>,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_committed_schema_is_that_of_these_types() {
        let schemas = serde_json::json!({
            "$comment": "Made by `WARPBOOK_BLESS=1 cargo test -p sim-wasm`. A request has `v` and `id` beside what is here.",
            "version": VERSION,
            "operation": schemars::schema_for!(Operation),
            "answer": schemars::schema_for!(Answer),
        });
        let text = serde_json::to_string_pretty(&schemas).unwrap() + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol.schema.json");
        if std::env::var_os("WARPBOOK_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "protocol.schema.json is stale: WARPBOOK_BLESS=1 cargo test -p sim-wasm");
    }
}
