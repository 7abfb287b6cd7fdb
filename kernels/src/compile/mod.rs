//! CUDA source text to PTX, by NVRTC or by nvcc.
//!
//! NVRTC is a library, starts at once and takes device code. nvcc takes ordinary files, in which `main` and the
//! kernels stand side by side; it is a program and needs a C++ compiler for the host. [`Choice::Auto`] looks into the
//! file ([`host`]) and takes the one that fits.
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
mod driver;
mod error;
pub mod host;
mod paths;
mod rtc;

pub use arch::Arch;
pub use error::CompileError;

use std::path::PathBuf;

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

/// The two compilers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compiler {
    /// The library, for device code.
    Nvrtc,
    /// The compiler driver, for files that hold host code too.
    Nvcc,
}

impl std::fmt::Display for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Nvrtc => "NVRTC",
            Self::Nvcc => "nvcc",
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
        }
    }
}

impl Options {
    /// The defaults, with NVRTC: what the book and the exercises are compiled with, on every machine alike.
    #[must_use]
    pub fn nvrtc() -> Self {
        Self { compiler: Choice::Only(Compiler::Nvrtc), ..Self::default() }
    }
}

/// A compiled source.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        Choice::Auto => compile_with_what_fits(source, options, arch),
    }
}

/// [`Choice::Auto`]: nvcc for what only nvcc takes, NVRTC for everything else and as far as it goes.
fn compile_with_what_fits(source: &Source<'_>, options: &Options, arch: arch::Asked) -> Result<Compiled, CompileError> {
    let nvcc = nvcc::get();
    let nvrtc = match host::look(source.text) {
        Host::Code { what, line } => {
            let nvcc = nvcc.map_err(|error| CompileError::HostCode {
                name: source.name.to_owned(),
                line,
                what,
                error: Box::new(error),
            })?;
            return driver::compile(&nvcc, source, options, arch);
        }
        // NVRTC stands in for these headers, as far as device code needs them.
        Host::Headers => match nvcc {
            Ok(nvcc) => return driver::compile(&nvcc, source, options, arch),
            Err(_) => nvrtc::get()?,
        },
        Host::None => match (nvrtc::get(), &nvcc) {
            (Ok(nvrtc), _) => nvrtc,
            (Err(_), Ok(nvcc)) => return driver::compile(nvcc, source, options, arch),
            (Err(error), _) => return Err(error.into()),
        },
    };
    let first = rtc::compile(nvrtc, source, options, arch);
    match (first, nvcc) {
        (Err(first @ CompileError::Rejected { .. }), Ok(nvcc)) => {
            // A header may hold host code. If nvcc takes it, it was right; if not, NVRTC's messages are the shorter.
            driver::compile(&nvcc, source, options, arch).map_err(|_| first)
        }
        (Err(CompileError::Rejected { name, log, help }), Err(NvccError::Missing { .. }))
            if host::is_about_host_code(&log) =>
        {
            let host = format!("if the file or its headers hold host code, it needs nvcc; {}", nvcc::HOW_TO_GET);
            let help = help.map_or_else(|| host.clone(), |help| format!("{help};\n      {host}"));
            Err(CompileError::Rejected { name, log, help: Some(help) })
        }
        (result, _) => result,
    }
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
