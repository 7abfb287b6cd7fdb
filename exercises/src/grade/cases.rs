//! What happens on one case: findings, results, costs.

use sim::report::{Finding, Severity};

use super::envelope::Limits;
use super::{contract, writer};
use crate::course::Exercise;
use crate::instance::{Buffer, Code, Instance, Ran, Role, RunFailure};
use crate::model::{CaseGrade, Check, CheckKind, Grade, GradeError, WrongElement};

/// How many wrong elements a [`CaseGrade`] describes.
const FIRST_WRONG: usize = 5;

/// A check's record.
pub(super) fn check(kind: CheckKind, instance: Option<&Instance>, passed: bool, detail: String) -> Check {
    let name = instance.map_or_else(|| kind.name().to_owned(), |one| format!("{}: {}", kind.name(), one.case.name));
    Check { kind, name, passed, hidden: instance.is_some_and(|one| one.case.hidden), detail }
}

/// Bytes of memory that a submission's launch may take: cases are small, and with what the checks keep of it a grader stays
/// far below 1 GiB.
const MEMORY: u64 = 256 << 20;

/// Runs one case and adds what it showed to the grade.
pub(super) fn run(
    exercise: &Exercise,
    code: &Code,
    (case, limits): (&Instance, &Limits),
    grade: &mut Grade,
) -> Result<(), GradeError> {
    let options = sim::Options {
        budget: exercise.run.budget,
        schedules: exercise.run.schedules,
        memory: Some(MEMORY),
        busiest: true,
        ..sim::Options::default()
    };
    let ran = match case.run(code, &options) {
        Ok(ran) => ran,
        Err(RunFailure::Launch(why)) => {
            grade.checks.push(check(CheckKind::Launch, Some(case), false, why));
            return Ok(());
        }
        Err(RunFailure::Unsupported(why)) => return Err(GradeError::Unsupported(why)),
        Err(RunFailure::Internal(why)) => return Err(GradeError::Internal(why)),
    };
    let judged = judge(case, &ran, exercise);
    let findings = match judged.findings.len() {
        0 => "none".to_owned(),
        1 => "1 finding".to_owned(),
        n => format!("{n} findings"),
    };
    grade.checks.push(check(CheckKind::Findings, Some(case), judged.findings.is_empty(), findings));
    let right = judged.wrong == 0 && judged.changed_inputs.is_empty();
    let result = match judged.changed_inputs.as_slice() {
        [] => format!("{} of {} elements are right", judged.elements - judged.wrong, judged.elements),
        changed => format!("the kernel changed its input `{}`", changed.join("`, `")),
    };
    grade.checks.push(check(CheckKind::Result, Some(case), right, result));
    grade.cases.push(judged);
    let clauses =
        exercise.contract.iter().filter(|clause| clause.cases.is_empty() || clause.cases.contains(&case.case.name));
    let mut rows = Vec::new();
    for clause in clauses {
        let row = contract::judge(clause, &case.case.name, &case.names, &ran.report, &grade.file, &code.source);
        rows.push(row.map_err(|why| GradeError::Course(format!("{}, {}: {why}", exercise.name, clause.label)))?);
    }
    let bounded = |limit| contract::bounded(limit, &case.case.name, &ran.report, &grade.file, &code.source);
    rows.extend(limits.nearest(&ran.report).iter().map(bounded));
    if !rows.is_empty() {
        let kept = rows.iter().filter(|row| row.passed).count();
        let detail = format!("{kept} of {} limits are kept", rows.len());
        grade.checks.push(check(CheckKind::Contract, Some(case), kept == rows.len(), detail));
        grade.contract.extend(rows);
    }
    Ok(())
}

/// Holds a run against what belongs into its buffers.
fn judge(case: &Instance, ran: &Ran, exercise: &Exercise) -> CaseGrade {
    let Compared { elements, wrong, first_wrong, changed_inputs, digest } =
        compare(case, &ran.buffers, exercise.run.tolerance);
    let counts = |finding: &Finding| exercise.run.no_remarks || finding.severity == Severity::Error;
    let (findings, remarks) = ran.report.findings.iter().cloned().partition(counts);
    CaseGrade {
        case: case.case.name.clone(),
        hidden: case.case.hidden,
        seed: case.case.seed,
        launch: ran.report.launch.clone(),
        launches: ran.launches,
        elements,
        wrong,
        first_wrong,
        changed_inputs,
        findings,
        remarks,
        printed: ran.report.printed.clone(),
        outcome: digest,
        exact: ran.report.metrics.clone(),
        times_the_least: exercise.tells_the_least().then(|| super::least::times(case, exercise, &ran.report)).flatten(),
    }
}

/// What was found in buffers after a run.
pub(crate) struct Compared {
    /// The length of all judged buffers, in elements.
    pub(crate) elements: usize,
    /// How many of their elements are wrong.
    pub(crate) wrong: usize,
    /// The first of them.
    pub(crate) first_wrong: Vec<WrongElement>,
    /// The names of inputs that the kernel changed.
    pub(crate) changed_inputs: Vec<String>,
    /// A digest of the judged buffers.
    pub(crate) digest: u64,
}

/// Holds the buffers against what belongs into them, whoever ran the kernel.
pub(crate) fn compare(case: &Instance, buffers: &[Vec<u8>], tolerance: f64) -> Compared {
    let mut compared =
        Compared { elements: 0, wrong: 0, first_wrong: Vec::new(), changed_inputs: Vec::new(), digest: 0 };
    let mut hasher = blake3::Hasher::new();
    for (buffer, got) in case.buffers.iter().zip(buffers) {
        if buffer.role == Role::In && *got != buffer.content.to_bytes() {
            compared.changed_inputs.push(buffer.name.clone());
        }
        let Some(expected) = &buffer.expected else { continue };
        hasher.update(got);
        let element = buffer.element();
        let size = element.bytes();
        compared.elements += expected.len() / size;
        let whole = got;
        for (index, (got, expected)) in got.chunks_exact(size).zip(expected.chunks_exact(size)).enumerate() {
            if !differs(buffer, whole, index, tolerance) {
                continue;
            }
            compared.wrong += 1;
            if compared.first_wrong.len() < FIRST_WRONG {
                compared.first_wrong.push(WrongElement {
                    output: buffer.name.clone(),
                    index,
                    expected: element.show(expected),
                    got: (!buffer.is_filler(index, got)).then(|| element.show(got)),
                    writer: None,
                });
            }
        }
    }
    let digest = hasher.finalize();
    compared.digest = u64::from_le_bytes(std::array::from_fn(|at| digest.as_bytes()[at]));
    compared
}

/// Whether an element of a judged buffer is not what belongs there.
pub(crate) fn differs(buffer: &Buffer, got: &[u8], index: usize, tolerance: f64) -> bool {
    let Some(expected) = &buffer.expected else { return false };
    let element = buffer.element();
    let at = index * element.bytes()..(index + 1) * element.bytes();
    let (got, expected) = (got.get(at.clone()).unwrap_or_default(), expected.get(at).unwrap_or_default());
    got != expected && !(element.is_real() && close(element.value(got), element.value(expected), tolerance))
}

/// How many wrong elements are told with their writers: each takes a run.
const NAMED: usize = 2;

/// Finds out who wrote the first wrong elements of the first public case that has some.
pub(super) fn name_writers(code: &Code, instances: &[Instance], grade: &mut Grade) {
    let Some(judged) = grade.cases.iter_mut().find(|case| !case.hidden && case.wrong > 0) else { return };
    let Some(case) = instances.iter().find(|one| one.case.name == judged.case) else { return };
    for element in judged.first_wrong.iter_mut().filter(|element| element.got.is_some()).take(NAMED) {
        if let Some(at) = case.buffers.iter().position(|buffer| buffer.name == element.output) {
            let size = case.buffers[at].element().bytes();
            element.writer = writer::find(case, code, at, element.index * size);
        }
    }
}

/// Whether a number is near enough to the expected one.
fn close(got: f64, expected: f64, tolerance: f64) -> bool {
    got == expected
        || (got.is_nan() && expected.is_nan())
        || (got - expected).abs() <= tolerance * expected.abs().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::close;

    #[test]
    fn numbers_may_be_off_by_the_tolerance() {
        assert!(close(100.001, 100.0, 1e-4) && !close(100.001, 100.0, 0.0));
        assert!(close(f64::NAN, f64::NAN, 0.0) && !close(f64::NAN, 1.0, 1e9) && !close(f64::INFINITY, 1.0, 1e9));
    }
}
