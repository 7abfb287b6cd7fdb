//! The repository's own course, graded for real: with NVRTC and the simulator. That all of it is sound, `warpbook dev check`
//! proves; here are the parts that prove, grade and guide.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

use exercises::audit::{self, CourseReport};
use exercises::compiler::{Cached, Local};
use exercises::desk::{self, Asked, Filter, Whose};
use exercises::grade::CheckKind;
use exercises::runner::{self, Event, Inputs};
use exercises::state::{State, Way};
use exercises::{Bench, Course, Depth, Grade, feedback, grade};
use kernels::testing::compiler_for;

fn course() -> Course {
    Course::load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// A copy of some exercises that can be spoiled.
struct Copy {
    folder: tempfile::TempDir,
}

impl Copy {
    fn of(names: &[&str]) -> Self {
        let (folder, course) = (tempfile::tempdir().unwrap(), course());
        let mut info = "format = 2\ntitle = \"A copy\"\n".to_owned();
        for group in &course.groups {
            let of_group =
                course.exercises.iter().filter(|one| one.group == group.dir && names.contains(&one.name.as_str()));
            let list: Vec<String> = of_group.map(|one| format!("{:?}", one.name)).collect();
            info += &format!(
                "[[group]]\ndir = {:?}\ntitle = {:?}\nexercises = [{}]\n",
                group.dir,
                group.title,
                list.join(", ")
            );
        }
        for name in names {
            let exercise = course.exercise(name).unwrap();
            let mut files =
                vec![course.spec_file(exercise), course.solution_file(exercise), course.proof_file(exercise)];
            files.extend([course.reference_file(exercise), course.sibling_file(exercise)]);
            files.extend([course.learner_file(exercise), course.kernel_file(exercise)]);
            for folder in [course.wrong_folder(exercise), course.right_folder(exercise)] {
                let inside = std::fs::read_dir(folder);
                files.extend(inside.into_iter().flatten().map(|entry| entry.unwrap().path()));
            }
            for file in files.iter().filter(|file| file.is_file()) {
                let to = folder.path().join(file.strip_prefix(&course.dir).unwrap());
                std::fs::create_dir_all(to.parent().unwrap()).unwrap();
                std::fs::copy(file, &to).unwrap();
                if to.extension().is_some_and(|ending| ending == "toml") {
                    // What comes before may not be in the copy.
                    let text = std::fs::read_to_string(&to).unwrap();
                    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("after = ")).collect();
                    std::fs::write(&to, kept.join("\n")).unwrap();
                }
            }
        }
        std::fs::write(folder.path().join("info.toml"), info).unwrap();
        Self { folder }
    }

    fn course(&self) -> Course {
        Course::load(self.folder.path()).unwrap()
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Changes a file.
    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.path(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no `{from}`");
        std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    fn audit(&self) -> CourseReport {
        audit::check_course(&self.course(), &[], &Cached::new(Local::default())).unwrap()
    }

    /// Demands that a problem is found.
    fn finds(&self, problem: &str) {
        let text = self.audit().text().replace(&self.folder.path().display().to_string(), "course");
        assert!(text.contains(problem) && text.contains("not sound"), "`{problem}` is missing in\n{text}");
    }
}

#[test]
fn learners_files_are_what_solutions_generate() {
    let course = course();
    for exercise in &course.exercises {
        for (path, text) in course.starters(exercise).unwrap() {
            assert_eq!(
                std::fs::read_to_string(&path).unwrap(),
                text,
                "{}: type `warpbook dev starters`",
                path.display()
            );
        }
    }
}

#[test]
fn faults_of_a_course_are_found() {
    if !compiler_for("the faults that the course's proof must find") {
        return;
    }
    let copy = Copy::of(&["stride_costs", "bank_rows", "block_sum"]);
    let report = copy.audit();
    assert!(report.passed, "{}", report.text());
    let sum = report.exercises.iter().find(|one| one.name == "block_sum").unwrap();
    assert!(sum.mutants.len() >= 5 && sum.wrong.len() >= 3, "{}", report.text());

    let spec = "solutions/00_machine/block_sum.toml";
    copy.edit(spec, "starter_fails = \"result\"", "starter_fails = \"findings\"");
    copy.finds("the starter fails result, contract, and should first fail findings");
    copy.edit(spec, "starter_fails = \"findings\"", "starter_fails = \"result\"");

    copy.edit("00_machine/block_sum.cu", "TODO", "DONE");
    copy.finds("block_sum.cu is not what its solution generates");
    copy.edit("00_machine/block_sum.cu", "DONE", "TODO");

    copy.edit("wrong/00_machine/block_sum/one_barrier.cu", "// fails: findings, result", "// fails: result");
    copy.finds("wrong solution one_barrier fails findings, result, and should fail result");
    copy.edit("wrong/00_machine/block_sum/one_barrier.cu", "// fails: result", "// fails: findings, result");

    copy.edit(spec, "at_most = 25\nper", "at_most = 0\nper");
    copy.finds(" counted, 0 allowed");
    copy.edit(spec, "at_most = 0\nper", "at_most = 25\nper");

    copy.edit("solutions/00_machine/bank_rows.toml", "answer = 5, because", "answer = 10, because");
    copy.finds("question bank-of-lane-5: the wrong answer `10` is right");
    copy.edit("solutions/00_machine/bank_rows.toml", "answer = 10, because", "answer = 5, because");

    std::fs::write(copy.path("00_machine/notes.txt"), "left over").unwrap();
    copy.finds("problem: 00_machine/notes.txt belongs to no exercise of info.toml");
    std::fs::remove_file(copy.path("00_machine/notes.txt")).unwrap();
    assert!(copy.audit().passed);
}

/// Grades the solution of an exercise after replacing `from` by `to`.
fn graded(name: &str, from: &str, to: &str) -> (String, Grade) {
    let course = course();
    let exercise = course.exercise(name).unwrap();
    let solution = std::fs::read_to_string(course.solution_file(exercise)).unwrap();
    assert!(solution.contains(from), "the solution has no `{from}`");
    let mut grade =
        grade(&course, exercise, "block_sum.cu", &solution.replace(from, to), &Cached::new(Local::default())).unwrap();
    grade.misconception = exercises::misconception::recognise(&course, exercise, &grade).unwrap();
    (feedback::text(exercise, &grade), grade)
}

#[test]
fn feedback_is_the_gap() {
    if !compiler_for("what learners read") {
        return;
    }
    // A barrier too few: a finding with lanes, lines and help, and the misconception behind it.
    let body = "        __syncthreads();\n    }";
    let (text, grade) = graded("block_sum", body, "    }");
    assert_eq!(grade.failed_kinds(), [CheckKind::Findings, CheckKind::Result], "{text}");
    assert!(text.contains("race") && text.contains("lanes") && text.contains("known misconception"), "{text}");
    assert!(text.contains("A round is one instruction of one warp"), "{text}");

    // A wrong result: elements, and who wrote them where.
    let (text, grade) = graded("block_sum", "partial[t] += partial[t + half]", "partial[t] = partial[t + half]");
    assert_eq!(grade.failed_kinds(), [CheckKind::Result], "{text}");
    assert!(
        text.contains("expected") && text.contains("elements are wrong") | text.contains("element is wrong"),
        "{text}"
    );
    let writer = grade.cases[0].first_wrong[0].writer.as_ref().unwrap_or_else(|| panic!("nobody is named: {text}"));
    assert_eq!((writer.block, writer.thread, writer.lane), ([0, 0, 0], [0, 0, 0], 0));
    assert!(text.contains("was written by block 0, thread 0 (warp 0, lane 0) in line"), "{text}");

    // A broken contract: what is counted, what is allowed, and the lines.
    let (text, grade) = graded("coalesced_copy", "i += threads", "i += threads + 0 * per");
    assert!(grade.passed, "{text}");
    let (text, grade) = graded(
        "coalesced_copy",
        "out[i] = 2.0f * in[i]",
        "out[i] = 0.0f + in[i] + in[n - 1 - i] - in[n - 1 - i] + in[i]",
    );
    assert_eq!(grade.failed_kinds(), [CheckKind::Contract], "{text}");
    assert!(text.contains("global loads") && text.contains("line ") && text.contains("at most"), "{text}");

    // A solution is told how far it is from any other, unless that would take for ever.
    let tile = "partial[t] = i < n ? in[i] : 0;";
    let (text, grade) = graded("block_sum", tile, tile);
    assert!(grade.distance.is_some_and(|distance| distance.times() > 1.0) && text.contains("any kernel"), "{text}");
    let slow = format!("{tile} for (int j = 0; n > 99999 && j < n; ++j) partial[t] += in[j];");
    let (text, grade) = graded("block_sum", tile, &slow);
    assert!(grade.passed && grade.distance.is_none(), "{text}");

    // What does not compile is shown at the learner's line.
    let (text, grade) = graded("block_sum", "int half = 128", "int half = 128,");
    assert_eq!(grade.failed_kinds(), [CheckKind::Compile]);
    assert!(text.contains("block_sum.cu("), "{text}");
    assert_eq!(grade.score, 0.0);
}

#[test]
fn hidden_cases_depend_on_the_secret_and_nobody_else_sees_them() {
    if !compiler_for("hidden cases") {
        return;
    }
    let course = course();
    let exercise = course.exercise("block_sum").unwrap();
    let compiler = Cached::new(Local::default());
    let bench = |secret| Bench::new(&course, exercise, secret, &compiler).unwrap();
    let hidden = |bench: &Bench<'_>| bench.instances.iter().find(|one| one.case.hidden).cloned();
    assert!(hidden(&bench(None)).is_none());
    let (one, other) = (hidden(&bench(Some("a"))).unwrap(), hidden(&bench(Some("b"))).unwrap());
    assert_eq!(Some(one.clone()), hidden(&bench(Some("a"))), "the same secret gives the same data");
    assert_ne!(one.buffers[0].content, other.buffers[0].content);
    // A kernel for the sizes that everybody sees is no kernel.
    let solution = std::fs::read_to_string(course.solution_file(exercise)).unwrap();
    let cheat =
        solution.replace("i < n ? in[i] : 0", "(n == 256 || n == 545 || n == 1 || n == 2401) && i < n ? in[i] : 0");
    let grade = bench(Some("a")).grade("block_sum.cu", &cheat, &compiler, Depth::All).unwrap();
    assert!(!grade.passed && grade.hidden_run);
    assert_eq!(grade.score, 0.5, "half of the points are for what everybody sees");
    assert!(grade.checks.iter().all(|check| check.passed || check.hidden));
}

/// A remark is shown and costs nothing, unless the exercise wants none.
#[test]
fn remarks_fail_only_where_an_exercise_says_so() {
    if !compiler_for("remarks in a grade") {
        return;
    }
    let copy = Copy::of(&["block_sum"]);
    let course = copy.course();
    let mut exercise = course.exercise("block_sum").unwrap().clone();
    let solution = std::fs::read_to_string(course.solution_file(&exercise)).unwrap();
    // All lanes write the same value.
    let text = solution.replace("int t = threadIdx.x;", "int t = threadIdx.x; __shared__ int same; same = n;");
    assert_ne!(solution, text);
    let grade = |exercise: &exercises::course::Exercise| {
        let grade = grade(&course, exercise, "block_sum.cu", &text, &Cached::new(Local::default())).unwrap();
        let found = grade.checks.iter().filter(|check| check.kind == CheckKind::Findings).all(|check| check.passed);
        (found, grade)
    };
    let (clean, allowed) = grade(&exercise);
    let case = &allowed.cases[0];
    assert!(clean && case.findings.is_empty() && case.remarks.len() == 1, "{case:?}");
    exercise.run.no_remarks = true;
    let (clean, forbidden) = grade(&exercise);
    let shown = feedback::text(&exercise, &forbidden);
    assert!(!clean && forbidden.cases[0].findings.len() == 1, "{shown}");
    assert!(shown.contains("remark (race): "), "{shown}");
}

#[test]
fn predictions_are_credited_by_distance_and_only_shown_when_all_are_made() {
    if !compiler_for("predictions") {
        return;
    }
    let course = course();
    let exercise = course.exercise("stride_costs").unwrap();
    let answer = |text: &str| {
        let grade = grade(&course, exercise, "stride_costs.txt", text, &Cached::new(Local::default())).unwrap();
        (feedback::text(exercise, &grade), grade)
    };
    let (text, grade) = answer("wavefronts-2: 2\nwavefronts-32: 1\n");
    assert!(!grade.passed && grade.answers.iter().all(|row| row.truth.is_none() && row.credit == 0.0), "{text}");
    assert!(!text.contains("32 * k"), "nothing is told before all predictions are made: {text}");
    let (text, grade) = answer("wavefronts-2: 2\nwavefronts-32: 1\nwavefronts-33: skip\nsectors-2: 9\n");
    let credits: Vec<f64> = grade.answers.iter().map(|row| row.credit).collect();
    assert!(grade.passed, "{text}");
    assert_eq!(credits, [1.0, 0.0, 0.0, 0.5], "{text}");
    assert!(text.contains("One bank for all is the worst case") && text.contains("1 skipped"), "{text}");
    let (text, grade) = answer("wavefronts-2: two\n");
    assert!(!grade.passed && text.contains("`two` is no whole number"), "{text}");
    let (text, _) = answer("wavefronts-3: 2\n");
    assert!(text.contains("this line is no answer to a question: `wavefronts-3: 2`"), "{text}");
}

/// Keys and lines as somebody types them.
struct Typed(VecDeque<&'static str>);

impl Inputs for Typed {
    fn next(&mut self, _: &Path) -> io::Result<Event> {
        Ok(match self.0.pop_front() {
            None => Event::End,
            Some("saved") => Event::Saved,
            Some(key) => Event::Key(key.chars().next().unwrap_or('\n')),
        })
    }

    fn line(&mut self) -> io::Result<Option<String>> {
        Ok(self.0.pop_front().map(str::to_owned))
    }

    fn watches(&self) -> bool {
        true
    }
}

#[test]
fn a_learner_works_through_the_course() {
    if !compiler_for("the runner") {
        return;
    }
    let copy = Copy::of(&["stride_costs", "coalesced_copy", "block_sum"]);
    let course = copy.course();
    let compiler = Cached::new(Local::default());
    let work = |keys: &[&'static str]| {
        let mut out = Vec::new();
        let mut typed = Typed(keys.iter().copied().collect());
        runner::run(&course, &compiler, None, None, &mut typed, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    // The first check comes after the words that one has to wait; n does nothing before the exercise is done.
    let text = work(&["n", "h", "h", "q"]);
    let (wait, verdict) = (text.find("please wait").unwrap(), text.find("stride_costs: not yet").unwrap());
    assert!(wait < verdict && text.contains("not done yet"), "{text}");
    assert!(text.trim_end().ends_with("q:quit ?") && !text.contains("n:next"), "{text}");
    assert_eq!(State::load(&course).unwrap().of("stride_costs").hints, 2);

    std::fs::write(
        copy.path("00_machine/stride_costs.txt"),
        "wavefronts-2: 2\nwavefronts-32: 32\nwavefronts-33: 2\nsectors-2: 8\n",
    )
    .unwrap();
    // Saved: checked, done, and still there; only n goes on.
    let text = work(&["saved", "q"]);
    assert!(text.contains("n:next") && text.contains("1/3"), "{text}");
    assert_eq!(State::load(&course).unwrap().of("stride_costs").first_score, Some(80));
    assert_eq!(State::load(&course).unwrap().current.as_deref(), Some("stride_costs"));
    let text = work(&["n", "s", "l", "/sum", "block_sum", "q"]);
    assert!(text.contains("coalesced_copy: not yet") && text.contains("block_sum: not yet"), "{text}");
    let state = State::load(&course).unwrap();
    assert!(state.of("coalesced_copy").skipped && state.current.as_deref() == Some("block_sum"));

    // Reset asks, and keeps what was there.
    let file = copy.path("00_machine/block_sum.cu");
    let starter = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, "my own work\n").unwrap();
    assert!(work(&["x", "no", "q"]).contains("nothing was changed"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "my own work\n");
    assert!(work(&["x", "y", "q"]).contains("kept: "));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), starter);
    assert_eq!(std::fs::read_to_string(copy.path(".warpbook-backups/block_sum.cu.1")).unwrap(), "my own work\n");

    // All at once.
    let text = work(&["c", "q"]);
    assert!(text.contains("stride_costs                     done"), "{text}");
}

#[test]
fn lists_are_searched_and_filtered() {
    let course = course();
    let mut state = State::default();
    state.progress.entry("block_sum".to_owned()).or_default().done = true;
    let names = |filter: &Filter| -> Vec<String> {
        desk::list(&course, &state, filter).into_iter().map(|entry| entry.name).collect()
    };
    assert_eq!(names(&Filter::default()).len(), course.exercises.len());
    assert_eq!(names(&Filter { done: Some(true), ..Filter::default() }), ["block_sum"]);
    assert!(
        names(&Filter { search: Some("PADDING".to_owned()), ..Filter::default() })
            .contains(&"padding_macro".to_owned())
    );
    let way = Some(Way::Chapter("01_reduction_scan".to_owned()));
    assert!(!names(&Filter { way, ..Filter::default() }).contains(&"block_sum".to_owned()));
    let text =
        desk::list_text(&course, &state, &Filter { search: Some("no such thing".to_owned()), ..Filter::default() });
    assert!(text.contains("no exercise is like that"), "{text}");
}

#[test]
fn files_are_graded_by_their_names() {
    if !compiler_for("grading a file") {
        return;
    }
    let copy = Copy::of(&["block_sum"]);
    let course = copy.course();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("block_sum.cu");
    std::fs::copy(course.solution_file(course.exercise("block_sum").unwrap()), &file).unwrap();
    let compiler = Cached::new(Local::default());
    let check = |what: &str, whose| {
        let asked = Asked { what: Some(what), whose, ..Asked::default() };
        desk::check(&course, &State::default(), &asked, &compiler, None)
    };
    let checked = check(&file.display().to_string(), Whose::Learner).unwrap();
    assert!(checked.passed && checked.exit_code() == 0, "{}", checked.text());
    assert!(checked.text().contains("all public checks passed (hidden: 1)"), "{}", checked.text());
    let strange = folder.path().join("own.cu").display().to_string();
    assert!(check(&strange, Whose::Learner).unwrap_err().to_string().contains("which exercise is"));
    assert_eq!(check("nothing", Whose::Learner).unwrap_err().exit_code(), 2);
    assert!(check("block_sum", Whose::Solution).unwrap().passed);
}
