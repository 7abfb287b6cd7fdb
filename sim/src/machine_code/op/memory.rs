//! Memory instructions: address spaces, addresses, accesses, atomics, `mbarrier`s, bulk copies.

use super::Slot;
use crate::memory::banks::SharedUnit;
use crate::semantics::LaneOp;

/// Which memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Space {
    Global,
    Shared,
    Local,
    Generic,
}

/// An address: base register (a pair if `wide`), scaled, a register of the warp, and an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct Address {
    pub(in crate::machine_code) base: Slot,
    /// The upper word of the base.
    pub(in crate::machine_code) base_high: Option<Slot>,
    pub(in crate::machine_code) scale: u32,
    pub(in crate::machine_code) uniform: Option<Slot>,
    pub(in crate::machine_code) uniform_high: Option<Slot>,
    pub(in crate::machine_code) offset: i64,
}

/// A load or store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct Access {
    pub(in crate::machine_code) space: Space,
    pub(in crate::machine_code) address: Address,
    /// Bytes of each lane.
    pub(in crate::machine_code) bytes: u32,
    /// A narrow value is extended with its sign.
    pub(in crate::machine_code) signed: bool,
    /// Other threads may look at it while the kernel runs (`.STRONG`).
    pub(in crate::machine_code) strong: bool,
    /// The register of the value, or the first of several; 255 is zero, and drops what is loaded.
    pub(in crate::machine_code) register: u8,
}

/// What an atomic computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum AtomicOp {
    Add,
    Min,
    Max,
    MinSigned,
    MaxSigned,
    Inc,
    Dec,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    /// Stores if the memory is as it was; the result tells whether it was.
    CasSpin,
    /// Adds one.
    PopcInc,
    /// Floating-point addition; flushing subnormal numbers or not.
    AddF32 {
        flush: bool,
    },
    AddF64,
    /// Of each half of a register.
    AddHalves(LaneOp),
    MinHalves(LaneOp),
}

/// An atomic or a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct Atomic {
    pub(in crate::machine_code) op: AtomicOp,
    pub(in crate::machine_code) space: Space,
    pub(in crate::machine_code) address: Address,
    /// Bytes of an element.
    pub(in crate::machine_code) bytes: u32,
    /// Elements of each lane, one behind the other.
    pub(in crate::machine_code) elements: u32,
    /// The register for the old value, if the instruction returns one at all (`None`: a reduction).
    pub(in crate::machine_code) result: Option<u8>,
    /// The predicate that tells where it was done; 7 for none.
    pub(in crate::machine_code) success: u8,
    pub(in crate::machine_code) a: Slot,
    pub(in crate::machine_code) b: Slot,
    /// How shared memory does it.
    pub(in crate::machine_code) unit: SharedUnit,
}

/// What an instruction does to a barrier of asynchronous copies (`mbarrier`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum PhaseChange {
    /// Its 64 bits are replaced: how it is made.
    Exchange,
    /// One arrival.
    Arrive,
    /// One arrival when the lane's asynchronous copies are done.
    ArriveCopied,
    /// As many arrivals as the value says.
    ArriveSeveral,
    /// One arrival, and so many bytes more are expected.
    ArriveAndExpect,
    /// One arrival, and one less is expected from the next phase on.
    Drop,
    /// So many bytes more are expected.
    Expect,
    /// So many bytes have come.
    Complete,
}

/// A copy or a reduction of the copy engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct BulkCopy {
    /// Where it writes: shared or global memory. It reads the other one.
    pub(in crate::machine_code) to: Space,
    /// Lower and upper word of the target; behind an address of shared memory lies that of the barrier.
    pub(in crate::machine_code) target: (Slot, Slot),
    /// Lower and upper word of the source; an address of shared memory has no upper word.
    pub(in crate::machine_code) source: (Slot, Slot),
    /// The size in units of 16 bytes, in the lower half.
    pub(in crate::machine_code) units: Slot,
    /// What is done with elements of so many bytes; they replace what is there otherwise.
    pub(in crate::machine_code) reduces: Option<(AtomicOp, u32)>,
}
