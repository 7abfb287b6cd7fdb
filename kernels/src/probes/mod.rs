//! Probes: small kernels that stress what a compiler and a GPU do to counters, with a record of what a GPU counted.
//!
//! A suite is a folder (`sim/tests/counters` in the repository):
//! - `cu/*.cu` and `ptx/*.ptx`: the kernels, many to a file; the PTX is made as that of the book's kernels is;
//! - `probes.toml`: the launches, in order, and which counters are recorded, if not the exact ones;
//! - `h200.json`: what a GPU counted ([`ProbeRecord`]), written by `warpbook dev probes --record`;
//! - `known.toml`: where the simulator is known to differ, with the cause ([`Known`]).
//!
//! [`compare()`] simulates every launch and tells every counter that differs.

mod compare;
mod data;
mod record;
mod truth;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use sim::report::Metrics;
use sim::{Arg, Dim3, Launch, Module, Scalar, simulate};

use crate::{known_differences, ptx};

pub use compare::{Comparison, Difference, compare};
pub use record::{CHILD_SUBCOMMAND, ProbeRecordError, child, record};
pub use truth::{ProbeCounters, ProbeRecord};

/// One launch of one kernel.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The file of the kernel, without folder and extension.
    pub file: String,
    /// The kernel; where the exact counters are compared, every name occurs once.
    pub kernel: String,
    grid: Vec<u32>,
    block: Vec<u32>,
    /// Dynamic shared memory, in bytes.
    #[serde(default)]
    shared: u32,
    args: Vec<String>,
}

/// A counter in which the simulator is known to differ from the GPU.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The kernel.
    pub kernel: String,
    /// The counters.
    pub metrics: Vec<String>,
    /// Why, in a sentence.
    pub cause: String,
}

/// Why a suite cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// A file cannot be read.
    #[error("cannot read {}: {why}", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        why: io::Error,
    },
    /// A file is not what it should be.
    #[error("{}: {why}", .file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// What is wrong with it, with the place.
        why: String,
    },
    /// The simulator refuses a kernel.
    #[error("the probe `{kernel}`: {why}")]
    Simulation {
        /// The kernel.
        kernel: String,
        /// Its words.
        why: sim::Error,
    },
    /// A probe ran into a fault, so its counters mean nothing.
    #[error("the probe `{kernel}` is faulty: {finding}")]
    Faulty {
        /// The kernel.
        kernel: String,
        /// The first finding.
        finding: String,
    },
}

impl ProbeError {
    /// The exit code that a program should end with: a faulty probe is a faulty kernel.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Read { .. } | Self::Format { .. } => sim::ErrorClass::Input.exit_code(),
            Self::Simulation { .. } => sim::ErrorClass::Unsupported.exit_code(),
            Self::Faulty { .. } => sim::FAULTY,
        }
    }
}

/// A folder of probes.
#[derive(Debug, Clone)]
pub struct Suite {
    /// The folder.
    pub folder: PathBuf,
    /// The launches, in order.
    pub probes: Vec<Probe>,
    /// What is recorded instead of the exact counters: metrics of Nsight Compute that other tests are about.
    pub counters: Option<Vec<String>>,
    /// PTX by name of file.
    pub ptx: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProbeFile {
    counters: Option<Vec<String>>,
    #[serde(default)]
    probe: Vec<Probe>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownFile {
    #[serde(default)]
    known: Vec<Known>,
}

fn read(file: &Path) -> Result<String, ProbeError> {
    fs::read_to_string(file).map_err(|why| ProbeError::Read { file: file.to_owned(), why })
}

fn format_error(file: &Path, why: impl ToString) -> ProbeError {
    ProbeError::Format { file: file.to_owned(), why: why.to_string() }
}

impl Suite {
    /// Reads the probes and the PTX of a folder.
    ///
    /// # Errors
    /// [`ProbeError`] when a file cannot be read or has the wrong form.
    pub fn read(folder: &Path) -> Result<Self, ProbeError> {
        let file = folder.join("probes.toml");
        let ProbeFile { counters, probe: probes } =
            toml::from_str(&read(&file)?).map_err(|why| format_error(&file, why))?;
        let mut ptx = BTreeMap::new();
        for probe in &probes {
            if !ptx.contains_key(&probe.file) {
                let path = folder.join("ptx").join(format!("{}.ptx", probe.file));
                ptx.insert(probe.file.clone(), read(&path)?);
            }
        }
        Ok(Self { folder: folder.to_owned(), probes, counters, ptx })
    }

    /// The CUDA sources, one after the other by name of file.
    ///
    /// # Errors
    /// [`ProbeError::Read`].
    pub fn sources(&self) -> Result<String, ProbeError> {
        self.ptx.keys().map(|name| read(&self.folder.join("cu").join(format!("{name}.cu")))).collect()
    }

    /// The launch of a probe: the same data every time.
    ///
    /// # Errors
    /// [`ProbeError::Format`] when an argument or an extent is malformed.
    pub fn launch(&self, probe: &Probe) -> Result<Launch, ProbeError> {
        let wrong = |why: String| format_error(&self.folder.join("probes.toml"), format!("{}: {why}", probe.kernel));
        let extent = |values: &[u32]| match *values {
            [x] => Ok(Dim3::new(x, 1, 1)),
            [x, y] => Ok(Dim3::new(x, y, 1)),
            [x, y, z] => Ok(Dim3::new(x, y, z)),
            _ => Err(wrong("an extent has one to three numbers".to_owned())),
        };
        let args = probe.args.iter().enumerate().map(|(index, text)| argument(text, index).map_err(wrong));
        Ok(Launch {
            grid: extent(&probe.grid)?,
            block: extent(&probe.block)?,
            shared_bytes: probe.shared,
            args: args.collect::<Result<_, _>>()?,
        })
    }

    /// What a GPU counted: the file `NAME.json` of the folder.
    ///
    /// # Errors
    /// [`ProbeError`] when it cannot be read, has the wrong form, or is a record of other code.
    pub fn truth(&self, name: &str) -> Result<ProbeRecord, ProbeError> {
        let file = self.folder.join(format!("{name}.json"));
        let record = ProbeRecord::from_json(&read(&file)?).map_err(|why| format_error(&file, why))?;
        if record.provenance.code_sha256 != self.code_sha256() {
            return Err(format_error(
                &file,
                "it is a record of other PTX: record again with warpbook dev probes --record",
            ));
        }
        Ok(record)
    }

    /// SHA-256 of the code of all PTX files, one after the other by name.
    pub fn code_sha256(&self) -> String {
        ptx::code_sha256(&self.ptx.values().cloned().collect::<String>())
    }

    /// Where the simulator is known to differ.
    ///
    /// # Errors
    /// As [`Self::truth`].
    pub fn known(&self) -> Result<Vec<Known>, ProbeError> {
        let file = self.folder.join("known.toml");
        let list = known_differences::read(&file.display().to_string(), &read(&file)?);
        let KnownFile { known } = list.map_err(|error| format_error(&file, error.why))?;
        Ok(known)
    }

    /// The simulator's exact counters of a probe.
    ///
    /// # Errors
    /// [`ProbeError::Simulation`] and [`ProbeError::Faulty`].
    pub fn simulate(&self, probe: &Probe) -> Result<Metrics, ProbeError> {
        let failed = |why| ProbeError::Simulation { kernel: probe.kernel.clone(), why };
        let module = Module::parse(&format!("{}.ptx", probe.file), &self.ptx[&probe.file]).map_err(failed)?;
        let launch = self.launch(probe)?;
        // What a probe computes does not matter: some read shared memory that nobody has written.
        let options = sim::Options { checks: sim::Checks::NONE, ..sim::Options::default() };
        let outcome = simulate(&module, &probe.kernel, &launch, &options).map_err(failed)?;
        let first = outcome.report.errors().next().map(|finding| finding.message.clone());
        match first {
            None => Ok(outcome.report.metrics),
            Some(finding) => Err(ProbeError::Faulty { kernel: probe.kernel.clone(), finding }),
        }
    }
}

fn argument(text: &str, index: usize) -> Result<Arg, String> {
    if let Some(bytes) = text.strip_prefix("zeros:") {
        return bytes.parse().map(Arg::Zeros).map_err(|_| format!("`{bytes}` is not a number of bytes"));
    }
    if text.contains('*') {
        return data::buffer(text, index as u64).map(|bytes| Arg::Buffer(bytes.into()));
    }
    Scalar::parse(text).map(Arg::Scalar)
}
