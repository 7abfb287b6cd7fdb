//! Atomics on 128 bits. Blocks whose atomics on global memory could meet run in order, so that nothing comes between
//! the two halves.

use super::access_events;
use super::memory::{self, Attempt, aligned, note_misses, read, write};
use crate::event::{MemoryEvent, MemoryKind, Observer, SharedUnit};
use crate::ir::inst::{Atomic, AtomicOp, Pc, Reg, Space};
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::rows::Layout;

/// Executes `atom.exch.b128` and `atom.cas.b128`.
pub(super) fn execute<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, atomic: &Atomic, active: u32) {
    let addresses = memory::addresses(warp, block, atomic.address);
    let constants = &block.machine.constants;
    let halves = |reg: Reg| match reg {
        Reg::Q(low, high) => (*warp.registers.d(constants, low), *warp.registers.d(constants, high)),
        other @ (Reg::W(..) | Reg::D(_) | Reg::P(_)) => (warp.registers.wide(constants, other), [0; 32]),
    };
    let a = halves(atomic.a);
    let b = atomic.b.map(halves);
    let (mut low, mut high) = ([0; 32], [0; 32]);
    memory::by_space(atomic.space, &addresses, active, |space, addresses, active| {
        let kind = match space {
            Space::Shared => MemoryKind::SharedAtomic(SharedUnit::CompareAndSwap),
            Space::Param | Space::Frame | Space::Const | Space::Global | Space::Local | Space::Generic => {
                MemoryKind::GlobalAtomic
            }
        };
        block.observer.memory(&MemoryEvent { pc, active, addresses, width: 16, layout: Layout::Any, kind });
        if O::CHECKS {
            access_events::atomic(warp, block, pc, atomic, space, addresses, active);
        }
        let (good, misaligned) = aligned(addresses, active, 16);
        let mut outside = 0;
        for lane in lanes_of(good) {
            let (lane, bit) = (lane as usize, 1 << lane);
            let (at, above) = (addresses[lane], addresses[lane].wrapping_add(8));
            let old = (read(warp, block, space, lane, at, 8), read(warp, block, space, lane, above, 8));
            let (Ok(old_low), Ok(old_high)) = old else {
                outside |= bit;
                continue;
            };
            (low[lane], high[lane]) = (old_low, old_high);
            let same = (a.0[lane], a.1[lane]) == (old_low, old_high);
            let new = match (&b, atomic.op) {
                (Some(b), AtomicOp::Cas) if same => (b.0[lane], b.1[lane]),
                (_, AtomicOp::Cas) => continue,
                _ => (a.0[lane], a.1[lane]),
            };
            block.changes += 1;
            let done =
                (write(warp, block, space, lane, at, 8, new.0), write(warp, block, space, lane, above, 8, new.1));
            if done.0.is_err() || done.1.is_err() {
                outside |= bit;
            }
        }
        if misaligned | outside != 0 {
            let attempt = Attempt { verb: "updates", space, addresses, width: 16 };
            note_misses(warp, block, pc, &attempt, (misaligned, outside));
        }
    });
    if let Some(Reg::Q(d0, d1)) = atomic.result {
        warp.registers.set_d(d0, &low, active);
        warp.registers.set_d(d1, &high, active);
    }
}
