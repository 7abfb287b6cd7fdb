//! Integers, bits and predicates. Those of the warp (`U…`) are the same with other registers.

use sass::operand::Value;

use super::constants::{Constant, Decoded};
use super::reader::Reader;
use crate::machine_code::op::{Combine, MinMax, Op, Permute, Pred, PredDst, Shift, Src, Src64, Test, ZERO};

pub(super) const TESTS: [(&str, Test); 8] = [
    ("F", Test::False),
    ("LT", Test::Lt),
    ("EQ", Test::Eq),
    ("LE", Test::Le),
    ("GT", Test::Gt),
    ("NE", Test::Ne),
    ("GE", Test::Ge),
    ("T", Test::True),
];
pub(super) const COMBINE: [(&str, Combine); 3] = [("AND", Combine::And), ("OR", Combine::Or), ("XOR", Combine::Xor)];

/// Takes the negative apart: what the carry comes from is the sum of complements and ones.
const fn carried(source: Src) -> (Src, u64) {
    (Src { add: 0, ..source }, source.add as u64)
}

/// Decodes an instruction by its name without the `U`; `None` if it is no integer instruction.
pub(super) fn decode(name: &str, r: &mut Reader<'_>) -> Decoded<Option<Op>> {
    Ok(Some(match name {
        "MOV" => {
            let (d, a) = (r.dst(1)?, r.int()?);
            // Which bytes are written: all of them in all code that ptxas makes.
            if r.peek().is_some() && r.number()? != 15 {
                return r.refuse("a mask of bytes is not executed");
            }
            Op::Mov { d, a }
        }
        "IADD3" => add3(r)?,
        "VIADD" => {
            let halves = r.take("16x2");
            let (d, a, b) = (r.dst(1)?, r.int()?, r.int()?);
            if halves { Op::AddHalves { d, a, b } } else { Op::Add3 { d, a, b, c: Src::plain(ZERO) } }
        }
        "IMAD" => mad(r)?,
        "LEA" => lea(r)?,
        "LOP3" => {
            r.take("LUT");
            let pand = r.take("PAND");
            let p = r.optional_pred_dst()?;
            let (d, a, b, c) = (r.dst(1)?, r.int()?, r.int()?, r.int()?);
            Op::Lop3 { d, p, a, b, c, table: r.number()? as u8, pand, q: r.pred()? }
        }
        "SHF" => {
            let left = r.choose(&[("L", true), ("R", false)]).unwrap_or(false);
            let kinds =
                [("S64", (true, true)), ("U64", (false, true)), ("S32", (true, false)), ("U32", (false, false))];
            let (wraps, high) = (r.take("W"), r.take("HI"));
            let (signed, wide) = r.choose(&kinds).unwrap_or((false, false));
            let (d, a, b, c) = (r.dst(1)?, r.int()?, r.int()?, r.int()?);
            Op::Shf { d, a, b, c, shift: Shift { left, wraps, signed, wide, high } }
        }
        "SEL" => Op::Sel { d: r.dst(1)?, a: r.int()?, b: r.int()?, p: r.pred()? },
        "PRMT" => {
            let modes = [
                ("F4E", Permute::F4E),
                ("B4E", Permute::B4E),
                ("RC8", Permute::Rc8),
                ("ECL", Permute::Ecl),
                ("ECR", Permute::Ecr),
                ("RC16", Permute::Rc16),
            ];
            let mode = r.choose(&modes).unwrap_or(Permute::Index);
            Op::Prmt { d: r.dst(1)?, a: r.int()?, b: r.int()?, c: r.int()?, mode }
        }
        "ISETP" => {
            let Some(test) = r.choose(&TESTS) else { return r.refuse("a comparison is missing") };
            let signed = !r.take("U32");
            let Some(combine) = r.choose(&COMBINE) else { return r.refuse("a combination is missing") };
            let extended = r.take("EX");
            let (p, q, a, b, with) = (r.pred_dst()?, r.pred_dst()?, r.int()?, r.int()?, r.pred()?);
            let extends = if extended { Some(r.pred()?) } else { None };
            Op::ISetp { p, q, test, signed, combine, a, b, with, extends }
        }
        "VIMNMX" | "VIADDMNMX" | "VIMNMX3" => {
            let kind = min_max(r);
            let relu = r.take("RELU");
            let (d, a) = (r.dst(1)?, r.int()?);
            match name {
                "VIMNMX" => {
                    // Predicates that tell which source was taken.
                    if matches!(r.peek().map(|o| &o.value), Some(Value::Predicate(_))) {
                        return r.refuse("its predicates are not executed");
                    }
                    Op::MinMax { d, a, add: None, b: r.int()?, kind, relu, min: r.pred()? }
                }
                "VIADDMNMX" => Op::MinMax { d, a, add: Some(r.int()?), b: r.int()?, kind, relu, min: r.pred()? },
                _ => Op::MinMax3 { d, a, b: r.int()?, c: r.int()?, kind, relu, min: r.pred()? },
            }
        }
        "IABS" => Op::Abs { d: r.dst(1)?, a: r.int()? },
        "VABSDIFF" => {
            let signed = !r.take("U32");
            let d = r.dst(1)?;
            if r.optional_pred_dst()?.number != 7 {
                return r.refuse("its predicate is not executed");
            }
            Op::AbsDiff { d, a: r.int()?, b: r.int()?, c: r.int()?, signed }
        }
        "VABSDIFF4" => {
            let (signed, accumulate) = (!r.take("U8"), r.take("ACC"));
            let d = r.dst(1)?;
            if r.optional_pred_dst()?.number != 7 {
                return r.refuse("its predicate is not executed");
            }
            Op::AbsDiff4 { d, a: r.int()?, b: r.int()?, c: r.int()?, signed, accumulate }
        }
        "POPC" => Op::Popc { d: r.dst(1)?, a: r.int()? },
        "BREV" => Op::Brev { d: r.dst(1)?, a: r.int()? },
        "FLO" => {
            let (signed, shift) = (!r.take("U32"), r.take("SH"));
            Op::Flo { d: r.dst(1)?, p: r.optional_pred_dst()?, a: r.int()?, signed, shift }
        }
        "SGXT" => {
            let (wraps, signed) = (r.take("W"), !r.take("U32"));
            Op::Sgxt { d: r.dst(1)?, a: r.int()?, b: r.int()?, signed, wraps }
        }
        "BMSK" => {
            let wraps = r.take("W");
            Op::Bmsk { d: r.dst(1)?, a: r.int()?, b: r.int()?, wraps }
        }
        "PLOP3" => {
            r.take("LUT");
            if !matches!(r.instruction.encoding.opcode(), 0x81c | 0x89c) {
                return r.refuse("signs of registers as predicates are not executed");
            }
            let (p, q) = (r.pred_dst()?, r.pred_dst()?);
            let (a, b, c) = (r.pred()?, r.pred()?, r.pred()?);
            Op::Plop3 { p, q, a, b, c, first: r.number()? as u8, second: r.number()? as u8 }
        }
        "P2R" => {
            let byte = byte(r);
            let d = r.dst(1)?;
            r.operand()?;
            Op::PredsToReg { d, a: r.int()?, mask: r.number()? as u32, byte }
        }
        "R2P" => {
            r.operand()?;
            let operand = r.operand()?;
            let byte = match operand.part {
                ".B1" => 1,
                ".B2" => 2,
                ".B3" => 3,
                _ => 0,
            };
            let a = Src::plain(r.slot_of(operand, 0)?);
            let mask = if r.peek().is_some() { r.number()? as u32 } else { 0x7f };
            Op::RegToPreds { a, mask, byte }
        }
        _ => return Ok(None),
    }))
}

fn byte(r: &mut Reader<'_>) -> u32 {
    r.choose(&[("B1", 1), ("B2", 2), ("B3", 3)]).unwrap_or(0)
}

fn min_max(r: &mut Reader<'_>) -> MinMax {
    let kinds = [("U32", MinMax::Unsigned), ("U16x2", MinMax::UnsignedHalves), ("S16x2", MinMax::SignedHalves)];
    r.choose(&kinds).unwrap_or(MinMax::Signed)
}

fn add3(r: &mut Reader<'_>) -> Decoded<Op> {
    if r.take("64") {
        return add_wide(r);
    }
    let extended = r.take("X");
    let d = r.dst(1)?;
    let out = [r.optional_pred_dst()?, r.optional_pred_dst()?];
    let (a, b, c) = (r.int()?, r.int()?, r.int()?);
    if !extended && out.iter().all(|p| p.number == 7) {
        return Ok(Op::Add3 { d, a, b, c });
    }
    let never = Pred { number: 7, uniform: false, not: true };
    let carry = if extended { [r.pred()?, r.pred()?] } else { [never; 2] };
    let ((a, x), (b, y), (c, z)) = (carried(a), carried(b), carried(c));
    Ok(Op::Add3Carry { d, out, a, b, c, plus: x + y + z, carry })
}

/// The addition of a constant to two registers of the warp: a product with one, of which the second word is the carry's.
fn add_wide(r: &mut Reader<'_>) -> Decoded<Op> {
    let d = r.dst(2)?;
    let (out, c) = (r.optional_pred_dst()?, r.int64()?);
    let constant = r.peek().and_then(|operand| match operand.value {
        Value::Unsigned(value) => i32::try_from(value).ok(),
        Value::Signed(value) => i32::try_from(value).ok(),
        _ => None,
    });
    let (a, third) = (r.int()?, r.int()?);
    if constant.is_none() || out.number != 7 || third.slot != ZERO {
        return r.refuse("of additions of 64 bits only those of a small constant are executed");
    }
    let b = Src::plain(r.constants.add(Constant::Immediate(1))?);
    Ok(Op::MadWide { d, out, a, b, c, signed: true, high: false, carry: None })
}

fn mad(r: &mut Reader<'_>) -> Decoded<Op> {
    let signed = !r.take("U32");
    let (wide, high, extended) = (r.take("WIDE"), r.take("HI"), r.take("X"));
    // Names for sources that make it simple.
    let _ = r.take("MOV") || r.take("IADD") || r.take("SHL");
    if wide || high {
        let d = r.dst(if wide { 2 } else { 1 })?;
        let (out, a, b, c) = (r.optional_pred_dst()?, r.int()?, r.int()?, r.int64()?);
        let carry = if extended { Some(r.pred()?) } else { None };
        return Ok(Op::MadWide { d, out, a, b, c, signed, high, carry });
    }
    let (d, a, b, c) = (r.dst(1)?, r.int()?, r.int()?, r.int()?);
    let carry = if extended { Some(r.pred()?) } else { None };
    let nothing = |source: Src| source.slot == ZERO && source.is_plain();
    if carry.is_none() {
        if nothing(a) || nothing(b) {
            return Ok(Op::Mov { d, a: c });
        }
        if r.instruction.modifiers.contains(&"IADD") {
            return Ok(Op::Add3 { d, a, b: c, c: Src::plain(ZERO) });
        }
    }
    Ok(Op::Mad { d, a, b, c, carry })
}

fn lea(r: &mut Reader<'_>) -> Decoded<Op> {
    let (high, extended, signed) = (r.take("HI"), r.take("X"), r.take("SX32"));
    let d = r.dst(1)?;
    let (out, a, b) = (r.optional_pred_dst()?, r.int()?, r.int()?);
    let c = if high && !signed { r.int()? } else { Src::plain(ZERO) };
    let shift = r.number()? as u32;
    let never = Pred { number: 7, uniform: false, not: true };
    let carry = if extended { r.pred()? } else { never };
    if !high && !extended && out.number == 7 {
        return Ok(Op::Lea { d, a, b, shift });
    }
    let (b, plus) = carried(b);
    if a.add != 0 && (high || out.number != 7) {
        // The negative of a is one of 64 bits in the upper forms.
        return r.refuse("the negative of its first source is not executed in this form");
    }
    let _: (PredDst, Option<Src64>) = (out, None);
    Ok(Op::LeaCarry { d, out, a, b, c, shift, high, signed, plus, carry })
}
