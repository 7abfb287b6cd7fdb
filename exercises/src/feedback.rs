//! What a grade says to the learner: the gap, not the verdict.

use std::fmt::Write as _;

use sim::report::{Finding, FindingKind, Severity};
use tabled::builder::Builder;

use crate::course::{Exercise, Kind};
use crate::model::{CaseGrade, Check, CheckKind, ContractRow, Grade};
use crate::words::{elements, grouped, ranges, write_table};

/// How many lines of each exceeded limit are shown.
const WORST_LINES: usize = 3;
/// How many broken bounds are explained; the others are in the table.
const FIRST_BOUNDS: usize = 2;
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

/// The contract on the first input that breaks it: the smallest is the easiest to think about.
fn contract(out: &mut String, exercise: &Exercise, grade: &Grade) {
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
    }
    let _ = writeln!(out, "\n{}", exercise.explanation);
    if !exercise.further_reading.is_empty() {
        let _ = writeln!(out, "\nRead on:");
    }
    for link in &exercise.further_reading {
        let _ = writeln!(out, "  {}\n    {}", link.title, link.url);
    }
}

/// Whether a case is one that everybody sees.
fn is_public(grade: &Grade, case: &str) -> bool {
    grade.cases.iter().any(|known| known.case == case && !known.hidden)
}

/// The answers beside what the simulator says.
fn answers(out: &mut String, exercise: &Exercise, grade: &Grade) {
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

/// The contract as a table: the author's clauses, and of the bounds that hold for every exercise those that are broken.
fn contract_table(out: &mut String, rows: &[&ContractRow]) {
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
