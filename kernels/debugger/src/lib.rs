//! A launch that is stepped forwards and back: in a terminal, by commands, and by editors that speak the Debug Adapter
//! Protocol.
//!
//! [`Start`] says what is stepped, in the words of `warpbook sim`, and opens a [`Model`](model::Model): a session of the
//! simulator with what its readers see. [`Commands`](answers::Commands) carries out commands that are typed and answers in
//! plain text; `tui` draws the same on a terminal, `dap` tells it to an editor. What a launch is at a position, and
//! whereto one can step, is the simulator's (`sim::session`), as in the pages of the book.

#![forbid(unsafe_code)]

pub mod answers;
pub mod command;
pub mod dap;
mod listing;
pub mod model;
mod sources;
mod start;
pub mod tui;
mod values;
mod words;

pub use sources::{Sources, Text};
pub use start::{Refused, STEPS, Start};
