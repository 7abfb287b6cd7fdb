//! Accesses to global memory by source line and buffer: what a warp's access moves as it is, what it would move if the same
//! elements were given to lanes in another order, and how many updates go to one place.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sim::event::{MemoryEvent, MemoryKind};
use sim::ir::inst::Pc;
use sim::memory::banks::Direction;

use crate::watch::Code;

/// Accesses of a warp at one line that are looked at together.
pub(crate) const WINDOW: u32 = 32;
/// Bytes of the widest access of a lane.
const WIDEST: u64 = 16;

/// A line of the source and a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) place: u32,
    pub(crate) buffer: usize,
    pub(crate) kind: Kind,
}

/// What is done there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Load,
    Store,
    /// An atomic; whether its old value is used.
    Atomic(bool),
}

/// All accesses of one key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) pcs: BTreeSet<Pc>,
    /// Bytes per lane.
    pub(crate) width: u32,
    /// Accesses of warps.
    pub(crate) accesses: u64,
    /// Lanes that took part.
    pub(crate) lanes: u64,
    /// Sectors that they move.
    pub(crate) sectors: u64,
    /// Sectors that they would move if the lanes of each access addressed consecutive elements.
    pub(crate) ideal: u64,
    /// Distinct sectors of each window of accesses of a warp, summed up.
    pub(crate) by_window: u64,
    /// Accesses in which each lane addresses what lies behind its last element.
    pub(crate) walks: u64,
    /// Distinct sectors of each block, summed up.
    pub(crate) by_block: u64,
    /// Of atomics: distinct addresses of each access, summed up.
    pub(crate) addresses: u64,
    /// Of atomics: distinct addresses of each block, summed up, and the most of a block.
    pub(crate) block_addresses: (u64, u64),
    /// Accesses that follow one another in a thread and together are one wide access: their number, and the number of wide
    /// accesses that they would be.
    pub(crate) fused: (u64, u64),
    /// Sectors of those, as they are and as wide accesses.
    pub(crate) fused_sectors: (u64, u64),
    /// The lines of those.
    pub(crate) fused_places: BTreeSet<u32>,
    /// Their instructions.
    pub(crate) fused_pcs: BTreeSet<Pc>,
}

/// The accesses of a launch.
#[derive(Debug, Default)]
pub(crate) struct Global {
    pub(crate) seen: BTreeMap<Key, Seen>,
}

impl Global {
    pub(crate) fn merge(&mut self, later: Self) {
        for (key, theirs) in later.seen {
            self.seen.entry(key).or_default().merge(theirs);
        }
    }
}

impl Seen {
    fn merge(&mut self, later: Self) {
        self.pcs.extend(later.pcs);
        self.width = self.width.max(later.width);
        self.accesses += later.accesses;
        self.lanes += later.lanes;
        self.sectors += later.sectors;
        self.ideal += later.ideal;
        self.by_window += later.by_window;
        self.walks += later.walks;
        self.by_block += later.by_block;
        self.addresses += later.addresses;
        let (sum, most) = later.block_addresses;
        self.block_addresses = (self.block_addresses.0 + sum, self.block_addresses.1.max(most));
        self.fused = (self.fused.0 + later.fused.0, self.fused.1 + later.fused.1);
        let (now, then) = later.fused_sectors;
        self.fused_sectors = (self.fused_sectors.0 + now, self.fused_sectors.1 + then);
        self.fused_places.extend(later.fused_places);
        self.fused_pcs.extend(later.fused_pcs);
    }
}

/// What is known of a block that runs.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// By warp and key: the window that is open.
    windows: HashMap<(u32, Key), Window>,
    /// By key: the sectors of the block.
    sectors: HashMap<Key, HashSet<u64>>,
    /// By key: the addresses that its atomics update.
    addresses: HashMap<Key, HashSet<u64>>,
    /// By warp, buffer and kind: accesses that follow one another.
    chains: HashMap<(u32, usize, Kind), Chain>,
}

#[derive(Debug, Default)]
struct Window {
    accesses: u32,
    sectors: HashSet<u64>,
    /// The last access.
    active: u32,
    addresses: Vec<u64>,
}

/// Accesses of a warp that follow one another, each to what lies behind the one before.
#[derive(Debug, Default)]
struct Chain {
    active: u32,
    width: u32,
    first: Vec<u64>,
    links: Vec<(Key, Pc)>,
}

impl Block {
    pub(crate) fn access(&mut self, code: &Code, global: &mut Global, warp: u32, event: &MemoryEvent<'_>) {
        let kind = match event.kind {
            MemoryKind::GlobalAtomic | MemoryKind::GlobalSwap => Kind::Atomic(true),
            MemoryKind::GlobalReduction => Kind::Atomic(false),
            MemoryKind::GlobalStore => Kind::Store,
            _ => Kind::Load,
        };
        let lanes = || (0..32usize).filter(|lane| event.active >> lane & 1 != 0);
        let addresses: Vec<u64> = lanes().map(|lane| event.addresses[lane]).collect();
        let Some(buffer) = code.buffer(addresses[0]) else { return };
        let key = Key { place: code.place_of[event.pc as usize], buffer, kind };
        let direction = if kind == Kind::Load { Direction::Load } else { Direction::Store };
        let seen = global.seen.entry(key).or_default();
        seen.pcs.insert(event.pc);
        seen.width = seen.width.max(event.width);
        seen.accesses += 1;
        seen.lanes += addresses.len() as u64;
        seen.sectors += u64::from(code.rules.traffic(event.addresses, event.active, event.width, direction).sectors);
        seen.ideal += u64::from(code.rules.ideal_sectors(event.active, event.width, direction));
        let touched: HashSet<u64> = addresses.iter().flat_map(|&a| sectors(a, event.width)).collect();
        self.sectors.entry(key).or_default().extend(&touched);
        if let Kind::Atomic(_) = kind {
            let distinct: HashSet<u64> = addresses.iter().copied().collect();
            seen.addresses += distinct.len() as u64;
            self.addresses.entry(key).or_default().extend(distinct);
        }
        let window = self.windows.entry((warp, key)).or_default();
        let walks = window.active == event.active
            && window.addresses.iter().zip(&addresses).all(|(before, now)| before + u64::from(event.width) == *now);
        seen.walks += u64::from(walks);
        window.sectors.extend(&touched);
        window.accesses += 1;
        window.active = event.active;
        window.addresses.clone_from(&addresses);
        if window.accesses == WINDOW {
            seen.by_window += window.sectors.len() as u64;
            window.accesses = 0;
            window.sectors.clear();
        }
        self.follow(global, (warp, buffer, kind), key, event, addresses);
    }

    /// Whether this access goes on where the warp's last one to the buffer ended.
    fn follow(
        &mut self,
        global: &mut Global,
        at: (u32, usize, Kind),
        key: Key,
        event: &MemoryEvent<'_>,
        addresses: Vec<u64>,
    ) {
        let chain = self.chains.entry(at).or_default();
        let behind = chain.links.len() as u64 * u64::from(chain.width);
        let follows = chain.active == event.active
            && chain.width == event.width
            && !chain.links.iter().any(|(_, pc)| *pc == event.pc)
            && chain.first.iter().zip(&addresses).all(|(first, now)| first + behind == *now);
        if !follows {
            std::mem::replace(
                chain,
                Chain { active: event.active, width: event.width, first: addresses, links: Vec::new() },
            )
            .end(global);
        }
        chain.links.push((key, event.pc));
    }

    /// The block has come to its end.
    pub(crate) fn end(self, global: &mut Global) {
        for ((_, key), window) in self.windows {
            if let Some(seen) = global.seen.get_mut(&key) {
                seen.by_window += window.sectors.len() as u64;
            }
        }
        for (key, sectors) in self.sectors {
            if let Some(seen) = global.seen.get_mut(&key) {
                seen.by_block += sectors.len() as u64;
            }
        }
        for (key, addresses) in self.addresses {
            if let Some(seen) = global.seen.get_mut(&key) {
                let count = addresses.len() as u64;
                seen.block_addresses = (seen.block_addresses.0 + count, seen.block_addresses.1.max(count));
            }
        }
        self.chains.into_values().for_each(|chain| chain.end(global));
    }
}

impl Chain {
    /// Nothing follows: the first of its accesses that together are wide ones are counted.
    fn end(self, global: &mut Global) {
        let width = u64::from(self.width);
        let fits = |count: &usize| {
            let bytes = *count as u64 * width;
            *count <= self.links.len() && bytes <= WIDEST && self.first.iter().all(|first| first.is_multiple_of(bytes))
        };
        let Some(count) = [4, 2].into_iter().find(fits) else { return };
        let wide = self.links.len() / count;
        let Some(seen) = self.links.first().and_then(|(key, _)| global.seen.get_mut(key)) else { return };
        let used = &self.links[..wide * count];
        seen.fused = (seen.fused.0 + used.len() as u64, seen.fused.1 + wide as u64);
        seen.fused_places.extend(used.iter().map(|(key, _)| key.place));
        seen.fused_pcs.extend(used.iter().map(|(_, pc)| *pc));
        let distinct = |offset: u64, width: u32| {
            self.first.iter().flat_map(|first| sectors(first + offset, width)).collect::<HashSet<u64>>().len() as u64
        };
        let now: u64 = (0..used.len() as u64).map(|link| distinct(link * width, self.width)).sum();
        let bytes = count as u64 * width;
        let then: u64 = (0..wide as u64).map(|link| distinct(link * bytes, bytes as u32)).sum();
        seen.fused_sectors = (seen.fused_sectors.0 + now, seen.fused_sectors.1 + then);
    }
}

/// The sectors of an access of a lane.
fn sectors(address: u64, width: u32) -> impl Iterator<Item = u64> {
    address >> 5..=(address + u64::from(width.max(1)) - 1) >> 5
}
