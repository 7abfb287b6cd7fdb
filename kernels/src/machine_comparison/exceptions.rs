//! What is known to differ where machine code is executed: the file `truth/machine_code.toml`, read once.

use std::sync::OnceLock;

use serde::Deserialize;

/// The file, from the repository's root.
pub const FILE: &str = "kernels/truth/machine_code.toml";

/// Versions of which something is known to differ.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Exception {
    /// The versions that it is about.
    pub versions: Vec<String>,
    /// The counters that differ; `output`, `finding` or `refused`; an entry of one word without a suffix is a counter of
    /// instructions, `*` all counters of launches and instructions.
    pub what: Vec<String>,
    /// Why.
    pub why: String,
}

impl Exception {
    /// Whether it is about this counter of a version.
    #[must_use]
    pub fn covers(&self, version: &str, what: &str) -> bool {
        self.versions.iter().any(|own| own == version) && self.what.iter().any(|own| own == what || own == "*")
    }
}

/// Probes of instruction forms that give something else than the GPU did, or are refused.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ProbeException {
    /// What the names of the probes begin with.
    pub probes: Vec<String>,
    /// Why.
    pub why: String,
}

/// The whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Exceptions {
    /// What differs from the road over PTX, and from the exact counters that a GPU counted.
    #[serde(default)]
    pub known: Vec<Exception>,
    /// What differs from the instruction stream that a GPU counted.
    #[serde(default)]
    pub stream: Vec<Exception>,
    /// Instruction forms whose results differ.
    #[serde(default)]
    pub probes: Vec<ProbeException>,
    /// The opcodes of which some form is refused.
    #[serde(default)]
    pub not_executed: Vec<String>,
}

/// The file's content.
///
/// # Errors
/// What is wrong with the file.
pub fn exceptions() -> Result<&'static Exceptions, &'static str> {
    static READ: OnceLock<Result<Exceptions, String>> = OnceLock::new();
    let read = || toml::from_str(include_str!("../../truth/machine_code.toml")).map_err(|why| format!("{FILE}: {why}"));
    READ.get_or_init(read).as_ref().map_err(String::as_str)
}
