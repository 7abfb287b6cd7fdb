//! The machine's state: grid, thread blocks, warps and their lanes.

mod barrier;
pub(crate) mod block;
pub(crate) mod fault;
pub(crate) mod grid;
pub(crate) mod paths;
pub(crate) mod registers;
mod residents;
pub(crate) mod schedule;
pub(crate) mod spin;
mod stuck;
pub(crate) mod warp;
