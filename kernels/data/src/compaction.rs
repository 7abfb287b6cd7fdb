//! The inputs of the problem `compaction`: ints of which some are kept.

use crate::random::seeded;

/// Which numbers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// So many of a thousand, at random.
    Share(i32),
    /// Runs of kept and of other numbers, each from 1 to 100 long.
    Runs,
    /// Every second one.
    Alternating,
    /// The last one alone.
    Last,
    /// The second group of 32, and a tenth of the others: a warp that is full where few are kept.
    FullWarp,
}

impl Data {
    /// All kinds that have a name.
    pub const ALL: &[Self] = &[
        Self::Share(500),
        Self::Share(0),
        Self::Share(1),
        Self::Share(100),
        Self::Share(900),
        Self::Share(990),
        Self::Share(1000),
        Self::Runs,
        Self::Alternating,
        Self::Last,
        Self::FullWarp,
    ];

    /// What the numbers are called in the list of cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Share(0) => "none kept",
            Self::Share(1) => "one of 1000 kept",
            Self::Share(100) => "10% kept",
            Self::Share(500) => "half kept",
            Self::Share(900) => "90% kept",
            Self::Share(990) => "99% kept",
            Self::Share(1000) => "all kept",
            Self::Share(_) => "some kept",
            Self::Runs => "kept in runs",
            Self::Alternating => "every second kept",
            Self::Last => "the last one kept",
            Self::FullWarp => "one full warp",
        }
    }

    /// `count` numbers. Those that are kept are different from each other nearly always, so that an exchange shows.
    pub fn make(self, count: u32) -> Vec<i32> {
        self.make_seeded(count, 0)
    }

    /// Others of the same kind for every seed; those of seed 0 are the recorded ones.
    pub fn make_seeded(self, count: u32, seed: u64) -> Vec<i32> {
        let mut random = seeded(0xc03b, count, seed);
        let (mut left, mut keep) = (0, false);
        let number = |i: u32| {
            let kept = match self {
                Self::Share(share) => random.whole(0, 999) < share,
                Self::Runs => {
                    if left == 0 {
                        (left, keep) = (random.whole(1, 100), !keep);
                    }
                    left -= 1;
                    keep
                }
                Self::Alternating => i % 2 == 1,
                Self::Last => i + 1 == count,
                Self::FullWarp => (32..64).contains(&i) || random.whole(0, 9) == 0,
            };
            if kept { random.whole(1, i32::MAX) } else { -random.whole(0, i32::MAX) }
        };
        (0..count).map(number).collect()
    }
}
