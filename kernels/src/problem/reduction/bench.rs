//! What of the reduction is benched.

use rayon::prelude::*;

use super::{PROBLEM, steps};
use crate::bench::values::{Reference, generate};
use crate::bench::workload::{Content, Launches, Own, Peer, Run, Workload};

/// Elements.
const SIZES: [u32; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 28];

/// The workloads, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    SIZES.map(workload).into()
}

fn workload(count: u32) -> Workload {
    let make = move || {
        let input: Vec<i32> = generate(0x4ed0, count as usize, |random, _| random.bits() as i32);
        let sum = input.par_iter().copied().reduce(|| 0, i32::wrapping_add);
        Content {
            results: vec![("sum", vec![Reference::exact("sum", vec![sum])])],
            inputs: vec![("in", input.into())],
            bytes: 4 * u64::from(count),
        }
    };
    let run = |&version: &&'static str| Run::new(version, move || launches(version, count));
    let sum = [Own::poisoned("sum", 4)];
    Workload::new(count.into(), "ints", "any ints", make).runs(PROBLEM.versions.iter().map(run)).peer(Peer::cub(
        "cub::DeviceReduce::Sum",
        "REDUCE_I32",
        count.into(),
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
