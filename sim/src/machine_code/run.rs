//! Who runs when: the warps of a block take turns; blocks run side by side unless they communicate.

use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::block::{Block, Executed, Faults, Held};
use super::contend::{self, Clocks, Steps};
use super::exec;
use super::machine::Machine;
use super::warp::{Wait, Warp};
use crate::findings::FindingKind;
use crate::observe::counters::Counters;

/// Most groups of blocks that run side by side. Fixed, so that results do not depend on the number of CPU threads.
const GROUPS: u64 = 256;
/// Warp-instructions of a warp's turn.
const TURN: u64 = 1 << 12;
/// The same where resident blocks have to go on side by side.
const BRIEF: u64 = 128;
/// The same, in the mean of a block's warps, where they compete in shared memory besides ([`contend`]).
const STEPS: u64 = 4;
/// Warp-instructions after which it is looked whether a block that communicates does anything.
const SLICE: u64 = 1 << 13;
/// Warp-instructions after which another block has its turn.
const QUANTUM: u64 = 1 << 18;

/// How long turns are, in instructions of a warp.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    turn: u64,
    slice: u64,
    quantum: u64,
}

impl Pace {
    /// Long turns: nobody looks at who comes first.
    const LONG: Self = Self { turn: TURN, slice: SLICE, quantum: QUANTUM };
    /// Short ones, so that resident blocks go on side by side, as on a GPU.
    pub(super) const BRIEF: Self = Self { turn: BRIEF, slice: 1, quantum: 0 };
}

/// How a visit to a block ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visit {
    Ended,
    /// No warp can go on.
    Waits,
    /// Its turn was over.
    Interrupted,
    /// Its budget is spent.
    Endless,
}

/// How long a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Length {
    /// Instructions of its warps.
    pub(super) all: u64,
    /// Those of its longest warp.
    pub(super) longest: u64,
}

impl Length {
    fn of(all: u64, warps: &[Warp]) -> Self {
        Self { all, longest: warps.iter().map(|warp| warp.executed).max().unwrap_or(0) }
    }
}

/// What blocks showed that ran.
pub(super) struct Ran {
    pub(super) executed: Vec<Executed>,
    pub(super) counters: Counters,
    pub(super) faults: Faults,
    /// What each block executed; ascending.
    pub(super) work: Vec<Length>,
    endless: bool,
}

impl Ran {
    fn of(mut block: Block<'_>, (endless, work): (bool, Vec<Length>)) -> Self {
        for (counts, executed) in block.counters.by_pc.iter_mut().zip(&block.executed) {
            counts.executed = executed.warps;
            counts.lanes = executed.pred_on;
        }
        Self { executed: block.executed, counters: block.counters, faults: block.faults, work, endless }
    }

    fn merge(mut self, mut later: Self) -> Self {
        // Whatever ran behind the first endless block was cut short at some point: it does not count.
        if self.endless {
            return self;
        }
        if self.executed.is_empty() {
            return later;
        }
        for (mine, theirs) in self.executed.iter_mut().zip(&later.executed) {
            mine.warps += theirs.warps;
            mine.threads += theirs.threads;
            mine.pred_on += theirs.pred_on;
            mine.divergent += theirs.divergent;
        }
        self.counters.merge(&later.counters);
        self.work.append(&mut later.work);
        for (key, fault) in later.faults {
            match self.faults.entry(key) {
                std::collections::btree_map::Entry::Occupied(mut own) => own.get_mut().count += fault.count,
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(fault);
                }
            }
        }
        self.endless = later.endless;
        self
    }
}

/// Runs all blocks.
pub(super) fn run(machine: &Machine<'_>) -> Ran {
    if machine.in_turn() {
        let mut block = Block::new(machine);
        let ran = residents(machine, &mut block, machine.grid.count(), (Pace::LONG, None));
        return Ran::of(block, ran);
    }
    let blocks = machine.grid.count();
    let per_group = blocks.div_ceil(GROUPS);
    let groups = blocks.div_ceil(per_group) as u32;
    let nothing = || Ran {
        executed: Vec::new(),
        counters: Counters::default(),
        faults: Faults::new(),
        work: Vec::new(),
        endless: false,
    };
    let group = |group: u32| {
        let mut block = Block::new(machine);
        let first = u64::from(group) * per_group;
        let ran = alone(machine, &mut block, first..(first + per_group).min(blocks), None);
        Ran::of(block, ran)
    };
    (0..groups).into_par_iter().map(group).reduce(nothing, Ran::merge)
}

fn warps_of(machine: &Machine<'_>) -> Vec<Warp> {
    let new = |_| Warp::new(machine.program.registers, machine.program.local_bytes);
    (0..machine.warps_per_block()).map(new).collect()
}

/// How long each of these blocks is, which are executed, ascending.
pub(super) fn count(machine: &Machine<'_>, blocks: &[u64]) -> Vec<Length> {
    let steps = Steps::of(machine);
    let one = |&index: &u64| {
        let mut block = Block::new(machine);
        alone(machine, &mut block, index..index + 1, steps.as_ref()).1.first().copied().unwrap_or_default()
    };
    blocks.par_iter().map(one).collect()
}

/// Runs the beginning of each of these blocks one after another: so many instructions of each warp, in the mean.
pub(super) fn beginnings(
    machine: &Machine<'_>,
    block: &mut Block<'_>,
    blocks: std::ops::Range<u64>,
    instructions: u64,
) {
    let mut warps = warps_of(machine);
    for index in blocks {
        block.start(index, &mut warps);
        let all = instructions * warps.len() as u64;
        visit(block, &mut warps, all, instructions);
    }
}

/// Runs these blocks one after another; with `steps` the warps of each go on side by side.
pub(super) fn each(machine: &Machine<'_>, block: &mut Block<'_>, blocks: &[u64], steps: Option<&Steps>) {
    alone(machine, block, blocks.iter().copied(), steps);
}

/// Runs blocks one after another, each to its end; with `steps` their warps go on side by side. True when one came to none; and how
/// long each is.
fn alone(
    machine: &Machine<'_>,
    block: &mut Block<'_>,
    blocks: impl Iterator<Item = u64>,
    steps: Option<&Steps>,
) -> (bool, Vec<Length>) {
    let mut warps = warps_of(machine);
    let mut work = Vec::new();
    for index in blocks {
        if index > machine.endless.load(Relaxed) {
            break;
        }
        block.start(index, &mut warps);
        let before = block.work;
        let seen = match steps {
            Some(steps) => {
                let mut clocks = Clocks::of(&warps, steps);
                contend::visit(block, &mut warps, (&mut clocks, steps), u64::MAX)
            }
            None => visit(block, &mut warps, u64::MAX, TURN),
        };
        work.push(Length::of(block.work.wrapping_sub(before), &warps));
        match seen {
            Visit::Waits => note_deadlock(block, &warps),
            Visit::Endless => note_endless(block, &warps),
            Visit::Ended | Visit::Interrupted => continue,
        }
        machine.endless.fetch_min(index, Relaxed);
        return (true, work);
    }
    (false, work)
}

/// Runs the blocks that are resident together in turn: each until it ends, waits or has had its turn. True when they come
/// to no end; and how long each is. `count`: so many of the first blocks run; with `steps` their warps go on side by
/// side.
pub(super) fn residents(
    machine: &Machine<'_>,
    block: &mut Block<'_>,
    count: u64,
    (pace, steps): (Pace, Option<&Steps>),
) -> (bool, Vec<Length>) {
    let mut work = vec![Length::default(); count as usize];
    let (mut list, mut spare): (Vec<Held>, Vec<Held>) = (Vec::new(), Vec::new());
    let (mut next, mut at) = (0, 0);
    // Warp-instructions since anything changed or a block came to its end; blocks that cannot go on by themselves.
    let (mut streak, mut stuck) = (0u64, 0usize);
    loop {
        if at >= list.len() {
            if next < count && (list.len() as u64) < machine.resident_blocks {
                let mut held = spare.pop().unwrap_or_else(|| Held {
                    index: 0,
                    warps: warps_of(machine),
                    shared: Vec::new(),
                    budget: 0,
                    arrivals: Default::default(),
                    clocks: Clocks::default(),
                });
                block.exchange(&mut held);
                block.start(next, &mut held.warps);
                if let Some(steps) = steps {
                    held.clocks = Clocks::of(&held.warps, steps);
                }
                block.exchange(&mut held);
                next += 1;
                stuck = 0;
                list.push(held);
                at = list.len() - 1;
            } else if list.is_empty() {
                return (false, work);
            } else {
                at = 0;
            }
        }
        let mut held = list.remove(at);
        block.exchange(&mut held);
        let (mut used, start) = (0, block.changes);
        let seen = loop {
            let (before, budget, done) = (block.changes, block.budget, block.work);
            let seen = match steps {
                Some(steps) => {
                    let most = STEPS * held.warps.len() as u64;
                    contend::visit(block, &mut held.warps, (&mut held.clocks, steps), most)
                }
                None => visit(block, &mut held.warps, pace.slice, pace.turn),
            };
            used += budget - block.budget;
            let length = &mut work[block.index as usize];
            *length = Length::of(length.all + block.work.wrapping_sub(done), &held.warps);
            if seen != Visit::Interrupted || block.changes == before || used >= pace.quantum {
                break seen;
            }
        };
        streak = if block.changes == start { streak + used } else { 0 };
        if seen == Visit::Endless || streak > machine.budget {
            note_endless(block, &held.warps);
            return (true, work);
        }
        if seen == Visit::Waits {
            stuck += 1;
            if stuck > list.len() {
                note_deadlock(block, &held.warps);
                return (true, work);
            }
        } else {
            stuck = 0;
        }
        block.exchange(&mut held);
        if seen == Visit::Ended {
            streak = 0;
            spare.push(held);
            // The oldest may have waited for it.
            at = if list.is_empty() { list.len() } else { 0 };
        } else {
            list.insert(at, held);
            at += 1;
        }
    }
}

/// Lets the warps of a block take turns.
fn visit(block: &mut Block<'_>, warps: &mut [Warp], quantum: u64, turn: u64) -> Visit {
    let start = block.budget;
    loop {
        let (mut ran, mut waits) = (false, false);
        for warp in warps.iter_mut() {
            block.turn(warp.index);
            let mut fuel = turn.min(block.budget);
            let full = fuel;
            while fuel > 0
                && let Some(at) = runnable(warp)
            {
                ran = true;
                exec::run(warp, block, at, &mut fuel);
                if std::mem::take(&mut warp.yields) {
                    break;
                }
            }
            block.budget = block.budget.saturating_sub(full - fuel);
            block.work = block.work.wrapping_add(full - fuel);
            waits |= warp.groups.iter().any(|group| matches!(group.wait, Wait::Barrier(_)));
        }
        if warps.iter().all(|warp| warp.groups.is_empty()) {
            return Visit::Ended;
        }
        if block.budget == 0 {
            return Visit::Endless;
        }
        let opened = waits && block.open_barriers(warps);
        if !ran && !opened {
            return Visit::Waits;
        }
        if start - block.budget.min(start) >= quantum {
            return Visit::Interrupted;
        }
    }
}

/// The group that runs next: of those that had the fewest turns, the one with the highest program counter.
pub(super) fn runnable(warp: &Warp) -> Option<usize> {
    if let [group] = warp.groups[..] {
        return (group.wait == Wait::None).then_some(0);
    }
    let groups = warp.groups.iter().enumerate().filter(|(_, group)| group.wait == Wait::None);
    groups.min_by_key(|(_, group)| (group.turns, u32::MAX - group.pc)).map(|(at, _)| at)
}

/// Where a block stands: of its first warp that has not ended, the first group.
fn place(warps: &[Warp]) -> (u32, u32, u32) {
    let group = warps.iter().find_map(|warp| warp.groups.first().map(|group| (group.pc, warp.index, group.mask)));
    group.unwrap_or((0, 0, 0))
}

fn note_endless(block: &mut Block<'_>, warps: &[Warp]) {
    if !block.faults.is_empty() {
        return;
    }
    let (pc, warp, lanes) = place(warps);
    let message = format!(
        "block {} has executed {} warp instructions and comes to no end",
        block.coordinates, block.machine.budget
    );
    let help = "look for a loop whose condition never changes; a longer kernel needs a larger --budget";
    block.fault(pc, FindingKind::Budget, (warp, lanes), (message, help), None);
}

fn note_deadlock(block: &mut Block<'_>, warps: &[Warp]) {
    if !block.faults.is_empty() {
        return;
    }
    let (pc, warp, lanes) = place(warps);
    let message = format!("no thread of block {} can go on: those that are left wait for others", block.coordinates);
    let help = "let all threads of the block reach the same barrier";
    block.fault(pc, FindingKind::Deadlock, (warp, lanes), (message, help), None);
}
