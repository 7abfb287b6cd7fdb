//! What is remarkable of a step: where one can go to, and what a timeline shows.

use std::ops::{BitOr, BitOrAssign};

use serde::{Deserialize, Serialize};

/// What is remarkable of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marks(u16);

impl Marks {
    pub(super) const NONE: Self = Self(0);
    /// It parts the lanes of a path.
    pub(super) const DIVERGENCE: Self = Self(1);
    /// It takes more wavefronts of shared memory than its lanes need.
    pub(super) const CONFLICT: Self = Self(2);
    pub(super) const ATOMIC: Self = Self(4);
    /// It comes to a barrier of the block.
    pub(super) const BARRIER: Self = Self(8);
    /// Behind it something was found.
    pub(super) const FINDING: Self = Self(16);
    pub(super) const SHARED: Self = Self(32);
    pub(super) const GLOBAL: Self = Self(64);
    /// It takes more sectors of global memory than its lanes need.
    pub(super) const SCATTERED: Self = Self(128);
    /// It is a branch: of the instruction, not of the step.
    pub(super) const BRANCH: Self = Self(256);

    /// Whether it has all of `marks`.
    pub(super) const fn has(self, marks: Self) -> bool {
        self.0 & marks.0 == marks.0
    }
}

impl BitOr for Marks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Marks {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What one looks for among the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The lanes of a path part at a branch.
    Divergence,
    /// An access to shared memory that takes more wavefronts than its lanes need.
    Conflict,
    /// An access to global memory that touches more sectors than its lanes need.
    Scattered,
    /// An atomic.
    Atomic,
    /// A warp comes to a barrier of its block.
    Barrier,
    /// Something is found.
    Finding,
    /// An access to shared memory.
    Shared,
    /// An access to global memory.
    Global,
}

impl Event {
    /// All of them, in the order in which a timeline lists them.
    pub const ALL: [Self; 8] = [
        Self::Divergence,
        Self::Conflict,
        Self::Scattered,
        Self::Atomic,
        Self::Barrier,
        Self::Finding,
        Self::Shared,
        Self::Global,
    ];

    /// The mark of a step that is one.
    pub(super) const fn mark(self) -> Marks {
        match self {
            Self::Divergence => Marks::DIVERGENCE,
            Self::Conflict => Marks::CONFLICT,
            Self::Scattered => Marks::SCATTERED,
            Self::Atomic => Marks::ATOMIC,
            Self::Barrier => Marks::BARRIER,
            Self::Finding => Marks::FINDING,
            Self::Shared => Marks::SHARED,
            Self::Global => Marks::GLOBAL,
        }
    }
}
