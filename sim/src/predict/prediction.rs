//! From a replay to a [`Prediction`]: what limits the launch, how long each resource works, where it stands below the
//! roofs.

use super::rates::Rates;
use super::replay::{Replayed, Stalls};
use super::timeline::State;
use super::units::{RESOURCES, at};
use crate::report::prediction::{Light, Prediction, Resource, Roofline, Share};
use crate::report::stall::Stall;

/// A resource that works for this part of the time or more limits it; below, latency does.
const LIMITS: f64 = 0.6;

/// What limits a launch that is too short for its resources to matter.
pub const LAUNCH: &str = "launch";
/// What limits a launch whose warps mostly wait at barriers while no resource works for most of the time.
pub const BARRIERS: &str = "latency of barriers";
/// The same where they wait for operands.
pub const OPERANDS: &str = "latency of operands";

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

/// What warps spent their clocks on at all instructions together.
pub(super) fn shares(stalls: &[Stalls]) -> Vec<Share> {
    let sum = |stall: Stall| stalls.iter().map(|of| of[stall as usize]).sum::<f64>();
    let all: f64 = Stall::ALL.into_iter().map(sum).sum();
    let share = |stall: Stall| Share {
        name: stall.name().to_owned(),
        percent: (sum(stall) / all.max(1.0) * 1000.0).round() / 10.0,
    };
    if stalls.is_empty() { Vec::new() } else { Stall::ALL.into_iter().map(share).collect() }
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

/// What is 100 percent to Nsight Compute, for L2: sectors a clock that it delivers, and packets a clock that it takes; from
/// recorded kernels whose sectors are known, `copy_vectors` of 2^28 ints and `transpose_naive` of as many. Stores of whole
/// sectors come two in a packet, updates of one element one by one.
const L2_SECTORS: f64 = 162.0;
const L2_PACKETS: f64 = 41.2;
/// Lines that L2 looks up in a clock of a multiprocessor: one in each of an H200's 94 slices (`lts__t_sectors`), whose clock is 1708 MHz.
const L2_TAGS: f64 = 81.1;
/// How busy Nsight Compute calls L2 when it does as many scattered updates as it can: its tags in `by_key_atomic_f64` of
/// random keys.
const L2_UPDATES: f64 = 0.94;

impl Light {
    fn of(replayed: &Replayed, rates: &Rates) -> Self {
        // Nsight Compute's time begins with the launch.
        let clocks = (replayed.clocks + rates.launch_us * rates.clock_mhz).max(1.0);
        let part = |resource: usize| replayed.busy[resource] / clocks;
        let most = |parts: &[f64]| (parts.iter().copied().fold(0.0, f64::max).min(1.0) * 1000.0).round() / 10.0;
        // Those that have nothing to do count, too.
        let own = |resource: usize| part(resource) * replayed.working;
        let pipes: Vec<f64> = (0..at::LSU).chain([at::ADU]).map(own).collect();
        let dram = (replayed.dram_read + replayed.dram_written) / (clocks * rates.dram_peak_bytes);
        let packets = rates.l2_slices / rates.same_element / L2_PACKETS;
        let memories = [
            own(at::LSU) * rates.shared_wavefronts,
            part(at::L2_READS) * (rates.l2_read_sectors / L2_SECTORS).min(1.0),
            part(at::L2_WRITES) * (rates.l2_write_lines / L2_PACKETS).min(1.0),
            part(at::ATOMICS) * L2_UPDATES,
            part(at::PLACES) * replayed.spread * packets.min(1.0 / replayed.spread.max(f64::MIN_POSITIVE)),
            replayed.l2_tags / (clocks * L2_TAGS),
            dram,
        ];
        Self { compute_percent: most(&pipes), memory_percent: most(&memories) }
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
