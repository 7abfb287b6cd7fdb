//! The control-flow graph of a program: basic blocks and the edges between them.

use super::inst::{Op, Pc, ops};
use super::program::Program;

/// A run of instructions that is entered only at its first and left only at its last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicBlock {
    /// First instruction.
    pub start: Pc,
    /// One behind the last instruction.
    pub end: Pc,
    /// Blocks that can follow, by index. Leaving the kernel is no edge.
    pub successors: Vec<usize>,
    /// Lanes can leave the kernel here.
    pub exits: bool,
}

/// Basic blocks in the order of their instructions; block 0 is the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cfg {
    /// The blocks.
    pub blocks: Vec<BasicBlock>,
}

impl Cfg {
    /// The graph of `program`.
    pub fn new(program: &Program) -> Self {
        let count = program.insts.len();
        let mut leader = vec![false; count + 1];
        leader[0] = true;
        for (pc, inst) in program.insts.iter().enumerate() {
            if inst.op.ends_block() {
                leader[pc + 1] = true;
            }
            if let Op::Branch { target, .. } = inst.op {
                leader[target as usize] = true;
            }
        }
        let starts: Vec<Pc> = (0..count).filter(|&pc| leader[pc]).map(|pc| pc as Pc).collect();
        let block_at = |pc: Pc| starts.binary_search(&pc).ok();
        let blocks = (0..starts.len())
            .map(|index| {
                let start = starts[index];
                let end = starts.get(index + 1).copied().unwrap_or(count as Pc);
                let last = &program.insts[end as usize - 1];
                let next = || block_at(end);
                let mut exits = false;
                let mut successors = Vec::new();
                match last.op {
                    Op::Branch { target, .. } => {
                        successors.extend(block_at(target));
                        if last.guard.is_some() {
                            successors.extend(next());
                        }
                    }
                    Op::Exit | Op::Trap | Op::Breakpoint | Op::StackOverflow => {
                        exits = true;
                        if last.guard.is_some() {
                            successors.extend(next());
                        }
                    }
                    Op::NoFunction { .. }
                    | Op::Assert { .. }
                    | ops!(lane_local)
                    | ops!(query)
                    | ops!(memory)
                    | ops!(sync)
                    | ops!(exchange)
                    | ops!(system) => successors.extend(next()),
                }
                successors.dedup();
                BasicBlock { start, end, successors, exits }
            })
            .collect();
        Self { blocks }
    }
}
