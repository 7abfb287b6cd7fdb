//! What the simulator counts on each source line of the code that was recorded: `truth/lines/<problem>.json`.
//!
//! A record holds what a GPU counted of a whole launch. When the code changes, the record can only say that it is out of
//! date; this says on which line which counter is another one now ([`changes`]). It holds one case of every version, and
//! of the source's text only a hash per line, which is enough to tell which lines are new.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sim::{Checks, Module, Options, Report};
use similar::{Algorithm, DiffOp};

use crate::case::Case;
use crate::counters::EXACT;
use crate::problem::{self, Problem};
use crate::ptx;
use crate::simulate::{self, SimulateError};

/// The folder of the files, in that of the records.
pub const FOLDER: &str = "lines";
/// A version's case is its largest of at most so many threads: large enough for every way through the kernel, and small
/// enough to be simulated at once.
const MOST_THREADS: u64 = 16_384;

/// The files that this program was built with: names and texts.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lines.rs"));

/// What the simulator counts on each line of one problem's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The problem.
    pub problem: String,
    /// SHA-256 of the PTX's code ([`ptx::code_sha256`]).
    pub code_sha256: String,
    /// The first eight hexadecimal digits of each source line's SHA-256, without blanks at its ends.
    pub source: Vec<String>,
    /// The counters, which a [`Line`] names by their number in this list.
    pub counters: Vec<String>,
    /// One case of every version.
    pub cases: Vec<Lines>,
}

/// One case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// The version.
    pub version: String,
    /// The case's name.
    pub case: String,
    /// The lines on which something is counted, all launches together.
    pub lines: Vec<Line>,
}

/// What is counted on a line: its number and the counters that are not 0, each as number in the list and value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line(pub u32, pub Vec<(usize, u64)>);

/// What changed between the recorded code and the code as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// The source's file name, such as `scan.cu`.
    pub file: String,
    /// The lines of the source that are new or other than they were, with their text.
    pub source: Vec<(u32, String)>,
    /// The lines on which something else is counted, in the order of the source.
    pub lines: Vec<Changed>,
}

/// A line on which something else is counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// The line as it is now; None when it is gone.
    pub line: Option<u32>,
    /// The line as it was; None when it is new.
    pub was: Option<u32>,
    /// Its text as it is now.
    pub text: String,
    /// The versions that show it, each with its case.
    pub versions: Vec<(&'static str, String)>,
    /// What is counted otherwise, in the first of these.
    pub counters: Vec<Count>,
}

/// A counter with another value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Nsight Compute's name.
    pub metric: &'static str,
    /// The short name.
    pub label: &'static str,
    /// The value of the recorded code.
    pub was: u64,
    /// The value now.
    pub now: u64,
}

/// A line as it was and as it is.
type WasAndIs<'a> = (Option<&'a Line>, Option<&'a Line>);

/// Why the files could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The simulator refused a case.
    #[error("{0}")]
    Simulate(#[from] SimulateError),
    /// The source is not what the PTX was made from.
    #[error("{0}.cu has changed since its PTX was made: run `warpbook dev ptx` first")]
    Stale(&'static str),
    /// A file could not be written.
    #[error("cannot write {}: {why}", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        why: io::Error,
    },
}

impl BaselineError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Simulate(error) => error.exit_code(),
            Self::Stale(_) | Self::Write { .. } => sim::ErrorClass::Input.exit_code(),
        }
    }
}

/// The file of a problem that this program was built with; None if there is none for this code.
pub fn of(problem: &str, code_sha256: &str) -> Option<&'static Baseline> {
    static ALL: OnceLock<Vec<Baseline>> = OnceLock::new();
    let read = || FILES.iter().filter_map(|(_, text)| serde_json::from_str(text).ok()).collect();
    let all = ALL.get_or_init(read);
    all.iter().find(|own| own.problem == problem && own.code_sha256 == code_sha256)
}

/// Makes the file of a problem from its committed PTX.
///
/// # Errors
/// [`BaselineError`] when the PTX is not that of the source, or the simulator refuses.
pub fn make(problem: &'static Problem) -> Result<Baseline, BaselineError> {
    let committed = ptx::committed(problem.name).ok_or_else(|| SimulateError::NoPtx(problem.name.to_owned()))?;
    if !committed.is_current() {
        return Err(BaselineError::Stale(problem.name));
    }
    let module = simulate::module(problem.name)?;
    Ok(Baseline {
        problem: problem.name.to_owned(),
        code_sha256: ptx::code_sha256(committed.text),
        source: hashes(committed.source),
        counters: EXACT.iter().map(|counter| counter.metric.to_owned()).collect(),
        cases: count(problem, &module)?,
    })
}

/// Makes the files of all problems and writes those that changed. Returns their paths.
///
/// # Errors
/// [`BaselineError`].
pub fn write_all(folder: &Path) -> Result<Vec<PathBuf>, BaselineError> {
    let mut written = Vec::new();
    for problem in problem::all() {
        written.extend(write(&make(problem)?, folder)?);
    }
    Ok(written)
}

/// Writes a file into `folder`, that of the records, if it changed.
///
/// # Errors
/// [`BaselineError::Write`].
pub fn write(baseline: &Baseline, folder: &Path) -> Result<Option<PathBuf>, BaselineError> {
    let folder = folder.join(FOLDER);
    let file = folder.join(format!("{}.json", baseline.problem));
    let text = baseline.to_json();
    if fs::read_to_string(&file).is_ok_and(|old| old == text) {
        return Ok(None);
    }
    let wrote = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text));
    wrote.map_err(|why| BaselineError::Write { file: file.clone(), why })?;
    Ok(Some(file))
}

/// The case that stands for a version: the largest that is small enough.
pub fn representative<'a>(cases: impl Iterator<Item = &'a Case>) -> Option<&'a Case> {
    let mut best: Option<&Case> = None;
    for case in cases {
        let better = |best: &Case| match (case.threads() <= MOST_THREADS, best.threads() <= MOST_THREADS) {
            (true, true) => case.threads() > best.threads(),
            (true, false) => true,
            (false, true) => false,
            (false, false) => case.threads() < best.threads(),
        };
        if best.is_none_or(better) {
            best = Some(case);
        }
    }
    best
}

/// Simulates a version's case with the kernels of a module, and adds up what is counted on each line.
fn count(problem: &'static Problem, module: &Module) -> Result<Vec<Lines>, SimulateError> {
    let cases = (problem.cases)();
    let of = |version: &&'static str| {
        let case = representative(cases.iter().filter(|case| case.version == *version));
        let case = case.ok_or_else(|| SimulateError::NoPtx(format!("{version}, which has no case")))?;
        let report = report(case, module)?;
        let line = |line: &sim::report::LineReport| {
            let place = |metric: &str| EXACT.iter().position(|counter| counter.metric == metric);
            let counts = line.metrics.iter().filter(|(_, value)| **value > 0);
            let mut counts: Vec<_> = counts.filter_map(|(metric, &value)| Some((place(metric)?, value))).collect();
            counts.sort_unstable();
            Line(line.line, counts)
        };
        let lines = report.lines.iter().map(line).filter(|line| !line.1.is_empty()).collect();
        Ok(Lines { version: case.version.to_owned(), case: case.name.clone(), lines })
    };
    problem.versions.par_iter().map(of).collect()
}

/// The report of all launches of a case.
fn report(case: &Case, module: &Module) -> Result<Report, SimulateError> {
    let options = Options { checks: Checks::NONE, ..Options::default() };
    let ran = simulate::run_with(module, &case.prepare(), &options);
    let ran = ran.map_err(|error| SimulateError::Sim { case: case.to_string(), error })?;
    let mut reports = ran.reports.into_iter();
    let mut sum = reports.next().unwrap_or_default();
    reports.for_each(|later| sum.add(&later));
    Ok(sum)
}

/// What other code counts otherwise, line by line: `module` and `source` are the code as it is now.
///
/// # Errors
/// [`SimulateError`] when the simulator refuses a case.
pub fn changes(baseline: &Baseline, module: &Module, source: &str) -> Result<Changes, SimulateError> {
    let problem = problem::find(&baseline.problem).ok_or_else(|| SimulateError::NoPtx(baseline.problem.clone()))?;
    let now = count(problem, module)?;
    let text: Vec<&str> = source.lines().collect();
    let line_text = |line: u32| text.get(line as usize - 1).map_or("", |text| text.trim()).to_owned();
    let new = hashes(source);
    let (moved, edited) = align(&baseline.source, &new);
    let mut changed: Vec<Changed> = Vec::new();
    for (now, &version) in now.iter().zip(problem.versions) {
        let was = baseline.cases.iter().find(|was| was.version == now.version && was.case == now.case);
        let was = was.map_or(&[][..], |was| &was.lines);
        let mut pairs: BTreeMap<(u32, bool), WasAndIs<'_>> = BTreeMap::new();
        for line in &now.lines {
            pairs.entry((line.0, false)).or_default().1 = Some(line);
        }
        for line in was {
            match moved.get(&line.0) {
                Some(&to) => pairs.entry((to, false)).or_default().0 = Some(line),
                None => pairs.entry((line.0, true)).or_default().0 = Some(line),
            }
        }
        for ((line, gone), (was, now_line)) in pairs {
            let counters = differences(was, &baseline.counters, now_line);
            if counters.is_empty() {
                continue;
            }
            let place = (!gone).then_some(line);
            match changed.iter_mut().find(|own| own.line == place && own.was == was.map(|was| was.0)) {
                Some(own) => own.versions.push((version, now.case.clone())),
                None => changed.push(Changed {
                    line: place,
                    was: was.map(|was| was.0),
                    text: if gone { String::new() } else { line_text(line) },
                    versions: vec![(version, now.case.clone())],
                    counters,
                }),
            }
        }
    }
    changed.sort_by_key(|changed| changed.line.or(changed.was));
    let source = edited.into_iter().map(|line| (line, line_text(line)));
    let source = source.filter(|(_, text)| !text.is_empty()).collect();
    Ok(Changes { file: format!("{}.cu", baseline.problem), source, lines: changed })
}

/// The counters of a line that differ.
fn differences(was: Option<&Line>, counters: &[String], now: Option<&Line>) -> Vec<Count> {
    let value = |line: Option<&Line>, place: Option<usize>| {
        let found = line.zip(place).and_then(|(line, place)| line.1.iter().find(|(own, _)| *own == place));
        found.map_or(0, |(_, value)| *value)
    };
    let of = |(index, counter): (usize, &crate::counters::Counter)| {
        let was = value(was, counters.iter().position(|name| name == counter.metric));
        let now = value(now, Some(index));
        (was != now).then_some(Count { metric: counter.metric, label: counter.label, was, now })
    };
    EXACT.iter().enumerate().filter_map(of).collect()
}

/// Where the lines of the old source are in the new one, and which lines of the new one are not in the old one.
fn align(old: &[String], new: &[String]) -> (BTreeMap<u32, u32>, Vec<u32>) {
    let number = |index: usize| index as u32 + 1;
    let (mut moved, mut edited) = (BTreeMap::new(), Vec::new());
    for op in similar::capture_diff_slices(Algorithm::Patience, old, new) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                moved.extend((0..len).map(|i| (number(old_index + i), number(new_index + i))));
            }
            DiffOp::Delete { .. } => {}
            DiffOp::Insert { new_index, new_len, .. } => edited.extend((0..new_len).map(|i| number(new_index + i))),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                moved.extend((0..old_len.min(new_len)).map(|i| (number(old_index + i), number(new_index + i))));
                edited.extend((0..new_len).map(|i| number(new_index + i)));
            }
        }
    }
    (moved, edited)
}

/// A short hash of every line.
fn hashes(source: &str) -> Vec<String> {
    source.lines().map(|line| ptx::sha256(line.trim())[..8].to_owned()).collect()
}

impl Baseline {
    /// The text of the file: one case per line, so that a changed case is a changed line.
    pub fn to_json(&self) -> String {
        /// A value in one line.
        fn text(value: &impl Serialize) -> String {
            serde_json::to_string(value).expect("strings and numbers are JSON")
        }
        let cases: Vec<String> = self.cases.iter().map(|case| format!("    {}", text(case))).collect();
        format!(
            "{{\n  \"problem\": {},\n  \"code_sha256\": {},\n  \"source\": {},\n  \"counters\": {},\n  \"cases\": \
             [\n{}\n  ]\n}}\n",
            text(&self.problem),
            text(&self.code_sha256),
            text(&self.source),
            text(&self.counters),
            cases.join(",\n"),
        )
    }
}

#[cfg(test)]
mod tests;
