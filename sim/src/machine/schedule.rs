//! What the hardware leaves open: in which order blocks, warps and lanes that have parted run.
//!
//! Seed 0 is the plain order: blocks and warps by number, each as long as it can. Every other seed is an order of its
//! own, the same on every machine, so that a finding can be replayed.

/// A source of choices that look random and are the same in every run: SplitMix64 (Steele, Lea and Flood, "Fast
/// Splittable Pseudorandom Number Generators", 2014).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The choices of `stream` under `seed`; `None` for seed 0, which leaves nothing to choice.
    pub(crate) fn new(seed: u64, stream: u64) -> Option<Self> {
        let mut dice = Self(seed);
        let start = dice.next() ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93);
        (seed != 0).then_some(Self(start))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_depend_on_seed_and_stream_only() {
        let rolls = |seed, stream| {
            let mut dice = Dice::new(seed, stream).expect("a seed that is not 0");
            [0; 16].map(|_: usize| dice.below(10))
        };
        assert!(Dice::new(0, 5).is_none());
        assert_eq!(rolls(1, 2), rolls(1, 2));
        assert_ne!(rolls(1, 2), rolls(1, 3));
        assert_ne!(rolls(1, 2), rolls(2, 2));
        assert!(rolls(3, 0).iter().all(|&roll| roll < 10));
    }
}
