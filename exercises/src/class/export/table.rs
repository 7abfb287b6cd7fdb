//! Comma-separated values with the columns of nbgrader's grade export. What warpbook does not know (names, dates, mail) is
//! left empty; the student's id is the submission's name.

use crate::class::{ClassReport, points};

/// The columns.
pub(super) const COLUMNS: [&str; 11] = [
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
];

/// One row for every submission.
///
/// # Errors
/// When a row cannot be written: that is a bug of ours.
pub fn csv(report: &ClassReport) -> Result<String, String> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let failed = |why: csv::Error| why.to_string();
    out.write_record(COLUMNS).map_err(failed)?;
    for one in &report.submissions {
        let (score, max) = (points(one.points), points(one.max_points));
        let row = [&report.course, "", "", &one.name, "", "", "", &score, "0", &score, &max];
        out.write_record(row).map_err(failed)?;
    }
    let bytes = out.into_inner().map_err(|why| why.to_string())?;
    String::from_utf8(bytes).map_err(|why| why.to_string())
}
