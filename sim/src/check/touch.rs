//! How the race detector goes over the lanes of an access: whole rows at once where it can, else lane by lane.

use super::racecheck::Racecheck;
use super::shadow::{LINE, Record, Shape};
use super::view::{View, consecutive, same_address};
use crate::observe::{AccessEvent, AccessKind, lanes_of};

impl Racecheck {
    /// Notes an access to shared memory and collects its conflicts.
    #[inline(always)]
    pub(super) fn touch_shared(&mut self, event: &AccessEvent<'_>, now: u32, kind: AccessKind) {
        let mut cells = std::mem::take(&mut self.context.shared);
        let order = View::<false> {
            recent: self.context.clocks.floor,
            turn: 0,
            context: &self.context,
            blocks: &self.blocks,
            orders: &self.orders,
            scoped_atomics: false,
        };
        let (granule, width) = (self.granules[0], event.bytes * event.parts);
        let per_lane = (width >> granule) as usize;
        let first = Record::new(now, event.warp * 32, event.pc);
        let misaligned = |address: u64| address & u64::from(width.next_power_of_two() - 1) != 0;
        let inside =
            |address: u64, bytes: u32| self.shared_bytes.checked_sub(bytes.into()).is_some_and(|last| address <= last);
        let whole = event.used == (1 << event.parts) - 1;
        let mut lanes = event.lanes;
        if lanes == u32::MAX
            && whole
            && consecutive(event.addresses, width)
            && !misaligned(event.addresses[0])
            && inside(event.addresses[0], width * 32)
            && cells.access_row((event.addresses[0] >> granule) as usize, per_lane, first, kind, &order)
        {
            lanes = 0;
        } else if kind == AccessKind::Load {
            lanes = two_of_many(event.addresses, lanes);
        }
        for lane in lanes_of(lanes) {
            let address = event.addresses[lane as usize];
            if misaligned(address) || !inside(address, width) {
                continue; // a finding of its own
            }
            let me = first.later_lane(lane);
            let mut conflict = None;
            let mut touch = |from: u64, bytes: u32| {
                let begin = (from >> granule) as usize;
                for at in begin..begin + (bytes >> granule) as usize {
                    if let Some(earlier) = cells.access(at, me, kind, &order) {
                        conflict.get_or_insert((earlier, (at as u64) << granule));
                    }
                }
            };
            if whole {
                touch(address, width);
            } else {
                lanes_of(event.used).for_each(|part| touch(address + u64::from(part * event.bytes), event.bytes));
            }
            if let Some((earlier, at)) = conflict {
                self.conflicts.push((lane, earlier, at));
            }
        }
        self.context.shared = cells;
    }

    /// Notes an access to global memory and collects its conflicts.
    #[inline(always)]
    pub(super) fn touch_global(&mut self, event: &AccessEvent<'_>, now: u32, kind: AccessKind) {
        let Self { context, blocks, global, granules, orders, scoped_atomics, conflicts, .. } = self;
        let granule = granules[1];
        let order = View::<true> {
            recent: context.clocks.floor.max(blocks.turn),
            turn: blocks.turn,
            context,
            blocks,
            orders,
            scoped_atomics: *scoped_atomics,
        };
        let width = event.bytes * event.parts;
        let whole = event.used == (1 << event.parts) - 1;
        let me = |lane: u32| Record::new(now, event.warp * 32 + lane, event.pc);
        let mut bounds = (0, 0u64);
        let mut inside = |address: u64, bytes: u64| {
            let (base, size) = bounds;
            if address >= base && address - base <= size.saturating_sub(bytes) && bytes <= size {
                return true;
            }
            if let Some((base, size)) = (event.allocation)(address) {
                bounds = (base, size);
                return address - base <= size.saturating_sub(bytes) && bytes <= size;
            }
            false
        };
        let mut lanes = event.lanes;
        let first = event.addresses[0];
        if lanes == u32::MAX
            && whole
            && matches!(width, 4 | 8 | 16)
            && first.is_multiple_of(LINE)
            && consecutive(event.addresses, width)
            && inside(first, u64::from(width) * 32)
        {
            let per_line = LINE as u32 / width;
            for part in 0..width / 4 {
                let line = global.line(first + u64::from(part) * LINE);
                let shape = Shape { width: width.ilog2() as u8, first: (part * per_line) as u8 };
                if line.access_whole(shape, me(part * per_line), kind, &order) {
                    lanes &= !((u32::MAX >> (32 - per_line)) << (part * per_line));
                }
            }
        } else if kind == AccessKind::Load {
            lanes = two_of_many(event.addresses, lanes);
        }
        for lane in lanes_of(lanes) {
            let address = event.addresses[lane as usize];
            if address & u64::from(width.next_power_of_two() - 1) != 0 || !inside(address, width.into()) {
                continue; // out of bounds or misaligned: a finding of its own
            }
            let words = global.line(address).each(granule);
            let start = address % LINE;
            let mut conflict = None;
            let mut touch = |from: u64, bytes: u32| {
                let (first, count) = ((from >> granule) as usize, (bytes >> granule) as usize);
                for (index, word) in words[first..first + count].iter_mut().enumerate() {
                    if let Some(earlier) = word.access(me(lane), kind, &order) {
                        conflict.get_or_insert((earlier, address - start + from + ((index as u64) << granule)));
                    }
                }
            };
            if whole {
                touch(start, width);
            } else {
                lanes_of(event.used).for_each(|part| touch(start + u64::from(part * event.bytes), event.bytes));
            }
            if let Some((earlier, at)) = conflict {
                conflicts.push((lane, earlier, at));
            }
        }
    }
}

/// Of the readers of one place two are enough.
#[inline(always)]
fn two_of_many(addresses: &[u64; 32], lanes: u32) -> u32 {
    if lanes & lanes.wrapping_sub(1) != 0 && same_address(addresses, lanes) {
        lanes & lanes.wrapping_neg() | 1 << lanes.ilog2()
    } else {
        lanes
    }
}
