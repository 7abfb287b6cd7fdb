//! `warpbook dev lowering`: PTX with the model's passes beside machine code, on a corpus.

use std::path::Path;

use exercises::course::Course;
use exercises::prebuild;
use kernels::case::Case;
use kernels::compile::Options;
use kernels::roads::known;
use kernels::roads::{Difference, Roads, RoadsError, Row, Suite, corpus, files};
use kernels::{cases, counters, names};

use super::{Ended, FAULTY, Failure, INTERNAL, exercise};
use crate::cli::{DevCommand, SuiteChoice};
use crate::out::{self, grouped, say};

/// Folders of the repository, from its root.
const PROBES: [&str; 2] = ["sim/tests/counters", "sim/tests/lowering"];
const CORRECT: &str = "sim/tests/correct";
const COURSE: &str = "exercises";
/// Kernels that are listed with their lines.
const MOST: usize = 40;

fn failed(error: RoadsError) -> Failure {
    Failure::new(error.exit_code(), error)
}

pub(crate) fn run(command: &DevCommand, json: bool) -> Ended {
    let DevCommand::Lowering { paths, suite, only, all, alternatives, include, known, csv } = command else {
        return Err(Failure::new(INTERNAL, "another command"));
    };
    let mut roads = Roads::default();
    let mut suites = Vec::new();
    let wants = |choice| paths.is_empty() && (suite.is_empty() || suite.contains(&choice));
    if wants(SuiteChoice::Cases) {
        roads.extend(corpus::cases(&chosen(only, *all)).map_err(failed)?);
        suites.push(Suite::Cases);
    }
    if wants(SuiteChoice::Probes) {
        for folder in PROBES {
            roads.extend(corpus::probes(Path::new(folder)).map_err(failed)?);
        }
        suites.push(Suite::Probes);
    }
    if wants(SuiteChoice::Correct) {
        roads.extend(corpus::catalogue(Path::new(CORRECT)).map_err(failed)?);
        suites.push(Suite::Correct);
    }
    if wants(SuiteChoice::Exercises) {
        let course = Course::load(Path::new(COURSE)).map_err(exercise::failed)?;
        let nvrtc = prebuild::compiler(exercises::built::Maker::Nvrtc);
        let nvrtc: Option<&dyn exercises::Compiler> = if kernels::nvrtc::get().is_ok() { Some(&*nvrtc) } else { None };
        let ran = exercises::roads::compare(&course, only, *alternatives, nvrtc);
        roads.extend(ran.map_err(exercise::failed)?);
        suites.push(Suite::Exercises);
    }
    if !paths.is_empty() {
        let options = Options { includes: include.clone(), ..Options::default() };
        roads.extend(files::files(paths, &options).map_err(failed)?);
        suites.push(Suite::Files);
    }
    let list = known::known().map_err(|why| Failure::new(INTERNAL, why))?;
    // Whether an entry is needed tells the test, which runs everything.
    let _ = known::explain(&mut roads, list, &suites);
    if *csv {
        print!("{}", roads.csv().map_err(anyhow::Error::from)?);
    } else if json {
        out::json(&roads)?;
    } else {
        print(&roads, *known);
    }
    Ok(if roads.unexplained() == 0 { 0 } else { FAULTY })
}

/// The cases that are wanted: one of each version, or all that are not too large.
fn chosen(names: &[String], all: bool) -> Vec<Case> {
    let wanted = |case: &Case| names.is_empty() || names.iter().any(|name| cases::matches(case, name));
    let own: Vec<Case> = cases::all().into_iter().filter(wanted).collect();
    if all { own } else { corpus::representatives(&own) }
}

fn print(roads: &Roads, all: bool) {
    let rows = roads.suites().into_iter().map(|sum| {
        let numbers = [sum.kernels, sum.equal, sum.counters, sum.nonzero, sum.differ, sum.unexplained, sum.troubled];
        let mut cells = vec![sum.suite.to_string()];
        cells.extend(numbers.map(|number| grouped(number as u64)));
        cells
    });
    let head = ["", "kernels", "equal", "counters", "not 0", "differ", "unexplained", "not compared"];
    say!("{}", out::table(&head, rows.collect(), 1));
    let rows = roads.counters().into_iter().map(|sum| {
        vec![sum.label.to_owned(), sum.kernels.to_string(), sum.more.to_string(), (sum.kernels - sum.more).to_string()]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    if !rows.is_empty() {
        say!("\n{}", out::table(&["counter", "kernels", "PTX has more", "PTX has fewer"], rows, 1));
    }
    let rows = roads.candidates().into_iter().map(|sum| vec![sum.candidate, sum.kernels.to_string(), sum.example]);
    let rows: Vec<Vec<String>> = rows.collect();
    if !rows.is_empty() {
        say!("\n{}", out::table(&["what the lines show", "kernels", "for example"], rows, 3));
    }
    let shown: Vec<&Row> = roads.rows.iter().filter(|row| if all { differs(row) } else { unexplained(row) }).collect();
    for row in shown.iter().take(if all { usize::MAX } else { MOST }) {
        show(row, all);
    }
    if shown.len() > MOST && !all {
        say!("… and {} more kernels (--csv lists all)", shown.len() - MOST);
    }
    for troubled in roads.troubled.iter().filter(|troubled| all || troubled.known.is_none()) {
        let word = troubled.known.as_deref().map_or(String::new(), |why| format!(" (known: {why})"));
        let case = if troubled.case.is_empty() { String::new() } else { format!(", {}", troubled.case) };
        say!("{}: {}{case}: {:?}: {}{word}", troubled.suite, troubled.subject, troubled.trouble, troubled.sentence);
    }
    say!("kernels whose totals agree, and whose lines do not: {}", roads.other_lines());
    say!("{}", roads.closing());
}

fn differs(row: &Row) -> bool {
    !row.differences.is_empty() || !row.lines.is_empty()
}

fn unexplained(row: &Row) -> bool {
    row.unexplained().next().is_some()
}

/// A kernel with what differs, and its lines.
fn show(row: &Row, all: bool) {
    let case = if row.case.is_empty() { String::new() } else { format!(", {}", row.case) };
    say!("\n{}: {}{case} ({})", row.suite, row.subject, names::short(&row.kernel));
    let label = |metric: &str| {
        let own = counters::EXACT.iter().find(|counter| counter.metric == metric);
        own.map_or(metric.to_owned(), |counter| counter.label.to_owned())
    };
    let value = |difference: &Difference| {
        format!("{}: PTX {}, machine code {}", label(difference.counter), difference.ptx, difference.machine_code)
    };
    for difference in row.differences.iter().filter(|difference| all || difference.known.is_none()) {
        let known = difference.known.as_deref().map_or(String::new(), |why| format!(" (known: {why})"));
        say!("  {}{known}", value(difference));
    }
    for line in &row.lines {
        let own = |difference: &&Difference| row.differences.iter().any(|total| total.counter == difference.counter);
        let shown: Vec<String> = line.differences.iter().filter(|found| all || own(found)).map(value).collect();
        if !shown.is_empty() {
            say!("  {}:{}: {}", line.file, line.line, line.candidate());
            say!("    {}", shown.join("; "));
        }
    }
}
