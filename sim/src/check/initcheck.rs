//! # What it does
//!
//! Finds reads of memory that nobody has written before (`uninitialized`), byte by byte: of shared memory, and of
//! argument buffers that the launch calls *uninitialised* (what `cudaMalloc` gives, instead of zeros). An atomic reads
//! too, unless it is an exchange whose old value nobody uses. Elements that a vector load drops do not count as read,
//! so loads that are wider than the data are fine.
//!
//! # Why it matters
//!
//! Shared memory is not cleared, and neither is what `cudaMalloc` returns: both hold what an earlier block, kernel or
//! program left there, which is zero in a first test and something else later. The simulator gives zeros, so a result
//! may be right here and wrong on a GPU.
//!
//! # What it cannot see
//!
//! - Whether a value that was read is used: a read whose result is thrown away is reported.
//! - Buffers that the launch gives with content or as zeros, and module variables: they count as initialised. Of what
//!   an earlier launch left it is known what that wrote, if it was checked too. Local memory and registers are not
//!   looked at.
//! - What is read after a thread of the block has missed memory and ended: the thread might have written it.
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
use std::sync::Arc;

use super::view::Look;
use super::written::{Buffer, GlobalBytes, LINE_BYTES, SharedBytes};
use crate::event::{AccessEvent, AccessKind, LaunchInfo, SyncEvent};
use crate::findings::{Finding, Places, UninitializedRead};
use crate::ir::inst::{AtomicOp, Op, Pc, Space};
use crate::ir::operands;
use crate::lanes::lanes_of;
use crate::launch::Coverage;

/// Places that are remembered of one block: more are not needed to tell what is wrong.
const MOST_EARLY: usize = 1 << 16;

/// What belongs to one thread block.
#[derive(Debug, Default)]
struct Context {
    block: u64,
    /// What of shared memory was written.
    written: SharedBytes,
    /// By address and instruction: a write that comes later may show that they race.
    early: BTreeMap<(Space, u64, Pc), UninitializedRead>,
}

/// What is kept of a block while others run.
#[derive(Debug, Default)]
pub(crate) struct Held(Context);

/// What the detectors of one launch have in common.
pub(super) struct Plan {
    buffers: Arc<[Buffer]>,
    overwrites: Arc<[bool]>,
}

impl Plan {
    pub(super) fn new(launch: &LaunchInfo<'_>) -> Self {
        let mut read = Vec::new();
        if launch.program.insts.iter().any(|inst| matches!(&inst.op, Op::Atomic(a) if a.op == AtomicOp::Exch)) {
            launch.program.insts.iter().for_each(|inst| operands::visit(inst, &mut |reg| read.push(reg), &mut |_| {}));
        }
        let overwrites = |op: &Op| match op {
            Op::Atomic(a) => {
                let unused = || a.result.is_none_or(|result| !read.iter().any(|&reg| operands::same(reg, result)));
                a.op == AtomicOp::MbarrierInit || a.op == AtomicOp::Exch && unused()
            }
            _ => false,
        };
        let buffers = launch.global.buffers().iter().filter(|buffer| buffer.uninitialized);
        Self {
            buffers: buffers
                .map(|buffer| Buffer { base: buffer.base, bytes: buffer.bytes, before: buffer.before.clone() })
                .collect(),
            overwrites: launch.program.insts.iter().map(|inst| overwrites(&inst.op)).collect(),
        }
    }
}

/// The detector of one group of thread blocks.
#[derive(Debug)]
pub(super) struct Initcheck {
    context: Context,
    shared_bytes: u64,
    /// The buffers that nobody has initialised, or not all of them.
    buffers: Arc<[Buffer]>,
    /// What of them was written.
    written: GlobalBytes,
    /// By instruction: an atomic that stores without caring for what was there.
    overwrites: Arc<[bool]>,
    reads: BTreeMap<Pc, UninitializedRead>,
    /// The blocks run in turn: one may read what another one writes.
    in_turn: bool,
    /// A thread has come to an early end: what it would have written is missing.
    broken: bool,
}

impl Initcheck {
    /// A detector for blocks of `machine`. It takes memory only when a block starts.
    pub(super) fn new(launch: &LaunchInfo<'_>, plan: &Plan) -> Self {
        Self {
            context: Context::default(),
            shared_bytes: launch.shared_bytes,
            buffers: Arc::clone(&plan.buffers),
            written: GlobalBytes::of(Arc::clone(&plan.buffers)),
            overwrites: Arc::clone(&plan.overwrites),
            reads: BTreeMap::new(),
            in_turn: launch.in_turn,
            broken: false,
        }
    }

    /// Blocks come and go.
    pub(super) fn sync(&mut self, event: &SyncEvent<'_>) {
        match *event {
            SyncEvent::Start(block) => {
                self.context.block = block;
                self.broken &= self.in_turn;
                self.context.written.clear(self.shared_bytes);
            }
            SyncEvent::End => self.end(),
            SyncEvent::Fault => self.broken = true,
            _ => {}
        }
    }

    /// Exchanges what is kept of the running block with what was kept of another one.
    pub(super) fn exchange(&mut self, held: &mut Held) {
        std::mem::swap(&mut self.context, &mut held.0);
    }

    /// A warp accesses memory.
    #[inline(always)]
    pub(super) fn access(&mut self, event: &AccessEvent<'_>, look: &Look) {
        let reads = event.kind != AccessKind::Store && !self.overwrites[event.pc as usize];
        let writes = event.kind != AccessKind::Load;
        let done = match event.space {
            Space::Shared => {
                let width = event.bytes * event.parts;
                self.context.written.access(event.addresses, event.lanes, width, reads, *look)
            }
            _ => self.buffers.is_empty() || look.row && self.access_row(event, reads, writes),
        };
        if !done {
            self.one_by_one(event, reads, writes);
        }
    }

    /// A whole warp goes over lines of a buffer, or over memory that is not looked at. False when that has to be looked
    /// at lane by lane.
    #[inline(always)]
    fn access_row(&mut self, event: &AccessEvent<'_>, reads: bool, writes: bool) -> bool {
        let (width, first) = (event.bytes * event.parts, event.addresses[0]);
        if !matches!(width, 4 | 8 | 16) || !first.is_multiple_of(LINE_BYTES) {
            return false;
        }
        let Some(end) = first.checked_add(u64::from(width) * 32) else { return false };
        let mut near = self.buffers.iter().filter(|buffer| first < buffer.base + buffer.bytes && end > buffer.base);
        let Some(buffer) = near.next() else { return true };
        if first < buffer.base || end > buffer.base + buffer.bytes {
            return false;
        }
        for address in (first..end).step_by(LINE_BYTES as usize) {
            if reads && !self.written.line_is_written(address) {
                return false; // the lines before were written, so nothing was noted
            }
            if writes {
                self.written.write_line(address);
            }
        }
        true
    }

    #[inline(never)]
    fn one_by_one(&mut self, event: &AccessEvent<'_>, reads: bool, writes: bool) {
        let width = event.bytes * event.parts;
        let mut unwritten = 0;
        for lane in lanes_of(event.lanes) {
            let address = event.addresses[lane as usize];
            if !self.looks_at(event.space, address, width) {
                continue; // of no interest, or a finding of its own
            }
            let part = |part: u32| address + u64::from(part * event.bytes);
            if reads {
                let written = lanes_of(event.used).all(|at| self.is_written(event.space, part(at), event.bytes));
                unwritten |= u32::from(!written) << lane;
            }
            if writes {
                for at in 0..event.parts {
                    match event.space {
                        Space::Shared => self.context.written.write(part(at), event.bytes),
                        _ => self.written.write(part(at), event.bytes),
                    }
                }
            }
        }
        if unwritten != 0 {
            self.note(event, unwritten);
        }
    }

    fn looks_at(&self, space: Space, address: u64, bytes: u32) -> bool {
        let inside = |base: u64, size: u64| {
            address >= base && size.checked_sub(bytes.into()).is_some_and(|last| address - base <= last)
        };
        match space {
            Space::Shared => self.context.written.holds(address, bytes),
            _ => {
                let aligned = address & u64::from(bytes.next_power_of_two() - 1) == 0;
                aligned && self.buffers.iter().any(|buffer| inside(buffer.base, buffer.bytes))
            }
        }
    }

    #[inline(always)]
    fn is_written(&mut self, space: Space, address: u64, bytes: u32) -> bool {
        match space {
            Space::Shared => self.context.written.is_written(address, bytes),
            _ => self.written.is_written(address, bytes),
        }
    }

    #[cold]
    fn note(&mut self, event: &AccessEvent<'_>, lanes: u32) {
        if self.broken {
            return; // who should have written it may have ended before
        }
        for lane in lanes_of(lanes) {
            for part in lanes_of(event.used) {
                let address = event.addresses[lane as usize] + u64::from(part * event.bytes);
                // An atomic has written its element by now.
                if !self.is_written(event.space, address, event.bytes) || event.kind == AccessKind::Atomic {
                    let &AccessEvent { space, warp, bytes, .. } = event;
                    let read = UninitializedRead {
                        space,
                        block: self.context.block,
                        warp,
                        lanes: 0,
                        address,
                        bytes,
                        count: 0,
                    };
                    if self.context.early.len() > MOST_EARLY {
                        continue;
                    }
                    let read = self.context.early.entry((space, address, event.pc)).or_insert(read);
                    read.lanes |= u32::from(read.warp == event.warp) << lane;
                    read.count += 1;
                }
            }
        }
    }

    /// A write of these bytes turned out to race with reads: that they came too early is luck.
    #[cold]
    pub(super) fn excuse(&mut self, space: Space, address: u64, bytes: u32) {
        let end = address + u64::from(bytes);
        // An element has at most 16 bytes.
        let range = (space, address.saturating_sub(15), 0)..(space, end, 0);
        let overlaps = |early: &UninitializedRead| early.address + u64::from(early.bytes) > address;
        let near = self.context.early.range(range).filter(|(_, early)| overlaps(early));
        for place in near.map(|(&place, _)| place).collect::<Vec<_>>() {
            self.context.early.remove(&place);
        }
        if space == Space::Global {
            // A block that has ended may have read it. One that is held back keeps its finding.
            self.reads.retain(|_, read| {
                read.space != space || read.address >= end || read.address + u64::from(read.bytes) <= address
            });
        }
    }

    /// A block ends: what was read too early and is not excused is a finding.
    fn end(&mut self) {
        for ((_, _, pc), read) in std::mem::take(&mut self.context.early) {
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
        self.context = Context::default();
    }

    /// How many different ones there are: instructions.
    pub(super) fn kinds(&self) -> usize {
        self.reads.len()
    }

    /// Adds what was found in later blocks.
    pub(super) fn merge(&mut self, later: Self) {
        self.written.merge(later.written);
        for (pc, read) in later.reads {
            match self.reads.entry(pc) {
                Entry::Occupied(mut entry) => entry.get_mut().count += read.count,
                Entry::Vacant(entry) => {
                    entry.insert(read);
                }
            }
        }
    }

    /// What of the buffer that begins at an address was written by the end of the launch, if it was not all.
    pub(super) fn written(&self, base: u64) -> Option<Coverage> {
        self.written.written(base)
    }

    /// The findings.
    pub(super) fn findings(&self, places: Places<'_>) -> impl Iterator<Item = Finding> {
        self.reads.iter().map(move |(&pc, read)| read.finding(pc, places))
    }
}
