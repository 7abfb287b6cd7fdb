//! The parts of one multiprocessor, and its equal part of what all share: each serves one request after the other, and
//! knows when it is free again.

use std::collections::HashMap;

use super::operations::What;
use super::pipes::Pipes;
use super::rates::Rates;
use super::slices;
use super::trace::{Access, AccessKind, Trace};
use super::weights::{Action, Cost, Pipe};

/// Names of the resources, in the order of [`Busy`].
pub const RESOURCES: [&str; 14] = [
    "issue",
    "integer pipe",
    "fp32 pipe",
    "fp64 pipe",
    "special functions",
    "memory pipe",
    "votes and barriers",
    "L2 reads",
    "L2 writes",
    "DRAM",
    "L2 atomics",
    "same places",
    "block starts",
    "waits for blocks",
];

/// Clocks for which each of [`RESOURCES`] works.
pub type Busy = [f64; RESOURCES.len()];

/// Positions in [`Busy`].
pub(super) mod at {
    pub(in super::super) const ISSUE: usize = 0;
    pub(in super::super) const LSU: usize = 5;
    pub(in super::super) const ADU: usize = 6;
    pub(in super::super) const L2_READS: usize = 7;
    pub(in super::super) const L2_WRITES: usize = 8;
    pub(in super::super) const DRAM: usize = 9;
    pub(in super::super) const ATOMICS: usize = 10;
    pub(in super::super) const PLACES: usize = 11;
    pub(in super::super) const STARTS: usize = 12;
    pub(in super::super) const WAITS: usize = 13;
}

mod code;
pub(super) use code::Issued;

/// Most partitions of a multiprocessor.
const PARTITIONS: usize = 4;
/// Clocks of work that wait in front of the memory pipe before warps that want to add to it are held up.
const QUEUE: f64 = 64.0;
/// The same in front of L2, for stores and atomics.
const STORES: f64 = 600.0;
/// A kernel reads and writes if either is this part of the other.
const MIXED: f64 = 0.1;
/// Clocks that every further value adds to a comparison of lanes' values, and every further constant to a load of constants
/// (`ldc_8`, `ldc_32` of `kernels/calibrate/opcodes.cu`: 11.9, 11.2).
const MATCH: f64 = 11.0;
/// Blocks that touched a sector before it is taken to be in every L1 cache.
const COMMON: u32 = 6;

/// What was moved.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Moved {
    /// Issue slots, of all partitions.
    pub slots: f64,
    /// Bytes read from memory.
    pub dram_read: f64,
    /// Bytes written to memory.
    pub dram_written: f64,
    /// Sectors of loads.
    pub loaded: f64,
    /// Those of them that were in L1.
    pub hits: f64,
}

/// What is known of a sector.
struct Seen {
    block: u32,
    blocks: u32,
    at: u64,
    /// When it is in L1.
    ready: f64,
}

/// The parts.
pub(super) struct Units<'a> {
    trace: &'a Trace,
    rates: &'a Rates,
    active: f64,
    issue: [f64; PARTITIONS],
    /// Integer, fp32, fp64, special functions.
    pipes: [[f64; PARTITIONS]; 4],
    /// Clocks of a full-rate pipe of 32 lanes per partition to those of this one.
    slower: [f64; 4],
    lsu: f64,
    adu: f64,
    reads: f64,
    writes: f64,
    dram: f64,
    atomics: f64,
    read_rate: f64,
    write_rate: f64,
    /// The part of what is written that goes to memory before the launch ends.
    pub written_back: f64,
    /// Clocks of a slice of L2 to those that all of them take together.
    pub slices: f64,
    /// The part of what is touched first that is in L2 already.
    warm: f64,
    warm_so_far: f64,
    seen: HashMap<u64, Seen>,
    l1_sectors: u64,
    clock: u64,
    /// How long each part worked.
    pub busy: Busy,
    /// What was moved.
    pub moved: Moved,
    /// The pipes of machine code; none where the machine code is estimated.
    pub pipes_of_code: Option<Pipes>,
}

impl<'a> Units<'a> {
    /// Idle parts of a multiprocessor of which `active` work. `l1_bytes` is what shared memory leaves.
    pub(super) fn new(
        trace: &'a Trace,
        rates: &'a Rates,
        active: f64,
        resident: f64,
        warm: f64,
        l1_bytes: f64,
    ) -> Self {
        let lanes = [rates.integer_lanes, rates.fp32_lanes, rates.fp64_lanes, rates.special_lanes];
        // The weights are those of 64, 128, 64 and 16 lanes.
        let slower = std::array::from_fn(|pipe| [64.0, 128.0, 64.0, 16.0][pipe] / lanes[pipe]);
        let sectors = |kind: fn(&AccessKind) -> bool| -> f64 {
            trace.accesses.iter().filter(|access| kind(&access.kind)).map(|access| f64::from(access.sectors)).sum()
        };
        let stored = sectors(|kind| matches!(kind, AccessKind::Store));
        let loaded = sectors(|kind| matches!(kind, AccessKind::Load | AccessKind::LoadL2 | AccessKind::Copy));
        let slices = slices::busy(trace, rates, active * resident);
        let mixed = stored > loaded * MIXED && loaded > stored * MIXED;
        Self {
            trace,
            rates,
            active,
            issue: [0.0; PARTITIONS],
            pipes: [[0.0; PARTITIONS]; 4],
            slower,
            lsu: 0.0,
            adu: 0.0,
            reads: 0.0,
            writes: 0.0,
            dram: 0.0,
            atomics: 0.0,
            read_rate: if mixed { rates.dram_mixed_bytes } else { rates.dram_read_bytes },
            write_rate: if mixed { rates.dram_mixed_bytes } else { rates.dram_write_bytes },
            written_back: 1.0,
            slices,
            warm,
            warm_so_far: 0.0,
            seen: HashMap::new(),
            l1_sectors: (l1_bytes / 32.0) as u64,
            clock: 0,
            busy: Busy::default(),
            moved: Moved::default(),
            pipes_of_code: trace.is_machine_code().then(|| Pipes::new(rates)),
        }
    }

    /// When the last request is served.
    pub(super) fn drained(&self) -> f64 {
        self.writes.max(self.dram).max(self.atomics)
    }

    /// A warp begins with so many instructions that the trace does not have.
    pub(super) fn begin(&mut self, slots: f64) {
        self.moved.slots += slots;
        self.busy[at::ISSUE] += slots / self.rates.partitions / self.rates.issue;
    }

    fn pipe(pipe: Pipe) -> Option<usize> {
        match pipe {
            Pipe::Alu => Some(0),
            Pipe::Fma => Some(1),
            Pipe::Fp64 => Some(2),
            Pipe::Xu => Some(3),
            Pipe::None | Pipe::Lsu | Pipe::Adu => None,
        }
    }

    /// When an instruction can be issued, not before `time`.
    pub(super) fn earliest(&self, partition: usize, cost: &Cost, time: f64, what: What) -> f64 {
        let mut at = time.max(self.issue[partition]);
        match (cost.pipe, Self::pipe(cost.pipe)) {
            (_, Some(pipe)) => at = at.max(self.pipes[pipe][partition]),
            (Pipe::Adu, _) => at = at.max(self.adu - QUEUE),
            (Pipe::Lsu, _) => at = at.max(self.lsu - QUEUE),
            _ => {}
        }
        if cost.votes > 0.0 {
            at = at.max(self.adu - QUEUE);
        }
        if let What::Global(access) = what {
            match self.trace.accesses[access as usize].kind {
                AccessKind::Store => at = at.max(self.writes.max(self.dram) - STORES),
                AccessKind::Atomic | AccessKind::Reduction => at = at.max(self.atomics - STORES),
                AccessKind::Load | AccessKind::LoadL2 | AccessKind::Copy => {}
            }
        }
        at
    }

    /// Issues an instruction: when its result is there, and whether it moves data that a fence waits for.
    pub(super) fn issue(&mut self, partition: usize, cost: &Cost, at: f64, what: What, block: u32) -> (f64, bool) {
        // Lanes' values are compared one different value after the other, and reduced one mask after the other.
        let values = match (cost.pipe, what) {
            (Pipe::Adu, What::Shared(values)) => f64::from(values.max(1)),
            _ => 1.0,
        };
        let slots = if cost.action == Action::Reduce { cost.slots * values } else { cost.slots };
        self.issue[partition] = at + slots / self.rates.issue;
        self.moved.slots += slots;
        self.busy[at::ISSUE] += slots / self.rates.partitions / self.rates.issue;
        if cost.votes > 0.0 {
            self.adu = at.max(self.adu) + cost.votes;
            self.busy[at::ADU] += cost.votes;
        }
        if let Some(pipe) = Self::pipe(cost.pipe) {
            let busy = cost.busy * self.slower[pipe];
            self.pipes[pipe][partition] = at + busy;
            self.busy[1 + pipe] += busy / self.rates.partitions;
            return (at + cost.latency, false);
        }
        match cost.pipe {
            Pipe::Adu => {
                if let What::Barrier(_, count) = what {
                    // One wavefront for all warps of the block together.
                    self.lsu(at, 1.0 / f64::from(count.max(1)));
                }
                let start = at.max(self.adu);
                self.adu = start + cost.busy * values;
                self.busy[at::ADU] += cost.busy * values;
                let further = if cost.action == Action::Reduce { cost.latency } else { MATCH };
                (start + cost.latency + further * (values - 1.0), false)
            }
            Pipe::Lsu => match what {
                What::Plain | What::Off | What::Barrier(..) | What::Arrive(_) | What::Wait(_) => {
                    (self.lsu(at, cost.busy) + cost.latency, false)
                }
                What::Shared(wavefronts) => {
                    let wavefronts = f64::from(wavefronts.max(1));
                    (self.lsu(at, wavefronts) + wavefronts - 1.0 + self.rates.shared_latency, false)
                }
                What::Global(access) => {
                    let trace = self.trace;
                    (self.global(&trace.accesses[access as usize], cost.operands, at, block), true)
                }
            },
            Pipe::None | Pipe::Alu | Pipe::Fma | Pipe::Fp64 | Pipe::Xu => (at + cost.latency, false),
        }
    }

    fn lsu(&mut self, at: f64, busy: f64) -> f64 {
        let busy = busy / self.rates.shared_wavefronts;
        let start = at.max(self.lsu);
        self.lsu = start + busy;
        self.busy[at::LSU] += busy;
        start
    }

    /// Takes so many clocks of memory, not before `time`; when they are over.
    fn memory(&mut self, time: f64, bytes: f64, rate: f64) -> f64 {
        let busy = bytes * self.active / rate;
        self.dram = self.dram.max(time) + busy;
        self.busy[at::DRAM] += busy;
        self.dram
    }

    /// A load touches a sector: whether it is in L1, and whether it is in L2. Then it is in both.
    fn touch(&mut self, sector: u64, block: u32) -> (bool, bool) {
        self.clock += 1;
        let Some(seen) = self.seen.get_mut(&sector) else {
            self.seen.insert(sector, Seen { block, blocks: 1, at: self.clock, ready: 0.0 });
            return (false, false);
        };
        // Neighbouring blocks run on other multiprocessors: what one of them touched is in its L1, not in this one.
        let here = seen.block == block || seen.blocks > COMMON;
        let near = here && self.clock - seen.at <= self.l1_sectors;
        seen.blocks += u32::from(seen.block != block);
        seen.block = block;
        seen.at = self.clock;
        (near, true)
    }

    fn global(&mut self, access: &Access, operands: f64, time: f64, block: u32) -> f64 {
        let (sectors, lines) = (f64::from(access.sectors), f64::from(access.lines));
        let passes = self.passes(access.kind, sectors, lines);
        let range = access.first as usize..(access.first + access.sectors) as usize;
        match access.kind {
            AccessKind::Load | AccessKind::LoadL2 | AccessKind::Copy => {
                let engine = access.kind == AccessKind::Copy;
                let start = self.lsu(time, if engine { 1.0 } else { passes });
                self.load(access, start, passes, range, block)
            }
            AccessKind::Store => {
                let start = self.lsu(time, passes);
                self.store(access, start, range, block)
            }
            AccessKind::Atomic | AccessKind::Reduction => {
                let start = self.lsu(time, lines.max(1.0));
                let least = operands * sectors * self.active / self.rates.l2_atomic_sectors;
                let places = operands * slices::clocks(access, self.rates) * self.active / self.slices;
                let busy = least.max(places);
                self.atomics = start.max(self.atomics) + busy;
                self.busy[at::ATOMICS] += least;
                self.busy[at::PLACES] += places;
                let trace = self.trace;
                for &sector in &trace.sectors[range] {
                    self.touch(sector, block);
                }
                self.atomics + self.rates.atomic_latency
            }
        }
    }

    fn load(&mut self, access: &Access, start: f64, passes: f64, range: std::ops::Range<usize>, block: u32) -> f64 {
        let (trace, rates) = (self.trace, self.rates);
        let sectors = f64::from(access.sectors);
        let (mut missed, mut fresh) = (0.0, 0.0);
        for &sector in &trace.sectors[range] {
            let (l1, l2) = self.touch(sector, block);
            if l1 && access.kind == AccessKind::Load {
                continue;
            }
            missed += 1.0;
            if !l2 {
                self.warm_so_far += self.warm;
                if self.warm_so_far >= 1.0 {
                    self.warm_so_far -= 1.0;
                } else {
                    fresh += 1.0;
                }
            }
        }
        self.moved.loaded += sectors;
        self.moved.hits += sectors - missed;
        if missed == 0.0 {
            let hit = start + passes - 1.0 + rates.l1_latency;
            return if self.pipes_of_code.is_some() { hit.max(self.pending(access)) } else { hit };
        }
        let missed_lines = (missed / sectors * f64::from(access.lines)).ceil();
        self.leave(missed_lines, passes);
        let busy = (missed * self.active / rates.l2_read_sectors).max(missed_lines * self.active / rates.l2_read_lines);
        let slot = start.max(self.reads);
        self.reads = slot + busy;
        self.busy[at::L2_READS] += busy;
        let ready = slot + busy + rates.l2_latency;
        if fresh == 0.0 {
            self.arrives(access, ready);
            return ready;
        }
        // Memory delivers pairs of sectors.
        let alone = access.sectors > 4 && access.lines >= access.sectors;
        let bytes = fresh * if alone { 64.0 } else { 32.0 };
        self.moved.dram_read += bytes;
        let ready = ready.max(self.memory(slot, bytes, self.read_rate) + rates.dram_latency);
        self.arrives(access, ready);
        ready
    }

    fn store(&mut self, access: &Access, start: f64, range: std::ops::Range<usize>, block: u32) -> f64 {
        let (trace, rates) = (self.trace, self.rates);
        let (sectors, lines) = (f64::from(access.sectors), f64::from(access.lines));
        let rate = if access.full { rates.l2_write_sectors } else { rates.l2_partial_sectors };
        let scattered = if access.lines > 4 { lines * self.active / rates.l2_write_lines } else { 0.0 };
        let busy = (sectors * self.active / rate).max(scattered);
        let slot = start.max(self.writes);
        self.writes = slot + busy;
        self.busy[at::L2_WRITES] += busy;
        let mut fresh = 0.0;
        for &sector in &trace.sectors[range] {
            // It is in L2 now, and not in L1.
            let before = self.seen.insert(sector, Seen { block: u32::MAX, blocks: 1, at: self.clock, ready: 0.0 });
            fresh += f64::from(u8::from(before.is_none()));
        }
        let _ = block;
        let bytes = fresh * 32.0 * self.written_back;
        self.moved.dram_written += bytes;
        if bytes > 0.0 {
            self.memory(slot, bytes, self.write_rate);
        }
        slot + busy + rates.store_latency
    }
}
