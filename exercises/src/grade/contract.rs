//! The cost contract: what a counter shows, what it may show, and which source lines spend it.

use serde::Serialize;
use sim::Report;

use crate::course::{Clause, Input, Limit};
use crate::problem::Instance;

/// One clause of the contract, judged for one input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContractRow {
    /// The input's name.
    pub input: String,
    /// What is counted, in a learner's words.
    pub label: String,
    /// The counter's full name in Nsight Compute.
    pub counter: String,
    /// The counter that is the limit, if the limit is a counter.
    pub limit_counter: Option<String>,
    /// What the counter may reach.
    pub limit: u64,
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
    /// What the limiting counter shows for this line, if the limit is a counter.
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

/// Judges one clause for one input.
pub(super) fn judge(
    clause: &Clause,
    input: &Input,
    instance: &Instance,
    report: &Report,
    file: &str,
    source: &str,
) -> ContractRow {
    let actual = report.metric(&clause.counter);
    let limit = match &clause.at_most {
        Limit::Counter(counter) => report.metric(counter),
        Limit::Value(value) => *value,
        // Loading the course made sure that the problem knows it; a limit of 0 lets nothing slip through.
        Limit::Bound(bound) => instance.bounds.get(bound.as_str()).copied().unwrap_or(0),
    };
    let limit_counter = match &clause.at_most {
        Limit::Counter(counter) => Some(counter.clone()),
        Limit::Value(_) | Limit::Bound(_) => None,
    };
    let mut lines: Vec<LineSpend> = report
        .lines
        .iter()
        .filter_map(|line| {
            let actual = line.metrics.get(&clause.counter).copied().filter(|&spent| spent > 0)?;
            let limit = limit_counter.as_ref().map(|counter| line.metrics.get(counter).copied().unwrap_or(0));
            let own = is_the_file(&line.file, file);
            let text = source.lines().nth((line.line as usize).wrapping_sub(1)).filter(|_| own);
            Some(LineSpend {
                file: if own { file.to_owned() } else { line.file.clone() },
                line: line.line,
                text: text.unwrap_or_default().trim().to_owned(),
                actual,
                limit,
            })
        })
        .collect();
    // Stable, so that equal lines stay in the order of the file.
    lines.sort_by_key(|line| std::cmp::Reverse((line.excess(), line.actual)));
    ContractRow {
        input: input.name.clone(),
        label: clause.label.clone(),
        counter: clause.counter.clone(),
        limit_counter,
        limit,
        actual,
        passed: actual <= limit,
        meaning: clause.meaning.clone(),
        lines,
    }
}

/// Whether the line table's `seen` is the graded `file`. The compiler writes the path relative to the source's folder.
fn is_the_file(seen: &str, file: &str) -> bool {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    seen == file || name(seen) == name(file)
}
