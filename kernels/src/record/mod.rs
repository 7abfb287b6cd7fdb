//! Recording a GPU: every case is run, checked, timed and profiled, and the record of each problem is written as soon
//! as it is complete, so that an interrupted recording keeps what it has.
//!
//! Counters come from Nsight Compute, which has to start the program that it profiles. [`record`] therefore starts
//! this same program again under `ncu`, with the subcommand [`CHILD_SUBCOMMAND`], which does nothing but call [`child`].

mod ncu;
mod profile;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

pub use ncu::{Ncu, NcuError};
pub(crate) use profile::Launch as Profiled;

use crate::case::{Case, Shape, Step};
use crate::counters::EXACT;
use crate::gpu::{Gpu, GpuError, Properties};
use crate::problem::{self, Problem};
use crate::ptx::{self, CommittedPtx};
use crate::truth::{CaseRecord, LaunchRecord, Provenance, Record, SCHEMA, TruthError, alike};

use profile::Measured;

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
    /// The program that `ncu` starts with [`CHILD_SUBCOMMAND`]; this program when `None`.
    pub program: Option<PathBuf>,
}

impl Default for Options {
    /// Everything on GPU 0 into `kernels/truth`, seen from the repository's root.
    fn default() -> Self {
        let folder = PathBuf::from("kernels/truth");
        Self { problems: Vec::new(), folder, gpu: 0, repeats: 30, ncu: None, program: None }
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

/// Why a recording ended early.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The GPU is missing or failed.
    #[error("{case}{error}")]
    Gpu {
        /// Which case it was, with a colon; empty when it was none.
        case: String,
        /// What happened.
        error: GpuError,
    },
    /// `ncu` is missing or failed.
    #[error(transparent)]
    Ncu(#[from] NcuError),
    /// No such problem.
    #[error("there is no problem `{0}`; there are {1}")]
    Problem(String, String),
    /// The program has no PTX for the problem.
    #[error("this program was built without PTX for `{0}`")]
    NoPtx(String),
    /// The record that would be overwritten is of another GPU.
    #[error("{} is a record of {found}, and this is {here}; move the file away if you want to replace it", .file.display())]
    OtherGpu {
        /// The file.
        file: PathBuf,
        /// The GPU that it is about.
        found: String,
        /// The GPU of this machine.
        here: String,
    },
    /// The record that would be overwritten cannot be read.
    #[error("{0}; move the file away if you want to replace it")]
    Old(TruthError),
    /// A file could not be written.
    #[error("cannot write {}: {why}", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        why: io::Error,
    },
}

impl From<GpuError> for RecordError {
    fn from(error: GpuError) -> Self {
        Self::Gpu { case: String::new(), error }
    }
}

impl RecordError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Gpu { error, .. } => error.exit_code(),
            Self::Ncu(_) => 3,
            Self::Problem(..) | Self::OtherGpu { .. } | Self::Old(_) | Self::Write { .. } => 2,
            Self::NoPtx(_) => 101,
        }
    }
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
        let file = options.folder.join(format!("{}.{}.json", problem.name, properties.slug()));
        may_replace(&file, &properties)?;
        let cases = (problem.cases)();
        let (mut records, lowered) = run_all(options, &ptx, &cases, &mut summary, progress)?;
        progress(Progress::Profiling { problem: problem.name, launches: cases.len() });
        let (measured, note) = ncu.profile(&program(options, problem)?, &cases)?;
        summary.notes.extend(note);
        for ((record, case), measured) in records.iter_mut().zip(&cases).zip(measured) {
            fill(record, case, measured);
            summary.counters += record.launches.iter().map(|launch| launch.metrics.len()).sum::<usize>();
        }
        summary.cases += records.len();
        let record = Record {
            schema: SCHEMA,
            problem: problem.name.to_owned(),
            provenance: provenance(&properties, &ncu, &ptx, lowered),
            counters: recorded(&records),
            cases: records,
        };
        write(&file, &record.to_json()).map_err(|why| RecordError::Write { file: file.clone(), why })?;
        progress(Progress::Written(&file));
        summary.files.push(file);
    }
    Ok(summary)
}

/// Launches every case of a problem once and in order, and looks at nothing: what `ncu` profiles.
///
/// # Errors
/// [`RecordError`] when the GPU fails.
pub fn child(problem: &str, gpu: u32) -> Result<(), RecordError> {
    for problem in select(&[problem.to_owned()])? {
        let ptx = committed(problem.name)?;
        let gpu = Gpu::open(gpu)?;
        let kernels = gpu.load(ptx.text)?;
        for case in (problem.cases)() {
            kernels.run(&case.prepare()).map_err(|error| in_case(&case, error))?;
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
    Ok([program.into()].into_iter().chain(args).chain([options.gpu.to_string().into()]).collect())
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
    let kernels = gpu.load(ptx.text)?;
    let mut records = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        progress(Progress::Running { case, number: i + 1, total: cases.len() });
        let prepared = case.prepare();
        let failed = |error| in_case(case, error);
        let contents = kernels.run(&prepared).map_err(failed)?;
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
            times: kernels.time(&prepared, options.repeats).map_err(failed)?,
            launches: alike(&case.launches).into_iter().map(launch).collect::<Result<_, RecordError>>()?,
        });
    }
    Ok((records, kernels.lowered_version().map(str::to_owned)))
}

/// Adds the profiles of a case's launches to the launches of its record that they are like.
fn fill(record: &mut CaseRecord, case: &Case, measured: Vec<Measured>) {
    for (planned, measured) in case.launches.iter().zip(measured) {
        let alike = |launch: &&mut LaunchRecord| (&*launch.kernel, launch.shape) == (planned.kernel, planned.shape);
        let Some(launch) = record.launches.iter_mut().find(alike) else { continue };
        for (name, value) in measured.exact {
            *launch.metrics.entry(name).or_default() += value;
        }
        for (name, value) in measured.context {
            // What a launch needs is the same every time; what it does adds up.
            let needs = name.starts_with("launch__");
            let sum = launch.context.entry(name).or_default();
            *sum = if needs { value } else { *sum + value };
        }
    }
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
        date: time::OffsetDateTime::now_utc().date().to_string(),
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
fn write(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let new = file.with_extension("json.new");
    fs::write(&new, text)?;
    fs::rename(&new, file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn h200(name: &str) -> Properties {
        Properties {
            name: name.to_owned(),
            compute_capability: "9.0".to_owned(),
            sm_count: 132,
            l2_bytes: 1,
            threads_per_sm: 2048,
            shared_optin_bytes: 232_448,
            cuda: "13.0".to_owned(),
            driver: "580.95.05".to_owned(),
        }
    }

    #[test]
    fn a_record_is_only_replaced_by_one_of_the_same_gpu() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deeper/scan.h200.json");
        may_replace(&file, &h200("NVIDIA H200")).unwrap();
        write(&file, &crate::truth::tests::synthetic("scan", &[]).to_json()).unwrap();
        may_replace(&file, &h200("NVIDIA H200")).unwrap();
        let error = may_replace(&file, &h200("H200")).unwrap_err();
        assert!(error.to_string().contains("is a record of NVIDIA H200, and this is H200"), "{error}");
        write(&file, r#"{"schema": 0, "problem": "scan"}"#).unwrap();
        may_replace(&file, &h200("H200")).unwrap();
        write(&file, "notes of mine").unwrap();
        assert!(matches!(may_replace(&file, &h200("H200")), Err(RecordError::Old(_))));
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn unknown_problems_are_named_with_those_that_exist() {
        let error = select(&["scam".to_owned()]).unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.exit_code()),
            (
                "there is no problem `scam`; there are copy, reduction, scan, array_scan, compaction, histogram, \
                 reduce_by_key, summed_area_table, merge_sort, radix_sort",
                2
            )
        );
        assert_eq!(select(&[]).unwrap().len(), problem::all().len());
    }

    #[test]
    fn the_child_is_this_program_with_the_hidden_subcommand() {
        let options = Options { gpu: 3, program: Some("/opt/warpbook".into()), ..Options::default() };
        let line = program(&options, problem::find("scan").unwrap()).unwrap();
        assert_eq!(line, ["/opt/warpbook", "launch-cases", "scan", "--gpu", "3"]);
        assert_eq!(
            program(&Options::default(), problem::find("scan").unwrap()).unwrap()[0],
            env::current_exe().unwrap()
        );
    }
}
