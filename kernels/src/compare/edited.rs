//! Sources that are no longer what the committed PTX was made from: they are compiled, and take its place in a comparison.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use sim::Module;

use crate::problem;
use crate::ptx;
use crate::regenerate::{self, RegenerateError};

/// The kernels of a problem from a source that was edited.
#[derive(Debug, Clone)]
pub struct Edited {
    /// The problem.
    pub problem: &'static str,
    /// The CUDA source.
    pub source: String,
    /// SHA-256 of the code that it became ([`ptx::code_sha256`]).
    pub code_sha256: String,
    /// That code.
    pub module: Arc<Module>,
}

/// Why an edited source cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum EditedError {
    /// The file cannot be read.
    #[error("cannot read {}: {why}", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The operating system's reason.
        why: io::Error,
    },
    /// The file's name is that of no problem.
    #[error(
        "{} is the source of no problem of the workbook: its name tells which one it is about ({known}). `warpbook sim` \
         takes any kernel", .file.display()
    )]
    NoProblem {
        /// The file.
        file: PathBuf,
        /// The names that there are.
        known: String,
    },
    /// It does not compile, or there is nothing to compile it with.
    #[error("{problem}.cu is not what the PTX of this program was made from, so it has to be compiled again: {why}")]
    Make {
        /// The problem.
        problem: &'static str,
        /// Why that is not possible.
        why: RegenerateError,
    },
    /// The simulator cannot read what it became.
    #[error("{problem}.cu: {why}")]
    Parse {
        /// The problem.
        problem: &'static str,
        /// What the simulator says.
        why: sim::Error,
    },
}

impl EditedError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Make { why: RegenerateError::Compile(why), .. } => why.exit_code(),
            Self::Make { .. } => sim::ErrorClass::Unsupported.exit_code(),
            Self::Read { .. } | Self::NoProblem { .. } => sim::ErrorClass::Input.exit_code(),
            Self::Parse { .. } => sim::ErrorClass::Internal.exit_code(),
        }
    }
}

/// Compiles the source of a problem, unless the committed PTX does the same.
///
/// # Errors
/// [`EditedError`] when it does not compile or there is no compiler.
pub fn of_text(problem: &'static str, source: String) -> Result<Option<Edited>, EditedError> {
    let committed = ptx::committed(problem);
    if committed.is_some_and(|committed| committed.header.source_sha256 == ptx::sha256(&source)) {
        return Ok(None);
    }
    let made = regenerate::make(problem, &source).map_err(|why| EditedError::Make { problem, why })?;
    let code_sha256 = ptx::code_sha256(&made.ptx);
    if committed.is_some_and(|committed| ptx::code_sha256(committed.text) == code_sha256) {
        return Ok(None);
    }
    let module = Module::parse(&format!("{problem}.ptx"), &made.ptx);
    let module = Arc::new(module.map_err(|why| EditedError::Parse { problem, why })?);
    Ok(Some(Edited { problem, source, code_sha256, module }))
}

/// Compiles a file, which is named after its problem.
///
/// # Errors
/// [`EditedError`].
pub fn of_file(file: &Path) -> Result<Option<Edited>, EditedError> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let Some(problem) = problem::find(&stem) else {
        let known = problem::all().iter().map(|problem| format!("{}.cu", problem.name)).collect::<Vec<_>>().join(", ");
        return Err(EditedError::NoProblem { file: file.to_owned(), known });
    };
    of_text(problem.name, read(file)?)
}

/// Compiles the sources of problems that were edited: those in `kernels/cu` below the working directory, which a clone of
/// the repository has, else those that this program was built with.
///
/// # Errors
/// [`EditedError`].
pub fn here<'a>(problems: impl Iterator<Item = &'a str>) -> Result<Vec<Edited>, EditedError> {
    let mut edited = Vec::new();
    for problem in problems.filter_map(problem::find) {
        let file = Path::new("kernels/cu").join(format!("{}.cu", problem.name));
        let committed = ptx::committed(problem.name).map(|committed| committed.source.to_owned());
        let source = if file.is_file() { Some(read(&file)?) } else { committed };
        if let Some(source) = source {
            edited.extend(of_text(problem.name, source)?);
        }
    }
    Ok(edited)
}

fn read(file: &Path) -> Result<String, EditedError> {
    fs::read_to_string(file).map_err(|why| EditedError::Read { file: file.to_owned(), why })
}
