//! Holds the reports of both roads against one another, in total and by source line.

use std::collections::{BTreeMap, BTreeSet};

use sim::report::Metrics;
use sim::{Lowering, Module, Report};

use super::{Difference, DifferentLine, Row, Suite, Trouble, Troubled};
use crate::counters::EXACT;
use crate::lowering;

/// What both roads gave for the launches of one subject.
pub struct Both<'a> {
    /// Where it comes from.
    pub suite: Suite,
    /// The version, probe, source or file.
    pub subject: &'a str,
    /// The case; empty where a subject has one only.
    pub case: &'a str,
    /// The PTX that both roads begin with.
    pub module: &'a Module,
    /// Its text.
    pub text: &'a str,
    /// The reports of the road over PTX, launch by launch.
    pub ptx: &'a [Report],
    /// Those of the road over machine code.
    pub machine_code: &'a [Report],
    /// Whether a counter of a kernel is compared. Those that the order of warps decides are not.
    pub repeats: &'a dyn Fn(&str, &str) -> bool,
}

type Place = (String, u32);

/// Compares: a row for each kernel, in the order of the launches. Where a road has a fault, there is nothing to compare.
///
/// # Errors
/// The fault, of which counters would tell nothing.
pub fn hold(both: &Both<'_>) -> Result<Vec<Row>, Troubled> {
    for (road, reports) in [("the road over PTX", both.ptx), ("the machine code", both.machine_code)] {
        if let Some(finding) = reports.iter().flat_map(Report::errors).next() {
            let sentence = format!("{road}: line {}: {}", finding.line, finding.message);
            return Err(both.trouble(Trouble::Fault, sentence));
        }
    }
    let mut kernels: Vec<&str> = both.ptx.iter().map(|report| &*report.kernel).collect();
    kernels.sort_unstable();
    kernels.dedup();
    Ok(kernels.into_iter().map(|kernel| row(both, kernel)).collect())
}

impl Both<'_> {
    /// What is told of the subject where it has trouble.
    #[must_use]
    pub fn trouble(&self, trouble: Trouble, sentence: String) -> Troubled {
        let Self { suite, subject, case, .. } = self;
        Troubled {
            suite: *suite,
            subject: (*subject).to_owned(),
            case: (*case).to_owned(),
            trouble,
            sentence,
            known: None,
        }
    }
}

fn row(both: &Both<'_>, kernel: &str) -> Row {
    let own = |reports: &[Report]| -> Vec<Report> {
        reports.iter().filter(|report| report.kernel == kernel).cloned().collect()
    };
    let (ptx, machine_code) = (own(both.ptx), own(both.machine_code));
    let total = |reports: &[Report]| {
        let mut sum = Report::default();
        reports.iter().for_each(|report| sum.add(report));
        sum
    };
    let (ours, theirs) = (total(&ptx), total(&machine_code));
    let repeats = |metric: &str| (both.repeats)(kernel, metric);
    let compared = EXACT.iter().filter(|counter| repeats(counter.metric));
    let either = |metric: &str| ours.metric(metric) > 0 || theirs.metric(metric) > 0;
    Row {
        suite: both.suite,
        subject: both.subject.to_owned(),
        case: both.case.to_owned(),
        kernel: kernel.to_owned(),
        launches: ptx.len(),
        counters: compared.clone().count(),
        nonzero: compared.filter(|counter| either(counter.metric)).count(),
        differences: differences(&ours.metrics, &theirs.metrics, &repeats),
        lines: lines(both, kernel, (&ours, &theirs), &machine_code, &repeats),
    }
}

fn differences(ptx: &Metrics, machine_code: &Metrics, repeats: &dyn Fn(&str) -> bool) -> Vec<Difference> {
    let value = |metrics: &Metrics, name| metrics.get(name).copied().unwrap_or(0);
    let one = |metric: &'static str| {
        let (ptx, machine_code) = (value(ptx, metric), value(machine_code, metric));
        (ptx != machine_code).then_some(Difference { counter: metric, ptx, machine_code, known: None })
    };
    EXACT.iter().map(|counter| counter.metric).filter(|metric| repeats(metric)).filter_map(one).collect()
}

/// A file's name without its folders: the PTX names the path, a cubin may name less of it.
fn bare(file: &str) -> String {
    file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// The lines whose counters differ. A PTX without line table has none.
fn lines(
    both: &Both<'_>,
    kernel: &str,
    (ours, theirs): (&Report, &Report),
    executed: &[Report],
    repeats: &dyn Fn(&str) -> bool,
) -> Vec<DifferentLine> {
    let by_place = |report: &Report| -> BTreeMap<Place, Metrics> {
        let line = |line: &sim::report::LineReport| ((bare(&line.file), line.line), line.metrics.clone());
        report.lines.iter().map(line).collect()
    };
    let (ptx, machine_code) = (by_place(ours), by_place(theirs));
    let places: BTreeSet<&Place> = ptx.keys().chain(machine_code.keys()).collect();
    let none = Metrics::new();
    let of = |metrics: &'_ BTreeMap<Place, Metrics>, place: &Place| metrics.get(place).unwrap_or(&none).clone();
    let mut found: Vec<(Place, Vec<Difference>)> = Vec::new();
    if !both.text.contains(".loc") {
        return Vec::new();
    }
    for place in places {
        let differences = differences(&of(&ptx, place), &of(&machine_code, place), repeats);
        if !differences.is_empty() {
            found.push((place.clone(), differences));
        }
    }
    if found.is_empty() {
        return Vec::new();
    }
    let counted = both.module.lower(kernel, Lowering::Sm90).ok();
    let counted = counted.map(|program| lowering::accesses_by_line(&program, both.text)).unwrap_or_default();
    let mut emitted: BTreeMap<Place, BTreeSet<lowering::Access>> = BTreeMap::new();
    let listings = executed.iter().filter_map(|report| report.machine_code.as_ref()).flat_map(|code| &code.listing);
    for instruction in listings.filter(|instruction| instruction.executed > 0) {
        let place = (bare(&instruction.file), instruction.line);
        emitted.entry(place).or_default().extend(lowering::accesses_of_instruction(&instruction.text));
    }
    let words = |accesses: Option<&BTreeSet<lowering::Access>>| {
        accesses.into_iter().flatten().map(ToString::to_string).collect::<Vec<_>>()
    };
    found
        .into_iter()
        .map(|(place, differences)| DifferentLine {
            ptx: words(counted.get(&place)),
            machine_code: words(emitted.get(&place)),
            file: place.0,
            line: place.1,
            differences,
        })
        .collect()
}
