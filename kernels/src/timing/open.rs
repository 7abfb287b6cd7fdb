//! Open questions: rows whose predicted time is more than a factor of two off, with what is known of the cause. The list
//! is reviewed; a row that is not in it fails the comparison, and so does an entry that nothing needs any more.

use serde::{Deserialize, Serialize};

use super::Row;
use crate::known_differences::read;

/// The reviewed list.
const LIST: &str = include_str!("../../truth/time.toml");
/// Its path from the repository's root, for messages.
const FILE: &str = "kernels/truth/time.toml";

/// An open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The version.
    pub version: String,
    /// Its workloads: parts of what [`Row::workload`] says; all of them if there is none.
    #[serde(default)]
    pub workloads: Vec<String>,
    /// What is known of the cause, and what would show it.
    pub cause: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    question: Vec<Question>,
}

/// The list.
///
/// # Errors
/// What is wrong with the committed file.
pub fn questions() -> Result<Vec<Question>, String> {
    read::<List>(FILE, LIST).map(|list| list.question).map_err(|error| error.to_string())
}

impl Question {
    /// Whether this is about a row.
    pub fn is_about(&self, row: &Row) -> bool {
        let workload = row.workload();
        row.version == self.version
            && (self.workloads.is_empty() || self.workloads.iter().any(|part| workload.contains(part.as_str())))
    }
}

/// A row that is off by more than a factor of two, with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Open {
    /// [`Row::title`].
    pub row: String,
    /// The cause, if the list has it.
    pub cause: Option<String>,
}

/// The cause of a row's error, if the list has it.
pub fn cause<'a>(questions: &'a [Question], row: &Row) -> Option<&'a str> {
    questions.iter().find(|question| question.is_about(row)).map(|found| found.cause.as_str())
}

/// The rows that are off by more than a factor of two.
pub fn rows(questions: &[Question], rows: &[Row]) -> Vec<Open> {
    let open = |row: &Row| Open { row: row.title(), cause: cause(questions, row).map(str::to_owned) };
    rows.iter().filter(|row| row.is_open()).map(open).collect()
}

/// What the list and the rows have against each other, one sentence each: rows that are not listed, and entries all of
/// whose rows are there and none of which is off by so much.
pub fn complaints(questions: &[Question], rows: &[Row]) -> Vec<String> {
    let unlisted = rows.iter().filter(|row| row.is_open() && cause(questions, row).is_none()).map(|row| {
        format!(
            "{} is predicted with {:.1} µs and took {:.1}: more than a factor of two, and not in kernels/truth/time.toml",
            row.title(),
            row.predicted_us,
            row.measured_us
        )
    });
    let unneeded = questions.iter().filter(|question| {
        let mut about = rows.iter().filter(|row| question.is_about(row)).peekable();
        about.peek().is_some() && !about.any(Row::is_open)
    });
    let unneeded = unneeded.map(|question| {
        format!("the open question about {} in kernels/truth/time.toml is answered: nothing needs it", question.version)
    });
    unlisted.chain(unneeded).collect()
}
