//! Asynchronous copies that are under way (`cp.async`, `cp.async.bulk`), and who knows that they have come to their end.
//!
//! The executor copies where the instruction stands. On a GPU the bytes move at some time until the copy is *waited
//! for*: in groups by the thread that began it, or at an `mbarrier` whose phase cannot end before. Until then nobody may
//! touch what is written, and nobody may write what is read, the thread itself included; no barrier changes that. After
//! it, whoever waited knows the copy, and all that synchronise with that thread later: `__pipeline_wait_prior` orders a
//! thread's own copies, and the others need a barrier behind it.
//!
//! A *flight* is what a thread waits for at once. Its places are entries in two tables, of what is written and of what is
//! read, with the instruction.

use std::collections::HashMap;

use super::clocks::Clocks;
pub(super) use super::flights::Hit;
use super::flights::{Barrier, Entry, Flight, GRANULE, Groups, MANY, PHASES, Proxies, Seen, Table};
use super::orders::{MemoryOrder, Step};
use super::pages::PageMap;
use crate::event::{AccessEvent, AccessKind};
use crate::findings::Early;
use crate::ir::inst::{MBARRIER_PARITY, Space};
use crate::lanes::lanes_of;

/// The asynchronous copies of one thread block.
#[derive(Debug, Default)]
pub(super) struct Copies {
    flights: Vec<Flight>,
    free: Vec<u32>,
    live: usize,
    targets: Table,
    sources: Table,
    groups: HashMap<u32, [Groups; 2]>,
    barriers: HashMap<u64, Barrier>,
    /// Bulk copies that an mbarrier waits for, up to the instruction's end: thread and flight.
    engine: Vec<(u32, u32)>,
    proxies: Proxies,
}

impl Copies {
    /// Whether any copy is under way, or known to some threads only.
    pub(super) const fn any(&self) -> bool {
        self.live > 0
    }

    /// Goes over an access: collects where it meets copies, and notes what it does as a part of one.
    #[cold]
    pub(super) fn access(
        &mut self,
        event: &AccessEvent<'_>,
        order: MemoryOrder,
        clocks: &Clocks,
        (now, shared_bytes): (u32, u64),
        hits: &mut Vec<Hit>,
    ) {
        if order.mbarrier && event.space == Space::Shared {
            self.barrier(event, order, clocks.threads(), now);
            return;
        }
        let copies = matches!(order.step, Step::Copy | Step::Bulk { .. });
        let adds = event.kind == AccessKind::Atomic;
        for lane in lanes_of(event.lanes) {
            let thread = event.warp * 32 + lane;
            let address = event.addresses[lane as usize];
            let bytes = u64::from(event.bytes * event.parts);
            let flight = if copies { self.flight(thread, order.step, now) } else { 0 };
            let mut hit = None;
            for granule in address >> GRANULE..address.saturating_add(bytes - 1) / (1 << GRANULE) + 1 {
                let part = ((granule << GRANULE).saturating_sub(address) / u64::from(event.bytes)) as u32;
                if event.used >> part.min(31) & 1 == 0 {
                    continue;
                }
                if hit.is_none() {
                    hit = self.meets(event.space, granule, thread, (event.kind, copies && adds), clocks);
                    if hit.is_none()
                        && order.step == (Step::Bulk { at_barrier: false })
                        && event.kind == AccessKind::Load
                    {
                        hit = self.proxies.unfenced(event.space, granule, thread, clocks);
                    }
                    if let Some(hit) = &mut hit {
                        hit.lane = lane;
                        hit.address = granule << GRANULE;
                    }
                }
                if copies {
                    let reads = event.kind == AccessKind::Load;
                    let table = if reads { &mut self.sources } else { &mut self.targets };
                    let entry = Entry { flight: flight + 1, pc: event.pc, time: now, adds };
                    table.put(event.space, granule, entry, shared_bytes);
                }
            }
            hits.extend(hit);
        }
    }

    /// A copy that an access of `thread` to a granule comes too early for.
    fn meets(
        &self,
        space: Space,
        granule: u64,
        thread: u32,
        (kind, adds): (AccessKind, bool),
        clocks: &Clocks,
    ) -> Option<Hit> {
        let meets = |entry: Entry, reads: bool| {
            let flight = self.flights.get((entry.flight as usize).checked_sub(1)?)?;
            if !flight.live
                || entry.time < flight.since
                || adds && entry.adds
                || self.known(flight, thread, reads, clocks)
            {
                return None;
            }
            let why = match (flight.engine, flight.phases.is_empty()) {
                (_, false) => Early::Phase,
                (true, true) => Early::BulkGroup,
                (false, true) => Early::Group,
            };
            let kind = if reads { AccessKind::Load } else { AccessKind::Store };
            Some(Hit { lane: 0, address: 0, thread: flight.thread, kind, pc: entry.pc, why })
        };
        let written = meets(self.targets.get(space, granule), false);
        if written.is_some() || kind == AccessKind::Load {
            return written;
        }
        meets(self.sources.get(space, granule), true)
    }

    /// Whether `thread` knows that a flight, or what it `reads`, is over.
    fn known(&self, flight: &Flight, thread: u32, reads: bool, clocks: &Clocks) -> bool {
        let knows = |time: u32, other: u32| time != 0 && clocks.knows(time, other, thread);
        if knows(flight.waited, flight.thread) || reads && knows(flight.read, flight.thread) {
            return true;
        }
        flight.phases.iter().any(|&(address, phase)| {
            let Some(barrier) = self.barriers.get(&address) else { return false };
            // Phases long ago are forgotten: everybody is taken to know them.
            let Some(seen) = barrier.phases.iter().find(|seen| seen.phase == phase) else { return true };
            seen.times[thread as usize] != 0
                || seen.any && (0u32..).zip(&seen.times).any(|(other, &time)| knows(time, other))
        })
    }

    /// The flight that a copy of `thread` belongs to.
    fn flight(&mut self, thread: u32, step: Step, now: u32) -> u32 {
        if step == (Step::Bulk { at_barrier: true }) {
            if let Some(&(_, flight)) = self.engine.iter().find(|&&(of, _)| of == thread) {
                return flight;
            }
            let flight = self.begin(thread, now, true);
            self.engine.push((thread, flight));
            return flight;
        }
        let bulk = usize::from(step != Step::Copy);
        let groups = &self.groups.entry(thread).or_default()[bulk];
        if let (Some(&flight), false) = (groups.open.last(), groups.tracked) {
            return flight;
        }
        let flight = self.begin(thread, now, bulk == 1);
        let groups = &mut self.groups.entry(thread).or_default()[bulk];
        groups.open.push(flight);
        groups.tracked = false;
        flight
    }

    fn begin(&mut self, thread: u32, now: u32, engine: bool) -> u32 {
        let new = Flight { live: true, thread, since: now, engine, ..Flight::default() };
        self.live += 1;
        if self.free.is_empty() && self.flights.len() >= MANY {
            self.forget();
        }
        if let Some(at) = self.free.pop() {
            self.flights[at as usize] = new;
            return at;
        }
        self.flights.push(new);
        self.flights.len() as u32 - 1
    }

    /// Takes those that are over for known to all.
    #[cold]
    fn forget(&mut self) {
        let Self { flights, barriers, free, live, .. } = self;
        let gone = |&(address, phase): &(u64, u32)| {
            barriers.get(&address).is_none_or(|barrier| barrier.phases.iter().all(|seen| seen.phase != phase))
        };
        for (at, flight) in (0u32..).zip(flights) {
            if flight.live && (flight.waited != 0 || flight.phases.iter().any(gone)) {
                *flight = Flight::default();
                free.push(at);
                *live -= 1;
            }
        }
    }

    /// Lanes of a warp take a step that is no access.
    pub(super) fn step(&mut self, step: Step, warp: u32, lanes: u32, clocks: &Clocks) {
        let now = clocks.time;
        for thread in lanes_of(lanes).map(|lane| warp * 32 + lane) {
            if step == Step::ProxyFence {
                self.proxies.fences.insert(thread, (now, clocks.floor));
                self.proxies.all = clocks.floor.max(self.proxies.all);
                continue;
            }
            let Some(groups) = self.groups.get_mut(&thread) else { continue };
            let Copies { flights, .. } = self;
            let mut end = |group: Vec<u32>| {
                for flight in group {
                    let flight = &mut flights[flight as usize];
                    if flight.live && flight.thread == thread {
                        flight.waited = now;
                    }
                }
            };
            match step {
                Step::Commit { bulk } => {
                    let groups = &mut groups[usize::from(bulk)];
                    let group = std::mem::take(&mut groups.open);
                    groups.committed.push_back(group);
                    groups.tracked = false;
                }
                Step::Wait { bulk, left, reads } => {
                    let groups = &mut groups[usize::from(bulk)];
                    let over = groups.committed.len().saturating_sub(left as usize);
                    if reads {
                        for &flight in groups.committed.iter().take(over).flatten() {
                            let flight = &mut flights[flight as usize];
                            if flight.live && flight.thread == thread && flight.read == 0 {
                                flight.read = now;
                            }
                        }
                    } else {
                        groups.committed.drain(..over).for_each(&mut end);
                    }
                }
                Step::WaitAll => {
                    groups[0].committed.drain(..).for_each(&mut end);
                    end(std::mem::take(&mut groups[0].open));
                }
                _ => {}
            }
        }
    }

    /// Lanes use an mbarrier.
    fn barrier(&mut self, event: &AccessEvent<'_>, order: MemoryOrder, threads: usize, now: u32) {
        for lane in lanes_of(event.lanes) {
            let (thread, address) = (event.warp * 32 + lane, event.addresses[lane as usize]);
            let barrier = self.barriers.entry(address).or_default();
            let word = (event.old)(address, 8).0 >> MBARRIER_PARITY.trailing_zeros();
            barrier.count += (word.wrapping_sub(barrier.word) & 15) as u32;
            barrier.word = word;
            // Whoever sees the barrier knows the phases before the one that it is in.
            for seen in barrier.phases.iter_mut().filter(|seen| seen.phase < barrier.count && order.looks) {
                if seen.times[thread as usize] == 0 {
                    seen.times[thread as usize] = now;
                    seen.any = true;
                }
            }
            let flights: Vec<u32> = match order.step {
                Step::Tracks => {
                    let Some([groups, _]) = self.groups.get_mut(&thread) else { continue };
                    groups.tracked = true;
                    groups.open.retain(|&flight| self.flights[flight as usize].live);
                    groups.committed.iter().flatten().chain(&groups.open).copied().collect()
                }
                Step::Completes => {
                    let Some(at) = self.engine.iter().position(|&(of, _)| of == thread) else { continue };
                    vec![self.engine.swap_remove(at).1]
                }
                _ => continue,
            };
            let place = (address, barrier.count);
            if barrier.phases.iter().all(|seen| seen.phase != barrier.count) {
                if barrier.phases.len() == PHASES {
                    barrier.phases.remove(0);
                }
                barrier.phases.push(Seen { phase: barrier.count, any: false, times: vec![0; threads] });
            }
            for flight in flights {
                let flight = &mut self.flights[flight as usize];
                if flight.live && flight.waited == 0 && flight.thread == thread {
                    flight.phases.retain(|&(of, _)| of != address);
                    flight.phases.push(place);
                }
            }
        }
    }

    /// An ordinary write to shared memory that the copy engine may read.
    #[cold]
    pub(super) fn written(&mut self, event: &AccessEvent<'_>, now: u32, shared_bytes: u64) {
        if event.space != Space::Shared || event.kind == AccessKind::Load {
            return;
        }
        let written = &mut self.proxies.written;
        written.resize(shared_bytes.div_ceil(1 << GRANULE) as usize, (0, 0, 0));
        for lane in lanes_of(event.lanes) {
            let address = event.addresses[lane as usize];
            let last = address.saturating_add(u64::from(event.bytes * event.parts - 1));
            for granule in address >> GRANULE..=last >> GRANULE {
                if let Some(place) = written.get_mut(granule as usize) {
                    *place = (now, event.warp * 32 + lane, event.pc);
                }
            }
        }
    }

    /// All threads have met: what any of them knows to be over, all do.
    pub(super) fn everyone(&mut self) {
        if self.live == 0 {
            return;
        }
        let Self { flights, barriers, free, live, .. } = self;
        let over = |&(address, phase): &(u64, u32)| {
            barriers
                .get(&address)
                .is_some_and(|barrier| barrier.phases.iter().any(|seen| seen.phase == phase && seen.any))
        };
        for (at, flight) in (0u32..).zip(flights) {
            if flight.live && (flight.waited != 0 || flight.phases.iter().any(over)) {
                *flight = Flight::default();
                free.push(at);
                *live -= 1;
            }
        }
        let left: Vec<(u64, u32)> = self.flights.iter().flat_map(|flight| &flight.phases).copied().collect();
        for (address, barrier) in &mut self.barriers {
            barrier.phases.retain(|seen| left.contains(&(*address, seen.phase)));
        }
        if self.live == 0 {
            self.targets.global = PageMap::default();
            self.sources.global = PageMap::default();
            self.groups.clear();
        }
    }
}
