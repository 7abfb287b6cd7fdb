//! What ptxas is known to make otherwise than our passes: the reviewed list `truth/lowering.toml`.
//!
//! An entry is about the accesses of one kind on the lines of some kernels. A difference that no entry covers fails the
//! check, and so does an entry that nothing needs.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde::Deserialize;

use super::{Access, LineAccesses};
use crate::known_differences::{is_newer, matches, read};

/// The list that this program was built with.
const TEXT: &str = include_str!("../../truth/lowering.toml");
/// Its path from the repository's root, for messages.
pub const FILE: &str = "kernels/truth/lowering.toml";

/// A difference that is known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The source file.
    pub file: String,
    /// The kernels, by their names in the PTX, with `*` for any text.
    pub kernels: BTreeSet<String>,
    /// The architectures.
    pub arches: BTreeSet<String>,
    /// What our passes alone make, in words: `32-bit load from shared memory`.
    #[serde(default)]
    pub ours: BTreeSet<String>,
    /// What ptxas alone makes.
    #[serde(default)]
    pub ptxas: BTreeSet<String>,
    /// Why, in a sentence.
    pub cause: String,
    /// The page of the book that explains it.
    pub page: String,
    /// The day on which it was seen.
    pub since: String,
    /// The newest version of ptxas that was looked at.
    pub until: String,
}

/// The list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownLowering {
    /// The entries, in the order of the file.
    #[serde(default, rename = "known")]
    pub entries: Vec<Entry>,
}

/// The list that this program was built with.
///
/// # Errors
/// A sentence.
pub fn known() -> Result<&'static KnownLowering, &'static str> {
    static KNOWN: OnceLock<Result<KnownLowering, String>> = OnceLock::new();
    let list = || read(FILE, TEXT).map_err(|error| error.to_string());
    KNOWN.get_or_init(list).as_ref().map_err(String::as_str)
}

impl Entry {
    /// Whether the entry explains this line's difference, all of it.
    pub fn covers(&self, line: &LineAccesses, arch: &str, ptxas: &str) -> bool {
        let words = |accesses: &[Access], list: &BTreeSet<String>| {
            accesses.iter().all(|access| list.contains(&access.to_string()))
        };
        let (ours, theirs) = line.difference();
        self.file == line.file
            && !is_newer(ptxas, &self.until)
            && self.arches.contains(arch)
            && self.kernels.iter().any(|pattern| matches(pattern, &line.kernel))
            && words(&ours, &self.ours)
            && words(&theirs, &self.ptxas)
    }
}

impl KnownLowering {
    /// Why a line differs, if that is known.
    pub fn cause<'a>(&'a self, line: &LineAccesses, arch: &str, ptxas: &str) -> Option<&'a str> {
        self.entries.iter().find(|entry| entry.covers(line, arch, ptxas)).map(|entry| &*entry.cause)
    }
}
