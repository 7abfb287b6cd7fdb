//! Holding the simulator against a GPU, counter by counter and result by result.
//!
//! Counters of the GPU come from a record (reading them takes Nsight Compute). Results and times come from the record
//! too, and in addition from a GPU of this machine where there is one.

mod against;
mod comparison;
pub mod edited;
pub mod flat;
pub mod html;
pub mod lines;
pub mod sides;
mod twins;

use rayon::prelude::*;
use sim::target::DEFAULT;
use sim::{Checks, Options, Report};

pub use against::{Against, Simulator};
pub use comparison::{Cause, Comparison, CounterRow, LaunchRow, Live, RecordInfo, Recorded, Row, Simulated, Summary};
pub use edited::Edited;
pub use twins::Twins;

use comparison::summarize;

use crate::baseline::{self, Changes};
use crate::case::{Case, Planned};
use crate::counters::{Counter, EXACT};
use crate::gpu::{Gpu, GpuError, Kernels};
use crate::known::{self, Known, Place, Usage};
use crate::ptx;
use crate::simulate::{self, SimulateError};
use crate::stopwatch::stopwatch;
use crate::truth::{self, CaseRecord, Provenance, Record, TruthError};
use crate::verdict::Verdict;

/// Timed launches per case on a GPU of this machine.
const REPEATS: u32 = 20;

/// Cases of more threads run without looking for races and uninitialised reads, which take as much time as the rest: the
/// same kernels are looked at in smaller cases. Unless a fault is what the case is there for.
const CHECKED_THREADS: u64 = 1 << 18;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A record in this program cannot be used.
    #[error("{0}")]
    Truth(&'static TruthError),
    /// There is nothing to compare with.
    #[error(
        "there is neither a record of a GPU for `{0}` nor a GPU here; \
         make a record with `warpbook record {0}` on a machine with a GPU"
    )]
    NoRecord(String),
    /// The simulator knows no GPU like the record's.
    #[error(
        "the record is of {gpu}, whose compute capability {capability} is older than every GPU that the simulator knows \
         (warpbook targets)"
    )]
    NoTarget {
        /// The GPU.
        gpu: String,
        /// Its compute capability.
        capability: String,
    },
    /// The list of known differences cannot be read.
    #[error("{0}")]
    Known(&'static str),
    /// The record belongs to other kernels or other cases.
    #[error(
        "the record {file} is out of date: {why}. \
         Record it again with `warpbook record {problem}` on a machine with that GPU"
    )]
    Stale {
        /// The record's file.
        file: String,
        /// The problem.
        problem: String,
        /// What has changed.
        why: String,
    },
    /// The simulator refused a case.
    #[error("{0}")]
    Simulate(#[from] SimulateError),
    /// The GPU failed.
    #[error("{0}")]
    Gpu(#[from] GpuError),
}

impl CompareError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Truth(_) | Self::Known(_) => sim::ErrorClass::Internal.exit_code(),
            Self::NoRecord(_) | Self::NoTarget { .. } | Self::Stale { .. } => sim::ErrorClass::Unsupported.exit_code(),
            Self::Simulate(error) => error.exit_code(),
            Self::Gpu(error) => error.exit_code(),
        }
    }
}

/// Runs `cases` on the simulator, and on the GPU if there is one, and compares. `simulated` is called, from any thread
/// and in any order, whenever the simulator is done with a case.
///
/// # Errors
/// [`CompareError`] when a record is of other cases, there is nothing to compare with, or a machine refuses a case. A
/// disagreement is not an error: see [`Summary::agrees`]. Nor is a record of other code: see [`Comparison::changes`].
pub fn compare(
    cases: &[Case],
    against: &Against<'_>,
    simulated: &(dyn Fn(&Case) + Sync),
) -> Result<Comparison, CompareError> {
    let known = known::known().map_err(CompareError::Known)?;
    let simulator = &against.simulator;
    let mut records: Vec<&Record> = Vec::new();
    let mut usage = Usage::default();
    let (mut changes, mut outdated): (Vec<Changes>, Vec<String>) = Default::default();
    let mut problems: Vec<&str> = cases.iter().map(|case| case.problem).collect();
    problems.dedup();
    // Another GPU than the default one can be simulated without any measurement: then the simulator alone knows.
    let simulator_only = against.records.is_empty() && simulator.target != DEFAULT;
    for problem in problems {
        let own: Vec<&Case> = cases.iter().filter(|case| case.problem == problem).collect();
        match against.records.iter().find(|record| record.problem == problem) {
            Some(record) => {
                check_cases(record, &own)?;
                if record.provenance.code_sha256 == simulator.code_sha256(problem)? {
                    usage.compared(problem, records.len());
                } else {
                    outdated.push(format!("{problem}.cu"));
                    if let Some(baseline) = baseline::of(problem, &record.provenance.code_sha256) {
                        let source = simulator.source(problem).unwrap_or_default();
                        changes.push(baseline::changes(baseline, &*simulator.module(problem)?, source)?);
                    }
                }
                records.push(record);
            }
            None if against.gpu.is_none() && !simulator_only => {
                return Err(CompareError::NoRecord(problem.to_owned()));
            }
            None => {}
        }
    }
    let done = cases.par_iter().map(|case| simulate(case, simulator).inspect(|_| simulated(case)));
    let simulated =
        done.collect::<Vec<Result<Simulated, SimulateError>>>().into_iter().collect::<Result<Vec<_>, _>>()?;
    let live = against.gpu.map(|gpu| run_live(gpu, cases, &simulated)).transpose()?;
    let mut live = live.into_iter().flatten();
    let row = |(case, simulated): (&Case, Simulated)| {
        let record = records.iter().find(|record| record.problem == case.problem);
        let measured = record.and_then(|record| Some((record.case(case)?, &record.provenance)));
        judge(case, simulated, measured, live.next(), &mut Judge { known, usage: &mut usage })
    };
    let rows: Vec<Row> = cases.iter().zip(simulated).map(row).collect();
    let provenances: Vec<&Provenance> = records.iter().map(|record| &record.provenance).collect();
    let info = |record: &&Record| RecordInfo {
        problem: record.problem.clone(),
        file: record.file_name(),
        provenance: record.provenance.clone(),
    };
    let review = known.review(&usage, cases, &provenances);
    Ok(Comparison {
        target: simulator.target.clone(),
        summary: summarize(&rows, &provenances, review, outdated),
        twins: twins::find(&rows),
        records: records.iter().map(info).collect(),
        live: against.gpu.map(|gpu| gpu.properties().clone()),
        changes,
        rows,
    })
}

/// Makes sure that a record is about these cases.
fn check_cases(record: &Record, cases: &[&Case]) -> Result<(), CompareError> {
    let stale =
        |why: String| Err(CompareError::Stale { file: record.file_name(), problem: record.problem.clone(), why });
    for case in cases {
        let Some(recorded) = record.case(case) else { return stale(format!("it has no case `{case}`")) };
        if let Some(why) = recorded.other_launches(case) {
            return stale(why);
        }
    }
    Ok(())
}

fn simulate(case: &Case, simulator: &Simulator) -> Result<Simulated, SimulateError> {
    let checked =
        simulator.all_checks || case.threads() <= CHECKED_THREADS || matches!(case.verdict, Verdict::Faulty { .. });
    let checks = if checked { Checks::ALL } else { Checks::NONE };
    let options = Options { target: simulator.target.clone(), checks, ..Options::default() };
    let prepared = case.prepare();
    let ran = simulate::run_with(&*simulator.module(case.problem)?, &prepared, &options);
    let simulate::Simulated { reports, contents } =
        ran.map_err(|error| SimulateError::Sim { case: case.to_string(), error })?;
    let findings = reports.iter().flat_map(Report::errors);
    Ok(Simulated {
        result: prepared.check(&contents),
        outputs: prepared.outputs(&contents),
        checked,
        kinds: findings.clone().map(|finding| finding.kind).collect(),
        findings: findings.map(|f| format!("{} at {}:{}: {}", f.kind.name(), f.file, f.line, f.message)).collect(),
        reports,
    })
}

fn run_live(gpu: &Gpu, cases: &[Case], simulated: &[Simulated]) -> Result<Vec<Live>, CompareError> {
    let stopwatch = stopwatch(gpu)?;
    let mut loaded: Option<(&str, Kernels<'_>)> = None;
    let mut rows = Vec::new();
    for (case, simulated) in cases.iter().zip(simulated) {
        let kernels = match &loaded {
            Some((problem, kernels)) if *problem == case.problem => kernels,
            _ => {
                let ptx = ptx::committed(case.problem).ok_or_else(|| SimulateError::NoPtx(case.problem.to_owned()))?;
                &loaded.insert((case.problem, gpu.load(ptx.text)?)).1
            }
        };
        let prepared = case.prepare();
        let work = prepared.work()?;
        let contents = kernels.run(&work)?;
        rows.push(Live {
            result: prepared.check(&contents),
            same_output: prepared.outputs(&contents) == simulated.outputs || !is_determined(case),
            times: kernels.time(&work, REPEATS, &stopwatch)?,
        });
    }
    Ok(rows)
}

/// What is known, and which of it was needed.
struct Judge<'a> {
    known: &'static Known,
    usage: &'a mut Usage,
}

/// Puts one case's numbers side by side.
fn judge(
    case: &Case,
    simulated: Simulated,
    record: Option<(&CaseRecord, &Provenance)>,
    live: Option<Live>,
    judge: &mut Judge<'_>,
) -> Row {
    let groups = truth::alike(&case.launches);
    let several = groups.len() > 1;
    let mut launches = Vec::new();
    for (kernel, shape, times) in groups {
        let recorded =
            record.and_then(|(record, _)| record.launches.iter().find(|l| l.kernel == kernel && l.shape == shape));
        let alike = |&(planned, _): &(&Planned, &Report)| *planned == Planned { kernel, shape };
        let reports: Vec<&Report> =
            case.launches.iter().zip(&simulated.reports).filter(alike).map(|(_, report)| report).collect();
        let measured = |metric: &str| recorded.and_then(|recorded| recorded.metrics.get(metric).copied());
        let range = |metric: &str| recorded.and_then(|recorded| recorded.ranges.get(metric).copied());
        launches.push(LaunchRow {
            kernel,
            shape,
            times,
            resources: recorded.map(|recorded| recorded.resources),
            counters: match several {
                true => judge.counters(case, Some(kernel), &reports, (&measured, &range), record.map(|(_, p)| p)),
                false => Vec::new(),
            },
        });
    }
    let all: Vec<&Report> = simulated.reports.iter().collect();
    let measured = |metric: &str| record.and_then(|(record, _)| record.metric(metric));
    let range = |metric: &str| record.and_then(|(record, _)| record.range(metric));
    let kernel = if several { None } else { launches.first().map(|launch| launch.kernel) };
    Row {
        problem: case.problem,
        version: case.version,
        case: case.name.clone(),
        data: case.data,
        verdict: case.verdict,
        recorded: record.map(|(record, _)| Recorded {
            right: record.right,
            same_output: record.outputs == simulated.outputs || !is_determined(case),
            times: record.times,
        }),
        live,
        counters: judge.counters(case, kernel, &all, (&measured, &range), record.map(|(_, p)| p)),
        launches,
        simulated,
    }
}

/// Whether every machine must leave the same bits.
const fn is_determined(case: &Case) -> bool {
    case.verdict.is_determined() && !case.varying_bits
}

/// What a record says of a counter: its value, and the range of several profiles.
type Said<'a> = (&'a dyn Fn(&str) -> Option<u64>, &'a dyn Fn(&str) -> Option<[u64; 2]>);

impl Judge<'_> {
    /// Every exact counter of some launches, simulated and measured.
    fn counters(
        &mut self,
        case: &Case,
        kernel: Option<&str>,
        reports: &[&Report],
        (measured, range): Said<'_>,
        provenance: Option<&Provenance>,
    ) -> Vec<CounterRow> {
        let mut rows = Vec::with_capacity(EXACT.len());
        for Counter { metric, label, .. } in EXACT {
            // A counter that the launch never touched is not in the report: it is 0.
            let simulated = reports.iter().map(|report| report.metrics.get(metric).copied().unwrap_or(0)).sum();
            let measured = measured(metric);
            let range = range(metric).filter(|[least, most]| least < most);
            let equal = measured.map(|measured| measured == simulated && range.is_none());
            let place = Place { case, kernel, metric };
            let entry = provenance.and_then(|provenance| self.known.find(place, provenance));
            // Noise is not compared, whether it happens to be equal or not; all else is known only where it differs.
            let entry = entry
                .filter(|(_, entry)| measured.is_some() && (entry.kind == known::Kind::Noise || equal == Some(false)));
            if let Some((index, _)) = entry.filter(|_| equal == Some(false)) {
                self.usage.needed(self.known, index, place);
            }
            let known = entry.map(|(_, entry)| Cause { kind: entry.kind, cause: &entry.cause, page: &entry.page });
            let agrees = equal.filter(|_| known.is_none());
            rows.push(CounterRow { metric, label, simulated, measured, range, agrees, known });
        }
        rows
    }
}

#[cfg(test)]
mod tests;
