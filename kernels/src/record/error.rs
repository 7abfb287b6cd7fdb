//! Why a recording ended early.

use std::io;
use std::path::PathBuf;

use crate::baseline::BaselineError;
use crate::gpu::GpuError;
use crate::ncu::NcuError;
use crate::truth::TruthError;

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
    /// What the simulator counts on each line could not be written beside the record.
    #[error(transparent)]
    Lines(#[from] BaselineError),
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
            Self::Ncu(_) => sim::ErrorClass::Unsupported.exit_code(),
            Self::Problem(..) | Self::OtherGpu { .. } | Self::Old(_) | Self::Write { .. } => {
                sim::ErrorClass::Input.exit_code()
            }
            Self::Lines(error) => error.exit_code(),
            Self::NoPtx(_) => sim::ErrorClass::Internal.exit_code(),
        }
    }
}
