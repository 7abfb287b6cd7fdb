//! What a run on a GPU says to the learner.

use std::fmt::Write as _;

use kernels::native::{Outcome, Pair};
use tabled::builder::Builder;

use super::{NativeCase, NativeCases, NativeRun};
use crate::words::{elements, grouped, write_table};

/// Times below this say little about a kernel: starting it takes some of them.
const MOSTLY_LAUNCHING_US: f64 = 20.0;

/// The message, behind that of the grade.
pub fn text(run: &NativeRun) -> String {
    let mut out = String::new();
    let gpu = &run.on_gpu.gpu;
    match &run.on_gpu.outcome {
        Outcome::NotRun { why } => {
            let _ = writeln!(out, "Not run on the GPU ({gpu}): {why}.");
        }
        Outcome::Failed { why } => {
            let _ = writeln!(out, "On the GPU ({gpu}) it did not come to its end: {why}");
        }
        Outcome::Ran(NativeCases { cases, notes }) => {
            let _ = writeln!(out, "On this machine's GPU, {gpu}:\n");
            overview(&mut out, cases);
            wrong(&mut out, cases);
            counters(&mut out, cases);
            for note in notes {
                let _ = writeln!(out, "\nnote: {note}");
            }
        }
    }
    out
}

/// A line for every case.
fn overview(out: &mut String, cases: &[NativeCase]) {
    let counted = cases.iter().any(|case| !case.counters.is_empty());
    let columns = if counted { 5 } else { 4 };
    let mut table = Builder::default();
    let head = ["input", "result", "µs, median of runs", "µs, predicted", "counters equal"];
    table.push_record(head.into_iter().take(columns));
    for (number, case) in (1..).zip(cases) {
        let result = match case.wrong {
            0 if case.is_right() => "right".to_owned(),
            0 => "input changed".to_owned(),
            wrong => format!("{} wrong", grouped(wrong as u64)),
        };
        let predicted = case.predicted_us.map_or_else(|| "-".to_owned(), |us| format!("{us:.1}"));
        let counters = format!("{} of {}", case.equal(), case.counters.len());
        let cells =
            [format!("{number}: {}", case.case), result, format!("{:.1}", case.times.median_us()), predicted, counters];
        table.push_record(cells.into_iter().take(columns));
    }
    write_table(out, table, 1);
    if cases.iter().all(|case| case.times.median_us() < MOSTLY_LAUNCHING_US) {
        let _ = writeln!(
            out,
            "\n  Launches this short take most of their time for being launched: compare counters, not times."
        );
    }
}

/// The first wrong elements of the first wrong case.
fn wrong(out: &mut String, cases: &[NativeCase]) {
    let Some(case) = cases.iter().find(|case| !case.is_right()) else { return };
    let _ = writeln!(
        out,
        "\nThe GPU's result on the input \"{}\" is wrong, and the simulator's is right. Please report this with your file: \
         either the simulator misses a fault in it, or it computes something else than the GPU.\n",
        case.case
    );
    for name in &case.changed_inputs {
        let _ = writeln!(out, "  the kernel changed `{name}`, which it should only read");
    }
    if !case.first_wrong.is_empty() {
        elements(out, &case.first_wrong);
        let total = if case.elements == 1 { "element is" } else { "elements are" };
        let _ = writeln!(out, "\n  {} of {} {total} wrong.", grouped(case.wrong as u64), grouped(case.elements as u64));
    }
}

/// The counters of the contract and their kin, and whatever differs: a column for each case.
fn counters(out: &mut String, cases: &[NativeCase]) {
    let counted: Vec<&NativeCase> = cases.iter().filter(|case| !case.counters.is_empty()).collect();
    let Some(first) = counted.first() else { return };
    let mut shown: Vec<&str> = Vec::new();
    let differing = counted.iter().flat_map(|case| case.counters.iter().filter(|pair| !pair.agrees()));
    let all = counted.iter().flat_map(|case| case.contract.iter().copied());
    for metric in all.chain(differing.clone().map(|pair| pair.metric)) {
        if !shown.contains(&metric) {
            shown.push(metric);
        }
    }
    let _ = writeln!(out, "\nCounters, simulated = measured:\n");
    let mut table = Builder::default();
    // Names of inputs are long; the table above numbers them.
    let numbers = (1..).zip(cases).filter(|(_, case)| !case.counters.is_empty()).map(|(number, _)| number);
    table.push_record(["counter".to_owned()].into_iter().chain(numbers.map(|number: u32| format!("input {number}"))));
    for metric in shown {
        let of = |case: &NativeCase| case.counters.iter().find(|pair| pair.metric == metric).copied();
        let label = of(first).map_or_else(|| metric.to_owned(), |pair| format!("{} ({})", pair.label, pair.unit));
        let cells = counted.iter().map(|case| of(case).as_ref().map_or_else(|| "-".to_owned(), Pair::text));
        table.push_record([label].into_iter().chain(cells));
    }
    write_table(out, table, 1);
    if differing.count() > 0 {
        let _ = writeln!(
            out,
            "\n  Where the two differ, the compiler of the GPU made something else of a loop or a branch than the \
             simulator assumes; the grade goes by the simulator's."
        );
    }
}
