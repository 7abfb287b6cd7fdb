//! How every version of the radix sort is launched, and what it refuses.

use sim::{Dim3, Scalar};

use super::PROBLEM;
use crate::case::{Pass, Shape, Step};
use crate::workload::Own;

/// Keys of a tile of the versions with three launches per digit: 256 threads with 16 each.
pub(super) const TILE: u32 = 256 * 16;

/// Threads, and keys of a tile, of `radix_onesweep`.
pub(super) const SWEEP: (u32, u32) = (384, 384 * 32);

/// Threads, and pairs of a tile, of `radix_onesweep_pairs`.
pub(super) const PAIRS: (u32, u32) = (384, 384 * 24);

/// Threads, and keys of a tile, of `radix_onesweep_small`.
pub(super) const SMALL: (u32, u32) = (256, 256);

/// Threads of `radix_histogram_…`, and most threads of `radix_scan`.
const MOST_THREADS: u32 = 1024;

/// Shared memory of `radix_histogram_…`, in bytes: four histograms of 256 bins for each of 32 lanes.
const HISTOGRAM_BYTES: u32 = 4 * 256 * 32 * 4;

/// Blocks of `radix_histogram_…` that an H200 holds: one on each SM.
const RESIDENT: u32 = 132;

/// Values of a digit of 8 bits.
const DIGITS: u32 = 256;

/// The longest array for most versions: what a tile tells about itself, and all indices, are unsigned ints.
pub const LONGEST: u64 = (1 << 32) - 4 * SWEEP.1 as u64;

/// The longest array for `radix_onesweep_small`, whose tiles tell as many words as they have keys, in each pass.
pub const LONGEST_SMALL: u64 = (1 << 30) - 4 * SMALL.1 as u64;

/// What is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned ints.
    U32,
    /// Ints.
    I32,
    /// Floats, in the order of IEEE 754's totalOrder.
    F32,
    /// Unsigned ints, with a value each.
    Pairs,
}

impl Kind {
    /// What this version sorts.
    pub fn of(version: &str) -> Self {
        match version.rsplit('_').next() {
            Some("i32") => Self::I32,
            Some("f32") => Self::F32,
            Some("pairs") => Self::Pairs,
            _ => Self::U32,
        }
    }
}

/// The launches of a version, and the memory that they need beside inputs and outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The launches. Their buffers are `in`, `out` and, for pairs, `values_in` and `values`.
    pub steps: Vec<Step>,
    /// Further buffers.
    pub scratch: Vec<Own>,
    /// What is sorted.
    pub kind: Kind,
}

/// A launch that these kernels are not made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The version does not exist.
    #[error("there is no version `{0}` of the radix sort; there are {versions}", versions = PROBLEM.versions.join(", "))]
    Version(String),
    /// There are too many keys.
    #[error("{count} keys are too many for `{version}`: its indices are unsigned ints, and at most {longest} keys fit")]
    Count {
        /// How many there are.
        count: u64,
        /// Which version.
        version: String,
        /// How many it takes.
        longest: u64,
    },
}

/// How to sort `count` keys with `version`.
///
/// # Errors
/// [`PlanError`] when there is no such version, or there are too many keys.
pub fn plan(version: &str, count: u64) -> Result<Plan, PlanError> {
    let Some(&version) = PROBLEM.versions.iter().find(|known| **known == version) else {
        return Err(PlanError::Version(version.to_owned()));
    };
    let longest = if version == "radix_onesweep_small" { LONGEST_SMALL } else { LONGEST };
    if count > longest {
        return Err(PlanError::Count { count, version: version.to_owned(), longest });
    }
    let count = count as u32;
    Ok(if version.starts_with("radix_onesweep") { sweep(version, count) } else { three(version, count) })
}

/// Threads, and keys of a tile.
pub(super) fn tile(version: &str) -> (u32, u32) {
    match version {
        "radix_onesweep_small" => SMALL,
        "radix_onesweep_pairs" => PAIRS,
        _ if version.starts_with("radix_onesweep") => SWEEP,
        _ => (256, TILE),
    }
}

const fn number(value: u32) -> Pass {
    Pass::Scalar(Scalar::U32(value))
}

const fn linear(blocks: u32, threads: u32, shared_bytes: u32) -> Shape {
    Shape { grid: Dim3::linear(blocks), block: Dim3::linear(threads), shared_bytes }
}

/// Where the keys of a pass come from and go to. There is an even number of passes, so the last one writes `out`.
const fn ways(pass: u32) -> (&'static str, &'static str) {
    match pass {
        0 => ("in", "other"),
        _ if pass % 2 == 1 => ("other", "out"),
        _ => ("out", "other"),
    }
}

/// Counting, scanning and scattering, for each digit.
fn three(version: &'static str, count: u32) -> Plan {
    let bits = if version == "radix_three_4" { 4 } else { 8 };
    let counting = if bits == 4 { "radix_count_4" } else { "radix_count_8" };
    let tiles = count.div_ceil(TILE).max(1);
    let [counts, totals] = ["counts", "totals"].map(Pass::Buffer);
    let mut steps = Vec::new();
    for pass in 0..32 / bits {
        let (from, to) = ways(pass);
        let (from, to, end) = (Pass::Buffer(from), Pass::Buffer(to), [number(count), number(pass * bits)]);
        let shape = linear(tiles, 256, 0);
        steps.push(Step { kernel: counting, shape, args: [&[counts, from], &end[..]].concat() });
        let args = vec![counts, totals, number(tiles)];
        // A warp per value of the digit.
        let threads = MOST_THREADS.min(32 << bits);
        steps.push(Step { kernel: "radix_scan", shape: linear((32 << bits) / threads, threads, 0), args });
        steps.push(Step { kernel: version, shape, args: [&[to, from, counts, totals], &end[..]].concat() });
    }
    let scratch = vec![
        Own::poisoned("other", u64::from(count) * 4),
        Own::poisoned("counts", u64::from(tiles) << bits << 2),
        Own::poisoned("totals", 4 << bits),
    ];
    Plan { steps, scratch, kind: Kind::U32 }
}

/// All histograms at once, and a launch for each digit.
fn sweep(version: &'static str, count: u32) -> Plan {
    let kind = Kind::of(version);
    let (threads, tile) = tile(version);
    let tiles = count.div_ceil(tile).max(1);
    let words = 16 + 4 * tiles * DIGITS;
    let [histograms, state] = ["histograms", "state"].map(Pass::Buffer);
    let blocks = count.div_ceil(4 * MOST_THREADS).clamp(1, RESIDENT);
    let kernel = match kind {
        Kind::I32 => "radix_histogram_i32",
        Kind::F32 => "radix_histogram_f32",
        Kind::U32 | Kind::Pairs => "radix_histogram_u32",
    };
    let args = vec![histograms, state, Pass::Buffer("in"), number(count), number(words)];
    let mut steps = vec![Step { kernel, shape: linear(blocks, MOST_THREADS, HISTOGRAM_BYTES), args }];
    for pass in 0..4 {
        let (from, to) = ways(pass);
        let mut args = vec![Pass::Buffer(to), Pass::Buffer(from)];
        if kind == Kind::Pairs {
            let of_keys = |keys| {
                if keys == "out" {
                    "values"
                } else if keys == "in" {
                    "values_in"
                } else {
                    "values_other"
                }
            };
            args = [to, of_keys(to), from, of_keys(from)].map(Pass::Buffer).to_vec();
        }
        args.extend([histograms, state, number(count), number(pass)]);
        steps.push(Step { kernel: version, shape: linear(tiles, threads, 4 * (tile + 8 * threads)), args });
    }
    let mut scratch = vec![
        Own::poisoned("other", u64::from(count) * 4),
        Own::zeros("histograms", u64::from(4 * DIGITS) * 4),
        Own::poisoned("state", u64::from(words) * 4),
    ];
    if kind == Kind::Pairs {
        scratch.push(Own::poisoned("values_other", u64::from(count) * 4));
    }
    Plan { steps, scratch, kind }
}
