//! What a GPU's parts take and hold: the numbers from which a time is predicted. Those of an H100 and an H200 were measured
//! (`sim/targets/timing`, each with the benchmark that gave it); of other targets only what is documented is used, and
//! what is not public is left out of the model.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::target::Target;

/// The measured numbers, by target.
const MEASURED: [(&str, &str); 2] = [
    ("h100", include_str!("../../targets/timing/h100.toml")),
    ("h200", include_str!("../../targets/timing/h200.toml")),
];

/// What was read of each of them. Tables ask for the numbers of a target row by row, and a file takes a millisecond to read.
static READ: [OnceLock<Option<Rates>>; MEASURED.len()] = [const { OnceLock::new() }; MEASURED.len()];

/// A rate that is not known.
const fn unknown() -> f64 {
    f64::INFINITY
}

/// Least bytes of L1 that shared memory leaves.
const LEAST_L1: f64 = 16_384.0;

/// Rates and latencies of a GPU. Clocks are those of the multiprocessors; rates are those of the whole GPU per clock,
/// unless something else is said. An infinite rate and a latency of 0 mean that the number is not known.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rates {
    /// Streaming multiprocessors.
    #[serde(default)]
    pub multiprocessors: f64,
    /// Bytes of memory per clock that the data sheet promises: what Nsight Compute calls 100 percent.
    #[serde(default)]
    pub dram_peak_bytes: f64,
    /// Clock of the multiprocessors, in MHz.
    pub clock_mhz: f64,
    /// Partitions of a multiprocessor; each issues one instruction per clock.
    pub partitions: f64,
    /// Instructions that a partition issues per clock.
    pub issue: f64,
    /// Single-precision operations of a multiprocessor per clock, in lanes.
    pub fp32_lanes: f64,
    /// Integer and logic operations, likewise.
    pub integer_lanes: f64,
    /// Double-precision operations, likewise.
    pub fp64_lanes: f64,
    /// Functions and conversions, likewise.
    pub special_lanes: f64,
    /// Microseconds of a launch that does nothing, as events around it see it.
    pub launch_us: f64,
    /// Microseconds that another launch behind it adds.
    pub next_launch_us: f64,
    /// Clocks between two thread blocks that the GPU starts.
    pub block_start: f64,
    /// Clocks from the end of a block to the first instruction of the one in its place.
    pub block_latency: f64,
    /// Multiprocessors that stand apart when blocks are dealt out (`predict/placement.rs`).
    #[serde(default)]
    pub apart: f64,
    /// Blocks from the first turn of those to the second.
    #[serde(default)]
    pub apart_first: f64,
    /// Blocks from one of their later turns to the next.
    #[serde(default)]
    pub apart_every: f64,
    /// Wavefronts of a multiprocessor's shared memory and L1 per clock.
    pub shared_wavefronts: f64,
    /// Clocks of a load from shared memory.
    pub shared_latency: f64,
    /// Clocks of a load that hits in L1.
    pub l1_latency: f64,
    /// Clocks of a load that hits in L2.
    pub l2_latency: f64,
    /// Clocks that it takes longer where the line lies in the other half of L2, and nobody on this side has loaded it before.
    #[serde(default)]
    pub l2_far: f64,
    /// Clocks by which a load that hits in L2 takes longer or shorter, on average: the mean of an exponential distribution.
    #[serde(default)]
    pub l2_spread: f64,
    /// Clocks of a load from memory.
    pub dram_latency: f64,
    /// Clocks of a load from memory of what all multiprocessors ask for at the same time.
    #[serde(default)]
    pub dram_together: f64,
    /// Clocks of an atomic with a result in L2.
    pub atomic_latency: f64,
    /// Clocks until a store is known to be done.
    pub store_latency: f64,
    /// Clocks of a fence that has nothing to wait for.
    pub fence_latency: f64,
    /// Clocks of a barrier, beside those below.
    pub barrier_latency: f64,
    /// Clocks that each warp adds to a barrier.
    pub barrier_per_warp: f64,
    /// Sectors that L2 delivers.
    pub l2_read_sectors: f64,
    /// Lines of which L2 delivers sectors.
    pub l2_read_lines: f64,
    /// Sectors that L2 takes when they are written as a whole.
    pub l2_write_sectors: f64,
    /// Sectors that L2 takes when they are written in part.
    pub l2_partial_sectors: f64,
    /// Lines of which L2 takes sectors.
    pub l2_write_lines: f64,
    /// Sectors of atomics.
    pub l2_atomic_sectors: f64,
    /// The same of atomics whose value before is returned; 0 where it was not measured.
    #[serde(default)]
    pub l2_returning_sectors: f64,
    /// Lines of which L2 delivers sectors that atomics update, too; 0 where it was not measured.
    #[serde(default)]
    pub l2_updated_lines: f64,
    /// Parts of L2 that update side by side.
    pub l2_slices: f64,
    /// Bytes next to each other that belong to one of them.
    pub l2_chunk_bytes: f64,
    /// Clocks from the load with which a block saw what it waited for to the one with which another block sees what it
    /// stored thereupon.
    pub hand_over: f64,
    /// Clocks of a look at what other blocks have stored, with the sum of what a warp's lanes see.
    #[serde(default)]
    pub look_round: f64,
    /// Clocks between two updates of the same element.
    pub same_element: f64,
    /// Clocks between two updates of the same sector, each of all its words.
    pub same_sector: f64,
    /// Clocks between two additions of floating point to the same element.
    #[serde(default)]
    pub same_sum: f64,
    /// Clocks between two stores to the same sector that do not join; 0 where it was not measured.
    #[serde(default)]
    pub same_store: f64,
    /// Clocks that the slice which all blocks update spends on a line that is loaded anywhere; 0 where it was not measured.
    #[serde(default)]
    pub beside_line: f64,
    /// The same on a sector that memory brings or that is stored.
    #[serde(default)]
    pub beside_sector: f64,
    /// Bytes read from memory.
    pub dram_read_bytes: f64,
    /// Bytes written to memory.
    pub dram_write_bytes: f64,
    /// Bytes read and written together, by kernels that do both.
    pub dram_mixed_bytes: f64,
    /// Rows of memory that are opened in a clock.
    #[serde(default = "unknown")]
    pub dram_rows: f64,
    /// Clocks from where a warp's lanes come together to its next instruction.
    #[serde(default)]
    pub converge: f64,
    /// Clocks from a call or a return to the warp's next instruction.
    #[serde(default)]
    pub call: f64,
    /// Clocks for which a partition dispatches nothing behind an access to global memory, whose addresses have two words.
    #[serde(default)]
    pub dispatch_global: f64,
    /// Sectors that a multiprocessor hands to L2 in a clock.
    #[serde(default = "unknown")]
    pub store_sectors: f64,
    /// Clocks by which a load from memory takes longer or shorter, on average: the mean of an exponential distribution.
    pub dram_spread: f64,
    /// Clocks that a load waits when memory is busy for half of the time: `u / (1 - u)` times as many for another part `u`.
    pub dram_crowding: f64,
    /// The same where a kernel writes, too.
    pub dram_mixed_crowding: f64,
    /// Clocks that a load takes longer there: memory turns from writing to reading.
    pub dram_turning: f64,
    /// Lines that wait in front of L2 for further stores to them, at most.
    pub store_lines: f64,
    /// Clocks from a branch that is taken to the instruction behind it.
    pub branch: f64,
    /// Clocks from the beginning, or the end, of what only some lanes of a warp do to the instruction behind it.
    pub part: f64,
    /// Clocks in which a bank of registers delivers one for a warp.
    pub register_read: f64,
    /// Bytes of machine code that a multiprocessor holds.
    pub code_bytes: f64,
    /// Clocks of a line of 128 bytes of code that it does not hold, from the cache that several share.
    pub code_line: f64,
    /// Bytes of that cache.
    pub shared_code_bytes: f64,
    /// Clocks of a line of code that is not in it either.
    pub far_code_line: f64,
    /// Clocks of such a line that is not in L2 either; 0 where it was not measured.
    #[serde(default)]
    pub cold_code_line: f64,
    /// Clocks between a warp's last store and its end.
    pub drain: f64,
    /// Bytes that L2 keeps for the next launch.
    pub l2_bytes: f64,
    /// Bytes of what all multiprocessors load that L2 holds: what is loaded from both sides is kept on both.
    #[serde(default)]
    pub l2_shared_bytes: f64,
    /// Bytes written that are still in L2 when a kernel ends that reads as many.
    pub l2_dirty_bytes: f64,
    /// Bytes of L1 and shared memory of a multiprocessor.
    pub l1_bytes: f64,
}

#[derive(Deserialize)]
struct File {
    numbers: toml::Table,
}

/// Where a number comes from, as the file says it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Source {
    /// Name of the number.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The benchmark or document.
    pub from: String,
    /// How far repeated measurements were apart, in percent of the value; none where nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread_percent: Option<f64>,
}

/// The numbers of a target's file of measurements, in the file's order of names; none where nothing was measured.
pub fn sources(target: &str) -> Vec<Source> {
    let text = MEASURED.iter().find(|(name, _)| *name == target).map_or("", |(_, text)| text);
    read(text).unwrap_or_default()
}

fn read(text: &str) -> Result<Vec<Source>, toml::de::Error> {
    let file = toml::from_str::<File>(text)?.numbers;
    let source = |(name, entry): (String, toml::Value)| {
        let value = number(entry.get("value")?)?;
        let from = entry.get("from")?.as_str()?.to_owned();
        Some(Source { name, value, from, spread_percent: entry.get("spread_percent").and_then(number) })
    };
    Ok(file.into_iter().filter_map(source).collect())
}

#[allow(clippy::cast_precision_loss, reason = "the files hold numbers of a few digits")]
fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|value| value as f64))
}

impl Rates {
    /// The numbers of a file of measurements.
    ///
    /// # Errors
    /// What is wrong with the file: a number is missing, or unknown.
    pub fn read(text: &str) -> Result<Self, String> {
        let list = read(text).map_err(|error| error.to_string())?;
        let numbers: toml::Table =
            list.into_iter().map(|source| (source.name, toml::Value::Float(source.value))).collect();
        toml::Value::Table(numbers).try_into().map_err(|error: toml::de::Error| error.to_string())
    }

    /// Bytes of what multiprocessors on both sides of L2 load that it holds.
    pub(super) fn l2_shared(&self) -> f64 {
        if self.l2_shared_bytes > 0.0 { self.l2_shared_bytes } else { self.l2_bytes }
    }

    /// The numbers of a target, and whether they were measured.
    #[allow(clippy::cast_precision_loss, reason = "bandwidths have few digits")]
    pub fn of(target: &Target) -> (Self, bool) {
        let file = MEASURED.iter().zip(&READ).find(|((name, _), _)| *name == target.name);
        match file.and_then(|((_, text), read)| read.get_or_init(|| Self::read(text).ok()).clone()) {
            Some(rates) => {
                let dram_peak_bytes = target.bandwidth_mb_per_s as f64 / rates.clock_mhz;
                (Self { multiprocessors: f64::from(target.multiprocessors), dram_peak_bytes, ..rates }, true)
            }
            None => (Self::documented(target), false),
        }
    }

    /// Clocks of L2 for a line of which so many sectors are written in part, and for these: as four sectors of a line and one take.
    pub(super) fn partial(&self, sectors: f64) -> (f64, f64) {
        let (four, one) = (1.0 / self.l2_partial_sectors, 1.0 / self.l2_write_lines);
        let line = ((one - four) / 0.75).max(0.0);
        if sectors > 0.0 { (line, (one - line) * sectors) } else { (0.0, 0.0) }
    }

    /// Bytes that the shared memory of so many blocks leaves to L1. It is divided in steps (NVIDIA, CUDA C++ Programming Guide,
    /// shared memory of compute capability 9.0, whose smaller steps are those of 8.x), and each block has 1 KiB for the system.
    pub(super) fn l1_beside(&self, of_block: u64, blocks: u32) -> f64 {
        const STEPS: [u64; 10] = [0, 8, 16, 32, 64, 100, 132, 164, 196, 228];
        let shared = (of_block + 1024) * u64::from(blocks);
        let step = STEPS.iter().map(|kib| kib * 1024).find(|&step| step >= shared).unwrap_or(shared);
        (self.l1_bytes - step as f64).max(LEAST_L1)
    }

    /// The chunk of memory, which belongs to one slice of L2, that a sector lies in.
    pub(super) fn chunk(&self, sector: u64) -> u64 {
        sector * 32 / self.l2_chunk_bytes as u64
    }

    /// Of what a launch writes, the part that memory gets before it ends; `read` has the bytes that it reads elsewhere. L2 keeps
    /// `l2_dirty_bytes` beside what is read, and up to twice as many where little is. By Nsight Compute, launches that write 17 MB
    /// leave 14 to 16 of them in L2, be it 17 or 34 that they read, one that writes 34 and reads 67 leaves 16, and those that write
    /// 67 or 134 MB, and read nothing or just these, leave 24 to 25.
    pub(super) fn written_back(&self, read: f64, written: f64) -> f64 {
        let all = read + written;
        let kept = self.l2_dirty_bytes * (2.0 * written / all.max(1.0)).max(1.0);
        1.0 - (kept / written.max(1.0)).min(1.0)
    }

    /// What documents say: lanes per multiprocessor (CUDA C++ Programming Guide, Arithmetic Instructions), clock and
    /// bandwidth of the data sheet.
    #[allow(clippy::cast_precision_loss, reason = "bandwidths have few digits")]
    fn documented(target: &Target) -> Self {
        let (partitions, fp32, integer, fp64, special) =
            match (target.compute_capability.major, target.compute_capability.minor) {
                (1, 3) => (1.0, 8.0, 8.0, 1.0, 2.0),
                (1, _) => (1.0, 8.0, 8.0, f64::INFINITY, 2.0),
                (2, _) => (2.0, 32.0, 32.0, 4.0, 4.0),
                (3, _) => (4.0, 192.0, 160.0, 64.0, 32.0),
                (5, _) => (4.0, 128.0, 128.0, 4.0, 32.0),
                (7, _) => (4.0, 64.0, 64.0, 32.0, 16.0),
                (8, 0) => (4.0, 64.0, 64.0, 32.0, 16.0),
                (8, _) => (4.0, 128.0, 64.0, 2.0, 16.0),
                _ => (4.0, 128.0, 64.0, 64.0, 16.0),
            };
        let clock = f64::from(target.clock_mhz);
        let bytes = target.bandwidth_mb_per_s as f64 / clock;
        let unknown = unknown();
        Self {
            multiprocessors: f64::from(target.multiprocessors),
            dram_peak_bytes: bytes,
            clock_mhz: clock,
            partitions,
            issue: 1.0,
            fp32_lanes: fp32,
            integer_lanes: integer,
            fp64_lanes: fp64,
            special_lanes: special,
            launch_us: 0.0,
            next_launch_us: 0.0,
            block_start: 0.0,
            block_latency: 0.0,
            apart: 0.0,
            apart_first: 0.0,
            apart_every: 0.0,
            shared_wavefronts: 1.0,
            shared_latency: 0.0,
            l1_latency: 0.0,
            l2_latency: 0.0,
            l2_far: 0.0,
            l2_spread: 0.0,
            dram_latency: 0.0,
            dram_together: 0.0,
            atomic_latency: 0.0,
            store_latency: 0.0,
            fence_latency: 0.0,
            barrier_latency: 0.0,
            barrier_per_warp: 0.0,
            l2_read_sectors: unknown,
            l2_read_lines: unknown,
            l2_write_sectors: unknown,
            l2_partial_sectors: unknown,
            l2_write_lines: unknown,
            l2_atomic_sectors: unknown,
            l2_returning_sectors: 0.0,
            l2_updated_lines: 0.0,
            l2_slices: unknown,
            l2_chunk_bytes: unknown,
            hand_over: 0.0,
            look_round: 0.0,
            same_element: 0.0,
            same_sector: 0.0,
            same_sum: 0.0,
            same_store: 0.0,
            beside_line: 0.0,
            beside_sector: 0.0,
            dram_read_bytes: bytes,
            dram_write_bytes: bytes,
            dram_mixed_bytes: bytes,
            dram_rows: unknown,
            converge: 0.0,
            call: 0.0,
            dispatch_global: 0.0,
            store_sectors: unknown,
            dram_spread: 0.0,
            dram_crowding: 0.0,
            dram_mixed_crowding: 0.0,
            dram_turning: 0.0,
            store_lines: 0.0,
            branch: 0.0,
            part: 0.0,
            register_read: 0.0,
            code_bytes: unknown,
            code_line: 0.0,
            shared_code_bytes: unknown,
            far_code_line: 0.0,
            cold_code_line: 0.0,
            drain: 0.0,
            l2_bytes: 0.0,
            l2_shared_bytes: 0.0,
            l2_dirty_bytes: 0.0,
            l1_bytes: 0.0,
        }
    }
}
