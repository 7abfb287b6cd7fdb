//! Phases of `mbarrier`s in the replay: a warp that waits for one goes on when all have arrived that did in the simulation.

use std::collections::BTreeMap;

use super::super::timeline::State;
use super::super::trace::{Event, Trace};
use super::{Replay, Turn};

/// A phase of an `mbarrier`.
#[derive(Default)]
pub(super) struct Phase {
    /// Arrivals that have not come.
    left: u32,
    /// When the last one came, or what it announced.
    latest: f64,
    waiting: Vec<u32>,
}

/// The phases at which somebody arrives, by block and number.
pub(super) fn arrivals(trace: &Trace) -> BTreeMap<(usize, u32), Phase> {
    let mut phases: BTreeMap<(usize, u32), Phase> = BTreeMap::new();
    for (block, traced) in trace.blocks.iter().enumerate() {
        for event in traced.warps.iter().flatten() {
            if let Event::Phase { phase, waits: false, .. } | Event::Lands { phase, .. } = *event {
                phases.entry((block, phase)).or_default().left += 1;
            }
        }
    }
    phases
}

impl Replay<'_> {
    /// A warp arrives at a phase of an `mbarrier`; the last one wakes who waits for it.
    pub(super) fn arrive(&mut self, time: f64, id: u32, phase: u32) {
        let Some(state) = self.phases.get_mut(&(self.warps[id as usize].block, phase)) else { return };
        state.latest = state.latest.max(time);
        state.left = state.left.saturating_sub(1);
        if state.left == 0 {
            let (open, waiting) = (state.latest + self.rates.shared_latency, std::mem::take(&mut state.waiting));
            self.wake(open, &waiting);
        }
    }

    /// Until when a warp that asks at `time` waits for a phase; `None` where that is not known yet.
    pub(super) fn phase(&mut self, time: f64, id: u32, phase: u32) -> Option<f64> {
        let Some(state) = self.phases.get_mut(&(self.warps[id as usize].block, phase)) else { return Some(time) };
        if state.left == 0 {
            return Some(time.max(state.latest + self.rates.shared_latency));
        }
        state.waiting.push(id);
        self.warps[id as usize].since = time;
        None
    }

    fn wake(&mut self, open: f64, waiting: &[u32]) {
        for &id in waiting {
            let since = self.warps[id as usize].since;
            self.spent(id, since, open.max(since), State::Barrier);
            self.turns.push(Turn::at(open.max(since), id));
        }
    }

    /// Somebody waits for arrivals that are not in the trace, which was cut short: they are taken to have come. False when
    /// nobody waits.
    pub(super) fn give_up(&mut self) -> bool {
        let Some(state) = self.phases.values_mut().find(|state| !state.waiting.is_empty()) else { return false };
        state.left = 0;
        let (open, waiting) = (state.latest, std::mem::take(&mut state.waiting));
        self.wake(open, &waiting);
        true
    }
}
