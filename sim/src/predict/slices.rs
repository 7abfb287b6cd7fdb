//! How many of L2's slices work on a launch's atomics at once. Each slice updates what lies in its part of memory, one
//! sector after the other; a launch whose updates go to few places, or at one time to few, keeps few slices busy.

use std::collections::HashMap;

use super::rates::Rates;
use super::trace::{Access, AccessKind, Event, Trace};

/// Whether an access is an update in L2.
pub(super) const fn updates(access: &Access) -> bool {
    matches!(access.kind, AccessKind::Atomic | AccessKind::Reduction)
}

/// Clocks for which an access keeps slices busy, all together.
pub(super) fn clocks(access: &Access, rates: &Rates) -> f64 {
    f64::from(access.sectors) * rates.same_sector + f64::from(access.repeats) * rates.same_element
}

/// How many slices are busy on average while the busiest one is: `concurrent` blocks run at once on the whole GPU.
///
/// What most blocks of the sample update is common to all of them, and stays where it is: which chunk of memory belongs to
/// which slice is not public, so these are dealt out by a hash, and the busiest slice counts. Of what else they update, every
/// block has as much somewhere else, and goes on to other places while a busy slice works off its queue. Of `n` requests
/// that go around among `m` servers at random, n / (n + m - 1) of the servers are busy (a closed network of queues; Jackson
/// and Gordon & Newell); the requests are the chunks under way, and the servers as many as updates that are scattered over
/// all of memory were measured to keep busy.
pub(super) fn busy(trace: &Trace, rates: &Rates, concurrent: f64) -> f64 {
    let slices = rates.l2_slices;
    if !slices.is_finite() || slices < 1.0 {
        return slices;
    }
    let mut chunks: HashMap<u64, (f64, Vec<u32>)> = HashMap::new();
    for (number, block) in trace.blocks.iter().enumerate() {
        for event in block.warps.iter().flatten() {
            let Event::Global { access, .. } = *event else { continue };
            let access = &trace.accesses[access as usize];
            if !updates(access) || access.sectors == 0 {
                continue;
            }
            let each = clocks(access, rates) / f64::from(access.sectors);
            for &sector in &trace.sectors[access.first as usize..][..access.sectors as usize] {
                let chunk = chunks.entry(sector * 32 / rates.l2_chunk_bytes as u64).or_default();
                chunk.0 += each;
                if chunk.1.last() != Some(&(number as u32)) {
                    chunk.1.push(number as u32);
                }
            }
        }
    }
    let blocks = trace.blocks.len().max(1);
    let copies = (concurrent / blocks as f64).max(1.0);
    let mut load = vec![0.0f64; slices as usize];
    let mut total = 0.0;
    // In a fixed order, so that sums come out alike.
    let mut sorted: Vec<_> = chunks.into_iter().collect();
    sorted.sort_by_key(|chunk| chunk.0);
    let (mut moving, mut squares) = (0.0, 0.0);
    for (chunk, (work, of)) in sorted {
        total += work;
        if of.len() * 2 >= blocks {
            load[(mix(chunk, 0) % slices as u64) as usize] += work;
        } else {
            moving += work;
            squares += work * work;
        }
    }
    let mut most = load.iter().copied().fold(0.0, f64::max);
    if moving > 0.0 {
        let number = moving * moving / squares * copies;
        let reached = (rates.l2_atomic_sectors * rates.same_sector).min(slices);
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
