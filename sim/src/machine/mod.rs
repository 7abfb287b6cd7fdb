//! The machine's state: grid, thread blocks, warps and their lanes.

pub(crate) mod block;
pub(crate) mod fault;
pub(crate) mod grid;
pub(crate) mod paths;
pub(crate) mod registers;
pub(crate) mod warp;
