//! Faults while a kernel runs, noted where they happen and made into findings at the end.

use std::collections::BTreeMap;

use super::breaches::Breaches;
use super::fault::Fault;
use super::{Finding, FindingKind, Places, Severity};
use crate::ir::inst::Pc;
use crate::lanes::lanes_of;

/// Lanes of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Who {
    /// Linear index of the thread block.
    pub block: u64,
    /// Warp within the block.
    pub warp: u32,
    /// The lanes that took part.
    pub lanes: u32,
}

/// The first fault of a kind at an instruction, and how often there was one.
#[derive(Debug, Clone)]
struct Noted {
    fault: Fault,
    who: Who,
    count: u64,
}

/// Faults by instruction and kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults {
    by_place: BTreeMap<(Pc, FindingKind), Noted>,
    /// What the hardware goes on with.
    pub breaches: Breaches,
    /// A thread of the block, or of those that run in turn with it, has missed memory and ended there. Whoever waits for
    /// it waits for ever: that is no fault of its own.
    pub broken: bool,
}

/// What follows when a thread comes to an early end.
const fn follows(kind: FindingKind) -> bool {
    use FindingKind::{BarrierDivergence, Budget, Deadlock, InvalidSyncMask};
    matches!(kind, BarrierDivergence | Budget | Deadlock | InvalidSyncMask)
}

impl Faults {
    /// Notes a fault of this kind. Only the first at an instruction is kept: `fault` is not called for the others.
    #[cold]
    pub(crate) fn note(&mut self, pc: Pc, kind: FindingKind, who: Who, fault: impl FnOnce() -> Fault) {
        if self.broken && follows(kind) {
            return;
        }
        let noted = || {
            let fault = fault();
            debug_assert_eq!(fault.kind(), kind, "a fault is noted as what it is");
            Noted { fault, who, count: 1 }
        };
        self.by_place.entry((pc, kind)).and_modify(|noted| noted.count += 1).or_insert_with(noted);
    }

    /// A block starts: alone, or `in_turn` with others.
    pub(crate) const fn start(&mut self, in_turn: bool) {
        self.broken &= in_turn;
    }

    /// How many different ones there are: by place and kind.
    pub(crate) fn kinds(&self) -> usize {
        self.by_place.len() + self.breaches.kinds()
    }

    /// Adds the faults of blocks that come later.
    pub(crate) fn merge(&mut self, later: Self) {
        for (place, noted) in later.by_place {
            match self.by_place.entry(place) {
                std::collections::btree_map::Entry::Occupied(mut entry) => entry.get_mut().count += noted.count,
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(noted);
                }
            }
        }
        self.breaches.merge(later.breaches);
    }

    /// The findings, in order of source line. `used` as in [`Breaches::findings`].
    pub(crate) fn findings(&self, places: Places<'_>, used: bool) -> Vec<Finding> {
        let launch = &places.launch;
        let find = |(&(pc, kind), Noted { fault, who, count }): (&(Pc, FindingKind), &Noted)| {
            let (file, line) = places.line(pc);
            Finding {
                kind,
                severity: Severity::Error,
                message: fault.sentence(who, launch) + &places.inlined(pc),
                help: fault.help().to_owned(),
                file,
                line,
                seed: launch.seed,
                block: launch.grid.coordinates(who.block).into(),
                warp: who.warp,
                lanes: lanes_of(who.lanes).collect(),
                count: *count,
                space: fault.memory(),
                parties: Vec::new(),
            }
        };
        let mut findings: Vec<Finding> = self.by_place.iter().map(find).collect();
        // Threads that a fault has ended are missed by the others: that is its consequence.
        if !self.by_place.keys().any(|(_, kind)| ends_threads(*kind)) {
            findings.extend(self.breaches.findings(places, used));
        }
        findings.sort_by(|a, b| (&a.file, a.line, a.kind).cmp(&(&b.file, b.line, b.kind)));
        findings
    }
}

/// Whether a fault of this kind ends the threads that have it.
const fn ends_threads(kind: FindingKind) -> bool {
    matches!(kind, FindingKind::OutOfBounds | FindingKind::Misaligned | FindingKind::Assert | FindingKind::Trap)
}
