//! The report of a simulated launch: the contract between the simulator and everything that shows or judges it.
//!
//! The same launch gives the same bytes of JSON on every machine and with any number of threads: maps are sorted,
//! lists have a defined order and nothing in here depends on time.

pub mod access_text;
pub mod details;
pub mod order;
pub mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ir::inst::Space;

pub use crate::predict::Prediction;
pub use crate::target::{Missing, Occupancy};
pub use order::{Differing, Order, OrderPlace};

/// Counter values by Nsight Compute's metric name, suffix included
/// (`smsp__sass_inst_executed_op_shared_ld.sum`).
pub type Metrics = BTreeMap<String, u64>;

/// Everything that one simulated launch showed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// The GPU that was simulated, for example `h200`.
    pub target: String,
    /// The launch's shape.
    pub launch: LaunchShape,
    /// How many thread blocks a multiprocessor of that GPU holds at once, and what limits it. PTX does not tell how many
    /// registers a thread gets: they are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occupancy: Option<Occupancy>,
    /// Counters that the hardware counts too and that the simulator claims to know exactly.
    pub metrics: Metrics,
    /// Counters that only a simulator has, or that PTX does not determine. Names begin with `warpbook__`.
    pub estimates: Metrics,
    /// The same counters per source line, in order of file and line. A line without any counter is left out.
    pub lines: Vec<LineReport>,
    /// What was found in the kernel: errors, then remarks, each by source line. See [`Severity`].
    pub findings: Vec<Finding>,
    /// What is known of how the result depends on the order in which threads run.
    #[serde(default, skip_serializing_if = "Order::is_empty")]
    pub order: Order,
    /// What the kernel printed.
    #[serde(default, skip_serializing_if = "Printed::is_empty")]
    pub printed: Printed,
    /// What the kernel uses and the simulated GPU does not have. It is simulated as if it had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
    /// What only a simulator sees of each access; there only if [`Options::details`](crate::Options) asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<details::Details>,
    /// How long the launch takes, and what limits it; there only if it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prediction: Option<Prediction>,
    /// Digests of the argument buffers after the launch.
    pub output: Vec<BufferDigest>,
    /// Who made this report from what.
    pub versions: Versions,
}

impl Report {
    /// A counter's value by its full Nsight Compute name; 0 when the launch never touched it.
    pub fn metric(&self, name: &str) -> u64 {
        self.metrics.get(name).copied().unwrap_or(0)
    }

    /// The findings that are errors, in their order.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> + Clone {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error)
    }

    /// The findings that are remarks, in their order.
    pub fn remarks(&self) -> impl Iterator<Item = &Finding> + Clone {
        self.findings.iter().filter(|finding| finding.severity == Severity::Remark)
    }

    /// Whether nothing is wrong with the kernel. There may be remarks.
    pub fn is_clean(&self) -> bool {
        self.errors().next().is_none()
    }

    /// Adds the counters of a later launch, in total and per line, and its findings. Everything else stays as it is.
    pub fn add(&mut self, later: &Self) {
        add(&mut self.metrics, &later.metrics);
        add(&mut self.estimates, &later.estimates);
        for line in &later.lines {
            match self.lines.binary_search_by_key(&(&line.file, line.line), |own| (&own.file, own.line)) {
                Ok(at) => {
                    add(&mut self.lines[at].metrics, &line.metrics);
                    add(&mut self.lines[at].estimates, &line.estimates);
                }
                Err(at) => self.lines.insert(at, line.clone()),
            }
        }
        self.findings.extend(later.findings.iter().cloned());
    }
}

fn add(sum: &mut Metrics, more: &Metrics) {
    for (name, value) in more {
        *sum.entry(name.clone()).or_default() += value;
    }
}

/// What a kernel printed with `printf`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// The text of the calls that were kept, block by block and within a block in the order of execution.
    pub text: String,
    /// How often `printf` was called, by all threads.
    pub calls: u64,
    /// The calls at the end whose text was not kept: there is room for 1 MiB, as much as CUDA has.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
}

impl Printed {
    /// Nothing was printed.
    pub const fn is_empty(&self) -> bool {
        self.calls == 0
    }
}

/// The shape of a launch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchShape {
    /// Thread blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads per block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub shared_dynamic: u32,
    /// Shared memory that the kernel declares itself, in bytes per block.
    pub shared_static: u32,
}

/// Counters of one source line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineReport {
    /// Source file as the PTX names it; the PTX file itself when it has no line table.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Exact counters, as in [`Report::metrics`].
    pub metrics: Metrics,
    /// Our own counters, as in [`Report::estimates`].
    pub estimates: Metrics,
}

/// The kinds of finding. The names are stable; each has a page in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    pub const ALL: [Self; 11] = [
        Self::OutOfBounds,
        Self::Misaligned,
        Self::InvalidFree,
        Self::Uninitialized,
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
    #[serde(default, skip_serializing_if = "is_zero")]
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

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// The content of an argument buffer after the launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferDigest {
    /// Position of the argument, from 0.
    pub argument: usize,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 of the content, in hexadecimal ([`digest`]).
    pub blake3: String,
}

/// The digest of the content of a buffer, in reports and in records of GPUs: BLAKE3 in hexadecimal. It is computed
/// several times faster than SHA-256 where the CPU has no instructions for that, which was a quarter of the time of a
/// simulation.
pub fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Where the numbers come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Version of the simulator.
    pub warpbook: String,
    /// The PTX ISA version that the file asks for, for example `9.0`.
    pub ptx: String,
    /// The architecture that the PTX was made for, for example `sm_75`.
    pub ptx_target: String,
    /// The lowering that was applied, for example `sm_90`, or `none`.
    pub lowering: String,
}
