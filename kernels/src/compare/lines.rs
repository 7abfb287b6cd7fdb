//! What each source line counts: the simulator's numbers. A record holds whole launches, so that the GPU's number stands
//! beside the sum alone.

use serde::Serialize;
use sim::Report;
use sim::report::LineReport;

use super::comparison::{CounterRow, Row};
use super::flat::is_called;

/// One counter with its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ByLine<'a> {
    /// The counter, all launches together.
    pub total: &'a CounterRow,
    /// File, line and the simulator's number, in the order of the source.
    pub lines: Vec<(String, u32, u64)>,
}

/// All launches of a case together.
pub(super) fn report(row: &Row) -> Report {
    let mut reports = row.simulated.reports.iter();
    let mut sum = reports.next().cloned().unwrap_or_default();
    reports.for_each(|later| sum.add(later));
    sum
}

/// The lines on which a counter is not 0.
pub(super) fn of_counter(lines: &[LineReport], metric: &str) -> Vec<(String, u32, u64)> {
    let of = |line: &LineReport| {
        let value = line.metrics.get(metric).copied().filter(|value| *value > 0)?;
        Some((line.file.clone(), line.line, value))
    };
    lines.iter().filter_map(of).collect()
}

/// Every counter of a case that is not 0 and is called like one of `parts` (all, if there are none), line by line.
pub fn by_line<'a>(row: &'a Row, parts: &[String]) -> Vec<ByLine<'a>> {
    let report = report(row);
    let wanted = |counter: &&CounterRow| parts.is_empty() || parts.iter().any(|part| is_called(counter, part));
    let counted =
        |counter: &&CounterRow| counter.simulated > 0 || counter.measured.is_some_and(|measured| measured > 0);
    let of = |total: &'a CounterRow| ByLine { total, lines: of_counter(&report.lines, total.metric) };
    row.counters.iter().filter(wanted).filter(counted).map(of).collect()
}
