//! Tests of what changes line by line.

use super::*;
use crate::testing::not_run;
use crate::{nvrtc, regenerate};

#[test]
fn lines_that_moved_are_told_from_lines_that_changed() {
    let old = hashes("a\n b\nc\nd\n");
    let (moved, edited) = align(&old, &hashes("new\na\nb\nC\nd\n"));
    assert_eq!(moved, BTreeMap::from([(1, 2), (2, 3), (3, 4), (4, 5)]));
    assert_eq!(edited, [1, 4]);
    let (moved, edited) = align(&old, &hashes("a\nd\n"));
    assert_eq!((moved, edited), (BTreeMap::from([(1, 1), (4, 2)]), Vec::new()));
}

#[test]
fn a_version_is_stood_for_by_its_largest_small_case() {
    let cases = crate::cases::select(&["scan_naive"]).unwrap();
    let chosen = representative(cases.iter()).unwrap();
    assert!(chosen.threads() <= MOST_THREADS);
    assert!(cases.iter().all(|case| case.threads() <= chosen.threads() || case.threads() > MOST_THREADS));
    let large = cases.iter().filter(|case| case.threads() > MOST_THREADS);
    assert!(representative(large).is_none_or(|chosen| chosen.threads() > MOST_THREADS));
}

/// The files are those of the committed PTX and of the simulator as it is now, and they are about the recorded code.
#[test]
fn the_files_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("truth").join(FOLDER);
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut wanted: Vec<String> = problem::all().iter().map(|problem| format!("{}.json", problem.name)).collect();
    wanted.sort();
    assert_eq!(names, wanted);
    let records = crate::truth::records().unwrap();
    for problem in problem::all() {
        let made = make(problem).unwrap_or_else(|why| panic!("{why}"));
        let file = folder.join(format!("{}.json", problem.name));
        let there = fs::read_to_string(&file).unwrap();
        assert!(there == made.to_json(), "{}: run `warpbook dev lines`, and look at the difference", file.display());
        for record in records.iter().filter(|record| record.problem == problem.name) {
            assert!(of(problem.name, &record.provenance.code_sha256).is_some(), "{} is of other code", problem.name);
        }
    }
}

#[test]
fn the_same_code_has_no_changes() {
    let committed = ptx::committed("scan").unwrap();
    let baseline = of("scan", &ptx::code_sha256(committed.text)).unwrap();
    let same = changes(baseline, &simulate::module("scan").unwrap(), committed.source).unwrap();
    assert!(same.lines.is_empty() && same.source.is_empty(), "{same:?}");
    assert_eq!(same.file, "scan.cu");
}

/// Whoever changes a padding constant hears which line it is, and which lines pay for it.
#[test]
fn a_changed_padding_constant_is_found_with_its_line() {
    if let Err(why) = regenerate::can_make() {
        return not_run("changes of an edited source, line by line", &why);
    }
    assert!(nvrtc::get().is_ok());
    let committed = ptx::committed("copy").unwrap();
    let (before, after) = ("transpose<1>", "transpose<0>");
    let line = 1 + committed.source.lines().position(|line| line.contains(before)).expect("a padded tile") as u32;
    let source = committed.source.replacen(before, after, 1);
    let made = regenerate::make("copy", &source).unwrap();
    let module = Module::parse("copy.ptx", &made.ptx).unwrap();
    let baseline = of("copy", &ptx::code_sha256(committed.text)).unwrap();
    let changes = changes(baseline, &module, &source).unwrap();
    assert_eq!(changes.source.len(), 1, "{changes:?}");
    assert!(changes.source[0].0 == line && changes.source[0].1.contains(after), "{changes:?}");
    assert!(!changes.lines.is_empty());
    let wavefronts = |changed: &Changed| {
        changed.counters.iter().any(|count| count.metric.contains("wavefronts_mem_shared") && count.now > count.was)
    };
    assert!(changes.lines.iter().any(wavefronts), "{changes:?}");
}
