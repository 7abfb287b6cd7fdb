//! The steps of a session one by one, from the record alone: for whoever looks for a place in the code among them.

use super::{Place, Session};

/// A warp executes an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepTaken {
    /// Linear index of the thread block.
    pub block: u64,
    /// Warp within the block.
    pub warp: u32,
    /// The lanes that executed it, as a mask.
    pub lanes: u32,
    /// Which instruction: its index in [`Session::instructions`].
    pub instruction: u32,
}

impl Session {
    /// Where each instruction of the kernel stands, in the order of the code.
    pub fn instructions(&self) -> Vec<Place> {
        (0..self.program.insts.len()).map(|pc| self.place(pc as u32)).collect()
    }

    /// The step that leads from a position to the next one; nothing at the end.
    pub fn step_at(&self, position: u64) -> Option<StepTaken> {
        let (block, warp) = self.record.who(position)?;
        let at = usize::try_from(position).ok()?;
        Some(StepTaken { block, warp, lanes: self.record.lanes[at], instruction: self.record.pcs[at] })
    }

    /// The nearest step at or behind `from` that `fits`; the position before it.
    pub fn next_step(&self, from: u64, fits: impl Fn(StepTaken) -> bool) -> Option<u64> {
        (from..self.length()).find(|&at| self.step_at(at).is_some_and(&fits))
    }

    /// The nearest step before `from` that `fits`; the position before it.
    pub fn step_before(&self, from: u64, fits: impl Fn(StepTaken) -> bool) -> Option<u64> {
        (0..from.min(self.length())).rev().find(|&at| self.step_at(at).is_some_and(&fits))
    }
}
