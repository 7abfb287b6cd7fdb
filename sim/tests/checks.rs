//! Every file of `faulty/` has the findings that it promises, every file of `correct/` has no error.
//!
//! A case is one kernel: hand-written PTX, or CUDA C++ with the PTX that `cargo dev ptx` makes of it beside it. Its header says `expect: KINDS` (kinds of finding, `remark`, or `none`),
//! `launch: GRID BLOCK [SHARED]` and `args: …` (`zeros:BYTES`, `uninit:BYTES`, `iota:COUNT` for u32 words 0, 1, 2, …, or
//! a scalar such as `u32:5`). The lines of the findings are marked where they are: `//~ KIND` for the line that a
//! finding stands at, `//~ party` for the line that its message names as well, `//~ any` where it may be either of two
//! lines. A header `expect: KIND any` has no marks.
//!
//! Each file is a test of its own: `cargo test -p sim --test checks faulty::tile_overwritten` runs one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};
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
    let ptx = fs::read_to_string(path).unwrap();
    let source = path.with_extension("cu");
    let text = if source.exists() { fs::read_to_string(source).unwrap() } else { ptx.clone() };
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

fn in_folder(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(in_folder(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|is| is == extension)).collect();
    files.sort();
    files
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

/// Runs a case with all checks and with none: the findings that it promises, the messages that were reviewed, and
/// counters and results that do not depend on checks.
fn check(folder: &str, case: &Case) -> Result<(), Failed> {
    let report = run(case, Checks::ALL);
    let mut wrong = complaints(case, &report);
    if folder == "correct" && !report.is_clean() {
        wrong.push("a correct kernel has an error".to_owned());
    }
    if !wrong.is_empty() {
        let all = report.findings.iter();
        let found = all.map(|finding| format!("    {}:{} {}\n", finding.kind.name(), finding.line, finding.message));
        return Err(format!("{}\n{}", wrong.join("\n"), found.collect::<String>()).into());
    }
    let unchecked = run(case, Checks::NONE);
    if unchecked.metrics != report.metrics {
        return Err("checks change counters".into());
    }
    if !case.expect.contains("race") && unchecked.output != report.output {
        return Err("checks change results".into());
    }
    if run(case, Checks::ALL) != report {
        return Err("the second run has another report".into());
    }
    reviewed(folder, case, &report)
}

/// The PTX beside a CUDA source was made from it.
fn made_from_its_source(path: &Path) -> Result<(), Failed> {
    let source = fs::read(path)?;
    let source: String = Sha256::digest(source).iter().map(|byte| format!("{byte:02x}")).collect();
    let ptx = fs::read_to_string(path.with_extension("ptx"))?;
    if header(&ptx, "source SHA-256") != Some(&*source) {
        return Err(format!("{} has changed. run: cargo dev ptx", path.display()).into());
    }
    Ok(())
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
fn reviewed(folder: &str, case: &Case, report: &Report) -> Result<(), Failed> {
    let text = rendered(case, report);
    let file = in_folder(folder).join(&case.name).with_extension("findings");
    let before = fs::read_to_string(&file).unwrap_or_default();
    if before == text {
        return Ok(());
    }
    if env::var_os(BLESS).is_none() {
        let run = format!("read them, then: {BLESS}=1 cargo test -p sim --test checks");
        return Err(format!("--- reviewed\n{before}+++ now\n{text}{run}").into());
    }
    if text.is_empty() {
        fs::remove_file(&file)?;
    } else {
        fs::write(&file, &text)?;
    }
    Ok(())
}

/// There is a catalogue, and each file of messages belongs to a kernel in it.
fn whole(folder: &str, cases: &[String]) -> Result<(), Failed> {
    if cases.len() < 60 {
        return Err(format!("{folder} has only {} files", cases.len()).into());
    }
    for file in files(folder, "findings") {
        if !file.with_extension("ptx").exists() {
            return Err(format!("{} belongs to no kernel", file.display()).into());
        }
    }
    Ok(())
}

/// Errors and remarks stand in one list, each with its severity, errors first; a report of before there was one has errors.
fn a_remark_is_a_finding_that_leaves_the_kernel_clean() {
    let of = |name: &str| run(&case(&in_folder("faulty").join(name)), Checks::ALL);
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

/// A test of a file, by its folder and its name.
fn trial(folder: &str, path: &Path, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    Trial::test(format!("{folder}::{}", path.file_stem().unwrap().to_string_lossy()), test)
}

fn main() {
    let mut trials = vec![
        Trial::test("a_remark_is_a_finding_that_leaves_the_kernel_clean", || {
            a_remark_is_a_finding_that_leaves_the_kernel_clean();
            Ok(())
        }),
        Trial::test("two_writes_of_one_line_point_at_the_index", || {
            two_writes_of_one_line_point_at_the_index();
            Ok(())
        }),
    ];
    for folder in ["faulty", "correct"] {
        let kernels = files(folder, "ptx");
        let names = kernels.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        trials.push(Trial::test(format!("{folder} is whole"), move || whole(folder, &names)));
        trials
            .extend(kernels.into_iter().map(|path| trial(folder, &path.clone(), move || check(folder, &case(&path)))));
        let sources = files(folder, "cu").into_iter();
        trials.extend(
            sources.map(|path| trial(&format!("{folder}::source"), &path.clone(), move || made_from_its_source(&path))),
        );
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
