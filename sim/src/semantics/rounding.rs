//! Exact arithmetic on binary floating-point numbers and its rounding into any of PTX's formats in any direction.
//!
//! A number is a sign, a 128-bit significand and an exponent. Sums, products, quotients and roots are computed exactly,
//! or exactly but for a lowest "sticky" bit that stands for all that lies below it, and then rounded once: that is
//! what IEEE 754 asks for, fused multiply-add included.

/// Where a number that does not fit its format goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// `.rn`: to the nearest, ties to even.
    Nearest,
    /// `.rna`: to the nearest, ties away from zero.
    NearestAway,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards negative infinity.
    Down,
    /// `.rp`: towards positive infinity.
    Up,
}

/// The rounding modifiers of floating-point instructions.
pub(super) const ROUNDINGS: [(&str, Rounding); 4] =
    [("rn", Rounding::Nearest), ("rz", Rounding::Zero), ("rm", Rounding::Down), ("rp", Rounding::Up)];

/// The modifiers that round to an integer, in a floating-point or in an integer format.
pub(super) const INTEGER_ROUNDINGS: [(&str, Rounding); 4] =
    [("rni", Rounding::Nearest), ("rzi", Rounding::Zero), ("rmi", Rounding::Down), ("rpi", Rounding::Up)];

/// A binary floating-point format with subnormal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    /// Significant bits, with the implicit one.
    precision: u32,
    /// Exponent of the smallest normal number.
    min_exponent: i32,
    /// Encoding of the largest finite number.
    largest: u64,
    /// Encoding of what a number beyond it rounds to: infinity, or the largest number where there is none.
    overflow: u64,
    /// Bits in all, with the sign.
    width: u32,
}

impl Format {
    pub(super) const F16: Self = Self::ieee(16, 11, -14);
    pub(super) const BF16: Self = Self::ieee(16, 8, -126);
    /// The upper 19 bits of a binary32.
    pub(super) const TF32: Self = Self::ieee(19, 11, -126);
    pub(super) const F32: Self = Self::ieee(32, 24, -126);
    pub(super) const F64: Self = Self::ieee(64, 53, -1022);
    /// 448 is the largest number, and beyond it there is only one NaN: conversions into it always saturate.
    pub(super) const E4M3: Self = Self { precision: 4, min_exponent: -6, largest: 0x7e, overflow: 0x7e, width: 8 };
    /// Infinities are never produced: conversions into this format always saturate.
    pub(super) const E5M2: Self = Self { precision: 3, min_exponent: -14, largest: 0x7b, overflow: 0x7b, width: 8 };

    const fn ieee(width: u32, precision: u32, min_exponent: i32) -> Self {
        let infinity = ((1 << (width - 1)) - 1) & !((1 << (precision - 1)) - 1);
        Self { precision, min_exponent, largest: infinity - 1, overflow: infinity, width }
    }

    /// The sign bit.
    pub(super) const fn sign_bit(self) -> u64 {
        1 << (self.width - 1)
    }

    /// Encoding of the largest finite number.
    pub(super) const fn largest(self) -> u64 {
        self.largest
    }

    /// The smallest normal number's encoding; anything smaller is subnormal or zero.
    pub(super) const fn smallest_normal(self) -> u64 {
        1 << (self.precision - 1)
    }
}

/// `(-1)^negative * significand * 2^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exact {
    pub(super) negative: bool,
    pub(super) significand: u128,
    pub(super) exponent: i32,
}

/// Position of the leading one after [`Exact::normalized`]: high enough for all precisions, low enough for a carry.
const TOP: u32 = 125;

impl Exact {
    /// The integer `(-1)^negative * magnitude`.
    pub(super) const fn integer(negative: bool, magnitude: u64) -> Self {
        Self { negative, significand: magnitude as u128, exponent: 0 }
    }

    /// The number encoded by `bits`, which must be finite.
    pub(super) const fn decode(format: Format, bits: u64) -> Self {
        let magnitude = bits & (format.sign_bit() - 1);
        let field = (magnitude >> (format.precision - 1)) as i32;
        let fraction = magnitude & (format.smallest_normal() - 1);
        let (significand, biased) =
            if field == 0 { (fraction, 1) } else { (fraction | format.smallest_normal(), field) };
        let exponent = biased - 1 + format.min_exponent - (format.precision as i32 - 1);
        Self { negative: bits & format.sign_bit() != 0, significand: significand as u128, exponent }
    }

    /// The finite number `value`.
    pub(super) const fn of(value: f64) -> Self {
        Self::decode(Format::F64, value.to_bits())
    }

    const fn is_zero(self) -> bool {
        self.significand == 0
    }

    /// The same number with its leading one at bit `top`; bits that fall off the end are kept as one sticky bit.
    const fn normalized(self, top: u32) -> Self {
        let at = 127 - self.significand.leading_zeros();
        if at <= top {
            let by = top - at;
            Self { significand: self.significand << by, exponent: self.exponent - by as i32, ..self }
        } else {
            let by = at - top;
            Self { significand: shift_right_sticky(self.significand, by), exponent: self.exponent + by as i32, ..self }
        }
    }

    /// The sum. `rounding` decides the sign of an exact zero: negative when rounding down, else positive, but the
    /// common sign of two zeros of equal sign.
    pub(super) fn add(self, other: Self, rounding: Rounding) -> Self {
        if self.is_zero() && other.is_zero() {
            let negative = if self.negative == other.negative { self.negative } else { rounding == Rounding::Down };
            return Self { negative, significand: 0, exponent: 0 };
        }
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (a, b) = (self.normalized(TOP), other.normalized(TOP));
        let (a, b) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
        let lower = shift_right_sticky(b.significand, (a.exponent - b.exponent) as u32);
        if a.negative == b.negative {
            return Self { significand: a.significand + lower, ..a };
        }
        match a.significand.cmp(&lower) {
            std::cmp::Ordering::Equal => Self { negative: rounding == Rounding::Down, significand: 0, exponent: 0 },
            std::cmp::Ordering::Greater => Self { significand: a.significand - lower, ..a },
            std::cmp::Ordering::Less => Self { negative: b.negative, significand: lower - a.significand, ..a },
        }
    }

    /// The product; both significands must be below 2^64.
    pub(super) const fn mul(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
        }
    }

    /// The quotient of two numbers that are not zero.
    pub(super) const fn div(self, other: Self) -> Self {
        let (a, b) = (self.normalized(127), other.normalized(60));
        let quotient = a.significand / b.significand;
        let sticky = (a.significand % b.significand != 0) as u128;
        Self {
            negative: self.negative != other.negative,
            significand: quotient << 1 | sticky,
            exponent: a.exponent - b.exponent - 1,
        }
    }

    /// The square root of a positive number.
    pub(super) const fn sqrt(self) -> Self {
        let mut a = self.normalized(TOP);
        if a.exponent % 2 != 0 {
            a = Self { significand: a.significand << 1, exponent: a.exponent - 1, ..a };
        }
        let root = a.significand.isqrt();
        let sticky = (root * root != a.significand) as u128;
        Self { negative: false, significand: root << 1 | sticky, exponent: a.exponent / 2 - 1 }
    }

    /// The encoding in `format` of this number rounded.
    pub(super) const fn round(self, format: Format, rounding: Rounding) -> u64 {
        let sign = if self.negative { format.sign_bit() } else { 0 };
        if self.significand == 0 {
            return sign;
        }
        let exponent = 127 - self.significand.leading_zeros() as i32 + self.exponent;
        // The exponent that the result is encoded with: subnormal numbers share that of the smallest normal one.
        let scale = if exponent < format.min_exponent { format.min_exponent } else { exponent };
        let shift = scale - (format.precision as i32 - 1) - self.exponent;
        let (kept, rest) = if shift <= 0 {
            (self.significand << -shift, Rest::Nothing)
        } else {
            split(self.significand, shift as u32)
        };
        let up = match rounding {
            Rounding::Nearest => matches!(rest, Rest::More) || matches!(rest, Rest::Half) && kept & 1 == 1,
            Rounding::NearestAway => matches!(rest, Rest::More | Rest::Half),
            Rounding::Zero => false,
            Rounding::Down => self.negative && !matches!(rest, Rest::Nothing),
            Rounding::Up => !self.negative && !matches!(rest, Rest::Nothing),
        };
        let kept = kept as u64 + up as u64;
        // The implicit bit of a normal number adds the one that its exponent field is short of; a carry out of the
        // significand moves into the exponent by itself.
        let field = (scale - format.min_exponent) as u64;
        if field > format.largest >> (format.precision - 1) {
            return sign | self.overflowed(format, rounding);
        }
        let bits = (field << (format.precision - 1)) + kept;
        sign | if bits > format.largest { self.overflowed(format, rounding) } else { bits }
    }

    /// As [`Self::round`], for `.ftz`: a number is rounded as if there were no smallest exponent, and becomes zero when
    /// it is then still below the smallest normal number.
    pub(super) const fn round_flushed(self, format: Format, rounding: Rounding) -> u64 {
        if self.significand == 0 {
            return self.round(format, rounding);
        }
        let exponent = 127 - self.significand.leading_zeros() as i32 + self.exponent;
        if exponent >= format.min_exponent {
            return self.round(format, rounding);
        }
        let sign = if self.negative { format.sign_bit() } else { 0 };
        // The same digits where exponents are no concern; the next power of two shows that they were rounded up to it.
        let lifted = Self { exponent: self.exponent + (format.min_exponent + 1 - exponent), ..self };
        let next_power = 3 * format.smallest_normal();
        let carried = lifted.round(format, rounding) & !format.sign_bit() == next_power;
        if carried && exponent == format.min_exponent - 1 { sign | format.smallest_normal() } else { sign }
    }

    /// The magnitude that a number beyond the format's range becomes.
    const fn overflowed(self, format: Format, rounding: Rounding) -> u64 {
        let towards_zero = match rounding {
            Rounding::Nearest | Rounding::NearestAway => false,
            Rounding::Zero => true,
            Rounding::Down => !self.negative,
            Rounding::Up => self.negative,
        };
        if towards_zero { format.largest } else { format.overflow }
    }
}

/// What was cut off, compared with half of the last place kept.
enum Rest {
    Nothing,
    Less,
    Half,
    More,
}

/// The bits of `value` from `shift` (at least 1) up, and what lies below.
const fn split(value: u128, shift: u32) -> (u128, Rest) {
    if shift > 128 {
        return (0, Rest::Less);
    }
    let half = 1 << (shift - 1);
    let below = value & (half | (half - 1));
    let kept = if shift == 128 { 0 } else { value >> shift };
    let rest = if below == 0 {
        Rest::Nothing
    } else if below < half {
        Rest::Less
    } else if below == half {
        Rest::Half
    } else {
        Rest::More
    };
    (kept, rest)
}

const fn shift_right_sticky(value: u128, by: u32) -> u128 {
    if by == 0 {
        value
    } else if by >= 128 {
        (value != 0) as u128
    } else {
        value >> by | (value << (128 - by) != 0) as u128
    }
}

/// `value` rounded to an integer, in the same format. NaN and infinity stay.
pub(super) fn to_integral(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::NearestAway => value.round(),
        Rounding::Zero => value.trunc(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
    }
}
