//! Loads, stores and address conversions.

use super::access_events;
use super::lanes::{self, Targets};
use super::vectors;
use crate::event::{MemoryEvent, MemoryKind, Observer};
use crate::findings::{Fault, FindingKind, Miss, Who};
use crate::ir::inst::{Access, Address, Pc, Reg, Space};
use crate::ir::{CONST_WINDOW, FRAME_OFFSET, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW};
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::rows::{self, Layout};

/// Addresses of all lanes.
#[inline(always)]
pub(super) fn addresses<O>(warp: &Warp, block: &Block<'_, O>, address: Address) -> [u64; 32] {
    let constants = &block.machine.constants;
    let offset = address.offset as u64;
    match address.base {
        None => [offset; 32],
        Some(Reg::D(slot)) => rows::map(warp.registers.d(constants, slot), |base| base.wrapping_add(offset)),
        Some(Reg::W(slot, 32)) if address.widened => {
            rows::map(warp.registers.w(constants, slot), |base| u64::from(base).wrapping_add(offset))
        }
        Some(Reg::W(slot, 32)) => {
            rows::map(warp.registers.w(constants, slot), |base| u64::from(base.wrapping_add(offset as u32)))
        }
        Some(reg) => warp.registers.wide(constants, reg).map(|base| base.wrapping_add(offset) & 0xffff_ffff),
    }
}

/// The spaces that have a window in the generic address space; everything outside is global memory.
pub(super) const WINDOWS: [(Space, u64); 4] = [
    (Space::Shared, SHARED_WINDOW),
    (Space::Local, LOCAL_WINDOW),
    (Space::Const, CONST_WINDOW),
    (Space::Param, PARAM_WINDOW),
];

/// Splits the lanes of a generic access by the space that each one's address lies in, and calls `f` for each space
/// with addresses within it.
pub(super) fn by_space(space: Space, addresses: &[u64; 32], active: u32, mut f: impl FnMut(Space, &[u64; 32], u32)) {
    if space != Space::Generic {
        f(space, addresses, active);
        return;
    }
    let mut rest = active;
    for (space, base) in WINDOWS {
        let inside = |lane: u32| addresses[lane as usize].wrapping_sub(base) < WINDOW;
        let lanes = (0..32).filter(|&lane| rest >> lane & 1 != 0 && inside(lane)).fold(0, |m, lane| m | 1 << lane);
        if lanes != 0 {
            f(space, &rows::map(addresses, |address| address.wrapping_sub(base)), lanes);
            rest &= !lanes;
        }
    }
    if rest != 0 {
        f(Space::Global, addresses, rest);
    }
}

/// A lane's access lies outside its memory.
pub(super) struct Outside;

/// The lanes whose address is a multiple of the access's size, and those whose is not.
#[inline(always)]
pub(super) fn aligned(addresses: &[u64; 32], active: u32, width: u32) -> (u32, u32) {
    let low = u64::from(width.next_power_of_two()) - 1;
    let mut any = 0;
    for address in addresses {
        any |= address;
    }
    if any & low == 0 {
        return (active, 0);
    }
    let misaligned = rows::bits(rows::map(addresses, |address| address & low != 0));
    (active & !misaligned, active & misaligned)
}

/// What the lanes of a memory instruction tried to do.
pub(super) struct Attempt<'a> {
    /// The verb for messages: `reads`, `writes`, `updates`.
    pub(super) verb: &'static str,
    pub(super) space: Space,
    pub(super) addresses: &'a [u64; 32],
    /// Bytes per lane.
    pub(super) width: u32,
}

/// Notes the lanes that missed, because of their alignment or because they are outside, as faults.
pub(super) fn note_misses<O: Observer>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    attempt: &Attempt<'_>,
    (misaligned, outside): (u32, u32),
) {
    let &Attempt { verb: does, space, addresses, width } = attempt;
    let machine = block.machine;
    // Local memory is where a compiler puts what the source has in variables: without optimisation at addresses that
    // optimised code does not have. The access is done, and whoever compiled decides what the finding is worth.
    block.fault(outside | if space == Space::Local { 0 } else { misaligned });
    let miss = |lanes: u32| {
        let address = addresses[lanes.trailing_zeros() as usize];
        let near = match space {
            Space::Global | Space::Generic | Space::Frame => Some(machine.global.locate(address)),
            Space::Shared | Space::Local | Space::Const | Space::Param => None,
        };
        Miss { does, width, space, address, near }
    };
    let who = |lanes: u32| Who { block: block.index, warp: warp.index, lanes };
    if misaligned != 0 {
        block.faults.note(pc, FindingKind::Misaligned, who(misaligned), || Fault::Misaligned(miss(misaligned)));
    }
    if outside != 0 {
        block.faults.note(pc, FindingKind::OutOfBounds, who(outside), || Fault::OutOfBounds(miss(outside)));
    }
}

/// Executes a load.
#[inline(always)]
pub(super) fn load<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, access: &Access, active: u32) {
    let addresses = addresses(warp, block, access.address);
    if access.space == Space::Generic {
        load_generic(warp, block, pc, access, &addresses, active);
    } else {
        load_from(warp, block, pc, access, access.space, &addresses, active);
    }
}

#[inline(never)]
fn load_generic<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    addresses: &[u64; 32],
    active: u32,
) {
    by_space(Space::Generic, addresses, active, |space, addresses, active| {
        load_from(warp, block, pc, access, space, addresses, active);
    });
}

#[inline(always)]
fn load_from<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    space: Space,
    addresses: &[u64; 32],
    active: u32,
) {
    let width = access.width();
    let layout = Layout::of(addresses, active, width);
    let kind = match space {
        Space::Shared => Some(MemoryKind::SharedLoad),
        Space::Global => Some(MemoryKind::GlobalLoad),
        Space::Local => Some(MemoryKind::LocalLoad),
        Space::Param | Space::Frame | Space::Const | Space::Generic => None,
    };
    if let Some(kind) = kind {
        block.observer.memory(&MemoryEvent { pc, active, addresses, width, layout, kind });
    }
    if O::CHECKS {
        access_events::load(warp, block, pc, access, space, addresses, active);
    }
    let targets = Targets { space, addresses, layout, active };
    if let [Some(register)] = access.registers[..]
        && lanes::load(warp, block, access, register, targets)
    {
        return;
    }
    if access.registers.len() > 1 && vectors::load(warp, block, access, targets) {
        return;
    }
    load_parts(warp, block, pc, access, space, addresses, active);
}

/// A load of any kind, part by part and lane by lane.
#[inline(never)]
fn load_parts<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    space: Space,
    addresses: &[u64; 32],
    active: u32,
) {
    let (width, bytes) = (access.width(), u32::from(access.bytes));
    let (aligned, misaligned) = aligned(addresses, active, width);
    let aligned = if space == Space::Local { active } else { aligned };
    let mut misses = (misaligned, 0);
    for (part, register) in access.registers.iter().enumerate() {
        // What nobody receives is not looked at: a compiler may widen an access beyond the end of an array.
        let Some(register) = *register else { continue };
        let addresses = rows::map(addresses, |address| address.wrapping_add(part as u64 * u64::from(bytes)));
        let mut row = [0u64; 32];
        misses.1 |= lanes::read(warp, block, space, &addresses, aligned, bytes.min(8), &mut row);
        if access.signed && bytes < 8 {
            let shift = 64 - bytes * 8;
            row = rows::map(&row, |value| ((value << shift) as i64 >> shift) as u64);
        }
        warp.registers.set_wide(register, &row, active);
        if bytes == 16 {
            let mut high = [0u64; 32];
            let addresses = rows::map(&addresses, |address| address.wrapping_add(8));
            misses.1 |= lanes::read(warp, block, space, &addresses, aligned, 8, &mut high);
            if let Reg::Q(_, slot) = register {
                warp.registers.set_d(slot, &high, active);
            }
        }
    }
    if misses != (0, 0) {
        note_misses(warp, block, pc, &Attempt { verb: "reads", space, addresses, width }, misses);
    }
}

#[inline]
pub(super) fn read<O>(
    warp: &Warp,
    block: &Block<'_, O>,
    space: Space,
    lane: usize,
    address: u64,
    bytes: u32,
) -> Result<u64, Outside> {
    let slice: &[u8] = match space {
        Space::Global | Space::Generic => {
            let allocation = block.machine.global.find(address, bytes).ok_or(Outside)?;
            return Ok(allocation.load(address - allocation.base, bytes));
        }
        Space::Shared => &block.shared,
        Space::Local | Space::Param if address >= FRAME_OFFSET => {
            return read(warp, block, Space::Frame, lane, address - FRAME_OFFSET, bytes);
        }
        Space::Param => &block.machine.params,
        Space::Const => &block.machine.constant_memory,
        Space::Local => lane_memory(&warp.local, lane),
        Space::Frame => lane_memory(&warp.frame, lane),
    };
    let at = usize::try_from(address).map_err(|_| Outside)?;
    let source = slice.get(at..).and_then(|rest| rest.get(..bytes as usize)).ok_or(Outside)?;
    let mut value = [0; 8];
    value[..bytes as usize].copy_from_slice(source);
    Ok(u64::from_le_bytes(value))
}

fn lane_memory(memory: &[u8], lane: usize) -> &[u8] {
    let size = memory.len() / 32;
    &memory[lane * size..(lane + 1) * size]
}

/// Executes a store.
#[inline(always)]
pub(super) fn store<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, access: &Access, active: u32) {
    let addresses = addresses(warp, block, access.address);
    if access.space == Space::Generic {
        store_generic(warp, block, pc, access, &addresses, active);
    } else {
        store_to(warp, block, pc, access, access.space, &addresses, active);
    }
}

#[inline(never)]
fn store_generic<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    addresses: &[u64; 32],
    active: u32,
) {
    by_space(Space::Generic, addresses, active, |space, addresses, active| {
        store_to(warp, block, pc, access, space, addresses, active);
    });
}

#[inline(always)]
fn store_to<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    space: Space,
    addresses: &[u64; 32],
    active: u32,
) {
    let width = access.width();
    let layout = Layout::of(addresses, active, width);
    let kind = match space {
        Space::Shared => Some(MemoryKind::SharedStore),
        Space::Global => Some(MemoryKind::GlobalStore),
        Space::Local => Some(MemoryKind::LocalStore),
        Space::Param | Space::Frame | Space::Const | Space::Generic => None,
    };
    block.changes += u64::from(matches!(space, Space::Shared | Space::Global));
    if let Some(kind) = kind {
        block.observer.memory(&MemoryEvent { pc, active, addresses, width, layout, kind });
    }
    if O::CHECKS {
        access_events::store(warp, block, pc, access, space, addresses, active);
    }
    let targets = Targets { space, addresses, layout, active };
    if let [Some(register)] = access.registers[..]
        && lanes::store(warp, block, access, register, targets)
    {
        return;
    }
    if access.registers.len() > 1 && vectors::store(warp, block, access, targets) {
        return;
    }
    store_parts(warp, block, pc, access, space, addresses, active);
}

/// A store of any kind, part by part and lane by lane.
#[inline(never)]
fn store_parts<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    access: &Access,
    space: Space,
    addresses: &[u64; 32],
    active: u32,
) {
    let (width, bytes) = (access.width(), u32::from(access.bytes));
    let constants = &block.machine.constants;
    let (aligned, misaligned) = aligned(addresses, active, width);
    let aligned = if space == Space::Local { active } else { aligned };
    let mut misses = (misaligned, 0);
    for (part, register) in access.registers.iter().enumerate() {
        let Some(register) = *register else { continue };
        let row = warp.registers.wide(constants, register);
        let addresses = rows::map(addresses, |address| address.wrapping_add(part as u64 * u64::from(bytes)));
        let outside = lanes::write(warp, block, space, &addresses, aligned, bytes.min(8), &row);
        misses.1 |= outside;
        if bytes == 16 {
            let high = if let Reg::Q(_, slot) = register { *warp.registers.d(constants, slot) } else { [0; 32] };
            let addresses = rows::map(&addresses, |address| address.wrapping_add(8));
            misses.1 |= lanes::write(warp, block, space, &addresses, aligned & !outside, 8, &high);
        }
    }
    if misses != (0, 0) {
        note_misses(warp, block, pc, &Attempt { verb: "writes", space, addresses, width }, misses);
    }
}

#[inline]
pub(super) fn write<O>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    space: Space,
    lane: usize,
    address: u64,
    bytes: u32,
    value: u64,
) -> Result<(), Outside> {
    let slice: &mut [u8] = match space {
        Space::Global | Space::Generic => {
            let allocation = block.machine.global.find(address, bytes).ok_or(Outside)?;
            allocation.store(address - allocation.base, bytes, value);
            return Ok(());
        }
        Space::Shared => &mut block.shared,
        Space::Local | Space::Param if address >= FRAME_OFFSET => {
            return write(warp, block, Space::Frame, lane, address - FRAME_OFFSET, bytes, value);
        }
        Space::Local => lane_memory_mut(&mut warp.local, lane),
        Space::Frame => lane_memory_mut(&mut warp.frame, lane),
        Space::Const | Space::Param => return Err(Outside),
    };
    let at = usize::try_from(address).map_err(|_| Outside)?;
    let target = slice.get_mut(at..).and_then(|rest| rest.get_mut(..bytes as usize)).ok_or(Outside)?;
    target.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    Ok(())
}

fn lane_memory_mut(memory: &mut [u8], lane: usize) -> &mut [u8] {
    let size = memory.len() / 32;
    &mut memory[lane * size..(lane + 1) * size]
}
