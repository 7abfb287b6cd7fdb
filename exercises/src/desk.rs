//! What the command line's `warpbook exercise` subcommands do, without the command line.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::compiler::Compiler;
use crate::course::{Course, CourseError, Exercise, Kind, read};
use crate::feedback;
use crate::grade::{Grade, GradeError, grade};

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
    /// There is no such hint.
    #[error("there is no hint {0}: the hints are numbered from 1 to 3")]
    NoHint(usize),
}

impl DeskError {
    /// The exit code: 2 for wrong usage or unreadable input, 3 for something missing or unsupported, 101 for our bug.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Course(_) | Self::WhichExercise { .. } | Self::NoHint(_) => 2,
            Self::Grade(GradeError::NoCompiler(_) | GradeError::Unsupported(_)) => 3,
            Self::Grade(GradeError::Internal(_)) => 101,
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
    /// What to type.
    pub name: String,
    /// The title.
    pub title: String,
    /// What the learner does.
    pub kind: Kind,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// The file to edit.
    pub file: PathBuf,
    /// What the learner can do afterwards.
    pub objectives: Vec<String>,
}

/// All exercises of a course, in order.
pub fn list(course: &Course) -> Vec<Entry> {
    let entry = |exercise: &Exercise| Entry {
        name: exercise.name.clone(),
        title: exercise.title.clone(),
        kind: exercise.kind,
        minutes: exercise.minutes,
        file: course.learner_file(exercise),
        objectives: exercise.objectives.clone(),
    };
    course.exercises.iter().map(entry).collect()
}

/// The list as text.
pub fn list_text(course: &Course) -> String {
    let mut out = format!("{}\n\n", course.title);
    for entry in list(course) {
        let _ = writeln!(out, "{}: {} ({}, {} minutes)", entry.name, entry.title, entry.kind.name(), entry.minutes);
        let _ = writeln!(out, "  edit   {}", shown(&entry.file));
        let _ = writeln!(out, "  grade  warpbook exercise check {}", entry.name);
        let _ = writeln!(out, "  hint   warpbook exercise hint {}", entry.name);
    }
    out
}

/// One step of an exercise's hint ladder, from 1.
///
/// # Errors
/// When the exercise or the step does not exist.
pub fn hint(course: &Course, name: &str, step: usize) -> Result<String, DeskError> {
    let exercise = course.exercise(name)?;
    let hint = step.checked_sub(1).and_then(|at| exercise.hints.get(at)).ok_or(DeskError::NoHint(step))?;
    let mut out = format!("{hint}\n");
    if step < exercise.hints.len() {
        let _ = writeln!(out, "\nStill stuck? Type: warpbook exercise hint {name} {}", step + 1);
    }
    Ok(out)
}

/// Which of a course's files are graded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Whose {
    /// The learner's.
    #[default]
    Learner,
    /// The solutions.
    Solution,
}

/// The grades of one or several files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// Whether all of them passed.
    pub passed: bool,
    /// One grade for every file.
    pub grades: Vec<Grade>,
    /// The messages for the learner, in the same order.
    #[serde(skip)]
    pub texts: Vec<String>,
}

impl Checked {
    /// The exit code: 0 if all passed, 1 if not.
    pub const fn exit_code(&self) -> u8 {
        if self.passed { 0 } else { 1 }
    }

    /// The messages for the learner.
    pub fn text(&self) -> String {
        self.texts.join("\n")
    }
}

/// Grades `what`: an exercise by its name, a file by its path, or every exercise of the course if there is none.
/// `whose` says which file belongs to a name.
///
/// # Errors
/// When a file cannot be read or no grade can be given. A bad grade is not an error.
pub fn check(course: &Course, what: Option<&str>, whose: Whose, compiler: &dyn Compiler) -> Result<Checked, DeskError> {
    let own = |exercise: &Exercise| match whose {
        Whose::Learner => course.learner_file(exercise),
        Whose::Solution => course.solution_file(exercise),
    };
    let attempts: Vec<(&Exercise, PathBuf)> = match what {
        None => course.exercises.iter().map(|exercise| (exercise, own(exercise))).collect(),
        Some(path) if is_path(path) => vec![(exercise_of(course, Path::new(path))?, PathBuf::from(path))],
        Some(name) => {
            let exercise = course.exercise(name)?;
            vec![(exercise, own(exercise))]
        }
    };
    let mut checked = Checked { passed: true, grades: Vec::new(), texts: Vec::new() };
    for (exercise, path) in attempts {
        let grade = grade(exercise, &shown(&path), &read(&path)?, compiler)?;
        checked.passed &= grade.passed;
        checked.texts.push(feedback::text(exercise, &grade));
        checked.grades.push(grade);
    }
    Ok(checked)
}

/// A path as a user writes it: relative to the working directory if it lies there.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path).display().to_string()
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
