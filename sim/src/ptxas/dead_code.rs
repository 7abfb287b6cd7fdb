//! `sm_90` lowering: finds what nobody needs, which every compiler removes.
//!
//! An instruction without effect beyond its destination goes when no instruction that stays reads that destination:
//! loads that are not `volatile`, arithmetic, products of matrices, and what lanes tell each other (`shfl`, `vote`,
//! `match`, `redux`, `elect`, although lanes wait for each other there): ptxas 13.0.88 removes them too. Such
//! instructions are still executed, because their faults are worth finding, but not counted. Vector loads shrink to the
//! elements that are used (`trim` says how). The result of an atomic that nobody reads is dropped, which makes a
//! reduction of a global one. Registers are looked at without regard to order, so a value that is overwritten
//! before it is read stays.

use std::collections::HashSet;

use crate::ir::edit::insert_behind;
use crate::ir::inst::{Access, Address, CONSTANT, Inst, MatrixKind, Op, Reg, ops};
use crate::ir::{Program, operands};

/// The registers whose values reach an effect.
pub(crate) struct Needed(HashSet<(u8, u16)>);

impl Needed {
    /// Looks at a program.
    pub(crate) fn of(program: &Program) -> Self {
        find(program).1
    }

    /// Whether a register is one of them.
    pub(crate) fn has(&self, reg: Reg) -> bool {
        keys(reg).any(|key| self.0.contains(&key))
    }
}

/// Which instructions stay, and the registers for which they do.
fn find(program: &Program) -> (Vec<bool>, Needed) {
    let mut needed: HashSet<(u8, u16)> = HashSet::new();
    let mut stays = vec![false; program.insts.len()];
    let mut changed = true;
    while changed {
        changed = false;
        // Backwards, because most readers stand behind what they read.
        for (pc, inst) in program.insts.iter().enumerate().rev() {
            if stays[pc] {
                continue;
            }
            let mut stay = has_effect(&inst.op);
            operands::visit(inst, &mut |_| {}, &mut |reg| stay |= keys(reg).any(|key| needed.contains(&key)));
            if stay {
                stays[pc] = true;
                changed = true;
                operands::visit(inst, &mut |reg| needed.extend(keys(reg)), &mut |_| {});
            }
        }
    }
    (stays, Needed(needed))
}

/// Runs the pass.
pub(crate) fn run(program: &mut Program) {
    let (stays, needed) = find(program);
    drop_results(program, &needed);
    for (instruction, stays) in program.insts.iter_mut().zip(stays) {
        instruction.removed = !stays;
    }
    let mut second = Vec::new();
    for (pc, inst) in program.insts.iter_mut().enumerate() {
        let (guard, removed) = (inst.guard, inst.removed);
        if let Op::Load(access) = &mut inst.op
            && !access.strong
            && !removed
            && let Some(rest) = trim(access, |reg| needed.has(reg))
        {
            second.push((pc, Inst { op: Op::Load(Box::new(rest)), guard }));
        }
    }
    insert_behind(program, second);
}

/// Takes the results that nobody needs from atomics; from a vector only if nobody needs any of its elements.
fn drop_results(program: &mut Program, needed: &Needed) {
    let mut at = 0;
    while at < program.insts.len() {
        let count =
            if let Op::Atomic(atomic) = &program.insts[at].op { usize::from(atomic.elements.max(1)) } else { 1 };
        let end = (at + count).min(program.insts.len());
        let atomics = program.insts[at..end]
            .iter_mut()
            .filter_map(|inst| if let Op::Atomic(atomic) = &mut inst.op { Some(atomic) } else { None });
        let atomics: Vec<_> = atomics.collect();
        if !atomics.iter().any(|atomic| atomic.result.is_some_and(|reg| needed.has(reg))) {
            atomics.into_iter().for_each(|atomic| atomic.result = None);
        }
        at = end;
    }
}

/// Takes the elements that nobody needs from a vector load, as far as ptxas does it: a single element is loaded alone;
/// of four words, the first two or the last two as two; any other two words one by one (the second load is returned);
/// three or four as they are. Of narrower elements only single ones, and the last two of four bytes.
fn trim(access: &mut Access, needed: impl Fn(Reg) -> bool) -> Option<Access> {
    let used: Vec<usize> =
        (0..access.registers.len()).filter(|&at| access.registers[at].is_some_and(&needed)).collect();
    let part = |from: usize, count: usize| {
        let offset = access.address.offset + from as i64 * i64::from(access.bytes);
        let registers = access.registers[from..from + count].to_vec();
        Access { address: Address { offset, ..access.address }, registers, ..access.clone() }
    };
    let (first, second) = match (access.bytes, access.registers.len(), &used[..]) {
        (_, 2 | 4, &[one]) => (part(one, 1), None),
        (4, 4, &[0, 1] | &[2, 3]) | (1, 4, &[2, 3]) => (part(used[0], 2), None),
        (4, 4, &[one, other]) => (part(one, 1), Some(part(other, 1))),
        _ => return None,
    };
    let overwrites = |load: &Access| load.registers.iter().flatten().any(|&reg| Some(reg) == load.address.base);
    if second.is_some() && overwrites(&first) {
        return None;
    }
    *access = first;
    second
}

fn keys(reg: Reg) -> impl Iterator<Item = (u8, u16)> {
    let (first, second) = match reg {
        Reg::W(slot, _) => ((0, slot), None),
        Reg::D(slot) => ((1, slot), None),
        Reg::P(slot) => ((2, slot), None),
        Reg::Q(low, high) => ((1, low), Some((1, high))),
    };
    [Some(first), second].into_iter().flatten().filter(|&(file, slot)| file == 2 || slot & CONSTANT == 0)
}

/// Whether an instruction does more than to write its destination.
fn has_effect(op: &Op) -> bool {
    match op {
        ops!(lane_local) | ops!(query) => false,
        Op::Load(access) => access.strong,
        Op::Store(_) | Op::Atomic(_) | Op::Copy(_) | Op::Bulk(_) => true,
        Op::Shuffle { .. } | Op::Vote { .. } | Op::Match { .. } | Op::Redux { .. } | Op::Elect { .. } => false,
        Op::Matrix(matrix) => match &matrix.kind {
            MatrixKind::Transfer(transfer) => transfer.store,
            MatrixKind::Rows(rows) => rows.store,
            MatrixKind::Multiply(_) | MatrixKind::Transpose { .. } => false,
        },
        ops!(sync) | ops!(control) | ops!(stop) | ops!(system) => true,
    }
}
