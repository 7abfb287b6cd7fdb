//! Thread blocks that communicate: those that are resident on the GPU together make progress together.
//!
//! One runs at a time, so that every run is alike. A block runs until it ends, waits for memory to change or has had
//! its turn; then the next one starts, until as many have started as the GPU holds; then those that wait are tried
//! again in order. Blocks that never wait, and those whose predecessors have done their part (a look-back scan), run one
//! after another to their end, as if there were no others.
//!
//! When every resident block waits and nothing has changed since each was looked at, nothing will ever change.

use super::turns::{Round, Visit};
use super::walk::Stop;
use crate::event::Observer;
use crate::findings::{Fault, FindingKind, Standstill, Who};
use crate::machine::block::{AFTERMATH, Block, Held};
use crate::machine::grid::Machine;
use crate::machine::registers::Registers;
use crate::machine::schedule::Dice;
use crate::machine::warp::Warp;

/// Warp-instructions after which another block has its turn.
const QUANTUM: u64 = 1 << 18;

/// The same where blocks get on alike.
const SHORT_QUANTUM: u64 = 1 << 12;

/// Blocks from which a shuffled schedule chooses the next one to start: the hardware starts them nearly in order.
const WINDOW: usize = 64;

/// What is known of a resident block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    /// It was interrupted.
    Ready,
    /// It waits, and had nothing to do at this count of [`Block::changes`].
    Waits(u64),
    /// It seems to wait.
    Idles,
}

/// A block that has started and not ended.
pub(super) struct Resident<O: Observer> {
    pub(super) held: Held<O>,
    pub(super) warps: Vec<Warp>,
    index: u64,
    status: Status,
}

/// The visit of a block that is under way.
#[derive(Debug, Clone)]
struct Running {
    /// The block's position in the list.
    at: usize,
    /// Its budget and the changes of memory when it began.
    budget: u64,
    changes: u64,
    quantum: u64,
    round: Round,
}

impl<O: Observer> Resident<O> {
    /// Room for a block.
    pub(super) fn new(machine: &Machine<'_>) -> Self {
        let warp = |_| Warp { registers: Registers::new(&machine.program.code), ..Warp::default() };
        let warps = (0..machine.warps_per_block()).map(warp).collect();
        Self { held: Held::default(), warps, index: 0, status: Status::Ready }
    }

    /// The same for another observer, which has seen nothing of it.
    pub(super) fn copy<P: Observer>(&self) -> Resident<P> {
        let Self { held, warps, index, status } = self;
        Resident { held: held.copy(), warps: warps.clone(), index: *index, status: *status }
    }
}

/// The blocks of a launch that runs them in turn.
pub(super) struct Residents<O: Observer> {
    /// In the order in which they started.
    list: Vec<Resident<O>>,
    /// Storage of blocks that have ended.
    spare: Vec<Resident<O>>,
    /// How many the GPU holds at once.
    capacity: usize,
    /// The blocks that may start next, and how many of the grid are behind them.
    window: Vec<u64>,
    next: u64,
    count: u64,
    /// Where in the list the round is.
    cursor: usize,
    /// Blocks to be tried first, as positions in the list, last first.
    hints: Vec<usize>,
    /// Warp-instructions of the first ready block and of all others since it became that.
    shares: (u64, u64),
    first_ready: Option<u64>,
    /// Warp-instructions after which another block has its turn.
    quantum: u64,
    /// Whether all blocks get on alike, the oldest that works no more than others.
    fair: bool,
    dice: Option<Dice>,
    /// Warp-instructions since anything changed or a block came to its end.
    streak: u64,
    /// The visit that was paused.
    running: Option<Running>,
}

impl<O: Observer> Residents<O> {
    /// Of a launch of `count` blocks on a GPU that holds `capacity` at once.
    pub(super) fn new(count: u64, capacity: u64, seed: u64) -> Self {
        Self {
            list: Vec::new(),
            spare: Vec::new(),
            capacity: capacity.max(1) as usize,
            window: Vec::new(),
            next: 0,
            count,
            cursor: 0,
            hints: Vec::new(),
            shares: (0, 0),
            first_ready: None,
            quantum: QUANTUM,
            fair: false,
            dice: Dice::new(seed, u64::MAX),
            streak: 0,
            running: None,
        }
    }

    /// The same for another observer, which has seen nothing of it.
    pub(super) fn copy<P: Observer>(&self) -> Residents<P> {
        let copy = |resident: &Resident<O>| resident.copy();
        Residents {
            list: self.list.iter().map(copy).collect(),
            spare: Vec::new(),
            capacity: self.capacity,
            window: self.window.clone(),
            next: self.next,
            count: self.count,
            cursor: self.cursor,
            hints: self.hints.clone(),
            shares: self.shares,
            first_ready: self.first_ready,
            quantum: self.quantum,
            fair: self.fair,
            dice: self.dice.clone(),
            streak: self.streak,
            running: self.running.clone(),
        }
    }

    /// The blocks that have started and not ended.
    pub(super) fn list(&self) -> &[Resident<O>] {
        &self.list
    }

    /// The position in the list of the block whose visit was paused or halted.
    pub(super) fn now(&self) -> Option<usize> {
        self.running.as_ref().map(|running| running.at)
    }

    /// The same with short turns that are equal for all, as on a GPU: blocks that take their work from a common counter
    /// get their shares of it.
    pub(super) const fn fair(mut self) -> Self {
        self.quantum = SHORT_QUANTUM;
        self.fair = true;
        self
    }

    /// Runs all blocks, or as far as one goes who steps them.
    pub(super) fn run(&mut self, block: &mut Block<'_, O>) -> Stop {
        block.yields = self.fair;
        while !block.machine.is_stopped() {
            let mut running = match self.running.take() {
                Some(running) => {
                    block.exchange(&mut self.list[running.at].held);
                    running
                }
                None => {
                    let Some(at) = self.choose(block) else {
                        self.note_deadlock(block);
                        return Stop::End;
                    };
                    block.exchange(&mut self.list[at].held);
                    let quantum = self.dice.as_mut().map_or(self.quantum, |dice| 1 << dice.below(19));
                    let (budget, changes) = (block.budget, block.changes);
                    Running { at, budget, changes, quantum, round: Round::default() }
                }
            };
            let Running { at, budget, changes, .. } = running;
            let resident = &mut self.list[at];
            let visit = block.visit(&mut resident.warps, running.quantum, &mut running.round);
            if O::STEPS && matches!(visit, Visit::Paused | Visit::Halted) {
                block.exchange(&mut resident.held);
                self.running = Some(running);
                return if visit == Visit::Paused { Stop::Turn } else { Stop::Step };
            }
            let used = budget - block.budget;
            if visit == Visit::Endless {
                block.note_endless(&resident.warps);
                return Stop::End;
            }
            block.exchange(&mut resident.held);
            self.streak = if block.changes != changes || visit == Visit::Ended { 0 } else { self.streak + used };
            let patience = if block.faults.broken { AFTERMATH } else { block.machine.budget };
            if self.streak > patience {
                self.note_idle(block, self.streak);
                return Stop::End;
            }
            let (index, ready) = (resident.index, visit == Visit::Interrupted);
            match visit {
                Visit::Ended => self.end(at),
                Visit::Waits => resident.status = Status::Waits(block.changes),
                Visit::Idles => resident.status = Status::Idles,
                Visit::Interrupted | Visit::Endless | Visit::Paused | Visit::Halted => resident.status = Status::Ready,
            }
            if self.list.is_empty() && self.window.is_empty() && self.next == self.count {
                return Stop::End;
            }
            self.share(index, used, ready);
        }
        Stop::End
    }

    /// A block came to its end: the one that started before it and the oldest may have waited for it.
    fn end(&mut self, at: usize) {
        self.spare.push(self.list.remove(at));
        if self.cursor > at {
            self.cursor -= 1;
        }
        self.hints.clear();
        if !self.list.is_empty() && self.dice.is_none() {
            self.hints.push(0);
            if at > 1 {
                self.hints.push(at - 1);
            }
        }
    }

    /// Keeps account of who has used how much.
    fn share(&mut self, index: u64, used: u64, ready: bool) {
        if self.first_ready == Some(index) || self.first_ready.is_none() && ready {
            self.first_ready = ready.then_some(index);
            self.shares.0 += used;
        } else {
            self.shares.1 += used;
        }
        if self.first_ready.is_none() {
            self.shares = (0, 0);
        }
    }

    /// The position of the block that runs next; `None` when nobody can go on.
    fn choose(&mut self, block: &mut Block<'_, O>) -> Option<usize> {
        let changes = block.changes;
        let tried = |resident: &Resident<O>| resident.status == Status::Waits(changes);
        if self.dice.is_some() {
            return self.choose_at_random(block);
        }
        while let Some(at) = self.hints.pop() {
            if self.list.get(at).is_some_and(|resident| !tried(resident)) {
                return Some(at);
            }
        }
        if self.fair
            && let Some(at) = self.start(block)
        {
            return Some(at);
        }
        // The oldest block that works has half of the time: should it be endless, its budget is spent soon.
        if self.shares.0 <= self.shares.1
            && !self.fair
            && let Some(first) = self.first_ready
            && let Some(at) = self.list.iter().position(|resident| resident.index == first)
        {
            return Some(at);
        }
        for _ in 0..=self.list.len() {
            if self.cursor >= self.list.len() {
                self.cursor = 0;
                if let Some(at) = self.start(block) {
                    self.cursor = at + 1;
                    return Some(at);
                }
            }
            let at = self.cursor;
            self.cursor += 1;
            match self.list.get(at) {
                Some(resident) if tried(resident) => {}
                Some(resident) if Some(resident.index) == self.first_ready && self.list.len() > 1 => {}
                Some(_) => return Some(at),
                None => {}
            }
        }
        // The oldest that works was left out above; if all others wait, it goes on.
        self.list.iter().position(|resident| !tried(resident)).or_else(|| self.start(block))
    }

    fn choose_at_random(&mut self, block: &mut Block<'_, O>) -> Option<usize> {
        let changes = block.changes;
        let count = self.list.len();
        let dice = self.dice.as_mut()?;
        // About a quarter of the choices start a block, so that several run side by side.
        let first = if count == 0 { 0 } else { dice.below(count) };
        if (count == 0 || dice.below(4) == 0)
            && let Some(at) = self.start(block)
        {
            return Some(at);
        }
        let mut order = (first..count).chain(0..first);
        let found = order.find(|&at| self.list[at].status != Status::Waits(changes));
        found.or_else(|| self.start(block))
    }

    /// Starts another block, if the GPU holds one more and there is one.
    fn start(&mut self, block: &mut Block<'_, O>) -> Option<usize> {
        if self.list.len() >= self.capacity {
            return None;
        }
        let index = match &mut self.dice {
            None => {
                let index = self.next;
                self.next += u64::from(index < self.count);
                (index < self.count).then_some(index)?
            }
            Some(dice) => {
                while self.window.len() < WINDOW.min(self.capacity) && self.next < self.count {
                    self.window.push(self.next);
                    self.next += 1;
                }
                if self.window.is_empty() {
                    return None;
                }
                self.window.remove(dice.below(self.window.len()))
            }
        };
        let machine = block.machine;
        let mut resident = self.spare.pop().unwrap_or_else(|| Resident::new(machine));
        resident.index = index;
        resident.status = Status::Ready;
        block.exchange(&mut resident.held);
        block.start(index, &mut resident.warps);
        block.exchange(&mut resident.held);
        self.list.push(resident);
        Some(self.list.len() - 1)
    }

    /// Why nobody can go on.
    fn reason(&self, block: &Block<'_, O>) -> Standstill {
        let machine = block.machine;
        let waiting = self.window.len() as u64 + (self.count - self.next);
        match self.window.iter().copied().min().or((self.next < self.count).then_some(self.next)) {
            Some(first) => {
                Standstill::NoRoom { first, waiting, target: machine.target.title.clone(), capacity: self.capacity }
            }
            None if self.list.len() == 1 => Standstill::LastBlock,
            None => Standstill::AllBlocks(self.list.len()),
        }
    }

    fn note_deadlock(&mut self, block: &mut Block<'_, O>) {
        let because = self.reason(block);
        for resident in &mut self.list {
            block.exchange(&mut resident.held);
            block.note_deadlock(&resident.warps, &because);
            block.exchange(&mut resident.held);
        }
    }

    /// For long, nothing has changed.
    fn note_idle(&mut self, block: &mut Block<'_, O>, streak: u64) {
        let because = self.reason(block);
        let count = self.list.len();
        for Resident { held, warps, .. } in &mut self.list {
            block.exchange(held);
            let index = block.index;
            for warp in warps.iter() {
                let Some(path) = warp.paths.list.last() else { continue };
                let who = Who { block: index, warp: warp.index, lanes: path.lanes };
                let idle = || Fault::Idle { instructions: streak, blocks: count, because: because.clone() };
                block.faults.note(path.pc, FindingKind::Budget, who, idle);
            }
            block.exchange(held);
        }
    }
}
