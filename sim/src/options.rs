//! How to simulate: the GPU, the checks, the order, the budgets, and who watches.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::sync::Arc;

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
    /// Whether the report's [`estimates`](crate::Report::estimates) also say what the busiest warp and the busiest thread
    /// execute, and how long the longest path through a block is ([`busiest::NAMES`](crate::observe::busiest::NAMES)).
    pub busiest: bool,
    /// How the lanes of a warp that part at a branch run; `None` for what the target does.
    pub scheduling: Option<Scheduling>,
    /// Bytes that the launch's buffers, the module's variables and the local memory of the threads that run at once may
    /// take together; more is refused before anything is allocated. Simulated memory itself takes room only where it is
    /// written, and the checks take up to as much again. `None`: as much as the target has.
    pub memory: Option<u64>,
    /// Who is told how far the simulation has come, and may stop it. It changes nothing else.
    pub watch: Option<Watch>,
}

/// What a [`Watch`] calls.
type Watcher = dyn Fn(u64) -> ControlFlow<()> + Send + Sync;

/// Who is told how far a simulation has come. Nothing here has a clock: how often somebody is told depends on the work alone.
#[derive(Clone)]
pub struct Watch(Arc<Watcher>);

impl Watch {
    /// Calls `told` again and again with the number of warp-instructions that were executed since the call before: up to
    /// some thousands, from any of the threads that simulate. Where it breaks, the simulation ends with
    /// [`Error::Stopped`]. Blocks that are run once more, because they have to run in turn or in another order, are told of again.
    pub fn new(told: impl Fn(u64) -> ControlFlow<()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(told))
    }

    /// Tells of `executed` more warp-instructions.
    pub(crate) fn tell(&self, executed: u64) -> ControlFlow<()> {
        (self.0)(executed)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// The same watcher.
impl PartialEq for Watch {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Watch {}

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
            busiest: false,
            scheduling: None,
            memory: None,
            watch: None,
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
