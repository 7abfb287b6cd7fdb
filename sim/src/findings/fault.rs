//! What goes wrong while a kernel runs: the data of each kind, as it is raised.

use std::fmt;

use super::{FindingKind, Memory};
use crate::ir::inst::Space;
use crate::memory::location::Location;
use crate::semantics::Division;

/// Something that a kernel must not do, or that keeps it from its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An access at an address that is no multiple of its size.
    Misaligned(Miss),
    /// An access outside of every allocation.
    OutOfBounds(Miss),
    /// A division of whole numbers by zero.
    DivisionByZero {
        /// Quotient or remainder, and the type.
        division: Division,
        /// The bits of the first lane's dividend.
        dividend: u64,
    },
    /// A call through a pointer that points to no function.
    NoFunction {
        /// The pointer.
        address: u64,
    },
    /// Calls that are not done need more than the stack has.
    StackOverflow,
    /// `free` of a block that was freed before.
    DoubleFree {
        /// Its address.
        address: u64,
    },
    /// `free` of what `malloc` never returned.
    NeverAllocated {
        /// The pointer.
        address: u64,
    },
    /// An `assert` whose condition does not hold.
    Assertion {
        /// The condition, as written.
        condition: String,
        /// Where it stands.
        file: String,
        /// Its line.
        line: u32,
        /// The function that it stands in.
        function: String,
    },
    /// `brkpt`.
    Breakpoint,
    /// `trap`.
    Trap,
    /// A barrier with a number that no barrier has.
    NoSuchBarrier {
        /// The number.
        id: u32,
        /// Barriers of a block.
        of: u32,
    },
    /// A barrier that is to wait for a part of a warp.
    PartOfAWarp {
        /// Number of the barrier.
        id: u32,
        /// The threads that it is to wait for.
        threads: u32,
    },
    /// A barrier that too few threads come to.
    NeverOpens {
        /// Number of the barrier.
        id: u32,
        /// The threads that it opens for; `None` for all of the block.
        wanted: Option<u32>,
        /// Threads that have arrived without waiting.
        arrived: u32,
        /// Threads that wait at it.
        here: u32,
        /// Threads of the block that have not ended.
        live: u32,
        /// Threads of the block.
        of: u32,
    },
    /// Threads wait at a barrier for others that wait elsewhere for ever.
    WaitsAtBarrier {
        /// Number of the barrier.
        id: u32,
    },
    /// Lanes execute a `_sync` instruction whose mask does not name them.
    NotInMask {
        /// The mask.
        mask: u32,
    },
    /// A mask names lanes on the other side of a branch, on a GPU that runs the sides one after the other.
    AcrossBranch {
        /// The mask.
        mask: u32,
    },
    /// Lanes wait for lanes of their mask that never come.
    MissingLanes {
        /// The mask.
        mask: u32,
    },
    /// A loop waits for a word of memory to change.
    WaitsForWord {
        /// The word.
        word: Word,
        /// What it holds, if it is a whole word of memory.
        holds: Option<u32>,
        /// Why nobody changes it.
        because: Standstill,
    },
    /// Lanes wait for a phase of an `mbarrier` to complete.
    WaitsForPhase {
        /// The `mbarrier`.
        word: Word,
        /// What the phase waits for.
        phase: Phase,
        /// Why nobody arrives.
        because: Standstill,
    },
    /// A loop came back to the state that it was in before, and looks at nothing that others could change.
    EndlessLoop,
    /// The budget of a block is spent.
    Endless {
        /// The budget, in warp-instructions.
        budget: u64,
    },
    /// For long, no block has changed anything.
    Idle {
        /// For so many warp-instructions.
        instructions: u64,
        /// Blocks that run.
        blocks: usize,
        /// Why none can go on.
        because: Standstill,
    },
}

/// An access that missed memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Miss {
    /// What the thread does: `reads`, `writes`, `updates`.
    pub does: &'static str,
    /// Bytes of the access.
    pub width: u32,
    /// The memory.
    pub space: Space,
    /// The address within it.
    pub address: u64,
    /// Of global memory: the allocation that lies nearest.
    pub near: Option<Location>,
}

/// A word of memory that a loop looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Word {
    /// A byte of shared memory.
    Shared(u64),
    /// A byte of an allocation, which has this name.
    Global(String, u64),
    /// An address in no memory.
    Nowhere(u64),
}

/// What a phase of an `mbarrier` waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Phase {
    /// Arrivals that are missing.
    pub pending: u64,
    /// Arrivals that complete it.
    pub expected: u64,
    /// Bytes of asynchronous copies that are missing.
    pub bytes: u64,
}

/// Why nobody can go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standstill {
    /// Of a block that runs alone: its own threads wait.
    OwnBlock,
    /// No other block is left.
    LastBlock,
    /// All blocks wait that are left.
    AllBlocks(usize),
    /// The GPU has no room for a block that has not started.
    NoRoom {
        /// The block.
        first: u64,
        /// How many have not started, this one among them.
        waiting: u64,
        /// The GPU, with its article.
        target: String,
        /// Blocks that it holds at once.
        capacity: usize,
    },
}

impl Fault {
    /// What reports call it.
    pub(crate) const fn kind(&self) -> FindingKind {
        match self {
            Self::Misaligned(_) => FindingKind::Misaligned,
            Self::OutOfBounds(_) | Self::NoFunction { .. } | Self::StackOverflow => FindingKind::OutOfBounds,
            Self::DivisionByZero { .. } => FindingKind::DivisionByZero,
            Self::DoubleFree { .. } | Self::NeverAllocated { .. } => FindingKind::InvalidFree,
            Self::Assertion { .. } => FindingKind::Assert,
            Self::Breakpoint | Self::Trap => FindingKind::Trap,
            Self::NoSuchBarrier { .. } | Self::PartOfAWarp { .. } | Self::NeverOpens { .. } => {
                FindingKind::BarrierDivergence
            }
            Self::NotInMask { .. } | Self::AcrossBranch { .. } => FindingKind::InvalidSyncMask,
            Self::WaitsAtBarrier { .. }
            | Self::MissingLanes { .. }
            | Self::WaitsForWord { .. }
            | Self::WaitsForPhase { .. } => FindingKind::Deadlock,
            Self::EndlessLoop | Self::Endless { .. } | Self::Idle { .. } => FindingKind::Budget,
        }
    }

    /// The memory that was accessed, if it is about an access.
    pub(crate) const fn memory(&self) -> Option<Memory> {
        match self {
            Self::Misaligned(miss) | Self::OutOfBounds(miss) => Some(Memory::of(miss.space)),
            _ => None,
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared(byte) => write!(f, "byte {byte} of shared memory"),
            Self::Global(name, byte) => write!(f, "byte {byte} of {name}"),
            Self::Nowhere(address) => write!(f, "address {address:#x}"),
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let copies = if self.bytes == 0 { String::new() } else { format!(" and {} bytes of copies", self.bytes) };
        write!(f, "{} of the {} arrivals that it expects{copies}", self.pending, self.expected)
    }
}

impl fmt::Display for Standstill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnBlock => f.write_str("the threads of its block that could are waiting themselves"),
            Self::LastBlock => f.write_str("no other block is left"),
            Self::AllBlocks(n) => write!(f, "the {n} blocks that are left all wait"),
            Self::NoRoom { first, waiting, target, capacity } => {
                let behind = match waiting {
                    1 => String::new(),
                    n => format!(" (and {} behind it)", n - 1),
                };
                write!(
                    f,
                    "block {first}{behind} never starts, because {target} holds {capacity} of these blocks at once and all \
                     of those wait"
                )
            }
        }
    }
}
