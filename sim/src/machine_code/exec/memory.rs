//! Memory as lanes see it: addresses, the space that they lie in, words that are read and written, and accesses that miss.

use crate::event::MemoryKind;
use crate::findings::{FindingKind, Memory};
use crate::ir::layout::{LOCAL_WINDOW, SHARED_WINDOW, WINDOW};
use crate::lanes::lanes_of;
use crate::machine_code::block::Block;
use crate::machine_code::machine::RESERVED_SHARED;
use crate::machine_code::op::{Address, Row, Slot, Space, Wide};
use crate::machine_code::warp::Warp;
use crate::memory::rows::{self, map};

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
pub(super) fn aligned(addresses: &Wide, active: u32, bytes: u32) -> u32 {
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
pub(super) fn read(
    warp: &Warp,
    block: &Block<'_>,
    space: Space,
    addresses: &Wide,
    lanes: u32,
    bytes: u32,
    to: &mut Row,
) -> u32 {
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

pub(super) fn little(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Writes up to 4 bytes of each lane; returns the lanes whose address lies outside.
#[inline(always)]
pub(super) fn write(
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
pub(super) const fn kind(space: Space, store: bool) -> MemoryKind {
    match (space, store) {
        (Space::Shared, false) => MemoryKind::SharedLoad,
        (Space::Shared, true) => MemoryKind::SharedStore,
        (Space::Local, false) => MemoryKind::LocalLoad,
        (Space::Local, true) => MemoryKind::LocalStore,
        (_, false) => MemoryKind::GlobalLoad,
        (_, true) => MemoryKind::GlobalStore,
    }
}
