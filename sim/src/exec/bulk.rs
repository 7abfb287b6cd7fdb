//! `cp.async.bulk`: one lane copies many bytes between global and shared memory. It is done where it stands.
//!
//! The copy engine moves them past the units whose accesses are counted.

use super::memory::{Attempt, Outside, addresses, note_misses, read, write};
use crate::check::hook;
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::observe::{Observer, lanes_of};
use crate::program::inst::{Bulk, Pc};

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
        for unit in 0..units {
            let offset = u64::from(unit * UNIT);
            let (here, there) = (from[at].wrapping_add(offset), to[at].wrapping_add(offset));
            if O::CHECKS {
                hook::copy(warp, block, pc, UNIT, (source, &[here; 32], bit), (target, &[there; 32], bit));
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
