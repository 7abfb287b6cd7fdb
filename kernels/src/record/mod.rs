//! Recording a GPU: every case is run, checked, timed and profiled, and the record of each problem is written as soon
//! as it is complete, so that an interrupted recording keeps what it has.
//!
//! Counters come from Nsight Compute, which has to start the program that it profiles. [`record`] therefore starts
//! this same program again under `ncu`, with the subcommand [`CHILD_SUBCOMMAND`], which does nothing but call [`child`].

mod error;
pub mod machine;
mod ncu;
mod profile;
pub mod work;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

pub use crate::ncu::{Ncu, NcuError};
pub use error::RecordError;

use sim::report::Metrics;

use crate::baseline;
use crate::case::{Case, Planned, Shape, Step};
use crate::counters::EXACT;
use crate::cubins;
use crate::gpu::{Gpu, GpuError, Properties};
use crate::lowering;
use crate::problem::{self, Problem};
use crate::ptx::{self, CommittedPtx};
use crate::stopwatch::stopwatch;
use crate::truth::{CaseRecord, LaunchRecord, Provenance, Record, SCHEMA, TruthError, alike};

use profile::{Measured, Plan};

/// The hidden subcommand under which the program profiles itself: `launch-cases PROBLEM --gpu ORDINAL`.
pub const CHILD_SUBCOMMAND: &str = "launch-cases";

/// How to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Names of problems; all when empty.
    pub problems: Vec<String>,
    /// The folder of the records, made when it is missing.
    pub folder: PathBuf,
    /// Number of the GPU, from 0.
    pub gpu: u32,
    /// Timed launches per case, at least 20.
    pub repeats: u32,
    /// Where `ncu` is; looked for when `None` (see [`Ncu::find`]).
    pub ncu: Option<PathBuf>,
    /// How often every launch is profiled, at least once: what the hardware does not repeat shows from twice on.
    pub profiles: u32,
    /// Whether problems are left out of which a whole record of this GPU, these tools and this code is there already:
    /// what an interrupted recording did is not done again.
    pub resume: bool,
    /// The program that `ncu` starts with [`CHILD_SUBCOMMAND`]; this program when `None`.
    pub program: Option<PathBuf>,
}

impl Default for Options {
    /// Everything on GPU 0 into `kernels/truth`, seen from the repository's root.
    fn default() -> Self {
        let folder = PathBuf::from("kernels/truth");
        let (profiles, resume) = (2, false);
        Self { problems: Vec::new(), folder, gpu: 0, repeats: 30, ncu: None, profiles, resume, program: None }
    }
}

/// What a recording is busy with.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A case is run, checked and timed.
    Running {
        /// Which.
        case: &'a Case,
        /// Its number, from 1.
        number: usize,
        /// How many the problem has.
        total: usize,
    },
    /// `ncu` profiles a problem's cases, which takes a while without a sign.
    Profiling {
        /// Which problem.
        problem: &'a str,
        /// How many launches that are.
        launches: usize,
    },
    /// A record was written.
    Written(&'a Path),
    /// A whole record is there already.
    There(&'a Path),
}

/// What a recording did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The GPU.
    pub gpu: Properties,
    /// The version of `ncu`.
    pub ncu: String,
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// Number of cases.
    pub cases: usize,
    /// Number of exact counters.
    pub counters: usize,
    /// Cases whose result on the GPU is not as expected, with the first wrong element. Should be empty.
    pub wrong: Vec<String>,
    /// Anything worth telling.
    pub notes: Vec<String>,
}

/// Records the problems of `options`, telling `progress` what it is doing.
///
/// # Errors
/// [`RecordError`]; the records of the problems before the failing one are written.
pub fn record(options: &Options, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Summary, RecordError> {
    let problems = select(&options.problems)?;
    let properties = Gpu::open(options.gpu)?.properties().clone();
    let ncu = Ncu::find(options.ncu.as_deref())?;
    let mut summary = Summary {
        gpu: properties.clone(),
        ncu: ncu.version.clone(),
        files: Vec::new(),
        cases: 0,
        counters: 0,
        wrong: Vec::new(),
        notes: Vec::new(),
    };
    for problem in problems {
        let ptx = committed(problem.name)?;
        if !lowering::can_run(ptx.text, &properties.architecture()) {
            let (name, capability) = (problem.name, &properties.compute_capability);
            summary
                .notes
                .push(format!("{name} needs a newer GPU than one of compute capability {capability}: left out"));
            continue;
        }
        let file = options.folder.join(format!("{}.{}.json", problem.name, properties.slug()));
        may_replace(&file, &properties)?;
        let cases = (problem.cases)();
        if options.resume && is_there(&file, &provenance(&properties, &ncu, &ptx, None), &cases, options.profiles) {
            progress(Progress::There(&file));
            continue;
        }
        let (mut records, lowered) = run_all(options, &ptx, &cases, &mut summary, progress)?;
        progress(Progress::Profiling { problem: problem.name, launches: cases.len() * options.profiles as usize });
        // The program launches all cases as often as they are profiled, so that `ncu` starts only once.
        let profiled: Vec<Plan> = (0..options.profiles).flat_map(|_| cases.iter().map(Plan::of_case)).collect();
        let (measured, note) = ncu::profile(&ncu, &program(options, problem)?, &profiled)?;
        summary.notes.extend(note);
        let rounds: Vec<&[Vec<Measured>]> = measured.chunks(cases.len().max(1)).collect();
        for (index, (record, case)) in records.iter_mut().zip(&cases).enumerate() {
            let profiles: Vec<&[Measured]> = rounds.iter().map(|round| &*round[index]).collect();
            fill(record, case, &profiles);
            summary.counters += record.launches.iter().map(|launch| launch.metrics.len()).sum::<usize>();
        }
        summary.cases += records.len();
        let record = Record {
            schema: SCHEMA,
            problem: problem.name.to_owned(),
            provenance: provenance(&properties, &ncu, &ptx, lowered),
            counters: recorded(&records),
            profiles: options.profiles,
            cases: records,
        };
        write(&file, record.to_json().as_bytes()).map_err(|why| RecordError::Write { file: file.clone(), why })?;
        progress(Progress::Written(&file));
        if let Some(lines) = baseline::write(&baseline::make(problem)?, &options.folder)? {
            progress(Progress::Written(&lines));
        }
        summary.files.push(file);
    }
    Ok(summary)
}

/// Launches every case of a problem in order, all of them `times` times, and looks at nothing: what `ncu` profiles. With
/// `machine_code` the committed cubin is run as it stands, else the driver compiles the PTX.
///
/// # Errors
/// [`RecordError`] when the GPU fails.
pub fn child(problem: &str, gpu: u32, times: u32, machine_code: bool) -> Result<(), RecordError> {
    for problem in select(&[problem.to_owned()])? {
        let ptx = committed(problem.name)?;
        let gpu = Gpu::open(gpu)?;
        let kernels = if machine_code {
            let arch = gpu.properties().architecture();
            let cubin = cubins::committed(problem.name, &arch);
            gpu.load_cubin(&cubin.ok_or_else(|| RecordError::NoPtx(problem.name.to_owned()))?.bytes, ptx.text)?
        } else {
            gpu.load(ptx.text)?
        };
        for _ in 0..times {
            for case in (problem.cases)() {
                case.prepare().work().and_then(|work| kernels.run(&work)).map_err(|error| in_case(&case, error))?;
            }
        }
    }
    Ok(())
}

fn in_case(case: &Case, error: GpuError) -> RecordError {
    RecordError::Gpu { case: format!("{case}: "), error }
}

fn select(names: &[String]) -> Result<Vec<&'static Problem>, RecordError> {
    if names.is_empty() {
        return Ok(problem::all().iter().collect());
    }
    let known = || problem::all().iter().map(|problem| problem.name).collect::<Vec<_>>().join(", ");
    names.iter().map(|name| problem::find(name).ok_or_else(|| RecordError::Problem(name.clone(), known()))).collect()
}

fn committed(problem: &str) -> Result<CommittedPtx, RecordError> {
    ptx::committed(problem).ok_or_else(|| RecordError::NoPtx(problem.to_owned()))
}

/// The command line that launches a problem's cases.
fn program(options: &Options, problem: &Problem) -> Result<Vec<OsString>, RecordError> {
    let this = || env::current_exe().map_err(|why| RecordError::Write { file: PathBuf::from("this program"), why });
    let program = options.program.clone().map_or_else(this, Ok)?;
    let args = [CHILD_SUBCOMMAND, problem.name, "--gpu"].map(OsString::from);
    let numbers = [options.gpu.to_string(), "--times".to_owned(), options.profiles.to_string()];
    Ok([program.into()].into_iter().chain(args).chain(numbers.map(OsString::from)).collect())
}

/// Runs, checks and times all cases. The GPU is closed again at the end, so that `ncu` has it to itself.
fn run_all(
    options: &Options,
    ptx: &CommittedPtx,
    cases: &[Case],
    summary: &mut Summary,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(Vec<CaseRecord>, Option<String>), RecordError> {
    let gpu = Gpu::open(options.gpu)?;
    let (kernels, stopwatch) = (gpu.load(ptx.text)?, stopwatch(&gpu)?);
    let mut records = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        progress(Progress::Running { case, number: i + 1, total: cases.len() });
        let prepared = case.prepare();
        let failed = |error| in_case(case, error);
        let work = prepared.work().map_err(failed)?;
        let contents = kernels.run(&work).map_err(failed)?;
        let check = prepared.check(&contents);
        if !case.verdict.allows(check.right) {
            let why = check.first.as_deref().unwrap_or("right, although the kernel is faulty on purpose");
            summary.wrong.push(format!("{case}: {why}"));
        }
        let launch = |(kernel, shape, times): (&'static str, Shape, u32)| {
            let alike = |step: &&Step| (step.kernel, step.shape) == (kernel, shape);
            let step = prepared.steps.iter().find(alike).expect("a case launches what it says");
            Ok(LaunchRecord {
                kernel: kernel.to_owned(),
                shape,
                times,
                metrics: Default::default(),
                ranges: Default::default(),
                context: Default::default(),
                resources: kernels.resources(step).map_err(failed)?,
            })
        };
        records.push(CaseRecord {
            version: case.version.to_owned(),
            case: case.name.clone(),
            outputs: prepared.outputs(&contents),
            right: check.right,
            max_error: check.max_error,
            times: kernels.time(&work, options.repeats, &stopwatch).map_err(failed)?,
            launches: alike(&case.launches).into_iter().map(launch).collect::<Result<_, RecordError>>()?,
        });
    }
    Ok((records, kernels.lowered_version().map(str::to_owned)))
}

/// Adds the profiles of a case's launches to the launches of its record that they are like: the numbers are the first
/// profile's, and with them goes the range of counters that were not the same in all.
fn fill(record: &mut CaseRecord, case: &Case, profiles: &[&[Measured]]) {
    for launch in &mut record.launches {
        let alike = |planned: &Planned| (planned.kernel, planned.shape) == (&*launch.kernel, launch.shape);
        let sums: Vec<Metrics> = profiles
            .iter()
            .map(|profile| {
                let mut sum = Metrics::new();
                let own = case.launches.iter().zip(*profile).filter(|(planned, _)| alike(planned));
                for (name, value) in own.flat_map(|(_, measured)| &measured.exact) {
                    *sum.entry(name.clone()).or_default() += value;
                }
                sum
            })
            .collect();
        let Some(first) = sums.first() else { continue };
        for name in first.keys() {
            let values = || sums.iter().filter_map(|sum| sum.get(name).copied());
            let range = [values().min().unwrap_or(0), values().max().unwrap_or(0)];
            if range[0] < range[1] {
                launch.ranges.insert(name.clone(), range);
            }
        }
        let first_profile = case.launches.iter().zip(profiles[0]).filter(|(planned, _)| alike(planned));
        for (name, &value) in first_profile.flat_map(|(_, measured)| &measured.context) {
            // What a launch needs is the same every time; what it does adds up.
            let needs = name.starts_with("launch__");
            let sum = launch.context.entry(name.clone()).or_default();
            *sum = if needs { value } else { *sum + value };
        }
        launch.metrics = sums.into_iter().next().unwrap_or_default();
    }
}

/// Whether `file` is a whole record that this very recording would make again.
fn is_there(file: &Path, now: &Provenance, cases: &[Case], profiles: u32) -> bool {
    let Ok(old) = Record::read(file) else { return false };
    // The day may be another one, and whether the driver knew the PTX's version follows from the driver.
    let then = Provenance { date: now.date.clone(), ptx_version: None, ..old.provenance.clone() };
    let has = |case: &Case| old.case(case).is_some_and(|recorded| recorded.other_launches(case).is_none());
    then == *now && old.profiles >= profiles && old.cases.len() == cases.len() && cases.iter().all(has)
}

/// The exact counters that every launch has.
fn recorded(records: &[CaseRecord]) -> Vec<String> {
    let has = |metric: &str| records.iter().all(|record| record.metric(metric).is_some());
    EXACT.iter().filter(|counter| has(counter.metric)).map(|counter| counter.metric.to_owned()).collect()
}

fn provenance(gpu: &Properties, ncu: &Ncu, ptx: &CommittedPtx, lowered: Option<String>) -> Provenance {
    Provenance {
        gpu: gpu.name.clone(),
        compute_capability: gpu.compute_capability.clone(),
        sm_count: gpu.sm_count,
        driver: gpu.driver.clone(),
        cuda: gpu.cuda.clone(),
        ncu: ncu.version.clone(),
        nvrtc: ptx.header.nvrtc.to_owned(),
        code_sha256: ptx::code_sha256(ptx.text),
        source_sha256: ptx::sha256(ptx.source),
        ptx_version: lowered,
        date: crate::provenance::today(),
        warpbook: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Refuses when `file` is a record of another GPU. A record of another layout is no obstacle.
fn may_replace(file: &Path, here: &Properties) -> Result<(), RecordError> {
    match Record::read(file) {
        Err(TruthError::Read { why, .. }) if why.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(TruthError::Schema { .. }) => Ok(()),
        Err(error) => Err(RecordError::Old(error)),
        Ok(old) if old.provenance.gpu == here.name => Ok(()),
        Ok(old) => {
            let (file, found, here) = (file.to_owned(), old.provenance.gpu, here.name.clone());
            Err(RecordError::OtherGpu { file, found, here })
        }
    }
}

/// Writes a file so that it is either the old or the new one, whatever happens in between.
fn write(file: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = file.with_extension("new");
    fs::write(&new, content)?;
    fs::rename(&new, file)
}

#[cfg(test)]
mod tests;
