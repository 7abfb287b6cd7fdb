//! Integer instructions on bits, bit fields and bytes (manual 9.7.1.14 to 9.7.1.24).

use super::choices::FNS_NOT_FOUND;
use super::modifiers::{Decoded, Modifiers};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One bit-field instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Popc(T),
    Clz(T),
    Bfind {
        ty: T,
        shift_amount: bool,
    },
    Fns,
    Brev(T),
    Bfe(T),
    Bfi(T),
    Bmsk {
        clamp: bool,
    },
    Szext {
        signed: bool,
        clamp: bool,
    },
    /// Signedness of the bytes of the two operands.
    Dp4a {
        a: bool,
        b: bool,
    },
    /// Signedness of the halves of `a` and the bytes of `b`; which two bytes of `b`.
    Dp2a {
        a: bool,
        b: bool,
        high: bool,
    },
}

const CLAMP_WRAP: [(&str, bool); 2] = [("clamp", true), ("wrap", false)];

pub(super) fn decode(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    if let "dp4a" | "dp2a" = m.base() {
        return decode_dot(m);
    }
    let ty = m.one_type()?;
    Ok(match m.base() {
        "popc" => (Op::Popc(ty), Signature::new(T::U32, &[ty])),
        "clz" => (Op::Clz(ty), Signature::new(T::U32, &[ty])),
        "bfind" => {
            let shift_amount = m.take("shiftamt");
            (Op::Bfind { ty, shift_amount }, Signature::new(T::U32, &[ty]))
        }
        "fns" => (Op::Fns, Signature::new(T::B32, &[T::B32, T::U32, T::S32])),
        "brev" => (Op::Brev(ty), Signature::same(ty, 1)),
        "bfe" => (Op::Bfe(ty), Signature::new(ty, &[ty, T::U32, T::U32])),
        "bfi" => (Op::Bfi(ty), Signature::new(ty, &[ty, ty, T::U32, T::U32])),
        "bmsk" => {
            let clamp = m.require("what becomes of numbers above 31", &CLAMP_WRAP)?;
            (Op::Bmsk { clamp }, Signature::new(ty, &[T::U32, T::U32]))
        }
        _ => {
            let clamp = m.require("what becomes of widths above 31", &CLAMP_WRAP)?;
            (Op::Szext { signed: ty.is_signed(), clamp }, Signature::new(ty, &[ty, T::U32]))
        }
    })
}

fn decode_dot(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    let (ta, tb) = m.two_types()?;
    if !matches!(tb, T::U32 | T::S32) {
        return Err(m.invalid("both types are `.u32` or `.s32`"));
    }
    let (a, b) = (ta.is_signed(), tb.is_signed());
    let sum = if a || b { T::S32 } else { T::U32 };
    let op = if m.base() == "dp4a" {
        Op::Dp4a { a, b }
    } else {
        Op::Dp2a { a, b, high: m.require("which bytes of the second operand", &[("lo", false), ("hi", true)])? }
    };
    Ok((op, Signature::new(sum, &[ta, tb, sum])))
}

/// Field `index` of `width` bits, extended by its sign or by zeros.
#[inline]
fn field(value: u64, width: u32, index: u32, signed: bool) -> i64 {
    let up = (value << (64 - width * (index + 1))) as i64;
    if signed { up >> (64 - width) } else { ((up as u64) >> (64 - width)) as i64 }
}

impl Op {
    #[inline]
    pub(super) fn eval(self, [a, b, c, d]: [u64; 4]) -> u64 {
        match self {
            Self::Popc(ty) => ty.truncate(a).count_ones().into(),
            Self::Clz(ty) => (ty.truncate(a).leading_zeros() - (64 - ty.bits())).into(),
            Self::Bfind { ty, shift_amount } => bfind(ty, shift_amount, a),
            Self::Fns => fns(a as u32, b as u32, c as i32).into(),
            Self::Brev(ty) => a.reverse_bits() >> (64 - ty.bits()),
            Self::Bfe(ty) => bfe(ty, a, place(ty, b), place(ty, c)),
            Self::Bfi(ty) => bfi(ty, a, b, place(ty, c), place(ty, d)),
            Self::Bmsk { clamp } => bmsk(clamp, a as u32, b as u32).into(),
            Self::Szext { signed, clamp } => szext(signed, clamp, a as u32, b as u32).into(),
            Self::Dp4a { a: sa, b: sb } => {
                let dot: i64 = (0..4).map(|i| field(a, 8, i, sa) * field(b, 8, i, sb)).sum();
                T::U32.truncate(c.wrapping_add(dot as u64))
            }
            Self::Dp2a { a: sa, b: sb, high } => {
                let first = if high { 2 } else { 0 };
                let dot: i64 = (0..2).map(|i| field(a, 16, i, sa) * field(b, 8, first + i, sb)).sum();
                T::U32.truncate(c.wrapping_add(dot as u64))
            }
        }
    }
}

/// A position or length: its low eight bits, as the manual says, for words; all of it for 64 bits, as an H200 does.
fn place(ty: T, value: u64) -> u32 {
    if ty.bits() == 64 { value as u32 } else { value as u32 & 0xff }
}

/// The highest bit that differs from the sign, as a position or as the shift that brings it to the top; all ones when
/// there is none.
fn bfind(ty: T, shift_amount: bool, a: u64) -> u64 {
    let value = ty.extend(a);
    let value = if ty.is_signed() && (value as i64) < 0 { !value } else { value };
    if value == 0 {
        return u32::MAX.into();
    }
    let position = 63 - value.leading_zeros();
    if shift_amount { (ty.bits() - 1 - position).into() } else { position.into() }
}

/// The position of the `|offset|`-th set bit of `mask` from `base` on, upwards or downwards.
fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    if offset == i32::MIN {
        // It has no opposite to count down from; an H200 gives this.
        return 0;
    }
    if base > 31 {
        return FNS_NOT_FOUND;
    }
    if offset == 0 {
        return if mask >> base & 1 == 1 { base } else { FNS_NOT_FOUND };
    }
    let (mut left, step) = (offset.unsigned_abs() - 1, offset.signum());
    let mut at = base as i32;
    while (0..32).contains(&at) {
        if mask >> at & 1 == 1 {
            if left == 0 {
                return at as u32;
            }
            left -= 1;
        }
        at += step;
    }
    FNS_NOT_FOUND
}

/// `length` bits from `position` on, extended by the field's highest bit when signed; bits above the word repeat its
/// top bit when signed.
fn bfe(ty: T, a: u64, position: u32, length: u32) -> u64 {
    if length == 0 {
        return 0;
    }
    // A signed word is extended to 128 bits, so bits beyond its top are copies of the sign already.
    let word = if ty.is_signed() { ty.extend(a) as i64 as i128 } else { i128::from(ty.extend(a)) };
    let shifted = word >> position.min(64);
    if length >= ty.bits() {
        return ty.truncate(shifted as u64);
    }
    let up = 128 - length;
    let value = if ty.is_signed() { (shifted << up) >> up } else { ((shifted as u128) << up >> up) as i128 };
    ty.truncate(value as u64)
}

/// `b` with its `length` bits from `position` on replaced by the low bits of `a`.
fn bfi(ty: T, a: u64, b: u64, position: u32, length: u32) -> u64 {
    let mask = ((1_u128 << length.min(64)) - 1) << position.min(64);
    let inserted = u128::from(a) << position.min(64);
    ty.truncate((u128::from(b) & !mask | inserted & mask) as u64)
}

/// `width` ones from bit `position` on.
fn bmsk(clamp: bool, position: u32, width: u32) -> u32 {
    let (position, width) = if clamp { (position.min(32), width.min(32)) } else { (position & 31, width & 31) };
    (((1_u64 << width) - 1) << position) as u32
}

/// The low `width` bits of `a`, extended to 32.
fn szext(signed: bool, clamp: bool, a: u32, width: u32) -> u32 {
    let width = if clamp { width.min(32) } else { width & 31 };
    if width == 0 {
        return 0;
    }
    let up = 32 - width;
    if signed { ((a << up) as i32 >> up) as u32 } else { a << up >> up }
}
