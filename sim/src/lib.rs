//! A simulated streaming multiprocessor: executes PTX warp by warp on the CPU and counts what the hardware counts.
//!
//! The ways in: [`Module::parse`] reads PTX text, and what it returns is run for a [`Launch`] in one of three ways.
//! [`simulate`] returns a [`Report`] and the buffers; [`run_observed`] does so for an observer of the caller's own; a
//! [`Session`](session::Session) steps the launch forwards and back. [`machine_code`] takes a cubin in place of PTX.
//!
//! The other public modules are what those take and give: `report` and `target` for everybody; `event`, `ir`, `observe`,
//! `prepare` and `memory` for observers, which see instructions and accesses; `predict` for times; `isa`, `semantics` and
//! `ptx` for whoever lists or reads instructions; `extents` for whoever looks for a launch that runs.
//! Nothing here touches a file, a clock, CUDA or an operating system, so that the crate can be built for
//! `wasm32-unknown-unknown`.

#![forbid(unsafe_code)]

mod check;
pub mod diagnostic;
mod error;
pub mod event;
mod exec;
pub mod extents;
mod findings;
pub mod ir;
pub mod isa;
mod lanes;
pub mod launch;
mod lower;
mod machine;
pub mod machine_code;
pub mod memory;
mod module;
pub mod observe;
mod observed;
mod options;
pub mod predict;
pub mod prepare;
pub mod ptx;
mod ptxas;
pub mod report;
mod scheduler;
pub mod semantics;
pub mod session;
mod simulate;
pub mod target;

pub use error::{Error, ErrorClass, FAULTY};
pub use launch::{Arg, Content, Dim3, Launch, Scalar};
pub use module::{Entry, Module, Parameter};
pub use observed::{Observed, run_observed};
pub use options::{Checks, Options, Watch};
pub use ptxas::Lowering;
pub use report::{Prediction, Report};
pub use simulate::{Outcome, simulate, targets};
pub use target::Scheduling;
