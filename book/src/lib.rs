//! The book: chapters in Markdown, and the mdBook preprocessor that fills them with source regions, counters and
//! figures from runs.
//!
//! A chapter holds directives, `{{#wb NAME …}}`. The way through this crate: [`directive`] finds and reads them,
//! `directives` lists them all, [`fill`] turns each into Markdown and HTML with what it
//! asks of [`runs::Runs`], [`preprocessor`] does that for every
//! chapter of a book, and [`site`] builds the whole site with mdBook's driver. A directive that cannot be filled, or
//! whose numbers contradict the record of a GPU, fails the build with the chapter's file and line.

#![forbid(unsafe_code)]

mod access;
mod authoring;
mod blocks;
mod cache;
mod catalogue;
mod claims;
mod code;
pub mod commands;
pub mod console;
mod context;
mod cuda;
pub mod directive;
mod directives;
mod excerpt;
mod explorer;
mod fault;
mod figures;
pub mod fill;
mod guard;
mod hold;
mod home;
mod html;
mod http;
mod instructions;
mod lab;
mod ladder;
mod least;
mod listings;
mod log;
mod machine;
mod machine_runs;
mod math;
mod panel;
mod parts;
mod play;
pub mod preprocessor;
mod quantity;
mod real;
mod reference;
mod registry;
mod relation;
mod repeats;
pub mod runs;
mod sanitizer;
pub mod serve;
pub mod site;
mod source;
mod stepper;
mod summary;
mod svg;
mod tables;
mod targets;
mod time;
mod value;
mod verdict;
mod wrong;

pub use access::{Access, Space};
pub use authoring::directive_lists;
pub use fault::{Fault, Faults};
pub use guard::Service;
pub use real::RealRuns;
pub use reference::findings::STARTERS;
pub use site::{BuildError, Built, build, check, find, preprocess};
