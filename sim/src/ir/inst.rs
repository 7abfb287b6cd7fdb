//! The instructions that the executor runs: PTX with registers resolved to slots and modifiers folded in.
//!
//! A slot is one register of all 32 lanes. There are three files: 32-bit words (also holding 8- and 16-bit
//! registers, zero-extended), 64-bit words, and predicates (one bit per lane). The most frequent instructions have
//! variants of their own that the executor runs as loops over lanes; all other lane-local ones are [`Op::Lane`].

mod arithmetic;
mod class;
mod lanes;
mod matrix;
mod memory;
mod register;

pub use arithmetic::{Bool, Compared, Float, Int32, Int64, Negate, Test};
pub(crate) use class::ops;
pub use lanes::{Barrier, BarrierReduction, ReduxOp, ShuffleMode, VoteMode};
pub use matrix::{Fragment, Matrix, MatrixKind, Multiply, Rows, Transfer};
pub use memory::{
    Access, Address, Atomic, AtomicForm, AtomicOp, Bulk, Copied, Exchange, MBARRIER_PARITY, MBARRIER_PENDING, Space,
};
pub use register::{CONSTANT, Reg, Slot32, Slot64, SlotP};

use super::arithmetic::Arithmetic;
use super::slow_paths::Way;
use crate::semantics::LaneOp;

/// Position of an instruction in a [`Program`](super::Program).
pub type Pc = u32;

/// No instruction: where lanes would meet again if they do not before they exit.
pub const NEVER: Pc = u32::MAX;
/// In place of where lanes meet, before that is known: at this branch they may part for good.
pub(crate) const APART: Pc = u32::MAX - 1;

/// An instruction.
#[derive(Debug, Clone)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Lanes for which it does it: `(predicate, execute where false)`.
    pub guard: Option<(SlotP, bool)>,
}

/// Values that can change while a kernel runs; all other special registers are filled when a warp starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Special {
    Clock,
    ClockHigh,
    GlobalTimer,
    GlobalTimerHigh,
}

/// Operations. `d` is the destination, `a`, `b`, `c` the sources, `p`, `q` predicates.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the fields are PTX's own names, see the type's documentation")]
pub enum Op {
    Nop,
    Mov32 {
        d: Slot32,
        a: Slot32,
    },
    Mov64 {
        d: Slot64,
        a: Slot64,
    },
    Int32 {
        op: Int32,
        d: Slot32,
        a: Slot32,
        b: Slot32,
    },
    Mad32 {
        d: Slot32,
        a: Slot32,
        b: Slot32,
        c: Slot32,
    },
    Int64 {
        op: Int64,
        d: Slot64,
        a: Slot64,
        b: Slot64,
    },
    Shl64 {
        d: Slot64,
        a: Slot64,
        b: Slot32,
    },
    Shr64 {
        signed: bool,
        d: Slot64,
        a: Slot64,
        b: Slot32,
    },
    MulWide {
        signed: bool,
        d: Slot64,
        a: Slot32,
        b: Slot32,
    },
    MadWide {
        signed: bool,
        d: Slot64,
        a: Slot32,
        b: Slot32,
        c: Slot64,
    },
    Widen {
        signed: bool,
        d: Slot64,
        a: Slot32,
    },
    Narrow {
        d: Slot32,
        a: Slot64,
    },
    F32 {
        op: Float,
        d: Slot32,
        a: Slot32,
        b: Slot32,
    },
    Fma32 {
        d: Slot32,
        a: Slot32,
        b: Slot32,
        c: Slot32,
        negate: Negate,
    },
    F64 {
        op: Float,
        d: Slot64,
        a: Slot64,
        b: Slot64,
    },
    Fma64 {
        d: Slot64,
        a: Slot64,
        b: Slot64,
        c: Slot64,
        negate: Negate,
    },
    Compare32 {
        test: Test,
        what: Compared,
        p: SlotP,
        a: Slot32,
        b: Slot32,
    },
    Compare64 {
        test: Test,
        signed: bool,
        p: SlotP,
        a: Slot64,
        b: Slot64,
    },
    Select32 {
        d: Slot32,
        a: Slot32,
        b: Slot32,
        p: SlotP,
    },
    Select64 {
        d: Slot64,
        a: Slot64,
        b: Slot64,
        p: SlotP,
    },
    PredicateConstant {
        d: SlotP,
        value: bool,
    },
    PredicateMov {
        d: SlotP,
        a: SlotP,
        negated: bool,
    },
    Predicate {
        op: Bool,
        d: SlotP,
        a: SlotP,
        b: SlotP,
    },
    /// Any other lane-local instruction, by its scalar semantics.
    Lane(Box<Lane>),
    /// A lane-local floating-point instruction that is counted lane by lane.
    Varying(Box<Varying>),
    /// `mov.b64 d, {a, b}` and its siblings: low part first.
    Pack {
        d: Reg,
        parts: Box<[Reg]>,
        bits: u8,
    },
    /// `mov.b64 {a, b}, d` and its siblings.
    Unpack {
        parts: Box<[Option<Reg>]>,
        a: Reg,
        bits: u8,
    },
    ReadSpecial {
        d: Reg,
        what: Special,
    },
    Load(Box<Access>),
    Store(Box<Access>),
    Atomic(Box<Atomic>),
    /// An address of a space to a generic one, or back.
    Convert {
        d: Reg,
        a: Reg,
        space: Space,
        to_generic: bool,
    },
    IsSpace {
        d: SlotP,
        a: Reg,
        space: Space,
    },
    Barrier(Box<Barrier>),
    /// `bar.warp.sync` (`__syncwarp`).
    WarpSync {
        mask: Slot32,
    },
    Fence,
    /// A step of asynchronous copies that takes no time here, since they are done where they stand: groups and waits. Only
    /// the checks look at it.
    CopyStep,
    /// `nanosleep`: others have their turn.
    Sleep {
        nanoseconds: Slot32,
    },
    Shuffle {
        mode: ShuffleMode,
        d: Slot32,
        p: Option<SlotP>,
        a: Slot32,
        b: Slot32,
        c: Slot32,
        mask: Option<Slot32>,
    },
    Vote {
        mode: VoteMode,
        d: Reg,
        a: SlotP,
        negated: bool,
        mask: Option<Slot32>,
    },
    Match {
        all: bool,
        d: Slot32,
        p: Option<SlotP>,
        a: Reg,
        mask: Slot32,
    },
    Redux {
        op: ReduxOp,
        d: Slot32,
        a: Slot32,
        mask: Slot32,
    },
    /// One lane of the mask is elected: which one, and a predicate that is true there.
    Elect {
        d: Option<Slot32>,
        p: SlotP,
        mask: Slot32,
    },
    /// A matrix instruction.
    Matrix(Box<Matrix>),
    ActiveMask {
        d: Slot32,
    },
    /// Branch to `target`; lanes that part here meet again at `meet`.
    Branch {
        target: Pc,
        meet: Pc,
    },
    Exit,
    Trap,
    /// `brkpt`: stops for a debugger.
    Breakpoint,
    /// `vprintf`.
    Print(Box<Print>),
    /// `malloc`: the address of `size` new bytes of the device heap, or null.
    Allocate {
        d: Reg,
        size: Reg,
    },
    /// `free`.
    Release {
        pointer: Reg,
    },
    /// An indirect call whose target is none of the functions that it was compared with.
    NoFunction {
        target: Reg,
    },
    /// The stack of a thread is full of calls that are not done.
    StackOverflow,
    /// `cp.async`: global to shared memory, done at once.
    Copy(Box<Copied>),
    /// `cp.async.bulk`, done at once.
    Bulk(Box<Bulk>),
    /// `__assertfail`: message, file, line and function as the kernel passed them.
    Assert {
        message: Reg,
        file: Reg,
        line: Reg,
        function: Reg,
    },
}

/// `vprintf(format, arguments)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Print {
    /// Pointer to the format.
    pub format: Reg,
    /// Pointer to the arguments, which lie behind each other.
    pub arguments: Reg,
    /// Where the number of arguments that the format takes goes.
    pub result: Option<Reg>,
}

/// A lane-local instruction without a variant of its own.
#[derive(Debug, Clone)]
pub struct Lane {
    /// Scalar semantics.
    pub op: LaneOp,
    /// First destination; `None` when it is `_`.
    pub d: Option<Reg>,
    /// Second destination of `setp`.
    pub q: Option<SlotP>,
    /// Sources in order, with the bits of the register that the instruction's type reads.
    pub src: Vec<(Reg, u64)>,
    /// The result is narrower than its register and signed: extend from this many bits.
    pub extend_from: Option<u8>,
}

/// A floating-point instruction of which the GPU does not execute the same for every lane.
#[derive(Debug, Clone)]
pub struct Varying {
    /// What is done; the guard is that of the whole.
    pub inst: Inst,
    /// What the lanes that do not differ execute.
    pub ordinary: Arithmetic,
    /// Which lanes differ.
    pub by: Variation,
}

/// What decides how much a lane executes.
#[derive(Debug, Clone, Copy)]
pub enum Variation {
    /// The values of up to two operands.
    Operands(Way, [Option<Reg>; 2]),
    /// Only lanes where the predicate is true (or false: the second part) execute it.
    Only(SlotP, bool),
}
