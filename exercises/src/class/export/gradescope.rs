//! Gradescope's `results.json`, as its autograder documentation specifies it: one test for what everybody can see of an
//! exercise, and one for its hidden cases, which is shown when grades are published.

use serde_json::{Value, json};

use crate::class::{Status, SubmissionReport, points};

/// The results of one submission.
pub fn gradescope(report: &SubmissionReport) -> Value {
    let mut tests = Vec::new();
    for (index, one) in report.exercises.iter().enumerate() {
        let number = (index + 1).to_string();
        let [score, max] = one.public_points;
        tests.push(json!({
            "name": format!("{}: {}", one.name, one.title),
            "number": number,
            "score": score,
            "max_score": max,
            "status": if score >= max { "passed" } else { "failed" },
            "output": format!("{}\n\n{}", one.message, one.output),
            "output_format": "text",
            "visibility": "visible",
            "tags": [one.status.name()],
        }));
        let [score, max] = one.hidden_points;
        if max > 0.0 {
            let [passed, all] = one.hidden_cases;
            tests.push(json!({
                "name": format!("{}: hidden cases", one.name),
                "number": format!("{number}.1"),
                "score": score,
                "max_score": max,
                "status": if score >= max { "passed" } else { "failed" },
                "output": format!("{passed} of {all} hidden cases pass"),
                "output_format": "text",
                "visibility": "after_published",
            }));
        }
    }
    let errors = report.exercises.iter().filter(|one| one.status == Status::Error).count();
    let trouble = if errors == 0 { String::new() } else { format!(" {errors} could not be graded: see their tests.") };
    json!({
        "score": report.points,
        "output": format!("{} of {} points.{trouble}", points(report.points), points(report.max_points)),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    })
}
