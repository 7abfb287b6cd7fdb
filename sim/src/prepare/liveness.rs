//! Which registers are needed where: those that somebody may still read before they are written again.

use crate::ir::cfg::Cfg;
use crate::ir::inst::{Inst, Pc};
use crate::ir::numbers::Numbers;
use crate::ir::operands;

/// A set of registers, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    pub(super) fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    pub(crate) fn each(&self, mut f: impl FnMut(usize)) {
        for (at, &word) in self.0.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                f(at * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

/// The registers that are needed where each basic block begins and where it ends.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// By block.
    pub(super) entry: Vec<Set>,
    /// By block.
    pub(super) leaving: Vec<Set>,
}

impl Liveness {
    /// Of the `steps` of a program.
    pub(crate) fn of(steps: &[Inst], cfg: &Cfg, numbers: Numbers) -> Self {
        let count = numbers.count();
        // What a block reads before it writes it, and what it writes in any case.
        let mut reads = vec![Set::new(count); cfg.blocks.len()];
        let mut writes = reads.clone();
        for (index, block) in cfg.blocks.iter().enumerate() {
            for inst in &steps[block.start as usize..block.end as usize] {
                let mut written: Vec<usize> = Vec::new();
                operands::visit(
                    inst,
                    &mut |reg| {
                        numbers.each(reg, |number| {
                            if !writes[index].contains(number) {
                                reads[index].insert(number);
                            }
                        });
                    },
                    &mut |reg| numbers.each(reg, |number| written.push(number)),
                );
                for number in written {
                    if inst.guard.is_none() {
                        writes[index].insert(number);
                    } else if !writes[index].contains(number) {
                        // Lanes that do not execute it keep what they have.
                        reads[index].insert(number);
                    }
                }
            }
        }
        let (entry, leaving) = live(cfg, reads, &writes, count);
        Self { entry, leaving }
    }

    /// The registers that are needed before the instruction at `pc`.
    pub(crate) fn before(&self, steps: &[Inst], cfg: &Cfg, numbers: Numbers, pc: Pc) -> Set {
        let Some(index) = cfg.blocks.partition_point(|block| block.start <= pc).checked_sub(1) else {
            return Set::new(numbers.count());
        };
        let mut set = self.leaving[index].clone();
        for inst in steps[pc as usize..cfg.blocks[index].end as usize].iter().rev() {
            let mut read = Vec::new();
            operands::visit(inst, &mut |reg| numbers.each(reg, |number| read.push(number)), &mut |reg| {
                if inst.guard.is_none() {
                    numbers.each(reg, |number| set.remove(number));
                }
            });
            read.into_iter().for_each(|number| set.insert(number));
        }
        set
    }
}

/// The registers that are needed where each block begins, and where it ends.
fn live(cfg: &Cfg, mut entry: Vec<Set>, writes: &[Set], count: usize) -> (Vec<Set>, Vec<Set>) {
    let mut leaving = vec![Set::new(count); cfg.blocks.len()];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); cfg.blocks.len()];
    for (index, block) in cfg.blocks.iter().enumerate() {
        block.successors.iter().for_each(|&next| before[next].push(index));
    }
    let mut waiting: Vec<usize> = (0..cfg.blocks.len()).collect();
    let mut waits = vec![true; cfg.blocks.len()];
    while let Some(index) = waiting.pop() {
        waits[index] = false;
        let mut changed = false;
        for &next in &cfg.blocks[index].successors {
            for at in 0..leaving[index].0.len() {
                leaving[index].0[at] |= entry[next].0[at];
            }
        }
        for at in 0..leaving[index].0.len() {
            let all = entry[index].0[at] | leaving[index].0[at] & !writes[index].0[at];
            changed |= all != entry[index].0[at];
            entry[index].0[at] = all;
        }
        if changed {
            for &earlier in &before[index] {
                if !std::mem::replace(&mut waits[earlier], true) {
                    waiting.push(earlier);
                }
            }
        }
    }
    (entry, leaving)
}
