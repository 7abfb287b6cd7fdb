//! How many floating-point instructions of the GPU each PTX instruction becomes.
//!
//! Without lowering an addition is an addition, a multiplication a multiplication. The `sm_90` lowering knows what
//! ptxas 13.0.88 makes of them, read from its machine code for every instruction form:
//!
//! - `neg` and `abs` are additions, unless everybody who reads the result takes a negated or absolute operand.
//! - Multiplication by 1 is none; by -1 it is a negation.
//! - A saturating conversion is part of what computes its operand.
//! - Approximate functions scale subnormal operands first; an operand that is still needed afterwards is scaled always.
//! - Division, square root and reciprocal are sequences around the special-function unit. What is counted is the way
//!   that ordinary operands take: the one for subnormal and huge operands, which is a subroutine, is not.

use std::collections::HashMap;

use super::Program;
use super::cfg::Cfg;
use super::inst::{Inst, Op, Reg, SlotP};
use super::{sink, uses, vary};
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

const NONE: Arithmetic = Arithmetic { fadd: 0, fmul: 0, ffma: 0, dadd: 0, dmul: 0, dfma: 0 };

/// Single precision: additions, multiplications, fused ones.
const fn single(fadd: u8, fmul: u8, ffma: u8) -> Arithmetic {
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
        let readers = Readers::new(program);
        readers.fold(program, &mut counts);
        program.places = sink::places(program, &counts);
        vary::run(program, &readers, &mut counts);
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
fn factor(program: &Program, op: &Op) -> Option<f64> {
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

/// Who writes and who reads each register.
pub(super) struct Readers {
    readers: HashMap<(bool, u16), Vec<usize>>,
    writers: HashMap<(bool, u16), u32>,
    last_writer: HashMap<(bool, u16), usize>,
    predicate_writers: HashMap<SlotP, Vec<usize>>,
    block_of: Vec<usize>,
    /// First and last instruction of each loop.
    loops: Vec<(usize, usize)>,
}

fn key(reg: Reg) -> Option<(bool, u16)> {
    match reg {
        Reg::W(slot, _) => Some((false, slot)),
        Reg::D(slot) => Some((true, slot)),
        Reg::P(_) | Reg::Q(..) => None,
    }
}

fn destination(inst: &Inst) -> Option<(bool, u16)> {
    let mut found = None;
    uses::visit(inst, &mut |_| {}, &mut |reg| found = key(reg));
    found
}

impl Readers {
    fn new(program: &Program) -> Self {
        let mut this = Self {
            readers: HashMap::new(),
            writers: HashMap::new(),
            last_writer: HashMap::new(),
            predicate_writers: HashMap::new(),
            block_of: vec![0; program.insts.len()],
            loops: Vec::new(),
        };
        let blocks = Cfg::new(program).blocks;
        for (index, block) in blocks.iter().enumerate() {
            this.block_of[block.start as usize..block.end as usize].fill(index);
            let heads = block.successors.iter().map(|&next| blocks[next].start).filter(|&head| head <= block.start);
            this.loops.extend(heads.map(|head| (head as usize, block.end as usize - 1)));
        }
        for (pc, inst) in program.insts.iter().enumerate() {
            if program.is_removed(pc) {
                continue;
            }
            if let Some(target) = destination(inst) {
                this.last_writer.insert(target, pc);
            }
            let Self { readers, writers, predicate_writers, .. } = &mut this;
            uses::visit(
                inst,
                &mut |reg| readers.entry(key(reg).unwrap_or((true, u16::MAX))).or_default().push(pc),
                &mut |reg| {
                    *writers.entry(key(reg).unwrap_or((true, u16::MAX))).or_default() += 1;
                    if let Reg::P(p) = reg {
                        predicate_writers.entry(p).or_default().push(pc);
                    }
                },
            );
        }
        this
    }

    /// Takes away what becomes part of other instructions.
    fn fold(&self, program: &Program, counts: &mut [Arithmetic]) {
        for pc in 0..program.insts.len() {
            let parts = opcode(program, pc);
            if counts[pc] == NONE && !scales(&parts) {
                continue;
            }
            let Some(target) = destination(&program.insts[pc]) else { continue };
            if self.writers.get(&target) != Some(&1) {
                continue;
            }
            let none = Vec::new();
            let readers = self.readers.get(&target).unwrap_or(&none);
            match parts[0] {
                "neg" | "abs" if readers.iter().all(|&reader| takes(&opcode(program, reader))) => {
                    counts[pc] = NONE;
                }
                "cvt" if parts.contains(&"sat") => {
                    // Whoever computes the operand saturates it, if nobody else wants it as it is.
                    let operand = source(&program.insts[pc]);
                    let maker = operand.and_then(|operand| self.maker(operand, pc));
                    if maker.is_some_and(|maker| {
                        matches!(opcode(program, maker)[0], "add" | "sub" | "mul" | "fma") && counts[maker] != NONE
                    }) {
                        counts[pc] = NONE;
                    }
                }
                "rsqrt" | "sqrt" | "lg2" | "ex2" | "div" if scales(&parts) => {
                    // Subnormal operands are scaled. An operand that is needed afterwards must not be overwritten by
                    // that, so it is scaled always and one of the two is selected.
                    let mut kept = 0;
                    uses::visit(&program.insts[pc], &mut |reg| kept += u8::from(self.read_later(reg, pc)), &mut |_| {});
                    counts[pc].fmul += kept;
                }
                _ => {}
            }
        }
    }

    /// The only instruction that writes a register which only `reader` reads.
    fn maker(&self, register: (bool, u16), reader: usize) -> Option<usize> {
        let alone = self.readers.get(&register).is_some_and(|readers| readers == &[reader]);
        if alone && self.writers.get(&register) == Some(&1) { self.last_writer.get(&register).copied() } else { None }
    }

    /// The instruction that makes a register which nobody but `reader` reads.
    pub(super) fn maker_of(&self, reg: Reg, reader: usize) -> Option<usize> {
        self.maker(key(reg)?, reader)
    }

    /// The only instruction that writes a register.
    pub(super) fn sole_maker(&self, reg: Reg) -> Option<usize> {
        let key = key(reg)?;
        if self.writers.get(&key) == Some(&1) { self.last_writer.get(&key).copied() } else { None }
    }

    /// The only instruction that writes a predicate.
    pub(super) fn sole_writer(&self, p: SlotP) -> Option<usize> {
        match self.predicate_writers.get(&p).map(Vec::as_slice) {
            Some(&[writer]) => Some(writer),
            _ => None,
        }
    }

    /// Whether control cannot go elsewhere between two instructions.
    pub(super) fn same_block(&self, a: usize, b: usize) -> bool {
        self.block_of[a] == self.block_of[b]
    }

    /// Whether somebody reads a register after `pc`: further down, or in another block of a loop around both.
    pub(super) fn read_later(&self, reg: Reg, pc: usize) -> bool {
        let again = |at: usize| {
            self.block_of[at] != self.block_of[pc]
                && self.loops.iter().any(|&(first, last)| first <= at && at <= last && first <= pc && pc <= last)
        };
        let readers = key(reg).and_then(|key| self.readers.get(&key));
        readers.is_some_and(|list| list.iter().any(|&at| at > pc || again(at)))
    }
}

/// The register that an instruction with one source reads.
fn source(inst: &Inst) -> Option<(bool, u16)> {
    let mut found = None;
    uses::visit(inst, &mut |reg| found = key(reg), &mut |_| {});
    found
}

/// Whether an approximate function scales subnormal operands first.
fn scales(opcode: &[&str]) -> bool {
    opcode.contains(&"approx") && !opcode.contains(&"ftz") && opcode.last() == Some(&"f32")
}

/// Whether an instruction of the GPU takes the negated (or absolute) value of a source.
fn takes(opcode: &[&str]) -> bool {
    let float = matches!(opcode.last(), Some(&"f32" | &"f64"));
    match opcode[0] {
        "add" | "sub" | "setp" | "min" | "max" | "mul" | "fma" | "mad" | "selp" | "cvt" => float,
        // The sequence of a division or root takes it, too; only its longer way is in need of the value itself.
        "div" | "rcp" | "sqrt" if !opcode.contains(&"approx") => opcode.last() == Some(&"f32"),
        "rcp" | "sqrt" | "rsqrt" | "ex2" | "lg2" => opcode.contains(&"approx") && opcode.contains(&"ftz"),
        _ => false,
    }
}
