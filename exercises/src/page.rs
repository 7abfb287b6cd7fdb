//! What a page of the book asks of exercises, and what it learns: by the program that serves the page, and in the page itself.

pub mod module;
#[cfg(feature = "host")]
pub mod requests;

pub use front::messages::{Message, by_line as messages};
use serde::{Deserialize, Serialize};
use sim::Watch;

use crate::attempt::Attempt;
use crate::compiler::Compiler;
use crate::course::{Course, CourseError};
use crate::feedback;
use crate::grade::{Bench, Grade, GradeError};
use crate::state::State;

/// What a page asks.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The exercise's name.
    pub exercise: String,
    /// The kernel, or the file of answers.
    pub text: String,
    /// What the page keeps of this exercise, as the file of progress has it.
    #[serde(default)]
    pub progress: String,
}

/// What the page learns.
#[derive(Debug, Serialize, Deserialize)]
pub struct Judged {
    /// Whether every check passed.
    pub passed: bool,
    /// The message for the learner.
    pub text: String,
    /// The grade.
    pub grade: serde_json::Value,
    /// What is to be looked at, by line: what the compiler says, or what was found and what costs too much.
    pub lines: Vec<Message>,
    /// What is known of the exercise now, as the file of progress has it: what was known already stays.
    pub progress: String,
}

/// An exercise that somebody begins.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begin {
    /// The exercise's name.
    pub exercise: String,
}

/// What a learner gets of an exercise.
#[derive(Debug, Serialize)]
pub struct Begun {
    /// The name of the file.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// Why nothing came of a request.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// `input`, `rejected`, `stopped`, `missing`, `unsupported` or `internal`.
    pub kind: String,
    /// The sentence.
    pub message: String,
    /// The compiler's messages by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Message>,
}

impl Failure {
    /// One without places.
    pub(crate) fn new(kind: &str, message: impl ToString) -> Self {
        Self { kind: kind.to_owned(), message: message.to_string(), lines: Vec::new() }
    }
}

impl From<CourseError> for Failure {
    fn from(why: CourseError) -> Self {
        Self::new("input", why)
    }
}

impl From<GradeError> for Failure {
    fn from(why: GradeError) -> Self {
        let kind = match why {
            GradeError::Course(_) => "input",
            GradeError::NoCompiler(_) | GradeError::Unsupported(_) => "unsupported",
            GradeError::Internal(_) => "internal",
        };
        Self::new(kind, why)
    }
}

/// The kernel to edit, or the file of answers, as a learner gets it.
///
/// # Errors
/// When there is no such exercise, or it cannot be read.
pub fn begin(course: &Course, asked: &Begin) -> Result<Begun, Failure> {
    let exercise = course.exercise(&asked.exercise)?;
    let own = course.learner_file(exercise);
    let text = course.starters(exercise)?.into_iter().find(|(file, _)| *file == own).map(|(_, text)| text);
    Ok(Begun { file: exercise.file_name(), text: text.unwrap_or_default() })
}

/// Judges a text as `warpbook exercise check` judges a file with that text; the message shows the data of the smallest
/// input that fails. First answers come from `state`, and where it has none from the request.
///
/// # Errors
/// When no grade can be given. Whatever the learner did wrong is in the grade.
pub fn judge(
    course: &Course,
    state: State,
    request: &Request,
    compiler: &dyn Compiler,
    watch: Option<Watch>,
) -> Result<Judged, Failure> {
    let exercise = course.exercise(&request.exercise)?;
    judge_on(course, Bench::watched(course, exercise, None, compiler, watch)?, state, request, compiler)
}

/// The same on a bench that was made before, for whoever judges many texts.
///
/// # Errors
/// As [`judge`].
pub fn judge_on(
    course: &Course,
    bench: Bench<'_>,
    mut state: State,
    request: &Request,
    compiler: &dyn Compiler,
) -> Result<Judged, Failure> {
    let exercise = bench.exercise;
    state.merge(&State::parse(&request.progress));
    let file = exercise.file_name();
    let first = state.of(&exercise.name);
    let attempt = Attempt::new(course, bench, (&file, request.text.clone()), Some(&first), compiler)?;
    let mut text = feedback::text(exercise, &attempt.grade);
    if !attempt.grade.passed && !exercise.kind.asks() {
        text += &attempt.look(true, None, compiler)?;
    }
    let grade = attempt.grade;
    state.note(exercise, &grade);
    let mut lines: Vec<Message> = grade.checks.iter().flat_map(|check| messages(&grade.file, &check.detail)).collect();
    let found = places(&grade);
    lines.extend(found.into_iter().map(|(line, message)| Message { line, severity: "finding".to_owned(), message }));
    let progress = state.only(&exercise.name).lines();
    let value = serde_json::to_value(&grade).map_err(|why| Failure::new("internal", why))?;
    Ok(Judged { passed: grade.passed, text, grade: value, lines, progress })
}

/// The lines of the submission that the learner should look at: findings, then the worst line of each broken limit.
pub(crate) fn places(grade: &Grade) -> Vec<(u32, String)> {
    let public = |name: &str| grade.cases.iter().any(|case| case.case == name && !case.hidden);
    let findings = grade.cases.iter().filter(|case| !case.hidden).flat_map(|case| &case.findings);
    let mut places: Vec<(u32, String)> = findings.map(|finding| (finding.line, finding.message.clone())).collect();
    for row in grade.contract.iter().filter(|row| !row.passed && public(&row.case)) {
        if let Some(line) = row.lines.first() {
            let message = format!("{}: {} counted, {} allowed ({})", row.label, row.actual, row.limit, row.case);
            places.push((line.line, message));
        }
    }
    places.dedup_by_key(|(line, _)| *line);
    places.truncate(10);
    places
}
