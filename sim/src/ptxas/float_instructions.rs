//! How many floating-point instructions of the GPU each PTX instruction becomes.
//!
//! Without lowering an addition is an addition, a multiplication a multiplication. The `sm_90` lowering knows what
//! ptxas 13.0.88 makes of them, read from its machine code for every instruction form:
//!
//! - `neg` and `abs` are additions.
//! - Multiplication by 1 is none; by -1 it is a negation.
//! - Division, square root and reciprocal are sequences around the special-function unit. What is counted is the way
//!   that ordinary operands take: the one for subnormal and huge operands, which is a subroutine, is not.
//!
//! What becomes part of other instructions is taken away afterwards ([`modifier_folding`]).

use super::{Emitted, code_sinking, modifier_folding, predicated_arithmetic};
use crate::ir::Program;
use crate::ir::arithmetic::{Arithmetic, NONE, double, single};
use crate::ir::def_use::Flow;
use crate::ir::inst::{Op, Reg};

/// What is counted of every instruction that is counted as it stands.
pub(super) fn as_written(program: &Program) -> Vec<Emitted> {
    let arithmetic = (0..program.insts.len()).map(|pc| instruction(program, pc, false));
    arithmetic.map(|arithmetic| Emitted { arithmetic, ..Emitted::default() }).collect()
}

/// What is counted of every instruction. Those whose number depends on lanes and their operands become [`Op::Varying`].
pub(super) fn run(program: &mut Program) -> Vec<Emitted> {
    let mut counts: Vec<Arithmetic> = (0..program.insts.len()).map(|pc| instruction(program, pc, true)).collect();
    let flow = Flow::new(program);
    modifier_folding::run(program, &flow, &mut counts);
    let places = code_sinking::places(program, &flow, &counts);
    predicated_arithmetic::run(program, &flow, &mut counts, &places);
    counts.into_iter().zip(places).map(|(arithmetic, place)| Emitted { arithmetic, place, votes: 0 }).collect()
}

/// The parts of an instruction's opcode; a sum that took a product in is a fused operation.
pub(super) fn opcode(program: &Program, pc: usize) -> Vec<&str> {
    let mut parts = program.insts[pc].opcode.parts();
    let op = &program.insts[pc].op;
    let fused =
        matches!(op, Op::Fma32 { .. } | Op::Fma64 { .. }) || matches!(op, Op::Lane(lane) if lane.src.len() == 3);
    if fused && matches!(parts[0], "add" | "sub") {
        parts[0] = "fma";
        parts.insert(1, "rn");
    }
    parts
}

fn instruction(program: &Program, pc: usize, lowered: bool) -> Arithmetic {
    let op = &program.insts[pc].op;
    if !matches!(op, Op::F32 { .. } | Op::Fma32 { .. } | Op::F64 { .. } | Op::Fma64 { .. } | Op::Lane(_)) {
        return NONE;
    }
    let parts = opcode(program, pc);
    let has = |part: &str| parts.contains(&part);
    let (wide, name) = match (parts.last(), parts.first()) {
        (Some(&"f32"), Some(&name)) => (false, name),
        (Some(&"f64"), Some(&name)) => (true, name),
        _ => return NONE,
    };
    let plain = match (name, wide) {
        ("add" | "sub", false) => single(1, 0, 0),
        ("add" | "sub", true) => double(1, 0, 0),
        ("mul", false) => single(0, 1, 0),
        ("mul", true) => double(0, 1, 0),
        ("fma" | "mad", false) => single(0, 0, 1),
        ("fma" | "mad", true) => double(0, 0, 1),
        _ => NONE,
    };
    if !lowered {
        return plain;
    }
    let (flush, approximate) = (has("ftz"), has("approx"));
    match (name, wide) {
        ("mul", _) if factor(program, op) == Some(1.0) => NONE,
        ("mul" | "neg" | "abs", _) if name != "mul" || factor(program, op) == Some(-1.0) => {
            if wide {
                double(1, 0, 0)
            } else {
                single(1, 0, 0)
            }
        }
        // A saturating or flushing conversion to the same type is an addition of zero.
        ("cvt", false) if parts.iter().filter(|&&part| part == "f32").count() == 2 => {
            let rounds = parts.iter().any(|part| part.starts_with('r'));
            single(u8::from(!rounds), 0, 0)
        }
        ("div", false) if has("full") || approximate => single(0, 1, 0),
        ("div", false) => single(0, 0, 5),
        ("rcp", false) if approximate => single(0, if flush { 0 } else { 2 }, 0),
        ("rcp", false) => single(1, 0, 2),
        ("sqrt", false) if !approximate => single(0, 2, 2),
        ("sin" | "cos", false) => single(0, 1, 0),
        // The quotient's size is looked at with a single-precision instruction.
        ("div", true) => Arithmetic { ffma: 1, ..double(0, 1, 7) },
        ("rcp", true) if !approximate => double(0, 0, 5),
        ("sqrt", true) => double(0, 3, 5),
        ("rsqrt", true) => double(0, 2, 3),
        _ => plain,
    }
}

/// The constant that a multiplication multiplies by.
pub(super) fn factor(program: &Program, op: &Op) -> Option<f64> {
    let word = |slot: u16| program.slots.value32(slot).map(|bits| f64::from(f32::from_bits(bits)));
    let long = |slot: u16| program.slots.value64(slot).map(f64::from_bits);
    let of_register = |reg: Reg| match reg {
        Reg::W(slot, _) => word(slot),
        Reg::D(slot) => long(slot),
        Reg::P(_) | Reg::Q(..) => None,
    };
    if let &Op::F32 { a, b, .. } = op {
        word(a).or_else(|| word(b))
    } else if let &Op::F64 { a, b, .. } = op {
        long(a).or_else(|| long(b))
    } else if let Op::Lane(lane) = op {
        lane.src.iter().find_map(|&(reg, _)| of_register(reg))
    } else {
        None
    }
}
