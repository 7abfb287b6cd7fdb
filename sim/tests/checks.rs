//! Every file of `faulty/` has the findings that it promises, every file of `correct/` has no error.
//!
//! A case is one kernel: hand-written PTX, or CUDA C++ with the PTX that `cargo dev ptx` makes of it beside it. Its header says `expect: KINDS` (kinds of finding, `remark`, or `none`),
//! `launch: GRID BLOCK [SHARED]` and `args: …` (`zeros:BYTES`, `uninit:BYTES`, `iota:COUNT` for u32 words 0, 1, 2, …, or
//! a scalar such as `u32:5`). The lines of the findings are marked where they are: `//~ KIND` for the line that a
//! finding stands at, `//~ party` for the line that its message names as well, `//~ any` where it may be either of two
//! lines. A header `expect: KIND any` has no marks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use sim::report::{Finding, Report, Severity};
use sim::{Arg, Checks, Launch, Module, Options, Scalar, simulate};

/// Orders of blocks, warps and lanes that every case runs in.
const SCHEDULES: u64 = 4;

struct Case {
    name: String,
    /// What people read: CUDA C++ or PTX, with header and marks.
    text: String,
    ptx: String,
    expect: BTreeSet<String>,
    launch: Launch,
}

fn header<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
}

fn argument(spec: &str) -> Arg {
    match spec.split_once(':') {
        Some(("uninit", bytes)) => Arg::Uninit(bytes.parse().unwrap()),
        Some(("zeros", bytes)) => Arg::Zeros(bytes.parse().unwrap()),
        Some(("iota", count)) => Arg::buffer_of(&(0..count.parse().unwrap()).collect::<Vec<u32>>()),
        _ => Arg::Scalar(Scalar::parse(spec).unwrap()),
    }
}

fn case(path: &Path) -> Case {
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let ptx = std::fs::read_to_string(path).unwrap();
    let source = path.with_extension("cu");
    let text = if source.exists() { std::fs::read_to_string(source).unwrap() } else { ptx.clone() };
    let of = |key| header(&text, key).unwrap_or_else(|| panic!("{name} has no header `{key}`"));
    let shape: Vec<&str> = of("launch").split_whitespace().collect();
    let launch = Launch {
        grid: shape[0].parse().unwrap(),
        block: shape[1].parse().unwrap(),
        shared_bytes: shape.get(2).map_or(0, |bytes| bytes.parse().unwrap()),
        args: header(&text, "args").unwrap_or_default().split_whitespace().map(argument).collect(),
    };
    let expect = of("expect").split_whitespace().filter(|&kind| kind != "none").map(str::to_owned).collect();
    Case { launch, expect, name, text, ptx }
}

fn cases(folder: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|is| is == "ptx")).collect();
    paths.sort();
    paths.iter().map(|path| case(path)).collect()
}

fn run(case: &Case, checks: Checks) -> Report {
    let module = Module::parse(&case.name, &case.ptx).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let kernel = module.kernels()[0].to_owned();
    let options = Options { checks, budget: 1 << 20, schedules: SCHEDULES, ..Options::default() };
    let outcome = simulate(&module, &kernel, &case.launch, &options);
    outcome.unwrap_or_else(|error| panic!("{}: {error}", case.name)).report
}

/// The marks of a file: line and word.
fn marks(text: &str) -> Vec<(u32, &str)> {
    (1..)
        .zip(text.lines())
        .flat_map(|(number, line)| {
            let words = line.split_once("//~").map_or("", |(_, words)| words);
            words.split_whitespace().map(move |word| (number, word))
        })
        .collect()
}

/// What is wrong with the report, one sentence each.
fn complaints(case: &Case, report: &Report) -> Vec<String> {
    let mut wrong = Vec::new();
    let word = |finding: &Finding| match finding.severity {
        Severity::Error => finding.kind.name(),
        Severity::Remark => "remark",
    };
    let all: Vec<(&str, &Finding)> = report.findings.iter().map(|finding| (word(finding), finding)).collect();
    let anywhere = case.expect.contains("any");
    let kinds: BTreeSet<String> = all.iter().map(|(kind, _)| (*kind).to_owned()).collect();
    let expected: BTreeSet<String> = case.expect.iter().filter(|&kind| kind != "any").cloned().collect();
    if kinds != expected {
        wrong.push(format!("expected {expected:?}, found {kinds:?}"));
    }
    if anywhere {
        return wrong;
    }
    let marks = marks(&case.text);
    for (kind, finding) in &all {
        let fits = |&(line, word): &(u32, &str)| line == finding.line && (word == *kind || word == "any");
        if !marks.iter().any(fits) {
            wrong.push(format!("there is no mark for {kind} at line {}: {}", finding.line, finding.message));
        }
    }
    for &(line, word) in &marks {
        let named = |finding: &Finding| {
            finding.message.contains(&format!("in line {line}")) || finding.parties.iter().any(|p| p.line == line)
        };
        let seen = match word {
            "party" => all.iter().any(|(_, finding)| named(finding)),
            "any" => all.iter().any(|(_, finding)| finding.line == line || named(finding)),
            _ => all.iter().any(|(kind, finding)| *kind == word && finding.line == line),
        };
        if !seen {
            wrong.push(format!("line {line} is marked `{word}`, and no finding says so"));
        }
    }
    wrong
}

fn check(folder: &str) {
    let cases = cases(folder);
    assert!(cases.len() >= 60, "{folder} has only {} files", cases.len());
    let mut failures = String::new();
    for case in &cases {
        let report = run(case, Checks::ALL);
        let mut wrong = complaints(case, &report);
        if folder == "correct" && !report.is_clean() {
            wrong.push("a correct kernel has an error".to_owned());
        }
        if !wrong.is_empty() {
            failures += &format!("\n{folder}/{}\n  {}\n", case.name, wrong.join("\n  "));
            for finding in &report.findings {
                failures += &format!("    {}:{} {}\n", finding.kind.name(), finding.line, finding.message);
            }
        }
        let unchecked = run(case, Checks::NONE);
        assert_eq!(unchecked.metrics, report.metrics, "{}: checks change counters", case.name);
        if !case.expect.contains("race") {
            assert_eq!(unchecked.output, report.output, "{}: checks change results", case.name);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn ptx_was_made_from_the_source_beside_it() {
    for folder in ["faulty", "correct"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|is| is == "cu") {
                let source: String =
                    Sha256::digest(std::fs::read(&path).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect();
                let ptx = std::fs::read_to_string(path.with_extension("ptx")).unwrap();
                let made_from = header(&ptx, "source SHA-256");
                assert_eq!(made_from, Some(&*source), "{} has changed. run: cargo dev ptx", path.display());
            }
        }
    }
}

#[test]
fn faulty_kernels_have_their_findings() {
    check("faulty");
}

#[test]
fn correct_kernels_have_no_error() {
    check("correct");
}

#[test]
fn a_finding_is_the_same_every_time() {
    for case in cases("faulty") {
        assert_eq!(run(&case, Checks::ALL), run(&case, Checks::ALL), "{}", case.name);
    }
}

/// The environment variable that makes the tests write what they would hold the messages against.
const BLESS: &str = "WARPBOOK_BLESS";

/// The findings of a case as they are shown, with its source lines but without the marks in them.
fn rendered(case: &Case, report: &Report) -> String {
    let unmarked = |line: &str| line.split("//~").next().unwrap_or_default().trim_end().to_owned() + "\n";
    let text: String = case.text.lines().map(unmarked).collect();
    let named = report.findings.iter().map(|finding| (finding.file.clone(), text.clone()));
    let sources: BTreeMap<String, String> = named.collect();
    report.findings.iter().map(|finding| sim::report::text::finding(finding, &sources) + "\n\n").collect()
}

/// Every message of the catalogue stands in a file beside its kernel, so that a change of wording is seen and read:
/// `WARPBOOK_BLESS=1 cargo test -p sim --test checks` writes them anew.
#[test]
fn messages_read_as_they_were_reviewed() {
    let bless = std::env::var_os(BLESS).is_some();
    let mut different = Vec::new();
    for folder in ["faulty", "correct"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
        let mut expected = BTreeSet::new();
        for case in cases(folder) {
            let text = rendered(&case, &run(&case, Checks::ALL));
            let file = path.join(&case.name).with_extension("findings");
            if !text.is_empty() {
                expected.insert(file.clone());
            }
            let before = std::fs::read_to_string(&file).unwrap_or_default();
            if before != text && bless {
                std::fs::write(&file, &text).unwrap();
            } else if before != text {
                different.push(format!("{folder}/{}\n--- reviewed\n{before}+++ now\n{text}", case.name));
            }
        }
        for file in std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()) {
            if file.extension().is_some_and(|is| is == "findings") && !expected.contains(&file) {
                if bless {
                    std::fs::remove_file(&file).unwrap();
                } else {
                    different.push(format!("{} belongs to no kernel with findings", file.display()));
                }
            }
        }
    }
    assert!(
        different.is_empty(),
        "{}\nread them, then: {BLESS}=1 cargo test -p sim --test checks",
        different.join("\n")
    );
}

/// Errors and remarks stand in one list, each with its severity, errors first; a report of before there was one has errors.
#[test]
fn a_remark_is_a_finding_that_leaves_the_kernel_clean() {
    let all = cases("faulty");
    let of = |name: &str| run(all.iter().find(|case| case.name == name).unwrap(), Checks::ALL);
    let (remark, error) = (of("same_flag_of_many_blocks.ptx"), of("tile_overwritten.ptx"));
    assert!(remark.is_clean() && remark.findings.len() == 1 && !error.is_clean());
    let json = serde_json::to_value(&remark).unwrap();
    assert_eq!(json["findings"][0]["severity"], "remark");
    let mut json = serde_json::to_value(&error).unwrap();
    assert_eq!(json["findings"][0]["severity"], "error");
    json["findings"][0].as_object_mut().unwrap().remove("severity");
    assert_eq!(serde_json::from_value::<Report>(json).unwrap(), error);
    assert!(sim::report::text::number(&remark) == "no findings, 1 remark", "{}", sim::report::text::number(&remark));
}

/// Threads of two warps that write one element with the same line most likely have the same index: the help says so, and
/// speaks of a barrier only after that.
#[test]
fn two_writes_of_one_line_point_at_the_index() {
    let ptx = "
.version 7.0
.target sm_70
.address_size 64
.shared .align 4 .b8 tile[128];
.visible .entry same_index()
{
	.reg .b32 %r<5>;
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 31;
	shl.b32 %r2, %r2, 2;
	mov.u32 %r3, tile;
	add.u32 %r4, %r3, %r2;
	st.shared.u32 [%r4], %r1;
	ret;
}
";
    let module = Module::parse("same_index.ptx", ptx).unwrap();
    let launch = Launch { grid: "1".parse().unwrap(), block: "64".parse().unwrap(), shared_bytes: 0, args: Vec::new() };
    let report = simulate(&module, "same_index", &launch, &Options::default()).unwrap().report;
    let [finding] = &report.findings[..] else { panic!("{:?}", report.findings) };
    let (index, barrier) = (finding.help.find("same index").unwrap(), finding.help.find("__syncthreads()").unwrap());
    assert!(index < barrier && finding.message.contains("write after write"), "{finding:?}");
}
