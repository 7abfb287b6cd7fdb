//! Decodes video instructions: opcodes, and the selectors at their operands.

use super::super::modifiers::{Decoded, Modifiers};
use super::super::signature::Signature;
use super::super::types::ScalarType as T;
use super::{COMPARISONS, Kind, Lane, Op, Part, Second, Selectors};
use crate::semantics::modifiers::DecodeError;

pub(in crate::semantics) fn decode(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    let base = m.base();
    let (name, lanes) = match base.as_bytes().last() {
        Some(b'2') => (&base[..base.len() - 1], 2),
        Some(b'4') => (&base[..base.len() - 1], 4),
        _ => (base, 1),
    };
    let types = m.types();
    if types.iter().any(|ty| !matches!(ty, T::U32 | T::S32)) {
        return Err(m.invalid("every type is `.u32` or `.s32`"));
    }
    // A comparison is always unsigned and does not say so.
    let (dst, ta, tb) = match (name, types) {
        ("vset", [ta, tb]) => (T::U32, *ta, *tb),
        ("vset", _) => return Err(m.invalid("it takes two types")),
        (_, [dst, ta, tb]) => (*dst, *ta, *tb),
        _ => return Err(m.invalid("it takes three types")),
    };
    if name == "vmad" {
        return decode_mad(m, [dst, ta, tb]);
    }
    let kind = match name {
        "vadd" => Kind::Add,
        "vsub" => Kind::Sub,
        "vabsdiff" => Kind::AbsDiff,
        "vmin" => Kind::Min,
        "vmax" => Kind::Max,
        "vavrg" => Kind::Average,
        "vset" => Kind::Set(m.require("a comparison operator", &COMPARISONS)?),
        _ => {
            if tb != T::U32 {
                return Err(m.invalid("the type of the shift amount is `.u32`"));
            }
            let clamp = m.require("what becomes of amounts above 32", &[("clamp", true), ("wrap", false)])?;
            if name == "vshl" { Kind::ShiftLeft { clamp } } else { Kind::ShiftRight { clamp } }
        }
    };
    let (signed, a_signed, b_signed) = (dst.is_signed(), ta.is_signed(), tb.is_signed());
    let sat = name != "vset" && m.take("sat");
    if lanes == 1 {
        let second = m.choose(&[("add", Second::Add), ("min", Second::Min), ("max", Second::Max)]);
        let part = |signed| Part { signed, lane: Lane::Word };
        let op = Op::Scalar {
            kind,
            signed,
            a: part(a_signed),
            b: part(b_signed),
            sat,
            second: second.unwrap_or(Second::Nothing),
            merge: None,
        };
        return Ok((op, signature(dst, ta, tb, second.is_some())));
    }
    let accumulate = m.take("add");
    if sat && accumulate {
        return Err(m.invalid("`.sat` and `.add` exclude each other"));
    }
    let quad = lanes == 4;
    let (mask, a_elements, b_elements) = if quad { (0b1111, 0x3210, 0x7654) } else { (0b11, 0x10, 0x32) };
    let op = Op::Packed { kind, quad, signed, a_signed, b_signed, sat, accumulate, mask, a_elements, b_elements };
    Ok((op, signature(dst, ta, tb, true)))
}

fn decode_mad(m: &mut Modifiers<'_>, [dst, ta, tb]: [T; 3]) -> Decoded<(Op, Signature)> {
    let part = |ty: T| Part { signed: ty.is_signed(), lane: Lane::Word };
    let op = Op::Mad {
        a: part(ta),
        b: part(tb),
        plus_one: m.take("po"),
        negate_product: false,
        negate_c: false,
        sat: m.take("sat"),
        scale: m.choose(&[("shr7", 7), ("shr15", 15)]).unwrap_or(0),
    };
    Ok((op, signature(dst, ta, tb, true)))
}

fn signature(dst: T, ta: T, tb: T, third: bool) -> Signature {
    if third { Signature::new(dst, &[ta, tb, dst]) } else { Signature::new(dst, &[ta, tb]) }
}

/// The elements that a selector such as `.b3210` names, the lowest lane in the lowest four bits; `last` is the highest
/// element there is.
fn elements(selector: &str, quad: bool, last: u8) -> Option<u16> {
    let (letter, count) = if quad { ('b', 4) } else { ('h', 2) };
    let digits = selector.strip_prefix(letter)?;
    if digits.len() != count || digits.bytes().any(|digit| !(b'0'..=b'0' + last).contains(&digit)) {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

/// The lanes that a destination selector such as `.b20` names; its digits fall.
fn lanes(selector: &str, quad: bool) -> Option<u8> {
    let (letter, last) = if quad { ('b', b'3') } else { ('h', b'1') };
    let digits = selector.strip_prefix(letter)?.as_bytes();
    let legal = !digits.is_empty()
        && digits.iter().all(|digit| (b'0'..=last).contains(digit))
        && digits.windows(2).all(|pair| pair[0] > pair[1]);
    legal.then(|| digits.iter().fold(0, |mask, digit| mask | 1 << (digit - b'0')))
}

impl Op {
    /// Folds the operands' selectors in.
    pub(in crate::semantics) fn select(mut self, signature: &mut Signature, selectors: Selectors<'_>) -> Decoded<Self> {
        let wrong = |selector: &str| {
            DecodeError::Invalid(format!("selector `.{selector}` does not fit this operand of a video instruction"))
        };
        let lane = |selector: &str| Lane::parse(selector).ok_or_else(|| wrong(selector));
        let negated = selectors.negate.contains(&true);
        if negated && !matches!(self, Self::Mad { plus_one: false, .. }) {
            return Err(DecodeError::Invalid(
                "only the sources of `vmad`, and not with `.po`, can be negated".to_owned(),
            ));
        }
        match &mut self {
            Self::Scalar { a, b, second, merge, .. } => {
                if let Some(selector) = selectors.dst {
                    if *second != Second::Nothing {
                        return Err(wrong(selector));
                    }
                    *merge = Some(lane(selector)?);
                    signature.src.push(signature.dst);
                }
                a.lane = selectors.a.map_or(Ok(a.lane), lane)?;
                b.lane = selectors.b.map_or(Ok(b.lane), lane)?;
            }
            Self::Mad { a, b, negate_product, negate_c, .. } => {
                if let Some(selector) = selectors.dst {
                    return Err(wrong(selector));
                }
                a.lane = selectors.a.map_or(Ok(a.lane), lane)?;
                b.lane = selectors.b.map_or(Ok(b.lane), lane)?;
                *negate_product = selectors.negate[0] != selectors.negate[1];
                *negate_c = selectors.negate[2];
                if *negate_product && *negate_c {
                    return Err(DecodeError::Invalid(
                        "`vmad` can negate its product or its third source, not both".to_owned(),
                    ));
                }
            }
            Self::Packed { quad, mask, a_elements, b_elements, .. } => {
                let last = if *quad { 7 } else { 3 };
                for (selector, place) in [(selectors.a, a_elements), (selectors.b, b_elements)] {
                    if let Some(selector) = selector {
                        *place = elements(selector, *quad, last).ok_or_else(|| wrong(selector))?;
                    }
                }
                if let Some(selector) = selectors.dst {
                    *mask = lanes(selector, *quad).ok_or_else(|| wrong(selector))?;
                }
            }
        }
        Ok(self)
    }
}
