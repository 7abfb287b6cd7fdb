//! Machine instructions as they are executed: decoded once, with every operand resolved to a register, a constant or a mask.

mod arithmetic;
mod memory;
mod operands;
mod warp;

pub(super) use arithmetic::{Combine, Float, Halves, MatrixProduct, MinMax, Permute, Result, Shift, Test, Value};
pub(super) use memory::{Access, Address, Atomic, AtomicOp, BulkCopy, PhaseChange, Space};
pub(super) use operands::{Dst, Pred, PredDst, Row, Slot, Src, Src64, Wide, ZERO};
pub(super) use warp::{Barrier, BarrierReduction, LaneMask, Reduce, Shuffle, Special, Vote};

use crate::semantics::LaneOp;

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
    /// `collective`: lanes with another mask come to it again.
    WarpSync {
        mask: Option<Slot>,
        collective: bool,
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
