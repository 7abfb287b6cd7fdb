//! Looks for bugs in a kernel while it runs. The names are those of compute-sanitizer's tools.
//!
//! Each check is one file that says what it does and what it cannot see. [`racecheck`] and [`initcheck`] are observers
//! with a shadow of memory; what orders accesses comes from [`clocks`] within a block and from [`blocks`] between them.
//! Out-of-bounds and misaligned accesses, barriers that not all threads reach, and wrong masks are found by the
//! executor itself, which cannot go on without looking at them; `exec/synccheck.rs` looks at the operands of
//! barriers.
//!
//! [`Checked`] is the observer that counts and checks. Runs without checks use
//! [`Counters`] alone, and the compiler removes every call of this module from them.

mod blocks;
mod cells;
mod clocks;
mod conflicts;
mod copies;
mod flights;
mod initcheck;
mod orders;
mod pages;
mod racecheck;
mod races;
mod shadow;
mod touch;
mod view;
mod volatile_stores;
mod written;

use crate::event::{AccessEvent, LaunchInfo, MemoryEvent, Observer, SyncEvent};
use crate::findings::{Finding, Places};
use crate::ir::inst::Pc;
use crate::ir::slow_paths::Difference;
use crate::launch::Coverage;
use crate::observe::busiest::{Busiest, Share};
use crate::observe::counters::Counters;
use crate::observe::details::Details;
use crate::options::Options;
use crate::prepare::register_allocation::Code;
use initcheck::Initcheck;
use racecheck::Racecheck;
use view::Look;

/// What the observers of one launch have in common, read off the kernel once.
pub(crate) struct Plan {
    races: Option<racecheck::Plan>,
    reads: Option<initcheck::Plan>,
    details: bool,
    busiest: bool,
}

impl Plan {
    /// Which checks run, and what else is collected.
    pub(crate) fn new(launch: &LaunchInfo<'_>, options: &Options) -> Self {
        let Options { checks, details, busiest, .. } = *options;
        Self {
            races: checks.racecheck.then(|| racecheck::Plan::new(launch)),
            reads: checks.initcheck.then(|| initcheck::Plan::new(launch)),
            details,
            busiest,
        }
    }
}

/// Counts and checks.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The counters.
    pub counters: Counters,
    races: Option<Racecheck>,
    reads: Option<Initcheck>,
    /// What else was seen of each instruction, if asked for.
    pub details: Option<Box<Details>>,
    /// What the busiest warp and thread do, if asked for.
    pub busiest: Option<Box<Busiest>>,
    /// Shared memory of a block.
    shared_bytes: u64,
    /// The vector units that the checks are compiled for.
    cpu: pulp::Arch,
}

impl Checked {
    /// An observer that counts, and checks and collects details as planned.
    pub(crate) fn new(launch: &LaunchInfo<'_>, plan: &Plan) -> Self {
        Self {
            counters: Counters::of(launch),
            races: plan.races.as_ref().map(|plan| Racecheck::new(launch, plan)),
            reads: plan.reads.as_ref().map(|plan| Initcheck::new(launch, plan)),
            details: plan.details.then(|| Box::new(Details::new(launch))),
            busiest: plan.busiest.then(|| Box::new(Busiest::new(launch))),
            shared_bytes: launch.shared_bytes,
            cpu: pulp::Arch::new(),
        }
    }

    /// What was counted without checks.
    pub(crate) fn unchecked(counters: Counters) -> Self {
        let cpu = pulp::Arch::new();
        Self { counters, races: None, reads: None, details: None, busiest: None, shared_bytes: 0, cpu }
    }

    #[inline(always)]
    fn access_here(&mut self, event: &AccessEvent<'_>) {
        let look = Look::at(event, self.shared_bytes);
        if let Some(races) = &mut self.races {
            races.access(event, &look);
        }
        if let Some(reads) = &mut self.reads {
            reads.access(event, &look);
            if let Some(races) = &mut self.races
                && !races.overtaken.is_empty()
            {
                for (space, address, bytes) in races.overtaken.drain(..) {
                    reads.excuse(space, address, bytes);
                }
            }
        }
    }

    /// Adds what an observer of later blocks saw.
    pub(crate) fn merge(&mut self, later: Self) {
        self.counters.merge(&later.counters);
        if let (Some(details), Some(later)) = (&mut self.details, later.details) {
            details.merge(*later);
        }
        if let (Some(busiest), Some(later)) = (&mut self.busiest, later.busiest) {
            busiest.merge(&later);
        }
        if let (Some(races), Some(later)) = (&mut self.races, later.races) {
            races.merge(later);
        }
        if let (Some(reads), Some(later)) = (&mut self.reads, later.reads) {
            reads.merge(later);
        }
    }

    /// What of the buffer that begins at an address was written by the end of the launch, if it was not all and that
    /// was looked at.
    pub(crate) fn written(&self, base: u64) -> Option<Coverage> {
        self.reads.as_ref()?.written(base)
    }

    /// Whether blocks that ran side by side race: only a run in order tells how, and has one result.
    pub(crate) fn disordered(&self) -> bool {
        self.races.as_ref().is_some_and(|races| races.disordered)
    }

    /// How many different things were found so far.
    pub(crate) fn kinds(&self) -> usize {
        self.races.as_ref().map_or(0, |races| races.races.kinds()) + self.reads.as_ref().map_or(0, Initcheck::kinds)
    }

    /// What was found: errors and remarks.
    pub(crate) fn findings(&self, places: Places<'_>) -> Vec<Finding> {
        let mut findings = self.races.as_ref().map_or_else(Vec::new, |races| races.races.findings(places));
        if let Some(reads) = &self.reads {
            findings.extend(reads.findings(places));
        }
        findings
    }
}

impl Observer for Checked {
    const CHECKS: bool = true;

    type Held = (racecheck::Held, initcheck::Held, Vec<Share>);

    #[inline(always)]
    fn instruction(&mut self, pc: Pc, active: u32) {
        self.counters.instruction(pc, active);
        if let Some(details) = &mut self.details {
            details.instruction(pc, active);
        }
        if let Some(busiest) = &mut self.busiest {
            busiest.straight(pc, 1, active);
        }
    }

    #[inline(always)]
    fn straight(&mut self, pc: Pc, length: usize, active: u32) {
        self.counters.straight(pc, length, active);
        if let Some(details) = &mut self.details {
            (pc..pc + length as Pc).for_each(|pc| details.instruction(pc, active));
        }
        if let Some(busiest) = &mut self.busiest {
            busiest.straight(pc, length, active);
        }
    }

    #[inline(always)]
    fn memory(&mut self, event: &MemoryEvent<'_>) {
        self.counters.memory(event);
        if let Some(details) = &mut self.details {
            details.memory(event);
        }
        if let Some(busiest) = &mut self.busiest {
            busiest.memory(event);
        }
    }

    fn turn(&mut self, block: u64, warp: u32) {
        if let Some(details) = &mut self.details {
            details.turn(block, warp);
        }
        if let Some(busiest) = &mut self.busiest {
            busiest.turn(warp);
        }
    }

    fn waited(&mut self, pc: Pc, warp: u32, steps: u64) {
        if let Some(details) = &mut self.details {
            details.waited(pc, warp, steps);
        }
    }

    fn unusual(&mut self, pc: Pc, difference: Difference) {
        self.counters.unusual(pc, difference);
    }

    fn communicate(&mut self, pc: Pc, thread_instructions: u32) {
        self.counters.communicate(pc, thread_instructions);
        if let Some(busiest) = &mut self.busiest {
            busiest.communicate(thread_instructions);
        }
    }

    fn worked(&mut self, executed: u64) {
        self.counters.worked(executed);
    }

    fn engine(&mut self, pc: Pc, requests: u64, sectors: u64) {
        self.counters.engine(pc, requests, sectors);
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.cpu.dispatch(Access { checked: self, event });
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if let Some(races) = &mut self.races {
            races.sync(event);
        }
        if let Some(reads) = &mut self.reads {
            reads.sync(event);
        }
        if let Some(busiest) = &mut self.busiest {
            match event {
                SyncEvent::Everyone => busiest.meet(|_| true),
                SyncEvent::Some { participants, .. } => {
                    busiest.meet(|warp| participants.get(warp).is_some_and(|lanes| *lanes != 0));
                }
                SyncEvent::End => busiest.end(),
                SyncEvent::Start(_)
                | SyncEvent::Arrive { .. }
                | SyncEvent::Warp { .. }
                | SyncEvent::Fault
                | SyncEvent::Fence { .. } => {}
            }
        }
    }

    fn exchange(&mut self, held: &mut Self::Held) {
        if let Some(races) = &mut self.races {
            races.exchange(&mut held.0);
        }
        if let Some(reads) = &mut self.reads {
            reads.exchange(&mut held.1);
        }
        if let Some(busiest) = &mut self.busiest {
            busiest.exchange(&mut held.2);
        }
    }

    fn finish(&mut self, code: &Code) {
        self.counters.finish(code);
        if let Some(races) = &mut self.races {
            races.finish();
        }
        if let Some(reads) = &mut self.reads {
            reads.finish();
        }
        if let Some(busiest) = &mut self.busiest {
            busiest.end();
        }
    }
}

/// The arguments of [`Checked::access_here`], which is compiled for every kind of vector unit, as the executor is.
struct Access<'c, 'e> {
    checked: &'c mut Checked,
    event: &'c AccessEvent<'e>,
}

impl pulp::WithSimd for Access<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.checked.access_here(self.event);
    }
}
