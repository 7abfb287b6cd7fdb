//! What GitHub Actions show: a summary of the step in Markdown, and annotations at lines of files.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::class::{ClassReport, Status, Submission, points};
use crate::course::Course;

/// What of a GitHub action this process runs in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Action {
    /// The file that the step's summary is added to.
    pub summary: Option<PathBuf>,
    /// Whether somebody reads workflow commands.
    pub annotates: bool,
}

impl Action {
    /// The one that the environment tells of; outside of an action there is nothing of it.
    pub fn of_environment() -> Self {
        let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from);
        Self { summary, annotates: std::env::var_os("GITHUB_ACTIONS").is_some() }
    }

    /// Adds a report to the step's summary and gives the annotations, which belong on standard error.
    ///
    /// # Errors
    /// When the summary cannot be written.
    pub fn tell(&self, course: &Course, report: &ClassReport, submissions: &[Submission]) -> io::Result<String> {
        if let Some(path) = &self.summary {
            let file = OpenOptions::new().append(true).create(true).open(path);
            let written = file.and_then(|mut file| file.write_all(summary(course, report).as_bytes()));
            written.map_err(|why| io::Error::new(why.kind(), format!("cannot write the step's summary: {why}")))?;
        }
        if !self.annotates {
            return Ok(String::new());
        }
        // Files of a submission that is a folder are named from the repository's root, as the folder was.
        let prefix = |name: &str| {
            let path = submissions.iter().find(|one| one.name == name).map(|one| one.path.as_path());
            path.filter(|path| path.is_dir() && *path != Path::new("."))
                .map_or_else(String::new, |path| format!("{}/", path.display()))
        };
        Ok(annotations(report, prefix))
    }
}

/// The summary: a table of submissions by exercises, and what failed.
pub fn summary(course: &Course, report: &ClassReport) -> String {
    let mut out = format!("# {}\n\n", cell(&course.title));
    let _ = writeln!(out, "| submission | points | exercise | status | | hidden cases |\n|---|---:|---|---|---|---|");
    for one in &report.submissions {
        for (index, result) in one.exercises.iter().enumerate() {
            let (name, total) = match index {
                0 => (cell(&one.name), format!("{} / {}", points(one.points), points(one.max_points))),
                _ => (String::new(), String::new()),
            };
            let [passed, all] = result.hidden_cases;
            let mark = match result.status {
                Status::Pass => "✅ pass",
                Status::Fail => "❌ fail",
                Status::Error => "⚠️ error",
                Status::Missing => "➖ missing",
            };
            let message = cell(&result.message);
            let _ = writeln!(out, "| {name} | {total} | {} | {mark} | {message} | {passed} of {all} |", result.name);
        }
    }
    out
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace(['\n', '\r'], " ").replace('<', "&lt;")
}

/// Workflow commands that put messages at lines of the submitted files. `prefix` is the submission's path in the
/// repository.
pub fn annotations(report: &ClassReport, prefix: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for one in &report.submissions {
        for result in one.exercises.iter().filter(|result| result.status != Status::Pass) {
            let file = result.file.as_deref().map(|file| property(&format!("{}{file}", prefix(&one.name))));
            let title = property(&format!("{}: {}", result.name, result.title));
            if let (Some(file), false) = (&file, result.places.is_empty()) {
                for (line, message) in &result.places {
                    let _ = writeln!(out, "::error file={file},line={line},title={title}::{}", data(message));
                }
                continue;
            }
            let place = file.map_or_else(String::new, |file| format!("file={file},"));
            let _ = writeln!(out, "::error {place}title={title}::{}", data(&result.message));
        }
    }
    out
}

/// A message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
