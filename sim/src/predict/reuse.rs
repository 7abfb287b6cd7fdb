//! What other blocks brought into L2 before: a block touches a sector for the first time, but others may have asked for it
//! already, if all look into one table, gather from one array, or share the rows of a matrix.
//!
//! How many blocks touch a sector is told by a sample of blocks from all over the grid. Where each sector of a load is touched
//! by `k` of the launch's blocks, and the sample has a part `q` of them, the sample's touches find `(1 - (1 - q)^k) / (k q)`
//! as many different sectors (capture and recapture; Seber, The Estimation of Animal Abundance). Of the touches of the launch
//! one in `k` comes from memory, as long as L2 holds what is touched between two blocks that share.
//!
//! Machine code is executed for a sample of its own (`machine_code/time.rs`). Else there are groups of neighbouring blocks:
//! blocks of one group share the edges of their tiles, which tells nothing of the others, so a group counts as one.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::held::Brought;
use super::hot;
use super::rates::Rates;
use super::trace::{AccessKind, BlockTrace, Event, Hot, Sharing, Trace};

/// Matches in a sample below which nothing is concluded.
const FEWEST: usize = 8;
/// Blocks that touch a sector, from which on it is not only neighbours that share it.
const MANY: u64 = 8;
/// Instructions by which another block has to be earlier: in as many a load comes from memory. A guess that matters only at the
/// beginning of a loop.
const LEAD: u64 = 64;
/// The same for each wait for memory that the other one had before: who comes behind it waits for L2 only, as far as the other one has
/// brought everything, and so catches up, until both wait for memory. The 400 clocks between the two are some 40 instructions of a warp.
const LEAD_OF_WAIT: u64 = 40;
/// Loads of a warp that are so close to each other are waited for together.
const TOGETHER: u64 = 30;

/// When a warp comes to an access, if nobody brings anything before: the instructions before it, and the waits for memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) position: u64,
    pub(super) waits: u64,
}

impl Place {
    pub(super) const NEVER: Self = Self { position: u64::MAX, waits: 0 };

    /// Whether what a block asked for here is there when another one comes to a position.
    pub(super) fn is_before(self, position: u64) -> bool {
        self.position.saturating_add(LEAD + LEAD_OF_WAIT * self.waits) <= position
    }
}

/// What an access finds in L2, of what its block touches for the first time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    /// The part that comes from memory.
    pub fresh: f32,
    /// The part that does so because L2 does not hold it from one block to the next.
    pub lost: f32,
    /// Whether most other blocks touch the same.
    pub common: bool,
    /// Of what others have brought the part for which who asks waits as long as they do, as they ask at the same time.
    pub cold: f32,
    /// Whether so many blocks touch the same that a few beside this one tell nothing of it.
    pub many: bool,
    /// How many times `fresh` it is for blocks behind those that begin together.
    pub later: f32,
    /// Of the blocks that run at the same time those that touch the same: as many as of all, if these are spread evenly.
    pub shared: f32,
}

/// How blocks share what each load touches, by instruction, as a `sample` of the launch's `blocks` tells it; for the blocks
/// that `followed` has. With the places that many more of them touch than the others.
pub(crate) fn sharing(sample: &Trace, followed: &Trace, blocks: u64) -> (BTreeMap<u32, Sharing>, BTreeMap<u32, Hot>) {
    let groups = groups(&sample.blocks);
    let count = groups.last().map_or(0, |last| last + 1);
    let (mut sharing, mut hot) = (BTreeMap::new(), BTreeMap::new());
    if count < 2 {
        return (sharing, hot);
    }
    let all = blocks as f64 * count as f64 / sample.blocks.len() as f64;
    let start = |group: usize| groups.iter().position(|&of| of == group).map_or(0, |at| sample.blocks[at].index);
    let starts: Vec<u64> = (0..count).map(start).collect();
    let of = |sets: &[HashSet<u64>]| of_sets(sets, &starts, all, blocks);
    for (pc, mut sets) in of_groups(sample, &groups) {
        let Some(own) = of(&sets) else { continue };
        let sectors = hot::of(&sets, (own.blocks as f64 - 1.0).max(0.0) * count as f64 / all);
        let those: Vec<HashSet<u64>> = sets.iter().map(|set| set.intersection(&sectors).copied().collect()).collect();
        let Some(shared) = of(&those) else {
            sharing.insert(pc, own);
            continue;
        };
        sets.iter_mut().for_each(|set| set.retain(|sector| !sectors.contains(sector)));
        sharing.extend(of(&sets).map(|rest| (pc, rest)));
        hot.insert(pc, Hot { sharing: shared, sectors });
    }
    if sharing.is_empty() {
        return (sharing, hot);
    }
    let groups = if sample.blocks.len() > count { self::groups(&followed.blocks) } else { apart(followed) };
    for (pc, sets) in of_groups(followed, &groups) {
        if let Some(sharing) = sharing.get_mut(&pc) {
            let cold = |sector: &&u64| hot.get(&pc).is_none_or(|hot| !hot.sectors.contains(sector));
            let touches = sets.iter().flatten().filter(cold).count();
            let different = sets.iter().flatten().filter(cold).collect::<HashSet<_>>().len();
            // The first touches of these blocks together are fewer than of each, where they share among themselves.
            sharing.first = (sharing.first * touches as f64 / different.max(1) as f64).min(1.0);
        }
    }
    (sharing, hot)
}

/// The same of one load, from what each group of blocks touches; `None` where too few touch the same to tell. `starts` has the first
/// block of each group, and `all` groups the launch has.
fn of_sets(sets: &[HashSet<u64>], starts: &[u64], all: f64, blocks: u64) -> Option<Sharing> {
    let touches: usize = sets.iter().map(HashSet::len).sum();
    let mut first: HashMap<u64, usize> = HashMap::new();
    let (mut apart, mut matches) = (0.0, 0);
    for (group, set) in sets.iter().enumerate() {
        for &sector in set {
            let before = *first.entry(sector).or_insert(group);
            if before != group {
                apart += (starts[group] - starts[before]) as f64;
                matches += 1;
            }
        }
    }
    if matches < FEWEST {
        return None;
    }
    let count = sets.len() as f64;
    let shared = shared_by(first.len() as f64 / touches as f64, count / all, all);
    let different = touches as f64 * all / count / shared;
    // Two blocks anywhere are a third of the grid apart; those that share may be closer.
    let close = (apart / matches as f64 * 3.0 / blocks as f64).min(1.0);
    Some(Sharing {
        blocks: shared.round() as u64,
        of: all.round() as u64,
        between: (different * close) as u64,
        first: 1.0 / shared.round(),
    })
}

/// Loads of the `followed` blocks whose sectors other blocks touched before, at least [`LEAD`] instructions earlier in a warp's
/// own order: blocks that run at the same time are about equally far. So a block that reads what each block has read a part
/// of at its beginning finds it in L2. `all` has blocks of the launch, of which those below `concurrent` run at the same time: where
/// it has not all of these, there may be more such loads.
pub(crate) fn early(all: &Trace, followed: &Trace, concurrent: u64) -> Vec<u32> {
    let mut first: HashMap<u64, [(Place, u64); 2]> = HashMap::new();
    for block in all.blocks.iter().filter(|block| block.index < concurrent) {
        of_block(block, all, |position, _, access| {
            for &sector in sectors(all, access) {
                let [best, other] = first.entry(sector).or_insert([(Place::NEVER, u64::MAX); 2]);
                // The two blocks that touch it first: one of them is not the one that asks.
                if block.index == best.1 {
                    best.0 = best.0.min(position);
                } else if position < best.0 {
                    (*other, *best) = (*best, (position, block.index));
                } else if position < other.0 {
                    *other = (position, block.index);
                }
            }
        });
    }
    let mut early = Vec::new();
    for block in &followed.blocks {
        of_block(block, followed, |place, _, access| {
            let before = |sector: &u64| {
                let touched = first.get(sector).into_iter().flatten();
                touched.copied().any(|(at, by)| by != block.index && at.is_before(place.position))
            };
            let mut touched = sectors(followed, access).iter();
            if followed.accesses[access as usize].kind == AccessKind::Load && touched.all(before) {
                early.push(access);
            }
        });
    }
    early.sort_unstable();
    early
}

/// Calls `each` with the accesses of a block: what its warp did before, the number of the instruction, and the access.
pub(super) fn of_block(block: &BlockTrace, trace: &Trace, mut each: impl FnMut(Place, u32, u32)) {
    for warp in &block.warps {
        let (mut position, mut waits, mut waited) = (0, 0, None);
        let mut known: HashSet<u64> = HashSet::new();
        for event in warp {
            match event {
                Event::Run { length, .. } => position += u64::from(*length),
                Event::Global { pc, access } => {
                    each(Place { position, waits }, *pc, *access);
                    let of = &trace.accesses[*access as usize];
                    let before = known.len();
                    known.extend(trace.touched(of).iter().map(|sector| sector / 4));
                    if of.loads() && known.len() > before && waited.is_none_or(|at: u64| at + TOGETHER <= position) {
                        (waits, waited) = (waits + 1, Some(position));
                    }
                    position += 1;
                }
                Event::Off { .. } | Event::Shared { .. } | Event::Barrier { .. } | Event::Phase { .. } => position += 1,
                Event::Lands { .. } => {}
            }
        }
    }
}

/// The sectors of an access.
fn sectors(trace: &Trace, access: u32) -> &[u64] {
    trace.touched(&trace.accesses[access as usize])
}

/// The number of blocks that touch a sector, of so many, if a sample with a part `q` of them finds as many different sectors,
/// of all that it touches, as `found` says.
fn shared_by(found: f64, q: f64, all: f64) -> f64 {
    let finds = |shared: f64| (1.0 - libm::pow(1.0 - q, shared)) / (shared * q);
    let (mut low, mut high) = (1.0, all.max(1.0));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if finds(middle) > found { low = middle } else { high = middle }
    }
    low
}

/// What each access finds in L2. `warm` is the part of all memory that launches before left there.
pub(super) fn found(trace: &Trace, rates: &Rates, warm: f64) -> Vec<Found> {
    let own =
        Found { fresh: (1.0 - warm) as f32, lost: 0.0, common: false, cold: 0.0, many: false, later: 1.0, shared: 1.0 };
    let mut found = vec![own; trace.accesses.len()];
    let of = |sharing: &Sharing, early: bool| {
        // What L2 does not hold until it is asked for again comes from memory again.
        let held = (rates.l2_shared() / (sharing.between as f64 * 32.0).max(1.0)).min(1.0);
        let first = if early { 0.0 } else { sharing.first };
        let fresh = (1.0 - (1.0 - first) * held) * (1.0 - warm);
        Found {
            fresh: fresh as f32,
            lost: ((1.0 - held) * (1.0 - warm)) as f32,
            common: sharing.blocks * 2 > sharing.of,
            cold: if warm < 1.0 && !early { 1.0 } else { 0.0 },
            many: early || sharing.blocks >= MANY,
            later: 1.0,
            shared: (sharing.blocks as f32).max(1.0),
        }
    };
    for event in trace.blocks.iter().flat_map(|block| block.warps.iter().flatten()) {
        let Event::Global { pc, access } = event else { continue };
        let early = trace.early.binary_search(access).is_ok();
        if let Some(sharing) = hot::shared(trace, *pc, *access) {
            found[*access as usize] = of(sharing, early);
        } else if early {
            found[*access as usize] = Found { fresh: 0.0, cold: 0.0, many: true, ..own };
        }
        if let (false, Some(&Brought { fresh, settled, later })) = (early, trace.fresh.get(pc)) {
            let fresh = fresh * own.fresh;
            let Found { cold, many, .. } = found[*access as usize];
            let (cold, many) = (cold * (1.0 - settled - fresh).max(0.0), many || settled > 0.5);
            found[*access as usize] = Found { fresh, lost: fresh, cold, many, later, ..found[*access as usize] };
        }
    }
    found
}

/// Whether so many blocks touch what a load touches that a few beside a block tell nothing of it.
pub(super) fn by_many(trace: &Trace, pc: u32) -> bool {
    trace.sharing.get(&pc).is_some_and(|sharing| sharing.blocks >= MANY)
}

/// Each block is a group of its own.
fn apart(trace: &Trace) -> Vec<usize> {
    (0..trace.blocks.len()).collect()
}

/// The group of each block: those next to each other are in one.
fn groups(blocks: &[BlockTrace]) -> Vec<usize> {
    let mut number = 0;
    let mut before = None;
    let of = |block: &BlockTrace| {
        number += usize::from(before.is_some_and(|before: u64| before + 1 != block.index));
        before = Some(block.index);
        number
    };
    blocks.iter().map(of).collect()
}

/// The sectors that each load touches, by instruction and group.
fn of_groups(trace: &Trace, groups: &[usize]) -> BTreeMap<u32, Vec<HashSet<u64>>> {
    let count = groups.last().map_or(0, |last| last + 1);
    let mut sets: BTreeMap<u32, Vec<HashSet<u64>>> = BTreeMap::new();
    for (block, &group) in trace.blocks.iter().zip(groups) {
        for event in block.warps.iter().flatten() {
            let Event::Global { pc, access } = *event else { continue };
            let access = &trace.accesses[access as usize];
            if access.loads() {
                sets.entry(pc).or_insert_with(|| vec![HashSet::new(); count])[group].extend(trace.touched(access));
            }
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::slices::mix;
    use crate::predict::trace::Access;
    use crate::target;

    /// A launch whose sampled blocks load one sector a warp: `sector(block, warp)`.
    fn trace(blocks: &[u64], warps: u64, sector: impl Fn(u64, u64) -> u64) -> Trace {
        let mut trace = Trace::default();
        for &index in blocks {
            let mut block = BlockTrace { index, ..BlockTrace::default() };
            for warp in 0..warps {
                let access = trace.accesses.len() as u32;
                let first = trace.sectors.len() as u32;
                trace.sectors.push(sector(index, warp));
                trace.accesses.push(Access { first, sectors: 1, lines: 1, ..Access::default() });
                block.warps.push(vec![Event::Global { pc: 0, access }]);
            }
            trace.blocks.push(block);
        }
        trace
    }

    fn found_of(mut trace: Trace, blocks: u64) -> Found {
        (trace.sharing, trace.hot) = sharing(&trace, &trace, blocks);
        found(&trace, &Rates::of(target::find("h200").expect("a target")).0, 0.0)[0]
    }

    #[test]
    fn what_each_block_has_of_its_own_is_fresh() {
        let own = trace(&[10, 11, 500, 501], 64, |block, warp| block * 64 + warp);
        assert_eq!(
            found_of(own, 1000),
            Found { fresh: 1.0, lost: 0.0, common: false, cold: 0.0, many: false, later: 1.0, shared: 1.0 }
        );
        // Neighbours share an edge, far blocks nothing.
        let edges = trace(&[10, 11, 500, 501], 64, |block, warp| block * 50 + warp);
        assert_eq!(
            found_of(edges, 1000),
            Found { fresh: 1.0, lost: 0.0, common: false, cold: 0.0, many: false, later: 1.0, shared: 1.0 }
        );
    }

    #[test]
    fn a_table_that_all_look_into_is_fetched_once() {
        let table = trace(&[10, 11, 500, 501], 64, |_, warp| warp);
        let found = found_of(table, 1000);
        // The sample is one part of 250 of the launch.
        assert!(found.common && (0.003..0.006).contains(&found.fresh), "{found:?}");
    }

    #[test]
    fn rows_that_some_blocks_share_are_fetched_once_for_them() {
        // Ten blocks that are a hundred apart load the same.
        let blocks: Vec<u64> = (0..50).map(|part| part * 20 + mix(part, 3) % 20).collect();
        let rows = trace(&blocks, 64, |block, warp| block % 100 * 64 + warp);
        let k = sharing(&rows, &rows, 1000).0[&0].blocks;
        assert!((6..16).contains(&k), "{k}");
        let fresh = found_of(rows, 1000).fresh;
        assert!((0.05..0.3).contains(&fresh), "{fresh}");
    }

    #[test]
    fn a_gather_at_random_is_fetched_as_often_as_there_are_sectors() {
        let gather = trace(&[10, 300, 500, 601, 700, 901], 512, |block, warp| mix(block, warp) % 16384);
        // 512,000 touches of 16,384 sectors: each is touched 31 times.
        let k = sharing(&gather, &gather, 1000).0[&0].blocks;
        assert!((20..40).contains(&k), "{k}");
    }

    #[test]
    fn what_another_block_read_long_before_is_in_l2() {
        // Each block reads its own sector, then, 100 instructions later, both sectors.
        let mut all = Trace::default();
        for index in 0..2u64 {
            let mut events = Vec::new();
            for sector in [index, 0, 1] {
                let access = all.accesses.len() as u32;
                let first = all.sectors.len() as u32;
                all.sectors.push(sector);
                all.accesses.push(Access { first, sectors: 1, lines: 1, ..Access::default() });
                events.extend([Event::Global { pc: 0, access }, Event::Run { pc: 1, length: 100 }]);
            }
            all.blocks.push(BlockTrace { index, warps: vec![events], ..BlockTrace::default() });
        }
        // The first block's own sector was read by nobody else so long before it needs it.
        assert_eq!(early(&all, &all, 2), [2, 4]);
        all.early = vec![2];
        let found = found(&all, &Rates::of(target::find("h200").expect("a target")).0, 0.0);
        assert_eq!((found[1].fresh, found[2].fresh), (1.0, 0.0));
    }

    #[test]
    fn blocks_that_follow_each_other_share_local_memory() {
        let base = crate::predict::trace::LOCAL_MEMORY / 32;
        let mut of = trace(&[3, 4, 9], 1, |block, _| base + block * 16 + 5);
        of.local = 512;
        of.reuse_local(2);
        assert_eq!(of.sectors, [base + 5, base + 16 + 5, base + 5]);
    }
}
