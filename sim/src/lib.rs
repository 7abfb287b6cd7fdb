//! A simulated streaming multiprocessor: executes PTX warp by warp on the CPU and counts what the hardware counts.
//!
//! The way through this crate: [`Module::parse`] reads PTX text, [`simulate`] runs one of its kernels for a
//! [`Launch`] and returns a [`Report`] and the buffers. Nothing here touches a file, a clock, CUDA or an
//! operating system, so that the crate can be built for `wasm32-unknown-unknown`.

#![forbid(unsafe_code)]

mod check;
pub mod diagnostic;
pub mod error;
mod exec;
pub mod extents;
pub mod ir;
pub mod isa;
pub mod launch;
mod lower;
mod machine;
pub mod memory;
pub mod observe;
pub mod predict;
pub mod prepare;
pub mod ptx;
pub mod ptxas;
pub mod report;
mod schedules;
pub mod semantics;
mod simulate;
pub mod target;

pub use check::Checks;
pub use error::{Error, ErrorClass, FAULTY};
pub use launch::{Arg, Content, Dim3, Launch, Scalar};
pub use machine::schedule::Scheduling;
pub use predict::Prediction;
pub use ptxas::Lowering;
pub use report::Report;
pub use simulate::{Entry, Module, Options, Outcome, Parameter, simulate, targets};
