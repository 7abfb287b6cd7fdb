//! Who receives events.

use super::{AccessEvent, MemoryEvent, SyncEvent};
use crate::ir::inst::Pc;
use crate::ir::slow_paths::Difference;
use crate::prepare::register_allocation::Code;

/// Receives what a thread block does. Every group of blocks has its own observer; they are merged in block order.
pub trait Observer {
    /// Whether [`Observer::access`] and [`Observer::sync`] are called. Decided when compiling, so that a run without
    /// checks does not pay for them.
    const CHECKS: bool = false;
    /// Whether a launch is stepped for it: [`Observer::step`] is called, and the machine stops where it is told to.
    /// Decided when compiling, as [`Observer::CHECKS`] is.
    const STEPS: bool = false;

    /// What it keeps of a thread block while the block runs.
    type Held: Default + Send;

    /// Lanes of a warp are about to execute the instruction at `_pc`, or some of a straight run from there on; so many
    /// different faults were found so far. Lanes whose guard is false are among them.
    fn step(&mut self, _pc: Pc, _lanes: u32, _found: usize) {}
    /// A warp executes an instruction with these lanes (at least one).
    fn instruction(&mut self, _pc: Pc, _active: u32) {}
    /// A warp executes what is left of a straight run of the program's [`Code`], from `pc` on: as
    /// [`Observer::instruction`] for each of these instructions.
    #[inline(always)]
    fn straight(&mut self, pc: Pc, length: usize, active: u32) {
        (pc..pc + length as Pc).for_each(|pc| self.instruction(pc, active));
    }
    /// A warp accesses memory.
    fn memory(&mut self, _event: &MemoryEvent<'_>) {}
    /// The lanes of a warp execute this many instructions in which they exchange values, as part of one that does not
    /// say so: the compiler put them there.
    fn communicate(&mut self, _pc: Pc, _thread_instructions: u32) {}
    /// The copy engine adds to global memory by itself: so many requests to the L2 cache, of so many sectors.
    fn engine(&mut self, _pc: Pc, _requests: u64, _sectors: u64) {}
    /// Lanes execute more floating-point instructions than `ptxas::Counted::emitted` tells, or fewer.
    fn unusual(&mut self, _pc: Pc, _difference: Difference) {}
    /// A warp is about to access shared or global memory.
    fn access(&mut self, _event: &AccessEvent<'_>) {}
    /// This warp of this block runs from now on. Called where [`Observer::sync`] is.
    fn turn(&mut self, _block: u64, _warp: u32) {}
    /// A warp has waited at the barrier at `pc` for so many steps of the model's clock. Called where
    /// [`Observer::sync`] is.
    fn waited(&mut self, _pc: Pc, _warp: u32, _steps: u64) {}
    /// The lanes of a warp compare their values, of which so many are different. Called where [`Observer::sync`] is,
    /// behind [`Observer::instruction`] of the instruction.
    fn compared(&mut self, _distinct: u32) {}
    /// Lanes synchronise.
    fn sync(&mut self, _event: &SyncEvent<'_>) {}
    /// A warp has executed so many instructions since its block began.
    fn worked(&mut self, _executed: u64) {}
    /// Another block runs from now on: exchanges what is kept of the one with what was kept of the other.
    fn exchange(&mut self, _held: &mut Self::Held) {}
    /// The last block of the group has ended: what only a running block needs can go.
    fn finish(&mut self, _code: &Code) {}
}
