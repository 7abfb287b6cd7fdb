//! The workbook's kernels as clang makes them, beside NVRTC's: results, findings and exact counters of one case of every
//! version, both simulated.

use std::collections::{BTreeMap, BTreeSet};

use cuda::compile::{self, CompileError, Compiler, Options, Source};
use rayon::prelude::*;
use serde::Serialize;
use sim::{ErrorClass, Module, Report};

use crate::baseline;
use crate::case::Case;
use crate::cases;
use crate::counters::EXACT;
use crate::ptx;
use crate::simulate::{self, SimulateError};

/// A counter that is not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The counter's short name.
    pub counter: &'static str,
    /// Its value for NVRTC's code.
    pub nvrtc: u64,
    /// Its value for clang's code.
    pub clang: u64,
}

/// One version in one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The problem.
    pub problem: String,
    /// The version, or the exercise.
    pub version: String,
    /// The case.
    pub case: String,
    /// Counters that are compared.
    pub counters: usize,
    /// Those that differ.
    pub differences: Vec<Difference>,
    /// What is wrong with clang's result or findings; None if they are as expected.
    pub wrong: Option<String>,
}

/// All of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// clang's version, if it compiled just now.
    pub clang: Option<String>,
    /// One row per version, or per case of a source.
    pub rows: Vec<Row>,
}

impl Table {
    /// The share of counters that are equal, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        let all: usize = self.rows.iter().map(|row| row.counters).sum();
        let differing: usize = self.rows.iter().map(|row| row.differences.len()).sum();
        if all == 0 { 0.0 } else { (all - differing) as f64 / all as f64 }
    }
}

/// Why the table could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// There is no clang, or it refuses a source.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The simulator refuses.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// A source cannot be read.
    #[error("cannot read {0}: {1}")]
    Read(String, String),
}

impl CompareError {
    /// The exit code that a program should end with.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Compile(error) => error.exit_code(),
            Self::Simulate(error) => error.exit_code(),
            Self::Read(..) => ErrorClass::Input.exit_code(),
        }
    }
}

/// Compares the versions whose names hold one of `names`; all, if there is none.
///
/// # Errors
/// [`CompareError`].
pub fn compare(names: &[String]) -> Result<Table, CompareError> {
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| cases::matches(case, name));
    let all: Vec<Case> = cases::all().into_iter().filter(wanted).collect();
    let keys: BTreeSet<(&str, &str)> = all.iter().map(|case| (case.problem, case.version)).collect();
    let chosen = keys.into_iter().filter_map(|key| {
        let own = all.iter().filter(|case| (case.problem, case.version) == key);
        Some((key, baseline::representative(own)?.clone()))
    });
    let cases: BTreeMap<(&str, &str), Case> = chosen.collect();
    let problems: Vec<&'static str> =
        ptx::problems().filter(|problem| cases.keys().any(|key| key.0 == *problem)).collect();
    let mut modules: BTreeMap<&str, Module> = BTreeMap::new();
    for problem in problems {
        modules.insert(problem, module(problem)?);
    }
    let rows: Result<Vec<Row>, CompareError> =
        cases.into_values().par_bridge().map(|case| row(&case, &modules[case.problem])).collect();
    let mut rows = rows?;
    rows.sort_by(|a, b| (&a.problem, &a.version).cmp(&(&b.problem, &b.version)));
    let clang = cuda::clang::get().map_err(CompileError::from)?.version;
    Ok(Table { clang: Some(clang), rows })
}

/// clang's code of a problem.
fn module(problem: &str) -> Result<Module, CompareError> {
    let file = format!("{}/cu/{problem}.cu", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&file).map_err(|why| CompareError::Read(file.clone(), why.to_string()))?;
    let name = format!("{problem}.cu");
    let compiled = compile::compile_source(&Source { name: &name, text: &text }, &Options::with(Compiler::Clang))?;
    let failed = |error| SimulateError::Sim { case: problem.to_owned(), error };
    Ok(Module::parse(&name, &compiled.ptx).map_err(failed)?)
}

fn row(case: &Case, clang: &Module) -> Result<Row, CompareError> {
    let prepared = case.prepare();
    let theirs = simulate::run(case, &prepared)?;
    let failed = |error| SimulateError::Sim { case: case.to_string(), error };
    let mine = simulate::run_with(clang, &prepared, &sim::Options::default()).map_err(failed)?;
    let check = prepared.check(&mine.contents);
    let kinds: Vec<_> = mine.reports.iter().flat_map(Report::errors).map(|finding| finding.kind).collect();
    let wrong = if !case.verdict.allows(check.right) {
        Some(check.first.unwrap_or_else(|| "the result is right, and should not be".to_owned()))
    } else if !case.verdict.finds(kinds.iter().copied()) {
        Some(format!("findings: {kinds:?}"))
    } else {
        None
    };
    Ok(Row {
        problem: case.problem.to_owned(),
        version: case.version.to_owned(),
        case: case.to_string(),
        counters: EXACT.len(),
        differences: differences(&theirs.reports, &mine.reports),
        wrong,
    })
}

/// The exact counters that are not the same, all launches together.
#[must_use]
pub fn differences(nvrtc: &[Report], clang: &[Report]) -> Vec<Difference> {
    let sum = |reports: &[Report], name: &str| reports.iter().map(|report| report.metric(name)).sum::<u64>();
    let all = EXACT.iter().map(|counter| Difference {
        counter: counter.label,
        nvrtc: sum(nvrtc, counter.metric),
        clang: sum(clang, counter.metric),
    });
    all.filter(|difference| difference.nvrtc != difference.clang).collect()
}
