//! Atomics and reductions, lane after lane in ascending order.

use super::memory::{addresses, by_space, note_misses};
use crate::event::{MemoryEvent, MemoryKind, Observer};
use crate::lanes::lanes_of;
use crate::machine_code::block::Block;
use crate::machine_code::machine::RESERVED_SHARED;
use crate::machine_code::op::{Atomic, AtomicOp, PredDst, Row, Slot, Space, Wide};
use crate::machine_code::warp::Warp;
use crate::memory::banks::cas_winners;
use crate::memory::rows::Layout;

/// Executes an atomic.
#[inline(never)]
pub(super) fn execute(warp: &mut Warp, block: &mut Block<'_>, pc: u32, atomic: &Atomic, active: u32) {
    let constants = &block.machine.constants;
    let to = addresses(warp, constants, &atomic.address, atomic.space);
    let words = ((atomic.bytes * atomic.elements) / 4).min(4) as usize;
    let (mut a, mut b) = ([[0; 32]; 4], [[0; 32]; 4]);
    for part in 0..words {
        a[part] = warp.raw(constants, behind(atomic.a, part));
        b[part] = warp.raw(constants, behind(atomic.b, part));
    }
    let mut old = [[0u32; 32]; 4];
    // A predicate tells in which lanes it was done: in those whose address is in global memory. For the others a way of its own
    // follows in the code, which asks where the address lies (`QSPC`).
    let (asks, mut done) = (atomic.success != 7, 0);
    by_space(atomic.space, &to, active, |space, to, lanes| {
        if asks && matches!(space, Space::Shared | Space::Local) {
            if space == Space::Shared {
                // Nothing is done, and counted all the same.
                let (width, kind) = (atomic.bytes * atomic.elements, MemoryKind::SharedAttempt);
                let event = MemoryEvent { pc, active: lanes, addresses: to, width, layout: Layout::Any, kind };
                block.counters.memory(&event);
            }
            return;
        }
        done |= lanes;
        at(warp, block, pc, (atomic, space), (to, lanes), (&a, &b), &mut old);
    });
    warp.set_pred(PredDst { number: atomic.success, uniform: false }, done, active);
    if let Some(register) = atomic.result.filter(|register| *register != 255) {
        // A try to swap that tells whether it succeeded does so in as many words as it swaps.
        for (part, row) in old.iter().take(words).enumerate() {
            warp.set_lane(register + part as u8, row, active);
        }
    }
}

/// The register so many behind one.
const fn behind(slot: Slot, part: usize) -> Slot {
    match slot {
        Slot::Lane(number) => Slot::Lane(number + part as u8),
        Slot::Warp(number) => Slot::Warp(number + part as u8),
        Slot::Constant(_) => slot,
    }
}

type Words = [Row; 4];

fn at(
    warp: &Warp,
    block: &mut Block<'_>,
    pc: u32,
    (atomic, space): (&Atomic, Space),
    (to, lanes): (&Wide, u32),
    (a, b): (&Words, &Words),
    old: &mut Words,
) {
    let width = atomic.bytes * atomic.elements;
    let kind = match space {
        Space::Shared => Some(MemoryKind::SharedAtomic(atomic.unit)),
        Space::Local => None,
        _ if atomic.result.is_none() => Some(MemoryKind::GlobalReduction),
        _ if matches!(atomic.op, AtomicOp::Cas | AtomicOp::CasSpin) => Some(MemoryKind::GlobalSwap),
        _ => Some(MemoryKind::GlobalAtomic),
    };
    if let Some(kind) = kind {
        let layout = Layout::of(to, lanes, width);
        block.memory(&MemoryEvent { pc, active: lanes, addresses: to, width, layout, kind });
    }
    // A try to swap in shared memory is served once in each bank: the other lanes are told to try again.
    let tried = if space == Space::Shared && atomic.op == AtomicOp::CasSpin {
        cas_winners(&to.map(|address| address as u32), lanes, width)
    } else {
        lanes
    };
    let (mut misaligned, mut outside) = (0, 0);
    for lane in lanes_of(tried) {
        let at = lane as usize;
        if to[at] & u64::from(width - 1) != 0 {
            misaligned |= 1 << lane;
            continue;
        }
        let step = atomic.bytes as usize / 4;
        for element in 0..atomic.elements as usize {
            let value = |words: &Words| {
                (0..step).rev().fold(0u128, |value, part| value << 32 | u128::from(words[element * step + part][at]))
            };
            let address = to[at] + u64::from(atomic.bytes) * element as u64;
            let mut changed = false;
            let result = update(block, space, address, atomic.bytes, |old| {
                let (new, result) = step_of(atomic.op, atomic.bytes, old, value(a), value(b));
                changed = new != old;
                (new, result)
            });
            block.changes += u64::from(changed);
            let Some(result) = result else {
                outside |= 1 << lane;
                continue;
            };
            for part in 0..step {
                old[element * step + part][at] = (result >> (32 * part)) as u32;
            }
        }
    }
    if misaligned != 0 || outside != 0 {
        note_misses(warp, block, pc, ("atomically updates", space, to, width), (misaligned, outside));
    }
}

/// Replaces what stands at an address; returns what `change` gives as the result, `None` outside of memory.
fn update(
    block: &mut Block<'_>,
    space: Space,
    address: u64,
    bytes: u32,
    mut change: impl FnMut(u128) -> (u128, u128),
) -> Option<u128> {
    match space {
        Space::Shared => {
            if address < RESERVED_SHARED {
                return None;
            }
            let place = block.shared.get_mut(address as usize..)?.get_mut(..bytes as usize)?;
            let old = place.iter().rev().fold(0u128, |value, byte| value << 8 | u128::from(*byte));
            let (new, result) = change(old);
            place.copy_from_slice(&new.to_le_bytes()[..bytes as usize]);
            Some(result)
        }
        Space::Local => None,
        Space::Global | Space::Generic => {
            let allocation = block.machine.global.find(address, bytes)?;
            let at = address - allocation.base;
            let mut result = 0;
            if bytes == 16 {
                let old = u128::from(allocation.load(at, 8)) | u128::from(allocation.load(at + 8, 8)) << 64;
                let new;
                (new, result) = change(old);
                allocation.store(at, 8, new as u64);
                allocation.store(at + 8, 8, (new >> 64) as u64);
            } else {
                allocation.update(at, bytes, |old| {
                    let new;
                    (new, result) = change(u128::from(old));
                    new as u64
                });
            }
            Some(result)
        }
    }
}

/// What an atomic leaves in memory, and what it returns.
pub(super) fn step_of(op: AtomicOp, bytes: u32, old: u128, a: u128, b: u128) -> (u128, u128) {
    let mask = if bytes == 16 { u128::MAX } else { (1 << (8 * bytes)) - 1 };
    let signed = |value: u128| {
        let shift = 128 - 8 * bytes;
        (value << shift).cast_signed() >> shift
    };
    let new = match op {
        AtomicOp::Add => old.wrapping_add(a) & mask,
        AtomicOp::PopcInc => old.wrapping_add(1) & mask,
        AtomicOp::Min => old.min(a),
        AtomicOp::Max => old.max(a),
        AtomicOp::MinSigned => {
            if signed(a) < signed(old) {
                a
            } else {
                old
            }
        }
        AtomicOp::MaxSigned => {
            if signed(a) > signed(old) {
                a
            } else {
                old
            }
        }
        AtomicOp::Inc => {
            if old >= a {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > a {
                a
            } else {
                old - 1
            }
        }
        AtomicOp::And => old & a,
        AtomicOp::Or => old | a,
        AtomicOp::Xor => old ^ a,
        AtomicOp::Exch => a,
        AtomicOp::Cas => {
            if old == a {
                b
            } else {
                old
            }
        }
        AtomicOp::CasSpin => return if old == a { (b, 1) } else { (old, 0) },
        AtomicOp::AddF32 { flush } => {
            let load = |bits: u128| {
                let bits = bits as u32;
                f32::from_bits(if flush && bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
            };
            let sum = load(old) + load(a);
            let sum = if flush && sum.is_subnormal() { 0.0f32.copysign(sum) } else { sum };
            u128::from(if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() })
        }
        AtomicOp::AddF64 => {
            let sum = f64::from_bits(old as u64) + f64::from_bits(a as u64);
            u128::from(if sum.is_nan() { 0x7fff_ffff_ffff_ffff } else { sum.to_bits() })
        }
        AtomicOp::AddHalves(op) | AtomicOp::MinHalves(op) => u128::from(op.eval([old as u64, a as u64, 0, 0])),
    };
    (new, old)
}
