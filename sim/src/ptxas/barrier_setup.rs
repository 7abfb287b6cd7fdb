//! `sm_90` lowering: the votes of a predicated `mbarrier.init`.
//!
//! A barrier is set up by an instruction of the whole warp (`SYNCS.EXCH`), from registers of the warp. Where only some lanes come
//! to it and ptxas 13.0.88 makes predicates of the branch around it, it lets the warp vote on whether any lane does
//! (`VOTEU.ALL`): once for the registers, and once for each barrier. It makes predicates of a branch that skips one block of
//! the program in which nothing but the barriers' set-up needs the whole warp: no fence between proxies, no bulk copy, no
//! vote, shuffle, or barrier of the block. A condition that is the same for all lanes needs no vote.
//! (Read from its machine code: kernels `barrier_*` of `sim/tests/lowering`; those of the catalogue, and an H200 counted them
//! in `phases` of `sim/tests/counters`.)

use super::Emitted;
use super::uniformity::Uniformity;
use crate::ir::Program;
use crate::ir::cfg::Cfg;
use crate::ir::inst::{AtomicOp, Op, Reg};

/// Most instructions of a block that predicates are made for.
const MOST: usize = 24;
/// Most barriers of such a block. (Of barriers with the same number of arrivals there may be four; few kernels have more than
/// two.)
const MOST_BARRIERS: usize = 2;

/// Whether all lanes that come to a block execute an instruction of it, and it counts.
fn executed_by_all(program: &Program, pc: usize) -> bool {
    let inst = &program.insts[pc];
    inst.guard.is_none() && !inst.removed
}

/// Notes the votes at the instruction before the set-up that all lanes of the warp execute.
pub(super) fn run(program: &Program, emitted: &mut [Emitted]) {
    let is_setup =
        |pc: usize| matches!(&program.insts[pc].op, Op::Atomic(atomic) if atomic.op == AtomicOp::MbarrierInit);
    if !(0..program.insts.len()).any(is_setup) {
        return;
    }
    let uniformity = Uniformity::new(program);
    let cfg = Cfg::new(program);
    for (index, block) in cfg.blocks.iter().enumerate() {
        let (start, end) = (block.start as usize, block.end as usize);
        // Under a guard of its own.
        for pc in start..end {
            let guard = program.insts[pc].guard;
            let parts = guard.is_some_and(|(p, _)| !uniformity.is_uniform(Reg::P(p)));
            let before = (start..pc).find(|&before| executed_by_all(program, before));
            if let (true, true, Some(before)) = (is_setup(pc), parts, before) {
                emitted[before].votes += 2;
            }
        }
        // Behind a branch of some lanes over the next block.
        let (last, Some(next)) = (end - 1, cfg.blocks.get(index + 1)) else { continue };
        let (Op::Branch { target, .. }, Some((p, _))) = (&program.insts[last].op, program.insts[last].guard) else {
            continue;
        };
        let inside = next.start as usize..next.end as usize;
        let setups = inside.clone().filter(|&pc| is_setup(pc)).count();
        if setups == 0
            || setups > MOST_BARRIERS
            || *target != next.end
            || uniformity.is_uniform(Reg::P(p))
            || inside.len() > MOST
        {
            continue;
        }
        let whole_warp = |pc: usize| {
            let inst = &program.insts[pc];
            let of_proxies = inst.opcode.parts()[0] == "fence" && inst.opcode.parts().get(1) == Some(&"proxy");
            of_proxies
                || matches!(
                    inst.op,
                    Op::Bulk(_)
                        | Op::Barrier(_)
                        | Op::Vote { .. }
                        | Op::Shuffle { .. }
                        | Op::Match { .. }
                        | Op::Redux { .. }
                        | Op::Elect { .. }
                )
        };
        let before = (start..last).find(|&pc| executed_by_all(program, pc));
        if let (false, Some(before)) = (inside.clone().any(whole_warp), before) {
            emitted[before].votes += setups as u8 + 1;
        }
    }
}
