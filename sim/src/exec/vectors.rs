//! Vector loads and stores of 32-bit registers for all lanes of a warp at once: `ld.global.v4.f32` and its siblings,
//! and those that ptxas puts together from neighbouring accesses. Everything else goes part by part ([`super::memory`]).

use super::lanes::{Targets, run_of_words, shared_words, store_run, store_shared_words};
use super::memory::aligned;
use crate::ir::inst::{Access, Reg, Slot32, Space};
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::rows::{self, Layout};

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

/// How the elements with one number lie, where those with the first do as `layout` says.
fn of_parts(layout: Layout) -> Layout {
    if layout == Layout::Same { Layout::Same } else { Layout::Any }
}

/// Loads a vector if no lane misses. False when nothing was done.
#[inline(always)]
pub(super) fn load<O>(warp: &mut Warp, block: &Block<'_, O>, access: &Access, targets: Targets<'_>) -> bool {
    let Targets { space, addresses, layout, active } = targets;
    let Some((slots, parts)) = words(access) else { return false };
    if layout == Layout::Any && aligned(addresses, active, access.width()).1 != 0 {
        return false;
    }
    let mut values = [[0; 32]; 4];
    match space {
        Space::Shared => {
            for (part, value) in values.iter_mut().enumerate().take(parts) {
                let row = shared_words(&block.shared, &of_part(addresses, part), of_parts(layout), active);
                let Some(row) = row else { return false };
                *value = row;
            }
        }
        Space::Global if layout != Layout::Run => return false,
        Space::Global if parts == 2 => {
            let row = run_of_words::<64, O>(block, addresses, 8);
            let Some(row) = row else { return false };
            for lane in 0..32 {
                (values[0][lane], values[1][lane]) = (row[2 * lane], row[2 * lane + 1]);
            }
        }
        Space::Global => {
            let row = run_of_words::<128, O>(block, addresses, 16);
            let Some(row) = row else { return false };
            for lane in 0..32 {
                for (part, value) in values.iter_mut().enumerate() {
                    value[lane] = row[4 * lane + part];
                }
            }
        }
        Space::Param | Space::Frame | Space::Const | Space::Local | Space::Generic => return false,
    }
    for (value, &slot) in values.iter().zip(&slots).take(parts) {
        warp.registers.set_w(slot, value, active);
    }
    true
}

/// Stores a vector if no lane misses. False when something is left to do: then everything is to be done once more.
#[inline(always)]
pub(super) fn store<O>(warp: &Warp, block: &mut Block<'_, O>, access: &Access, targets: Targets<'_>) -> bool {
    let Targets { space, addresses, layout, active } = targets;
    let Some((slots, parts)) = words(access) else { return false };
    if layout == Layout::Any && aligned(addresses, active, access.width()).1 != 0 {
        return false;
    }
    let constants = &block.machine.constants;
    let value = |part: usize| warp.registers.w(constants, slots[part]);
    match space {
        Space::Shared => (0..parts).all(|part| {
            let addresses = of_part(addresses, part);
            store_shared_words(&mut block.shared, &addresses, value(part), of_parts(layout), active)
        }),
        Space::Global if layout != Layout::Run => false,
        Space::Global if parts == 2 => {
            let (first, second) = (value(0), value(1));
            let mut row = [0; 64];
            for lane in 0..32 {
                (row[2 * lane], row[2 * lane + 1]) = (first[lane], second[lane]);
            }
            store_run(block, addresses, 8, &row)
        }
        Space::Global => {
            let values = [value(0), value(1), value(2), value(3)];
            let mut row = [0; 128];
            for lane in 0..32 {
                for (part, value) in values.iter().enumerate() {
                    row[4 * lane + part] = value[lane];
                }
            }
            store_run(block, addresses, 16, &row)
        }
        Space::Param | Space::Frame | Space::Const | Space::Local | Space::Generic => false,
    }
}
