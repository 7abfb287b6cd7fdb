//! The instruction set against a real GPU: probes of every form, the record of what a GPU computes for them, and the
//! comparison of the simulator with that record.
//!
//! The probes' PTX and operands are made here and depend on nothing but this code; `warpbook record --isa` runs them
//! on a GPU and writes `truth/isa.<gpu>.tsv`; a test runs the same PTX in the simulator and demands the same bits.

pub mod clang;
mod copies;
pub mod coverage;
pub mod functions;
pub mod known;
mod matrix;
pub mod operands;
mod probe;
pub mod record;
pub mod replay;
pub mod text;
pub mod tolerance;
mod warp;

pub use probe::Probe;

/// All probes.
pub fn probes() -> Vec<Probe> {
    let mut probes = probe::lane_local();
    probes.extend(warp::together());
    probes.extend(warp::memory());
    probes.extend(copies::probes());
    probes.extend(matrix::probes());
    probes
}
