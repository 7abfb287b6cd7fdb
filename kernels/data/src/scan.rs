//! The inputs of the problem `scan`: floats whose prefix sums are formed.

use crate::random::seeded;

/// What kind of numbers the array holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// All ones: element i of a tile's result is i, which makes a wrong one easy to read.
    Ones,
    /// Whole numbers from -8 to 8. Every partial sum of a tile is exact in `f32`, in whatever order it is formed.
    Whole,
    /// Multiples of 2^-23 between -1 and 1: sums round, and the order of additions shows in the last bits.
    Real,
    /// Magnitudes from 2^-6 to 2^13 with alternating signs: small terms lose their digits beside large ones, and sums
    /// cancel.
    Mixed,
}

impl Data {
    /// All kinds that have a name.
    pub const ALL: &[Self] = &[Self::Ones, Self::Whole, Self::Real, Self::Mixed];

    /// What the numbers are called in the list of cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ones => "ones",
            Self::Whole => "small whole numbers",
            Self::Real => "reals from -1 to 1",
            Self::Mixed => "mixed magnitudes and signs",
        }
    }

    /// `count` numbers.
    pub fn make(self, count: u32) -> Vec<f32> {
        self.make_seeded(count, 0)
    }

    /// Others of the same kind for every seed; those of seed 0 are the recorded ones.
    pub fn make_seeded(self, count: u32, seed: u64) -> Vec<f32> {
        let mut random = seeded(0x5ca0, count, seed);
        let mut number = |i: u32| match self {
            Self::Ones => 1.0,
            Self::Whole => random.whole(-8, 8) as f32,
            Self::Real => random.real(),
            Self::Mixed => {
                let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
                let magnitude = (1u32 << random.whole(0, 18)) as f32 / 64.0;
                sign * magnitude * (1.0 + random.real().abs())
            }
        };
        (0..count).map(&mut number).collect()
    }
}
