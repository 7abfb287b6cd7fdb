//! What lanes of a warp and warps of a block do together, and special registers.

use super::{Pred, Slot};

/// A special register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Special {
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
pub(in crate::machine_code) enum LaneMask {
    Eq,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Vote {
    All,
    Any,
    Eq,
}

/// A shuffle's way to find the source lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Shuffle {
    Idx,
    Up,
    Down,
    Bfly,
}

/// A combination of the values of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Reduce {
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
pub(in crate::machine_code) enum BarrierReduction {
    Popc,
    And,
    Or,
}

/// A barrier of the thread block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct Barrier {
    pub(in crate::machine_code) id: Slot,
    /// Threads that are waited for; the whole block without it.
    pub(in crate::machine_code) threads: Option<Slot>,
    /// Number and threads stand in one register, as `BAR.SYNC R, R` has them.
    pub(in crate::machine_code) packed: bool,
    pub(in crate::machine_code) arrive_only: bool,
    pub(in crate::machine_code) reduction: Option<(BarrierReduction, Pred)>,
}
