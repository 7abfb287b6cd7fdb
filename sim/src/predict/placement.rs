//! On which multiprocessor each block of a launch runs.
//!
//! Read off launches whose blocks wrote down their multiprocessor (`placed` of `kernels/calibrate/calibrate.cu`, H100 and
//! H200). The GPU deals blocks out in order, to one multiprocessor after the other, pair by pair; it does not look whether
//! one is empty again, only whether there is a place. A few multiprocessors (8 of 132) stand apart: they belong to no full
//! group, come first, and are served more often than their share, until they have as many blocks as a multiprocessor has in
//! the end without the last, incomplete round. In that round each pair gets a block before any gets a second one. Of a
//! launch whose first blocks have the work, those that stand apart so get two of them before all others have one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::rates::Rates;

/// How blocks are dealt out to multiprocessors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placement {
    /// Multiprocessors.
    pub(crate) multiprocessors: usize,
    /// Blocks that one of them holds.
    pub(crate) resident: usize,
    /// Multiprocessors that stand apart.
    pub(crate) apart: usize,
    /// Blocks from their first turn to the second, and from each later one to the next.
    pub(crate) turns: (f64, f64),
    /// Clocks between two blocks that start.
    pub(crate) interval: f64,
    /// Clocks for which a block keeps its place beside its work.
    pub(crate) latency: f64,
}

impl Placement {
    /// That of a target.
    pub(crate) fn of(rates: &Rates, resident: u32) -> Self {
        let multiprocessors = (rates.multiprocessors as usize).max(1);
        Self {
            multiprocessors,
            resident: resident.max(1) as usize,
            apart: (rates.apart as usize).min(multiprocessors - 1),
            turns: (rates.apart_first, rates.apart_every),
            interval: rates.block_start,
            latency: rates.block_latency + rates.drain,
        }
    }

    /// The multiprocessor of each block, and when the block ends; blocks come in order, with the clocks of their work.
    /// Those that stand apart have the highest numbers.
    pub(crate) fn deal(&self, clocks: &[f64]) -> Vec<(usize, f64)> {
        let mut dealer = Dealer::new(self, clocks.len());
        let mut ends: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let mut now = 0.0;
        let mut dealt = Vec::with_capacity(clocks.len());
        for &clocks in clocks {
            now += self.interval;
            while let Some(&Reverse((end, number))) = ends.peek() {
                if end as f64 > now && dealer.places > 0 {
                    break;
                }
                ends.pop();
                now = now.max(end as f64);
                dealer.leave(number);
            }
            let number = dealer.next();
            let end = now + self.latency + clocks;
            ends.push(Reverse((end.ceil() as u64, number)));
            dealt.push((number, end));
        }
        dealt
    }
}

/// Where the next block goes.
struct Dealer {
    /// Places of each multiprocessor that are free, and of all.
    free: Vec<usize>,
    places: usize,
    /// Multiprocessors that do not stand apart; the others have the numbers behind them.
    main: usize,
    /// Blocks that each multiprocessor gets in the rounds that are complete.
    rounds: usize,
    /// Blocks that those of `main` got, and the position behind the last of them.
    got: usize,
    position: usize,
    /// How often those apart had their turn, how many of them are left of this one, and with which block of `main` the next begins.
    turns: usize,
    left: usize,
    due: f64,
    between: (f64, f64),
    /// The order of `main` in the last round, once it begins: the first of each pair, then the second.
    last: Vec<usize>,
}

impl Dealer {
    fn new(placement: &Placement, blocks: usize) -> Self {
        let apart = placement.apart as f64;
        Self {
            free: vec![placement.resident; placement.multiprocessors],
            places: placement.resident * placement.multiprocessors,
            main: placement.multiprocessors - placement.apart,
            rounds: blocks / placement.multiprocessors,
            got: 0,
            position: 0,
            turns: 0,
            left: 0,
            due: 0.0,
            between: ((placement.turns.0 - apart).max(1.0), (placement.turns.1 - apart).max(1.0)),
            last: Vec::new(),
        }
    }

    fn leave(&mut self, number: usize) {
        self.free[number] += 1;
        self.places += 1;
    }

    /// The multiprocessor of the next block; one at least has a place.
    fn next(&mut self) -> usize {
        let number = self.apart().or_else(|| self.main()).or_else(|| self.free.iter().position(|&free| free > 0));
        let number = number.unwrap_or(0);
        self.free[number] = self.free[number].saturating_sub(1);
        self.places = self.places.saturating_sub(1);
        number
    }

    /// One of those that stand apart, if it is their turn.
    fn apart(&mut self) -> Option<usize> {
        let complete = self.got >= self.rounds * self.main;
        let turn = self.turns < self.rounds && self.got as f64 >= self.due || self.turns == self.rounds && complete;
        if self.left == 0 && turn {
            self.left = self.free.len() - self.main;
            self.due = self.got as f64 + if self.turns == 0 { self.between.0 } else { self.between.1 };
            self.turns += 1;
        }
        while self.left > 0 {
            let number = self.free.len() - self.left;
            self.left -= 1;
            if self.free[number] > 0 {
                return Some(number);
            }
        }
        None
    }

    /// The next one of the others that has a place.
    fn main(&mut self) -> Option<usize> {
        let behind = self.got.checked_sub(self.rounds * self.main);
        if behind == Some(0) && self.last.is_empty() {
            let from = |offset: usize| (offset..self.main).step_by(2).map(|at| (self.position + at) % self.main);
            self.last = from(0).chain(from(1)).collect();
        }
        let number = (0..self.main)
            .map(|at| match behind {
                Some(behind) => self.last[(behind + at) % self.main],
                None => (self.position + at) % self.main,
            })
            .find(|&number| self.free[number] > 0)?;
        self.got += 1;
        self.position = (number + 1) % self.main;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The multiprocessors of an H200, of which eight stand apart.
    const HOPPER: Placement =
        Placement { multiprocessors: 132, resident: 4, apart: 8, turns: (85.0, 100.0), interval: 1.2, latency: 600.0 };

    /// How many blocks of those with work each multiprocessor gets: of how many, and at most.
    fn spread(placement: &Placement, clocks: &[f64]) -> (usize, usize) {
        let mut own = vec![0; placement.multiprocessors];
        let dealt = placement.deal(clocks);
        dealt.iter().zip(clocks).filter(|(_, clocks)| **clocks > 1000.0).for_each(|(&(number, _), _)| own[number] += 1);
        (own.iter().filter(|&&own| own > 0).count(), own.into_iter().max().unwrap_or(0))
    }

    #[test]
    fn every_multiprocessor_gets_its_share() {
        for (blocks, most) in [(132, 1), (200, 2), (264, 2), (528, 4)] {
            let even = vec![40_000.0; blocks];
            assert_eq!(spread(&HOPPER, &even), (132, most), "{blocks} blocks");
        }
        assert_eq!(spread(&HOPPER, &[40_000.0; 66]), (66, 1));
    }

    #[test]
    fn blocks_lie_as_they_did_on_a_gpu() {
        let first = |blocks: usize, with: usize| -> Vec<f64> {
            (0..blocks).map(|block| if block < with { 40_000.0 } else { 0.0 }).collect()
        };
        // An H200 had 128 blocks with work on 120 multiprocessors when 384, 896 and 1920 without work followed.
        for blocks in [512, 1024, 2048] {
            assert_eq!(spread(&HOPPER, &first(blocks, 128)), (120, 2), "{blocks} blocks");
        }
        // On 118 or 119 of them when 384 without work had come before; where the order begins differs from launch to launch.
        let mut last = first(512, 128);
        last.rotate_left(128);
        let (used, most) = spread(&HOPPER, &last);
        assert!(used.abs_diff(119) <= 4 && most == 2, "{used} multiprocessors");
        // Every fourth of 512 comes to the same ones: at most four on one, 45 had any (which ones those apart get differs).
        let fourth: Vec<f64> = (0..512).map(|block| if block % 4 == 0 { 40_000.0 } else { 0.0 }).collect();
        let (used, most) = spread(&HOPPER, &fourth);
        assert!(used < 50 && most == 4, "{used} multiprocessors, {most}");
    }

    #[test]
    fn full_multiprocessors_get_a_block_when_one_ends() {
        let plain =
            Placement { multiprocessors: 2, resident: 1, apart: 0, turns: (0.0, 0.0), interval: 0.0, latency: 0.0 };
        let dealt = plain.deal(&[100.0, 10.0, 10.0, 10.0]);
        assert_eq!(dealt, [(0, 100.0), (1, 10.0), (1, 20.0), (1, 30.0)]);
    }
}
