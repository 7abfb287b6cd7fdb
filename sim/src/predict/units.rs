//! The parts of one multiprocessor, and its equal part of what all share: each serves one request after the other, and
//! knows when it is free again.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::footprint::Footprint;
use super::operations::What;
use super::pipes::Pipes;
use super::rates::Rates;
use super::reuse::{self, Found};
use super::slices;
use super::trace::{Access, AccessKind, FURTHER, LOCAL_MEMORY, Trace, Unit};
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

pub(super) mod beyond;
mod chance;
mod code;
mod collector;
mod l1;
pub(super) mod recency;
mod stores;
mod updates;
use beyond::{Memory, Seen};
pub(super) use code::{Hindrance, Issued};
use collector::Collector;
use l1::L1;
pub(super) use l1::tag_wavefronts;
use recency::{Line, Recency};
use stores::{BehindEachOther, Stores};

/// Most partitions of a multiprocessor.
const PARTITIONS: usize = 4;
/// Clocks of work that wait in front of a unit before warps that want to add to it are held up.
const QUEUE: f64 = 64.0;
/// Clocks of work that wait in front of L2, of stores and atomics, before the memory pipe takes nothing more.
const STORES: f64 = 600.0;
/// Lookups of a request whose line half of the multiprocessors find on the other side of L2: what is stored, and what is updated.
const FAR: f64 = 1.5;
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
    /// Lines that L2 looked up for loads.
    pub lines: f64,
    /// Sectors that L2 wrote: those that memory brought, and those that were stored.
    pub written: f64,
}

/// The parts.
pub(super) struct Units<'a> {
    trace: &'a Trace,
    rates: &'a Rates,
    active: f64,
    issue: [f64; PARTITIONS],
    /// When each partition dispatches again, of machine code.
    dispatch: [f64; PARTITIONS],
    /// The pipe of the last machine instruction of each partition.
    last: [Unit; PARTITIONS],
    /// Integer, fp32, fp64, special functions.
    pipes: [[f64; PARTITIONS]; 4],
    /// Clocks of a full-rate pipe of 32 lanes per partition to those of this one.
    slower: [f64; 4],
    lsu: f64,
    /// When the last instructions of each partition began that the memory pipe got.
    queued: [VecDeque<f64>; PARTITIONS],
    adu: f64,
    reads: f64,
    writes: f64,
    memory: Memory,
    /// Lines that warps stored to and that have not left for L2.
    stores: Stores,
    /// Of stores to many lines that come while L2 is behind, the part that joined the one before and was not told to so far.
    joined_so_far: f64,
    /// What reads the registers of each partition.
    collectors: [Collector; PARTITIONS],
    atomics: f64,
    /// When L2 has looked up what it was asked for: loads and atomics take turns there.
    lookups: f64,
    /// What L2 has looked up: a line for each request, and again on the other side of L2 if the line belongs there.
    pub tags: f64,
    /// What each access finds in L2.
    found: Vec<Found>,
    /// Blocks that run at once, of the sample: the first ones wait for memory with all others.
    first_wave: u32,
    /// What of each buffer the whole launch moves.
    footprint: Footprint,
    fresh_so_far: f64,
    /// When L2 has written what memory brought and what was stored.
    fills: f64,
    /// Clocks for which L2 writes what memory brings.
    filled: f64,
    /// Clocks for which it writes what is stored, beside what it looks up for it.
    data: f64,
    /// The part of what is written that goes to memory before the launch ends.
    pub written_back: f64,
    /// Clocks of a slice of L2 to those that all of them take together.
    pub slices: f64,
    seen: HashMap<u64, Seen>,
    /// What was asked of L2, in order.
    recency: Recency,
    /// Lines of L2 that this multiprocessor asked for.
    lines: HashMap<u64, Line>,
    /// Sectors that atomics update.
    updated: HashSet<u64>,
    /// Sectors that were stored to in part, by the chunk of memory that belongs to one slice of L2: once for each store that does not
    /// follow another one at once.
    told: HashMap<u64, f64>,
    behind_each_other: BehindEachOther,
    /// Of what L2 has dropped, the part of a sector that was not brought again so far.
    dropped_so_far: f64,
    /// The same of what is stored to.
    dropped_stores: f64,
    /// Of loads of what others bring, the part that waits with them and was not told to so far.
    cold_so_far: f64,
    /// Of loads that memory brings for blocks behind the first ones, the part that waits for it and was not told to so far.
    later_so_far: f64,
    /// Of each block the sectors that blocks beside it bring and that it has not touched yet.
    beside: Vec<BTreeMap<u64, bool>>,
    l1: L1,
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
        let with_all = trace.updates.and_then(|of_all| of_all.slices);
        let slices = with_all.unwrap_or_else(|| slices::busy(trace, rates, active * resident));
        Self {
            trace,
            rates,
            active,
            issue: [0.0; PARTITIONS],
            dispatch: [0.0; PARTITIONS],
            last: [Unit::None; PARTITIONS],
            pipes: [[0.0; PARTITIONS]; 4],
            slower,
            lsu: 0.0,
            queued: Default::default(),
            adu: 0.0,
            reads: 0.0,
            writes: 0.0,
            memory: Memory::new(rates, 0.0),
            stores: Stores::default(),
            joined_so_far: 0.0,
            collectors: Default::default(),
            atomics: 0.0,
            lookups: 0.0,
            tags: 0.0,
            found: reuse::found(trace, rates, warm),
            first_wave: resident as u32,
            footprint: Footprint::default(),
            fresh_so_far: 0.0,
            fills: 0.0,
            filled: 0.0,
            data: 0.0,
            written_back: 1.0,
            slices,
            seen: HashMap::new(),
            recency: Recency::default(),
            lines: HashMap::new(),
            updated: if rates.l2_updated_lines > 0.0 { slices::updated(trace) } else { HashSet::new() },
            told: HashMap::new(),
            behind_each_other: BehindEachOther::default(),
            dropped_so_far: 0.0,
            dropped_stores: 0.0,
            cold_so_far: 0.0,
            later_so_far: 0.0,
            beside: if warm < 1.0 { trace.beside.clone() } else { Vec::new() },
            l1: L1::new(l1_bytes),
            busy: Busy::default(),
            moved: Moved::default(),
            pipes_of_code: trace.is_machine_code().then(|| Pipes::new(rates)),
        }
    }

    /// The launch is so many times as large as the sample, and so many multiprocessors work on it.
    pub(super) fn scale(&mut self, times: f64, active: f64) {
        self.footprint = Footprint::new(self.trace, &self.found, &self.beside, times, self.rates.l2_shared());
        let (local, stored, both) = self.footprint.stored(self.trace);
        let (read, written) = (self.fetched() * times, stored * times + local * active);
        self.written_back = self.rates.written_back((read - both * times).max(0.0), written);
        // What stays in L2 keeps memory from nothing.
        let back = written * self.written_back;
        self.memory = Memory::new(self.rates, (back / read.max(1.0)).min(read / back.max(1.0)).min(1.0));
    }

    /// Bytes that the sample's loads bring from memory.
    pub(super) fn fetched(&self) -> f64 {
        let mut seen: HashSet<u64> = self.beside.iter().flat_map(BTreeMap::keys).copied().collect();
        let of = |(access, found): (&Access, &Found)| {
            let new =
                self.trace.touched(access).iter().filter(|&&sector| sector < LOCAL_MEMORY / 32 && seen.insert(sector));
            new.map(|&sector| self.footprint.part(sector).read).sum::<f64>() * f64::from(found.fresh) * 32.0
        };
        self.trace.accesses.iter().zip(&self.found).filter(|(access, _)| access.loads()).map(of).sum()
    }

    /// Clocks that stores take to the chunk of memory of which most are, where several blocks store to it: they come one after the other.
    /// The launch has `all` times as many.
    pub(super) fn same_stores(&self, all: f64) -> f64 {
        let of_all =
            |(chunk, told): (&u64, &f64)| if self.trace.stored_by_many.contains(chunk) { told * all } else { *told };
        self.told.iter().map(of_all).fold(0.0, f64::max) * self.rates.same_store
    }

    /// When L2 has written all that it got: what it looks up for stores, and data.
    const fn written(&self) -> f64 {
        self.writes.max(self.fills)
    }

    /// When the last request is served.
    pub(super) fn drained(&self) -> f64 {
        self.written().max(self.memory.free).max(self.atomics)
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
    pub(super) fn earliest(&self, partition: usize, cost: &Cost, time: f64) -> f64 {
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
        at
    }

    /// When what waits in front of L2 leaves room for an access. Until then the memory pipe takes nothing else either.
    fn behind(&self, what: What) -> f64 {
        let What::Global(access) = what else { return 0.0 };
        match self.trace.accesses[access as usize].kind {
            AccessKind::Store => self.written().max(self.memory.free) - STORES,
            AccessKind::Atomic | AccessKind::Reduction => self.atomics - STORES,
            AccessKind::Load | AccessKind::LoadL2 | AccessKind::Copy => 0.0,
        }
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
                let mut busy = cost.busy * values;
                if let What::Barrier(_, count) = what {
                    // One wavefront for all warps of the block together.
                    self.lsu(at, 1.0 / f64::from(count.max(1)));
                    busy = busy.max(self.rates.barrier_per_warp);
                }
                let start = at.max(self.adu);
                self.adu = start + busy;
                self.busy[at::ADU] += busy;
                let further = if cost.action == Action::Reduce { cost.latency } else { f64::from(FURTHER) };
                (start + cost.latency + further * (values - 1.0), false)
            }
            Pipe::Lsu => match what {
                What::Plain | What::Off | What::Barrier(..) | What::Arrive(_) | What::Wait(_) | What::Lands(_) => {
                    (self.lsu(at, cost.busy) + cost.latency, false)
                }
                What::Shared(wavefronts) => {
                    let wavefronts = f64::from(wavefronts.max(1));
                    (self.lsu(at, wavefronts) + wavefronts - 1.0 + self.rates.shared_latency, false)
                }
                What::Global(access) => (self.global((access, None), at, block), true),
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

    /// An access to global memory: when its result is there. `before` is the store of the same warp that a store follows at
    /// once.
    fn global(&mut self, (number, before): (u32, Option<u32>), time: f64, block: u32) -> f64 {
        let trace = self.trace;
        let access = &trace.accesses[number as usize];
        let time = time.max(self.behind(What::Global(number)));
        let passes = Self::passes(access);
        let range = access.first as usize..(access.first + access.sectors) as usize;
        match access.kind {
            AccessKind::Load | AccessKind::LoadL2 | AccessKind::Copy => {
                let engine = access.kind == AccessKind::Copy;
                let start = self.lsu(time, if engine { 1.0 } else { passes });
                let found = self.found[number as usize];
                self.load(access, found, start, passes, range, block)
            }
            AccessKind::Store => {
                let start = self.lsu(time, passes);
                self.store(access, before, start, block)
            }
            AccessKind::Atomic | AccessKind::Reduction => {
                let start = self.lsu(time, f64::from(access.lines.max(1)));
                self.update(access, self.found[number as usize], start, block)
            }
        }
    }
}
