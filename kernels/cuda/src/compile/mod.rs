//! CUDA source text to PTX, by NVRTC, by nvcc or by clang.
//!
//! NVRTC is a library, starts at once and takes device code. nvcc takes ordinary files, in which `main` and the
//! kernels stand side by side; it is a program and needs a C++ compiler for the host. [`Choice::Auto`] looks into the
//! file and its own headers ([`host`]) and takes the one that fits; what one refuses is tried with the other, and then without its
//! host code ([`Part`]). clang, which runs where NVIDIA's compilers do not, takes device code, too; its functions of CUDA are
//! our own ([`crate::clang`]). It compiles where neither of the others is found, or where it is asked for.
//!
//! A source may say which architecture it needs, in a comment on a line of its own:
//!
//! ```text
//! // warpbook: arch=compute_90
//! ```
//!
//! Without that line it is compiled for [`Options::default_arch`].
//!
//! The PTX is the same on every machine and in every folder: compilers write absolute paths of the files that they
//! read, and they are replaced by paths relative to the source's folder (`paths.rs`).
//!
//! This compiles sources of people who trust themselves: a source can include any file that its user can read, and
//! can keep the compiler busy for as long as it likes. Sources of strangers need a process of their own with limits.

mod arch;
pub mod cache;
mod clang;
mod device;
mod driver;
mod error;
pub mod host;
mod paths;
mod project;
mod rtc;

pub use arch::{Arch, arch_of_target};
pub use device::Part;
pub use error::CompileError;
pub use front::messages;
pub use project::including;

use std::path::PathBuf;

use crate::clang as llvm;
use crate::nvcc::{self, NvccError};
use crate::nvrtc;
use host::Host;

/// A CUDA source.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its path as its user knows it, absolute or relative to the working directory. Messages show it like that;
    /// files that it includes are searched beside it. It need not exist: only `text` is compiled.
    pub name: &'a str,
    /// CUDA C++.
    pub text: &'a str,
}

/// The compilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compiler {
    /// The library, for device code.
    Nvrtc,
    /// The compiler driver, for files that hold host code too.
    Nvcc,
    /// LLVM's compiler, for device code, with our own headers.
    Clang,
}

impl std::fmt::Display for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Nvrtc => "NVRTC",
            Self::Nvcc => "nvcc",
            Self::Clang => "clang",
        })
    }
}

/// Which compiler to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// The one that fits the source, of those that are there.
    #[default]
    Auto,
    /// This one and no other.
    Only(Compiler),
}

/// How to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The compiler.
    pub compiler: Choice,
    /// The virtual architecture. None: what the source asks for, else `default_arch`.
    pub arch: Option<Arch>,
    /// The architecture for a source that asks for none.
    pub default_arch: Arch,
    /// Write a line table, so that every instruction knows its source line.
    pub line_info: bool,
    /// Compile for a debugger: no optimisation, and the variables' places in DWARF.
    pub debug: bool,
    /// Macros to define, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Folders in which included files are searched, after the source's own.
    pub includes: Vec<PathBuf>,
    /// The language standard, such as `c++17`. None: the compiler's own choice.
    pub standard: Option<String>,
    /// Kernels that must be in the PTX though nothing in the source makes them: instances of templates, as C++ names
    /// them, such as `reduce<float, 256>`.
    pub instances: Vec<String>,
    /// Headers that are taken as empty if they are not there.
    pub stubs: Vec<String>,
    /// NVRTC and clang: what is marked for neither host nor device is for the device.
    pub default_device: bool,
    /// Keep what was compiled in warpbook's cache, and take it from there. A process that may write no file does not.
    pub kept: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            compiler: Choice::Auto,
            arch: None,
            default_arch: Arch::LOWEST,
            line_info: true,
            debug: false,
            defines: Vec::new(),
            includes: Vec::new(),
            standard: None,
            instances: Vec::new(),
            stubs: Vec::new(),
            default_device: false,
            kept: true,
        }
    }
}

impl Compiler {
    /// Which build of the compiler this machine has, for whoever keeps what it made. None if it is not there.
    #[must_use]
    pub fn identity(self) -> Option<String> {
        match self {
            Self::Nvrtc => nvrtc::get().ok().map(|nvrtc| format!("{:?} {}", nvrtc.version(), nvrtc.path().display())),
            Self::Nvcc => nvcc::get().ok().map(|nvcc| format!("{} {}", nvcc.version, nvcc.program.display())),
            Self::Clang => llvm::get().ok().map(|clang| {
                format!("clang {} {} {}", clang.version, clang.program.display(), llvm::headers::digest())
            }),
        }
    }
}

impl Options {
    /// The defaults, with NVRTC: what the book is compiled with, on every machine alike.
    #[must_use]
    pub fn nvrtc() -> Self {
        Self::with(Compiler::Nvrtc)
    }

    /// The defaults, with this compiler and no other.
    #[must_use]
    pub fn with(compiler: Compiler) -> Self {
        Self { compiler: Choice::Only(compiler), ..Self::default() }
    }
}

/// A compiled source.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Compiled {
    /// The PTX, without any path of this machine.
    pub ptx: String,
    /// The compiler's warnings, empty if there are none.
    pub log: String,
    /// The architecture that it was compiled for.
    pub arch: Arch,
    /// The options that the compiler got, without those that name folders of this machine.
    pub options: Vec<String>,
    /// Which compiler it was.
    pub compiler: Compiler,
    /// The compiler's exact build as the PTX names it, such as `13.0.88`.
    pub build: String,
    /// The names in the PTX of [`Options::instances`], in the same order.
    pub instances: Vec<String>,
    /// The device code alone, if that is what was compiled because host code was in the way.
    pub part: Option<Part>,
    /// Folders of the source's project that hold headers which it includes and that no option named.
    pub includes: Vec<PathBuf>,
}

/// Compiles a source.
///
/// # Errors
/// [`CompileError`]. Warnings are not errors: they are in [`Compiled::log`].
pub fn compile_source(source: &Source<'_>, options: &Options) -> Result<Compiled, CompileError> {
    // What is wrong with the source itself is said first, also where there is no compiler.
    let arch = arch::arch_of(source, options)?;
    if let Some(before) = source.text.split_once('\0').map(|(before, _)| before) {
        return Err(CompileError::Nul { name: source.name.to_owned(), line: 1 + before.matches('\n').count() });
    }
    match options.compiler {
        Choice::Only(Compiler::Nvrtc) => rtc::compile(nvrtc::get()?, source, options, arch),
        Choice::Only(Compiler::Nvcc) => driver::compile(&nvcc::get()?, source, options, arch),
        Choice::Only(Compiler::Clang) => compile_with_clang(&llvm::get()?, source, options, arch),
        Choice::Auto => compile_with_what_fits(source, options, arch),
    }
}

/// LLVM IR.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ir {
    /// The text.
    pub text: String,
    /// What it is for.
    pub arch: Arch,
}

/// The LLVM IR that clang makes of a source: what LLVM's back end would make PTX of. Templates have no instances, and what is
/// for the host is not left out.
///
/// # Errors
/// As [`compile_source`] with clang.
pub fn llvm_ir(source: &Source<'_>, options: &Options) -> Result<Ir, CompileError> {
    let asked = arch::arch_of(source, options)?;
    Ok(Ir { text: clang::ir(&llvm::get()?, source, options, asked)?, arch: asked.arch })
}

/// The environment variable that names the compiler of device code, where both are there: `nvrtc` or `clang`.
pub const PREFERENCE: &str = "WARPBOOK_COMPILER";

/// The compiler of device code on this machine: what `WARPBOOK_COMPILER` names, else NVRTC, else clang where that is found.
///
/// # Errors
/// Why there is no NVRTC, with what to type.
pub fn for_device_code() -> Result<Compiler, nvrtc::NvrtcError> {
    match std::env::var(PREFERENCE).as_deref() {
        Ok("clang") => return Ok(Compiler::Clang),
        Ok("nvrtc") => return Ok(Compiler::Nvrtc),
        _ => {}
    }
    match (nvrtc::get(), llvm::get()) {
        (Ok(_), _) => Ok(Compiler::Nvrtc),
        (Err(_), Ok(_)) => Ok(Compiler::Clang),
        (Err(error), Err(_)) => Err(error),
    }
}

/// clang takes device code: a source that it refuses is tried without its host code.
fn compile_with_clang(
    clang: &llvm::Clang,
    source: &Source<'_>,
    options: &Options,
    arch: arch::Asked,
) -> Result<Compiled, CompileError> {
    let error = match clang::compile(clang, source, options, arch) {
        Err(error @ CompileError::Rejected { .. }) => error,
        other => return other,
    };
    let why = match (&error, host::look_tree(source.name, source.text, &options.includes)) {
        (_, Host::Code { what, .. }) => format!("`{what}` is for the host, and clang takes device code here"),
        (CompileError::Rejected { log, .. }, Host::Headers) if host::is_about_host_code(log) => {
            log.lines().find(|line| line.contains("error")).unwrap_or_default().to_owned()
        }
        _ => return Err(error),
    };
    let compile = |source: &Source<'_>, options: &Options| clang::compile(clang, source, options, arch);
    alone(source, options, true, &why, compile).ok_or(error)
}

/// [`Choice::Auto`]: nvcc for what only nvcc takes, NVRTC for everything else and as far as it goes; where neither takes the
/// whole source, its device code alone. clang where neither is found.
fn compile_with_what_fits(source: &Source<'_>, options: &Options, arch: arch::Asked) -> Result<Compiled, CompileError> {
    let nvcc = nvcc::get();
    if let (Err(_), Err(_), Ok(clang)) = (nvrtc::get(), &nvcc, llvm::get()) {
        return compile_with_clang(&clang, source, options, arch);
    }
    let host = host::look_tree(source.name, source.text, &options.includes);
    let (first, second) = match (&host, &nvcc) {
        (Host::Code { what, line }, Err(error)) => {
            // What NVRTC can do is to leave the host code out.
            let host = || CompileError::HostCode {
                name: source.name.to_owned(),
                line: *line,
                what: what.clone(),
                error: Box::new(error.clone()),
            };
            let Ok(nvrtc) = nvrtc::get() else { return Err(host()) };
            let compile = |source: &Source<'_>, options: &Options| rtc::compile(nvrtc, source, options, arch);
            let why = format!("`{what}` is for nvcc, which is not on this machine");
            return alone(source, options, true, &why, compile).ok_or_else(host);
        }
        (Host::Code { .. } | Host::Headers, Ok(nvcc)) => (driver::compile(nvcc, source, options, arch), None),
        // NVRTC stands in for these headers, as far as device code needs them.
        _ => match (nvrtc::get(), &nvcc) {
            (Ok(nvrtc), Ok(nvcc)) => {
                let first = rtc::compile(nvrtc, source, options, arch);
                // A header may hold host code.
                let second = first.is_err().then(|| driver::compile(nvcc, source, options, arch));
                (first, second)
            }
            (Ok(nvrtc), Err(_)) => (rtc::compile(nvrtc, source, options, arch), None),
            (Err(_), Ok(nvcc)) => (driver::compile(nvcc, source, options, arch), None),
            (Err(error), Err(_)) => return Err(error.into()),
        },
    };
    let error = match (first, second) {
        (Ok(compiled), _) | (Err(_), Some(Ok(compiled))) => return Ok(compiled),
        (Err(first), None) => first,
        (Err(first), Some(Err(second))) => better(first, second),
    };
    let CompileError::Rejected { log, .. } = &error else { return Err(error) };
    let mut further = None;
    if let Some((folder, note)) = in_project(source, options, log) {
        let options =
            Options { includes: [&options.includes[..], std::slice::from_ref(&folder)].concat(), ..options.clone() };
        match compile_with_what_fits(source, &options, arch) {
            Ok(mut compiled) => {
                compiled.includes.insert(0, folder);
                compiled.log = noted(&compiled.log, &note);
                return Ok(compiled);
            }
            // The header that was found is no longer what is in the way.
            Err(error) => further = Some(error),
        }
    }
    let why = log.lines().find(|line| line.contains("error")).unwrap_or_default().to_owned();
    let found = match &nvcc {
        Ok(nvcc) => alone(source, options, false, &why, |source, options| driver::compile(nvcc, source, options, arch)),
        Err(_) => nvrtc::get().ok().and_then(|nvrtc| {
            alone(source, options, true, &why, |source, options| rtc::compile(nvrtc, source, options, arch))
        }),
    };
    if let (None, Some(error)) = (&found, further) {
        return Err(error);
    }
    match (found, error, nvcc) {
        (Some(compiled), ..) => Ok(compiled),
        (None, CompileError::Rejected { name, log, help }, Err(NvccError::Missing { .. }))
            if host::is_about_host_code(&log) =>
        {
            let host = format!("if the file or its headers hold host code, it needs nvcc; {}", nvcc::HOW_TO_GET);
            let help = help.map_or_else(|| host.clone(), |help| format!("{help};\n      {host}"));
            Err(CompileError::Rejected { name, log, help: Some(help) })
        }
        (None, error, _) => Err(error),
    }
}

/// Most folders of the source's project that are found for one source.
const MOST_FOLDERS: usize = 8;

/// The folder of the source's project that holds the header which a log misses, and what the user is told.
fn in_project(source: &Source<'_>, options: &Options, log: &str) -> Option<(PathBuf, String)> {
    let header = error::missing_header(log)?;
    let folder = project::folder_of(header, source.name)?;
    let new = options.includes.len() < MOST_FOLDERS && !options.includes.contains(&folder);
    let here = std::env::current_dir().unwrap_or_default();
    let shown = folder.strip_prefix(here).unwrap_or(&folder).display();
    let note = format!("note: {header} was found in this project and is taken from there, as with -I {shown}");
    new.then_some((folder, note))
}

/// A log with a note behind it.
fn noted(log: &str, note: &str) -> String {
    if log.is_empty() { note.to_owned() } else { format!("{log}\n{note}") }
}

/// Of what NVRTC and nvcc say of a source, what helps more: NVRTC's messages are the shorter ones, unless they are about
/// what only NVRTC lacks.
fn better(nvrtc: CompileError, nvcc: CompileError) -> CompileError {
    match &nvrtc {
        CompileError::Rejected { log, .. } if host::is_about_host_code(log) => nvcc,
        _ => nvrtc,
    }
}

/// Most times that a compiler's complaints are given in to.
const MOST_ROUNDS: usize = 12;

/// The device code of a source alone, if a compiler takes that.
fn alone(
    source: &Source<'_>,
    options: &Options,
    nvrtc: bool,
    why: &str,
    compile: impl Fn(&Source<'_>, &Options) -> Result<Compiled, CompileError>,
) -> Option<Compiled> {
    let mut part = Part::of(source.text);
    if nvrtc {
        part.stubs = Part::host_headers(source.text);
    }
    let (mut options, mut found, mut notes) = (options.clone(), Vec::new(), Vec::new());
    for _ in 0..MOST_ROUNDS {
        options = Options { stubs: part.stubs.clone(), default_device: nvrtc, ..options };
        match compile(&Source { name: source.name, text: &part.text }, &options) {
            Ok(mut compiled) => {
                notes.push(part.sentence(source.name, why));
                compiled.log = noted(&compiled.log, &notes.join("\n"));
                compiled.part = Some(part);
                compiled.includes = found;
                return Some(compiled);
            }
            Err(CompileError::Rejected { log, .. }) => {
                if let Some((folder, note)) = in_project(source, &options, &log) {
                    options.includes.push(folder.clone());
                    found.push(folder);
                    notes.push(note);
                } else if !part.yield_to(source.name, &log) {
                    return None;
                }
            }
            Err(_) => return None,
        }
    }
    None
}

/// The compiler's build from the comment that it writes at the top: `release 13.0, V13.0.88`.
fn build_of(ptx: &str) -> Option<&str> {
    let line = ptx.lines().take(16).find(|line| line.contains("Cuda compilation tools"))?;
    line.rsplit_once(", V").map(|(_, build)| build.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_build_is_read_from_the_ptx() {
        let ptx = "//\n// Cuda compilation tools, release 13.0, V13.0.88\n// Based on NVVM 7.0.1\n";
        assert_eq!(build_of(ptx), Some("13.0.88"));
        assert_eq!(build_of(".version 9.0\n"), None);
    }

    #[test]
    fn a_nul_character_is_located() {
        let source = Source { name: "kernel.cu", text: "int a;\nint \0b;" };
        let error = compile_source(&source, &Options::default()).unwrap_err();
        assert!(error.to_string().starts_with("kernel.cu:2: there is a NUL"), "{error}");
    }
}
