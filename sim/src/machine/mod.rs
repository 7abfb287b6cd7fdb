//! The machine's state: grid, thread blocks, warps and their lanes.

pub mod block;
pub mod fault;
pub mod grid;
pub mod paths;
pub mod registers;
pub mod warp;
