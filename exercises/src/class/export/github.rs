//! What GitHub Actions show: a summary of the step in Markdown, and annotations at lines of files.

use std::fmt::Write as _;

use crate::class::{ClassReport, Status, points};
use crate::course::Course;

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
