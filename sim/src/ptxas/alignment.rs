//! How many low bits of a register are known to be zero: decides whether an access may become a wider one.
//!
//! Flow-insensitive: a register's value has the alignment of its least aligned definition. The iteration starts
//! from "everything is aligned" and only ever lowers, so loops settle.

use std::collections::{HashMap, HashSet};

use crate::ir::inst::{CONSTANT, Int32, Int64, Op, Reg, ops};
use crate::ir::{Program, operands};

/// More than any address has.
const ALL: u32 = 64;

/// Known trailing zero bits of every register.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    known: HashMap<(bool, u16), u32>,
    constants32: Vec<u32>,
    constants64: Vec<u64>,
    /// Slots that are defined once, by a shift to the left, and read once: ptxas folds the shift into its reader.
    folded_shifts: HashSet<u16>,
}

fn key(reg: Reg) -> Option<(bool, u16)> {
    match reg {
        Reg::W(slot, _) => Some((false, slot)),
        Reg::D(slot) => Some((true, slot)),
        Reg::P(_) | Reg::Q(..) => None,
    }
}

impl Alignment {
    /// Analyses a program.
    pub(super) fn new(program: &Program) -> Self {
        let mut this = Self {
            known: program.slots.start.values().map(|&slot| ((false, slot), 0)).collect(),
            constants32: program.slots.constants32.clone(),
            constants64: program.slots.constants64.clone(),
            folded_shifts: folded_shifts(program),
        };
        let mut changed = true;
        while changed {
            changed = false;
            for inst in &program.insts {
                let bits = this.of_result(&inst.op);
                operands::visit(inst, &mut |_| {}, &mut |written| {
                    if let Some(key) = key(written) {
                        let slot = this.known.entry(key).or_insert(ALL);
                        if bits < *slot {
                            *slot = bits;
                            changed = true;
                        }
                    }
                });
            }
        }
        this
    }

    /// Known trailing zero bits of `reg`.
    pub(super) fn of(&self, reg: Reg) -> u32 {
        match reg {
            Reg::W(slot, _) if slot & CONSTANT != 0 => self.constants32[usize::from(slot & !CONSTANT)].trailing_zeros(),
            Reg::D(slot) if slot & CONSTANT != 0 => self.constants64[usize::from(slot & !CONSTANT)].trailing_zeros(),
            Reg::W(..) | Reg::D(_) | Reg::P(_) | Reg::Q(..) => {
                key(reg).and_then(|key| self.known.get(&key).copied()).unwrap_or(ALL)
            }
        }
    }

    fn w(&self, slot: u16) -> u32 {
        let bits = self.of(Reg::W(slot, 32));
        if bits >= 32 { ALL } else { bits }
    }

    fn d(&self, slot: u16) -> u32 {
        self.of(Reg::D(slot))
    }

    fn of_result(&self, op: &Op) -> u32 {
        let bits = match *op {
            Op::Mov32 { a, .. } | Op::Widen { a, .. } => self.w(a),
            Op::Mov64 { a, .. } | Op::Narrow { a, .. } => self.d(a),
            Op::Int32 { op, a, b, .. } => match op {
                Int32::Add | Int32::Or | Int32::Xor => self.w(a).min(self.w(b)),
                Int32::Mul => self.w(a) + self.w(b),
                Int32::And => self.w(a).max(self.w(b)),
                Int32::Shl if b & CONSTANT != 0 => self.w(a) + self.constants32[usize::from(b & !CONSTANT)].min(32),
                Int32::Shl => self.w(a),
                // A shift that only this subtraction reads becomes a multiply-add with a negative factor.
                Int32::Sub if self.folded_shifts.contains(&b) => self.w(a).min(self.w(b)),
                // ptxas knows nothing of other differences, of minima and maxima, so neither do we.
                Int32::Sub | Int32::MinS | Int32::MinU | Int32::MaxS | Int32::MaxU | Int32::ShrS | Int32::ShrU => 0,
                Int32::MulHiU | Int32::MulHiS | Int32::CountBoth => 0,
            },
            Op::Mad32 { a, b, c, .. } => (self.w(a) + self.w(b)).min(self.w(c)),
            Op::Int64 { op, a, b, .. } => match op {
                Int64::Add | Int64::Or | Int64::Xor => self.d(a).min(self.d(b)),
                Int64::Sub => 0,
                Int64::Mul => self.d(a) + self.d(b),
                Int64::And => self.d(a).max(self.d(b)),
            },
            Op::Shl64 { a, b, .. } if b & CONSTANT != 0 => {
                self.d(a) + self.constants32[usize::from(b & !CONSTANT)].min(64)
            }
            Op::Shl64 { a, .. } => self.d(a),
            Op::MulWide { a, b, .. } => self.w(a) + self.w(b),
            Op::MadWide { a, b, c, .. } => (self.w(a) + self.w(b)).min(self.d(c)),
            Op::Select32 { a, b, .. } => self.w(a).min(self.w(b)),
            Op::Select64 { a, b, .. } => self.d(a).min(self.d(b)),
            // The windows of the generic address space are aligned far beyond any access.
            Op::Convert { a, .. } => self.of(a),
            Op::Nop
            | Op::Shr64 { .. }
            | Op::F32 { .. }
            | Op::Fma32 { .. }
            | Op::F64 { .. }
            | Op::Fma64 { .. }
            | Op::Compare32 { .. }
            | Op::Compare64 { .. }
            | Op::PredicateConstant { .. }
            | Op::PredicateMov { .. }
            | Op::Predicate { .. }
            | Op::Lane(_)
            | Op::Varying(_)
            | Op::Pack { .. }
            | Op::Unpack { .. }
            | Op::ReadSpecial { .. }
            | Op::IsSpace { .. }
            | Op::ActiveMask { .. }
            | ops!(memory)
            | ops!(sync)
            | ops!(exchange)
            | ops!(control)
            | ops!(stop)
            | ops!(system) => 0,
        };
        bits.min(ALL)
    }
}

fn folded_shifts(program: &Program) -> HashSet<u16> {
    let mut reads: HashMap<u16, u32> = HashMap::new();
    let mut writes: HashMap<u16, u32> = HashMap::new();
    let mut shifts = HashSet::new();
    for inst in &program.insts {
        let count = |counts: &mut HashMap<u16, u32>, reg| {
            if let Reg::W(slot, _) = reg {
                *counts.entry(slot).or_default() += 1;
            }
        };
        operands::visit(inst, &mut |reg| count(&mut reads, reg), &mut |reg| count(&mut writes, reg));
        if let Op::Int32 { op: Int32::Shl, d, b, .. } = inst.op
            && b & CONSTANT != 0
        {
            shifts.insert(d);
        }
    }
    shifts.retain(|slot| reads.get(slot) == Some(&1) && writes.get(slot) == Some(&1));
    shifts
}
