//! From the syntax tree to the intermediate representation.
//!
//! [`builder`] resolves names, lays out variables and inlines device functions, except those that call each other in a
//! circle ([`call_graph`], [`recursion`]); [`decode`] and its siblings turn opcodes into operations.

#![deny(clippy::wildcard_enum_match_arm)]

mod aggregate_copy;
mod asynchronous;
mod builder;
mod call;
mod call_graph;
mod control;
mod decode;
mod matrix;
mod memory;
mod names;
mod operand;
mod place;
mod recursion;
mod selectors;
mod special_registers;
mod warp;

pub(crate) use builder::build;
