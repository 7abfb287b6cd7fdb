//! What a [`Tracer`] writes down of an access to memory: the sectors that it touches, and what it takes of L1 and of L2's units.

use super::super::trace::{Access, AccessKind, Event, LOCAL_MEMORY};
use super::super::units::tag_wavefronts;
use super::{MOST_EVENTS, Tracer, WARPS};
use crate::event::MemoryEvent;
use crate::ir::inst::Pc;
use crate::lanes::lanes_of;
use crate::memory::banks::{self, Direction};
use crate::memory::rows::Layout;
use crate::memory::sectors;

impl Tracer {
    /// An access to local memory. Words with one address lie side by side, in a place of the warp's own, so that a vector's
    /// words lie in lines behind each other.
    pub(super) fn local(&mut self, event: &MemoryEvent<'_>, kind: AccessKind) {
        let Some((block, warp)) = self.current else { return };
        let number = self.trace.blocks[block].index * WARPS + warp as u64;
        let place = |lane: usize| {
            // Of a lane without access there may be anything.
            let address = if event.active >> lane & 1 == 1 { event.addresses[lane] } else { 0 };
            LOCAL_MEMORY + number * self.local * 32 + (address / 4 * 32 + lane as u64) * 4 + address % 4
        };
        let addresses = std::array::from_fn(place);
        let words = (event.width / 4).max(1);
        let width = event.width.min(4);
        let layout = Layout::of(&addresses, event.active, width);
        self.words(&MemoryEvent { addresses: &addresses, width, layout, ..*event }, kind, words);
    }

    /// The copy engine gets a copy, or a reduction of elements of so many bytes, whose sectors follow.
    pub(crate) fn engine(&mut self, pc: Pc, kind: AccessKind, width: u32) {
        if self.current.is_none_or(|(block, _)| self.events[block] >= MOST_EVENTS) {
            return;
        }
        let (first, access) = (self.trace.sectors.len() as u32, self.trace.accesses.len() as u32);
        let update = self.trace.code[pc as usize].update;
        let none = Access { kind, first, together: 1, full: true, width, update, ..Access::default() };
        self.trace.accesses.push(none);
        self.replace(pc, Event::Global { pc, access });
    }

    /// The copy engine moves bytes of a sector, for the last copy that it got.
    pub(crate) fn engine_moves(&mut self, sector: u64) {
        let (Some((block, _)), Some(access)) = (self.current, self.trace.accesses.last_mut()) else { return };
        if self.events[block] < MOST_EVENTS && (access.sectors == 0 || self.trace.sectors.last() != Some(&sector)) {
            self.trace.sectors.push(sector);
            access.sectors += 1;
            access.lines = access.sectors.div_ceil(4);
            access.lanes = access.sectors * (32 / access.width.max(1));
        }
    }

    pub(super) fn global(&mut self, event: &MemoryEvent<'_>, kind: AccessKind) {
        self.words(event, kind, 1);
    }

    /// An access of so many words of each lane, which are a line apart.
    fn words(&mut self, event: &MemoryEvent<'_>, kind: AccessKind, words: u32) {
        let &MemoryEvent { pc, active, width, addresses, .. } = event;
        if self.current.is_none_or(|(block, _)| self.events[block] >= MOST_EVENTS) {
            return;
        }
        // A vector of updates is told element by element, and done as one.
        if let (AccessKind::Atomic | AccessKind::Reduction, Some((block, warp))) = (kind, self.current)
            && let Some(Event::Global { pc: before, .. }) = self.trace.blocks[block].warps[warp].last()
            && *before == pc
        {
            return;
        }
        let first = self.trace.sectors.len();
        let mut lines = 0;
        let (mut last, mut last_line) = (u64::MAX, u64::MAX);
        for (word, lane) in (0..words).flat_map(|word| lanes_of(active).map(move |lane| (word, lane))) {
            let sector = (addresses[lane as usize] >> 5) + u64::from(word) * 4;
            if sector == last || self.trace.sectors[first..].contains(&sector) {
                continue;
            }
            last = sector;
            self.trace.sectors.push(sector);
            if sector >> 2 != last_line {
                last_line = sector >> 2;
                lines += u32::from(!self.trace.sectors[first..].iter().rev().skip(1).any(|s| s >> 2 == last_line));
            }
        }
        let sectors = (self.trace.sectors.len() - first) as u32;
        let elements = sectors::elements(addresses, active, width.min(32).next_power_of_two()) * words;
        let (together, repeats) = match kind {
            AccessKind::Atomic | AccessKind::Reduction => together(addresses, active),
            AccessKind::Load | AccessKind::LoadL2 | AccessKind::Store | AccessKind::Copy => (1, 0),
        };
        let lanes = active.count_ones() * words;
        let access = self.trace.accesses.len() as u32;
        let full = elements * width >= sectors * 32;
        let (polls, update) = (self.polls[pc as usize], self.trace.code[pc as usize].update);
        let wavefronts = match kind {
            AccessKind::Load | AccessKind::LoadL2 => {
                let places = std::array::from_fn(|lane| addresses[lane] as u32);
                let data = banks::wavefronts(&places, active, width, Direction::Load) * words;
                data.max(tag_wavefronts(&self.trace.sectors[first..]))
            }
            AccessKind::Store | AccessKind::Atomic | AccessKind::Reduction | AccessKind::Copy => 0,
        };
        let first = first as u32;
        let access_of =
            Access { kind, first, sectors, lines, wavefronts, together, repeats, lanes, full, width, polls, update };
        self.trace.accesses.push(access_of);
        self.replace(pc, Event::Global { pc, access });
    }
}

/// Most lanes that address the same place; and in each sector the lanes beyond the first that address the place that
/// most of them do, summed up.
fn together(addresses: &[u64; 32], active: u32) -> (u32, u32) {
    let (mut most, mut repeats) = (1, 0);
    let mut left = active;
    while left != 0 {
        let sector = addresses[left.trailing_zeros() as usize] >> 5;
        let lanes = lanes_of(left).filter(|&lane| addresses[lane as usize] >> 5 == sector);
        let of_sector = lanes.fold(0, |mask, lane| mask | 1 << lane);
        let same = |lane: u32| {
            lanes_of(of_sector).filter(|&other| addresses[other as usize] == addresses[lane as usize]).count() as u32
        };
        let of_place = lanes_of(of_sector).map(same).max().unwrap_or(1);
        most = most.max(of_place);
        repeats += of_place - 1;
        left &= !of_sector;
    }
    (most, repeats)
}
