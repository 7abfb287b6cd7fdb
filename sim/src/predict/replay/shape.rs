//! What a replay is given beside the trace, and what it gives.

use super::code::Stalls;
use crate::predict::rates::Rates;
use crate::predict::timeline::{State, Timeline};
use crate::predict::trace::Trace;
use crate::predict::uneven::{self, Work};
use crate::predict::units::Busy;

/// What a launch is, beside its trace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Thread blocks of the grid.
    pub blocks: u64,
    /// Blocks that a multiprocessor holds at once.
    pub resident: u32,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: u64,
    /// Of what a sector touched for the first time is in L2 already: 0 to 1.
    pub warm: f64,
    /// How many warps' ways are to be kept.
    pub followed: usize,
    /// Where the trace is all that the multiprocessor with the most work gets: how many times that work the launch has.
    /// `None` where it is a sample of blocks that stand for all.
    pub whole: Option<f64>,
}

/// What a replay gives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    /// Clocks of the launch on a multiprocessor.
    pub clocks: f64,
    /// Clocks of them for which each resource works.
    pub busy: Busy,
    /// Instructions of the machine code of all blocks, estimated.
    pub instructions: f64,
    /// Bytes that all blocks read from memory.
    pub dram_read: f64,
    /// Bytes that they write there.
    pub dram_written: f64,
    /// Of the sectors that they load, the part that is in L1: 0 to 1.
    pub l1_hits: f64,
    /// What L2 looks up for all blocks.
    pub l2_tags: f64,
    /// Of the slices of L2, the part that works on updates while the busiest one does: 0 to 1.
    pub spread: f64,
    /// Of the multiprocessors, the part that works, each for as long as the one with the most to do: 0 to 1.
    pub working: f64,
    /// Clocks that a warp spends in each of [`State::ALL`], on average.
    pub states: [f64; State::ALL.len()],
    /// Clocks from the first instruction of a block to its last, on average.
    pub block: f64,
    /// What the first warps did, if it was asked for.
    pub timeline: Timeline,
    /// Of machine code: the clocks that warps spent at each instruction, by reason.
    pub stalls: Vec<Stalls>,
    /// Clocks from the beginning of each block of the trace to its end.
    pub took: Vec<f64>,
}

impl Replayed {
    /// Makes a launch whose blocks differ in their work as long as its blocks keep the places that there are for them, and longer by what
    /// its last blocks take beyond the average.
    pub(in crate::predict) fn stretch(&mut self, trace: &Trace, shape: &Shape, rates: &Rates, work: &Work) {
        let took: Vec<(f64, f64)> =
            trace.blocks.iter().zip(&self.took).map(|(block, &took)| (block.executed as f64, took)).collect();
        let resident = shape.resident.max(1) as usize;
        // The few blocks of a sample may end in an order in which nothing can be told of the pace of the others. Each keeps its place
        // for as long as it takes.
        let each = took.iter().map(|block| block.1).sum::<f64>() / took.len().max(1) as f64;
        let share = shape.blocks as f64 / rates.multiprocessors;
        self.clocks = self.clocks.max(if shape.whole.is_none() { each * share / resident as f64 } else { 0.0 });
        // What was counted of a launch stands for all of it: so many of its places for blocks are those of the sample.
        let counted = work.blocks.len() as f64 / shape.blocks.max(1) as f64;
        let places = (resident as f64 * rates.multiprocessors * counted).round().max(1.0) as usize;
        let all = work.tail(&took, places);
        let own = uneven::tail(took.iter().map(|block| block.1), resident);
        self.clocks *= (all / own).max(1.0);
    }
}
