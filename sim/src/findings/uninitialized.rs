//! Reads of memory that nobody has written, and how they are told.

use super::{Finding, FindingKind, Memory, Places, Severity, names};
use crate::ir::inst::{Pc, Space};
use crate::lanes::lanes_of;

/// An uninitialised read of an instruction, the one with the lowest address.
#[derive(Debug, Clone)]
pub(crate) struct UninitializedRead {
    pub space: Space,
    pub block: u64,
    pub warp: u32,
    pub lanes: u32,
    pub address: u64,
    pub bytes: u32,
    pub count: u64,
}

impl UninitializedRead {
    /// The finding about the instruction at `pc`.
    pub(crate) fn finding(&self, pc: Pc, places: Places<'_>) -> Finding {
        let (file, line) = places.line(pc);
        let thread = places.thread(self.warp * 32 + self.lanes.trailing_zeros());
        let what = names::name(&places.launch, self.space, self.address, self.bytes);
        let (nobody, help) = match self.space {
            Space::Shared => (
                "no thread of the block",
                "shared memory holds whatever an earlier block left there: write every element first, also the \
                 ones behind the end of the data, and put a barrier before reading it",
            ),
            _ => (
                "nobody",
                "what `cudaMalloc` returns holds anything: fill the buffer before the launch (`cudaMemset`, or \
                 `zeros:` or `in:` for this argument), or write every element before reading it",
            ),
        };
        Finding {
            kind: FindingKind::Uninitialized,
            severity: Severity::Error,
            message: format!("thread {thread} reads {what}, which {nobody} has written before{}", places.inlined(pc)),
            help: help.to_owned(),
            file,
            line,
            seed: places.launch.seed,
            block: places.launch.grid.coordinates(self.block).into(),
            warp: self.warp,
            lanes: lanes_of(self.lanes).collect(),
            count: self.count,
            space: Some(Memory::of(self.space)),
            parties: Vec::new(),
        }
    }
}
