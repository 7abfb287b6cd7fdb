//! The warps of a block side by side, each with a clock of its own.
//!
//! Loops around a compare-and-swap in shared memory go round as often as others come in between: a warp's swap succeeds where
//! nobody has swapped since it loaded. How often is a matter of time, so the warps are executed here one instruction at a time,
//! always the one whose instruction is due first by the control bits of the machine code and by measured latencies. It is a
//! sketch of the replay of `predict`, which comes after it and cannot change any more what was executed: pipes of arithmetic,
//! caches and other blocks are left out.

use super::block::Block;
use super::exec;
use super::issue;
use super::machine::Machine;
use super::op::{Op, Space};
use super::run::{Visit, runnable};
use super::warp::{Wait, Warp};
use crate::observe::counters::Counters;
use crate::predict::rates::Rates;
use crate::predict::trace::{Action, Issue, Unit};

/// Schedulers of a multiprocessor: warp n belongs to number n modulo 4.
const SCHEDULERS: usize = 4;
/// Instructions after which lanes of a warp that went another way have their turn.
const APART: u64 = 64;

/// What instructions ask of the clocks.
pub(super) struct Steps {
    of: Vec<Step>,
    branch: u64,
    converge: u64,
    barrier: u64,
}

struct Step {
    issue: Issue,
    /// Clocks from its start to its result.
    latency: u64,
}

impl Steps {
    /// Of a program whose warps may compete in shared memory; of others nothing, since it is all the same when their warps run.
    pub(super) fn of(machine: &Machine<'_>) -> Option<Self> {
        if !machine.program.contends {
            return None;
        }
        let rates = Rates::of(machine.target).0;
        let step = |(inst, instruction): (&super::program::Inst, crate::predict::trace::Instruction)| {
            let issue = instruction.issue?;
            let latency = match &inst.op {
                Op::Load(access) if access.space == Space::Shared => clocks(rates.shared_latency),
                Op::Load(access) if matches!(access.space, Space::Global | Space::Generic) => clocks(rates.l2_latency),
                Op::Atomic(atomic) if atomic.space != Space::Shared => clocks(rates.atomic_latency),
                _ => u64::from(issue.latency),
            };
            Some(Step { issue, latency })
        };
        let of =
            machine.program.instructions.iter().zip(issue::code(machine.program)).map(step).collect::<Option<_>>()?;
        let [branch, converge, barrier] = [rates.branch, rates.converge, rates.barrier_latency].map(clocks);
        Some(Self { of, branch, converge, barrier })
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clocks are few and no negative")]
fn clocks(value: f64) -> u64 {
    value.round() as u64
}

/// When a warp may go on.
#[derive(Clone, Copy, Default)]
struct Clock {
    next: u64,
    scoreboards: [u64; 6],
    /// Whether a barrier holds it.
    held: bool,
    /// When its next instruction may be issued, if the scheduler is free; `None` if it has none that may.
    due: Option<u64>,
}

impl Clock {
    fn look(&mut self, warp: &Warp, steps: &Steps) {
        self.due = runnable(warp).map(|at| {
            let waits = steps.of.get(warp.groups[at].pc as usize).map_or(0, |step| step.issue.wait);
            let waited = self.scoreboards.iter().enumerate().filter(|(bit, _)| waits >> bit & 1 != 0);
            waited.fold(self.next, |time, (_, &ready)| time.max(ready))
        });
    }
}

/// The clocks of a block.
#[derive(Default)]
pub(super) struct Clocks {
    warps: Vec<Clock>,
    schedulers: [u64; SCHEDULERS],
    /// When the pipe of memory is free.
    queue: u64,
    now: u64,
}

impl Clocks {
    /// Of a block that begins.
    pub(super) fn of(warps: &[Warp], steps: &Steps) -> Self {
        let mut clocks = Self { warps: vec![Clock::default(); warps.len()], ..Self::default() };
        for (clock, warp) in clocks.warps.iter_mut().zip(warps) {
            clock.look(warp, steps);
        }
        clocks
    }
}

/// Lets the warps of a block run until they end or cannot go on, or have executed so many instructions.
pub(super) fn visit(
    block: &mut Block<'_>,
    warps: &mut [Warp],
    (clocks, steps): (&mut Clocks, &Steps),
    most: u64,
) -> Visit {
    let begun = block.work;
    loop {
        let Clocks { warps: own, schedulers, queue, now } = clocks;
        let due = |(number, clock): (usize, &Clock)| Some((clock.due?.max(schedulers[number % SCHEDULERS]), number));
        let Some((time, number)) = own.iter().enumerate().filter_map(due).min() else {
            if warps.iter().all(|warp| warp.groups.is_empty()) {
                return Visit::Ended;
            }
            if !open(block, warps, own, (*now + steps.barrier, steps)) {
                return Visit::Waits;
            }
            continue;
        };
        if block.budget == 0 {
            return Visit::Endless;
        }
        if block.work.wrapping_sub(begun) >= most {
            return Visit::Interrupted;
        }
        *now = time;
        let warp = &mut warps[number];
        let at = runnable(warp).unwrap_or(0);
        let (pc, turns) = (warp.groups[at].pc, warp.groups[at].turns);
        let before = served(&block.counters, pc);
        block.turn(warp.index);
        let mut fuel = 1;
        exec::run(warp, block, at, &mut fuel);
        block.budget = block.budget.saturating_sub(1 - fuel);
        block.work = block.work.wrapping_add(1 - fuel);
        let wavefronts = served(&block.counters, pc).saturating_sub(before);
        let gave_way = std::mem::take(&mut warp.yields);
        // One instruction is no turn of the lanes that took it.
        if let Some(group) = warp.groups.get_mut(at)
            && !gave_way
            && !warp.executed.is_multiple_of(APART)
        {
            group.turns = group.turns.min(turns);
        }
        let following = warp.groups.get(at).map(|group| group.pc);
        let held = warp.groups.iter().any(|group| matches!(group.wait, Wait::Barrier(_)));
        let stops = held
            || warp.groups.is_empty()
            || steps.of.get(pc as usize).is_some_and(|step| step.issue.unit == Unit::Adu);
        schedulers[number % SCHEDULERS] = time + 1;
        let clock = &mut own[number];
        clock.held = held;
        if let Some(Step { issue, latency }) = steps.of.get(pc as usize) {
            let mut start = time;
            if issue.unit == Unit::Lsu {
                start = start.max(*queue);
                *queue = start + wavefronts.max(1);
            }
            if let Some(ready) = issue.write.and_then(|number| clock.scoreboards.get_mut(usize::from(number))) {
                *ready = (*ready).max(start + latency + wavefronts.saturating_sub(1));
            }
            let found = if issue.action == Action::Converge { steps.converge } else { 0 };
            let found = if following == Some(pc + 1) { found } else { found.max(steps.branch) };
            clock.next = time + u64::from(issue.stall.max(1)).max(found);
        }
        clock.look(&warps[number], steps);
        if stops {
            open(block, warps, own, (time + steps.barrier, steps));
        }
    }
}

/// Wavefronts of shared memory that an instruction has taken so far.
fn served(counters: &Counters, pc: u32) -> u64 {
    counters.by_pc.get(pc as usize).map_or(0, |counts| counts.shared.cost + counts.loop_loads.cost)
}

/// Opens the barriers that all have reached; whoever waited there goes on at `time`. True when one opened.
fn open(block: &mut Block<'_>, warps: &mut [Warp], clocks: &mut [Clock], (time, steps): (u64, &Steps)) -> bool {
    let waits = |warp: &Warp| warp.groups.iter().any(|group| matches!(group.wait, Wait::Barrier(_)));
    if !clocks.iter().any(|clock| clock.held) || !block.open_barriers(warps) {
        return false;
    }
    for (warp, clock) in warps.iter().zip(clocks) {
        if clock.held && !waits(warp) {
            (clock.held, clock.next) = (false, clock.next.max(time));
        }
        clock.look(warp, steps);
    }
    true
}
