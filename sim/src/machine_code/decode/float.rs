//! Floating-point numbers of single, double and half precision.
//!
//! What is not frequent is executed by the semantics that PTX's instruction of the same meaning has: `F2I.FTZ.S16.TRUNC` is
//! `cvt.rzi.ftz.s16.f32`.

use super::constants::Decoded;
use super::conversion::convert;
use super::integer::{COMBINE, TESTS};
use super::reader::Reader;
use crate::machine_code::op::{Float, Halves, Op, Result as To, Src, Src64, Test, Value, ZERO};
use crate::semantics::{LaneOp, Signature};

/// By which power of two a product is multiplied.
const SCALES: [(&str, i8); 6] = [("D8", -3), ("D4", -2), ("D2", -1), ("M2", 1), ("M4", 2), ("M8", 3)];

/// PTX's instruction of the same meaning.
fn ptx(r: &Reader<'_>, opcode: &str) -> Decoded<(LaneOp, Signature)> {
    let parts: Vec<&str> = opcode.split('.').collect();
    match LaneOp::decode(&parts) {
        Ok(Some(found)) => Ok(found),
        _ => r.refuse(&format!("it would be `{opcode}`, which is not executed")),
    }
}

pub(super) fn lanes<const N: usize>(r: &Reader<'_>, d: To, opcode: &str, given: [Value; N]) -> Decoded<Op> {
    let mut sources = [None; 3];
    for (source, value) in sources.iter_mut().zip(given) {
        *source = Some(value);
    }
    Ok(Op::Lanes { d, op: ptx(r, opcode)?.0, sources })
}

/// `.rn`, `.rm`, `.rp`, `.rz`.
pub(super) fn rounding(r: &mut Reader<'_>) -> &'static str {
    r.choose(&[("RM", ".rm"), ("RP", ".rp"), ("RZ", ".rz")]).unwrap_or(".rn")
}

/// `.rni`, `.rmi`, `.rpi`, `.rzi`.
pub(super) fn to_integer(r: &mut Reader<'_>) -> &'static str {
    r.choose(&[("FLOOR", ".rmi"), ("CEIL", ".rpi"), ("TRUNC", ".rzi")]).unwrap_or(".rni")
}

/// The modifier in PTX's spelling, or nothing.
pub(super) fn option(r: &mut Reader<'_>, name: &str, spelling: &'static str) -> &'static str {
    if r.take(name) { spelling } else { "" }
}

/// A comparison: what is tested, and whether a NaN makes it true; PTX's name for it.
fn comparison(r: &mut Reader<'_>) -> Decoded<(Test, bool, &'static str)> {
    const UNORDERED: [(&str, (Test, &str)); 6] = [
        ("LTU", (Test::Lt, "ltu")),
        ("EQU", (Test::Eq, "equ")),
        ("LEU", (Test::Le, "leu")),
        ("GTU", (Test::Gt, "gtu")),
        ("NEU", (Test::Ne, "neu")),
        ("GEU", (Test::Ge, "geu")),
    ];
    if let Some((test, name)) = r.choose(&UNORDERED) {
        return Ok((test, true, name));
    }
    if let Some(found) = r.choose(&[("NUM", (Test::Number, false, "num")), ("NAN", (Test::NotANumber, false, "nan"))]) {
        return Ok(found);
    }
    let Some(test) = r.choose(&TESTS) else { return r.refuse("its comparison is not executed") };
    let name = match test {
        Test::Lt => "lt",
        Test::Eq => "eq",
        Test::Le => "le",
        Test::Gt => "gt",
        Test::Ne => "ne",
        Test::Ge => "ge",
        Test::False | Test::True | Test::Number | Test::NotANumber => "",
    };
    Ok((test, false, name))
}

/// `.and`, `.or`, `.xor`.
fn combination(r: &mut Reader<'_>) -> &'static str {
    r.choose(&[("AND", ".and"), ("OR", ".or"), ("XOR", ".xor")]).unwrap_or(".and")
}

/// Decodes an instruction; `None` if it is no floating-point instruction.
pub(super) fn decode(name: &str, r: &mut Reader<'_>) -> Decoded<Option<Op>> {
    Ok(Some(match name {
        "FADD" | "FMUL" => {
            let ftz = option(r, "FTZ", ".ftz");
            let sat = option(r, "SAT", ".sat");
            let power = r.choose(&SCALES);
            let rounding = rounding(r);
            let (d, a, b) = (r.dst(1)?, r.float()?, r.float()?);
            if let Some(power) = power {
                if rounding != ".rn" || !sat.is_empty() {
                    return r.refuse("with a scale it is executed with rounding to the nearest alone");
                }
                return Ok(Some(Op::MulScaled { d, a, b, power, flush: !ftz.is_empty() }));
            }
            if rounding == ".rn" && sat.is_empty() {
                let op = if name == "FADD" { Float::Add } else { Float::Mul };
                return Ok(Some(Op::Float { op, d, a, b, flush: !ftz.is_empty() }));
            }
            let op = if name == "FADD" { "add" } else { "mul" };
            lanes(r, To::Word(d), &format!("{op}{rounding}{ftz}{sat}.f32"), [Value::Word(a), Value::Word(b)])?
        }
        "FFMA" => {
            let ftz = option(r, "FTZ", ".ftz");
            let sat = option(r, "SAT", ".sat");
            let rounding = rounding(r);
            let (d, a, b, c) = (r.dst(1)?, r.float()?, r.float()?, r.float()?);
            if rounding == ".rn" && sat.is_empty() {
                return Ok(Some(Op::Fma { d, a, b, c, flush: !ftz.is_empty() }));
            }
            let given = [Value::Word(a), Value::Word(b), Value::Word(c)];
            lanes(r, To::Word(d), &format!("fma{rounding}{ftz}{sat}.f32"), given)?
        }
        "FSETP" => {
            let (test, unordered, _) = comparison(r)?;
            let flush = r.take("FTZ");
            let Some(combine) = r.choose(&COMBINE) else { return r.refuse("its combination is missing") };
            let (p, q, a, b, with) = (r.pred_dst()?, r.pred_dst()?, r.float()?, r.float()?, r.pred()?);
            Op::FSetp { p, q, test, unordered, combine, a, b, with, flush }
        }
        "FSET" => {
            let to = if r.take("BF") { "f32" } else { "u32" };
            let (_, _, test) = comparison(r)?;
            let (ftz, combine) = (option(r, "FTZ", ".ftz"), combination(r));
            let (d, a, b, with) = (r.dst(1)?, r.float()?, r.float()?, r.pred()?);
            let given = [Value::Word(a), Value::Word(b), Value::Truth(with)];
            lanes(r, To::Word(d), &format!("set.{test}{combine}{ftz}.{to}.f32"), given)?
        }
        "FSEL" => {
            let flush = r.take("FTZ");
            Op::FSel { d: r.dst(1)?, a: r.float()?, b: r.float()?, p: r.pred()?, flush }
        }
        "FMNMX" => {
            let ftz = option(r, "FTZ", ".ftz");
            let nan = option(r, "NAN", ".NaN");
            let sign = option(r, "XORSIGN", ".xorsign.abs");
            let (d, a, b, min) = (r.dst(1)?, r.float()?, r.float()?, r.pred()?);
            let whole = |source: Src| Src { and: u32::MAX, ..source };
            // The signs of the sources come back in the result: PTX's instruction takes absolute values by itself.
            let (a, b) = if sign.is_empty() { (a, b) } else { (whole(a), whole(b)) };
            let least = ptx(r, &format!("min{ftz}{nan}{sign}.f32"))?.0;
            let most = ptx(r, &format!("max{ftz}{nan}{sign}.f32"))?.0;
            Op::FMinMax { d, a: Value::Word(a), b: Value::Word(b), min, least, most }
        }
        "FCHK" => Op::FChk { p: r.pred_dst()?, a: r.float()?, b: r.float()? },
        "MUFU" => mufu(r)?,
        "DADD" | "DMUL" => {
            let (op, rounding) = (if name == "DADD" { "add" } else { "mul" }, rounding(r));
            let (d, a, b) = (r.dst(2)?, r.double()?, r.double()?);
            lanes(r, To::Wide(d), &format!("{op}{rounding}.f64"), [Value::Wide(a), Value::Wide(b)])?
        }
        "DFMA" => {
            let rounding = rounding(r);
            let (d, a, b, c) = (r.dst(2)?, r.double()?, r.double()?, r.double()?);
            lanes(r, To::Wide(d), &format!("fma{rounding}.f64"), [Value::Wide(a), Value::Wide(b), Value::Wide(c)])?
        }
        "DSETP" => {
            let extremum = r.choose(&[("MIN", "lt"), ("MAX", "gt")]);
            let test = match extremum {
                Some(test) => test,
                None => comparison(r)?.2,
            };
            let combine = combination(r);
            let (p, q, a, b, with) = (r.pred_dst()?, r.pred_dst()?, r.double()?, r.double()?, r.pred()?);
            let given = [Value::Wide(a), Value::Wide(b), Value::Truth(with)];
            if extremum.is_some() {
                return Ok(Some(Op::DExtremum { p, q, a, b, max: test == "gt" }));
            }
            lanes(r, To::Truth(p, q), &format!("setp.{test}{combine}.f64"), given)?
        }
        "HADD2" | "HMUL2" => {
            let single = r.take("F32");
            let kind = half_type(r);
            let (ftz, sat) = (option(r, "FTZ", ".ftz"), option(r, "SAT", ".sat"));
            let (d, a, b) = (r.dst(1)?, r.packed()?, r.packed()?);
            if single {
                let widen = ptx(r, &format!("cvt.f32.{}", kind.trim_end_matches("x2")))?.0;
                return Ok(Some(Op::HAddF32 { d, a: low(a), b: low(b), widen }));
            }
            let op = if name == "HADD2" { "add" } else { "mul" };
            lanes(r, To::Word(d), &format!("{op}{ftz}{sat}.{kind}"), [a, b])?
        }
        "HFMA2" => {
            let _ = r.take("MMA");
            let kind = half_type(r);
            let (ftz, sat) = (option(r, "FTZ", ".ftz"), option(r, "SAT", ".sat"));
            let relu = option(r, "RELU", ".relu");
            let (d, a, b, c) = (r.dst(1)?, r.packed()?, r.packed()?, r.packed()?);
            if !r.optional_pred()?.always() {
                return r.refuse("its predicate is not executed");
            }
            if let (Value::Packed(a, _), Value::Packed(b, _), Value::Packed(c, Halves::Both)) = (a, b, c)
                && a.slot == ZERO
                && b.slot == ZERO
                && c.is_plain()
                && (a.xor != 0) != (b.xor != 0)
                && ftz.is_empty()
                && sat.is_empty()
                && relu.is_empty()
            {
                // -0 + c: how ptxas writes a constant into a register.
                return Ok(Some(Op::Mov { d, a: c }));
            }
            lanes(r, To::Word(d), &format!("fma.rn{ftz}{sat}{relu}.{kind}"), [a, b, c])?
        }
        "HMNMX2" => {
            let kind = half_type(r);
            let ftz = option(r, "FTZ", ".ftz");
            let nan = option(r, "NAN", ".NaN");
            let sign = option(r, "XORSIGN", ".xorsign.abs");
            let (d, a, b, min) = (r.dst(1)?, r.packed()?, r.packed()?, r.pred()?);
            let whole = |value: Value| match value {
                Value::Packed(source, halves) => Value::Packed(Src { and: u32::MAX, ..source }, halves),
                other => other,
            };
            let (a, b) = if sign.is_empty() { (a, b) } else { (whole(a), whole(b)) };
            let least = ptx(r, &format!("min{ftz}{nan}{sign}.{kind}"))?.0;
            let most = ptx(r, &format!("max{ftz}{nan}{sign}.{kind}"))?.0;
            Op::FMinMax { d, a, b, min, least, most }
        }
        "HSETP2" | "HSET2" => {
            let kind = half_type(r);
            let float = r.take("BF");
            let (_, _, test) = comparison(r)?;
            if r.take("H_AND") {
                return r.refuse("`.H_AND` is not executed");
            }
            let (ftz, combine) = (option(r, "FTZ", ".ftz"), combination(r));
            if name == "HSETP2" {
                let (p, q, a, b, with) = (r.pred_dst()?, r.pred_dst()?, r.packed()?, r.packed()?, r.pred()?);
                let given = [a, b, Value::Truth(with)];
                lanes(r, To::Truth(p, q), &format!("setp.{test}{combine}{ftz}.{kind}"), given)?
            } else {
                let (d, a, b, with) = (r.dst(1)?, r.packed()?, r.packed()?, r.pred()?);
                let to = if float { kind } else { "u32" };
                let given = [a, b, Value::Truth(with)];
                lanes(r, To::Word(d), &format!("set.{test}{combine}{ftz}.{to}.{kind}"), given)?
            }
        }
        "F2F" | "FRND" | "F2I" | "I2F" | "I2FP" | "F2FP" | "I2I" | "I2IP" => convert(name, r)?,
        "IDP" => {
            let form = r.choose(&[("4A", "dp4a"), ("2A.LO", "dp2a.lo"), ("2A.HI", "dp2a.hi")]).unwrap_or("dp4a");
            let kinds = [("U8", ".u32"), ("S8", ".s32"), ("U16", ".u32"), ("S16", ".s32")];
            let (Some(one), Some(other)) = (r.choose(&kinds), r.choose(&kinds)) else {
                return r.refuse("its types are missing");
            };
            let d = r.dst(1)?;
            let given = [Value::Word(r.int()?), Value::Word(r.int()?), Value::Word(r.int()?)];
            lanes(r, To::Word(d), &format!("{form}{one}{other}"), given)?
        }
        _ => return Ok(None),
    }))
}

/// PTX's type of packed halves.
fn half_type(r: &mut Reader<'_>) -> &'static str {
    if r.take("BF16_V2") { "bf16x2" } else { "f16x2" }
}

/// The lower of packed halves.
fn low(value: Value) -> Value {
    match value {
        Value::Packed(source, Halves::High) => Value::Part(source, 16),
        Value::Packed(source, Halves::Both | Halves::Low) => Value::Word(source),
        other => other,
    }
}

fn mufu(r: &mut Reader<'_>) -> Decoded<Op> {
    let rest = r.rest();
    let (function, kind) = (rest.first().copied().unwrap_or_default(), rest.get(1).copied().unwrap_or_default());
    let d = r.dst(1)?;
    if !kind.is_empty() {
        let opcode = match (function, kind) {
            ("EX2", "F16") => "ex2.approx.f16",
            ("EX2", "BF16") => "ex2.approx.ftz.bf16",
            ("TANH", "F16") => "tanh.approx.f16",
            ("TANH", "BF16") => "tanh.approx.bf16",
            _ => return r.refuse("this function of halves is not executed"),
        };
        let a = r.half()?;
        return lanes(r, To::Word(d), opcode, [a]);
    }
    let a = r.float()?;
    let opcode = match function {
        "COS" => return Ok(Op::Turn { d, a, cosine: true }),
        "SIN" => return Ok(Op::Turn { d, a, cosine: false }),
        "EX2" => "ex2.approx.ftz.f32",
        "LG2" => "lg2.approx.ftz.f32",
        "RCP" => "rcp.approx.ftz.f32",
        "RSQ" => "rsqrt.approx.ftz.f32",
        "SQRT" => "sqrt.approx.ftz.f32",
        "TANH" => "tanh.approx.f32",
        "RCP64H" | "RSQ64H" => {
            let (xor, and) = (u64::from(a.xor) << 32, u64::from(a.and) << 32 | 0xffff_ffff);
            let a = Src64 { low: ZERO, high: a.slot, and, xor, add: 0 };
            let opcode = if function == "RCP64H" { "rcp.approx.ftz.f64" } else { "rsqrt.approx.ftz.f64" };
            return lanes(r, To::Upper(d), opcode, [Value::Wide(a)]);
        }
        _ => return r.refuse("this function is not executed"),
    };
    lanes(r, To::Word(d), opcode, [Value::Word(a)])
}
