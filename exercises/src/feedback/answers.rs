//! What a grade says of answers to questions.

use std::fmt::Write as _;

use tabled::builder::Builder;

use super::passed;
use crate::course::{Exercise, Kind};
use crate::model::Grade;
use crate::words::write_table;

/// The answers beside what the simulator says.
pub(super) fn answers(out: &mut String, exercise: &Exercise, grade: &Grade) {
    let open = grade.answers.iter().filter(|row| row.given.is_none() && !row.skipped).count();
    let shown = grade.answers.iter().any(|row| row.truth.is_some());
    let predict = exercise.kind == Kind::Predict;
    match grade.passed {
        true => answered(out, grade, predict),
        false => {
            let _ = writeln!(out, "{}: not yet. {} was read:\n", grade.exercise, grade.file);
        }
    }
    let mut table = Builder::default();
    let practice = grade.answers.iter().any(|row| row.first.is_some());
    let yours = match (predict, practice) {
        (true, true) => "practice",
        (true, false) => "your prediction",
        (false, _) => "your answer",
    };
    // Before the truth is shown, a prediction has nothing beside it.
    let columns = if predict && !shown { 2 } else { 4 };
    let third = if predict { "simulated" } else { "" };
    let head = ["question", yours, third, "credit"].into_iter().take(columns);
    table.push_record(
        head.flat_map(|title| if practice && title == yours { vec!["first answer", title] } else { vec![title] }),
    );
    for row in &grade.answers {
        let given = match (&row.given, row.skipped) {
            (_, true) => "skipped".to_owned(),
            (Some(given), _) => given.clone(),
            (None, _) => "-".to_owned(),
        };
        let credit = if shown || !predict { format!("{:.0} %", 100.0 * row.credit) } else { String::new() };
        let right = if row.credit >= 1.0 { "right" } else { "" };
        let truth = row.truth.clone().unwrap_or_else(|| right.to_owned());
        let mut cells: Vec<String> = [row.id.clone(), given, truth, credit].into_iter().take(columns).collect();
        if practice {
            // What was not changed is what was first given.
            let first = row.first.clone().unwrap_or_else(|| cells[1].clone());
            cells.insert(1, first);
        }
        table.push_record(cells);
    }
    write_table(out, table, 4);
    for row in &grade.answers {
        let lines = [(&row.note, row.credit < 1.0), (&row.because, true), (&row.explain, true)];
        let lines: Vec<&str> =
            lines.into_iter().filter(|(text, show)| *show && !text.is_empty()).map(|(text, _)| text.trim()).collect();
        if !lines.is_empty() {
            let _ = writeln!(out, "\n  {}: {}", row.id, lines.join("\n    "));
        }
    }
    if let Some(check) = grade.checks.iter().find(|check| !check.passed) {
        let _ = writeln!(out, "\n  {}", check.detail);
    }
    if grade.passed {
        passed(out, exercise, grade);
    } else if open == grade.answers.len() {
        let _ = writeln!(out, "\nWrite your answers into {}, then check again.", grade.file);
    } else {
        let _ = writeln!(out, "\nStuck? Type: warpbook exercise hint {}", grade.exercise);
    }
}

/// The line above complete answers: which of them count, and what they get.
fn answered(out: &mut String, grade: &Grade, predict: bool) {
    let skipped = grade.answers.iter().filter(|row| row.skipped).count();
    let percent = 100.0 * grade.score;
    let name = &grade.exercise;
    let _ = match grade.practice {
        Some(now) => writeln!(
            out,
            "{name}: answered. Your first answers count: {percent:.0} % of the points.\n\
             The answers in {} would get {:.0} %: they are practice, because the truth had been shown before.\n",
            grade.file,
            100.0 * now
        ),
        None if predict => {
            writeln!(out, "{name}: answered ({percent:.0} % of the points, {skipped} skipped). First answers count.\n")
        }
        None => writeln!(out, "{name}: answered ({percent:.0} % of the points, {skipped} skipped)\n"),
    };
}
