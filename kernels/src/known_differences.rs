//! What all reviewed lists of known differences have in common: how a list is read, and how its entries name what they are
//! about.
//!
//! The lists, each with the type of its entries: `known.toml` ([`crate::known`]), `lowering.toml` ([`crate::lowering`]),
//! `roads.toml` ([`crate::roads`]), `time.toml` ([`crate::timing::open`]), `sanitizer.toml` ([`crate::sanitizer`]) in
//! `kernels/truth` and `sim/tests/faulty`, and `known.toml` of a folder of probes ([`crate::probes`]).

use serde::de::DeserializeOwned;

/// A list that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {why}")]
pub struct ListError {
    /// The file.
    pub file: String,
    /// What is wrong with it, with the place.
    pub why: toml::de::Error,
}

/// Reads a list. `file` is its name for messages.
///
/// # Errors
/// [`ListError`] when it is no TOML, or its entries have other fields than they should.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ListError> {
    toml::from_str(text).map_err(|why| ListError { file: file.to_owned(), why })
}

/// Whether a text is what a pattern says, in which `*` stands for any text.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.into_iter().any(|at| matches(after, &rest[at..]))
        }),
    }
}

/// The numbers of a version, for comparing; empty if it is none.
pub(crate) fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(str::parse).collect::<Result<_, _>>().unwrap_or_default()
}

/// Whether a version is newer than another, number by number.
pub(crate) fn is_newer(version: &str, than: &str) -> bool {
    numbers(version) > numbers(than)
}
