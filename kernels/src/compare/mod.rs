//! Holding the simulator against a GPU, counter by counter and result by result.
//!
//! Counters of the GPU come from a record (reading them takes Nsight Compute). Results and times come from the record
//! too, and in addition from a GPU of this machine where there is one.

mod comparison;
mod twins;

use rayon::prelude::*;
use sim::Report;

pub use comparison::{Comparison, CounterRow, LaunchRow, Live, RecordInfo, Recorded, Row, Simulated, Summary};
pub use twins::Twins;

use comparison::summarize;

use crate::case::{Case, Planned, Shape};
use crate::counters::{Counter, EXACT};
use crate::gpu::{Gpu, GpuError, Kernels};
use crate::ptx;
use crate::simulate::{self, SimulateError};
use crate::truth::{self, CaseRecord, Provenance, Record, TruthError};

/// Timed launches per case on a GPU of this machine.
const REPEATS: u32 = 20;

/// What the simulator is held against.
#[derive(Debug, Clone, Default)]
pub struct Against<'a> {
    /// Records; the first of a problem counts.
    pub records: Vec<&'a Record>,
    /// A GPU of this machine.
    pub gpu: Option<&'a Gpu>,
}

impl<'a> Against<'a> {
    /// The records of `target` (a name of [`sim::targets`]) that this program was built with, and `gpu`.
    ///
    /// # Errors
    /// [`CompareError::Truth`] when a record in this program cannot be used.
    pub fn recorded(target: &str, gpu: Option<&'a Gpu>) -> Result<Self, CompareError> {
        let records = truth::records().map_err(CompareError::Truth)?;
        Ok(Self { records: records.iter().filter(|record| record.provenance.slug() == target).collect(), gpu })
    }
}

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
            Self::Truth(_) => 101,
            Self::NoRecord(_) | Self::Stale { .. } => 3,
            Self::Simulate(error) => error.exit_code(),
            Self::Gpu(error) => error.exit_code(),
        }
    }
}

impl Against<'_> {
    /// Takes the cases out that there is nothing to compare with, and returns the names of their problems: kernels that
    /// nobody has recorded yet are in the repository before they are in a table. With a GPU there are none.
    pub fn without_a_record(&self, cases: &mut Vec<Case>) -> Vec<&'static str> {
        if self.gpu.is_some() {
            return Vec::new();
        }
        let mut left_out: Vec<&'static str> = Vec::new();
        cases.retain(|case| {
            let recorded = self.records.iter().any(|record| record.problem == case.problem);
            if !recorded && !left_out.contains(&case.problem) {
                left_out.push(case.problem);
            }
            recorded
        });
        left_out
    }
}

/// Runs `cases` on the simulator, and on the GPU if there is one, and compares. `simulated` is called, from any thread
/// and in any order, whenever the simulator is done with a case.
///
/// # Errors
/// [`CompareError`] when a record is out of date, there is nothing to compare with, or a machine refuses a case. A
/// disagreement is not an error: see [`Summary::agrees`].
pub fn compare(
    cases: &[Case],
    against: &Against<'_>,
    simulated: &(dyn Fn(&Case) + Sync),
) -> Result<Comparison, CompareError> {
    let mut records: Vec<&Record> = Vec::new();
    let mut problems: Vec<&str> = cases.iter().map(|case| case.problem).collect();
    problems.dedup();
    for problem in problems {
        let own: Vec<&Case> = cases.iter().filter(|case| case.problem == problem).collect();
        match against.records.iter().find(|record| record.problem == problem) {
            Some(record) => {
                let ptx = ptx::committed(problem).ok_or_else(|| SimulateError::NoPtx(problem.to_owned()))?;
                check_fresh(record, &own, &ptx::code_sha256(ptx.text))?;
                records.push(record);
            }
            None if against.gpu.is_none() => return Err(CompareError::NoRecord(problem.to_owned())),
            None => {}
        }
    }
    let done = cases.par_iter().map(|case| simulate(case).inspect(|_| simulated(case)));
    let simulated =
        done.collect::<Vec<Result<Simulated, SimulateError>>>().into_iter().collect::<Result<Vec<_>, _>>()?;
    let live = against.gpu.map(|gpu| run_live(gpu, cases, &simulated)).transpose()?;
    let mut live = live.into_iter().flatten();
    let row = |(case, simulated): (&Case, Simulated)| {
        let record = records.iter().find(|record| record.problem == case.problem);
        judge(case, simulated, record.and_then(|record| record.case(case)), live.next())
    };
    let rows: Vec<Row> = cases.iter().zip(simulated).map(row).collect();
    let provenances: Vec<&Provenance> = records.iter().map(|record| &record.provenance).collect();
    let info = |record: &&Record| RecordInfo {
        problem: record.problem.clone(),
        file: record.file_name(),
        provenance: record.provenance.clone(),
    };
    Ok(Comparison {
        target: sim::Options::default().target,
        summary: summarize(&rows, &provenances),
        twins: twins::find(&rows),
        records: records.iter().map(info).collect(),
        live: against.gpu.map(|gpu| gpu.properties().clone()),
        rows,
    })
}

/// Makes sure that a record is about these kernels and these cases.
fn check_fresh(record: &Record, cases: &[&Case], code_sha256: &str) -> Result<(), CompareError> {
    let stale =
        |why: String| Err(CompareError::Stale { file: record.file_name(), problem: record.problem.clone(), why });
    if record.provenance.code_sha256 != code_sha256 {
        return stale(format!("the code of {}.ptx has changed since", record.problem));
    }
    for case in cases {
        let Some(recorded) = record.case(case) else { return stale(format!("it has no case `{case}`")) };
        if let Some(why) = recorded.other_launches(case) {
            return stale(why);
        }
    }
    Ok(())
}

fn simulate(case: &Case) -> Result<Simulated, SimulateError> {
    let prepared = case.prepare();
    let simulate::Simulated { reports, contents } = simulate::run(case, &prepared)?;
    let findings = reports.iter().flat_map(|report| &report.findings);
    Ok(Simulated {
        result: prepared.check(&contents),
        outputs: prepared.outputs(&contents),
        kinds: findings.clone().map(|finding| finding.kind).collect(),
        findings: findings.map(|f| format!("{} at {}:{}: {}", f.kind.name(), f.file, f.line, f.message)).collect(),
        reports,
    })
}

fn run_live(gpu: &Gpu, cases: &[Case], simulated: &[Simulated]) -> Result<Vec<Live>, CompareError> {
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
        let contents = kernels.run(&prepared)?;
        rows.push(Live {
            result: prepared.check(&contents),
            same_output: prepared.outputs(&contents) == simulated.outputs || !is_determined(case),
            times: kernels.time(&prepared, REPEATS)?,
        });
    }
    Ok(rows)
}

/// Puts one case's numbers side by side.
fn judge(case: &Case, simulated: Simulated, record: Option<&CaseRecord>, live: Option<Live>) -> Row {
    let groups = truth::alike(&case.launches);
    let several = groups.len() > 1;
    let launch = |(kernel, shape, times): (&'static str, Shape, u32)| {
        let recorded =
            record.and_then(|record| record.launches.iter().find(|l| l.kernel == kernel && l.shape == shape));
        let alike = |&(planned, _): &(&Planned, &Report)| *planned == Planned { kernel, shape };
        let reports: Vec<&Report> =
            case.launches.iter().zip(&simulated.reports).filter(alike).map(|(_, report)| report).collect();
        let measured = |metric: &str| recorded.and_then(|recorded| recorded.metrics.get(metric).copied());
        LaunchRow {
            kernel,
            shape,
            times,
            resources: recorded.map(|recorded| recorded.resources),
            counters: if several { counters(case, &reports, measured) } else { Vec::new() },
        }
    };
    let launches = groups.into_iter().map(launch).collect();
    let all: Vec<&Report> = simulated.reports.iter().collect();
    Row {
        problem: case.problem,
        version: case.version,
        case: case.name.clone(),
        data: case.data,
        verdict: case.verdict,
        launches,
        recorded: record.map(|record| Recorded {
            right: record.right,
            same_output: record.outputs == simulated.outputs || !is_determined(case),
            times: record.times,
        }),
        live,
        counters: counters(case, &all, |metric| record.and_then(|record| record.metric(metric))),
        simulated,
    }
}

/// Whether every machine must leave the same bits.
const fn is_determined(case: &Case) -> bool {
    case.verdict.is_determined() && !case.varies.bits
}

/// Every exact counter of some launches, simulated and measured.
fn counters(case: &Case, reports: &[&Report], measured: impl Fn(&str) -> Option<u64>) -> Vec<CounterRow> {
    let counter = |counter: &Counter| {
        // A counter that the launch never touched is not in the report: it is 0.
        let simulated = reports.iter().map(|report| report.metrics.get(counter.metric).copied().unwrap_or(0)).sum();
        let measured = measured(counter.metric);
        let varies = case.varies.counter(counter.metric);
        let agrees = measured.filter(|_| !varies).map(|measured| measured == simulated);
        let known = case.known.iter().find(|known| known.counters.contains(&counter.metric)).map(|known| known.why);
        let known = known.filter(|_| agrees == Some(false));
        let agrees = agrees.filter(|_| known.is_none());
        CounterRow { metric: counter.metric, label: counter.label, simulated, measured, agrees, varies, known }
    };
    EXACT.iter().map(counter).collect()
}

#[cfg(test)]
mod tests;
