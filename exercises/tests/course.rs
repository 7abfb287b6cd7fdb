//! The repository's own course, graded for real: with NVRTC and the simulator.

use std::path::{Path, PathBuf};

use exercises::audit;
use exercises::compiler::{CompileFailure, Compiled, Compiler, Nvrtc};
use exercises::desk::{self, DeskError, Whose};
use exercises::grade::CheckKind;
use exercises::{Course, GradeError, grade};
use expect_test::{expect, expect_file};
use kernels::testing::not_run;

fn course() -> Course {
    Course::load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Whether there is a compiler; says that `what` is not run if there is none.
fn compiler_for(what: &str) -> bool {
    match Nvrtc.compile("probe.cu", "__global__ void probe() {}\n") {
        Ok(_) => true,
        Err(CompileFailure::Missing(why)) => {
            not_run(what, why.lines().next().unwrap_or("there is no NVRTC"));
            false
        }
        Err(CompileFailure::Rejected(log)) => panic!("a kernel that does nothing was rejected: {log}"),
    }
}

/// Grades the exercise's solution after replacing `from` by `to`.
fn graded(from: &str, to: &str) -> (String, exercises::Grade) {
    let course = course();
    let exercise = course.exercise("padding_macro").unwrap();
    let solution = std::fs::read_to_string(course.solution_file(exercise)).unwrap();
    assert!(solution.contains(from), "the solution has no `{from}`");
    let grade = grade(exercise, "my/padding_macro.cu", &solution.replace(from, to), &Nvrtc).unwrap();
    (exercises::feedback::text(exercise, &grade), grade)
}

#[test]
fn starters_are_what_their_solutions_generate() {
    let course = course();
    for exercise in &course.exercises {
        let shipped = std::fs::read_to_string(course.learner_file(exercise)).unwrap();
        assert_eq!(shipped, course.starter(exercise).unwrap(), "{}: type `warpbook dev starters`", exercise.name);
    }
}

#[test]
fn the_course_is_sound_and_every_wrong_solution_is_rejected() {
    if !compiler_for("the proof that every starter fails, every solution passes and every wrong one is rejected") {
        return;
    }
    let report = audit::check_course(&course(), &Nvrtc).unwrap();
    assert!(report.passed, "{}", report.text());
    expect_file!["kill_table.txt"].assert_eq(&report.text());
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn an_unsound_course_is_found_out() {
    if !compiler_for("the faults that the course's proof must find") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    for part in ["01_scan", "solutions", "wrong"] {
        copy(&course().dir.join(part), &dir.join(part));
    }
    let info = std::fs::read_to_string(course().dir.join("info.toml")).unwrap();
    let edit = |path: &str, change: &dyn Fn(&str) -> String| {
        let path = dir.join(path);
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        let new = change(&old);
        assert_ne!(old, new, "{} was changed", path.display());
        std::fs::write(path, new).unwrap();
    };
    let problems = || {
        let report = audit::check_course(&Course::load(dir).unwrap(), &Nvrtc).unwrap();
        assert_eq!(report.passed, report.problems.is_empty() && report.exercises[0].problems.is_empty());
        report.text().replace(&dir.display().to_string(), "course")
    };
    std::fs::write(dir.join("info.toml"), &info).unwrap();
    assert!(problems().ends_with("the course is sound: 1 exercise\n"));

    edit("info.toml", &|old| old.replace("shared_op_ld.sum\"\nat_most", "shared_op_load.sum\"\nat_most"));
    edit("01_scan/padding_macro.cu", &|old| old.replace("TODO", "DONE"));
    edit("01_scan/padding_macro.cu.orig", &|_| "left over".to_owned());
    let solution = std::fs::read_to_string(dir.join("solutions/01_scan/padding_macro.cu")).unwrap();
    let wrong = "wrong/01_scan/padding_macro";
    edit(&format!("{wrong}/accepted.cu"), &|_| format!("// wrong: nothing\n// fails: result\n{solution}"));
    edit(&format!("{wrong}/one_level.cu"), &|old| old.replace("// fails: contract", "// fails: result"));
    edit(&format!("{wrong}/nameless.cu"), &|_| solution.clone());
    edit(&format!("{wrong}/notes.txt"), &|_| "left over".to_owned());
    let text = problems();
    for problem in [
        "problem: 01_scan/padding_macro.cu.orig belongs to no exercise of info.toml",
        "problem: wrong/01_scan/padding_macro/notes.txt belongs to no exercise",
        "problem: course/01_scan/padding_macro.cu is not what its solution generates",
        "problem: `smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_load.sum` is 0 for every input",
        "problem: wrong solution accepted fails nothing, and should fail result",
        "problem: wrong solution one_level fails contract, and should fail result",
        "problem: course/wrong/01_scan/padding_macro/nameless.cu does not begin with",
        "the course is not sound: 7 problems",
    ] {
        assert!(text.contains(problem), "`{problem}` is missing in\n{text}");
    }
}

#[test]
fn authors_get_their_starters_written() {
    let folder = tempfile::tempdir().unwrap();
    copy(&course().dir.join("solutions"), &folder.path().join("solutions"));
    std::fs::copy(course().dir.join("info.toml"), folder.path().join("info.toml")).unwrap();
    let copied = Course::load(folder.path()).unwrap();
    let exercise = copied.exercise("padding_macro").unwrap();
    assert_eq!(audit::write_starters(&copied).unwrap(), [copied.learner_file(exercise)]);
    let read = |course: &Course| std::fs::read_to_string(course.learner_file(exercise)).unwrap();
    assert_eq!(read(&copied), read(&course()));
    assert!(audit::write_starters(&copied).unwrap().is_empty(), "nothing is left to write");
}

#[test]
fn a_starter_that_passes_or_a_solution_that_fails_is_a_problem() {
    if !compiler_for("the detection of a starter that passes") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    copy(&course().dir.join("solutions"), &folder.path().join("solutions"));
    std::fs::copy(course().dir.join("info.toml"), folder.path().join("info.toml")).unwrap();
    let copied = Course::load(folder.path()).unwrap();
    let exercise = copied.exercise("padding_macro").unwrap();
    let (starter, solution) = (copied.starter(exercise).unwrap(), copied.solution_file(exercise));
    std::fs::create_dir_all(folder.path().join("01_scan")).unwrap();
    std::fs::copy(&solution, copied.learner_file(exercise)).unwrap();
    std::fs::write(&solution, starter).unwrap();
    let text = audit::check_course(&copied, &Nvrtc).unwrap().text();
    for problem in [
        "the starter fails nothing, and should fail contract alone",
        "the solution fails contract: one tile of 64: 3 of 5 limits are kept",
        "no markers: the starter would equal the solution",
        "has 0 wrong solutions and needs 5",
    ] {
        assert!(text.contains(problem), "`{problem}` is missing in\n{text}");
    }
}

#[test]
fn the_starter_fails_with_the_lines_that_spend_too_much() {
    if !compiler_for("grading the starter") {
        return;
    }
    let checked = desk::check(&course(), None, Whose::Learner, &Nvrtc).unwrap();
    assert_eq!(checked.exit_code(), 1);
    let grade = &checked.grades[0];
    assert_eq!(grade.failed_kinds(), [CheckKind::Contract]);
    let text = checked.text();
    expect_file!["starter.txt"].assert_eq(&text);
    let json: serde_json::Value = serde_json::from_str(&serde_json::to_string(&checked).unwrap()).unwrap();
    assert_eq!(json["passed"], false);
    assert_eq!(json["grades"][0]["contract"][0]["input"], "one tile of 64");
}

#[test]
fn the_solutions_pass() {
    if !compiler_for("grading the solutions") {
        return;
    }
    let checked = desk::check(&course(), None, Whose::Solution, &Nvrtc).unwrap();
    let text = checked.text();
    expect_file!["solution.txt"].assert_eq(&text);
    assert_eq!(checked.exit_code(), 0);
}

#[test]
fn another_right_solution_passes_too() {
    if !compiler_for("grading a solution that is not ours") {
        return;
    }
    // Divisions instead of shifts, and an inline function instead of a macro.
    let (text, grade) = graded(
        "#define CONFLICT_FREE_OFFSET(n) (((n) >> LOG_NUM_BANKS) + ((n) >> (2 * LOG_NUM_BANKS)))",
        "__device__ inline int CONFLICT_FREE_OFFSET(unsigned n) { return n / 32 + n / 1024; }",
    );
    assert!(grade.passed, "{text}");
}

#[test]
fn compile_errors_stand_at_the_learners_line() {
    if !compiler_for("the message for a text that does not compile") {
        return;
    }
    let (text, grade) = graded("    int t = threadIdx.x;", "    int t = threadIdx.x");
    assert_eq!(grade.failed_kinds(), [CheckKind::Compile]);
    // The missing semicolon is noticed at the line after it. The wording is the compiler's.
    let line = 2 + std::fs::read_to_string(course().solution_file(course().exercise("padding_macro").unwrap()))
        .unwrap()
        .lines()
        .position(|line| line.contains("int t = threadIdx.x;"))
        .unwrap();
    assert!(text.contains(&format!("  my/padding_macro.cu({line}): error: ")), "{text}");
    assert!(text.contains("the result is right: not reached"), "{text}");
}

#[test]
fn a_missing_kernel_lists_those_that_exist() {
    if !compiler_for("the message for a missing kernel") {
        return;
    }
    let (text, grade) = graded("void scan_padded(", "void scan_mine(");
    assert_eq!(grade.failed_kinds(), [CheckKind::Launch]);
    expect![[r#"
        padding_macro: not yet. my/padding_macro.cu was graded:

          yes  it compiles
          NO   it can be launched
          --   it runs without a finding: not reached
          --   the result is right: not reached
          --   the cost contract is kept: not reached

          my/padding_macro.cu has no kernel called `scan_padded`; it has scan_mine
          help: keep the line `extern "C" __global__ void scan_padded(...)` as it was

        Stuck? Type: warpbook exercise hint padding_macro
    "#]]
    .assert_eq(&text);
    let (text, grade) = graded(
        "float *out, const float *in, int count, int tile)",
        "float *out, const float *in, int count) { int tile = 64; out[count] = in[tile]; }\n__device__ void unused(float *out, const float *in, int count, int tile)",
    );
    assert_eq!(grade.failed_kinds(), [CheckKind::Launch], "{text}");
}

#[test]
fn an_endless_loop_ends_with_the_budget() {
    if !compiler_for("the end of an endless loop") {
        return;
    }
    let (text, grade) =
        graded("    int stride = 1;", "    int stride = 1;\n    while (count > 0) { out[0] = stride++; }");
    assert!(grade.failed_kinds().contains(&CheckKind::Findings), "{text}");
    assert!(text.contains("budget"), "{text}");
}

/// A machine without a compiler.
struct NoCompiler;

impl Compiler for NoCompiler {
    fn compile(&self, _: &str, _: &str) -> Result<Compiled, CompileFailure> {
        Err(CompileFailure::Missing("NVRTC is not on this machine: type `warpbook setup`".to_owned()))
    }
}

#[test]
fn without_a_compiler_no_grade_is_given_and_the_exit_code_says_so() {
    let error = desk::check(&course(), Some("padding_macro"), Whose::Learner, &NoCompiler).unwrap_err();
    assert!(matches!(&error, DeskError::Grade(GradeError::NoCompiler(_))));
    assert_eq!((error.exit_code(), error.to_string().contains("warpbook setup")), (3, true));
    assert!(audit::check_course(&course(), &NoCompiler).is_err());
}

#[test]
fn wrong_usage_is_told_apart() {
    let check = |what: &str| desk::check(&course(), Some(what), Whose::Learner, &NoCompiler).unwrap_err();
    let unknown = check("padding");
    assert_eq!(unknown.exit_code(), 2);
    expect![[r#"
        there is no exercise `padding`
        help: there is padding_macro"#]]
    .assert_eq(&unknown.to_string());
    expect![[r#"
        which exercise is some/where.cu? A file is graded by its name
        help: name it after its exercise (padding_macro.cu)"#]]
    .assert_eq(&check("some/where.cu").to_string());
    let unreadable = check("nowhere/padding_macro.cu");
    assert_eq!(unreadable.exit_code(), 2);
    assert!(unreadable.to_string().starts_with("cannot read nowhere/padding_macro.cu: "), "{unreadable}");
}

#[test]
fn a_binary_file_is_unreadable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("padding_macro.cu");
    std::fs::write(&file, [0x7f, b'E', b'L', b'F', 0xff, 0xfe]).unwrap();
    let error = desk::check(&course(), file.to_str(), Whose::Learner, &NoCompiler).unwrap_err();
    assert_eq!(error.exit_code(), 2);
}

#[test]
fn the_course_is_found_from_the_root_from_below_and_by_name() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for from in [root.parent().unwrap().to_owned(), root.clone(), root.join("01_scan"), root.join("src/grade")] {
        assert_eq!(desk::open(None, &from).unwrap().dir, root, "from {}", from.display());
    }
    let nowhere = tempfile::tempdir().unwrap();
    let error = desk::open(None, nowhere.path()).unwrap_err().to_string();
    assert!(error.contains("--exercises DIR"), "{error}");
    assert_eq!(desk::open(Some(&root), nowhere.path()).unwrap().dir, root);
}

#[test]
fn hints_are_a_ladder() {
    let course = course();
    let first = desk::hint(&course, "padding_macro", 1).unwrap();
    assert!(first.ends_with("Still stuck? Type: warpbook exercise hint padding_macro 2\n"), "{first}");
    assert!(!desk::hint(&course, "padding_macro", 3).unwrap().contains("Still stuck"));
    for step in [0, 4, usize::MAX] {
        assert_eq!(desk::hint(&course, "padding_macro", step).unwrap_err().exit_code(), 2);
    }
}

#[test]
fn the_list_says_what_to_edit_and_what_to_type() {
    let text = desk::list_text(&course());
    expect![[r#"
        Parallel algorithms on a simulated and a real GPU

        padding_macro: Fix the padding macro (repair, 15 minutes)
          edit   01_scan/padding_macro.cu
          grade  warpbook exercise check padding_macro
          hint   warpbook exercise hint padding_macro
    "#]]
    .assert_eq(&text);
}
