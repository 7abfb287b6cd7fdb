//! Pseudo-random numbers for inputs: the same seed gives the same numbers on every machine and in every version.
//!
//! A record of a GPU is only worth something while the inputs stay as they were, so the generator is spelled out here
//! instead of taken from a crate that may improve its algorithm. It is SplitMix64 (Steele, Lea and Flood, "Fast
//! splittable pseudorandom number generators", OOPSLA 2014), which passes BigCrush and needs 64 bits of state.

/// A stream of pseudo-random numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A stream that depends on the seed alone.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// 64 uniform bits.
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number from `low` to `high`, both included. Multiplying instead of dividing keeps the bias below 2^-32.
    ///
    /// # Panics
    /// When `low` is greater than `high`, or the range has more than 2^32 numbers.
    pub const fn whole(&mut self, low: i32, high: i32) -> i32 {
        assert!(low <= high);
        let size = (high as i64 - low as i64 + 1) as u64;
        (low as i64 + (((self.bits() >> 32) * size) >> 32) as i64) as i32
    }

    /// A multiple of 2^-23 from -1 (included) to 1 (excluded). Every value is exact in `f32`.
    pub const fn real(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// The stream of an input: a number of the problem's own, the input's size, and a seed, of which 0 gives the recorded input.
pub(crate) const fn seeded(own: u64, count: u32, seed: u64) -> Random {
    // Seeds lie far from sizes: half of the state's bits.
    Random::new((own + count as u64) ^ seed.rotate_left(32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        // The first outputs for seed 0 of the algorithm's published reference implementation.
        let mut random = Random::new(0);
        assert_eq!(random.bits(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.bits(), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(random.bits(), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn numbers_stay_in_their_range_and_fill_it() {
        let mut random = Random::new(1);
        let whole: Vec<i32> = (0..1000).map(|_| random.whole(-3, 3)).collect();
        for value in -3..=3 {
            assert!(whole.contains(&value), "{value} never came");
        }
        assert!(whole.iter().all(|v| (-3..=3).contains(v)));
        let real: Vec<f32> = (0..1000).map(|_| random.real()).collect();
        assert!(real.iter().all(|v| (-1.0..1.0).contains(v)));
        assert!(real.iter().any(|&v| v < -0.9) && real.iter().any(|&v| v > 0.9));
    }
}
