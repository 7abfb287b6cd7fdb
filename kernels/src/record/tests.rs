//! Tests of recording, as far as they need no GPU.

use super::*;

fn h200(name: &str) -> Properties {
    Properties {
        name: name.to_owned(),
        compute_capability: "9.0".to_owned(),
        sm_count: 132,
        l2_bytes: 1,
        threads_per_sm: 2048,
        shared_optin_bytes: 232_448,
        cuda: "13.0".to_owned(),
        driver: "580.95.05".to_owned(),
    }
}

#[test]
fn a_record_is_only_replaced_by_one_of_the_same_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deeper/scan.h200.json");
    may_replace(&file, &h200("NVIDIA H200")).unwrap();
    write(&file, crate::truth::tests::synthetic("scan", &[]).to_json().as_bytes()).unwrap();
    may_replace(&file, &h200("NVIDIA H200")).unwrap();
    let error = may_replace(&file, &h200("H200")).unwrap_err();
    assert!(error.to_string().contains("is a record of NVIDIA H200, and this is H200"), "{error}");
    write(&file, br#"{"schema": 0, "problem": "scan"}"#).unwrap();
    may_replace(&file, &h200("H200")).unwrap();
    write(&file, b"notes of mine").unwrap();
    assert!(matches!(may_replace(&file, &h200("H200")), Err(RecordError::Old(_))));
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn what_an_interrupted_recording_did_is_not_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scan.h200.json");
    let cases = crate::cases::select(&["scan"]).unwrap();
    let mut old = crate::truth::tests::synthetic("scan", &cases);
    let now = Provenance { date: "2027-01-01".to_owned(), ..old.provenance.clone() };
    assert!(!is_there(&file, &now, &cases, 1), "there is no file");
    write(&file, old.to_json().as_bytes()).unwrap();
    assert!(is_there(&file, &now, &cases, 1));
    assert!(!is_there(&file, &now, &cases, 2), "profiled once only");
    assert!(!is_there(&file, &Provenance { driver: "590".to_owned(), ..now.clone() }, &cases, 1));
    assert!(!is_there(&file, &Provenance { code_sha256: "q".to_owned(), ..now.clone() }, &cases, 1));
    old.cases.pop();
    write(&file, old.to_json().as_bytes()).unwrap();
    assert!(!is_there(&file, &now, &cases, 1), "a case is missing");
}

#[test]
fn a_counter_that_is_not_the_same_in_all_profiles_has_a_range() {
    let cases = crate::cases::select(&["scan_naive, tile 64, 1 block"]).unwrap();
    let mut record = crate::truth::tests::synthetic("scan", &cases).cases.remove(0);
    let (steady, noisy) = (EXACT[0].metric.to_owned(), EXACT[1].metric.to_owned());
    let profile = |value: u64| {
        let exact = Metrics::from([(steady.clone(), 7), (noisy.clone(), value)]);
        vec![Measured { exact, context: Metrics::from([("gpu__time_duration.sum".to_owned(), value)]) }]
    };
    let profiles = [profile(5), profile(9), profile(4)];
    record.launches[0].context.clear();
    fill(&mut record, &cases[0], &profiles.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let launch = &record.launches[0];
    assert_eq!((launch.metrics[&steady], launch.metrics[&noisy]), (7, 5));
    assert_eq!(launch.ranges.iter().collect::<Vec<_>>(), [(&noisy, &[4, 9])]);
    assert_eq!(launch.context["gpu__time_duration.sum"], 5, "times are the first profile's");
}

#[test]
fn unknown_problems_are_named_with_those_that_exist() {
    let error = select(&["scam".to_owned()]).unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.exit_code()),
        (
            "there is no problem `scam`; there are copy, reduction, scan, array_scan, compaction, histogram, \
             reduce_by_key, summed_area_table, merge_sort, radix_sort",
            2
        )
    );
    assert_eq!(select(&[]).unwrap().len(), problem::all().len());
}

#[test]
fn the_child_is_this_program_with_the_hidden_subcommand() {
    let options = Options { gpu: 3, program: Some("/opt/warpbook".into()), ..Options::default() };
    let line = program(&options, problem::find("scan").unwrap()).unwrap();
    assert_eq!(line, ["/opt/warpbook", "launch-cases", "scan", "--gpu", "3", "--times", "2"]);
    assert_eq!(program(&Options::default(), problem::find("scan").unwrap()).unwrap()[0], env::current_exe().unwrap());
}
