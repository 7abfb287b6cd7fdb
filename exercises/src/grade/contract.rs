//! The cost contract: what a counter shows, what it may show, and which source lines spend it.

use ::data::expression::Names;
use sim::Report;
use sim::report::LineReport;

use super::envelope::Limit;
use crate::instance::is_the_file;
use crate::measure;
use crate::model::{ContractRow, LineSpend};
use crate::spec::{Clause, Per};

impl LineSpend {
    fn of(line: &LineReport, actual: u64, limit: Option<u64>, file: &str, source: &str) -> Self {
        let own = is_the_file(&line.file, file);
        let code = source.lines().nth((line.line as usize).wrapping_sub(1)).filter(|_| own);
        Self {
            file: if own { file.to_owned() } else { line.file.clone() },
            line: line.line,
            text: code.unwrap_or_default().trim().to_owned(),
            actual,
            limit,
        }
    }
}

/// Judges one clause for one case.
///
/// # Errors
/// A sentence for the course's author, when an expression has no value.
pub(super) fn judge(
    clause: &Clause,
    case: &str,
    names: &Names,
    report: &Report,
    file: &str,
    source: &str,
) -> Result<ContractRow, String> {
    let actual = measure::of_report(&clause.counter, names, report)?;
    let text =
        [&clause.at_most, &clause.at_least, &clause.equals].into_iter().flatten().next().map_or("0", |text| &text.0);
    let limit = measure::of_report(&format!("({text}) * {}", factor(clause.per)), names, report)?;
    let of_counters = !measure::counters(text).is_empty();
    let mut lines = Vec::new();
    // No line is to blame for what is not done.
    for line in report.lines.iter().filter(|_| clause.at_least.is_none()) {
        let actual = measure::of_line(&clause.counter, names, Some(line))?;
        if actual > 0 {
            let limit = if of_counters { Some(measure::of_line(text, names, Some(line))?) } else { None };
            lines.push(LineSpend::of(line, actual, limit, file, source));
        }
    }
    sort(&mut lines);
    let (exact, at_least) = (clause.equals.is_some(), clause.at_least.is_some());
    Ok(ContractRow {
        case: case.to_owned(),
        bound: None,
        label: clause.label.clone(),
        counter: clause.counter.clone(),
        limit_text: text.parse::<u64>().is_err().then(|| text.to_owned()),
        limit,
        exact,
        at_least,
        actual,
        passed: match (exact, at_least) {
            (true, _) => actual == limit,
            (_, true) => actual >= limit,
            _ => actual <= limit,
        },
        meaning: clause.meaning.clone(),
        lines,
    })
}

/// Judges one of the bounds that hold for every exercise.
pub(super) fn bounded(limit: &Limit, case: &str, report: &Report, file: &str, source: &str) -> ContractRow {
    let Limit { bound, most, words, .. } = limit;
    let actual = bound.value(report);
    let mut lines = Vec::new();
    if actual > *most {
        let value = |line: &LineReport| -> u64 {
            let of = |name: &&&str| line.metrics.get(**name).or_else(|| line.estimates.get(**name)).copied();
            bound.spent_on_lines().iter().filter_map(|name| of(&name)).sum()
        };
        let spent = report.lines.iter().map(|line| (line, value(line))).filter(|(_, actual)| *actual > 0);
        lines.extend(spent.map(|(line, actual)| LineSpend::of(line, actual, None, file, source)));
        sort(&mut lines);
    }
    ContractRow {
        case: case.to_owned(),
        bound: Some(bound.name.to_owned()),
        label: bound.label.to_owned(),
        counter: bound.counters().join(" + "),
        limit_text: Some(words.clone()),
        limit: *most,
        exact: false,
        at_least: false,
        actual,
        passed: actual <= *most,
        meaning: bound.meaning.to_owned(),
        lines,
    }
}

/// The worst lines first; equal ones stay in the order of the file.
fn sort(lines: &mut [LineSpend]) {
    lines.sort_by_key(|line| std::cmp::Reverse((line.excess(), line.actual)));
}

/// What a limit is multiplied with.
const fn factor(per: Per) -> &'static str {
    match per {
        Per::Case => "1",
        Per::Element => "elements",
        Per::Warp => "warps",
        Per::Block => "blocks",
        Per::Thread => "threads",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Text;

    #[test]
    fn what_must_be_done_has_a_least_and_blames_no_line() {
        const LOADS: &str = "smsp__sass_inst_executed_op_shared_ld.sum";
        let clause = Clause {
            label: "merges".to_owned(),
            counter: LOADS.to_owned(),
            at_most: None,
            at_least: Some(Text("3".to_owned())),
            equals: None,
            per: Per::Case,
            meaning: String::new(),
            cases: Vec::new(),
        };
        let row = |loads: u64| {
            let mut report = Report::default();
            report.metrics.insert(LOADS.to_owned(), loads);
            judge(&clause, "a case", &Names::new(), &report, "k.cu", "").unwrap()
        };
        assert!(!row(2).passed && row(3).passed && row(4).passed);
        assert!(row(4).excess() == 0 && row(2).lines.is_empty());
    }
}
