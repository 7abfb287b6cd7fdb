//! Exclusive prefix sums, tile by tile: `kernel(float *out, const float *in, int count, int tile)`.
//!
//! Element i of a tile becomes the sum of the elements before it in the same tile. The last tile may be ragged.

use std::collections::BTreeMap;

use kernels::random::Random;
use sim::{Arg, Scalar};

use super::{Instance, Problem, SECTOR, UNWRITTEN, sizes};

/// The problem.
pub(super) struct ExclusiveScan;

/// Inputs are whole numbers from `-LARGEST` to `LARGEST`.
const LARGEST: i32 = 9;

/// The longest tile. Its sums stay far below 2^24, so that `f32` adds them exactly in any order.
const LONGEST: u64 = 1 << 16;

/// The most elements of an array, so that a mistyped size does not fill the memory.
const MOST: u64 = 1 << 24;

impl Problem for ExclusiveScan {
    fn name(&self) -> &'static str {
        "exclusive-scan"
    }

    fn values(&self) -> &'static str {
        "`count`, the number of elements, and `tile`, the elements per thread block (a power of two)"
    }

    fn instance(&self, values: &BTreeMap<String, u64>, seed: u64) -> Result<Instance, String> {
        let [count, tile] = sizes(values, ["count", "tile"])?;
        if !(2..=LONGEST).contains(&tile) || !tile.is_power_of_two() {
            return Err(format!("a tile of {tile} elements is not a power of two from 2 to {LONGEST}"));
        }
        if !(1..=MOST).contains(&count) {
            return Err(format!("a count of {count} is not between 1 and {MOST}"));
        }
        let mut random = Random::new(seed);
        let input: Vec<f32> = (0..count).map(|_| random.whole(-LARGEST, LARGEST) as f32).collect();
        // The bounds above keep both well inside an `int`.
        let int = |value: u64| Arg::Scalar(Scalar::I32(value as i32));
        Ok(Instance {
            expected: exclusive_scan(&input, tile as usize),
            args: vec![
                ("out", Arg::buffer_of(&vec![UNWRITTEN; count as usize])),
                ("in", Arg::buffer_of(&input)),
                ("count", int(count)),
                ("tile", int(tile)),
            ],
            output: 0,
            bounds: BTreeMap::from([
                ("input-sectors", (count * 4).div_ceil(SECTOR)),
                ("output-sectors", (count * 4).div_ceil(SECTOR)),
                // Up-sweep and down-sweep add once at each of the tree's tile - 1 inner nodes.
                ("tree-additions", count.div_ceil(tile) * 2 * (tile - 1)),
            ]),
        })
    }
}

/// The reference: what the kernel has to compute, in the plainest way.
fn exclusive_scan(input: &[f32], tile: usize) -> Vec<f32> {
    let mut output = Vec::with_capacity(input.len());
    for tile in input.chunks(tile) {
        let mut sum = 0.0;
        for element in tile {
            output.push(sum);
            sum += element;
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tile_starts_at_zero_and_leaves_its_own_element_out() {
        assert_eq!(exclusive_scan(&[3.0, 1.0, 7.0, 0.0, 4.0, 1.0], 4), [0.0, 3.0, 4.0, 11.0, 0.0, 4.0]);
    }

    #[test]
    fn impossible_sizes_are_refused_in_words() {
        let instance = |pairs: &[(&str, u64)]| {
            let values = pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
            ExclusiveScan.instance(&values, 1).unwrap_err()
        };
        assert_eq!(instance(&[("count", 5)]), "the size `tile` is missing");
        assert_eq!(instance(&[("n", 5)]), "`n` is not a size of this problem");
        assert!(instance(&[("count", 5), ("tile", 48)]).contains("not a power of two"));
        assert!(instance(&[("count", 0), ("tile", 64)]).contains("count of 0"));
        assert!(instance(&[("count", u64::MAX), ("tile", 64)]).contains("not between"));
    }
}
