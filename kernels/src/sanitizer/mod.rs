//! What compute-sanitizer says, on a real GPU, of the simulator's catalogue of faulty kernels and of the kernels of the
//! workbook's problems.
//!
//! Each kernel runs in a process of its own under each of compute-sanitizer's four tools. A kernel that comes to no end
//! is stopped after a while. The records, `sim/tests/faulty/sanitizer.<gpu>.tsv` and `kernels/truth/sanitizer.<gpu>.tsv`,
//! have a line per kernel: what the simulator finds, and what each tool reported first, `nothing`, `no end`, or the exit
//! code where the GPU stopped the kernel. The tools look for other things than the simulator, so the two need not be
//! equal; but every difference has its cause in `sanitizer.toml` beside the record.

mod compare;
mod problems;
mod run;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest, Sha256};
use sim::{Arg, Module, Scalar};

use crate::case::{Buffer, Pass, Prepared, Shape, Step};
use crate::gpu::{Gpu, GpuError};

pub use compare::{Cause, Comparison, Finder, NOTHING, STOPPED, Said, comparison, comparison_of_problems};
pub use problems::{launch_version, subjects_of_problems};
pub use run::{Options, record};

/// compute-sanitizer's tools.
pub const TOOLS: [&str; 4] = ["memcheck", "racecheck", "initcheck", "synccheck"];

/// Why a kernel of the catalogue cannot be launched, or the record not be made.
#[derive(Debug, thiserror::Error)]
pub enum SanitizerError {
    /// A file cannot be read or written.
    #[error("{}: {why}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: io::Error,
    },
    /// A file is no kernel of the catalogue.
    #[error("{}: {what}", .file.display())]
    Kernel {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// There is no such version of a problem.
    #[error("no problem has a version `{0}`")]
    Version(String),
    /// No kernel has a name like those that were asked for.
    #[error("no kernel has `{0}` in its name")]
    Nothing(String),
    /// There is no GPU, or it failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// compute-sanitizer cannot be started.
    #[error("compute-sanitizer cannot be started: {0}; it comes with the CUDA toolkit")]
    Missing(io::Error),
}

impl SanitizerError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::File { .. } | Self::Kernel { .. } | Self::Version(_) | Self::Nothing(_) => {
                sim::ErrorClass::Input.exit_code()
            }
            Self::Gpu(error) => error.exit_code(),
            Self::Missing(_) => sim::ErrorClass::Unsupported.exit_code(),
        }
    }
}

/// Something that runs in one process under a tool, and its line in the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The kernel's name, or the version's.
    pub name: String,
    /// Tells whether it is still the one that was recorded.
    pub digest: String,
    /// The kinds of finding that the simulator has, with spaces between them.
    pub kinds: String,
    /// What tells the process which one it is.
    pub argument: OsString,
}

/// The kernels of the catalogue in `folder`.
///
/// # Errors
/// A file that cannot be read.
pub fn subjects(folder: &Path) -> Result<Vec<Subject>, SanitizerError> {
    let subject = |file: PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Subject { name, digest: digest(&file)?, kinds: kinds(&head_of(&file)?), argument: file.into() })
    };
    files(folder)?.into_iter().map(subject).collect()
}

/// Launches the kernel of one `.ptx` file of the catalogue once, as its head says.
///
/// # Errors
/// As its variants say. That the GPU stops the kernel is one of them.
pub fn launch(file: &Path, gpu: u32) -> Result<(), SanitizerError> {
    let (ptx, case) = prepare(file)?;
    Gpu::open(gpu)?.load(&ptx)?.run(&case.work()?)?;
    Ok(())
}

/// A kernel's source, or its PTX where it was written by hand: its head tells what is launched and what must be found.
fn head_of(file: &Path) -> Result<String, SanitizerError> {
    let source = file.with_extension("cu");
    let file = if source.exists() { &source } else { file };
    fs::read_to_string(file).map_err(|why| SanitizerError::File { file: file.to_owned(), why })
}

/// A line of the head.
fn line<'a>(text: &'a str, key: &str) -> &'a str {
    let mut found = text.lines().filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
    found.next().unwrap_or_default()
}

/// The PTX and the launch of a kernel of the catalogue, as its head says.
///
/// # Errors
/// A file that cannot be read, or has no such head.
pub fn prepare(file: &Path) -> Result<(String, Prepared), SanitizerError> {
    let wrong = |what: String| SanitizerError::Kernel { file: file.to_owned(), what };
    let ptx = fs::read_to_string(file).map_err(|why| SanitizerError::File { file: file.to_owned(), why })?;
    let text = head_of(file)?;
    let head = |key: &str| line(&text, key);
    let module = Module::parse("kernel.ptx", &ptx).map_err(|error| wrong(error.to_string()))?;
    let kernel = module.kernels().first().map(|&name| name.to_owned()).ok_or_else(|| wrong("no kernel".to_owned()))?;
    let shape: Vec<&str> = head("launch").split_whitespace().collect();
    let [grid, block, ..] = shape[..] else { return Err(wrong("its head has no launch".to_owned())) };
    let shared = shape.get(2).map_or(Ok(0), |bytes| bytes.parse()).map_err(|_| wrong("a wrong size".to_owned()))?;
    let (mut buffers, mut args) = (Vec::new(), Vec::new());
    for spec in head("args").split_whitespace() {
        match argument(spec).map_err(wrong)? {
            Arg::Scalar(value) => args.push(Pass::Scalar(value)),
            content => {
                // A command launches one kernel: its few names may stay.
                let name: &'static str = Box::leak(format!("argument {}", args.len()).into_boxed_str());
                buffers.push(Buffer { name, content });
                args.push(Pass::Buffer(name));
            }
        }
    }
    let shape =
        Shape { grid: grid.parse().map_err(wrong)?, block: block.parse().map_err(wrong)?, shared_bytes: shared };
    let step = Step { kernel: Box::leak(kernel.into_boxed_str()), shape, args };
    Ok((ptx, Prepared { buffers, steps: vec![step], expected: Vec::new() }))
}

fn argument(spec: &str) -> Result<Arg, String> {
    let size = |text: &str| text.parse().map_err(|_| format!("`{text}` is no size"));
    match spec.split_once(':') {
        Some(("uninit", bytes)) => Ok(Arg::Uninit(size(bytes)?)),
        Some(("zeros", bytes)) => Ok(Arg::Zeros(size(bytes)?)),
        Some(("iota", count)) => Ok(Arg::buffer_of(&(0..size(count)? as u32).collect::<Vec<u32>>())),
        _ => Scalar::parse(spec).map(Arg::Scalar),
    }
}

/// The kinds of finding that a kernel's head promises; a test of the simulator holds it to that.
fn kinds(head: &str) -> String {
    line(head, "expect").split_whitespace().filter(|&word| word != "any").collect::<Vec<_>>().join(" ")
}

/// The `.ptx` files of a catalogue, in the order of their names.
///
/// # Errors
/// A folder that cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, SanitizerError> {
    let error = |why| SanitizerError::File { file: folder.to_owned(), why };
    let entries = fs::read_dir(folder).map_err(error)?;
    let mut files =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(error)?;
    files.retain(|file| file.extension().is_some_and(|is| is == "ptx"));
    files.sort();
    Ok(files)
}

/// Tells whether a kernel is still the one that was recorded.
fn digest(file: &Path) -> Result<String, SanitizerError> {
    let bytes = fs::read(file).map_err(|why| SanitizerError::File { file: file.to_owned(), why })?;
    Ok(Sha256::digest(bytes).iter().take(6).map(|byte| format!("{byte:02x}")).collect())
}
