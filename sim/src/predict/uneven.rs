//! Launches whose blocks do not all have the same work: which multiprocessor gets the most, or which blocks stand for all, and
//! how much longer the launch takes than its average multiprocessor because the last blocks end late.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::placement::Placement;
use super::slices;

/// The work of blocks, in instructions of their warps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Each block that was counted, with its work; ascending.
    pub(crate) blocks: Vec<(u64, u64)>,
    /// The instructions of each one's longest warp, where they were counted.
    pub(crate) longest: Vec<u64>,
}

/// A warp is longer than another one by so much if it ends later.
const LONGER: f64 = 1.05;

/// A sample whose stated error is larger than this is not taken, in percent of its mean.
const ERROR: f64 = 3.0;

/// Clocks of a warp's instruction where a multiprocessor is full: 64 warps on four schedulers. It decides only which blocks
/// have ended when others come.
const PER_INSTRUCTION: f64 = 16.0;

/// Instructions of a full multiprocessor in the clocks of one of a lone warp: four a clock, of which a chain takes four to ten.
const FASTER: f64 = 16.0;

/// What a multiprocessor gets.
#[derive(Debug, Clone, Default)]
struct Got {
    work: u64,
    /// When its last block ends.
    end: f64,
    /// The instructions of its longest warp.
    longest: u64,
    blocks: Vec<u64>,
}

impl Work {
    fn mean(&self) -> f64 {
        self.blocks.iter().map(|block| block.1 as f64).sum::<f64>() / self.blocks.len().max(1) as f64
    }

    /// One standard error of the mean of so many blocks taken at random, in percent of it.
    pub(crate) fn error_percent(&self, blocks: usize) -> f64 {
        let (mean, count) = (self.mean(), self.blocks.len() as f64);
        if count < 2.0 || mean <= 0.0 || blocks == 0 {
            return 0.0;
        }
        let squares: f64 = self.blocks.iter().map(|block| (block.1 as f64 - mean).powi(2)).sum();
        (squares / (count - 1.0) / blocks as f64).sqrt() / mean * 100.0
    }

    /// Whether so many blocks taken from anywhere may not stand for all.
    pub(crate) fn is_uneven(&self, blocks: usize) -> bool {
        self.error_percent(blocks) > ERROR
    }

    /// Whether some blocks have more work than others.
    pub(crate) fn differs(&self) -> bool {
        let work = || self.blocks.iter().map(|block| block.1);
        let (least, most) = (work().min().unwrap_or(0), work().max().unwrap_or(0));
        (most - least) as f64 > self.mean() * ERROR / 100.0
    }

    /// Whether one of the blocks has so much more work than others that it may end long after them, however little it is of all: on so
    /// many multiprocessors, each of which issues [`FASTER`] instructions while a lone warp issues one.
    pub(crate) fn has_long(&self, multiprocessors: u64) -> bool {
        let most = self.blocks.iter().map(|block| block.1).max().unwrap_or(0) as f64;
        let all: f64 = self.blocks.iter().map(|block| block.1 as f64).sum();
        most >= 2.0 * self.mean() && most * FASTER >= all / multiprocessors as f64
    }

    /// The blocks of the multiprocessors of which one ends last, ascending: of the one that has the most work, and, where these
    /// are others, of the one whose last block ends last though it has its time for itself, and of the one that has the longest warp.
    /// Blocks run where `placement` says, `warps` warps each.
    pub(crate) fn busiest(&self, placement: &Placement, warps: u32) -> Vec<Vec<u64>> {
        let clocks: Vec<f64> =
            self.blocks.iter().map(|block| block.1 as f64 / f64::from(warps.max(1)) * PER_INSTRUCTION).collect();
        let mut got = vec![Got::default(); placement.multiprocessors];
        let longest = self.longest.iter().copied().chain(std::iter::repeat(0));
        for ((&(block, work), longest), (number, end)) in self.blocks.iter().zip(longest).zip(placement.deal(&clocks)) {
            let own = &mut got[number];
            own.work += work;
            own.end = own.end.max(end);
            own.longest = own.longest.max(longest);
            own.blocks.push(block);
        }
        let most = got.iter().max_by(|a, b| a.work.cmp(&b.work).then(a.end.total_cmp(&b.end)));
        let last = got.iter().max_by(|a, b| a.end.total_cmp(&b.end).then(a.work.cmp(&b.work)));
        // Where a multiprocessor has few warps the longest one of all tells when the launch ends, however little others of its block do.
        let known = most.into_iter().chain(last).map(|own| own.longest).max().unwrap_or(0);
        let longer = got.iter().max_by_key(|own| own.longest).filter(|own| own.longest as f64 > known as f64 * LONGER);
        let mut chosen: Vec<Vec<u64>> =
            most.into_iter().chain(last).chain(longer).map(|own| own.blocks.clone()).collect();
        chosen.dedup();
        chosen
    }

    /// The work of these blocks, and that of all, in instructions.
    pub(crate) fn of(&self, chosen: &[u64]) -> (u64, u64) {
        let own = self.blocks.iter().filter(|block| chosen.binary_search(&block.0).is_ok()).map(|block| block.1);
        (own.sum(), self.blocks.iter().map(|block| block.1).sum())
    }

    /// Blocks that stand for all: the counted ones are put in order of work and cut into `count` equal parts, and the
    /// middle one of each part is taken. Their numbers, ascending.
    pub(crate) fn strata(&self, count: usize) -> Vec<u64> {
        let mut sorted = self.blocks.clone();
        sorted.sort_by_key(|block| (block.1, block.0));
        let all = sorted.len();
        let count = count.clamp(1, all.max(1));
        let mut chosen: Vec<u64> =
            (0..count).filter_map(|part| sorted.get(all * (2 * part + 1) / (2 * count))).map(|block| block.0).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// How far the mean work of these blocks is from that of all that were counted, in percent of it.
    pub(crate) fn off_percent(&self, chosen: &[u64]) -> f64 {
        let blocks = self.blocks.iter().filter(|block| chosen.contains(&block.0)).copied().collect();
        let of = Self { blocks, longest: Vec::new() };
        (of.mean() / self.mean().max(f64::MIN_POSITIVE) - 1.0).abs() * 100.0
    }

    /// The fewest strata, from `least` to `most`, whose mean work is near enough to that of all.
    pub(crate) fn stratified(&self, least: usize, most: usize) -> Vec<u64> {
        let mut count = least.max(1);
        loop {
            let chosen = self.strata(count);
            if count >= most || self.off_percent(&chosen) <= ERROR {
                return chosen;
            }
            count = (count * 3 / 2 + 1).min(most);
        }
    }

    /// How much longer all blocks take than they would if all places for blocks were busy until the end. Blocks get the
    /// clocks that those of their work took in the replay (`took`: work and clocks of the replayed ones), and start in order
    /// wherever a place is free.
    pub(crate) fn tail(&self, took: &[(f64, f64)], places: usize) -> f64 {
        let line = Line::through(took);
        tail(self.blocks.iter().map(|block| line.at(block.1 as f64)), places)
    }
}

/// So many of `count` blocks, ascending: one from anywhere in each of equal parts of the grid, so that no pattern of the grid
/// is met by another one.
pub(crate) fn spread(wanted: u64, count: u64) -> Vec<u64> {
    let wanted = wanted.clamp(1, count.max(1));
    let start = |part: u64| (u128::from(count) * u128::from(part) / u128::from(wanted)) as u64;
    let of_part = |part: u64| start(part) + slices::mix(part, wanted) % (start(part + 1) - start(part)).max(1);
    (0..wanted).map(of_part).filter(|&block| block < count).collect()
}

/// How much longer than the average place for blocks the last one is busy, when blocks of these clocks start in order
/// wherever a place is free.
pub(crate) fn tail(clocks: impl Iterator<Item = f64>, places: usize) -> f64 {
    let mut free: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let (mut sum, mut last, mut count) = (0u64, 0u64, 0usize);
    for clocks in clocks {
        let clocks = clocks.max(1.0) as u64;
        let start = if free.len() < places.max(1) { 0 } else { free.pop().map_or(0, |place| place.0) };
        free.push(Reverse(start + clocks));
        sum += clocks;
        last = last.max(start + clocks);
        count += 1;
    }
    let average = sum as f64 / places.min(count).max(1) as f64;
    if average > 0.0 { (last as f64 / average).max(1.0) } else { 1.0 }
}

/// A straight line through points, by least squares; it does not fall.
struct Line {
    base: f64,
    slope: f64,
}

impl Line {
    fn through(points: &[(f64, f64)]) -> Self {
        let count = points.len().max(1) as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
        let (xx, xy) = points
            .iter()
            .fold((0.0, 0.0), |sum, point| (sum.0 + (point.0 - x).powi(2), sum.1 + (point.0 - x) * (point.1 - y)));
        let slope = if xx > 0.0 { (xy / xx).max(0.0) } else { 0.0 };
        Self { base: y - slope * x, slope }
    }

    fn at(&self, x: f64) -> f64 {
        self.base + self.slope * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(blocks: impl Iterator<Item = u64>) -> Work {
        Work { blocks: (0..).zip(blocks).collect(), longest: Vec::new() }
    }

    #[test]
    fn even_work_needs_no_strata_and_uneven_work_does() {
        assert!(!work((0..1000).map(|_| 500)).is_uneven(4));
        // One block of ten has all the work: four blocks seldom show it.
        let rare = work((0..1000).map(|block| if block % 10 == 7 { 10_000 } else { 10 }));
        assert!(rare.is_uneven(4) && rare.error_percent(4) > 100.0);
        let chosen = rare.stratified(4, 200);
        assert!(rare.off_percent(&chosen) <= ERROR, "{} blocks", chosen.len());
        assert!(chosen.len() < 50, "{} blocks", chosen.len());
    }

    #[test]
    fn one_long_block_is_seen_though_it_is_little_of_all() {
        let long = work((0..30_000).map(|block| if block == 777 { 15_000 } else { 500 }));
        assert!(long.has_long(132) && !long.is_uneven(48));
        assert!(!work((0..30_000).map(|block| 500 + block % 7)).has_long(132));
        // Of four blocks of a multiprocessor one may well be longer than its mean, and that is what evenness tells.
        assert!(!work((0..528).map(|block| 500 + block % 300)).has_long(132));
    }

    #[test]
    fn a_pattern_of_the_grid_is_not_met_by_another() {
        // Every 256th block has all the work, and as many as 512 of 16384 are looked at.
        let seen = spread(512, 16384);
        assert_eq!(seen.len(), 512);
        assert!(seen.windows(2).all(|two| two[0] < two[1]));
        let offsets: std::collections::BTreeSet<u64> = seen.iter().map(|block| block % 32).collect();
        assert_eq!(offsets.len(), 32);
        assert_eq!(spread(600, 7), (0..7).collect::<Vec<_>>());
    }

    #[test]
    fn the_multiprocessor_with_the_longest_block_ends_last() {
        let places = |multiprocessors, resident| Placement {
            multiprocessors,
            resident,
            apart: 0,
            turns: (0.0, 0.0),
            interval: 0.0,
            latency: 0.0,
        };
        // Six blocks on four multiprocessors, of which the fifth is the longest: it comes to the first one.
        let six = work([10, 20, 30, 40, 500, 60].into_iter());
        assert_eq!(six.busiest(&places(4, 2), 1), [[0, 4]]);
        assert_eq!(six.of(&[0, 4]), (510, 660));
        // With one place each the fifth starts where a block ends first.
        assert_eq!(six.busiest(&places(4, 1), 1), [[0, 4]]);
        assert_eq!(work([5].into_iter()).busiest(&places(132, 16), 1), [[0]]);
        // The most work is not where the longest block is.
        let two = work([100, 60, 0, 60].into_iter());
        assert_eq!(two.busiest(&places(2, 2), 1), [vec![1, 3], vec![0, 2]]);
    }

    #[test]
    fn strata_stand_for_what_grows() {
        let growing = work((0..10_000).map(|block| block * block / 1000));
        let chosen = growing.stratified(8, 1000);
        assert!(growing.off_percent(&chosen) <= ERROR && chosen.windows(2).all(|two| two[0] < two[1]));
    }

    #[test]
    fn the_last_long_block_makes_a_tail() {
        let even = tail((0..64).map(|_| 1000.0), 8);
        assert!((even - 1.0).abs() < 1e-9, "{even}");
        // Eight places have 64 blocks of 1000 clocks, and one of 8000 comes last.
        let late = tail((0..64).map(|block| if block == 63 { 8000.0 } else { 1000.0 }), 8);
        assert!((late - 15_000.0 / 8875.0).abs() < 1e-9, "{late}");
        // One block more than places: two rounds.
        assert!((tail((0..9).map(|_| 1000.0), 8) - 2000.0 / 1125.0).abs() < 1e-9);
    }

    #[test]
    fn clocks_grow_with_work_and_do_not_fall() {
        let line = Line::through(&[(0.0, 100.0), (10.0, 200.0)]);
        assert!((line.at(20.0) - 300.0).abs() < 1e-9);
        let falling = Line::through(&[(0.0, 200.0), (10.0, 100.0)]);
        assert!((falling.at(100.0) - 150.0).abs() < 1e-9);
    }
}
