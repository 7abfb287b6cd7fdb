//! What can be seen of a running kernel. The executor reports events; observers count. Observers never change state.

pub(crate) mod by_line;
pub mod counters;
pub(crate) mod details;
mod eras;
pub mod exact;
pub(crate) mod inlining;
pub mod metrics;

use crate::ir::inst::{Pc, Space};
use crate::ir::slow_paths::Difference;
use crate::memory::banks::Direction;
use crate::memory::rows::Layout;
use crate::prepare::register_allocation::Code;

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

/// How a shared-memory atomic is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SharedUnit {
    /// An arithmetic or logic instruction, or an exchange (`ATOMS.ADD` and its siblings).
    Alu,
    /// An increment by one without a result (`ATOMS.POPC.INC`).
    Increment,
    /// A compare-and-swap of the program (`ATOMS.CAS`).
    CompareAndSwap,
    /// One step of a loop that the compiler made (`ATOMS.CAST.SPIN`).
    LoopStep,
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

/// Something that orders what lanes do.
#[derive(Debug)]
pub enum SyncEvent<'a> {
    /// The thread block with this linear index starts.
    Start(u64),
    /// The thread block that runs has come to its end.
    End,
    /// A barrier opens for all threads of the block that are still there.
    Everyone,
    /// A barrier opens for some threads of the block.
    Some {
        /// Number of the barrier.
        id: u32,
        /// The lanes that waited, by warp.
        participants: &'a [u32],
    },
    /// Lanes arrive at a barrier without waiting (`bar.arrive`).
    Arrive {
        /// Number of the barrier.
        id: u32,
        /// Their warp.
        warp: u32,
        /// The lanes.
        lanes: u32,
    },
    /// Lanes of a warp execute `__syncwarp` together.
    Warp {
        /// Their warp.
        warp: u32,
        /// The lanes.
        lanes: u32,
    },
    /// A thread of the block has missed memory, and ends there.
    Fault,
    /// Lanes of a warp execute a fence, or a step of asynchronous copies.
    Fence {
        /// Which instruction.
        pc: Pc,
        /// Their warp.
        warp: u32,
        /// The lanes.
        lanes: u32,
    },
}

/// Receives what a thread block does. Every group of blocks has its own observer; they are merged in block order.
pub trait Observer {
    /// Whether [`Observer::access`] and [`Observer::sync`] are called. Decided when compiling, so that a run without
    /// checks does not pay for them.
    const CHECKS: bool = false;

    /// What it keeps of a thread block while the block runs.
    type Held: Default + Send;

    /// A warp executes an instruction with these lanes (at least one).
    fn instruction(&mut self, pc: Pc, active: u32);
    /// A warp executes what is left of a straight run of the program's [`Code`], from `pc` on: as
    /// [`Observer::instruction`] for each of these instructions.
    #[inline(always)]
    fn straight(&mut self, pc: Pc, length: usize, active: u32) {
        (pc..pc + length as Pc).for_each(|pc| self.instruction(pc, active));
    }
    /// A warp accesses memory.
    fn memory(&mut self, event: &MemoryEvent<'_>);
    /// The lanes of a warp execute this many instructions in which they exchange values, as part of one that does not
    /// say so: the compiler put them there.
    fn communicate(&mut self, pc: Pc, thread_instructions: u32);
    /// The copy engine adds to global memory by itself: so many requests to the L2 cache, of so many sectors.
    fn engine(&mut self, _pc: Pc, _requests: u64, _sectors: u64) {}
    /// Lanes execute more floating-point instructions than [`Counted::emitted`](crate::ptxas::Counted::emitted) tells, or fewer.
    fn unusual(&mut self, pc: Pc, difference: Difference);
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

/// The lanes of a mask, lowest first.
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = u32> + Clone {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}
