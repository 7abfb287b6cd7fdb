//! A course and its exercises, as `info.toml` describes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sim::Dim3;
use sim::diagnostic::Diagnostic;

use crate::grade::CheckKind;

/// A folder of exercises.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The folder that holds `info.toml`.
    pub dir: PathBuf,
    /// What the course is called.
    pub title: String,
    /// The exercises, in the order in which they are meant to be solved.
    pub exercises: Vec<Exercise>,
}

/// One exercise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exercise {
    /// Its stable name: the file's stem, and what a learner types.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The folder of its topic, such as `01_scan`.
    pub dir: String,
    /// What the learner does.
    pub kind: Kind,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// What the learner knows already.
    pub prerequisites: Vec<String>,
    /// What the learner can do afterwards.
    pub objectives: Vec<String>,
    /// Three hints: a question, a pointer, and a worked sibling.
    pub hints: Vec<String>,
    /// What is shown after passing.
    pub explanation: String,
    /// Where to read on after passing.
    pub further_reading: Vec<Link>,
    /// Which kind of check the starter fails.
    pub starter_fails: CheckKind,
    /// What is run and what it may cost.
    pub run: Run,
}

/// What the learner does in an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Something is broken and is to be mended.
    Repair,
}

impl Kind {
    /// The kind's name, as it stands in `info.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repair => "repair",
        }
    }

    /// How many wrong solutions an exercise of this kind has at least.
    pub const fn least_wrong_solutions(self) -> usize {
        match self {
            Self::Repair => 5,
        }
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

/// How a learner's kernel is run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// The kernel's name (`extern "C"`).
    pub kernel: String,
    /// The problem that makes the arguments and knows the answer: a name of [`crate::problem::find`].
    pub problem: String,
    /// Warp-instructions after which a launch is ended, for each input.
    pub budget: u64,
    /// The inputs that everybody sees.
    pub inputs: Vec<Input>,
    /// What the kernel may cost, for each input.
    pub contract: Vec<Clause>,
}

/// One input, and the launch for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What is special about it, in a few words.
    pub name: String,
    /// The problem's sizes by name, such as `count` and `tile`.
    pub values: BTreeMap<String, u64>,
    /// Thread blocks in the grid: a number, or three.
    #[serde(deserialize_with = "extent")]
    pub grid: Dim3,
    /// Threads in a block: a number, or three.
    #[serde(deserialize_with = "extent")]
    pub block: Dim3,
    /// Dynamic shared memory per block, in bytes.
    #[serde(default)]
    pub shared: u32,
    /// What the input's data is made from.
    pub seed: u64,
}

/// Reads `4` or `[4, 2, 1]`.
fn extent<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Dim3, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "an extent is a number such as 4 or three such as [4, 2, 1]")]
    enum Extent {
        Linear(u32),
        Full([u32; 3]),
    }
    let extent = match Extent::deserialize(from)? {
        Extent::Linear(x) => Dim3::linear(x),
        Extent::Full(xyz) => xyz.into(),
    };
    if extent.count() == 0 {
        return Err(serde::de::Error::custom("every extent of a grid or block is at least 1"));
    }
    Ok(extent)
}

/// One clause of the cost contract: a counter and its limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clause {
    /// What is counted, in a learner's words.
    pub label: String,
    /// The counter's full name in Nsight Compute.
    pub counter: String,
    /// What it may reach.
    pub at_most: Limit,
    /// What keeping to the limit means.
    pub meaning: String,
}

/// What a counter may reach.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Another counter of the same run.
    Counter(String),
    /// A number.
    Value(u64),
    /// A bound that the problem computes for the input.
    Bound(String),
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
    /// `info.toml` is wrong.
    #[error("{0}")]
    Info(Box<Diagnostic>),
    /// A solution's markers are wrong.
    #[error(transparent)]
    Markers(#[from] crate::starter::MarkerError),
    /// There is no exercise of that name.
    #[error("there is no exercise `{name}`\nhelp: there is {}", .known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The exercises that exist.
        known: Vec<String>,
    },
}

impl Course {
    /// Reads `DIR/info.toml`.
    ///
    /// # Errors
    /// [`CourseError::Read`], or [`CourseError::Info`] with the line of the mistake.
    pub fn load(dir: &Path) -> Result<Self, CourseError> {
        let path = dir.join("info.toml");
        let text = read(&path)?;
        crate::info::parse(dir, &path.display().to_string(), &text).map_err(CourseError::Info)
    }

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

    /// The learner's file of an exercise: the starter, until it is edited.
    pub fn learner_file(&self, exercise: &Exercise) -> PathBuf {
        self.dir.join(&exercise.dir).join(exercise.file_name())
    }

    /// The solution of an exercise.
    pub fn solution_file(&self, exercise: &Exercise) -> PathBuf {
        self.dir.join("solutions").join(&exercise.dir).join(exercise.file_name())
    }

    /// The folder of an exercise's wrong solutions.
    pub fn wrong_folder(&self, exercise: &Exercise) -> PathBuf {
        self.dir.join("wrong").join(&exercise.dir).join(&exercise.name)
    }

    /// The starter of an exercise, generated from its solution.
    ///
    /// # Errors
    /// When the solution cannot be read or its markers are wrong.
    pub fn starter(&self, exercise: &Exercise) -> Result<String, CourseError> {
        let path = self.solution_file(exercise);
        Ok(crate::starter::generate(&path.display().to_string(), &read(&path)?)?)
    }
}

impl Exercise {
    /// The name of the learner's file.
    pub fn file_name(&self) -> String {
        format!("{}.cu", self.name)
    }
}

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String, CourseError> {
    std::fs::read_to_string(path).map_err(|source| CourseError::Read { path: path.to_owned(), source })
}
