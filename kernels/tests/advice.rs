//! Advice must be safe to follow: where the help of a finding names an edit, the edit is made in the faulty kernels of the
//! simulator's catalogue, mechanically, and what comes out must run clean.
//!
//! A learner puts a barrier "between line 9 and line 12, where every thread of the block comes by". So every place between
//! the two lines is tried, and one of them must do. Several findings may need several edits, one after the other.

use std::path::{Path, PathBuf};

use kernels::compile::{self, Arch, Options, Source};
use kernels::testing::compiler_for;
use sim::report::{Finding, Report};
use sim::{Arg, Launch, Module, Scalar, simulate};

/// Kernels whose help names an edit that cannot be made by a machine, and why.
const BY_HAND: &[(&str, &str)] = &[
    ("branches_of_a_warp", "the lines stand on two sides of a branch: first the write has to be moved in front of it"),
    (
        "overwritten_after_updates",
        "of many atomics of one counter two are remembered, here those of the store's own block",
    ),
    ("lock_without_fence", "the lines stand behind a lock: what is missing is the fence in front of its release"),
    (
        "volatile_release_without_fence",
        "the lines stand behind a lock: what is missing are the fences behind taking it and in front of its release",
    ),
];

/// Edits of one kernel at most.
const EDITS: usize = 16;

/// A kernel of the catalogue.
struct Kernel {
    name: String,
    /// CUDA C++, or PTX where it was written by hand.
    text: String,
    is_cuda: bool,
    launch: Launch,
}

/// What a help text wants to be done.
#[derive(Debug, PartialEq, Eq)]
enum Edit {
    /// A call behind one of these lines.
    Insert(String, std::ops::Range<usize>),
    /// Other words in the whole text.
    Replace(&'static str, &'static str),
    /// Something between two accesses of one line.
    WithinLine,
}

fn head<'a>(text: &'a str, key: &str) -> &'a str {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
    lines.next().unwrap_or_default()
}

fn argument(spec: &str) -> Arg {
    match spec.split_once(':') {
        Some(("uninit", bytes)) => Arg::Uninit(bytes.parse().unwrap()),
        Some(("zeros", bytes)) => Arg::Zeros(bytes.parse().unwrap()),
        Some(("iota", count)) => Arg::buffer_of(&(0..count.parse().unwrap()).collect::<Vec<u32>>()),
        _ => Arg::Scalar(Scalar::parse(spec).unwrap()),
    }
}

fn catalogue() -> Vec<Kernel> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/tests/faulty");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|is| is == "ptx"));
    paths.sort();
    let kernel = |path: &PathBuf| {
        let source = path.with_extension("cu");
        let is_cuda = source.exists();
        let text = std::fs::read_to_string(if is_cuda { &source } else { path }).unwrap();
        let shape: Vec<&str> = head(&text, "launch").split_whitespace().collect();
        let launch = Launch {
            grid: shape[0].parse().unwrap(),
            block: shape[1].parse().unwrap(),
            shared_bytes: shape.get(2).map_or(0, |bytes| bytes.parse().unwrap()),
            args: head(&text, "args").split_whitespace().map(argument).collect(),
        };
        Kernel { name: path.file_stem().unwrap().to_string_lossy().into_owned(), text, is_cuda, launch }
    };
    paths.iter().map(kernel).collect()
}

/// Runs a kernel with another text. `None` when that does not compile or cannot be run.
fn run(kernel: &Kernel, text: &str) -> Option<Report> {
    let ptx = if kernel.is_cuda {
        let options = Options { default_arch: Arch { number: 90, suffix: None }, ..Options::nvrtc() };
        compile::compile_source(&Source { name: &format!("{}.cu", kernel.name), text }, &options).ok()?.ptx
    } else {
        text.to_owned()
    };
    let module = Module::parse(&format!("{}.ptx", kernel.name), &ptx).ok()?;
    let name = module.kernels().first().map(|&name| name.to_owned())?;
    let options = sim::Options { budget: 1 << 20, schedules: 4, ..sim::Options::default() };
    simulate(&module, &name, &kernel.launch, &options).ok().map(|outcome| outcome.report)
}

/// The numbers in a text, in their order.
fn numbers(text: &str) -> Vec<usize> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
}

/// The edit that a help text names, if it names one. `lines`: lines of the text.
fn edit(help: &str, lines: usize) -> Option<Edit> {
    if help.contains("leave the suffix out") {
        return Some(Edit::Replace("_block(", "("));
    }
    if help.contains("take the scope of the device") {
        return Some(Edit::Replace("__threadfence_block(", "__threadfence("));
    }
    // That one shall write after the other is not known: the help says first to look at the index.
    if help.contains("only if one shall write after the other") || help.starts_with("harmless") {
        return None;
    }
    let (call, place) = help.split_once("put `")?.1.split_once("` ")?;
    let at = numbers(place.split([';', ':']).next()?);
    if place.starts_with("between line ") {
        return Some(Edit::Insert(call.to_owned(), at[0]..at[1]));
    }
    if place.starts_with("behind line ") {
        return Some(Edit::Insert(call.to_owned(), at[0]..lines));
    }
    place.starts_with("between the two accesses of line ").then_some(Edit::WithinLine)
}

/// The texts that the edit can lead to.
fn edited(kernel: &Kernel, text: &str, edit: &Edit) -> Vec<String> {
    match edit {
        Edit::WithinLine => Vec::new(),
        Edit::Replace(from, to) => vec![text.replace(from, to)],
        Edit::Insert(call, behind) => {
            let statement = match (kernel.is_cuda, call.as_str()) {
                (true, _) => format!("{call};"),
                (false, "__syncwarp()") => "bar.warp.sync 0xffffffff;".to_owned(),
                (false, _) => "bar.sync 0;".to_owned(),
            };
            let lines: Vec<&str> = text.lines().collect();
            let ends = |line: usize| {
                let code = lines[line - 1].split("//").next().unwrap_or_default().trim_end();
                code.ends_with([';', '{', '}', ':'])
            };
            let places = behind.clone().filter(|&line| line >= 1 && line <= lines.len() && ends(line));
            let with = |line: usize| {
                let (before, after) = lines.split_at(line);
                [before, &[statement.as_str()], after].concat().join("\n") + "\n"
            };
            places.map(with).collect()
        }
    }
}

/// The errors of a report: what is left to do.
fn left(report: &Report) -> Vec<&Finding> {
    report.errors().collect()
}

/// Follows the advice until nothing is found. How many edits it took; `None` if nobody gave advice; or where it led to.
fn follow(kernel: &Kernel) -> Result<Option<usize>, String> {
    let mut text = kernel.text.clone();
    let mut report = run(kernel, &text).ok_or("it does not run as it is")?;
    for edits in 0..EDITS {
        let lines = text.lines().count();
        let advice = left(&report).into_iter().find_map(|finding| edit(&finding.help, lines));
        let Some(advice) = advice else {
            return if edits == 0 { Ok(None) } else { Err(format!("after {edits} edits: {}", told(&report))) };
        };
        let tries = edited(kernel, &text, &advice).into_iter();
        let best = tries.filter_map(|text| Some((run(kernel, &text)?, text))).min_by_key(|(now, _)| left(now).len());
        let Some((now, next)) = best.filter(|(now, _)| left(now).len() < left(&report).len()) else {
            return Err(format!("{advice:?} does not help: {}", told(&report)));
        };
        if now.is_clean() {
            return Ok(Some(edits + 1));
        }
        (report, text) = (now, next);
    }
    Err(format!("{EDITS} edits are not enough: {}", told(&report)))
}

fn told(report: &Report) -> String {
    let told = |finding: &Finding| format!("{} at line {}: {}", finding.kind.name(), finding.line, finding.help);
    report.errors().map(told).collect::<Vec<_>>().join("; ")
}

#[test]
fn advice_is_safe_to_follow() {
    if !compiler_for("following the advice of findings in CUDA C++") {
        return;
    }
    let (mut wrong, mut followed) = (Vec::new(), 0);
    for kernel in catalogue() {
        let by_hand = BY_HAND.iter().any(|(name, _)| *name == kernel.name);
        match follow(&kernel) {
            Ok(Some(_)) if !by_hand => followed += 1,
            Ok(None) if !by_hand => {}
            Ok(_) => wrong.push(format!("{}: the advice can be followed, and BY_HAND has it", kernel.name)),
            Err(_) if by_hand => {}
            Err(why) => wrong.push(format!("{}: {why}", kernel.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(followed >= 20, "only {followed} kernels were mended by what their findings advise");
}

#[test]
fn edits_are_read_from_help_texts() {
    let insert = |call: &str, range| Some(Edit::Insert(call.to_owned(), range));
    let help = "put `__syncthreads()` between line 9 and line 12, where every thread of the block comes by";
    assert_eq!(edit(help, 20), insert("__syncthreads()", 9..12));
    let help = "an atomic is safe from other atomics only: put `__syncwarp()` behind line 9, before the loop comes to line 7 \
                again";
    assert_eq!(edit(help, 20), insert("__syncwarp()", 9..20));
    assert_eq!(edit("put `__syncwarp()` between the two accesses of line 3, where …", 20), Some(Edit::WithinLine));
    assert_eq!(edit("check the index", 20), None);
}
