//! Exclusive prefix sums of float arrays, tile by tile: the reference and the cases for `cu/scan.cu`.

mod bench;

use sim::{Dim3, Scalar};

pub use data::scan::Data;

use super::Problem;
use crate::case::{Buffer, Case, Pass, Planned, Prepared, Shape, Step};
use crate::check::{Element, Expected, Tolerance};

/// The problem.
pub const PROBLEM: Problem = Problem {
    name: "scan",
    about: "exclusive prefix sums of an array of floats; every thread block scans its own tile",
    versions: &["scan_naive", "scan_blelloch_pairs", "scan_blelloch", "scan_blelloch_macro", "scan_blelloch_padded"],
    cases,
    bench: bench::workloads,
    bench_of: bench::of_size,
    single_pass: bench::single_pass,
};

/// The tiles that are recorded, in elements.
const TILES: [u32; 6] = [64, 128, 256, 512, 1024, 2048];

/// Elements of the large case. A GPU needs tens of microseconds for it, long enough for its time to mean something.
const LARGE: u32 = 1 << 22;

/// The tile of the large case.
const LARGE_TILE: u32 = 1024;

/// The exclusive prefix sums of every tile, accumulated in double precision.
pub fn reference(input: &[f32], tile: u32) -> Vec<f32> {
    let scan_tile = |tile: &[f32]| -> Vec<f32> {
        let mut sum = 0.0f64;
        let before = |x: &f32| {
            let before = sum;
            sum += f64::from(*x);
            before as f32
        };
        tile.iter().map(before).collect()
    };
    input.chunks(tile as usize).flat_map(scan_tile).collect()
}

/// How far a correct scan of `input` in `f32` may be from [`reference()`].
///
/// An element passes through at most `2 log2(tile)` additions on its way into any sum of the tree (`log2(tile)` in the
/// naive scan). A sum whose terms go through at most k additions is off by at most `k u / (1 - k u)` times the sum of
/// the terms' magnitudes, with u = 2^-24 (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, 4.2).
/// Storing the reference as a float is one more rounding.
pub fn tolerance(input: &[f32], tile: u32, data: Data) -> Tolerance {
    if matches!(data, Data::Ones | Data::Whole) {
        return Tolerance::Exact;
    }
    let magnitude = |tile: &[f32]| tile.iter().map(|x| f64::from(x.abs())).sum::<f64>();
    let largest = input.chunks(tile as usize).map(magnitude).fold(0.0, f64::max);
    let additions = 2 * tile.ilog2();
    let steps = f64::from(additions + 1) * f64::from(f32::EPSILON) / 2.0;
    let reason = format!("at most {additions} rounded additions per term, and one rounding of the reference");
    Tolerance::Absolute { bound: steps / (1.0 - steps) * largest, reason }
}

/// A launch that these kernels are not made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// The kernel does not exist.
    #[error("there is no scan kernel `{asked}`; there are {}", PROBLEM.versions.join(", "))]
    Kernel {
        /// The name that was asked for.
        asked: String,
    },
    /// The tile is no power of two, or too small.
    #[error("a tile of {0} elements cannot be scanned: the kernels halve and double it, so it must be 2, 4, 8, ...")]
    Tile(u32),
    /// The tile needs more threads than a block can have.
    #[error(
        "`{kernel}` has one thread per {elements} and a block has at most 1024 threads, \
         so a tile of {tile} is too large; the largest is {largest}"
    )]
    Threads {
        /// The kernel.
        kernel: &'static str,
        /// What a thread works on.
        elements: &'static str,
        /// The tile that was asked for.
        tile: u32,
        /// The largest tile.
        largest: u32,
    },
    /// The array is empty or its indices leave the range of `int`.
    #[error("an array of {0} elements cannot be scanned: the kernels' indices are of type int, from 0 to 2147483647")]
    Count(u32),
}

/// How to launch `kernel` for an array of `count` elements in tiles of `tile`.
///
/// # Errors
/// [`ShapeError`] when the kernel is not made for that.
pub fn shape(kernel: &str, tile: u32, count: u32) -> Result<Shape, ShapeError> {
    let Some(&kernel) = PROBLEM.versions.iter().find(|known| **known == kernel) else {
        return Err(ShapeError::Kernel { asked: kernel.to_owned() });
    };
    if tile < 2 || !tile.is_power_of_two() {
        return Err(ShapeError::Tile(tile));
    }
    let naive = kernel == "scan_naive";
    let (threads, elements) = if naive { (tile, "element") } else { (tile / 2, "pair of elements") };
    if threads > 1024 {
        let largest = if naive { 1024 } else { 2048 };
        return Err(ShapeError::Threads { kernel, elements, tile, largest });
    }
    // The last block's indices run to the end of its tile, even when the array ends before.
    if count == 0 || u64::from(count.div_ceil(tile)) * u64::from(tile) > i32::MAX as u64 {
        return Err(ShapeError::Count(count));
    }
    let words = match kernel {
        "scan_naive" => 2 * tile,
        "scan_blelloch_padded" => tile + (tile - 1) / 32 + (tile - 1) / 1024,
        _ => tile,
    };
    let (grid, block) = (Dim3::linear(count.div_ceil(tile)), Dim3::linear(threads));
    Ok(Shape { grid, block, shared_bytes: words * 4 })
}

/// Everything that is run, kernel by kernel, from small to large.
fn cases() -> Vec<Case> {
    let of = |&kernel: &&'static str| {
        let mut cases = Vec::new();
        for tile in TILES.into_iter().filter(|&tile| shape(kernel, tile, tile).is_ok()) {
            cases.extend([
                case(kernel, format!("tile {tile}, 1 block"), tile, tile, Data::Whole),
                case(kernel, format!("tile {tile}, 8 blocks"), tile, 8 * tile, Data::Real),
                case(kernel, format!("tile {tile}, 3 blocks + 17"), tile, 3 * tile + 17, Data::Mixed),
                case(kernel, format!("tile {tile}, 2 blocks + 1"), tile, 2 * tile + 1, Data::Ones),
            ]);
        }
        let blocks = LARGE / LARGE_TILE;
        cases.push(case(kernel, format!("tile {LARGE_TILE}, {blocks} blocks"), LARGE_TILE, LARGE, Data::Whole));
        cases
    };
    PROBLEM.versions.iter().flat_map(of).collect()
}

/// One case. Only for kernels and tiles that [`shape`] accepts.
fn case(kernel: &'static str, name: String, tile: u32, count: u32, data: Data) -> Case {
    let shape = shape(kernel, tile, count).expect("the list of cases holds only what the kernels are made for");
    Case::new(PROBLEM.name, kernel, name, data.name(), vec![Planned { kernel, shape }], move || {
        let input = data.make(count);
        let int = |value: u32| Pass::Scalar(Scalar::I32(value as i32));
        let args = vec![Pass::Buffer("out"), Pass::Buffer("in"), int(count), int(tile)];
        let expected = Expected {
            buffer: "out",
            element: Element::F32,
            reference: reference(&input, tile).into_iter().flat_map(f32::to_le_bytes).collect(),
            tolerance: tolerance(&input, tile, data),
        };
        Prepared {
            buffers: vec![Buffer::poisoned("out", input.len() * 4), Buffer::of("in", &input)],
            steps: vec![Step { kernel, shape, args }],
            expected: vec![expected],
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Element i is the sum of the elements before it in its tile, added one by one for every i anew.
    fn brute_force(input: &[f32], tile: usize) -> Vec<f64> {
        let sum = |i: usize| input[i / tile * tile..i].iter().map(|&x| f64::from(x)).sum();
        (0..input.len()).map(sum).collect()
    }

    /// The additions of the kernels in `f32`, in the order of Blelloch's tree.
    fn tree(input: &[f32], tile: usize) -> Vec<f32> {
        let mut out = Vec::new();
        for part in input.chunks(tile) {
            let mut temp = part.to_vec();
            temp.resize(tile, 0.0);
            let mut stride = 2;
            while stride <= tile {
                (stride - 1..tile).step_by(stride).for_each(|i| temp[i] += temp[i - stride / 2]);
                stride *= 2;
            }
            temp[tile - 1] = 0.0;
            while stride > 2 {
                stride /= 2;
                for i in (stride - 1..tile).step_by(stride) {
                    let (left, right) = (temp[i - stride / 2], temp[i]);
                    (temp[i - stride / 2], temp[i]) = (right, right + left);
                }
            }
            out.extend_from_slice(&temp[..part.len()]);
        }
        out
    }

    const DATA: [Data; 4] = [Data::Ones, Data::Whole, Data::Real, Data::Mixed];

    #[test]
    fn the_reference_is_a_scan_per_tile() {
        assert_eq!(reference(&[3.0, 1.0, 7.0, 0.0, 4.0, 1.0, 6.0], 4), [0.0, 3.0, 4.0, 11.0, 0.0, 4.0, 5.0]);
        for data in DATA {
            let input = data.make(300);
            let exact = brute_force(&input, 128);
            for (ours, exact) in reference(&input, 128).into_iter().zip(exact) {
                assert!((f64::from(ours) - exact).abs() <= exact.abs() * f64::from(f32::EPSILON), "{data:?}");
            }
        }
    }

    #[test]
    fn a_tree_of_float_additions_is_within_tolerance_and_a_lost_element_is_not() {
        for data in DATA {
            for tile in [64u32, 2048] {
                let input = data.make(3 * tile + 17);
                let reference = reference(&input, tile).into_iter().flat_map(f32::to_le_bytes).collect();
                let tolerance = tolerance(&input, tile, data);
                let expected = Expected { buffer: "out", element: Element::F32, reference, tolerance };
                let bytes = |v: Vec<f32>| -> Vec<u8> { v.into_iter().flat_map(f32::to_le_bytes).collect() };
                let check = expected.check(&bytes(tree(&input, tile as usize)));
                assert!(check.right, "{data:?} {tile}: {check:?}");
                assert_eq!(check.max_error == 0.0, matches!(data, Data::Ones | Data::Whole), "{data:?} rounds");
                let mut faulty = input.clone();
                faulty[tile as usize + 5] += 1.0;
                let check = expected.check(&bytes(tree(&faulty, tile as usize)));
                assert!(!check.right || data == Data::Mixed, "{data:?} {tile}: a wrong element goes unseen");
            }
        }
    }

    #[test]
    fn shapes_follow_the_header_of_the_cuda_file() {
        let padded = shape("scan_blelloch_padded", 2048, 2049).unwrap();
        assert_eq!((padded.grid, padded.block, padded.shared_bytes), (Dim3::linear(2), Dim3::linear(1024), 8448));
        assert_eq!(shape("scan_naive", 64, 1).unwrap().shared_bytes, 512);
        let refused = shape("scan_naive", 2048, 4096).unwrap_err().to_string();
        assert!(refused.contains("the largest is 1024"), "{refused}");
        assert!(shape("scan_blelloch", 4096, 4096).unwrap_err().to_string().contains("the largest is 2048"));
        assert_eq!(shape("scan_blelloch", 96, 96), Err(ShapeError::Tile(96)));
        assert_eq!(shape("scan_blelloch", 64, 0), Err(ShapeError::Count(0)));
        assert_eq!(shape("scan_blelloch", 64, i32::MAX as u32), Err(ShapeError::Count(i32::MAX as u32)));
        assert!(shape("scan", 64, 64).unwrap_err().to_string().contains("scan_blelloch_macro"));
    }

    #[test]
    fn whole_numbers_stay_exact() {
        let small = cases().into_iter().filter(|case| case.blocks() == 1);
        for case in small.filter(|case| case.data == Data::Whole.name()) {
            assert_eq!(case.prepare().expected[0].tolerance, Tolerance::Exact);
        }
    }
}
