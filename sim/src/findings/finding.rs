//! A finding as reports show it: its kind, its sentences, who and where.

use serde::{Deserialize, Serialize};

use crate::ir::inst::Space;

/// The kinds of finding. The names are stable; each has a page in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// An access outside every allocation, or outside the one that its pointer came from.
    OutOfBounds,
    /// An address that is not a multiple of the access's size.
    Misaligned,
    /// `free` of what `malloc` did not return, or of what was freed before.
    InvalidFree,
    /// A read of memory that nobody has written.
    Uninitialized,
    /// A division of whole numbers by zero.
    DivisionByZero,
    /// Two conflicting accesses that nothing orders.
    Race,
    /// A barrier that some threads of the block can never reach, or that not all reach at the same place.
    BarrierDivergence,
    /// A `_sync` operation whose mask does not fit the lanes that execute it, or one that reads from a lane that is not
    /// there.
    InvalidSyncMask,
    /// No thread can make progress.
    Deadlock,
    /// The instruction budget is spent.
    Budget,
    /// A device-side `assert` failed.
    Assert,
    /// The kernel executed `trap`.
    Trap,
}

impl FindingKind {
    /// All kinds, in the order in which they are explained.
    pub const ALL: [Self; 12] = [
        Self::OutOfBounds,
        Self::Misaligned,
        Self::InvalidFree,
        Self::Uninitialized,
        Self::DivisionByZero,
        Self::Race,
        Self::BarrierDivergence,
        Self::InvalidSyncMask,
        Self::Deadlock,
        Self::Budget,
        Self::Assert,
        Self::Trap,
    ];

    /// The stable name, as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out-of-bounds",
            Self::Misaligned => "misaligned",
            Self::InvalidFree => "invalid-free",
            Self::Uninitialized => "uninitialized",
            Self::DivisionByZero => "division-by-zero",
            Self::Race => "race",
            Self::BarrierDivergence => "barrier-divergence",
            Self::InvalidSyncMask => "invalid-sync-mask",
            Self::Deadlock => "deadlock",
            Self::Budget => "budget",
            Self::Assert => "assert",
            Self::Trap => "trap",
        }
    }

    /// Whether the launch did not come to its end: what it leaves is of no use to launches after it.
    pub const fn ends_launch(self) -> bool {
        matches!(self, Self::Deadlock | Self::Budget | Self::Assert | Self::Trap)
    }
}

/// The memories that a finding can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Memory {
    /// Global memory.
    Global,
    /// Shared memory of the thread block.
    Shared,
    /// A thread's own memory.
    Local,
    /// Constant memory.
    Constant,
    /// The kernel's parameters.
    Parameters,
}

impl Memory {
    /// That of an instruction's state space. What a generic address means that belongs nowhere is global memory.
    pub(crate) const fn of(space: Space) -> Self {
        match space {
            Space::Shared => Self::Shared,
            Space::Local => Self::Local,
            Space::Const => Self::Constant,
            Space::Param | Space::Frame => Self::Parameters,
            Space::Global | Space::Generic => Self::Global,
        }
    }
}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The language forbids it, or the launch goes wrong: a judgement is that the kernel is faulty (exit code 1).
    #[default]
    Error,
    /// The launch comes out as if it were right, because of what the hardware forgives or because of equal values: worth a
    /// look, and no failure (exit code 0).
    Remark,
}

impl Severity {
    /// The stable name, as it stands in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Remark => "remark",
        }
    }

    /// What a finding of this severity is called in texts for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Error => "finding",
            Self::Remark => "remark",
        }
    }
}

/// One thing that was found in the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// What kind of fault it is.
    pub kind: FindingKind,
    /// Whether it is an error or a remark. Reports that were written before there was this field had errors only.
    #[serde(default)]
    pub severity: Severity,
    /// One sentence: what happened, to whom, where.
    pub message: String,
    /// One sentence: what to do about it.
    pub help: String,
    /// Source file of the faulty access.
    pub file: String,
    /// Source line of the faulty access, from 1.
    pub line: u32,
    /// The schedule that showed it: a run with this seed shows it again. 0 is the plain order.
    #[serde(default, skip_serializing_if = "plain_order")]
    pub seed: u64,
    /// Thread block (x, y, z).
    pub block: [u32; 3],
    /// Warp within its block.
    pub warp: u32,
    /// The lanes of the warp that took part.
    pub lanes: Vec<u32>,
    /// How often this finding occurred at this line; only the first occurrence is described.
    pub count: u64,
    /// The memory that was accessed, if the finding is about an access. Reports that were written before there was this
    /// field do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Memory>,
    /// Of a race, the two threads: first the one at `line`, then the other. Of threads that meet at different barriers, one
    /// of each. Empty for all others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parties: Vec<Party>,
}

/// A thread that takes part in a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Party {
    /// Source file.
    pub file: String,
    /// Source line, from 1.
    pub line: u32,
    /// What the thread does there: `reads`, `writes`, `atomically updates` or `waits`.
    pub does: String,
    /// Thread block (x, y, z).
    pub block: [u32; 3],
    /// Thread within the block (x, y, z).
    pub thread: [u32; 3],
    /// Warp within the block.
    pub warp: u32,
    /// Lane within the warp.
    pub lane: u32,
}

/// The seed is that of the plain order.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn plain_order(seed: &u64) -> bool {
    *seed == 0
}
