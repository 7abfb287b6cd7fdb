//! The committed machine code of the book's kernels, executed, against three witnesses: what a GPU counted of the same cubin
//! per launch and per instruction (`truth/machine`), the exact memory counters that it counted of the same PTX (`truth`), and
//! the outputs of the road over PTX, bit by bit.

pub mod exceptions;
mod witnesses;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use serde::Serialize;
use sim::machine_code::Program;
use sim::{Checks, Options};

use crate::case::{Case, Prepared};
use crate::cubins::{self, CommittedCubin};
use crate::machine_truth::{MachineProvenance, MachineRecord};
use crate::simulate::{self, Simulated};
use exceptions::{Exceptions, exceptions};
pub use witnesses::{COUNTS, Count, Found, alike, instructions, totals};
use witnesses::{GPU, against_exact_counters, against_ptx, against_stream};

/// The most threads of a case, all launches together, that is executed where nothing else is asked for: larger ones take
/// minutes.
pub const MOST_THREADS: u64 = 1 << 14;

/// Something that is not as its witness has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The counter, or `output`, `finding`, `refused`.
    pub what: String,
    /// Where, what is here, and what the witness says.
    pub sentence: String,
    /// Why, where it is known ([`mod@exceptions`]).
    pub known: Option<&'static str>,
}

/// What a case showed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MachineCaseComparison {
    /// The problem.
    pub problem: &'static str,
    /// The version.
    pub version: &'static str,
    /// The case's name.
    pub case: String,
    /// Launches whose instruction stream was compared.
    pub launches: usize,
    /// Counters of whole launches that were compared.
    pub stream: usize,
    /// Counters of instructions that were compared.
    pub instructions: usize,
    /// Exact memory counters that were compared.
    pub memory: usize,
    /// What differs.
    pub differences: Vec<Difference>,
}

impl MachineCaseComparison {
    /// How many values were compared.
    #[must_use]
    pub const fn compared(&self) -> usize {
        self.stream + self.instructions + self.memory
    }

    /// How many of the differences are about counters.
    #[must_use]
    pub fn counters_differ(&self) -> usize {
        self.differences.iter().filter(|difference| !NO_COUNTERS.contains(&&*difference.what)).count()
    }
}

/// Differences that are not those of counters.
const NO_COUNTERS: [&str; 3] = ["output", "finding", "refused"];

/// What a group of cases has together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MachineSum<'a> {
    /// The group's name.
    pub group: &'a str,
    /// Cases.
    pub cases: usize,
    /// Launches whose instruction stream was compared.
    pub launches: usize,
    /// Counters of whole launches that were compared.
    pub stream: usize,
    /// Counters of instructions that were compared.
    pub instructions: usize,
    /// Exact memory counters that were compared.
    pub memory: usize,
    /// Counters that differ.
    pub differ: usize,
    /// Cases whose outputs are those of the road over PTX.
    pub same_outputs: usize,
}

/// What all cases showed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachineComparison {
    /// Case by case.
    pub cases: Vec<MachineCaseComparison>,
    /// How many cases were left out, because they have too many threads.
    pub left_out: usize,
    /// Where the recorded counters come from, for each problem that was recorded.
    pub provenance: BTreeMap<&'static str, MachineProvenance>,
}

impl MachineComparison {
    /// The differences whose cause is not known, with their cases.
    pub fn unexplained(&self) -> impl Iterator<Item = (&MachineCaseComparison, &Difference)> {
        let all = self.cases.iter().flat_map(|case| case.differences.iter().map(move |difference| (case, difference)));
        all.filter(|(_, difference)| difference.known.is_none())
    }

    /// What the cases of each group have together, in their order; `of` names the group of a case.
    pub fn sums<'a>(&'a self, of: impl Fn(&'a MachineCaseComparison) -> &'a str) -> Vec<MachineSum<'a>> {
        let mut sums: Vec<MachineSum<'a>> = Vec::new();
        for case in &self.cases {
            let group = of(case);
            if sums.last().is_none_or(|last| last.group != group) {
                sums.push(MachineSum { group, ..MachineSum::default() });
            }
            let Some(sum) = sums.last_mut() else { continue };
            sum.cases += 1;
            sum.launches += case.launches;
            sum.stream += case.stream;
            sum.instructions += case.instructions;
            sum.memory += case.memory;
            sum.differ += case.counters_differ();
            sum.same_outputs += usize::from(case.differences.iter().all(|d| !matches!(&*d.what, "output" | "refused")));
        }
        sums
    }

    /// Why something differs, each reason once, in the order of the cases.
    #[must_use]
    pub fn reasons(&self) -> Vec<&'static str> {
        let mut reasons = Vec::new();
        for why in self.cases.iter().flat_map(|case| &case.differences).filter_map(|difference| difference.known) {
            if !reasons.contains(&why) {
                reasons.push(why);
            }
        }
        reasons
    }

    /// The line that closes the comparison.
    #[must_use]
    pub fn closing(&self) -> String {
        let compared: usize = self.cases.iter().map(MachineCaseComparison::compared).sum();
        let differ: usize = self.cases.iter().map(MachineCaseComparison::counters_differ).sum();
        let launches: usize = self.cases.iter().map(|case| case.launches).sum();
        let mut versions: Vec<&str> =
            self.cases.iter().filter(|case| case.counters_differ() > 0).map(|case| case.version).collect();
        versions.dedup();
        let mut line = format!(
            "machine code: {} of {compared} counters of {launches} launches and their instructions agree",
            compared - differ
        );
        if differ > 0 {
            let plural = if versions.len() == 1 { "" } else { "s" };
            line += &format!("; {differ} differ, in {} version{plural}", versions.len());
        }
        let unexplained = self.unexplained().count();
        if unexplained > 0 {
            line += &format!(", {unexplained} of them for no known reason");
        }
        if self.left_out > 0 {
            line += &format!("; {} larger cases were left out", self.left_out);
        }
        line
    }
}

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum MachineComparisonError {
    /// A file of the workbook cannot be used.
    #[error("{0}")]
    File(String),
    /// The record is of other machine code.
    #[error(
        "the record of {0}'s machine code is of another cubin than the committed one: \
         record it again with `warpbook record --machine-code {0}` on a machine with that GPU"
    )]
    Stale(&'static str),
}

impl MachineComparisonError {
    /// The exit code that a program should end with.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::File(_) => sim::ErrorClass::Internal.exit_code(),
            Self::Stale(_) => sim::ErrorClass::Unsupported.exit_code(),
        }
    }
}

/// Executes cases of at most `most` threads and compares.
///
/// # Errors
/// [`MachineComparisonError`] when a file of the workbook cannot be used or a record is of other machine code. A difference
/// is not an error: see [`MachineComparison::unexplained`].
pub fn compare(cases: &[Case], most: u64) -> Result<MachineComparison, MachineComparisonError> {
    let file = |why: &'static str| MachineComparisonError::File(why.to_owned());
    let exceptions = exceptions().map_err(file)?;
    let taken: Vec<&Case> = cases.iter().filter(|case| case.threads() <= most).collect();
    let mut problems: Vec<&'static str> = taken.iter().map(|case| case.problem).collect();
    problems.dedup();
    let mut codes = HashMap::new();
    for problem in problems {
        let _ = codes.insert(problem, Code::of(problem)?);
    }
    let compared = taken.par_iter().map(|case| one(case, &codes[case.problem], exceptions)).collect::<Vec<_>>();
    let provenance =
        codes.iter().filter_map(|(problem, code)| Some((*problem, code.record.as_ref()?.provenance.clone()))).collect();
    Ok(MachineComparison { left_out: cases.len() - taken.len(), cases: compared, provenance })
}

/// The machine code of a problem and what a GPU counted of it.
pub struct Code {
    problem: &'static str,
    cubin: CommittedCubin,
    /// What a GPU counted, if it was recorded.
    pub record: Option<MachineRecord>,
    programs: Mutex<HashMap<String, Result<Arc<Program>, sim::Error>>>,
}

impl Code {
    /// The committed machine code of a problem.
    ///
    /// # Errors
    /// [`MachineComparisonError`] when there is none, or the record is of another.
    pub fn of(problem: &'static str) -> Result<Self, MachineComparisonError> {
        let none = || MachineComparisonError::File(format!("there is no committed machine code of {problem}"));
        let cubin = cubins::committed(problem, cubins::ARCH).ok_or_else(none)?;
        let record = MachineRecord::committed(problem, GPU);
        if record.as_ref().is_some_and(|record| record.provenance.cubin_sha256 != cubin.sha256()) {
            return Err(MachineComparisonError::Stale(problem));
        }
        Ok(Self { problem, cubin, record, programs: Mutex::default() })
    }

    fn program(&self, kernel: &str) -> Result<Arc<Program>, sim::Error> {
        // A panic elsewhere cannot leave the map half changed.
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let load = || {
            let mut program = Program::load(&self.cubin.bytes, kernel)?;
            program.set_compiler(Some(self.cubin.ptxas.clone()));
            Ok(Arc::new(program))
        };
        programs.entry(kernel.to_owned()).or_insert_with(load).clone()
    }

    /// Executes a case of the problem.
    ///
    /// # Errors
    /// As [`sim::machine_code::simulate`].
    pub fn run(&self, case: &Case, prepared: &Prepared) -> Result<Simulated, sim::Error> {
        debug_assert_eq!(case.problem, self.problem);
        let options = Options { checks: Checks::NONE, ..Options::default() };
        simulate::run_machine_code(|kernel| self.program(kernel), prepared, &options)
    }
}

/// Executes a case and holds it against its witnesses.
fn one(case: &Case, code: &Code, exceptions: &'static Exceptions) -> MachineCaseComparison {
    let mut compared = MachineCaseComparison {
        problem: case.problem,
        version: case.version,
        case: case.name.clone(),
        ..MachineCaseComparison::default()
    };
    let prepared = case.prepare();
    let (mut road, mut stream) = (Vec::new(), Vec::new());
    match code.run(case, &prepared) {
        Ok(ran) => {
            against_ptx(case, &prepared, &ran, &mut road);
            against_exact_counters(case, &ran, &mut compared, &mut road);
            if let Some(record) = &code.record {
                against_stream(case, record, &prepared, &ran.reports, &mut compared, &mut stream);
            }
        }
        Err(error) => road.push(Found::new("refused", error.to_string())),
    }
    for (list, found) in [(&exceptions.known, road), (&exceptions.stream, stream)] {
        compared.differences.extend(found.into_iter().map(|Found { what, sentence, .. }| {
            let entry = list.iter().find(|exception| exception.covers(case.version, &what));
            Difference { known: entry.map(|exception| &*exception.why), what, sentence }
        }));
    }
    compared
}
