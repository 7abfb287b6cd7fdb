//! `sm_90` lowering: how atomics are done, as ptxas does it.
//!
//! What ptxas 13.0.88 was seen to make for sm_90 of atomics of every kind, on kernels written to find out
//! (`tests/counters/cu/atomics.cu`, whose counters an H200 confirmed):
//!
//! - Shared `add` of 1, and `inc` that never wraps, without a result: `ATOMS.POPC.INC`, uniform address or not.
//! - A provably uniform address (`uniformity.rs`): the highest active lane works for all. Of 32-bit words `add`, `min`,
//!   `max`, `and`, `or`, `xor` without a result: the lanes vote (once per run of such atomics), and `REDUX` combines
//!   what differs; an addition of one value for all needs no `REDUX`. With a result: an addition of one value, whose old
//!   value is shuffled back (64-bit ones as well, whose value is a constant); of different values by a prefix sum of
//!   shuffles where the warp is full, else by each lane. Everything else, floats always, is done by every lane.
//! - No lane works for the others where a branch has let at most one lane of a row of threads through:
//!   `setp.ne %p, %tid.x, C; @%p bra` (or another coordinate, or `%laneid`), and everything behind that only this way
//!   leads to.
//! - Shared memory has 32-bit integer atomics, and 64-bit exchange and compare-and-swap. All other operations (`add` of
//!   floats and of 64-bit numbers, 64-bit `min`, `max`, `and`, `or`, `xor`, halves) are loops around
//!   `ATOMS.CAST.SPIN`.
//! - A global atomic whose result is not used is a reduction (`REDG`), except exchange and compare-and-swap. An `atom` (not a
//!   `red`) stays one (`ATOMG`) where it acquires, and everywhere in a kernel that has a fence of any scope (`membar`,
//!   `fence.sc`, `fence.acq_rel`), before it, behind it or on another way.

use std::collections::HashSet;

use super::uniformity::Uniformity;
use crate::ir::cfg::Cfg;
use crate::ir::inst::{Atomic, AtomicForm, AtomicOp, CONSTANT, Exchange, Op, Reg, Space, Test};
use crate::ir::slots::StartValue;
use crate::ir::{Opcode, Program};

/// Runs the pass. Results that nobody reads must be gone (`dead_code.rs`).
pub(super) fn run(program: &mut Program) {
    if !program.insts.iter().any(|inst| matches!(inst.op, Op::Atomic(_))) {
        return;
    }
    let fenced = program.insts.iter().any(|inst| is_fence(&inst.opcode));
    for inst in &mut program.insts {
        let parts = inst.opcode.parts();
        let stays = parts[0] == "atom" && (fenced || parts.iter().any(|part| matches!(*part, "acquire" | "acq_rel")));
        if let Op::Atomic(atomic) = &mut inst.inst.op {
            atomic.stays = stays;
        }
    }
    let uniformity = Uniformity::new(program);
    let cfg = Cfg::new(program);
    let ones = program.slots.constants32.clone();
    let constant = |reg: Reg| match reg {
        Reg::W(slot, _) if slot & CONSTANT != 0 => ones.get(usize::from(slot & !CONSTANT)).copied(),
        Reg::W(..) | Reg::D(_) | Reg::P(_) | Reg::Q(..) => None,
    };
    let alone = alone(program, &cfg);
    for (index, block) in cfg.blocks.iter().enumerate() {
        // One vote serves all atomics of a run with the same lanes.
        let mut voted = None;
        for inst in &mut program.insts[block.start as usize..block.end as usize] {
            let guard = inst.guard;
            let Op::Atomic(atomic) = &mut inst.op else { continue };
            atomic.form = form(atomic, !alone[index], &uniformity, &constant);
            if let AtomicForm::Leader(exchange) = &mut atomic.form {
                if voted == Some(guard) {
                    exchange.always -= 1;
                }
                voted = Some(guard);
            }
        }
    }
}

/// Whether an instruction orders memory for other threads. Fences between proxies and those that only make barriers known do
/// not.
fn is_fence(opcode: &Opcode) -> bool {
    let parts = opcode.parts();
    let of_memory = matches!(parts.get(1), Some(&("sc" | "acq_rel")));
    parts[0] == "membar" && parts.get(1) != Some(&"proxy") || parts[0] == "fence" && of_memory
}

/// The blocks that are only reached where a coordinate of the thread has one given value, tested by itself.
fn alone(program: &Program, cfg: &Cfg) -> Vec<bool> {
    let coordinates: Vec<u16> = program
        .slots
        .start
        .iter()
        .filter(|(value, _)| matches!(value, StartValue::TidX | StartValue::LaneId))
        .map(|(_, &slot)| slot)
        .collect();
    // Coordinates are read by way of a `mov`.
    let mut named: HashSet<u16> = coordinates.into_iter().collect();
    let mut tests: HashSet<u16> = HashSet::new();
    for inst in &program.insts {
        if let Op::Mov32 { d, a } = inst.op
            && named.contains(&a)
        {
            named.insert(d);
        } else if let Op::Compare32 { test: Test::Ne, p, a, b, .. } = inst.op
            && named.contains(&a)
            && b & CONSTANT != 0
        {
            tests.insert(p);
        }
    }
    let mut alone = vec![false; cfg.blocks.len()];
    for (index, block) in cfg.blocks.iter().enumerate() {
        let last = &program.insts[block.end as usize - 1];
        let (Op::Branch { target, .. }, Some((p, false))) = (&last.op, last.guard) else { continue };
        if !tests.contains(&p) || *target == block.end || index + 1 >= cfg.blocks.len() {
            continue;
        }
        // What cannot be reached from the start without this edge is only reached by it.
        let mut reached = vec![false; cfg.blocks.len()];
        let mut stack = vec![0];
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                stack.extend(cfg.blocks[at].successors.iter().filter(|&&next| (at, next) != (index, index + 1)));
            }
        }
        for (alone, reached) in alone.iter_mut().zip(reached) {
            *alone |= !reached;
        }
    }
    alone
}

fn form(atomic: &Atomic, together: bool, uniformity: &Uniformity, constant: &dyn Fn(Reg) -> Option<u32>) -> AtomicForm {
    let shared = atomic.space == Space::Shared;
    let used = atomic.result.is_some();
    let word = atomic.bytes == 4;
    let by = constant(atomic.a);
    let increments =
        atomic.op == AtomicOp::AddInt && by == Some(1) || atomic.op == AtomicOp::Inc && by == Some(u32::MAX);
    if shared && word && increments && !used {
        return AtomicForm::Increment;
    }
    let uniform = together && atomic.address.base.is_none_or(|base| uniformity.is_uniform(base));
    let same_value = uniformity.is_uniform(atomic.a);
    let is_constant = atomic.a.is_constant();
    let combines = matches!(
        atomic.op,
        AtomicOp::MinS
            | AtomicOp::MinU
            | AtomicOp::MaxS
            | AtomicOp::MaxU
            | AtomicOp::And
            | AtomicOp::Or
            | AtomicOp::Xor
    );
    if uniform && word {
        match (atomic.op, used) {
            (AtomicOp::AddInt, _) if same_value => {
                return AtomicForm::Leader(Exchange { always: 1 + u8::from(used), full: 0 });
            }
            (AtomicOp::AddInt, false) => return AtomicForm::Leader(Exchange { always: 2, full: 0 }),
            // A vote; then five steps of the sum, one to move it up, and one to hand out the old value.
            (AtomicOp::AddInt, true) => return AtomicForm::Scan(Exchange { always: 1, full: 7 }),
            (_, false) if combines => return AtomicForm::Leader(Exchange { always: 2, full: 0 }),
            _ => {}
        }
    }
    if uniform && !shared && atomic.bytes == 8 && atomic.op == AtomicOp::AddInt && is_constant {
        return AtomicForm::Leader(Exchange { always: if used { 3 } else { 1 }, full: 0 });
    }
    if atomic.space != Space::Global && needs_loop(atomic) { AtomicForm::Loop } else { AtomicForm::Plain }
}

/// Whether shared memory has no instruction for an atomic.
fn needs_loop(atomic: &Atomic) -> bool {
    match atomic.op {
        AtomicOp::Exch | AtomicOp::Cas => atomic.bytes < 4,
        AtomicOp::AddF32 { .. } | AtomicOp::AddF64 => true,
        AtomicOp::AddF16x2 | AtomicOp::AddBf16x2 | AtomicOp::AddF16 | AtomicOp::AddBf16 => true,
        AtomicOp::MinF16 | AtomicOp::MaxF16 | AtomicOp::MinBf16 | AtomicOp::MaxBf16 => true,
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::AddInt => atomic.bytes != 4,
        AtomicOp::MinS | AtomicOp::MinU | AtomicOp::MaxS | AtomicOp::MaxU => atomic.bytes != 4,
        AtomicOp::Inc | AtomicOp::Dec => false,
        AtomicOp::MbarrierInit | AtomicOp::MbarrierArrive | AtomicOp::MbarrierDrop => false,
        AtomicOp::MbarrierExpect | AtomicOp::MbarrierComplete | AtomicOp::MbarrierTest => false,
    }
}
