//! The inputs of the problem `histogram`: bytes and wider values whose histogram is made.

use crate::random::seeded;

/// What kind of values the array holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// Every value is as likely as any other.
    Uniform,
    /// One value.
    Constant,
    /// Two values at random.
    Two,
    /// A bell around the middle, a few values wide.
    Bell,
    /// Values in turns: neighbours differ by one.
    Ramp,
    /// Eight values at random that are 32 apart: in one histogram of words they share a bank.
    OneBank,
    /// The k-th most frequent value is k times as rare as the first.
    Zipf,
    /// Uniform values in ascending order.
    Sorted,
    /// The common bits of three uniform values: most are small or zero.
    Sparse,
}

impl Data {
    /// All kinds that have a name.
    pub const ALL: &[Self] = &[
        Self::Uniform,
        Self::Constant,
        Self::Two,
        Self::Bell,
        Self::Ramp,
        Self::OneBank,
        Self::Zipf,
        Self::Sorted,
        Self::Sparse,
    ];

    /// What the values are called in the list of cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Constant => "one value",
            Self::Two => "two values",
            Self::Bell => "a bell",
            Self::Ramp => "a ramp",
            Self::OneBank => "eight values in one bank",
            Self::Zipf => "Zipf's law",
            Self::Sorted => "sorted",
            Self::Sparse => "few bits set",
        }
    }

    /// `count` values below `bins`, which is at least 256.
    pub fn make(self, count: u32, bins: u32) -> Vec<u16> {
        self.make_seeded(count, bins, 0)
    }

    /// Others of the same kind for every seed; those of seed 0 are the recorded ones.
    pub fn make_seeded(self, count: u32, bins: u32, seed: u64) -> Vec<u16> {
        let mut random = seeded(0x4157, count, seed);
        let top = bins as i32 - 1;
        let mut uniform = move || random.whole(0, top);
        // Where each value of Zipf's law ends, as shares of 2^20.
        let weights: Vec<f64> = (1..=bins).map(|k| 1.0 / f64::from(k)).collect();
        let all: f64 = weights.iter().sum();
        let ends: Vec<f64> = weights.iter().scan(0.0, |sum, w| (*sum += w / all, Some(*sum)).1).collect();
        let mut draw = seeded(0x21f, count, seed);
        let value = |i: u32| match self {
            Self::Uniform | Self::Sorted => uniform(),
            Self::Constant => 77,
            Self::Two => 77 + 100 * (uniform() % 2),
            Self::Bell => (0..8).map(|_| uniform() % 8).sum::<i32>() + top / 2 - 28,
            Self::Ramp => (i % bins) as i32,
            Self::OneBank => 3 + 32 * (uniform() % 8),
            Self::Zipf => {
                let at = f64::from(draw.whole(0, (1 << 20) - 1)) / f64::from(1 << 20);
                ends.partition_point(|&end| end <= at).min(top as usize) as i32
            }
            Self::Sparse => uniform() & uniform() & uniform(),
        };
        let mut values: Vec<u16> = (0..count).map(value).map(|value| value as u16).collect();
        if self == Self::Sorted {
            values.sort_unstable();
        }
        values
    }
}
