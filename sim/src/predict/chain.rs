//! Thread blocks that wait for one another: each loads what a block before it stored. How fast a launch of them can be,
//! however many multiprocessors there are.
//!
//! Two kinds are told apart. In a *chain*, a block stores for its successor only what it computed from its
//! predecessor's: one hand-over follows the other. In a *look-back*, a block first stores a part that needs nobody else,
//! so that its successors can go past it to an earlier block: what they wait for grows with the blocks that are under way.

use std::collections::{HashMap, HashSet};

use super::rates::Rates;
use super::trace::{AccessKind, Event, Trace};

/// How the blocks of a launch wait for one another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Waits {
    /// Whether a block stores nothing for others before it has heard from them.
    pub chain: bool,
    /// Whether it stores there again what it found out from them, as look-backs do. Else it has only its own part to tell, and
    /// nobody waits for one who waits.
    pub again: bool,
    /// Lanes of the load that looks back: so many blocks are seen at once.
    pub lanes: f64,
    /// Times that a block hands something over.
    pub handed: f64,
    /// Clocks from such a load to the store that depends on it.
    pub inner: f64,
    /// Standard deviation of the clocks after which blocks store their own part.
    pub apart: f64,
}

/// What a block does with places that others wait for.
#[derive(Default)]
struct Block {
    first_load: Option<u32>,
    /// Loads of what others stored.
    looks: Vec<u32>,
    lanes: u32,
    stores: Vec<u32>,
}

/// Finds out whether blocks wait for one another. `issued` has the time of every access in the replay.
pub(super) fn waits(trace: &Trace, issued: &[f64]) -> Option<Waits> {
    let mut of_access = vec![u32::MAX; trace.accesses.len()];
    let mut of_warp = vec![0; trace.accesses.len()];
    let all = || trace.neighbours.iter().chain(&trace.blocks);
    for (number, block) in all().enumerate() {
        for (warp, events) in block.warps.iter().enumerate() {
            for event in events {
                if let Event::Global { access, .. } = *event {
                    (of_access[access as usize], of_warp[access as usize]) = (number as u32, warp);
                }
            }
        }
    }
    let range = |access: usize| {
        let access = &trace.accesses[access];
        &trace.sectors[access.first as usize..][..access.sectors as usize]
    };
    // Accesses are numbered in the order in which they happened.
    let mut writers: HashMap<u64, Vec<u32>> = HashMap::new();
    let mut flags: HashSet<u64> = HashSet::new();
    let mut blocks: Vec<Block> = all().map(|_| Block::default()).collect();
    for (at, access) in trace.accesses.iter().enumerate() {
        let block = of_access[at];
        if block == u32::MAX {
            continue;
        }
        match access.kind {
            AccessKind::Store => {
                range(at).iter().for_each(|&sector| {
                    let writers = writers.entry(sector).or_default();
                    if writers.last() != Some(&block) {
                        writers.push(block);
                    }
                });
            }
            AccessKind::LoadL2 => {
                let others = |sector: &&u64| writers.get(*sector).is_some_and(|w| w.iter().any(|&w| w != block));
                let theirs: Vec<u64> = range(at).iter().filter(others).copied().collect();
                if !theirs.is_empty() {
                    let of = &mut blocks[block as usize];
                    of.first_load.get_or_insert(at as u32);
                    of.looks.push(at as u32);
                    // Lanes that look at parts of what one block stored see one block.
                    let mut seen: Vec<u32> =
                        theirs.iter().filter_map(|sector| writers.get(sector)).flatten().copied().collect();
                    seen.sort_unstable();
                    seen.dedup();
                    let several = seen.iter().filter(|other| **other != block).count() > 1;
                    of.lanes = of.lanes.max(if several { access.lanes } else { 1 });
                    flags.extend(theirs);
                }
            }
            AccessKind::Load | AccessKind::Atomic | AccessKind::Reduction | AccessKind::Copy => {}
        }
    }
    for (at, access) in trace.accesses.iter().enumerate() {
        let block = of_access[at];
        if access.kind == AccessKind::Store && block != u32::MAX && range(at).iter().any(|s| flags.contains(s)) {
            blocks[block as usize].stores.push(at as u32);
        }
    }
    let waiting: Vec<&Block> = blocks.iter().filter(|b| !b.looks.is_empty() && !b.stores.is_empty()).collect();
    if waiting.len() * 2 < blocks.len().saturating_sub(1) || waiting.is_empty() {
        return None;
    }
    let early = waiting.iter().filter(|b| b.stores.first() < b.first_load.as_ref()).count();
    let chain = early * 2 < waiting.len();
    let twice = |block: &&&Block| {
        let mut stored = HashSet::new();
        !block.stores.iter().all(|&store| range(store as usize).iter().all(|&sector| stored.insert(sector)))
    };
    let again = waiting.iter().filter(twice).count() * 2 >= waiting.len();
    // Warps of a block hand over side by side.
    let by_warp = |block: &&Block| {
        let mut counts: HashMap<usize, usize> = HashMap::new();
        block.stores.iter().for_each(|&store| *counts.entry(of_warp[store as usize]).or_default() += 1);
        counts.into_values().max().unwrap_or(0)
    };
    let mut stores: Vec<usize> = waiting.iter().map(by_warp).collect();
    stores.sort_unstable();
    let stores = stores[stores.len() / 2] as f64;
    let inner = hand_overs(trace, &blocks, &of_warp, issued);
    let mut begun = vec![f64::INFINITY; blocks.len()];
    for (&block, &issued) in of_access.iter().zip(issued) {
        if block != u32::MAX && issued > 0.0 {
            begun[block as usize] = begun[block as usize].min(issued);
        }
    }
    let own = |(block, begun): (&Block, &f64)| {
        let stored = issued[*block.stores.first()? as usize];
        (!block.looks.is_empty() && stored > 0.0).then_some(stored - begun)
    };
    let own: Vec<f64> = blocks.iter().zip(&begun).filter_map(own).collect();
    Some(Waits {
        chain,
        again,
        lanes: f64::from(waiting.iter().map(|b| b.lanes).max().unwrap_or(1).max(1)),
        handed: if chain { 1.0 } else { (stores / 2.0).max(1.0) },
        inner,
        apart: deviation(&own),
    })
}

/// Clocks from a load of what others stored to the next store for others of the same warp: of the warp that had nothing else to do. When
/// the news comes late, nobody has.
fn hand_overs(trace: &Trace, blocks: &[Block], of_warp: &[usize], issued: &[f64]) -> f64 {
    let of_block = |block: &Block| {
        let mut loads: HashMap<usize, f64> = HashMap::new();
        let mut least = f64::INFINITY;
        let mut both: Vec<u32> = block.looks.iter().chain(&block.stores).copied().collect();
        both.sort_unstable();
        for at in both {
            let (warp, time) = (of_warp[at as usize], issued[at as usize]);
            // Of neighbours, which are not replayed, no time is known.
            if time <= 0.0 {
                continue;
            }
            if trace.accesses[at as usize].kind == AccessKind::Store {
                least = loads.get(&warp).map_or(least, |load| least.min(time - load));
            } else {
                loads.insert(warp, time);
            }
        }
        least
    };
    let least = blocks.iter().map(of_block).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least.max(0.0) } else { 0.0 }
}

/// The standard deviation of some values around what they drift with: of each from the one before it (von Neumann, 1941).
fn deviation(values: &[f64]) -> f64 {
    let steps = values.windows(2).map(|pair| (pair[1] - pair[0]) * (pair[1] - pair[0]));
    (steps.sum::<f64>() / (2.0 * values.len().saturating_sub(1).max(1) as f64)).sqrt()
}

/// By how many standard deviations the latest of so many is late, on average (of a normal distribution; Cramér, Mathematical
/// Methods of Statistics, 28.6).
fn latest(count: f64) -> f64 {
    let most = (2.0 * libm::log(count.max(2.0))).sqrt();
    let less = (libm::log(libm::log(count.max(2.0)).max(1.0)) + libm::log(4.0 * std::f64::consts::PI)) / (2.0 * most);
    (most - less).max(0.0)
}

/// Clocks between two hand-overs of the whole launch, at least. `concurrent` blocks run at once, and one takes `alone`
/// clocks per hand-over where it waits for nobody.
pub(super) fn pace(waits: &Waits, rates: &Rates, concurrent: f64, alone: f64) -> f64 {
    // What the load itself takes is part of a hand-over.
    let once = |inner: f64| rates.hand_over + (inner - rates.l2_latency).max(0.0);
    if waits.chain {
        return once(waits.inner);
    }
    if !waits.again {
        return (alone + rates.hand_over) / concurrent;
    }
    // Where `rate` blocks start per clock, those of the last `delay` clocks have no sum yet. A block looks at `lanes` of
    // them per round, while they get theirs, and meets one that has it after
    // delay = once * (1 + round * rate / lanes). Blocks under way = rate * (alone + delay). Looks of 1 and of 32 lanes by 1,056
    // blocks with nothing else to do agree in that: they wait on an H200 as if a hand-over took 1,413 and 1,415 clocks.
    // Before that the latest of those that it looks at has to store its own part. Where more lies between load and store than
    // the sum of what a warp sees, one does not wait for the other.
    let round = waits.inner.clamp(rates.l2_latency, rates.look_round.max(rates.l2_latency));
    let once = once(round);
    let (square, linear) = (once * round / waits.lanes, alone + once + waits.apart * latest(waits.lanes));
    if square <= 0.0 {
        return linear / concurrent;
    }
    let rate = ((linear * linear + 4.0 * square * concurrent).sqrt() - linear) / (2.0 * square);
    1.0 / rate
}
