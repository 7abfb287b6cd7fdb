//! Sorting chunk by chunk and merging: the reference and the cases for `cu/merge_sort.cu`.

mod bench;
use sim::report::FindingKind;
use sim::{Dim3, Scalar};

use super::Problem;
use super::radix_sort::Keys;
use crate::case::{Buffer, Case, Pass, Planned, Prepared, Shape, Step};
use crate::check::{Element, Expected, Tolerance};
use crate::verdict::Verdict;

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "merge_sort",
    about: "unsigned ints in ascending order, chunk by chunk, and whole arrays by merging",
    versions: &[
        "chunks_bitonic",
        "chunks_odd_even",
        "chunks_split_printed",
        "chunks_split_scan",
        "chunks_split_ballots",
        "merge_bitonic",
        "merge_path",
    ],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// Keys that a thread block sorts.
const CHUNK: u32 = 512;

/// Threads in a block of all kernels but `chunks_split_ballots`, which has one per key.
const THREADS: u32 = 256;

/// Keys that a block of `merge_path` makes.
const TILE: u32 = 1024;

/// Keys of the large case of versions that sort chunks, 2 MiB.
const MANY_CHUNKS: u32 = 1 << 19;

/// Keys of the large case of versions that merge, 1 MiB.
const LARGE: u32 = 1 << 18;

/// The longest array: twice the length of a run must be an unsigned int.
pub const LONGEST: u64 = 1 << 31;

/// The keys in ascending order: all of them, or in each chunk.
pub fn reference(keys: &[u32], chunk: usize) -> Vec<u32> {
    let mut sorted = keys.to_vec();
    sorted.chunks_mut(chunk).for_each(<[u32]>::sort_unstable);
    sorted
}

/// A launch that these kernels are not made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The version does not exist.
    #[error("there is no version `{0}` of the merge sort; there are {versions}", versions = PROBLEM.versions.join(", "))]
    Version(String),
    /// Indices leave the range of `unsigned`.
    #[error(
        "{0} keys cannot be sorted by merging: the length of two runs must be an unsigned int, so at most {LONGEST} fit"
    )]
    Count(u64),
}

/// The launches of a version, and whether they need two more arrays: `other`, as long as `out`, and `places`, an
/// unsigned int for each tile of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The launches.
    pub steps: Vec<Step>,
    /// Whether they need `other` and `places`.
    pub other: bool,
}

/// How to sort `count` keys with `version`.
///
/// # Errors
/// [`PlanError`] when there is no such version, or there are too many keys.
pub fn plan(version: &str, count: u64) -> Result<Plan, PlanError> {
    let Some(&version) = PROBLEM.versions.iter().find(|known| **known == version) else {
        return Err(PlanError::Version(version.to_owned()));
    };
    if count > LONGEST {
        return Err(PlanError::Count(count));
    }
    let step = |kernel, blocks: u64, threads, buffers: &[&'static str], numbers: &[u64]| {
        let grid = Dim3::linear(u32::try_from(blocks).expect("at most 2^31 keys").max(1));
        let numbers = numbers.iter().map(|&number| Pass::Scalar(Scalar::U32(number as u32)));
        let args = buffers.iter().map(|&buffer| Pass::Buffer(buffer)).chain(numbers).collect();
        Step { kernel, shape: Shape { grid, block: Dim3::linear(threads), shared_bytes: 0 }, args }
    };
    let chunks = count.div_ceil(CHUNK.into());
    // The length of the merged runs, from two chunks to the first that has room for all keys.
    let lengths = || (1..).map(|level| u64::from(CHUNK) << level).take_while(|length| length / 2 < count);
    let sort = |out| step("chunks_split_ballots", chunks, CHUNK, &[out, "in"], &[count]);
    let mut steps = Vec::new();
    match version {
        "merge_bitonic" => {
            steps.push(sort("out"));
            for length in lengths() {
                // Pairs of a run, of as many runs as there are, with the last one whole.
                let blocks = |pairs: u64| (count.div_ceil(2 * pairs) * pairs).div_ceil(THREADS.into());
                let half = length / 2;
                steps.push(step("merge_flip", blocks(half), THREADS, &["out"], &[count, length]));
                let distances = (1..).map(|level| half >> level).take_while(|&distance| distance >= CHUNK.into());
                let distances = distances
                    .map(|distance| step("merge_step", blocks(distance), THREADS, &["out"], &[count, distance]));
                steps.extend(distances);
                steps.push(step("merge_within", chunks, THREADS, &["out"], &[count]));
            }
        }
        "merge_path" => {
            // The last pass writes `out`, so an odd number of passes begins in `other`.
            let ways = if lengths().count() % 2 == 0 { ["out", "other"] } else { ["other", "out"] };
            steps.push(sort(ways[0]));
            for (pass, length) in lengths().enumerate() {
                let (from, to, numbers) = (ways[pass % 2], ways[(pass + 1) % 2], [count, length / 2]);
                let tiles = count.div_ceil(TILE.into());
                let blocks = tiles.div_ceil(THREADS.into());
                steps.push(step("merge_places", blocks, THREADS, &["places", from], &numbers));
                steps.push(step(version, tiles, THREADS, &[to, from, "places"], &numbers));
            }
        }
        "chunks_split_ballots" => steps.push(sort("out")),
        _ => steps.push(step(version, chunks, THREADS, &["out", "in"], &[count])),
    }
    let other = steps.iter().any(|step| step.args.contains(&Pass::Buffer("other")));
    Ok(Plan { steps, other })
}

/// Whether the number of zeros is wrong somewhere when the last flag is forgotten, for one chunk of whatever length: in
/// a round in which the last key's bit is 0, the first key whose bit is 1, if any, goes where the last key goes.
fn collides(chunk: &[u32]) -> bool {
    let mut keys = chunk.to_vec();
    keys.resize(CHUNK as usize, u32::MAX);
    (0..32).any(|bit| {
        let is_one = |key: &u32| (key >> bit) & 1 == 1;
        let collides = !keys.last().is_some_and(is_one) && keys.iter().any(is_one);
        keys.sort_by_key(is_one);
        collides
    })
}

/// What is wrong with a version for these keys.
fn verdict(version: &str, count: u32, keys: Keys) -> Verdict {
    match version {
        "chunks_split_printed" if keys.make(count).chunks(CHUNK as usize).any(collides) => Verdict::Faulty {
            finding: FindingKind::Race,
            why: "the last flag is not among the zeros, so the first key with a 1 goes where the last key goes",
        },
        _ => Verdict::Right,
    }
}

/// Everything that is run, version by version, from small to large.
fn cases() -> Vec<Case> {
    let of = |&version: &&'static str| {
        let edges = [1, 33, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 1];
        let mut cases: Vec<Case> = edges.map(|count| case(version, count, Keys::Uniform)).into();
        let keys = [Keys::Uniform, Keys::Sorted, Keys::Reverse, Keys::Constant, Keys::And(3)];
        cases.extend(keys.map(|keys| case(version, 5 * CHUNK + 17, keys)));
        // A scan per bit takes too long for more.
        cases.extend(match version {
            "merge_bitonic" | "merge_path" => Some(case(version, LARGE, Keys::Uniform)),
            "chunks_split_printed" | "chunks_split_scan" => None,
            _ => Some(case(version, MANY_CHUNKS, Keys::Uniform)),
        });
        cases
    };
    PROBLEM.versions.iter().flat_map(of).collect()
}

/// One case. Only for what [`plan`] accepts.
fn case(version: &'static str, count: u32, keys: Keys) -> Case {
    let plan = plan(version, count.into()).expect("the cases hold only what the kernels are made for");
    let launches = plan.steps.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
    let chunk = if version.starts_with("merge") { count.max(1) } else { CHUNK };
    let prepare = move || {
        let keys = keys.make(count);
        let mut buffers = vec![Buffer::of("in", &keys), Buffer::poisoned("out", keys.len() * 4)];
        if plan.other {
            let tiles = keys.len().div_ceil(TILE as usize);
            buffers.extend([Buffer::poisoned("other", keys.len() * 4), Buffer::poisoned("places", tiles * 4)]);
        }
        let reference = reference(&keys, chunk as usize).into_iter().flat_map(u32::to_le_bytes).collect();
        let out = Expected { buffer: "out", element: Element::U32, reference, tolerance: Tolerance::Exact };
        Prepared { buffers, steps: plan.steps.clone(), expected: vec![out] }
    };
    Case::new(PROBLEM.name, version, format!("{count} keys, {keys}"), keys.name(), launches, prepare)
        .expecting(verdict(version, count, keys))
}

#[cfg(test)]
mod tests;
