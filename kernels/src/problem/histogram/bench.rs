//! What of histograms is benched.

use rayon::prelude::*;

use super::{Data, MANY, MANY_VERSIONS, PROBLEM, plan};
use crate::random::Random;
use crate::verdict::Verdict;
use crate::workload::values::{Reference, Values, generate};
use crate::workload::{Content, Launches, Own, Peer, Run, SinglePass, Size, Workload};
use sim::report::FindingKind;

/// Bytes; the largest with every kind of data.
const SIZES: [u64; 4] = [1 << 16, 1 << 20, 1 << 24, 1 << 30];

/// What is in the largest.
const KINDS: [Data; 6] = [Data::Uniform, Data::Constant, Data::Bell, Data::OneBank, Data::Zipf, Data::Sorted];

/// Elements of more than 256 values.
const WIDE: [u64; 2] = [1 << 16, 1 << 28];

/// Bytes that end in the middle of a vector; the last is one that every version refuses, because a bin could overflow.
const RAGGED: [u64; 3] = [(1 << 28) + 7, (1 << 32) - 5, (1 << 32) + 5];

/// Elements of two bytes each, likewise: of more than 4 GiB.
const RAGGED_WIDE: [u64; 2] = [(1 << 28) + 7, (1 << 31) + 7];

/// The workloads, from small to large.
pub(super) fn workloads() -> Vec<Workload> {
    let [.., largest] = SIZES;
    let small = SIZES.into_iter().filter(|&count| count < largest);
    let small = small.flat_map(|count| [Data::Uniform, Data::Constant].map(|data| of_bytes(count, data)));
    let large = KINDS.map(|data| of_bytes(largest, data));
    let wide = MANY.into_iter().flat_map(|bins| WIDE.map(|count| (count, bins)));
    let wide = wide.map(|(count, bins)| workload(count, bins, Data::Uniform, &MANY_VERSIONS));
    let ragged = RAGGED.map(|count| of_bytes(count, Data::Bell).only(is_long_run));
    let ragged_wide = RAGGED_WIDE.map(|count| workload(count, MANY[1], Data::Bell, &MANY_VERSIONS));
    small.chain(large).chain(wide).chain(ragged).chain(ragged_wide).collect()
}

/// The versions whose long ragged arrays are listed: one of each way to keep bins.
fn is_long_run(version: &str) -> bool {
    let best =
        ["global4", "block4", "warp", "packed", "periodic", "spill", "copies32", "runs", "match", "lanes", "bulk"];
    version.strip_prefix("histogram_").is_some_and(|name| best.contains(&name))
}

/// The workloads of another size.
pub(super) fn of_size(size: Size) -> Result<Vec<Workload>, String> {
    let count = size.array()?;
    let bytes = KINDS.map(|data| of_bytes(count, data));
    Ok(bytes.into_iter().chain(MANY.map(|bins| workload(count, bins, Data::Uniform, &MANY_VERSIONS))).collect())
}

/// Blocks add to bins in global memory and never wait for each other.
pub(super) const fn single_pass() -> Vec<SinglePass> {
    Vec::new()
}

fn of_bytes(count: u64, data: Data) -> Workload {
    let versions: Vec<&'static str> =
        PROBLEM.versions.iter().copied().filter(|version| !MANY_VERSIONS.contains(version)).collect();
    let hist = [Own::poisoned("hist", 1024)];
    let peer = Peer::cub("cub::DeviceHistogram::HistogramEven", "HISTOGRAM_U8", count, &hist);
    workload(count, 256, data, &versions).peer(peer)
}

fn workload(count: u64, bins: u32, data: Data, versions: &[&'static str]) -> Workload {
    let width = if bins == 256 { 1 } else { 2 };
    let make = move || {
        let make = value(data, bins, count);
        let (input, counts): (Values, Vec<u32>) = if width == 1 {
            let input: Vec<u8> = generate(0x4157, count as usize, |random, i| make(random, i) as u8);
            let counts = histogram(&input, bins);
            (input.into(), counts)
        } else {
            let input: Vec<u16> = generate(0x4157, count as usize, &make);
            let counts = histogram(&input, bins);
            (input.into(), counts)
        };
        Content {
            inputs: vec![("in", input)],
            results: vec![("hist", vec![Reference::exact("hist", counts)])],
            bytes: width * count + 4 * u64::from(bins),
        }
    };
    let (unit, name) = match width {
        1 => ("bytes", data.name().to_owned()),
        _ => ("shorts", format!("{}, {bins} values", data.name())),
    };
    let run = |&version: &&'static str| {
        let fits = plan(version, count, bins).map(drop);
        Run::fitting(version, fits, move || launches(version, count, bins)).expecting(verdict(version, data))
    };
    Workload::new(count, unit, name, make).runs(versions.iter().map(run))
}

fn launches(version: &'static str, count: u64, bins: u32) -> Launches {
    let steps = plan(version, count, bins).expect("the sizes are in range");
    let bytes = 4 * u64::from(bins);
    let buffers = if steps.len() > 1 {
        vec![Own::poisoned("hist", bytes), Own::poisoned("sums", bytes * steps[0].shape.grid.count())]
    } else {
        vec![Own::zeros("hist", bytes)]
    };
    Launches { steps, buffers }
}

/// What is wrong with a version: arrays here are whole words, and long.
fn verdict(version: &str, data: Data) -> Verdict {
    match version {
        "histogram_periodic_printed" => Verdict::Faulty {
            finding: FindingKind::Race,
            why: "a warp counts on while the other still reads and clears what it counts in",
        },
        "histogram_packed_256" if matches!(data, Data::Constant | Data::Sorted) => {
            Verdict::Wrong { why: "a bin of 8 bits that counts 256 carries into the next one" }
        }
        _ => Verdict::Right,
    }
}

/// What makes the i-th of `count` values below `bins`: what [`Data::make`] makes, for all cores.
fn value(data: Data, bins: u32, count: u64) -> impl Fn(&mut Random, usize) -> u16 + Sync {
    let top = bins as i32 - 1;
    // Where each value of Zipf's law ends, as shares of 2^20.
    let weights: Vec<f64> = (1..=bins).map(|k| 1.0 / f64::from(k)).collect();
    let all: f64 = weights.iter().sum();
    let ends: Vec<f64> = weights.iter().scan(0.0, |sum, w| (*sum += w / all, Some(*sum)).1).collect();
    move |random, i| {
        let value = match data {
            Data::Uniform => random.whole(0, top),
            Data::Constant => 77,
            Data::Two => 77 + 100 * random.whole(0, 1),
            Data::Bell => (0..8).map(|_| random.whole(0, 7)).sum::<i32>() + top / 2 - 28,
            Data::Ramp => (i % bins as usize) as i32,
            Data::OneBank => 3 + 32 * random.whole(0, 7),
            Data::Zipf => {
                let at = f64::from(random.whole(0, (1 << 20) - 1)) / f64::from(1 << 20);
                ends.partition_point(|&end| end <= at).min(top as usize) as i32
            }
            // Every value as often, in ascending order.
            Data::Sorted => (i as u64 * u64::from(bins) / count) as i32,
            Data::Sparse => random.whole(0, top) & random.whole(0, top) & random.whole(0, top),
        };
        value as u16
    }
}

/// How often each value occurs, by all cores.
fn histogram<T: Copy + Sync + Into<u16>>(input: &[T], bins: u32) -> Vec<u32> {
    let count = |part: &[T]| {
        let mut counts = vec![0u32; bins as usize];
        part.iter().for_each(|&value| counts[usize::from(value.into())] += 1);
        counts
    };
    let add = |mut a: Vec<u32>, b: Vec<u32>| {
        a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
        a
    };
    input.par_chunks(1 << 20).map(count).reduce(|| vec![0; bins as usize], add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cores_count_as_one_does() {
        for data in KINDS.into_iter().chain([Data::Two, Data::Ramp, Data::Sparse]) {
            let input: Vec<u16> = generate(1, 5000, value(data, 256, 5000));
            assert_eq!(histogram(&input, 256), super::super::reference(&input, 256), "{data:?}");
        }
        let sorted: Vec<u16> = generate(1, 5000, value(Data::Sorted, 256, 5000));
        assert!(sorted.is_sorted() && sorted[4999] == 255);
    }
}
