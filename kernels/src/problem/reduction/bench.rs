//! What of the reduction is benched.

use rayon::prelude::*;

use super::{PROBLEM, THREADS, steps};
use crate::workload::values::{Reference, generate};
use crate::workload::{Content, Launches, Own, Peer, Run, SinglePass, Size, Workload};

/// Elements.
const SIZES: [u64; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 28];

/// Elements that end in the middle of a block and of a vector: of about 1 GiB, and of more than 4 GiB.
const RAGGED: [u64; 2] = [(1 << 28) + 7, (1 << 30) + 7];

/// The longest array: the indices of the last block's threads are unsigned ints.
const LONGEST: u64 = (1 << 32) - 4 * THREADS as u64;

/// The workloads, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    SIZES.into_iter().chain(RAGGED).map(workload).collect()
}

/// The workloads of another size.
pub(super) fn of_size(size: Size) -> Result<Vec<Workload>, String> {
    size.array().map(|count| vec![workload(count)])
}

/// The versions that add in one launch; a tile is what one block takes.
pub(super) fn single_pass() -> Vec<SinglePass> {
    vec![
        SinglePass::of("reduce_last_block", 4 * THREADS),
        SinglePass::of("reduce_block_atomic", 4 * THREADS),
        SinglePass::of("reduce_thread_atomic", THREADS),
    ]
}

fn workload(count: u64) -> Workload {
    let make = move || {
        let input: Vec<i32> = generate(0x4ed0, count as usize, |random, _| random.bits() as i32);
        let sum = input.par_iter().copied().reduce(|| 0, i32::wrapping_add);
        Content {
            results: vec![("sum", vec![Reference::exact("sum", vec![sum])])],
            inputs: vec![("in", input.into())],
            bytes: 4 * count,
        }
    };
    let fits = || match count {
        ..=LONGEST => Ok(()),
        _ => Err(format!("indices are unsigned ints, and at most {LONGEST} elements fit")),
    };
    let run = |&version: &&'static str| Run::fitting(version, fits(), move || launches(version, count as u32));
    let sum = [Own::poisoned("sum", 4)];
    Workload::new(count, "ints", "any ints", make).runs(PROBLEM.versions.iter().map(run)).peer(Peer::cub(
        "cub::DeviceReduce::Sum",
        "REDUCE_I32",
        count,
        &sum,
    ))
}

fn launches(version: &'static str, count: u32) -> Launches {
    let (steps, between) = steps(version, count);
    let own = |(name, ints): (&'static str, u32)| match name {
        "work" => Own::zeros(name, u64::from(ints) * 4),
        _ => Own::poisoned(name, u64::from(ints) * 4),
    };
    let sum = if version.ends_with("_atomic") { Own::zeros("sum", 4) } else { Own::poisoned("sum", 4) };
    Launches { steps, buffers: between.into_iter().map(own).chain([sum]).collect() }
}
