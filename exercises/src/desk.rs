//! What the command line's `warpbook exercise` subcommands do, without the command line.

mod check;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use check::{Asked, Checked, Lines, Whose, check, on_gpu};
pub(crate) use check::{Attempted, attempt};

use crate::course::{Course, CourseError, Exercise, Kind, read};
use crate::grade::GradeError;
use crate::state::{State, Way};

/// Why a subcommand could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The course, or a file, cannot be read.
    #[error(transparent)]
    Course(#[from] CourseError),
    /// No grade could be given.
    #[error(transparent)]
    Grade(#[from] GradeError),
    /// A file whose name is not that of an exercise.
    #[error(
        "which exercise is {}? A file is graded by its name\n\
         help: name it after its exercise ({})", .file.display(), .known.join(", ")
    )]
    WhichExercise {
        /// The file.
        file: PathBuf,
        /// The names that a file can have.
        known: Vec<String>,
    },
    /// An exercise has no such case.
    #[error("there is no case `{case}`; these are the public cases, to be named by number or name:{}", .known.concat())]
    WhichCase {
        /// What was asked for.
        case: String,
        /// The cases, a line each.
        known: Vec<String>,
    },
    /// Questions have no case to run.
    #[error(
        "`{0}` asks questions: --case, --show and --access are for kernels of yours\n\
         help: the kernel that is asked about runs with `warpbook sim`, once you have answered"
    )]
    NoCases(String),
    /// A case was asked for, and no exercise.
    #[error(
        "--case, --show and --access are about one exercise: name it, as in `warpbook exercise check block_sum --show`"
    )]
    CaseOfWhat,
    /// The terminal, or a file beside the course, fails.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// There is no such hint.
    #[error("there is no hint {0}: the hints are numbered from 1 to 3")]
    NoHint(usize),
}

impl DeskError {
    /// The exit code: 2 for wrong usage or unreadable input, 3 for something missing or unsupported, 101 for our bug.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Course(_)
            | Self::Io(_)
            | Self::WhichExercise { .. }
            | Self::WhichCase { .. }
            | Self::NoCases(_)
            | Self::CaseOfWhat
            | Self::NoHint(_)
            | Self::Grade(GradeError::Course(_)) => sim::ErrorClass::Input.exit_code(),
            Self::Grade(GradeError::NoCompiler(_) | GradeError::Unsupported(_)) => {
                sim::ErrorClass::Unsupported.exit_code()
            }
            Self::Grade(GradeError::Internal(_)) => sim::ErrorClass::Internal.exit_code(),
        }
    }
}

/// Opens the course in `dir`, or else the one that `from` lies in or above.
///
/// # Errors
/// When there is none, or its `info.toml` is wrong.
pub fn open(dir: Option<&Path>, from: &Path) -> Result<Course, CourseError> {
    match dir {
        Some(dir) => Course::load(dir),
        None => Course::load(&Course::find(from)?),
    }
}

/// One line of the list of exercises.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its place in the course, from 1.
    pub number: usize,
    /// What to type.
    pub name: String,
    /// The title.
    pub title: String,
    /// The chapter's folder.
    pub group: String,
    /// What the learner does.
    pub kind: Kind,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// Whether it is a challenge.
    pub challenge: bool,
    /// The file to edit.
    pub file: PathBuf,
    /// What the learner can do afterwards.
    pub objectives: Vec<String>,
    /// Whether it has been passed.
    pub done: bool,
    /// Of a prediction: the share of the points of the first answers, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_score: Option<u32>,
    /// Whether it was left out.
    pub skipped: bool,
    /// Whether it is the one to go on with.
    pub current: bool,
}

/// Which exercises a list shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only those with this word in name, title, kind or chapter.
    pub search: Option<String>,
    /// Only those that are done, or that are not.
    pub done: Option<bool>,
    /// Only those of a path.
    pub way: Option<Way>,
}

impl Filter {
    fn shows(&self, exercise: &Exercise, done: bool) -> bool {
        let word = self.search.as_ref().map(|word| word.to_lowercase());
        let has = |word: &str| {
            [&exercise.name, &exercise.title, &exercise.group]
                .into_iter()
                .any(|text| text.to_lowercase().contains(word))
                || exercise.kind.name() == word
        };
        word.is_none_or(|word| has(&word))
            && self.done.is_none_or(|wanted| wanted == done)
            && self.way.as_ref().is_none_or(|way| way.holds(exercise))
    }
}

/// The exercises of a course, in order.
pub fn list(course: &Course, state: &State, filter: &Filter) -> Vec<Entry> {
    let current = state.current(course).map(|exercise| exercise.name.clone());
    let entry = |(at, exercise): (usize, &Exercise)| {
        let progress = state.of(&exercise.name);
        filter.shows(exercise, progress.done).then(|| Entry {
            number: at + 1,
            name: exercise.name.clone(),
            title: exercise.title.clone(),
            group: exercise.group.clone(),
            kind: exercise.kind,
            minutes: exercise.minutes,
            challenge: exercise.challenge,
            file: course.learner_file(exercise),
            objectives: exercise.objectives.clone(),
            done: progress.done,
            first_score: progress.first_score.filter(|_| exercise.kind == Kind::Predict),
            skipped: progress.skipped,
            current: current.as_ref() == Some(&exercise.name),
        })
    };
    course.exercises.iter().enumerate().filter_map(entry).collect()
}

/// The list as text.
pub fn list_text(course: &Course, state: &State, filter: &Filter) -> String {
    let mut out = format!("{}\n", course.title);
    let entries = list(course, state, filter);
    for group in &course.groups {
        let of_group: Vec<&Entry> = entries.iter().filter(|entry| entry.group == group.dir).collect();
        if of_group.is_empty() {
            continue;
        }
        let minutes: u32 = of_group.iter().map(|entry| entry.minutes).sum();
        let _ = writeln!(out, "\n{} ({}, {minutes} minutes)", group.title, group.dir);
        for entry in of_group {
            let mark = match (entry.done, entry.skipped, entry.current) {
                (true, ..) => "done",
                (_, true, _) => "skip",
                (_, _, true) => "here",
                _ => "",
            };
            let challenge = if entry.challenge { ", challenge" } else { "" };
            let first = entry.first_score.map_or(String::new(), |score| format!(", first answers {score} %"));
            let what = format!("{}, {} min{challenge}{first}", entry.kind.name(), entry.minutes);
            let _ = writeln!(out, "  {:>3}  {mark:<4}  {:<28} {} ({what})", entry.number, entry.name, entry.title);
        }
    }
    if entries.is_empty() {
        out.push_str("\n  no exercise is like that\n");
    }
    out
}

/// The step of an exercise's hint ladder, from 1, that comes behind the last one that was shown; at the end the last.
pub fn next_hint(course: &Course, state: &State, name: &str) -> usize {
    let all = course.exercise(name).map_or(1, |exercise| exercise.hints.len());
    (state.of(name).hints + 1).min(all.max(1))
}

/// One step of an exercise's hint ladder, from 1.
///
/// # Errors
/// When the exercise or the step does not exist.
pub fn hint(course: &Course, name: &str, step: usize) -> Result<String, DeskError> {
    let exercise = course.exercise(name)?;
    if step == 0 || step > exercise.hints.len() {
        return Err(DeskError::NoHint(step));
    }
    let next = format!("Type: warpbook exercise hint {} {}", exercise.name, step + 1);
    Ok(hint_text(course, exercise, step, &next))
}

/// The text of one step of the hints, from 1; the last one shows the worked sibling, the others say how to get the `next`.
pub(crate) fn hint_text(course: &Course, exercise: &Exercise, step: usize, next: &str) -> String {
    let mut out = format!("{}\n", exercise.hints.get(step.wrapping_sub(1)).map_or("", String::as_str));
    let file = course.sibling_file(exercise);
    if step == exercise.hints.len()
        && let Ok(sibling) = read(&file)
    {
        let _ = writeln!(out, "\n{}:\n\n{sibling}", shown(&file));
    }
    if step < exercise.hints.len() {
        let _ = writeln!(out, "\nStill stuck? {next}");
    }
    out
}

/// A path as a user writes it: relative to the working directory if it lies there.
pub(crate) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path).display().to_string()
}
