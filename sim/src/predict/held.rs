//! What L2 still holds when a block asks for it. A sample of blocks from all over a grid does not tell how long ago others asked for the
//! same: rows of an image above and below, a filter that each plane goes through again, places of a graph. So blocks are executed one
//! behind the other, from the first one on or from the middle of the grid, and of every eighth line the reuse distance is taken (Mattson
//! et al., Evaluation techniques for storage hierarchies; sampled by address as in Waldspurger et al., Efficient MRC Construction
//! with SHARDS). L2 drops the line that was asked for least recently, with both pairs of sectors, see [`Recency`].

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::footprint;
use super::rates::Rates;
use super::reuse::{self, Place};
use super::slices::{self, mix};
use super::trace::{BlockTrace, LOCAL_MEMORY, Trace};
use super::units::recency::{LINE, Line, Recency};

/// Of so many lines one is looked at.
const SAMPLED: u64 = 8;
/// Blocks and pairs below which nothing is concluded.
const FEWEST: (u64, u64) = (16, 256);
/// Waves of a launch whose blocks are about equally far.
const FEW: u64 = 4;
/// Of what L2 holds, the part that blocks have to have touched before what none of them has touched is taken to come from memory.
const LEAST: f64 = 1.0 / 3.0;
/// Bytes that blocks may load more than there are before it is asked what L2 holds of them; and by what factor.
const MORE: (f64, f64) = (4e6, 1.1);

/// A block touches a pair of sectors for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touch {
    pc: u32,
    pair: u64,
    /// Whether memory has to bring it.
    asks: bool,
    /// What its warp did before.
    place: Place,
}

/// What blocks find in L2 of what they touch for the first time, each for itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Finds {
    /// The part that comes from memory.
    pub(crate) missed: f64,
    /// The part that another block touched so long before that it is there.
    pub(crate) settled: f64,
    /// Of blocks behind those that begin together, the part that comes from memory; no more than of all. Tables are brought by the first.
    pub(crate) later: f64,
}

/// What a load brings to L2 of what its block touches for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Brought {
    /// The part that comes from memory.
    pub fresh: f32,
    /// The part that was there long before.
    pub settled: f32,
    /// How many times the part from memory it is for blocks behind those that begin together: 0 to 1.
    pub later: f32,
}

/// The first touches of each block, of those pairs that are looked at.
pub(crate) fn touches(trace: &Trace) -> Vec<Vec<Touch>> {
    let looked_at = |pair: u64| mix(line_of(pair), 5).is_multiple_of(SAMPLED);
    trace.blocks.iter().map(|block| first_touches(block, trace, looked_at)).collect()
}

/// The line of a pair of sectors.
const fn line_of(pair: u64) -> u64 {
    pair * 2 / LINE
}

/// Every pair of sectors of global memory that a block touches, of those that are `looked_at`, with the instruction that does so first:
/// the earliest of its warps'.
fn first_touches(block: &BlockTrace, trace: &Trace, looked_at: impl Fn(u64) -> bool) -> Vec<Touch> {
    let mut first: HashMap<u64, (usize, Place)> = HashMap::new();
    let mut touches: Vec<Touch> = Vec::new();
    reuse::of_block(block, trace, |place, pc, access| {
        let access = &trace.accesses[access as usize];
        let global = trace.touched(access).iter().filter(|&&sector| sector < LOCAL_MEMORY / 32);
        for pair in global.map(|sector| sector / 2).filter(|&pair| looked_at(pair)) {
            let touch = Touch { pc, pair, asks: access.loads() || slices::updates(access), place };
            match first.entry(pair) {
                Entry::Vacant(entry) => {
                    entry.insert((touches.len(), place));
                    touches.push(touch);
                }
                Entry::Occupied(mut entry) if place < entry.get().1 => {
                    entry.get_mut().1 = place;
                    touches[entry.get().0] = touch;
                }
                Entry::Occupied(_) => {}
            }
        }
    });
    touches
}

/// Bytes of all that a launch of so many blocks loads, as some from all over the grid tell, where blocks load so much that others load
/// as well that it matters what L2 holds of it.
pub(crate) fn matters(spread: &Trace, blocks: u64) -> Option<f64> {
    let times = blocks as f64 / spread.blocks.len().max(1) as f64;
    let (mut loaded, mut different) = (0.0, HashSet::new());
    for touch in
        spread.blocks.iter().flat_map(|block| first_touches(block, spread, |_| true)).filter(|touch| touch.asks)
    {
        loaded += 64.0;
        different.insert(touch.pair);
    }
    let least = footprint::of_buffers(&spread.buffers, different.iter().map(|pair| pair * 2), 64.0 * times);
    (loaded * times > least + MORE.0 && loaded * times > least * MORE.1).then_some(least)
}

/// The first of so many blocks to execute one behind the other, of `count` that load so many bytes: of what L2 holds as a whole it matters
/// who touches it first, and of more than that how it is in the middle.
pub(crate) fn first((blocks, count): (u64, u64), loaded: f64, rates: &Rates) -> u64 {
    if loaded < rates.l2_shared() { 0 } else { (count - blocks) / 2 }
}

/// What blocks find in L2 of what they touch for the first time, each for itself, by instruction. `blocks` are some one behind the other,
/// from the `first` on, of `count` that the launch has; `concurrent` run at the same time. `None` where they touch too little to tell.
///
/// Of a launch of many waves blocks are anywhere between their beginning and their end at a time, so that what was touched between
/// two of them is what all blocks between them touch. Those of a launch of few waves begin together, and are about equally far.
pub(crate) fn finds(
    blocks: &[Vec<Touch>],
    (first, count): (u64, u64),
    concurrent: u64,
    rates: &Rates,
) -> Option<BTreeMap<u32, Finds>> {
    // Each side holds as much as L2 does of what all load.
    let held = rates.l2_shared() / 32.0;
    let concurrent = concurrent.max(1);
    let from_start = first == 0;
    let wave = |number: u64| number / concurrent;
    let in_waves = count.div_ceil(concurrent) <= FEW;
    let together = |a: u64, b: u64| from_start && in_waves && wave(a) == wave(b);
    let settles = Settles::new((first, blocks), in_waves, concurrent);
    let mut sides: [Side; 2] = Default::default();
    let mut touched_by: HashMap<u64, u64> = HashMap::new();
    let mut of: BTreeMap<u32, (f64, f64, Finds)> = BTreeMap::new();
    let (mut measured, mut pairs) = (0, 0);
    for (number, touches) in (first..).zip(blocks) {
        // What was not touched yet is not there if there is no place for it; it may be there if there is much.
        let holds = sides[0].recency.all().min(sides[1].recency.all());
        let full = holds > held * 1.1;
        let last = (number - first) * 4 >= blocks.len() as u64 * 3 && holds > held * LEAST;
        let measures = from_start || full || last;
        measured += u64::from(measures);
        let near = side_of(number, 6);
        for touch in touches {
            let home = side_of(line_of(touch.pair), 7);
            let mut missed = sides[near].touch(touch.pair, held);
            if near != home && missed > 0.5 {
                missed *= sides[home].touch(touch.pair, held);
            }
            let before = touched_by.insert(touch.pair, number);
            if !measures || !touch.asks {
                continue;
            }
            pairs += 1;
            let missed = if before.is_some_and(|before| together(number, before)) { 0.0 } else { missed };
            let (all, behind, finds) = of.entry(touch.pc).or_default();
            *all += 1.0;
            finds.missed += missed;
            if number >= concurrent {
                *behind += 1.0;
                finds.later += missed;
            }
            finds.settled += if settles.by_then(number, touch) { 1.0 - missed } else { 0.0 };
        }
    }
    let part = |(pc, (all, behind, finds)): (u32, (f64, f64, Finds))| {
        let missed = finds.missed / all;
        // Of few it is not known.
        let later = if behind > all / 4.0 { (finds.later / behind).min(missed) } else { missed };
        (pc, Finds { missed, settled: finds.settled / all, later })
    };
    (measured >= FEWEST.0 && pairs >= FEWEST.1).then(|| of.into_iter().map(part).collect())
}

/// The side of L2 to which a block's multiprocessor or a line belongs, as if by a toss of a coin.
const fn side_of(number: u64, what: u64) -> usize {
    (mix(number, what) & 1) as usize
}

/// One of the two sides of L2. Who asks for a line asks the side that is near; if it does not have it, and the line belongs to the other
/// one, that one is asked, too. So a line that both sides' multiprocessors ask for often enough takes a place in both. Rows that an H200's
/// warps load at random from 40, 48, 64 and 96 MB come from memory again in 12, 22, 37 and 55 of a hundred cases, and half a line in 21,
/// 36, 55 and 72; two sides that hold 31.4 MB each give 12, 22, 39 and 58, and 21, 37, 56 and 73.
#[derive(Debug, Default)]
struct Side {
    recency: Recency,
    lines: HashMap<u64, Line>,
    /// What was dropped of a pair's line when this side was asked for it last.
    pairs: HashMap<u64, f64>,
}

impl Side {
    /// A side that holds so many sectors is asked for a pair of them, which it has from then on: the part that it had not.
    fn touch(&mut self, pair: u64, held: f64) -> f64 {
        let line = self.lines.entry(line_of(pair)).or_default();
        self.recency.touch(line, held, (LINE * SAMPLED) as f64);
        self.pairs.insert(pair, line.mark()).map_or(1.0, |mark| line.dropped_since(mark))
    }
}

/// When blocks touch what, in instructions of a warp.
struct Settles {
    /// Of each pair the two blocks that touch it first, in each wave where blocks run in waves: when, and which.
    first: HashMap<(u64, u64), [(Place, u64); 2]>,
    /// By how much a block is behind the one before it; none where they run in waves.
    behind: f64,
    /// Blocks of a wave, where they run in waves.
    wave: Option<u64>,
}

impl Settles {
    fn new((first, blocks): (u64, &[Vec<Touch>]), in_waves: bool, concurrent: u64) -> Self {
        let longest = |touches: &Vec<Touch>| touches.iter().map(|touch| touch.place.position).max().unwrap_or(0);
        let lengths: u64 = blocks.iter().map(longest).sum();
        let behind = if in_waves { 0.0 } else { lengths as f64 / blocks.len().max(1) as f64 / concurrent as f64 };
        let mut settles = Self { first: HashMap::new(), behind, wave: in_waves.then_some(concurrent) };
        for (number, touches) in (first..).zip(blocks) {
            for touch in touches {
                let waits = if in_waves { touch.place.waits } else { 0 };
                let at = (Place { position: settles.time(number, touch), waits }, number);
                let [first, second] =
                    settles.first.entry((settles.wave_of(number), touch.pair)).or_insert([(Place::NEVER, u64::MAX); 2]);
                if at < *first {
                    (*first, *second) = (at, *first);
                } else if at < *second {
                    *second = at;
                }
            }
        }
        settles
    }

    fn time(&self, number: u64, touch: &Touch) -> u64 {
        (number as f64 * self.behind) as u64 + touch.place.position
    }

    fn wave_of(&self, number: u64) -> u64 {
        self.wave.map_or(0, |wave| number / wave)
    }

    /// Whether another block touched a pair long enough before: in the same wave, or in one before.
    fn by_then(&self, number: u64, touch: &Touch) -> bool {
        let wave = self.wave_of(number);
        if (0..wave).any(|before| self.first.contains_key(&(before, touch.pair))) {
            return true;
        }
        let first = self.first.get(&(wave, touch.pair)).into_iter().flatten();
        first.copied().any(|(at, by)| by != number && at.is_before(self.time(number, touch)))
    }
}

/// What the followed blocks find of what they bring to L2 themselves, by instruction, if blocks find of all that each of them touches what
/// `finds` says.
pub(crate) fn fresh(followed: &Trace, finds: &BTreeMap<u32, Finds>) -> BTreeMap<u32, Brought> {
    let mut of: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    let mut known: HashSet<u64> = HashSet::new();
    let settled = |pc: u32| finds.get(&pc).map_or(0.0, |finds| finds.settled);
    for (number, block) in followed.blocks.iter().enumerate() {
        let beside = followed.beside.get(number);
        for touch in first_touches(block, followed, |_| true).into_iter().filter(|touch| touch.asks) {
            // Of what many blocks touch those beside this one tell nothing.
            let many = settled(touch.pc) > 0.5 || reuse::by_many(followed, touch.pc);
            let of_beside = |side: u64| beside.is_some_and(|beside| beside.contains_key(&(touch.pair * 2 + side)));
            let brought = !many && (of_beside(0) || of_beside(1));
            let (all, own) = of.entry(touch.pc).or_default();
            *all += 1.0;
            *own += f64::from(u8::from(known.insert(touch.pair) && !brought));
        }
    }
    let part = |(pc, (all, own)): (u32, (f64, f64))| {
        let finds = finds.get(&pc)?;
        let fresh = (finds.missed * all / own.max(1.0)).min(1.0) as f32;
        let later = if finds.missed > 0.0 { finds.later / finds.missed } else { 1.0 };
        Some((pc, Brought { fresh, settled: finds.settled as f32, later: later as f32 }))
    };
    of.into_iter().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::layout::BUFFERS_BASE;
    use crate::predict::trace::{Access, Event};
    use crate::target;

    /// Blocks of one warp that each load pairs of sectors, 100 instructions apart from each other: `pair(block, load)`.
    fn blocks(count: u64, loads: u64, pair: impl Fn(u64, u64) -> u64) -> Trace {
        let mut trace = Trace { buffers: vec![1 << 30], ..Trace::default() };
        for index in 0..count {
            let mut warp = Vec::new();
            for load in 0..loads {
                let access = trace.accesses.len() as u32;
                let first = trace.sectors.len() as u32;
                trace.sectors.extend([0, 1].map(|side| BUFFERS_BASE / 32 + pair(index, load) * 2 + side));
                trace.accesses.push(Access { first, sectors: 2, lines: 1, ..Access::default() });
                warp.extend([Event::Run { pc: 7, length: 99 }, Event::Global { pc: load as u32, access }]);
            }
            trace.blocks.push(BlockTrace { index, warps: vec![warp], ..BlockTrace::default() });
        }
        trace
    }

    fn found(trace: &Trace, concurrent: u64) -> BTreeMap<u32, Finds> {
        let count = trace.blocks.len() as u64;
        let rates = Rates::of(target::find("h200").expect("a target")).0;
        finds(&touches(trace), (0, count), concurrent, &rates).expect("enough pairs")
    }

    #[test]
    fn rows_below_come_from_memory_and_those_above_are_there() {
        // Row by row: each block loads its own and the three above.
        let rows = blocks(6000, 4, |block, load| block + 3 - load);
        let finds = found(&rows, 100);
        assert!(finds[&0].missed > 0.99, "{finds:?}");
        assert!((1..4).all(|load| finds[&load].missed < 0.01), "{finds:?}");
        // So of what four blocks one behind the other bring themselves.
        let followed = blocks(4, 4, |block, load| 900 + block + 3 - load);
        let fresh = fresh(&followed, &finds);
        assert!(fresh[&0].fresh > 0.99 && fresh[&3].fresh < 0.01, "{fresh:?}");
    }

    #[test]
    fn what_others_touch_earlier_in_their_way_is_there_by_then() {
        // Nobody's first load finds anything, though all run at once; the later ones find what others began with.
        let rows = blocks(6000, 4, |block, load| block + 3 - load);
        let finds = found(&rows, 6000);
        assert!(finds[&0].settled < 0.01, "{finds:?}");
        assert!((1..4).all(|load| finds[&load].settled > 0.99), "{finds:?}");
    }

    #[test]
    fn a_table_is_brought_by_the_blocks_that_begin_first() {
        // Places at random of 6 MB, of which all blocks together load 25.
        let table = blocks(6000, 64, |block, load| mix(block * 64 + load, 11) % 100_000);
        let finds = found(&table, 1500);
        let (missed, later) =
            finds.values().fold((0.0, 0.0), |(missed, later), f| (missed + f.missed, later + f.later));
        assert!((missed / 64.0 - 0.26).abs() < 0.04 && (later / 64.0 - 0.12).abs() < 0.04, "{missed} {later}");
    }

    #[test]
    fn what_comes_again_too_late_comes_from_memory_again() {
        // Blocks go through 100 and through 20 MB, again and again.
        let rounds = |pairs: u64| blocks(60_000, 64, move |block, load| (block * 64 + load) % pairs);
        let missed = |pairs: u64| found(&rounds(pairs), 100).values().map(|finds| finds.missed).sum::<f64>() / 64.0;
        let (large, small) = (missed(100_000_000 / 64), missed(20_000_000 / 64));
        assert!(large > 0.99, "{large}");
        assert!(small < 0.15, "{small}");
    }

    #[test]
    fn rows_at_random_are_found_as_an_h200_finds_them() {
        // Blocks load pairs from so many MB: those of a line together, or one alone.
        let again = |megabytes: u64, alone: bool| {
            let lines = megabytes * 1_000_000 / 128;
            let count = lines / 4;
            let touch = |block: u64, load: u64| {
                let number = block * 64 + if alone { load } else { load / 2 };
                let pair = mix(number, 9) % lines * 2 + if alone { mix(number, 10) & 1 } else { load & 1 };
                Touch { pc: 0, pair, asks: true, place: Place { position: load, waits: 0 } }
            };
            let looked_at = |touch: &Touch| mix(line_of(touch.pair), 5).is_multiple_of(SAMPLED);
            let of_block = |block| (0..64).map(move |load| touch(block, load)).filter(looked_at).collect();
            let random: Vec<Vec<Touch>> = (count / 4..count / 4 + count).map(of_block).collect();
            let rates = Rates::of(target::find("h200").expect("a target")).0;
            let found = finds(&random, (count / 4, count * 4), 100, &rates).expect("enough pairs");
            found[&0].missed
        };
        for (megabytes, whole, half) in [(40, 0.12, 0.21), (48, 0.22, 0.36), (64, 0.37, 0.55), (96, 0.55, 0.72)] {
            let (lines, pairs) = (again(megabytes, false), again(megabytes, true));
            assert!((lines - whole).abs() < 0.06 && (pairs - half).abs() < 0.06, "{megabytes}: {lines} {pairs}");
        }
    }

    #[test]
    fn it_matters_only_where_blocks_load_the_same() {
        let own = |blocks_load: &Trace| matters(blocks_load, 100_000).is_some();
        assert!(!own(&blocks(96, 16, |block, load| block * 16 + load)));
        assert!(own(&blocks(96, 16, |_, load| load)));
    }
}
