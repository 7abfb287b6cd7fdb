//! A plain scalar interpreter to hold the simulator against.
//!
//! A random [`Program`](program::Program) exists twice: as PTX ([`write`]), which the simulator executes warp by warp, and as a tree that
//! [`interpret`] walks thread by thread, one statement at a time, with nothing but Rust's own arithmetic. Programs are
//! free of races by construction, so that every schedule gives the one result and the checks have nothing to find.
//! Programs come from bytes, so that proptest and a fuzzer can both make them.

pub(crate) mod agree;
pub(crate) mod forms;
pub(crate) mod interpret;
pub(crate) mod program;
pub(crate) mod write;
