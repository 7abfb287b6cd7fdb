//! A machine without NVRTC: clang compiles, and an exercise is solved, checked and graded with the same verdicts.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kernels::compile::{self, Compiler, Options, Source};
use kernels::testing;
use serde_json::Value;

#[path = "shared/course.rs"]
mod course;

/// The command on a machine whose NVRTC and nvcc are nowhere.
fn warpbook(course: &Path, words: &[&str]) -> Output {
    let nowhere = course.join("nowhere");
    Command::new(env!("CARGO_BIN_EXE_warpbook"))
        .args(words)
        .current_dir(course)
        .env("WARPBOOK_NVRTC", &nowhere)
        .env("WARPBOOK_NVCC", &nowhere)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|why| panic!("{why}\n{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn an_exercise_is_solved_with_clang() {
    if !testing::clang_for("solving an exercise without NVRTC") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    course::copy(folder.path());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("exercises");
    let file = folder.path().join("exercises/00_machine/block_sum.cu");
    let check = || json(&warpbook(folder.path(), &["exercise", "check", "block_sum", "--json"]))["grades"][0].clone();
    assert_eq!(check()["passed"], false, "the starter");
    fs::copy(root.join("solutions/00_machine/block_sum.cu"), &file).unwrap();
    let grade = check();
    assert_eq!(grade["passed"], true, "{grade:#}");
}

#[test]
fn a_report_names_clang() {
    if !testing::clang_for("simulating a file without NVRTC") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.cu"), "__global__ void k(int *p) { p[threadIdx.x] = 1; }\n").unwrap();
    let words = ["sim", "k.cu", "--grid", "1", "--block", "32", "--arg", "i32[32]=zeros", "--json"];
    let report = json(&warpbook(folder.path(), &words));
    assert_eq!(report["compiler"]["name"], "clang", "{:#}", report["compiler"]);
    let source = Source { name: "k.cu", text: "__global__ void k() {}\n" };
    let compiled = compile::compile_source(&source, &Options::with(Compiler::Clang)).unwrap();
    assert_eq!(report["compiler"]["version"], compiled.build.as_str());
}
