//! Loads, stores and copies: addresses, the space that they lie in, and what is moved.

use crate::event::{MemoryEvent, MemoryKind};
use crate::findings::{FindingKind, Memory};
use crate::ir::layout::{LOCAL_WINDOW, SHARED_WINDOW, WINDOW};
use crate::lanes::lanes_of;
use crate::machine_code::block::Block;
use crate::machine_code::machine::RESERVED_SHARED;
use crate::machine_code::op::{Access, Address, Dst, Pred, Row, Slot, Space, Wide};
use crate::machine_code::warp::Warp;
use crate::memory::rows::{self, Layout, map};

/// The address of every lane.
#[inline(always)]
pub(super) fn addresses(warp: &Warp, constants: &[u32], address: &Address, space: Space) -> Wide {
    let low = warp.raw(constants, address.base);
    let mut wide: Wide = match address.base_high {
        Some(high) => {
            let high = warp.raw(constants, high);
            let mut wide = [0; 32];
            for lane in 0..32 {
                wide[lane] = u64::from(low[lane]) | u64::from(high[lane]) << 32;
            }
            wide
        }
        None => map(&low, |low| u64::from(low.wrapping_mul(address.scale))),
    };
    let word = |slot: Slot| warp.raw(constants, slot)[0];
    let uniform = match (address.uniform, space) {
        (None, _) => 0,
        (Some(low), Space::Shared | Space::Local) => u64::from(word(low)),
        (Some(low), Space::Global | Space::Generic) => {
            u64::from(word(low)) | u64::from(address.uniform_high.map_or(0, word)) << 32
        }
    };
    let add = uniform.wrapping_add_signed(address.offset);
    if add != 0 {
        wide = map(&wide, |value| value.wrapping_add(add));
    }
    match space {
        Space::Shared | Space::Local => map(&wide, |value| value & 0xffff_ffff),
        Space::Global | Space::Generic => wide,
    }
}

/// Does something for the lanes of each space that generic addresses lie in.
pub(super) fn by_space(space: Space, addresses: &Wide, active: u32, mut each: impl FnMut(Space, &Wide, u32)) {
    if space != Space::Generic {
        return each(space, addresses, active);
    }
    let within = |base: u64| {
        lanes_of(active)
            .filter(|&lane| addresses[lane as usize].wrapping_sub(base) < WINDOW)
            .fold(0u32, |m, l| m | 1 << l)
    };
    let (shared, local) = (within(SHARED_WINDOW), within(LOCAL_WINDOW));
    for (space, base, lanes) in [
        (Space::Shared, SHARED_WINDOW, shared),
        (Space::Local, LOCAL_WINDOW, local),
        (Space::Global, 0, active & !shared & !local),
    ] {
        if lanes != 0 {
            each(space, &map(addresses, |address| address.wrapping_sub(base)), lanes);
        }
    }
}

/// The lanes whose address is a multiple of the access's size.
#[inline(always)]
fn aligned(addresses: &Wide, active: u32, bytes: u32) -> u32 {
    let mask = u64::from(bytes - 1);
    let mut any = 0;
    for address in addresses {
        any |= address & mask;
    }
    if any == 0 {
        return active;
    }
    let mut truth = [false; 32];
    for lane in 0..32 {
        truth[lane] = addresses[lane] & mask == 0;
    }
    rows::bits(truth) & active
}

/// Lanes have missed memory.
#[cold]
pub(super) fn note_misses(
    warp: &Warp,
    block: &mut Block<'_>,
    pc: u32,
    (verb, space, addresses, bytes): (&str, Space, &Wide, u32),
    (misaligned, outside): (u32, u32),
) {
    let (memory, name) = match space {
        Space::Global | Space::Generic => (Memory::Global, "global"),
        Space::Shared => (Memory::Shared, "shared"),
        Space::Local => (Memory::Local, "local"),
    };
    let [x, y, z]: [u32; 3] = block.coordinates.into();
    let who =
        |lanes: u32| format!("{} of warp {} in block ({x}, {y}, {z})", crate::lanes::lanes_text(lanes), warp.index);
    let first = |lanes: u32| addresses[lanes.trailing_zeros() as usize & 31];
    if misaligned != 0 {
        let address = first(misaligned);
        let message = format!(
            "{} {verb} {bytes} bytes of {name} memory at {address:#x}, which is no multiple of {bytes}",
            who(misaligned)
        );
        let help = "make the address a multiple of the size of what is accessed";
        block.fault(pc, FindingKind::Misaligned, (warp.index, misaligned), (message, help), Some(memory));
    }
    if outside != 0 {
        let address = first(outside);
        let place = match space {
            Space::Global | Space::Generic => block.machine.global.locate(address).to_string(),
            Space::Shared => {
                let bytes = block.machine.shared_bytes - RESERVED_SHARED;
                format!(
                    "byte {} of {bytes} bytes of shared memory",
                    address.wrapping_sub(RESERVED_SHARED).cast_signed()
                )
            }
            Space::Local => format!("byte {address} of {} bytes of local memory", block.machine.program.local_bytes),
        };
        let message = format!("{} {verb} {bytes} bytes of {name} memory outside of it: {place}", who(outside));
        let help = "keep the index below the number of elements";
        block.fault(pc, FindingKind::OutOfBounds, (warp.index, outside), (message, help), Some(memory));
    }
}

/// The lanes whose access of shared memory lies outside of it.
#[inline(always)]
fn outside_shared(shared: &[u8], addresses: &Wide, active: u32, bytes: u32) -> u32 {
    let last = shared.len() as u64 - u64::from(bytes);
    let mut any = false;
    for address in addresses {
        any |= *address < RESERVED_SHARED || *address > last;
    }
    if !any {
        return 0;
    }
    let mut truth = [false; 32];
    for lane in 0..32 {
        truth[lane] = addresses[lane] < RESERVED_SHARED || addresses[lane] > last;
    }
    rows::bits(truth) & active
}

/// Reads up to 4 bytes for each lane; returns the lanes whose address lies outside.
#[inline(always)]
fn read(warp: &Warp, block: &Block<'_>, space: Space, addresses: &Wide, lanes: u32, bytes: u32, to: &mut Row) -> u32 {
    match space {
        Space::Shared => {
            let outside = outside_shared(&block.shared, addresses, lanes, bytes);
            let lanes = lanes & !outside;
            if bytes == 4 {
                let (words, _) = block.shared.as_chunks::<4>();
                rows::each_lane!(lanes, lane => {
                    to[lane] = words.get((addresses[lane] >> 2) as usize).map_or(0, |word| u32::from_le_bytes(*word));
                });
            } else {
                for lane in lanes_of(lanes) {
                    let at = addresses[lane as usize] as usize;
                    to[lane as usize] = little(&block.shared[at..at + bytes as usize]);
                }
            }
            outside
        }
        Space::Local => {
            let size = u64::from(block.machine.program.local_bytes);
            let mut outside = 0;
            for lane in lanes_of(lanes) {
                let address = addresses[lane as usize];
                if address + u64::from(bytes) > size {
                    outside |= 1 << lane;
                    continue;
                }
                let at = (u64::from(lane) * size + address) as usize;
                to[lane as usize] = little(&warp.local[at..at + bytes as usize]);
            }
            outside
        }
        Space::Global | Space::Generic if bytes == 4 => block.machine.global.load_words(addresses, lanes, to),
        Space::Global | Space::Generic => {
            let mut wide = [0; 32];
            let outside = block.machine.global.load_lanes(addresses, lanes, bytes, &mut wide);
            *to = map(&wide, |value| value as u32);
            outside
        }
    }
}

fn little(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Writes up to 4 bytes of each lane; returns the lanes whose address lies outside.
#[inline(always)]
fn write(
    warp: &mut Warp,
    block: &mut Block<'_>,
    space: Space,
    addresses: &Wide,
    lanes: u32,
    bytes: u32,
    row: &Row,
) -> u32 {
    match space {
        Space::Shared => {
            let outside = outside_shared(&block.shared, addresses, lanes, bytes);
            let lanes = lanes & !outside;
            if bytes == 4 {
                let (words, _) = block.shared.as_chunks_mut::<4>();
                rows::each_lane!(lanes, lane => {
                    if let Some(word) = words.get_mut((addresses[lane] >> 2) as usize) {
                        *word = row[lane].to_le_bytes();
                    }
                });
            } else {
                for lane in lanes_of(lanes) {
                    let at = addresses[lane as usize] as usize;
                    let value = row[lane as usize].to_le_bytes();
                    block.shared[at..at + bytes as usize].copy_from_slice(&value[..bytes as usize]);
                }
            }
            outside
        }
        Space::Local => {
            let size = u64::from(block.machine.program.local_bytes);
            let mut outside = 0;
            for lane in lanes_of(lanes) {
                let address = addresses[lane as usize];
                if address + u64::from(bytes) > size {
                    outside |= 1 << lane;
                    continue;
                }
                let at = (u64::from(lane) * size + address) as usize;
                let value = row[lane as usize].to_le_bytes();
                warp.local[at..at + bytes as usize].copy_from_slice(&value[..bytes as usize]);
            }
            outside
        }
        Space::Global | Space::Generic => {
            let wide = map(row, u64::from);
            block.machine.global.store_lanes(addresses, lanes, bytes, &wide)
        }
    }
}

/// How the observer counts an access.
const fn kind(space: Space, store: bool) -> MemoryKind {
    match (space, store) {
        (Space::Shared, false) => MemoryKind::SharedLoad,
        (Space::Shared, true) => MemoryKind::SharedStore,
        (Space::Local, false) => MemoryKind::LocalLoad,
        (Space::Local, true) => MemoryKind::LocalStore,
        (_, false) => MemoryKind::GlobalLoad,
        (_, true) => MemoryKind::GlobalStore,
    }
}

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
    block
        .memory(warp.index, &MemoryEvent { pc, active, addresses: to, width: bytes, layout, kind: kind(space, false) });
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
    block.memory(warp.index, &MemoryEvent { pc, active, addresses: to, width: bytes, layout, kind: kind(space, true) });
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
        block.memory(warp.index, &event(reading, &source, MemoryKind::GlobalCopy));
    }
    block.memory(warp.index, &event(active, &target, MemoryKind::SharedCopy));
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
    block.memory(warp.index, &MemoryEvent { pc, active: lanes, addresses: &to, width: 16, layout, kind });
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
