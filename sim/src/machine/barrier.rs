//! The barriers of a thread block: who has arrived, when they open, what `bar.red` combines.

use super::block::Block;
use super::paths::{Path, Wait};
use super::warp::Warp;
use crate::event::{Observer, SyncEvent};
use crate::findings::{Breach, Group, same_in_source};
use crate::ir::inst::{Barrier, BarrierReduction, Op, Pc, Reg};
use crate::target::Scheduling;

impl<O: Observer> Block<'_, O> {
    /// Threads arrive at barrier `id` and go on.
    pub(crate) fn arrive(&mut self, id: u32, warp: u32, lanes: u32, threads: u32) {
        if O::CHECKS {
            self.observer.sync(&SyncEvent::Arrive { id, warp, lanes });
        }
        self.changes += 1;
        let arrived = self.arrivals.entry(id).or_default();
        *arrived = arrived.saturating_add(threads);
    }

    /// Opens every barrier that all its threads have reached. True when one opened.
    pub(crate) fn open_barriers(&mut self, warps: &mut [Warp]) -> bool {
        if self.open_for_all(warps) {
            return true;
        }
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
                arrived += if all_here && self.barrier_threads(warps, id).is_some() {
                    32
                } else if self.machine.scheduling == Scheduling::LockStep && here != 0 {
                    // Before compute capability 7.0 it counts them whichever lanes are here.
                    if self.barrier_threads(warps, id).is_some() { 32 } else { warp.paths.live().count_ones() }
                } else {
                    here.count_ones()
                };
                wanted = wanted.or(self.barrier_threads(warps, id));
            }
            arrived = arrived.saturating_add(self.arrivals.get(&id).copied().unwrap_or(0));
            if arrived >= wanted.unwrap_or(live) {
                self.arrivals.remove(&id);
                if wanted.is_none() {
                    self.look_at_meeting(warps, id);
                }
                if O::CHECKS {
                    if warps.iter().all(|warp| waiting_lanes(warp, id) == warp.paths.live()) {
                        self.observer.sync(&SyncEvent::Everyone);
                    } else {
                        let participants: Vec<u32> = warps.iter().map(|warp| waiting_lanes(warp, id)).collect();
                        self.observer.sync(&SyncEvent::Some { id, participants: &participants });
                    }
                }
                self.reduce(warps, id);
                // Nobody goes on before the last one is there, so they all go on at its time.
                let waits = |warp: &Warp| waiting_lanes(warp, id) != 0;
                let time = warps.iter().filter(|warp| waits(warp)).map(|warp| warp.clock).max().unwrap_or(0);
                for warp in warps.iter_mut().filter(|warp| waits(warp)) {
                    if O::CHECKS
                        && let Some(path) = warp.paths.list.iter().find(|path| path.wait == Wait::Barrier(id))
                    {
                        self.observer.waited(path.pc, warp.index, time - warp.clock);
                    }
                    warp.clock = time;
                    warp.paths.wake(|path| path.wait == Wait::Barrier(id));
                }
                opened = true;
            }
        }
        opened
    }

    /// Opens a barrier without a number of threads at which all threads wait that there are, as at nearly every
    /// `__syncthreads()`. False when it is not like that: then nothing was done.
    fn open_for_all(&mut self, warps: &mut [Warp]) -> bool {
        let mut common = None;
        let (mut time, mut live, mut first, mut apart) = (0, 0, None, false);
        for warp in warps.iter() {
            let path = match warp.paths.list[..] {
                [] if warp.paths.live() == 0 => continue,
                [path] if path.lanes == warp.paths.live() => path,
                _ => return false,
            };
            let Wait::Barrier(id) = path.wait else { return false };
            let Op::Barrier(barrier) = &self.machine.program.code.insts[path.pc as usize].op else { return false };
            let plain = barrier.threads.is_none() && barrier.reduction.is_none();
            if !plain || *common.get_or_insert(id) != id {
                return false;
            }
            time = time.max(warp.clock);
            live += warp.paths.live().count_ones();
            apart |= *first.get_or_insert(path.pc) != path.pc;
        }
        if common.is_none() || !self.arrivals.is_empty() {
            return false;
        }
        if O::CHECKS {
            self.observer.sync(&SyncEvent::Everyone);
        }
        if let Some(id) = common
            && (apart || live != self.threads())
        {
            self.look_at_meeting(warps, id);
        }
        for warp in warps.iter_mut() {
            if let Some(path) = warp.paths.list.first_mut() {
                if O::CHECKS {
                    self.observer.waited(path.pc, warp.index, time - warp.clock);
                }
                path.pc += 1;
                path.wait = Wait::None;
                warp.clock = time;
            }
        }
        true
    }

    /// Threads of the block.
    pub(crate) fn threads(&self) -> u32 {
        self.machine.block.count() as u32
    }

    /// All threads of the block that have not ended meet at barrier `id`: at one barrier of the source, as the language
    /// asks, or at several, and with or without those that ended.
    #[cold]
    fn look_at_meeting(&mut self, warps: &[Warp], id: u32) {
        if id == Barrier::CLUSTER {
            return;
        }
        let of = self.threads();
        let program = self.machine.program;
        let mut pcs = warps.iter().flat_map(|warp| &warp.paths.list).map(|path| path.pc);
        let one_place = pcs.next().is_none_or(|first| pcs.all(|pc| pc == first));
        let live: u32 = warps.iter().map(|warp| warp.paths.live().count_ones()).sum();
        if one_place && live == of {
            return;
        }
        let mut places: Vec<(Pc, Group)> = Vec::new();
        let mut parts = false;
        for warp in warps {
            let mut pcs: Vec<&Path> = warp.paths.list.iter().filter(|path| path.wait == Wait::Barrier(id)).collect();
            pcs.sort_by_key(|path| path.pc);
            parts |= pcs.windows(2).any(|two| !same_in_source(program, two[0].pc, two[1].pc));
            for path in pcs {
                let threads = path.lanes.count_ones();
                match places.iter_mut().find(|(pc, _)| same_in_source(program, *pc, path.pc)) {
                    Some((_, group)) => {
                        group.threads += threads;
                        if group.warp == warp.index {
                            group.lanes |= path.lanes;
                        } else {
                            group.warps += 1;
                        }
                    }
                    None => {
                        let group = Group { threads, warp: warp.index, lanes: path.lanes, warps: 1 };
                        places.push((path.pc, group));
                    }
                }
            }
        }
        places.sort_by_key(|(pc, _)| (program.insts[*pc as usize].line, *pc));
        let Some(((pc, here), others)) = places.split_first() else { return };
        let who = (self.index, here.warp, here.lanes);
        for (other, there) in others {
            let breach = Breach::Apart { here: here.clone(), there: there.clone(), of, warp_parts: parts };
            self.faults.breaches.note((*pc, Some(*other)), who, breach);
        }
        if live < of {
            self.faults.breaches.note((*pc, None), who, Breach::Ended { threads: of - live, of });
        }
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
    pub(crate) fn barrier_threads(&self, warps: &[Warp], id: u32) -> Option<u32> {
        warps.iter().find_map(|warp| {
            let path = warp.paths.list.iter().find(|path| path.wait == Wait::Barrier(id))?;
            let Op::Barrier(barrier) = &self.machine.program.code.insts[path.pc as usize].op else { return None };
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
        match &self.machine.program.code.insts[pc as usize].op {
            Op::Barrier(barrier) => barrier.reduction,
            _ => None,
        }
    }
}

/// The lanes of a warp that wait at barrier `id`.
pub(crate) fn waiting_lanes(warp: &Warp, id: u32) -> u32 {
    warp.paths.list.iter().filter(|path| path.wait == Wait::Barrier(id)).fold(0, |lanes, path| lanes | path.lanes)
}
