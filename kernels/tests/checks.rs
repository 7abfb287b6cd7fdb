//! The checks of the simulator on our own kernels: no false alarm in any case, the fault where there is one on purpose,
//! and a race where a barrier is taken out.

use kernels::testing::compiler_for;
use kernels::verdict::Verdict;
use kernels::{cases, compile, simulate, testing};
use sim::report::FindingKind;
use sim::{Checks, Module, Options};

#[test]
fn our_kernels_show_what_is_expected_of_them_and_no_more() {
    // The larger grids repeat what every block of these does, and take minutes without optimisation.
    for case in cases::all().into_iter().filter(|case| case.blocks() < 1000) {
        let run = testing::as_expected(&case);
        let clean = run.reports.iter().all(sim::Report::is_clean);
        for report in run.reports.iter().filter(|_| clean) {
            assert_eq!(report.findings, [], "{case}");
        }
    }
}

#[test]
fn checks_change_no_counter_and_no_result() {
    // With a race the checks' own turns can change the result.
    for case in cases::all().into_iter().filter(|case| case.blocks() < 100 && case.verdict == Verdict::Right) {
        let module = simulate::module(case.problem).unwrap();
        let prepared = case.prepare();
        let run = |checks| simulate::run_with(&module, &prepared, &Options { checks, ..Options::default() });
        assert_eq!(run(Checks::ALL), run(Checks::NONE), "{case}");
    }
}

/// Every barrier of every kernel is needed, without it some case has a race, but for these: `scan_blelloch_pairs` ends
/// with every thread at the very pair that it stores, so the barrier behind its tree orders nothing; a thread of the
/// packed histograms, as printed, clears the very words that it counts in; `prefix_bulk` needs its barrier behind
/// `mbarrier.init`, but that is taken for an atomic here, and atomics do not race with each other; and the last barrier of
/// `histogram_many_bulk` orders the threads' proxy fences before the copy, which the simulator executes in order anyway.
#[test]
fn without_a_barrier_there_is_a_race() {
    let cases = cases::all();
    for problem in kernels::ptx::problems() {
        let text = kernels::ptx::committed(problem).unwrap().text;
        for (at, barrier) in text.match_indices("bar.sync \t0;").chain(text.match_indices("bar.sync\t0;")) {
            let mut broken = text.to_owned();
            broken.replace_range(at..at + barrier.len(), &" ".repeat(barrier.len()));
            let entry = text[..at].rfind(".entry").unwrap();
            let module = Module::parse("broken.ptx", &broken).unwrap();
            let name = text[entry..].split([' ', '(']).nth(1).unwrap();
            let of_kernel = |case: &&kernels::case::Case| {
                let launches_it = case.launches.iter().any(|launch| launch.kernel == name);
                case.problem == problem && launches_it && case.blocks() < 100 && case.verdict.is_determined()
            };
            if !cases.iter().any(|case| of_kernel(&case)) {
                continue; // A kernel that is faulty on purpose.
            }
            let race = cases.iter().filter(of_kernel).any(|case| {
                let run = simulate::run_with(&module, &case.prepare(), &Options::default()).unwrap();
                let mut findings = run.reports.iter().flat_map(|report| &report.findings);
                findings.any(|finding| finding.kind == FindingKind::Race)
            });
            let line = text[..at].matches('\n').count() + 1;
            let next_barrier = text[at + 1..].find("bar.sync").unwrap_or(usize::MAX);
            let last = text[at + 1..].find(".entry").unwrap_or(text.len()) < next_barrier;
            let first = !text[entry..at].contains("bar.sync");
            let needed = match name {
                "scan_blelloch_pairs" | "histogram_many_bulk" => !last,
                "prefix_bulk" | "prefix_bulk_f32" => false,
                "histogram_packed_printed" | "histogram_periodic_printed" => !first,
                _ => true,
            };
            assert_eq!(race, needed, "{problem}.ptx without the barrier of line {line}");
        }
    }
}

#[test]
fn the_naive_scan_with_one_buffer_races() {
    if !compiler_for("the naive scan with one buffer") {
        return;
    }
    let source = kernels::ptx::committed("scan").unwrap().source;
    let one = source
        .replace("int to = 0, from = 1;", "int to = 0, from = 0;")
        .replace("to = 1 - to;", "")
        .replace("from = 1 - to;", "");
    assert_eq!(source.lines().count(), one.lines().count());
    assert_ne!(source, one);
    let compiled =
        compile::compile_source(&compile::Source { name: "scan.cu", text: &one }, &compile::Options::default());
    let module = Module::parse("scan.ptx", &compiled.unwrap().ptx).unwrap();
    // The lines of the first of the two stores: a statement can go over several.
    let lines: Vec<&str> = source.lines().collect();
    let first = lines.iter().position(|line| line.trim_start().starts_with("temp[to * tile + t] =")).unwrap();
    let length = lines[first..].iter().position(|line| line.trim_end().ends_with(';')).unwrap() + 1;
    let store = first + 1..first + 1 + length;
    for case in cases::all().into_iter().filter(|case| case.version == "scan_naive" && case.blocks() < 100) {
        let report = &simulate::run_with(&module, &case.prepare(), &Options::default()).unwrap().reports[0];
        let races: Vec<_> = report.findings.iter().filter(|finding| finding.kind == FindingKind::Race).collect();
        assert!(!races.is_empty() && races.len() == report.findings.len(), "{case}: {:?}", report.findings);
        assert!(races.iter().all(|race| race.message.contains("`temp[")), "{case}: {races:?}");
        assert!(races.iter().any(|race| store.contains(&(race.line as usize))), "{case}: {store:?}: {races:?}");
    }
}
