//! What is found in a kernel: the data of each kind of finding, and the sentences that are made of it.
//!
//! The executor, the scheduler and the checks raise data. Here alone it becomes a [`Finding`] with a message and a help.

mod breaches;
mod faults;
mod finding;
pub(crate) mod names;
mod places;

pub(crate) use breaches::{Absence, Breach, Group, same_in_source};
pub(crate) use faults::{Fault, Faults};
pub use finding::{Finding, FindingKind, Memory, Party, Severity};
pub(crate) use places::Places;
