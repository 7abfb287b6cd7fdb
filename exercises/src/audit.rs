//! Proves that a course is sound: every starter compiles and fails for its stated reason, every solution and
//! honest alternative passes, with many secrets, every wrong solution, every mutant of the solution and every mutant of the
//! idea is rejected, every question has an answer, and no file is left over.

mod edits;
mod evasions;
mod files;
mod honest;
pub mod ideas;
pub mod mutants;
mod one;
mod report;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use crate::bounds;
use crate::compiler::Compiler;
use crate::course::{Course, CourseError, read, write};
use crate::desk::DeskError;
use crate::grade::CheckKind;
pub use evasions::{IdeaOutcome, IdeaReport};
pub use honest::Honest;
use one::Audit;

/// A secret for the hidden cases of the proof.
pub(crate) const SECRET: &str = "warpbook dev check";

/// What is wrong with a course, and which wrong solutions its grader rejects.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CourseReport {
    /// Whether nothing is wrong.
    pub passed: bool,
    /// What is wrong with the course as a whole.
    pub problems: Vec<String>,
    /// One entry for every exercise, in order.
    pub exercises: Vec<ExerciseReport>,
}

/// What is wrong with an exercise, and its kill table.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ExerciseReport {
    /// The exercise's name.
    pub name: String,
    /// What is wrong with it.
    pub problems: Vec<String>,
    /// Its wrong solutions, by file name.
    pub wrong: Vec<Kill>,
    /// The mutants of its solution.
    pub mutants: Vec<MutantReport>,
    /// Mutants of the idea: right results that evade the lesson.
    pub ideas: Vec<IdeaReport>,
    /// Its honest alternatives that are accepted, by file name.
    pub honest: Vec<Honest>,
    /// The bounds of cost that are loosened for it, each with its reason.
    pub loosened: Vec<(String, String)>,
    /// The right answers, by question.
    pub answers: Vec<(String, String)>,
}

/// A wrong solution and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kill {
    /// Its file's stem.
    pub name: String,
    /// The misconception behind it.
    pub misconception: String,
    /// The kinds of check that it is meant to fail.
    pub expected: Vec<CheckKind>,
    /// The kinds of check that it failed.
    pub failed: Vec<CheckKind>,
    /// What a learner's result is recognised by, see [`crate::misconception`].
    pub signature: Option<String>,
}

/// A mutant and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MutantReport {
    /// Its name.
    pub name: String,
    /// The line of the solution that it changes, from 1.
    pub line: usize,
    /// What became of that line.
    pub after: String,
    /// The kinds of check that it failed on the first case that it fails.
    pub failed: Vec<CheckKind>,
    /// Why it is as right as the solution, if it is.
    pub equivalent: Option<String>,
}

/// Checks a course, or of it the exercises that `only` names.
///
/// # Errors
/// When grading is impossible here. Faults of the course are in the report.
pub fn check_course(course: &Course, only: &[String], compiler: &dyn Compiler) -> Result<CourseReport, DeskError> {
    for name in only {
        course.exercise(name)?;
    }
    let wanted = |name: &String| only.is_empty() || only.contains(name);
    let exercises: Result<Vec<ExerciseReport>, DeskError> = course
        .exercises
        .par_iter()
        .filter(|exercise| wanted(&exercise.name))
        .map(|exercise| one::check(course, exercise, compiler))
        .collect();
    let problems: Vec<String> = if only.is_empty() {
        files::stray(course)?.iter().map(|path| left_over(course, path)).collect()
    } else {
        Vec::new()
    };
    let unbounded = |name: &&str| format!("the counter {name} is neither bounded nor follows from others (bounds.rs)");
    let problems = problems.into_iter().chain(bounds::open().iter().map(unbounded)).collect();
    let mut report = CourseReport { passed: false, problems, exercises: exercises? };
    report.passed = report.problems.is_empty() && report.exercises.iter().all(|one| one.problems.is_empty());
    Ok(report)
}

/// The message about a file that belongs to no exercise.
fn left_over(course: &Course, path: &Path) -> String {
    let path = path.strip_prefix(&course.dir).unwrap_or(path);
    format!("{} belongs to no exercise of info.toml: remove it, or add its exercise", path.display())
}

/// Writes every starter anew from its solution, and gives the files that changed.
///
/// This overwrites what a learner wrote: it is for authors.
///
/// # Errors
/// When a solution cannot be read, its markers are wrong, or a starter cannot be written.
pub fn write_starters(course: &Course) -> Result<Vec<PathBuf>, CourseError> {
    let mut changed = Vec::new();
    for exercise in &course.exercises {
        for (path, text) in course.starters(exercise)? {
            if read(&path).is_ok_and(|old| old == text) {
                continue;
            }
            write(&path, &text)?;
            changed.push(path);
        }
    }
    Ok(changed)
}

/// Writes what a report proves, exercise by exercise, and gives the files that changed.
///
/// # Errors
/// When a file cannot be written.
pub fn write_proofs(course: &Course, report: &CourseReport) -> Result<Vec<PathBuf>, CourseError> {
    let mut changed = Vec::new();
    for one in &report.exercises {
        let (path, text) = (course.proof_file(course.exercise(&one.name)?), one.proof());
        if read(&path).unwrap_or_default() != text {
            write(&path, &text)?;
            changed.push(path);
        }
    }
    Ok(changed)
}
