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
//! What becomes part of other instructions is taken away afterwards (`folds`).

use super::Program;
use super::flow::Flow;
use super::inst::{Op, Reg};
use super::{folds, sink, vary};
use crate::Lowering;

/// Floating-point instructions per lane that executes an instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// `FADD`.
    pub fadd: u8,
    /// `FMUL`.
    pub fmul: u8,
    /// `FFMA`.
    pub ffma: u8,
    /// `DADD`.
    pub dadd: u8,
    /// `DMUL`.
    pub dmul: u8,
    /// `DFMA`.
    pub dfma: u8,
}

/// Nothing.
pub(super) const NONE: Arithmetic = Arithmetic { fadd: 0, fmul: 0, ffma: 0, dadd: 0, dmul: 0, dfma: 0 };

/// Single precision: additions, multiplications, fused ones.
pub(super) const fn single(fadd: u8, fmul: u8, ffma: u8) -> Arithmetic {
    Arithmetic { fadd, fmul, ffma, ..NONE }
}

/// Double precision, likewise.
const fn double(dadd: u8, dmul: u8, dfma: u8) -> Arithmetic {
    Arithmetic { dadd, dmul, dfma, ..NONE }
}

/// Fills in [`Program::arithmetic`].
pub fn run(program: &mut Program, lowering: Lowering) {
    let lowered = lowering == Lowering::Sm90;
    let mut counts: Vec<Arithmetic> = (0..program.insts.len()).map(|pc| instruction(program, pc, lowered)).collect();
    if lowered {
        let flow = Flow::new(program);
        folds::run(program, &flow, &mut counts);
        program.places = sink::places(program, &flow, &counts);
        vary::run(program, &flow, &mut counts);
    }
    program.arithmetic = counts;
}

/// The parts of an instruction's opcode; a sum that took a product in is a fused operation.
pub(super) fn opcode(program: &Program, pc: usize) -> Vec<&str> {
    let mut parts: Vec<&str> = program.opcode(pc).split('.').collect();
    let fused = match &program.insts[pc].op {
        Op::Fma32 { .. } | Op::Fma64 { .. } => true,
        Op::Lane(lane) => lane.src.len() == 3,
        _ => false,
    };
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
    match op {
        &Op::F32 { a, b, .. } => word(a).or_else(|| word(b)),
        &Op::F64 { a, b, .. } => long(a).or_else(|| long(b)),
        Op::Lane(lane) => lane.src.iter().find_map(|&(reg, _)| match reg {
            Reg::W(slot, _) => word(slot),
            Reg::D(slot) => long(slot),
            _ => None,
        }),
        _ => None,
    }
}
