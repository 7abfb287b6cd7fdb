//! The problems of the workbook. Each has one `.cu` file with the versions of its kernel, and here its CPU reference
//! and its cases.

pub mod array_scan;
pub mod compaction;
pub mod copy;
pub mod histogram;
pub mod merge_sort;
pub mod radix_sort;
pub mod reduce_by_key;
pub mod reduction;
pub mod scan;
pub mod summed_area_table;

use crate::case::Case;
use crate::workload::{SinglePass, Size, Workload};

/// One problem.
#[derive(Debug, Clone, Copy)]
pub struct Problem {
    /// Its name, which is also the name of its `.cu` file, its PTX and its records.
    pub name: &'static str,
    /// What the kernels compute, in one sentence.
    pub about: &'static str,
    /// The versions of the algorithm, from the first to the last. A version that is one kernel has that kernel's name.
    pub versions: &'static [&'static str],
    /// Makes the list of cases, version by version.
    pub cases: fn() -> Vec<Case>,
    /// Makes the list of what is timed on a GPU, from small to large. Cheap: inputs are made when they are needed.
    pub bench: fn() -> Vec<Workload>,
    /// Makes the same list for any other size, or says in a sentence why inputs of that size are not made.
    pub bench_of: fn(Size) -> Result<Vec<Workload>, String>,
    /// The versions that do everything in one launch, whose tiles wait for each other or share a grid.
    pub single_pass: fn() -> Vec<SinglePass>,
}

/// All problems, in the order of the book.
pub const fn all() -> &'static [Problem] {
    &[
        copy::PROBLEM,
        reduction::PROBLEM,
        scan::PROBLEM,
        array_scan::PROBLEM,
        compaction::PROBLEM,
        histogram::PROBLEM,
        reduce_by_key::PROBLEM,
        summed_area_table::PROBLEM,
        merge_sort::PROBLEM,
        radix_sort::PROBLEM,
    ]
}

/// The problem of this name.
pub fn find(name: &str) -> Option<&'static Problem> {
    all().iter().find(|problem| problem.name == name)
}
