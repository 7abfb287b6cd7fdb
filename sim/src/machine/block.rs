//! A thread block: what it is and holds while it runs.

use std::collections::BTreeMap;

use super::grid::Machine;
use super::pace::Pace;
use super::printed::Printed;
use super::schedule::Dice;
use super::warp::Warp;
use crate::event::{Observer, SyncEvent};
use crate::findings::Faults;
use crate::launch::Dim3;

/// Warp-instructions that a block executes at most when a thread of it has missed memory: what they show is worth
/// seconds, no more.
pub(crate) const AFTERMATH: u64 = 1 << 22;

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
    /// What was printed so far.
    pub printed: Printed,
    /// Warp-instructions that this block may still execute.
    pub budget: u64,
    /// Lanes of the running warp that have missed memory in the running instruction: they go no further.
    pub faulted: u32,
    /// How often something has changed that other threads can see, in this block and those that run in turn with it.
    pub changes: u64,
    /// Threads that have arrived at a barrier without waiting (`bar.arrive`), by barrier.
    pub arrivals: BTreeMap<u32, u32>,
    /// Chooses who runs; `None` for the plain order.
    pub dice: Option<Dice>,
    /// Instructions that a warp executes before the next one has its turn.
    pub turn: u64,
    /// Whether another block may have its turn behind a barrier of this one, too.
    pub yields: bool,
    /// How far it goes for one who steps it.
    pub pace: Pace,
}

/// What a thread block holds while others run.
pub(crate) struct Held<O: Observer> {
    observed: O::Held,
    /// What is no observer's.
    pub state: State,
}

/// The state of a thread block but for its warps.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    /// Linear index in the grid.
    pub index: u64,
    /// Shared memory.
    pub shared: Vec<u8>,
    budget: u64,
    /// Threads that have arrived at a barrier without waiting, by barrier.
    pub arrivals: BTreeMap<u32, u32>,
    dice: Option<Dice>,
}

impl<O: Observer> Default for Held<O> {
    fn default() -> Self {
        Self { observed: O::Held::default(), state: State::default() }
    }
}

impl<O: Observer> Held<O> {
    /// The same state for another observer, which has seen nothing of it.
    pub(crate) fn copy<P: Observer>(&self) -> Held<P> {
        Held { observed: P::Held::default(), state: self.state.clone() }
    }
}

impl<'m, O: Observer> Block<'m, O> {
    /// A place for blocks to run in, whose warps execute `turn` instructions in a turn.
    pub(crate) fn new(machine: &'m Machine<'m>, observer: O, turn: u64) -> Self {
        Self {
            machine,
            index: 0,
            coordinates: Dim3::linear(0),
            shared: Vec::new(),
            observer,
            faults: Faults::default(),
            printed: Printed::default(),
            budget: 0,
            faulted: 0,
            changes: 0,
            arrivals: BTreeMap::new(),
            dice: None,
            turn,
            yields: false,
            pace: Pace::default(),
        }
    }

    /// Makes block `index` ready to run with `warps`, whose storage is reused.
    pub(crate) fn start(&mut self, index: u64, warps: &mut [Warp]) {
        self.index = index;
        self.coordinates = self.machine.grid.coordinates(index);
        self.shared.clear();
        self.shared.resize(self.machine.shared_bytes as usize, 0);
        self.budget = self.machine.budget;
        self.faulted = 0;
        self.faults.start(self.machine.in_turn());
        self.arrivals.clear();
        self.dice = Dice::new(self.machine.seed, index);
        if O::CHECKS {
            self.observer.sync(&SyncEvent::Start(index));
        }
        for (number, warp) in warps.iter_mut().enumerate() {
            warp.registers.clear(&self.machine.program.code);
            warp.start(self.machine, self.coordinates, number as u32);
        }
    }

    /// Exchanges the block that runs here with one that is held elsewhere.
    pub(crate) fn exchange(&mut self, held: &mut Held<O>) {
        self.observer.exchange(&mut held.observed);
        std::mem::swap(&mut self.index, &mut held.state.index);
        std::mem::swap(&mut self.shared, &mut held.state.shared);
        std::mem::swap(&mut self.budget, &mut held.state.budget);
        std::mem::swap(&mut self.arrivals, &mut held.state.arrivals);
        std::mem::swap(&mut self.dice, &mut held.state.dice);
        self.coordinates = self.machine.grid.coordinates(self.index);
    }

    /// The strides in which a path of a warp may go on for one who steps it; `None`, and it is noted, where it has to stop.
    pub(crate) fn stride(&mut self, warp: &Warp, path: usize) -> Option<u64> {
        let stride = self.pace.stride();
        match stride {
            Some(_) => {
                let path = warp.paths.list[path];
                self.observer.step(path.pc, path.lanes, self.faults.kinds());
            }
            None => self.pace.halted = Some((warp.index, path)),
        }
        stride
    }

    /// Lanes of the running warp have missed memory. On a GPU the launch ends there. Here they end, and what the others
    /// do is looked at for a while, as long as they do not only wait for those that are gone.
    #[cold]
    pub(crate) fn fault(&mut self, lanes: u32) {
        self.faulted |= lanes;
        self.faults.broken = true;
        if O::CHECKS {
            self.observer.sync(&SyncEvent::Fault);
        }
        if !self.machine.in_turn() {
            self.budget = self.budget.min(AFTERMATH);
        }
    }
}
