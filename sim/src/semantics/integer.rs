//! Integer arithmetic (manual 9.7.1) on whole words; bit fields and byte dot products are in the neighbouring file.

use super::choices::{DIV_BY_ZERO, REM_BY_ZERO};
use super::modifiers::{Decoded, Modifiers};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One integer instruction; the type says width and signedness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Add(T),
    AddSat,
    Sub(T),
    SubSat,
    MulLo(T),
    MulHi(T),
    MulWide(T),
    MadLo(T),
    MadHi(T),
    MadHiSat,
    MadWide(T),
    Mul24 { signed: bool, high: bool },
    Mad24 { signed: bool, high: bool, sat: bool },
    Sad(T),
    Div(T),
    Rem(T),
    Abs(T),
    Neg(T),
    Min(T),
    Max(T),
    MinRelu(T),
    MaxRelu(T),
}

/// Which part of a product is kept.
#[derive(Clone, Copy)]
enum Part {
    Low,
    High,
    Wide,
}

const PARTS: [(&str, Part); 3] = [("lo", Part::Low), ("hi", Part::High), ("wide", Part::Wide)];

pub(super) fn decode(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    let ty = m.one_type()?;
    let (binary, ternary) = (Signature::same(ty, 2), Signature::same(ty, 3));
    Ok(match m.base() {
        base @ ("add" | "sub") => {
            let sat = m.take("sat");
            if sat && ty != T::S32 {
                return Err(m.invalid("`.sat` needs the type `.s32`"));
            }
            let op = match (base, sat) {
                ("add", false) => Op::Add(ty),
                ("add", true) => Op::AddSat,
                (_, false) => Op::Sub(ty),
                (_, true) => Op::SubSat,
            };
            (op, binary)
        }
        "mul" => match m.require("a part of the product", &PARTS)? {
            Part::Low => (Op::MulLo(ty), binary),
            Part::High => (Op::MulHi(ty), binary),
            Part::Wide => (Op::MulWide(ty), Signature::new(doubled(m, ty)?, &[ty, ty])),
        },
        "mad" => match m.require("a part of the product", &PARTS)? {
            Part::Low => (Op::MadLo(ty), ternary),
            Part::High if m.take("sat") => {
                if ty != T::S32 {
                    return Err(m.invalid("`.sat` needs the type `.s32`"));
                }
                (Op::MadHiSat, ternary)
            }
            Part::High => (Op::MadHi(ty), ternary),
            Part::Wide => {
                let wide = doubled(m, ty)?;
                (Op::MadWide(ty), Signature::new(wide, &[ty, ty, wide]))
            }
        },
        "mul24" => {
            let high = m.require("a part of the product", &[("lo", false), ("hi", true)])?;
            (Op::Mul24 { signed: ty.is_signed(), high }, binary)
        }
        "mad24" => {
            let high = m.require("a part of the product", &[("lo", false), ("hi", true)])?;
            let sat = m.take("sat");
            if sat && !(high && ty == T::S32) {
                return Err(m.invalid("`.sat` needs `.hi` and the type `.s32`"));
            }
            (Op::Mad24 { signed: ty.is_signed(), high, sat }, ternary)
        }
        "sad" => (Op::Sad(ty), ternary),
        "div" => (Op::Div(ty), binary),
        "rem" => (Op::Rem(ty), binary),
        "abs" => (Op::Abs(ty), Signature::same(ty, 1)),
        "neg" => (Op::Neg(ty), Signature::same(ty, 1)),
        base => {
            let relu = m.take("relu");
            if relu && !matches!(ty, T::S32 | T::S16x2) {
                return Err(m.invalid("`.relu` needs the type `.s32` or `.s16x2`"));
            }
            let op = match (base == "min", relu) {
                (true, false) => Op::Min(ty),
                (true, true) => Op::MinRelu(ty),
                (false, false) => Op::Max(ty),
                (false, true) => Op::MaxRelu(ty),
            };
            (op, binary)
        }
    })
}

/// The type of twice the width, for `.wide`.
fn doubled(m: &Modifiers<'_>, ty: T) -> Decoded<T> {
    match ty {
        T::U16 => Ok(T::U32),
        T::S16 => Ok(T::S32),
        T::U32 => Ok(T::U64),
        T::S32 => Ok(T::S64),
        _ => Err(m.invalid("`.wide` needs a 16-bit or 32-bit type")),
    }
}

/// Applies `op` to the 16-bit halves.
pub(super) fn halves(a: u64, b: u64, op: impl Fn(u64, u64) -> u64) -> u64 {
    let low = op(a & 0xffff, b & 0xffff) & 0xffff;
    let high = op((a >> 16) & 0xffff, (b >> 16) & 0xffff) & 0xffff;
    high << 16 | low
}

/// The type of one half of a 16x2 type, or the type itself.
const fn element(ty: T) -> (T, bool) {
    match ty {
        T::U16x2 => (T::U16, true),
        T::S16x2 => (T::S16, true),
        _ => (ty, false),
    }
}

/// Applies `op` to the operand, or to both halves of a 16x2 operand.
#[inline]
fn each(ty: T, a: u64, b: u64, op: impl Fn(T, u64, u64) -> u64) -> u64 {
    let (ty, packed) = element(ty);
    if packed { halves(a, b, |a, b| op(ty, a, b)) } else { ty.truncate(op(ty, a, b)) }
}

#[inline]
fn min(ty: T, a: u64, b: u64) -> u64 {
    let (a, b) = (ty.extend(a), ty.extend(b));
    if ty.is_signed() { (a as i64).min(b as i64) as u64 } else { a.min(b) }
}

#[inline]
fn max(ty: T, a: u64, b: u64) -> u64 {
    let (a, b) = (ty.extend(a), ty.extend(b));
    if ty.is_signed() { (a as i64).max(b as i64) as u64 } else { a.max(b) }
}

#[inline]
fn relu(value: u64) -> u64 {
    (value as i64).max(0) as u64
}

/// The low 64 bits of the product shifted right by the width of the type.
#[inline]
fn high_part(ty: T, a: u64, b: u64) -> u64 {
    let (a, b) = (ty.extend(a), ty.extend(b));
    if ty.is_signed() {
        ((a as i64 as i128 * b as i64 as i128) >> ty.bits()) as u64
    } else {
        ((a as u128 * b as u128) >> ty.bits()) as u64
    }
}

/// The product of the low 24 bits, 48 bits wide, and its upper or lower 32 bits.
#[inline]
fn product24(signed: bool, high: bool, a: u64, b: u64) -> u64 {
    let cut = |v: u64| if signed { ((v as i64) << 40) >> 40 } else { (v & 0xff_ffff) as i64 };
    let product = cut(a).wrapping_mul(cut(b)) as u64;
    if high { product >> 16 } else { product }
}

fn saturate_s32(value: i64) -> u64 {
    value.clamp(i32::MIN.into(), i32::MAX.into()) as u32 as u64
}

#[inline]
const fn s32(value: u64) -> i64 {
    value as i32 as i64
}

impl Op {
    #[inline]
    pub(super) fn eval(self, [a, b, c, _]: [u64; 4]) -> u64 {
        match self {
            Self::Add(ty) => each(ty, a, b, |_, a, b| a.wrapping_add(b)),
            Self::AddSat => saturate_s32(s32(a) + s32(b)),
            Self::Sub(ty) => each(ty, a, b, |_, a, b| a.wrapping_sub(b)),
            Self::SubSat => saturate_s32(s32(a) - s32(b)),
            Self::MulLo(ty) => ty.truncate(a.wrapping_mul(b)),
            Self::MulHi(ty) => ty.truncate(high_part(ty, a, b)),
            Self::MulWide(ty) => wide(ty, ty.extend(a).wrapping_mul(ty.extend(b))),
            Self::MadLo(ty) => ty.truncate(a.wrapping_mul(b).wrapping_add(c)),
            Self::MadHi(ty) => ty.truncate(high_part(ty, a, b).wrapping_add(c)),
            Self::MadHiSat => saturate_s32(high_part(T::S32, a, b) as i64 + s32(c)),
            Self::MadWide(ty) => wide(ty, ty.extend(a).wrapping_mul(ty.extend(b)).wrapping_add(c)),
            Self::Mul24 { signed, high } => T::U32.truncate(product24(signed, high, a, b)),
            Self::Mad24 { signed, high, sat: false } => T::U32.truncate(product24(signed, high, a, b).wrapping_add(c)),
            Self::Mad24 { sat: true, .. } => saturate_s32(s32(product24(true, true, a, b)) + s32(c)),
            Self::Sad(ty) => {
                let distance = max(ty, a, b).wrapping_sub(min(ty, a, b));
                ty.truncate(c.wrapping_add(distance))
            }
            Self::Div(ty) => ty.truncate(div(ty, ty.extend(a), ty.extend(b))),
            Self::Rem(ty) => ty.truncate(rem(ty, ty.extend(a), ty.extend(b))),
            Self::Abs(ty) => ty.truncate((ty.extend(a) as i64).wrapping_abs() as u64),
            Self::Neg(ty) => ty.truncate(a.wrapping_neg()),
            Self::Min(ty) => each(ty, a, b, min),
            Self::Max(ty) => each(ty, a, b, max),
            Self::MinRelu(ty) => each(ty, a, b, |ty, a, b| relu(min(ty, a, b))),
            Self::MaxRelu(ty) => each(ty, a, b, |ty, a, b| relu(max(ty, a, b))),
        }
    }
}

/// Cuts a product of two `ty` to twice the width of `ty`.
const fn wide(ty: T, product: u64) -> u64 {
    if ty.bytes() == 2 { product & 0xffff_ffff } else { product }
}

impl Op {
    /// What it divides, if it divides whole numbers.
    pub(super) const fn division(self) -> Option<super::Division> {
        match self {
            Self::Div(ty) => Some(super::Division { remainder: false, ty }),
            Self::Rem(ty) => Some(super::Division { remainder: true, ty }),
            _ => None,
        }
    }
}

/// Operands extended; the most negative number over −1 wraps around.
fn div(ty: T, a: u64, b: u64) -> u64 {
    if b == 0 {
        DIV_BY_ZERO
    } else if ty.is_signed() {
        (a as i64).wrapping_div(b as i64) as u64
    } else {
        a / b
    }
}

fn rem(ty: T, a: u64, b: u64) -> u64 {
    if b == 0 {
        REM_BY_ZERO
    } else if ty.is_signed() {
        (a as i64).wrapping_rem(b as i64) as u64
    } else {
        a % b
    }
}
