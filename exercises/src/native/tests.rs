//! What is said of runs on a GPU, without one.

use kernels::counters::EXACT;

use super::*;

fn pair(at: usize, simulated: u64, measured: u64) -> Pair {
    let counter = &EXACT[at];
    Pair { metric: counter.metric, label: counter.label, unit: counter.unit.name(), simulated, measured }
}

/// The number of the first exact counter with this unit.
fn of_unit(unit: &str, skip: usize) -> usize {
    let mut found = (0..EXACT.len()).filter(|&at| EXACT[at].unit.name() == unit);
    found.nth(skip).unwrap()
}

fn case(name: &str, median_ns: u64, counters: Vec<Pair>) -> NativeCase {
    NativeCase {
        case: name.to_owned(),
        elements: 64,
        wrong: 0,
        first_wrong: Vec::new(),
        changed_inputs: Vec::new(),
        times: Times { median_ns, min_ns: median_ns, max_ns: median_ns, runs: 30 },
        predicted_us: Some(4.25),
        contract: kin(&counters, std::iter::empty()),
        counters,
    }
}

fn run(outcome: Outcome<NativeCases>) -> NativeRun {
    NativeRun { exercise: "block_sum".to_owned(), on_gpu: OnGpu { gpu: "NVIDIA H200, driver 580".to_owned(), outcome } }
}

#[test]
fn the_kin_of_a_contract_have_its_units() {
    let [first, second] = [0, 1].map(|skip| of_unit("wavefronts", skip));
    let sectors = of_unit("sectors", 0);
    let counters = [pair(first, 0, 0), pair(second, 4, 4), pair(sectors, 7, 7)];
    let named = format!("2 * {} + warpbook__own", EXACT[first].metric);
    let of = |limits: &[&str]| kin(&counters, limits.iter().copied());
    assert_eq!(of(&[&named]), [EXACT[first].metric, EXACT[second].metric], "the named one first, though it is 0");
    assert_eq!(of(&[EXACT[sectors].metric]), [EXACT[sectors].metric]);
    assert_eq!(of(&["warpbook__own"]).len(), 2, "all that are not 0");
}

#[test]
fn a_run_tells_times_and_counters_of_every_case() {
    let sectors = of_unit("sectors", 0);
    let cases = vec![
        case("one block", 4_500, vec![pair(sectors, 12, 12)]),
        case("many blocks", 90_000, vec![pair(sectors, 1200, 1300)]),
    ];
    let run = run(Outcome::Ran(NativeCases { cases, notes: vec!["the driver is old".to_owned()] }));
    assert!(run.agrees(), "counters are no result");
    let text = text::text(&run);
    for part in [
        "NVIDIA H200, driver 580",
        "1: one block",
        "input 2",
        "4.5",
        "90.0",
        "4.2",
        "1 of 1",
        "0 of 1",
        "12 = 12",
        "1200 ≠ 1300",
        EXACT[sectors].label,
        "the grade goes by the simulator's",
        "note: the driver is old",
    ] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
    assert!(!text.contains("compare counters, not times"), "one of the cases is long enough\n{text}");
}

#[test]
fn without_counters_there_is_no_table_of_them() {
    let run = run(Outcome::Ran(NativeCases { cases: vec![case("one block", 4_500, Vec::new())], notes: Vec::new() }));
    let text = text::text(&run);
    assert!(!text.contains("Counters") && !text.contains("counters equal"), "{text}");
    assert!(text.contains("compare counters, not times"), "{text}");
}

#[test]
fn a_wrong_result_is_told_with_its_elements() {
    let mut wrong = case("one block", 4_500, Vec::new());
    wrong.wrong = 3;
    wrong.first_wrong =
        vec![WrongElement { output: "out".to_owned(), index: 5, expected: "42".to_owned(), got: None, writer: None }];
    wrong.changed_inputs = vec!["in".to_owned()];
    let run = run(Outcome::Ran(NativeCases { cases: vec![wrong], notes: Vec::new() }));
    assert!(!run.agrees());
    let text = text::text(&run);
    for part in ["3 wrong", "out[5]", "never written", "3 of 64 elements are wrong", "changed `in`", "report this"] {
        assert!(text.contains(part), "`{part}` is missing in\n{text}");
    }
}

#[test]
fn what_did_not_run_says_why() {
    let text = text::text(&run(Outcome::NotRun { why: "its result is wrong".to_owned() }));
    assert_eq!(text, "Not run on the GPU (NVIDIA H200, driver 580): its result is wrong.\n");
    let failed = run(Outcome::Failed { why: "it was stopped".to_owned() });
    assert!(!failed.agrees() && text::text(&failed).contains("did not come to its end: it was stopped"));
    let json = serde_json::to_value(&failed).unwrap();
    assert_eq!((&json["outcome"], &json["why"]), (&"failed".into(), &"it was stopped".into()));
}
