//! Which floating-point instructions division, roots and their siblings take for unusual operands.
//!
//! ptxas makes sequences of them that look at the operands: subnormal or huge ones, or a quotient that is about to
//! leave the range, go a longer way or a shorter one. The lanes of a warp go their own ways, so the thread-level counters
//! depend on values. The rules are read off 2,550 launches of one warp on an H200 (ptxas 13.0.88, sm_90), one per
//! instruction and exponents of the operands; `arithmetic` holds what ordinary operands cost.

use super::arithmetic::Arithmetic;

/// A sequence whose length depends on its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the instructions that they are named after")]
pub enum Way {
    DivideF32 {
        flush: bool,
    },
    DivideFullF32,
    DivideApproxF32,
    ReciprocalF32 {
        flush: bool,
    },
    RootF32 {
        flush: bool,
    },
    /// `rsqrt.approx` and `sqrt.approx`; `kept` operands are scaled always, others when they are subnormal.
    ScaledRootF32 {
        kept: bool,
    },
    LogarithmF32 {
        kept: bool,
    },
    PowerF32 {
        kept: bool,
    },
    DivideF64,
    ReciprocalF64,
    RootF64,
    ReciprocalRootF64,
}

/// Thread instructions by kind, relative to what ordinary operands cost.
pub type Difference = [i64; 6];

/// The counts of an instruction in the order of a [`Difference`].
pub const fn counts(of: Arithmetic) -> Difference {
    [of.fadd as i64, of.fmul as i64, of.ffma as i64, of.dadd as i64, of.dmul as i64, of.dfma as i64]
}

impl Way {
    /// The way of an opcode, split at its dots.
    pub fn of(opcode: &[&str]) -> Option<Self> {
        let has = |part: &str| opcode.contains(&part);
        let flush = has("ftz");
        Some(match (opcode[0], *opcode.last()?) {
            ("div", "f32") if has("full") => Self::DivideFullF32,
            ("div", "f32") if has("approx") => Self::DivideApproxF32,
            ("div", "f32") => Self::DivideF32 { flush },
            ("rcp", "f32") if !has("approx") => Self::ReciprocalF32 { flush },
            ("sqrt", "f32") if !has("approx") => Self::RootF32 { flush },
            ("sqrt" | "rsqrt", "f32") if !flush => Self::ScaledRootF32 { kept: false },
            ("lg2", "f32") if !flush => Self::LogarithmF32 { kept: false },
            ("ex2", "f32") if !flush => Self::PowerF32 { kept: false },
            ("div", "f64") => Self::DivideF64,
            ("rcp", "f64") if !has("approx") => Self::ReciprocalF64,
            ("sqrt", "f64") => Self::RootF64,
            ("rsqrt", "f64") => Self::ReciprocalRootF64,
            _ => return None,
        })
    }

    /// The same with an operand that somebody needs afterwards.
    pub const fn with_kept_operand(self) -> Self {
        match self {
            Self::ScaledRootF32 { .. } => Self::ScaledRootF32 { kept: true },
            Self::LogarithmF32 { .. } => Self::LogarithmF32 { kept: true },
            Self::PowerF32 { .. } => Self::PowerF32 { kept: true },
            other @ (Self::DivideF32 { .. }
            | Self::DivideFullF32
            | Self::DivideApproxF32
            | Self::ReciprocalF32 { .. }
            | Self::RootF32 { .. }
            | Self::DivideF64
            | Self::ReciprocalF64
            | Self::RootF64
            | Self::ReciprocalRootF64) => other,
        }
    }

    /// How much more (or less) than `ordinary` the operands' bits cost a lane.
    pub fn difference(self, ordinary: Arithmetic, a: u64, b: u64) -> Difference {
        let (x, y) = (Single::new(a as u32), Single::new(b as u32));
        let single = |fadd, fmul, ffma| [fadd, fmul, ffma, 0, 0, 0];
        let double = |ffma, dadd, dmul, dfma| [0, 0, ffma, dadd, dmul, dfma];
        let whole = match self {
            Self::DivideF32 { flush } => match divide32(x.flushed(flush), y.flushed(flush), flush) {
                Some((fadd, ffma)) => single(fadd, 0, ffma),
                None => return [0; 6],
            },
            Self::DivideFullF32 if !y.nan && (y.exponent == 0 || y.exponent >= 253) => single(0, 3, 0),
            Self::DivideApproxF32 if y.exponent == 0 => single(0, 3, 0),
            Self::ReciprocalF32 { flush } => match x.flushed(flush) {
                x if x.zero || x.exponent == 255 || (flush && x.exponent >= 253) => single(0, 0, 0),
                x if x.exponent == 0 => single(1, 0, 4),
                x if x.exponent >= 253 => single(1, 0, 3),
                _ => return [0; 6],
            },
            Self::RootF32 { flush } => match x {
                x if x.nan => single(1, 0, 0),
                x if flush && x.exponent == 0 => single(0, 1, 0),
                x if x.exponent == 0 && !x.zero => single(1, 3, 3),
                x if x.zero || x.negative || x.exponent == 255 => single(0, 0, 0),
                x if x.exponent < 26 => single(1, if flush { 4 } else { 3 }, if flush { 2 } else { 3 }),
                _ => return [0; 6],
            },
            Self::ScaledRootF32 { kept } if x.exponent == 0 => return single(0, if kept { 1 } else { 2 }, 0),
            Self::LogarithmF32 { kept } if x.exponent == 0 => return single(1, i64::from(!kept), 0),
            // Below 2^-126 the result would be subnormal.
            Self::PowerF32 { kept } if f32::from_bits(a as u32) < -126.0 => {
                return single(0, if kept { 1 } else { 2 }, 0);
            }
            Self::DivideF64 => match divide64(a, b) {
                Some((dmul, dfma)) => double(1, 0, dmul, dfma),
                None => return [0; 6],
            },
            Self::ReciprocalF64 => match Double::new(a) {
                x if x.exponent == 0 && !x.zero => double(0, 0, 2, 10),
                x if x.exponent >= 2045 && x.exponent != 2047 => double(0, 0, 1, 13),
                _ => return [0; 6],
            },
            Self::RootF64 => match Double::new(a) {
                x if x.zero || (x.exponent == 2047 && !x.negative) => double(0, 1, 3, 5),
                x if x.negative || x.exponent >= 53 => return [0; 6],
                x if x.exponent == 0 => double(0, 0, 7, 10),
                _ => double(0, 0, 3, 7),
            },
            Self::ReciprocalRootF64 => match Double::new(a) {
                x if x.nan => double(0, 1, 2, 3),
                x if x.exponent == 0 && !x.zero && !x.negative => double(0, 0, 6, 6),
                _ => return [0; 6],
            },
            Self::DivideFullF32
            | Self::DivideApproxF32
            | Self::ScaledRootF32 { .. }
            | Self::LogarithmF32 { .. }
            | Self::PowerF32 { .. } => return [0; 6],
        };
        let ordinary = counts(ordinary);
        std::array::from_fn(|at| whole[at] - ordinary[at])
    }
}

/// Additions and fused operations of `div.rn.f32` that leaves the ordinary way.
fn divide32(x: Single, y: Single, flush: bool) -> Option<(i64, i64)> {
    if x.nan || y.nan {
        return Some((1, 5));
    }
    let special = x.zero || y.zero || x.exponent == 255 || y.exponent == 255;
    let apart = x.exponent - y.exponent;
    let ordinary = x.exponent > 24 && (2..252).contains(&y.exponent) && (-124..127).contains(&apart);
    if special || ordinary {
        return None;
    }
    // Subnormal operands are scaled first; a subnormal quotient is rounded once more.
    let scaled = i64::from(x.exponent == 0) + i64::from(y.exponent == 0);
    let quotient = x.power() - y.power() - i32::from(x.fraction() < y.fraction());
    let rounded = if !flush && (-151..-126).contains(&quotient) { 3 } else { 0 };
    Some((1, 12 + scaled + rounded))
}

/// Multiplications and fused operations of `div.rn.f64` that leaves the ordinary way. The check looks at the upper words
/// as if they were single-precision numbers.
fn divide64(a: u64, b: u64) -> Option<(i64, i64)> {
    let (x, y) = (Double::new(a), Double::new(b));
    let finite = !x.zero && !y.zero && x.exponent < 2047 && y.exponent < 2047;
    let quotient = x.power() - y.power() - i64::from(x.fraction() < y.fraction());
    let ordinary = x.exponent >= 54 && y.exponent > 0 && y.exponent < 2040 && (-1022..=1016).contains(&quotient);
    if finite && ordinary {
        return None;
    }
    let small = finite && quotient < -1022;
    let dmul = 2 + i64::from(y.exponent == 0) + i64::from(finite) + i64::from(small);
    let dfma = 14 + i64::from(x.exponent == 0) + 2 * i64::from(small);
    Some((dmul, dfma))
}

/// A single-precision number in parts.
#[derive(Debug, Clone, Copy)]
struct Single {
    /// Biased.
    exponent: i32,
    mantissa: u32,
    negative: bool,
    zero: bool,
    nan: bool,
}

impl Single {
    const fn new(bits: u32) -> Self {
        let (exponent, mantissa) = ((bits >> 23 & 0xff) as i32, bits & 0x7f_ffff);
        Self {
            exponent,
            mantissa,
            negative: bits >> 31 != 0,
            zero: exponent == 0 && mantissa == 0,
            nan: exponent == 255 && mantissa != 0,
        }
    }

    /// With a subnormal number as zero.
    const fn flushed(self, flush: bool) -> Self {
        if flush && self.exponent == 0 { Self { mantissa: 0, zero: true, ..self } } else { self }
    }

    /// The power of two below the number.
    fn power(self) -> i32 {
        if self.exponent == 0 { -118 - self.mantissa.leading_zeros() as i32 } else { self.exponent - 127 }
    }

    /// The bits behind the first one, aligned.
    fn fraction(self) -> u32 {
        if self.exponent == 0 {
            self.mantissa << (self.mantissa.leading_zeros() - 8) & 0x7f_ffff
        } else {
            self.mantissa
        }
    }
}

/// A double-precision number in parts.
#[derive(Debug, Clone, Copy)]
struct Double {
    /// Biased.
    exponent: i64,
    mantissa: u64,
    negative: bool,
    zero: bool,
    nan: bool,
}

impl Double {
    const fn new(bits: u64) -> Self {
        let (exponent, mantissa) = ((bits >> 52 & 0x7ff) as i64, bits & 0xf_ffff_ffff_ffff);
        Self {
            exponent,
            mantissa,
            negative: bits >> 63 != 0,
            zero: exponent == 0 && mantissa == 0,
            nan: exponent == 2047 && mantissa != 0,
        }
    }

    fn power(self) -> i64 {
        if self.exponent == 0 { -1011 - i64::from(self.mantissa.leading_zeros()) } else { self.exponent - 1023 }
    }

    fn fraction(self) -> u64 {
        let shift = self.mantissa.leading_zeros().max(11) - 11;
        if self.exponent == 0 { self.mantissa << shift & 0xf_ffff_ffff_ffff } else { self.mantissa }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operands with these biased exponents, every mantissa 0x2aaaaa (and 0x155555 for the second).
    fn single(way: Way, ordinary: Arithmetic, x: u32, y: u32) -> Difference {
        way.difference(ordinary, u64::from(x << 23 | 0x2a_aaaa), u64::from(y << 23 | 0x15_5555))
    }

    const DIVISION: Arithmetic = Arithmetic { fadd: 0, fmul: 0, ffma: 5, dadd: 0, dmul: 0, dfma: 0 };

    #[test]
    fn divisions_as_measured() {
        let way = Way::DivideF32 { flush: false };
        let ffma = |x, y| single(way, DIVISION, x, y)[2] + 5;
        // Exponents of dividend and divisor, and the fused operations that an H200 executed.
        let measured = [
            (127, 127, 5),
            (24, 64, 12),
            (25, 64, 5),
            (240, 251, 5),
            (240, 252, 12),
            (100, 224, 5),
            (100, 225, 12),
            (100, 227, 15),
            (230, 104, 5),
            (231, 104, 12),
            (64, 1, 12),
            (64, 2, 5),
            (0, 127, 16),
            (0, 0, 14),
            (40, 190, 15),
        ];
        for (x, y, count) in measured {
            assert_eq!(ffma(x, y), count, "{x} / {y}");
        }
        let zero = way.difference(DIVISION, 0, u64::from(1.5f32.to_bits()));
        assert_eq!(zero, [0; 6]);
        let nan = way.difference(DIVISION, u64::from(f32::NAN.to_bits()), 0);
        assert_eq!(nan, [1, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn double_divisions_as_measured() {
        let ordinary = Arithmetic { ffma: 1, dmul: 1, dfma: 7, ..Arithmetic::default() };
        let bits = |exponent: u64| exponent << 52 | 0x5_5555_5555_5555;
        let counts = |a: u64, b: u64| {
            let [fadd, fmul, ffma, dadd, dmul, dfma] = Way::DivideF64.difference(ordinary, a, b);
            assert_eq!((fadd, fmul, ffma, dadd), (0, 0, 0, 0));
            (dmul + 1, dfma + 7)
        };
        for (x, y, wanted) in [
            (1023, 1023, (1, 7)),
            (53, 54, (3, 14)),
            (54, 54, (1, 7)),
            (100, 1500, (4, 16)),
            (1500, 100, (3, 14)),
            (2040, 1024, (1, 7)),
            (1023, 2040, (3, 14)),
            (1022, 53, (1, 7)),
            (0, 1, (3, 15)),
            (100, 0, (4, 14)),
        ] {
            assert_eq!(counts(bits(x), bits(y)), wanted, "{x} / {y}");
        }
        assert_eq!(counts(0, 1.5f64.to_bits()), (2, 15));
        assert_eq!(counts(1.5f64.to_bits(), 0), (3, 14));
        assert_eq!(counts(f64::INFINITY.to_bits(), 1.5f64.to_bits()), (2, 14));
    }

    #[test]
    fn roots_as_measured() {
        let ordinary = Arithmetic { fmul: 2, ffma: 2, ..Arithmetic::default() };
        let way = Way::RootF32 { flush: false };
        let of = |value: f32| way.difference(ordinary, u64::from(value.to_bits()), 0);
        assert_eq!(of(2.0), [0; 6]);
        assert_eq!(of(0.0), [0, -2, -2, 0, 0, 0]);
        assert_eq!(of(-2.0), [0, -2, -2, 0, 0, 0]);
        assert_eq!(of(f32::NAN), [1, -2, -2, 0, 0, 0]);
        assert_eq!(of(1e-40), [1, 1, 1, 0, 0, 0]);
    }
}
