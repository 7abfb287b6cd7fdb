//! Vector loads and stores of 32-bit registers for all lanes of a warp at once: `ld.global.v4.f32` and its siblings,
//! and those that ptxas puts together from neighbouring accesses. Everything else goes part by part ([`super::memory`]).

use super::lanes::{neighbours, shared_words, store_shared_words};
use super::memory::aligned;
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::global::Allocation;
use crate::memory::rows;
use crate::program::inst::{Access, Reg, Slot32, Space};

/// The registers of a vector of 2 or 4 words, if each word has one.
#[inline(always)]
fn words(access: &Access) -> Option<([Slot32; 4], usize)> {
    let mut slots = [0; 4];
    let parts = access.registers.len();
    if access.bytes != 4 || !matches!(parts, 2 | 4) {
        return None;
    }
    for (slot, register) in slots.iter_mut().zip(&access.registers) {
        let Some(Reg::W(own, 32)) = *register else { return None };
        *slot = own;
    }
    Some((slots, parts))
}

/// The addresses of the element number `part` of every lane.
#[inline(always)]
fn of_part(addresses: &[u64; 32], part: usize) -> [u64; 32] {
    rows::map(addresses, |address| address.wrapping_add(4 * part as u64))
}

/// Loads a vector if no lane misses. False when nothing was done.
pub(super) fn load<O>(
    warp: &mut Warp,
    block: &Block<'_, O>,
    space: Space,
    access: &Access,
    addresses: &[u64; 32],
    active: u32,
) -> bool {
    let Some((slots, parts)) = words(access) else { return false };
    if aligned(addresses, active, access.width()).1 != 0 {
        return false;
    }
    let mut values = [[0; 32]; 4];
    match space {
        Space::Shared => {
            for (part, value) in values.iter_mut().enumerate().take(parts) {
                let Some(row) = shared_words(&block.shared, &of_part(addresses, part), active) else { return false };
                *value = row;
            }
        }
        Space::Global if parts == 2 => {
            let row = neighbours(block, addresses, active, 8, Allocation::load_words::<64>);
            let Some(row) = row else { return false };
            deal(&row, &mut values, parts);
        }
        Space::Global => {
            let row = neighbours(block, addresses, active, 16, Allocation::load_words::<128>);
            let Some(row) = row else { return false };
            deal(&row, &mut values, parts);
        }
        _ => return false,
    }
    for (value, &slot) in values.iter().zip(&slots).take(parts) {
        warp.registers.set_w(slot, value, active);
    }
    true
}

/// Stores a vector if no lane misses. False when something is left to do: then everything is to be done once more.
pub(super) fn store<O>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    space: Space,
    access: &Access,
    addresses: &[u64; 32],
    active: u32,
) -> bool {
    let Some((slots, parts)) = words(access) else { return false };
    if aligned(addresses, active, access.width()).1 != 0 {
        return false;
    }
    let constants = &block.machine.constants;
    let value = |part: usize| warp.registers.w(constants, slots[part]);
    match space {
        Space::Shared => {
            (0..parts).all(|part| store_shared_words(&mut block.shared, &of_part(addresses, part), value(part), active))
        }
        Space::Global if parts == 2 => {
            let row: [u32; 64] = std::array::from_fn(|word| value(word % 2)[word / 2]);
            let stored = |allocation: &Allocation, at| allocation.store_words(at, &row).then_some(());
            neighbours(block, addresses, active, 8, stored).is_some()
        }
        Space::Global => {
            let row: [u32; 128] = std::array::from_fn(|word| value(word % 4)[word / 4]);
            let stored = |allocation: &Allocation, at| allocation.store_words(at, &row).then_some(());
            neighbours(block, addresses, active, 16, stored).is_some()
        }
        _ => false,
    }
}

/// Hands the words of all lanes, lane after lane, to the rows of their parts.
fn deal(words: &[u32], values: &mut [[u32; 32]; 4], parts: usize) {
    for (lane, vector) in words.chunks_exact(parts).enumerate().take(32) {
        for (value, &word) in values.iter_mut().zip(vector) {
            value[lane] = word;
        }
    }
}
