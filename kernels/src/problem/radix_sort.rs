//! Radix sort: the reference and the cases for `cu/radix_sort.cu`.

mod bench;
use super::Problem;
use crate::case::{Buffer, Case, Planned, Prepared};
use crate::check::{Element, Expected, Tolerance};
use crate::workload::Own;

pub mod keys;
mod plan;

pub use keys::Keys;
pub use plan::{Kind, LONGEST, LONGEST_SMALL, Plan, PlanError, plan};

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "radix_sort",
    about: "keys in ascending order, a digit at a time from the least significant one",
    versions: &[
        "radix_three_4",
        "radix_three_8",
        "radix_local_ballots",
        "radix_local_match",
        "radix_local_or",
        "radix_onesweep",
        "radix_onesweep_small",
        "radix_onesweep_i32",
        "radix_onesweep_f32",
        "radix_onesweep_pairs",
    ],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// Tiles of the large case of every version.
const MANY_TILES: u32 = 256;

/// The keys in ascending order, and of each the place where it was; equal keys keep their order. Floats are in the order of
/// IEEE 754's totalOrder, which tells -0 from +0 and one NaN from another.
pub fn reference(kind: Kind, keys: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut places: Vec<u32> = (0..keys.len() as u32).collect();
    let key = |place: &u32| keys[*place as usize];
    match kind {
        Kind::U32 | Kind::Pairs => places.sort_by_key(key),
        Kind::I32 => places.sort_by_key(|place| key(place).cast_signed()),
        Kind::F32 => places.sort_by(|a, b| f32::from_bits(key(a)).total_cmp(&f32::from_bits(key(b)))),
    }
    (places.iter().map(key).collect(), places)
}

/// Everything that is run, version by version, from small to large.
fn cases() -> Vec<Case> {
    let of = |&version: &&'static str| {
        let (_, tile) = plan::tile(version);
        let mut cases: Vec<Case> = [1, 33, tile - 1, tile, tile + 1].map(|n| case(version, n, Keys::Uniform)).into();
        let keys = match Kind::of(version) {
            Kind::F32 => [Keys::Uniform, Keys::Constant, Keys::Special],
            _ => [Keys::Uniform, Keys::Constant, Keys::And(3)],
        };
        cases.extend(keys.map(|keys| case(version, 2 * tile + 17, keys)));
        // Other types of keys take the same way.
        let large = !matches!(Kind::of(version), Kind::I32 | Kind::F32);
        cases.extend(large.then(|| case(version, MANY_TILES * tile, Keys::Uniform)));
        cases
    };
    PROBLEM.versions.iter().flat_map(of).collect()
}

/// One case. Only for what [`plan`] accepts.
fn case(version: &'static str, count: u32, keys: Keys) -> Case {
    let plan = move || plan(version, count.into()).expect("the cases hold only what the kernels are made for");
    let Plan { steps, .. } = plan();
    let launches = steps.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
    Case::new(PROBLEM.name, version, format!("{count} keys, {keys}"), keys.name(), launches, move || {
        let plan = plan();
        let keys = keys.make(count);
        let (sorted, places) = reference(plan.kind, &keys);
        // Floats are compared as bits too: -0 is not 0 here.
        let exact = |buffer, words: Vec<u32>| Expected {
            buffer,
            element: if plan.kind == Kind::I32 { Element::I32 } else { Element::U32 },
            reference: words.into_iter().flat_map(u32::to_le_bytes).collect(),
            tolerance: Tolerance::Exact,
        };
        let mut buffers = vec![Buffer::of("in", &keys), Buffer::poisoned("out", keys.len() * 4)];
        let mut expected = vec![exact("out", sorted)];
        if plan.kind == Kind::Pairs {
            // A value is where its pair was, so that an exchange of equal keys shows.
            let values: Vec<u32> = (0..count).collect();
            buffers.extend([Buffer::of("values_in", &values), Buffer::poisoned("values", keys.len() * 4)]);
            expected.push(exact("values", places));
        }
        buffers.extend(plan.scratch.iter().map(Own::buffer));
        Prepared { buffers, steps: plan.steps, expected }
    })
}

#[cfg(test)]
mod tests;
