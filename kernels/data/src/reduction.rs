//! The inputs of the problem `reduction`: ints that are added up.

use crate::random::seeded;

/// What kind of numbers the array holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// All ones: the sum is the size.
    Ones,
    /// Any ints: the sum wraps many times.
    Any,
    /// 2^30 and -2^30 in turns: a lost or doubled element is far off.
    Alternating,
    /// Zeros with one large element at the end, which a kernel that forgets the ragged end loses.
    Spike,
}

impl Data {
    /// All kinds that have a name.
    pub const ALL: &[Self] = &[Self::Ones, Self::Any, Self::Alternating, Self::Spike];

    /// What the numbers are called in the list of cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ones => "ones",
            Self::Any => "any ints",
            Self::Alternating => "2^30 and -2^30 in turns",
            Self::Spike => "zeros, and one large number at the end",
        }
    }

    /// `count` numbers.
    pub fn make(self, count: u32) -> Vec<i32> {
        self.make_seeded(count, 0)
    }

    /// Others of the same kind for every seed; those of seed 0 are the recorded ones.
    pub fn make_seeded(self, count: u32, seed: u64) -> Vec<i32> {
        let mut random = seeded(0x4ed0, count, seed);
        let number = |i: u32| match self {
            Self::Ones => 1,
            Self::Any => random.bits() as i32,
            Self::Alternating if i.is_multiple_of(2) => 1 << 30,
            Self::Alternating => -(1 << 30),
            Self::Spike if i + 1 == count => 1_234_567_890,
            Self::Spike => 0,
        };
        (0..count).map(number).collect()
    }
}
