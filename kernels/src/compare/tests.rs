//! Tests of the comparison on made-up records and results.

use sim::report::FindingKind;

use super::*;
use crate::case;
use crate::check::Check;
use crate::truth::LaunchRecord;
use crate::truth::tests::synthetic;

/// Four cases and a record in which counters and outputs are what [`simulated`] says.
fn setup() -> (Vec<Case>, Record) {
    let cases = case::select(&["scan_naive, tile 64,"]).unwrap();
    let record = synthetic("scan", &cases);
    (cases, record)
}

fn simulated(record: &CaseRecord) -> Simulated {
    let result = Check { right: true, wrong: 0, max_error: 0.0, first: None };
    let report = |launch: &LaunchRecord| Report { metrics: launch.metrics.clone(), ..Report::default() };
    let reports = record.launches.iter().map(report).collect();
    Simulated { result, outputs: record.outputs.clone(), findings: Vec::new(), kinds: Vec::new(), reports }
}

fn rows(cases: &[Case], record: &Record) -> Vec<Row> {
    let row = |(case, record): (&Case, &CaseRecord)| judge(case, simulated(record), Some(record), None);
    cases.iter().zip(&record.cases).map(row).collect()
}

#[test]
fn agreement_is_counted_and_closed_with_one_line() {
    let (cases, record) = setup();
    let summary = summarize(&rows(&cases, &record), &[&record.provenance]);
    assert_eq!(summary.closing, "224 of 224 exact counters agree (H200, recorded 2026-11-21)");
    assert!(summary.agrees && summary.cases == 4 && summary.results_agree == 4);
    let mut later = record.provenance.clone();
    later.date = "2026-12-24".to_owned();
    let summary = summarize(&rows(&cases, &record), &[&record.provenance, &later]);
    assert!(summary.closing.ends_with("(H200, recorded 2026-11-21 to 2026-12-24)"), "{}", summary.closing);
}

#[test]
fn one_different_counter_is_a_disagreement() {
    let (cases, record) = setup();
    let mut rows = rows(&cases, &record);
    let mut ours = simulated(&record.cases[2]);
    *ours.reports[0].metrics.get_mut(EXACT[5].metric).unwrap() += 1;
    ours.reports[0].metrics.remove(EXACT[0].metric); // as the simulator does for a counter that it never touched
    rows[2] = judge(&cases[2], ours, Some(&record.cases[2]), None);
    assert_eq!((rows[2].counters[5].simulated, rows[2].counters[5].measured), (3, Some(2)));
    assert_eq!((rows[2].counters[0].simulated, rows[2].counters[0].agrees), (0, Some(false)));
    assert!(rows[2].results_agree() && !rows[2].counters_agree() && rows[1].counters_agree());
    let summary = summarize(&rows, &[&record.provenance]);
    assert!(!summary.agrees && summary.closing.starts_with("222 of 224 "), "{}", summary.closing);
}

#[test]
fn a_wrong_or_different_result_and_a_finding_are_disagreements() {
    let (cases, record) = setup();
    let judge_one = |change: &dyn Fn(&mut Simulated, &mut CaseRecord, &mut Live)| {
        let mut theirs = record.cases[1].clone();
        let mut ours = simulated(&theirs);
        let mut live = Live { result: ours.result.clone(), same_output: true, times: theirs.times };
        change(&mut ours, &mut theirs, &mut live);
        judge(&cases[1], ours, Some(&theirs), Some(live))
    };
    assert!(judge_one(&|_, _, _| ()).results_agree());
    let wrong = [
        judge_one(&|ours, _, _| ours.result.right = false),
        judge_one(&|ours, _, _| ours.kinds.push(FindingKind::Race)),
        judge_one(&|ours, _, _| ours.outputs[0].blake3.push('0')),
        judge_one(&|_, theirs, _| theirs.right = false),
        judge_one(&|_, _, live| live.same_output = false),
        judge_one(&|_, _, live| live.result.right = false),
    ];
    for row in &wrong {
        assert!(!row.results_agree() && row.counters_agree());
    }
    let summary = summarize(&wrong, &[&record.provenance]);
    assert!(!summary.agrees);
    assert_eq!(summary.closing, "336 of 336 exact counters agree (H200, recorded 2026-11-21); 6 of 6 results do not");
}

#[test]
fn without_a_record_nothing_is_claimed() {
    let (cases, record) = setup();
    let row = judge(&cases[0], simulated(&record.cases[0]), None, None);
    assert!(row.counters.iter().all(|counter| counter.agrees.is_none()));
    let summary = summarize(&[row], &[]);
    assert_eq!(summary.counters, 0);
    assert!(summary.closing.starts_with("no exact counters were compared"));
    let error = compare(&cases, &Against::default(), &|_| ()).unwrap_err();
    assert!(error.to_string().contains("warpbook record scan") && error.exit_code() == 3, "{error}");
}

#[test]
fn a_stale_record_is_an_error_that_names_file_and_command() {
    let (cases, record) = setup();
    let cases: Vec<&Case> = cases.iter().collect();
    check_fresh(&record, &cases, "p").unwrap();
    let why = |record: &Record, code: &str| {
        let error = check_fresh(record, &cases, code).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        let text = error.to_string();
        assert!(text.contains("scan.h200.json") && text.contains("`warpbook record scan`"), "{text}");
        text
    };
    assert!(why(&record, "other").contains("the code of scan.ptx has changed"));
    let mut other = record.clone();
    other.cases.remove(3);
    assert!(why(&other, "p").contains("it has no case `scan_naive, tile 64, 2 blocks + 1`"));
    let mut other = record.clone();
    other.cases[0].launches[0].shape.shared_bytes += 4;
    assert!(why(&other, "p").contains("516 bytes"));
}

#[test]
fn a_counter_that_was_not_recorded_neither_agrees_nor_disagrees() {
    let (cases, mut record) = setup();
    let ours = simulated(&record.cases[0]);
    record.cases[0].launches[0].metrics.remove(EXACT[3].metric);
    check_fresh(&record, &cases.iter().collect::<Vec<_>>(), "p").unwrap();
    let row = judge(&cases[0], ours, Some(&record.cases[0]), None);
    assert_eq!((row.counters[3].measured, row.counters[3].agrees), (None, None));
    let summary = summarize(&[row], &[&record.provenance]);
    assert_eq!((summary.counters, summary.counters_agree, summary.not_recorded), (EXACT.len() - 1, EXACT.len() - 1, 1));
    let wanted = "55 of 55 exact counters agree (H200, recorded 2026-11-21); not recorded: 1";
    assert_eq!(summary.closing, wanted);
}
