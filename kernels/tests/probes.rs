//! The simulator's exact counters on small kernels that stress what a compiler and a GPU do to counters, beside what an
//! H200 counted in them (`sim/tests/counters`).

use std::collections::BTreeSet;
use std::path::Path;

use kernels::probes::{self, Suite};

fn suite() -> Suite {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/tests/counters");
    Suite::read(&folder).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn exact_counters_are_those_of_an_h200_except_where_the_cause_is_known() {
    let suite = suite();
    let record = suite.truth("h200").unwrap_or_else(|error| panic!("{error}"));
    let known = suite.known().unwrap_or_else(|error| panic!("{error}"));
    let comparison = probes::compare(&suite, &record).unwrap_or_else(|error| panic!("{error}"));
    let text = || comparison.lines(&known).join("\n");
    assert_eq!(comparison.unexplained(&known).count(), 0, "{}", text());
    let all = comparison.counters as f64;
    assert!((all - comparison.differences.len() as f64) / all >= 0.99, "{}", text());
    // Of the counters that one side at least found to be more than 0. What recursion keeps in local memory is half of the
    // rest: ptxas decides it.
    assert!(comparison.percent() >= 98.0, "{}", text());
    assert!(comparison.kernels >= 180 && comparison.nonzero > 3500, "{}", text());
}

#[test]
fn every_known_difference_is_one() {
    let suite = suite();
    let record = suite.truth("h200").unwrap_or_else(|error| panic!("{error}"));
    let comparison = probes::compare(&suite, &record).unwrap_or_else(|error| panic!("{error}"));
    for known in suite.known().unwrap_or_else(|error| panic!("{error}")) {
        assert!(known.cause.ends_with('.'), "{}: `{}` is no sentence", known.kernel, known.cause);
        for metric in &known.metrics {
            let differs = comparison.differences.iter().any(|d| d.kernel == known.kernel && d.metric == *metric);
            assert!(differs, "{} agrees in {metric} now: take it out of known.toml", known.kernel);
        }
    }
}

#[test]
fn the_suite_is_whole() {
    let suite = suite();
    let record = suite.truth("h200").unwrap_or_else(|error| panic!("{error}"));
    let names: BTreeSet<&str> = suite.probes.iter().map(|probe| probe.kernel.as_str()).collect();
    assert_eq!(names.len(), suite.probes.len(), "a kernel is launched twice");
    assert_eq!(names, record.probes.iter().map(|probe| probe.kernel.as_str()).collect());
    for (file, text) in &suite.ptx {
        let header = kernels::ptx::Header::parse(text).unwrap_or_else(|| panic!("{file}.ptx has no whole header"));
        let path = suite.folder.join("cu").join(format!("{file}.cu"));
        let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let hint = "run: warpbook dev ptx --kernels sim/tests/counters";
        assert_eq!(header.source_sha256, kernels::ptx::sha256(&source), "{file}.cu has changed. {hint}");
    }
}
