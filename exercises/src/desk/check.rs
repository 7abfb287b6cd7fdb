//! Checking: a learner's files, one or all, with what helps to find the fault.

use std::path::{Path, PathBuf};

use kernels::native::Device;
use rayon::prelude::*;
use serde::Serialize;

use super::{DeskError, shown};
use crate::attempt::Attempt;
use crate::compiler::Compiler;
use crate::course::{Course, Exercise, read};
use crate::feedback;
use crate::grade::{Bench, CheckKind, Grade, GradeError};
use crate::native::{self, NativeRun};
use crate::replay;
use crate::state::State;

/// Which of a course's files are graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Whose {
    /// The learner's.
    #[default]
    Learner,
    /// The authors': a solution, or of questions the answers that the simulator gives.
    Solution,
}

/// A line of the learner's file, or all: whose accesses are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lines {
    /// The file's name, if one was told; its end is enough.
    pub file: Option<String>,
    /// The line; all lines if none was told.
    pub line: Option<u32>,
}

/// What is to be checked, and what is to be shown of it.
#[derive(Debug, Clone, Default)]
pub struct Asked<'a> {
    /// An exercise by its name, a file by its path; every exercise of the course if there is none.
    pub what: Option<&'a str>,
    /// Whose file belongs to a name.
    pub whose: Whose,
    /// Only this case: its number from 1, or its name.
    pub case: Option<&'a str>,
    /// Show the case's data: what goes in, what belongs into the outputs, what the kernel left there.
    pub show: bool,
    /// Draw the banks or sectors of accesses.
    pub access: Option<Lines>,
}

impl Asked<'_> {
    /// Whether it is about one case.
    const fn of_a_case(&self) -> bool {
        self.case.is_some() || self.show || self.access.is_some()
    }
}

/// The grades of one or several files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// Whether all of them passed.
    pub passed: bool,
    /// One grade for every file.
    pub grades: Vec<Grade>,
    /// What could not be graded: the exercise, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<(String, String)>,
    /// What a GPU did with the same files, if one was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gpu: Vec<NativeRun>,
    /// The case that was run alone, from 1; then the grade says nothing of the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_case: Option<usize>,
    /// The launch file that shows the smallest failing case again, for `warpbook sim`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<PathBuf>,
    /// The message for the learner.
    #[serde(skip)]
    text: String,
}

impl Checked {
    /// The exit code: 0 if all passed, and a GPU that was asked agrees; 1 if not.
    pub fn exit_code(&self) -> u8 {
        if self.passed && self.gpu.iter().all(NativeRun::agrees) { 0 } else { sim::FAULTY }
    }

    /// The message for the learner.
    pub fn text(&self) -> String {
        self.text.clone()
    }
}

/// Grades what is asked for. What is right there also runs on `device`, if there is one. First answers come from `state`.
///
/// # Errors
/// When a file cannot be read or no grade can be given. A bad grade is not an error.
pub fn check(
    course: &Course,
    state: &State,
    asked: &Asked<'_>,
    compiler: &dyn Compiler,
    device: Option<&dyn Device>,
) -> Result<Checked, DeskError> {
    // A file that was named is what is graded.
    let whose = if asked.what.is_some_and(is_path) { Whose::Learner } else { asked.whose };
    match asked.what {
        None if asked.of_a_case() => Err(DeskError::CaseOfWhat),
        None => all(course, state, whose, compiler),
        Some(what) => {
            let (exercise, path) = match is_path(what) {
                true => (exercise_of(course, Path::new(what))?, PathBuf::from(what)),
                false => {
                    let exercise = course.exercise(what)?;
                    (exercise, own(course, exercise, whose))
                }
            };
            one(course, state, exercise, &path, &Asked { whose, ..asked.clone() }, compiler, device)
        }
    }
}

fn own(course: &Course, exercise: &Exercise, whose: Whose) -> PathBuf {
    match whose {
        Whose::Learner => course.learner_file(exercise),
        Whose::Solution => course.solution_file(exercise),
    }
}

/// A graded file.
pub(crate) struct Attempted<'a> {
    attempt: Attempt<'a>,
    path: PathBuf,
    /// The numbers from 1 of the cases that the bench has.
    numbers: Vec<usize>,
}

/// Grades the file at `path`, on one case or on all that everybody sees.
pub(crate) fn attempt<'a>(
    course: &Course,
    state: &State,
    exercise: &'a Exercise,
    path: &Path,
    asked: &Asked<'_>,
    compiler: &dyn Compiler,
) -> Result<Attempted<'a>, DeskError> {
    let text = match asked.whose {
        Whose::Solution if exercise.kind.asks() => None,
        _ => Some(read(path)?),
    };
    let mut bench = Bench::new(course, exercise, None, compiler)?;
    let mut numbers: Vec<usize> = (1..=bench.instances.len()).collect();
    if let Some(case) = asked.case {
        let at = number_of(exercise, &bench, case)?;
        bench.instances = vec![bench.instances.swap_remove(at)];
        numbers = vec![at + 1];
    }
    let text = text.map_or_else(|| bench.right_answers(), Ok)?;
    let first = (asked.whose == Whose::Learner).then(|| state.of(&exercise.name));
    let attempt = Attempt::new(course, bench, (&shown(path), text), first.as_ref(), compiler)?;
    Ok(Attempted { attempt, path: path.to_owned(), numbers })
}

/// The place in the bench of a case that is named by its number or name.
fn number_of(exercise: &Exercise, bench: &Bench<'_>, case: &str) -> Result<usize, DeskError> {
    let names: Vec<&str> = bench.instances.iter().map(|one| one.case.name.as_str()).collect();
    if exercise.kind.asks() {
        return Err(DeskError::NoCases(exercise.name.clone()));
    }
    let by_number = case.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).filter(|at| *at < names.len());
    by_number.or_else(|| names.iter().position(|name| *name == case)).ok_or_else(|| DeskError::WhichCase {
        case: case.to_owned(),
        known: names.iter().enumerate().map(|(at, name)| format!("\n  {}  {name}", at + 1)).collect(),
    })
}

impl Attempted<'_> {
    /// The grade.
    pub(crate) const fn grade(&self) -> &Grade {
        &self.attempt.grade
    }

    /// Writes the smallest failing case down for `warpbook sim`; nothing where there is none to be run.
    fn replay(&self, course: &Course) -> Option<Result<PathBuf, String>> {
        let runs = self.attempt.grade.checks.iter().any(|check| !check.passed)
            && !self.attempt.grade.failed_kinds().contains(&CheckKind::Compile)
            && !self.attempt.bench.exercise.kind.asks();
        let at = self.attempt.case();
        let case = self.attempt.bench.instances.get(at).filter(|_| runs)?;
        let written = replay::write(course, self.attempt.bench.exercise, case, self.numbers[at], &self.path);
        Some(written.map_err(|why| why.to_string()))
    }

    /// What the learner reads: the gap, and how to look closer.
    pub(crate) fn message(&self, course: &Course) -> (String, Option<PathBuf>) {
        let mut text = feedback::text(self.attempt.bench.exercise, &self.attempt.grade);
        let name = &self.attempt.grade.exercise;
        match self.replay(course) {
            None => (text, None),
            Some(Err(why)) => {
                text += &format!("(the failing input could not be written down for `warpbook sim`: {why})\n");
                (text, None)
            }
            Some(Ok(file)) => {
                let number = self.numbers[self.attempt.case()];
                text += &format!(
                    "\nThe smallest input that fails, alone:\n  \
                     warpbook exercise check {name} --case {number} --show         its data, expected and got\n  \
                     warpbook exercise check {name} --case {number} --access LINE  the banks or sectors of a line\n  \
                     warpbook sim {}\n",
                    shown(&file)
                );
                (text, Some(file))
            }
        }
    }

    /// `--show` and `--access`: the case once more, with details if they are asked for.
    fn look(&self, asked: &Asked<'_>, compiler: &dyn Compiler) -> Result<String, DeskError> {
        let exercise = self.attempt.bench.exercise;
        if exercise.kind.asks() {
            return Err(DeskError::NoCases(exercise.name.clone()));
        }
        let access = asked.access.as_ref().map(|lines| (lines.file.as_deref(), lines.line));
        Ok(self.attempt.look(asked.show, access, compiler)?)
    }
}

/// One file.
fn one(
    course: &Course,
    state: &State,
    exercise: &Exercise,
    path: &Path,
    asked: &Asked<'_>,
    compiler: &dyn Compiler,
    device: Option<&dyn Device>,
) -> Result<Checked, DeskError> {
    let attempt = attempt(course, state, exercise, path, asked, compiler)?;
    let Attempted { attempt: Attempt { bench, text: source, grade, .. }, .. } = &attempt;
    let (mut text, replay) = match asked.whose {
        Whose::Learner => attempt.message(course),
        Whose::Solution => (feedback::text(exercise, grade), None),
    };
    if asked.show || asked.access.is_some() {
        text += &attempt.look(asked, compiler)?;
    }
    let mut gpu = Vec::new();
    if let Some(device) = device {
        let run = bench.native(grade, source, compiler, device)?;
        text = format!("{text}\n{}", native::text::text(&run));
        gpu.push(run);
    }
    let only_case = asked.case.and_then(|_| attempt.numbers.first().copied());
    if let Some(number) = only_case {
        text += &format!("\nOnly input {number} was run: without --case, all are.\n");
    }
    let passed = grade.passed;
    Ok(Checked { passed, grades: vec![attempt.attempt.grade], errors: Vec::new(), gpu, only_case, replay, text })
}

/// Every exercise of the course: a line each, and the next step.
fn all(course: &Course, state: &State, whose: Whose, compiler: &dyn Compiler) -> Result<Checked, DeskError> {
    let asked = Asked { whose, ..Asked::default() };
    let grade = |exercise: &Exercise| {
        attempt(course, state, exercise, &own(course, exercise, whose), &asked, compiler)
            .map(|attempt| attempt.attempt.grade)
    };
    let graded: Vec<Result<Grade, DeskError>> = course.exercises.par_iter().map(grade).collect();
    let (mut grades, mut errors) = (Vec::new(), Vec::new());
    let mut text = String::new();
    for (exercise, graded) in course.exercises.iter().zip(graded) {
        let (mark, said) = match graded {
            Ok(grade) => {
                let line = feedback::line(exercise, &grade);
                grades.push(grade);
                line
            }
            // Without a compiler, and with a bug of ours, nothing can be said of any.
            Err(why @ DeskError::Grade(GradeError::NoCompiler(_) | GradeError::Internal(_))) => return Err(why),
            Err(why) => {
                let why = why.to_string();
                let line = why.lines().next().unwrap_or_default().to_owned();
                errors.push((exercise.name.clone(), why));
                ("error", line)
            }
        };
        text += &format!("  {mark:<7}  {:<20}  {said}\n", exercise.name);
    }
    let passed = grades.iter().filter(|grade| grade.passed).count();
    text += &format!("\n{passed} of {} exercises are done.", course.exercises.len());
    let open = |exercise: &&Exercise| {
        state.path.holds(exercise)
            && !state.of(&exercise.name).skipped
            && !grades.iter().any(|grade| grade.exercise == exercise.name && grade.passed)
    };
    text += &match course.exercises.iter().find(open) {
        Some(next) if whose == Whose::Learner => format!(
            " Next: edit {}, then type\n  warpbook exercise check {}\n",
            shown(&course.learner_file(next)),
            next.name
        ),
        Some(next) => format!(" The first that is not: {}\n", next.name),
        None => "\n".to_owned(),
    };
    let passed = errors.is_empty() && grades.iter().all(|grade| grade.passed);
    Ok(Checked { passed, grades, errors, gpu: Vec::new(), only_case: None, replay: None, text })
}

/// Grades the learner's file of an exercise, and runs it on a GPU if it is right.
///
/// # Errors
/// When the file cannot be read, or nothing can be told of it.
pub fn on_gpu(
    course: &Course,
    exercise: &Exercise,
    compiler: &dyn Compiler,
    device: &dyn Device,
) -> Result<NativeRun, DeskError> {
    let path = course.learner_file(exercise);
    let Attempted { attempt, .. } = attempt(course, &State::default(), exercise, &path, &Asked::default(), compiler)?;
    Ok(attempt.bench.native(&attempt.grade, &attempt.text, compiler, device)?)
}

/// Whether an argument means a file: names of exercises have no dot and no separator.
fn is_path(what: &str) -> bool {
    what.contains(['.', '/', '\\'])
}

/// The exercise that a file belongs to, by its name.
fn exercise_of<'a>(course: &'a Course, file: &Path) -> Result<&'a Exercise, DeskError> {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    course.exercises.iter().find(|exercise| exercise.name == stem).ok_or_else(|| DeskError::WhichExercise {
        file: file.to_owned(),
        known: course.exercises.iter().map(Exercise::file_name).collect(),
    })
}
