//! Accesses to memory, as they are raised.

use crate::ir::inst::{Pc, Space};
use crate::memory::banks::{Direction, SharedUnit};
use crate::memory::rows::Layout;

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
    /// How the addresses lie; `Layout::Any` where nobody looked.
    pub layout: Layout,
    /// What is done.
    pub kind: MemoryKind,
}

/// Kinds of counted memory accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are what they say")]
pub enum MemoryKind {
    SharedLoad,
    SharedStore,
    SharedAtomic(SharedUnit),
    /// The load of a compare-and-swap loop.
    SharedLoopLoad,
    /// An atomic that is tried as a global one before its address turns out to be in shared memory.
    SharedAttempt,
    /// The shared side of an asynchronous copy.
    SharedCopy,
    GlobalLoad,
    GlobalStore,
    GlobalAtomic,
    /// A compare-and-swap.
    GlobalSwap,
    GlobalReduction,
    /// The global side of an asynchronous copy.
    GlobalCopy,
    LocalLoad,
    LocalStore,
}

impl MemoryKind {
    /// Which of the two rules for loads and stores its cost follows.
    #[inline]
    pub const fn direction(self) -> Direction {
        match self {
            Self::SharedLoad | Self::SharedLoopLoad | Self::GlobalLoad | Self::GlobalCopy | Self::LocalLoad => {
                Direction::Load
            }
            // An asynchronous copy loads from global memory and stores to shared memory.
            Self::SharedStore | Self::SharedCopy | Self::SharedAtomic(_) | Self::SharedAttempt => Direction::Store,
            Self::GlobalStore | Self::GlobalAtomic | Self::GlobalSwap | Self::GlobalReduction | Self::LocalStore => {
                Direction::Store
            }
        }
    }
}

/// What a check needs to know of one memory instruction of one warp, in one space, before it takes effect.
pub struct AccessEvent<'a> {
    /// Which instruction.
    pub pc: Pc,
    /// Number of the warp within its block.
    pub warp: u32,
    /// Lanes that take part in this space, those included whose access will miss.
    pub lanes: u32,
    /// Shared or global.
    pub space: Space,
    /// Byte address of every lane in `lanes`, as in [`MemoryEvent`].
    pub addresses: &'a [u64; 32],
    /// Bytes of an element.
    pub bytes: u32,
    /// Elements per lane.
    pub parts: u32,
    /// The elements that are used: a vector load may drop some.
    pub used: u32,
    /// What is done.
    pub kind: AccessKind,
    /// Of a store: the value (low and high 64 bits) that a lane writes into an element.
    pub value: &'a dyn Fn(u32, u32) -> (u64, u64),
    /// What up to 16 bytes at an address hold now.
    pub old: &'a dyn Fn(u64, u32) -> (u64, u64),
    /// The allocation that global memory has at an address: its first address and its size.
    pub allocation: &'a dyn Fn(u64) -> Option<(u64, u64)>,
}

/// Kinds of checked memory accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes at once.
    Atomic,
}
