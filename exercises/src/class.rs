//! Grades a class: many submissions, hidden cases, a secret seed, and a report in every case.
//!
//! Each submission is graded by a process of its own ([`worker`]), which tells of every exercise as soon as it is done.
//! What ends that process (memory, time, a bug of ours) costs the exercise that it was at, and nothing else. The same
//! submission, course and secret give the same report on every machine.

pub mod export;
pub mod pack;
mod submission;
pub mod worker;

use std::path::PathBuf;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::course::{Course, Exercise};
pub use submission::{Submission, find};

/// How a class is graded.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What goes into hidden data and sizes.
    pub secret: String,
    /// The exercises that count; all if none is named.
    pub only: Vec<String>,
    /// The program that [`worker::child`] is reached with.
    pub program: PathBuf,
    /// Processes that run at a time.
    pub jobs: usize,
}

/// What a class handed in is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassReport {
    /// The version of this format.
    pub format: u32,
    /// The course's title.
    pub course: String,
    /// The version of warpbook that graded.
    pub warpbook: String,
    /// A digest of the secret, to tell whether two reports were made with the same one.
    pub secret: String,
    /// How compilers were kept from this machine's files.
    pub protection: String,
    /// One entry for every submission, in the order in which they were named.
    pub submissions: Vec<SubmissionReport>,
}

/// What one submission is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SubmissionReport {
    /// The submission's name: its folder's or file's.
    pub name: String,
    /// The points that it got.
    pub points: f64,
    /// The points that there are.
    pub max_points: f64,
    /// One entry for every exercise that counts, in the course's order.
    pub exercises: Vec<ExerciseResult>,
}

/// What became of an exercise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every check passed, also on hidden cases.
    Pass,
    /// A check failed.
    Fail,
    /// It could not be graded: see the message.
    Error,
    /// There is no file for it.
    Missing,
}

impl Status {
    /// The status's name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Error => "error",
            Self::Missing => "missing",
        }
    }
}

/// What one exercise of a submission is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExerciseResult {
    /// The exercise's name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What became of it.
    pub status: Status,
    /// The points that it got: those of both parts below.
    pub points: f64,
    /// The points that there are.
    pub max_points: f64,
    /// Points for what everybody can see, and how many there are.
    pub public_points: [f64; 2],
    /// Points for the hidden cases, and how many there are.
    pub hidden_points: [f64; 2],
    /// How many hidden cases passed, and how many there are.
    pub hidden_cases: [u32; 2],
    /// The graded file within the submission.
    pub file: Option<String>,
    /// The kinds of check that failed on public cases.
    pub failed: Vec<String>,
    /// One line for a table; it says nothing about hidden cases but their number.
    pub message: String,
    /// What the learner reads; nothing about hidden data.
    pub output: String,
    /// The places that the learner should look at: line and message.
    pub places: Vec<(u32, String)>,
}

impl ExerciseResult {
    /// A result without any points.
    pub fn nothing(exercise: &Exercise, status: Status, message: &str) -> Self {
        let hidden = exercise.cases.iter().filter(|case| case.hidden).count() as u32;
        let max = f64::from(exercise.points);
        let (public, rest) = if hidden > 0 { (max / 2.0, max / 2.0) } else { (max, 0.0) };
        Self {
            name: exercise.name.clone(),
            title: exercise.title.clone(),
            status,
            points: 0.0,
            max_points: max,
            public_points: [0.0, public],
            hidden_points: [0.0, rest],
            hidden_cases: [0, hidden],
            file: None,
            failed: Vec::new(),
            message: message.lines().next().unwrap_or_default().to_owned(),
            output: message.to_owned(),
            places: Vec::new(),
        }
    }
}

/// The exercises that count.
pub fn counting<'a>(course: &'a Course, only: &[String]) -> Vec<&'a Exercise> {
    course.exercises.iter().filter(|one| only.is_empty() || only.contains(&one.name)).collect()
}

/// Grades submissions, several at a time. `tell` hears of each one that is done.
pub fn grade(
    course: &Course,
    submissions: &[Submission],
    settings: &Settings,
    tell: &(dyn Fn(&SubmissionReport) + Sync),
) -> ClassReport {
    let one = |submission: &Submission| {
        let exercises = worker::grade(course, submission, settings);
        let report = SubmissionReport {
            name: submission.name.clone(),
            points: exercises.iter().map(|one| one.points).sum(),
            max_points: exercises.iter().map(|one| one.max_points).sum(),
            exercises,
        };
        tell(&report);
        report
    };
    // Each of these threads only waits for its process.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(settings.jobs.max(1)).build();
    let graded: Vec<SubmissionReport> = match &pool {
        Ok(pool) => pool.install(|| submissions.par_iter().map(one).collect()),
        Err(_) => submissions.iter().map(one).collect(),
    };
    let protection = crate::compiler::Sandboxed::new(settings.program.clone()).protection();
    ClassReport {
        format: 1,
        course: course.title.clone(),
        warpbook: env!("CARGO_PKG_VERSION").to_owned(),
        secret: format!("{:016x}", crate::instance::mix(&["secret", &settings.secret])),
        protection: match protection {
            Ok(crate::compiler::sandbox::Protection::Landlock) => "by the operating system (Landlock)".to_owned(),
            Ok(crate::compiler::sandbox::Protection::NoFiles) => {
                "by the operating system (no files at all: this system has no Landlock)".to_owned()
            }
            Ok(crate::compiler::sandbox::Protection::TextOnly) => "only by looking at includes".to_owned(),
            Err(_) => "nothing could be compiled here".to_owned(),
        },
        submissions: graded,
    }
}

impl ClassReport {
    /// Whether every submission got all of its points.
    pub fn passed(&self) -> bool {
        self.submissions.iter().flat_map(|one| &one.exercises).all(|one| one.status == Status::Pass)
    }

    /// The head of [`Self::rows`]: numbers from the second column on.
    pub const HEAD: [&str; 7] = ["submission", "points", "of", "passed", "failed", "errors", "missing"];

    /// A row for every submission.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let row = |one: &SubmissionReport| {
            let count =
                |status: Status| one.exercises.iter().filter(|result| result.status == status).count().to_string();
            vec![
                one.name.clone(),
                points(one.points),
                points(one.max_points),
                count(Status::Pass),
                count(Status::Fail),
                count(Status::Error),
                count(Status::Missing),
            ]
        };
        self.submissions.iter().map(row).collect()
    }
}

/// Points without needless digits.
pub(crate) fn points(points: f64) -> String {
    let text = format!("{points:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
