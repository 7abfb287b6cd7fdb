//! The cost contract: what a counter shows, what it may show, and which source lines spend it.

use kernels::launch::expression::Names;
use serde::Serialize;
use sim::Report;

use crate::measure;
use crate::spec::{Clause, Per};

/// One clause of the contract, judged for one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContractRow {
    /// The case's name.
    pub case: String,
    /// What is counted, in a learner's words.
    pub label: String,
    /// The counter's full name in Nsight Compute, or a sum of several.
    pub counter: String,
    /// The limit as the course writes it, if it is no plain number.
    pub limit_text: Option<String>,
    /// What the counter may reach.
    pub limit: u64,
    /// Whether it must be that number.
    pub exact: bool,
    /// What it reached.
    pub actual: u64,
    /// Whether the clause is kept.
    pub passed: bool,
    /// What keeping it means.
    pub meaning: String,
    /// The source lines that spend it, the worst first.
    pub lines: Vec<LineSpend>,
}

impl ContractRow {
    /// By how much the limit is exceeded.
    pub const fn excess(&self) -> u64 {
        self.actual.saturating_sub(self.limit)
    }
}

/// What one source line spends of a counter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineSpend {
    /// The file; the graded file under the name that its author knows it by.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The line's text without its indentation; empty if it is not in the graded file.
    pub text: String,
    /// What the line spends.
    pub actual: u64,
    /// What the limiting counter shows for this line, if the limit is made of counters.
    pub limit: Option<u64>,
}

impl LineSpend {
    /// What the line spends beyond its limit; all that it spends if it has no limit of its own.
    pub const fn excess(&self) -> u64 {
        match self.limit {
            Some(limit) => self.actual.saturating_sub(limit),
            None => self.actual,
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
    let text = clause.at_most.as_ref().or(clause.equals.as_ref()).map_or("0", |text| &text.0);
    let limit = measure::of_report(&format!("({text}) * {}", factor(clause.per)), names, report)?;
    let of_counters = !measure::counters(text).is_empty();
    let mut lines = Vec::new();
    for line in &report.lines {
        let actual = measure::of_line(&clause.counter, names, Some(line))?;
        if actual == 0 {
            continue;
        }
        let own = is_the_file(&line.file, file);
        let code = source.lines().nth((line.line as usize).wrapping_sub(1)).filter(|_| own);
        lines.push(LineSpend {
            file: if own { file.to_owned() } else { line.file.clone() },
            line: line.line,
            text: code.unwrap_or_default().trim().to_owned(),
            actual,
            limit: if of_counters { Some(measure::of_line(text, names, Some(line))?) } else { None },
        });
    }
    // Stable, so that equal lines stay in the order of the file.
    lines.sort_by_key(|line| std::cmp::Reverse((line.excess(), line.actual)));
    let exact = clause.equals.is_some();
    Ok(ContractRow {
        case: case.to_owned(),
        label: clause.label.clone(),
        counter: clause.counter.clone(),
        limit_text: text.parse::<u64>().is_err().then(|| text.to_owned()),
        limit,
        exact,
        actual,
        passed: if exact { actual == limit } else { actual <= limit },
        meaning: clause.meaning.clone(),
        lines,
    })
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

/// Whether the line table's `seen` is the graded `file`. The compiler writes the path relative to the source's folder.
pub(crate) fn is_the_file(seen: &str, file: &str) -> bool {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    seen == file || name(seen) == name(file)
}
