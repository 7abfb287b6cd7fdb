//! Faults while a kernel runs, noted where they happen and made into findings at the end.

use std::collections::BTreeMap;

use crate::machine::grid::Machine;
use crate::observe::metrics;
use crate::program::inst::Pc;
use crate::ptx::ast::Module;
use crate::report::{Finding, FindingKind};

/// The first fault of a kind at an instruction, and how many followed.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    /// What happened, as a sentence without the place.
    pub message: String,
    /// What to do about it.
    pub help: &'static str,
    /// Linear index of the thread block.
    pub block: u64,
    /// Warp within the block.
    pub warp: u32,
    /// The lanes that took part.
    pub lanes: u32,
    /// How often it happened at this instruction.
    pub count: u64,
}

/// Faults by instruction and kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Faults {
    by_place: BTreeMap<(Pc, FindingKind), Fault>,
}

impl Faults {
    /// Notes a fault. Only the first at an instruction is described: `describe` is not called for the others.
    #[cold]
    pub(crate) fn note(&mut self, pc: Pc, kind: FindingKind, describe: impl FnOnce() -> Fault) {
        self.by_place.entry((pc, kind)).and_modify(|fault| fault.count += 1).or_insert_with(describe);
    }

    /// Adds the faults of blocks that come later.
    pub(crate) fn merge(&mut self, later: Self) {
        for (place, fault) in later.by_place {
            match self.by_place.entry(place) {
                std::collections::btree_map::Entry::Occupied(mut entry) => entry.get_mut().count += fault.count,
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(fault);
                }
            }
        }
    }

    /// The findings, in order of source line.
    pub(crate) fn findings(&self, machine: &Machine<'_>, module: &Module, ptx_file: &str) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self
            .by_place
            .iter()
            .map(|(&(pc, kind), fault)| {
                let (file, line) = metrics::place(machine.program, module, ptx_file, pc as usize);
                Finding {
                    kind,
                    message: fault.message.clone(),
                    help: fault.help.to_owned(),
                    file,
                    line,
                    seed: machine.seed,
                    block: machine.grid.coordinates(fault.block).into(),
                    warp: fault.warp,
                    lanes: (0..32).filter(|lane| fault.lanes >> lane & 1 != 0).collect(),
                    count: fault.count,
                    parties: Vec::new(),
                }
            })
            .collect();
        findings.sort_by(|a, b| (&a.file, a.line, a.kind).cmp(&(&b.file, b.line, b.kind)));
        findings
    }
}
