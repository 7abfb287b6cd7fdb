//! The course's solutions as clang makes them, beside NVRTC's: nearly all exact counters are equal, and what differs is listed
//! with its cause. `WARPBOOK_BLESS=1` writes the numbers anew and keeps the causes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use exercises::compilers::compare;
use exercises::course::Course;
use kernels::compilers::Table;

const HEAD: &str = "# Exact counters of the course's solutions that clang's code does not share with NVRTC's, as `warpbook dev clang --exercises`
# counts them: the exercise, how many differ in all its cases together, of how many, and why (read off both codes' PTX).
";

/// By exercise: counters that differ, and all.
fn differing(table: &Table) -> BTreeMap<&str, (usize, usize)> {
    let mut sums: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in &table.rows {
        let sum = sums.entry(&row.problem).or_default();
        *sum = (sum.0 + row.differences.len(), sum.1 + row.counters);
    }
    sums.retain(|_, (differing, _)| *differing > 0);
    sums
}

#[test]
fn what_clang_counts_otherwise_is_listed_with_its_cause() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let course = Course::load(folder).unwrap();
    let table = compare(&course, &[], false).unwrap();
    let kernels = course.exercises.iter().filter(|exercise| !exercise.kind.asks()).count();
    assert!(table.rows.len() >= 4 * kernels, "{} cases of {kernels} exercises", table.rows.len());
    assert!(table.share() >= 0.98, "only {:.2} % of the counters are equal", 100.0 * table.share());

    let file = folder.join("tests/clang.tsv");
    let listed = fs::read_to_string(&file).unwrap();
    let causes: BTreeMap<&str, &str> = (listed.lines())
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some((line.split('\t').next()?, line.rsplit('\t').next()?)))
        .collect();
    let mut now = HEAD.to_owned();
    for (exercise, (differing, all)) in differing(&table) {
        let cause = causes.get(exercise).copied().unwrap_or("TODO: the cause");
        writeln!(now, "{exercise}\t{differing}\t{all}\t{cause}").unwrap();
    }
    if std::env::var_os("WARPBOOK_BLESS").is_some() {
        fs::write(&file, &now).unwrap();
    }
    assert!(!now.contains("TODO"), "a cause is missing in {}:\n{now}", file.display());
    assert_eq!(now, fs::read_to_string(&file).unwrap(), "WARPBOOK_BLESS=1 writes the numbers anew");
}
