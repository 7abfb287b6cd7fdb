//! Tests of the comparison on made-up records and results.

use sim::report::FindingKind;

use super::*;
use crate::cases;
use crate::check::Check;
use crate::truth::LaunchRecord;
use crate::truth::tests::synthetic;

/// Four cases and a record in which counters and outputs are what [`simulated`] says.
fn setup() -> (Vec<Case>, Record) {
    let cases = cases::select(&["scan_naive, tile 64,"]).unwrap();
    let record = synthetic("scan", &cases);
    (cases, record)
}

fn simulated(record: &CaseRecord) -> Simulated {
    let result = Check { right: true, wrong: 0, max_error: 0.0, first: None };
    let report = |launch: &LaunchRecord| Report { metrics: launch.metrics.clone(), ..Report::default() };
    let reports = record.launches.iter().map(report).collect();
    Simulated {
        result,
        outputs: record.outputs.clone(),
        checked: true,
        findings: Vec::new(),
        kinds: Vec::new(),
        reports,
    }
}

/// Nothing is known.
fn nothing() -> &'static Known {
    static NOTHING: Known = Known { capability: String::new(), entries: Vec::new() };
    &NOTHING
}

/// The same as the comparison's, with nothing known.
fn judge(case: &Case, simulated: Simulated, record: Option<&CaseRecord>, live: Option<Live>) -> Row {
    let provenance = synthetic("scan", &[]).provenance;
    let mut usage = Usage::default();
    let record = record.map(|record| (record, &provenance));
    super::judge(case, simulated, record, live, &mut Judge { known: nothing(), usage: &mut usage })
}

fn summarize(rows: &[Row], provenances: &[&Provenance]) -> Summary {
    super::summarize(rows, provenances, Vec::new(), Vec::new())
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
fn a_record_of_other_cases_is_an_error_that_names_file_and_command() {
    let (cases, record) = setup();
    let cases: Vec<&Case> = cases.iter().collect();
    check_cases(&record, &cases).unwrap();
    let why = |record: &Record| {
        let error = check_cases(record, &cases).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        let text = error.to_string();
        assert!(text.contains("scan.h200.json") && text.contains("`warpbook record scan`"), "{text}");
        text
    };
    let mut other = record.clone();
    other.cases.remove(3);
    assert!(why(&other).contains("it has no case `scan_naive, tile 64, 2 blocks + 1`"));
    let mut other = record.clone();
    other.cases[0].launches[0].shape.shared_bytes += 4;
    assert!(why(&other).contains("516 bytes"));
}

#[test]
fn a_counter_that_was_not_recorded_neither_agrees_nor_disagrees() {
    let (cases, mut record) = setup();
    let ours = simulated(&record.cases[0]);
    record.cases[0].launches[0].metrics.remove(EXACT[3].metric);
    check_cases(&record, &cases.iter().collect::<Vec<_>>()).unwrap();
    let row = judge(&cases[0], ours, Some(&record.cases[0]), None);
    assert_eq!((row.counters[3].measured, row.counters[3].agrees), (None, None));
    let summary = summarize(&[row], &[&record.provenance]);
    assert_eq!((summary.counters, summary.counters_agree, summary.not_recorded), (EXACT.len() - 1, EXACT.len() - 1, 1));
    let wanted = "55 of 55 exact counters agree (H200, recorded 2026-11-21); not recorded: 1";
    assert_eq!(summary.closing, wanted);
}

/// An entry of each kind, about the first two counters of the smallest case.
fn two_entries() -> &'static Known {
    let entry = |counter: &str, kind: &str| {
        format!(
            "[[known]]\nproblem = \"scan\"\nversions = [\"scan_naive\"]\ncounters = [\"{counter}\"]\nkind = \"{kind}\"\n\
             cause = \"A test.\"\npage = \"truth.md#x\"\nsince = \"2026-11-21\"\nuntil = \"13.0\"\n"
        )
    };
    let text =
        format!("capability = \"9.0\"\n{}{}", entry(EXACT[0].metric, "lowering"), entry(EXACT[1].metric, "noise"));
    Box::leak(Box::new(Known::parse(&text).unwrap()))
}

#[test]
fn what_is_known_is_no_failure_and_what_is_new_is_one() {
    let (cases, record) = setup();
    let known = two_entries();
    let judged = |change: &dyn Fn(&mut Simulated, &mut CaseRecord)| {
        let mut theirs = record.cases[1].clone();
        let mut ours = simulated(&theirs);
        change(&mut ours, &mut theirs);
        let mut usage = Usage::default();
        let record = Some((&theirs, &record.provenance));
        let row = super::judge(&cases[1], ours, record, None, &mut Judge { known, usage: &mut usage });
        (row, usage)
    };
    let more = |ours: &mut Simulated, index: usize| *ours.reports[0].metrics.get_mut(EXACT[index].metric).unwrap() += 1;

    // Equal: a difference that is known is compared all the same, noise is not.
    let (row, _) = judged(&|_, _| ());
    assert_eq!(
        (row.counters[0].word(), row.counters[1].word(), row.counters[2].word()),
        ("equal", "not repeated", "equal")
    );
    let (row, _) = judged(&|ours, _| (0..3).for_each(|index| more(ours, index)));
    let words: Vec<&str> = row.counters[..3].iter().map(CounterRow::word).collect();
    assert_eq!(words, ["known to differ", "not repeated", "DIFFERS"]);
    assert_eq!(row.counters[0].known.unwrap().page, "truth.md#x");
    assert_eq!(row.counters[0].ratio(), Some(2.0));
    let summary = summarize(std::slice::from_ref(&row), &[&record.provenance]);
    assert!(!summary.agrees && (summary.known, summary.noise) == (1, 1), "{summary:?}");
    assert!(summary.closing.contains("known to differ: 1; not repeated by the hardware: 1"), "{}", summary.closing);

    // What the hardware did not repeat is a failure, too, unless it is known: also where the first profile agrees.
    let spread = |index: usize| {
        let name = EXACT[index].metric.to_owned();
        let (row, usage) = judged(&move |_, theirs| {
            theirs.launches[0].ranges.insert(name.clone(), [1, 9]);
        });
        (row, usage)
    };
    assert_eq!(spread(2).0.counters[2].word(), "DIFFERS");
    let (row, usage) = spread(1);
    assert_eq!((row.counters[1].word(), row.counters[1].range), ("not repeated", Some([1, 9])));
    let all = cases::select(&["scan_naive"]).unwrap();
    let mut usage = usage;
    usage.compared("scan", 0);
    let review = known.review(&usage, &all, &[&record.provenance]);
    assert!(!review.is_empty() && review.iter().all(|sentence| sentence.contains("entry 1 ")), "{review:?}");
    let summary = super::summarize(&[row], &[&record.provenance], review, Vec::new());
    assert!(!summary.agrees && summary.closing.contains("to be looked at in kernels/truth/known.toml"));
}

#[test]
fn the_worst_come_first_and_tables_have_every_counter() {
    let (cases, record) = setup();
    let mut rows = rows(&cases, &record);
    let mut ours = simulated(&record.cases[2]);
    *ours.reports[0].metrics.get_mut(EXACT[5].metric).unwrap() = 3;
    *ours.reports[0].metrics.get_mut(EXACT[6].metric).unwrap() = 200;
    rows[2] = judge(&cases[2], ours, Some(&record.cases[2]), None);
    let summary = summarize(&rows, &[&record.provenance]);
    let comparison = Comparison {
        target: DEFAULT.to_owned(),
        records: Vec::new(),
        live: None,
        rows,
        twins: Vec::new(),
        changes: Vec::new(),
        summary,
    };
    let worst: Vec<&str> = flat::worst(&comparison, &[]).iter().map(|flat| flat.counter.metric).collect();
    assert_eq!(worst, [EXACT[6].metric, EXACT[5].metric]);
    let part = [EXACT[5].metric.to_uppercase()];
    assert_eq!(flat::worst(&comparison, &part).len(), 1);
    let csv = flat::csv(&comparison, &[]).unwrap();
    assert_eq!(csv.lines().count(), 1 + 4 * EXACT.len());
    assert_eq!(csv.lines().next().unwrap(), flat::COLUMNS.join(","));
    assert!(csv.lines().filter(|line| line.contains("DIFFERS")).count() == 2, "{csv}");
    let page = html::page(&comparison, &[]);
    assert!(page.contains("class=\"bad\">DIFFERS") && page.contains("lang=\"en\"") && !page.contains("<script"));
    assert_eq!(page.matches("<table>").count(), page.matches("</table>").count());
}

#[test]
fn two_versions_are_set_side_by_side_in_words() {
    let cases: Vec<Case> = cases::select(&["scan_blelloch", "tile 64, 1 block"])
        .unwrap()
        .into_iter()
        .filter(|case| {
            ["scan_blelloch", "scan_blelloch_padded"].contains(&case.version) && case.name == "tile 512, 1 block"
        })
        .collect();
    let against = Against::recorded(DEFAULT, None).unwrap();
    let comparison = compare(&cases, &against, &|_| ()).unwrap();
    let sides = sides::sides(&comparison, "scan_blelloch", "scan_blelloch_padded", &[]).unwrap();
    assert_eq!((sides.common, &*sides.case), (1, "tile 512, 1 block"));
    let change = sides.changed.iter().find(|change| change.label.contains("wavefronts")).unwrap();
    assert!(change.simulated[0] > change.simulated[1] && change.words().ends_with("times fewer"));
    assert_eq!(change.hardware(), "measured the same");
    assert!(!change.lines[0].is_empty() && change.lines[0][0].0 == "scan.cu", "{change:?}");
    assert!(sides::sides(&comparison, "scan_blelloch", "scan_naive", &[]).is_none());
}

#[test]
fn a_gpu_that_nobody_measured_is_known_to_the_simulator_alone() {
    let cases = cases::select(&["scan_naive, tile 64, 1 block"]).unwrap();
    let against = Against::recorded("a100", None).unwrap();
    assert!(against.records.is_empty());
    let comparison = compare(&cases, &against, &|_| ()).unwrap();
    assert!(comparison.rows[0].counters.iter().all(|counter| counter.word() == "simulator only"));
    assert!(comparison.summary.agrees && comparison.target == "a100");
    let (_, mut record) = setup();
    record.provenance.gpu = "NVIDIA A10".to_owned();
    for (capability, target) in [("8.6", Some("a100")), ("12.0", Some("h200")), ("7.5", Some("v100")), ("0.9", None)] {
        record.provenance.compute_capability = capability.to_owned();
        let against = Against::record(&record, None);
        assert_eq!(against.ok().map(|against| against.simulator.target).as_deref(), target, "{capability}");
    }
}
