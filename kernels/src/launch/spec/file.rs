//! The fields of a launch file, and its values as the command line would have them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use sim::Dim3;
use toml::Value;

use super::super::expression::Names;
use super::super::{SpecError, shape};

/// The launch file's fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LaunchFile {
    pub(super) file: PathBuf,
    #[serde(default, rename = "let")]
    pub(super) names: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) buffers: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) symbols: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) dump: BTreeMap<String, PathBuf>,
    #[serde(default)]
    pub(super) expect: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) tolerance: f64,
    #[serde(default)]
    pub(super) launches: Vec<LaunchTable>,
    // A file with one launch may have its fields at the top.
    pub(super) kernel: Option<String>,
    pub(super) grid: Option<Value>,
    pub(super) block: Option<Value>,
    pub(super) shared: Option<Value>,
    pub(super) args: Option<Vec<Value>>,
    // `flatten` would let misspelt fields pass.
    pub(super) compiler: Option<String>,
    pub(super) arch: Option<String>,
    #[serde(default)]
    pub(super) include: Vec<PathBuf>,
    #[serde(default)]
    pub(super) define: Vec<String>,
    pub(super) std: Option<String>,
    pub(super) target: Option<String>,
    pub(super) budget: Option<u64>,
    pub(super) seed: Option<u64>,
    pub(super) schedules: Option<u64>,
}

/// One launch of several.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LaunchTable {
    pub(super) kernel: Option<String>,
    pub(super) grid: Option<Value>,
    pub(super) block: Option<Value>,
    pub(super) shared: Option<Value>,
    #[serde(default)]
    pub(super) args: Vec<Value>,
    #[serde(default)]
    pub(super) symbols: BTreeMap<String, Value>,
    pub(super) repeat: Option<Value>,
}

/// A value of TOML as the command line would have it.
pub(super) fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(format!("{number:?}")),
        Value::Boolean(truth) => Ok(truth.to_string()),
        other => Err(format!("a number or a text belongs here, not a value of type {}", other.type_str())),
    }
}

/// A table of such values.
pub(super) fn texts(table: &str, values: &BTreeMap<String, Value>) -> Result<BTreeMap<String, String>, SpecError> {
    let read = |(name, value): (&String, &Value)| {
        let text = text(value).map_err(|why| SpecError::Usage(format!("{table}.{name}: {why}")))?;
        Ok((name.clone(), text))
    };
    values.iter().map(read).collect()
}

/// An extent: `256`, `"ceil(n/256)"`, or a list of up to three of these.
pub(super) fn extent(what: &str, value: &Value, names: &Names) -> Result<Dim3, SpecError> {
    let list = match value {
        Value::Array(list) => list.iter().map(text).collect::<Result<Vec<_>, _>>().map(|list| list.join(",")),
        other => text(other),
    };
    list.and_then(|list| shape(&list, names)).map_err(|why| SpecError::Usage(format!("{what}: {why}")))
}
