//! Races as they are found, and how they are told.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Places;
use super::variables;
use crate::observe::{AccessKind, lanes_of};
use crate::program::inst::{Pc, Space};
use crate::report::{Finding, FindingKind};

/// What two accesses do to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hazard {
    /// What the access did that was executed first.
    pub earlier: AccessKind,
    /// What the other does.
    pub later: AccessKind,
}

/// One of the two threads of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Party {
    /// Linear index of the block.
    pub block: u64,
    /// Number within the block.
    pub thread: u32,
    /// Its instruction.
    pub pc: Pc,
}

/// A race, as it was seen the first time.
#[derive(Debug, Clone)]
pub(super) struct Race {
    /// What the two do.
    pub hazard: Hazard,
    /// Both write, and the same value.
    pub equal: bool,
    /// Both are lanes of one warp that execute the same instruction together.
    pub together: bool,
    /// The access that was executed first.
    pub earlier: Party,
    /// The other.
    pub later: Party,
    /// The lanes of the later access's warp that race in this instruction.
    pub lanes: u32,
    /// Time of the later access.
    pub time: u32,
    /// Shared or global memory.
    pub space: Space,
    /// Address of the element that the later access touches.
    pub address: u64,
    /// Size of the element.
    pub bytes: u32,
    /// Pairs of accesses that race like this.
    pub count: u64,
}

/// Races by the pair of their instructions, lower one first, and whether only equal values are written.
#[derive(Debug, Clone, Default)]
pub(super) struct Races {
    by_pair: BTreeMap<(Pc, Pc, bool), Race>,
}

impl Races {
    /// Notes a race. Only the first of a pair of instructions is described.
    pub(super) fn note(&mut self, race: Race) {
        let (a, b) = (race.earlier.pc, race.later.pc);
        match self.by_pair.entry((a.min(b), a.max(b), race.equal)) {
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

    /// Adds what was found in later blocks.
    pub(super) fn merge(&mut self, later: Self) {
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
    pub(super) fn findings(&self, places: Places<'_>) -> (Vec<Finding>, Vec<Finding>) {
        let mut by_lines: BTreeMap<_, Race> = BTreeMap::new();
        for race in self.by_pair.values() {
            let (a, b) = (places.line(race.earlier.pc), places.line(race.later.pc));
            let key = (a.clone().min(b.clone()), a.max(b), race.equal);
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
        let real: Vec<_> = by_lines.keys().filter(|key| !key.2).cloned().collect();
        for (a, b, _) in real {
            by_lines.remove(&(a, b, true));
        }
        let (remarks, findings): (Vec<&Race>, Vec<&Race>) = by_lines.values().partition(|race| race.equal);
        let tell = |races: Vec<&Race>| races.into_iter().map(|race| race.finding(places)).collect();
        (tell(findings), tell(remarks))
    }
}

impl Hazard {
    /// The name of the hazard, as compute-sanitizer and the literature on pipelines have it.
    fn name(self) -> &'static str {
        use AccessKind::{Atomic, Load, Store};
        match (self.earlier, self.later) {
            (Store, Load) => "read after write",
            (Load, Store) => "write after read",
            (Atomic, Load) => "read after atomic update",
            (Atomic, Store) => "write after atomic update",
            (Load, Atomic) => "atomic update after read",
            (Store, Atomic) => "atomic update after write",
            _ => "write after write",
        }
    }
}

impl Race {
    /// The same race, told in the order of the program instead of the order in which it was executed, which is luck.
    /// In a loop both orders are the program's.
    fn in_program_order(&self, places: Places<'_>) -> Self {
        let ordered = if self.same_block() {
            self.earlier.pc <= self.later.pc || self.together || places.in_a_loop(self.later.pc, self.earlier.pc)
        } else {
            // Which block came first is luck, too: first who wrote, then who read.
            self.hazard.earlier != AccessKind::Load
        };
        if ordered {
            return self.clone();
        }
        let hazard = Hazard { earlier: self.hazard.later, later: self.hazard.earlier };
        let lanes = 1 << (self.earlier.thread % 32);
        Self { hazard, earlier: self.later, later: self.earlier, lanes, ..self.clone() }
    }

    fn same_warp(&self) -> bool {
        self.same_block() && self.earlier.thread / 32 == self.later.thread / 32
    }

    /// Whether one line wrote twice. Threads that go through the same line seldom want to take turns there.
    fn writes_of_one_line(&self, places: Places<'_>) -> bool {
        let stores = (self.hazard.earlier, self.hazard.later) == (AccessKind::Store, AccessKind::Store);
        stores && places.line(self.earlier.pc) == places.line(self.later.pc)
    }

    fn same_block(&self) -> bool {
        self.earlier.block == self.later.block
    }

    fn finding(&self, places: Places<'_>) -> Finding {
        let this = self.in_program_order(places);
        let (file, line) = places.line(this.later.pc);
        Finding {
            kind: FindingKind::Race,
            message: this.message(places),
            help: this.help(places),
            file,
            line,
            seed: places.machine.seed,
            block: places.machine.grid.coordinates(this.later.block).into(),
            warp: this.later.thread / 32,
            lanes: lanes_of(this.lanes).collect(),
            count: this.count,
            parties: vec![
                places.party(this.later.block, this.later.thread, this.later.pc, does(this.hazard.later)),
                places.party(this.earlier.block, this.earlier.thread, this.earlier.pc, does(this.hazard.earlier)),
            ],
        }
    }

    fn message(&self, places: Places<'_>) -> String {
        let what = variables::name(places.machine, self.space, self.address, self.bytes);
        let who = |party: Party| {
            let (warp, lane) = (party.thread / 32, party.thread % 32);
            let block =
                if self.same_block() { String::new() } else { format!("block {}, ", places.block(party.block)) };
            format!("thread {} ({block}warp {warp}, lane {lane})", places.thread(party.thread))
        };
        let (earlier, later) = (who(self.earlier), who(self.later));
        let at = places.reference(self.earlier.pc, self.later.pc);
        if self.together {
            let values = if self.equal { "the same value" } else { "different values" };
            return format!("{earlier} and {later} write {values} to {what} with one instruction, {at}");
        }
        let (later_does, earlier_does) = (does(self.hazard.later), does(self.hazard.earlier));
        let equal = if self.equal { "the value is the same, but " } else { "" };
        let hazard = self.hazard.name();
        format!(
            "{later} {later_does} {what}, which {earlier} {earlier_does} {at}: {equal}nothing orders the two ({hazard})"
        )
    }

    fn help(&self, places: Places<'_>) -> String {
        if !self.same_block() {
            return self.help_between_blocks(places);
        }
        if self.together {
            return "one instruction of a warp can leave only one value: let one lane write, give every lane its own \
                    element, or combine the values with an atomic"
                .to_owned();
        }
        let between = places.between(self.earlier.pc, self.later.pc);
        if self.equal {
            return format!(
                "harmless as long as the values are equal; to be sure, let one thread write, or put a barrier {between}"
            );
        }
        if (self.hazard.earlier == AccessKind::Atomic) != (self.hazard.later == AccessKind::Atomic) {
            return format!(
                "an atomic is safe from other atomics only: put `{}` {between}, or make both accesses atomic",
                if self.same_warp() { "__syncwarp()" } else { "__syncthreads()" }
            );
        }
        if self.writes_of_one_line(places) {
            let barrier = if self.same_warp() { "__syncwarp()" } else { "__syncthreads()" };
            return format!(
                "both threads write in this one line, so it is likely that they come to the same index: give every \
                 thread its own element, or combine the values with an atomic; only if one shall write after the \
                 other, put `{barrier}` {between}"
            );
        }
        if self.same_warp() {
            return format!(
                "the lanes of a warp do not run in lock step: put `__syncwarp()` {between}, where every lane comes by"
            );
        }
        format!("put `__syncthreads()` {between}, where every thread of the block comes by")
    }

    fn help_between_blocks(&self, places: Places<'_>) -> String {
        use AccessKind::{Atomic, Store};
        let cta = |party: Party| places.machine.program.texts[party.pc as usize].contains(".cta");
        match (self.hazard.earlier, self.hazard.later) {
            (Store, Store) if self.equal => {
                "harmless as long as the values are equal; to be sure, let one thread of the \
                                             grid write, or use `atomicExch`"
                    .to_owned()
            }
            (Atomic, Atomic) => {
                "an atomic with the suffix `_block` promises something to its own block only: leave the \
                                 suffix out"
                    .to_owned()
            }
            _ if cta(self.earlier) || cta(self.later) => {
                "fences and accesses with the scope of a block promise nothing to \
                                                          other blocks: take the scope of the device"
                    .to_owned()
            }
            (Store | Atomic, Store | Atomic) => {
                "blocks run in any order, also at once: give each block its own elements, \
                                                 or combine the values with atomics"
                    .to_owned()
            }
            _ => {
                "blocks run in any order, also at once: split the kernel in two launches here, or hand the value over \
                  with `__threadfence()` and an atomic flag that the reader waits for"
                    .to_owned()
            }
        }
    }
}

const fn does(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "reads",
        AccessKind::Store => "writes",
        AccessKind::Atomic => "atomically updates",
    }
}
