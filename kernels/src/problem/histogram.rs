//! Histograms of bytes, and of wider values: the reference and the cases for `cu/histogram.cu`.

mod bench;

use sim::report::FindingKind;
use sim::{Dim3, Scalar};

pub use data::histogram::Data;

use super::Problem;
use crate::case::{Buffer, Case, Pass, Planned, Prepared, Shape, Step};
use crate::check::{Element, Expected, Tolerance};
use crate::verdict::Verdict;

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "histogram",
    about: "how often each value of a byte occurs in an array",
    versions: &[
        "histogram_global",
        "histogram_global4",
        "histogram_block",
        "histogram_block4",
        "histogram_block_offset",
        "histogram_block_sums",
        "histogram_warp",
        "histogram_rows",
        "histogram_columns",
        "histogram_permuted",
        "histogram_packed_printed",
        "histogram_packed_256",
        "histogram_packed",
        "histogram_periodic_printed",
        "histogram_periodic",
        "histogram_spill",
        "histogram_copies2",
        "histogram_copies4",
        "histogram_copies8",
        "histogram_copies16",
        "histogram_copies32",
        "histogram_runs",
        "histogram_match",
        "histogram_lanes",
        "histogram_bulk",
        "histogram_many",
        "histogram_many_bulk",
    ],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// Streaming multiprocessors of an H200: grids of versions that take any number of bytes fill it once.
const SMS: u32 = 132;

/// Values of the recorded cases of `histogram_many`: 8 KiB of bins, and 160 KiB.
const MANY: [u32; 2] = [2048, 40_960];

/// The versions that count other values than a byte's.
const MANY_VERSIONS: [&str; 2] = ["histogram_many", "histogram_many_bulk"];

/// The most values that `histogram_many` has room for in the shared memory of an H200's block.
pub const MOST_BINS: u32 = 232_448 / 4;

/// Elements of the large case.
const LARGE: u32 = 1 << 22;

/// How often each value below `bins` occurs, modulo 2^32.
pub fn reference(input: &[u16], bins: u32) -> Vec<u32> {
    let mut counts = vec![0u32; bins as usize];
    input.iter().for_each(|&value| counts[usize::from(value)] = counts[usize::from(value)].wrapping_add(1));
    counts
}

/// A launch that these kernels are not made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The version does not exist.
    #[error("there is no version `{0}` of histogram; there are {versions}", versions = PROBLEM.versions.join(", "))]
    Version(String),
    /// A count could leave the range of `unsigned`.
    #[error("an array of {0} elements is too long: a bin counts up to 4294967295")]
    Count(u64),
    /// The bins do not fit, or they are not those of a byte.
    #[error("`{version}` cannot count {bins} values: {why}")]
    Bins {
        /// The version.
        version: &'static str,
        /// The number of values that was asked for.
        bins: u32,
        /// Why not.
        why: String,
    },
}

/// Threads of a block.
fn threads(version: &str) -> u32 {
    match version {
        "histogram_lanes" | "histogram_bulk" => 1024,
        "histogram_rows" | "histogram_columns" | "histogram_permuted" | "histogram_spill" => 64,
        _ if version.starts_with("histogram_packed") || version.starts_with("histogram_periodic") => 64,
        _ => 256,
    }
}

/// Blocks for `count` elements.
fn blocks(version: &str, count: u32) -> u32 {
    let (bytes, most) = match version {
        // A thread counts as many bytes as its bins can hold: 252, or 63 as printed, or one too many.
        "histogram_rows" | "histogram_columns" | "histogram_permuted" | "histogram_packed" => (252, u32::MAX),
        "histogram_packed_printed" => (255 / 4, u32::MAX),
        "histogram_packed_256" => (256, u32::MAX),
        // 16 KiB of shared memory leave room for 13 blocks on an SM.
        "histogram_periodic_printed" | "histogram_periodic" | "histogram_spill" => (1024, 13 * SMS),
        "histogram_lanes" | "histogram_bulk" => (16, 2 * SMS),
        _ => (16, 8 * SMS),
    };
    count.div_ceil(threads(version) * bytes).clamp(1, most)
}

/// The launches that count `count` elements of `bins` values with `version`.
///
/// # Errors
/// [`PlanError`] when there is no such version, or it is not made for that.
pub fn plan(version: &str, count: u64, bins: u32) -> Result<Vec<Step>, PlanError> {
    let known = PROBLEM.versions.iter().find(|known| **known == version);
    let &version = known.ok_or_else(|| PlanError::Version(version.to_owned()))?;
    let many = MANY_VERSIONS.contains(&version);
    if many && bins > MOST_BINS {
        let why = format!("a block of an H200 has shared memory for {MOST_BINS}");
        return Err(PlanError::Bins { version, bins, why });
    }
    if !many && bins != 256 {
        let why = "a byte has 256; `histogram_many` counts others".to_owned();
        return Err(PlanError::Bins { version, bins, why });
    }
    let length = u32::try_from(count).map_err(|_| PlanError::Count(count))?;
    let (blocks, number) = (blocks(version, length), |value| Pass::Scalar(Scalar::U32(value)));
    let shape = Shape {
        grid: Dim3::linear(blocks),
        block: Dim3::linear(threads(version)),
        shared_bytes: if many { 4 * bins } else { 0 },
    };
    let kernel = if version == "histogram_packed_256" { "histogram_packed" } else { version };
    let two = version == "histogram_block_sums";
    let mut args = vec![Pass::Buffer(if two { "sums" } else { "hist" }), Pass::Buffer("in")];
    args.push(Pass::Scalar(Scalar::U64(count)));
    args.extend(many.then(|| number(bins)));
    let mut steps = vec![Step { kernel, shape, args }];
    if two {
        let args = vec![Pass::Buffer("hist"), Pass::Buffer("sums"), number(blocks)];
        steps.push(Step { kernel: "histogram_sum", shape: Shape { grid: Dim3::linear(1), ..shape }, args });
    }
    Ok(steps)
}

/// Whether a thread of `histogram_packed`, launched with so many blocks, counts one value more than 255 times.
fn overflows(input: &[u16], blocks: u32) -> bool {
    let threads = 64 * blocks as usize;
    let mut counts = vec![0u32; threads * 256];
    let words = input.len() / 4;
    input.iter().enumerate().any(|(i, &value)| {
        let thread = if i < 4 * words { i / 4 % threads } else { i - 4 * words };
        let count = &mut counts[thread * 256 + usize::from(value)];
        *count += 1;
        *count > 255
    })
}

/// What is wrong with a version for this data.
fn verdict(version: &str, count: u32, data: Data) -> Verdict {
    let lost = Verdict::Wrong { why: "the last bytes, which do not fill a word, are not counted" };
    let (words, threads) = (count / 4, 64 * blocks(version, count));
    let rounds = words.div_ceil(threads);
    match version {
        "histogram_periodic_printed" if rounds == 63 && !words.is_multiple_of(64) => Verdict::Faulty {
            finding: FindingKind::BarrierDivergence,
            why: "only some threads of a block make the round after which it merges, behind a barrier for all",
        },
        "histogram_periodic_printed" if rounds > 63 => Verdict::Faulty {
            finding: FindingKind::Race,
            why: "a warp counts on while the other still reads and clears what it counts in",
        },
        "histogram_packed_printed" | "histogram_periodic_printed" if !count.is_multiple_of(4) => lost,
        "histogram_packed_256"
            if count < LARGE && overflows(&data.make(count, 256), blocks("histogram_packed_256", count)) =>
        {
            Verdict::Wrong { why: "a bin of 8 bits that counts 256 carries into the next one" }
        }
        _ => Verdict::Right,
    }
}

/// Everything that is run, version by version, from small to large.
fn cases() -> Vec<Case> {
    let of = |&version: &&'static str| {
        let bins = if MANY_VERSIONS.contains(&version) { MANY[0] } else { 256 };
        let mut cases: Vec<Case> = [0, 1, 33, 4099].map(|count| case(version, count, bins, Data::Uniform)).into();
        // A thread of the packed versions sees 252, 253 and 256 bytes that are equal; others see what they see.
        cases.extend([16_128, 16_131, 16_384].map(|count| case(version, count, bins, Data::Constant)));
        cases.extend([Data::Uniform, Data::OneBank, Data::Bell].map(|data| case(version, 20_003, bins, data)));
        if bins != 256 {
            cases.push(case(version, 20_003, MANY[1], Data::Uniform));
            // Bins that do not fill 16 bytes.
            cases.push(case(version, 4099, MANY[0] + 3, Data::Uniform));
        }
        cases.push(case(version, LARGE, bins, Data::Uniform));
        cases
    };
    PROBLEM.versions.iter().flat_map(of).collect()
}

fn case(version: &'static str, count: u32, bins: u32, data: Data) -> Case {
    let steps = plan(version, count.into(), bins).expect("the list of cases holds only what the kernels are made for");
    let launches = steps.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
    let name = match version {
        _ if MANY_VERSIONS.contains(&version) => format!("{count} elements of {bins} values, {}", data.name()),
        _ => format!("{count} bytes, {}", data.name()),
    };
    let prepare = move || {
        let input = data.make(count, bins);
        let reference: Vec<u8> = reference(&input, bins).into_iter().flat_map(u32::to_le_bytes).collect();
        let elements = if MANY_VERSIONS.contains(&version) {
            Buffer::of("in", &input)
        } else {
            Buffer::of("in", &input.iter().map(|&value| value as u8).collect::<Vec<u8>>())
        };
        let mut buffers = vec![elements];
        if steps.len() > 1 {
            buffers.push(Buffer::poisoned("hist", reference.len()));
            buffers.push(Buffer::poisoned("sums", reference.len() * steps[0].shape.grid.count() as usize));
        } else {
            buffers.push(Buffer::zeros("hist", reference.len() as u64));
        }
        let expected = Expected { buffer: "hist", element: Element::U32, reference, tolerance: Tolerance::Exact };
        Prepared { buffers, steps: steps.clone(), expected: vec![expected] }
    };
    let case = Case::new(PROBLEM.name, version, name, data.name(), launches, prepare);
    case.expecting(verdict(version, count, data))
}

#[cfg(test)]
mod tests;
