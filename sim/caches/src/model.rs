//! What accesses look up in the caches, and what they leave there. The rules were asked of an H200: `tests/lookups` has the
//! kernels and what Nsight Compute counted in them.
//!
//! - A load finds in L1 what loads, and stores of whole sectors, left there; what it does not find it brings.
//! - A store looks its sectors up in L1, and goes to L2 in any case.
//! - Atomics look nothing up in L1, but count there, and go to L2: a sector once for every lane that updates the element that
//!   most lanes update.
//! - L2 is in two halves. Every sector has its home in one of them. An access asks the half of its multiprocessor; a load
//!   that finds nothing there asks the home, if that is the other half, and leaves a copy. Stores and atomics go through
//!   to the home, and the half that they pass counts a hit.
//! - A launch makes lookups of its own, and those that fill L2 make some more.

use sim::predict::Sampled;
use sim::predict::rates::Rates;
use sim::predict::trace::{Access, AccessKind, Trace};
use sim::target::Target;

use crate::cache::Cache;
use crate::{HitRates, Lookups, order};

/// Least bytes of L1 that shared memory leaves.
const LEAST_L1: f64 = 16_384.0;
/// Lookups of a launch that touches no memory, and the hits among them: the kernel `nothing`.
const OWN: (f64, f64) = (3970.0, 1340.0);
/// Further lookups, which hit, for each sector that is new in L2: `read_own_again` over 2 to 8 MiB, `update_once`.
const FILLS: f64 = 0.115;
/// Most of them for sectors that are read, and for those that are written: `read_once` and `write_once` of 32 MiB.
const MOST_FILLS: [f64; 2] = [24_000.0, 68_000.0];

/// A sample that goes through the caches of so many multiprocessors.
pub(crate) fn through(sampled: &Sampled, target: &Target, multiprocessors: u64) -> HitRates {
    let (rates, _) = Rates::of(target);
    let (trace, shape) = (&sampled.trace, &sampled.shape);
    let all = u64::from(target.multiprocessors);
    let on_one = shape.blocks.div_ceil(all).min(shape.resident.into());
    let l1_bytes = (rates.l1_bytes - shape.shared_bytes as f64 * on_one as f64).max(LEAST_L1);
    let half = (rates.l2_bytes * multiprocessors as f64 / all as f64 / 2.0) as u64;
    let mut caches = Caches {
        trace,
        l1: (0..multiprocessors)
            .map(|_| L1 { whole: Cache::new(l1_bytes as u64), part: Cache::new(l1_bytes as u64) })
            .collect(),
        l2: [Cache::new(half), Cache::new(half)],
        seen: [Lookups::default(); 2],
        new: [0; 2],
    };
    // In the middle of a launch the caches hold what others brought.
    let blocks = trace.blocks.len();
    let first = if blocks as u64 == shape.blocks { 0 } else { blocks / 2 };
    order::each(trace, multiprocessors as usize, on_one.max(1) as usize, &mut |own, block, access| {
        caches.access(own, &trace.accesses[access as usize], block >= first);
    });
    let Caches { seen: [l1, l2], new, .. } = caches;
    let counted = (blocks - first) as u64;
    let scale = shape.blocks as f64 / counted.max(1) as f64;
    let scaled = |of: Lookups| [of.sectors, of.hits].map(|value| value as f64 * scale);
    let ([l1_sectors, l1_hits], [l2_sectors, l2_hits]) = (scaled(l1), scaled(l2));
    let fills = new.iter().zip(MOST_FILLS).map(|(&new, most)| (new as f64 * scale * FILLS).min(most)).sum::<f64>();
    let lookups = |sectors: f64, hits: f64| Lookups { sectors: sectors.round() as u64, hits: hits.round() as u64 };
    HitRates {
        l1: lookups(l1_sectors, l1_hits),
        l2: lookups(l2_sectors + OWN.0 + fills, l2_hits + OWN.1 + fills),
        blocks: counted,
    }
}

/// The L1 cache of a multiprocessor.
struct L1 {
    /// Sectors that loads and stores find.
    whole: Cache,
    /// Sectors of which stores have written a part: only stores find them.
    part: Cache,
}

/// Caches that a sample goes through.
struct Caches<'a> {
    trace: &'a Trace,
    l1: Vec<L1>,
    l2: [Cache; 2],
    /// Of L1 and of L2.
    seen: [Lookups; 2],
    /// Sectors that were in no half of L2: read, and written.
    new: [u64; 2],
}

impl Caches<'_> {
    /// An access by a warp of a multiprocessor; `counts` if its lookups count.
    fn access(&mut self, own: usize, access: &Access, counts: bool) {
        let range = access.first as usize..(access.first + access.sectors) as usize;
        let before = (self.seen, self.new);
        let trace = self.trace;
        for &sector in &trace.sectors[range] {
            self.sector(own, access, sector);
        }
        if !counts {
            (self.seen, self.new) = before;
        }
    }

    fn sector(&mut self, own: usize, access: &Access, sector: u64) {
        let l1 = &mut self.l1[own];
        match access.kind {
            AccessKind::Load => {
                let hit = l1.whole.touch(sector);
                self.seen[0].add(1, hit.into());
                if !hit {
                    self.read(own, sector);
                }
            }
            AccessKind::LoadL2 | AccessKind::Copy => {
                self.seen[0].add(1, 0);
                self.read(own, sector);
            }
            AccessKind::Store => {
                let hit = match access.full {
                    true => l1.whole.touch(sector),
                    false => l1.whole.has(sector) || l1.part.touch(sector),
                };
                self.seen[0].add(1, hit.into());
                self.write(own, sector, 1, false);
            }
            AccessKind::Atomic | AccessKind::Reduction => {
                // The lanes beyond the first that update one element are known of the access as a whole.
                let again = f64::from(access.repeats) / f64::from(access.sectors.max(1));
                let times = 1 + again.round() as u64;
                self.seen[0].add(times, 0);
                self.write(own, sector, times, true);
            }
        }
    }

    /// The half of L2 that a multiprocessor asks, and the one where a sector has its home. No document tells either; only how
    /// often they are the same matters.
    const fn halves(own: usize, sector: u64) -> (usize, usize) {
        let chunk = (sector / 128).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (own % 2, (chunk >> 63) as usize)
    }

    fn read(&mut self, own: usize, sector: u64) {
        let (near, home) = Self::halves(own, sector);
        let hit = self.l2[near].touch(sector);
        self.seen[1].add(1, hit.into());
        if hit {
            return;
        }
        let there = near != home && {
            let there = self.l2[home].touch(sector);
            self.seen[1].add(1, there.into());
            there
        };
        self.new[0] += u64::from(!there);
    }

    /// A store or an atomic that looks a sector up so many times; whether it needs what is there.
    fn write(&mut self, own: usize, sector: u64, times: u64, needs: bool) {
        let (near, home) = Self::halves(own, sector);
        if near != home {
            self.seen[1].add(times, times);
        }
        let there = self.l2[home].touch(sector);
        self.seen[1].add(times, times - u64::from(needs && !there));
        self.new[1] += u64::from(!there);
    }
}

impl Lookups {
    fn add(&mut self, sectors: u64, hits: u64) {
        self.sectors += sectors;
        self.hits += hits;
    }
}
