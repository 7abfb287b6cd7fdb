//! What a prediction says: a time with its range, what limits it, how long each resource works, what its warps wait
//! for, and where it stands below the roofs.

use serde::{Deserialize, Serialize};

use super::rates::Rates;
use super::replay::Replayed;
use super::timeline::State;
use super::units::{RESOURCES, at};

/// A resource that works for this part of the time or more limits it; below, latency does.
const LIMITS: f64 = 0.6;

/// What limits a launch that is too short for its resources to matter.
pub const LAUNCH: &str = "launch";
/// What limits a launch whose warps mostly wait at barriers while no resource works for most of the time.
pub const BARRIERS: &str = "latency of barriers";
/// The same where they wait for operands.
pub const OPERANDS: &str = "latency of operands";

/// How long a launch takes on its target, and why. Part of the report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// Where the launch stands below the roofs of the GPU.
    pub roofline: Roofline,
    /// What Nsight Compute's section on the speed of light would show.
    #[serde(default)]
    pub light: Light,
    /// Instructions of the machine code, estimated from the PTX.
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
pub struct Resource {
    /// Its name.
    pub name: String,
    /// Microseconds for which it works: the launch takes no less.
    pub us: f64,
}

/// A part of the time of a warp.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// What the warp does or waits for.
    pub name: String,
    /// Percent of its time.
    pub percent: f64,
}

/// The place of a launch in a roofline of instructions: what it does per byte of memory, how fast, and how fast it
/// could be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
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
pub struct Supposed {
    /// What is faster, as `dram=x2`.
    pub changes: Vec<String>,
    /// Microseconds.
    pub us: f64,
    /// What limits it then.
    pub bound: String,
}

/// What limits a replayed launch.
pub(super) fn bound(replayed: &Replayed, rates: &Rates) -> &'static str {
    let time = rates.launch_us + replayed.clocks / rates.clock_mhz;
    let most = RESOURCES.iter().zip(replayed.busy).max_by(|a, b| a.1.total_cmp(&b.1));
    let [barriers, memory] = [State::Barrier, State::Memory].map(|state| replayed.states[state as usize]);
    match most {
        _ if rates.launch_us * 2.0 > time => LAUNCH,
        Some((name, busy)) if busy >= LIMITS * replayed.clocks => name,
        _ if barriers > memory => BARRIERS,
        _ => OPERANDS,
    }
}

/// Microseconds of a replayed launch.
pub(super) fn us(replayed: &Replayed, rates: &Rates) -> f64 {
    round(rates.launch_us + replayed.clocks / rates.clock_mhz)
}

impl Prediction {
    /// Of what a replay gives; `error` is how far predictions of this target are off, as a factor above 1.
    pub(super) fn of(replayed: &Replayed, rates: &Rates, error: f64) -> Self {
        let time = us(replayed, rates);
        let resource =
            |(name, busy): (&&str, f64)| Resource { name: (*name).to_owned(), us: round(busy / rates.clock_mhz) };
        let all: f64 = replayed.states.iter().sum();
        let share = |state: &State| Share {
            name: state.name().to_owned(),
            percent: (replayed.states[*state as usize] / all.max(1.0) * 1000.0).round() / 10.0,
        };
        Self {
            us: time,
            low_us: round(time / error),
            high_us: round(time * error),
            bound: bound(replayed, rates).to_owned(),
            resources: RESOURCES.iter().zip(replayed.busy).map(resource).collect(),
            warps: State::ALL.iter().map(share).collect(),
            roofline: Roofline::of(replayed, rates, time),
            light: Light::of(replayed, rates),
            instructions: replayed.instructions as u64,
            dram_read_bytes: replayed.dram_read as u64,
            dram_written_bytes: replayed.dram_written as u64,
            ..Self::default()
        }
    }

    /// The longest a resource works, as a part of the whole: 0 to 1.
    pub fn busiest(&self) -> f64 {
        self.resources.iter().map(|resource| resource.us).fold(0.0, f64::max) / self.us.max(f64::MIN_POSITIVE)
    }
}

impl Roofline {
    fn of(replayed: &Replayed, rates: &Rates, us: f64) -> Self {
        Self::at(replayed.instructions, replayed.dram_read + replayed.dram_written, us, rates)
    }

    /// The place of so many warp-instructions that move so many bytes of memory in so many microseconds, below the roofs
    /// of a target.
    pub fn at(instructions: f64, bytes: f64, us: f64, rates: &Rates) -> Self {
        let intensity = if bytes >= 1.0 { instructions / bytes } else { 0.0 };
        let ghz = rates.clock_mhz / 1000.0;
        let issue = rates.multiprocessors * rates.partitions * rates.issue * ghz;
        let dram = rates.dram_mixed_bytes * ghz;
        let roof = if intensity > 0.0 { issue.min(dram * intensity) } else { issue };
        Self {
            instructions_per_byte: digits(intensity),
            per_ns: digits(instructions / (us * 1000.0)),
            roof_per_ns: digits(roof),
            issue_per_ns: digits(issue),
            dram_bytes_per_ns: digits(dram),
        }
    }
}

/// How near a launch comes to what the GPU could do, counted as Nsight Compute's section on the speed of light counts: in
/// percent of what a unit could do at every clock of the launch, on average over all units of its kind. A bottleneck need
/// not be near 100 there: units reach less than their peak, and one of many slices of L2 that works alone is a few percent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Light {
    /// Of the busiest part of the multiprocessors: issue slots, pipes, votes.
    pub compute_percent: f64,
    /// Of the busiest part of the memories: the data stage of L1 and shared memory, L2, or memory.
    pub memory_percent: f64,
}

/// Below this percentage, Nsight Compute's own rule calls neither compute nor memory busy.
pub const BUSY_PERCENT: f64 = 60.0;

/// What is 100 percent to Nsight Compute, for L2: sectors a clock that it delivers, and packets a clock that it takes; from
/// recorded kernels whose sectors are known, `copy_vectors` of 2^28 ints and `transpose_naive` of as many. Stores of whole
/// sectors come two in a packet, updates of one element one by one.
const L2_SECTORS: f64 = 162.0;
const L2_PACKETS: f64 = 41.2;
/// How busy Nsight Compute calls L2 when it does as many scattered updates as it can: its tags in `by_key_atomic_f64` of
/// random keys.
const L2_UPDATES: f64 = 0.94;

impl Light {
    fn of(replayed: &Replayed, rates: &Rates) -> Self {
        // Nsight Compute's time begins with the launch.
        let clocks = (replayed.clocks + rates.launch_us * rates.clock_mhz).max(1.0);
        let part = |resource: usize| replayed.busy[resource] / clocks;
        let most = |parts: &[f64]| (parts.iter().copied().fold(0.0, f64::max).min(1.0) * 1000.0).round() / 10.0;
        let pipes: Vec<f64> = (0..at::LSU).chain([at::ADU]).map(part).collect();
        let dram = (replayed.dram_read + replayed.dram_written) / (clocks * rates.dram_peak_bytes);
        let packets = rates.l2_slices / rates.same_element / L2_PACKETS;
        let memories = [
            part(at::LSU) * rates.shared_wavefronts,
            part(at::L2_READS) * (rates.l2_read_sectors / L2_SECTORS).min(1.0),
            part(at::L2_WRITES) * (rates.l2_write_lines / L2_PACKETS).min(1.0),
            part(at::ATOMICS) * L2_UPDATES,
            part(at::PLACES) * replayed.spread * packets.min(1.0 / replayed.spread.max(f64::MIN_POSITIVE)),
            dram,
        ];
        Self { compute_percent: most(&pipes), memory_percent: most(&memories) }
    }

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

/// Three decimals: a nanosecond. So reports do not show more than is known.
pub(super) fn round(us: f64) -> f64 {
    (us * 1000.0).round() / 1000.0
}

/// Four digits.
fn digits(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    let scale = 10f64.powi(3 - value.log10().floor() as i32);
    (value * scale).round() / scale
}
