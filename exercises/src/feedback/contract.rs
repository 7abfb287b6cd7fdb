//! What a grade says of the cost contract: what was counted, what was allowed, and on which lines it went wrong.

use std::fmt::Write as _;

use tabled::builder::Builder;

use super::described;
use crate::course::Exercise;
use crate::model::{ContractRow, Grade};
use crate::words::{grouped, write_table};

/// How many lines of each exceeded limit are shown.
const WORST_LINES: usize = 3;

/// How many broken bounds are explained; the others are in the table.
const FIRST_BOUNDS: usize = 2;

/// The contract on the first input that breaks it: the smallest is the easiest to think about.
pub(super) fn contract(out: &mut String, exercise: &Exercise, grade: &Grade) {
    let Some(broken) = grade.contract.iter().find(|row| !row.passed && is_public(grade, &row.case)) else { return };
    let rows: Vec<&ContractRow> = grade.contract.iter().filter(|row| row.case == broken.case).collect();
    if let Some(case) = grade.cases.iter().find(|case| case.case == broken.case) {
        let _ = writeln!(out, "\nThe cost contract on the input {}:\n", described(case));
    }
    contract_table(out, &rows);
    if !exercise.lesson.is_empty() {
        let _ = writeln!(out, "\n  This exercise is about this: {}.", exercise.lesson.trim_end_matches('.'));
    }
    for row in told(&rows) {
        let bound = match (row.exact, row.at_least) {
            (true, _) => "exactly",
            (_, true) => "at least",
            _ => "at most",
        };
        let _ = writeln!(out, "\n  {} ({bound} {}): {}.", row.label, grouped(row.limit), row.meaning);
        if !row.counter.is_empty() {
            let _ = writeln!(out, "  Counter: {}", row.counter);
        }
        if let Some(limit) = &row.limit_text {
            let _ = writeln!(out, "  Limit:   {limit}");
        }
        for line in row.lines.iter().filter(|line| line.excess() > 0).take(WORST_LINES) {
            let limit = line.limit.map_or_else(String::new, |limit| format!(" where {} would do", grouped(limit)));
            let _ = writeln!(out, "    line {}: {}{limit}\n      {}", line.line, grouped(line.actual), line.text);
        }
    }
    let (broken, told) = (rows.iter().filter(|row| !row.passed).count(), told(&rows).count());
    if broken > told {
        let _ = writeln!(out, "\n  What else is too much follows from the same: {} more in the table.", broken - told);
    }
    if let Some(section) = &exercise.section {
        let _ = writeln!(out, "\n  in the book: {}", section.replacen(".md", ".html", 1));
    }
}

/// The broken limits that are explained: the author's own, and of the bounds that hold for every exercise the first few,
/// which say most.
fn told<'r>(rows: &[&'r ContractRow]) -> impl Iterator<Item = &'r ContractRow> {
    let broken: Vec<&ContractRow> = rows.iter().copied().filter(|row| !row.passed).collect();
    let own = broken.iter().filter(|row| row.bound.is_none()).count();
    let bounds = if own == 0 { FIRST_BOUNDS } else { 1 };
    let explained =
        |bound: bool, most| broken.clone().into_iter().filter(move |row| row.bound.is_some() == bound).take(most);
    explained(false, own).chain(explained(true, bounds))
}

/// Whether a case is one that everybody sees.
fn is_public(grade: &Grade, case: &str) -> bool {
    grade.cases.iter().any(|known| known.case == case && !known.hidden)
}

/// The contract as a table: the author's clauses, and of the bounds that hold for every exercise those that are broken.
pub(super) fn contract_table(out: &mut String, rows: &[&ContractRow]) {
    // What the author limits needs no second row.
    let says =
        |own: &ContractRow, row: &ContractRow| own.bound.is_none() && !own.at_least && own.counter == row.counter;
    let said = |row: &ContractRow| rows.iter().any(|own| says(own, row));
    let shown = |row: &&&ContractRow| row.bound.is_none() || (!row.passed && !said(row));
    let kept = rows.iter().filter(|row| row.bound.is_some() && row.passed).count();
    let mut table = Builder::default();
    table.push_record(["cost", "counted", "at most", "too much"]);
    for row in rows.iter().filter(shown) {
        let excess = match (row.passed, row.excess()) {
            (true, _) => "-".to_owned(),
            (false, 0) => format!("{} too few", grouped(row.limit - row.actual)),
            (false, excess) => grouped(excess),
        };
        let least = if row.at_least { "at least " } else { "" };
        table.push_record([row.label.clone(), grouped(row.actual), format!("{least}{}", grouped(row.limit)), excess]);
    }
    if rows.iter().any(|row| shown(&row)) {
        write_table(out, table, 1);
    }
    if kept > 0 {
        let _ = writeln!(
            out,
            "  {kept} further counters are within their bounds: about what the course's own solutions take."
        );
    }
}
