//! How the race detector goes over the lanes of an access: whole rows at once where it can, else lane by lane.

use super::cells::Cells;
use super::pages::Pages;
use super::racecheck::Racecheck;
use super::shadow::{LINE, Record, Shape};
use super::view::{Context, Look, View, same_address};
use crate::event::{AccessEvent, AccessKind};
use crate::lanes::lanes_of;
use crate::memory::rows;

impl Racecheck {
    /// Notes an access to shared memory and collects its conflicts.
    #[inline(always)]
    pub(super) fn touch_shared(&mut self, event: &AccessEvent<'_>, look: &Look, now: u32, kind: AccessKind) {
        let granule = self.granules[0];
        let per_lane = ((event.bytes * event.parts) >> granule) as usize;
        let first = Record::new(now, event.warp * 32, event.pc);
        let mut lanes = event.lanes;
        let simple = look.fits && event.used == (1 << event.parts) - 1;
        let (cells, _, order) = self.shared();
        if simple && look.row {
            let begin = rows::element(event.addresses[0], granule);
            if cells.access_row(begin, per_lane, first, kind, &order) {
                return;
            }
        } else if kind == AccessKind::Load {
            lanes = two_of_many(event.addresses, lanes);
        }
        if simple {
            let granules = rows::map(event.addresses, |address| (address >> granule) as u32);
            lanes = cells.access_lanes(&granules, per_lane, lanes, first, kind, &order);
        }
        if lanes != 0 {
            self.touch_shared_one_by_one(event, lanes, first, kind);
        }
    }

    /// The cells of shared memory, where conflicts are collected, and what orders accesses to the cells.
    #[inline(always)]
    fn shared(&mut self) -> (&mut Cells, &mut Vec<(u32, Record, u64)>, View<'_, false>) {
        let Context { clocks, heads, shared, block, .. } = &mut self.context;
        let (blocks, orders) = (&self.blocks, &*self.orders);
        let view =
            View { recent: clocks.floor, turn: 0, block: *block, clocks, heads, blocks, orders, scoped_atomics: false };
        (shared, &mut self.conflicts, view)
    }

    #[inline(never)]
    fn touch_shared_one_by_one(&mut self, event: &AccessEvent<'_>, lanes: u32, first: Record, kind: AccessKind) {
        let (granule, shared_bytes) = (self.granules[0], self.shared_bytes);
        let (cells, conflicts, order) = self.shared();
        let width = event.bytes * event.parts;
        let low = u64::from(width.next_power_of_two() - 1);
        for lane in lanes_of(lanes) {
            let address = event.addresses[lane as usize];
            if address & low != 0 || shared_bytes.checked_sub(width.into()).is_none_or(|last| address > last) {
                continue; // a finding of its own
            }
            let me = first.of_lane(lane);
            let mut conflict = None;
            for part in lanes_of(event.used) {
                let begin = (address + u64::from(part * event.bytes)) >> granule;
                for at in begin..begin + u64::from(event.bytes >> granule) {
                    if let Some(earlier) = cells.access(at as usize, me, kind, &order) {
                        conflict.get_or_insert((earlier, at << granule));
                    }
                }
            }
            if let Some((earlier, at)) = conflict {
                conflicts.push((lane, earlier, at));
            }
        }
    }

    /// Notes an access to global memory and collects its conflicts.
    #[inline(always)]
    pub(super) fn touch_global(&mut self, event: &AccessEvent<'_>, look: &Look, now: u32, kind: AccessKind) {
        let width = event.bytes * event.parts;
        let first = event.addresses[0];
        let mut lanes = event.lanes;
        if look.row {
            if event.used == (1 << event.parts) - 1
                && matches!(width, 4 | 8 | 16)
                && first.is_multiple_of(LINE)
                && inside(&mut (0, 0), event, first, u64::from(width) * 32)
            {
                lanes = self.touch_lines(event, now, kind);
            }
        } else if kind == AccessKind::Load {
            lanes = two_of_many(event.addresses, lanes);
        }
        if lanes != 0 {
            self.touch_global_one_by_one(event, lanes, now, kind);
        }
    }

    /// The lines of global memory, where conflicts are collected, and what orders accesses to the lines.
    #[inline(always)]
    fn global(&mut self) -> (&mut Pages, &mut Vec<(u32, Record, u64)>, View<'_, true>) {
        let Self { context, blocks, orders, scoped_atomics, global, conflicts, .. } = self;
        let view = View {
            recent: context.clocks.floor.max(blocks.turn),
            turn: blocks.turn,
            block: context.block,
            clocks: &context.clocks,
            heads: &context.heads,
            blocks,
            orders,
            scoped_atomics: *scoped_atomics,
        };
        (global, conflicts, view)
    }

    /// Notes a row that consists of whole lines. Returns the lanes whose lines have to be looked at word by word.
    #[inline(always)]
    fn touch_lines(&mut self, event: &AccessEvent<'_>, now: u32, kind: AccessKind) -> u32 {
        let (global, _, order) = self.global();
        let width = event.bytes * event.parts;
        let per_line = LINE as u32 / width;
        let mut lanes = event.lanes;
        for part in 0..width / 4 {
            let lane = part * per_line;
            let shape = Shape { width: width.ilog2() as u8, first: lane as u8 };
            let me = Record::new(now, event.warp * 32 + lane, event.pc);
            let line = global.line(event.addresses[0] + u64::from(part) * LINE);
            if line.access_whole(shape, me, kind, &order) {
                lanes &= !((u32::MAX >> (32 - per_line)) << lane);
            }
        }
        lanes
    }

    #[inline(never)]
    fn touch_global_one_by_one(&mut self, event: &AccessEvent<'_>, lanes: u32, now: u32, kind: AccessKind) {
        let granule = self.granules[1];
        let (global, conflicts, order) = self.global();
        let width = event.bytes * event.parts;
        let whole = event.used == (1 << event.parts) - 1;
        let mut bounds = (0, 0);
        for lane in lanes_of(lanes) {
            let address = event.addresses[lane as usize];
            if address & u64::from(width.next_power_of_two() - 1) != 0
                || !inside(&mut bounds, event, address, width.into())
            {
                continue; // out of bounds or misaligned: a finding of its own
            }
            let words = global.line(address).each(granule);
            let start = address % LINE;
            let me = Record::new(now, event.warp * 32 + lane, event.pc);
            let mut conflict = None;
            let mut touch = |from: u64, bytes: u32| {
                let (first, count) = ((from >> granule) as usize, (bytes >> granule) as usize);
                for (index, word) in words[first..first + count].iter_mut().enumerate() {
                    if let Some(earlier) = word.access(me, kind, &order) {
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

/// Whether an allocation has so many bytes at an address. `bounds` is the allocation that was looked up last.
#[inline(always)]
fn inside(bounds: &mut (u64, u64), event: &AccessEvent<'_>, address: u64, bytes: u64) -> bool {
    let within = |(base, size): (u64, u64)| {
        size.checked_sub(bytes).is_some_and(|last| address >= base && address - base <= last)
    };
    if within(*bounds) {
        return true;
    }
    let Some(found) = (event.allocation)(address) else { return false };
    *bounds = found;
    within(found)
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
