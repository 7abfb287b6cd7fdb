//! A thread block: its warps take turns until all have exited or none can go on.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;

use super::fault::{Fault, Faults};
use super::grid::Machine;
use super::paths::Wait;
use super::warp::Warp;
use crate::exec;
use crate::launch::Dim3;
use crate::observe::{Observer, SyncEvent};
use crate::program::inst::{BarrierReduction, Op, Pc, Reg};
use crate::report::FindingKind;

/// Instructions that a warp executes before the next one has its turn: enough to keep it in the caches, few enough
/// that a warp that waits for another in a loop does not waste much.
const TURN: u64 = 4096;

/// Turns that a path may spend with atomics or volatile accesses before we believe that it waits for lanes of its own
/// warp which wait for it behind a loop. A loop without such accesses cannot wait for anybody, however long it is.
const SPINS: u32 = 4;

/// What a thread block is and holds while it runs.
pub(crate) struct Block<'m, O> {
    /// The launch.
    pub machine: &'m Machine<'m>,
    /// Linear index in the grid.
    pub index: u64,
    /// Coordinates in the grid.
    pub coordinates: Dim3,
    /// Shared memory.
    pub shared: Vec<u8>,
    /// Counts.
    pub observer: O,
    /// What went wrong so far.
    pub faults: Faults,
    /// Warp-instructions that this block may still execute.
    pub budget: u64,
    /// Threads that have arrived at a barrier without waiting (`bar.arrive`), by barrier.
    arrivals: BTreeMap<u32, u32>,
}

impl<'m, O: Observer> Block<'m, O> {
    /// A place for blocks to run in, one after another.
    pub(crate) fn new(machine: &'m Machine<'m>, observer: O) -> Self {
        Self {
            machine,
            index: 0,
            coordinates: Dim3::linear(0),
            shared: Vec::new(),
            observer,
            faults: Faults::default(),
            budget: 0,
            arrivals: BTreeMap::new(),
        }
    }

    /// Runs block `index` with `warps`, whose storage is reused.
    pub(crate) fn run(&mut self, index: u64, warps: &mut [Warp]) {
        self.index = index;
        self.coordinates = self.machine.grid.coordinates(index);
        self.shared.clear();
        self.shared.resize(self.machine.shared_bytes as usize, 0);
        self.budget = self.machine.budget;
        self.arrivals.clear();
        if O::CHECKS {
            self.observer.sync(&SyncEvent::Start(index));
        }
        for (number, warp) in warps.iter_mut().enumerate() {
            warp.registers.clear();
            warp.start(self.machine, self.coordinates, number as u32);
        }
        loop {
            let mut ran = false;
            for warp in warps.iter_mut() {
                ran |= self.turn(warp);
            }
            if warps.iter().all(|warp| warp.paths.list.is_empty()) {
                return;
            }
            if self.budget == 0 {
                self.machine.endless.fetch_min(self.index, Relaxed);
                self.out_of_budget(warps);
                return;
            }
            if self.index > self.machine.endless.load(Relaxed) {
                return;
            }
            if !self.open_barriers(warps) && !ran {
                self.deadlock(warps);
                return;
            }
        }
    }

    /// Threads arrive at barrier `id` and go on.
    pub(crate) fn arrive(&mut self, id: u32, warp: u32, lanes: u32, threads: u32) {
        if O::CHECKS {
            self.observer.sync(&SyncEvent::Arrive { id, warp, lanes });
        }
        let arrived = self.arrivals.entry(id).or_default();
        *arrived = arrived.saturating_add(threads);
    }

    /// Lets a warp run until it waits, exits or has had its turn. False when it cannot run at all.
    fn turn(&mut self, warp: &mut Warp) -> bool {
        let mut ran = false;
        let mut fuel = TURN.min(self.budget);
        // Each path in turn, the last that came into being first.
        while fuel > 0 {
            let Some(path) = warp.paths.list.iter().rposition(|path| path.wait == Wait::None) else {
                if exec::warp_ops::wake(warp, self) {
                    ran = true;
                    continue;
                }
                break;
            };
            ran = true;
            let before = fuel;
            exec::run(warp, self, path, &mut fuel);
            if fuel > 0 {
                warp.spins = 0;
            }
            let used = before - fuel;
            warp.clock += used;
            self.budget -= used;
            fuel = fuel.min(self.budget);
        }
        // A lane that holds a lock may wait for lanes that want it to leave the loop in which they ask for it. The
        // hardware's compiler puts the meeting point behind the release of the lock, or makes lanes yield.
        if fuel == 0 && ran && std::mem::take(&mut warp.communicated) {
            warp.spins += 1;
            if warp.spins >= SPINS && warp.paths.stop_waiting() {
                warp.spins = 0;
            }
        }
        // A path that spins must not keep the others from running: the first becomes the last.
        if fuel == 0 && warp.paths.list.len() > 1 {
            warp.paths.list.rotate_right(1);
        }
        ran
    }

    /// Opens every barrier that all its threads have reached. True when one opened.
    fn open_barriers(&mut self, warps: &mut [Warp]) -> bool {
        let mut opened = false;
        for id in self.waiting_barriers(warps) {
            let mut arrived = 0u32;
            let mut live = 0u32;
            let mut wanted = None;
            for warp in warps.iter() {
                let here = waiting_lanes(warp, id);
                live += warp.paths.live().count_ones();
                // The hardware counts whole warps: one whose living lanes are all here counts 32 threads.
                let all_here = here != 0 && here == warp.paths.live();
                arrived += if all_here && self.barrier_threads(warps, id).is_some() { 32 } else { here.count_ones() };
                wanted = wanted.or(self.barrier_threads(warps, id));
            }
            arrived = arrived.saturating_add(self.arrivals.get(&id).copied().unwrap_or(0));
            if arrived >= wanted.unwrap_or(live) {
                self.arrivals.remove(&id);
                if O::CHECKS {
                    if warps.iter().all(|warp| waiting_lanes(warp, id) == warp.paths.live()) {
                        self.observer.sync(&SyncEvent::Everyone);
                    } else {
                        let participants: Vec<u32> = warps.iter().map(|warp| waiting_lanes(warp, id)).collect();
                        self.observer.sync(&SyncEvent::Some { id, participants: &participants });
                    }
                }
                self.reduce(warps, id);
                for warp in warps.iter_mut() {
                    warp.paths.wake(|path| path.wait == Wait::Barrier(id));
                }
                opened = true;
            }
        }
        opened
    }

    fn waiting_barriers(&self, warps: &[Warp]) -> Vec<u32> {
        let mut ids: Vec<u32> = warps
            .iter()
            .flat_map(|warp| &warp.paths.list)
            .filter_map(|path| if let Wait::Barrier(id) = path.wait { Some(id) } else { None })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The number of threads that a waiting path gives for barrier `id`, if it gives one.
    fn barrier_threads(&self, warps: &[Warp], id: u32) -> Option<u32> {
        warps.iter().find_map(|warp| {
            let path = warp.paths.list.iter().find(|path| path.wait == Wait::Barrier(id))?;
            let Op::Barrier(barrier) = &self.machine.program.insts[path.pc as usize].op else { return None };
            let row = warp.registers.wide(&self.machine.constants, barrier.threads?);
            Some(row[path.lanes.trailing_zeros() as usize] as u32)
        })
    }

    /// `bar.red`: combines the predicates of all threads at the barrier and gives each the result.
    fn reduce(&mut self, warps: &mut [Warp], id: u32) {
        let mut reduction: Option<BarrierReduction> = None;
        let (mut count, mut threads) = (0, 0);
        for warp in warps.iter() {
            for path in warp.paths.list.iter().filter(|path| path.wait == Wait::Barrier(id)) {
                if let Some((op, p, negated, _)) = self.barrier_reduction(path.pc) {
                    let value = warp.registers.p(p);
                    count += ((if negated { !value } else { value }) & path.lanes).count_ones();
                    threads += path.lanes.count_ones();
                    reduction = Some(op);
                }
            }
        }
        let Some(op) = reduction else { return };
        let value = match op {
            BarrierReduction::Popc => u64::from(count),
            BarrierReduction::And => u64::from(count == threads),
            BarrierReduction::Or => u64::from(count > 0),
        };
        for warp in warps.iter_mut() {
            for at in 0..warp.paths.list.len() {
                let path = warp.paths.list[at];
                if path.wait == Wait::Barrier(id)
                    && let Some((_, _, _, d)) = self.barrier_reduction(path.pc)
                {
                    warp.registers.set_wide(d, &[value; 32], path.lanes);
                }
            }
        }
    }

    fn barrier_reduction(&self, pc: Pc) -> Option<(BarrierReduction, u16, bool, Reg)> {
        match &self.machine.program.insts[pc as usize].op {
            Op::Barrier(barrier) => barrier.reduction,
            _ => None,
        }
    }

    fn out_of_budget(&mut self, warps: &[Warp]) {
        let Some((warp, path)) = warps.iter().find_map(|warp| Some((warp, warp.paths.list.first()?))) else { return };
        let (block, budget) = (self.index, self.machine.budget);
        self.faults.note(path.pc, FindingKind::Budget, || Fault {
            message: format!(
                "the thread block executed its budget of {budget} warp-instructions without coming to an end; warp {} \
                 was here last",
                warp.index
            ),
            help: "look for a loop whose condition never becomes false; if the kernel is just long, raise --budget",
            block,
            warp: warp.index,
            lanes: path.lanes,
            count: 1,
        });
    }

    /// Nobody can go on: every place where somebody waits becomes a finding.
    fn deadlock(&mut self, warps: &[Warp]) {
        let block = self.index;
        let live: u32 = warps.iter().map(|warp| warp.paths.live().count_ones()).sum();
        for warp in warps {
            for path in &warp.paths.list {
                let (kind, message, help) = match path.wait {
                    Wait::Barrier(id) => {
                        let here: u32 = warps.iter().map(|warp| waiting_lanes(warp, id).count_ones()).sum();
                        (
                            FindingKind::BarrierDivergence,
                            format!(
                                "{here} threads wait at barrier {id} and {} threads of the block never come to it",
                                live - here
                            ),
                            "a barrier must be reached by every thread of the block: move it out of the branch or loop \
                             that only some threads take",
                        )
                    }
                    Wait::Lanes(mask) => (
                        FindingKind::Deadlock,
                        format!(
                            "lanes wait for all lanes of mask {mask:#010x} to execute this instruction, and {} never do",
                            lanes_text(mask & !path.lanes)
                        ),
                        "pass a mask that names exactly the lanes that execute the instruction together",
                    ),
                    Wait::None => continue,
                };
                self.faults.note(path.pc, kind, || Fault {
                    message,
                    help,
                    block,
                    warp: warp.index,
                    lanes: path.lanes,
                    count: 1,
                });
            }
        }
    }
}

fn waiting_lanes(warp: &Warp, id: u32) -> u32 {
    warp.paths.list.iter().filter(|path| path.wait == Wait::Barrier(id)).fold(0, |lanes, path| lanes | path.lanes)
}

/// Lanes in words: `lane 3`, `lanes 0 to 15`, `lanes 1, 5 and 9`.
pub(crate) fn lanes_text(lanes: u32) -> String {
    let list: Vec<u32> = (0..32).filter(|lane| lanes >> lane & 1 != 0).collect();
    match list[..] {
        [] => "no lane".to_owned(),
        [only] => format!("lane {only}"),
        [first, .., last] if last - first + 1 == list.len() as u32 => format!("lanes {first} to {last}"),
        [.., last] => {
            let head: Vec<String> = list[..list.len() - 1].iter().map(u32::to_string).collect();
            format!("lanes {} and {last}", head.join(", "))
        }
    }
}
