//! The report of a simulated launch: the contract between the simulator and everything that shows or judges it.
//!
//! The same launch gives the same bytes of JSON on every machine and with any number of threads: maps are sorted,
//! lists have a defined order and nothing in here depends on time.

pub mod access_text;
pub mod details;
pub mod machine_code;
pub mod order;
pub mod prediction;
pub mod prediction_text;
pub mod stall;
pub mod text;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use crate::findings::{Finding, FindingKind, Memory, Party, Severity};
pub use crate::launch::digest;
pub use crate::target::{Missing, Occupancy};
pub use machine_code::{MachineCode, MachineInstruction};
pub use order::{Differing, Order, OrderPlace};
pub use prediction::Prediction;

/// Counter values by Nsight Compute's metric name, suffix included
/// (`smsp__sass_inst_executed_op_shared_ld.sum`).
pub type Metrics = BTreeMap<String, u64>;

/// Everything that one simulated launch showed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The instruction stream; there only if machine code was executed. Without it, PTX was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_code: Option<MachineCode>,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// The content of an argument buffer after the launch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BufferDigest {
    /// Position of the argument, from 0.
    pub argument: usize,
    /// Size in bytes.
    pub bytes: u64,
    /// BLAKE3 of the content, in hexadecimal ([`digest`]).
    pub blake3: String,
}

/// Where the numbers come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
