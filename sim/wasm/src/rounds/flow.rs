//! What registers were computed from: elements of watched arrays, followed through the code as it is executed.

use std::collections::{BTreeMap, BTreeSet};

use sim::ir::Inst;
use sim::ir::inst::{Op, Reg};
use sim::ir::operands;

/// What a value was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Origin {
    /// Elements of arrays.
    pub(super) elements: BTreeSet<(usize, usize)>,
    /// Or of what other lanes held in registers, or of some of several elements: which of them is not followed.
    pub(super) mixed: bool,
}

impl Origin {
    fn add(&mut self, other: &Self) {
        self.elements.extend(&other.elements);
        self.mixed |= other.mixed;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.elements.is_empty() && !self.mixed
    }
}

/// Origins of the registers of a launch.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// By block, thread, file and slot. Registers that come from nowhere are left out.
    held: BTreeMap<(u64, u32, bool, u16), Origin>,
}

/// A register's file and slot; a predicate decides where a thread goes, which is not what a value is computed from.
fn places(reg: Reg) -> impl Iterator<Item = (bool, u16)> {
    let (first, second) = match reg {
        Reg::W(slot, _) => (Some((false, slot)), None),
        Reg::D(slot) => (Some((true, slot)), None),
        Reg::Q(low, high) => (Some((true, low)), Some((true, high))),
        Reg::P(_) => (None, None),
    };
    first.into_iter().chain(second)
}

impl Flow {
    /// The origin of a thread's register.
    pub(super) fn of(&self, (block, thread): (u64, u32), reg: Reg) -> Origin {
        let mut origin = Origin::default();
        for (wide, slot) in places(reg) {
            if let Some(own) = self.held.get(&(block, thread, wide, slot)) {
                origin.add(own);
            }
        }
        origin
    }

    /// A thread's register gets a value of this origin.
    pub(super) fn set(&mut self, (block, thread): (u64, u32), reg: Reg, origin: &Origin) {
        for (wide, slot) in places(reg) {
            let place = (block, thread, wide, slot);
            if origin.is_empty() {
                self.held.remove(&place);
            } else {
                self.held.insert(place, origin.clone());
            }
        }
    }

    /// Threads of a warp execute an instruction that accesses no memory.
    pub(super) fn execute(&mut self, block: u64, warp: u32, lanes: u32, inst: &Inst) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        operands::visit(inst, &mut |reg| reads.push(reg), &mut |reg| writes.push(reg));
        if writes.is_empty() {
            return;
        }
        let threads: Vec<u32> = (0..32).filter(|lane| lanes >> lane & 1 == 1).map(|lane| warp * 32 + lane).collect();
        let origin = |flow: &Self, thread: u32| {
            let mut sum = Origin::default();
            reads.iter().for_each(|&reg| sum.add(&flow.of((block, thread), reg)));
            sum
        };
        let mut origins: Vec<Origin> = threads.iter().map(|&thread| origin(self, thread)).collect();
        if between_lanes(&inst.op) && origins.iter().any(|own| !own.is_empty()) {
            origins.fill(Origin { mixed: true, ..Origin::default() });
        }
        for (thread, origin) in threads.into_iter().zip(origins) {
            writes.iter().for_each(|&reg| self.set((block, thread), reg, &origin));
        }
    }
}

/// Lanes get values of other lanes.
fn between_lanes(op: &Op) -> bool {
    match op {
        Op::Shuffle { .. } | Op::Redux { .. } | Op::Match { .. } | Op::Vote { .. } => true,
        Op::Varying(varying) => between_lanes(&varying.inst.op),
        _ => false,
    }
}
