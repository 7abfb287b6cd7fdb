//! The sum of an array of ints: the reference and the cases for `cu/reduction.cu`.

mod bench;

use sim::{Dim3, Scalar};

pub use data::reduction::Data;

use super::Problem;
use crate::case::{Buffer, Case, Pass, Planned, Prepared, Shape, Step};
use crate::check::{Element, Expected, Tolerance};

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "reduction",
    about: "the sum of an array of ints",
    versions: &[
        "reduce_modulo",
        "reduce_strided",
        "reduce_sequential",
        "reduce_first_add",
        "reduce_grid_stride",
        "reduce_shuffle",
        "reduce_redux",
        "reduce_vector4",
        "reduce_last_block",
        "reduce_block_atomic",
        "reduce_thread_atomic",
    ],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// Threads in a block of the recorded cases.
const THREADS: u32 = 256;

/// Most blocks of a version that strides through the array: eight on each of an H200's 132 SMs.
const MOST_BLOCKS: u32 = 8 * 132;

/// Sizes at the edges of a warp, of a block, of two blocks' worth of elements, and of a vector.
const EDGES: [u32; 8] = [0, 1, 33, 256, 257, 513, 4099, 65_537];

/// Elements of the large case, 16 MiB.
const LARGE: u32 = 1 << 22;

/// The sum, modulo 2^32.
pub fn reference(input: &[i32]) -> i32 {
    input.iter().fold(0, |sum, &x| sum.wrapping_add(x))
}

/// Names of the buffers that hold the sums of the blocks, one per launch.
const SUMS: [&str; 4] = ["sums_1", "sums_2", "sums_3", "sums_4"];

/// Blocks that `version` is launched with for `count` elements.
fn blocks(version: &str, count: u32) -> u32 {
    let per_thread = match version {
        "reduce_modulo" | "reduce_strided" | "reduce_sequential" | "reduce_thread_atomic" => 1,
        "reduce_first_add" => 2,
        "reduce_grid_stride" | "reduce_shuffle" | "reduce_redux" => {
            return count.div_ceil(THREADS).clamp(1, MOST_BLOCKS);
        }
        _ => return count.div_ceil(4 * THREADS).clamp(1, MOST_BLOCKS),
    };
    count.div_ceil(per_thread * THREADS).max(1)
}

/// Dynamic shared memory of a block, in bytes.
fn shared_bytes(version: &str) -> u32 {
    let tree = ["reduce_modulo", "reduce_strided", "reduce_sequential", "reduce_first_add", "reduce_grid_stride"];
    if tree.contains(&version) { 4 * THREADS } else { 0 }
}

/// The launches of `version` for `count` elements, and the buffers between them with the number of their ints.
fn steps(version: &'static str, count: u32) -> (Vec<Step>, Vec<(&'static str, u32)>) {
    let (mut steps, mut between): (Vec<Step>, Vec<(&'static str, u32)>) = (Vec::new(), Vec::new());
    let (mut source, mut left) = ("in", count);
    let unsigned = |value| Pass::Scalar(Scalar::U32(value));
    loop {
        let blocks = blocks(version, left);
        let shape =
            Shape { grid: Dim3::linear(blocks), block: Dim3::linear(THREADS), shared_bytes: shared_bytes(version) };
        let in_one = ["reduce_last_block", "reduce_block_atomic", "reduce_thread_atomic"].contains(&version);
        let target = if blocks == 1 || in_one { "sum" } else { SUMS[steps.len()] };
        let mut args = vec![Pass::Buffer(target), Pass::Buffer(source), unsigned(left)];
        if version == "reduce_last_block" {
            between.push(("work", 1 + blocks));
            args.push(Pass::Buffer("work"));
        }
        steps.push(Step { kernel: version, shape, args });
        if target == "sum" {
            return (steps, between);
        }
        between.push((target, blocks));
        (source, left) = (target, blocks);
    }
}

/// Everything that is run, version by version, from small to large.
fn cases() -> Vec<Case> {
    let of = |&version: &&'static str| {
        let mut cases: Vec<Case> = EDGES.into_iter().map(|count| case(version, count, Data::Any)).collect();
        cases.push(case(version, 4099, Data::Ones));
        cases.push(case(version, 4099, Data::Alternating));
        cases.push(case(version, 4099, Data::Spike));
        cases.push(case(version, LARGE, Data::Any));
        cases
    };
    PROBLEM.versions.iter().flat_map(of).collect()
}

fn case(version: &'static str, count: u32, data: Data) -> Case {
    let plan = steps(version, count).0.iter().map(|step| Planned { kernel: step.kernel, shape: step.shape }).collect();
    let name = match data {
        Data::Any => format!("{count} elements"),
        _ => format!("{count} elements, {}", data.name()),
    };
    Case::new(PROBLEM.name, version, name, data.name(), plan, move || {
        let input = data.make(count);
        let (steps, between) = steps(version, count);
        let mut buffers = vec![Buffer::of("in", &input)];
        // An atomic adds to what is there; a sum that is stored overwrites what must not survive.
        buffers.push(if version.ends_with("_atomic") { Buffer::zeros("sum", 4) } else { Buffer::poisoned("sum", 4) });
        buffers.extend(between.into_iter().map(|(name, ints)| match name {
            "work" => Buffer::zeros(name, u64::from(ints) * 4),
            _ => Buffer::poisoned(name, ints as usize * 4),
        }));
        let expected = Expected {
            buffer: "sum",
            element: Element::I32,
            reference: reference(&input).to_le_bytes().to_vec(),
            tolerance: Tolerance::Exact,
        };
        Prepared { buffers, steps, expected: vec![expected] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate;

    #[test]
    fn launches_end_with_one_block() {
        let (steps, between) = steps("reduce_modulo", LARGE);
        let grids: Vec<u32> = steps.iter().map(|step| step.shape.grid.x).collect();
        assert_eq!(grids, [16_384, 64, 1]);
        assert_eq!(between, [("sums_1", 16_384), ("sums_2", 64)]);
        assert_eq!(super::steps("reduce_first_add", 513).0.len(), 2);
        assert_eq!(super::steps("reduce_last_block", LARGE).0.len(), 1);
    }

    #[test]
    fn the_reference_wraps() {
        assert_eq!(reference(&[i32::MAX, 1]), i32::MIN);
        assert_eq!(reference(&Data::Alternating.make(4099)), 1 << 30);
        assert_eq!(reference(&Data::Spike.make(7)), 1_234_567_890);
    }

    #[test]
    fn every_version_is_right_at_the_edges_and_faultless() {
        let small = cases().into_iter().filter(|case| !case.name.contains(&LARGE.to_string()));
        let more = [3, 31, 32, 255, 511, 512, 1023];
        let more = PROBLEM.versions.iter().flat_map(|version| more.map(|count| case(version, count, Data::Any)));
        for case in small.chain(more) {
            let prepared = case.prepare();
            let run = simulate::run(&case, &prepared).unwrap_or_else(|error| panic!("{error}"));
            let check = prepared.check(&run.contents);
            assert!(check.right, "{case}: {check:?}");
            for report in &run.reports {
                assert!(report.findings.is_empty(), "{case}: {:?}", report.findings);
            }
        }
    }

    /// What each version of the ladder promises, in closed form, for one block of T = 256 threads and W = 8 warps.
    #[test]
    fn the_counters_are_those_of_the_closed_forms() {
        let of = |version: &str, metric: &str| {
            let case = cases().into_iter().find(|case| case.version == version && case.name == "256 elements");
            let case = case.expect("it is there");
            let run = simulate::run(&case, &case.prepare()).unwrap_or_else(|error| panic!("{error}"));
            let report = &run.reports[0];
            report.metrics.get(metric).or_else(|| report.estimates.get(metric)).copied().unwrap_or(0)
        };
        let wavefronts = |version: &str| -> u64 {
            ["ld", "st"]
                .map(|op| of(version, &format!("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum")))
                .into_iter()
                .sum()
        };
        let barriers = |version| of(version, "warpbook__barriers.sum") / 8;
        // The tree alone: 1 + log2 T barriers; every round reads two words and writes one, and the block stores its
        // elements before (W) and reads the result after (1).
        for version in ["reduce_modulo", "reduce_strided", "reduce_sequential"] {
            assert_eq!(barriers(version), 9, "{version}");
        }
        assert_eq!(wavefronts("reduce_modulo"), 3 * (6 * 8 - 1) + 8 + 1);
        assert_eq!(wavefronts("reduce_strided"), (18 * 8 - 3) + 8 + 1);
        assert_eq!(wavefronts("reduce_sequential"), 3 * (8 + 4) + 8 + 1);
        assert_eq!(barriers("reduce_shuffle"), 1);
    }
}
