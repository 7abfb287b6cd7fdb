//! The problems of the workbook. Each has one `.cu` file with the versions of its kernel, and here its CPU reference
//! and its cases.

pub mod scan;

use crate::case::Case;

/// One problem.
#[derive(Debug, Clone, Copy)]
pub struct Problem {
    /// Its name, which is also the name of its `.cu` file, its PTX and its records.
    pub name: &'static str,
    /// What the kernels compute, in one sentence.
    pub about: &'static str,
    /// The kernels, in the order of the `.cu` file.
    pub kernels: &'static [&'static str],
    /// Makes the list of cases, kernel by kernel.
    pub cases: fn() -> Vec<Case>,
}

/// All problems, in the order of the book.
pub const fn all() -> &'static [Problem] {
    &[scan::PROBLEM]
}

/// The problem of this name.
pub fn find(name: &str) -> Option<&'static Problem> {
    all().iter().find(|problem| problem.name == name)
}
