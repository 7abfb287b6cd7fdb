//! Snapshots of the messages, on grades that are made up here: the words are tested, not the simulator.

use std::collections::BTreeMap;

use expect_test::expect;
use sim::report::{Finding, FindingKind, LaunchShape};

use super::*;
use crate::course::{Course, Kind, Run};
use crate::grade::{LineSpend, WrongElement};

fn exercise() -> Exercise {
    Exercise {
        name: "padding".to_owned(),
        title: "Padding".to_owned(),
        dir: "01_scan".to_owned(),
        kind: Kind::Repair,
        minutes: 5,
        prerequisites: vec![],
        objectives: vec!["Pad".to_owned()],
        hints: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
        explanation: "Because of the banks.".to_owned(),
        further_reading: vec![crate::course::Link {
            title: "A page".to_owned(),
            url: "https://example.org".to_owned(),
        }],
        starter_fails: CheckKind::Contract,
        run: Run { kernel: "k".into(), problem: "exclusive-scan".into(), budget: 1, inputs: vec![], contract: vec![] },
    }
}

/// A grade with one input, on which everything is right.
fn good() -> Grade {
    let check = |kind: CheckKind| Check { kind, name: kind.name().to_owned(), passed: true, detail: String::new() };
    Grade {
        exercise: "padding".to_owned(),
        file: "exercises/01_scan/padding.cu".to_owned(),
        passed: true,
        checks: [CheckKind::Compile, CheckKind::Findings, CheckKind::Result, CheckKind::Contract].map(check).to_vec(),
        contract: vec![row("load wavefronts", 32, 32), row("store wavefronts", 21, 21)],
        cases: vec![Case {
            input: "one tile of 64".to_owned(),
            values: BTreeMap::from([("count".to_owned(), 64)]),
            seed: 7,
            launch: LaunchShape { grid: [1, 1, 1], block: [32, 1, 1], shared_dynamic: 260, shared_static: 0 },
            elements: 64,
            wrong: 0,
            first_wrong: vec![],
            changed_inputs: vec![],
            findings: vec![],
        }],
        warnings: String::new(),
        hidden: 0,
    }
}

fn row(label: &str, actual: u64, limit: u64) -> ContractRow {
    let line = |line: u32, actual: u64| LineSpend {
        file: "padding.cu".to_owned(),
        line,
        text: format!("the text of line {line};"),
        actual,
        limit: Some(6),
    };
    ContractRow {
        input: "one tile of 64".to_owned(),
        label: label.to_owned(),
        counter: "smsp__counted.sum".to_owned(),
        limit_counter: Some("smsp__limiting.sum".to_owned()),
        limit,
        actual,
        passed: actual <= limit,
        meaning: "one for every instruction".to_owned(),
        lines: vec![line(12, actual.saturating_sub(6)), line(30, 6)],
    }
}

/// Fails the checks of a kind.
fn failed(mut grade: Grade, kind: CheckKind, detail: &str) -> Grade {
    grade.passed = false;
    for check in grade.checks.iter_mut().filter(|check| check.kind == kind) {
        check.passed = false;
        check.detail = detail.to_owned();
    }
    grade
}

#[test]
fn passing_shows_the_cost_the_explanation_and_where_to_read_on() {
    expect![[r#"
        padding: all public checks passed (hidden: 0)

          yes  it compiles
          yes  it runs without a finding: for 1 of 1 input
          yes  the result is right: for 1 of 1 input
          yes  the cost contract is kept: for 1 of 1 input

        What it cost on the input "one tile of 64" (1 block of 32 threads):

          cost             | counted | at most | too much
         ------------------+---------+---------+----------
          load wavefronts  |      32 |      32 |        -
          store wavefronts |      21 |      21 |        -

        Because of the banks.

        Read on:
          A page
            https://example.org
    "#]]
    .assert_eq(&text(&exercise(), &good()));
}

#[test]
fn a_broken_contract_is_a_table_with_the_lines_that_spend_it() {
    let mut grade = failed(good(), CheckKind::Contract, "");
    grade.contract[0] = row("load wavefronts", 1057, 32);
    expect![[r#"
        padding: not yet. exercises/01_scan/padding.cu was graded:

          yes  it compiles
          yes  it runs without a finding: for 1 of 1 input
          yes  the result is right: for 1 of 1 input
          NO   the cost contract is kept: for 0 of 1 input

        The cost contract on the input "one tile of 64" (1 block of 32 threads):

          cost             | counted | at most | too much
         ------------------+---------+---------+----------
          load wavefronts  |   1,057 |      32 |    1,025
          store wavefronts |      21 |      21 |        -

          load wavefronts (at most 32): one for every instruction.
          Counter: smsp__counted.sum
          Limit:   smsp__limiting.sum
            line 12: 1,051 where 6 would do
              the text of line 12;

        Stuck? Type: warpbook exercise hint padding
    "#]]
    .assert_eq(&text(&exercise(), &grade));
}

#[test]
fn a_wrong_result_shows_the_first_elements_and_how_many() {
    let mut grade = failed(good(), CheckKind::Result, "");
    grade.cases[0].wrong = 60;
    let element = |index, got| WrongElement { output: "out".to_owned(), index, expected: 12.0, got };
    grade.cases[0].first_wrong = vec![element(4, Some(5.5)), element(5, None), element(6, Some(f32::NAN))];
    grade.cases[0].changed_inputs = vec!["in".to_owned()];
    expect![[r#"
        padding: not yet. exercises/01_scan/padding.cu was graded:

          yes  it compiles
          yes  it runs without a finding: for 1 of 1 input
          NO   the result is right: for 0 of 1 input
          yes  the cost contract is kept: for 1 of 1 input

        The result on the input "one tile of 64" (1 block of 32 threads), seed 7:

          the kernel changed `in`, which it should only read
          element | expected |           got
         ---------+----------+---------------
          out[4]  |       12 |           5.5
          out[5]  |       12 | never written
          out[6]  |       12 |           NaN

          60 of 64 elements are wrong.

        Stuck? Type: warpbook exercise hint padding
    "#]]
    .assert_eq(&text(&exercise(), &grade));
}

#[test]
fn findings_come_before_results_and_say_who_where_and_how_often() {
    let mut grade = failed(failed(good(), CheckKind::Findings, ""), CheckKind::Contract, "");
    let finding = |line, count, lanes: Vec<u32>| Finding {
        kind: FindingKind::OutOfBounds,
        message: "a store of 4 bytes ends 12 bytes behind shared memory".to_owned(),
        help: "the launch gives 260 bytes of shared memory".to_owned(),
        file: "padding.cu".to_owned(),
        line,
        seed: 0,
        block: [0, 0, 0],
        warp: 0,
        lanes,
        count,
        parties: Vec::new(),
    };
    grade.cases[0].findings = (30..34).map(|line| finding(line, 1500, vec![0, 1, 2, 7, 30, 31])).collect();
    expect![[r#"
        padding: not yet. exercises/01_scan/padding.cu was graded:

          yes  it compiles
          NO   it runs without a finding: for 0 of 1 input
          yes  the result is right: for 1 of 1 input
          NO   the cost contract is kept: for 0 of 1 input

        Findings on the input "one tile of 64" (1 block of 32 threads):

          line 30: out-of-bounds: a store of 4 bytes ends 12 bytes behind shared memory
            block 0, warp 0, lanes 0-2, 7, 30-31, 1,500 times in all
            help: the launch gives 260 bytes of shared memory
          line 31: out-of-bounds: a store of 4 bytes ends 12 bytes behind shared memory
            block 0, warp 0, lanes 0-2, 7, 30-31, 1,500 times in all
            help: the launch gives 260 bytes of shared memory
          line 32: out-of-bounds: a store of 4 bytes ends 12 bytes behind shared memory
            block 0, warp 0, lanes 0-2, 7, 30-31, 1,500 times in all
            help: the launch gives 260 bytes of shared memory
          and 1 more finding

        Stuck? Type: warpbook exercise hint padding
    "#]]
    .assert_eq(&text(&exercise(), &grade));
}

#[test]
fn a_text_that_does_not_compile_gets_the_compilers_message_and_nothing_else() {
    let mut grade = good();
    grade.checks.truncate(1);
    grade.cases.clear();
    grade.contract.clear();
    let grade = failed(grade, CheckKind::Compile, "padding.cu(3): error: expected a \";\"\n\n1 error detected\n");
    expect![[r#"
        padding: not yet. exercises/01_scan/padding.cu was graded:

          NO   it compiles
          --   it runs without a finding: not reached
          --   the result is right: not reached
          --   the cost contract is kept: not reached

          padding.cu(3): error: expected a ";"

          1 error detected

        Stuck? Type: warpbook exercise hint padding
    "#]]
    .assert_eq(&text(&exercise(), &grade));
}

#[test]
fn a_kernel_that_is_gone_is_a_failed_launch() {
    let mut grade = good();
    grade.checks.truncate(1);
    grade.checks.push(Check {
        kind: CheckKind::Launch,
        name: "launch".into(),
        passed: false,
        detail: "no kernel".into(),
    });
    grade.passed = false;
    grade.cases.clear();
    grade.warnings = "padding.cu(3): warning: unused variable".to_owned();
    expect![[r#"
        padding: not yet. exercises/01_scan/padding.cu was graded:

          yes  it compiles
          NO   it can be launched
          --   it runs without a finding: not reached
          --   the result is right: not reached
          --   the cost contract is kept: not reached

        The compiler warns:

          padding.cu(3): warning: unused variable

          no kernel

        Stuck? Type: warpbook exercise hint padding
    "#]]
    .assert_eq(&text(&exercise(), &grade));
}

#[test]
fn numbers_and_lanes_are_written_as_people_do() {
    assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    assert_eq!(ranges(&[0, 1, 2, 7, 30, 31]), "0-2, 7, 30-31");
    assert_eq!(ranges(&[]), "");
}

#[test]
fn a_course_without_an_exercise_of_that_name_says_which_there_are() {
    let course = Course { dir: ".".into(), title: String::new(), exercises: vec![exercise()] };
    let message = course.exercise("pading").unwrap_err().to_string();
    expect![[r#"
        there is no exercise `pading`
        help: there is padding"#]]
    .assert_eq(&message);
}
