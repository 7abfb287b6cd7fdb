//! A course: its groups, its exercises and where their files lie.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sim::diagnostic::Diagnostic;

use crate::built::Kept;
use crate::model::CheckKind;
use crate::spec::{Case, Clause, Equivalent, Loosened, Question, Run};

/// Where the files of a course are.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Files {
    /// In its folder.
    #[default]
    Folder,
    /// Here: what of them is needed to judge one exercise.
    Memory(Arc<Kept>),
}

/// A folder of exercises.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The folder that holds `info.toml`.
    pub dir: PathBuf,
    /// Where its files are.
    pub files: Files,
    /// What the course is called.
    pub title: String,
    /// Its chapters, in order.
    pub groups: Vec<Group>,
    /// The exercises, in the order in which they are meant to be solved.
    pub exercises: Vec<Exercise>,
}

/// A chapter of the course.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// Its folder, such as `00_machine`.
    pub dir: String,
    /// Its title.
    pub title: String,
    /// The part of the book that explains its exercises, where they name no other: `machine/banks.md#strides`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
}

/// One exercise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exercise {
    /// Its stable name: the file's stem, and what a learner types.
    pub name: String,
    /// The folder of its group, such as `00_machine`.
    pub group: String,
    /// Its title.
    pub title: String,
    /// What the learner does.
    pub kind: Kind,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// What it is worth in a class.
    pub points: u32,
    /// Whether it belongs to the path of challenges.
    pub challenge: bool,
    /// Exercises that come before it.
    pub after: Vec<String>,
    /// What the learner knows already.
    pub prerequisites: Vec<String>,
    /// What the learner can do afterwards.
    pub objectives: Vec<String>,
    /// Three hints: a question, a pointer, and what leads to the worked sibling.
    pub hints: Vec<String>,
    /// What is shown after passing.
    pub explanation: String,
    /// The part of the book that explains what it costs, as a chapter's path below `book/chapters`: its own, or its
    /// group's.
    pub section: Option<String>,
    /// Where to read on after passing.
    pub further_reading: Vec<Link>,
    /// Of questions: what to do, for the head of the file of answers.
    pub task: String,
    /// Which kind of check the starter fails; none for questions, whose file of answers is empty at first.
    pub starter_fails: Option<CheckKind>,
    /// Of an exercise to improve: the edit that is its lesson, which advice on the starter must suggest first.
    pub edit: Option<advice::Edit>,
    /// What is run.
    pub run: Run,
    /// On which inputs.
    pub cases: Vec<Case>,
    /// The input whose time a verdict tells, beside the least time of any kernel; the largest case where there is none. Nothing
    /// is judged by it.
    pub large: Option<Case>,
    /// What a kernel must do to have learnt it, in one sentence: told to whoever breaks a bound of cost.
    pub lesson: String,
    /// What it may cost, as far as the author says so.
    pub contract: Vec<Clause>,
    /// Bounds that hold otherwise than for all exercises.
    pub loosened: Vec<Loosened>,
    /// What is asked.
    pub questions: Vec<Question>,
    /// Mutants of the solution that are as right as the solution.
    pub equivalent: Vec<Equivalent>,
}

/// What the learner does in an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Says what a kernel will cost before it is run.
    Predict,
    /// Says which lanes, which bank, which line.
    Trace,
    /// Mends what is broken.
    Repair,
    /// Makes the same result cheaper.
    Improve,
    /// Writes the kernel.
    Make,
}

impl Kind {
    /// The kind's name, as it stands in an exercise's file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Trace => "trace",
            Self::Repair => "repair",
            Self::Improve => "improve",
            Self::Make => "make",
        }
    }

    /// Whether the learner answers questions instead of writing a kernel.
    pub const fn asks(self) -> bool {
        matches!(self, Self::Predict | Self::Trace)
    }

    /// How many rejected wrong solutions an exercise of this kind has at least.
    pub const fn least_wrong_solutions(self) -> usize {
        if self.asks() { 0 } else { 5 }
    }
}

/// A page to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
}

/// Why a course cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CourseError {
    /// There is no course here.
    #[error(
        "no exercises here: neither {} nor a folder above it holds exercises/info.toml\n\
         help: run this in the repository, or name the folder with --exercises DIR",
        .0.display()
    )]
    NotFound(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// `info.toml` or an exercise's file is wrong.
    #[error("{0}")]
    Info(Box<Diagnostic>),
    /// A solution's markers are wrong.
    #[error(transparent)]
    Markers(#[from] crate::starter::MarkerError),
    /// There is no exercise of that name.
    #[error("there is no exercise `{name}`\nhelp: {}", suggestion(.name, .known))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The exercises that exist.
        known: Vec<String>,
    },
}

/// Names that hold what was typed, or how to see all of them.
fn suggestion(name: &str, known: &[String]) -> String {
    let close: Vec<&str> = known.iter().filter(|known| known.contains(name)).map(String::as_str).take(5).collect();
    match (close.as_slice(), known.len()) {
        ([], 0..=5) => format!("there is {}", known.join(", ")),
        ([], _) => "warpbook exercise list shows all".to_owned(),
        (close, _) => format!("did you mean {}?", close.join(", ")),
    }
}

impl Course {
    /// Finds the course's folder from a folder in or above which it lies: `exercises/` of that folder or of one of
    /// its parents, or the folder itself.
    ///
    /// # Errors
    /// [`CourseError::NotFound`].
    pub fn find(from: &Path) -> Result<PathBuf, CourseError> {
        from.ancestors()
            .flat_map(|folder| [folder.join("exercises"), folder.to_owned()])
            .find(|folder| folder.join("info.toml").is_file())
            .ok_or_else(|| CourseError::NotFound(from.to_owned()))
    }

    /// The exercise called `name`.
    ///
    /// # Errors
    /// [`CourseError::Unknown`], which lists those that exist.
    pub fn exercise(&self, name: &str) -> Result<&Exercise, CourseError> {
        self.exercises.iter().find(|exercise| exercise.name == name).ok_or_else(|| CourseError::Unknown {
            name: name.to_owned(),
            known: self.exercises.iter().map(|exercise| exercise.name.clone()).collect(),
        })
    }

    /// The text of one of its files.
    ///
    /// # Errors
    /// [`CourseError::Read`].
    pub(crate) fn read(&self, path: &Path) -> Result<String, CourseError> {
        match &self.files {
            Files::Folder => read(path),
            Files::Memory(kept) => kept.text(path).map(str::to_owned).ok_or_else(|| {
                let source = std::io::Error::new(
                    std::io::ErrorKind::NotFound,
                    "it is not among the texts that came with the page",
                );
                CourseError::Read { path: path.to_owned(), source }
            }),
        }
    }

    /// The kernel's file in the learner's folder: the starter, until it is edited; of questions, the kernel to look at.
    pub fn kernel_file(&self, exercise: &Exercise) -> PathBuf {
        self.dir.join(&exercise.group).join(format!("{}.cu", exercise.name))
    }

    /// The file that the learner edits: the kernel, or of questions the answers.
    pub fn learner_file(&self, exercise: &Exercise) -> PathBuf {
        self.dir.join(&exercise.group).join(exercise.file_name())
    }

    /// A file of the authors: `solutions/GROUP/NAME.ENDING`.
    fn authors(&self, exercise: &Exercise, ending: &str) -> PathBuf {
        self.dir.join("solutions").join(&exercise.group).join(format!("{}.{ending}", exercise.name))
    }

    /// What describes the exercise.
    pub fn spec_file(&self, exercise: &Exercise) -> PathBuf {
        self.authors(exercise, "toml")
    }

    /// The solution of an exercise; of questions, the kernel that they are about.
    pub fn solution_file(&self, exercise: &Exercise) -> PathBuf {
        self.authors(exercise, "cu")
    }

    /// The plain kernel that computes what belongs into the outputs.
    pub fn reference_file(&self, exercise: &Exercise) -> PathBuf {
        self.authors(exercise, "reference.cu")
    }

    /// The worked sibling, the last step of the hints.
    pub fn sibling_file(&self, exercise: &Exercise) -> PathBuf {
        self.authors(exercise, "sibling.cu")
    }

    /// What the grader rejects and by which checks, or the right answers: written by `warpbook dev check --write`.
    pub fn proof_file(&self, exercise: &Exercise) -> PathBuf {
        self.authors(exercise, "proof.txt")
    }

    /// What the authors wrote, compiled: written by `warpbook dev ptx --exercises`.
    pub fn built_file(&self, exercise: &Exercise) -> PathBuf {
        self.dir.join("ptx").join(&exercise.group).join(format!("{}.json.gz", exercise.name))
    }

    /// The folder of an exercise's wrong solutions.
    pub fn wrong_folder(&self, exercise: &Exercise) -> PathBuf {
        self.dir.join("wrong").join(&exercise.group).join(&exercise.name)
    }

    /// The folder of an exercise's honest alternatives: right solutions in other styles.
    pub fn right_folder(&self, exercise: &Exercise) -> PathBuf {
        self.dir.join("right").join(&exercise.group).join(&exercise.name)
    }
}

impl Exercise {
    /// Whether a verdict says how many times the least a kernel moves through global memory. The exercise's inputs have to be
    /// read as a whole.
    pub(crate) const fn tells_the_least(&self) -> bool {
        self.challenge || matches!(self.kind, Kind::Improve)
    }

    /// Whether a kernel is written, whose cost is bounded.
    pub const fn has_contract(&self) -> bool {
        !self.kind.asks()
    }

    /// The name of the file that the learner edits.
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.name, if self.kind.asks() { "txt" } else { "cu" })
    }
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String, CourseError> {
    std::fs::read_to_string(path).map_err(|source| CourseError::Read { path: path.to_owned(), source })
}

/// Writes a text file, and the folders that it needs.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), CourseError> {
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folder
        .and_then(|()| std::fs::write(path, text))
        .map_err(|source| CourseError::Write { path: path.to_owned(), source })
}

/// The `.cu` files in a folder, by name; none if there is no such folder.
pub(crate) fn sources(folder: &Path) -> Result<Vec<PathBuf>, CourseError> {
    let entries = if folder.is_dir() { entries(folder)? } else { Vec::new() };
    Ok(entries.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "cu")).collect())
}

/// What is in a folder, by name.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, CourseError> {
    let unreadable = |source| CourseError::Read { path: folder.to_owned(), source };
    let entries: Result<Vec<PathBuf>, _> =
        std::fs::read_dir(folder).map_err(unreadable)?.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut entries = entries.map_err(unreadable)?;
    entries.sort();
    Ok(entries)
}
