//! What of the radix sort is benched.

use rayon::prelude::*;

use super::plan::tile;
use super::{Keys, Kind, PROBLEM, plan};
use crate::workload::values::{Reference, generate};
use crate::workload::{Content, Launches, Own, Peer, Run, SinglePass, Size, Workload};

/// Keys.
const SIZES: [u64; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 28];

/// Keys that end in the middle of a tile: of about 1 GiB, and of more than 4 GiB.
const RAGGED: [u64; 2] = [(1 << 28) + 7, (1 << 30) + 7];

/// The most keys for which `radix_onesweep_small` has room for what its many tiles tell each other.
const SMALL: u64 = 1 << 24;

/// The workloads: keys from small to large, the largest of several kinds; then the other types.
pub(super) fn workloads() -> Vec<Workload> {
    let [.., largest] = SIZES;
    let keys = SIZES.map(|count| workload(Kind::U32, count, Keys::Uniform));
    let kinds = [Keys::Constant, Keys::Sorted, Keys::And(3)].map(|keys| workload(Kind::U32, largest, keys));
    let others = [Kind::Pairs, Kind::I32, Kind::F32].into_iter();
    let others = others.flat_map(|kind| [SIZES[0], largest].map(|count| workload(kind, count, Keys::Uniform)));
    let kinds_of_keys = [Kind::U32, Kind::I32, Kind::F32, Kind::Pairs];
    let ragged = kinds_of_keys.map(|kind| workload(kind, RAGGED[0], Keys::Uniform));
    let huge = [Kind::U32, Kind::Pairs].map(|kind| workload(kind, RAGGED[1], Keys::Uniform));
    let ragged = ragged.into_iter().chain(huge).map(|workload| workload.only(is_long_run));
    keys.into_iter().chain(kinds).chain(others).chain(ragged).collect()
}

/// The versions whose long ragged arrays are listed.
fn is_long_run(version: &str) -> bool {
    version == "radix_three_8" || version.starts_with("radix_onesweep") && version != "radix_onesweep_small"
}

/// The workloads of another size.
pub(super) fn of_size(size: Size) -> Result<Vec<Workload>, String> {
    let count = size.array()?;
    let kinds = [Keys::Uniform, Keys::Constant, Keys::Sorted, Keys::And(3)];
    let keys = kinds.map(|keys| workload(Kind::U32, count, keys));
    let others = [Kind::Pairs, Kind::I32, Kind::F32].map(|kind| workload(kind, count, Keys::Uniform));
    Ok(keys.into_iter().chain(others).collect())
}

/// The versions that sort by a digit in one launch.
pub(super) fn single_pass() -> Vec<SinglePass> {
    let sweeps = PROBLEM.versions.iter().filter(|version| version.starts_with("radix_onesweep"));
    sweeps.map(|version| SinglePass::of(version, tile(version).1)).collect()
}

fn workload(kind: Kind, count: u64, keys: Keys) -> Workload {
    let run = |&version: &&'static str| match version {
        "radix_onesweep_small" if count > SMALL => {
            Run::left_out(version, "its tiles would tell each other four times as many words as there are keys")
        }
        _ => Run::fitting(version, plan(version, count).map(drop), move || launches(version, count)),
    };
    let of_kind = |version: &&&'static str| Kind::of(version) == kind;
    let unit = match kind {
        Kind::U32 => "unsigned ints",
        Kind::I32 => "ints",
        Kind::F32 => "floats",
        Kind::Pairs => "pairs of unsigned ints",
    };
    let workload = Workload::new(count, unit, keys.name(), move || make(kind, count, keys))
        .runs(PROBLEM.versions.iter().filter(of_kind).map(run));
    let bytes = 4 * count;
    let (out, values) = (Own::poisoned("out", bytes), Own::poisoned("values", bytes));
    match kind {
        Kind::U32 => workload.peer(Peer::cub("cub::DeviceRadixSort::SortKeys", "SORT_U32", count, &[out])),
        Kind::Pairs => {
            let peer = Peer::cub("cub::DeviceRadixSort::SortPairs", "SORT_PAIRS_U32", count, &[out, values]);
            workload.peer(Peer { reads: vec!["in", "values_in"], ..peer })
        }
        Kind::I32 | Kind::F32 => workload,
    }
}

fn launches(version: &'static str, count: u64) -> Launches {
    let plan = plan(version, count).expect("the sizes are in range");
    let mut buffers = plan.scratch;
    buffers.push(Own::poisoned("out", 4 * count));
    if plan.kind == Kind::Pairs {
        buffers.push(Own::poisoned("values", 4 * count));
    }
    Launches { steps: plan.steps, buffers }
}

/// Keys as 32 bits each, and the same in ascending order.
fn make(kind: Kind, count: u64, keys: Keys) -> Content {
    let input: Vec<u32> = generate(0x50f7, count as usize, |random, i| {
        let mut word = || (random.bits() >> 32) as u32;
        match keys {
            Keys::Constant => 0x3f80_1234,
            Keys::Sorted => i as u32 * u32::try_from(u64::from(u32::MAX) / count).unwrap_or_default(),
            Keys::And(words) => (0..words).fold(u32::MAX, |key, _| key & word()),
            _ => word(),
        }
    });
    let bytes = 4 * count;
    // Bits whose order as unsigned ints is the order of the keys, and back.
    let sign = |key: u32| match kind {
        Kind::U32 | Kind::Pairs => key,
        Kind::I32 => key ^ 1 << 31,
        Kind::F32 if key >> 31 == 1 => !key,
        Kind::F32 => key | 1 << 31,
    };
    let back = |bits: u32| match kind {
        Kind::U32 | Kind::Pairs => bits,
        Kind::I32 => bits ^ 1 << 31,
        Kind::F32 if bits >> 31 == 1 => bits & !(1 << 31),
        Kind::F32 => !bits,
    };
    if kind == Kind::Pairs {
        // A value is where its key was, so that an exchange of equal keys shows.
        let mut pairs: Vec<u64> =
            input.par_iter().enumerate().map(|(i, &key)| u64::from(key) << 32 | i as u64).collect();
        pairs.par_sort_unstable();
        let keys: Vec<u32> = pairs.par_iter().map(|pair| (pair >> 32) as u32).collect();
        let places: Vec<u32> = pairs.par_iter().map(|&pair| pair as u32).collect();
        let values: Vec<u32> = (0..count as u32).collect();
        return Content {
            inputs: vec![("in", input.into()), ("values_in", values.into())],
            results: vec![("sorted", vec![Reference::exact("out", keys), Reference::exact("values", places)])],
            bytes: 4 * bytes,
        };
    }
    let mut sorted: Vec<u32> = input.par_iter().map(|&key| sign(key)).collect();
    sorted.par_sort_unstable();
    sorted.par_iter_mut().for_each(|key| *key = back(*key));
    Content {
        inputs: vec![("in", input.into())],
        results: vec![("sorted", vec![Reference::exact("out", sorted)])],
        bytes: 2 * bytes,
    }
}
