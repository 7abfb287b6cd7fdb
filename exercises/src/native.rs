//! A submission on a real GPU: the public cases' results, times and counters beside the simulated ones.
//!
//! The grade is what the simulator says, on every machine. Code that the simulator found a fault in, or whose result is
//! wrong there, is never run natively: what it does to a GPU is not known.

pub mod text;

use kernels::gpu::{Times, Work};
use kernels::native::{Device, FAULTS_FOUND, MeasuredWork, OnGpu, Outcome, Pair, pairs};
use serde::Serialize;

use crate::compiler::{CompileFailure, Compiler};
use crate::grade::{Bench, CaseGrade, CheckKind, Grade, GradeError, WrongElement, code, compare};
use crate::instance::{Code, Instance, RunFailure, launches};
use crate::measure;

/// A submission on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NativeRun {
    /// The exercise's name.
    pub exercise: String,
    /// What came of it.
    #[serde(flatten)]
    pub on_gpu: OnGpu<NativeCases>,
}

/// What a submission gave on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NativeCases {
    /// The public cases.
    pub cases: Vec<NativeCase>,
    /// What the learner should know, one sentence each.
    pub notes: Vec<String>,
}

/// One case on a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NativeCase {
    /// The case's name.
    pub case: String,
    /// The length of all judged buffers, in elements.
    pub elements: usize,
    /// How many of their elements are wrong.
    pub wrong: usize,
    /// The first of them.
    pub first_wrong: Vec<WrongElement>,
    /// The names of inputs that the kernel changed.
    pub changed_inputs: Vec<String>,
    /// How long all launches took.
    pub times: Times,
    /// How long the simulator says that they take, in microseconds, if it can say it.
    pub predicted_us: Option<f64>,
    /// Every exact counter, simulated and measured; none without Nsight Compute.
    pub counters: Vec<Pair>,
    /// Of these, what the cost contract limits, and what else has its unit.
    #[serde(skip)]
    pub contract: Vec<&'static str>,
}

impl NativeCase {
    /// Whether the GPU left what belongs there.
    pub const fn is_right(&self) -> bool {
        self.wrong == 0 && self.changed_inputs.is_empty()
    }

    /// Exact counters that are equal.
    pub fn equal(&self) -> usize {
        self.counters.iter().filter(|pair| pair.agrees()).count()
    }
}

impl NativeRun {
    /// Whether the GPU did what the simulator says it does: not, if its result is wrong or it did not come to an end.
    pub fn agrees(&self) -> bool {
        self.on_gpu.agrees(|ran| ran.cases.iter().all(NativeCase::is_right))
    }
}

impl Instance {
    /// All launches of a learner's code as a GPU gets them.
    ///
    /// # Errors
    /// [`RunFailure`].
    fn work(&self, code: &Code) -> Result<Work, RunFailure> {
        let mut work = Work::new(&self.case.name);
        for made in &self.launches {
            let kernel = launches::kernel(code, made)?;
            let pushed = work.push(&kernel, &self.launch(code, made, &kernel)?, self.buffers.len());
            pushed.map_err(|why| RunFailure::Internal(why.to_string()))?;
        }
        Ok(work)
    }
}

/// Why a graded submission is not run natively; nothing if it may be.
fn forbidden(bench: &Bench<'_>, grade: &Grade) -> Option<String> {
    if bench.exercise.kind.asks() {
        return Some("questions have no kernel of yours to run".to_owned());
    }
    let failed = grade.checks.iter().filter(|check| !check.hidden && !check.passed).map(|check| check.kind);
    match failed.min() {
        None | Some(CheckKind::Contract | CheckKind::Answers) if !grade.cases.is_empty() => None,
        Some(CheckKind::Findings) => Some(FAULTS_FOUND.to_owned()),
        Some(CheckKind::Result) => Some("its result is wrong on the simulator already: fix it first".to_owned()),
        _ => Some("it did not come so far as to run on the simulator".to_owned()),
    }
}

impl Bench<'_> {
    /// Runs a graded submission on a GPU, if its grade allows it. `text` is what was graded.
    ///
    /// # Errors
    /// [`GradeError`], when nothing can be told of it. What the GPU does is in the outcome.
    pub fn native(
        &self,
        grade: &Grade,
        text: &str,
        compiler: &dyn Compiler,
        device: &dyn Device,
    ) -> Result<NativeRun, GradeError> {
        let run =
            |outcome| NativeRun { exercise: grade.exercise.clone(), on_gpu: OnGpu { gpu: device.name(), outcome } };
        if let Some(why) = forbidden(self, grade) {
            return Ok(run(Outcome::NotRun { why }));
        }
        let compiled = compiler.compile(&grade.file, text).map_err(|why| match why {
            CompileFailure::Missing(why) => GradeError::NoCompiler(why),
            CompileFailure::Rejected(log) | CompileFailure::Stopped(log) => GradeError::Internal(log),
        })?;
        let code = code(&grade.file, text, &compiled)?;
        let public: Vec<&Instance> = self.instances.iter().filter(|one| !one.case.hidden).collect();
        let works = public.iter().map(|one| one.work(&code)).collect::<Result<Vec<_>, _>>().map_err(failure)?;
        let measured = match device.measure(kernels::native::Code::of_ptx(&code.counted_ptx), &works) {
            Ok(measured) => measured,
            Err(why) => return Ok(run(Outcome::Failed { why: why.to_string() })),
        };
        let cases = public.iter().zip(&measured.works).map(|(one, work)| self.beside(one, &code, work, grade));
        Ok(run(Outcome::Ran(NativeCases { cases: cases.collect(), notes: measured.notes })))
    }

    /// What a GPU gave beside what the simulator gave.
    fn beside(&self, case: &Instance, code: &Code, work: &MeasuredWork, grade: &Grade) -> NativeCase {
        let compared = compare(case, &work.buffers, self.exercise.run.tolerance);
        let name = &case.case.name;
        let simulated = grade.cases.iter().find(|one| one.case == *name).map(|one: &CaseGrade| &one.exact);
        let counters = match (simulated, &work.exact) {
            (Some(simulated), Some(measured)) => pairs(simulated, measured),
            _ => Vec::new(),
        };
        let own = grade.contract.iter().filter(|row| row.case == *name && row.bound.is_none());
        let limits = own.map(|row| &*row.counter);
        NativeCase {
            case: name.clone(),
            elements: compared.elements,
            wrong: compared.wrong,
            first_wrong: compared.first_wrong,
            changed_inputs: compared.changed_inputs,
            times: work.times,
            predicted_us: case.predicted_us(code, self.exercise.run.budget).ok(),
            contract: kin(&counters, limits),
            counters,
        }
    }
}

/// The counters that belong to a contract: those that its clauses name, first, and those with the same units that are
/// not 0. Without exact counters in the contract, all that are not 0.
fn kin<'a>(counters: &[Pair], limits: impl Iterator<Item = &'a str>) -> Vec<&'static str> {
    let named: Vec<&str> = limits.flat_map(measure::counters).collect();
    let is_named = |pair: &&Pair| named.contains(&pair.metric);
    let units: Vec<&str> = counters.iter().filter(is_named).map(|pair| pair.unit).collect();
    let counts = |pair: &&Pair| pair.simulated > 0 || pair.measured > 0;
    let is_kin = |pair: &&Pair| counts(pair) && !is_named(pair) && (units.is_empty() || units.contains(&pair.unit));
    counters.iter().filter(is_named).chain(counters.iter().filter(is_kin)).map(|pair| pair.metric).collect()
}

fn failure(why: RunFailure) -> GradeError {
    match why {
        RunFailure::Unsupported(why) => GradeError::Unsupported(why),
        RunFailure::Launch(why) | RunFailure::Internal(why) => GradeError::Internal(why),
    }
}

#[cfg(test)]
mod tests;
