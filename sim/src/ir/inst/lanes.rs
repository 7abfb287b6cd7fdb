//! Instructions in which lanes of a warp or warps of a block work together.

use super::{Reg, SlotP};

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
    /// `bar…` or `.aligned`: all threads that come to it must come to this one instruction. As `__syncthreads()` is.
    pub aligned: bool,
    /// `bar.arrive`: arrive without waiting.
    pub arrive_only: bool,
    /// `bar.red`: what to combine, the predicate and whether it is negated, and where the result goes.
    pub reduction: Option<(BarrierReduction, SlotP, bool, Reg)>,
}

impl Barrier {
    /// The number of a cluster's barrier, which is none of the block's sixteen.
    pub const CLUSTER: u32 = u32::MAX;
}
