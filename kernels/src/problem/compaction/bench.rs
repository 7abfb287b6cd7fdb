//! What of stream compaction is benched.

use rayon::prelude::*;

use super::{Data, PROBLEM, is_unstable, plan, tile};
use crate::verdict::Verdict;
use crate::workload::values::{Reference, generate};
use crate::workload::{Content, Launches, Own, Peer, Run, SinglePass, Size, Workload};
use sim::report::FindingKind;

/// Elements; the largest with every kind of data.
const SIZES: [u64; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 28];

/// Elements that end in the middle of a tile and of a vector: of about 1 GiB, and of more than 4 GiB.
const RAGGED: [u64; 2] = [(1 << 28) + 7, (1 << 30) + 7];

/// What is kept of the largest.
const KINDS: [Data; 5] = [Data::Share(500), Data::Share(0), Data::Share(100), Data::Share(900), Data::Runs];

/// The most elements that one thread is left alone with: it takes a tenth of a second for them.
const SERIAL: u64 = 1 << 20;

/// Elements that one stream of random numbers makes, and on which a run of kept elements does not cross.
const CHUNK: usize = 1 << 16;

/// The workloads, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    let [.., largest] = SIZES;
    let small = SIZES.into_iter().filter(|&count| count < largest).map(|count| workload(count, Data::Share(500)));
    let ragged = RAGGED.map(|count| workload(count, Data::Share(500)).only(is_long_run));
    small.chain(KINDS.map(|data| workload(largest, data))).chain(ragged).collect()
}

/// The versions whose long ragged arrays are listed: the single passes, and the best of those with several launches.
fn is_long_run(version: &str) -> bool {
    ["compact_warp_atomic", "compact_staged", "compact_lookback", "compact_pipelined"].contains(&version)
}

/// The workloads of another size.
pub(super) fn of_size(size: Size) -> Result<Vec<Workload>, String> {
    let count = size.array()?;
    Ok(KINDS.map(|data| workload(count, data)).into())
}

/// The versions that compact in one launch and keep the order.
pub(super) fn single_pass() -> Vec<SinglePass> {
    ["compact_lookback", "compact_pipelined"].map(|version| SinglePass::of(version, tile(version))).into()
}

fn workload(count: u64, data: Data) -> Workload {
    let make = move || {
        let input = input(count as usize, data);
        let kept: Vec<i32> = input.par_iter().copied().filter(|&x| x > 0).collect();
        let number = kept.len() as u32;
        let references = vec![Reference::exact("kept", vec![number]), Reference::exact("out", kept)];
        Content {
            inputs: vec![("in", input.into())],
            results: vec![("kept", references)],
            bytes: 4 * (count + u64::from(number)),
        }
    };
    let run = |&version: &&'static str| match version {
        "compact_serial" if count > SERIAL => Run::left_out(version, "one thread would take seconds"),
        _ => Run::fitting(version, plan(version, count).map(drop), move || launches(version, count as u32))
            .in_any_order(is_unstable(version))
            .expecting(verdict(version, data)),
    };
    let outputs = [Own::poisoned("out", 4 * count), Own::poisoned("kept", 4)];
    Workload::new(count, "ints", data.name(), make).runs(PROBLEM.versions.iter().map(run)).peer(Peer::cub(
        "cub::DeviceSelect::If",
        "SELECT_I32",
        count,
        &outputs,
    ))
}

fn launches(version: &'static str, count: u32) -> Launches {
    let plan = plan(version, count.into()).expect("the sizes are in range");
    let own = |(name, ints, zero): (&'static str, u32, bool)| match zero {
        true => Own::zeros(name, 4 * u64::from(ints)),
        false => Own::poisoned(name, 4 * u64::from(ints)),
    };
    let kept = if is_unstable(version) { Own::zeros("kept", 4) } else { Own::poisoned("kept", 4) };
    let outputs = [Own::poisoned("out", 4 * u64::from(count)), kept];
    Launches { steps: plan.steps, buffers: plan.between.into_iter().map(own).chain(outputs).collect() }
}

/// What is wrong with a version: arrays here are whole blocks, so only full warps show it.
fn verdict(version: &str, data: Data) -> Verdict {
    match (version, data) {
        ("compact_ballot5", Data::Runs | Data::Share(900)) => Verdict::Faulty {
            finding: FindingKind::Race,
            why: "a full warp's total of 32 has no bit among the five, so two warps write to the same places",
        },
        _ => Verdict::Right,
    }
}

/// Numbers of which those that are positive are kept, made by all cores.
fn input(count: usize, data: Data) -> Vec<i32> {
    let mut input = generate(0xc03b, count, |random, _| {
        let kept = matches!(data, Data::Share(share) if random.whole(0, 999) < share);
        let magnitude = random.whole(1, i32::MAX);
        if kept { magnitude } else { -magnitude }
    });
    if data == Data::Runs {
        // Runs of kept and of other numbers, each from 1 to 100 long.
        input.par_chunks_mut(CHUNK).for_each(|chunk| {
            let (mut left, mut keep) = (0, false);
            for number in chunk {
                if left == 0 {
                    (left, keep) = (1 + number.unsigned_abs() % 100, !keep);
                }
                left -= 1;
                *number = if keep { number.abs() } else { -number.abs() };
            }
        });
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_kept_as_the_name_says() {
        let kept = |data| input(100_000, data).iter().filter(|&&x| x > 0).count();
        assert_eq!(kept(Data::Share(0)), 0);
        assert!((49_000..51_000).contains(&kept(Data::Share(500))));
        assert!((9_500..10_500).contains(&kept(Data::Share(100))));
        let runs = input(100_000, Data::Runs);
        let changes = runs.windows(2).filter(|pair| (pair[0] > 0) != (pair[1] > 0)).count();
        assert!((1_800..2_200).contains(&changes), "{changes}");
    }
}
