//! What an edit does to the predicted time: the trace of a sample of blocks is changed as the edit changes its accesses, and
//! replayed. Instructions stay as they are, so that what an edit adds or saves beside its accesses is not in it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use sim::memory::sectors::SECTOR;
use sim::predict::trace::{Access, AccessKind, Event, Trace};

use crate::global::WINDOW;

/// How an edit changes accesses. Instructions are numbered as in the program.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// Accesses to shared memory take another number of wavefronts: by instruction, those now and those then.
    Wavefronts(BTreeMap<u32, (u64, u64)>),
    /// The sectors of a warp's accesses are given to them in order, a window at a time.
    ByWindow(BTreeSet<u32>),
    /// The sectors of a block's accesses are moved once, in order; the other accesses go to shared memory.
    ByBlock(BTreeSet<u32>),
    /// So many accesses that follow one another become one.
    Fused(BTreeSet<u32>, u64),
    /// Lanes that update one element do it once.
    Aggregated(BTreeSet<u32>),
    /// Of so many updates so many stay; the others go to shared memory.
    Privatised(BTreeSet<u32>, (u64, u64)),
}

impl Change {
    /// The trace with the change.
    pub(crate) fn apply(&self, trace: &Trace) -> Trace {
        let mut changed = trace.clone();
        let mut blocks = std::mem::take(&mut changed.blocks);
        let mut neighbours = std::mem::take(&mut changed.neighbours);
        for block in blocks.iter_mut().chain(&mut neighbours) {
            match self {
                Self::Wavefronts(ratios) => wavefronts(&mut block.warps, ratios),
                Self::ByWindow(pcs) => {
                    for warp in &block.warps {
                        let own = by_buffer(&changed, accesses(warp, pcs));
                        let windows = own.iter().flat_map(|own| own.chunks(WINDOW as usize));
                        windows.for_each(|window| in_order(&mut changed, window));
                    }
                }
                Self::ByBlock(pcs) => {
                    let all: Vec<u32> = block.warps.iter().flat_map(|warp| accesses(warp, pcs)).collect();
                    let mut gone = HashSet::new();
                    for own in by_buffer(&changed, all) {
                        gone.extend(stage(&mut changed, &own));
                    }
                    replace(block.warps.iter_mut().flatten(), &gone, |pc| Event::Shared { pc, wavefronts: 1 });
                }
                Self::Fused(pcs, count) => {
                    block.warps.iter_mut().for_each(|warp| fuse(&mut changed, warp, pcs, *count as usize));
                }
                Self::Aggregated(pcs) => {
                    for access in block.warps.iter().flat_map(|warp| accesses(warp, pcs)) {
                        let access = &mut changed.accesses[access as usize];
                        access.lanes = (access.lanes / access.together.max(1)).max(1);
                        (access.together, access.repeats) = (1, 0);
                    }
                }
                Self::Privatised(pcs, (now, then)) => {
                    for warp in &mut block.warps {
                        privatise(&changed, warp, pcs, (now / (*then).max(1)).max(1));
                    }
                }
            }
        }
        changed.blocks = blocks;
        changed.neighbours = neighbours;
        changed
    }
}

/// The accesses of a warp at these instructions, in order.
fn accesses(warp: &[Event], pcs: &BTreeSet<u32>) -> Vec<u32> {
    let of = |event: &Event| match event {
        Event::Global { pc, access } if pcs.contains(pc) => Some(*access),
        _ => None,
    };
    warp.iter().filter_map(of).collect()
}

/// The same by what is done, and in which buffer: only accesses that do the same there can change places.
fn by_buffer(trace: &Trace, accesses: Vec<u32>) -> Vec<Vec<u32>> {
    let mut groups: BTreeMap<(bool, u64), Vec<u32>> = BTreeMap::new();
    for access in accesses {
        let buffer = of(trace, access).first().map_or(0, |sector| (sector * SECTOR) / sim::ir::BUFFER_STRIDE);
        groups.entry((trace.accesses[access as usize].kind == AccessKind::Store, buffer)).or_default().push(access);
    }
    groups.into_values().collect()
}

/// Each event gets its part of what all of its instruction's take together.
fn wavefronts(warps: &mut [Vec<Event>], ratios: &BTreeMap<u32, (u64, u64)>) {
    let mut owed: BTreeMap<u32, f64> = BTreeMap::new();
    for event in warps.iter_mut().flatten() {
        if let Event::Shared { pc, wavefronts } = event
            && let Some((now, then)) = ratios.get(pc)
        {
            let owed = owed.entry(*pc).or_default();
            *owed += f64::from(*wavefronts) * *then as f64 / (*now).max(1) as f64;
            let whole = owed.round().max(1.0);
            *owed -= whole;
            *wavefronts = whole as u32;
        }
    }
}

/// Gives the sectors of these accesses to them in ascending order, to each as many.
fn in_order(trace: &mut Trace, own: &[u32]) {
    let sectors = all_of(trace, own);
    if own.is_empty() || sectors.is_empty() {
        return;
    }
    for (number, &access) in own.iter().enumerate() {
        // Where there are fewer sectors than accesses, some share one.
        let first = (number * sectors.len() / own.len()).min(sectors.len() - 1);
        let last = ((number + 1) * sectors.len() / own.len()).max(first + 1);
        set(trace, access, &sectors[first..last]);
    }
}

/// Leaves as many of a block's accesses as full ones need to move all their sectors once, one here and one there, and
/// gives back the others: they go to shared memory.
fn stage(trace: &mut Trace, own: &[u32]) -> Vec<u32> {
    let sectors = all_of(trace, own);
    // A full access of 32 lanes moves a sector for each byte of a lane's width.
    let width = own.iter().map(|&access| trace.accesses[access as usize].width).max().unwrap_or(4).max(1);
    let needed = sectors.len().div_ceil(width as usize).clamp(1, own.len().max(1));
    let stays = |number: usize| number * needed / own.len() != (number + 1) * needed / own.len();
    let (kept, gone): (Vec<_>, Vec<_>) = own.iter().enumerate().partition(|(number, _)| stays(*number));
    let [kept, gone] = [kept, gone].map(|part| part.into_iter().map(|(_, &access)| access).collect::<Vec<u32>>());
    for (access, part) in kept.iter().zip(sectors.chunks(sectors.len().div_ceil(kept.len().max(1)).max(1))) {
        set(trace, *access, part);
    }
    gone
}

/// The sectors of these accesses, each once, in ascending order.
fn all_of(trace: &Trace, own: &[u32]) -> Vec<u64> {
    let mut sectors: Vec<u64> = own.iter().flat_map(|&access| of(trace, access).to_vec()).collect();
    sectors.sort_unstable();
    sectors.dedup();
    sectors
}

fn of(trace: &Trace, access: u32) -> &[u64] {
    let Access { first, sectors, .. } = trace.accesses[access as usize];
    &trace.sectors[first as usize..(first + sectors) as usize]
}

/// The access moves these sectors, which are sorted, and fills them.
fn set(trace: &mut Trace, access: u32, sectors: &[u64]) {
    let first = trace.sectors.len() as u32;
    trace.sectors.extend_from_slice(sectors);
    let mut lines: Vec<u64> = sectors.iter().map(|sector| sector >> 2).collect();
    lines.dedup();
    let access = &mut trace.accesses[access as usize];
    access.first = first;
    access.sectors = sectors.len() as u32;
    access.lines = lines.len() as u32;
    access.wavefronts = access.sectors.div_ceil(4);
    access.full = true;
}

/// Of `count` accesses that follow one another the first moves the sectors of all, and the others are gone.
fn fuse(trace: &mut Trace, warp: &mut [Event], pcs: &BTreeSet<u32>, count: usize) {
    let own = by_buffer(trace, accesses(warp, pcs));
    let mut gone: HashSet<u32> = HashSet::new();
    for group in own.iter().flat_map(|own| own.chunks_exact(count.max(1))) {
        let sectors = all_of(trace, group);
        set(trace, group[0], &sectors);
        trace.accesses[group[0] as usize].width *= count as u32;
        gone.extend(&group[1..]);
    }
    replace(warp.iter_mut(), &gone, |pc| Event::Run { pc, length: 1 });
}

/// Puts another event of the same instruction in the place of each access that is gone.
fn replace<'a>(events: impl Iterator<Item = &'a mut Event>, gone: &HashSet<u32>, other: fn(u32) -> Event) {
    for event in events {
        if let Event::Global { pc, access } = *event
            && gone.contains(&access)
        {
            *event = other(pc);
        }
    }
}

/// One of `every` updates stays; the others take as many wavefronts as lanes of them meet.
fn privatise(trace: &Trace, warp: &mut [Event], pcs: &BTreeSet<u32>, every: u64) {
    let mut number = 0u64;
    for event in warp.iter_mut() {
        if let Event::Global { pc, access } = *event
            && pcs.contains(&pc)
        {
            let Access { kind, together, .. } = trace.accesses[access as usize];
            let updates = matches!(kind, AccessKind::Atomic | AccessKind::Reduction);
            if updates && !number.is_multiple_of(every) {
                *event = Event::Shared { pc, wavefronts: together.max(1) };
            }
            number += 1;
        }
    }
}
