//! What a prediction says: a time with its range, what limits it, how long each resource works, what its warps wait
//! for, and where it stands below the roofs. `predict` makes it.

use serde::{Deserialize, Serialize};

/// How long a launch takes on its target, and why. Part of the report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Prediction {
    /// Microseconds, from before the launch to behind it, as events on a GPU see it.
    pub us: f64,
    /// Nine of ten launches that were measured took no less than this where this much was predicted.
    pub low_us: f64,
    /// Nine of ten took no more.
    pub high_us: f64,
    /// What limits it: the name of a resource, `latency of operands`, `latency of barriers` or `launch`.
    pub bound: String,
    /// How long each resource works, in the order of the way through the GPU.
    pub resources: Vec<Resource>,
    /// What a warp spends its time on, on average.
    pub warps: Vec<Share>,
    /// Of machine code: the same under the names of Nsight Compute's warp states, as `report::stall` tells them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stalls: Vec<Share>,
    /// Where the launch stands below the roofs of the GPU.
    pub roofline: Roofline,
    /// What Nsight Compute's section on the speed of light would show.
    #[serde(default)]
    pub light: Light,
    /// Whether the machine code's own instructions were replayed; else they were estimated from the PTX.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_machine_code: bool,
    /// Instructions of the machine code, estimated where it was not executed.
    pub instructions: u64,
    /// Bytes read from memory.
    pub dram_read_bytes: u64,
    /// Bytes written to memory.
    pub dram_written_bytes: u64,
    /// Thread blocks that were simulated for it.
    pub sampled_blocks: u64,
    /// Thread blocks of the launch.
    pub blocks: u64,
    /// How far the time may be off because only a sample was simulated, in percent: one standard error.
    pub sampling_percent: f64,
    /// Registers of a thread, as they were told or estimated.
    pub registers: u32,
    /// Thread blocks that a multiprocessor holds at once with these.
    pub resident_blocks: u32,
    /// The same launch on a GPU of which something is faster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<Supposed>,
    /// What is not in it, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A resource's part of a prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resource {
    /// Its name.
    pub name: String,
    /// Microseconds for which it works: the launch takes no less.
    pub us: f64,
}

/// A part of the time of a warp.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// What the warp does or waits for.
    pub name: String,
    /// Percent of its time.
    pub percent: f64,
}

/// The place of a launch in a roofline of instructions: what it does per byte of memory, how fast, and how fast it
/// could be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Roofline {
    /// Warp-instructions per byte that memory reads or writes; 0 where it moves none.
    pub instructions_per_byte: f64,
    /// Warp-instructions per nanosecond of the whole GPU, launching included.
    pub per_ns: f64,
    /// The roof above it: warp-instructions per nanosecond that memory or the issue slots allow.
    pub roof_per_ns: f64,
    /// The flat roof: what all partitions issue.
    pub issue_per_ns: f64,
    /// The sloped roof: bytes per nanosecond of memory.
    pub dram_bytes_per_ns: f64,
}

/// A prediction for a GPU of which something is faster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Supposed {
    /// What is faster, as `dram=x2`.
    pub changes: Vec<String>,
    /// Microseconds.
    pub us: f64,
    /// What limits it then.
    pub bound: String,
}

impl Prediction {
    /// The longest a resource works, as a part of the whole: 0 to 1.
    pub fn busiest(&self) -> f64 {
        self.resources.iter().map(|resource| resource.us).fold(0.0, f64::max) / self.us.max(f64::MIN_POSITIVE)
    }
}

/// How near a launch comes to what the GPU could do, counted as Nsight Compute's section on the speed of light counts: in
/// percent of what a unit could do at every clock of the launch, on average over all units of its kind. A bottleneck need
/// not be near 100 there: units reach less than their peak, and one of many slices of L2 that works alone is a few percent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Light {
    /// Of the busiest part of the multiprocessors: issue slots, pipes, votes.
    pub compute_percent: f64,
    /// Of the busiest part of the memories: the data stage of L1 and shared memory, L2, or memory.
    pub memory_percent: f64,
}

/// Below this percentage, Nsight Compute's own rule calls neither compute nor memory busy.
pub const BUSY_PERCENT: f64 = 60.0;

impl Light {
    /// In Nsight Compute's words.
    pub fn class(&self) -> Class {
        match self.compute_percent.max(self.memory_percent) {
            most if most < BUSY_PERCENT => Class::Latency,
            _ if self.compute_percent > self.memory_percent => Class::Compute,
            _ => Class::Memory,
        }
    }
}

/// What Nsight Compute's section on the speed of light tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A pipe of the multiprocessors, or the issue slots.
    Compute,
    /// L1 and shared memory, L2, or memory.
    Memory,
    /// Nothing works for most of the time: something is waited for.
    Latency,
}

impl Class {
    /// In one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Memory => "memory",
            Self::Latency => "latency",
        }
    }
}
