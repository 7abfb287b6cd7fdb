//! Grades one source text: does it compile, does it run without a finding, is the result right, and what does it cost?
//!
//! What a grade can miss: it sees the exercise's inputs only, and findings only of the kinds that the simulator looks
//! for. A race that the simulated order of warps hides is not seen unless the simulator reports races.

mod contract;

use std::collections::BTreeMap;

use kernels::checked::{self, Subject};
use serde::{Deserialize, Serialize};
use sim::report::{Finding, LaunchShape};

pub use contract::{ContractRow, LineSpend};

use crate::compiler::{CompileFailure, Compiled, Compiler};
use crate::course::{Exercise, Input};
use crate::problem::{self, Instance, UNWRITTEN};

/// What a check looks at. The order is that of a learner's work: a later one means little before the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// The source compiles.
    Compile,
    /// The kernel is there and takes the exercise's arguments.
    Launch,
    /// The simulator finds no fault: no race, no access out of bounds, no deadlock.
    Findings,
    /// The output is right, and the inputs are left alone.
    Result,
    /// The cost contract is kept.
    Contract,
}

impl CheckKind {
    /// All kinds, in order.
    pub const ALL: [Self; 5] = [Self::Compile, Self::Launch, Self::Findings, Self::Result, Self::Contract];

    /// The kind's name, as it stands in `info.toml` and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Launch => "launch",
            Self::Findings => "findings",
            Self::Result => "result",
            Self::Contract => "contract",
        }
    }
}

/// What a source text is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grade {
    /// The exercise's name.
    pub exercise: String,
    /// The graded file, as its author knows it.
    pub file: String,
    /// Whether every check passed.
    pub passed: bool,
    /// The checks that were made, in order. What could not be reached is not in the list.
    pub checks: Vec<Check>,
    /// The cost contract: every clause for every input that ran.
    pub contract: Vec<ContractRow>,
    /// What happened on each input.
    pub cases: Vec<Case>,
    /// The compiler's warnings; its errors are in the check's detail.
    pub warnings: String,
    /// Checks that an instructor keeps back. They are no part of this grade.
    pub hidden: u32,
}

impl Grade {
    /// The kinds of checks that failed, each once, in order.
    pub fn failed_kinds(&self) -> Vec<CheckKind> {
        let failed = |kind: &CheckKind| self.checks.iter().any(|check| check.kind == *kind && !check.passed);
        CheckKind::ALL.into_iter().filter(failed).collect()
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What kind of check it is.
    pub kind: CheckKind,
    /// What was checked: the kind, and the input if there is one.
    pub name: String,
    /// Whether it is as it should be.
    pub passed: bool,
    /// What was seen.
    pub detail: String,
}

/// What happened on one input.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Case {
    /// The input's name.
    pub input: String,
    /// Its sizes.
    pub values: BTreeMap<String, u64>,
    /// The seed of its data.
    pub seed: u64,
    /// The launch's shape.
    pub launch: LaunchShape,
    /// The output's length in elements.
    pub elements: usize,
    /// How many elements of the output are wrong.
    pub wrong: usize,
    /// The first of them.
    pub first_wrong: Vec<WrongElement>,
    /// The names of inputs that the kernel changed.
    pub changed_inputs: Vec<String>,
    /// What the simulator found wrong with the kernel.
    pub findings: Vec<Finding>,
}

/// An element of the output that is not what it should be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WrongElement {
    /// The output's name.
    pub output: String,
    /// The element's index.
    pub index: usize,
    /// What belongs there.
    pub expected: f32,
    /// What is there; nothing if the kernel never wrote it.
    pub got: Option<f32>,
}

/// How many wrong elements a [`Case`] describes.
const FIRST_WRONG: usize = 5;

/// Why a source text could not be graded. None of these is the learner's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GradeError {
    /// There is no compiler on this machine; the text says what to type.
    #[error("{0}")]
    NoCompiler(String),
    /// The simulator does not support something that the kernel uses.
    #[error("{0}")]
    Unsupported(String),
    /// A bug of ours.
    #[error("{0}")]
    Internal(String),
}

/// Grades `source` as an attempt at `exercise`. `file` is the path that the learner knows it by.
///
/// # Errors
/// [`GradeError`], when no grade can be given. Whatever the learner did wrong is in the grade.
pub fn grade(exercise: &Exercise, file: &str, source: &str, compiler: &dyn Compiler) -> Result<Grade, GradeError> {
    let mut grade = Grade {
        exercise: exercise.name.clone(),
        file: file.to_owned(),
        passed: false,
        checks: Vec::new(),
        contract: Vec::new(),
        cases: Vec::new(),
        warnings: String::new(),
        hidden: 0,
    };
    let Compiled { ptx, debug_ptx, warnings } = match compiler.compile(file, source) {
        Ok(compiled) => compiled,
        Err(CompileFailure::Missing(why)) => return Err(GradeError::NoCompiler(why)),
        Err(CompileFailure::Rejected(log)) => {
            grade.checks.push(check(CheckKind::Compile, None, false, log));
            return Ok(grade);
        }
    };
    grade.warnings = warnings;
    grade.checks.push(check(CheckKind::Compile, None, true, String::new()));

    // The PTX is the compiler's work: if it cannot be read, the learner's text is not to blame.
    let module = sim::Module::parse(file, &ptx).map_err(not_the_learners)?;
    let debug = debug_ptx.map(|ptx| sim::Module::parse(file, &ptx)).transpose().map_err(not_the_learners)?;
    if !module.kernels().contains(&exercise.run.kernel.as_str()) {
        let kernels = match module.kernels().as_slice() {
            [] => "it has no kernel at all".to_owned(),
            kernels => format!("it has {}", kernels.join(", ")),
        };
        let detail = format!(
            "{file} has no kernel called `{}`; {kernels}\n\
             help: keep the line `extern \"C\" __global__ void {}(...)` as it was",
            exercise.run.kernel, exercise.run.kernel
        );
        grade.checks.push(check(CheckKind::Launch, None, false, detail));
        return Ok(grade);
    }
    let problem = problem::find(&exercise.run.problem)
        .ok_or_else(|| GradeError::Internal(format!("no problem is called `{}`", exercise.run.problem)))?;
    for input in &exercise.run.inputs {
        let instance = problem.instance(&input.values, input.seed).map_err(GradeError::Internal)?;
        let subject = Subject { counted: &module, checked: debug.as_ref(), kernel: exercise.run.kernel.as_str() };
        run(exercise, source, subject, input, &instance, &mut grade)?;
    }
    grade.passed = grade.checks.iter().all(|check| check.passed);
    Ok(grade)
}

/// Runs one input and adds what it showed to the grade.
fn run(
    exercise: &Exercise,
    source: &str,
    subject: Subject<'_>,
    input: &Input,
    instance: &Instance,
    grade: &mut Grade,
) -> Result<(), GradeError> {
    let launch = sim::Launch {
        grid: input.grid,
        block: input.block,
        shared_bytes: input.shared,
        args: instance.args.iter().map(|(_, arg)| arg.clone()).collect(),
    };
    let options = sim::Options { budget: exercise.run.budget, ..sim::Options::default() };
    let outcome = match checked::run(subject, &launch, &options) {
        Ok(checked) => checked.outcome,
        Err(why) if why.class() == sim::ErrorClass::Input => {
            grade.checks.push(check(CheckKind::Launch, Some(input), false, why.to_string()));
            return Ok(());
        }
        Err(why) => return Err(not_the_learners(why)),
    };
    let report = outcome.report;
    let (wrong, first_wrong) = compare(instance, &outcome.buffers)?;
    let case = Case {
        input: input.name.clone(),
        values: input.values.clone(),
        seed: input.seed,
        launch: report.launch.clone(),
        elements: instance.expected.len(),
        wrong,
        first_wrong,
        changed_inputs: changed_inputs(instance, &outcome.buffers),
        findings: report.findings.clone(),
    };
    let findings = match case.findings.len() {
        0 => "none".to_owned(),
        1 => "1 finding".to_owned(),
        n => format!("{n} findings"),
    };
    grade.checks.push(check(CheckKind::Findings, Some(input), case.findings.is_empty(), findings));
    let right = case.wrong == 0 && case.changed_inputs.is_empty();
    let result = match case.changed_inputs.as_slice() {
        [] => format!("{} of {} elements are right", case.elements - case.wrong, case.elements),
        changed => format!("the kernel changed its input `{}`", changed.join("`, `")),
    };
    grade.checks.push(check(CheckKind::Result, Some(input), right, result));
    let rows: Vec<ContractRow> = exercise
        .run
        .contract
        .iter()
        .map(|clause| contract::judge(clause, input, instance, &report, &grade.file, source))
        .collect();
    let kept = rows.iter().filter(|row| row.passed).count();
    let detail = format!("{kept} of {} limits are kept", rows.len());
    grade.checks.push(check(CheckKind::Contract, Some(input), kept == rows.len(), detail));
    grade.contract.extend(rows);
    grade.cases.push(case);
    Ok(())
}

/// A check's record.
fn check(kind: CheckKind, input: Option<&Input>, passed: bool, detail: String) -> Check {
    let name = input.map_or_else(|| kind.name().to_owned(), |input| format!("{}: {}", kind.name(), input.name));
    Check { kind, name, passed, detail }
}

/// An error of the simulator for which the learner cannot help.
fn not_the_learners(why: sim::Error) -> GradeError {
    match why.class() {
        sim::ErrorClass::Unsupported => GradeError::Unsupported(why.to_string()),
        sim::ErrorClass::Input => GradeError::Internal(format!(
            "this is a bug in warpbook, not in your kernel: the compiler's PTX cannot be read\n{why}"
        )),
        sim::ErrorClass::Internal => GradeError::Internal(why.to_string()),
    }
}

/// Compares the output with the answer: how many elements are wrong, and the first of them.
fn compare(instance: &Instance, buffers: &[Option<sim::Content>]) -> Result<(usize, Vec<WrongElement>), GradeError> {
    let (name, bytes) = match (instance.args.get(instance.output), buffers.get(instance.output)) {
        (Some((name, _)), Some(Some(bytes))) if bytes.len() == 4 * instance.expected.len() => (*name, bytes),
        _ => return Err(GradeError::Internal("the output buffer did not come back from the simulation".to_owned())),
    };
    let got = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let mut wrong = 0;
    let mut first = Vec::new();
    for (index, (got, &expected)) in got.zip(&instance.expected).enumerate() {
        if got == expected {
            continue;
        }
        wrong += 1;
        if first.len() < FIRST_WRONG {
            let got = (got.to_bits() != UNWRITTEN).then_some(got);
            first.push(WrongElement { output: name.to_owned(), index, expected, got });
        }
    }
    Ok((wrong, first))
}

/// The names of buffers, other than the output, whose bytes are not what they were.
fn changed_inputs(instance: &Instance, buffers: &[Option<sim::Content>]) -> Vec<String> {
    let changed = instance.args.iter().zip(buffers).enumerate().filter(|(at, ((_, arg), after))| {
        *at != instance.output && matches!((arg, after), (sim::Arg::Buffer(before), Some(after)) if before != after)
    });
    changed.map(|(_, ((name, _), _))| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::Arg;

    fn instance(expected: Vec<f32>, input: Vec<f32>) -> Instance {
        Instance {
            args: vec![("out", Arg::Zeros(4 * expected.len() as u64)), ("in", Arg::buffer_of(&input))],
            output: 0,
            expected,
            bounds: BTreeMap::new(),
        }
    }

    fn bytes(values: &[f32]) -> Option<sim::Content> {
        Some(values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>().into())
    }

    #[test]
    fn wrong_elements_are_counted_and_the_first_are_kept() {
        let instance = instance((0..20).map(|i| i as f32).collect(), vec![1.0]);
        let mut got: Vec<f32> = (0..20).map(|i| i as f32 + if i < 4 { 0.0 } else { 1.0 }).collect();
        got[5] = f32::from_bits(UNWRITTEN);
        let (wrong, first) = compare(&instance, &[bytes(&got), None]).unwrap();
        assert_eq!((wrong, first.len()), (16, FIRST_WRONG));
        assert_eq!((first[0].index, first[0].expected, first[0].got), (4, 4.0, Some(5.0)));
        assert_eq!((first[1].index, first[1].got), (5, None), "an element that nobody wrote has no value");
    }

    #[test]
    fn a_nan_is_never_right_and_a_lost_buffer_is_our_bug() {
        let instance = instance(vec![0.0], vec![1.0]);
        assert_eq!(compare(&instance, &[bytes(&[f32::NAN])]).unwrap().0, 1);
        assert_eq!(compare(&instance, &[bytes(&[-0.0])]).unwrap().0, 0);
        assert!(matches!(compare(&instance, &[]), Err(GradeError::Internal(_))));
        assert!(matches!(compare(&instance, &[bytes(&[0.0, 0.0])]), Err(GradeError::Internal(_))));
    }

    #[test]
    fn a_changed_input_is_noticed() {
        let instance = instance(vec![0.0], vec![1.0, 2.0]);
        assert!(changed_inputs(&instance, &[bytes(&[9.0]), bytes(&[1.0, 2.0])]).is_empty());
        assert_eq!(changed_inputs(&instance, &[bytes(&[9.0]), bytes(&[1.0, 3.0])]), ["in"]);
    }
}
