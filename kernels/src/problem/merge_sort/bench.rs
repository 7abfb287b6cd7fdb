//! What of sorting by merging is benched.

use rayon::prelude::*;

use super::{CHUNK, PROBLEM, TILE, plan};
use crate::bench::values::{Reference, generate};
use crate::bench::workload::{Content, Launches, Own, Peer, Run, Workload};
use crate::verdict::Verdict;
use sim::report::FindingKind;

/// Keys.
const SIZES: [u32; 3] = [1 << 16, 1 << 20, 1 << 24];

/// The workloads, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    SIZES.map(workload).into()
}

fn workload(count: u32) -> Workload {
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
            bytes: 8 * u64::from(count),
        }
    };
    let run = |&version: &&'static str| {
        let result = if version.starts_with("merge") { "sorted" } else { "chunks" };
        let run = Run::new(version, move || launches(version, count)).leaving(result);
        match version {
            "chunks_split_printed" => run.expecting(Verdict::Faulty {
                finding: FindingKind::Race,
                why: "the last flag is not among the zeros, so the first key with a 1 goes where the last key goes",
            }),
            _ => run,
        }
    };
    let out = [Own::poisoned("out", 4 * u64::from(count))];
    Workload::new(count.into(), "unsigned ints", "uniform keys", make)
        .runs(PROBLEM.versions.iter().map(run))
        .peer(Peer::cub("cub::DeviceRadixSort::SortKeys", "SORT_U32", count.into(), &out))
}

fn launches(version: &'static str, count: u32) -> Launches {
    let plan = plan(version, count.into()).expect("the sizes are in range");
    let mut buffers = vec![Own::poisoned("out", 4 * u64::from(count))];
    if plan.other {
        let tiles = u64::from(count.div_ceil(TILE));
        buffers.extend([Own::poisoned("other", 4 * u64::from(count)), Own::poisoned("places", 4 * tiles)]);
    }
    Launches { steps: plan.steps, buffers }
}
