//! What is remembered of the accesses to shared memory: one cell for each granule.
//!
//! A cell means a [`Word`], but nearly always one record tells all of it. Whatever happened before the latest barrier of
//! the whole block is ordered before everything that comes, so an access to a granule that nobody has touched since
//! replaces what was there, and there is nothing to clear at a barrier or when a block begins. Then come accesses of the
//! same kind: of them the latest two are kept. Only granules with accesses of several kinds since the barrier need a
//! whole word.

use super::shadow::{Order, Record, Word, keep};
use crate::event::AccessKind;

/// What the records of a cell are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// The latest two reads, and nothing else since the barrier.
    #[default]
    Loads,
    /// One write.
    Store,
    /// The latest two atomic updates, and nothing else.
    Atomics,
    /// See the word.
    Many,
}

impl From<AccessKind> for State {
    #[inline(always)]
    fn from(kind: AccessKind) -> Self {
        match kind {
            AccessKind::Load => Self::Loads,
            AccessKind::Store => Self::Store,
            AccessKind::Atomic => Self::Atomics,
        }
    }
}

/// The cells of a block's shared memory. Their columns lie apart: most accesses need two of them.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// The latest access, of whatever kind.
    latest: Vec<Record>,
    states: Vec<State>,
    /// The one before, of [`State::Loads`] and [`State::Atomics`].
    others: Vec<Record>,
    /// Of [`State::Many`]. Empty until the first one is needed.
    words: Vec<Word>,
}

impl Cells {
    /// Makes room for this many granules. What is there may stay: it is older than the block.
    pub(super) fn resize(&mut self, granules: usize) {
        if self.latest.len() != granules {
            self.latest.resize(granules, Record::default());
            self.states.resize(granules, State::default());
            self.others.resize(granules, Record::default());
            self.words = Vec::new();
        }
    }

    /// The 32 lanes of a warp access `per_lane` granules each, one lane behind the other from granule `first` on; `me`
    /// is the record of the first. False when these have to be looked at one by one; then nothing was noted.
    #[inline(always)]
    pub(super) fn access_row(
        &mut self,
        first: usize,
        per_lane: usize,
        me: Record,
        kind: AccessKind,
        order: &impl Order,
    ) -> bool {
        let row = first..first + 32 * per_lane;
        let (Some(latest), Some(states)) = (self.latest.get_mut(row.clone()), self.states.get_mut(row.clone())) else {
            return false;
        };
        let mut recent = false;
        for &record in &*latest {
            recent |= order.recent(record);
        }
        if !recent && per_lane == 1 {
            for (lane, record) in latest.iter_mut().enumerate() {
                *record = me.of_lane(lane as u32);
            }
        } else if !recent {
            for (lane, records) in (0..32).zip(latest.chunks_exact_mut(per_lane)) {
                records.fill(me.of_lane(lane));
            }
        } else {
            let others = self.others.get_mut(row).and_then(|others| others.first_chunk_mut());
            let (Some(latest), Some(others)) = (latest.first_chunk_mut(), others) else { return false };
            let Some(known) = states.first_chunk().filter(|_| per_lane == 1) else { return false };
            if !join_row(latest, known, others, me, kind, order) {
                return false;
            }
        }
        states.fill(kind.into());
        true
    }

    /// Lanes of a warp access `per_lane` granules each, from the given ones on; `first` is the record that the warp's
    /// first lane would have. Returns the lanes that have to be looked at more closely, in order and one by one,
    /// beginning with the first one like that.
    #[inline(always)]
    pub(super) fn access_lanes(
        &mut self,
        granules: &[u32; 32],
        per_lane: usize,
        lanes: u32,
        first: Record,
        kind: AccessKind,
        order: &impl Order,
    ) -> u32 {
        let count = self.latest.len();
        let (latest, states, others) = (&mut self.latest[..], &mut self.states[..count], &mut self.others[..count]);
        let new = State::from(kind);
        let mut step = |at: usize, me: Record| {
            let Some(&before) = latest.get(at) else { return false };
            if order.recent(before) {
                if kind == AccessKind::Store {
                    let same = before.thread() == me.thread();
                    let alone = || states[at] == State::Loads && !order.recent(others[at]);
                    if !same || states[at] != State::Store && !alone() {
                        return false;
                    }
                } else {
                    if states[at] != new || order.scoped_atomics() {
                        return false;
                    }
                    let mut pair = [before, others[at]];
                    keep(&mut pair, me, order);
                    others[at] = pair[1];
                }
            }
            (latest[at], states[at]) = (me, new);
            true
        };
        if lanes == u32::MAX && per_lane == 1 {
            for (lane, &granule) in (0u32..).zip(granules) {
                if !step(granule as usize, first.of_lane(lane)) {
                    return u32::MAX << lane;
                }
            }
            return 0;
        }
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros() % 32;
            let (begin, me) = (granules[lane as usize] as usize, first.of_lane(lane));
            if !(begin..begin + per_lane).all(|at| step(at, me)) {
                return rest;
            }
            rest &= rest - 1;
        }
        0
    }

    /// Notes an access to a granule and returns an earlier one that conflicts with it and that nothing orders before it.
    #[inline(always)]
    pub(super) fn access(&mut self, at: usize, me: Record, kind: AccessKind, order: &impl Order) -> Option<Record> {
        let (latest, state) = (&mut self.latest[at], &mut self.states[at]);
        if !order.recent(*latest) {
            (*latest, *state) = (me, kind.into());
            return None;
        }
        match (*state, kind) {
            (State::Loads, AccessKind::Load) | (State::Atomics, AccessKind::Atomic) if !order.scoped_atomics() => {
                let mut pair = [*latest, self.others[at]];
                keep(&mut pair, me, order);
                [*latest, self.others[at]] = pair;
                None
            }
            (State::Store, AccessKind::Store) if latest.thread() == me.thread() => {
                *latest = me;
                None
            }
            (State::Loads, AccessKind::Store) if latest.thread() == me.thread() && !order.recent(self.others[at]) => {
                (*latest, *state) = (me, State::Store);
                None
            }
            _ => self.access_many(at, me, kind, order),
        }
    }

    /// The general case of [`Cells::access`].
    #[inline(never)]
    fn access_many(&mut self, at: usize, me: Record, kind: AccessKind, order: &impl Order) -> Option<Record> {
        let none = Word::default();
        let pair = [self.latest[at], self.others[at]];
        let mut word = match self.states[at] {
            State::Loads => Word { reads: pair, ..none },
            State::Store => Word { write: self.latest[at], ..none },
            State::Atomics => Word { atomics: pair, ..none },
            State::Many => self.words[at],
        };
        let conflict = word.access(me, kind, order);
        self.latest[at] = me;
        if kind == AccessKind::Store {
            self.states[at] = State::Store;
            return conflict;
        }
        self.states[at] = State::Many;
        if self.words.is_empty() {
            self.words = vec![none; self.latest.len()];
        }
        self.words[at] = word;
        conflict
    }
}

/// As [`Cells::access_row`] with one granule a lane, some of which were accessed since the barrier.
#[inline(always)]
fn join_row(
    latest: &mut [Record; 32],
    states: &[State; 32],
    others: &mut [Record; 32],
    me: Record,
    kind: AccessKind,
    order: &impl Order,
) -> bool {
    let mut fine = true;
    if kind == AccessKind::Store {
        for lane in 0..32 {
            let same = latest[lane].thread() == me.of_lane(lane as u32).thread();
            let alone = (states[lane] == State::Loads) & !order.recent(others[lane]);
            fine &= !order.recent(latest[lane]) | same & (alone | (states[lane] == State::Store));
        }
    } else {
        fine = !order.scoped_atomics();
        for lane in 0..32 {
            fine &= !order.recent(latest[lane]) | (states[lane] == kind.into());
        }
    }
    if !fine {
        return false;
    }
    for lane in 0..32 {
        let mut pair = [latest[lane], others[lane]];
        keep(&mut pair, me.of_lane(lane as u32), order);
        latest[lane] = pair[0];
        others[lane] = if kind == AccessKind::Store { others[lane] } else { pair[1] };
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lanes::lanes_of;

    /// Everything before a time is known to all; of the rest, threads know what some others did, or of none if
    /// `friends` is 0.
    struct Since {
        floor: u32,
        friends: u32,
    }

    impl Order for Since {
        fn unordered(&self, earlier: Record, me: Record) -> bool {
            let strangers = !(earlier.thread() ^ me.thread()).count_ones().is_multiple_of(self.friends);
            self.recent(earlier) && earlier.thread() != me.thread() && strangers
        }

        fn recent(&self, earlier: Record) -> bool {
            earlier.time() >= self.floor
        }

        fn elsewhere(&self, _: Record) -> bool {
            false
        }

        fn scoped_atomics(&self) -> bool {
            false
        }

        fn observes(&self, atomic: Record) -> bool {
            self.friends != 0 && atomic.pc().is_multiple_of(2)
        }
    }

    const GRANULES: usize = 96;

    #[derive(Debug, Clone)]
    enum Step {
        Barrier,
        /// Warp, kind, first granule, granules a lane.
        Row(u32, AccessKind, usize, usize),
        /// Warp, kind, first granule, distance of the lanes' granules, granules a lane, lanes.
        Lanes(u32, AccessKind, u32, u32, usize, u32),
        /// Thread, kind, granule.
        One(u32, AccessKind, usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let kind = || prop_oneof![Just(AccessKind::Load), Just(AccessKind::Store), Just(AccessKind::Atomic)];
        let step = prop_oneof![
            1 => Just(Step::Barrier),
            2 => (0..3u32, kind(), 0..20usize, 1..3usize).prop_map(|(w, k, at, n)| Step::Row(w, k, at / n, n)),
            4 => (0..3u32, kind(), 0..40u32, 0..4u32, 1..3usize, any::<u32>())
                .prop_map(|(warp, kind, at, stride, n, lanes)| Step::Lanes(warp, kind, at, stride, n, lanes)),
            // Few places, so that they meet.
            9 => (0..96u32, kind(), 0..6usize).prop_map(|(thread, kind, at)| Step::One(thread, kind, at * 9)),
        ];
        proptest::collection::vec(step, 1..120)
    }

    /// Runs the steps; calls `check` with every access to a granule and what the cells said.
    fn run(steps: &[Step], friends: u32, mut check: impl FnMut(&Since, usize, Record, AccessKind, Option<Record>)) {
        let mut order = Since { floor: 1, friends };
        let mut cells = Cells::default();
        cells.resize(GRANULES);
        for (time, step) in (1u32..).zip(steps) {
            match *step {
                Step::Barrier => order.floor = time,
                Step::One(thread, kind, at) => {
                    let me = Record::new(time, thread, time % 7);
                    let found = cells.access(at, me, kind, &order);
                    check(&order, at, me, kind, found);
                }
                Step::Lanes(warp, kind, base, stride, per_lane, lanes) => {
                    let me = Record::new(time, warp * 32, time % 7);
                    let granules: [u32; 32] =
                        std::array::from_fn(|lane| base + lane as u32 * stride % 9 * per_lane as u32);
                    let rest = cells.access_lanes(&granules, per_lane, lanes, me, kind, &order);
                    for lane in lanes_of(lanes) {
                        let (begin, me) = (granules[lane as usize] as usize, me.of_lane(lane));
                        for at in begin..begin + per_lane {
                            let quiet = rest & 1 << lane == 0;
                            let found = if quiet { None } else { cells.access(at, me, kind, &order) };
                            check(&order, at, me, kind, found);
                        }
                    }
                }
                Step::Row(warp, kind, first, per_lane) => {
                    let me = Record::new(time, warp * 32, time % 7);
                    let whole = cells.access_row(first, per_lane, me, kind, &order);
                    for lane in 0..32 {
                        for at in first + lane * per_lane..first + (lane + 1) * per_lane {
                            let me = me.of_lane(lane as u32);
                            let found = if whole { None } else { cells.access(at, me, kind, &order) };
                            check(&order, at, me, kind, found);
                        }
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_cell_means_a_word(steps in steps(), friends in 0..4u32) {
            let mut words = [Word::default(); GRANULES];
            let mut differences = Vec::new();
            run(&steps, friends, |order, at, me, kind, found| {
                if words[at].access(me, kind, order) != found {
                    differences.push((at, me));
                }
            });
            prop_assert_eq!(differences, []);
        }

        /// With barriers of the whole block only, a conflict is found if and only if a list of all accesses since the
        /// latest write has one.
        #[test]
        fn no_conflict_is_forgotten(steps in steps()) {
            let mut all: Vec<Vec<(Record, AccessKind)>> = vec![Vec::new(); GRANULES];
            let mut wrong = Vec::new();
            run(&steps, 0, |order, at, me, kind, found| {
                let conflict = |&&(earlier, of): &&(Record, AccessKind)| {
                    let harmless = kind == of && kind != AccessKind::Store;
                    !harmless && order.unordered(earlier, me)
                };
                let mut conflicts = all[at].iter().filter(conflict).map(|&(earlier, _)| earlier);
                let right = match found {
                    Some(earlier) => conflicts.any(|record| record == earlier),
                    None => conflicts.next().is_none(),
                };
                if !right {
                    wrong.push((at, me, found));
                }
                if kind == AccessKind::Store {
                    all[at].clear();
                }
                all[at].push((me, kind));
            });
            prop_assert_eq!(wrong, []);
        }
    }
}
