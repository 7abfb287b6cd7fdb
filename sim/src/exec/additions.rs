//! Integer additions to 32-bit words of shared and global memory, the most frequent atomics, for all lanes of a warp at
//! once. Every other atomic goes lane by lane ([`super::atomic`]).

use super::access_events;
use super::{atomic, lanes, memory};
use crate::event::{MemoryEvent, Observer};
use crate::ir::inst::{Atomic, AtomicForm, AtomicOp, Pc, Reg, Space};
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::rows::{self, Layout, each_lane};

/// Executes such an addition if no lane misses. False when nothing was done.
#[inline(always)]
pub(super) fn execute<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    atomic: &Atomic,
    active: u32,
) -> bool {
    if atomic.op != AtomicOp::AddInt
        || !matches!(atomic.space, Space::Shared | Space::Global)
        || atomic.bytes != 4
        || !matches!(atomic.form, AtomicForm::Plain | AtomicForm::Increment)
    {
        return false;
    }
    let (Reg::W(operand, 32), None | Some(Reg::W(_, 32))) = (atomic.a, atomic.result) else { return false };
    let addresses = memory::addresses(warp, block, atomic.address);
    let mut bits = 0;
    for address in addresses {
        bits |= address;
    }
    if bits & 3 != 0 && memory::aligned(&addresses, active, 4).1 != 0 {
        return false;
    }
    let space = atomic.space;
    let machine = block.machine;
    let buffer = match space {
        Space::Shared => {
            let words = (block.shared.len() / 4) as u64;
            // What is below a power of two has no bit from there on.
            let mut missed = bits >> 2 >= words;
            if missed {
                missed = false;
                for address in addresses {
                    missed |= address >> 2 >= words;
                }
            }
            // A lane that takes no part may miss: then it is for the others to find out.
            if missed {
                return false;
            }
            None
        }
        Space::Param | Space::Frame | Space::Const | Space::Global | Space::Local | Space::Generic => {
            match lanes::one_buffer(block, &addresses, active, 4) {
                Some(buffer) => Some(buffer),
                None => return false,
            }
        }
    };
    let layout = Layout::of(&addresses, active, 4);
    let kind = atomic::kind(atomic, space);
    block.observer.memory(&MemoryEvent { pc, active, addresses: &addresses, width: 4, layout, kind });
    if O::CHECKS {
        access_events::atomic(warp, block, pc, atomic, space, &addresses, active);
    }
    let operands = warp.registers.w(&machine.constants, operand);
    let first = operands[active.trailing_zeros() as usize & 31];
    block.changes += u64::from(first != 0 || rows::union(operands, active) != 0);
    let mut old = [0; 32];
    match (buffer, atomic.result) {
        (Some(buffer), _) => {
            each_lane!(active, lane => old[lane] = buffer.add(addresses[lane] - buffer.base, operands[lane]));
        }
        (None, result) => {
            let (words, _) = block.shared.as_chunks_mut::<4>();
            // No lane misses, so this changes nothing: with a power of two it spares a comparison per lane.
            let places = rows::map(&addresses, |address| (address >> 2) as u32);
            let last = if words.len().is_power_of_two() { words.len() - 1 } else { usize::MAX };
            if result.is_none() && last < words.len() {
                each_lane!(active, lane => {
                    let word = &mut words[places[lane] as usize & last];
                    *word = u32::from_le_bytes(*word).wrapping_add(operands[lane]).to_le_bytes();
                });
            } else {
                each_lane!(active, lane => if let Some(word) = words.get_mut(places[lane] as usize) {
                    old[lane] = u32::from_le_bytes(*word);
                    *word = old[lane].wrapping_add(operands[lane]).to_le_bytes();
                });
            }
        }
    }
    if let Some(Reg::W(result, _)) = atomic.result {
        warp.registers.set_w(result, &old, active);
    }
    true
}
