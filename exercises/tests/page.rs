//! The grader that pages have, against `warpbook exercise check`: the same verdict, message and grade for every text.

use std::path::Path;

use exercises::built::{Build, Maker};
use exercises::bundle::Bundle;
use exercises::compiler::Compiler;
use exercises::course::{Course, Exercise};
use exercises::page::{self, Request, module, requests};
use exercises::state::State;
use exercises::{Bench, GradeError, prebuild};
use kernels::testing;
use rayon::prelude::*;
use serde_json::{Value, json};

/// What the ordinary tests try: each kind of exercise, and one whose starter is right and costs too much.
const SAMPLE: [&str; 5] = ["stride_costs", "block_sum", "across_warps", "padding_macro", "up_sweep"];

/// Most bytes of what a page fetches for one exercise, compressed.
const MOST: usize = 300_000;

fn course() -> Course {
    Course::load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The compilers, or why the test does not run.
fn compilers(what: &str) -> Option<[(Maker, Box<dyn Compiler>); 3]> {
    let all = prebuild::MAKERS.map(|maker| (maker, prebuild::compiler(maker)));
    if all.iter().any(|(_, compiler)| compiler.identity().is_none()) {
        testing::not_run(what, "NVRTC or clang is missing");
        return None;
    }
    Some(all)
}

/// What the command line says of a text with a compiler, on the bench that was made with it: that is made once for all texts, as
/// `warpbook dev check` does.
fn checked(course: &Course, (compiler, bench): &(&dyn Compiler, Bench<'_>), text: &str) -> Value {
    let name = &bench.exercise.name;
    let request = Request { exercise: name.clone(), text: text.to_owned(), progress: String::new() };
    let judged = page::judge_on(course, bench.clone(), State::default(), &request, *compiler);
    json!({ "ok": judged.unwrap_or_else(|why| panic!("{name}: {}", why.message)) })
}

/// Holds the module against the command line, and the verdicts on NVRTC's code against those on what the pages' compiler makes.
/// That clang's code gets the same ones is what `warpbook dev check` shows where there is no NVRTC.
fn alike(names: Option<&[&str]>) {
    let Some([(_, nvrtc), _, (_, pages)]) = compilers("the grader of pages against the command line's") else { return };
    let course = course();
    let (nvrtc, pages) = (&*nvrtc, &*pages);
    let asked = |exercise: &&Exercise| names.is_none_or(|names| names.contains(&&*exercise.name));
    // A text takes seconds, most of them in programs that are started: several are judged at a time.
    let judged: Vec<(bool, Vec<String>)> = (course.exercises.par_iter().filter(asked))
        .flat_map(|exercise| {
            let bundle = Bundle::of(&course, exercise).unwrap();
            let texts = requests::texts(&course, exercise, nvrtc).unwrap();
            let on = |compiler| (compiler, Bench::new(&course, exercise, None, compiler).unwrap());
            let (nvrtc, pages) = (on(nvrtc), on(pages));
            let judge = |(what, text): &(String, String)| both(&course, &bundle, (what, text), &nvrtc, &pages);
            texts.par_iter().map(judge).collect::<Vec<_>>()
        })
        .collect();
    let passed = judged.iter().filter(|(passed, _)| *passed).count();
    let failed = judged.len() - passed;
    let wrong: Vec<String> = judged.into_iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{passed} passed, {failed} failed, and differing:\n{}", wrong.join("\n\n"));
    assert!(passed >= 5 && failed >= 20, "{passed} passed, {failed} failed");
}

/// Whether a text passes in a page, and where the verdicts on it differ.
fn both(
    course: &Course,
    bundle: &Bundle,
    (what, text): (&str, &str),
    nvrtc: &(&dyn Compiler, Bench<'_>),
    pages: &(&dyn Compiler, Bench<'_>),
) -> (bool, Vec<String>) {
    let name = &pages.1.exercise.name;
    let request = requests::request(bundle, text, "", pages.0).unwrap().to_string();
    let here: Value = serde_json::from_str(&module::answer(request.as_bytes(), None)).unwrap();
    let mut wrong = Vec::new();
    let command = checked(course, pages, text);
    if here != command {
        wrong.push(format!("{name}, {what}: {}", first_difference(&here, &command)));
    }
    let other = checked(course, nvrtc, text);
    if other["ok"]["passed"] != here["ok"]["passed"] {
        wrong.push(format!(
            "{name}, {what}: NVRTC's code passes: {}, that of the pages' compiler: {}; {}",
            other["ok"]["passed"],
            here["ok"]["passed"],
            here["ok"]["text"].as_str().unwrap_or_default()
        ));
    }
    (here["ok"]["passed"] == true, wrong)
}

/// The first line of the messages, or the first field of the grades, that is not the same.
fn first_difference(here: &Value, there: &Value) -> String {
    let text = |value: &Value| value["ok"]["text"].as_str().unwrap_or_default().to_owned();
    let (own, other) = (text(here), text(there));
    match own.lines().zip(other.lines()).find(|(one, two)| one != two) {
        Some((one, two)) => format!("`{one}` here, `{two}` there"),
        None if own == other => {
            let grades = (&here["ok"]["grade"], &there["ok"]["grade"]);
            let keys = grades.0.as_object().into_iter().flat_map(|fields| fields.keys());
            let field = keys.into_iter().find(|key| grades.0[key.as_str()] != grades.1[key.as_str()]);
            format!("{field:?} differs: {}", here["error"])
        }
        None => format!("{own}\n--- there:\n{other}"),
    }
}

/// The whole course takes minutes, so it is for whoever asks (`.ci/run` does).
#[test]
fn a_page_judges_as_the_command_does() {
    let whole = std::env::var_os("WARPBOOK_WHOLE_COURSE").is_some_and(|value| !value.is_empty());
    alike((!whole).then_some(&SAMPLE[..]));
}

#[test]
fn what_a_page_fetches_is_current_small_and_without_sources() {
    let course = course();
    for exercise in &course.exercises {
        let bundle = Bundle::of(&course, exercise).unwrap_or_else(|why| panic!("{why}"));
        let text = serde_json::to_string(&bundle).unwrap();
        let packed = std::fs::metadata(course.built_file(exercise)).unwrap().len() as usize;
        // What is not packed yet packs at least as well as prose.
        let rest: usize = bundle.kept.texts.values().map(String::len).sum();
        assert!(packed + rest < MOST, "{}: {packed} and {rest} bytes", exercise.name);
        assert_eq!(serde_json::from_str::<Bundle>(&text).unwrap(), bundle, "{}", exercise.name);
        if exercise.has_contract() {
            let solution = std::fs::read_to_string(course.solution_file(exercise)).unwrap();
            let starter = &bundle.kept.texts[&format!("{}/{}.cu", exercise.group, exercise.name)];
            assert_ne!(starter, &solution);
            assert!(
                bundle.kept.texts.keys().all(|path| !path.starts_with("solutions") || path.ends_with(".proof.txt"))
            );
        }
        for case in exercise.cases.iter().filter(|case| case.hidden) {
            assert!(!text.contains(&format!("\"{}\"", case.name)), "{}: {}", exercise.name, case.name);
        }
    }
}

#[test]
fn the_authors_sources_compile_to_what_is_committed() {
    let Some(compilers) = compilers("compiling the authors' sources of exercises again") else { return };
    let course = course();
    for name in SAMPLE {
        let exercise = course.exercise(name).unwrap();
        let compile = |maker: Maker, name: &str, text: &str| {
            let compiler = compilers.iter().find(|(own, _)| *own == maker).map(|(_, compiler)| compiler);
            let made = compiler.expect("one of them").compile(name, text);
            made.map_err(|why| GradeError::Internal(format!("{why:?}")))
        };
        let made = prebuild::make(&course, exercise, &compile).unwrap();
        let committed = Bundle::of(&course, exercise).unwrap().kept.built;
        let names =
            |builds: &[Build]| builds.iter().map(|build| (build.file.clone(), build.compiler)).collect::<Vec<_>>();
        assert_eq!(names(&made.own), names(&committed.own), "{name}");
        assert!(made == committed, "{name}: run `warpbook dev ptx --exercises`");
    }
}

#[test]
fn what_is_no_request_is_told_so() {
    for (request, kind) in [("", "input"), ("{\"op\":\"check\"}", "input"), ("{\"op\":\"dance\"}", "input")] {
        let answer: Value = serde_json::from_str(&module::answer(request.as_bytes(), None)).unwrap();
        assert_eq!(answer["error"]["kind"], kind, "{request}: {answer}");
    }
    let course = course();
    let bundle = Bundle::of(&course, course.exercise("block_sum").unwrap()).unwrap();
    let ask = |request: Value| -> Value {
        serde_json::from_str(&module::answer(request.to_string().as_bytes(), None)).unwrap()
    };
    let other = ask(json!({"op": "check", "course": bundle, "exercise": "no_such", "text": ""}));
    assert!(other["error"]["message"].as_str().unwrap().contains("no_such"), "{other}");
    let bare = ask(json!({"op": "check", "course": bundle, "exercise": "block_sum", "text": "x"}));
    assert_eq!(bare["error"]["kind"], "unsupported", "{bare}");
    let starter = ask(json!({"op": "starter", "course": bundle, "exercise": "block_sum"}));
    assert_eq!(starter["ok"]["file"], "block_sum.cu");
    assert!(starter["ok"]["text"].as_str().unwrap().contains("__global__"), "{starter}");
}
