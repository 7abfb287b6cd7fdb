//! CUDA source text to PTX, by NVRTC.
//!
//! A source may say which architecture it needs, in a comment on a line of its own:
//!
//! ```text
//! // warpbook: arch=compute_90
//! ```
//!
//! Without that line it is compiled for [`Arch::LOWEST`], so that every GPU since Turing can run it.
//!
//! The PTX is the same on every machine and in every folder: NVRTC writes absolute paths of the files that it read,
//! and they are replaced by paths relative to the source's folder (`normalise_paths`).
//!
//! This compiles sources of people who trust themselves: a source can include any file that its user can read, and
//! can keep the compiler busy for as long as it likes. Sources of strangers need a process of their own with limits.

use crate::nvrtc::{self, Nvrtc, NvrtcError};
use std::ffi::CString;
use std::path::{Component, Path, PathBuf};

/// A CUDA source.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its path as its user knows it, absolute or relative to the working directory. Messages show it like that;
    /// files that it includes are searched beside it. It need not exist: only `text` is compiled.
    pub name: &'a str,
    /// CUDA C++.
    pub text: &'a str,
}

/// How to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The virtual architecture. None: what the source asks for, else [`Arch::LOWEST`].
    pub arch: Option<Arch>,
    /// Write a line table, so that every instruction knows its source line.
    pub line_info: bool,
    /// Compile for a debugger: no optimisation, and the variables' places in DWARF.
    pub debug: bool,
    /// Macros to define, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { arch: None, line_info: true, debug: false, defines: Vec::new() }
    }
}

impl Options {
    /// As NVRTC's command line options, for a source that needs `arch`.
    fn arguments(&self, arch: Arch) -> Vec<String> {
        let mut arguments = vec![format!("--gpu-architecture={arch}")];
        if self.line_info {
            arguments.push("--generate-line-info".to_owned());
        }
        if self.debug {
            arguments.push("--device-debug".to_owned());
        }
        arguments.extend(self.defines.iter().map(|define| format!("--define-macro={define}")));
        arguments
    }
}

/// A virtual architecture of CUDA, such as `compute_75` or `compute_90a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arch {
    /// Ten times the compute capability, such as 75.
    pub number: u32,
    /// `a` for a GPU's own features, `f` for those of its family.
    pub suffix: Option<char>,
}

impl Arch {
    /// Turing, the oldest architecture that NVRTC 13 compiles for.
    pub const LOWEST: Self = Self { number: 75, suffix: None };
}

impl std::fmt::Display for Arch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "compute_{}", self.number)?;
        self.suffix.map_or(Ok(()), |suffix| write!(f, "{suffix}"))
    }
}

impl std::str::FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not an architecture: write it as compute_75, compute_90 or compute_90a");
        let rest = text.strip_prefix("compute_").ok_or_else(wrong)?;
        let digits = rest.trim_end_matches(['a', 'f']);
        let suffix = match &rest[digits.len()..] {
            "" => None,
            "a" => Some('a'),
            "f" => Some('f'),
            _ => return Err(wrong()),
        };
        let plain = (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| plain).ok_or_else(wrong)?;
        Ok(Self { number, suffix })
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
    /// The options that NVRTC got.
    pub options: Vec<String>,
    /// The compiler's exact build as the PTX names it, such as `13.0.88`.
    pub nvrtc: String,
}

/// Why a source did not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// There is no compiler, and the text says what to type.
    #[error(transparent)]
    Nvrtc(#[from] NvrtcError),

    /// The source is wrong.
    #[error("{name} does not compile:\n{log}")]
    Rejected {
        /// The source's name.
        name: String,
        /// NVRTC's messages, at the source's lines.
        log: String,
    },

    /// The source, or its user, asks for an architecture that cannot be had.
    #[error("{}: {why}", at(.name, *.line))]
    Arch {
        /// The source's name.
        name: String,
        /// The line of the comment that asks for it, counted from 1; none if an option asks for it.
        line: Option<usize>,
        /// What is wrong.
        why: String,
    },

    /// The source or its name holds a NUL character, which the compiler takes for its end.
    #[error("{name}:{line}: there is a NUL character in this line: is this a text file with CUDA C++?")]
    Nul {
        /// The source's name.
        name: String,
        /// The line, counted from 1.
        line: usize,
    },

    /// NVRTC failed for a reason that is not in the source.
    #[error(
        "NVRTC {}.{} ({path}) could not compile {name}, and not because of its text: {error}\n\
         If the library is damaged, remove it and {HOW}",
        .version.0, .version.1, HOW = nvrtc::HOW_TO_GET
    )]
    Failed {
        /// The source's name.
        name: String,
        /// The library's path.
        path: String,
        /// The library's version.
        version: (u32, u32),
        /// Which call failed, and how.
        error: nvrtc::library::CallError,
    },
}

/// `name:line`, or `name` alone.
fn at(name: &str, line: Option<usize>) -> String {
    line.map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"))
}

impl CompileError {
    /// The exit code that a program should end with: 3 when something is missing here, 2 when the source is wrong.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Nvrtc(_) | Self::Failed { .. } => 3,
            _ => 2,
        }
    }
}

/// Compiles a source with the NVRTC of this machine.
///
/// # Errors
/// [`CompileError`]. Warnings are not errors: they are in [`Compiled::log`].
pub fn compile_source(source: &Source<'_>, options: &Options) -> Result<Compiled, CompileError> {
    // What is wrong with the source itself is said first, also where there is no compiler.
    let arch = arch_of(source, options)?;
    compile_with(nvrtc::get()?, source, options, arch)
}

/// Compiles a source with a given NVRTC.
fn compile_with(nvrtc: &Nvrtc, source: &Source<'_>, options: &Options, arch: Asked) -> Result<Compiled, CompileError> {
    if !nvrtc.archs().contains(&arch.arch.number) {
        let known: Vec<String> = nvrtc.archs().iter().map(|n| format!("compute_{n}")).collect();
        let (major, minor) = nvrtc.version();
        let why = format!(
            "NVRTC {major}.{minor} does not compile for {}.\nIt knows {}.\nThe one in use is {}, {}.",
            arch.arch,
            known.join(", "),
            nvrtc.path().display(),
            nvrtc.origin(),
        );
        return Err(CompileError::Arch { name: source.name.to_owned(), line: arch.line, why });
    }
    let nul = |text: &str| CompileError::Nul {
        name: source.name.replace('\0', "\\0"),
        line: 1 + text.split('\0').next().unwrap_or_default().matches('\n').count(),
    };
    let text = CString::new(source.text).map_err(|_| nul(source.text))?;
    let name = CString::new(source.name).map_err(|_| nul(""))?;
    let arguments = options.arguments(arch.arch);
    let c_arguments: Result<Vec<CString>, _> = arguments.iter().map(|a| CString::new(a.as_str())).collect();
    let c_arguments = c_arguments.map_err(|_| nul(""))?;

    let outcome = nvrtc.compile(&name, &text, &c_arguments).map_err(|error| CompileError::Failed {
        name: source.name.to_owned(),
        path: nvrtc.path().display().to_string(),
        version: nvrtc.version(),
        error,
    })?;
    let log = outcome.log.trim().to_owned();
    let Some(ptx) = outcome.ptx else {
        return Err(CompileError::Rejected { name: source.name.to_owned(), log });
    };
    let working_directory = std::env::current_dir().unwrap_or_default();
    let (major, minor) = nvrtc.version();
    Ok(Compiled {
        nvrtc: build_of(&ptx).map_or_else(|| format!("{major}.{minor}"), str::to_owned),
        ptx: normalise_paths(&ptx, &working_directory, Path::new(source.name)),
        log,
        arch: arch.arch,
        options: arguments,
    })
}

/// An architecture, and the line of the comment that asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    arch: Arch,
    line: Option<usize>,
}

/// The architecture to compile for: the options' choice, else the source's, else the lowest.
fn arch_of(source: &Source<'_>, options: &Options) -> Result<Asked, CompileError> {
    if let Some(arch) = options.arch {
        return Ok(Asked { arch, line: None });
    }
    for (index, line) in source.text.lines().enumerate() {
        let comment = line.trim_start().strip_prefix("//").map(str::trim_start);
        let Some(wish) = comment.and_then(|c| c.strip_prefix("warpbook:")) else { continue };
        if let Some(arch) = wish.split_whitespace().find_map(|word| word.strip_prefix("arch=")) {
            let line = Some(index + 1);
            let arch = arch.parse();
            let error = |why| CompileError::Arch { name: source.name.to_owned(), line, why };
            return arch.map(|arch| Asked { arch, line }).map_err(error);
        }
    }
    Ok(Asked { arch: Arch::LOWEST, line: None })
}

/// The compiler's build from the comment that it writes at the top: `release 13.0, V13.0.88`.
fn build_of(ptx: &str) -> Option<&str> {
    let line = ptx.lines().take(16).find(|line| line.contains("Cuda compilation tools"))?;
    line.rsplit_once(", V").map(|(_, build)| build.trim())
}

/// Replaces the paths that NVRTC wrote into the PTX.
///
/// NVRTC puts the working directory before the name that it was given and writes the result in `.file` lines. Here
/// a file in the source's folder, or below it, gets its path relative to that folder (`scan.cu`); a file elsewhere
/// gets its bare name. Names that are no absolute paths stay as they are.
///
/// With debug information the working directory also stands in DWARF, as a line of character codes. Its length must
/// stay, because the sections hold offsets; it becomes a path of the same length that means "here" (`./././`).
fn normalise_paths(ptx: &str, working_directory: &Path, source: &Path) -> String {
    let folder = lexically(&working_directory.join(source)).parent().map(Path::to_owned).unwrap_or_default();
    let directory = working_directory.to_string_lossy();
    let codes = |text: &str| text.bytes().map(|b| b.to_string()).collect::<Vec<_>>().join(",");
    let here: String = "./".chars().cycle().take(directory.len()).collect();
    let (dwarf_directory, dwarf_here) = (format!(".b8 {}", codes(&directory)), format!(".b8 {}", codes(&here)));

    let mut normal = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        match file_path(line) {
            Some(path) if path.starts_with('/') => {
                let full = lexically(Path::new(path));
                let name = full.strip_prefix(&folder).ok().or_else(|| full.file_name().map(Path::new));
                normal.push_str(&line.replacen(path, &name.unwrap_or(&full).to_string_lossy(), 1));
            }
            // The final NUL stands in the same line or in the next one.
            _ if line.trim_end().trim_end_matches(",0") == dwarf_directory => {
                normal.push_str(&line.replacen(&dwarf_directory, &dwarf_here, 1));
            }
            _ => normal.push_str(line),
        }
    }
    normal
}

/// The path of a line such as `.file 1 "/home/ada/scan.cu"`.
fn file_path(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix(".file")?;
    let (_, rest) = rest.split_once('"')?;
    rest.split_once('"').map(|(path, _)| path)
}

/// The path without `.` and `..`, as text: the files need not exist.
fn lexically(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source<'_> {
        Source { name: "kernel.cu", text }
    }

    #[test]
    fn the_architecture_is_the_options_then_the_sources_then_the_lowest() {
        let plain = source("// a kernel\n__global__ void k() {}\n");
        assert_eq!(arch_of(&plain, &Options::default()).unwrap(), Asked { arch: Arch::LOWEST, line: None });

        let newer = source("// a kernel\n  //   warpbook: arch=compute_90a\n");
        let asked = arch_of(&newer, &Options::default()).unwrap();
        assert_eq!(asked, Asked { arch: Arch { number: 90, suffix: Some('a') }, line: Some(2) });

        let options = Options { arch: Some("compute_80".parse().unwrap()), ..Options::default() };
        assert_eq!(arch_of(&newer, &options).unwrap().arch.to_string(), "compute_80");
    }

    #[test]
    fn a_wrong_architecture_is_located() {
        for wrong in ["sm_90", "compute_", "compute_9", "compute_90b", "compute_90aa", "compute_+9", "compute_9000"] {
            let text = format!("\n\n// warpbook: arch={wrong}\n");
            let error = arch_of(&source(&text), &Options::default()).unwrap_err().to_string();
            assert!(error.starts_with("kernel.cu:3: ") && error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn prose_about_the_comment_asks_for_nothing() {
        let prose = source("/* write // warpbook: arch=compute_90 */ int x; // warpbook: arch=compute_90\n");
        assert_eq!(arch_of(&prose, &Options::default()).unwrap().arch, Arch::LOWEST);
    }

    #[test]
    fn options_are_nvrtcs() {
        let options = Options { debug: true, defines: vec!["N=32".into(), "FAST".into()], ..Options::default() };
        let expected = [
            "--gpu-architecture=compute_75",
            "--generate-line-info",
            "--device-debug",
            "--define-macro=N=32",
            "--define-macro=FAST",
        ];
        assert_eq!(options.arguments(Arch::LOWEST), expected);
    }

    #[test]
    fn paths_become_relative_to_the_sources_folder() {
        let ptx = "\t.file\t1 \"/home/ada/cu/../cu/scan.cu\"\n.file 2 \"/home/ada/cu/parts/tree.cuh\"\n\
                   .file 3 \"/usr/include/odd.h\", 12, 34\n.file 4 \"built-in.h\"\n\tmov.u32 %r1, %tid.x;";
        let expected = "\t.file\t1 \"scan.cu\"\n.file 2 \"parts/tree.cuh\"\n\
                        .file 3 \"odd.h\", 12, 34\n.file 4 \"built-in.h\"\n\tmov.u32 %r1, %tid.x;";
        assert_eq!(normalise_paths(ptx, Path::new("/home/ada"), Path::new("cu/scan.cu")), expected);
        // An absolute source, from any working directory.
        assert_eq!(normalise_paths(ptx, Path::new("/"), Path::new("/home/ada/cu/scan.cu")), expected);
    }

    #[test]
    fn the_working_directory_in_dwarf_keeps_its_length() {
        let ptx = ".b8 47,104,111,109,101,0\n.b8 47,104,111,109,101\n.b8 0\n.b8 47,104,111,109,101,115,0\n";
        let normal = normalise_paths(ptx, Path::new("/home"), Path::new("scan.cu"));
        assert_eq!(normal, ".b8 46,47,46,47,46,0\n.b8 46,47,46,47,46\n.b8 0\n.b8 47,104,111,109,101,115,0\n");
    }

    #[test]
    fn the_build_is_read_from_the_ptx() {
        let ptx = "//\n// Cuda compilation tools, release 13.0, V13.0.88\n// Based on NVVM 7.0.1\n";
        assert_eq!(build_of(ptx), Some("13.0.88"));
        assert_eq!(build_of(".version 9.0\n"), None);
    }
}
