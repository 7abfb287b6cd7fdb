//! What an observer may know of a launch before it runs.

use crate::launch::Dim3;
use crate::memory::global::GlobalMemory;
use crate::prepare::Executable;
use crate::target::{Scheduling, Target};

/// A launch, as those see it who observe it or tell what was found.
#[derive(Debug, Clone, Copy)]
pub struct LaunchInfo<'a> {
    /// The kernel.
    pub program: &'a Executable,
    /// Global memory: the buffers and the module's variables.
    pub global: &'a GlobalMemory<'a>,
    /// Thread blocks in the grid.
    pub grid: Dim3,
    /// Threads in a block.
    pub block: Dim3,
    /// All shared memory per block, in bytes.
    pub shared_bytes: u64,
    /// The GPU.
    pub target: &'a Target,
    /// How the lanes of a warp that diverge at a branch run.
    pub scheduling: Scheduling,
    /// The order in which things happen that the hardware leaves open; 0 is the plain one.
    pub seed: u64,
    /// The blocks run in turn, seen by one observer. Else groups of them run side by side, each with its own.
    pub in_turn: bool,
}

impl LaunchInfo<'_> {
    /// Warps of a thread block.
    pub const fn warps_per_block(&self) -> u32 {
        self.block.count().div_ceil(32) as u32
    }
}
