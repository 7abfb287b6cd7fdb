//! The launches of every version of the array scan, and the buffers between them.

use sim::{Dim3, Scalar};

use super::PROBLEM;
use crate::case::{Pass, Shape, Step};

/// Threads in a block of most kernels.
const THREADS: u32 = 256;

/// Elements that the hybrid scans naively when no more are left.
const NAIVE: u32 = 1024;

/// The longest array: all indices, up to the end of the last tile, are unsigned ints.
pub const LONGEST: u64 = (1 << 32) - 8192;

/// Names of the arrays that belong to the levels of a tree: sums of the level below, and their scan.
const LEVELS: [(&str, &str); 24] = [
    ("level_0", "sums_0"),
    ("level_1", "sums_1"),
    ("level_2", "sums_2"),
    ("level_3", "sums_3"),
    ("level_4", "sums_4"),
    ("level_5", "sums_5"),
    ("level_6", "sums_6"),
    ("level_7", "sums_7"),
    ("level_8", "sums_8"),
    ("level_9", "sums_9"),
    ("level_10", "sums_10"),
    ("level_11", "sums_11"),
    ("level_12", "sums_12"),
    ("level_13", "sums_13"),
    ("level_14", "sums_14"),
    ("level_15", "sums_15"),
    ("level_16", "sums_16"),
    ("level_17", "sums_17"),
    ("level_18", "sums_18"),
    ("level_19", "sums_19"),
    ("level_20", "sums_20"),
    ("level_21", "sums_21"),
    ("level_22", "sums_22"),
    ("level_23", "sums_23"),
];

/// An array that these kernels are not made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The version does not exist.
    #[error("there is no version `{0}` of the array scan; there are {versions}", versions = PROBLEM.versions.join(", "))]
    Version(String),
    /// Indices leave the range of `unsigned`.
    #[error("an array of {0} elements cannot be scanned: the kernels' indices are unsigned ints, up to {LONGEST}")]
    Count(u64),
}

/// The launches of a version, and the buffers that they need beside `out` and `in`.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The launches.
    pub steps: Vec<Step>,
    /// Buffers between the launches: name, number of words of 32 bits, and whether they must be zero before.
    pub between: Vec<(&'static str, u32, bool)>,
}

/// The shape of a kernel that does it all in one launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SinglePass {
    /// Threads of a block.
    pub threads: u32,
    /// Elements of a tile.
    pub tile: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// Most blocks: as many as an H200 holds on its 132 SMs, or one per tile.
    pub blocks: u32,
}

/// The shape of a single pass; `None` for versions of several launches.
pub(super) fn single_pass(version: &str) -> Option<SinglePass> {
    let (threads, tile, shared_bytes, blocks) = match version {
        "prefix_chained_unfenced"
        | "prefix_chained_by_block"
        | "prefix_chained"
        | "prefix_lookback_thread"
        | "prefix_lookback_warp"
        | "prefix_lookback_warp_f32" => (THREADS, 4096, 0, u32::MAX),
        "prefix_bulk" | "prefix_bulk_f32" => (672, 8192, 6 * 4 * 8192, 132),
        "prefix_pipelined" | "prefix_pipelined_f32" => (512, 8192, 2 * 4 * 8192, 2 * 132),
        // The same with small tiles, for tests.
        "prefix_lookback_small" => (64, 256, 0, u32::MAX),
        "prefix_bulk_small" => (192, 256, 2 * 4 * 256, 132),
        "prefix_pipelined_small" => (64, 256, 2 * 4 * 256, 2 * 132),
        _ => return None,
    };
    Some(SinglePass { threads, tile, shared_bytes, blocks })
}

/// Whether a version is one launch in which tiles tell each other their sums.
pub(super) fn is_single_pass(version: &str) -> bool {
    single_pass(version).is_some()
}

/// Elements of a tile.
pub(super) fn tile(version: &str) -> u32 {
    match version {
        "prefix_hybrid" => NAIVE,
        "prefix_three_kernels" | "prefix_three_kernels_f32" | "prefix_reduce_scan" => 512,
        "prefix_float4_f32" => 2048,
        "prefix_in_place" | "prefix_printed" | "prefix_shuffle" => THREADS,
        "prefix_blocked" => 24 * THREADS,
        "prefix_odd" => 23 * THREADS,
        _ => single_pass(version).map_or(NAIVE, |shape| shape.tile),
    }
}

/// How many additions an element goes through at most on its way into any sum.
pub(super) fn additions(version: &str, count: u32) -> u32 {
    let tile = tile(version);
    if is_single_pass(version) {
        // In a tile four elements, five rounds of shuffles, the rows of a warp, five rounds for the warps, and the
        // place of the warp; from tile to tile at most two windows' or parts' rounds of five, and two to carry them along.
        return 24 + 12 * count.div_ceil(tile);
    }
    // Up and down the tree, the offset, and with float4 four elements on each way; then the tree over the sums.
    let of_level = 2 * 9 + 1 + if version == "prefix_float4_f32" { 8 } else { 0 };
    let levels = (0..).scan(count, |left, _| (*left > 1).then(|| *left = left.div_ceil(tile))).count();
    of_level * levels as u32
}

/// How to scan `count` elements with `version`.
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
    Ok(match (version, single_pass(version)) {
        (_, Some(shape)) => one_launch(version, shape, count),
        ("prefix_serial", _) => serial(count),
        ("prefix_in_place" | "prefix_printed", _) => scan_scan_add(version, version, "prefix_three_kernels", count),
        ("prefix_hybrid", _) => hybrid(count),
        ("prefix_three_kernels", _) => scan_scan_add(version, "prefix_tiles", version, count),
        ("prefix_three_kernels_f32", _) => scan_scan_add(version, "prefix_tiles_f32", version, count),
        ("prefix_float4_f32", _) => scan_scan_add(version, "prefix_tiles_float4", version, count),
        _ => reduce_then_scan(version, count),
    })
}

fn number(value: u32) -> Pass {
    Pass::Scalar(Scalar::U32(value))
}

/// A launch of `blocks` blocks, at least one.
fn step(kernel: &'static str, blocks: u32, threads: u32, args: Vec<Pass>) -> Step {
    let shape = Shape { grid: Dim3::linear(blocks.max(1)), block: Dim3::linear(threads), shared_bytes: 0 };
    Step { kernel, shape, args }
}

/// One thread.
fn serial(count: u32) -> Plan {
    let args = vec![Pass::Buffer("out"), Pass::Buffer("in"), number(count)];
    Plan { steps: vec![step("prefix_serial", 1, 1, args)], between: Vec::new() }
}

/// The one launch of a single pass.
pub(super) fn one_launch(kernel: &'static str, pass: SinglePass, count: u32) -> Plan {
    let tiles = count.div_ceil(pass.tile).max(1);
    let [out, input, state] = ["out", "in", "state"].map(Pass::Buffer);
    let mut step = step(kernel, tiles.min(pass.blocks), pass.threads, vec![out, input, state, number(count)]);
    step.shape.shared_bytes = pass.shared_bytes;
    Plan { steps: vec![step], between: vec![("state", 4 + 2 * tiles, true)] }
}

/// Sums of tiles, their offsets, and a scan of every tile from its offset on.
fn reduce_then_scan(version: &'static str, count: u32) -> Plan {
    let tile = tile(version);
    let tiles = count.div_ceil(tile).max(1);
    let [out, input, sums, offsets] = ["out", "in", "sums", "offsets"].map(Pass::Buffer);
    let steps = vec![
        step("prefix_reduce", tiles, THREADS, vec![sums, input, number(count), number(tile)]),
        step("prefix_offsets", 1, 1024, vec![offsets, sums, number(tiles)]),
        step(version, tiles, THREADS, vec![out, input, offsets, number(count)]),
    ];
    Plan { steps, between: vec![("sums", tiles, false), ("offsets", tiles, false)] }
}

/// Tiles are scanned, then the tiles of their sums, and so on until one is left; offsets are added on the way back.
fn scan_scan_add(version: &str, scan: &'static str, add: &'static str, count: u32) -> Plan {
    let tile = tile(version);
    let (mut steps, mut between, mut adds) = (Vec::new(), Vec::new(), Vec::new());
    let (mut source, mut target, mut left) = ("in", "out", count);
    for (sums, offsets) in LEVELS {
        let tiles = left.div_ceil(tile).max(1);
        let args = [target, sums, source].map(Pass::Buffer).into_iter().chain([number(left)]);
        steps.push(step(scan, tiles, THREADS, args.collect()));
        between.push((sums, tiles, false));
        if tiles == 1 {
            break;
        }
        between.push((offsets, tiles, false));
        let args = [target, offsets].map(Pass::Buffer).into_iter().chain([number(left)]);
        // Four elements per thread know what a tile is; one per thread is told.
        adds.push(match add {
            "prefix_float4_f32" => step(add, left.div_ceil(4 * THREADS), THREADS, args.collect()),
            _ => step(add, left.div_ceil(THREADS), THREADS, args.chain([number(tile)]).collect()),
        });
        (source, target, left) = (sums, offsets, tiles);
    }
    steps.extend(adds.into_iter().rev());
    Plan { steps, between }
}

/// Halved until few are left, scanned naively, and doubled again; a launch for every step.
fn hybrid(count: u32) -> Plan {
    let blocks = |count: u32| count.div_ceil(THREADS);
    let (mut steps, mut between) = (Vec::new(), Vec::new());
    let mut levels = vec![("in", "sums_0", count)];
    while let Some(&(level, _, left)) = levels.last()
        && left > NAIVE
    {
        let (half, sums) = LEVELS[levels.len()];
        let args = vec![Pass::Buffer(half), Pass::Buffer(level), number(left)];
        steps.push(step("prefix_hybrid_up", blocks(left.div_ceil(2)), THREADS, args));
        between.push((half, left.div_ceil(2), false));
        levels.push((half, sums, left.div_ceil(2)));
    }

    // The naive rounds go to and fro between two arrays. An array of one element is its own sum.
    let (mut last, _, left) = levels.pop().unwrap_or(("in", "sums_0", count));
    for round in (0..).take_while(|round| 1 << round < left) {
        let to = ["even", "odd"][round % 2];
        let args = vec![Pass::Buffer(to), Pass::Buffer(last), number(left), number(1 << round)];
        steps.push(step("prefix_hybrid_round", blocks(left), THREADS, args));
        if round < 2 {
            between.push((to, left, false));
        }
        last = to;
    }

    for (level, sums, left) in levels.into_iter().rev() {
        let args = [sums, last, level].map(Pass::Buffer).into_iter().chain([number(left)]).collect();
        steps.push(step("prefix_hybrid_down", blocks(left), THREADS, args));
        between.push((sums, left, false));
        last = sums;
    }
    let args = vec![Pass::Buffer("out"), Pass::Buffer(last), number(count)];
    steps.push(step("prefix_hybrid", blocks(count), THREADS, args));
    Plan { steps, between }
}
