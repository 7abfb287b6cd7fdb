//! Memory instructions: spaces, addresses, loads and stores, atomics, asynchronous copies.

use super::{Reg, SlotP};

/// Where a memory instruction goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// The kernel's arguments.
    Param,
    /// Arguments and results of a device function: registers, once ptxas has seen them.
    Frame,
    /// Constant memory.
    Const,
    /// Global memory.
    Global,
    /// Shared memory of the thread block.
    Shared,
    /// A thread's own memory.
    Local,
    /// Whatever the address says, lane by lane.
    Generic,
}

/// Where a memory instruction's address comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// Register that holds the base, if there is one.
    pub base: Option<Reg>,
    /// Added to it, in bytes.
    pub offset: i64,
    /// The base is a 32-bit register, and the sum has 64 bits; else the sum is as wide as the register.
    pub widened: bool,
}

impl Address {
    /// The sum of a register, if there is one, and so many bytes.
    pub const fn new(base: Option<Reg>, offset: i64) -> Self {
        Self { base, offset, widened: false }
    }
}

/// A load, store or asynchronous copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The space that the instruction names; `Generic` is resolved per lane.
    pub space: Space,
    /// Where.
    pub address: Address,
    /// Bytes per element.
    pub bytes: u8,
    /// Sign-extend a loaded element to the register's width.
    pub signed: bool,
    /// One register per element, `None` for `_`.
    pub registers: Vec<Option<Reg>>,
    /// `.volatile`, or a memory order other than weak: the compiler must not merge or drop it.
    pub strong: bool,
}

impl Access {
    /// Bytes per lane.
    pub fn width(&self) -> u32 {
        u32::from(self.bytes) * self.registers.len() as u32
    }
}

/// The bit of an `mbarrier` that changes when a phase completes: the lowest of four that count phases.
pub const MBARRIER_PARITY: u64 = 1 << 60;
/// Position of the 20 bits that count the arrivals that are missing in a phase of an `mbarrier`.
pub const MBARRIER_PENDING: u32 = 20;

/// What an atomic does to its memory word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum AtomicOp {
    Exch,
    Cas,
    And,
    Or,
    Xor,
    AddInt,
    AddF32 {
        ftz: bool,
    },
    AddF64,
    AddF16x2,
    AddBf16x2,
    AddF16,
    AddBf16,
    Inc,
    Dec,
    MinS,
    MaxS,
    MinU,
    MaxU,
    /// Of halves, in a bulk copy that reduces. A NaN gives way to a number.
    MinF16,
    MaxF16,
    MinBf16,
    MaxBf16,
    /// `mbarrier.init`, with `a` arrivals per phase.
    MbarrierInit,
    /// `mbarrier.arrive` of `a` threads, expecting `b` bytes more first.
    MbarrierArrive,
    /// `mbarrier.arrive_drop` of `a` threads, expecting `b` bytes more first.
    MbarrierDrop,
    /// `mbarrier.expect_tx` of `a` bytes.
    MbarrierExpect,
    /// `mbarrier.complete_tx` of `a` bytes.
    MbarrierComplete,
    /// The state is read, for `mbarrier.test_wait` and `mbarrier.try_wait`.
    MbarrierTest,
}

/// How a compiler realises an atomic: the pass `ptxas::aggregated_atomics`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AtomicForm {
    /// One instruction for all lanes.
    #[default]
    Plain,
    /// `ATOMS.POPC.INC`: equal addresses are added up on the way.
    Increment,
    /// All lanes address the same word: the highest active lane does it for all of them, with what a vote, a
    /// reduction or a shuffle between the lanes gives.
    Leader(Exchange),
    /// The same for an addition of different values whose old values are used: lane 31 does it after a prefix sum over
    /// a full warp; otherwise every lane does it itself.
    Scan(Exchange),
    /// A loop of load, operation and compare-and-swap.
    Loop,
}

/// Instructions per lane that lanes exchange to let one of them work for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exchange {
    /// Executed by all active lanes.
    pub always: u8,
    /// Executed in addition by a full warp.
    pub full: u8,
}

/// `atom` or `red`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atomic {
    /// What it does.
    pub op: AtomicOp,
    /// The space that the instruction names.
    pub space: Space,
    /// Where.
    pub address: Address,
    /// Bytes of the memory word.
    pub bytes: u8,
    /// Where the old value goes; `None` for `red` and `_`.
    pub result: Option<Reg>,
    /// The operand (for `cas`: what is compared with).
    pub a: Reg,
    /// The value that `cas` stores.
    pub b: Option<Reg>,
    /// What the compiler makes of it.
    pub form: AtomicForm,
    /// The instruction that gives the old value back is emitted though nobody reads it: the pass `ptxas::aggregated_atomics`.
    pub stays: bool,
    /// Of a vector the elements are updated one after the other, but the first one's access is that of all: this is their
    /// number there, and 0 in the others. 1 for everything else.
    pub elements: u8,
}

impl AtomicOp {
    /// An operation on an `mbarrier` object, which is no atomic for the hardware's counters.
    pub fn is_mbarrier(self) -> bool {
        matches!(
            self,
            Self::MbarrierInit
                | Self::MbarrierArrive
                | Self::MbarrierDrop
                | Self::MbarrierExpect
                | Self::MbarrierComplete
                | Self::MbarrierTest
        )
    }

    /// Whether the result is the same in whatever order threads take effect.
    pub const fn commutes(self) -> bool {
        matches!(
            self,
            Self::AddInt | Self::And | Self::Or | Self::Xor | Self::MinS | Self::MaxS | Self::MinU | Self::MaxU
        )
    }
}

impl Atomic {
    /// In global memory this is a reduction: nobody waits for an old value. Exchanges and compare-and-swaps have no such
    /// form, nor do addresses that may be in any space.
    pub fn is_reduction(&self) -> bool {
        self.result.is_none()
            && !self.stays
            && self.space != Space::Generic
            && !matches!(self.op, AtomicOp::Exch | AtomicOp::Cas)
    }

    /// Bytes per lane of the access: those of the whole vector where it is the first of one, none in its others.
    pub fn width(&self) -> u32 {
        u32::from(self.bytes) * u32::from(self.elements)
    }
}

/// An asynchronous copy from global to shared memory, lane by lane. It is done where it stands: the waiting instructions
/// behind it have nothing to wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Where in shared memory.
    pub to: Address,
    /// From where in global memory.
    pub from: Address,
    /// Bytes that are written: 4, 8 or 16.
    pub bytes: u8,
    /// Register with the bytes that are read; the others become zero. `None` for all.
    pub source_bytes: Option<Reg>,
    /// Where this predicate holds (negated: where it does not), nothing is read and zeros are written.
    pub ignore: Option<(SlotP, bool)>,
}

/// A copy of many bytes by one lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bulk {
    /// To where, in global or shared memory.
    pub to: (Space, Address),
    /// From where, in the other or the same.
    pub from: (Space, Address),
    /// How many bytes, a multiple of 16.
    pub bytes: Reg,
    /// What is done with what is there already, and the bytes of an element; `None` where it is overwritten.
    pub reduces: Option<(AtomicOp, u8)>,
}
