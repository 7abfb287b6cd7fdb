//! Exercises: small CUDA kernels that a learner repairs or writes, graded by the simulator on what they compute and on
//! what they cost.
//!
//! A course is a folder with an `info.toml` ([`Course`]). Of every exercise it holds
//!
//! - `NN_topic/NAME.cu`: the learner's file. As shipped it is the *starter*, and it fails for a stated reason.
//! - `solutions/NN_topic/NAME.cu`: the solution, from which the starter is generated ([`starter`]).
//! - `wrong/NN_topic/NAME/*.cu`: wrong solutions, each with the misconception behind it. All must be rejected.
//!
//! [`grade()`] compiles a source text, simulates it for every input of the exercise and gives a [`Grade`];
//! [`feedback::text`] says to the learner where the gap is; [`check_course`] proves that the course itself is sound.
//! [`desk`] holds what the command line's subcommands do. A grade depends on the source text and the course alone:
//! the same text gets the same grade on every machine, with or without a GPU.

#![forbid(unsafe_code)]

pub mod audit;
pub mod compiler;
pub mod course;
pub mod desk;
pub mod feedback;
pub mod grade;
mod info;
pub mod problem;
pub mod starter;

pub use audit::{CourseReport, check_course};
pub use compiler::Compiler;
pub use course::{Course, CourseError, Exercise};
pub use grade::{Grade, GradeError, grade};
