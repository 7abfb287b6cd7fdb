//! What is kept of asynchronous copies: places, flights, groups, phases of mbarriers, and writes that the copy engine may read.

use std::collections::{HashMap, VecDeque};

use super::clocks::Clocks;
use super::pages::PageMap;
use crate::event::AccessKind;
use crate::findings::Early;
use crate::ir::inst::{Pc, Space};

/// Binary logarithm of the bytes of an entry: copies move multiples of four, at addresses that are.
pub(super) const GRANULE: u32 = 2;

/// Phases of an mbarrier that are remembered: pipelines are a few stages long.
pub(super) const PHASES: usize = 8;

/// Flights from which on those that their threads have waited for are forgotten, where threads never all meet.
pub(super) const MANY: usize = 1 << 16;

/// An access that meets a copy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// The lane of the access.
    pub lane: u32,
    /// Address of the granule.
    pub address: u64,
    /// The thread that began the copy, or wrote what it reads.
    pub thread: u32,
    /// What it did: the copy's write or read, or the write that it reads.
    pub kind: AccessKind,
    pub pc: Pc,
    pub why: Early,
}

/// A place that is written or read by a copy.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    /// Position of its flight, plus one.
    pub(super) flight: u32,
    pub(super) pc: Pc,
    pub(super) time: u32,
    /// The copy engine adds to what is there.
    pub(super) adds: bool,
}

#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) shared: Vec<Entry>,
    pub(super) global: PageMap<Entry>,
}

impl Table {
    pub(super) fn get(&self, space: Space, granule: u64) -> Entry {
        match space {
            Space::Shared => self.shared.get(granule as usize).copied().unwrap_or_default(),
            _ => self.global.get(&granule).copied().unwrap_or_default(),
        }
    }

    /// Puts an entry and returns the one that was there.
    pub(super) fn put(&mut self, space: Space, granule: u64, entry: Entry, shared_bytes: u64) -> Entry {
        if space != Space::Shared {
            return self.global.insert(granule, entry).unwrap_or_default();
        }
        if self.shared.is_empty() {
            self.shared.resize(shared_bytes.div_ceil(1 << GRANULE) as usize, Entry::default());
        }
        match self.shared.get_mut(granule as usize) {
            Some(place) => std::mem::replace(place, entry),
            None => Entry::default(),
        }
    }
}

/// What a thread waits for at once.
#[derive(Debug, Default)]
pub(super) struct Flight {
    pub(super) live: bool,
    pub(super) thread: u32,
    /// When it began: entries before that are of another flight in the same place.
    pub(super) since: u32,
    /// When its thread waited for all of it, and for its reads; 0 is never.
    pub(super) waited: u32,
    pub(super) read: u32,
    /// Mbarriers, with the number of the phase that does not end before.
    pub(super) phases: Vec<(u64, u32)>,
    pub(super) engine: bool,
}

/// The copies of one thread that it waits for in groups.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) open: Vec<u32>,
    /// The next copy begins another flight of the open group.
    pub(super) tracked: bool,
    pub(super) committed: VecDeque<Vec<u32>>,
}

/// Who knows that a phase is over.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) phase: u32,
    pub(super) any: bool,
    /// When each thread saw it; 0 is never.
    pub(super) times: Vec<u32>,
}

#[derive(Debug, Default)]
pub(super) struct Barrier {
    /// Phases that have ended.
    pub(super) count: u32,
    /// The same as the barrier's word has it, modulo 16.
    pub(super) word: u64,
    pub(super) phases: Vec<Seen>,
}

/// A write that the copy engine may read later, and the latest `fence.proxy.async` of threads.
#[derive(Debug, Default)]
pub(super) struct Proxies {
    /// By granule of shared memory: time, thread and instruction of the latest ordinary write.
    pub(super) written: Vec<(u32, u32, Pc)>,
    /// By thread: when, and the time before which all threads' writes were known then.
    pub(super) fences: HashMap<u32, (u32, u32)>,
    /// The greatest of the latter.
    pub(super) all: u32,
}

impl Proxies {
    /// The ordinary write of a granule that the copy engine reads for `thread` without a fence between.
    pub(super) fn unfenced(&self, space: Space, granule: u64, thread: u32, clocks: &Clocks) -> Option<Hit> {
        let &(time, writer, pc) = self.written.get(granule as usize).filter(|_| space == Space::Shared)?;
        if time == 0 {
            return None;
        }
        // The writer's own fence, or one of somebody who knew the write.
        let (own, _) = self.fences.get(&writer).copied().unwrap_or_default();
        let (copier, known) = self.fences.get(&thread).copied().unwrap_or_default();
        // What was not learned at a barrier of the block was learned in a way that is not looked into here.
        let otherwise = copier > time && (time >= clocks.floor || writer / 32 == thread / 32);
        if own > time || self.all > time || copier > time && known > time || otherwise {
            return None;
        }
        Some(Hit { lane: 0, address: 0, thread: writer, kind: AccessKind::Store, pc, why: Early::Proxy })
    }
}
