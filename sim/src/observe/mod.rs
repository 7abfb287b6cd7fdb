//! What can be seen of a running kernel. The executor reports events; observers count. Observers never change state.

pub mod counters;
pub mod metrics;

use crate::program::inst::Pc;

/// One memory instruction of one warp, in one space.
#[derive(Debug)]
pub struct MemoryEvent<'a> {
    /// Which instruction.
    pub pc: Pc,
    /// Lanes that take part in this space.
    pub active: u32,
    /// Byte address of every active lane: within shared memory for shared accesses, else generic.
    pub addresses: &'a [u64; 32],
    /// Bytes per lane.
    pub width: u32,
    /// What is done.
    pub kind: MemoryKind,
}

/// Kinds of counted memory accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are what they say")]
pub enum MemoryKind {
    SharedLoad,
    SharedStore,
    SharedAtomic { result_used: bool, increment: bool, compare_and_swap: bool, float: bool },
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    GlobalReduction,
    LocalLoad,
    LocalStore,
}

/// Receives what a thread block does. Every block has its own observer; they are merged in block order.
pub trait Observer {
    /// A warp executes an instruction with these lanes (at least one).
    fn instruction(&mut self, pc: Pc, active: u32);
    /// A warp accesses memory.
    fn memory(&mut self, event: &MemoryEvent<'_>);
}
