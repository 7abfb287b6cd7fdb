//! What tests each instruction that the simulator has: the record of a GPU, forms of real kernels, or the simulator's own
//! tests. The reference of instructions is made of it.

use std::collections::BTreeSet;

use serde::Serialize;
use sim::isa::{ABSENT, Absent, Instruction};
use sim::{Lowering, Module};

use super::known;
use super::record::{Entry, IsaRecord};

const RECORD: &str = include_str!("../../truth/isa.h200.tsv");
/// Forms that compilers make of public kernels; `sim/tests/forms.rs` runs each of them.
const REAL: &str = include_str!("../../../sim/tests/data/forms.txt");

/// A simulated instruction and what tests it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// The instruction.
    #[serde(flatten)]
    pub instruction: Instruction,
    /// Opcodes that its patterns stand for; 0 where it has no patterns.
    pub opcodes: usize,
    /// Probes whose every result a GPU left too, bit for bit.
    pub exact: usize,
    /// Probes of approximate functions, whose results are a GPU's within the manual's error.
    pub close: usize,
    /// Probes whose results may differ from a GPU's.
    pub differing: usize,
    /// Why.
    pub why: Option<&'static str>,
    /// Forms of real kernels that are run.
    pub real: usize,
    /// Every modifier that stands in one of those probes and forms, but for the ones that are named by a pattern.
    pub modifiers: BTreeSet<String>,
}

/// A group of instructions that is not simulated, and what its user reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The group.
    #[serde(flatten)]
    pub absent: Absent,
    /// The message's first line.
    pub message: String,
}

/// Forms and probes that no row stands for, with all rows.
pub struct Covered {
    /// Every instruction.
    pub rows: Vec<Coverage>,
    /// Recorded probes and real forms that belong to no row and are not on a list of what is absent.
    pub strays: Vec<String>,
    /// The GPU of the record and its date.
    pub gpu: String,
}

/// Holds the table of instructions against what tests them.
///
/// # Errors
/// What is wrong with the record.
pub fn coverage() -> Result<Covered, String> {
    let record = IsaRecord::parse(RECORD)?;
    let mut rows: Vec<Coverage> = sim::isa::instructions().into_iter().map(Coverage::new).collect();
    let opcodes: Vec<BTreeSet<String>> = rows
        .iter()
        .map(|row| row.instruction.forms.iter().flat_map(|forms| sim::isa::expand(forms)).collect())
        .collect();
    for (row, opcodes) in rows.iter_mut().zip(&opcodes) {
        row.opcodes = opcodes.len();
    }
    let mut strays = Vec::new();
    let mut place = |form: &str| {
        let by_pattern = opcodes.iter().position(|opcodes| opcodes.contains(form));
        let by_name = || rows.iter().position(|row| row.instruction.forms.is_empty() && row.instruction.covers(form));
        // Real kernels leave out or turn around what changes nothing (`add.rn.f32`); their name and type decide.
        let alike = || rows.iter().rposition(|row| row.like(form));
        let found = by_pattern.or_else(by_name).or_else(alike);
        if found.is_none() && absent(form).is_none() {
            strays.push(form.to_owned());
        }
        found
    };
    let mut placed = Vec::new();
    for (name, entry) in &record.entries {
        // Functions of CUDA C++ are compositions; they have no row.
        if !name.starts_with("C++ ") {
            placed.push((place(form(name)), name.as_str(), Some(entry)));
        }
    }
    for name in REAL.lines().filter(|line| !line.starts_with('#')) {
        placed.push((place(name), name, None));
    }
    for (at, name, entry) in placed {
        if let Some(at) = at {
            rows[at].add(name, entry);
        }
    }
    let head = |key: &str| record.head.get(key).cloned().unwrap_or_default();
    Ok(Covered { rows, strays, gpu: format!("{}, {}", head("gpu"), head("date")) })
}

/// The instruction form in a probe's name: the name without what is particular.
fn form(name: &str) -> &str {
    name.split(' ').next().unwrap_or_default()
}

/// The group of absent instructions that an opcode belongs to.
pub fn absent(opcode: &str) -> Option<&'static Absent> {
    let begins =
        |name: &&&str| opcode.strip_prefix(**name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    ABSENT.iter().find(|absent| absent.names.iter().any(|name| begins(&name)))
}

impl Coverage {
    fn new(instruction: Instruction) -> Self {
        Self {
            instruction,
            opcodes: 0,
            exact: 0,
            close: 0,
            differing: 0,
            why: None,
            real: 0,
            modifiers: BTreeSet::new(),
        }
    }

    /// Whether an opcode has this row's name and one of its types.
    fn like(&self, form: &str) -> bool {
        let mut parts = form.split('.');
        let types = || self.instruction.forms.iter().flat_map(|forms| sim::isa::expand(forms));
        parts.next() == Some(self.instruction.name)
            && parts.next_back().is_some_and(|ty| types().any(|opcode| opcode.rsplit('.').next() == Some(ty)))
    }

    /// A probe with its results, or a form of a real kernel, that this row stands for.
    fn add(&mut self, name: &str, entry: Option<&Entry>) {
        match (known::reason(name), entry) {
            (Some(why), Some(_)) => {
                self.differing += 1;
                self.why = Some(why);
            }
            (_, Some(Entry::All(_))) => self.close += 1,
            (_, Some(_)) => self.exact += 1,
            (_, None) => self.real += 1,
        }
        if self.instruction.forms.is_empty() {
            let rest = form(name).strip_prefix(self.instruction.name).unwrap_or_default();
            self.modifiers.extend(rest.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
        }
    }

    /// Whether the record or a real kernel's form tests it; if not, a test of the simulator does.
    pub const fn is_compared(&self) -> bool {
        self.exact + self.close + self.differing + self.real > 0
    }
}

/// Asks the simulator for everything that it does not have.
///
/// # Errors
/// The name of what it has after all.
pub fn refusals() -> Result<Vec<Refusal>, String> {
    let refusal = |absent: &Absent| {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n\
             .reg .f32 %f<8>;\n{}\nret;\n}}\n",
            absent.example
        );
        let lowered = Module::parse("k.ptx", &text).and_then(|module| module.lower("k", Lowering::Sm90).map(drop));
        match lowered {
            Err(error @ sim::Error::Unsupported(_)) => {
                let message = error.to_string().lines().next().unwrap_or_default().to_owned();
                Ok(Refusal { absent: *absent, message })
            }
            Err(error) => Err(format!("`{}` is refused for another reason: {error}", absent.example)),
            Ok(()) => Err(format!("`{}` is simulated", absent.example)),
        }
    };
    ABSENT.iter().map(refusal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_probe_and_every_real_form_belongs_to_an_instruction() {
        let covered = coverage().unwrap();
        assert!(covered.strays.is_empty(), "{:?}", covered.strays);
        let sum = |of: fn(&Coverage) -> usize| covered.rows.iter().map(of).sum::<usize>();
        let (exact, close, real) = (sum(|row| row.exact), sum(|row| row.close), sum(|row| row.real));
        assert!(exact > 6000 && close >= 30 && real > 600, "{exact}, {close}, {real}");
        let functions = RECORD.lines().filter(|line| line.starts_with("C++ ")).count();
        let probes = RECORD.lines().filter(|line| !line.starts_with('#')).count() - functions;
        assert_eq!(sum(|row| row.exact + row.close + row.differing), probes);
    }

    #[test]
    fn every_opcode_of_a_pattern_was_recorded() {
        for row in coverage().unwrap().rows {
            if row.opcodes > 0 {
                let probes = row.exact + row.close + row.differing;
                assert!(probes >= row.opcodes, "{}: {probes} probes", row.instruction.name);
            }
        }
    }

    #[test]
    fn what_is_said_to_be_absent_is_refused_as_unsupported() {
        for refusal in refusals().unwrap() {
            assert!(refusal.message.contains("not support") || refusal.message.contains("simulated"), "{refusal:?}");
        }
    }
}
