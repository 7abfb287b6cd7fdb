//! The pipes of the four partitions of a multiprocessor, as machine instructions keep them busy.
//!
//! The FMA pipe has two halves: single precision goes through either, integer multiplications through the heavy one alone.
//! That is what the rates of the two say (CUDA C++ Programming Guide, Arithmetic Instructions: 128 and 64 lanes a clock). One
//! whose result has two words keeps the lite half busy, too ([`Issue::beside`]).

use super::rates::Rates;
use super::trace::{Issue, Unit};

/// Most partitions of a multiprocessor.
const PARTITIONS: usize = 4;
/// Clocks for which an instruction may wait in front of its pipe. Without that a pipe that takes an instruction every other clock
/// loses one whenever the scheduler is just busy with another instruction; an H100's eight warps, each of which repeats sixteen
/// operations of one pipe, an addition and a jump, lose nothing: 34.1 clocks a round and warp.
const AHEAD: f64 = 1.0;
/// The pipes of a partition: ALU, both halves of FMA, FP64, XU, uniform, tensor, control.
const PIPES: usize = 8;
const LITE: usize = 2;

/// When each pipe of each partition is free, and for how long all of them worked.
#[derive(Debug, Clone)]
pub(super) struct Pipes {
    free: [[f64; PIPES]; PARTITIONS],
    /// Clocks of a pipe with the target's lanes to those of one with the lanes that [`Issue::clocks`] is for.
    slower: [f64; PIPES],
    /// Clocks of each pipe, of all partitions together.
    pub(super) busy: [f64; PIPES],
}

impl Pipes {
    pub(super) fn new(rates: &Rates) -> Self {
        let (integer, single) = (64.0 / rates.integer_lanes, 128.0 / rates.fp32_lanes);
        let slower = [integer, single, single, 64.0 / rates.fp64_lanes, 16.0 / rates.special_lanes, integer, 1.0, 1.0];
        Self { free: [[0.0; PIPES]; PARTITIONS], slower, busy: [0.0; PIPES] }
    }

    /// The pipe that an instruction takes; `None` for those that all partitions share.
    fn of(&self, partition: usize, unit: Unit) -> Option<usize> {
        let free = &self.free[partition];
        match unit {
            Unit::None | Unit::Lsu | Unit::Adu => None,
            Unit::Alu => Some(0),
            Unit::FmaHeavy => Some(1),
            // The lite half if both are free: the heavy one has other work.
            Unit::Fma => Some(if free[LITE] <= free[1] { LITE } else { 1 }),
            Unit::Fp64 => Some(3),
            Unit::Xu => Some(4),
            Unit::Uniform => Some(5),
            Unit::Tensor => Some(6),
            Unit::Cbu => Some(7),
        }
    }

    /// When an instruction can be issued to its pipe.
    pub(super) fn free(&self, partition: usize, unit: Unit) -> f64 {
        self.of(partition, unit).map_or(0.0, |pipe| self.free[partition][pipe] - AHEAD)
    }

    /// Keeps the pipe of an instruction busy, and the lite half of FMA beside it where it takes both.
    pub(super) fn take(&mut self, partition: usize, issue: &Issue, at: f64) {
        if let Some(pipe) = self.of(partition, issue.unit) {
            self.keep((partition, pipe), issue.clocks, at);
        }
        if issue.beside > 0 {
            self.keep((partition, LITE), issue.beside, at);
        }
    }

    fn keep(&mut self, (partition, pipe): (usize, usize), clocks: u32, at: f64) {
        let clocks = f64::from(clocks) * self.slower[pipe];
        let free = &mut self.free[partition][pipe];
        *free = free.max(at) + clocks;
        self.busy[pipe] += clocks;
    }

    /// Clocks of the integer, single-precision, double-precision and special pipes of one of so many partitions.
    pub(super) fn worked(&self, partitions: f64) -> [f64; 4] {
        [self.busy[0], self.busy[1].max(self.busy[LITE]), self.busy[3], self.busy[4]].map(|clocks| clocks / partitions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target;

    fn clocks_of(units: &[Unit]) -> f64 {
        let mut pipes = Pipes::new(&Rates::of(target::find("h200").expect("a target")).0);
        let mut now = 0.0f64;
        for &unit in units {
            let issue = Issue { unit, clocks: 2, ..Issue::default() };
            now = now.max(pipes.free(0, unit));
            pipes.take(0, &issue, now);
            now += 1.0;
        }
        now
    }

    #[test]
    fn integer_multiplications_take_twice_what_single_precision_does() {
        let (single, integer) = (clocks_of(&[Unit::Fma; 100]), clocks_of(&[Unit::FmaHeavy; 100]));
        assert_eq!((single, integer), (100.0, 198.0));
    }

    #[test]
    fn integers_on_alu_and_fma_go_side_by_side() {
        let mixed: Vec<Unit> = [Unit::Alu, Unit::FmaHeavy].repeat(50);
        assert_eq!(clocks_of(&mixed), 100.0);
        assert_eq!(clocks_of(&[Unit::Alu; 100]), 198.0);
        // One whose result has two words keeps both halves busy.
        let wide = Issue { unit: Unit::FmaHeavy, clocks: 4, beside: 3, ..Issue::default() };
        let mut pipes = Pipes::new(&Rates::of(target::find("h200").expect("a target")).0);
        pipes.take(0, &wide, 0.0);
        assert_eq!((pipes.free(0, Unit::FmaHeavy), pipes.free(0, Unit::Fma)), (3.0, 2.0));
        // Half of the single-precision instructions find the lite half free.
        let both: Vec<Unit> = [Unit::Fma, Unit::FmaHeavy].repeat(50);
        assert_eq!(clocks_of(&both), 100.0);
    }
}
