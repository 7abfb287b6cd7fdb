//! The record beside the simulator: which faults both find, which only one of them, and why.
//!
//! The causes stand in `sim/tests/faulty/sanitizer.toml`, by kernel. Every difference needs one, and every cause a
//! difference.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::TOOLS;
use crate::known_differences::read;

/// The record of an H200.
const RECORD: &str = include_str!("../../../sim/tests/faulty/sanitizer.h200.tsv");
const CAUSES: &str = include_str!("../../../sim/tests/faulty/sanitizer.toml");

/// The same for the kernels of the workbook's problems.
const RECORD_OF_PROBLEMS: &str = include_str!("../../truth/sanitizer.h200.tsv");
const CAUSES_OF_PROBLEMS: &str = include_str!("../../truth/sanitizer.toml");

/// What a tool says when it has nothing to report.
pub const NOTHING: &str = "nothing";
/// What stands for a tool whose kernel came to no end.
const NO_END: &str = "no end";
/// The beginning of what stands for a tool that had nothing to say of a kernel that the GPU stopped.
pub const STOPPED: &str = "ended with ";

/// A kernel of the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Its name.
    pub kernel: String,
    /// The beginning of its PTX's SHA-256, in hexadecimal digits.
    pub ptx: String,
    /// The kinds of finding that the simulator has.
    pub warpbook: Vec<String>,
    /// What the tools reported first, in the order of [`TOOLS`].
    pub tools: [String; 4],
}

/// Who finds a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Finder {
    /// The simulator alone.
    Simulator,
    /// A tool of compute-sanitizer alone.
    Sanitizer,
}

/// Why only one of the two finds a fault.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// Who finds it.
    pub finder: Finder,
    /// Why the other does not, in a sentence.
    pub why: String,
    /// In which kernels.
    pub kernels: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CauseFile {
    /// Kernels that came into the catalogue after the record was made.
    #[serde(default)]
    waiting: BTreeSet<String>,
    cause: Vec<Cause>,
}

/// The whole record with its causes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The lines of the record's head by their names: `gpu`, `driver`, `compute-sanitizer`.
    pub head: BTreeMap<String, String>,
    /// Every kernel.
    pub kernels: Vec<Said>,
    /// Every cause.
    pub causes: Vec<Cause>,
    /// Kernels of the catalogue that have not run under compute-sanitizer yet.
    pub waiting: BTreeSet<String>,
}

impl Said {
    /// The kinds of finding that the simulator has and that nothing on the GPU shows.
    pub fn missed(&self) -> Vec<&str> {
        self.warpbook.iter().map(String::as_str).filter(|kind| !self.shows(kind)).collect()
    }

    /// The tools that report what none of the simulator's findings tells.
    pub fn added(&self) -> Vec<&'static str> {
        let told = |tool: &str| self.warpbook.iter().any(|kind| tools_for(kind).contains(&tool));
        TOOLS.into_iter().filter(|tool| self.reports(tool) && !told(tool)).collect()
    }

    /// Who alone finds something.
    pub fn finders(&self) -> BTreeSet<Finder> {
        let simulator = (!self.missed().is_empty()).then_some(Finder::Simulator);
        simulator.into_iter().chain((!self.added().is_empty()).then_some(Finder::Sanitizer)).collect()
    }

    fn shows(&self, kind: &str) -> bool {
        match kind {
            "deadlock" | "budget" => self.tools.iter().all(|said| said == NO_END),
            _ => tools_for(kind).iter().any(|tool| self.reports(tool)),
        }
    }

    /// Whether a tool has found something of its own: more than that the GPU has stopped the kernel.
    fn reports(&self, tool: &str) -> bool {
        let place = TOOLS.iter().position(|&name| name == tool);
        place.is_some_and(|place| {
            let said = &self.tools[place];
            said != NOTHING && said != NO_END && !said.starts_with(STOPPED)
        })
    }
}

/// The tools that look for what a kind of finding tells. Some wrong barriers and masks are instructions that the GPU
/// refuses, which memcheck reports.
fn tools_for(kind: &str) -> &'static [&'static str] {
    match kind {
        "out-of-bounds" | "misaligned" | "invalid-free" | "assert" | "trap" => &["memcheck"],
        "uninitialized" => &["initcheck"],
        "race" | "remark" => &["racecheck"],
        "barrier-divergence" | "invalid-sync-mask" => &["synccheck", "memcheck"],
        _ => &[],
    }
}

/// Reads record and causes of the catalogue of faulty kernels, and holds them against each other.
///
/// # Errors
/// The first thing that does not fit: a line that is none of a record, a difference without a cause or with two, a
/// cause without a difference, a kernel that is said to wait for its record and has one.
pub fn comparison() -> Result<Comparison, String> {
    compare(RECORD, CAUSES)
}

/// [`comparison`] of the kernels of the workbook's problems.
///
/// # Errors
/// As [`comparison`].
pub fn comparison_of_problems() -> Result<Comparison, String> {
    compare(RECORD_OF_PROBLEMS, CAUSES_OF_PROBLEMS)
}

fn compare(record: &str, causes: &str) -> Result<Comparison, String> {
    let (head, kernels) = parse(record)?;
    let CauseFile { waiting, cause: causes } = read("sanitizer.toml", causes).map_err(|error| error.to_string())?;
    for said in &kernels {
        if waiting.contains(&said.kernel) {
            return Err(format!("`{}` is said to wait for its record, and has one", said.kernel));
        }
        for finder in said.finders() {
            let named = causes.iter().filter(|cause| cause.finder == finder && cause.kernels.contains(&said.kernel));
            if named.count() != 1 {
                return Err(format!(
                    "`{}` needs one cause why only this side finds it: {finder:?}; {said:?}",
                    said.kernel
                ));
            }
        }
    }
    for cause in &causes {
        for kernel in &cause.kernels {
            let said = kernels.iter().find(|said| said.kernel == *kernel);
            if !said.is_some_and(|said| said.finders().contains(&cause.finder)) {
                return Err(format!("`{kernel}` has a cause for {:?}, but no difference: {said:?}", cause.finder));
            }
        }
    }
    Ok(Comparison { head, kernels, causes, waiting })
}

fn parse(text: &str) -> Result<(BTreeMap<String, String>, Vec<Said>), String> {
    let (mut head, mut kernels) = (BTreeMap::new(), Vec::new());
    for line in text.lines().filter(|line| !line.starts_with("kernel\t")) {
        if let Some(line) = line.strip_prefix("# ") {
            if let Some((key, value)) = line.split_once(": ") {
                head.insert(key.to_owned(), value.to_owned());
            }
            continue;
        }
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        let fields = <[String; 7]>::try_from(fields).map_err(|_| format!("`{line}` has not seven columns"))?;
        let [kernel, ptx, warpbook, tools @ ..] = fields;
        let warpbook = warpbook.split_whitespace().map(str::to_owned).collect();
        kernels.push(Said { kernel, ptx, warpbook, tools });
    }
    Ok((head, kernels))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Subject, files, prepare, subjects, subjects_of_problems};
    use super::*;

    fn catalogue() -> Vec<std::path::PathBuf> {
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/tests/faulty")).unwrap()
    }

    #[test]
    fn every_kernel_of_the_catalogue_can_be_launched() {
        for file in catalogue() {
            let (_, case) = prepare(&file).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(case.steps.len(), 1);
        }
        assert!(catalogue().len() >= 60);
    }

    fn assert_current(comparison: Comparison, now: Vec<Subject>, command: &str) {
        let head = &comparison.head;
        assert!(head["gpu"].contains("H200") && !head["compute-sanitizer"].is_empty(), "{head:?}");
        for waiting in &comparison.waiting {
            assert!(now.iter().any(|now| now.name == *waiting), "no kernel `{waiting}` waits for a record");
        }
        let now = now.into_iter().filter(|now| !comparison.waiting.contains(&now.name));
        let now: Vec<[String; 3]> = now.map(|now| [now.name, now.digest, now.kinds]).collect();
        let recorded: Vec<[String; 3]> =
            comparison.kernels.into_iter().map(|said| [said.kernel, said.ptx, said.warpbook.join(" ")]).collect();
        assert_eq!(recorded, now, "run `{command}` on a machine with that GPU");
    }

    #[test]
    fn the_record_is_that_of_the_catalogue() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sim/tests/faulty");
        let comparison = comparison().unwrap_or_else(|why| panic!("{why}"));
        assert_current(comparison, subjects(&folder).unwrap(), "warpbook dev sanitize");
    }

    #[test]
    fn the_record_of_the_problems_is_that_of_their_kernels() {
        let comparison = comparison_of_problems().unwrap_or_else(|why| panic!("{why}"));
        assert_current(comparison, subjects_of_problems(), "warpbook dev sanitize --problems");
    }

    #[test]
    fn who_finds_a_fault_is_told_by_what_each_tool_looks_for() {
        let said = |warpbook: &str, tools: [&str; 4]| Said {
            kernel: "k".to_owned(),
            ptx: String::new(),
            warpbook: warpbook.split_whitespace().map(str::to_owned).collect(),
            tools: tools.map(str::to_owned),
        };
        let finders = |warpbook, tools| said(warpbook, tools).finders().into_iter().collect::<Vec<_>>();
        assert_eq!(finders("race", [NOTHING, "Race", NOTHING, NOTHING]), []);
        assert_eq!(finders("race", [NOTHING; 4]), [Finder::Simulator]);
        assert_eq!(
            finders("race", [NOTHING, NOTHING, "Uninitialized", NOTHING]),
            [Finder::Simulator, Finder::Sanitizer]
        );
        assert_eq!(finders("race budget", [NO_END; 4]), [Finder::Simulator]);
        assert_eq!(finders("budget", [NO_END; 4]), []);
        let stopped = "ended with Some(1)";
        assert_eq!(finders("trap", ["Trace/breakpoint trap", stopped, stopped, stopped]), []);
        assert_eq!(finders("barrier-divergence", ["Illegal instruction", stopped, stopped, stopped]), []);
        assert_eq!(finders("barrier-divergence deadlock", [NOTHING, NOTHING, NOTHING, "Barrier"]), [Finder::Simulator]);
        assert_eq!(parse("a\tb").unwrap_err(), "`a\tb` has not seven columns");
    }
}
