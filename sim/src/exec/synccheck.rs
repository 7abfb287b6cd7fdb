//! # What it does
//!
//! Looks at the operands of named barriers (`bar.sync a, b`): the number must be one of sixteen and the count of threads
//! a multiple of 32 (`barrier-divergence`). Barriers that not all threads reach, and `_sync` masks that do not fit the
//! lanes that execute the instruction, are found where the machine waits for the missing ones.
//!
//! # Why it matters
//!
//! The hardware counts whole warps. What it does with another count is undefined (PTX ISA, `bar`): it may open too
//! early, too late or never.

use crate::findings::{Fault, Who};
use crate::ir::inst::{Barrier, Pc};
use crate::machine::block::Block;
use crate::machine::warp::Warp;

/// Barriers of a block (PTX ISA, `bar`).
const BARRIERS: u32 = 16;

/// Lanes of a warp come to barrier `id`.
pub(crate) fn barrier<O>(warp: &Warp, block: &mut Block<'_, O>, pc: Pc, barrier: &Barrier, id: u32, lanes: u32) {
    let lane = lanes.trailing_zeros() as usize;
    let threads = barrier.threads.map(|reg| warp.registers.wide(&block.machine.constants, reg)[lane] as u32);
    let fault = match threads {
        _ if id == Barrier::CLUSTER => return,
        _ if id >= BARRIERS => Fault::NoSuchBarrier { id, of: BARRIERS },
        Some(threads) if threads == 0 || !threads.is_multiple_of(32) => Fault::PartOfAWarp { id, threads },
        _ => return,
    };
    let who = Who { block: block.index, warp: warp.index, lanes };
    block.faults.note(pc, fault.kind(), who, || fault);
}
