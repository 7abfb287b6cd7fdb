//! Stream compaction of an array of ints: the reference and the cases for `cu/compaction.cu`.

mod bench;

use sim::report::FindingKind;
use sim::{Dim3, Scalar};

pub use data::compaction::Data;

use super::Problem;
use crate::case::{Buffer, Case, Pass, Planned, Prepared, Shape, Step};
use crate::check::{Element, Expected, POISON, Tolerance};
use crate::verdict::Verdict;

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "compaction",
    about: "the positive numbers of an array of ints, side by side and in their order, and how many they are",
    versions: &[
        "compact_serial",
        "compact_atomic",
        "compact_warp_atomic",
        "compact_block_atomic",
        "compact_scan_scatter",
        "compact_gather_search",
        "compact_ballot5",
        "compact_ballot_branch",
        "compact_ballot6",
        "compact_shuffle",
        "compact_staged",
        "compact_lookback",
        "compact_pipelined",
    ],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// Threads in a block of all kernels but `compact_pipelined` and `compact_offsets`.
const THREADS: u32 = 256;

/// Elements that `compact_scan_tiles` scans in one block.
const SCAN_TILE: u32 = 512;

/// Elements of a block of `compact_staged` and `compact_lookback`.
const TILE: u32 = 4096;

/// Threads, and elements of a tile, of `compact_pipelined`.
const LONG: (u32, u32) = (512, 8192);

/// Blocks of `compact_pipelined` that an H200 holds: two on each of its 132 SMs.
const RESIDENT: u32 = 2 * 132;

/// Threads of the one block of `compact_offsets`.
const MOST_THREADS: u32 = 1024;

/// Elements of the large case, 16 MiB.
const LARGE: u32 = 1 << 22;

/// The longest array: all indices, up to the end of the last tile, are unsigned ints.
pub const LONGEST: u64 = (1 << 32) - LONG.1 as u64;

/// The positive numbers, in their order.
pub fn reference(input: &[i32]) -> Vec<i32> {
    input.iter().copied().filter(|&x| x > 0).collect()
}

/// A launch that these kernels are not made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The version does not exist.
    #[error("there is no version `{0}` of compaction; there are {versions}", versions = PROBLEM.versions.join(", "))]
    Version(String),
    /// Indices leave the range of `unsigned`.
    #[error("an array of {0} elements cannot be compacted: the kernels' indices are unsigned ints, up to {LONGEST}")]
    Count(u64),
}

/// The launches of a version, and the buffers of unsigned ints that they need beside `out`, `kept` and `in`.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The launches.
    pub steps: Vec<Step>,
    /// Buffers between the launches: name, number of unsigned ints, and whether they must be zero before.
    pub between: Vec<(&'static str, u32, bool)>,
}

/// How to compact `count` elements with `version`.
///
/// # Errors
/// [`PlanError`] when there is no such version, or the array is too long.
pub fn plan(version: &str, count: u64) -> Result<Plan, PlanError> {
    let known = PROBLEM.versions.iter().find(|known| **known == version);
    let &version = known.ok_or_else(|| PlanError::Version(version.to_owned()))?;
    if count > LONGEST {
        return Err(PlanError::Count(count));
    }
    let count = count as u32;
    let number = |value| Pass::Scalar(Scalar::U32(value));
    let step = |kernel, grid: u32, threads, args: &[Pass]| Step {
        kernel,
        shape: Shape { grid: Dim3::linear(grid.max(1)), block: Dim3::linear(threads), shared_bytes: 0 },
        args: args.iter().copied().chain([number(if kernel == "compact_offsets" { grid } else { count })]).collect(),
    };
    let [out, kept, input] = ["out", "kept", "in"].map(Pass::Buffer);
    let [flags, places, counts, offsets, state] = ["flags", "places", "counts", "offsets", "state"].map(Pass::Buffer);
    let blocks = count.div_ceil(THREADS);
    // `compact_offsets` is one block; the number of totals that it walks through takes the place of the array's length.
    let offsets_of = |totals: u32| {
        let mut step = step("compact_offsets", totals, MOST_THREADS, &[offsets, kept, counts]);
        step.shape.grid = Dim3::linear(1);
        step
    };
    let (mut steps, mut between) = (Vec::new(), Vec::new());
    match version {
        "compact_serial" => steps.push(step(version, 1, 1, &[out, kept, input])),
        "compact_atomic" | "compact_warp_atomic" | "compact_block_atomic" => {
            steps.push(step(version, blocks, THREADS, &[out, kept, input]));
        }
        "compact_scan_scatter" | "compact_gather_search" => {
            let tiles = count.div_ceil(SCAN_TILE);
            steps.push(step("compact_flags", blocks, THREADS, &[flags, input]));
            steps.push(step("compact_scan_tiles", tiles, THREADS, &[places, counts, flags]));
            steps.push(offsets_of(tiles.max(1)));
            let search = version == "compact_gather_search";
            let args = [out, input, places, offsets, kept];
            steps.push(step(version, blocks, THREADS, if search { &args } else { &args[..4] }));
            between.extend([("flags", count, false), ("places", count, false)]);
            between.extend([("counts", tiles.max(1), false), ("offsets", tiles.max(1), false)]);
        }
        "compact_lookback" | "compact_pipelined" => {
            let (threads, tile) = if version == "compact_lookback" { (THREADS, TILE) } else { LONG };
            let tiles = count.div_ceil(tile).max(1);
            let grid = if version == "compact_lookback" { tiles } else { tiles.min(RESIDENT) };
            let mut step = step(version, grid, threads, &[out, kept, input, state]);
            if version == "compact_pipelined" {
                step.shape.shared_bytes = 2 * 4 * tile;
            }
            steps.push(step);
            between.push(("state", 4 + 2 * tiles, true));
        }
        _ => {
            let (counting, tile) =
                if version == "compact_staged" { ("compact_count_tiles", TILE) } else { ("compact_count", THREADS) };
            let blocks = count.div_ceil(tile).max(1);
            steps.push(step(counting, blocks, THREADS, &[counts, input]));
            steps.push(offsets_of(blocks));
            steps.push(step(version, blocks, THREADS, &[out, input, offsets]));
            between.extend([("counts", blocks, false), ("offsets", blocks, false)]);
        }
    }
    Ok(Plan { steps, between })
}

/// Whether places go by arrival.
fn is_unstable(version: &str) -> bool {
    version.ends_with("_atomic")
}

/// Whether, in some block, elements are kept behind a warp that keeps all of its own.
fn goes_on_behind_a_full_warp(input: &[i32]) -> bool {
    input.chunks(THREADS as usize).any(|block| {
        let mut kept = block.chunks(32).map(|warp| warp.iter().filter(|&&x| x > 0).count());
        kept.any(|kept| kept == 32) && kept.any(|kept| kept > 0)
    })
}

/// What is wrong with a version for this data: `count` is where the array ends. (Of a long array with half of it kept
/// no warp keeps everything.)
fn verdict(version: &str, count: u32, data: Data) -> Verdict {
    match version {
        "compact_ballot5" if count < LARGE && goes_on_behind_a_full_warp(&data.make(count)) => Verdict::Faulty {
            finding: FindingKind::Race,
            why: "a full warp's total of 32 has no bit among the five, so two warps write to the same places",
        },
        "compact_ballot_branch" if !count.is_multiple_of(THREADS) => Verdict::Faulty {
            finding: FindingKind::Uninitialized,
            why: "behind the end of the array no lane writes a warp's total, and the first warp reads all of them",
        },
        _ => Verdict::Right,
    }
}

/// Everything that is run, version by version, from small to large.
fn cases() -> Vec<Case> {
    let of = |&version: &&'static str| {
        let tile = tile(version);
        let mut cases: Vec<Case> =
            [0, 1, 33, tile - 1, tile, tile + 1].map(|count| case(version, count, Data::Share(500))).into();
        let data = [Data::Share(500), Data::Share(0), Data::Share(990), Data::Share(1000), Data::FullWarp];
        cases.extend(data.map(|data| case(version, 3 * tile + 17, data)));
        // One thread would take seconds.
        cases.extend((version != "compact_serial").then(|| case(version, LARGE, Data::Share(500))));
        cases
    };
    PROBLEM.versions.iter().flat_map(of).collect()
}

/// Elements of a thread block.
fn tile(version: &str) -> u32 {
    match version {
        "compact_scan_scatter" | "compact_gather_search" => SCAN_TILE,
        "compact_staged" | "compact_lookback" => TILE,
        "compact_pipelined" => LONG.1,
        _ => THREADS,
    }
}

fn case(version: &'static str, count: u32, data: Data) -> Case {
    let plan = plan(version, count.into()).expect("the list of cases holds only what the kernels are made for");
    let launches = plan.steps.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
    let name = format!("{count} elements, {}", data.name());
    let prepare = move || {
        let input = data.make(count);
        let kept = reference(&input);
        let mut buffers = vec![Buffer::poisoned("out", input.len() * 4), Buffer::of("in", &input)];
        // Atomics add to what is there; a number that is stored overwrites what must not survive.
        buffers.push(if is_unstable(version) { Buffer::zeros("kept", 4) } else { Buffer::poisoned("kept", 4) });
        buffers.extend(plan.between.iter().map(|&(name, ints, zero)| match zero {
            true => Buffer::zeros(name, u64::from(ints) * 4),
            false => Buffer::poisoned(name, ints as usize * 4),
        }));
        let number = Expected {
            buffer: "kept",
            element: Element::U32,
            reference: (kept.len() as u32).to_le_bytes().to_vec(),
            tolerance: Tolerance::Exact,
        };
        // What lies behind the kept elements stays as it was.
        let mut reference: Vec<u8> = kept.into_iter().flat_map(i32::to_le_bytes).collect();
        reference.resize(input.len() * 4, POISON);
        let tolerance = match is_unstable(version) {
            true => Tolerance::AnyOrder { reason: "places go by arrival".to_owned() },
            false => Tolerance::Exact,
        };
        let out = Expected { buffer: "out", element: Element::I32, reference, tolerance };
        Prepared { buffers, steps: plan.steps.clone(), expected: vec![number, out] }
    };
    Case::new(PROBLEM.name, version, name, data.name(), launches, prepare).expecting(verdict(version, count, data))
}

#[cfg(test)]
mod tests;
