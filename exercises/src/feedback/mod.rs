//! What a grade says to the learner: the gap, not the verdict.

mod answers;
mod contract;
mod distance;

use std::fmt::Write as _;

use sim::report::{Finding, FindingKind, Severity};

use crate::course::{Exercise, Kind};
use crate::model::{CaseGrade, Check, CheckKind, ContractRow, Grade};
use crate::words::{elements, grouped, ranges};
use answers::answers;
use contract::{contract, contract_table};

/// How many findings are shown.
const FIRST_FINDINGS: usize = 3;

/// The message for the author of the graded file.
pub fn text(exercise: &Exercise, grade: &Grade) -> String {
    let mut out = String::new();
    if exercise.kind.asks() {
        answers(&mut out, exercise, grade);
        return out;
    }
    if grade.passed {
        let _ = writeln!(out, "{}: all public checks passed (hidden: {})\n", grade.exercise, grade.hidden);
    } else {
        let _ = writeln!(out, "{}: not yet. {} was graded:\n", grade.exercise, grade.file);
    }
    for kind in CheckKind::ALL {
        if kind != CheckKind::Contract || exercise.has_contract() {
            summary(&mut out, grade, kind);
        }
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
        Some(CheckKind::Contract) => contract(&mut out, exercise, grade),
        Some(CheckKind::Answers) | None => passed(&mut out, exercise, grade),
    }
    printed(&mut out, grade);
    if let Some(misconception) = &grade.misconception {
        let _ = writeln!(
            out,
            "\nThis very result comes from a known misconception:\n\n{}",
            indented(misconception).trim_end()
        );
    }
    if !grade.passed {
        let name = &grade.exercise;
        let _ = writeln!(
            out,
            "\nThe same again (data and order are fixed by seeds): warpbook exercise check {name}\n\
             Stuck? Type: warpbook exercise hint {name}"
        );
        if out.contains("\n  in the book: ") {
            out.push_str("`warpbook book` builds the book and shows it to your browser.\n");
        }
    }
    out
}

/// A mark and a line on one grade, for a list of many.
pub(crate) fn line(exercise: &Exercise, grade: &Grade) -> (&'static str, String) {
    let percent = 100.0 * grade.score;
    if grade.passed {
        return match (exercise.kind, grade.practice) {
            (Kind::Predict, Some(now)) => {
                ("done", format!("first answers {percent:.0} %; practice {:.0} %", 100.0 * now))
            }
            (Kind::Predict, None) => ("done", format!("first answers {percent:.0} %")),
            _ => ("done", String::new()),
        };
    }
    let failed = grade.failed_kinds().first().copied();
    let said = match failed {
        Some(CheckKind::Answers) => grade.checks.iter().find(|check| !check.passed).map(|check| check.detail.clone()),
        Some(kind) => {
            let checks = grade.checks.iter().filter(|check| check.kind == kind && !check.hidden);
            let bad = checks.clone().filter(|check| !check.passed).count();
            Some(match kind {
                CheckKind::Compile => "it does not compile".to_owned(),
                CheckKind::Launch => "it cannot be launched".to_owned(),
                CheckKind::Findings => format!("findings on {bad} of {} inputs", checks.count()),
                CheckKind::Result => format!("wrong results on {bad} of {} inputs", checks.count()),
                _ => format!("too costly on {bad} of {} inputs", checks.count()),
            })
        }
        None => None,
    };
    ("not yet", said.unwrap_or_default())
}

/// What the kernel printed: on the first input that fails and printed something, else on the first that did.
fn printed(out: &mut String, grade: &Grade) {
    let loud = || grade.cases.iter().filter(|case| !case.hidden && !case.printed.is_empty());
    let failing = |case: &&CaseGrade| {
        let ending = format!(": {}", case.case);
        grade.checks.iter().any(|check| !check.passed && !check.hidden && check.name.ends_with(&ending))
    };
    let Some(case) = loud().find(failing).or_else(|| loud().next()) else { return };
    let _ = writeln!(out, "\nPrinted by the kernel on the input {}, block by block:\n", described(case));
    crate::show::printed(out, &case.printed);
}

/// One line on all checks of a kind.
fn summary(out: &mut String, grade: &Grade, kind: CheckKind) {
    let checks: Vec<&Check> = grade.checks.iter().filter(|check| check.kind == kind && !check.hidden).collect();
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
        CheckKind::Answers => "the questions are answered",
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
    let Some(case) = grade.cases.iter().find(|case| !case.hidden && !case.findings.is_empty()) else { return };
    let _ = writeln!(out, "\nFindings on the input {}:\n", described(case));
    some_findings(out, &case.findings);
}

/// After passing: what the simulator remarks, on the first input with a remark.
fn remarks(out: &mut String, grade: &Grade) {
    let Some(case) = grade.cases.iter().find(|case| !case.hidden && !case.remarks.is_empty()) else { return };
    let _ = writeln!(out, "\nNo error, but worth a look, on the input {}:\n", described(case));
    some_findings(out, &case.remarks);
}

/// The first of some findings.
fn some_findings(out: &mut String, findings: &[Finding]) {
    for finding in findings.iter().take(FIRST_FINDINGS) {
        let kind = match finding.severity {
            Severity::Error => finding.kind.name().to_owned(),
            Severity::Remark => format!("remark ({})", finding.kind.name()),
        };
        let _ = writeln!(out, "  line {}: {kind}: {}", finding.line, finding.message);
        let block = block_name(finding.block);
        let times =
            if finding.count > 1 { format!(", {} times in all", grouped(finding.count)) } else { String::new() };
        let _ = writeln!(out, "    block {block}, warp {}, lanes {}{times}", finding.warp, ranges(&finding.lanes));
        let help = match finding.kind {
            // The exercise sets the budget: there is no option that raises it.
            FindingKind::Budget => "the exercise allows far more steps than it takes: look for a loop that never ends",
            _ => &finding.help,
        };
        if !help.is_empty() {
            let _ = writeln!(out, "    help: {help}");
        }
    }
    let mut kinds: Vec<&str> = findings.iter().take(FIRST_FINDINGS).map(|finding| finding.kind.name()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let _ = writeln!(out, "  in the book: checks/{kind}.html");
    }
    if findings.len() > FIRST_FINDINGS {
        let more = findings.len() - FIRST_FINDINGS;
        let _ = writeln!(out, "  and {more} more finding{}", if more == 1 { "" } else { "s" });
    }
}

/// A block's coordinates: one number if that is all.
fn block_name([x, y, z]: [u32; 3]) -> String {
    if (y, z) == (0, 0) { x.to_string() } else { format!("({x}, {y}, {z})") }
}

/// The first wrong elements, on the first input whose result is wrong.
fn results(out: &mut String, grade: &Grade) {
    let wrong = |case: &&CaseGrade| !case.hidden && (case.wrong > 0 || !case.changed_inputs.is_empty());
    let Some(case) = grade.cases.iter().find(wrong) else { return };
    let _ = writeln!(out, "\nThe result on the input {}, seed {}:\n", described(case), case.seed);
    for name in &case.changed_inputs {
        let _ = writeln!(out, "  the kernel changed `{name}`, which it should only read");
    }
    if case.first_wrong.is_empty() {
        return;
    }
    elements(out, &case.first_wrong);
    for element in &case.first_wrong {
        let Some(writer) = &element.writer else { continue };
        let [x, y, z] = writer.thread;
        let thread = if (y, z) == (0, 0) { x.to_string() } else { format!("({x}, {y}, {z})") };
        let place =
            format!("block {}, thread {thread} (warp {}, lane {})", block_name(writer.block), writer.warp, writer.lane);
        let _ = writeln!(
            out,
            "\n  {}[{}] was written by {place} in line {}:\n    {}",
            element.output, element.index, writer.line, writer.text
        );
    }
    let total = if case.elements == 1 { "element is" } else { "elements are" };
    let _ = writeln!(out, "\n  {} of {} {total} wrong.", grouped(case.wrong as u64), grouped(case.elements as u64));
}

/// After passing: what it cost, why it is right, and where to read on.
fn passed(out: &mut String, exercise: &Exercise, grade: &Grade) {
    remarks(out, grade);
    let public = grade.cases.iter().filter(|case| !case.hidden);
    if let Some(case) = public.max_by_key(|case| case.elements) {
        let rows: Vec<&ContractRow> = grade.contract.iter().filter(|row| row.case == case.case).collect();
        if !rows.is_empty() {
            let _ = writeln!(out, "\nWhat it cost on the input {}:\n", described(case));
            contract_table(out, &rows);
        }
        if let Some(times) = case.times_the_least {
            let _ = writeln!(
                out,
                "\nGlobal memory: {times:.2} times the least sectors for a kernel that reads all inputs and makes these outputs."
            );
        }
    }
    if let Some(distance) = &grade.distance {
        let _ = writeln!(out, "\n{}", distance::text(distance));
    }
    let _ = writeln!(out, "\n{}", exercise.explanation);
    if !exercise.further_reading.is_empty() {
        let _ = writeln!(out, "\nRead on:");
    }
    for link in &exercise.further_reading {
        let _ = writeln!(out, "  {}\n    {}", link.title, link.url);
    }
}

/// An input with its launch: `"one tile of 64" (1 block of 32 threads)`.
fn described(case: &CaseGrade) -> String {
    let count = |n: u64, what: &str| format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" });
    let product = |extent: [u32; 3]| extent.iter().map(|&n| u64::from(n)).product();
    let (blocks, threads) = (product(case.launch.grid), product(case.launch.block));
    format!("\"{}\" ({} of {})", case.case, count(blocks, "block"), count(threads, "thread"))
}

/// A text with two spaces before every line.
fn indented(text: &str) -> String {
    text.lines().fold(String::new(), |mut out, line| {
        let _ = writeln!(out, "{}", format!("  {line}").trim_end());
        out
    })
}
