//! Where arithmetic is counted that the compiler moves down to where its result is needed.
//!
//! ptxas 13.0.88 computes a floating-point value only on the way on which it is read: the addition in
//! `sum += …; if (lane == 0) out = sum;` is executed by lane 0 alone, and what a loop prepares for its next round is not
//! computed in the last one (read from its machine code; counters of an H200 agree, `sim/tests/counters`). Instructions
//! are not moved here, but counted as often as the way is taken.

use std::collections::HashSet;

use crate::ir::Program;
use crate::ir::arithmetic::Arithmetic;
use crate::ir::cfg::Cfg;
use crate::ir::def_use::{Flow, destination};
use crate::ir::inst::{Op, Reg};

/// How many lanes execute an instruction once the compiler has put it where it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Place {
    /// Those that reach it.
    #[default]
    Own,
    /// Those that take the branch at this position.
    Taken(usize),
    /// Those that reach the instruction and do not take the branch at this position.
    NotTaken(usize),
}

/// Finds the places of all instructions that count as floating-point instructions.
pub(super) fn places(program: &Program, flow: &Flow, counts: &[Arithmetic]) -> Vec<Place> {
    let mut places = vec![Place::Own; program.insts.len()];
    for (index, block) in flow.cfg.blocks.iter().enumerate() {
        let branch = block.end as usize - 1;
        let Op::Branch { target, .. } = program.insts[branch].op else { continue };
        let (Some(_), &[first, second]) = (program.insts[branch].guard, &block.successors[..]) else { continue };
        let taken = if flow.cfg.blocks[second].start == target { second } else { first };
        let other = if taken == first { second } else { first };
        for pc in (block.start as usize..branch).rev() {
            let inst = &program.insts[pc];
            if counts[pc] == Arithmetic::default() || inst.guard.is_some() {
                continue;
            }
            let Some(target) = destination(inst).filter(|&target| flow.sole_writer(target).is_some()) else { continue };
            let readers = through_copies(program, flow, target, pc, branch);
            // What reads it here must have gone the same way.
            let here: HashSet<Place> =
                readers.iter().filter(|&&at| flow.block_of(at) == index && at > pc).map(|&at| places[at]).collect();
            let blocks: Vec<usize> = readers
                .iter()
                .filter(|&&at| flow.block_of(at) != index || at <= pc)
                .map(|&at| flow.block_of(at))
                .collect();
            let live = |entry: usize| reaches(&flow.cfg, entry, index, &blocks);
            let place = match (live(taken), live(other)) {
                (true, false) => Place::Taken(branch),
                (false, true) => Place::NotTaken(branch),
                (false, false) if here.len() == 1 => here.iter().next().copied().unwrap_or_default(),
                _ => continue,
            };
            if here.iter().all(|&reader| reader == place) {
                places[pc] = place;
            }
        }
    }
    places
}

/// Who reads a register that is written at `pc`. A copy between there and the end of the block, which is how PTX writes
/// down what enters the next round of a loop, is no reader itself: those of the copy count.
fn through_copies(program: &Program, flow: &Flow, register: Reg, pc: usize, end: usize) -> Vec<usize> {
    let mut all = Vec::new();
    for &reader in flow.reads(register) {
        let copy = if let Op::Mov32 { d, .. } = program.insts[reader].op {
            Some(Reg::W(d, 32))
        } else if let Op::Mov64 { d, .. } = program.insts[reader].op {
            Some(Reg::D(d))
        } else {
            None
        };
        match copy {
            Some(copy) if reader > pc && reader < end && copy != register => {
                all.extend(flow.reads(copy));
            }
            _ => all.push(reader),
        }
    }
    all
}

/// Whether one of `readers` can be reached from `entry` without passing `definition` first.
fn reaches(cfg: &Cfg, entry: usize, definition: usize, readers: &[usize]) -> bool {
    let mut seen = HashSet::new();
    let mut stack = vec![entry];
    while let Some(block) = stack.pop() {
        if !seen.insert(block) {
            continue;
        }
        if readers.contains(&block) {
            return true;
        }
        if block != definition {
            stack.extend(&cfg.blocks[block].successors);
        }
    }
    false
}
