//! A class report in the formats of others.

mod github;
mod gradescope;
mod junit;
mod prairielearn;
mod table;

use std::path::{Path, PathBuf};

pub use github::{Action, annotations, summary};
pub use gradescope::gradescope;
pub use junit::junit;
pub use prairielearn::prairielearn;
pub use table::csv;

use super::ClassReport;
use crate::course::{Course, CourseError, write};

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Ours: everything, hidden results too.
    Json,
    /// `results.json` of Gradescope, one for each submission.
    Gradescope,
    /// `results.json` of PrairieLearn's external graders, one for each submission.
    PrairieLearn,
    /// JUnit XML, one file.
    Junit,
    /// The columns of nbgrader's grade export, one file.
    Csv,
    /// A Markdown summary, as GitHub shows it for a step.
    Markdown,
}

impl Format {
    /// All formats with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("json", Self::Json),
        ("gradescope", Self::Gradescope),
        ("prairielearn", Self::PrairieLearn),
        ("junit", Self::Junit),
        ("csv", Self::Csv),
        ("markdown", Self::Markdown),
    ];

    /// The format of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }
}

/// The files that a report becomes, with their names within the folder for results.
///
/// # Errors
/// When a format cannot hold the report: that is a bug of ours.
pub fn files(course: &Course, report: &ClassReport, format: Format) -> Result<Vec<(PathBuf, String)>, String> {
    let each = |folder: &str, text: fn(&super::SubmissionReport) -> serde_json::Value| {
        let names = unique(report);
        let files = report.submissions.iter().zip(names);
        files.map(|(one, name)| (Path::new(folder).join(name).join("results.json"), pretty(&text(one)))).collect()
    };
    Ok(match format {
        Format::Json => {
            let value = serde_json::to_value(report).map_err(|why| why.to_string())?;
            vec![(PathBuf::from("report.json"), pretty(&value))]
        }
        Format::Gradescope => each("gradescope", gradescope),
        Format::PrairieLearn => each("prairielearn", prairielearn),
        Format::Junit => vec![(PathBuf::from("junit.xml"), junit(report)?)],
        Format::Csv => vec![(PathBuf::from("grades.csv"), csv(report)?)],
        Format::Markdown => vec![(PathBuf::from("summary.md"), summary(course, report))],
    })
}

/// Writes files into a folder.
///
/// # Errors
/// When one cannot be written.
pub fn write_all(folder: &Path, files: &[(PathBuf, String)]) -> Result<(), CourseError> {
    files.iter().try_for_each(|(path, text)| write(&folder.join(path), text))
}

/// A name for each submission that is a good file name and no other's.
fn unique(report: &ClassReport) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for one in &report.submissions {
        let good = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '@') { c } else { '_' };
        let plain: String = one.name.chars().map(good).collect();
        let plain = if plain.trim_matches('.').is_empty() { "submission".to_owned() } else { plain };
        let free = (2..).map(|n| format!("{plain}-{n}")).find(|name| !names.contains(name));
        names.push(if names.contains(&plain) { free.unwrap_or_default() } else { plain });
    }
    names
}

/// JSON for people, too.
fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests;
