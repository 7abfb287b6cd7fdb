//! What of the scans of whole arrays is benched.

use super::{PROBLEM, of_floats, plan, verdict};
use crate::workload::values::{Reference, Values, generate, sums_before};
use crate::workload::{Content, Launches, Own, Peer, Run, SinglePass, Size, Workload};

/// Elements.
const SIZES: [u64; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 28];

/// Elements that end in the middle of a tile and of a vector: of about 1 GiB, and of more than 4 GiB.
const RAGGED: [u64; 2] = [(1 << 28) + 7, (1 << 30) + 7];

/// The workloads: ints and floats, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    let both = |count| [false, true].map(|floats| workload(count, floats));
    let ragged = RAGGED.into_iter().flat_map(both).map(|workload| workload.only(is_long_run));
    SIZES.into_iter().flat_map(both).chain(ragged).collect()
}

/// The versions whose long ragged arrays are listed: the single passes that are not faulty, and the best of the others.
fn is_long_run(version: &str) -> bool {
    matches!(version, "prefix_blocked" | "prefix_float4_f32")
        || plan::single_pass(version).is_some() && version != "prefix_chained_unfenced"
}

/// The workloads of another size.
pub(super) fn of_size(size: Size) -> Result<Vec<Workload>, String> {
    let count = size.array()?;
    Ok([false, true].map(|floats| workload(count, floats)).into())
}

/// The versions that scan in one launch.
pub(super) fn single_pass() -> Vec<SinglePass> {
    let of = |&version: &&'static str| Some(SinglePass::of(version, plan::single_pass(version)?.tile));
    PROBLEM.versions.iter().filter_map(of).collect()
}

fn workload(count: u64, floats: bool) -> Workload {
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
        Content { inputs: vec![("in", input)], results, bytes: 8 * count }
    };
    let run = |&version: &&'static str| {
        let fits = plan(version, count).map(drop);
        Run::fitting(version, fits, move || launches(version, count as u32)).expecting(verdict(version, count as u32))
    };
    let out = [Own::poisoned("out", 4 * count)];
    let (unit, data, operation) =
        if floats { ("floats", "small whole numbers", "SCAN_F32") } else { ("ints", "any numbers", "SCAN_I32") };
    Workload::new(count, unit, data, make)
        .runs(PROBLEM.versions.iter().filter(|version| of_floats(version) == floats).map(run))
        .peer(Peer::cub("cub::DeviceScan::ExclusiveSum", operation, count, &out))
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
