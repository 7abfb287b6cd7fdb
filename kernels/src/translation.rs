//! LLVM's back end beside our own (`ptxgen`): one LLVM IR, two ways to PTX, both simulated. Results and findings must be the
//! same; what differs of the exact counters is told.

use std::collections::{BTreeMap, BTreeSet};

use cuda::compile::{self, CompileError, Compiler, Ir, Options, Source};
use rayon::prelude::*;
use serde::Serialize;
use sim::{ErrorClass, Module, Report};

use crate::baseline;
use crate::case::Case;
use crate::cases;
use crate::counters::EXACT;
use crate::ptx;
use crate::simulate;

/// A counter that is not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The counter's name.
    pub counter: &'static str,
    /// Its value for LLVM's code.
    pub llvm: u64,
    /// Its value for ours.
    pub own: u64,
}

/// One version in one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The version.
    pub version: String,
    /// Compiled with optimisation.
    pub optimised: bool,
    /// Counters that are compared.
    pub counters: usize,
    /// Those that differ.
    pub differences: Vec<Difference>,
    /// What is wrong with our code's result or findings; None if they are LLVM's.
    pub wrong: Option<String>,
}

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
pub enum TranslationError {
    /// There is no clang, or it refuses a source.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A source cannot be read.
    #[error("cannot read {0}: {1}")]
    Read(String, String),
    /// Our translation refuses what LLVM's takes.
    #[error("{0}: {1}")]
    Translate(String, ptxgen::Error),
    /// The simulator refuses.
    #[error("{0}: {1}")]
    Simulate(String, sim::Error),
}

impl TranslationError {
    /// The exit code that a program should end with.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Compile(error) => error.exit_code(),
            Self::Read(..) => ErrorClass::Input.exit_code(),
            Self::Translate(..) | Self::Simulate(..) => ErrorClass::Unsupported.exit_code(),
        }
    }
}

/// A source's PTX by LLVM's back end and by ours.
///
/// # Errors
/// [`TranslationError`].
pub fn both(name: &str, text: &str, optimised: bool) -> Result<[String; 2], TranslationError> {
    let options = Options { debug: !optimised, ..Options::with(Compiler::Clang) };
    let source = Source { name, text };
    let ir = compile::llvm_ir(&source, &options)?;
    Ok([compile::compile_source(&source, &options)?.ptx, own(name, &ir)?])
}

/// The PTX that our own back end makes of a source's LLVM IR.
///
/// # Errors
/// [`TranslationError::Translate`].
pub fn own(name: &str, ir: &Ir) -> Result<String, TranslationError> {
    let options = ptxgen::Options { target: ir.arch.gpu(), ..ptxgen::Options::default() };
    ptxgen::translate(&ir.text, &options).map_err(|error| TranslationError::Translate(name.to_owned(), error))
}

/// Compares the versions of the workbook whose names hold one of `names`; all, if there is none.
///
/// # Errors
/// [`TranslationError`].
pub fn compare(names: &[String], optimised: bool) -> Result<Vec<Row>, TranslationError> {
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| cases::matches(case, name));
    let all: Vec<Case> = cases::all().into_iter().filter(wanted).collect();
    let keys: BTreeSet<(&str, &str)> = all.iter().map(|case| (case.problem, case.version)).collect();
    let chosen: Vec<Case> = keys
        .into_iter()
        .filter_map(|key| {
            let own = all.iter().filter(|case| (case.problem, case.version) == key);
            Some(baseline::representative(own)?.clone())
        })
        .collect();
    let mut modules: BTreeMap<&str, [Module; 2]> = BTreeMap::new();
    for problem in ptx::problems().filter(|problem| chosen.iter().any(|case| case.problem == *problem)) {
        let file = format!("{}/cu/{problem}.cu", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&file).map_err(|why| TranslationError::Read(file, why.to_string()))?;
        let name = format!("{problem}.cu");
        let [theirs, own] = both(&name, &text, optimised)?;
        let read = |ptx: &str| Module::parse(&name, ptx).map_err(|why| TranslationError::Simulate(name.clone(), why));
        modules.insert(problem, [read(&theirs)?, read(&own)?]);
    }
    let rows: Result<Vec<Row>, TranslationError> =
        chosen.par_iter().map(|case| row(case, &modules[case.problem], optimised)).collect();
    let mut rows = rows?;
    rows.sort_by(|a, b| a.version.cmp(&b.version));
    Ok(rows)
}

fn row(case: &Case, [theirs, own]: &[Module; 2], optimised: bool) -> Result<Row, TranslationError> {
    let prepared = case.prepare();
    let failed = |error| TranslationError::Simulate(case.to_string(), error);
    let options = sim::Options::default();
    let theirs = simulate::run_with(theirs, &prepared, &options).map_err(failed)?;
    let own = simulate::run_with(own, &prepared, &options).map_err(failed)?;
    let check = prepared.check(&own.contents);
    let kinds = |reports: &[Report]| {
        let all: BTreeSet<String> =
            reports.iter().flat_map(Report::errors).map(|own| format!("{:?}", own.kind)).collect();
        all
    };
    let (expected, found) = (kinds(&theirs.reports), kinds(&own.reports));
    let wrong = if !case.verdict.allows(check.right) {
        Some(check.first.unwrap_or_else(|| "the result is right, and should not be".to_owned()))
    } else if expected != found {
        Some(format!("findings: {found:?}, and {expected:?} of LLVM's code"))
    } else {
        None
    };
    Ok(Row {
        version: case.version.to_owned(),
        optimised,
        counters: EXACT.len(),
        differences: differences(&theirs.reports, &own.reports),
        wrong,
    })
}

/// The exact counters that are not the same, all launches together.
fn differences(theirs: &[Report], own: &[Report]) -> Vec<Difference> {
    let sum = |reports: &[Report], name: &str| reports.iter().map(|report| report.metric(name)).sum::<u64>();
    let all = EXACT.iter().map(|counter| Difference {
        counter: counter.metric,
        llvm: sum(theirs, counter.metric),
        own: sum(own, counter.metric),
    });
    all.filter(|difference| difference.llvm != difference.own).collect()
}
