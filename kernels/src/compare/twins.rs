//! Kernels that count the same: two versions of a kernel that differ in the source and in no counter, on no line, do
//! not do what their difference promises.

use serde::Serialize;
use sim::report::LineReport;

use super::comparison::Row;

/// Two kernels whose exact counters are equal in every case that both have, in total and line by line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Twins {
    /// The problem.
    pub problem: &'static str,
    /// The earlier kernel.
    pub first: &'static str,
    /// The later kernel.
    pub second: &'static str,
    /// Number of cases in which they are equal: all that both have.
    pub cases: usize,
    /// Number of source lines whose counters are equal, the most of any case.
    pub lines: usize,
}

impl Twins {
    /// The finding as a sentence.
    pub fn sentence(&self) -> String {
        let cases = if self.cases == 1 { "this case".to_owned() } else { format!("all {} cases", self.cases) };
        format!(
            "note: {} counts exactly what {} counts, on every line, in {cases}: whatever its source changes, the \
             hardware does the same work",
            self.second, self.first
        )
    }
}

/// All pairs of kernels that count the same.
pub(super) fn find(rows: &[Row]) -> Vec<Twins> {
    let mut kernels: Vec<(&'static str, &'static str)> = rows.iter().map(|row| (row.problem, row.version)).collect();
    kernels.dedup();
    let mut found = Vec::new();
    for (index, &(problem, first)) in kernels.iter().enumerate() {
        for &(_, second) in kernels[index + 1..].iter().filter(|(other, _)| *other == problem) {
            found.extend(twins(rows, problem, first, second));
        }
    }
    found
}

fn twins(rows: &[Row], problem: &'static str, first: &'static str, second: &'static str) -> Option<Twins> {
    let of = |kernel: &'static str| rows.iter().filter(move |row| row.problem == problem && row.version == kernel);
    let pairs: Vec<(&Row, &Row)> =
        of(first).filter_map(|a| Some((a, of(second).find(|b| a.case == b.case && a.data == b.data)?))).collect();
    let equal = |a: &Row, b: &Row| {
        let (a, b) = (&a.simulated.reports, &b.simulated.reports);
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| a.metrics == b.metrics && counted(&a.lines) == counted(&b.lines))
    };
    if pairs.is_empty() || !pairs.iter().all(|(a, b)| equal(a, b)) {
        return None;
    }
    let lines = pairs
        .iter()
        .map(|(a, _)| a.simulated.reports.iter().map(|report| counted(&report.lines).len()).sum())
        .max()
        .unwrap_or(0);
    Some(Twins { problem, first, second, cases: pairs.len(), lines })
}

/// The lines that an exact counter names. The estimates may differ: they count plain arithmetic too.
fn counted(lines: &[LineReport]) -> Vec<(&str, u32, &sim::report::Metrics)> {
    lines
        .iter()
        .filter(|line| !line.metrics.is_empty())
        .map(|line| (line.file.as_str(), line.line, &line.metrics))
        .collect()
}
