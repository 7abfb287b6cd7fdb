//! Keys in the orders that make one version win and another lose.
//!
//! The boxes are the workload of the article that the kernels follow: a cube of cells with ten particles each, listed
//! cell by cell, whose key is the number of their cell. As time goes by, particles move on to neighbouring cells. The
//! article says that they are "shifted with a 50% probability to the next cell in each direction", which can be read in
//! two ways; both are here.

use std::fmt;

use crate::random::Random;

/// Particles in a cell.
const PER_CELL: u32 = 10;

/// What keys the elements have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Runs of this many equal keys, one key after another.
    Runs {
        /// Elements in a run.
        length: u32,
    },
    /// The same key for all.
    One,
    /// Two keys in turns: every neighbour is another one.
    Alternating,
    /// Any of this many keys.
    Random {
        /// The number of keys.
        table: u32,
    },
    /// This many keys in random order by a power law: key k comes k + 1 times as rarely as key 0.
    Power {
        /// The number of keys.
        table: u32,
    },
    /// The same in ascending order: a few long runs, and many short ones.
    PowerRuns {
        /// The number of keys.
        table: u32,
    },
    /// The particles of a box, cell by cell.
    Ordered {
        /// Cells along an edge.
        side: u32,
    },
    /// As [`Keys::Ordered`], and every particle moved on, along each of the three axes with probability 1/2.
    ByAxes {
        /// Cells along an edge.
        side: u32,
    },
    /// As [`Keys::Ordered`], and every second particle moved through one of the six faces of its cell.
    ByFaces {
        /// Cells along an edge.
        side: u32,
    },
}

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs { length } => write!(f, "runs of {length}"),
            Self::Random { table } => write!(f, "{table} keys in random order"),
            Self::Power { table } => write!(f, "{table} keys by a power law"),
            Self::PowerRuns { table } => write!(f, "runs of {table} keys by a power law"),
            Self::Ordered { side } => write!(f, "box of {side}³ cells in order"),
            Self::ByAxes { side } => write!(f, "box of {side}³ cells shifted along the axes"),
            Self::ByFaces { side } => write!(f, "box of {side}³ cells shifted through faces"),
            Self::One | Self::Alternating => f.write_str(self.name()),
        }
    }
}

impl Keys {
    /// What the keys are called in the list of cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Runs { .. } => "runs of equal keys",
            Self::One => "one key",
            Self::Alternating => "two keys in turns",
            Self::Random { .. } => "random keys",
            Self::Power { .. } => "a power law",
            Self::PowerRuns { .. } => "a power law, in order",
            Self::Ordered { .. } => "particles in order",
            Self::ByAxes { .. } => "particles shifted along the axes",
            Self::ByFaces { .. } => "particles shifted through faces",
        }
    }

    /// How many different keys there can be among `count` elements: every key is smaller.
    pub const fn table(self, count: u32) -> u32 {
        match self {
            Self::Runs { length } => {
                if count == 0 {
                    1
                } else {
                    count.div_ceil(length)
                }
            }
            Self::One => 4,
            Self::Alternating => 2,
            Self::Random { table } | Self::Power { table } | Self::PowerRuns { table } => table,
            Self::Ordered { side } | Self::ByAxes { side } | Self::ByFaces { side } => side * side * side,
        }
    }

    /// The keys of `count` elements.
    ///
    /// # Panics
    /// For a box, when `count` is not ten times its cells.
    pub fn make(self, count: u32) -> Vec<i32> {
        let mut random = Random::new(0x6e75 + u64::from(count));
        let side = match self {
            Self::Ordered { side } | Self::ByAxes { side } | Self::ByFaces { side } => {
                assert_eq!(count, PER_CELL * side * side * side, "every cell of a box has its particles");
                side as i32
            }
            _ => 0,
        };
        let ends = match self {
            Self::Power { table } | Self::PowerRuns { table } => power_ends(table),
            _ => Vec::new(),
        };
        let mut key = |i: u32| match self {
            Self::Runs { length } => (i / length) as i32,
            Self::One => 3,
            Self::Alternating => (i % 2) as i32,
            Self::Random { table } => random.whole(0, table as i32 - 1),
            Self::Power { .. } | Self::PowerRuns { .. } => by_power(&ends, &mut random),
            Self::Ordered { .. } => (i / PER_CELL) as i32,
            Self::ByAxes { .. } => {
                let bits = random.bits() as u32;
                moved((i / PER_CELL) as i32, side, [0, 1, 2].map(|axis| (bits >> axis & 1) as i32))
            }
            Self::ByFaces { .. } => {
                let mut step = [0; 3];
                if random.whole(0, 1) == 1 {
                    let face = random.whole(0, 5);
                    step[(face / 2) as usize] = 2 * (face % 2) - 1;
                }
                moved((i / PER_CELL) as i32, side, step)
            }
        };
        let mut keys: Vec<i32> = (0..count).map(&mut key).collect();
        if matches!(self, Self::PowerRuns { .. }) {
            keys.sort_unstable();
        }
        keys
    }
}

/// Where each key of the power law ends, as a share of all elements.
fn power_ends(table: u32) -> Vec<f64> {
    let weight = |key: u32| 1.0 / (f64::from(key) + 1.0);
    let all: f64 = (0..table).map(weight).sum();
    (0..table)
        .scan(0.0, |sum, key| {
            *sum += weight(key) / all;
            Some(*sum)
        })
        .collect()
}

/// The key whose share a random number falls into.
fn by_power(ends: &[f64], random: &mut Random) -> i32 {
    let at = (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    ends.partition_point(|&end| end <= at).min(ends.len() - 1) as i32
}

/// The cell that is `step` away from a cell, in a box without walls: who leaves at one side comes in at the other.
fn moved(cell: i32, side: i32, step: [i32; 3]) -> i32 {
    let place = [cell % side, cell / side % side, cell / side / side];
    let [x, y, z] = [0, 1, 2].map(|axis: usize| (place[axis] + step[axis]).rem_euclid(side));
    (z * side + y) * side + x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Different keys per warp: what pre-combining leaves of the atomics.
    fn per_warp(keys: &[i32]) -> f64 {
        let distinct = |warp: &[i32]| warp.iter().collect::<std::collections::HashSet<_>>().len();
        keys.chunks_exact(32).map(distinct).sum::<usize>() as f64 / (keys.len() / 32) as f64
    }

    #[test]
    fn keys_are_in_their_table_and_all_come() {
        let all = [
            (Keys::Runs { length: 7 }, 700),
            (Keys::One, 33),
            (Keys::Alternating, 33),
            (Keys::Random { table: 50 }, 5000),
            (Keys::Power { table: 50 }, 5000),
            (Keys::PowerRuns { table: 50 }, 5000),
            (Keys::Ordered { side: 5 }, 1250),
            (Keys::ByAxes { side: 5 }, 1250),
            (Keys::ByFaces { side: 5 }, 1250),
        ];
        for (keys, count) in all {
            let (made, table) = (keys.make(count), keys.table(count));
            assert_eq!(made.len(), count as usize);
            assert!(made.iter().all(|key| (0..table as i32).contains(key)), "{keys}");
            let distinct = made.iter().collect::<std::collections::HashSet<_>>().len();
            assert!(distinct == table as usize || (keys == Keys::One && distinct == 1), "{keys}: {distinct}");
        }
    }

    /// A box with ten particles in a cell has exactly four keys in every warp, and what particles do on their way
    /// raises that, in either reading of the article.
    #[test]
    fn a_warp_sees_as_many_cells_as_the_workload_says() {
        let count = 30 * 30 * 30 * PER_CELL;
        let of = |keys: Keys| per_warp(&keys.make(count));
        assert_eq!(of(Keys::Ordered { side: 30 }), 4.0);
        assert!((of(Keys::ByAxes { side: 30 }) - 14.9).abs() < 0.3, "{}", of(Keys::ByAxes { side: 30 }));
        assert!((of(Keys::ByFaces { side: 30 }) - 12.5).abs() < 0.3, "{}", of(Keys::ByFaces { side: 30 }));
        assert!(of(Keys::Random { table: 27_000 }) > 31.9);
    }

    /// Key k comes k + 1 times as rarely as key 0, but for chance.
    #[test]
    fn a_power_law_has_few_frequent_keys_and_many_rare_ones() {
        let keys = Keys::Power { table: 1000 }.make(100_000);
        let often = |key: i32| keys.iter().filter(|&&other| other == key).count() as f64;
        let all: f64 = (1..=1000).map(|k| 1.0 / f64::from(k)).sum();
        for key in [0, 1, 9, 99] {
            let expected = 100_000.0 / (f64::from(key) + 1.0) / all;
            assert!((often(key) / expected - 1.0).abs() < 0.3, "{key}: {} and {expected}", often(key));
        }
        let runs = Keys::PowerRuns { table: 1000 }.make(100_000);
        assert!(runs.is_sorted() && runs.iter().filter(|&&key| key == 0).count() as f64 == often(0));
    }

    #[test]
    fn a_box_has_no_walls() {
        assert_eq!(moved(0, 4, [-1, 0, 0]), 3);
        assert_eq!(moved(63, 4, [1, 1, 1]), 0);
        assert_eq!(moved(21, 4, [0, 0, 0]), 21);
    }
}
