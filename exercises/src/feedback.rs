//! What a grade says to the learner: the gap, not the verdict.

use std::fmt::Write as _;

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Style};

use crate::course::Exercise;
use crate::grade::{Case, Check, CheckKind, ContractRow, Grade};

/// How many lines of each exceeded limit are shown.
const WORST_LINES: usize = 3;
/// How many findings are shown.
const FIRST_FINDINGS: usize = 3;

/// The message for the author of the graded file.
pub fn text(exercise: &Exercise, grade: &Grade) -> String {
    let mut out = String::new();
    if grade.passed {
        let _ = writeln!(out, "{}: all public checks passed (hidden: {})\n", grade.exercise, grade.hidden);
    } else {
        let _ = writeln!(out, "{}: not yet. {} was graded:\n", grade.exercise, grade.file);
    }
    for kind in CheckKind::ALL {
        summary(&mut out, grade, kind);
    }
    if !grade.warnings.is_empty() {
        let _ = write!(out, "\nThe compiler warns:\n\n{}", indented(&grade.warnings));
    }
    // A later gap says little while an earlier one is open: show the first kind that fails, in full.
    match grade.failed_kinds().first() {
        Some(kind @ (CheckKind::Compile | CheckKind::Launch)) => messages(&mut out, grade, *kind),
        Some(CheckKind::Findings) => {
            findings(&mut out, grade);
            results(&mut out, grade);
        }
        Some(CheckKind::Result) => results(&mut out, grade),
        Some(CheckKind::Contract) => contract(&mut out, grade),
        None => passed(&mut out, exercise, grade),
    }
    if !grade.passed {
        let _ = writeln!(out, "\nStuck? Type: warpbook exercise hint {}", grade.exercise);
    }
    out
}

/// One line on all checks of a kind.
fn summary(out: &mut String, grade: &Grade, kind: CheckKind) {
    let checks: Vec<&Check> = grade.checks.iter().filter(|check| check.kind == kind).collect();
    let good = checks.iter().filter(|check| check.passed).count();
    let (mark, all) = (if good == checks.len() { "yes" } else { "NO " }, checks.len());
    let inputs = if all == 1 { "input" } else { "inputs" };
    let _ = match (kind, checks.is_empty()) {
        // The launch is only worth a line when it fails.
        (CheckKind::Launch, true) => Ok(()),
        (_, true) => writeln!(out, "  --   {}: not reached", question(kind)),
        (CheckKind::Compile | CheckKind::Launch, false) => writeln!(out, "  {mark}  {}", question(kind)),
        _ => writeln!(out, "  {mark}  {}: for {good} of {all} {inputs}", question(kind)),
    };
}

/// What a kind of check asks.
const fn question(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Compile => "it compiles",
        CheckKind::Launch => "it can be launched",
        CheckKind::Findings => "it runs without a finding",
        CheckKind::Result => "the result is right",
        CheckKind::Contract => "the cost contract is kept",
    }
}

/// The details of failed checks of a kind, each text once.
fn messages(out: &mut String, grade: &Grade, kind: CheckKind) {
    let mut shown: Vec<&str> = Vec::new();
    for check in grade.checks.iter().filter(|check| check.kind == kind && !check.passed) {
        if !shown.contains(&check.detail.as_str()) {
            shown.push(&check.detail);
            let _ = write!(out, "\n{}", indented(&check.detail));
        }
    }
}

/// What the simulator found, on the first input with a finding.
fn findings(out: &mut String, grade: &Grade) {
    let Some(case) = grade.cases.iter().find(|case| !case.findings.is_empty()) else { return };
    let _ = writeln!(out, "\nFindings on the input {}:\n", described(case));
    for finding in case.findings.iter().take(FIRST_FINDINGS) {
        let _ = writeln!(out, "  line {}: {}: {}", finding.line, finding.kind.name(), finding.message);
        let [x, y, z] = finding.block;
        let block = if (y, z) == (0, 0) { x.to_string() } else { format!("({x}, {y}, {z})") };
        let times =
            if finding.count > 1 { format!(", {} times in all", grouped(finding.count)) } else { String::new() };
        let _ = writeln!(out, "    block {block}, warp {}, lanes {}{times}", finding.warp, ranges(&finding.lanes));
        if !finding.help.is_empty() {
            let _ = writeln!(out, "    help: {}", finding.help);
        }
    }
    if case.findings.len() > FIRST_FINDINGS {
        let more = case.findings.len() - FIRST_FINDINGS;
        let _ = writeln!(out, "  and {more} more finding{}", if more == 1 { "" } else { "s" });
    }
}

/// The first wrong elements, on the first input whose result is wrong.
fn results(out: &mut String, grade: &Grade) {
    let wrong = |case: &&Case| case.wrong > 0 || !case.changed_inputs.is_empty();
    let Some(case) = grade.cases.iter().find(wrong) else { return };
    let _ = writeln!(out, "\nThe result on the input {}, seed {}:\n", described(case), case.seed);
    for name in &case.changed_inputs {
        let _ = writeln!(out, "  the kernel changed `{name}`, which it should only read");
    }
    if case.first_wrong.is_empty() {
        return;
    }
    let mut table = Builder::default();
    table.push_record(["element", "expected", "got"]);
    for element in &case.first_wrong {
        let got = element.got.map_or_else(|| "never written".to_owned(), |value| value.to_string());
        table.push_record([format!("{}[{}]", element.output, element.index), element.expected.to_string(), got]);
    }
    write_table(out, table, 2);
    let total = if case.elements == 1 { "element is" } else { "elements are" };
    let _ = writeln!(out, "\n  {} of {} {total} wrong.", grouped(case.wrong as u64), grouped(case.elements as u64));
}

/// The contract on the first input that breaks it: the smallest is the easiest to think about.
fn contract(out: &mut String, grade: &Grade) {
    let Some(broken) = grade.contract.iter().find(|row| !row.passed) else { return };
    let rows: Vec<&ContractRow> = grade.contract.iter().filter(|row| row.input == broken.input).collect();
    if let Some(case) = grade.cases.iter().find(|case| case.input == broken.input) {
        let _ = writeln!(out, "\nThe cost contract on the input {}:\n", described(case));
    }
    contract_table(out, &rows);
    for row in rows.iter().filter(|row| !row.passed) {
        let _ = writeln!(out, "\n  {} (at most {}): {}.", row.label, grouped(row.limit), row.meaning);
        let _ = writeln!(out, "  Counter: {}", row.counter);
        if let Some(limit) = &row.limit_counter {
            let _ = writeln!(out, "  Limit:   {limit}");
        }
        for line in row.lines.iter().filter(|line| line.excess() > 0).take(WORST_LINES) {
            let limit = line.limit.map_or_else(String::new, |limit| format!(" where {} would do", grouped(limit)));
            let _ = writeln!(out, "    line {}: {}{limit}\n      {}", line.line, grouped(line.actual), line.text);
        }
    }
}

/// After passing: what it cost, why it is right, and where to read on.
fn passed(out: &mut String, exercise: &Exercise, grade: &Grade) {
    if let Some(case) = grade.cases.last() {
        let rows: Vec<&ContractRow> = grade.contract.iter().filter(|row| row.input == case.input).collect();
        if !rows.is_empty() {
            let _ = writeln!(out, "\nWhat it cost on the input {}:\n", described(case));
            contract_table(out, &rows);
        }
    }
    let _ = writeln!(out, "\n{}", exercise.explanation);
    if !exercise.further_reading.is_empty() {
        let _ = writeln!(out, "\nRead on:");
    }
    for link in &exercise.further_reading {
        let _ = writeln!(out, "  {}\n    {}", link.title, link.url);
    }
}

/// The contract as a table.
fn contract_table(out: &mut String, rows: &[&ContractRow]) {
    let mut table = Builder::default();
    table.push_record(["cost", "counted", "at most", "too much"]);
    for row in rows {
        let excess = if row.passed { "-".to_owned() } else { grouped(row.excess()) };
        table.push_record([row.label.clone(), grouped(row.actual), grouped(row.limit), excess]);
    }
    write_table(out, table, 1);
}

/// Writes a table whose columns from `numbers` on are numbers.
fn write_table(out: &mut String, table: Builder, numbers: usize) {
    let mut table = table.build();
    table.with(Style::psql()).modify(Columns::new(numbers.min(1)..), Alignment::right());
    for line in table.to_string().lines() {
        let _ = writeln!(out, " {}", line.trim_end());
    }
}

/// An input with its launch: `"one tile of 64" (1 block of 32 threads)`.
fn described(case: &Case) -> String {
    let count = |n: u64, what: &str| format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" });
    let product = |extent: [u32; 3]| extent.iter().map(|&n| u64::from(n)).product();
    let (blocks, threads) = (product(case.launch.grid), product(case.launch.block));
    format!("\"{}\" ({} of {})", case.input, count(blocks, "block"), count(threads, "thread"))
}

/// A number with its thousands apart: 12,345.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Lanes as ranges: `0-3, 7`.
fn ranges(lanes: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &lane in lanes {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(lane) => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    runs.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// A text with two spaces before every line.
fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "{}", format!("  {line}").trim_end());
        out
    })
}

#[cfg(test)]
mod tests;
