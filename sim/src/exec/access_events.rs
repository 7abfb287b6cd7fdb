//! What the executor calls before a memory instruction takes effect, when checks are on.

use crate::event::{AccessEvent, AccessKind, Observer};
use crate::ir::inst::{Access, Atomic, Pc, Reg, Space};
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::warp::Warp;

/// A load is about to read.
pub(crate) fn load<O: Observer>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    space: Space,
    addresses: &[u64; 32],
    lanes: u32,
) {
    let used = access.registers.iter().rev().fold(0, |used, register| used << 1 | u32::from(register.is_some()));
    let shape = Shape {
        pc,
        space,
        kind: AccessKind::Load,
        bytes: access.bytes.into(),
        parts: access.registers.len() as u32,
        used,
    };
    report(warp, block, addresses, lanes, shape, &|_, _| (0, 0));
}

/// A store is about to write.
pub(crate) fn store<O: Observer>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    space: Space,
    addresses: &[u64; 32],
    lanes: u32,
) {
    let parts = access.registers.len() as u32;
    let shape = Shape { pc, space, kind: AccessKind::Store, bytes: access.bytes.into(), parts, used: (1 << parts) - 1 };
    let constants = &block.machine.constants;
    let value = |lane: u32, part: u32| {
        let Some(register) = access.registers[part as usize] else { return (0, 0) };
        let low = warp.registers.wide(constants, register)[lane as usize];
        let high = if let Reg::Q(_, slot) = register { warp.registers.d(constants, slot)[lane as usize] } else { 0 };
        (low, high)
    };
    report(warp, block, addresses, lanes, shape, &value);
}

/// An atomic is about to take effect.
pub(crate) fn atomic<O: Observer>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    atomic: &Atomic,
    space: Space,
    addresses: &[u64; 32],
    lanes: u32,
) {
    let shape = Shape { pc, space, kind: AccessKind::Atomic, bytes: atomic.bytes.into(), parts: 1, used: 1 };
    report(warp, block, addresses, lanes, shape, &|_, _| (0, 0));
}

/// An asynchronous copy is about to copy `bytes` bytes a lane: what `reading` lanes read, and what all write.
pub(crate) fn copy<O: Observer>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    bytes: u32,
    (source, from, reading): (Space, &[u64; 32], u32),
    (target, to, lanes): (Space, &[u64; 32], u32),
) {
    let shape = |space, kind| Shape { pc, space, kind, bytes, parts: 1, used: 1 };
    report(warp, block, from, reading, shape(source, AccessKind::Load), &|_, _| (0, 0));
    let half = |address: u64, bytes: u32| {
        if source == Space::Shared {
            let content = usize::try_from(address).ok().and_then(|at| block.shared.get(at..)?.first_chunk::<8>());
            return content.map_or(0, |&content| u64::from_le_bytes(content));
        }
        let aligned = address.is_multiple_of(bytes.into());
        let allocation = block.machine.global.find(address, bytes).filter(|_| aligned);
        allocation.map_or(0, |allocation| allocation.load(address - allocation.base, bytes))
    };
    let mut values = [(0, 0); 32];
    for lane in lanes_of(lanes) {
        let address = from[lane as usize];
        let high = if bytes == 16 { half(address.saturating_add(8), 8) } else { 0 };
        values[lane as usize] = (half(address, bytes.min(8)), high);
    }
    let value = |lane: u32, _| values[lane as usize];
    report(warp, block, to, lanes, shape(target, AccessKind::Store), &value);
}

/// A bulk copy is about to read an element of `bytes` bytes and to update another one with it, for one lane.
pub(crate) fn reduction<O: Observer>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    bytes: u32,
    lane: u32,
    (source, from): (Space, u64),
    (target, to): (Space, u64),
) {
    let shape = |space, kind| Shape { pc, space, kind, bytes, parts: 1, used: 1 };
    report(warp, block, &[from; 32], lane, shape(source, AccessKind::Load), &|_, _| (0, 0));
    report(warp, block, &[to; 32], lane, shape(target, AccessKind::Atomic), &|_, _| (0, 0));
}

/// What an instruction does, the same for all lanes.
struct Shape {
    pc: Pc,
    space: Space,
    kind: AccessKind,
    bytes: u32,
    parts: u32,
    used: u32,
}

fn report<O: Observer>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    addresses: &[u64; 32],
    lanes: u32,
    Shape { pc, space, kind, bytes, parts, used }: Shape,
    value: &dyn Fn(u32, u32) -> (u64, u64),
) {
    if !matches!(space, Space::Shared | Space::Global) {
        return;
    }
    let global = &block.machine.global;
    let shared = &block.shared;
    let half = |address: u64, bytes: u32| match space {
        Space::Shared => {
            let mut value = [0; 8];
            let at = usize::try_from(address).unwrap_or(usize::MAX);
            if let Some(content) = shared.get(at..).and_then(|rest| rest.get(..bytes as usize)) {
                value[..bytes as usize].copy_from_slice(content);
            }
            u64::from_le_bytes(value)
        }
        Space::Param | Space::Frame | Space::Const | Space::Global | Space::Local | Space::Generic => {
            global.find(address, bytes).map_or(0, |allocation| allocation.load(address - allocation.base, bytes))
        }
    };
    let event = AccessEvent {
        pc,
        warp: warp.index,
        lanes,
        space,
        addresses,
        bytes,
        parts,
        used,
        kind,
        value,
        old: &|address, bytes| {
            if bytes == 16 { (half(address, 8), half(address.saturating_add(8), 8)) } else { (half(address, bytes), 0) }
        },
        allocation: &|address| global.find(address, 1).map(|allocation| (allocation.base, allocation.bytes)),
    };
    block.observer.access(&event);
}
