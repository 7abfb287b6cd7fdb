//! Recording what a GPU counts in the probes of a suite.
//!
//! As in [`crate::record`], the program starts itself again under `ncu`, with the subcommand [`CHILD_SUBCOMMAND`], which
//! does nothing but call [`child`].

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sim::{Arg, Launch};

use super::{Probe, ProbeCounters, ProbeError, ProbeRecord, Suite};
use crate::case::{Buffer, Pass, Prepared, Shape, Step};
use crate::counters::EXACT;
use crate::gpu::{Gpu, GpuError};
use crate::ncu::{Ncu, NcuError, Profiled};
use crate::ptx;
use crate::truth::Provenance;

/// The hidden subcommand under which the program profiles itself: `launch-probes FOLDER --gpu ORDINAL`.
pub const CHILD_SUBCOMMAND: &str = "launch-probes";

/// Names for the buffers of a launch, by the position of their argument.
const NAMES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];

/// Why a recording ended early.
#[derive(Debug, thiserror::Error)]
pub enum ProbeRecordError {
    /// The suite cannot be used.
    #[error(transparent)]
    Suite(#[from] ProbeError),
    /// The GPU is missing or failed.
    #[error("{kernel}{error}")]
    Gpu {
        /// Which probe it was, with a colon; empty when it was none.
        kernel: String,
        /// What happened.
        error: GpuError,
    },
    /// `ncu` is missing or failed.
    #[error(transparent)]
    Ncu(#[from] NcuError),
    /// This program does not know where it is.
    #[error("this program's own place is unknown: {0}")]
    Program(std::io::Error),
}

impl From<GpuError> for ProbeRecordError {
    fn from(error: GpuError) -> Self {
        Self::Gpu { kernel: String::new(), error }
    }
}

impl ProbeRecordError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Suite(error) => error.exit_code(),
            Self::Gpu { error, .. } => error.exit_code(),
            Self::Ncu(_) => sim::ErrorClass::Unsupported.exit_code(),
            Self::Program(_) => sim::ErrorClass::Internal.exit_code(),
        }
    }
}

/// Launches all probes of a suite on a GPU under Nsight Compute, and writes `GPU.json` into its folder. Returns the file.
///
/// # Errors
/// [`ProbeRecordError`]; the old record stays as it was.
pub fn record(suite: &Suite, gpu: u32, ncu: Option<&Path>) -> Result<PathBuf, ProbeRecordError> {
    let properties = Gpu::open(gpu)?.properties().clone();
    let ncu = Ncu::find(ncu)?;
    let exact = || EXACT.iter().map(|counter| counter.metric.to_owned()).collect();
    let counters: Vec<String> = suite.counters.clone().unwrap_or_else(exact);
    let program = env::current_exe().map_err(ProbeRecordError::Program)?;
    let line: Vec<OsString> = [
        program.into_os_string(),
        CHILD_SUBCOMMAND.into(),
        suite.folder.clone().into_os_string(),
        "--gpu".into(),
        gpu.to_string().into(),
    ]
    .into();
    let names: Vec<&str> = counters.iter().map(String::as_str).collect();
    let probes =
        ncu.launches(&line, &names, crate::ncu::Instances::Sum, |profiled| attach(suite, &counters, profiled))?;
    let sources = suite.sources()?;
    let nvrtc = suite.ptx.values().find_map(|text| ptx::Header::parse(text)).map(|header| header.nvrtc.to_owned());
    let record = ProbeRecord {
        provenance: Provenance {
            gpu: properties.name.clone(),
            compute_capability: properties.compute_capability.clone(),
            sm_count: properties.sm_count,
            driver: properties.driver.clone(),
            cuda: properties.cuda.clone(),
            ncu: ncu.version.clone(),
            nvrtc: nvrtc.unwrap_or_default(),
            code_sha256: suite.code_sha256(),
            source_sha256: ptx::sha256(&sources),
            ptx_version: None,
            date: time::OffsetDateTime::now_utc().date().to_string(),
            warpbook: env!("CARGO_PKG_VERSION").to_owned(),
        },
        counters,
        probes,
    };
    let file = suite.folder.join(format!("{}.json", properties.slug()));
    fs::write(&file, record.to_json()).map_err(|why| ProbeError::Read { file: file.clone(), why })?;
    Ok(file)
}

/// Launches every probe once and in order, and looks at nothing: what `ncu` profiles.
///
/// # Errors
/// [`ProbeRecordError`] when the suite cannot be read or the GPU fails.
pub fn child(folder: &Path, gpu: u32) -> Result<(), ProbeRecordError> {
    let suite = Suite::read(folder)?;
    let gpu = Gpu::open(gpu)?;
    let mut modules = BTreeMap::new();
    for (file, text) in &suite.ptx {
        modules.insert(file.as_str(), gpu.load(text)?);
    }
    for probe in &suite.probes {
        let prepared = prepare(probe, suite.launch(probe)?);
        let failed = |error| ProbeRecordError::Gpu { kernel: format!("{}: ", probe.kernel), error };
        modules[probe.file.as_str()].run(&prepared.work().map_err(failed)?).map_err(failed)?;
    }
    Ok(())
}

/// A launch as the GPU takes it.
fn prepare(probe: &Probe, launch: Launch) -> Prepared {
    // The name lives as long as the program, which ends after the last of a few hundred probes.
    let kernel: &'static str = probe.kernel.clone().leak();
    let shape = Shape { grid: launch.grid, block: launch.block, shared_bytes: launch.shared_bytes };
    let (mut buffers, mut args) = (Vec::new(), Vec::new());
    for (name, content) in NAMES.into_iter().zip(launch.args) {
        args.push(match content {
            Arg::Scalar(scalar) => Pass::Scalar(scalar),
            content => {
                buffers.push(Buffer { name, content });
                Pass::Buffer(name)
            }
        });
    }
    Prepared { buffers, steps: vec![Step { kernel, shape, args }], expected: Vec::new() }
}

/// Gives every probe its profile: both are in the same order. The error is a sentence.
fn attach(suite: &Suite, counters: &[String], profiled: &[Profiled]) -> Result<Vec<ProbeCounters>, String> {
    let is_ours = |profiled: &&Profiled| suite.probes.iter().any(|probe| probe.kernel == profiled.kernel);
    let ours: Vec<&Profiled> = profiled.iter().filter(is_ours).collect();
    if ours.len() != suite.probes.len() {
        return Err(format!("{} launches were profiled and {} were expected", ours.len(), suite.probes.len()));
    }
    let probe = |(probe, profiled): (&Probe, &Profiled)| {
        if probe.kernel != profiled.kernel {
            return Err(format!("where `{}` was expected stands `{}`", probe.kernel, profiled.kernel));
        }
        let mut metrics = BTreeMap::new();
        for counter in counters {
            let value = profiled.number(counter).ok_or_else(|| format!("`{}` has no {counter}", probe.kernel))?;
            if value != 0 {
                metrics.insert(counter.clone(), value);
            }
        }
        Ok(ProbeCounters { kernel: probe.kernel.clone(), metrics })
    };
    suite.probes.iter().zip(ours).map(probe).collect()
}
