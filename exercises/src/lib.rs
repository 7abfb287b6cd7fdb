//! Exercises: questions about kernels, and small CUDA kernels that a learner repairs, improves or writes, graded by the
//! simulator on what they compute and on what they cost.
//!
//! A course is a folder with an `info.toml` ([`Course`]); `AUTHORING.md` tells what is in it. Of every exercise it holds
//!
//! - `GROUP/NAME.cu`: the learner's file. As shipped it is the *starter*, and it fails for a stated reason. Of questions
//!   it is the kernel to look at, and `GROUP/NAME.txt` takes the answers.
//! - `solutions/GROUP/NAME.toml` and `.cu`: what is run, asked and demanded, and the solution, from which the starter is
//!   generated ([`starter`]).
//! - `right/GROUP/NAME/*.cu`: right solutions in other styles. All must be accepted, and what they and the solution cost
//!   bounds what a learner's kernel may cost ([`bounds`]).
//! - `wrong/GROUP/NAME/*.cu`: wrong solutions, each with the misconception behind it. All must be rejected.
//!
//! [`Bench`] makes an exercise's data and grades any number of submissions; [`feedback::text`] says to the learner where
//! the gap is; `check_course` proves that the course itself is sound. `desk` holds what the command line's
//! subcommands do. A grade depends on the submission, the course and the secret alone: it is the same on every machine,
//! with or without a GPU. `native` sets what a GPU does beside it.
//!
//! Without the feature `host` the crate is the grader alone, as the pages of the book have it ([`page::module`]).

#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "host"), allow(dead_code, reason = "some of the grader is for those who prove a course"))]

// The grader: no file but the course's own, no process, no terminal. All of it builds for WebAssembly.
pub mod answers;
mod attempt;
pub mod bounds;
pub mod built;
pub mod bundle;
pub mod compiler;
pub mod course;
pub mod data;
pub mod feedback;
pub mod grade;
mod info;
pub mod instance;
pub mod measure;
pub mod misconception;
pub mod model;
pub mod page;
pub mod quiz;
mod shipped;
pub mod show;
pub mod spec;
pub mod starter;
pub mod state;
mod words;

// Who uses it where there is an operating system.
#[cfg(feature = "host")]
pub mod audit;
#[cfg(feature = "host")]
pub mod class;
#[cfg(feature = "host")]
pub mod compilers;
#[cfg(feature = "host")]
pub mod desk;
#[cfg(feature = "host")]
pub mod native;
#[cfg(feature = "host")]
pub mod prebuild;
#[cfg(feature = "host")]
pub mod replay;
#[cfg(feature = "host")]
pub mod roads;
#[cfg(feature = "host")]
pub mod runner;
#[cfg(feature = "host")]
pub mod service;

#[cfg(feature = "host")]
pub use audit::{CourseReport, check_course};
pub use compiler::Compiler;
pub use course::{Course, CourseError, Exercise};
pub use grade::{Bench, Depth, Grade, GradeError, grade};
