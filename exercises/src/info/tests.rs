//! What a mistake in `info.toml` is called, and where it is.

use expect_test::{Expect, expect};

use super::*;

const GOOD: &str = r#"
format = 1
title = "A course"

[[exercise]]
name = "padding"
title = "Padding"
dir = "01_scan"
kind = "repair"
minutes = 5
prerequisites = []
objectives = ["Pad"]
hints = ["one", "two", "three"]
explanation = "Because."
starter_fails = "contract"

[exercise.run]
kernel = "k"
problem = "exclusive-scan"
budget = 1000

[[exercise.run.input]]
name = "small"
values = { count = 64, tile = 64 }
grid = 1
block = [32, 1, 1]
seed = 1

[[exercise.run.contract]]
label = "additions"
counter = "fadd.sum"
at_most = { bound = "tree-additions" }
meaning = "few"
"#;

/// The message after replacing `from` by `to` in a good file.
fn check(from: &str, to: &str, expected: Expect) {
    assert_eq!(GOOD.matches(from).count(), 1, "`{from}` is there once");
    let message = parse(Path::new("course"), "info.toml", &GOOD.replace(from, to)).unwrap_err().to_string();
    expected.assert_eq(&message);
}

#[test]
fn a_good_file_is_read() {
    let course = parse(Path::new("course"), "info.toml", GOOD).unwrap();
    let exercise = course.exercise("padding").unwrap();
    assert_eq!(exercise.run.inputs[0].block.count(), 32);
    assert_eq!(exercise.run.inputs[0].shared, 0, "no dynamic shared memory unless the file says so");
    assert_eq!(course.learner_file(exercise), Path::new("course/01_scan/padding.cu"));
    assert_eq!(course.solution_file(exercise), Path::new("course/solutions/01_scan/padding.cu"));
    assert_eq!(course.wrong_folder(exercise), Path::new("course/wrong/01_scan/padding"));
}

#[test]
fn grammar_types_and_keys_are_located() {
    check(
        "minutes = 5",
        "minutes =",
        expect![[r#"
        string values must be quoted, expected literal string
          --> info.toml:10:10
           |
        10 | minutes =
           |          ^"#]],
    );
    check(
        "minutes = 5",
        "minutes = \"long\"",
        expect![[r#"
        invalid type: string "long", expected u32
          --> info.toml:10:11
           |
        10 | minutes = "long"
           |           ^^^^^^"#]],
    );
    check(
        "minutes = 5",
        "minutes = 5\nhours = 1",
        expect![[r#"
        unknown field `hours`, expected one of `name`, `title`, `dir`, `kind`, `minutes`, `prerequisites`, `objectives`, `hints`, `explanation`, `further_reading`, `starter_fails`, `run`
          --> info.toml:11:1
           |
        11 | hours = 1
           | ^^^^^"#]],
    );
    check(
        "kind = \"repair\"",
        "kind = \"mend\"",
        expect![[r#"
        unknown variant `mend`, expected `repair`
         --> info.toml:9:8
          |
        9 | kind = "mend"
          |        ^^^^^^"#]],
    );
    check(
        "explanation = \"Because.\"\n",
        "",
        expect![[r#"
        missing field `explanation`
         --> info.toml:5:1
          |
        5 | [[exercise]]
          | ^^^^^^^^^^^^"#]],
    );
    check(
        "block = [32, 1, 1]",
        "block = [32, 1]",
        expect![[r#"
        an extent is a number such as 4 or three such as [4, 2, 1]
          --> info.toml:26:9
           |
        26 | block = [32, 1]
           |         ^^^^^^^"#]],
    );
    check(
        "grid = 1",
        "grid = 0",
        expect![[r#"
        every extent of a grid or block is at least 1
          --> info.toml:25:8
           |
        25 | grid = 0
           |        ^"#]],
    );
    check(
        "{ bound = \"tree-additions\" }",
        "{ bund = \"tree-additions\" }",
        expect![[r#"
        unknown variant `bund`, expected one of `counter`, `value`, `bound`
          --> info.toml:32:13
           |
        32 | at_most = { bund = "tree-additions" }
           |             ^^^^"#]],
    );
}

#[test]
fn what_is_missing_or_unknown_is_located() {
    check(
        "format = 1",
        "format = 2",
        expect![[r#"
        this course has another format
         --> info.toml:2:10
          |
        2 | format = 2
          |          ^
          |
          = help: this version reads `format = 1`"#]],
    );
    check(
        "name = \"padding\"",
        "name = \"../padding\"",
        expect![[r#"
        `../padding` cannot be a name
         --> info.toml:6:8
          |
        6 | name = "../padding"
          |        ^^^^^^^^^^^^
          |
          = help: use lower-case letters, digits and underscores, such as padding_macro"#]],
    );
    check(
        "\"three\"",
        "\" \"",
        expect![[r#"
        there are three hints, not 2
          --> info.toml:13:9
           |
        13 | hints = ["one", "two", " "]
           |         ^^^^^^^^^^^^^^^^^^^
           |
           = help: a ladder of three: a question, a pointer to the line, a worked sibling"#]],
    );
    check(
        "minutes = 5",
        "minutes = 0",
        expect![[r#"
        an exercise takes at least a minute
          --> info.toml:10:11
           |
        10 | minutes = 0
           |           ^"#]],
    );
    check(
        "[\"Pad\"]",
        "[]",
        expect![[r#"
        an exercise has at least one objective
          --> info.toml:12:14
           |
        12 | objectives = []
           |              ^^
           |
           = help: say what the learner can do afterwards"#]],
    );
    check(
        "\"exclusive-scan\"",
        "\"sort\"",
        expect![[r#"
        no problem is called `sort`
          --> info.toml:19:11
           |
        19 | problem = "sort"
           |           ^^^^^^
           |
           = help: there is exclusive-scan"#]],
    );
    check(
        "tile = 64 }",
        "tile = 63 }",
        expect![[r#"
        a tile of 63 elements is not a power of two from 2 to 65536
          --> info.toml:22:1
           |
        22 | [[exercise.run.input]]
           | ^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: exclusive-scan takes `count`, the number of elements, and `tile`, the elements per thread block (a power of two)"#]],
    );
    check(
        "tile = 64 }",
        "size = 64 }",
        expect![[r#"
        `size` is not a size of this problem
          --> info.toml:22:1
           |
        22 | [[exercise.run.input]]
           | ^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: exclusive-scan takes `count`, the number of elements, and `tile`, the elements per thread block (a power of two)"#]],
    );
    check(
        "\"tree-additions\"",
        "\"additions\"",
        expect![[r#"
        exclusive-scan has no bound called `additions`
          --> info.toml:29:1
           |
        29 | [[exercise.run.contract]]
           | ^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = help: there is input-sectors, output-sectors, tree-additions"#]],
    );
    check(
        "budget = 1000",
        "budget = 0",
        expect![[r#"
        a budget of 0 ends every launch at once
          --> info.toml:20:10
           |
        20 | budget = 0
           |          ^"#]],
    );
}

#[test]
fn names_are_unique() {
    let (head, exercise) = GOOD.split_once("[[exercise]]").unwrap();
    let twice = format!("{head}[[exercise]]{exercise}[[exercise]]{exercise}");
    expect![[r#"
        there are two exercises called `padding`
          --> info.toml:35:8
           |
        35 | name = "padding"
           |        ^^^^^^^^^
           |
           = help: a name belongs to one exercise"#]]
    .assert_eq(&parse(Path::new("course"), "info.toml", &twice).unwrap_err().to_string());
    let input = GOOD.split_once("[[exercise.run.input]]").unwrap().1.split_once("[[").unwrap().0;
    let twice = format!("{GOOD}\n[[exercise.run.input]]{input}");
    expect![[r#"
        there are two inputs called `small`
          --> info.toml:35:1
           |
        35 | [[exercise.run.input]]
           | ^^^^^^^^^^^^^^^^^^^^^^"#]]
    .assert_eq(&parse(Path::new("course"), "info.toml", &twice).unwrap_err().to_string());
    let message = parse(Path::new("course"), "info.toml", head).unwrap_err().to_string();
    expect![[r#"
        this course has no exercise
         --> info.toml:2:10
          |
        2 | format = 1
          |          ^
          |
          = help: add an [[exercise]]"#]]
    .assert_eq(&message);
}

#[test]
fn an_empty_or_a_binary_file_is_a_message() {
    expect![[r#"
        missing field `format`
         --> info.toml:1:1
          |
        1 |
          | ^"#]]
    .assert_eq(&parse(Path::new("course"), "info.toml", "").unwrap_err().to_string());
    assert!(parse(Path::new("course"), "info.toml", "\u{0}\u{1}\u{fffd}").is_err());
}
