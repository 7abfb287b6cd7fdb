//! A session of simulated launches as one HTML file in the form of a profiler's report: speed of light, warp states,
//! occupancy, memory, lower bound, roofline, instruction mix, advice, source, findings. The file asks nobody for anything.
//!
//! Every number on the page says where it comes from ([`Origin`]): counted and equal to what the hardware counts, computed
//! from documented limits, predicted, estimated, or measured on a GPU. What the simulator does not model is named, and has
//! no number.
//!
//! [`Profile`] holds what is shown, [`page`] makes the page, [`Profile::of`] takes both from a session that ran. The sections
//! are modules of their own.

#![forbid(unsafe_code)]

mod advised;
mod counters;
mod data;
mod findings;
mod head;
mod least;
mod light;
mod memory;
mod mix;
mod number;
mod occupancy;
mod of;
mod origin;
mod page;
mod parts;
mod ptx;
mod roofline;
mod shown;
mod source;
mod warps;

pub use data::{Gpu, Launch, Profile};
pub use number::whole;
pub use occupancy::tables::{Looked, Size, Step, Tables};
pub use of::command_line;
pub use origin::Origin;
pub use page::page;
