//! How to simulate: the GPU, the checks, the order, the budgets.

use std::str::FromStr;

use crate::error::Error;
use crate::ptxas::Lowering;
use crate::target::{self, Scheduling, Target};

/// How to simulate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The GPU: a name of [`targets`](crate::targets).
    pub target: String,
    /// Which compiler's memory instructions are counted.
    pub lowering: Lowering,
    /// Warp-instructions that one thread block may execute before it is ended with a `budget` finding.
    pub budget: u64,
    /// Which bugs to look for. Counters are the same with and without.
    pub checks: Checks,
    /// The order in which things happen that the hardware leaves open (blocks, warps, lanes that have parted): 0 is the
    /// plain order, every other seed another one.
    pub seed: u64,
    /// How many such orders are tried: those of this many seeds from `seed` on. The report's counters and buffers are
    /// those of the first; findings of the others name their seed.
    pub schedules: u64,
    /// Whether the report has [`details`](crate::Report::details). They take time and memory.
    pub details: bool,
    /// How the lanes of a warp that part at a branch run; `None` for what the target does.
    pub scheduling: Option<Scheduling>,
    /// Bytes that the launch's buffers, the module's variables and the local memory of the threads that run at once may
    /// take together; more is refused before anything is allocated. Simulated memory itself takes room only where it is
    /// written, and the checks take up to as much again. `None`: as much as the target has.
    pub memory: Option<u64>,
}

impl Options {
    /// The GPU, and the compiler whose memory instructions are counted.
    ///
    /// # Errors
    /// [`Error::Input`] when there is no such GPU.
    pub(crate) fn target_and_lowering(&self) -> Result<(&'static Target, Lowering), Error> {
        let target = target::find(&self.target).ok_or_else(|| Error::input(target::unknown(&self.target)))?;
        let lowering = if self.lowering == Lowering::OfTarget { target.lowering } else { self.lowering };
        Ok((target, lowering))
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            target: target::DEFAULT.to_owned(),
            lowering: Lowering::default(),
            budget: 1 << 30,
            checks: Checks::ALL,
            seed: 0,
            schedules: 1,
            details: false,
            scheduling: None,
            memory: None,
        }
    }
}

/// Which checks run, besides those that cost nothing and always do: `memcheck` and `synccheck`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    /// Looks for races in shared and global memory.
    pub racecheck: bool,
    /// Looks for reads of memory that nobody has written.
    pub initcheck: bool,
}

impl Checks {
    /// Every check.
    pub const ALL: Self = Self { racecheck: true, initcheck: true };
    /// Only those that always run.
    pub const NONE: Self = Self { racecheck: false, initcheck: false };
}

impl FromStr for Checks {
    type Err = String;

    /// Reads `all` or names of checks with commas between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut checks = Self::NONE;
        for name in text.split(',') {
            match name.trim() {
                "all" => checks = Self::ALL,
                "memcheck" | "synccheck" => {}
                "racecheck" => checks.racecheck = true,
                "initcheck" => checks.initcheck = true,
                other => {
                    return Err(format!(
                        "there is no check `{other}`; there are all, memcheck, racecheck, initcheck and synccheck"
                    ));
                }
            }
        }
        Ok(checks)
    }
}
