//! `cp.async.bulk` and `cp.reduce.async.bulk`: one lane copies many bytes between global and shared memory, or adds them
//! to what is there, element by element. It is done where it stands.
//!
//! The copy engine moves them past the units whose accesses are counted; what it adds is counted in the L2 cache alone.

use super::access_events;
use super::atomic;
use super::memory::{Attempt, Outside, addresses, note_misses, read, write};
use crate::event::Observer;
use crate::ir::inst::{AtomicOp, Bulk, Pc, Space};
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::sectors::SECTOR;

/// Bytes that addresses and sizes are multiples of.
const UNIT: u32 = 16;

/// Executes a bulk copy.
pub(super) fn execute<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, bulk: &Bulk, active: u32) {
    let (from, to) = (addresses(warp, block, bulk.from.1), addresses(warp, block, bulk.to.1));
    let sizes = warp.registers.wide(&block.machine.constants, bulk.bytes);
    let (source, target) = (bulk.from.0, bulk.to.0);
    block.changes += 1;
    for lane in lanes_of(active) {
        let (at, bit) = (lane as usize, 1 << lane);
        let size = sizes[at] as u32;
        let skewed = |address: u64| !(address | u64::from(size)).is_multiple_of(UNIT.into());
        let mut missed = None;
        if skewed(from[at]) {
            missed = Some(("reads", source, from[at], (bit, 0)));
        } else if skewed(to[at]) {
            missed = Some(("writes", target, to[at], (bit, 0)));
        }
        let units = if missed.is_none() { size / UNIT } else { 0 };
        if bulk.reduces.is_some() && target == Space::Global && units > 0 {
            // As an H200 was measured to do it: one request for each line, with the sectors that it has of it.
            let (first, last) = (to[at], to[at].saturating_add(u64::from(size - 1)));
            let touched = |bytes: u64| last / bytes - first / bytes + 1;
            block.observer.engine(pc, touched(128), touched(SECTOR));
        }
        for unit in 0..units {
            let offset = u64::from(unit * UNIT);
            let (here, there) = (from[at].wrapping_add(offset), to[at].wrapping_add(offset));
            if let Some((op, bytes)) = bulk.reduces {
                for part in (0..UNIT).step_by(bytes.into()).map(u64::from) {
                    let (here, there) = ((source, here.wrapping_add(part)), (target, there.wrapping_add(part)));
                    if let Err((verb, (space, address))) = reduce(warp, block, pc, lane, (op, bytes), here, there) {
                        missed = Some((verb, space, address, (0, bit)));
                        break;
                    }
                }
                if missed.is_some() {
                    break;
                }
                continue;
            }
            if O::CHECKS {
                access_events::copy(warp, block, pc, UNIT, (source, &[here; 32], bit), (target, &[there; 32], bit));
            }
            for half in [0, 8] {
                match read(warp, block, source, at, here.wrapping_add(half), 8) {
                    Err(Outside) => missed = Some(("reads", source, here, (0, bit))),
                    Ok(value) => {
                        if write(warp, block, target, at, there.wrapping_add(half), 8, value).is_err() {
                            missed = Some(("writes", target, there, (0, bit)));
                        }
                    }
                }
            }
            if missed.is_some() {
                break;
            }
        }
        if let Some((verb, space, address, misses)) = missed {
            let attempt = Attempt { verb, space, addresses: &[address; 32], width: UNIT };
            note_misses(warp, block, pc, &attempt, misses);
        }
    }
}

/// Where memory was missed, and what for.
type Missed = (&'static str, (Space, u64));

/// Combines one element with the one that is there.
fn reduce<O: Observer>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    lane: u32,
    (op, bytes): (AtomicOp, u8),
    from: (Space, u64),
    to: (Space, u64),
) -> Result<(), Missed> {
    let width = u32::from(bytes);
    if O::CHECKS {
        access_events::reduction(warp, block, pc, width, 1 << lane, from, to);
    }
    let value = read(warp, block, from.0, lane as usize, from.1, width).map_err(|Outside| ("reads", from))?;
    let change = |old| atomic::reduced(op, width, to.0, old, value);
    let old = match to.0 {
        Space::Shared => atomic::update(&mut block.shared, to.1, width, change),
        Space::Param | Space::Frame | Space::Const | Space::Global | Space::Local | Space::Generic => {
            let found = block.machine.global.find(to.1, width);
            found.map(|allocation| allocation.update(to.1 - allocation.base, width, change))
        }
    };
    old.map(drop).ok_or(("updates", to))
}
