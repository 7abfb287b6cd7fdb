//! Races as they are found: one for each pair of instructions, and one finding for each pair of lines.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::event::AccessKind;
use crate::findings::{Finding, Pardon, Places, Race, RaceContext, Reach};
use crate::ir::inst::Pc;

/// Races by the pair of their instructions, lower one first, and why they are remarks.
#[derive(Debug, Clone, Default)]
pub(super) struct Races {
    by_pair: BTreeMap<(Pc, Pc, Pardon), Race>,
    /// How far apart the threads of the widest race of each of these pairs are.
    reaches: BTreeMap<(Pc, Pc, Pardon), Reach>,
}

impl Races {
    /// Notes a race. Only the first of a pair of instructions is described.
    pub(super) fn note(&mut self, race: Race) {
        let (a, b) = (race.earlier.pc, race.later.pc);
        let pair = (a.min(b), a.max(b), race.pardon);
        let reach = self.reaches.entry(pair).or_insert(Reach::Warp);
        *reach = race.reach().max(*reach);
        match self.by_pair.entry(pair) {
            Entry::Vacant(entry) => {
                entry.insert(race);
            }
            Entry::Occupied(mut entry) => {
                let first = entry.get_mut();
                first.count += race.count;
                let same_moment = (first.later.block, first.time) == (race.later.block, race.time);
                if same_moment && first.later.pc == race.later.pc {
                    first.lanes |= race.lanes;
                }
            }
        }
    }

    /// How many different ones there are: pairs of instructions.
    pub(super) fn kinds(&self) -> usize {
        self.by_pair.len()
    }

    /// Adds what was found in later blocks.
    pub(super) fn merge(&mut self, later: Self) {
        for (pair, reach) in later.reaches {
            let own = self.reaches.entry(pair).or_insert(reach);
            *own = reach.max(*own);
        }
        for (pair, race) in later.by_pair {
            match self.by_pair.entry(pair) {
                Entry::Vacant(entry) => {
                    entry.insert(race);
                }
                Entry::Occupied(mut entry) => entry.get_mut().count += race.count,
            }
        }
    }

    /// One finding for each pair of source lines: races, and those of equal values apart.
    pub(super) fn findings(&self, places: Places<'_>) -> Vec<Finding> {
        let mut by_lines: BTreeMap<_, Race> = BTreeMap::new();
        for race in self.by_pair.values().filter(|race| !is_a_poll(race, places)) {
            let (a, b) = (places.line(race.earlier.pc), places.line(race.later.pc));
            let key = (a.clone().min(b.clone()), a.max(b), race.pardon);
            match by_lines.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(race.clone());
                }
                Entry::Occupied(mut entry) => {
                    let sum = entry.get().count + race.count;
                    let first = entry.get();
                    if (race.later.block, race.time) < (first.later.block, first.time) {
                        entry.insert(race.clone());
                    }
                    entry.get_mut().count = sum;
                }
            }
        }
        // Where two lines race anyway, it goes without saying that some of their values are equal.
        let real: Vec<_> = by_lines.keys().filter(|key| key.2 == Pardon::None).cloned().collect();
        by_lines.retain(|key, _| key.2 == Pardon::None || !real.iter().any(|(a, b, _)| (a, b) == (&key.0, &key.1)));
        by_lines.values().map(|race| race.finding(places, &self.context(race, places))).collect()
    }
}

impl Races {
    /// What the other races say of how `race` is to be mended.
    ///
    /// A barrier stands between lines, so that races with a line in common are mended by one barrier: it must reach as far
    /// as the widest of them.
    fn context(&self, race: &Race, places: Places<'_>) -> RaceContext {
        let lines = |race: &Race| [places.line(race.earlier.pc), places.line(race.later.pc)];
        let own = lines(race);
        let mut context = RaceContext { reach: race.reach(), plain_update: false };
        let [mut reads, mut writes] = [false; 2];
        for (pair, other) in &self.by_pair {
            let theirs = lines(other);
            if pair.2 > Pardon::Equal || !theirs.iter().any(|line| own.contains(line)) {
                continue;
            }
            // Blocks that race at one of the lines alone are no reason to leave the barrier of the block out here.
            let reach = self.reaches.get(pair).copied().unwrap_or(Reach::Warp);
            let same = theirs.iter().all(|line| own.contains(line)) && own.iter().all(|line| theirs.contains(line));
            context.reach = context.reach.max(if same { reach } else { reach.min(Reach::Block) });
            if theirs.iter().all(|line| own.contains(line)) {
                let kinds = [other.hazard.earlier, other.hazard.later];
                let updates = kinds.contains(&AccessKind::Atomic);
                reads |= updates && kinds.contains(&AccessKind::Load);
                writes |= updates && kinds.contains(&AccessKind::Store);
            }
        }
        context.plain_update = reads && writes;
        context
    }
}

/// Whether a thread waits here for what another one writes: what the word orders is asked of the data behind it, and
/// the word itself is whole.
fn is_a_poll(race: &Race, places: Places<'_>) -> bool {
    let polls = |kind, pc| kind == AccessKind::Load && places.in_a_loop(pc, pc);
    race.pardon == Pardon::Volatile
        && (polls(race.hazard.earlier, race.earlier.pc) || polls(race.hazard.later, race.later.pc))
}
