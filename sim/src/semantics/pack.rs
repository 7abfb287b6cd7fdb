//! Conversions that pack two numbers into one register, or unpack them: `cvt` to and from the packed half and 8-bit
//! formats (manual 9.7.9.21), and `cvt.pack` (9.7.9.22).

use super::choices::NAN_F8;
use super::convert::{Adjust, finite};
use super::half::Half;
use super::modifiers::{Decoded, Modifiers};
use super::rounding::{Exact, Format, Rounding};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One packing conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    /// Two f32 to two halves; the first source goes to the upper half.
    Halves { to: Half, rounding: Rounding, adjust: Adjust },
    /// Two f32 to two 8-bit floats; the first source goes to the upper half.
    FloatsToEight { to: Eight, relu: bool },
    /// Two f16 to two 8-bit floats, in place.
    HalvesToEight { to: Eight, relu: bool },
    /// Two 8-bit floats to two f16, in place.
    EightToHalves { from: Eight, relu: bool },
    /// `cvt.pack`: two clamped integers of so many bits; `merge` puts them below the third source.
    Integers { bits: u32, signed: bool, merge: bool },
}

/// One of the two 8-bit formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Eight {
    E4M3,
    E5M2,
}

impl Eight {
    const fn of(ty: T) -> Self {
        if matches!(ty, T::E4M3x2) { Self::E4M3 } else { Self::E5M2 }
    }

    const fn format(self) -> Format {
        match self {
            Self::E4M3 => Format::E4M3,
            Self::E5M2 => Format::E5M2,
        }
    }

    /// Rounds to the nearest; numbers out of range become the largest ones.
    fn store(self, value: f64, relu: bool) -> u64 {
        let format = self.format();
        if value.is_nan() {
            return NAN_F8.into();
        }
        if relu && value.is_sign_negative() {
            return 0;
        }
        if value.is_infinite() {
            return format.largest() | u64::from(value < 0.0) << 7;
        }
        Exact::of(value).round(format, Rounding::Nearest)
    }

    /// The f16 encoding of the number in the low 8 bits; every number fits.
    fn widen(self, bits: u64, relu: bool) -> u64 {
        let bits = bits & 0xff;
        let magnitude = bits & 0x7f;
        let special = match self {
            Self::E4M3 if magnitude == 0x7f => Some(Half::F16.canonical_nan()),
            Self::E5M2 if magnitude == 0x7c => Some(0x7c00 | (bits & 0x80) << 8),
            Self::E5M2 if magnitude > 0x7c => Some(Half::F16.canonical_nan()),
            _ => None,
        };
        let wide = special.unwrap_or_else(|| Exact::decode(self.format(), bits).round(Format::F16, Rounding::Nearest));
        if relu { Half::relu(wide) } else { wide }
    }
}

/// Decodes a conversion that is not between two scalars.
pub(super) fn decode(m: &mut Modifiers<'_>, to: T, from: T) -> Decoded<(super::Kind, Signature)> {
    let eight = |ty: T| matches!(ty, T::E4M3x2 | T::E5M2x2);
    let (op, signature) = match (to, from) {
        (T::F16x2 | T::BF16x2, T::F32) => {
            let rounding = m.require("a rounding", &[("rn", Rounding::Nearest), ("rz", Rounding::Zero)])?;
            let (relu, satfinite) = (m.take("relu"), m.take("satfinite"));
            let adjust = Adjust { ftz: false, sat: false, relu, satfinite };
            (Op::Halves { to: Half::of(to), rounding, adjust }, Signature::new(to, &[T::F32, T::F32]))
        }
        (_, T::F32) if eight(to) => {
            decode_eight(m)?;
            let op = Op::FloatsToEight { to: Eight::of(to), relu: m.take("relu") };
            (op, Signature::new(T::B16, &[T::F32, T::F32]))
        }
        (_, T::F16x2) if eight(to) => {
            decode_eight(m)?;
            let op = Op::HalvesToEight { to: Eight::of(to), relu: m.take("relu") };
            (op, Signature::new(T::B16, &[T::F16x2]))
        }
        (T::F16x2, _) if eight(from) => {
            m.require("a rounding", &[("rn", ())])?;
            let op = Op::EightToHalves { from: Eight::of(from), relu: m.take("relu") };
            (op, Signature::new(T::F16x2, &[T::B16]))
        }
        _ => return Err(m.invalid(&format!("there is no conversion from `{from}` to `{to}`"))),
    };
    Ok((super::Kind::Pack(op), signature))
}

fn decode_eight(m: &mut Modifiers<'_>) -> Decoded<()> {
    m.require("a rounding", &[("rn", ())])?;
    m.require("`.satfinite`", &[("satfinite", ())])
}

/// Decodes `cvt.pack`.
pub(super) fn decode_pack(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    m.take("pack");
    m.require("`.sat`", &[("sat", ())])?;
    // Types narrower than a byte exist only here and come as plain modifiers.
    let narrow = [("u2", (2, false)), ("s2", (2, true)), ("u4", (4, false)), ("s4", (4, true))];
    let (bits, signed, rest) = match (m.choose(&narrow), m.types()) {
        (Some((bits, signed)), rest) => (bits, signed, rest),
        (None, [to @ (T::U8 | T::S8 | T::U16 | T::S16), rest @ ..]) => (to.bits(), to.is_signed(), rest),
        _ => return Err(m.invalid("it packs into 2, 4, 8 or 16 bits")),
    };
    let merge = match rest {
        [T::S32] if bits == 16 => false,
        [T::S32, T::B32] if bits < 16 => true,
        _ => return Err(m.invalid("it packs `.s32`, with a third source of type `.b32` below 16 bits")),
    };
    let sources: &[T] = if merge { &[T::S32, T::S32, T::B32] } else { &[T::S32, T::S32] };
    Ok((Op::Integers { bits, signed, merge }, Signature::new(T::B32, sources)))
}

impl Op {
    pub(super) fn eval(self, [a, b, c, _]: [u64; 4]) -> u64 {
        match self {
            Self::Halves { to, rounding, adjust } => {
                let one = |bits: u64| {
                    let half = to.store(f64::from(f32::from_bits(bits as u32)), rounding, false);
                    let half = if adjust.relu && half != to.canonical_nan() { Half::relu(half) } else { half };
                    if adjust.satfinite && half != to.canonical_nan() { finite(to.format(), half) } else { half }
                };
                one(a) << 16 | one(b)
            }
            Self::FloatsToEight { to, relu } => {
                let one = |bits: u64| to.store(f32::from_bits(bits as u32).into(), relu);
                one(a) << 8 | one(b)
            }
            Self::HalvesToEight { to, relu } => {
                let one = |bits: u64| to.store(Half::F16.load(bits, false), relu);
                one(a >> 16) << 8 | one(a)
            }
            Self::EightToHalves { from, relu } => from.widen(a >> 8, relu) << 16 | from.widen(a, relu),
            Self::Integers { bits, signed, merge } => {
                let (least, greatest) =
                    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
                let one = |value: u64| i64::from(value as i32).clamp(least, greatest) as u64 & ((1 << bits) - 1);
                let packed = one(a) << bits | one(b);
                let above = if merge { c << (2 * bits) } else { 0 };
                T::U32.truncate(above | packed)
            }
        }
    }
}
