//! A launch that is stepped: it goes on to where it is told to, and what it is then can be kept and gone on from.
//!
//! The order is that of a run on one CPU thread: block after block where blocks run alone, else in turn. Between turns of
//! warps a walk *pauses*, and can be copied ([`Snapshot`]) and go on; within a turn it *halts*, and can only be looked at,
//! because a turn's own state is no state of the machine. Whoever wants to go on from there goes to it once more, from a
//! pause before it: the same launch does the same again.

use super::has_ended;
use super::residents::{Resident, Residents};
use super::turns::{BRIEF_TURN, Round, TURN, Visit};
use crate::event::Observer;
use crate::machine::block::{Block, State};
use crate::machine::grid::Machine;
use crate::machine::pace::Pace;
use crate::machine::warp::Warp;
use crate::memory::kept::Kept;

/// Why a walk has come to a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It pauses before a warp's turn.
    Turn,
    /// It halts before a warp-instruction.
    Step,
    /// Nothing more will be executed.
    End,
    /// Its blocks wait for each other and have to run in turn.
    Waits,
}

/// Observes nothing: whom snapshots belong to.
struct Nobody;

impl Observer for Nobody {
    type Held = ();
}

/// What a launch was before a warp's turn. Observers are no part of it.
pub(crate) struct Snapshot {
    road: Road<Nobody>,
    changes: u64,
    broken: bool,
    memory: Kept,
}

impl Snapshot {
    /// Bytes that it takes, about: those of memory pages that are not shared with `before`.
    pub(crate) fn bytes(&self, before: Option<&Self>) -> usize {
        let blocks = self.road.blocks().map(|(state, warps)| {
            state.shared.len() + warps.iter().map(|warp| warp.registers.bytes() + warp.local.len()).sum::<usize>()
        });
        blocks.sum::<usize>() + self.memory.bytes(before.map(|before| &before.memory))
    }
}

/// Blocks that run one after another, each to its end.
struct Alone<O: Observer> {
    /// The block that runs, if `open`.
    resident: Resident<O>,
    open: bool,
    next: u64,
    count: u64,
    round: Round,
}

impl<O: Observer> Alone<O> {
    fn copy<P: Observer>(&self) -> Alone<P> {
        let Self { open, next, count, .. } = *self;
        Alone { resident: self.resident.copy(), open, next, count, round: self.round.clone() }
    }

    fn run(&mut self, block: &mut Block<'_, O>) -> Stop {
        block.exchange(&mut self.resident.held);
        let stop = self.run_here(block);
        block.exchange(&mut self.resident.held);
        stop
    }

    fn run_here(&mut self, block: &mut Block<'_, O>) -> Stop {
        loop {
            if !self.open {
                if self.next == self.count || block.machine.is_stopped() {
                    return Stop::End;
                }
                block.start(self.next, &mut self.resident.warps);
                self.next += 1;
                self.open = true;
            }
            match block.visit(&mut self.resident.warps, u64::MAX, &mut self.round) {
                Visit::Idles | Visit::Interrupted => {}
                Visit::Paused => return Stop::Turn,
                Visit::Halted => return Stop::Step,
                visit => {
                    if !has_ended(block, &self.resident.warps, visit) {
                        let waits = block.machine.waiting.load(std::sync::atomic::Ordering::Relaxed);
                        return if waits { Stop::Waits } else { Stop::End };
                    }
                    self.open = false;
                }
            }
        }
    }
}

/// How the blocks of a launch follow each other.
enum Road<O: Observer> {
    Alone(Box<Alone<O>>),
    InTurn(Box<Residents<O>>),
}

impl<O: Observer> Road<O> {
    fn copy<P: Observer>(&self) -> Road<P> {
        match self {
            Self::Alone(alone) => Road::Alone(Box::new(alone.copy())),
            Self::InTurn(residents) => Road::InTurn(Box::new(residents.copy())),
        }
    }

    /// The blocks that have started and not ended.
    fn blocks(&self) -> impl Iterator<Item = (&State, &[Warp])> {
        let list = match self {
            Self::Alone(alone) => {
                if alone.open {
                    std::slice::from_ref(&alone.resident)
                } else {
                    &[]
                }
            }
            Self::InTurn(residents) => residents.list(),
        };
        list.iter().map(|resident| (&resident.held.state, &resident.warps[..]))
    }
}

/// A launch that is stepped.
pub(crate) struct Walk<'m, O: Observer> {
    block: Block<'m, O>,
    road: Road<O>,
}

impl<'m, O: Observer> Walk<'m, O> {
    /// A launch at its beginning.
    pub(crate) fn new(machine: &'m Machine<'m>, observer: O) -> Self {
        let count = machine.grid.count();
        let road = if machine.in_turn() {
            Road::InTurn(Box::new(Residents::new(count, machine.resident_blocks, machine.seed)))
        } else {
            let (resident, round) = (Resident::new(machine), Round::default());
            Road::Alone(Box::new(Alone { resident, open: false, next: 0, count, round }))
        };
        let turn = if machine.in_turn() { BRIEF_TURN } else { TURN };
        Self { block: Block::new(machine, observer, turn), road }
    }

    /// A launch as it was, on a `machine` that nothing has run on.
    pub(crate) fn resume(machine: &'m Machine<'m>, observer: O, snapshot: &Snapshot) -> Self {
        let mut walk = Self::new(machine, observer);
        machine.global.restore(&snapshot.memory);
        walk.road = snapshot.road.copy();
        walk.block.changes = snapshot.changes;
        walk.block.faults.broken = snapshot.broken;
        walk
    }

    /// Goes on at a pace. It must not have halted.
    pub(crate) fn go(&mut self, pace: Pace) -> Stop {
        self.block.pace = pace;
        match &mut self.road {
            Road::Alone(alone) => alone.run(&mut self.block),
            Road::InTurn(residents) => residents.run(&mut self.block),
        }
    }

    /// Warp-instructions that were left when it stopped.
    pub(crate) fn left(&self) -> u64 {
        self.block.pace.left
    }

    /// What it is. It must not have halted. Pages of memory that are as they were `before` are shared.
    pub(crate) fn snapshot(&self, before: Option<&Snapshot>) -> Snapshot {
        Snapshot {
            road: self.road.copy(),
            changes: self.block.changes,
            broken: self.block.faults.broken,
            memory: self.block.machine.global.keep(before.map(|before| &before.memory)),
        }
    }

    /// The blocks that have started and not ended.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (&State, &[Warp])> {
        self.road.blocks()
    }

    /// Where it halted: the block, the warp, and the path that is next.
    pub(crate) fn next(&self) -> Option<(u64, u32, usize)> {
        let (warp, path) = self.block.pace.halted?;
        let block = match &self.road {
            Road::Alone(alone) => alone.resident.held.state.index,
            Road::InTurn(residents) => residents.list().get(residents.now()?)?.held.state.index,
        };
        Some((block, warp, path))
    }

    /// Its observer.
    pub(crate) const fn observed(&self) -> &O {
        &self.block.observer
    }

    /// Its observer, and the faults so far.
    pub(crate) fn observer(&mut self) -> (&mut O, &crate::findings::Faults) {
        (&mut self.block.observer, &self.block.faults)
    }
}
