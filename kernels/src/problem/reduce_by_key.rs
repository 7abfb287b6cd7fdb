//! Sums of all values that have the same key: the reference and the cases for `cu/reduce_by_key.cu`. The inputs are in
//! `keys.rs`, the launches in `plan.rs`.

mod bench;
mod keys;
mod plan;

#[cfg(test)]
mod tests;

pub use keys::Keys;
pub use plan::{Output, PlanError, Values, plan};

use super::Problem;
use crate::case::{Buffer, Case, Planned, Prepared};
use crate::check::{Element, Expected, Tolerance};
use crate::random::Random;
use crate::workload::Own;

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "reduce_by_key",
    about: "the sums of all values that have the same key",
    versions: &[
        "by_key_atomic_f32",
        "by_key_atomic_f64",
        "by_key_atomic_i32",
        "by_key_cas_f64",
        "by_key_hash_f64",
        "by_key_peers_printed",
        "by_key_peers_f64",
        "by_key_match_f64",
        "by_key_match_redux_i32",
        "by_key_segmented_f64",
        "by_key_block_sort_f64",
        "by_key_scalar_f32x4",
        "by_key_vector_f32x4",
        "by_key_look_back_f64",
        "by_key_sort_f64",
    ],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// The keys and their sums, in the order in which the version leaves them.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// The key of every sum; empty where the output is a table.
    pub keys: Vec<i32>,
    /// The sums, component by component.
    pub sums: Vec<f64>,
}

/// One sum per key from 0 to `table` - 1. `values` has `width` numbers per element.
pub fn table(keys: &[i32], values: &[f64], width: usize, table: u32) -> Reference {
    let mut sums = vec![0.0; table as usize * width];
    for (key, value) in keys.iter().zip(values.chunks(width)) {
        let sum = &mut sums[*key as usize * width..][..width];
        sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += value);
    }
    Reference { keys: Vec::new(), sums }
}

/// One sum per run of equal neighbouring keys.
pub fn runs(keys: &[i32], values: &[f64]) -> Reference {
    let (mut of_run, mut sums): (Vec<i32>, Vec<f64>) = (Vec::new(), Vec::new());
    for (&key, value) in keys.iter().zip(values) {
        match sums.last_mut() {
            Some(sum) if of_run.last() == Some(&key) => *sum += value,
            _ => {
                of_run.push(key);
                sums.push(*value);
            }
        }
    }
    Reference { keys: of_run, sums }
}

/// `count` whole numbers from 1 to 8. Their sums are exact in every type and in whatever order they are formed; and as
/// none is zero, every addition changes the sum, which a compare-and-swap notices.
pub fn values(count: usize) -> Vec<f64> {
    let mut random = Random::new(0xb1e5 + count as u64);
    (0..count).map(|_| f64::from(random.whole(1, 8))).collect()
}

/// Everything that is run, version by version, from small to large.
fn cases() -> Vec<Case> {
    let of = |&version: &&'static str| {
        let mut cases = Vec::new();
        let mut add = |keys: Keys, count: u32| cases.push(case(version, keys, count));
        match version {
            // Lanes of several warps would meet at one sum, and the number of tries would depend on who is faster.
            "by_key_cas_f64" | "by_key_hash_f64" => {
                [1, 2, 8, 32].into_iter().for_each(|length| add(Keys::Runs { length }, 512));
                add(Keys::Runs { length: 32 }, 31);
            }
            // With several keys in a warp it waits for ever.
            "by_key_peers_printed" => add(Keys::Runs { length: 32 }, 512),
            "by_key_look_back_f64" => {
                [0, 1, 33, 255, 3583, 3584, 3585, 7169]
                    .into_iter()
                    .for_each(|count| add(Keys::Runs { length: 10 }, count));
                add(Keys::Runs { length: 1 }, 3584);
                add(Keys::Runs { length: 3584 }, 10_752);
                add(Keys::Runs { length: 1000 }, 10_000);
                add(Keys::One, 17_921);
                add(Keys::PowerRuns { table: 500 }, 7169);
                add(Keys::Ordered { side: 64 }, 2_621_440);
            }
            "by_key_sort_f64" => {
                [0, 1, 257].into_iter().for_each(|count| add(Keys::Random { table: 216 }, count));
                add(Keys::ByAxes { side: 6 }, 2160);
                add(Keys::Random { table: 200 }, 4500);
                add(Keys::Power { table: 200 }, 4500);
            }
            _ => {
                [0, 1, 31, 33, 257].into_iter().for_each(|count| add(Keys::Runs { length: 10 }, count));
                add(Keys::One, 300);
                add(Keys::Alternating, 512);
                for keys in [Keys::Ordered { side: 6 }, Keys::ByAxes { side: 6 }, Keys::ByFaces { side: 6 }] {
                    add(keys, 2160);
                }
                add(Keys::Random { table: 216 }, 2160);
                add(Keys::Power { table: 216 }, 2160);
            }
        }
        cases
    };
    PROBLEM.versions.iter().flat_map(of).collect()
}

/// One case. Only for what [`plan`] accepts.
fn case(version: &'static str, keys: Keys, count: u32) -> Case {
    let plan = move || {
        plan(version, count.into(), keys.table(count)).expect("the cases hold only what the kernels are made for")
    };
    let launches = plan().steps.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
    Case::new(PROBLEM.name, version, format!("{count} elements, {keys}"), keys.name(), launches, move || {
        let plan = plan();
        let (keys, width) = (keys.make(count), plan.values.width());
        let values = values(keys.len() * width);
        let mut buffers = vec![Buffer::of("keys", &keys), plan.values.buffer("values", &values)];
        let exact = |buffer, element, reference| Expected { buffer, element, reference, tolerance: Tolerance::Exact };
        let mut expected = Vec::new();
        let reference = match plan.output {
            Output::Table { table: size } => {
                let reference = table(&keys, &values, width, size);
                buffers.push(Buffer::zeros("sums", reference.sums.len() as u64 * plan.values.element().bytes() as u64));
                reference
            }
            Output::Runs => {
                let sorted = plan.sorts.then(|| sorted(&keys, &values));
                let (keys, values) = sorted.as_ref().map_or((&keys, &values), |(keys, values)| (keys, values));
                let reference = runs(keys, values);
                buffers.push(Buffer::poisoned("unique", reference.keys.len() * 4));
                buffers.push(Buffer::poisoned("sums", reference.sums.len() * 8));
                buffers.push(Buffer::poisoned("runs", 4));
                let bytes = reference.keys.iter().flat_map(|key| key.to_le_bytes()).collect();
                expected.push(exact("runs", Element::U32, (reference.keys.len() as u32).to_le_bytes().to_vec()));
                expected.push(exact("unique", Element::I32, bytes));
                reference
            }
        };
        expected.push(exact("sums", plan.values.element(), plan.values.bytes(&reference.sums)));
        buffers.extend(plan.scratch.iter().map(Own::buffer));
        Prepared { buffers, steps: plan.steps, expected }
    })
}

/// Keys in ascending order with their values; equal keys keep their order.
fn sorted(keys: &[i32], values: &[f64]) -> (Vec<i32>, Vec<f64>) {
    let mut pairs: Vec<(i32, f64)> = keys.iter().copied().zip(values.iter().copied()).collect();
    pairs.sort_by_key(|pair| pair.0);
    pairs.into_iter().unzip()
}
