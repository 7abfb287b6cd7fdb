//! Conversions between number formats (manual 9.7.9.21, `cvt`). Packed and 8-bit formats are in the neighbouring file.

use super::choices::{
    NAN_BF16, NAN_F32, nan_to_integer, narrow_nan_16, narrow_nan_f64, propagate_f64, widen_nan_16, widen_nan_f32,
};
use super::float32::{flush, saturate};
use super::half::Half;
use super::modifiers::{Decoded, Modifiers};
use super::pack;
use super::rounding::{Exact, Format, INTEGER_ROUNDINGS, ROUNDINGS, Rounding, to_integral};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One `cvt` between scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    /// Integer to integer: cut or extended, or clamped to the destination's range.
    Integer { to: T, from: T, sat: bool },
    /// Integer to float.
    FromInteger { to: T, from: T, rounding: Rounding, sat: bool },
    /// Float to integer, clamped to the destination's range.
    ToInteger { to: T, from: T, rounding: Rounding, ftz: bool },
    /// Float to float of another or the same format.
    Float { to: T, from: T, rounding: FloatRounding, adjust: Adjust },
    /// Float to `.tf32`.
    Tf32 { rounding: Rounding, adjust: Adjust },
}

/// What rounding does in a conversion from float to float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FloatRounding {
    /// Nothing: every number fits.
    Exact,
    /// To the precision of the destination.
    Precision(Rounding),
    /// To an integer, in the same format.
    Integer(Rounding),
}

/// What happens to a float before and after its conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Adjust {
    /// Subnormal f32 operands and results become zeros.
    pub(super) ftz: bool,
    /// The result is clamped to [0, 1], NaN to 0.
    pub(super) sat: bool,
    /// Negative results become 0.
    pub(super) relu: bool,
    /// Results beyond the largest finite number become that number.
    pub(super) satfinite: bool,
}

pub(super) fn decode(m: &mut Modifiers<'_>) -> Decoded<(super::Kind, Signature)> {
    let (to, from) = m.two_types()?;
    let scalar = |ty: T| ty.is_integer() && !matches!(ty, T::U16x2 | T::S16x2);
    let float = |ty: T| matches!(ty, T::F16 | T::BF16 | T::F32 | T::F64);
    let op = match () {
        () if scalar(to) && scalar(from) => Op::Integer { to, from, sat: !fits(to, from) && m.take("sat") },
        () if float(to) && scalar(from) => {
            let rounding = m.require("a rounding", &ROUNDINGS)?;
            if to == T::F32 {
                // No integer becomes a subnormal number.
                m.take("ftz");
            }
            Op::FromInteger { to, from, rounding, sat: to != T::BF16 && m.take("sat") }
        }
        () if scalar(to) && float(from) => {
            let rounding = m.require("a rounding to integer", &INTEGER_ROUNDINGS)?;
            if from != T::BF16 {
                // Every conversion to an integer clamps; `.sat` says so once more.
                m.take("sat");
            }
            Op::ToInteger { to, from, rounding, ftz: from == T::F32 && m.take("ftz") }
        }
        () if float(to) && float(from) => decode_float(m, to, from)?,
        () if to == T::TF32 && from == T::F32 => decode_tf32(m)?,
        () => return pack::decode(m, to, from),
    };
    let dst = if to == T::TF32 { T::B32 } else { to };
    Ok((super::Kind::Convert(op), Signature::new(dst, &[from])))
}

fn decode_float(m: &mut Modifiers<'_>, to: T, from: T) -> Decoded<Op> {
    let half = |ty: T| matches!(ty, T::F16 | T::BF16);
    let ftz = (to == T::F32 || from == T::F32) && m.take("ftz");
    let sat = to != T::BF16 && from != T::BF16 && m.take("sat");
    let rounding = if to == from {
        m.choose(&INTEGER_ROUNDINGS).map_or(FloatRounding::Exact, FloatRounding::Integer)
    } else if matches!((to, from), (T::F64, _) | (T::F32, T::F16 | T::BF16)) {
        if from == T::BF16 {
            // ptxas takes a rounding here, where there is nothing to round.
            m.choose(&ROUNDINGS);
        }
        FloatRounding::Exact
    } else if half(to) && half(from) {
        FloatRounding::Precision(m.choose(&ROUNDINGS).unwrap_or(Rounding::Nearest))
    } else {
        FloatRounding::Precision(m.require("a rounding", &ROUNDINGS)?)
    };
    let clamps = from == T::F32
        && half(to)
        && !ftz
        && !sat
        && matches!(rounding, FloatRounding::Precision(Rounding::Nearest | Rounding::Zero));
    let relu = clamps && m.take("relu");
    let satfinite = clamps && m.take("satfinite");
    Ok(Op::Float { to, from, rounding, adjust: Adjust { ftz, sat, relu, satfinite } })
}

fn decode_tf32(m: &mut Modifiers<'_>) -> Decoded<Op> {
    let choices = [("rna", Rounding::NearestAway), ("rn", Rounding::Nearest), ("rz", Rounding::Zero)];
    let rounding = m.require("a rounding", &choices)?;
    let relu = rounding != Rounding::NearestAway && m.take("relu");
    if rounding != Rounding::NearestAway && m.has("satfinite") {
        return Err(m.unsupported("`.satfinite` with this rounding exists from compute capability 10.0 on"));
    }
    let satfinite = m.take("satfinite");
    Ok(Op::Tf32 { rounding, adjust: Adjust { ftz: false, sat: false, relu, satfinite } })
}

impl Op {
    #[inline]
    pub(super) fn eval(self, [a, ..]: [u64; 4]) -> u64 {
        match self {
            Self::Integer { to, from, sat: false } => to.truncate(from.extend(a)),
            Self::Integer { to, from, sat: true } => clamp_integer(to, from, a),
            Self::FromInteger { to, from, rounding, sat } => from_integer(to, from, rounding, sat, a),
            Self::ToInteger { to, from, rounding, ftz } => to_integer(to, from, rounding, ftz, a),
            Self::Float { to, from, rounding, adjust } => float(to, from, rounding, adjust, a),
            Self::Tf32 { rounding, adjust } => tf32(rounding, adjust, a as u32),
        }
    }
}

/// The least and the greatest number of an integer type.
pub(super) const fn range(ty: T) -> (i128, i128) {
    let bits = ty.bits();
    match ty {
        T::S8 | T::S16 | T::S32 | T::S64 => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        _ => (0, (1 << bits) - 1),
    }
}

/// Whether every number of `from` is one of `to`.
fn fits(to: T, from: T) -> bool {
    let (to, from) = (range(to), range(from));
    to.0 <= from.0 && from.1 <= to.1
}

fn clamp_integer(to: T, from: T, a: u64) -> u64 {
    let value = from.extend(a);
    let value = if from.is_signed() { i128::from(value as i64) } else { i128::from(value) };
    let (least, greatest) = range(to);
    to.truncate(value.clamp(least, greatest) as u64)
}

#[inline]
fn from_integer(to: T, from: T, rounding: Rounding, sat: bool, a: u64) -> u64 {
    let value = from.extend(a);
    let negative = from.is_signed() && (value as i64) < 0;
    if rounding == Rounding::Nearest && !sat {
        match to {
            T::F32 if negative => return (value as i64 as f32).to_bits().into(),
            T::F32 => return (value as f32).to_bits().into(),
            T::F64 if negative => return (value as i64 as f64).to_bits(),
            T::F64 => return (value as f64).to_bits(),
            _ => {}
        }
    }
    let magnitude = if negative { (value as i64).unsigned_abs() } else { value };
    let bits = Exact::integer(negative, magnitude).round(format(to), rounding);
    if sat { saturated(to, bits) } else { bits }
}

const fn format(ty: T) -> Format {
    match ty {
        T::F16 => Format::F16,
        T::BF16 => Format::BF16,
        T::F32 => Format::F32,
        _ => Format::F64,
    }
}

/// The number in `bits`, exactly. A NaN's payload may change.
#[inline]
fn load(from: T, bits: u64, ftz: bool) -> f64 {
    match from {
        T::F32 if ftz => flush(f32::from_bits(bits as u32)).into(),
        T::F32 => f32::from_bits(bits as u32).into(),
        T::F64 => f64::from_bits(bits),
        _ => Half::of(from).load(bits, false),
    }
}

#[inline]
fn to_integer(to: T, from: T, rounding: Rounding, ftz: bool, a: u64) -> u64 {
    let value = load(from, a, ftz);
    if value.is_nan() {
        return nan_to_integer(to.bits(), from == T::F64);
    }
    let value = to_integral(value, rounding);
    match to {
        T::U64 => value as u64,
        T::S64 => value as i64 as u64,
        _ => {
            let (least, greatest) = range(to);
            to.truncate((value as i64).clamp(least as i64, greatest as i64) as u64)
        }
    }
}

#[inline]
fn float(to: T, from: T, rounding: FloatRounding, adjust: Adjust, a: u64) -> u64 {
    if to == from && rounding == FloatRounding::Exact && to != T::F16 && !adjust.ftz && !adjust.sat {
        // A plain move, NaN payloads included, of f32 and f64; half-precision numbers go through the adder.
        let nan = to == T::BF16 && load(from, a, false).is_nan();
        return if nan { NAN_BF16.into() } else { to.truncate(a) };
    }
    // The unit that makes an f16 of an f32 keeps subnormal operands: directed roundings show it (H200).
    let value = load(from, a, adjust.ftz && to != T::F16);
    if value.is_nan() {
        return if adjust.sat { 0 } else { nan(to, from, adjust.ftz, a) };
    }
    let (value, precision) = match rounding {
        FloatRounding::Exact => (value, Rounding::Nearest),
        FloatRounding::Precision(rounding) => (value, rounding),
        FloatRounding::Integer(rounding) => (to_integral(value, rounding), Rounding::Nearest),
    };
    let bits = match to {
        T::F64 => value.to_bits(),
        T::F32 if adjust.ftz && value.abs() <= f32::MIN_POSITIVE.into() => {
            Exact::of(value).round_flushed(Format::F32, precision)
        }
        T::F32 if value.is_infinite() || precision == Rounding::Nearest => (value as f32).to_bits().into(),
        T::F32 => Exact::of(value).round(Format::F32, precision),
        _ => Half::of(to).store(value, precision, false),
    };
    let bits = if adjust.sat { saturated(to, bits) } else { bits };
    let bits = if adjust.relu { Half::relu(bits) } else { bits };
    if adjust.satfinite { finite(format(to), bits) } else { bits }
}

/// Infinities become the largest number of their sign.
pub(super) const fn finite(format: Format, bits: u64) -> u64 {
    let magnitude = bits & (format.sign_bit() - 1);
    if magnitude > format.largest() { bits & format.sign_bit() | format.largest() } else { bits }
}

/// The NaN that a conversion of the NaN `a` gives. With `.ftz` an f32 goes through the adder, which makes it canonical.
fn nan(to: T, from: T, ftz: bool, a: u64) -> u64 {
    match (to, from) {
        (T::F64, T::F32) if ftz => widen_nan_f32(NAN_F32),
        (T::F32, T::BF16) if ftz => NAN_F32.into(),
        (T::F64, T::F64) => propagate_f64(&[f64::from_bits(a)]).to_bits(),
        (T::F64, T::F32) => widen_nan_f32(a as u32),
        (T::F64, T::F16) => widen_nan_16(a as u16, 10),
        (T::F64, _) => widen_nan_16(a as u16, 7),
        (T::F16, T::F64) => narrow_nan_16(a, 10),
        (T::BF16, T::F64) => narrow_nan_16(a, 7),
        (T::F32, T::F64) => narrow_nan_f64(a).into(),
        // The conversion is a shift.
        (T::F32, T::BF16) => (a & 0xffff) << 16,
        (T::F32, _) => NAN_F32.into(),
        _ => Half::of(to).canonical_nan(),
    }
}

/// Clamps an encoded number that is not NaN to [0, 1].
fn saturated(to: T, bits: u64) -> u64 {
    match to {
        T::F32 => saturate(f32::from_bits(bits as u32)).to_bits().into(),
        T::F64 => {
            let value = f64::from_bits(bits);
            if value > 0.0 { value.min(1.0).to_bits() } else { 0 }
        }
        _ => Half::of(to).saturate(bits),
    }
}

/// `.tf32`: a binary32 whose low 13 mantissa bits are zero.
fn tf32(rounding: Rounding, adjust: Adjust, a: u32) -> u64 {
    /// Bits that the format lacks.
    const DROPPED: u32 = 13;
    const INFINITY: u32 = 0x7f80_0000;
    let magnitude = a & 0x7fff_ffff;
    if rounding == Rounding::NearestAway {
        // Half of the last place is added to the encoding of every finite number and the rest cut off: that is what
        // ptxas generates, and it keeps the upper part of a NaN's payload. With `.satfinite` everything beyond the
        // largest number moves down by one place, NaNs as well (H200).
        let rounded = if magnitude < INFINITY { a + (1 << (DROPPED - 1)) } else { a };
        let rounded = rounded & !((1 << DROPPED) - 1);
        let beyond = adjust.satfinite && rounded & 0x7fff_ffff >= INFINITY;
        return (if beyond { rounded - (1 << DROPPED) } else { rounded }).into();
    }
    if magnitude > INFINITY {
        return (NAN_F32 >> DROPPED << DROPPED).into();
    }
    let bits = if magnitude == INFINITY {
        u64::from(a >> DROPPED)
    } else {
        Exact::decode(Format::F32, a.into()).round(Format::TF32, rounding)
    };
    if adjust.relu && bits & Format::TF32.sign_bit() != 0 { 0 } else { bits << DROPPED }
}
