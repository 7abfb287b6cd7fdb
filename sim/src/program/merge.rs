//! Pass 2 (`sm_90` lowering): merges adjacent shared-memory accesses into wide ones, as ptxas does.
//!
//! What ptxas 13.0 was seen to do for sm_90: loads (and stores) of a basic block that share base register and guard
//! and whose offsets are adjacent become one access of 64 or 128 bits where the address is provably aligned; three
//! adjacent 32-bit loads become a 128-bit load whose last part nobody uses; `volatile` accesses stay as they are;
//! global accesses are not merged. Predication of short branches is no pass here, because the exact counters
//! (`smsp__sass_inst_executed_op_*`) count an instruction only for warps in which at least one lane is predicated on:
//! a skipped instruction and one that is predicated off everywhere count alike.

use super::Program;
use super::alignment::Alignment;
use super::cfg::Cfg;
use super::inst::{Access, Address, Inst, Op, Pc, Reg, Space};
use super::uses;

/// Widest access, in bytes.
const WIDEST: u32 = 16;

/// Runs the pass.
pub fn run(program: &mut Program) {
    let alignment = Alignment::new(program);
    let cfg = Cfg::new(program);
    for block in &cfg.blocks {
        for kind in [Kind::Load, Kind::Store] {
            while merge_one(program, block.start, block.end, kind, &alignment) {}
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
}

fn candidate(inst: &Inst, kind: Kind) -> Option<&Access> {
    let access = match (&inst.op, kind) {
        (Op::Load(access), Kind::Load) | (Op::Store(access), Kind::Store) => access,
        _ => return None,
    };
    let mergeable = access.space == Space::Shared
        && !access.strong
        && access.bytes >= 4
        && access.width() < WIDEST
        && access.address.base.is_some();
    mergeable.then_some(access)
}

/// Finds and merges one pair in `start..end`; false when there is none left.
fn merge_one(program: &mut Program, start: Pc, end: Pc, kind: Kind, alignment: &Alignment) -> bool {
    for first in start..end {
        let Some(a) = candidate(&program.insts[first as usize], kind).cloned() else { continue };
        let guard = program.insts[first as usize].guard;
        for second in first + 1..end {
            let inst = &program.insts[second as usize];
            if let Some(b) = candidate(inst, kind)
                && inst.guard == guard
                && let Some(merged) = fit(&a, b, kind, alignment)
                && may_move(&program.insts[first as usize..=second as usize], kind)
            {
                let op = match kind {
                    Kind::Load => Op::Load(Box::new(merged)),
                    Kind::Store => Op::Store(Box::new(merged)),
                };
                // A wide load stands where the first part was, a wide store where the last value is known.
                let (keep, drop) = match kind {
                    Kind::Load => (first, second),
                    Kind::Store => (second, first),
                };
                program.insts[keep as usize].op = op;
                program.insts[drop as usize] = Inst { op: Op::Nop, guard: None };
                return true;
            }
            if blocks_all(inst) {
                break;
            }
        }
    }
    false
}

/// The access that does the work of `a` and `b`, if they are neighbours and the whole is aligned.
fn fit(a: &Access, b: &Access, kind: Kind, alignment: &Alignment) -> Option<Access> {
    if a.address.base != b.address.base || a.bytes != b.bytes || a.signed != b.signed {
        return None;
    }
    let base = a.address.base?;
    let (low, high) = if a.address.offset < b.address.offset { (a, b) } else { (b, a) };
    if high.address.offset - low.address.offset != i64::from(low.width()) {
        return None;
    }
    let sum = low.width() + high.width();
    // Three words are loaded as four; a store must not write what the program does not.
    let width = if sum == 12 && kind == Kind::Load { 16 } else { sum };
    let aligned = alignment.of(base).min(low.address.offset.trailing_zeros());
    if !width.is_power_of_two() || width > WIDEST || aligned < width.trailing_zeros() {
        return None;
    }
    let mut registers = low.registers.clone();
    registers.extend(&high.registers);
    registers.resize((width / u32::from(low.bytes)) as usize, None);
    let address = Address { base: Some(base), offset: low.address.offset };
    Some(Access { address, registers, ..low.clone() })
}

/// Nothing is merged across these.
fn blocks_all(inst: &Inst) -> bool {
    matches!(inst.op, Op::Barrier(_) | Op::WarpSync { .. } | Op::Fence | Op::Atomic(_) | Op::Shuffle { .. })
}

/// Whether the last access of `run` can be done where the first is (loads), or the first where the last is (stores).
fn may_move(run: &[Inst], kind: Kind) -> bool {
    let [first, between @ .., last] = run else { return false };
    let moved = if kind == Kind::Load { last } else { first };
    let (Op::Load(access) | Op::Store(access)) = &moved.op else { return false };
    let Some(base) = access.address.base else { return false };
    if kind == Kind::Load && access.registers.iter().flatten().any(|&reg| uses::touches(first, reg)) {
        return false;
    }
    // The first load must not overwrite the base or the guard of the second.
    let fixed: Vec<Reg> = std::iter::once(base).chain(moved.guard.map(|(p, _)| Reg::P(p))).collect();
    if kind == Kind::Load && fixed.iter().any(|&reg| uses::writes(first, reg)) {
        return false;
    }
    between.iter().all(|inst| {
        if blocks_all(inst) || fixed.iter().any(|&reg| uses::writes(inst, reg)) {
            return false;
        }
        let values_free = access.registers.iter().flatten().all(|&reg| match kind {
            Kind::Load => !uses::touches(inst, reg),
            Kind::Store => !uses::writes(inst, reg),
        });
        values_free && !conflicts(inst, access, kind)
    })
}

/// Whether `inst` may touch what `moved` touches, with at least one of them writing.
fn conflicts(inst: &Inst, moved: &Access, kind: Kind) -> bool {
    let other = match (&inst.op, kind) {
        (Op::Store(other), _) | (Op::Load(other), Kind::Store) => other,
        _ => return false,
    };
    if !matches!(other.space, Space::Shared | Space::Generic) {
        return false;
    }
    if other.strong || other.space == Space::Generic || other.address.base != moved.address.base {
        return true;
    }
    let (a, b) = (moved.address.offset, other.address.offset);
    a < b + i64::from(other.width()) && b < a + i64::from(moved.width())
}
