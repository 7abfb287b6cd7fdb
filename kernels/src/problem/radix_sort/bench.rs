//! What of the radix sort is benched.

use rayon::prelude::*;

use super::{Keys, Kind, PROBLEM, plan};
use crate::bench::values::{Reference, generate};
use crate::bench::workload::{Content, Launches, Own, Peer, Run, Workload};

/// Keys.
const SIZES: [u32; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 28];

/// The most keys for which `radix_onesweep_small` has room for what its many tiles tell each other.
const SMALL: u32 = 1 << 24;

/// The workloads: keys from small to large, the largest of several kinds; then the other types.
pub(super) fn workloads() -> Vec<Workload> {
    let [.., largest] = SIZES;
    let keys = SIZES.map(|count| workload(Kind::U32, count, Keys::Uniform));
    let kinds = [Keys::Constant, Keys::Sorted, Keys::And(3)].map(|keys| workload(Kind::U32, largest, keys));
    let others = [Kind::Pairs, Kind::I32, Kind::F32].into_iter();
    let others = others.flat_map(|kind| [SIZES[0], largest].map(|count| workload(kind, count, Keys::Uniform)));
    keys.into_iter().chain(kinds).chain(others).collect()
}

fn workload(kind: Kind, count: u32, keys: Keys) -> Workload {
    let run = |&version: &&'static str| match version {
        "radix_onesweep_small" if count > SMALL => {
            Run::left_out(version, "its tiles would tell each other four times as many words as there are keys")
        }
        _ => Run::new(version, move || launches(version, count)),
    };
    let of_kind = |version: &&&'static str| Kind::of(version) == kind;
    let unit = match kind {
        Kind::U32 => "unsigned ints",
        Kind::I32 => "ints",
        Kind::F32 => "floats",
        Kind::Pairs => "pairs of unsigned ints",
    };
    let workload = Workload::new(count.into(), unit, keys.name(), move || make(kind, count, keys))
        .runs(PROBLEM.versions.iter().filter(of_kind).map(run));
    let bytes = 4 * u64::from(count);
    let (out, values) = (Own::poisoned("out", bytes), Own::poisoned("values", bytes));
    match kind {
        Kind::U32 => workload.peer(Peer::cub("cub::DeviceRadixSort::SortKeys", "SORT_U32", count.into(), &[out])),
        Kind::Pairs => {
            let peer = Peer::cub("cub::DeviceRadixSort::SortPairs", "SORT_PAIRS_U32", count.into(), &[out, values]);
            workload.peer(Peer { reads: vec!["in", "values_in"], ..peer })
        }
        Kind::I32 | Kind::F32 => workload,
    }
}

fn launches(version: &'static str, count: u32) -> Launches {
    let plan = plan(version, count.into()).expect("the sizes are in range");
    let mut buffers: Vec<Own> = plan.scratch.iter().map(Own::of).collect();
    buffers.push(Own::poisoned("out", 4 * u64::from(count)));
    if plan.kind == Kind::Pairs {
        buffers.push(Own::poisoned("values", 4 * u64::from(count)));
    }
    Launches { steps: plan.steps, buffers }
}

/// Keys as 32 bits each, and the same in ascending order.
fn make(kind: Kind, count: u32, keys: Keys) -> Content {
    let input: Vec<u32> = generate(0x50f7, count as usize, |random, i| {
        let mut word = || (random.bits() >> 32) as u32;
        match keys {
            Keys::Constant => 0x3f80_1234,
            Keys::Sorted => i as u32 * (u32::MAX / count),
            Keys::And(words) => (0..words).fold(u32::MAX, |key, _| key & word()),
            _ => word(),
        }
    });
    let bytes = 4 * u64::from(count);
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
        let values: Vec<u32> = (0..count).collect();
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
