//! What the warps of a multiprocessor do in the replay, clock by clock: a Gantt chart's rows.

use serde::{Deserialize, Serialize};

/// What a warp does, or what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It issues instructions.
    #[default]
    Issue,
    /// Its operand comes from arithmetic.
    Arithmetic,
    /// Its operand comes from shared memory, or from lanes of its own.
    Shared,
    /// Its operand comes from global memory.
    Memory,
    /// The pipe or queue that it needs is taken, or another warp issues.
    Busy,
    /// It has come to a barrier, and others have not.
    Barrier,
    /// It sleeps, or a fence waits for what it stored.
    Fence,
}

impl State {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 7] =
        [Self::Issue, Self::Arithmetic, Self::Shared, Self::Memory, Self::Busy, Self::Barrier, Self::Fence];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Issue => "issues",
            Self::Arithmetic => "waits for arithmetic",
            Self::Shared => "waits for shared memory or lanes",
            Self::Memory => "waits for global memory",
            Self::Busy => "waits for a pipe or its turn",
            Self::Barrier => "waits at a barrier",
            Self::Fence => "waits at a fence or sleeps",
        }
    }
}

/// A warp's way through the replay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Its thread block's place in the sample.
    pub block: usize,
    /// Its number within the block.
    pub warp: usize,
    /// What it did, from when to when in clocks, in order.
    pub spans: Vec<(f64, f64, State)>,
}

/// The warps of a replay, in the order in which they started.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// The warps that are followed.
    pub lanes: Vec<Lane>,
}

/// Most spans of one warp that are kept.
const MOST_SPANS: usize = 4000;

impl Lane {
    /// Adds a span, or makes the last one longer. What is shorter than a clock is part of its neighbour.
    pub(super) fn add(&mut self, from: f64, to: f64, state: State) {
        if to <= from {
            return;
        }
        if let Some(last) = self.spans.last_mut()
            && last.2 == state
            && from - last.1 < 1.0
        {
            last.1 = to;
        } else if self.spans.len() < MOST_SPANS {
            self.spans.push((from, to, state));
        }
    }
}
