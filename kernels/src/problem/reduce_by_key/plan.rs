//! How every version of the reduction by key is launched, and what it refuses.

use sim::{Dim3, Scalar};

use super::PROBLEM;
use crate::case::{Buffer, Pass, Shape, Step};
use crate::check::Element;
use crate::workload::Own;

/// Threads in a block.
const THREADS: u32 = 256;

/// Elements in a tile of the single-pass version: 256 threads with 14 elements each.
pub(super) const TILE: u32 = 256 * 14;

/// The most elements: indices of the last block's threads are unsigned ints.
pub(super) const LONGEST: u64 = (1 << 32) - 4096;

/// Bits of a key that one pass of the radix sort takes.
const DIGIT_BITS: u32 = 4;

/// What a version adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// One `float` per element.
    F32,
    /// One `double`.
    F64,
    /// One `int`.
    I32,
    /// Four `float`s.
    F32x4,
}

impl Values {
    fn of(version: &str) -> Self {
        match version.rsplit('_').next() {
            Some("f32") => Self::F32,
            Some("i32") => Self::I32,
            Some("f32x4") => Self::F32x4,
            _ => Self::F64,
        }
    }

    /// Numbers per element.
    pub const fn width(self) -> usize {
        if matches!(self, Self::F32x4) { 4 } else { 1 }
    }

    /// The type of a number.
    pub const fn element(self) -> Element {
        match self {
            Self::F32 | Self::F32x4 => Element::F32,
            Self::F64 => Element::F64,
            Self::I32 => Element::I32,
        }
    }

    /// Numbers as they lie in memory.
    pub fn bytes(self, numbers: &[f64]) -> Vec<u8> {
        match self {
            Self::F32 | Self::F32x4 => numbers.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect(),
            Self::F64 => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I32 => numbers.iter().flat_map(|&x| (x as i32).to_le_bytes()).collect(),
        }
    }

    /// A buffer that holds `numbers`.
    pub fn buffer(self, name: &'static str, numbers: &[f64]) -> Buffer {
        Buffer::of(name, &self.bytes(numbers))
    }
}

/// What a version leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// A sum for every possible key.
    Table {
        /// The number of possible keys.
        table: u32,
    },
    /// The keys that come, with their sums, and how many they are.
    Runs,
}

/// The launches of a version, and the memory that they need beside inputs and outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The launches. Their buffers are `keys`, `values`, `sums`, and for [`Output::Runs`] `unique` and `runs`.
    pub steps: Vec<Step>,
    /// Further buffers.
    pub scratch: Vec<Own>,
    /// What is added up.
    pub values: Values,
    /// What comes out.
    pub output: Output,
    /// Whether the keys are sorted first.
    pub sorts: bool,
}

/// What these kernels are not made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The version does not exist.
    #[error("there is no version `{asked}` of the reduction by key; there are {}", PROBLEM.versions.join(", "))]
    Version {
        /// The name that was asked for.
        asked: String,
    },
    /// There are too many elements.
    #[error(
        "{0} elements are too many for the reduction by key: the kernels' indices are of type unsigned, and those of \
         the last block's threads must not begin again at 0; at most {LONGEST} elements fit"
    )]
    Count(u64),
    /// There is no place for a sum.
    #[error(
        "there are elements to add up, but the table of sums is for no key at all; a table of at least 1 is needed"
    )]
    NoKeys,
    /// Keys are ints, and indices of the table.
    #[error("a table for {0} keys is too large: keys are of type int, from 0 to 2147483647")]
    Keys(u32),
}

/// Names of the radix sort's buffers, in turns.
const SORTED: [(&str, &str); 2] = [("keys_a", "values_a"), ("keys_b", "values_b")];

/// How to launch `version` for `count` elements whose keys are smaller than `table`.
///
/// # Errors
/// [`PlanError`] when the kernels are not made for that.
pub fn plan(version: &str, count: u64, table: u32) -> Result<Plan, PlanError> {
    let Some(&version) = PROBLEM.versions.iter().find(|known| **known == version) else {
        return Err(PlanError::Version { asked: version.to_owned() });
    };
    if count > LONGEST {
        return Err(PlanError::Count(count));
    }
    let count = count as u32;
    if table == 0 && count > 0 {
        return Err(PlanError::NoKeys);
    }
    if table > 1 << 31 {
        return Err(PlanError::Keys(table));
    }
    let values = Values::of(version);
    let sorts = version == "by_key_sort_f64";
    if sorts || version == "by_key_look_back_f64" {
        let (mut steps, mut scratch) = (Vec::new(), Vec::new());
        let (keys, values_in) = if sorts { sort(count, table, &mut steps, &mut scratch) } else { ("keys", "values") };
        let tiles = count.div_ceil(TILE).max(1);
        let args = [["unique", "sums", "runs"].map(Pass::Buffer), [keys, values_in, "work"].map(Pass::Buffer)];
        let mut args = args.concat();
        args.insert(5, unsigned(count));
        let shape = Shape { grid: Dim3::linear(tiles), block: Dim3::linear(THREADS), shared_bytes: 12 * TILE };
        steps.push(Step { kernel: "by_key_look_back_f64", shape, args });
        scratch.push(Own::zeros("work", 16 * (1 + u64::from(tiles))));
        return Ok(Plan { steps, scratch, values, output: Output::Runs, sorts });
    }
    let args = ["sums", "keys", "values"].map(Pass::Buffer).into_iter().chain([unsigned(count)]).collect();
    let steps = vec![Step { kernel: version, shape: blocks(count), args }];
    Ok(Plan { steps, scratch: Vec::new(), values, output: Output::Table { table }, sorts })
}

const fn unsigned(value: u32) -> Pass {
    Pass::Scalar(Scalar::U32(value))
}

/// One thread per element.
fn blocks(count: u32) -> Shape {
    Shape { grid: Dim3::linear(count.div_ceil(THREADS).max(1)), block: Dim3::linear(THREADS), shared_bytes: 0 }
}

/// The launches of the radix sort, as many passes as the largest key has digits. Returns where the sorted elements are.
fn sort(count: u32, table: u32, steps: &mut Vec<Step>, scratch: &mut Vec<Own>) -> (&'static str, &'static str) {
    let shape = blocks(count);
    let counts = shape.grid.x << DIGIT_BITS;
    scratch.push(Own::poisoned("counts", u64::from(counts) * 4));
    let bits = u32::BITS - table.saturating_sub(1).leading_zeros();
    let mut from = ("keys", "values");
    for pass in 0..bits.div_ceil(DIGIT_BITS) {
        let to = SORTED[(pass % 2) as usize];
        if pass < 2 {
            scratch.push(Own::poisoned(to.0, u64::from(count) * 4));
            scratch.push(Own::poisoned(to.1, u64::from(count) * 8));
        }
        let shift = unsigned(DIGIT_BITS * pass);
        let args = vec![Pass::Buffer("counts"), Pass::Buffer(from.0), unsigned(count), shift];
        steps.push(Step { kernel: "by_key_sort_count", shape, args });
        let args = vec![Pass::Buffer("counts"), unsigned(counts)];
        let one = Shape { grid: Dim3::linear(1), ..shape };
        steps.push(Step { kernel: "by_key_sort_places", shape: one, args });
        let buffers = [to.0, to.1, from.0, from.1, "counts"].map(Pass::Buffer);
        let args = buffers.into_iter().chain([unsigned(count), shift]).collect();
        steps.push(Step { kernel: "by_key_sort_scatter", shape, args });
        from = to;
    }
    from
}
