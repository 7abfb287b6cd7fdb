//! Why a warp does not issue its next instruction, under the names of Nsight Compute's warp states.

use std::fmt::Write as _;

use super::Metrics;

/// A state of a warp: it issues, or the reason why it does not. At every clock a warp that is resident is in one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stall {
    /// Its instruction is issued.
    Selected,
    /// The fixed latency of the instruction before, or the stall count of its control bits.
    Wait,
    /// A scoreboard of an access to global or local memory.
    LongScoreboard,
    /// A scoreboard of shared memory, a shuffle, a special function, an indexed constant or a special register.
    ShortScoreboard,
    /// Other warps have not come to the barrier.
    Barrier,
    /// The queue in front of shared memory, shuffles, barriers and the like is full.
    MioThrottle,
    /// The queue in front of global and local memory is full.
    LgThrottle,
    /// The pipe that computes is busy.
    MathPipeThrottle,
    /// The registers that it reads are not delivered: their banks are busy.
    DispatchStall,
    /// The target of a branch is looked for.
    BranchResolve,
    /// The instruction itself has not come.
    NoInstruction,
    /// A fence waits for accesses to memory.
    Membar,
    /// The warp sleeps.
    Sleeping,
    /// What the warp stored has not left it at its end.
    Drain,
    /// Another warp of the partition is issued.
    NotSelected,
}

impl Stall {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 15] = [
        Self::Selected,
        Self::Wait,
        Self::LongScoreboard,
        Self::ShortScoreboard,
        Self::Barrier,
        Self::MioThrottle,
        Self::LgThrottle,
        Self::MathPipeThrottle,
        Self::DispatchStall,
        Self::BranchResolve,
        Self::NoInstruction,
        Self::Membar,
        Self::Sleeping,
        Self::Drain,
        Self::NotSelected,
    ];

    /// Nsight Compute's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Selected => "selected",
            Self::Wait => "wait",
            Self::LongScoreboard => "long_scoreboard",
            Self::ShortScoreboard => "short_scoreboard",
            Self::Barrier => "barrier",
            Self::MioThrottle => "mio_throttle",
            Self::LgThrottle => "lg_throttle",
            Self::MathPipeThrottle => "math_pipe_throttle",
            Self::DispatchStall => "dispatch_stall",
            Self::BranchResolve => "branch_resolve",
            Self::NoInstruction => "no_instruction",
            Self::Membar => "membar",
            Self::Sleeping => "sleeping",
            Self::Drain => "drain",
            Self::NotSelected => "not_selected",
        }
    }

    /// What it means, as a sentence's end.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Selected => "the instruction is issued",
            Self::Wait => "the fixed latency of the instruction before has not passed",
            Self::LongScoreboard => "the result of an access to global or local memory is not there",
            Self::ShortScoreboard => {
                "the result of shared memory, a shuffle, a special function or a special register is not there"
            }
            Self::Barrier => "other warps of the block have not come to the barrier",
            Self::MioThrottle => "the queue of shared memory, shuffles and barriers is full",
            Self::LgThrottle => "the queue of global and local memory is full",
            Self::MathPipeThrottle => "the pipe that computes it is busy",
            Self::DispatchStall => "the banks of the registers that it reads are busy",
            Self::BranchResolve => "the target of the branch before is looked for",
            Self::NoInstruction => "the instruction is not in the multiprocessor's instruction cache",
            Self::Membar => "a fence waits for the warp's accesses to memory",
            Self::Sleeping => "the warp sleeps",
            Self::Drain => "what the warp stored has not left it at its end",
            Self::NotSelected => "another warp of the partition is issued",
        }
    }
}

/// The first reason for not issuing, and its share of all clocks, in percent; `None` where nothing was waited for.
pub fn first(stalls: &Metrics) -> Option<(&str, f64)> {
    let all: u64 = stalls.values().sum();
    let waits = stalls.iter().filter(|(name, clocks)| *name != Stall::Selected.name() && **clocks > 0);
    // Of equal ones the first by name.
    let most = waits.max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)))?;
    #[allow(clippy::cast_precision_loss, reason = "a percentage")]
    let share = *most.1 as f64 / all as f64 * 100.0;
    Some((most.0, share))
}

/// What the names mean that stand in a listing, a line each.
pub fn legend<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let mut text = String::new();
    for stall in Stall::ALL.iter().filter(|stall| names.contains(&stall.name())) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:<20}{}", stall.name(), stall.meaning());
    }
    text
}
