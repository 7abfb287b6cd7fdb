//! The book: chapters in Markdown, and the mdBook preprocessor that fills them with source regions, counters and
//! figures from runs.
//!
//! A chapter holds directives, `{{#wb NAME …}}`. The way through this crate: [`directive`] finds and reads them,
//! [`fill`] turns each into Markdown and HTML with what it asks of [`runs::Runs`], [`preprocessor`] does that for every
//! chapter of a book, and [`site`] builds the whole site with mdBook's driver. A directive that cannot be filled, or
//! whose numbers contradict the record of a GPU, fails the build with the chapter's file and line.

#![forbid(unsafe_code)]

mod banks;
mod catalogue;
pub mod directive;
mod fault;
pub mod fill;
mod html;
mod instructions;
mod log;
pub mod preprocessor;
mod quantity;
mod real;
pub mod runs;
mod sanitizer;
pub mod site;
mod source;
mod tables;
mod targets;

pub use fault::{Fault, Faults};
pub use real::RealRuns;
pub use site::{BuildError, Built, build, find, preprocess};
