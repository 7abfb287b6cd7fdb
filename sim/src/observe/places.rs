//! Addresses as a reader knows them: the variable or buffer, and the byte in it.

use crate::event::LaunchInfo;
use crate::findings::names::source_name;

/// A variable of shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedVariable {
    /// Its name in the source.
    pub name: String,
    /// Its first address in shared memory.
    pub start: u64,
    /// Its size in bytes; of the one that a launch sizes, what the launch leaves for it.
    pub bytes: u64,
}

/// The variable of shared memory that has a byte; `None` where none was declared.
pub fn shared(launch: &LaunchInfo<'_>, address: u64) -> Option<SharedVariable> {
    let holds = |start: u64, bytes: u64| address >= start && (address < start + bytes || bytes == 0);
    // The dynamic variable, of 0 bytes, comes behind all others.
    let found = launch.program.shared_variables.iter().filter(|(_, start, bytes)| holds(*start, *bytes));
    found.max_by_key(|(_, start, _)| *start).map(|(name, start, bytes)| SharedVariable {
        name: source_name(name).to_owned(),
        start: *start,
        bytes: if *bytes == 0 { launch.shared_bytes.saturating_sub(*start) } else { *bytes },
    })
}

/// An address of shared memory in words.
pub(super) fn shared_text(launch: &LaunchInfo<'_>, address: u64) -> String {
    match shared(launch, address) {
        Some(SharedVariable { name, start, .. }) => format!("byte {} of `{name}`", address - start),
        None => format!("byte {address} of shared memory"),
    }
}

/// An address of global memory in words.
pub(super) fn global_text(launch: &LaunchInfo<'_>, address: u64) -> String {
    match launch.global.find(address, 1) {
        Some(buffer) => format!("byte {} of {}", address - buffer.base, buffer.name),
        None => launch.global.locate(address).to_string(),
    }
}
