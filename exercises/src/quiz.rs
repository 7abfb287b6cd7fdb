//! Questions: what the learner answers before the kernel is run, what the simulator says, and how far apart they are.

pub mod truth;

use std::fmt::Write as _;

use crate::answers::{self, Given, SKIP};
use crate::course::{Exercise, Kind};
use crate::model::{AnswerRow, Check, CheckKind, Grade};
use crate::state::Progress;
use truth::Truth;

/// Holds a file of answers against the truth.
///
/// A prediction is done when every question is answered or skipped: then all truths are shown, and the score says how
/// near they are. Tracing is done when every answer is right; wrong ones hear how far off they are, not what is right.
pub(crate) fn grade(exercise: &Exercise, text: &str, truths: &[Truth], grade: &mut Grade) {
    let (given, strange) = answers::read(exercise, text);
    let open = given.iter().filter(|given| matches!(given, Given::Open)).count();
    let predict = exercise.kind == Kind::Predict;
    let mut rows = Vec::new();
    let mut readable = true;
    for ((question, given), truth) in exercise.questions.iter().zip(given).zip(truths) {
        let mut row = AnswerRow {
            id: question.id.clone(),
            ask: question.ask.clone(),
            given: None,
            skipped: matches!(given, Given::Skipped),
            first: None,
            credit: 0.0,
            points: question.points,
            truth: None,
            note: String::new(),
            because: String::new(),
            explain: String::new(),
        };
        if let Given::Answer(answer) = given {
            match truth.read(&answer) {
                Ok(own) => {
                    row.credit = truth.credit(&own);
                    row.note = if row.credit < 1.0 { truth.distance(&own) } else { String::new() };
                    let same = |wrong: &&crate::spec::WrongAnswer| truth.read(&wrong.answer.0).as_ref() == Ok(&own);
                    if row.credit < 1.0
                        && let Some(wrong) = question.wrong.iter().find(same)
                    {
                        row.because.clone_from(&wrong.because);
                    }
                }
                Err(why) => {
                    readable = false;
                    row.note = why;
                }
            }
            row.given = Some(answer);
        }
        rows.push(row);
    }
    let committed = open == 0 && readable && strange.is_empty();
    for ((row, question), truth) in rows.iter_mut().zip(&exercise.questions).zip(truths) {
        if committed && (predict || row.credit >= 1.0) {
            row.truth = Some(truth.to_string());
            row.explain.clone_from(&question.explain);
        } else if predict {
            // Before all predictions are made, nothing is told about any of them.
            row.credit = 0.0;
            row.because.clear();
            if row.given.is_some() && truth.read(row.given.as_deref().unwrap_or_default()).is_ok() {
                row.note.clear();
            }
        }
    }
    let right = rows.iter().filter(|row| row.credit >= 1.0).count();
    let detail = match (open, strange.as_slice()) {
        (_, [line, ..]) => format!("this line is no answer to a question: `{line}`"),
        (0, _) => format!("{right} of {} answers are right", rows.len()),
        (n, _) => format!("{n} of {} questions are open", rows.len()),
    };
    let passed = committed && (predict || right == rows.len());
    let name = CheckKind::Answers.name().to_owned();
    grade.checks.push(Check { kind: CheckKind::Answers, name, passed, hidden: false, detail });
    grade.score = score(&rows);
    grade.passed = passed;
    grade.answers = rows;
}

/// The file of answers that passes, one line for every question.
pub(crate) fn right(exercise: &Exercise, truths: &[Truth]) -> String {
    let mut out = String::new();
    for (question, truth) in exercise.questions.iter().zip(truths) {
        let _ = writeln!(out, "{}: {truth}", question.id);
    }
    out
}

/// The share of all points.
fn score(rows: &[AnswerRow]) -> f64 {
    let all: u32 = rows.iter().map(|row| row.points).sum();
    let got: f64 = rows.iter().map(|row| f64::from(row.points) * row.credit).sum();
    if all == 0 { 0.0 } else { got / f64::from(all) }
}

/// Replaces the credit of a prediction's answers by that of the first ones. A question that was not asked then has its
/// first answer now; where only the first score is known, it counts as a whole.
pub(crate) fn count_first(exercise: &Exercise, first: &Progress, truths: &[Truth], grade: &mut Grade) {
    let now = grade.score;
    if first.first_answers.is_empty() {
        if let Some(score) = first.first_score.filter(|score| *score != (100.0 * now).round() as u32) {
            grade.score = f64::from(score) / 100.0;
            grade.practice = Some(now);
        }
        return;
    }
    for ((row, question), truth) in grade.answers.iter_mut().zip(&exercise.questions).zip(truths) {
        let given = row.given.as_deref().unwrap_or(SKIP);
        let Some(before) = first.first_answers.get(&question.id).filter(|before| *before != given) else { continue };
        row.first = Some(before.clone());
        row.credit = truth.read(before).map_or(0.0, |own| truth.credit(&own));
    }
    if grade.answers.iter().any(|row| row.first.is_some()) {
        grade.score = score(&grade.answers);
        grade.practice = Some(now);
    }
}
