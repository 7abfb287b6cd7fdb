//! The warp scheduler of a thread block: its warps take turns until all have exited or none can go on.

use std::sync::atomic::Ordering::Relaxed;

use super::spin::{self, Watched};
use crate::event::{Observer, SyncEvent};
use crate::exec;
use crate::machine::block::Block;
use crate::machine::paths::Wait;
use crate::machine::warp::{FIRST_PATIENCE, Spin, Warp};
use crate::target::Scheduling;

/// Instructions that a warp executes before the next one has its turn: enough to keep it in the caches, few enough
/// that a warp that waits for another in a loop does not waste much.
pub(super) const TURN: u64 = 4096;

/// The same where blocks communicate, so that more is waited for.
pub(super) const BRIEF_TURN: u64 = 1024;

/// The same for a warp that has had no effect for a whole turn and has looked at memory: it probably waits.
const SHORT_TURN: u64 = 256;

/// Instructions without an effect after which a warp that looks at memory is watched for the first time.
const PATIENCE: u64 = FIRST_PATIENCE;
/// The same for a warp without atomics and volatile accesses, which most probably works.
const WORKING_PATIENCE: u64 = 1 << 16;
/// The same for a warp that spun before: what it waited for may not have come yet.
const SHORT_PATIENCE: u64 = 64;
/// Watching costs time, so a warp that worked whenever it was watched is watched less and less often, up to this.
const LONG_PATIENCE: u64 = 1 << 20;

/// A clock that shows more than this has shown more than any loop waits for: 36 years in nanoseconds.
const END_OF_TIME: u64 = 1 << 60;

/// Instructions without an effect after which a warp that looks at memory is believed to wait for lanes of its own that
/// wait for it behind a loop, though it could not be proved.
const BELIEF: u64 = 1 << 14;

/// Why a thread block has stopped running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visit {
    /// It has come to its end, good or bad.
    Ended,
    /// Its budget is spent.
    Endless,
    /// Some warps spin, the others wait: nothing happens before another block changes memory.
    Waits,
    /// All its warps have run for long without an effect.
    Idles,
    /// It has had its turn.
    Interrupted,
    /// It pauses before a warp's turn, for one who steps it.
    Paused,
    /// It stopped within a warp's turn, for one who steps it: it can be looked at, and not go on.
    Halted,
}

/// How far a block is in the turns of its warps.
#[derive(Debug, Clone, Default)]
pub(super) struct Round {
    /// The budget at which its visit ends.
    last: Option<u64>,
    /// A round is under way.
    open: bool,
    /// The warp that is first in it, and how many have had their turn.
    first: usize,
    done: usize,
    /// Some warp ran; some warp did not only wait.
    ran: bool,
    busy: bool,
    /// It pauses before the next turn.
    paused: bool,
}

impl<O: Observer> Block<'_, O> {
    /// Runs the block until it ends, waits for other blocks, or has executed about `quantum` warp-instructions. A visit that
    /// was paused goes on with its `round`, every other one with a new one.
    pub(super) fn visit(&mut self, warps: &mut [Warp], quantum: u64, round: &mut Round) -> Visit {
        let last = *round.last.get_or_insert(self.budget.saturating_sub(quantum));
        let visit = self.visit_until(warps, last, round);
        if !matches!(visit, Visit::Paused | Visit::Halted) {
            *round = Round::default();
        }
        if O::CHECKS && visit == Visit::Ended {
            self.observer.sync(&SyncEvent::End);
        }
        visit
    }

    /// The same until the budget is down to `last`.
    fn visit_until(&mut self, warps: &mut [Warp], last: u64, round: &mut Round) -> Visit {
        loop {
            if !round.open {
                let first = self.dice.as_mut().map_or(0, |dice| dice.below(warps.len()));
                *round = Round { last: round.last, open: true, first, ..Round::default() };
            }
            while round.done < warps.len() {
                if O::STEPS && self.pauses(round) {
                    return Visit::Paused;
                }
                let number = round.first + round.done;
                round.done += 1;
                let warp = &mut warps[if number < warps.len() { number } else { number - warps.len() }];
                if self.turn(warp) {
                    round.ran = true;
                    // A warp that looks at nothing of others cannot wait for them, however long it works.
                    round.busy |= warp.idle < PATIENCE || !warp.communicated;
                }
                if O::STEPS && self.pace.halted.is_some() {
                    return Visit::Halted;
                }
            }
            round.open = false;
            if warps.iter().all(|warp| warp.paths.list.is_empty()) {
                return Visit::Ended;
            }
            if self.budget == 0 {
                return Visit::Endless;
            }
            if self.index > self.machine.endless.load(Relaxed) || self.machine.is_stopped() {
                return Visit::Ended;
            }
            if self.open_barriers(warps) {
                if self.yields && self.budget <= last {
                    return Visit::Interrupted;
                }
                continue;
            }
            if !round.ran {
                if warps.iter().any(|warp| warp.spin.is_some()) {
                    return Visit::Waits;
                }
                self.note_unreachable(warps);
                return Visit::Ended;
            }
            if !round.busy {
                return Visit::Idles;
            }
            if self.budget <= last {
                return Visit::Interrupted;
            }
        }
    }

    /// Whether it pauses before the next warp's turn: once.
    fn pauses(&self, round: &mut Round) -> bool {
        round.paused = !round.paused && self.pace.pause.is_some_and(|pause| self.pace.left <= pause);
        round.paused
    }

    /// Lets a warp run until it waits, exits or has had its turn. False when it cannot run at all.
    fn turn(&mut self, warp: &mut Warp) -> bool {
        if warp.spin.as_ref().is_some_and(|spin| spin.changes == self.changes) {
            return false;
        }
        warp.spin = None;
        if O::CHECKS {
            self.observer.turn(self.index, warp.index);
        }
        let changes = self.changes;
        let turn = match &mut self.dice {
            Some(dice) => 1 << dice.below(13),
            None if warp.idle > 0 && warp.communicated => SHORT_TURN,
            None => self.turn,
        };
        warp.communicated = false;
        let mut fuel = turn.min(self.budget);
        let start = fuel;
        let mut ran = false;
        let mut waits = false;
        // The path that was executed last, if nothing but its stride keeps it from going on.
        let mut going = None;
        while fuel > 0 {
            let Some(path) = going.take().or_else(|| self.choose(warp)) else {
                if exec::warp_ops::wake(warp, self) {
                    ran = true;
                    continue;
                }
                waits = true;
                break;
            };
            ran = true;
            let mut rest = fuel;
            if O::STEPS {
                if exec::arrives(warp, self, path) {
                    continue;
                }
                match self.stride(warp, path) {
                    Some(stride) => rest = fuel.min(stride),
                    None => return ran,
                }
            }
            let before = rest;
            let goes_on = exec::run(warp, self, path, &mut rest);
            let used = before - rest;
            fuel -= used;
            warp.clock += used;
            warp.executed += used;
            self.budget -= used;
            if O::STEPS {
                self.pace.left -= used;
                going = goes_on.then_some(path);
            }
            if std::mem::take(&mut warp.sleeps) {
                break;
            }
        }
        self.observer.worked(warp.executed);
        self.machine.executed(start - fuel);
        if waits || self.changes != changes {
            warp.idle = 0;
            warp.patience = warp.patience.min(PATIENCE);
            return ran;
        }
        warp.idle += start - fuel;
        // A path that spins must not keep the others from running: the first becomes the last.
        if self.machine.scheduling == Scheduling::Independent && warp.paths.list.len() > 1 {
            warp.paths.list.rotate_right(1);
        }
        let patience = if warp.communicated { warp.patience } else { warp.patience.max(WORKING_PATIENCE) };
        if warp.idle >= patience && self.budget > 0 {
            self.watch(warp);
        }
        ran
    }

    /// The path that runs next: the last that came into being, unless the schedule wants another.
    fn choose(&mut self, warp: &Warp) -> Option<usize> {
        let paths = &warp.paths;
        if self.machine.scheduling == Scheduling::LockStep {
            return paths.innermost().filter(|&path| paths.list[path].wait == Wait::None);
        }
        if let Some(dice) = &mut self.dice
            && paths.list.len() > 1
        {
            let first = dice.below(paths.list.len());
            let count = paths.list.len();
            return (first..count).chain(0..first).find(|&path| paths.list[path].wait == Wait::None);
        }
        paths.list.iter().rposition(|path| path.wait == Wait::None)
    }

    /// Looks closer at a warp that has had no effect for long.
    fn watch(&mut self, warp: &mut Warp) {
        let independent = self.machine.scheduling == Scheduling::Independent;
        let watched = spin::watch(self, warp);
        if O::STEPS && self.pace.halted.is_some() {
            return;
        }
        match watched {
            // A lane that holds a lock may wait for lanes that want it to leave the loop in which they ask for it. The
            // hardware's compiler puts the meeting point behind the release of the lock, or makes lanes yield.
            Watched::Spins(_) if independent && warp.paths.stop_waiting() => {
                warp.idle = 0;
                warp.patience = SHORT_PATIENCE;
            }
            Watched::Spins(spin) => {
                warp.spin = Some(spin);
                warp.patience = SHORT_PATIENCE;
            }
            // No time is long enough: it waits for something else.
            Watched::WaitsForTime(looks) if warp.clock > END_OF_TIME => {
                let mut looks = looks;
                looks.sort_by_key(|look| (look.pc, look.address));
                looks.dedup();
                warp.spin = Some(Spin { changes: self.changes, looks });
                warp.patience = SHORT_PATIENCE;
            }
            watched => {
                if independent && warp.communicated && warp.idle >= BELIEF && warp.paths.stop_waiting() {
                    warp.idle = 0;
                }
                warp.patience = (warp.idle.max(PATIENCE) * 2).min(warp.idle + LONG_PATIENCE);
                // Whoever only watches the clock is shown longer and longer steps of time, so that waiting for a second
                // takes none.
                if matches!(watched, Watched::WaitsForTime(_)) {
                    warp.clock += warp.clock / 2;
                    warp.patience = warp.idle + PATIENCE;
                }
            }
        }
    }
}
