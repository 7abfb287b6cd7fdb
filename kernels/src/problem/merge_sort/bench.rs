//! What of sorting by merging is benched.

use rayon::prelude::*;

use super::{CHUNK, PROBLEM, TILE, plan};
use crate::verdict::Verdict;
use crate::workload::values::{Reference, generate};
use crate::workload::{Content, Launches, Own, Peer, Run, SinglePass, Size, Workload};
use sim::report::FindingKind;

/// Keys.
const SIZES: [u64; 3] = [1 << 16, 1 << 20, 1 << 24];

/// Keys that end in the middle of a chunk and of a tile: of about 1 GiB, and of more than 4 GiB.
const RAGGED: [u64; 2] = [(1 << 28) + 7, (1 << 30) + 7];

/// The workloads, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    let ragged = RAGGED.map(|count| workload(count).only(|version| version == "merge_path"));
    SIZES.into_iter().map(workload).chain(ragged).collect()
}

/// The workloads of another size.
pub(super) fn of_size(size: Size) -> Result<Vec<Workload>, String> {
    size.array().map(|count| vec![workload(count)])
}

/// A merge is many launches.
pub(super) const fn single_pass() -> Vec<SinglePass> {
    Vec::new()
}

fn workload(count: u64) -> Workload {
    let make = move || {
        let input: Vec<u32> = generate(0x50f7, count as usize, |random, _| (random.bits() >> 32) as u32);
        let mut chunks = input.clone();
        chunks.par_chunks_mut(CHUNK as usize).for_each(<[u32]>::sort_unstable);
        let mut sorted = chunks.clone();
        sorted.par_sort_unstable();
        Content {
            inputs: vec![("in", input.into())],
            results: vec![
                ("sorted", vec![Reference::exact("out", sorted)]),
                ("chunks", vec![Reference::exact("out", chunks)]),
            ],
            bytes: 8 * count,
        }
    };
    let run = |&version: &&'static str| {
        let result = if version.starts_with("merge") { "sorted" } else { "chunks" };
        let run =
            Run::fitting(version, plan(version, count).map(drop), move || launches(version, count)).leaving(result);
        match version {
            "chunks_split_printed" => run.expecting(Verdict::Faulty {
                finding: FindingKind::Race,
                why: "the last flag is not among the zeros, so the first key with a 1 goes where the last key goes",
            }),
            _ => run,
        }
    };
    let out = [Own::poisoned("out", 4 * count)];
    Workload::new(count, "unsigned ints", "uniform keys", make).runs(PROBLEM.versions.iter().map(run)).peer(Peer::cub(
        "cub::DeviceRadixSort::SortKeys",
        "SORT_U32",
        count,
        &out,
    ))
}

fn launches(version: &'static str, count: u64) -> Launches {
    let plan = plan(version, count).expect("the sizes are in range");
    let mut buffers = vec![Own::poisoned("out", 4 * count)];
    if plan.other {
        let tiles = count.div_ceil(TILE.into());
        buffers.extend([Own::poisoned("other", 4 * count), Own::poisoned("places", 4 * tiles)]);
    }
    Launches { steps: plan.steps, buffers }
}
