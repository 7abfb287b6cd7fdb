//! What of the scans of whole arrays is benched.

use super::{PROBLEM, of_floats, plan, verdict};
use crate::bench::values::{Reference, Values, generate, sums_before};
use crate::bench::workload::{Content, Launches, Own, Peer, Run, Workload};

/// Elements.
const SIZES: [u32; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 28];

/// The workloads: ints and floats, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    SIZES.into_iter().flat_map(|count| [false, true].map(|floats| workload(count, floats))).collect()
}

fn workload(count: u32, floats: bool) -> Workload {
    let make = move || {
        let (input, sums): (Values, Values) = if floats {
            // Sums of whole numbers of both signs stay small, and are exact in whatever order they are formed.
            let input: Vec<f32> = generate(0xa55f, count as usize, |random, _| random.whole(-8, 8) as f32);
            let sums = sums_before(&input, |a, b| a + b);
            (input.into(), sums.into())
        } else {
            let input: Vec<i32> = generate(0xa55c, count as usize, |random, _| random.bits() as i32);
            let sums = sums_before(&input, i32::wrapping_add);
            (input.into(), sums.into())
        };
        let results = vec![("sums", vec![Reference::exact("out", sums)])];
        Content { inputs: vec![("in", input)], results, bytes: 8 * u64::from(count) }
    };
    let run = |&version: &&'static str| {
        Run::new(version, move || launches(version, count)).expecting(verdict(version, count))
    };
    let out = [Own::poisoned("out", 4 * u64::from(count))];
    let (unit, data, operation) =
        if floats { ("floats", "small whole numbers", "SCAN_F32") } else { ("ints", "any numbers", "SCAN_I32") };
    Workload::new(count.into(), unit, data, make)
        .runs(PROBLEM.versions.iter().filter(|version| of_floats(version) == floats).map(run))
        .peer(Peer::cub("cub::DeviceScan::ExclusiveSum", operation, count.into(), &out))
}

fn launches(version: &'static str, count: u32) -> Launches {
    let plan = plan(version, count.into()).expect("the sizes are in range");
    let own = |(name, words, zero): (&'static str, u32, bool)| match zero {
        true => Own::zeros(name, 4 * u64::from(words)),
        false => Own::poisoned(name, 4 * u64::from(words)),
    };
    let out = Own::poisoned("out", 4 * u64::from(count));
    Launches { steps: plan.steps, buffers: plan.between.into_iter().map(own).chain([out]).collect() }
}
