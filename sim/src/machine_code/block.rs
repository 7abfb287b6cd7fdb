//! A thread block while it runs: shared memory, what was counted, what went wrong.

use std::collections::BTreeMap;

use super::contend::Clocks;
use super::machine::Machine;
use super::warp::{Wait, Warp};
use crate::event::{MemoryEvent, MemoryKind, Observer as _, SyncEvent};
use crate::findings::{FindingKind, Memory};
use crate::lanes::lanes_of;
use crate::launch::Dim3;
use crate::observe::counters::Counters;
use crate::predict::tracer::Tracer;

/// Warp-instructions that a block may still execute after threads of it missed memory.
pub(super) const AFTERMATH: u64 = 1 << 16;

/// What is counted of one machine instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Executed {
    /// Times a group of lanes executed it, predicated off or not.
    pub(super) warps: u64,
    /// Lanes of those groups.
    pub(super) threads: u64,
    /// Lanes whose guard was true.
    pub(super) pred_on: u64,
    /// Branches at which some lanes went and some stayed.
    pub(super) divergent: u64,
}

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) help: &'static str,
    pub(super) block: [u32; 3],
    pub(super) warp: u32,
    pub(super) lanes: u32,
    pub(super) space: Option<Memory>,
    pub(super) count: u64,
}

/// What went wrong, by instruction and kind; of each the first is described.
pub(super) type Faults = BTreeMap<(u32, FindingKind), Fault>;

/// A thread block.
pub(super) struct Block<'m> {
    pub(super) machine: &'m Machine<'m>,
    pub(super) index: u64,
    pub(super) coordinates: Dim3,
    pub(super) shared: Vec<u8>,
    pub(super) counters: Counters,
    pub(super) executed: Vec<Executed>,
    pub(super) faults: Faults,
    /// Warp-instructions that it may still execute.
    pub(super) budget: u64,
    /// Instructions of warps that were executed, of all blocks that ran here.
    pub(super) work: u64,
    /// Lanes of the running warp that missed memory in this instruction.
    pub(super) faulted: u32,
    /// Stores and atomics so far: a block in which none happens waits.
    pub(super) changes: u64,
    /// Threads that arrived at a barrier without waiting.
    pub(super) arrivals: BTreeMap<u32, u32>,
    /// Writes down what warps do, where a time is predicted.
    pub(super) tracer: Option<Box<Tracer>>,
}

/// What is kept of a block while others run.
pub(super) struct Held {
    pub(super) index: u64,
    pub(super) warps: Vec<Warp>,
    pub(super) shared: Vec<u8>,
    pub(super) budget: u64,
    pub(super) arrivals: BTreeMap<u32, u32>,
    /// Where its warps go on side by side.
    pub(super) clocks: Clocks,
}

impl<'m> Block<'m> {
    pub(super) fn new(machine: &'m Machine<'m>) -> Self {
        let length = machine.program.instructions.len();
        Self {
            machine,
            index: 0,
            coordinates: Dim3::linear(0),
            shared: Vec::new(),
            counters: Counters::for_instructions(length, machine.rules),
            executed: vec![Executed::default(); length],
            faults: Faults::new(),
            budget: 0,
            work: 0,
            faulted: 0,
            changes: 0,
            arrivals: BTreeMap::new(),
            tracer: None,
        }
    }

    /// Makes block `index` ready to run with `warps`, whose storage is used again.
    pub(super) fn start(&mut self, index: u64, warps: &mut [Warp]) {
        self.index = index;
        self.coordinates = self.machine.grid.coordinates(index);
        self.shared.clear();
        self.shared.resize(self.machine.shared_bytes as usize, 0);
        self.budget = self.machine.budget;
        self.arrivals.clear();
        for (number, warp) in (0..).zip(warps) {
            warp.start(number, self.machine.block, self.machine.program.entry);
        }
    }

    /// Exchanges the block that runs here with one that is held elsewhere.
    pub(super) fn exchange(&mut self, held: &mut Held) {
        std::mem::swap(&mut self.index, &mut held.index);
        std::mem::swap(&mut self.shared, &mut held.shared);
        std::mem::swap(&mut self.budget, &mut held.budget);
        std::mem::swap(&mut self.arrivals, &mut held.arrivals);
        self.coordinates = self.machine.grid.coordinates(self.index);
    }

    /// Counts an access to memory.
    #[inline(always)]
    pub(super) fn memory(&mut self, event: &MemoryEvent<'_>) {
        self.counters.memory(event);
        if self.tracer.is_some() {
            self.trace_memory(event);
        }
    }

    #[cold]
    fn trace_memory(&mut self, event: &MemoryEvent<'_>) {
        let Some(tracer) = &mut self.tracer else { return };
        match event.kind {
            // The part of a copy in shared memory belongs to the instruction that reads global memory.
            MemoryKind::SharedCopy => {}
            _ => tracer.memory(event),
        }
    }

    /// Warp `warp` has its turn.
    pub(super) fn turn(&mut self, warp: u32) {
        let index = self.index;
        if let Some(tracer) = &mut self.tracer {
            tracer.turn(index, warp);
        }
    }

    /// Tells the tracer how many different values the lanes of an instruction have, which is done for one after the other.
    pub(super) fn tell_different(&mut self, values: &[u32; 32], active: u32) {
        let Some(tracer) = &mut self.tracer else { return };
        let first = |lane: &u32| lanes_of(active).find(|&other| values[other as usize] == values[*lane as usize]);
        let different = lanes_of(active).filter(|lane| first(lane) == Some(*lane)).count();
        tracer.compared(different as u32);
    }

    /// Tells the tracer which warps waited at a barrier that opens.
    fn trace_opening(&mut self, warps: &[Warp], id: u32) {
        let Some(tracer) = &mut self.tracer else { return };
        for warp in warps {
            let group = warp.groups.iter().find(|group| group.wait == Wait::Barrier(id));
            if let Some(group) = group {
                tracer.turn(self.index, warp.index);
                tracer.waited(group.pc, warp.index, 0);
            }
        }
        tracer.sync(&SyncEvent::Everyone);
    }

    /// Writes down what went wrong. The lanes end there, and what the others do is looked at for a while.
    #[cold]
    pub(super) fn fault(
        &mut self,
        pc: u32,
        kind: FindingKind,
        (warp, lanes): (u32, u32),
        (message, help): (String, &'static str),
        space: Option<Memory>,
    ) {
        let block = self.coordinates.into();
        let fault = self.faults.entry((pc, kind));
        fault.or_insert(Fault { message, help, block, warp, lanes, space, count: 0 }).count += 1;
        self.faulted |= lanes;
        self.budget = self.budget.min(AFTERMATH);
    }

    /// Opens every barrier that all its threads have reached. True when one opened.
    pub(super) fn open_barriers(&mut self, warps: &mut [Warp]) -> bool {
        let mut ids: Vec<u32> = waiting(warps).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut opened = false;
        for id in ids {
            let (mut arrived, mut live, mut wanted) = (0u32, 0u32, None);
            for warp in warps.iter() {
                let here = lanes_at(warp, id);
                live += warp.live.count_ones();
                let pc = warp.groups.iter().find(|group| group.wait == Wait::Barrier(id)).map(|group| group.pc);
                wanted = wanted.or_else(|| super::exec::barrier_threads(warp, self.machine, pc?));
                // The hardware counts whole warps: one whose living lanes are all here counts 32 threads.
                arrived += if here != 0 && here == warp.live { 32 } else { here.count_ones() };
            }
            let complete = match wanted {
                Some(wanted) => arrived + self.arrivals.get(&id).copied().unwrap_or(0) >= wanted,
                None => {
                    let here: u32 = warps.iter().map(|warp| lanes_at(warp, id).count_ones()).sum();
                    here + self.arrivals.get(&id).copied().unwrap_or(0) >= live
                }
            };
            if !complete {
                continue;
            }
            self.arrivals.remove(&id);
            super::exec::reduce_at_barrier(warps, self.machine, id);
            self.trace_opening(warps, id);
            let time = warps.iter().filter(|warp| lanes_at(warp, id) != 0).map(|warp| warp.executed).max();
            for warp in warps.iter_mut() {
                for group in warp.groups.iter_mut().filter(|group| group.wait == Wait::Barrier(id)) {
                    group.wait = Wait::None;
                    group.pc += 1;
                    warp.executed = time.unwrap_or(warp.executed);
                }
            }
            opened = true;
        }
        opened
    }
}

fn waiting(warps: &[Warp]) -> impl Iterator<Item = u32> {
    warps.iter().flat_map(|warp| &warp.groups).filter_map(|group| match group.wait {
        Wait::Barrier(id) => Some(id),
        _ => None,
    })
}

/// The lanes of a warp that wait at a barrier.
pub(super) fn lanes_at(warp: &Warp, id: u32) -> u32 {
    warp.groups.iter().filter(|group| group.wait == Wait::Barrier(id)).fold(0, |lanes, group| lanes | group.mask)
}
