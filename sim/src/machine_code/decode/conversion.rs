//! Conversions between types of numbers, each by the semantics that PTX's `cvt` of the same meaning has.

use super::constants::Decoded;
use super::float::{lanes, option, rounding, to_integer};
use super::reader::Reader;
use crate::machine_code::op::{Op, Result as To, Src, Value, ZERO};

/// A floating-point type of conversions by its name in machine code.
const FLOATS: [(&str, &str); 4] = [("F16", "f16"), ("F32", "f32"), ("F64", "f64"), ("BF16", "bf16")];
/// An integer type.
const INTEGERS: [(&str, &str); 8] = [
    ("U8", "u8"),
    ("S8", "s8"),
    ("U16", "u16"),
    ("S16", "s16"),
    ("U32", "u32"),
    ("S32", "s32"),
    ("U64", "u64"),
    ("S64", "s64"),
];

fn float_source(r: &mut Reader<'_>, kind: &str) -> Decoded<Value> {
    Ok(match kind {
        "f32" => Value::Word(r.float()?),
        "f64" => Value::Wide(r.double()?),
        _ => r.half()?,
    })
}

fn sized(r: &mut Reader<'_>, kind: &str) -> Decoded<To> {
    Ok(match kind {
        "f64" | "u64" | "s64" => To::Wide(r.dst(2)?),
        _ => To::Word(r.dst(1)?),
    })
}

pub(super) fn convert(name: &str, r: &mut Reader<'_>) -> Decoded<Op> {
    match name {
        "F2F" => {
            let ftz = option(r, "FTZ", ".ftz");
            let (Some(to), Some(from)) = (r.choose(&FLOATS), r.choose(&FLOATS)) else {
                return r.refuse("its types are missing");
            };
            let rounding = rounding(r);
            let (d, a) = (sized(r, to)?, float_source(r, from)?);
            // Conversions to more precision do not round.
            let exact = format!("cvt{ftz}.{to}.{from}");
            lanes(r, d, &format!("cvt{rounding}{ftz}.{to}.{from}"), [a]).or_else(|_| lanes(r, d, &exact, [a]))
        }
        "FRND" => {
            let ftz = option(r, "FTZ", ".ftz");
            let kind = r.choose(&FLOATS).unwrap_or("f32");
            let rounding = to_integer(r);
            let (d, a) = (sized(r, kind)?, float_source(r, kind)?);
            lanes(r, d, &format!("cvt{rounding}{ftz}.{kind}.{kind}"), [a])
        }
        "F2I" => {
            let ftz = option(r, "FTZ", ".ftz");
            let to = r.choose(&INTEGERS).unwrap_or("s32");
            let from = r.choose(&FLOATS).unwrap_or("f32");
            let rounding = to_integer(r);
            let _ = r.take("NTZ");
            let (d, a) = (sized(r, to)?, float_source(r, from)?);
            let d = match (d, to) {
                (To::Word(d), "s8") => To::Signed(d, 8),
                (To::Word(d), "s16") => To::Signed(d, 16),
                _ => d,
            };
            lanes(r, d, &format!("cvt{rounding}{ftz}.{to}.{from}"), [a])
        }
        "I2F" | "I2FP" => {
            let to = r.choose(&FLOATS).unwrap_or("f32");
            let from = r.choose(&INTEGERS).unwrap_or("s32");
            let rounding = rounding(r);
            let d = sized(r, to)?;
            let a = if from.ends_with("64") { Value::Wide(r.int64()?) } else { r.part()? };
            lanes(r, d, &format!("cvt{rounding}.{to}.{from}"), [a])
        }
        "I2I" => {
            let to = r.choose(&INTEGERS).unwrap_or("s32");
            if !r.take("S32.SAT") {
                return r.refuse("without clamping it is not executed");
            }
            let d = r.dst(1)?;
            let d = match to {
                "s8" => To::Signed(d, 8),
                "s16" => To::Signed(d, 16),
                _ => To::Word(d),
            };
            let a = Value::Word(r.int()?);
            lanes(r, d, &format!("cvt.sat.{to}.s32"), [a])
        }
        "I2IP" => {
            let kinds = [("U2", "u2"), ("S2", "s2"), ("U4", "u4"), ("S4", "s4")];
            let Some(to) = r.choose(&INTEGERS).or_else(|| r.choose(&kinds)) else {
                return r.refuse("its type is missing");
            };
            let _ = r.take("S32");
            if !r.take("SAT") {
                return r.refuse("without clamping it is not executed");
            }
            let d = To::Word(r.dst(1)?);
            let (a, b) = (Value::Word(r.int()?), Value::Word(r.int()?));
            let operand = r.operand()?;
            let c = Src::plain(r.slot_of(operand, 0)?);
            if !operand.part.is_empty() && c.slot != ZERO {
                return r.refuse("a part of the third source is not executed");
            }
            if to.ends_with("16") {
                return lanes(r, d, &format!("cvt.pack.sat.{to}.s32"), [a, b]);
            }
            lanes(r, d, &format!("cvt.pack.sat.{to}.s32.b32"), [a, b, Value::Word(c)])
        }
        _ => pack(r),
    }
}

/// `F2FP`: conversions to and from formats of 8 and 16 bits.
fn pack(r: &mut Reader<'_>) -> Decoded<Op> {
    let saturate = option(r, "SATFINITE", ".satfinite");
    let relu = option(r, "RELU", ".relu");
    let formats =
        [("F16", "f16"), ("BF16", "bf16"), ("TF32", "tf32"), ("E5M2", "e5m2"), ("E4M3", "e4m3"), ("F32", "f32")];
    let (Some(to), Some(from)) = (r.choose(&formats), r.choose(&formats)) else {
        return r.refuse("its types are missing");
    };
    let rounding = option(r, "RZ", ".rz");
    let rounding = if rounding.is_empty() { ".rn" } else { rounding };
    let forms = ["PACK_AB", "MERGE_C", "PACK_AB_MERGE_C", "UNPACK_B_MERGE_C", "UNPACK_B", "PACK_B"];
    let Some(form) = forms.into_iter().find(|form| r.take(form)) else { return r.refuse("its form is missing") };
    let d = r.dst(1)?;
    let nothing_merged = |r: &mut Reader<'_>| {
        let operand = r.operand()?;
        if r.slot_of(operand, 0)? == ZERO { Ok(()) } else { r.refuse("merging with a register is not executed") }
    };
    match form {
        "PACK_AB" => {
            let (a, b) = (Value::Word(r.float()?), Value::Word(r.float()?));
            lanes(r, To::Word(d), &format!("cvt{rounding}{saturate}{relu}.{to}x2.{from}"), [a, b])
        }
        "PACK_B" => {
            let a = Value::Word(r.float()?);
            lanes(r, To::Word(d), &format!("cvt{rounding}{relu}.{to}.{from}"), [a])
        }
        "UNPACK_B" => {
            let a = r.half()?;
            lanes(r, To::Word(d), &format!("cvt{rounding}{relu}.{to}x2.{from}x2"), [a])
        }
        "MERGE_C" => {
            let a = Value::Word(r.float()?);
            nothing_merged(r)?;
            lanes(r, To::Word(d), &format!("cvt{rounding}{relu}{saturate}.{to}.{from}"), [a])
        }
        "PACK_AB_MERGE_C" => {
            let (a, b) = (Value::Word(r.float()?), Value::Word(r.float()?));
            nothing_merged(r)?;
            lanes(r, To::Word(d), &format!("cvt{rounding}{saturate}{relu}.{to}x2.{from}"), [a, b])
        }
        _ => {
            let a = Value::Word(r.int()?);
            nothing_merged(r)?;
            lanes(r, To::Word(d), &format!("cvt{rounding}{saturate}{relu}.{to}x2.{from}x2"), [a])
        }
    }
}
