//! Who writes and who reads each register: what the passes of a lowering ask about the flow of values.
//!
//! Instructions that no GPU executes ([`dead_code`](crate::ptxas::dead_code)) neither read nor write.

use std::collections::HashMap;

use super::cfg::Cfg;
use super::dominators::dominators;
use super::inst::{Inst, Reg};
use super::operands;
use super::program::Program;

/// The flow of values through a program.
pub(crate) struct Flow {
    reads: HashMap<Reg, Vec<usize>>,
    writes: HashMap<Reg, Vec<usize>>,
    guarded: Vec<bool>,
    /// The blocks of the program.
    pub(crate) cfg: Cfg,
    block_of: Vec<usize>,
}

impl Flow {
    /// Looks through a program.
    pub(crate) fn new(program: &Program) -> Self {
        let (mut reads, mut writes) = (HashMap::new(), HashMap::new());
        for (pc, inst) in program.insts.iter().enumerate().filter(|(_, inst)| !inst.removed) {
            let note = |map: &mut HashMap<Reg, Vec<usize>>, reg| {
                if let Reg::Q(low, high) = reg {
                    map.entry(Reg::D(low)).or_default().push(pc);
                    map.entry(Reg::D(high)).or_default().push(pc);
                } else {
                    map.entry(reg.whole()).or_default().push(pc);
                }
            };
            operands::visit(inst, &mut |reg| note(&mut reads, reg), &mut |reg| note(&mut writes, reg));
        }
        let cfg = Cfg::new(program);
        let mut block_of = vec![0; program.insts.len()];
        for (index, block) in cfg.blocks.iter().enumerate() {
            block_of[block.start as usize..block.end as usize].fill(index);
        }
        let guarded = program.insts.iter().map(|inst| inst.guard.is_some()).collect();
        Self { reads, writes, guarded, cfg, block_of }
    }

    /// The instructions that write a register, in order.
    pub(crate) fn writes(&self, reg: Reg) -> &[usize] {
        self.writes.get(&reg.whole()).map_or(&[], Vec::as_slice)
    }

    /// The instructions that read a register, in order, once for each operand.
    pub(crate) fn reads(&self, reg: Reg) -> &[usize] {
        self.reads.get(&reg.whole()).map_or(&[], Vec::as_slice)
    }

    /// The only instruction that writes a register.
    pub(crate) fn sole_writer(&self, reg: Reg) -> Option<usize> {
        match self.writes(reg) {
            &[writer] => Some(writer),
            _ => None,
        }
    }

    /// The only instruction that writes a register which nobody but `reader` reads, and that once.
    pub(crate) fn maker_for(&self, reg: Reg, reader: usize) -> Option<usize> {
        if self.reads(reg) == [reader] { self.sole_writer(reg) } else { None }
    }

    /// The block in which an instruction stands.
    pub(crate) fn block_of(&self, pc: usize) -> usize {
        self.block_of[pc]
    }

    /// Whether control cannot go elsewhere between two instructions.
    pub(crate) fn same_block(&self, a: usize, b: usize) -> bool {
        self.block_of[a] == self.block_of[b]
    }

    /// Whether an instruction is executed under a predicate.
    pub(crate) fn is_guarded(&self, pc: usize) -> bool {
        self.guarded[pc]
    }

    /// For each block the last one that every way to it passes.
    pub(crate) fn dominators(&self) -> Vec<usize> {
        let graph: Vec<Vec<usize>> = self.cfg.blocks.iter().map(|block| block.successors.clone()).collect();
        dominators(&graph, 0)
    }

    /// Whether somebody reads the value that a register has behind `pc`.
    pub(crate) fn is_live_behind(&self, reg: Reg, pc: usize) -> bool {
        let mut seen = vec![false; self.cfg.blocks.len()];
        let mut stack = vec![(self.block_of[pc], pc + 1)];
        while let Some((block, from)) = stack.pop() {
            let to = self.cfg.blocks[block].end as usize;
            let read = self.reads(reg).iter().find(|&at| (from..to).contains(at));
            let written = self.writes(reg).iter().find(|&&at| (from..to).contains(&at) && !self.guarded[at]);
            match (read, written) {
                (Some(read), written) if written.is_none_or(|written| read <= written) => return true,
                (_, Some(_)) => {}
                _ => {
                    for &next in &self.cfg.blocks[block].successors {
                        if !std::mem::replace(&mut seen[next], true) {
                            stack.push((next, self.cfg.blocks[next].start as usize));
                        }
                    }
                }
            }
        }
        false
    }
}

/// The register of 32 or 64 bits that an instruction writes.
pub(crate) fn destination(inst: &Inst) -> Option<Reg> {
    let mut found = None;
    operands::visit(inst, &mut |_| {}, &mut |reg| found = value(reg));
    found
}

/// A register of 32 or 64 bits.
pub(crate) fn value(reg: Reg) -> Option<Reg> {
    matches!(reg, Reg::W(..) | Reg::D(_)).then(|| reg.whole())
}
