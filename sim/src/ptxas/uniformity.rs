//! Which registers hold the same value in all lanes that execute together, as far as a compiler can prove it: decides
//! whether lanes can do an atomic together (`aggregated_atomics.rs`).
//!
//! What ptxas 13.0.88 was seen to take for uniform, on kernels written to find out: constants, kernel parameters, the
//! block's and grid's coordinates and sizes; what is loaded from a uniform address of any space, `volatile` or not;
//! ballots, warp-wide reductions and shuffles from one given lane; and what is computed from these. Not: thread
//! coordinates and anything from them (also `%tid.y`, and `%tid.x / 32`), results of atomics and of `bar.red`. A register
//! with several definitions is uniform if no branch between them is divergent.
//!
//! Registers are looked at without regard to order: one divergent definition makes a register divergent everywhere.

use std::collections::HashMap;

use crate::ir::cfg::Cfg;
use crate::ir::dominators::post_dominators;
use crate::ir::inst::{Inst, Op, Reg, ShuffleMode, Space, ops};
use crate::ir::slots::StartValue;
use crate::ir::{Program, operands};

/// The registers that may differ between lanes.
#[derive(Debug, Default)]
pub(super) struct Uniformity {
    divergent: HashMap<Key, ()>,
}

/// A register without its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    W(u16),
    D(u16),
    P(u16),
}

fn keys(reg: Reg) -> [Option<Key>; 2] {
    match reg {
        Reg::W(slot, _) => [Some(Key::W(slot)), None],
        Reg::D(slot) => [Some(Key::D(slot)), None],
        Reg::P(slot) => [Some(Key::P(slot)), None],
        Reg::Q(low, high) => [Some(Key::D(low)), Some(Key::D(high))],
    }
}

impl Uniformity {
    /// Analyses a program.
    pub(super) fn new(program: &Program) -> Self {
        let mut this = Self::default();
        for (value, &slot) in &program.slots.start {
            if !same_for_all(*value) {
                this.divergent.insert(Key::W(slot), ());
            }
        }
        let definitions = definitions(program);
        let cfg = Cfg::new(program);
        let meets = post_dominators(&cfg);
        let mut block_of = vec![0; program.insts.len()];
        for (index, block) in cfg.blocks.iter().enumerate() {
            block_of[block.start as usize..block.end as usize].fill(index);
        }
        // Blocks that only some lanes of a warp may be executing when others have taken another way.
        let mut parted = vec![false; cfg.blocks.len()];
        loop {
            let before = this.divergent.len();
            for (pc, inst) in program.insts.iter().enumerate() {
                let several = |reg: Reg| keys(reg).into_iter().flatten().any(|key| definitions.get(&key) > Some(&1));
                let own = this.differs(inst);
                let guarded = inst.guard.is_some_and(|(p, _)| this.is_divergent(Reg::P(p)));
                let apart = guarded || parted[block_of[pc]];
                let mut new = Vec::new();
                operands::visit(inst, &mut |_| {}, &mut |reg| {
                    if own || apart && several(reg) {
                        new.push(reg);
                    }
                });
                for key in new.into_iter().flat_map(keys).flatten() {
                    this.divergent.insert(key, ());
                }
            }
            let was = parted.iter().filter(|&&p| p).count();
            for (index, block) in cfg.blocks.iter().enumerate() {
                let last = &program.insts[block.end as usize - 1];
                let divides = last.guard.is_some_and(|(p, _)| this.is_divergent(Reg::P(p)));
                if divides && matches!(last.op, Op::Branch { .. }) {
                    mark_until(&cfg, index, meets[index], &mut parted);
                }
            }
            if this.divergent.len() == before && parted.iter().filter(|&&p| p).count() == was {
                return this;
            }
        }
    }

    /// Whether all lanes hold the same value in `reg`.
    pub(super) fn is_uniform(&self, reg: Reg) -> bool {
        !self.is_divergent(reg)
    }

    fn is_divergent(&self, reg: Reg) -> bool {
        !reg.is_constant() && keys(reg).into_iter().flatten().any(|key| self.divergent.contains_key(&key))
    }

    /// Whether what an instruction computes may differ between its lanes.
    fn differs(&self, inst: &Inst) -> bool {
        let reads_divergent = || {
            let mut found = false;
            operands::visit(inst, &mut |reg| found |= self.is_divergent(reg), &mut |_| {});
            found
        };
        match &inst.op {
            Op::Vote { .. } | Op::Redux { .. } | Op::ActiveMask { .. } => false,
            Op::Shuffle { mode: ShuffleMode::Idx, b, .. } => self.is_divergent(Reg::W(*b, 32)),
            Op::Shuffle { .. } | Op::Match { .. } | Op::Elect { .. } => true,
            Op::Atomic(_) | Op::Barrier(_) | Op::Matrix(_) | Op::ReadSpecial { .. } => true,
            // A thread's own memory holds what differs, at the same address.
            Op::Load(access) if access.space == Space::Local || access.space == Space::Frame => true,
            Op::Load(access) => access.address.base.is_some_and(|base| self.is_divergent(base)),
            Op::Store(_)
            | Op::Convert { .. }
            | Op::IsSpace { .. }
            | Op::WarpSync { .. }
            | Op::Fence
            | Op::CopyStep
            | Op::Copy(_)
            | Op::Bulk(_)
            | ops!(lane_local)
            | ops!(control)
            | ops!(stop)
            | ops!(system) => reads_divergent(),
        }
    }
}

/// How many instructions write each register.
fn definitions(program: &Program) -> HashMap<Key, u32> {
    let mut count = HashMap::new();
    for inst in &program.insts {
        operands::visit(inst, &mut |_| {}, &mut |reg| {
            for key in keys(reg).into_iter().flatten() {
                *count.entry(key).or_default() += 1;
            }
        });
    }
    count
}

/// Marks every block on a way from `from` to where its lanes meet again.
fn mark_until(cfg: &Cfg, from: usize, meet: Option<usize>, parted: &mut [bool]) {
    let mut stack: Vec<usize> = cfg.blocks[from].successors.clone();
    while let Some(block) = stack.pop() {
        if Some(block) == meet || parted[block] {
            continue;
        }
        parted[block] = true;
        stack.extend(&cfg.blocks[block].successors);
    }
}

/// Whether a special register has one value for all lanes of a warp, as a compiler that knows nothing of the launch
/// sees it.
fn same_for_all(value: StartValue) -> bool {
    use StartValue as V;
    match value {
        V::NtidX | V::NtidY | V::NtidZ | V::CtaidX | V::CtaidY | V::CtaidZ => true,
        V::NctaidX | V::NctaidY | V::NctaidZ | V::SmId | V::NsmId | V::GridId => true,
        V::NwarpId | V::DynamicSharedBytes | V::TotalSharedBytes | V::AggregateSharedBytes => true,
        V::ClusterIdX | V::ClusterIdY | V::ClusterIdZ | V::NclusterIdX | V::NclusterIdY | V::NclusterIdZ => true,
        V::ClusterCtaidX | V::ClusterCtaidY | V::ClusterCtaidZ | V::ClusterCtarank => true,
        V::ClusterNctaidX | V::ClusterNctaidY | V::ClusterNctaidZ | V::ClusterNctarank => true,
        V::TidX | V::TidY | V::TidZ | V::LaneId | V::WarpId => false,
        V::LanemaskEq | V::LanemaskLt | V::LanemaskLe | V::LanemaskGt | V::LanemaskGe => false,
    }
}
