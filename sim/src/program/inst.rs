//! The instructions that the executor runs: PTX with registers resolved to slots and modifiers folded in.
//!
//! A slot is one register of all 32 lanes. There are three files: 32-bit words (also holding 8- and 16-bit
//! registers, zero-extended), 64-bit words, and predicates (one bit per lane). The most frequent instructions have
//! variants of their own that the executor runs as loops over lanes; all other lane-local ones are [`Op::Lane`].

use crate::semantics::LaneOp;

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

/// A slot of the 32-bit file. The high bit selects the program's constants.
pub type Slot32 = u16;
/// A slot of the 64-bit file. The high bit selects the program's constants.
pub type Slot64 = u16;
/// A slot of the predicate file.
pub type SlotP = u16;

/// Set in a [`Slot32`] or [`Slot64`] that names a constant.
pub const CONSTANT: u16 = 0x8000;

/// A register of any file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reg {
    /// 32-bit word, holding a value of this many bits (8, 16 or 32).
    W(Slot32, u8),
    /// 64-bit word.
    D(Slot64),
    /// Predicate.
    P(SlotP),
    /// Two 64-bit words, low word first: a 128-bit register.
    Q(Slot64, Slot64),
}

/// Position of an instruction in a [`Program`](super::Program).
pub type Pc = u32;

/// No instruction: where lanes would meet again if they do not before they exit.
pub const NEVER: Pc = u32::MAX;

/// An instruction.
#[derive(Debug, Clone)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Lanes for which it does it: `(predicate, execute where false)`.
    pub guard: Option<(SlotP, bool)>,
}

/// Two-operand 32-bit integer operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Int32 {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    ShrU,
    ShrS,
    MinS,
    MaxS,
    MinU,
    MaxU,
}

/// Two-operand 64-bit integer operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Int64 {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
}

/// Two-operand f32 operations with round-to-nearest and denormals kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Float {
    Add,
    Sub,
    Mul,
}

/// Comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Test {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Boolean operations on predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Bool {
    And,
    Or,
    Xor,
}

/// What a comparison compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Compared {
    U32,
    S32,
    F32,
}

/// Where a memory instruction's address comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// Register that holds the base, if there is one.
    pub base: Option<Reg>,
    /// Added to it, in bytes.
    pub offset: i64,
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

/// The bit of an `mbarrier` that changes when a phase completes.
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

/// How `shfl` picks the lane that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum ShuffleMode {
    Up,
    Down,
    Bfly,
    Idx,
}

/// What `vote` computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum VoteMode {
    All,
    Any,
    Uni,
    Ballot,
}

/// What `redux.sync` computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum ReduxOp {
    Add,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
}

/// What `bar.red` combines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum BarrierReduction {
    Popc,
    And,
    Or,
}

/// A barrier of the thread block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Barrier {
    /// Which of the sixteen barriers.
    pub id: Reg,
    /// Threads that take part; `None` for all of the block.
    pub threads: Option<Reg>,
    /// `bar.arrive`: arrive without waiting.
    pub arrive_only: bool,
    /// `bar.red`: what to combine, the predicate and whether it is negated, and where the result goes.
    pub reduction: Option<(BarrierReduction, SlotP, bool, Reg)>,
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
    /// `printf`: nothing is printed, it is only counted.
    Print,
    /// An indirect call whose target is none of the functions that it was compared with.
    NoFunction {
        target: Reg,
    },
    /// `cp.async`: global to shared memory, done at once.
    Copy(Box<Copied>),
    /// `__assertfail`: message, file, line and function as the kernel passed them.
    Assert {
        message: Reg,
        file: Reg,
        line: Reg,
    },
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

impl Op {
    /// Whether lanes that execute it wait for others that do.
    #[inline]
    pub fn waits_for_lanes(&self) -> bool {
        matches!(
            self,
            Self::Barrier(_)
                | Self::WarpSync { .. }
                | Self::Shuffle { .. }
                | Self::Vote { .. }
                | Self::Match { .. }
                | Self::Redux { .. }
                | Self::Elect { .. }
        )
    }

    /// Whether control may go elsewhere than to the next instruction.
    pub fn ends_block(&self) -> bool {
        matches!(self, Self::Branch { .. } | Self::Exit | Self::Trap)
    }
}
