//! The replay of machine code: a warp issues its instructions in the order in which it executed them. An instruction waits
//! for the stall count of the one before, for the scoreboards of its own control bits, and for its pipe.

use super::super::operations::{Op, What};
use super::super::timeline::State;
use super::super::trace::{AccessKind, Action, Issue, Unit};
use super::super::units::{Hindrance, at};
use super::{Replay, SLEEP, Turn};
use crate::report::stall::Stall;

/// Scoreboards of a warp.
pub(super) const SCOREBOARDS: usize = 6;
/// Instructions from a store to the next one that follows it at once.
const AT_ONCE: u32 = 3;
/// Clocks that warps spent at an instruction, in each of [`Stall::ALL`].
pub type Stalls = [f64; Stall::ALL.len()];

/// What Nsight Compute tells of a warp's beginning and end, in clocks: its first instruction is not there yet, its end is found like
/// the target of a branch, and it drains, the longer where it has stored. An H200 tells 7 to 10, 7 to 8, and 2 to 7, or 21 to 25, of warps
/// that do nothing, set a flag, store a word or two, or compute 64 rounds, in blocks of 32 to 1024 threads; and warps that do
/// nothing are there for 35. Of longer waits of stores it tells about a quarter.
const BEGINS: f64 = 8.0;
const LEAVES: f64 = 8.0;
const DRAINS: f64 = 4.0;
const DRAINS_STORES: f64 = 22.0;
const SHORTEST: f64 = 35.0;
const QUEUED: f64 = 0.25;

/// The way of a state in the timeline.
const fn state(stall: Stall) -> State {
    match stall {
        Stall::Selected => State::Issue,
        Stall::Wait | Stall::BranchResolve | Stall::NoInstruction => State::Arithmetic,
        Stall::LongScoreboard => State::Memory,
        Stall::ShortScoreboard => State::Shared,
        Stall::Barrier => State::Barrier,
        Stall::MioThrottle
        | Stall::LgThrottle
        | Stall::MathPipeThrottle
        | Stall::DispatchStall
        | Stall::NotSelected => State::Busy,
        Stall::Membar | Stall::Sleeping | Stall::Drain => State::Fence,
    }
}

impl Replay<'_> {
    /// A warp spends clocks at an instruction.
    pub(super) fn stalled(&mut self, id: u32, pc: u32, (from, to): (f64, f64), why: Stall) {
        if to > from {
            self.stalls[pc as usize][why as usize] += to - from;
            self.spent(id, from, to, state(why));
        }
    }

    /// A warp of machine code ended, and has `drained` where it stored. What it waits at its beginning and end is told alone: it is part of
    /// what passes from one block to the next.
    pub(super) fn drained(&mut self, id: u32, ended: f64, drained: Option<f64>) {
        if self.stalls.is_empty() {
            return;
        }
        let warp = &self.warps[id as usize];
        let program = &self.programs[warp.block][warp.number];
        let (Some(first), Some(last)) = (program.first(), program.last()) else { return };
        let drains = match drained {
            Some(drained) => DRAINS_STORES + (drained - ended - self.rates.drain).max(0.0) * QUEUED,
            None => (SHORTEST - BEGINS - LEAVES - (ended - self.first_turn(warp.block))).max(DRAINS),
        };
        for (pc, why, clocks) in [
            (first.pc, Stall::NoInstruction, BEGINS),
            (last.pc, Stall::BranchResolve, LEAVES),
            (last.pc, Stall::Drain, drains),
        ] {
            self.stalls[pc as usize][why as usize] += clocks;
        }
    }

    /// Lets a warp issue until another one comes first, it waits at a barrier, or it ends.
    pub(super) fn run_code(&mut self, mut time: f64, id: u32) {
        let mut greedy = time;
        loop {
            let warp = &mut self.warps[id as usize];
            let Some(&Op { pc, what }) = self.programs[warp.block][warp.number].get(warp.next) else {
                self.end(time, id);
                return;
            };
            if let What::Lands(phase) = what {
                warp.next += 1;
                let copied = warp.copied;
                self.arrive(copied, id, phase);
                continue;
            }
            let issue = self.trace.code[pc as usize].issue.unwrap_or_default();
            let fetched = self.fetch.fetch(pc, &mut warp.line, time);
            let (operands, by) = warp.scoreboards(&issue, fetched);
            let (partition, block) = (warp.partition, warp.block as u32);
            let Hindrance { lost, issued, why } = self.units.hindrance(partition, &issue, operands, what);
            self.stalled(id, pc, (time, fetched), Stall::NoInstruction);
            self.stalled(id, pc, (fetched, operands), by);
            self.stalled(id, pc, (operands, lost), Stall::NotSelected);
            self.stalled(id, pc, (lost, issued), why);
            // Who has just issued and can go on at the next clock does so, whoever waits: else registers that it keeps (`.reuse`)
            // would be lost. That the banks of registers are late keeps it from being dispatched, not from being chosen. What all
            // partitions share is served in order of time all the same.
            let chosen = issued == greedy || why == Stall::DispatchStall && operands <= greedy;
            let goes_on = chosen && !matches!(issue.unit, Unit::Lsu | Unit::Adu);
            // Nobody takes a pipe or a place in a queue before others that come earlier, or as early: which of those is first is
            // told by their order.
            let behind = |next: &Turn| next.at < issued || next.at == issued && issued > greedy;
            if !goes_on && self.turns.peek().is_some_and(behind) {
                // Who waits for a place in front of L1 gets it in turn.
                let place = matches!(what, What::Global(_)) && self.units.room(partition) == issued;
                let since = *self.warps[id as usize].waits.get_or_insert(operands);
                self.turns.push(Turn { at: issued, block: if place { 0 } else { block }, since, warp: id });
                return;
            }
            self.warps[id as usize].waits = None;
            let before = warp_store(&self.warps[id as usize], pc);
            let done = self.units.issue_code(partition, &issue, issued, (what, before), (id, block));
            let next = issued + 1.0 / self.rates.issue;
            greedy = next;
            self.stalled(id, pc, (issued, next), Stall::Selected);
            self.took(id, (&issue, issued), what, &done);
            // A product of two words is dispatched twice, which no stall count tells.
            let twice = if issue.unit == Unit::FmaHeavy { f64::from(issue.dispatch) } else { 0.0 };
            let until = (issued + f64::from(issue.stall)).max(next) + twice;
            let warp = &mut self.warps[id as usize];
            let (behind, why) = match issue.action {
                Action::Fence => ((next + self.rates.fence_latency).max(warp.done), Stall::Membar),
                Action::Sleep => (next + SLEEP, Stall::Sleeping),
                Action::Part => (issued + self.rates.part, Stall::BranchResolve),
                Action::Plain
                | Action::Branch
                | Action::Call
                | Action::Converge
                | Action::Commit
                | Action::Await(_)
                | Action::Compare => (next, Stall::Wait),
            };
            self.stalled(id, pc, (next, behind), why);
            time = until.max(behind);
            match what {
                What::Barrier(opening, count) => {
                    // It has come when the unit of barriers has taken it.
                    self.wait(done.taken.max(next), id, (opening, count), 0.0);
                    return;
                }
                What::Arrive(phase) => self.arrive(next, id, phase),
                What::Wait(phase) => {
                    let Some(opened) = self.phase(time, id, phase) else { return };
                    self.stalled(id, pc, (time, opened), Stall::Barrier);
                    time = opened;
                }
                What::Plain | What::Off | What::Shared(_) | What::Global(_) | What::Lands(_) => {}
            }
            // What passes until the next instruction may be issued is told of that one; behind the last one there is none.
            let warp = &self.warps[id as usize];
            let following = self.programs[warp.block][warp.number].get(warp.next).map(|op| op.pc);
            if following.is_none() {
                self.stalled(id, pc, (behind, time), Stall::Wait);
            }
            if let Some(following) = following {
                let stall = time;
                if following != pc + 1 {
                    time = time.max(issued + self.rates.branch);
                }
                let found = match issue.action {
                    Action::Converge => self.rates.converge,
                    Action::Call => self.rates.call,
                    Action::Plain
                    | Action::Branch
                    | Action::Part
                    | Action::Fence
                    | Action::Sleep
                    | Action::Commit
                    | Action::Await(_)
                    | Action::Compare => 0.0,
                };
                time = time.max(issued + found);
                // The stall count passes in any case: the rest is for what follows to be found.
                let stall = stall.max(behind).min(time);
                self.stalled(id, following, (behind, stall), Stall::Wait);
                self.stalled(id, following, (stall, time), Stall::BranchResolve);
            }
        }
    }

    /// Remembers what an instruction gave that was issued.
    fn took(&mut self, id: u32, (issue, issued): (&Issue, f64), what: What, done: &super::super::units::Issued) {
        let warp = &mut self.warps[id as usize];
        warp.next += 1;
        let long = matches!(what, What::Global(_));
        // Who waits until the memory pipe has read a register for an access to global memory is told as waiting for memory, too: Nsight
        // Compute tells `long_scoreboard` of whatever L1 releases (an H200's kernels that overwrite addresses behind stores and
        // reductions have hardly any `short_scoreboard`).
        for (scoreboard, until) in [(issue.write, done.result), (issue.read, done.read)] {
            let Some(scoreboard) = scoreboard.map(usize::from).filter(|&number| number < SCOREBOARDS) else { continue };
            if until > warp.ready[scoreboard] {
                warp.ready[scoreboard] = until;
                warp.by[scoreboard] = if long { State::Memory } else { State::Shared };
            }
        }
        if let What::Global(access) = what {
            self.accessed[access as usize] = issued;
            let kind = self.trace.accesses[access as usize].kind;
            if kind == AccessKind::Copy {
                warp.copied = warp.copied.max(done.result);
            }
            warp.stored = None;
            match kind {
                AccessKind::Store => {
                    let pc = self.programs[warp.block][warp.number][warp.next - 1].pc;
                    warp.stored = Some((pc, access));
                    warp.handed = done.result - self.rates.store_latency;
                }
                AccessKind::Reduction => warp.handed = done.result - self.rates.atomic_latency,
                AccessKind::Load | AccessKind::LoadL2 | AccessKind::Atomic | AccessKind::Copy => {}
            }
        }
        if done.moves {
            warp.done = warp.done.max(done.result);
        }
        if issue.action == Action::Commit {
            warp.committed.push(warp.copied);
        }
    }

    /// The pipes' work of the whole replay.
    pub(super) fn close_code(&mut self) {
        self.units.close();
        debug_assert!(self.units.busy[at::ISSUE] >= 0.0);
    }
}

/// The store of a warp that the one at `pc` follows at once.
fn warp_store(warp: &super::Warp, pc: u32) -> Option<u32> {
    warp.stored.filter(|&(before, _)| before < pc && pc - before <= AT_ONCE).map(|(_, access)| access)
}

impl super::Warp {
    /// When the scoreboards are free that an instruction waits for, not before `time`, and what holds them until then.
    fn scoreboards(&self, issue: &Issue, time: f64) -> (f64, Stall) {
        let mut found = (time, Stall::Wait);
        for scoreboard in (0..SCOREBOARDS).filter(|number| issue.wait >> number & 1 == 1) {
            if self.ready[scoreboard] > found.0 {
                let long = self.by[scoreboard] == State::Memory;
                found = (self.ready[scoreboard], if long { Stall::LongScoreboard } else { Stall::ShortScoreboard });
            }
        }
        if let Action::Await(under_way) = issue.action
            && let Some(last) = self.committed.len().checked_sub(1 + usize::from(under_way))
            && self.committed[last] > found.0
        {
            found = (self.committed[last], Stall::LongScoreboard);
        }
        found
    }
}
