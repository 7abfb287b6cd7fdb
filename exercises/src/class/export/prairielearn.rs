//! The `results.json` of PrairieLearn's external graders: a score from 0 to 1, and points for every test. Students see
//! all of it, so hidden cases are only counted.

use serde_json::{Value, json};

use crate::class::{Status, SubmissionReport, points};

/// Most characters of one test's output: the whole file may have a megabyte.
const MOST: usize = 20_000;

/// The results of one submission.
pub fn prairielearn(report: &SubmissionReport) -> Value {
    let present = report.exercises.iter().any(|one| one.status != Status::Missing);
    if !present {
        // Nothing was handed in: this costs the student no attempt.
        let names: Vec<String> =
            report.exercises.iter().map(|one| format!("There is no file for the exercise {}.", one.name)).collect();
        return json!({ "gradable": false, "format_errors": names });
    }
    let tests: Vec<Value> = report
        .exercises
        .iter()
        .map(|one| {
            let [passed, all] = one.hidden_cases;
            let hidden = if all > 0 { format!(" {passed} of {all} hidden cases pass.") } else { String::new() };
            json!({
                "name": one.name,
                "description": one.title,
                "points": one.points,
                "max_points": one.max_points,
                "message": format!("{}{hidden}", one.message),
                "output": cut(&one.output),
            })
        })
        .collect();
    let score = if report.max_points > 0.0 { (report.points / report.max_points).clamp(0.0, 1.0) } else { 0.0 };
    json!({
        "gradable": true,
        "score": score,
        "message": format!("{} of {} points", points(report.points), points(report.max_points)),
        "tests": tests,
    })
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}\n(cut)", &text[..at]),
        None => text.to_owned(),
    }
}
