//! The messages of the Debug Adapter Protocol that are used here, as far as they are: what clients ask, and what this
//! adapter can do. <https://microsoft.github.io/debug-adapter-protocol/specification>

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A request of the client.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Request {
    pub(crate) seq: i64,
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) arguments: Value,
}

/// How the client counts.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Initialize {
    pub(crate) lines_start_at1: bool,
}

impl Default for Initialize {
    fn default() -> Self {
        Self { lines_start_at1: true }
    }
}

/// What a launch has besides that which is stepped.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LaunchOptions {
    pub(crate) stop_on_entry: bool,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self { stop_on_entry: true }
    }
}

/// A source of the client's.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SourceGiven {
    pub(crate) name: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) source_reference: i64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SetBreakpoints {
    pub(crate) source: SourceGiven,
    #[serde(default)]
    pub(crate) breakpoints: Vec<Line>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Line {
    pub(crate) line: i64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SetExceptionBreakpoints {
    pub(crate) filters: Vec<String>,
}

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Granularity {
    #[default]
    Statement,
    Line,
    Instruction,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfThread {
    pub(crate) thread_id: u64,
    #[serde(default)]
    pub(crate) granularity: Granularity,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StackTrace {
    pub(crate) thread_id: u64,
    #[serde(default)]
    pub(crate) start_frame: usize,
    /// All of them, if none or 0 is given.
    pub(crate) levels: Option<usize>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scopes {
    pub(crate) frame_id: usize,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variables {
    pub(crate) variables_reference: usize,
    #[serde(default)]
    pub(crate) start: u64,
    /// All of them, if none or 0 is given.
    pub(crate) count: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Evaluate {
    pub(crate) expression: String,
    pub(crate) frame_id: Option<usize>,
    #[serde(default)]
    pub(crate) context: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadMemory {
    pub(crate) memory_reference: String,
    #[serde(default)]
    pub(crate) offset: i64,
    pub(crate) count: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SourceWanted {
    #[serde(default)]
    pub(crate) source_reference: i64,
    #[serde(default)]
    pub(crate) source: SourceGiven,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct BreakpointLocations {
    pub(crate) source: SourceGiven,
    pub(crate) line: i64,
    #[serde(rename = "endLine")]
    pub(crate) end_line: Option<i64>,
}

/// A variable as the client shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    /// What it unfolds to; 0 for nothing.
    pub(crate) variables_reference: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) indexed_variables: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evaluate_name: Option<String>,
}

/// What this adapter can do.
pub(crate) fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsReadMemoryRequest": true,
        "supportsTerminateRequest": true,
        "supportsRestartRequest": true,
        "supportsEvaluateForHovers": true,
        "supportsExceptionInfoRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "exceptionBreakpointFilters": [{
            "filter": "findings",
            "label": "Findings",
            "description": "Stop behind the step that shows a fault of the kernel",
            "default": true,
        }],
    })
}
