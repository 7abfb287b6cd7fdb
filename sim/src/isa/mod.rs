//! Which PTX runs: every instruction with its section of the manual, what it does and its forms, and the list of what is
//! not simulated. Decoding starts here, so that an instruction without a row is one that is not simulated. Generated
//! from it: the book's page, the inputs of the hardware record.

mod absent;
mod machine;
mod pattern;

use serde::Serialize;

pub use absent::{ABSENT, Absent};
pub(crate) use machine::{Unit, unit};
pub use pattern::expand;

use crate::semantics::TABLE;

/// One instruction of the PTX ISA manual, version 9.0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Instruction {
    /// The beginning of its opcodes: `add`, `cp.async.bulk`.
    pub name: &'static str,
    /// The manual's section.
    pub section: &'static str,
    /// What it does, in a line.
    pub does: &'static str,
    /// All its opcodes as patterns (see [`expand`]). Empty for instructions on memory, control and other lanes: the
    /// modifiers of those are many, and most combine with all others.
    pub forms: Vec<&'static str>,
}

impl Instruction {
    /// Whether this row stands for an opcode.
    pub fn covers(&self, opcode: &str) -> bool {
        match self.forms.is_empty() {
            true => opcode.strip_prefix(self.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
            false => self.forms.iter().any(|pattern| expand(pattern).iter().any(|form| form == opcode)),
        }
    }
}

/// Every instruction that is simulated: those that compute from registers alone in the order of the manual, then the
/// others.
pub fn instructions() -> Vec<Instruction> {
    let lane_local = TABLE.iter().map(|row| Instruction {
        name: row.name,
        section: row.section,
        does: row.semantics,
        forms: row.forms.split_whitespace().collect(),
    });
    lane_local.chain(machine::rows()).collect()
}
