//! What a mistake in a course's files is told like.

use std::path::Path;

use crate::course::Course;

const SPEC: &str = r#"
title = "Copy"
kind = "make"
minutes = 5
objectives = ["copy"]
hints = ["a", "b", "c"]
explanation = "so"
starter_fails = "result"
[run.in]
in = "i32[n]=whole(0, 9)"
[run.out]
out = "i32[n]"
[[run.launch]]
kernel = "copy"
grid = 1
block = "n"
args = ["out", "in"]
[[case]]
name = "one"
let = { n = 1 }
[[contract]]
label = "loads"
counter = "smsp__sass_inst_executed_op_global_ld.sum"
at_most = 1
meaning = "one"
"#;

/// Loads a course of one exercise, after a change of its file.
fn load(from: &str, to: &str) -> Result<Course, String> {
    let folder = tempfile::tempdir().unwrap();
    assert!(SPEC.contains(from), "`{from}` is not in the file");
    write(
        folder.path(),
        "info.toml",
        "format = 2\ntitle = \"T\"\n[[group]]\ndir = \"g\"\ntitle = \"G\"\nexercises = [\"e\"]\n",
    );
    write(folder.path(), "solutions/g/e.toml", &SPEC.replacen(from, to, 1));
    Course::load(folder.path()).map_err(|why| why.to_string().replace(&folder.path().display().to_string(), "course"))
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_course_is_read() {
    let course = load("title", "title").unwrap();
    let exercise = course.exercise("e").unwrap();
    assert_eq!((exercise.points, exercise.run.budget, exercise.cases.len()), (10, 2_000_000, 1));
    assert!(course.learner_file(exercise).ends_with("g/e.cu"));
    assert!(course.exercise("f").unwrap_err().to_string().contains("there is e"));
}

#[test]
fn mistakes_are_named() {
    for (from, to, part) in [
        ("minutes = 5", "minutes = \"5\"", "e.toml:4:11"),
        ("minutes = 5", "minuts = 5", "unknown field `minuts`"),
        ("minutes = 5", "minutes = 0", "at least a minute"),
        ("\"make\"", "\"mend\"", "unknown variant `mend`"),
        ("\"make\"", "\"predict\"", "an exercise to predict asks something"),
        ("[\"a\", \"b\", \"c\"]", "[\"a\", \"b\"]", "there are three hints, not 2"),
        ("[\"a\", \"b\", \"c\"]", "[\"a\", \"b\", \" \"]", "there are three hints, not 2"),
        ("explanation = \"so\"", "explanation = \" \"", "the explanation is empty"),
        ("[\"copy\"]", "[]", "at least one objective"),
        ("starter_fails = \"result\"", "", "`starter_fails` is missing"),
        (
            "starter_fails = \"result\"",
            "after = [\"e\"]\nstarter_fails = \"result\"",
            "names `e`, which is no exercise before",
        ),
        ("\"make\"", "\"improve\"", "names the `edit` that `warpbook sim --advice` should suggest"),
        ("kind = \"make\"", "kind = \"make\"\nedit = \"pad\"", "an exercise to improve, and no other"),
        ("kind = \"make\"", "kind = \"improve\"\nedit = \"padding\"", "unknown variant `padding`"),
        ("name = \"one\"", "name = \"one\"\nhidden = true", "at least one case that is not hidden"),
        ("[run.out]\nout", "[run.out]\nin", "two buffers called `in`"),
        ("[run.out]\nout", "[run.out]\n\"a b\"", "`a b` cannot name a buffer"),
        ("op_global_ld.sum", "op_global_load.sum", "there is no counter `smsp__sass_inst_executed_op_global_load.sum`"),
        ("at_most = 1", "at_most = 1\nequals = 1", "needs one of `at_most`, `at_least` and `equals`"),
        ("at_most = 1", "at_most = 1\nper = \"element\"", "set `elements`"),
        ("at_most = 1", "at_most = 1\ncases = [\"two\"]", "names no case: `two`"),
        (
            "[[contract]]",
            "[[loosened]]\nbound = \"speed\"\nbecause = \"x\"\n[[contract]]",
            "names `speed`, which is no bound",
        ),
        ("[[contract]]", "[[loosened]]\nbound = \"barriers\"\n[[contract]]", "missing field `because`"),
        ("[[contract]]", "[[loosened]]\nbound = \"barriers\"\nbecause = \" \"\n[[contract]]", "without a reason"),
        (
            "[[contract]]",
            "[[loosened]]\nbound = \"barriers\"\ntimes = 2\nat_most = 9\nbecause = \"x\"\n[[contract]]",
            "one of `times` (from 1 on) and `at_most`",
        ),
        (
            "[[contract]]",
            "[[loosened]]\nbound = \"barriers\"\ncases = [\"two\"]\nbecause = \"x\"\n[[contract]]",
            "names no case: `two`",
        ),
        ("[[contract]]", "[large]\nname = \"much\"\n[[contract]]", "`large` is for a challenge"),
        (
            "[run.in]",
            "challenge = true\n[large]\nname = \"much\"\nhidden = true\n[run.in]",
            "the `large` input is never hidden",
        ),
        ("grid = 1", "grid = { x = 1 }", "a number or an expression belongs here"),
    ] {
        let why = load(from, to).unwrap_err();
        assert!(why.contains(part), "{to}: {why}");
    }
}
