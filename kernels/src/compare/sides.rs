//! Two versions side by side: which counters changed from one to the other, by how much, and on which lines they are.

use serde::Serialize;

use super::comparison::{Comparison, Row};
use super::flat::is_called;
use super::lines;
use crate::counters::EXACT;

/// At most so many lines are named of each version.
const MOST_LINES: usize = 3;

/// Two versions in one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sides {
    /// The version that is compared with.
    pub first: &'static str,
    /// The other one.
    pub second: &'static str,
    /// The case, the largest that both have.
    pub case: String,
    /// How many cases both have.
    pub common: usize,
    /// Times on the GPU in that case, in nanoseconds.
    pub times: Option<[u64; 2]>,
    /// The counters that differ, the farthest apart first.
    pub changed: Vec<Change>,
    /// How many counters that are not 0 are equal.
    pub equal: usize,
}

/// A counter that two versions do not share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Nsight Compute's name.
    pub metric: &'static str,
    /// The short name.
    pub label: &'static str,
    /// The unit.
    pub unit: &'static str,
    /// The simulator's numbers.
    pub simulated: [u64; 2],
    /// The hardware's.
    pub measured: Option<[u64; 2]>,
    /// The lines that count most of it: file, line, number.
    pub lines: [Vec<(String, u32, u64)>; 2],
}

/// Sets two versions side by side, as far as counters are called like one of `parts` (all, if there are none). None when
/// they have no case in common.
pub fn sides(comparison: &Comparison, first: &str, second: &str, parts: &[String]) -> Option<Sides> {
    let of = |version: &str| comparison.rows.iter().filter(|row| row.version == version).collect::<Vec<&Row>>();
    let (a, b) = (of(first), of(second));
    let pairs: Vec<(&Row, &Row)> =
        a.into_iter().filter_map(|a| Some((a, *b.iter().find(|b| b.case == a.case && b.data == a.data)?))).collect();
    let &(a, b) = pairs.iter().max_by_key(|(a, _)| a.threads())?;
    let reports = [lines::report(a), lines::report(b)];
    let mut changed = Vec::new();
    let mut equal = 0;
    for ((a, b), exact) in a.counters.iter().zip(&b.counters).zip(&EXACT) {
        if !parts.is_empty() && !parts.iter().any(|part| is_called(a, part)) {
            continue;
        }
        if a.simulated == b.simulated {
            equal += usize::from(a.simulated > 0);
            continue;
        }
        let of_lines = |index: usize| {
            let mut lines = lines::of_counter(&reports[index].lines, a.metric);
            lines.sort_by_key(|line| std::cmp::Reverse(line.2));
            lines.truncate(MOST_LINES);
            lines
        };
        changed.push(Change {
            metric: a.metric,
            label: a.label,
            unit: exact.unit.name(),
            simulated: [a.simulated, b.simulated],
            measured: a.measured.zip(b.measured).map(|(a, b)| [a, b]),
            lines: [of_lines(0), of_lines(1)],
        });
    }
    changed.sort_by(|a, b| b.distance().total_cmp(&a.distance()));
    let time = |row: &Row| row.live.as_ref().map(|l| l.times).or(row.recorded.as_ref().map(|r| r.times));
    Some(Sides {
        first: a.version,
        second: b.version,
        case: a.case.clone(),
        common: pairs.len(),
        times: time(a).zip(time(b)).map(|(a, b)| [a.median_ns, b.median_ns]),
        changed,
        equal,
    })
}

impl Row {
    /// Threads of all launches together.
    fn threads(&self) -> u64 {
        let of = |launch: &super::LaunchRow| {
            launch.shape.grid.count() * launch.shape.block.count() * u64::from(launch.times)
        };
        self.launches.iter().map(of).sum()
    }
}

impl Change {
    /// How far apart the two are: the logarithm of their ratio, infinite when one of them is 0.
    fn distance(&self) -> f64 {
        match self.simulated {
            [0, _] | [_, 0] => f64::INFINITY,
            [a, b] => (b as f64 / a as f64).ln().abs(),
        }
    }

    /// The change in words, such as `4.1 times fewer`.
    pub fn words(&self) -> String {
        let ratio = |more: u64, less: u64| format!("{:.2}", more as f64 / less as f64);
        match self.simulated {
            [0, _] => "there were none".to_owned(),
            [_, 0] => "none any more".to_owned(),
            [a, b] if b > a => format!("{} times as many", ratio(b, a)),
            [a, b] => format!("{} times fewer", ratio(a, b)),
        }
    }

    /// What the hardware says of it, in words.
    pub fn hardware(&self) -> String {
        match self.measured {
            None => "not measured".to_owned(),
            Some(measured) if measured == self.simulated => "measured the same".to_owned(),
            Some([a, b]) => format!("measured {a} and {b}"),
        }
    }
}
