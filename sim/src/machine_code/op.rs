//! Machine instructions as they are executed: decoded once, with every operand resolved to a register, a constant or a mask.

use crate::memory::banks::SharedUnit;
use crate::semantics::LaneOp;
use crate::semantics::matrix::Product;

/// One register of all 32 lanes.
pub(super) type Row = [u32; 32];
/// Two registers of all 32 lanes as numbers of 64 bits.
pub(super) type Wide = [u64; 32];

/// Where 32 bits for each lane come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// A register of each thread.
    Lane(u8),
    /// A register of the warp.
    Warp(u8),
    /// An immediate or a word of constant memory: its number among the program's constants.
    Constant(u16),
}

/// The constant that is zero: the first of every program.
pub(super) const ZERO: Slot = Slot::Constant(0);

/// A source of 32 bits: `((value & and) ^ xor) + add`, which is a sign, an absolute value or a complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Src {
    pub(super) slot: Slot,
    pub(super) and: u32,
    pub(super) xor: u32,
    pub(super) add: u32,
}

impl Src {
    /// The value as it is.
    pub(super) const fn plain(slot: Slot) -> Self {
        Self { slot, and: u32::MAX, xor: 0, add: 0 }
    }

    /// Whether the value is taken as it is.
    #[inline(always)]
    pub(super) const fn is_plain(self) -> bool {
        self.and == u32::MAX && self.xor == 0 && self.add == 0
    }
}

/// A source of 64 bits: `(value & and) ^ xor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Src64 {
    pub(super) low: Slot,
    pub(super) high: Slot,
    pub(super) and: u64,
    pub(super) xor: u64,
    pub(super) add: u64,
}

/// A destination of 32 bits, or of several registers from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dst {
    /// The result is dropped.
    None,
    /// A register of each thread.
    Lane(u8),
    /// A register of the warp.
    Warp(u8),
}

/// A predicate that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pred {
    pub(super) number: u8,
    pub(super) uniform: bool,
    pub(super) not: bool,
}

impl Pred {
    /// Whether it is true in every lane.
    pub(super) const fn always(self) -> bool {
        self.number == 7 && !self.not
    }
}

/// A predicate that is written; number 7 drops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PredDst {
    pub(super) number: u8,
    pub(super) uniform: bool,
}

/// How two numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    False,
    Lt,
    Eq,
    Le,
    Gt,
    Ne,
    Ge,
    True,
    /// Neither is a NaN.
    Number,
    /// One is a NaN.
    NotANumber,
}

/// How a comparison is combined with a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combine {
    And,
    Or,
    Xor,
}

/// How the sources of packed halves are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halves {
    /// Both as they stand.
    Both,
    /// The lower one twice.
    Low,
    /// The upper one twice.
    High,
}

/// A value that lane-local semantics take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// 32 bits.
    Word(Src),
    /// The upper 16 bits of a register, or a byte of it: shifted right by so many bits.
    Part(Src, u32),
    /// 64 bits.
    Wide(Src64),
    /// Packed halves.
    Packed(Src, Halves),
    /// A truth value.
    Truth(Pred),
}

/// Where lane-local semantics leave their result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Result {
    /// 32 bits.
    Word(Dst),
    /// 64 bits.
    Wide(Dst),
    /// The upper word of 64 bits.
    Upper(Dst),
    /// So many bits, which are extended with their sign.
    Signed(Dst, u32),
    /// Bit 0 and bit 1.
    Truth(PredDst, PredDst),
}

/// How elements of integers are told apart in minima and maxima.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MinMax {
    Signed,
    Unsigned,
    SignedHalves,
    UnsignedHalves,
}

/// A shift of 64 bits, of which one half is the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    pub(super) left: bool,
    /// The amount is taken modulo the width; else it is cut to the width.
    pub(super) wraps: bool,
    pub(super) signed: bool,
    /// The number has 64 bits, else 32.
    pub(super) wide: bool,
    /// The result is the upper word.
    pub(super) high: bool,
}

/// A kind of `PRMT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permute {
    Index,
    F4E,
    B4E,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// The rounding and flushing of a frequent single-precision operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Float {
    Add,
    Mul,
}

/// A special register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Zero,
    Thread(u8),
    Block(u8),
    Lane,
    LaneMask(LaneMask),
    /// The upper word of generic addresses of shared memory.
    SharedWindow,
    /// The block's number in its cluster.
    ClusterBlock,
    Clock,
    ClockHigh,
    Timer,
    TimerHigh,
    /// `SR_VIRTUALSMID`, `SR_VIRTID`: on which multiprocessor the warp runs.
    Multiprocessor,
}

/// Masks of the lanes below, up to, … a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaneMask {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Which memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Global,
    Shared,
    Local,
    Generic,
}

/// An address: base register (a pair if `wide`), scaled, a register of the warp, and an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) base: Slot,
    /// The upper word of the base.
    pub(super) base_high: Option<Slot>,
    pub(super) scale: u32,
    pub(super) uniform: Option<Slot>,
    pub(super) uniform_high: Option<Slot>,
    pub(super) offset: i64,
}

/// A load or store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) space: Space,
    pub(super) address: Address,
    /// Bytes of each lane.
    pub(super) bytes: u32,
    /// A narrow value is extended with its sign.
    pub(super) signed: bool,
    /// Other threads may look at it while the kernel runs (`.STRONG`).
    pub(super) strong: bool,
    /// The register of the value, or the first of several; 255 is zero, and drops what is loaded.
    pub(super) register: u8,
}

/// What an atomic computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtomicOp {
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
pub(super) struct Atomic {
    pub(super) op: AtomicOp,
    pub(super) space: Space,
    pub(super) address: Address,
    /// Bytes of an element.
    pub(super) bytes: u32,
    /// Elements of each lane, one behind the other.
    pub(super) elements: u32,
    /// The register for the old value, if the instruction returns one at all (`None`: a reduction).
    pub(super) result: Option<u8>,
    /// The predicate that tells where it was done; 7 for none.
    pub(super) success: u8,
    pub(super) a: Slot,
    pub(super) b: Slot,
    /// How shared memory does it.
    pub(super) unit: SharedUnit,
}

/// What an instruction does to a barrier of asynchronous copies (`mbarrier`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhaseChange {
    /// Its 64 bits are replaced: how it is made.
    Exchange,
    /// One arrival.
    Arrive,
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
pub(super) struct BulkCopy {
    /// Where it writes: shared or global memory. It reads the other one.
    pub(super) to: Space,
    /// Lower and upper word of the target; behind an address of shared memory lies that of the barrier.
    pub(super) target: (Slot, Slot),
    /// Lower and upper word of the source; an address of shared memory has no upper word.
    pub(super) source: (Slot, Slot),
    /// The size in units of 16 bytes, in the lower half.
    pub(super) units: Slot,
    /// What is done with elements of so many bytes; they replace what is there otherwise.
    pub(super) reduces: Option<(AtomicOp, u32)>,
}

/// A product of matrices: registers of the fragments of D, A, B and C, and how their elements lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MatrixProduct {
    pub(super) shape: (usize, usize, usize),
    pub(super) product: Product,
    pub(super) d: u8,
    pub(super) a: u8,
    pub(super) b: u8,
    pub(super) c: u8,
}

/// A vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Vote {
    All,
    Any,
    Eq,
}

/// A shuffle's way to find the source lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shuffle {
    Idx,
    Up,
    Down,
    Bfly,
}

/// A combination of the values of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reduce {
    And,
    Or,
    Xor,
    Sum,
    Min,
    Max,
    MinSigned,
    MaxSigned,
}

/// What a barrier combines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BarrierReduction {
    Popc,
    And,
    Or,
}

/// A barrier of the thread block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Barrier {
    pub(super) id: Slot,
    /// Threads that are waited for; the whole block without it.
    pub(super) threads: Option<Slot>,
    /// Number and threads stand in one register, as `BAR.SYNC R, R` has them.
    pub(super) packed: bool,
    pub(super) arrive_only: bool,
    pub(super) reduction: Option<(BarrierReduction, Pred)>,
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Op {
    // Integers and bits.
    Mov {
        d: Dst,
        a: Src,
    },
    /// `a + b + c`.
    Add3 {
        d: Dst,
        a: Src,
        b: Src,
        c: Src,
    },
    /// The same with carries in and out; `plus` is added for sources that are negated.
    Add3Carry {
        d: Dst,
        out: [PredDst; 2],
        a: Src,
        b: Src,
        c: Src,
        plus: u64,
        carry: [Pred; 2],
    },
    /// `a * b + c`, lower word.
    Mad {
        d: Dst,
        a: Src,
        b: Src,
        c: Src,
        carry: Option<Pred>,
    },
    /// `a * b + c` of 64 bits; the upper word alone is the result if `high`.
    MadWide {
        d: Dst,
        out: PredDst,
        a: Src,
        b: Src,
        c: Src64,
        signed: bool,
        high: bool,
        carry: Option<Pred>,
    },
    /// `(a << shift) + b`.
    Lea {
        d: Dst,
        a: Src,
        b: Src,
        shift: u32,
    },
    /// The same with carries, or of the upper word.
    LeaCarry {
        d: Dst,
        out: PredDst,
        a: Src,
        b: Src,
        c: Src,
        shift: u32,
        high: bool,
        signed: bool,
        plus: u64,
        carry: Pred,
    },
    Lop3 {
        d: Dst,
        p: PredDst,
        a: Src,
        b: Src,
        c: Src,
        table: u8,
        pand: bool,
        q: Pred,
    },
    Shf {
        d: Dst,
        a: Src,
        b: Src,
        c: Src,
        shift: Shift,
    },
    Sel {
        d: Dst,
        a: Src,
        b: Src,
        p: Pred,
    },
    Prmt {
        d: Dst,
        a: Src,
        b: Src,
        c: Src,
        mode: Permute,
    },
    ISetp {
        p: PredDst,
        q: PredDst,
        test: Test,
        signed: bool,
        combine: Combine,
        a: Src,
        b: Src,
        with: Pred,
        extends: Option<Pred>,
    },
    MinMax {
        d: Dst,
        a: Src,
        add: Option<Src>,
        b: Src,
        kind: MinMax,
        relu: bool,
        min: Pred,
    },
    MinMax3 {
        d: Dst,
        a: Src,
        b: Src,
        c: Src,
        kind: MinMax,
        relu: bool,
        min: Pred,
    },
    AddHalves {
        d: Dst,
        a: Src,
        b: Src,
    },
    Abs {
        d: Dst,
        a: Src,
    },
    AbsDiff {
        d: Dst,
        a: Src,
        b: Src,
        c: Src,
        signed: bool,
    },
    AbsDiff4 {
        d: Dst,
        a: Src,
        b: Src,
        c: Src,
        signed: bool,
        accumulate: bool,
    },
    Popc {
        d: Dst,
        a: Src,
    },
    Brev {
        d: Dst,
        a: Src,
    },
    Flo {
        d: Dst,
        p: PredDst,
        a: Src,
        signed: bool,
        shift: bool,
    },
    Sgxt {
        d: Dst,
        a: Src,
        b: Src,
        signed: bool,
        wraps: bool,
    },
    Bmsk {
        d: Dst,
        a: Src,
        b: Src,
        wraps: bool,
    },
    Plop3 {
        p: PredDst,
        q: PredDst,
        a: Pred,
        b: Pred,
        c: Pred,
        first: u8,
        second: u8,
    },
    PredsToReg {
        d: Dst,
        a: Src,
        mask: u32,
        byte: u32,
    },
    RegToPreds {
        a: Src,
        mask: u32,
        byte: u32,
    },

    // Floating-point numbers.
    /// Rounded to the nearest, with or without flushing of subnormal numbers.
    Float {
        op: Float,
        d: Dst,
        a: Src,
        b: Src,
        flush: bool,
    },
    /// A product with a power of two, rounded once.
    MulScaled {
        d: Dst,
        a: Src,
        b: Src,
        /// The exponent of the power.
        power: i8,
        flush: bool,
    },
    Fma {
        d: Dst,
        a: Src,
        b: Src,
        c: Src,
        flush: bool,
    },
    FSetp {
        p: PredDst,
        q: PredDst,
        test: Test,
        unordered: bool,
        combine: Combine,
        a: Src,
        b: Src,
        with: Pred,
        flush: bool,
    },
    FSel {
        d: Dst,
        a: Src,
        b: Src,
        p: Pred,
        flush: bool,
    },
    /// A minimum where the predicate is true, a maximum elsewhere.
    FMinMax {
        d: Dst,
        a: Value,
        b: Value,
        min: Pred,
        least: LaneOp,
        most: LaneOp,
    },
    /// Whether a division needs its slow path.
    FChk {
        p: PredDst,
        a: Src,
        b: Src,
    },
    /// Sums of the lower halves as single-precision numbers.
    HAddF32 {
        d: Dst,
        a: Value,
        b: Value,
        widen: LaneOp,
    },
    /// Which of two numbers is the lesser or greater: NaNs lose.
    DExtremum {
        p: PredDst,
        q: PredDst,
        a: Src64,
        b: Src64,
        max: bool,
    },
    /// The sine or cosine of an angle in turns.
    Turn {
        d: Dst,
        a: Src,
        cosine: bool,
    },
    /// Whatever PTX has lane-local semantics for.
    Lanes {
        d: Result,
        op: LaneOp,
        sources: [Option<Value>; 3],
    },

    // Moving values.
    Special {
        d: Dst,
        what: Special,
        pair: bool,
    },
    /// A word of constant memory at an offset that each lane gives.
    LoadConstant {
        d: Dst,
        bank: u8,
        index: Option<Slot>,
        offset: i64,
        bytes: u32,
        signed: bool,
    },
    ToWarp {
        d: Dst,
        p: PredDst,
        a: Src,
        or: bool,
    },
    Vote {
        d: Dst,
        p: PredDst,
        vote: Vote,
        q: Pred,
    },
    Shuffle {
        p: PredDst,
        d: Dst,
        mode: Shuffle,
        a: Src,
        b: Src,
        c: Src,
    },
    Match {
        p: PredDst,
        d: Dst,
        low: Slot,
        high: Option<Slot>,
        all: bool,
    },
    Redux {
        d: Dst,
        op: Reduce,
        a: Src,
    },
    Elect {
        p: PredDst,
        d: Dst,
        q: Pred,
    },

    // Memory.
    Load(Access),
    Store(Access),
    Atomic(Box<Atomic>),
    CopyAsync {
        to: Address,
        from: Address,
        bytes: u32,
        fill: Option<Pred>,
    },
    /// A change of a barrier of asynchronous copies, by each thread; its old state goes to two registers (255: nowhere).
    ChangePhase {
        what: PhaseChange,
        result: u8,
        address: Address,
        value: Slot,
    },
    /// Whether the phase is over whose parity is the uppermost bit of a register.
    CheckPhase {
        p: PredDst,
        address: Address,
        phase: Slot,
        /// The warp gives way while it is not.
        waits: bool,
    },
    Bulk(Box<BulkCopy>),
    LoadMatrix {
        d: Dst,
        address: Address,
        count: u32,
        transposed: bool,
    },
    StoreMatrix {
        a: u8,
        address: Address,
        count: u32,
        transposed: bool,
    },
    /// Whether an address lies in shared memory, or in local memory.
    IsSpace {
        p: PredDst,
        space: Space,
        address: Address,
    },
    Product(Box<MatrixProduct>),
    Transpose {
        d: Dst,
        a: Src,
    },

    // Control.
    Branch {
        target: u32,
        taken: Pred,
        all: bool,
    },
    BranchDivergent {
        target: u32,
        mask: Src,
    },
    /// To the place that a register names, in bytes from `base` on.
    BranchIndirect {
        address: Src64,
        base: i64,
    },
    Exit {
        also: Pred,
    },
    /// Remembers which lanes will meet.
    BeginRegion {
        barrier: u8,
    },
    EndRegion {
        barrier: u8,
    },
    Break {
        barrier: u8,
        also: Pred,
    },
    SaveBarrier {
        d: Dst,
        barrier: u8,
        clear: bool,
    },
    RestoreBarrier {
        barrier: u8,
        a: Src,
    },
    WarpSync {
        mask: Option<Slot>,
    },
    Call {
        target: u32,
    },
    CallRegister {
        address: Src64,
        base: i64,
    },
    Return {
        address: Src64,
        base: i64,
    },
    /// The absolute address of a place in the code.
    CodeAddress {
        d: Dst,
        target: u32,
    },
    Barrier(Barrier),
    BarrierResult {
        d: Dst,
        p: PredDst,
    },
    Sleep {
        a: Src,
    },
    Trap,
    /// No effect on what one warp computes: caches, fences, hints.
    Nothing,
}
