//! Where runs are made and records are looked up. Every run is made once, however many claims ask for it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use sim::Options;
use sim::target::Target;

use super::command;
use super::file::{FILES, Run, Time};
use crate::bench::record as bench;
use crate::launch::command::CommandLine;
use crate::launch::expect::Comparison;
use crate::launch::run::{Ran, run};
use crate::launch::spec::Session;
use crate::open::Opened;
use crate::truth::{self, LaunchRecord};
use crate::{gpu, ptx};

/// Runs that were made, by their commands.
#[derive(Debug, Default)]
pub struct Lab {
    runs: BTreeMap<String, Rc<Ran>>,
}

/// What the recorded GPU counted for the launches of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured<'a> {
    /// The launches of the case, alike ones together.
    pub(super) launches: &'a [LaunchRecord],
}

impl Lab {
    /// What was run so far: the commands, and what each gave.
    pub fn runs(&self) -> impl Iterator<Item = (&str, &Ran)> {
        self.runs.iter().map(|(command, ran)| (&**command, &**ran))
    }

    /// Simulates a run on a target, as `warpbook sim` does it, and gives the command for it.
    ///
    /// # Errors
    /// A sentence: the simulator refuses, or the run is faulty and should not be, or is clean and should not be.
    pub(super) fn run(
        &mut self,
        run: &Run,
        names: &BTreeMap<String, String>,
        target: &Target,
        details: bool,
    ) -> Result<(Rc<Ran>, String), String> {
        let names: BTreeMap<String, String> =
            names.iter().chain(&run.names).map(|(k, v)| (k.clone(), v.clone())).collect();
        let list: Vec<(String, String)> = names.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let command = command::line(&command::sim_words(run, &list, &target.name, details));
        if let Some(ran) = self.runs.get(&command) {
            return Ok((Rc::clone(ran), command));
        }
        let ran = Rc::new(simulate(run, names, target, details)?);
        if !run.faulty && !ran.is_clean() {
            let findings = ran.launches.iter().flat_map(|launch| launch.report.errors()).map(|f| f.message.clone());
            let wrong = ran.comparisons.iter().filter(|comparison| comparison.wrong > 0).map(Comparison::sentence);
            let all: Vec<String> = findings.chain(wrong).collect();
            return Err(format!("`{command}` is not clean: {}", all.join("; ")));
        }
        self.runs.insert(command.clone(), Rc::clone(&ran));
        Ok((ran, command))
    }
}

/// What the H200 counted for a recorded case, whose launches must be those of `ran`.
///
/// # Errors
/// A sentence: there is no such case, or it launches something else.
pub(super) fn record(case: &str, ran: &Ran) -> Result<Measured<'static>, String> {
    let records = truth::records().map_err(ToString::to_string)?;
    let of_now = records.iter().filter(|record| record.provenance.slug() == super::NOW);
    let mut all = of_now.flat_map(|record| record.cases.iter().map(move |recorded| (record, recorded)));
    let found = all.find(|(_, recorded)| format!("{}, {}", recorded.version, recorded.case) == case);
    let (record, recorded) = found.ok_or_else(|| format!("no record of the {} has a case `{case}`", super::NOW))?;
    let code = ptx::committed(&record.problem).map(|ptx| ptx::code_sha256(ptx.text));
    if code.as_ref() != Some(&record.provenance.code_sha256) {
        return Err(format!("the record of {} is of other code: record it again", record.problem));
    }
    let mut launched: BTreeMap<(String, String), u32> = BTreeMap::new();
    for launch in &ran.launches {
        let shape = &launch.report.launch;
        let text = format!("{:?} {:?} {}", shape.grid, shape.block, shape.shared_dynamic);
        *launched.entry((launch.report.kernel.clone(), text)).or_default() += 1;
    }
    let mut known: BTreeMap<(String, String), u32> = BTreeMap::new();
    for launch in &recorded.launches {
        let [grid, block] = [launch.shape.grid, launch.shape.block].map(|d| [d.x, d.y, d.z]);
        let text = format!("{grid:?} {block:?} {}", launch.shape.shared_bytes);
        *known.entry((launch.kernel.clone(), text)).or_default() += launch.times;
    }
    if launched != known {
        return Err(format!("the recorded run of `{case}` has other launches: {known:?} instead of {launched:?}"));
    }
    Ok(Measured { launches: &recorded.launches })
}

/// A median time of the H200's recorded bench, in nanoseconds, and whether it is of the code that is here.
///
/// # Errors
/// A sentence: there is no such row, or it has no time.
pub(super) fn time(time: &Time) -> Result<(u64, bool), String> {
    let records = bench::records().map_err(ToString::to_string)?;
    let record = records.iter().find(|record| gpu::slug(&record.provenance.gpu) == super::NOW);
    let record = record.ok_or_else(|| format!("no bench was recorded on the {}", super::NOW))?;
    let current = !record.outdated().contains(&&*time.problem);
    let row = record.rows.iter().find(|row| {
        row.problem == time.problem && row.size == time.size && row.data == time.data && row.version == time.version
    });
    let row = row.ok_or_else(|| format!("the bench has no row for {time:?}"))?;
    let times = row.outcome.times().ok_or_else(|| format!("the bench has no time for {time:?}"))?;
    Ok((times.median_ns, current))
}

/// The text of a file that runs name, from the repository's root.
fn embedded(path: &Path) -> Option<&'static str> {
    let text = path.to_str()?;
    if let Some((_, text)) = FILES.iter().find(|(file, _)| *file == text) {
        return Some(text);
    }
    let problem = text.strip_prefix("kernels/ptx/")?.strip_suffix(".ptx")?;
    ptx::committed(problem).map(|ptx| ptx.text)
}

/// The path without `folder/..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        if component == std::path::Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    plain
}

/// The way of `warpbook sim`, with files that are compiled into this program.
fn simulate(given: &Run, names: BTreeMap<String, String>, target: &Target, details: bool) -> Result<Ran, String> {
    let file = PathBuf::from(&given.file);
    let missing = |file: &Path| format!("{} is no file that claims can name", file.display());
    let session = if given.file.ends_with(".toml") {
        let text = embedded(&file).ok_or_else(|| missing(&file))?;
        Session::parse(text, &file, &names).map_err(|error| error.to_string())?
    } else {
        let line = CommandLine {
            file,
            kernel: given.kernel.clone(),
            grid: given.grid.clone(),
            block: given.block.clone(),
            shared: given.shared.clone(),
            args: given.args.clone(),
            names: names.iter().map(|(name, value)| format!("{name}={value}")).collect(),
            expect: given.expect.clone(),
            ..CommandLine::default()
        };
        line.session().map_err(|error| error.to_string())?
    };
    let file = plain(&session.file);
    let text = embedded(&file).ok_or_else(|| missing(&file))?;
    let mut opened = Opened::of_ptx(&file.to_string_lossy(), text).map_err(|error| error.to_string())?;
    let default = Options::default();
    let budget = given.budget.unwrap_or(default.budget);
    let options = Options { target: target.name.clone(), details, budget, ..default };
    run(&session, &mut opened, &options, None, None).map_err(|error| error.to_string())
}
