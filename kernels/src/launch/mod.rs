//! Launching any kernel on the simulator: what is run ([`spec`], [`command`]), with which arguments ([`argument`], [`content`],
//! [`generate`], [`expression`]) for which parameters ([`signature`]), which launch
//! of a kernel runs clean ([`list`]), how several launches share buffers ([`run`]; one of them alone: [`prepare`]), and
//! whether the results are right ([`expect`]). What needs neither files nor CUDA is the crate `launch`.

pub mod command;
pub mod expect;
mod hints;
pub mod list;
mod memory;
pub mod native;
pub mod prepare;
mod probe;
pub mod run;
pub mod spec;
mod trials;

pub use ::launch::{SpecError, argument, content, shape, signature};
use data::split;
pub use data::{element, expression, generate};
