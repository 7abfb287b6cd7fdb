//! Copies and transposes, the roof over everything else: the reference and the cases for `cu/copy.cu`.

mod bench;

#[cfg(test)]
mod tests;

use std::fmt;

use sim::{Dim3, Scalar};

use super::Problem;
use crate::case::{Buffer, Case, Pass, Planned, Prepared, Shape, Step};
use crate::check::{Element, Expected, Tolerance};
use crate::random::Random;

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "copy",
    about: "the same elements in a second array, or rows as columns",
    versions: &[
        "copy_words",
        "copy_vectors",
        "transpose_naive",
        "transpose_shared",
        "transpose_padded",
        "transpose_vectors",
    ],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// Threads in a block.
const THREADS: u32 = 256;

/// Elements that a block of `copy_vectors` copies.
const CHUNK: u32 = 4096;

/// Rows and columns of an array, of which a copy sees only the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Elements in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Size {
    /// Elements.
    pub const fn elements(self) -> u64 {
        self.width as u64 * self.height as u64
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.width, self.height)
    }
}

/// A launch that these kernels are not made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The version does not exist.
    #[error("there is no version `{0}` of copies and transposes; there are {versions}", versions = PROBLEM.versions.join(", "))]
    Version(String),
    /// Indices leave the range of `unsigned`.
    #[error("{0} elements cannot be copied: the kernels count elements with unsigned ints, up to 4294967295")]
    Count(u64),
    /// There is nothing, or too much, to transpose.
    #[error(
        "{0} elements cannot be transposed: both sides are at least 1, and at most 2097120, because a launch has at \
         most 65535 rows of thread blocks"
    )]
    Sides(Size),
    /// Vectors would not begin where rows do.
    #[error(
        "`transpose_vectors` takes widths and heights that are multiples of 4, and {0} is not: rows of both arrays \
         must begin at multiples of 16 bytes; `transpose_padded` takes every size"
    )]
    Quadruples(Size),
}

/// Whether rows become columns.
pub fn transposes(version: &str) -> bool {
    version.starts_with("transpose")
}

/// The launch of a version. Its buffers are `out` and `in`.
///
/// # Errors
/// [`PlanError`] when there is no such version, or it is not made for that.
pub fn plan(version: &str, size: Size) -> Result<Step, PlanError> {
    let known = PROBLEM.versions.iter().find(|known| **known == version);
    let &kernel = known.ok_or_else(|| PlanError::Version(version.to_owned()))?;
    let Size { width, height } = size;
    let (buffers, number) = (["out", "in"].map(Pass::Buffer), |value| Pass::Scalar(Scalar::U32(value)));
    if !transposes(kernel) {
        let count = u32::try_from(size.elements()).map_err(|_| PlanError::Count(size.elements()))?;
        let each = if kernel == "copy_words" { THREADS } else { CHUNK };
        let grid = Dim3::linear(count.div_ceil(each).max(1));
        let args = buffers.into_iter().chain([number(count)]).collect();
        return Ok(Step { kernel, shape: Shape { grid, block: Dim3::linear(THREADS), shared_bytes: 0 }, args });
    }
    if ![width, height].iter().all(|side| (1..=65_535 * 32).contains(side)) {
        return Err(PlanError::Sides(size));
    }
    let vectors = kernel == "transpose_vectors";
    if vectors && !(width.is_multiple_of(4) && height.is_multiple_of(4)) {
        return Err(PlanError::Quadruples(size));
    }
    let (edge, block) = if vectors { (64, Dim3::linear(THREADS)) } else { (32, Dim3::new(32, 8, 1)) };
    let grid = Dim3::new(width.div_ceil(edge), height.div_ceil(edge), 1);
    let args = buffers.into_iter().chain([number(width), number(height)]).collect();
    Ok(Step { kernel, shape: Shape { grid, block, shared_bytes: 0 }, args })
}

/// Rows as columns: `input` has rows of `width` elements.
pub fn transposed(input: &[u32], width: u32) -> Vec<u32> {
    let width = width as usize;
    (0..width).flat_map(|x| input.iter().skip(x).step_by(width).copied()).collect()
}

/// Everything that is run, version by version, from small to large.
fn cases() -> Vec<Case> {
    let line = |count| Size { width: count, height: 1 };
    // An empty array has no result to be held against a reference; the tests run it.
    let lines = [1, 31, 33, 4095, 4096, 4097, 1 << 22].map(line);
    let of = |(width, height)| Size { width, height };
    let any = [(1, 1), (1, 33), (31, 33), (32, 32), (64, 64), (100, 36), (1024, 1024)].map(of);
    let quadruples = [(4, 4), (4, 132), (60, 68), (64, 64), (100, 36), (1024, 1024)].map(of);
    let sizes = |version: &str| match version {
        "transpose_vectors" => quadruples.to_vec(),
        _ if transposes(version) => any.to_vec(),
        _ => lines.to_vec(),
    };
    let cases = |&version: &&'static str| sizes(version).into_iter().map(move |size| case(version, size));
    PROBLEM.versions.iter().flat_map(cases).collect()
}

/// One case. Only for what [`plan`] accepts.
fn case(version: &'static str, size: Size) -> Case {
    let step = plan(version, size).expect("the list of cases holds only what the kernels are made for");
    let name = match transposes(version) {
        true => size.to_string(),
        false => format!("{} elements", size.elements()),
    };
    let launches = vec![Planned { kernel: step.kernel, shape: step.shape }];
    Case::new(PROBLEM.name, version, name, "any ints", launches, move || {
        let mut random = Random::new(0xc09 + size.elements());
        let input: Vec<u32> = (0..size.elements()).map(|_| random.bits() as u32).collect();
        let output = if transposes(version) { transposed(&input, size.width) } else { input.clone() };
        let expected = Expected {
            buffer: "out",
            element: Element::U32,
            reference: output.into_iter().flat_map(u32::to_le_bytes).collect(),
            tolerance: Tolerance::Exact,
        };
        let buffers = vec![Buffer::poisoned("out", input.len() * 4), Buffer::of("in", &input)];
        Prepared { buffers, steps: vec![step.clone()], expected: vec![expected] }
    })
}
