//! Opens any kernel file: PTX as it is, CUDA C++ through NVRTC.

use std::fs;
use std::path::{Path, PathBuf};

use sim::Module;

use crate::compile::{self, CompileError, Options, Source};

/// Why a kernel file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error("cannot read {}: {why}", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// The operating system's reason.
        why: std::io::Error,
    },
    /// The file is not text.
    #[error(
        "{} is not text: byte {at} (line {line}) is no part of a UTF-8 character. \
         Give a CUDA source (.cu) or PTX; a cubin, fatbin or executable can be turned into PTX with cuobjdump -ptx",
        .path.display()
    )]
    Binary {
        /// Which.
        path: PathBuf,
        /// Offset of the first bad byte.
        at: usize,
        /// Its line.
        line: usize,
    },
    /// NVRTC did not compile it.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It is not PTX.
    #[error(transparent)]
    Parse(#[from] sim::Error),
}

impl OpenError {
    /// The exit code that a program should end with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Read { .. } | Self::Binary { .. } => 2,
            Self::Compile(error) => error.exit_code(),
            Self::Parse(error) => exit_code(error),
        }
    }
}

/// The exit code that belongs to a simulator's error.
pub const fn exit_code(error: &sim::Error) -> u8 {
    match error.class() {
        sim::ErrorClass::Input => 2,
        sim::ErrorClass::Unsupported => 3,
        sim::ErrorClass::Internal => 101,
    }
}

/// A kernel file, ready to be simulated.
#[derive(Debug)]
pub struct Opened {
    /// The PTX.
    pub module: Module,
    /// The CUDA source, if the file was one.
    pub source: Option<String>,
    /// What the compiler warned of.
    pub warnings: String,
}

/// Opens `path`. A file whose name ends in `.cu` is compiled; everything else is taken for PTX.
///
/// # Errors
/// [`OpenError`] with the place in the file.
pub fn open(path: &Path) -> Result<Opened, OpenError> {
    let bytes = fs::read(path).map_err(|why| OpenError::Read { path: path.to_owned(), why })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        OpenError::Binary { path: path.to_owned(), at, line }
    })?;
    let name = path.to_string_lossy();
    if path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh") {
        let compiled = compile::compile_source(&Source { name: &name, text: &text }, &Options::default())?;
        let module = Module::parse(&name, &compiled.ptx)?;
        return Ok(Opened { module, source: Some(text), warnings: compiled.log });
    }
    Ok(Opened { module: Module::parse(&name, &text)?, source: None, warnings: String::new() })
}
