//! What a machine instruction finds busy, and what it keeps busy.

use super::super::operations::What;
use super::super::trace::{Access, AccessKind, Action, FURTHER, Issue, Unit};
use super::{QUEUE, Units, at};
use crate::report::stall::Stall;

/// Clocks from when a memory instruction begins until its registers are read. Not measured: between 2 and 20 it changed no
/// predicted time of 15 kernels by more than 2 percent.
const SOURCES: f64 = 10.0;
/// Instructions of a partition that wait for the memory pipe before warps that want to add to them are held up. A warp of an
/// H100 whose loads take 32 clocks issues sixteen of them at once behind the first; several of one partition share these places.
const PLACES: usize = 16;
/// Clocks by which the reads of registers may be behind the instructions that are issued. With 1 twelve loops of mixed operations are
/// predicted within 3.5 percent on average, with 3 within 4.7; where banks are busy all the time it does not matter.
const COLLECTED: f64 = 1.0;

/// Wavefronts of the memory pipe for a barrier, of all warps of the block together: an H200 counts two between loads of shared memory, by
/// blocks of 8 and of 16 warps alike (`l1tex__data_pipe_lsu_wavefronts`), of which one is among those of shared memory.
const OF_BARRIER: f64 = 2.0;

/// What comes of an instruction that is issued.
pub(in super::super) struct Issued {
    /// When its result is there.
    pub result: f64,
    /// When its operands are read.
    pub read: f64,
    /// When its pipe has taken it.
    pub taken: f64,
    /// Whether it moves data that a fence waits for.
    pub moves: bool,
}

/// What keeps a machine instruction from being issued.
pub(in super::super) struct Hindrance {
    /// Until then another instruction is issued in its place.
    pub lost: f64,
    /// When it can be issued.
    pub issued: f64,
    /// What keeps it from then on.
    pub why: Stall,
}

/// Whether an instruction of one pipe takes what one of another waits for.
fn rivals(one: Unit, other: Unit) -> bool {
    let either = |unit| matches!(unit, Unit::Fma | Unit::FmaHeavy);
    one == other || either(one) && either(other)
}

impl Units<'_> {
    /// Clocks of the load/store unit of an access to global memory: what L1 takes for a load, whose misses leave line by line
    /// ([`Units::leave`]), and a line a clock for others.
    pub(super) fn passes(access: &Access) -> f64 {
        match access.kind {
            AccessKind::Load | AccessKind::LoadL2 => f64::from(access.wavefronts.max(1)),
            AccessKind::Store | AccessKind::Atomic | AccessKind::Reduction | AccessKind::Copy => {
                f64::from(access.lines.max(access.sectors.div_ceil(4)).max(1))
            }
        }
    }

    /// Lines that a load misses leave the multiprocessor one a clock.
    pub(super) fn leave(&mut self, missed_lines: f64, passes: f64) {
        if missed_lines > passes {
            self.lsu += missed_lines - passes;
            self.busy[at::LSU] += missed_lines - passes;
        }
    }

    /// When everything that an access touches and that was loaded before is in L1; of machine code.
    pub(super) fn pending(&self, access: &Access) -> f64 {
        if self.pipes_of_code.is_none() {
            return 0.0;
        }
        let sectors = self.trace.touched(access).iter();
        sectors.filter_map(|sector| self.seen.get(sector)).map(|seen| seen.ready).fold(0.0, f64::max)
    }

    /// What an access touches is in L1 from then on.
    pub(super) fn arrives(&mut self, access: &Access, ready: f64) {
        self.follow(self.trace.touched(access), ready);
    }

    /// Sectors are there from then on.
    pub(super) fn follow(&mut self, sectors: &[u64], ready: f64) {
        if self.pipes_of_code.is_none() {
            return;
        }
        for sector in sectors {
            if let Some(seen) = self.seen.get_mut(sector) {
                seen.ready = ready;
            }
        }
    }

    /// When there is a place in the memory pipe's queue of a partition.
    pub(in super::super) fn room(&self, partition: usize) -> f64 {
        let queued = &self.queued[partition];
        if queued.len() == PLACES { queued[0] } else { 0.0 }
    }

    /// When a machine instruction can be issued, not before `time`, and what keeps it until then.
    pub(in super::super) fn hindrance(&self, partition: usize, issue: &Issue, time: f64, what: What) -> Hindrance {
        let mut found = (time, Stall::NotSelected);
        let mut until = |clock: f64, why: Stall| {
            if clock > found.0 {
                found = (clock, why);
            }
        };
        until(self.issue[partition], Stall::NotSelected);
        until(self.dispatch[partition], Stall::DispatchStall);
        if issue.sources[0].is_some() {
            until(self.collectors[partition].free() - COLLECTED, Stall::DispatchStall);
        }
        if let Some(pipes) = &self.pipes_of_code {
            // Functions and conversions wait in the queue of memory instructions; so the profiler calls it (H200, loops of `MUFU`).
            let why = if issue.unit == Unit::Xu { Stall::MioThrottle } else { Stall::MathPipeThrottle };
            until(pipes.free(partition, issue.unit), why);
        }
        let global = matches!(what, What::Global(_));
        if issue.unit == Unit::Lsu {
            until(self.room(partition), if global { Stall::LgThrottle } else { Stall::MioThrottle });
        } else if issue.unit == Unit::Adu {
            until(self.adu - QUEUE, Stall::MioThrottle);
        }
        let (issued, why) = found;
        // It could have been issued, and another instruction was, which took what this one waits for now.
        let lost = matches!(why, Stall::NotSelected | Stall::DispatchStall) || rivals(issue.unit, self.last[partition]);
        Hindrance { lost: if lost { self.issue[partition].clamp(time, issued) } else { time }, issued, why }
    }

    /// Issues a machine instruction of a warp of a block. `before` is the store of the same warp that it follows at once.
    pub(in super::super) fn issue_code(
        &mut self,
        partition: usize,
        issue: &Issue,
        time: f64,
        (what, before): (What, Option<u32>),
        (warp, block): (u32, u32),
    ) -> Issued {
        self.issue[partition] = time + 1.0 / self.rates.issue;
        self.last[partition] = issue.unit;
        let addresses = if matches!(what, What::Global(_)) { self.rates.dispatch_global } else { 0.0 };
        self.dispatch[partition] = self.issue[partition] + addresses + f64::from(issue.dispatch);
        self.moved.slots += 1.0;
        self.busy[at::ISSUE] += 1.0 / self.rates.partitions / self.rates.issue;
        if let Some(pipes) = &mut self.pipes_of_code {
            pipes.take(partition, issue, time);
        }
        self.collectors[partition].read(warp, issue, time, self.rates.register_read);
        // What is done for no lane has no result to wait for.
        let off = matches!(what, What::Off);
        let (clocks, latency) = (f64::from(issue.clocks), if off { 0.0 } else { f64::from(issue.latency) });
        let plain = |start: f64| {
            let read = start + SOURCES.min(latency);
            Issued { result: start + latency, read, taken: start + clocks, moves: false }
        };
        if issue.unit == Unit::Lsu {
            let begins = time.max(self.lsu).max(self.behind(what));
            let queued = &mut self.queued[partition];
            if queued.len() == PLACES {
                queued.pop_front();
            }
            queued.push_back(begins);
        }
        match (issue.unit, what) {
            (Unit::Lsu, What::Global(access)) => {
                let result = self.global((access, before), time, block);
                let taken = self.lsu.max(time);
                Issued { result, read: taken + SOURCES, taken, moves: true }
            }
            // The copy engine does it.
            (_, What::Global(access)) => {
                let result = self.global((access, before), time, block);
                Issued { result, moves: true, ..plain(time) }
            }
            (Unit::Lsu, What::Shared(wavefronts)) => {
                let wavefronts = f64::from(wavefronts.max(1));
                let start = self.lsu(time, wavefronts);
                // Atomics have a latency of their own.
                let latency = self.rates.shared_latency.max(latency);
                let result = start + wavefronts - 1.0 + latency;
                Issued { result, read: self.lsu + SOURCES, taken: self.lsu, moves: false }
            }
            (Unit::Lsu, _) => plain(self.lsu(time, clocks)),
            (Unit::Adu, What::Barrier(_, count)) => {
                self.lsu(time, OF_BARRIER / f64::from(count.max(1)));
                let clocks = clocks.max(self.rates.barrier_per_warp);
                Issued { taken: self.adu(time, clocks) + clocks, ..plain(time) }
            }
            (Unit::Adu, What::Shared(values)) if issue.action == Action::Compare => {
                // Lanes' values are compared one different value after the other.
                let values = f64::from(values.max(1));
                let start = self.adu(time, clocks * values);
                plain(start + f64::from(FURTHER) * (values - 1.0))
            }
            (Unit::Adu, _) => plain(self.adu(time, clocks)),
            _ => plain(time),
        }
    }

    fn adu(&mut self, time: f64, clocks: f64) -> f64 {
        let start = time.max(self.adu);
        self.adu = start + clocks;
        self.busy[at::ADU] += clocks;
        start
    }

    /// For how long the pipes of machine code worked becomes part of [`Units::busy`].
    pub(in super::super) fn close(&mut self) {
        if let Some(pipes) = &self.pipes_of_code {
            self.busy[1..5].copy_from_slice(&pipes.worked(self.rates.partitions));
        }
    }
}
