//! Going to a position: from a snapshot before it, as the launch went the first time.

use super::Session;
use super::eye::Eye;
use crate::error::Error;
use crate::event::{MemoryEvent, MemoryKind};
use crate::machine::grid::Machine;
use crate::machine::pace::Pace;
use crate::observe::eras;
use crate::scheduler::{Snapshot, Stop, Walk};
use crate::target::Rules;

/// An access to memory of the last step.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub kind: MemoryKind,
    /// Bytes of a lane.
    pub width: u32,
    pub active: u32,
    pub addresses: [u64; 32],
    /// Wavefronts or sectors, and the least that they could be; none of local memory.
    pub cost: Option<(u32, u32)>,
}

/// Keeps the accesses of the last step.
pub(super) struct Replay {
    rules: Rules,
    /// In order.
    pub seen: Vec<Seen>,
}

impl Replay {
    /// The next step begins.
    pub(super) fn step(&mut self) {
        self.seen.clear();
    }

    /// An access to memory.
    pub(super) fn memory(&mut self, event: &MemoryEvent<'_>) {
        let cost = eras::cost(&self.rules, event).map(|cost| (cost.cost, cost.ideal));
        let &MemoryEvent { kind, width, active, addresses, .. } = event;
        // A stride of straight instructions accesses nothing, and everything else is a few instructions.
        self.seen.push(Seen { kind, width, active, addresses: *addresses, cost });
    }
}

/// A launch at a position.
pub(super) struct At<'s, 'm> {
    pub machine: &'m Machine<'s>,
    pub walk: Walk<'m, Eye>,
}

impl At<'_, '_> {
    /// The accesses to memory of the last step.
    pub(super) fn seen(&self) -> &[Seen] {
        match self.walk.observed() {
            Eye::Replay(replay) => &replay.seen,
            Eye::Record(_) => &[],
        }
    }
}

impl Session {
    /// Goes to a position and shows what the launch is there to `look`.
    pub(super) fn at<R>(&mut self, position: u64, look: impl FnOnce(&Self, At<'_, '_>) -> R) -> Result<R, Error> {
        let position = position.min(self.length());
        // The turn in which the step before the position is executed: what that step did is to be seen, too.
        let turn = self.turns.partition_point(|&turn| turn < position.max(1)).saturating_sub(1);
        let turn = self.turns.get(turn).copied().unwrap_or(0);
        let kept = self.snapshots.before(turn);
        let near = self.near.as_ref().filter(|(near, _)| *near <= turn && kept.is_none_or(|(own, _)| own <= near));
        let Some((from, snapshot)) = near.or(kept) else {
            return Err(Error::Internal("a session has no snapshot of its beginning".to_owned()));
        };
        let machine = self.machine()?;
        let observer = Eye::Replay(Replay { rules: machine.target.rules(), seen: Vec::new() });
        let mut walk = Walk::resume(&machine, observer, snapshot);
        let mut left = position - from;
        let mut near: Option<(u64, Snapshot)> = None;
        if *from < turn {
            let stop = walk.go(Pace { left, pause: Some(position - turn), ..Pace::default() });
            left = walk.left();
            if stop != Stop::Turn || left != position - turn {
                return Err(Error::Internal(format!("a launch went another way to step {turn} than before")));
            }
            near = Some((turn, walk.snapshot(Some(snapshot))));
        }
        let stop = walk.go(Pace { left, ..Pace::default() });
        if walk.left() != 0 || !matches!(stop, Stop::Step | Stop::End) {
            return Err(Error::Internal(format!("a launch went another way to step {position} than before")));
        }
        let seen = look(self, At { machine: &machine, walk });
        drop(machine);
        if near.is_some() {
            self.near = near;
        }
        Ok(seen)
    }
}
