//! What is found in a kernel: the data of each kind of finding, and the sentences that are made of it.
//!
//! The executor, the scheduler and the checks raise data. Here alone it becomes a [`Finding`] with a message and a help.

mod breaches;
mod early;
pub(crate) mod fault;
mod faults;
mod finding;
pub(crate) mod names;
mod places;
mod race;
mod sentences;
mod uninitialized;

pub(crate) use breaches::{Absence, Breach, Group, same_in_source};
pub(crate) use early::Early;
pub(crate) use fault::{Fault, Miss, Phase, Standstill, Word};
pub(crate) use faults::{Faults, Who};
pub use finding::{Finding, FindingKind, Memory, Party, Severity};
pub(crate) use places::Places;
pub(crate) use race::{Accessor, Hazard, Pardon, Race, RaceContext, Reach};
pub(crate) use uninitialized::UninitializedRead;
