//! A learner at work, as somebody types it: first answers that count, and the way from a failing check to its cause.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use exercises::course::{Course, Kind};
use kernels::testing::compiler_for;
use serde_json::Value;

#[path = "shared/course.rs"]
mod course;

fn warpbook(course: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpbook")).args(words).current_dir(course).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}\n{}", text(output)))
}

/// A folder with a copy of the course that can be worked in.
fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    course::copy(folder.path());
    folder
}

const WRONG: &str = "wavefronts-2: 4\nwavefronts-32: 1\nwavefronts-33: 33\nsectors-2: 4\n";

/// The answers that get every point, from what a check shows.
fn truths(grade: &Value) -> String {
    let rows = grade["answers"].as_array().unwrap();
    rows.iter().map(|row| format!("{}: {}\n", row["id"].as_str().unwrap(), row["truth"].as_str().unwrap())).collect()
}

#[test]
fn the_first_answers_to_a_prediction_count() {
    if !compiler_for("first answers") {
        return;
    }
    let folder = copy();
    let file = folder.path().join("exercises/00_machine/stride_costs.txt");
    let check =
        || json(&warpbook(folder.path(), &["exercise", "check", "stride_costs", "--json"]))["grades"][0].clone();
    fs::write(&file, WRONG).unwrap();
    let first = check();
    let score = first["score"].as_f64().unwrap();
    assert!(first["passed"] == true && score < 0.5 && first["practice"].is_null(), "{first:#}");

    // The truth has been shown; typing it is practice.
    fs::write(&file, truths(&first)).unwrap();
    let again = check();
    assert_eq!((again["score"].as_f64(), again["practice"].as_f64()), (Some(score), Some(1.0)), "{again:#}");
    assert_eq!(again["answers"][0]["first"], "4");
    let said = text(&warpbook(folder.path(), &["exercise", "check", "stride_costs"]));
    assert!(said.contains("Your first answers count") && said.contains("100 %: they are practice"), "{said}");
    // Nor does starting anew help.
    assert!(warpbook(folder.path(), &["exercise", "reset", "stride_costs"]).status.success());
    fs::write(&file, truths(&first)).unwrap();
    assert_eq!(check()["score"].as_f64(), Some(score));
    let list = text(&warpbook(folder.path(), &["exercise", "list", "stride_costs"]));
    assert!(list.contains(&format!("first answers {:.0} %", 100.0 * score)), "{list}");

    // A class: the exported progress carries the first answers; without it nobody can know them, and the report says so.
    let handed = tempfile::tempdir().unwrap();
    fs::copy(&file, handed.path().join("stride_costs.txt")).unwrap();
    let handed_in = handed.path().display().to_string();
    let course = folder.path().join("exercises").display().to_string();
    let grade = || {
        let words = ["grade", &handed_in, "--exercises", &course, "--only", "stride_costs", "--json"];
        json(&warpbook(folder.path(), &words))["submissions"][0]["exercises"][0].clone()
    };
    let alone = grade();
    assert_eq!(alone["points"], alone["max_points"]);
    assert!(alone["message"].as_str().unwrap().contains("whether they are the first is not known"), "{alone:#}");
    let export = handed.path().join("warpbook-progress.txt").display().to_string();
    assert!(warpbook(folder.path(), &["exercise", "export", &export]).status.success());
    let with_progress = grade();
    let share = with_progress["points"].as_f64().unwrap() / with_progress["max_points"].as_f64().unwrap();
    assert!((share - score).abs() < 1e-9, "{with_progress:#}");
    assert!(with_progress["message"].as_str().unwrap().contains("for the first answers"), "{with_progress:#}");
}

#[test]
fn a_state_of_an_older_program_is_read_and_nothing_in_it_is_lost() {
    if !compiler_for("an older state") {
        return;
    }
    let folder = copy();
    let state = folder.path().join("exercises/.warpbook-state.txt");
    fs::write(&state, "# my notes\npath all\ndone stride_costs 38%\ndone gone_exercise\nfuture x y\n").unwrap();
    let file = folder.path().join("exercises/00_machine/stride_costs.txt");
    fs::write(&file, WRONG).unwrap();
    let grade = json(&warpbook(folder.path(), &["exercise", "check", "stride_costs", "--json"]))["grades"][0].clone();
    fs::write(&file, truths(&grade)).unwrap();
    let grade = json(&warpbook(folder.path(), &["exercise", "check", "stride_costs", "--json"]))["grades"][0].clone();
    assert_eq!((grade["score"].as_f64(), grade["practice"].as_f64()), (Some(0.38), Some(1.0)), "{grade:#}");
    assert!(warpbook(folder.path(), &["exercise", "skip", "block_sum"]).status.success());
    let kept = fs::read_to_string(&state).unwrap();
    for line in ["# my notes", "done stride_costs 38%", "done gone_exercise", "future x y", "skipped block_sum"] {
        assert!(kept.lines().any(|own| own == line), "`{line}` is not in\n{kept}");
    }
    assert!(!kept.contains("answer stride_costs"), "later answers are no first ones:\n{kept}");
}

/// A check with a failing case, and the launch file that it names.
fn failing(folder: &Path, name: &str) -> (Value, PathBuf) {
    let checked = json(&warpbook(folder, &["exercise", "check", name, "--json"]));
    let replay = checked["replay"].as_str().unwrap_or_else(|| panic!("{name}: {checked:#}")).to_owned();
    (checked["grades"][0].clone(), PathBuf::from(replay))
}

#[test]
fn the_command_that_a_failing_check_prints_shows_the_same_again() {
    if !compiler_for("the commands of failing checks") {
        return;
    }
    let folder = copy();
    // Wrong results, findings, costs; one launch and several; whole numbers and floats; inputs that are large and small.
    for name in ["block_sum", "in_place_scan", "listing_scan", "merge_race", "strip_table", "box_mean", "run_lengths"] {
        let (grade, replay) = failing(folder.path(), name);
        let said = text(&warpbook(folder.path(), &["exercise", "check", name]));
        let command = said
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("warpbook sim "))
            .unwrap_or_else(|| panic!("{said}"));
        let file = command.trim_start_matches("warpbook sim ");
        assert_eq!(fs::canonicalize(folder.path().join(file)).unwrap(), fs::canonicalize(&replay).unwrap());
        let again = warpbook(folder.path(), &["sim", file, "--json"]);
        let report = json(&again);
        let number: usize = said.split("--case ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        let case = &grade["cases"][number - 1];
        // The same findings, of the same kinds at the same lines.
        let places = |findings: &Value| -> Vec<(String, u64)> {
            let list = findings.as_array().cloned().unwrap_or_default();
            list.iter().map(|one| (one["kind"].as_str().unwrap().to_owned(), one["line"].as_u64().unwrap())).collect()
        };
        let launches = report["launches"].as_array().cloned().unwrap_or_else(|| vec![report.clone()]);
        let seen: Vec<(String, u64)> = launches.iter().flat_map(|launch| places(&launch["findings"])).collect();
        assert_eq!(seen, places(&case["findings"]), "{name}: {command}");
        // As many wrong elements, the same first one.
        let wrong: u64 =
            report["comparisons"].as_array().into_iter().flatten().map(|one| one["wrong"].as_u64().unwrap()).sum();
        assert_eq!(wrong, case["wrong"].as_u64().unwrap(), "{name}: {report:#}");
        let fails = wrong > 0 || !seen.is_empty();
        assert_eq!(again.status.code(), Some(i32::from(fails)), "{name}: {}", text(&again));
        if let Some(first) = case["first_wrong"].get(0) {
            let plain = text(&warpbook(folder.path(), &["sim", file]));
            let begins = format!("buffer `{}`", first["output"].as_str().unwrap());
            let line = plain.lines().find(|line| line.starts_with(&begins)).unwrap_or_default();
            let (place, expected) = (format!("[{}]: ", first["index"]), first["expected"].as_str().unwrap());
            assert!(line.contains(&place) && line.contains(expected), "{name}: {first} is not in\n{plain}");
        }
    }
}

#[test]
fn a_learner_looks_at_the_failing_input() {
    if !compiler_for("--case, --show and --access") {
        return;
    }
    let folder = copy();
    let file = folder.path().join("exercises/00_machine/block_sum.cu");
    let source = fs::read_to_string(&file).unwrap();
    let print = "if (t < 2) printf(\"thread %d has %d\\n\", t, partial[t]);\n    if (t == 0) out[blockIdx.x]";
    let loud = source.replace("if (t == 0) out[blockIdx.x]", print);
    assert_ne!(loud, source);
    fs::write(&file, loud).unwrap();
    let check = |words: &[&str]| {
        let mut all = vec!["exercise", "check", "block_sum"];
        all.extend(words);
        let output = warpbook(folder.path(), &all);
        (output.status.code(), text(&output))
    };
    let (code, said) = check(&[]);
    assert!(code == Some(1) && said.contains("Printed by the kernel") && said.contains("  thread 0 has "), "{said}");

    let (code, said) = check(&["--case", "3"]);
    // What it prints is more than the contract allows, and all that is wrong with it.
    assert!(code == Some(1) && said.contains("the result is right: for 1 of 1 input"), "{said}");
    let state = folder.path().join("exercises/.warpbook-state.txt");
    let state = || fs::read_to_string(&state).unwrap_or_default();
    assert!(!state().contains("done block_sum"), "one input is not all:\n{}", state());
    let (_, by_name) = check(&["--case", "one element"]);
    assert_eq!(by_name, said);

    let (_, shown) = check(&["--case", "1", "--show"]);
    for part in
        ["n = 256", "block_sum<<<1, 256>>>(out, in, n)", "in, 256 elements of type i32", "and 192 more", "expected"]
    {
        assert!(shown.contains(part), "no `{part}` in\n{shown}");
    }
    let (_, drawn) = check(&["--case", "1", "--access", "all"]);
    assert!(drawn.contains("wavefronts") && drawn.contains("lanes"), "{drawn}");
    let (code, none) = check(&["--case", "9"]);
    assert!(code == Some(2) && none.contains("1  one full block"), "{none}");
    let output = warpbook(folder.path(), &["exercise", "check", "stride_costs", "--show"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));

    // A flood is cut.
    let flood = source.replace(
        "if (t == 0) out[blockIdx.x]",
        "for (int k = 0; k < 500; ++k) printf(\"%d\\n\", k);\n    if (t == 0) out[blockIdx.x]",
    );
    fs::write(&file, flood).unwrap();
    let (_, said) = check(&[]);
    assert!(said.lines().count() < 100 && said.contains("the beginning of what"), "{said}");
}

#[test]
fn a_check_of_everything_is_a_line_each_and_the_next_step() {
    if !compiler_for("checking everything") {
        return;
    }
    let folder = copy();
    let output = warpbook(folder.path(), &["exercise", "check"]);
    let said = text(&output);
    let course = Course::load(&folder.path().join("exercises")).unwrap();
    assert!(said.lines().count() <= course.exercises.len() + 4, "{said}");
    for exercise in &course.exercises {
        assert!(said.lines().any(|line| line.split_whitespace().any(|word| word == exercise.name)), "{said}");
    }
    assert!(said.contains("Next: edit ") && said.contains("warpbook exercise check stride_costs"), "{said}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_sections_that_exercises_name_are_in_the_book() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let course = Course::load(&root.join("exercises")).unwrap();
    for exercise in &course.exercises {
        let section = exercise.section.as_deref().unwrap_or_else(|| panic!("{} names no section", exercise.name));
        let (file, anchor) = section.split_once('#').map_or((section, None), |(file, anchor)| (file, Some(anchor)));
        let text =
            fs::read_to_string(root.join("book/chapters").join(file)).unwrap_or_else(|why| panic!("{section}: {why}"));
        let Some(anchor) = anchor else { continue };
        // As mdBook makes identifiers of headings.
        let headings = text.lines().filter(|line| line.starts_with('#'));
        let mut ids = headings.map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
        });
        assert!(ids.any(|id| id == anchor), "{}: {file} has no #{anchor}", exercise.name);
    }
    assert!(course.exercises.iter().any(|one| one.kind == Kind::Improve));
    // Each kind of finding has its page, made from this text.
    for kind in sim::report::FindingKind::ALL {
        let page = root.join("book/reference").join(format!("{}.md", kind.name()));
        assert!(page.is_file(), "no page for {}", kind.name());
    }
}
