//! What tensor cores compute: one element of D = A · B + C (manual 9.7.15 `wmma`, `mma`).
//!
//! The manual leaves open how floating-point products are added up. An H200 was seen to do this, in every bit of every
//! recorded result: it adds all products of a row and a column, and the element of C, in one go; every term is cut to a
//! multiple of 2^-25 of the greatest term's power of two, and the sum is cut to binary32, or rounded to binary16.

use super::choices::{NAN_F16, NAN_F32, propagate_f64};
use super::rounding::{Exact, Format, Rounding};

/// What the elements of A and B are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Element {
    F16,
    BF16,
    TF32,
    E4M3,
    E5M2,
    F64,
    S8,
    U8,
    S4,
    U4,
    B1,
}

/// What the elements of C and D are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Accumulator {
    F16,
    F32,
    F64,
    S32,
}

/// One kind of product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// Elements of A.
    pub a: Element,
    /// Elements of B.
    pub b: Element,
    /// Elements of C and D.
    pub c: Accumulator,
    /// Integers are clamped instead of wrapping around.
    pub saturate: bool,
    /// Single bits are combined by `and` instead of `xor`.
    pub and: bool,
    /// Products that are added up in one go: all of a row, but of `wmma` with `.tf32`, which is made of smaller steps.
    pub step: usize,
}

/// Bits below the greatest term's power of two that terms keep.
const KEPT: i32 = 25;

impl Element {
    /// The type of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "f16" => Self::F16,
            "bf16" => Self::BF16,
            "tf32" => Self::TF32,
            "e4m3" => Self::E4M3,
            "e5m2" => Self::E5M2,
            "f64" => Self::F64,
            "s8" => Self::S8,
            "u8" => Self::U8,
            "s4" => Self::S4,
            "u4" => Self::U4,
            "b1" => Self::B1,
            _ => return None,
        })
    }

    /// Bits of an element in a register.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::BF16 => 16,
            Self::TF32 => 32,
            Self::E4M3 | Self::E5M2 | Self::S8 | Self::U8 => 8,
            Self::F64 => 64,
            Self::S4 | Self::U4 => 4,
            Self::B1 => 1,
        }
    }

    fn integer(self, bits: u64) -> i64 {
        match self {
            Self::S8 => i64::from(bits as i8),
            Self::S4 => (bits << 60) as i64 >> 60,
            _ => bits as i64,
        }
    }

    fn term(self, bits: u64) -> Term {
        match self {
            Self::F16 => Term::decode(bits, 5, 10),
            Self::BF16 => Term::decode(bits, 8, 7),
            Self::E5M2 => Term::decode(bits, 5, 2),
            Self::E4M3 => Term::e4m3(bits),
            _ => Term::decode(bits >> 13, 8, 10),
        }
    }
}

impl Accumulator {
    /// The type of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "f16" => Self::F16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "s32" => Self::S32,
            _ => return None,
        })
    }

    /// Bits of an element in a register.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 => 16,
            Self::F64 => 64,
            Self::F32 | Self::S32 => 32,
        }
    }
}

/// A number as the adder sees it.
#[derive(Debug, Clone, Copy)]
struct Term {
    kind: Kind,
    negative: bool,
    /// Times 2^`lsb`.
    mantissa: u64,
    lsb: i32,
    /// Power of two that decides the alignment: the sum of the factors' exponents.
    exponent: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Infinite,
    NotANumber,
}

impl Term {
    fn decode(bits: u64, exponent_bits: u32, mantissa_bits: u32) -> Self {
        let negative = bits >> (exponent_bits + mantissa_bits) & 1 != 0;
        let most = (1 << exponent_bits) - 1;
        let field = (bits >> mantissa_bits & most) as i32;
        let fraction = bits & ((1 << mantissa_bits) - 1);
        let bias = (most >> 1) as i32;
        let kind = match (field == most as i32, fraction) {
            (false, _) => Kind::Number,
            (true, 0) => Kind::Infinite,
            (true, _) => Kind::NotANumber,
        };
        let (mantissa, exponent) =
            if field == 0 { (fraction, 1 - bias) } else { (fraction | 1 << mantissa_bits, field - bias) };
        Self { kind, negative, mantissa, lsb: exponent - mantissa_bits as i32, exponent }
    }

    /// Without infinities, and normalised: it becomes an f16 first, in which none is subnormal.
    fn e4m3(bits: u64) -> Self {
        let mut term = Self::decode(bits & 0x80 | (bits & 0x7f), 4, 3);
        if bits & 0x7f == 0x7f {
            return Self { kind: Kind::NotANumber, ..term };
        }
        if bits & 0x78 == 0x78 {
            term = Self { kind: Kind::Number, mantissa: bits & 7 | 8, lsb: 5, exponent: 8, ..term };
        }
        if term.mantissa != 0 {
            term.exponent = term.mantissa.ilog2() as i32 + term.lsb;
        }
        term
    }

    fn times(self, other: Self) -> Self {
        let zero = |term: Self| term.kind == Kind::Number && term.mantissa == 0;
        let kind = match (self.kind, other.kind) {
            (Kind::Number, Kind::Number) => Kind::Number,
            (Kind::NotANumber, _) | (_, Kind::NotANumber) => Kind::NotANumber,
            _ if zero(self) || zero(other) => Kind::NotANumber,
            _ => Kind::Infinite,
        };
        Self {
            kind,
            negative: self.negative != other.negative,
            mantissa: self.mantissa * other.mantissa,
            lsb: self.lsb + other.lsb,
            exponent: self.exponent + other.exponent,
        }
    }
}

/// The sum of terms, or what it is when it is no number: sign and whether it is infinite.
enum Sum {
    Number(Exact),
    Zero { negative: bool },
    Infinite { negative: bool },
    NotANumber,
}

fn sum(terms: &[Term]) -> Sum {
    let has = |kind, negative| terms.iter().any(|term| term.kind == kind && term.negative == negative);
    let (up, down) = (has(Kind::Infinite, false), has(Kind::Infinite, true));
    if up && down || has(Kind::NotANumber, false) || has(Kind::NotANumber, true) {
        return Sum::NotANumber;
    }
    if up || down {
        return Sum::Infinite { negative: down };
    }
    let Some(greatest) = terms.iter().filter(|term| term.mantissa != 0).map(|term| term.exponent).max() else {
        return Sum::Zero { negative: terms.iter().all(|term| term.negative) };
    };
    let unit = greatest - KEPT;
    let mut total = 0i64;
    for term in terms.iter().filter(|term| term.mantissa != 0) {
        let shift = term.lsb - unit;
        let value =
            if shift >= 0 { term.mantissa << shift } else { term.mantissa.checked_shr(-shift as u32).unwrap_or(0) };
        total += if term.negative { -(value as i64) } else { value as i64 };
    }
    if total == 0 {
        return Sum::Zero { negative: false };
    }
    Sum::Number(Exact { negative: total < 0, significand: total.unsigned_abs().into(), exponent: unit })
}

fn single(terms: &[Term]) -> u32 {
    match sum(terms) {
        // Towards zero, but what is beyond the largest number becomes infinite.
        Sum::Number(exact) if exact.significand.ilog2() as i32 + exact.exponent > 127 => {
            u32::from(exact.negative) << 31 | 0x7f80_0000
        }
        Sum::Number(exact) => exact.round(Format::F32, Rounding::Zero) as u32,
        Sum::Zero { negative } => u32::from(negative) << 31,
        Sum::Infinite { negative } => u32::from(negative) << 31 | 0x7f80_0000,
        Sum::NotANumber => NAN_F32,
    }
}

fn half(terms: &[Term]) -> u16 {
    match sum(terms) {
        Sum::Number(exact) => exact.round(Format::F16, Rounding::Nearest) as u16,
        Sum::Zero { negative } => u16::from(negative) << 15,
        Sum::Infinite { negative } => u16::from(negative) << 15 | 0x7c00,
        Sum::NotANumber => NAN_F16,
    }
}

impl Product {
    /// An element of D from a row of A, a column of B and the element of C; all as they stand in registers.
    pub fn element(&self, a: &[u64], b: &[u64], c: u64) -> u64 {
        let pairs = a.iter().zip(b);
        match (self.c, self.a) {
            (Accumulator::F64, _) => {
                let chain = |sum: f64, (&a, &b): (&u64, &u64)| {
                    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
                    let value = a.mul_add(b, sum);
                    if value.is_nan() { propagate_f64(&[a, b, sum]) } else { value }
                };
                pairs.fold(f64::from_bits(c), chain).to_bits()
            }
            (Accumulator::S32, Element::B1) => {
                let combine = |(&a, &b): (&u64, &u64)| if self.and { a & b } else { a ^ b };
                (c as u32).wrapping_add(pairs.map(combine).sum::<u64>() as u32).into()
            }
            (Accumulator::S32, _) => {
                let dot: i64 = pairs.map(|(&x, &y)| self.a.integer(x) * self.b.integer(y)).sum();
                let sum = dot + i64::from(c as i32);
                let sum = if self.saturate { sum.clamp(i32::MIN.into(), i32::MAX.into()) } else { sum };
                (sum as u32).into()
            }
            (_, Element::E4M3 | Element::E5M2) => {
                // Two products of f16 (what the conversion makes of the lower and of the upper halves of all registers),
                // starting from zero, to which C is added like any number.
                let mut total = 0;
                for upper in [false, true] {
                    let half = pairs.clone().enumerate().filter(|(k, _)| (k % 4 >= 2) == upper);
                    let mut terms = vec![Term::decode(u64::from(total), 8, 23)];
                    terms.extend(half.map(|(_, (&x, &y))| self.a.term(x).times(self.b.term(y))));
                    total = single(&terms);
                }
                let value = f32::from_bits(c as u32) + f32::from_bits(total);
                u64::from(if value.is_nan() { NAN_F32 } else { value.to_bits() })
            }
            (accumulator, _) => {
                let narrow = accumulator == Accumulator::F16;
                a.chunks(self.step).zip(b.chunks(self.step)).fold(c, |sum, (a, b)| {
                    let mut terms = vec![if narrow { Term::decode(sum, 5, 10) } else { Term::decode(sum, 8, 23) }];
                    terms.extend(a.iter().zip(b).map(|(&x, &y)| self.a.term(x).times(self.b.term(y))));
                    if narrow { half(&terms).into() } else { single(&terms).into() }
                })
            }
        }
    }
}
