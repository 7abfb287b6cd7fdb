//! Loads, stores, atomics, asynchronous copies and matrices.

use super::constants::Decoded;
use super::reader::Reader;
use crate::machine_code::op::{Access, Address, Atomic, AtomicOp, MatrixProduct, Op, Slot, Space, ZERO};
use crate::memory::banks::SharedUnit;
use crate::semantics::LaneOp;
use crate::semantics::matrix::{Accumulator, Element, Product};

/// What an access may say of caches and order; it changes nothing of what one instruction computes. True where it looks past the L1
/// cache: not one that is ordered for its own block only, as `ld.global.ca` is.
fn hints(r: &mut Reader<'_>) -> bool {
    r.rest_where(|modifier| modifier == "STRONG.SM");
    let strong = r.rest_where(|modifier| modifier.starts_with("STRONG.") || modifier.starts_with("MMIO."));
    r.rest_where(|modifier| {
        matches!(
            modifier,
            "E" | "EF" | "EL" | "LU" | "EU" | "NA" | "LTC64B" | "LTC128B" | "LTC256B" | "BYPASS" | "PRIVATE"
        ) || modifier.starts_with("CONSTANT")
            || modifier.starts_with("GPU.")
    });
    strong
}

/// Bytes of each lane, and whether they are extended with their sign.
fn size(r: &mut Reader<'_>) -> (u32, bool) {
    let sizes = [
        ("U8", (1, false)),
        ("S8", (1, true)),
        ("U16", (2, false)),
        ("S16", (2, true)),
        ("64", (8, false)),
        ("128", (16, false)),
    ];
    r.choose(&sizes).unwrap_or((4, false))
}

/// Decodes an instruction; `None` if it does not access memory.
pub(super) fn decode(name: &str, r: &mut Reader<'_>) -> Decoded<Option<Op>> {
    let space = match name {
        "LDG" | "STG" | "ATOMG" | "REDG" => Space::Global,
        "LDS" | "STS" | "ATOMS" => Space::Shared,
        "LDL" | "STL" => Space::Local,
        _ => Space::Generic,
    };
    Ok(Some(match name {
        "LDG" | "LDS" | "LDL" | "LD" => {
            let ((bytes, signed), strong) = (size(r), hints(r));
            if r.optional_pred_dst()?.number != 7 {
                return r.refuse("its predicate is not executed");
            }
            let register = r.register(bytes.div_ceil(4) as u8)?;
            let address = r.address()?;
            if r.peek().is_some() && !r.pred()?.always() {
                return r.refuse("its predicate is not executed");
            }
            Op::Load(Access { space, address, bytes, signed, strong, register })
        }
        "STG" | "STS" | "STL" | "ST" => {
            let ((bytes, signed), strong) = (size(r), hints(r));
            let address = r.address()?;
            let register = r.register(bytes.div_ceil(4) as u8)?;
            Op::Store(Access { space, address, bytes, signed, strong, register })
        }
        "ATOMG" | "ATOM" | "ATOMS" | "REDG" => atomic(name, space, r)?,
        "LDGSTS" => {
            let (bytes, _) = size(r);
            let _ = (hints(r), r.take("ZFILL"));
            let (to, from) = (r.address()?, r.address()?);
            let fill = if r.peek().is_some() { Some(r.pred()?) } else { None };
            Op::CopyAsync { to, from, bytes, fill }
        }
        "LDSM" | "STSM" => {
            let _ = r.take("16");
            let Some(transposed) = r.choose(&[("M88", false), ("MT88", true)]) else {
                return r.refuse("this shape of matrices is not executed");
            };
            let count = r.choose(&[("2", 2), ("4", 4)]).unwrap_or(1);
            if name == "LDSM" {
                Op::LoadMatrix { d: r.dst(count as u8)?, address: r.address()?, count, transposed }
            } else {
                let address = r.address()?;
                Op::StoreMatrix { a: r.register(count as u8)?, address, count, transposed }
            }
        }
        "QSPC" => {
            let _ = r.take("E");
            let Some(space) = r.choose(&[("S", Space::Shared), ("L", Space::Local), ("G", Space::Global)]) else {
                // No block of another multiprocessor is there to be asked for.
                let _ = r.take("D");
                let p = r.pred_dst()?;
                let (_, address) = (r.dst(1)?, r.address()?);
                return Ok(Some(Op::IsSpace { p, space: Space::Generic, address }));
            };
            let p = r.pred_dst()?;
            let (_, mut address) = (r.dst(1)?, r.address()?);
            address.base_high = next(r, address.base)?;
            Op::IsSpace { p, space, address }
        }
        "HMMA" | "IMMA" | "BMMA" | "DMMA" => product(name, r)?,
        "MOVM" => {
            let _ = r.take("16");
            if !r.take("MT88") {
                return r.refuse("this shape of matrices is not executed");
            }
            Op::Transpose { d: r.dst(1)?, a: r.int()? }
        }
        "LDC" => load_constant(r)?,
        _ => return Ok(None),
    }))
}

/// The register behind one.
fn next(r: &Reader<'_>, slot: Slot) -> Decoded<Option<Slot>> {
    match slot {
        Slot::Lane(number) if number < 254 => Ok(Some(Slot::Lane(number + 1))),
        Slot::Warp(number) if number < 62 => Ok(Some(Slot::Warp(number + 1))),
        ZERO => Ok(Some(ZERO)),
        _ => r.refuse("an address does not fit the registers"),
    }
}

fn load_constant(r: &mut Reader<'_>) -> Decoded<Op> {
    use sass::operand::{Bank, Register, Value};
    let (bytes, signed) = size(r);
    let d = r.dst(bytes.div_ceil(4) as u8)?;
    let operand = r.operand()?;
    let Value::Constant(constant) = &operand.value else { return r.refuse("its constant is missing") };
    let Bank::Bound(bank) = constant.bank else { return r.refuse("bindless constants are not executed") };
    let index = match constant.index {
        None | Some(Register::Zero | Register::UniformZero) => None,
        Some(Register::Thread(number)) => Some(r.lane_slot(number)),
        Some(Register::Uniform(number)) => Some(Slot::Warp(number)),
    };
    Ok(Op::LoadConstant { d, bank, index, offset: constant.offset, bytes, signed })
}

fn atomic(name: &str, space: Space, r: &mut Reader<'_>) -> Decoded<Op> {
    let _ = hints(r);
    let spins = r.take("CAST");
    let _ = r.take("SPIN");
    let cas = r.take("CAS");
    let popc = r.take("POPC.INC.32");
    let ops = [
        ("ADD", AtomicOp::Add),
        ("MIN", AtomicOp::Min),
        ("MAX", AtomicOp::Max),
        ("INC", AtomicOp::Inc),
        ("DEC", AtomicOp::Dec),
        ("AND", AtomicOp::And),
        ("OR", AtomicOp::Or),
        ("XOR", AtomicOp::Xor),
        ("EXCH", AtomicOp::Exch),
    ];
    let named = r.choose(&ops);
    let _ = r.take("32");
    let kinds = [("64", (8, false)), ("S32", (4, true)), ("S64", (8, true)), ("128", (16, false))];
    let (mut bytes, signed) = r.choose(&kinds).unwrap_or((4, false));
    let mut elements = 1;
    let mut op = match (spins, cas, popc, named) {
        (true, ..) => AtomicOp::CasSpin,
        (_, true, ..) => AtomicOp::Cas,
        (_, _, true, _) => AtomicOp::PopcInc,
        (.., Some(AtomicOp::Min)) if signed => AtomicOp::MinSigned,
        (.., Some(AtomicOp::Max)) if signed => AtomicOp::MaxSigned,
        (.., Some(op)) => op,
        _ => return r.refuse("its operation is missing"),
    };
    let floats = r.rest_of(|modifier| modifier.starts_with('F') || modifier.starts_with("BF"));
    let _ = r.rest_where(|modifier| modifier == "RN" || modifier == "FTZ");
    if let Some(kind) = floats {
        let parts: Vec<&str> = kind.split('.').collect();
        let (kind, flush) = (parts[0], parts.contains(&"FTZ"));
        (op, bytes, elements) = floating(r, op, kind, flush)?;
    }
    let result = name != "REDG";
    let success = if matches!(name, "ATOMG" | "ATOM") { r.pred_dst()?.number } else { 7 };
    let words = ((bytes * elements) / 4) as u8;
    let register = match result {
        true if op == AtomicOp::CasSpin => Some(r.register(1)?),
        true => Some(r.register(words)?),
        false => None,
    };
    let address = r.address()?;
    let source =
        |r: &mut Reader<'_>| -> Decoded<Slot> { if r.peek().is_none() { Ok(ZERO) } else { r.slot_wide(words) } };
    let (a, b) = (source(r)?, source(r)?);
    let unit = match op {
        AtomicOp::PopcInc => SharedUnit::Increment,
        AtomicOp::Cas => SharedUnit::CompareAndSwap,
        AtomicOp::CasSpin => SharedUnit::LoopStep,
        _ => SharedUnit::Alu,
    };
    let mut address: Address = address;
    if space == Space::Generic && address.base_high.is_none() && address.base != ZERO {
        address.base_high = next(r, address.base)?;
    }
    if space == Space::Global && address.base_high.is_none() && address.base != ZERO {
        address.base_high = next(r, address.base)?;
    }
    Ok(Op::Atomic(Box::new(Atomic { op, space, address, bytes, elements, result: register, success, a, b, unit })))
}

/// Operation, bytes of an element and number of elements of a floating-point atomic.
fn floating(r: &Reader<'_>, op: AtomicOp, kind: &str, flush: bool) -> Decoded<(AtomicOp, u32, u32)> {
    let packed = |opcode: &str| match LaneOp::decode(&opcode.split('.').collect::<Vec<_>>()) {
        Ok(Some((op, _))) => Ok(op),
        _ => r.refuse(&format!("it would be `{opcode}`, which is not executed")),
    };
    let elements = match kind.rsplit_once('x').map_or("", |(_, count)| count) {
        "4" => 2,
        "8" => 4,
        _ => 1,
    };
    Ok(match (op, kind) {
        (AtomicOp::Add, "F32") => (AtomicOp::AddF32 { flush }, 4, 1),
        (AtomicOp::Add, "F32x2") => (AtomicOp::AddF32 { flush }, 4, 2),
        (AtomicOp::Add, "F32x4") => (AtomicOp::AddF32 { flush }, 4, 4),
        (AtomicOp::Add, "F64") => (AtomicOp::AddF64, 8, 1),
        (AtomicOp::Add, "F16x2" | "F16x4" | "F16x8") => (AtomicOp::AddHalves(packed("add.rn.f16x2")?), 4, elements),
        (AtomicOp::Add, "BF16x2" | "BF16x4" | "BF16x8") => (AtomicOp::AddHalves(packed("add.rn.bf16x2")?), 4, elements),
        (AtomicOp::Min, "F16x2" | "F16x4" | "F16x8") => (AtomicOp::MinHalves(packed("min.f16x2")?), 4, elements),
        (AtomicOp::Max, "F16x2" | "F16x4" | "F16x8") => (AtomicOp::MinHalves(packed("max.f16x2")?), 4, elements),
        (AtomicOp::Min, "BF16x2" | "BF16x4" | "BF16x8") => (AtomicOp::MinHalves(packed("min.bf16x2")?), 4, elements),
        (AtomicOp::Max, "BF16x2" | "BF16x4" | "BF16x8") => (AtomicOp::MinHalves(packed("max.bf16x2")?), 4, elements),
        _ => return r.refuse("this floating-point atomic is not executed"),
    })
}

fn product(name: &str, r: &mut Reader<'_>) -> Decoded<Op> {
    use sass::operand::{Sign, Value};
    let rest = r.rest();
    let has = |modifier: &str| rest.contains(&modifier);
    let shape = match rest.first().copied() {
        Some("1688") => (16, 8, 8),
        Some("16816") => (16, 8, 16),
        Some("1684") => (16, 8, 4),
        Some("8816") => (8, 8, 16),
        Some("16832") => (16, 8, 32),
        Some("8x8x4") => (8, 8, 4),
        Some("16x8x4") => (16, 8, 4),
        Some("16x8x8") => (16, 8, 8),
        Some("16x8x16") => (16, 8, 16),
        Some("88128") => (8, 8, 128),
        Some("168128") => (16, 8, 128),
        Some("168256") => (16, 8, 256),
        _ => return r.refuse("this shape is not executed"),
    };
    let (a, b, c) = match name {
        "HMMA" => {
            let element = if has("BF16") {
                Element::BF16
            } else if has("TF32") {
                Element::TF32
            } else {
                Element::F16
            };
            (element, element, if rest.get(1) == Some(&"F32") { Accumulator::F32 } else { Accumulator::F16 })
        }
        "IMMA" => {
            let kind = |at: usize| if rest.get(at) == Some(&"S8") { Element::S8 } else { Element::U8 };
            (kind(1), kind(2), Accumulator::S32)
        }
        "BMMA" => (Element::B1, Element::B1, Accumulator::S32),
        _ if rest.len() > 1 => return r.refuse("this rounding is not executed"),
        _ => (Element::F64, Element::F64, Accumulator::F64),
    };
    let words = |elements: usize, bits: u32| (elements as u32 * bits / 32 / 32) as u8;
    let (m, n, k) = shape;
    let d = r.register(words(m * n, c.bits()))?;
    let source = |r: &mut Reader<'_>, count: u8| -> Decoded<u8> {
        if r.peek().is_some_and(|operand| operand.negate != Sign::Kept || operand.absolute) {
            return r.refuse("a sign of a matrix is not executed");
        }
        if !matches!(r.peek().map(|operand| &operand.value), Some(Value::Register(_))) {
            return r.refuse("a matrix is no register");
        }
        r.register(count)
    };
    let (from_a, from_b) = (source(r, words(m * k, a.bits()))?, source(r, words(k * n, b.bits()))?);
    let from_c = source(r, words(m * n, c.bits()))?;
    if r.peek().is_some() {
        return r.refuse("its predicate is not executed");
    }
    let product = Product { a, b, c, saturate: has("SAT"), and: has("AND"), step: k };
    Ok(Op::Product(Box::new(MatrixProduct { shape, product, d, a: from_a, b: from_b, c: from_c })))
}
