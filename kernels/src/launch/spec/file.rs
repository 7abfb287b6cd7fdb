//! The fields of a launch file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use launch::schema::{Extent, LaunchTable, Text};
use serde::Deserialize;

/// The launch file's fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LaunchFile {
    pub(super) file: PathBuf,
    #[serde(default, rename = "let")]
    pub(super) names: BTreeMap<String, Text>,
    #[serde(default)]
    pub(super) buffers: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) symbols: BTreeMap<String, Text>,
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
    pub(super) grid: Option<Extent>,
    pub(super) block: Option<Extent>,
    pub(super) shared: Option<Text>,
    pub(super) args: Option<Vec<Text>>,
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
