//! How many of L2's slices work on a launch's atomics at once. Each slice updates what lies in its part of memory, one
//! sector after the other; a launch whose updates go to few places, or at one time to few, keeps few slices busy.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::rates::Rates;
use super::trace::{Access, AccessKind, BlockTrace, Busiest, Event, Hottest, Trace, Update, Updates};

/// How much longer updates of places all over memory keep slices busy where lanes of a sector update several places, and some of them
/// the same: sums of 2, 4 and 8 places, of 16, 8 and 4 lanes each, take an H100 2.0 to 2.2 clocks a round in each slice, if each warp
/// goes to a sector of its own, and 1.5 if all go to one.
const SCATTERED: f64 = 1.4;

/// Blocks of a sample that update a chunk of memory, on average, from which on they tell what is done to it.
const MANY: usize = 4;

/// Whether an access is an update in L2.
pub(super) const fn updates(access: &Access) -> bool {
    matches!(access.kind, AccessKind::Atomic | AccessKind::Reduction)
}

/// The sectors that atomics of a trace update.
pub(super) fn updated(trace: &Trace) -> HashSet<u64> {
    trace.accesses.iter().filter(|access| updates(access)).flat_map(|access| trace.touched(access)).copied().collect()
}

/// Sectors that an access brings to L2: two values for each lane, if L2 compares several of a sector, take twice as long
/// (`atom_cas_b32_32` of `kernels/calibrate/opcodes.cu`).
pub(super) fn brought(access: &Access) -> f64 {
    let twice = access.update == Update::Compare && places(access);
    f64::from(access.sectors) * if twice { 2.0 } else { 1.0 }
}

/// The sectors that slices update for it: those full of sums of 8 bytes take twice as long (`red_add_f64_32` beside `red_add_f32_32`). All
/// over memory they do not: 132 multiprocessors update 38 such sectors in a clock, and 41 of 4 bytes.
fn updated_sectors(access: &Access) -> f64 {
    let twice = access.update == Update::Sum && access.full && access.width == 8;
    brought(access) * if twice { 2.0 } else { 1.0 }
}

/// Clocks for which an access keeps slices busy, all together. A sector that is updated as a whole takes less than one of which
/// only some words are. Where lanes of a sector compare at several places, each of its rounds brings two values.
pub(super) fn clocks(access: &Access, rates: &Rates) -> f64 {
    rounds(access) * if access.full { rates.same_sector } else { rates.same_element }
}

/// What slices do for an access one after the other.
fn rounds(access: &Access) -> f64 {
    let each = if access.update == Update::Compare && places(access) { 2.0 } else { 1.0 };
    updated_sectors(access) + f64::from(access.repeats) * each
}

/// Whether lanes of a sector update several places.
const fn places(access: &Access) -> bool {
    access.lanes > access.sectors + access.repeats
}

/// Sectors that a multiprocessor hands to L2 for an access, and what goes in front of each line: the bytes that are updated, if they
/// are not one lane's. 32 lanes that update 8, 16 and 32 lines of one sector each take an H100's multiprocessor 16, 32 and 32 clocks,
/// and 8 lines of two and four sectors 24 and 40.
pub(super) fn handed_over(access: &Access) -> f64 {
    let alone = access.lanes == access.lines && access.kind == AccessKind::Reduction;
    f64::from(access.sectors + if alone { 0 } else { access.lines })
}

/// The place with the most updates of these blocks, where `times` says how many times as many the launch has at a place, by the
/// number of the blocks that update it.
pub(super) fn hottest<'a>(
    trace: &Trace,
    blocks: impl Iterator<Item = &'a BlockTrace>,
    times: impl Fn(usize) -> f64,
) -> Hottest {
    // In order, so that of two places with as many updates it is always the same one.
    let mut places: BTreeMap<u64, (Hottest, usize, usize)> = BTreeMap::new();
    for (number, block) in blocks.enumerate() {
        for event in block.warps.iter().flatten() {
            let Event::Global { access, .. } = *event else { continue };
            let access = &trace.accesses[access as usize];
            if !updates(access) {
                continue;
            }
            let lanes = f64::from(access.together);
            for &sector in trace.touched(access) {
                let (place, blocks, last) = places.entry(sector).or_insert((Hottest::default(), 0, usize::MAX));
                place.accesses += 1.0;
                place.lanes += lanes;
                place.sums += if access.update == Update::Sum { lanes } else { 0.0 };
                *blocks += usize::from(std::mem::replace(last, number) != number);
            }
        }
    }
    let whole = |(place, blocks, _): (Hottest, usize, usize)| {
        let times = times(blocks);
        Hottest { accesses: place.accesses * times, lanes: place.lanes * times, sums: place.sums * times }
    };
    // Sums take longer than other updates, about twice as long.
    let weight = |place: &Hottest| place.lanes + place.sums;
    let more = |a: Hottest, b: Hottest| if weight(&b) > weight(&a) { b } else { a };
    places.into_values().map(whole).fold(Hottest::default(), more)
}

/// How a launch of so many blocks updates memory, of which the trace has some from all over the grid: where at least two of them update
/// a place, others do, too.
pub(crate) fn updates_of_all(spread: &Trace, blocks: u64, rates: &Rates) -> Updates {
    let all = blocks as f64 / spread.blocks.len().max(1) as f64;
    let times = |touch: usize| if touch > 1 { all } else { 1.0 };
    Updates {
        hottest: hottest(spread, spread.blocks.iter(), times),
        busiest: busiest(spread, spread.blocks.iter(), rates, times),
        slices: busy_with_all(spread, blocks, rates),
    }
}

/// The chunks of memory, each of which belongs to one slice of L2, that several of these blocks store to.
pub(crate) fn stored_by_many(spread: &Trace, rates: &Rates) -> HashSet<u64> {
    if !rates.l2_chunk_bytes.is_finite() {
        return HashSet::new();
    }
    let mut last: HashMap<u64, usize> = HashMap::new();
    let mut many = HashSet::new();
    for (number, block) in spread.blocks.iter().enumerate() {
        for event in block.warps.iter().flatten() {
            let Event::Global { access, .. } = *event else { continue };
            let access = &spread.accesses[access as usize];
            if access.kind != AccessKind::Store {
                continue;
            }
            let chunks = spread.touched(access).iter().map(|&sector| rates.chunk(sector));
            many.extend(chunks.filter(|&chunk| last.insert(chunk, number).is_some_and(|before| before != number)));
        }
    }
    many
}

/// The chunk of memory with the most updates of these blocks, with `times` as in [`hottest`]. One slice of L2 does them, wherever they
/// are from. Sums of floating point to one sector wait for each other if they come one behind the other, as in runs of equal keys:
/// runs by a power law, whose 64 most frequent keys lie in one chunk and have a third of all elements, take as long as these one by one.
/// Of keys in random order other sectors' sums come in between, and nothing waits.
pub(super) fn busiest<'a>(
    trace: &Trace,
    blocks: impl Iterator<Item = &'a BlockTrace>,
    rates: &Rates,
    times: impl Fn(usize) -> f64,
) -> Busiest {
    if !rates.l2_chunk_bytes.is_finite() {
        return Busiest::default();
    }
    // In order, so that of two chunks with as much to do it is always the same one.
    let mut chunks: BTreeMap<u64, (Busiest, usize)> = BTreeMap::new();
    for block in blocks {
        let mut last: HashMap<u64, u64> = HashMap::new();
        for event in block.warps.iter().flatten() {
            let Event::Global { access, .. } = *event else { continue };
            let access = &trace.accesses[access as usize];
            if !updates(access) {
                continue;
            }
            let each = rounds(access) / f64::from(access.sectors.max(1));
            for &sector in trace.touched(access) {
                let chunk = rates.chunk(sector);
                let before = last.insert(chunk, sector);
                let (of, blocks) = chunks.entry(chunk).or_default();
                *blocks += usize::from(before.is_none());
                if access.update == Update::Sum && before == Some(sector) {
                    of.sums += f64::from(access.together);
                } else if access.full {
                    of.whole += each;
                } else {
                    of.parts += each;
                }
            }
        }
    }
    let of = |(of, blocks): (Busiest, usize)| {
        let times = times(blocks);
        Busiest { whole: of.whole * times, parts: of.parts * times, sums: of.sums * times }
    };
    let more = |a: Busiest, b: Busiest| if b.clocks(rates) > a.clocks(rates) { b } else { a };
    chunks.into_values().map(of).fold(Busiest::default(), more)
}

impl Busiest {
    /// Clocks for which the slice of L2 is busy to which the chunk belongs.
    pub(super) fn clocks(&self, rates: &Rates) -> f64 {
        self.whole * rates.same_sector
            + self.parts * rates.same_element
            + self.sums * rates.same_sum.max(rates.same_element)
    }
}

/// What is done to the chunks of memory that belong to one slice each, in order: the clocks of updates, the same if those that take
/// longer all over memory do, and the blocks, by number.
fn chunks(trace: &Trace, rates: &Rates) -> BTreeMap<u64, (f64, f64, Vec<u32>)> {
    let mut chunks: BTreeMap<u64, (f64, f64, Vec<u32>)> = BTreeMap::new();
    for (number, block) in trace.blocks.iter().enumerate() {
        for event in block.warps.iter().flatten() {
            let Event::Global { access, .. } = *event else { continue };
            let access = &trace.accesses[access as usize];
            if !updates(access) || access.sectors == 0 {
                continue;
            }
            let each = clocks(access, rates) / f64::from(access.sectors);
            let held = if access.repeats > 0 && places(access) { SCATTERED } else { 1.0 };
            for &sector in trace.touched(access) {
                let chunk = chunks.entry(rates.chunk(sector)).or_default();
                chunk.0 += each;
                chunk.1 += each * held;
                if chunk.2.last() != Some(&(number as u32)) {
                    chunk.2.push(number as u32);
                }
            }
        }
    }
    chunks
}

/// Which chunk of memory belongs to which slice is not public. Chunks next to each other are dealt out about evenly, though not in turn:
/// reductions on 16, 64, 256, 1024 and 8192 of them take an H200 as long as if 13, 30, 50, 66 and 74 slices worked all the time
/// (`lts__t_sectors` of the busiest beside the mean says the same), and multiples of the golden ratio in 79 parts give 16, 32, 64, 73 and
/// 78; a random number for each chunk in 104 parts would give 8, 21, 37, 60 and 77.
fn slice(chunk: u64, slices: f64) -> usize {
    ((u128::from(chunk.wrapping_mul(0x9e37_79b9_7f4a_7c15)) * slices as u128) >> 64) as usize
}

/// How many slices are busy on average while the busiest one is, where blocks from all over the grid update the same chunks: each so
/// many of them ([`MANY`] on average) that they tell what is done to it. The launch has `blocks`.
fn busy_with_all(spread: &Trace, blocks: u64, rates: &Rates) -> Option<f64> {
    let slices = rates.l2_slices;
    if !slices.is_finite() || slices < 1.0 {
        return None;
    }
    let chunks = chunks(spread, rates);
    let touches: usize = chunks.values().map(|chunk| chunk.2.len()).sum();
    if chunks.is_empty() || touches < MANY * chunks.len() {
        return None;
    }
    let of_blocks = by_block(spread, rates);
    let load: Vec<f64> = (0..slices as usize).map(|slice| of_blocks.iter().map(|block| block[slice]).sum()).collect();
    let mean = load.iter().sum::<f64>() / slices.floor();
    let most = load.iter().copied().fold(0.0, f64::max);
    // A sample makes slices more different than all blocks do: by as much as its blocks differ from each other.
    let count = of_blocks.len() as f64;
    let square = |value: f64| value * value;
    let apart = load.iter().map(|&load| square(load - mean)).sum::<f64>();
    let by_chance =
        |slice: usize| of_blocks.iter().map(|block| square(block[slice] - load[slice] / count)).sum::<f64>();
    let chance = (0..load.len()).map(by_chance).sum::<f64>() * (1.0 - count / blocks as f64).max(0.0);
    let most = mean + (most - mean) * libm::sqrt((1.0 - chance / apart.max(f64::MIN_POSITIVE)).max(0.0));
    Some(load.iter().sum::<f64>() / most.max(f64::MIN_POSITIVE))
}

/// The clocks for which the updates of each block keep each slice busy.
fn by_block(trace: &Trace, rates: &Rates) -> Vec<Vec<f64>> {
    let of_block = |block: &BlockTrace| {
        let mut load = vec![0.0; rates.l2_slices as usize];
        for event in block.warps.iter().flatten() {
            let Event::Global { access, .. } = *event else { continue };
            let access = &trace.accesses[access as usize];
            if updates(access) && access.sectors > 0 {
                let each = clocks(access, rates) / f64::from(access.sectors);
                trace.touched(access).iter().for_each(|&at| load[slice(rates.chunk(at), rates.l2_slices)] += each);
            }
        }
        load
    };
    trace.blocks.iter().map(of_block).collect()
}

/// How many slices are busy on average while the busiest one is: `concurrent` blocks run at once on the whole GPU.
///
/// What most blocks of the sample update is common to all of them, and stays where it is, so that the busiest slice counts. Of what
/// else they update, every block has as much somewhere else, and goes on to other places while a busy slice works off its queue. Of
/// `n` requests that go around among `m` servers at random, n / (n + m - 1) of the servers are busy (a closed network of queues; Jackson
/// and Gordon & Newell); the requests are the chunks under way, and the servers as many as updates that are scattered over
/// all of memory were measured to keep busy.
pub(super) fn busy(trace: &Trace, rates: &Rates, concurrent: f64) -> f64 {
    let slices = rates.l2_slices;
    if !slices.is_finite() || slices < 1.0 {
        return slices;
    }
    let blocks = trace.blocks.len().max(1);
    let copies = (concurrent / blocks as f64).max(1.0);
    // Of one block alone it is not known.
    let common = blocks.div_ceil(2).max(2);
    let mut load = vec![0.0f64; slices as usize];
    let mut total = 0.0;
    let (mut moving, mut squares) = (0.0, 0.0);
    for (chunk, (work, held, of)) in chunks(trace, rates) {
        total += work;
        if of.len() >= common {
            load[slice(chunk, slices)] += work;
        } else {
            moving += held;
            squares += held * held;
        }
    }
    let mut most = load.iter().copied().fold(0.0, f64::max);
    if moving > 0.0 {
        let number = moving * moving / squares * copies;
        let reached = (rates.l2_atomic_sectors * rates.same_element).min(slices);
        most += moving / (reached * number / (number + reached - 1.0));
    }
    if most > 0.0 { total / most } else { slices }
}

/// The number of slices of which as many as `together` are busy on average, when this many chunks are updated alike.
pub fn explaining(chunks: u64, together: f64) -> f64 {
    let busy = |slices: u64| {
        let mut load = vec![0u64; slices as usize];
        (0..chunks).for_each(|chunk| load[(mix(chunk, 0) % slices) as usize] += 1);
        chunks as f64 / load.into_iter().max().unwrap_or(1).max(1) as f64
    };
    let off = |slices: &u64| (busy(*slices) - together).abs();
    (MOST_SLICES.0..=MOST_SLICES.1).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(MOST_SLICES.0) as f64
}

/// Fewest and most slices that a GPU is taken to have.
const MOST_SLICES: (u64, u64) = (8, 256);

/// Mixes the bits of two numbers (the finalizer of SplitMix64).
pub(super) const fn mix(number: u64, copy: u64) -> u64 {
    let mut z = number.wrapping_add(copy.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
