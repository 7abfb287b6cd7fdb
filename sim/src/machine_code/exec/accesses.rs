//! Loads, stores, asynchronous copies and matrices: what they move between registers and memory.

use super::memory::{addresses, aligned, by_space, kind, little, note_misses, read, write};
use crate::event::{MemoryEvent, MemoryKind};
use crate::machine_code::block::Block;
use crate::machine_code::op::{Access, Address, Dst, Pred, Row, Slot, Space, Wide};
use crate::machine_code::warp::Warp;
use crate::memory::rows::{Layout, map};

/// Executes a load.
#[inline(always)]
pub(super) fn load(warp: &mut Warp, block: &mut Block<'_>, pc: u32, access: &Access, active: u32) {
    let to = addresses(warp, &block.machine.constants, &access.address, access.space);
    if access.space == Space::Generic {
        load_generic(warp, block, pc, access, &to, active);
    } else {
        load_from(warp, block, pc, access, (access.space, &to), active);
    }
}

#[inline(never)]
fn load_generic(warp: &mut Warp, block: &mut Block<'_>, pc: u32, access: &Access, to: &Wide, active: u32) {
    by_space(Space::Generic, to, active, |space, to, lanes| load_from(warp, block, pc, access, (space, to), lanes));
}

#[inline(always)]
fn load_from(
    warp: &mut Warp,
    block: &mut Block<'_>,
    pc: u32,
    access: &Access,
    (space, to): (Space, &Wide),
    active: u32,
) {
    let bytes = access.bytes;
    let layout = Layout::of(to, active, bytes);
    block.memory(&MemoryEvent { pc, active, addresses: to, width: bytes, layout, kind: kind(space, false) });
    if space == Space::Global && layout == Layout::Run && access.register != 255 {
        // All lanes read neighbours in one buffer.
        if let Some(buffer) = block.machine.global.find(to[0], bytes) {
            let at = to[0] - buffer.base;
            let first = usize::from(access.register);
            let done = match bytes {
                4 => buffer.load_row(at, &mut warp.r[first]),
                8 => buffer.load_words::<64>(at).map(|words| spread(&mut warp.r[first..], &words, 2)).is_some(),
                16 => buffer.load_words::<128>(at).map(|words| spread(&mut warp.r[first..], &words, 4)).is_some(),
                _ => false,
            };
            if done {
                return;
            }
        }
    }
    let aligned = aligned(to, active, bytes);
    let (mut outside, mut row) = (0, [0; 32]);
    for part in 0..bytes.div_ceil(4) {
        let piece = bytes.min(4);
        let moved;
        let at = if part == 0 {
            to
        } else {
            moved = map(to, |address| address.wrapping_add(u64::from(4 * part)));
            &moved
        };
        outside |= read(warp, block, space, at, aligned, piece, &mut row);
        if access.signed {
            let shift = 32 - 8 * piece;
            row = map(&row, |value| ((value << shift) as i32 >> shift) as u32);
        }
        if access.register != 255 {
            warp.set_lane(access.register + part as u8, &row, active);
        }
    }
    if outside != 0 || aligned != active {
        note_misses(warp, block, pc, ("reads", space, to, bytes), (active & !aligned, outside));
    }
}

/// Distributes neighbouring words, so many for each lane.
#[inline(always)]
fn spread(registers: &mut [Row], words: &[u32], each: usize) {
    for (part, row) in registers.iter_mut().take(each).enumerate() {
        for lane in 0..32 {
            row[lane] = words[lane * each + part];
        }
    }
}

/// Executes a store.
#[inline(always)]
pub(super) fn store(warp: &mut Warp, block: &mut Block<'_>, pc: u32, access: &Access, active: u32) {
    let to = addresses(warp, &block.machine.constants, &access.address, access.space);
    if access.space == Space::Generic {
        store_generic(warp, block, pc, access, &to, active);
    } else {
        store_to(warp, block, pc, access, (access.space, &to), active);
    }
}

#[inline(never)]
fn store_generic(warp: &mut Warp, block: &mut Block<'_>, pc: u32, access: &Access, to: &Wide, active: u32) {
    by_space(Space::Generic, to, active, |space, to, lanes| store_to(warp, block, pc, access, (space, to), lanes));
}

#[inline(always)]
fn store_to(
    warp: &mut Warp,
    block: &mut Block<'_>,
    pc: u32,
    access: &Access,
    (space, to): (Space, &Wide),
    active: u32,
) {
    let bytes = access.bytes;
    let layout = Layout::of(to, active, bytes);
    block.memory(&MemoryEvent { pc, active, addresses: to, width: bytes, layout, kind: kind(space, true) });
    block.changes += 1;
    let register = |warp: &Warp, part: u32| {
        if access.register == 255 { [0; 32] } else { warp.r[usize::from(access.register) + part as usize] }
    };
    if space == Space::Global
        && layout == Layout::Run
        && bytes == 4
        && let Some(buffer) = block.machine.global.find(to[0], 4)
        && buffer.store_words(to[0] - buffer.base, &register(warp, 0))
    {
        return;
    }
    let aligned = aligned(to, active, bytes);
    let mut outside = 0;
    for part in 0..bytes.div_ceil(4) {
        let row = register(warp, part);
        let moved;
        let at = if part == 0 {
            to
        } else {
            moved = map(to, |address| address.wrapping_add(u64::from(4 * part)));
            &moved
        };
        outside |= write(warp, block, space, at, aligned & !outside, bytes.min(4), &row);
    }
    if outside != 0 || aligned != active {
        note_misses(warp, block, pc, ("writes", space, to, bytes), (active & !aligned, outside));
    }
}

/// `LDC`: constant memory at an offset of each lane.
pub(super) fn load_constant(
    warp: &mut Warp,
    block: &Block<'_>,
    (d, bank, index, offset): (Dst, u8, Option<Slot>, i64),
    (bytes, signed): (u32, bool),
    active: u32,
) {
    let machine = block.machine;
    let empty = Vec::new();
    let content = if bank == 0 { &machine.bank0 } else { machine.program.banks.get(&bank).unwrap_or(&empty) };
    let index = index.map_or([0; 32], |index| warp.raw(&machine.constants, index));
    let mut to = d;
    for part in 0..bytes.div_ceil(4) {
        let piece = bytes.min(4) as usize;
        let row = map(&index, |index| {
            let at = i64::from(index as i32) + offset + i64::from(4 * part);
            let bytes = usize::try_from(at).ok().and_then(|at| content.get(at..at + piece));
            let value = bytes.map_or(0, little);
            let shift = 32 - 8 * piece as u32;
            if signed { ((value << shift) as i32 >> shift) as u32 } else { value }
        });
        warp.set(to, &row, active);
        to = to.next();
    }
}

/// `LDGSTS`: from global to shared memory; lanes whose predicate is false write zeros.
pub(super) fn copy(
    warp: &mut Warp,
    block: &mut Block<'_>,
    pc: u32,
    (to, from, bytes): (&Address, &Address, u32),
    fill: Option<Pred>,
    active: u32,
) {
    let machine = block.machine;
    let target = addresses(warp, &machine.constants, to, Space::Shared);
    let source = addresses(warp, &machine.constants, from, Space::Global);
    let reading = active & fill.map_or(u32::MAX, |fill| warp.pred(fill));
    block.changes += 1;
    let event = |active, addresses, kind| MemoryEvent {
        pc,
        active,
        addresses,
        width: bytes,
        layout: Layout::of(addresses, active, bytes),
        kind,
    };
    if reading != 0 {
        block.memory(&event(reading, &source, MemoryKind::GlobalCopy));
    }
    block.memory(&event(active, &target, MemoryKind::SharedCopy));
    let (from, into) = (aligned(&source, reading, bytes), aligned(&target, active, bytes));
    let (mut outside, mut missed) = (0, 0);
    for part in 0..bytes.div_ceil(4) {
        let next = |address: u64| address.wrapping_add(u64::from(4 * part));
        let mut row = [0; 32];
        outside |= read(warp, block, Space::Global, &map(&source, next), from, 4, &mut row);
        missed |= write(warp, block, Space::Shared, &map(&target, next), into, 4, &row);
    }
    if outside != 0 || from != reading {
        note_misses(warp, block, pc, ("reads", Space::Global, &source, bytes), (reading & !from, outside));
    }
    if missed != 0 || into != active {
        note_misses(warp, block, pc, ("writes", Space::Shared, &target, bytes), (active & !into, missed));
    }
}

/// `LDSM` and `STSM`: lane `8 * i + r` has the address of row `r`, 16 bytes, of matrix `i`.
pub(super) fn matrices(
    warp: &mut Warp,
    block: &mut Block<'_>,
    pc: u32,
    (address, count, transposed): (&Address, u32, bool),
    register: u8,
    (store, active): (bool, u32),
) {
    let to = addresses(warp, &block.machine.constants, address, Space::Shared);
    let lanes = active & (u32::MAX >> (32 - 8 * count));
    let kind = if store { MemoryKind::SharedStore } else { MemoryKind::SharedLoad };
    let layout = Layout::of(&to, lanes, 16);
    block.memory(&MemoryEvent { pc, active: lanes, addresses: &to, width: 16, layout, kind });
    block.changes += u64::from(store);
    let aligned = aligned(&to, lanes, 16);
    let mut outside = 0;
    let mut content = [[0u32; 32]; 4];
    if store && register != 255 {
        for matrix in 0..count as usize {
            let row = warp.r[usize::from(register) + matrix];
            let row = if transposed { super::matrix::turned(&row) } else { row };
            for (lane, word) in row.into_iter().enumerate() {
                content[lane % 4][matrix * 8 + lane / 4] = word;
            }
        }
    }
    for (part, row) in content.iter_mut().enumerate() {
        let at = map(&to, |address| address.wrapping_add(4 * part as u64));
        outside |= if store {
            write(warp, block, Space::Shared, &at, aligned, 4, row)
        } else {
            read(warp, block, Space::Shared, &at, aligned, 4, row)
        };
    }
    if !store && register != 255 {
        for matrix in 0..count as usize {
            let row = std::array::from_fn(|lane| content[lane % 4][matrix * 8 + lane / 4]);
            let row = if transposed { super::matrix::turned(&row) } else { row };
            warp.set_lane(register + matrix as u8, &row, active);
        }
    }
    if outside != 0 || aligned != lanes {
        let verb = if store { "writes" } else { "reads" };
        note_misses(warp, block, pc, (verb, Space::Shared, &to, 16), (lanes & !aligned, outside));
    }
}
