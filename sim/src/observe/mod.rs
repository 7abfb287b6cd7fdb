//! What is counted of a running kernel, instruction by instruction and line by line.
//!
//! The observers here receive the executor's [events](crate::event).

pub mod busiest;
pub(crate) mod by_line;
pub mod counters;
pub(crate) mod details;
pub(crate) mod eras;
pub mod exact;
pub mod metrics;
pub mod places;

pub use crate::event::SharedUnit;
