//! Registers that are not needed at the same time share a slot.
//!
//! A compiler that writes PTX takes a new register for every value. A warp of the simulator would hold them all, a
//! hundred bytes and more each, and the warps of a block would not fit into the CPU's nearest cache, though few values
//! are needed at a time. This is what `ptxas` does with registers, in its simplest form: a register is needed from the
//! first to the last instruction, in the order of the program, before or behind which somebody may still read it
//! (Poletto and Sarkar, "Linear scan register allocation", 1999).
//!
//! Lanes go their own ways, but each lane's way is one through the control-flow graph, and no instruction touches
//! registers of lanes that do not execute it. So what holds for one lane holds for all. A register that may be read
//! before it is written is needed from the start, and is zero there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::convergence_barriers::{Joins, MEETS};
use super::liveness::{Liveness, Set};
use crate::ir::Program;
use crate::ir::cfg::Cfg;
use crate::ir::inst::{Inst, Op, Pc, Reg};
use crate::ir::numbers::Numbers;
use crate::ir::operands;
use crate::ir::slots::StartValue;

/// The instructions of a program with the registers that they have when they are executed. Constants are those of the
/// program's [`Slots`](crate::ir::slots::Slots).
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// The instructions, one for each of the program's.
    pub insts: Vec<Inst>,
    /// The same without those that do nothing: what is executed of a straight run.
    pub dense: Vec<Inst>,
    /// By instruction, and behind the last: how many of [`Code::dense`] come before it.
    pub dense_at: Vec<u32>,
    /// By instruction: how many from here on are lane-local, one behind the other, with no place where lanes meet
    /// before any but the first, and executed by all lanes that come there, alike. [`ALONE`] for one that is lane-local
    /// but has a guard, is more for some lanes than for others, or divides, so that its divisor is looked at.
    pub straight: Vec<u16>,
    /// Slots of the 32-bit file.
    pub words: u16,
    /// Slots of the 64-bit file.
    pub doubles: u16,
    /// Slots of the predicate file.
    pub predicates: u16,
    /// Slots that are filled when a warp starts.
    pub start: BTreeMap<StartValue, u16>,
    /// So many slots at the beginning of the 32-bit file are filled when a warp starts and never written.
    pub kept: u16,
    /// Slots of each file that are zero when a warp starts: of the 32-bit, the 64-bit and the predicate file. A lane
    /// writes the others before it reads them, and no other lane reads them at all, so there is nothing to be seen of
    /// the thread block that the warp's storage belonged to before.
    pub zeroed: [Vec<u16>; 3],
    /// The slot of each register of the program, by the register's number; empty if each has its own.
    pub(crate) given: Vec<u16>,
}

/// What [`Code::straight`] says of a lane-local instruction that is none of a run.
pub const ALONE: u16 = u16::MAX;

/// Registers times basic blocks from which a program is taken to be too large for this.
pub(crate) const MOST_WORK: usize = 1 << 31;

/// Gives the registers of `program` slots.
pub(super) fn run(program: &Program, joins: &Joins, steps: &[Inst]) -> Code {
    let slots = &program.slots;
    let numbers = Numbers::of(program);
    let mut code = Code {
        insts: steps.to_vec(),
        dense: Vec::new(),
        dense_at: Vec::new(),
        straight: straight(joins, steps),
        words: slots.words,
        doubles: slots.doubles,
        predicates: slots.predicates,
        start: slots.start.clone(),
        kept: 0,
        zeroed: [slots.words, slots.doubles, slots.predicates].map(|count| (0..count).collect()),
        given: Vec::new(),
    };
    let cfg = Cfg::new(program);
    if numbers.count().saturating_mul(cfg.blocks.len()) > MOST_WORK {
        code.pack();
        return code;
    }
    let (needed, seen) = needed(steps, &cfg, numbers);
    let mut new = vec![0u16; numbers.count()];
    let mut pinned = vec![false; numbers.count()];
    // What a warp starts with comes first and keeps its place.
    for slot in code.start.values_mut() {
        pinned[usize::from(*slot)] = true;
        new[usize::from(*slot)] = code.kept;
        *slot = code.kept;
        code.kept += 1;
    }
    let mut files = [File::from(code.kept), File::from(0), File::from(0)];
    let needed = needed.into_iter().enumerate().filter(|&(number, _)| !pinned[number]);
    let mut order: Vec<(usize, usize, usize)> =
        needed.filter_map(|(number, needed)| needed.map(|(first, last)| (first, last, number))).collect();
    order.sort_unstable();
    let file = |number: usize| numbers.file(number);
    for (first, last, number) in order {
        new[number] = files[file(number)].take(first, last);
    }
    let mut map = |reg: Reg| {
        let mut to = [0; 2];
        let mut at = 0;
        numbers.each(reg, |number| {
            to[at] = new[number];
            at += 1;
        });
        match reg {
            Reg::W(_, bits) => Reg::W(to[0], bits),
            Reg::D(_) => Reg::D(to[0]),
            Reg::P(_) => Reg::P(to[0]),
            Reg::Q(..) => Reg::Q(to[0], to[1]),
        }
    };
    for inst in &mut code.insts {
        operands::rename(inst, &mut map);
    }
    [code.words, code.doubles, code.predicates] = files.map(|file| file.count);
    code.zeroed = Default::default();
    seen.each(|number| {
        if !pinned[number] {
            code.zeroed[file(number)].push(new[number]);
        }
    });
    for slots in &mut code.zeroed {
        slots.sort_unstable();
        slots.dedup();
    }
    code.given = new;
    code.pack();
    code
}

impl Code {
    /// Lists the instructions that do something.
    fn pack(&mut self) {
        self.dense_at = Vec::with_capacity(self.insts.len() + 1);
        for inst in &self.insts {
            self.dense_at.push(self.dense.len() as u32);
            if !matches!(inst.op, Op::Nop) {
                self.dense.push(inst.clone());
            }
        }
        self.dense_at.push(self.dense.len() as u32);
    }

    /// What is executed of the `length` instructions from `pc` on, of a straight run.
    #[inline(always)]
    pub(crate) fn run(&self, pc: Pc, length: usize) -> &[Inst] {
        let at = |pc: usize| self.dense_at[pc] as usize;
        &self.dense[at(pc as usize)..at(pc as usize + length)]
    }
}

fn straight(joins: &Joins, steps: &[Inst]) -> Vec<u16> {
    let mut straight = vec![0; steps.len()];
    let mut behind: u16 = 0;
    for (pc, inst) in steps.iter().enumerate().rev() {
        let divides = matches!(&inst.op, Op::Lane(lane) if lane.op.division().is_some());
        let alike = inst.guard.is_none() && !matches!(inst.op, Op::Varying(_)) && !divides;
        (straight[pc], behind) = match (inst.op.is_lane_local(), alike) {
            (true, true) => (behind + 1, (behind + 1).min(ALONE - 2)),
            (true, false) => (ALONE, 0),
            (false, _) => (0, 0),
        };
        if joins.flags[pc] & MEETS != 0 {
            behind = 0;
        }
    }
    straight
}

/// The slots of one file.
struct File {
    count: u16,
    /// Slots in use, with the last instruction that needs them.
    busy: BinaryHeap<Reverse<(usize, u16)>>,
    /// Slots that nobody needs any more, the last freed last: it is the one that is still in the cache.
    free: Vec<u16>,
}

impl File {
    fn from(first: u16) -> Self {
        Self { count: first, busy: BinaryHeap::new(), free: Vec::new() }
    }

    /// A slot that nobody else needs from instruction `first` to instruction `last`.
    fn take(&mut self, first: usize, last: usize) -> u16 {
        while let Some(&Reverse((end, slot))) = self.busy.peek()
            && end < first
        {
            self.busy.pop();
            self.free.push(slot);
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.busy.push(Reverse((last, slot)));
        slot
    }
}

/// The first and the last instruction at which each register is needed; and the registers of which somebody may see what
/// they hold when a warp starts.
fn needed(steps: &[Inst], cfg: &Cfg, numbers: Numbers) -> (Vec<Option<(usize, usize)>>, Set) {
    let count = numbers.count();
    let mut needed: Vec<Option<(usize, usize)>> = vec![None; count];
    let mut note = |number: usize, at: usize| {
        let (first, last) = needed[number].unwrap_or((at, at));
        needed[number] = Some((first.min(at), last.max(at)));
    };
    for (pc, inst) in steps.iter().enumerate() {
        let mut touched: Vec<Reg> = Vec::new();
        operands::visit(inst, &mut |reg| numbers.each(reg, |number| note(number, pc)), &mut |reg| touched.push(reg));
        touched.into_iter().for_each(|reg| numbers.each(reg, |number| note(number, pc)));
    }
    let Liveness { entry, leaving } = Liveness::of(steps, cfg, numbers);
    for (index, block) in cfg.blocks.iter().enumerate() {
        entry[index].each(|number| note(number, block.start as usize));
        leaving[index].each(|number| note(number, block.end as usize - 1));
    }
    let mut seen = entry.first().cloned().unwrap_or_else(|| Set::new(count));
    for inst in steps.iter().filter(|inst| is_between_lanes(&inst.op)) {
        operands::visit(inst, &mut |reg| numbers.each(reg, |number| seen.insert(number)), &mut |_| {});
    }
    (needed, seen)
}

/// Whether a lane may see registers of lanes that do not execute the instruction with it.
fn is_between_lanes(op: &Op) -> bool {
    let own = matches!(op, Op::Load(_) | Op::Store(_) | Op::Atomic(_) | Op::Branch { .. } | Op::Barrier(_) | Op::Exit);
    !own && !op.is_lane_local()
}
