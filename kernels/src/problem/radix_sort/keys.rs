//! The keys that are sorted: distributions that make one step or another of a sort work hard.

use std::fmt;

use crate::random::Random;

/// How keys are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// All 32 bits at random.
    Uniform,
    /// In ascending order already.
    Sorted,
    /// In descending order.
    Reverse,
    /// All alike: every lane of a warp has the same digit, every tile only one.
    Constant,
    /// The bitwise "and" of this many random words: the more, the more digits are zero.
    And(u8),
    /// Only this byte differs, counted from the lowest.
    OneDigit(u8),
    /// From 0 to 65535.
    Narrow,
    /// Floats: zeros of both signs, subnormal numbers, infinities and NaNs, among others.
    Special,
}

impl Keys {
    /// All distributions.
    pub const ALL: [Self; 9] = [
        Self::Uniform,
        Self::Sorted,
        Self::Reverse,
        Self::Constant,
        Self::And(3),
        Self::OneDigit(0),
        Self::OneDigit(3),
        Self::Narrow,
        Self::Special,
    ];

    /// What the keys are called in the list of cases.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform keys",
            Self::Sorted => "sorted keys",
            Self::Reverse => "descending keys",
            Self::Constant => "one key",
            Self::And(_) => "few digits",
            Self::OneDigit(_) => "one digit differs",
            Self::Narrow => "16-bit keys",
            Self::Special => "special floats",
        }
    }

    /// `count` keys, as 32 bits each.
    pub fn make(self, count: u32) -> Vec<u32> {
        let mut random = Random::new(0x50f7 + u64::from(count));
        let mut word = move || (random.bits() >> 32) as u32;
        let mut keys: Vec<u32> = (0..count)
            .map(|_| match self {
                Self::Uniform | Self::Sorted | Self::Reverse => word(),
                Self::Constant => 0x3f80_1234,
                Self::And(words) => (0..words).fold(u32::MAX, |key, _| key & word()),
                Self::OneDigit(byte) => 0x4048_f5c3 ^ ((word() & 0xff) << (8 * byte)),
                Self::Narrow => word() >> 16,
                Self::Special => match word() {
                    // Ordinary numbers of all sizes, and between them what a comparison by `<` does not order.
                    random if random % 2 == 0 => random,
                    random => SPECIAL[random as usize / 2 % SPECIAL.len()].to_bits(),
                },
            })
            .collect();
        match self {
            Self::Sorted => keys.sort_unstable(),
            Self::Reverse => {
                keys.sort_unstable();
                keys.reverse();
            }
            _ => {}
        }
        keys
    }
}

/// What a comparison of floats stumbles over.
const SPECIAL: [f32; 10] =
    [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, -1.0e-45, f32::MAX, f32::MIN];

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(words) => write!(f, "{} (and of {words})", self.name()),
            Self::OneDigit(byte) => write!(f, "{} (byte {byte})", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}
