//! Figures of one access of a warp, with their sentences and tables: which banks, sectors and words its lanes need, and what
//! that costs on a GPU. The book draws them when it is built, and the same code draws them in the page as WebAssembly
//! ([`explorer`], `draw/wasm`), so a figure that a reader changes is the figure of the book.
//!
//! Costs come from the simulator's rules (`sim::target::Rules`); nothing here knows what a bank conflict costs.

#![forbid(unsafe_code)]

pub mod access;
pub mod atomics;
pub mod ballot;
pub mod banks;
pub mod cells;
pub mod explorer;
pub mod rounds;
pub mod sectors;
pub mod targets;
pub mod threads;
pub mod waves;
