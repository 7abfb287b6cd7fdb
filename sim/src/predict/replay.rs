//! One multiprocessor, clock by clock: the warps of a sample of thread blocks issue in order, wait for operands,
//! barriers and the memory pipe, and share what all multiprocessors share by its equal part.

use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::operations::{self, Op, What};
use super::rates::Rates;
use super::timeline::{Lane, State, Timeline};
use super::trace::{AccessKind, Trace};
use super::units::{Units, at};
use super::weights::{Action, Cost, Pipe};
use super::{convert, order, weights};
use crate::report::stall::Stall;
pub use code::Stalls;
use fetch::Fetch;
use phases::{Phase, arrivals};
pub use shape::{Replayed, Shape};
use turn::Turn;

/// Clocks for which a warp that jumps issues nothing.
const BRANCH: f64 = 2.0;
/// Instructions at the beginning of a warp that no PTX instruction stands for: its numbers, constants, addresses.
const PROLOGUE: f64 = 8.0;
/// Clocks of `block_latency` that are the benchmark's own instructions, in front of and behind the clocks that it spins: as
/// many as they take by the rules of machine code (64 warps whose loop keeps the ALU pipe busy for 8 clocks a round).
const OF_SPIN: f64 = 240.0;
/// Clocks that `nanosleep` takes at least.
const SLEEP: f64 = 40.0;

struct Warp {
    block: usize,
    number: usize,
    /// Position among its operations.
    next: usize,
    /// When each register's value is there.
    ready: Vec<f64>,
    /// What each register's value comes from.
    by: Vec<State>,
    partition: usize,
    /// When all its accesses are done.
    done: f64,
    /// When L2 took its last store.
    handed: f64,
    /// When it came to the barrier at which it waits.
    since: f64,
    /// Since when it could issue its next instruction, if something keeps it.
    waits: Option<f64>,
    /// When the last of its asynchronous copies is done.
    copied: f64,
    /// When each group of asynchronous copies is done.
    committed: Vec<f64>,
    /// The line of code that it has, of machine code.
    line: u32,
    /// Its last store: the instruction and the access.
    stored: Option<(u32, u32)>,
}

/// Those who wait for an opening of a barrier.
#[derive(Default)]
struct Waiting {
    latest: f64,
    warps: Vec<u32>,
}

struct Replay<'a> {
    trace: &'a Trace,
    rates: &'a Rates,
    costs: Vec<Cost>,
    programs: Vec<Vec<Vec<Op>>>,
    registers: usize,
    units: Units<'a>,
    fetch: Fetch,
    warps: Vec<Warp>,
    turns: BinaryHeap<Turn>,
    /// Warps of each block that have not ended.
    left: Vec<usize>,
    barriers: HashMap<(usize, u32), Waiting>,
    /// By block and number; in order, so that every replay is alike.
    phases: BTreeMap<(usize, u32), Phase>,
    /// Clocks between two blocks that this multiprocessor gets.
    interval: f64,
    starter: f64,
    next_block: usize,
    ends: Vec<f64>,
    /// When each block began, and how long it took.
    begun: Vec<f64>,
    lasted: Vec<f64>,
    /// When each access was issued.
    accessed: Vec<f64>,
    states: [f64; State::ALL.len()],
    stalls: Vec<Stalls>,
    took: Vec<f64>,
    /// Instructions at the beginning of a warp that are not in the trace.
    prologue: f64,
    /// Clocks from the end of a block to the first of these instructions.
    between: f64,
    /// Warps whose way is kept.
    followed: usize,
    timeline: Timeline,
}

/// Replays a trace.
pub fn replay(trace: &Trace, shape: &Shape, rates: &Rates) -> Replayed {
    if trace.is_machine_code() {
        let programs =
            trace.blocks.iter().map(|block| block.warps.iter().map(|w| operations::as_executed(w)).collect());
        return replay_of(trace, shape, rates, Vec::new(), programs.collect(), code::SCOREBOARDS);
    }
    let converted = convert::convert(&trace.code);
    let costs = weights::costs(&trace.code, &converted);
    let ranks = order::ranks(&trace.code, &costs, &converted);
    let leads = |pc: u32| converted.leads[pc as usize];
    let skips = |pc: u32| trace.code[pc as usize].target.filter(|_| converted.gone[pc as usize]);
    let of_block = |block: &super::trace::BlockTrace| {
        block.warps.iter().map(|events| operations::of(events, &ranks, &leads, &skips)).collect::<Vec<_>>()
    };
    let programs: Vec<Vec<Vec<Op>>> = trace.blocks.iter().map(of_block).collect();
    let registers = trace.code.iter().flat_map(|i| i.reads.iter().chain(&i.writes)).max();
    replay_of(trace, shape, rates, costs, programs, registers.map_or(0, |&most| most as usize + 1))
}

/// Replays the operations of every warp of every block.
fn replay_of(
    trace: &Trace,
    shape: &Shape,
    rates: &Rates,
    costs: Vec<Cost>,
    programs: Vec<Vec<Vec<Op>>>,
    registers: usize,
) -> Replayed {
    let code = trace.is_machine_code();
    let started = (shape.blocks as f64).min(rates.multiprocessors);
    // Of what all share, multiprocessors with less work leave more to the one with the most.
    let resident = f64::from(shape.resident).min((shape.blocks as f64 / started).ceil());
    // So do those that get fewer blocks of a launch whose blocks all run at once.
    let at_once = started.min((shape.blocks as f64 / resident.max(1.0)).max(1.0));
    let active = shape.whole.map_or(at_once, |whole| whole.clamp(1.0, started));
    let mut units =
        Units::new(trace, rates, active, resident, shape.warm, rates.l1_beside(shape.shared_bytes, shape.resident));
    let times = shape.whole.unwrap_or(shape.blocks as f64 / trace.followed().max(1) as f64);
    units.scale(times, active);
    let mut replay = Replay {
        left: programs.iter().map(Vec::len).collect(),
        trace,
        rates,
        costs,
        programs,
        registers,
        units,
        fetch: Fetch::new(trace.code.len(), rates),
        warps: Vec::new(),
        turns: BinaryHeap::new(),
        barriers: HashMap::new(),
        phases: arrivals(trace),
        interval: rates.block_start * started,
        starter: 0.0,
        next_block: 0,
        ends: Vec::new(),
        begun: Vec::new(),
        lasted: Vec::new(),
        accessed: vec![0.0; trace.accesses.len()],
        states: [0.0; State::ALL.len()],
        stalls: vec![[0.0; Stall::ALL.len()]; if code { trace.code.len() } else { 0 }],
        took: vec![0.0; trace.blocks.len()],
        prologue: if code { 0.0 } else { PROLOGUE },
        between: if code { (rates.block_latency - OF_SPIN).max(0.0) } else { rates.block_latency },
        followed: shape.followed,
        timeline: Timeline::default(),
    };
    let resident = (shape.resident.max(1) as usize).min(trace.blocks.len());
    (0..resident).for_each(|_| replay.start(0.0));
    loop {
        match replay.turns.pop() {
            Some(turn) if code => replay.run_code(turn.at, turn.warp),
            Some(turn) => replay.run(turn.at, turn.warp),
            None if replay.give_up() => {}
            None => break,
        }
    }
    replay.close_code();
    replay.finish(shape)
}

impl Replay<'_> {
    /// Starts the next block where one ended at `time`.
    fn start(&mut self, time: f64) {
        let Some(program) = self.programs.get(self.next_block) else { return };
        let begin = time.max(self.starter);
        self.starter = begin + self.interval;
        self.begun.push(begin);
        self.units.busy[at::STARTS] += self.interval;
        for number in 0..program.len() {
            let partition = self.warps.len() % (self.rates.partitions as usize).clamp(1, 4);
            let (ready, by) = (vec![0.0; self.registers], vec![State::Issue; self.registers]);
            let block = self.next_block;
            let (done, handed, since, copied, committed) = (0.0, 0.0, 0.0, 0.0, Vec::new());
            let warp = Warp {
                block,
                number,
                next: 0,
                ready,
                by,
                partition,
                done,
                handed,
                since,
                waits: None,
                copied,
                committed,
                line: fetch::NONE,
                stored: None,
            };
            if self.timeline.lanes.len() < self.followed {
                self.timeline.lanes.push(Lane { block, warp: number, spans: Vec::new() });
            }
            self.units.begin(self.prologue);
            let first = self.first_turn(block);
            self.turns.push(Turn::at(first, self.warps.len() as u32));
            self.warps.push(warp);
        }
        self.next_block += 1;
    }

    /// When the warps of a block come to their first instruction.
    fn first_turn(&self, block: usize) -> f64 {
        self.begun[block] + self.between + self.prologue
    }

    /// Lets a warp issue until another one comes first, it waits at a barrier, or it ends.
    fn run(&mut self, mut time: f64, id: u32) {
        loop {
            let warp = &mut self.warps[id as usize];
            let Some(&Op { pc, what }) = self.programs[warp.block][warp.number].get(warp.next) else {
                self.end(time, id);
                return;
            };
            let (inst, cost) = (&self.trace.code[pc as usize], self.costs[pc as usize]);
            let mut operands = 0.0;
            let mut by = State::Arithmetic;
            for &reg in &inst.reads {
                if warp.ready[reg as usize] > operands {
                    (operands, by) = (warp.ready[reg as usize], warp.by[reg as usize]);
                }
            }
            if cost.slots == 0.0 && matches!(what, What::Plain) {
                for &reg in &inst.writes {
                    (warp.ready[reg as usize], warp.by[reg as usize]) = (operands, by);
                }
                warp.next += 1;
                continue;
            }
            let issued = self.units.earliest(warp.partition, &cost, time.max(operands));
            if issued > time && self.turns.peek().is_some_and(|next| next.at < issued) {
                self.turns.push(Turn::at(issued, id));
                self.waited(id, time, operands, issued, by);
                return;
            }
            let (result, moves) = self.units.issue(warp.partition, &cost, issued, what, warp.block as u32);
            for &reg in &inst.writes {
                (warp.ready[reg as usize], warp.by[reg as usize]) = (result, comes_from(&cost, what));
            }
            if let What::Global(access) = what {
                self.accessed[access as usize] = issued;
                if self.trace.accesses[access as usize].kind == AccessKind::Copy {
                    warp.copied = warp.copied.max(result);
                }
            }
            if moves {
                warp.done = warp.done.max(result);
                if matches!(what, What::Global(access) if self.trace.accesses[access as usize].kind == AccessKind::Store)
                {
                    warp.handed = result - self.rates.store_latency;
                }
            }
            warp.next += 1;
            let (done, copied) = (warp.done, warp.copied);
            self.waited(id, time, operands, issued, by);
            time = issued + cost.slots.max(1.0) / self.rates.issue;
            self.spent(id, issued, time, State::Issue);
            let behind = match cost.action {
                Action::Branch => time + BRANCH,
                Action::Fence => (time + self.rates.fence_latency).max(done),
                Action::Sleep => time + SLEEP,
                Action::Copies if matches!(what, What::Plain) => time.max(copied),
                Action::Plain | Action::Exit | Action::Copies | Action::Reduce => time,
            };
            let state = if matches!(cost.action, Action::Branch) { State::Issue } else { State::Fence };
            self.spent(id, time, behind, state);
            time = behind;
            match what {
                What::Barrier(opening, count) => {
                    // Of the clocks that each warp adds, half are for coming and half for going.
                    self.wait(time, id, (opening, count), self.rates.barrier_per_warp * f64::from(count) / 2.0);
                    return;
                }
                // The copy engine arrives when the bytes have come.
                What::Arrive(phase) => {
                    self.arrive(if cost.action == Action::Copies { copied } else { time }, id, phase);
                }
                What::Wait(phase) => {
                    let Some(until) = self.phase(time, id, phase) else { return };
                    self.spent(id, time, until, State::Barrier);
                    time = until;
                }
                What::Plain | What::Off | What::Shared(_) | What::Global(_) | What::Lands(_) => {}
            }
        }
    }

    /// A warp spends clocks.
    fn spent(&mut self, id: u32, from: f64, to: f64, state: State) {
        self.states[state as usize] += (to - from).max(0.0);
        if let Some(lane) = self.timeline.lanes.get_mut(id as usize) {
            lane.add(from, to, state);
        }
    }

    /// A warp waits from `time` until it issues: for its operands, and then for the pipe.
    fn waited(&mut self, id: u32, time: f64, operands: f64, issued: f64, by: State) {
        let ready = operands.clamp(time, issued.max(time));
        self.spent(id, time, ready, by);
        self.spent(id, ready, issued, State::Busy);
    }

    /// A warp waits at a barrier; the last one opens it. `leaving`: clocks that it takes beyond its latency.
    fn wait(&mut self, time: f64, id: u32, (opening, count): (u32, u32), leaving: f64) {
        let warp = &mut self.warps[id as usize];
        warp.since = time;
        let key = (warp.block, opening);
        let waiting = self.barriers.entry(key).or_default();
        waiting.latest = waiting.latest.max(time);
        waiting.warps.push(id);
        if waiting.warps.len() < count as usize {
            return;
        }
        let open = waiting.latest + self.rates.barrier_latency + leaving;
        for waiting in self.barriers.remove(&key).unwrap_or_default().warps {
            let warp = &self.warps[waiting as usize];
            let since = warp.since;
            match warp.next.checked_sub(1).filter(|_| !self.stalls.is_empty()) {
                Some(at) => {
                    let pc = self.programs[warp.block][warp.number][at].pc;
                    self.stalled(waiting, pc, (since, open), Stall::Barrier);
                }
                None => self.spent(waiting, since, open, State::Barrier),
            }
            self.turns.push(Turn::at(open, waiting));
        }
    }

    /// A warp ends; its block does when all of its warps have.
    fn end(&mut self, time: f64, id: u32) {
        let handed = self.warps[id as usize].handed;
        let ended = time;
        let time = time.max(handed + if handed > 0.0 { self.rates.drain } else { 0.0 });
        self.drained(id, ended, (handed > 0.0).then_some(time));
        let warp = &mut self.warps[id as usize];
        warp.ready = Vec::new();
        warp.by = Vec::new();
        let block = warp.block;
        self.left[block] -= 1;
        if self.left[block] == 0 {
            self.ends.push(time);
            self.lasted.push(time - self.begun[block]);
            self.took[block] = time - self.begun[block];
            self.start(time);
        }
    }
}

/// What a warp waits for that needs an instruction's result.
const fn comes_from(cost: &Cost, what: What) -> State {
    match (cost.pipe, what) {
        (_, What::Global(_)) => State::Memory,
        (Pipe::Lsu | Pipe::Adu, _) => State::Shared,
        _ => State::Arithmetic,
    }
}

mod code;
mod fetch;
mod phases;
mod shape;
#[cfg(test)]
mod tests;
mod totals;
mod turn;
