//! Reading and writing memory for all lanes of a warp at once: the loops below loads and stores.
//!
//! [`load`] and [`store`] know the frequent accesses, one register a lane in shared or global memory or one value for
//! all, and are part of the executor's loop. [`read`] and [`write`] do one element a lane of any access.

use super::memory::{self, Outside, aligned};
use crate::ir::FRAME_OFFSET;
use crate::ir::inst::{Access, Reg, Space};
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::allocation::Allocation;
use crate::memory::rows::{self, Layout, each_lane, element};

/// Where the lanes of an access go, in one space.
#[derive(Clone, Copy)]
pub(super) struct Targets<'a> {
    /// The space.
    pub(super) space: Space,
    /// Byte addresses within it.
    pub(super) addresses: &'a [u64; 32],
    /// How they lie.
    pub(super) layout: Layout,
    /// The lanes.
    pub(super) active: u32,
}

/// Loads `register` if the access is a frequent one and no lane misses. False when nothing was done.
#[inline(always)]
pub(super) fn load<O>(
    warp: &mut Warp,
    block: &Block<'_, O>,
    access: &Access,
    register: Reg,
    targets: Targets<'_>,
) -> bool {
    let Targets { space, addresses, layout, active } = targets;
    match (space, register, access.bytes) {
        (Space::Shared, Reg::W(slot, 32), 4) => {
            let Some(row) = shared_words(&block.shared, addresses, layout, active) else { return false };
            warp.registers.set_w(slot, &row, active);
        }
        (Space::Shared, Reg::D(slot), 8) => {
            let Some(row) = shared_doubles(&block.shared, addresses, active) else { return false };
            warp.registers.set_d(slot, &row, active);
        }
        (Space::Global, Reg::W(slot, 32), 4) => {
            // All lanes take part in a run, so it goes straight to the register.
            if layout == Layout::Run
                && let Some((buffer, at)) = run(block, addresses, 4)
                && buffer.load_row(at, warp.registers.row(slot))
            {
                return true;
            }
            let row = match layout {
                Layout::Same => block.machine.global.find(addresses[0], 4).map(|buffer| {
                    let value = buffer.load(addresses[0] - buffer.base, 4);
                    [value as u32; 32]
                }),
                Layout::Run | Layout::Any => None,
            };
            let Some(row) = row.or_else(|| global_words(block, addresses, active)) else { return false };
            warp.registers.set_w(slot, &row, active);
        }
        (Space::Global, Reg::D(slot), 8) => {
            let words: Option<[u32; 64]> = match layout {
                Layout::Run => run_of_words(block, addresses, 8),
                Layout::Same | Layout::Any => None,
            };
            let row = match words {
                Some(words) => {
                    let mut row = [0; 32];
                    for lane in 0..32 {
                        row[lane] = u64::from(words[2 * lane]) | u64::from(words[2 * lane + 1]) << 32;
                    }
                    row
                }
                None => match global_lanes(block, addresses, active, 8) {
                    Some(row) => row,
                    None => return false,
                },
            };
            warp.registers.set_d(slot, &row, active);
        }
        (Space::Global, Reg::W(slot, bits), 1) => {
            let words: Option<[u32; 8]> = match layout {
                Layout::Run => run_of_words(block, addresses, 1),
                Layout::Same | Layout::Any => None,
            };
            let row = match words {
                Some(words) => std::array::from_fn(|lane| words[lane / 4] >> (lane % 4 * 8) & 0xff),
                None => match global_lanes(block, addresses, active, 1) {
                    Some(row) => rows::map(&row, |value| value as u32),
                    None => return false,
                },
            };
            let mask = if bits >= 32 { u32::MAX } else { (1 << bits) - 1 };
            let row = if access.signed { rows::map(&row, |value| value as u8 as i8 as u32 & mask) } else { row };
            warp.registers.set_w(slot, &row, active);
        }
        (Space::Param | Space::Const, _, 1..=8) if access.address.base.is_none() && addresses[0] < FRAME_OFFSET => {
            // Every lane reads the same: a kernel's parameters.
            let bytes = u32::from(access.bytes);
            let Ok(mut value) = memory::read(warp, block, space, 0, addresses[0], bytes) else { return false };
            if !addresses[0].is_multiple_of(bytes.into()) {
                return false;
            }
            if access.signed && bytes < 8 {
                let shift = 64 - bytes * 8;
                value = ((value << shift) as i64 >> shift) as u64;
            }
            match register {
                Reg::W(slot, 32) => warp.registers.set_w(slot, &[value as u32; 32], active),
                Reg::D(slot) => warp.registers.set_d(slot, &[value; 32], active),
                Reg::W(..) | Reg::P(_) | Reg::Q(..) => warp.registers.set_wide(register, &[value; 32], active),
            }
        }
        _ => return false,
    }
    true
}

/// Stores `register` if the access is a frequent one and no lane misses. False when nothing was done.
#[inline(always)]
pub(super) fn store<O>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    access: &Access,
    register: Reg,
    targets: Targets<'_>,
) -> bool {
    let Targets { space, addresses, layout, active } = targets;
    let constants = &block.machine.constants;
    match (space, register, access.bytes) {
        (Space::Shared, Reg::W(slot, 32), 4) => {
            let row = warp.registers.w(constants, slot);
            store_shared_words(&mut block.shared, addresses, row, layout, active)
        }
        (Space::Global, Reg::W(slot, 32), 4) => {
            let row = warp.registers.w(constants, slot);
            if layout == Layout::Run && store_run(block, addresses, 4, row) {
                return true;
            }
            let (_, misaligned) = aligned(addresses, active, 4);
            let buffer = if misaligned == 0 { one_buffer(block, addresses, active, 4) } else { None };
            let Some(buffer) = buffer else { return false };
            each_lane!(active, lane => buffer.store(addresses[lane] - buffer.base, 4, row[lane].into()));
            true
        }
        (Space::Global, Reg::D(slot), 8) => {
            let row = warp.registers.d(constants, slot);
            let (_, misaligned) = aligned(addresses, active, 8);
            let buffer = if misaligned == 0 { one_buffer(block, addresses, active, 8) } else { None };
            let Some(buffer) = buffer else { return false };
            each_lane!(active, lane => buffer.store(addresses[lane] - buffer.base, 8, row[lane]));
            true
        }
        _ => false,
    }
}

/// The buffer and the offset of the first lane in it, where all lanes follow one another ([`Layout::Run`]) inside it.
#[inline(always)]
pub(super) fn run<'m, O>(block: &Block<'m, O>, addresses: &[u64; 32], bytes: u32) -> Option<(&'m Allocation<'m>, u64)> {
    let allocation = block.machine.global.find(addresses[0], 32 * bytes)?;
    Some((allocation, addresses[0] - allocation.base))
}

/// Words that lie as [`run`] says, if they lie in one page.
#[inline(always)]
pub(super) fn run_of_words<const N: usize, O>(
    block: &Block<'_, O>,
    addresses: &[u64; 32],
    bytes: u32,
) -> Option<[u32; N]> {
    let (buffer, at) = run(block, addresses, bytes)?;
    buffer.load_words(at)
}

/// Stores words that lie as [`run`] says, if they lie in one page. False when nothing was done.
#[inline(always)]
pub(super) fn store_run<const N: usize, O>(
    block: &Block<'_, O>,
    addresses: &[u64; 32],
    bytes: u32,
    words: &[u32; N],
) -> bool {
    run(block, addresses, bytes).is_some_and(|(buffer, at)| buffer.store_words(at, words))
}

#[inline(always)]
fn global_lanes<O>(block: &Block<'_, O>, addresses: &[u64; 32], active: u32, bytes: u32) -> Option<[u64; 32]> {
    let (_, misaligned) = aligned(addresses, active, bytes);
    if misaligned != 0 {
        return None;
    }
    let mut row = [0; 32];
    let outside = block.machine.global.load_lanes(addresses, active, bytes, &mut row);
    (outside == 0).then_some(row)
}

#[inline(always)]
fn global_words<O>(block: &Block<'_, O>, addresses: &[u64; 32], active: u32) -> Option<[u32; 32]> {
    let (_, misaligned) = aligned(addresses, active, 4);
    if misaligned != 0 {
        return None;
    }
    let mut row = [0; 32];
    let outside = block.machine.global.load_words(addresses, active, &mut row);
    (outside == 0).then_some(row)
}

/// The buffer in which the lowest and the highest address lie, if it is one: then so do all between them.
#[inline(always)]
pub(super) fn one_buffer<'m, O>(
    block: &Block<'m, O>,
    addresses: &[u64; 32],
    active: u32,
    bytes: u32,
) -> Option<&'m Allocation<'m>> {
    let (mut low, mut high) = (u64::MAX, 0);
    each_lane!(active, lane => {
        low = low.min(addresses[lane]);
        high = high.max(addresses[lane]);
    });
    let global = &block.machine.global;
    match (global.find(low, bytes), global.find(high, bytes)) {
        (Some(first), Some(last)) if std::ptr::eq(first, last) => Some(first),
        _ => None,
    }
}

#[inline(always)]
pub(super) fn shared_words(shared: &[u8], addresses: &[u64; 32], layout: Layout, active: u32) -> Option<[u32; 32]> {
    let (words, _) = shared.as_chunks::<4>();
    let mut row = [0; 32];
    match layout {
        Layout::Run => {
            let near = words.get(element(addresses[0], 2)..)?.first_chunk::<32>()?;
            for lane in 0..32 {
                row[lane] = u32::from_le_bytes(near[lane]);
            }
            return Some(row);
        }
        Layout::Same => return words.get(element(addresses[0], 2)).map(|&word| [u32::from_le_bytes(word); 32]),
        Layout::Any => {}
    }
    let (_, misaligned) = aligned(addresses, active, 4);
    if misaligned != 0 {
        return None;
    }
    let mut outside = false;
    each_lane!(active, lane => match words.get(element(addresses[lane], 2)) {
        Some(&word) => row[lane] = u32::from_le_bytes(word),
        None => outside = true,
    });
    (!outside).then_some(row)
}

#[inline(always)]
fn shared_doubles(shared: &[u8], addresses: &[u64; 32], active: u32) -> Option<[u64; 32]> {
    let (_, misaligned) = aligned(addresses, active, 8);
    if misaligned != 0 {
        return None;
    }
    let (doubles, _) = shared.as_chunks::<8>();
    let mut row = [0; 32];
    let mut outside = false;
    each_lane!(active, lane => match doubles.get(element(addresses[lane], 3)) {
        Some(&double) => row[lane] = u64::from_le_bytes(double),
        None => outside = true,
    });
    (!outside).then_some(row)
}

#[inline(always)]
pub(super) fn store_shared_words(
    shared: &mut [u8],
    addresses: &[u64; 32],
    row: &[u32; 32],
    layout: Layout,
    active: u32,
) -> bool {
    let (words, _) = shared.as_chunks_mut::<4>();
    if layout == Layout::Run {
        let near = words.get_mut(element(addresses[0], 2)..).and_then(|words| words.first_chunk_mut::<32>());
        let Some(near) = near else { return false };
        for lane in 0..32 {
            near[lane] = row[lane].to_le_bytes();
        }
        return true;
    }
    let (_, misaligned) = aligned(addresses, active, 4);
    if misaligned != 0 {
        return false;
    }
    let mut outside = false;
    each_lane!(active, lane => outside |= addresses[lane] >> 2 >= words.len() as u64);
    if outside {
        return false;
    }
    each_lane!(active, lane => words[element(addresses[lane], 2)] = row[lane].to_le_bytes());
    true
}

/// Reads up to eight aligned bytes for each of `lanes` into `row`. Returns the lanes that are outside their memory.
pub(super) fn read<O>(
    warp: &Warp,
    block: &Block<'_, O>,
    space: Space,
    addresses: &[u64; 32],
    lanes: u32,
    bytes: u32,
    row: &mut [u64; 32],
) -> u32 {
    let mut outside = 0;
    match (space, bytes) {
        (Space::Global, _) => return block.machine.global.load_lanes(addresses, lanes, bytes, row),
        (Space::Shared, 4) => {
            let (words, _) = block.shared.as_chunks::<4>();
            each_lane!(lanes, lane => match words.get(element(addresses[lane], 2)) {
                Some(&word) => row[lane] = u32::from_le_bytes(word).into(),
                None => outside |= 1 << lane,
            });
        }
        (Space::Shared, 8) => {
            let (doubles, _) = block.shared.as_chunks::<8>();
            each_lane!(lanes, lane => match doubles.get(element(addresses[lane], 3)) {
                Some(&double) => row[lane] = u64::from_le_bytes(double),
                None => outside |= 1 << lane,
            });
        }
        _ => each_lane!(lanes, lane => match memory::read(warp, block, space, lane, addresses[lane], bytes) {
            Ok(value) => row[lane] = value,
            Err(Outside) => outside |= 1 << lane,
        }),
    }
    outside
}

/// Writes up to eight aligned bytes for each of `lanes` from `row`. Returns the lanes that are outside their memory.
pub(super) fn write<O>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    space: Space,
    addresses: &[u64; 32],
    lanes: u32,
    bytes: u32,
    row: &[u64; 32],
) -> u32 {
    let mut outside = 0;
    match (space, bytes) {
        (Space::Global, _) => return block.machine.global.store_lanes(addresses, lanes, bytes, row),
        (Space::Shared, 4) => {
            let (words, _) = block.shared.as_chunks_mut::<4>();
            each_lane!(lanes, lane => match words.get_mut(element(addresses[lane], 2)) {
                Some(word) => *word = (row[lane] as u32).to_le_bytes(),
                None => outside |= 1 << lane,
            });
        }
        (Space::Shared, 8) => {
            let (doubles, _) = block.shared.as_chunks_mut::<8>();
            each_lane!(lanes, lane => match doubles.get_mut(element(addresses[lane], 3)) {
                Some(double) => *double = row[lane].to_le_bytes(),
                None => outside |= 1 << lane,
            });
        }
        _ => each_lane!(lanes, lane => {
            outside |=
                u32::from(memory::write(warp, block, space, lane, addresses[lane], bytes, row[lane]).is_err()) << lane;
        }),
    }
    outside
}
