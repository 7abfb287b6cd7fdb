//! Exclusive scans of whole arrays, of ints and of floats: the reference and the cases for `cu/array_scan.cu`.

mod bench;
mod plan;

use sim::report::FindingKind;

pub use plan::{LONGEST, Plan, PlanError, plan};

use super::Problem;
use crate::case::{Buffer, Case, Planned, Prepared};
use crate::check::{Element, Expected, Tolerance};
use crate::random::Random;
use crate::verdict::Verdict;

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "array_scan",
    about: "the sum of all elements before each element of an array, however long it is",
    versions: &[
        "prefix_serial",
        "prefix_in_place",
        "prefix_printed",
        "prefix_hybrid",
        "prefix_three_kernels",
        "prefix_three_kernels_f32",
        "prefix_float4_f32",
        "prefix_reduce_scan",
        "prefix_shuffle",
        "prefix_blocked",
        "prefix_odd",
        "prefix_chained_unfenced",
        "prefix_chained_by_block",
        "prefix_chained",
        "prefix_lookback_thread",
        "prefix_lookback_warp",
        "prefix_lookback_warp_f32",
        "prefix_bulk",
        "prefix_bulk_f32",
        "prefix_pipelined",
        "prefix_pipelined_f32",
    ],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// Elements of the large case, 16 MiB.
const LARGE: u32 = 1 << 22;

/// What kind of numbers the array holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// All ones: element i of the result is i, which makes a wrong one easy to read.
    Ones,
    /// Any ints, whose sums wrap all the time; floats from -1 to 1.
    Any,
    /// 2^30 and -2^30 in turns, and a little more with floats: sums cancel, and a lost element is far off.
    Cancelling,
    /// Ones, and a huge number in the middle. What lies before it must not notice.
    Spike,
    /// Whole numbers from -8 to 8: floats have room for all their sums.
    Whole,
}

impl Data {
    /// What the numbers are called in the list of cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ones => "ones",
            Self::Any => "any numbers",
            Self::Cancelling => "numbers that cancel",
            Self::Spike => "ones, and one huge number",
            Self::Whole => "small whole numbers",
        }
    }

    /// `count` ints.
    pub fn ints(self, count: u32) -> Vec<i32> {
        let mut random = Random::new(0xa55c + u64::from(count));
        let number = |i: u32| match self {
            Self::Any => random.bits() as i32,
            Self::Cancelling if i.is_multiple_of(2) => 1 << 30,
            Self::Cancelling => -(1 << 30),
            Self::Spike if i == count / 2 => i32::MAX,
            Self::Ones | Self::Spike => 1,
            Self::Whole => random.whole(-8, 8),
        };
        (0..count).map(number).collect()
    }

    /// `count` floats.
    pub fn floats(self, count: u32) -> Vec<f32> {
        let mut random = Random::new(0xa55f + u64::from(count));
        let number = |i: u32| match self {
            Self::Any => random.real(),
            Self::Cancelling if i.is_multiple_of(2) => 1_073_741_824.0 * (1.0 + random.real().abs()),
            Self::Cancelling => -1_073_741_824.0 * (1.0 + random.real().abs()),
            Self::Spike if i == count / 2 => 1e30,
            Self::Ones | Self::Spike => 1.0,
            Self::Whole => random.whole(-8, 8) as f32,
        };
        (0..count).map(number).collect()
    }
}

/// The exclusive prefix sums of ints, modulo 2^32.
pub fn reference(input: &[i32]) -> Vec<i32> {
    let before = |sum: &mut i32, &x: &i32| {
        let before = *sum;
        *sum = sum.wrapping_add(x);
        Some(before)
    };
    input.iter().scan(0, before).collect()
}

/// The exclusive prefix sums of floats, accumulated in double precision.
pub fn reference_f32(input: &[f32]) -> Vec<f32> {
    let before = |sum: &mut f64, &x: &f32| {
        let before = *sum;
        *sum += f64::from(x);
        Some(before as f32)
    };
    input.iter().scan(0.0, before).collect()
}

/// How far a correct scan of `input` in `f32` may be from [`reference_f32()`].
///
/// Ones and small whole numbers have sums that `f32` holds exactly, whatever is added to what first; a sum with the
/// huge number in it is that number. Otherwise: a sum whose terms go through at most k additions is off by at most
/// `k u / (1 - k u)` times the sum of the terms' magnitudes, with u = 2^-24 (Higham, "Accuracy and Stability of
/// Numerical Algorithms", 2nd edition, 4.2). Storing the reference as a float is one more rounding.
pub fn tolerance(version: &str, input: &[f32], data: Data) -> Tolerance {
    if matches!(data, Data::Ones | Data::Spike | Data::Whole) {
        return Tolerance::Exact;
    }
    let additions = plan::additions(version, input.len() as u32);
    let steps = f64::from(additions + 1) * f64::from(f32::EPSILON) / 2.0;
    let magnitude: f64 = input.iter().map(|x| f64::from(x.abs())).sum();
    let reason = format!("at most {additions} rounded additions per term, and one rounding of the reference");
    Tolerance::Absolute { bound: steps / (1.0 - steps) * magnitude, reason }
}

/// Whether a version adds floats.
fn of_floats(version: &str) -> bool {
    version.ends_with("_f32")
}

/// What is wrong with a version.
fn verdict(version: &str, count: u32) -> Verdict {
    match version {
        "prefix_in_place" => Verdict::Faulty {
            finding: FindingKind::Race,
            why: "every round a thread overwrites an element that the thread to its right has yet to read",
        },
        "prefix_printed" => Verdict::Faulty {
            finding: FindingKind::Uninitialized,
            why: "`+=` adds to what is in the other buffer, which was not written before the first round",
        },
        "prefix_chained_unfenced" if count > plan::tile(version) => Verdict::Faulty {
            finding: FindingKind::Race,
            why: "a tile's sum and the flag that it is there are two words, and no fence says which is stored first",
        },
        _ => Verdict::Right,
    }
}

/// Everything that is run, version by version, from small to large.
fn cases() -> Vec<Case> {
    let of = |&version: &&'static str| {
        let (tile, plain) = (plan::tile(version), if of_floats(version) { Data::Whole } else { Data::Any });
        // An empty array has no result to be held against a reference; the tests run it.
        let sizes = [1, 31, 32, 33, tile - 1, tile, tile + 1];
        let mut cases: Vec<Case> = sizes.map(|count| case(version, count, plain)).into();
        let data = [Data::Ones, Data::Any, Data::Cancelling, Data::Spike];
        cases.extend(data.map(|data| case(version, 3 * tile + 17, data)));
        // One thread would take seconds, and a fault is as plain in a small array.
        let small = ["prefix_serial", "prefix_in_place", "prefix_printed"].contains(&version);
        cases.extend((!small).then(|| case(version, LARGE, plain)));
        cases
    };
    PROBLEM.versions.iter().flat_map(of).collect()
}

fn case(version: &'static str, count: u32, data: Data) -> Case {
    let plan = plan(version, count.into()).expect("the list of cases holds only what the kernels are made for");
    case_of(version, plan, count, data)
}

fn case_of(version: &'static str, plan: Plan, count: u32, data: Data) -> Case {
    let launches = plan.steps.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
    let name = format!("{count} elements, {}", data.name());
    let prepare = move || {
        let (input, expected) = if of_floats(version) {
            let input = data.floats(count);
            let reference = reference_f32(&input).into_iter().flat_map(f32::to_le_bytes).collect();
            let tolerance = tolerance(version, &input, data);
            (Buffer::of("in", &input), Expected { buffer: "out", element: Element::F32, reference, tolerance })
        } else {
            let input = data.ints(count);
            let reference = reference(&input).into_iter().flat_map(i32::to_le_bytes).collect();
            let expected = Expected { buffer: "out", element: Element::I32, reference, tolerance: Tolerance::Exact };
            (Buffer::of("in", &input), expected)
        };
        let mut buffers = vec![Buffer::poisoned("out", expected.reference.len()), input];
        buffers.extend(plan.between.iter().map(|&(name, words, zero)| match zero {
            true => Buffer::zeros(name, u64::from(words) * 4),
            false => Buffer::poisoned(name, words as usize * 4),
        }));
        Prepared { buffers, steps: plan.steps.clone(), expected: vec![expected] }
    };
    Case::new(PROBLEM.name, version, name, data.name(), launches, prepare)
        .expecting(verdict(version, count))
        // Sums of floats depend on the order in which the tiles are added.
        .with_bits(plan::is_single_pass(version) && of_floats(version) && matches!(data, Data::Any | Data::Cancelling))
}

#[cfg(test)]
mod tests;
