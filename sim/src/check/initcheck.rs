//! # What it does
//!
//! Finds reads of shared memory that no thread of the block has written before (`uninitialized`), byte by byte. An
//! atomic reads too, unless it is an exchange whose old value nobody uses. Elements that a vector load drops do not
//! count as read, so loads that are wider than the data are fine.
//!
//! # Why it matters
//!
//! Shared memory is not cleared: it holds what an earlier block or kernel left there, which is zero in a first test
//! and something else later. The simulator gives zeros, so a result may be right here and wrong on a GPU.
//!
//! # What it cannot see
//!
//! - Whether a value that was read is used: a read whose result is thrown away is reported.
//! - Global memory: argument buffers and module variables count as initialised, also those given as `zeros`. Local
//!   memory and registers are not looked at.
//! - Whether a write came first for a reason or by luck: that is a race, see [`racecheck`](super::racecheck). A read
//!   that came too early by luck is reported as a race only.
//!
//! # Example
//!
//! ```cuda
//! __shared__ int count;
//! atomicAdd(&count, 1); // uninitialized: nobody has set it to 0
//! ```

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Places, variables};
use crate::machine::grid::Machine;
use crate::observe::{AccessEvent, AccessKind, lanes_of};
use crate::program::inst::{AtomicOp, Op, Pc, Space};
use crate::report::{Finding, FindingKind};

/// An uninitialised read of an instruction, the one with the lowest address.
#[derive(Debug, Clone)]
struct Read {
    block: u64,
    warp: u32,
    lanes: u32,
    address: u64,
    bytes: u32,
    count: u64,
}

/// The detector of one group of thread blocks.
#[derive(Debug)]
pub(super) struct Initcheck {
    /// One bit for each byte of shared memory: set when it was written.
    written: Vec<u64>,
    shared_bytes: u64,
    block: u64,
    /// By instruction: an atomic that stores without caring for what was there.
    overwrites: Vec<bool>,
    /// Of the running block, by address and instruction: a write that comes later may show that they race.
    early: BTreeMap<(u64, Pc), Read>,
    reads: BTreeMap<Pc, Read>,
}

/// What is kept of a block while others run.
#[derive(Debug, Default)]
pub(crate) struct Held {
    written: Vec<u64>,
    early: BTreeMap<(u64, Pc), Read>,
    block: u64,
}

impl Initcheck {
    /// A detector for blocks of `machine`. It takes memory only when a block starts.
    pub(super) fn new(machine: &Machine<'_>) -> Self {
        let overwrites = |op: &Op| match op {
            Op::Atomic(a) => a.op == AtomicOp::MbarrierInit || a.op == AtomicOp::Exch && a.result.is_none(),
            _ => false,
        };
        Self {
            written: Vec::new(),
            shared_bytes: machine.shared_bytes,
            block: 0,
            overwrites: machine.program.insts.iter().map(|inst| overwrites(&inst.op)).collect(),
            early: BTreeMap::new(),
            reads: BTreeMap::new(),
        }
    }

    /// Exchanges what is kept of the running block with what was kept of another one.
    pub(super) fn exchange(&mut self, held: &mut Held) {
        std::mem::swap(&mut self.written, &mut held.written);
        std::mem::swap(&mut self.early, &mut held.early);
        std::mem::swap(&mut self.block, &mut held.block);
    }

    /// A block starts.
    pub(super) fn start(&mut self, block: u64) {
        self.end();
        self.block = block;
        self.written.clear();
        // One word more than there are bytes for: 16 bytes at the end may be looked at in one go.
        self.written.resize(self.shared_bytes as usize / 64 + 2, 0);
    }

    /// A warp accesses memory.
    pub(super) fn access(&mut self, event: &AccessEvent<'_>) {
        if event.space != Space::Shared {
            return;
        }
        let reads = event.kind != AccessKind::Store && !self.overwrites[event.pc as usize];
        let width = event.bytes * event.parts;
        let mut unwritten = 0;
        for lane in lanes_of(event.lanes) {
            let address = event.addresses[lane as usize];
            if address.saturating_add(u64::from(width)) > self.shared_bytes
                || address & u64::from(width.next_power_of_two() - 1) != 0
            {
                continue; // a finding of its own
            }
            if reads {
                unwritten |= u32::from(!self.is_written(event, address)) << lane;
            }
            if event.kind != AccessKind::Load {
                for part in 0..event.parts {
                    let (word, bits) = bits(address + u64::from(part * event.bytes), event.bytes);
                    self.written[word] |= bits;
                }
            }
        }
        if unwritten != 0 {
            self.note(event, unwritten);
        }
    }

    #[inline(always)]
    fn is_written(&self, event: &AccessEvent<'_>, address: u64) -> bool {
        lanes_of(event.used).all(|part| {
            let (word, bits) = bits(address + u64::from(part * event.bytes), event.bytes);
            self.written[word] & bits == bits
        })
    }

    #[cold]
    fn note(&mut self, event: &AccessEvent<'_>, lanes: u32) {
        for lane in lanes_of(lanes) {
            for part in lanes_of(event.used) {
                let address = event.addresses[lane as usize] + u64::from(part * event.bytes);
                let (word, bits) = bits(address, event.bytes);
                // An atomic has written its element by now.
                if self.written[word] & bits != bits || event.kind == AccessKind::Atomic {
                    let read =
                        Read { block: self.block, warp: event.warp, lanes: 0, address, bytes: event.bytes, count: 0 };
                    let read = self.early.entry((address, event.pc)).or_insert(read);
                    read.lanes |= u32::from(read.warp == event.warp) << lane;
                    read.count += 1;
                }
            }
        }
    }

    /// A write of these bytes turned out to race with reads: that they came too early is luck.
    #[cold]
    pub(super) fn excuse(&mut self, address: u64, bytes: u32) {
        let end = address + u64::from(bytes);
        // An element has at most 16 bytes.
        let near: Vec<(u64, Pc)> =
            self.early.range((address.saturating_sub(15), 0)..(end, 0)).map(|(&place, _)| place).collect();
        for place in near {
            if self.early.get(&place).is_some_and(|read| read.address + u64::from(read.bytes) > address) {
                self.early.remove(&place);
            }
        }
    }

    /// A block ends: what was read too early and is not excused is a finding.
    pub(super) fn end(&mut self) {
        for ((_, pc), read) in std::mem::take(&mut self.early) {
            match self.reads.entry(pc) {
                Entry::Vacant(entry) => {
                    entry.insert(read);
                }
                Entry::Occupied(mut entry) => {
                    let first = entry.get_mut();
                    first.count += read.count;
                    if (first.block, first.warp) == (read.block, read.warp) {
                        first.lanes |= read.lanes;
                    }
                }
            }
        }
    }

    /// Frees what only a running block needs.
    pub(super) fn finish(&mut self) {
        self.end();
        self.written = Vec::new();
    }

    /// Adds what was found in later blocks.
    pub(super) fn merge(&mut self, later: Self) {
        for (pc, read) in later.reads {
            match self.reads.entry(pc) {
                Entry::Occupied(mut entry) => entry.get_mut().count += read.count,
                Entry::Vacant(entry) => {
                    entry.insert(read);
                }
            }
        }
    }

    /// The findings.
    pub(super) fn findings(&self, places: Places<'_>) -> impl Iterator<Item = Finding> {
        self.reads.iter().map(move |(&pc, read)| {
            let (file, line) = places.line(pc);
            let thread = places.thread(read.warp * 32 + read.lanes.trailing_zeros());
            let what = variables::name(places.machine, Space::Shared, read.address, read.bytes);
            Finding {
                kind: FindingKind::Uninitialized,
                message: format!("thread {thread} reads {what}, which no thread of the block has written before"),
                help: "shared memory holds whatever an earlier block left there: write every element first, also the \
                       ones behind the end of the data, and put a barrier before reading it"
                    .to_owned(),
                file,
                line,
                seed: places.machine.seed,
                block: places.machine.grid.coordinates(read.block).into(),
                warp: read.warp,
                lanes: lanes_of(read.lanes).collect(),
                count: read.count,
            }
        })
    }
}

/// The word, and the bits in it, of up to 16 aligned bytes.
#[inline(always)]
fn bits(address: u64, bytes: u32) -> (usize, u64) {
    ((address / 64) as usize, ((1 << bytes) - 1) << (address % 64))
}
