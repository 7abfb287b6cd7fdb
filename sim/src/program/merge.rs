//! Pass 2 (`sm_90` lowering): merges adjacent shared-memory accesses into wide ones, as ptxas does.
//!
//! What ptxas 13.0 was seen to do for sm_90: loads (and stores) of a basic block that share base register and guard
//! and whose offsets are adjacent become one access of 64 or 128 bits where the address is provably aligned; three
//! adjacent 32-bit loads become a 128-bit load whose last part nobody uses; `volatile` accesses stay as they are;
//! global accesses are not merged. Predication of short branches is no pass here, because the exact counters
//! (`smsp__sass_inst_executed_op_*`) count an instruction only for warps in which at least one lane is predicated on:
//! a skipped instruction and one that is predicated off everywhere count alike.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::Program;
use super::alignment::Alignment;
use super::cfg::Cfg;
use super::inst::{Access, Address, Inst, Op, Pc, Reg, SlotP, Space};
use super::uses;

/// Widest access, in bytes.
const WIDEST: u32 = 16;

/// Runs the pass.
pub fn run(program: &mut Program) {
    let alignment = Alignment::new(program);
    let cfg = Cfg::new(program);
    for block in &cfg.blocks {
        for kind in [Kind::Load, Kind::Store] {
            // A merge can make way for another one across it, so until nothing changes.
            while merge_block(program, block.start..block.end, kind, &alignment) {}
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

/// Merges what it can within a basic block; true when something was merged.
fn merge_block(program: &mut Program, block: Range<Pc>, kind: Kind, alignment: &Alignment) -> bool {
    let mut merged = false;
    let mut start = block.start;
    for pc in block.clone() {
        if blocks_all(&program.insts[pc as usize]) {
            merged |= merge_run(program, start..pc, kind, alignment);
            start = pc + 1;
        }
    }
    merge_run(program, start..block.end, kind, alignment) || merged
}

/// The accesses of a run, to be found by where they begin and end: an unrolled loop holds thousands of them, so that
/// comparing each with each would take minutes.
#[derive(Default)]
struct Edges {
    begins: HashMap<Edge, BTreeSet<Pc>>,
    ends: HashMap<Edge, BTreeSet<Pc>>,
}

/// Base register, guard and offset.
type Edge = (Reg, Option<(SlotP, bool)>, i64);

impl Edges {
    fn of(inst: &Inst, kind: Kind) -> Option<(Edge, Edge)> {
        let Address { base, offset } = candidate(inst, kind)?.address;
        let (base, end) = (base?, offset.checked_add(i64::from(candidate(inst, kind)?.width()))?);
        Some(((base, inst.guard, offset), (base, inst.guard, end)))
    }

    fn insert(&mut self, pc: Pc, (begin, end): (Edge, Edge)) {
        self.begins.entry(begin).or_default().insert(pc);
        self.ends.entry(end).or_default().insert(pc);
    }

    fn remove(&mut self, pc: Pc, (begin, end): (Edge, Edge)) {
        self.begins.entry(begin).or_default().remove(&pc);
        self.ends.entry(end).or_default().remove(&pc);
    }

    /// Accesses that begin where this one ends or end where it begins, in order.
    fn neighbours(&self, (begin, end): (Edge, Edge)) -> BTreeSet<Pc> {
        let (behind, before) = (self.begins.get(&end), self.ends.get(&begin));
        behind.into_iter().chain(before).flatten().copied().collect()
    }
}

/// Merges within a run of instructions that nothing in it divides. The first access that has a partner goes first.
fn merge_run(program: &mut Program, run: Range<Pc>, kind: Kind, alignment: &Alignment) -> bool {
    let mut edges = Edges::default();
    let mut waiting = BTreeSet::new();
    for pc in run {
        if let Some(edge) = Edges::of(&program.insts[pc as usize], kind) {
            edges.insert(pc, edge);
            waiting.insert(pc);
        }
    }
    let mut any = false;
    while let Some(first) = waiting.pop_first() {
        let Some(edge) = Edges::of(&program.insts[first as usize], kind) else { continue };
        let partner = edges.neighbours(edge).into_iter().filter(|&second| second > first).find_map(|second| {
            let (a, b) = (&program.insts[first as usize], &program.insts[second as usize]);
            let merged = fit(candidate(a, kind)?, candidate(b, kind)?, kind, alignment)?;
            may_move(&program.insts[first as usize..=second as usize], kind).then_some((second, merged))
        });
        let Some((second, merged)) = partner else { continue };
        any = true;
        let op = match kind {
            Kind::Load => Op::Load(Box::new(merged)),
            Kind::Store => Op::Store(Box::new(merged)),
        };
        // A wide load stands where the first part was, a wide store where the last value is known.
        let (keep, drop) = match kind {
            Kind::Load => (first, second),
            Kind::Store => (second, first),
        };
        for pc in [first, second] {
            if let Some(edge) = Edges::of(&program.insts[pc as usize], kind) {
                edges.remove(pc, edge);
            }
        }
        program.insts[keep as usize].op = op;
        program.insts[drop as usize] = Inst { op: Op::Nop, guard: None };
        if let Some(edge) = Edges::of(&program.insts[keep as usize], kind) {
            waiting.extend(edges.neighbours(edge));
            waiting.insert(keep);
            edges.insert(keep, edge);
        }
    }
    any
}

/// The access that does the work of `a` and `b`, if they are neighbours and the whole is aligned.
fn fit(a: &Access, b: &Access, kind: Kind, alignment: &Alignment) -> Option<Access> {
    if a.address.base != b.address.base || a.bytes != b.bytes || a.signed != b.signed {
        return None;
    }
    let base = a.address.base?;
    let (low, high) = if a.address.offset < b.address.offset { (a, b) } else { (b, a) };
    if high.address.offset.checked_sub(low.address.offset) != Some(i64::from(low.width())) {
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
    a < b.saturating_add(i64::from(other.width())) && b < a.saturating_add(i64::from(moved.width()))
}
