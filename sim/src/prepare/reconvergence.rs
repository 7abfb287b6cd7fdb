//! Where the lanes that part at a branch meet again: at the branch's immediate post-dominator, the first
//! instruction that every path from the branch leads through ([`post_dominators`]).
//!
//! Lanes that a pointer leads to different functions do not always meet behind the call: where the rest of the kernel has no
//! loop and nothing that lanes do together, ptxas sets up no convergence barrier for them (`tests/counters/cu/calls.cu`).

use crate::ir::Program;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::post_dominators;
use crate::ir::inst::{APART, NEVER, Op, Pc};

/// Fills in `meet` of every branch.
pub(super) fn run(program: &mut Program) {
    let cfg = Cfg::new(program);
    let meet = post_dominators(&cfg);
    let straight = straight_to_exit(program, &cfg);
    for (index, block) in cfg.blocks.iter().enumerate() {
        let last = block.end as usize - 1;
        if let Op::Branch { meet: slot, .. } = &mut program.insts[last].op {
            *slot = match meet[index] {
                Some(block) if *slot != APART || !straight[block] => cfg.blocks[block].start,
                _ => NEVER,
            };
        }
    }
    // `if (i >= n) return;` is a branch to the kernel's last `ret`, which ptxas makes an exit on the spot. Lanes that
    // met there before they exit would keep the threads of their block waiting at every barrier in between.
    for pc in 0..program.insts.len() {
        if let Op::Branch { meet, .. } = program.insts[pc].op
            && meet != NEVER
            && only_exits(program, meet)
            && let Op::Branch { meet, .. } = &mut program.insts[pc].op
        {
            *meet = NEVER;
        }
    }
}

/// The blocks from which every way leads to an exit, without a loop and without anything that lanes do together.
fn straight_to_exit(program: &Program, cfg: &Cfg) -> Vec<bool> {
    let together = |op: &Op| matches!(op, Op::Barrier(_)) || op.waits_for_lanes();
    let mut straight = vec![false; cfg.blocks.len()];
    // What stands behind a block is known before it; ways back are loops.
    for (index, block) in cfg.blocks.iter().enumerate().rev() {
        let insts = &program.insts[block.start as usize..block.end as usize];
        straight[index] = block.successors.iter().all(|&next| next > index && straight[next])
            && !insts.iter().any(|inst| together(&inst.op));
    }
    straight
}

/// Whether lanes at `pc` do nothing but exit.
pub(super) fn only_exits(program: &Program, mut pc: Pc) -> bool {
    // Branches are followed a few times at most, so that a loop of them ends.
    for _ in 0..8 {
        let Some(inst) = program.insts.get(pc as usize) else { return false };
        match (&inst.op, inst.guard) {
            (Op::Exit, None) => return true,
            (Op::Nop | Op::CopyStep, _) => pc += 1,
            (&Op::Branch { target, .. }, None) => pc = target,
            _ => return false,
        }
    }
    false
}
