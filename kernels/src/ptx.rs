//! The committed PTX: that of the book's kernels, `kernels/ptx/NAME.ptx`, made from `kernels/cu/NAME.cu`, and that of
//! the simulator's catalogue of faulty and correct kernels, `sim/tests/{faulty,correct}/NAME.ptx`, made from the
//! `NAME.cu` beside it.
//!
//! It is committed so that a machine without CUDA can simulate every one of these kernels. A header of comments says
//! what it was made from and with; the header's hash of the source tells whether it is stale. To add a problem: write
//! `cu/NAME.cu`, run `warpbook dev ptx`, and add a line to the table `COMMITTED`.

use crate::compile::{self, Arch, CompileError, Compiled, Options, Source};
use crate::isa::functions;
use crate::nvrtc::{self, NvrtcError};
use crate::setup;
pub use cuda::digest::{hex, sha256};
use std::io;
use std::path::{Path, PathBuf};

/// The problems of the book, with their sources and PTX.
const COMMITTED: &[(&str, &str, &str)] = &[
    ("array_scan", include_str!("../cu/array_scan.cu"), include_str!("../ptx/array_scan.ptx")),
    ("compaction", include_str!("../cu/compaction.cu"), include_str!("../ptx/compaction.ptx")),
    ("copy", include_str!("../cu/copy.cu"), include_str!("../ptx/copy.ptx")),
    ("histogram", include_str!("../cu/histogram.cu"), include_str!("../ptx/histogram.ptx")),
    ("merge_sort", include_str!("../cu/merge_sort.cu"), include_str!("../ptx/merge_sort.ptx")),
    ("radix_sort", include_str!("../cu/radix_sort.cu"), include_str!("../ptx/radix_sort.ptx")),
    ("reduce_by_key", include_str!("../cu/reduce_by_key.cu"), include_str!("../ptx/reduce_by_key.ptx")),
    ("reduction", include_str!("../cu/reduction.cu"), include_str!("../ptx/reduction.ptx")),
    ("scan", include_str!("../cu/scan.cu"), include_str!("../ptx/scan.ptx")),
    ("summed_area_table", include_str!("../cu/summed_area_table.cu"), include_str!("../ptx/summed_area_table.ptx")),
];

/// The first line of every committed PTX.
const TITLE: &str = "// Made by `warpbook dev ptx`. Do not edit: edit the source and make it again.";

/// The committed PTX of one problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommittedPtx {
    /// The problem's name, such as `scan`.
    pub problem: &'static str,
    /// The PTX, header included.
    pub text: &'static str,
    /// The CUDA source that lies beside it in this build.
    pub source: &'static str,
    /// What the header says.
    pub header: Header<'static>,
}

impl CommittedPtx {
    /// Whether the PTX was made from exactly this source.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.header.source_sha256 == sha256(self.source)
    }
}

/// What the comments at the top of a committed PTX say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// The source's path from the repository's root, such as `kernels/cu/scan.cu`.
    pub source: &'a str,
    /// Lower-case hexadecimal SHA-256 of the source's bytes.
    pub source_sha256: &'a str,
    /// NVRTC's exact version, such as `13.0.88`.
    pub nvrtc: &'a str,
    /// NVRTC's options, with blanks between them.
    pub options: &'a str,
}

impl<'a> Header<'a> {
    /// Reads the header of a PTX; None if it has none, or not a whole one.
    #[must_use]
    pub fn parse(ptx: &'a str) -> Option<Self> {
        let mut lines = ptx.lines();
        (lines.next()? == TITLE).then_some(())?;
        let mut field = |name: &str| lines.next()?.strip_prefix("// ")?.strip_prefix(name)?.strip_prefix(": ");
        Some(Self {
            source: field("source")?,
            source_sha256: field("source SHA-256")?,
            nvrtc: field("NVRTC")?,
            options: field("options")?,
        })
    }
}

impl std::fmt::Display for Header<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{TITLE}")?;
        writeln!(f, "// source: {}", self.source)?;
        writeln!(f, "// source SHA-256: {}", self.source_sha256)?;
        writeln!(f, "// NVRTC: {}", self.nvrtc)?;
        writeln!(f, "// options: {}", self.options)
    }
}

/// The names of the problems whose PTX is committed.
pub fn problems() -> impl Iterator<Item = &'static str> {
    COMMITTED.iter().map(|(problem, ..)| *problem)
}

/// The committed PTX of a problem, such as `scan`. None if the book has no such problem, or if its PTX has no header
/// (a test makes sure that each has one).
#[must_use]
pub fn committed(problem: &str) -> Option<CommittedPtx> {
    let &(problem, source, text) = COMMITTED.iter().find(|(name, ..)| *name == problem)?;
    Some(CommittedPtx { problem, text, source, header: Header::parse(text)? })
}

/// What [`regenerate`] did for one source.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Regenerated {
    /// The problem's name.
    pub problem: String,
    /// The PTX file.
    pub path: PathBuf,
    /// Whether the file's content changed; an unchanged file is not written.
    pub changed: bool,
    /// The compiler's warnings, empty if there are none.
    pub log: String,
}

/// Why the committed PTX could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RegenerateError {
    /// A source does not compile, or there is no compiler.
    #[error(transparent)]
    Compile(#[from] CompileError),

    /// The compiler is another version than the one that all committed PTX is made with.
    #[error(
        "committed PTX is made with NVRTC {}, so that it changes only when a source does, and the NVRTC in use is {found}\n\
         ({path}). Fill the cache (warpbook setup) and choose it:\n  {}={} warpbook dev ptx",
        setup::VERSION, nvrtc::OVERRIDE, .cached.display()
    )]
    Version {
        /// The version in use.
        found: String,
        /// Its path.
        path: String,
        /// Where the right version lies, or would lie.
        cached: PathBuf,
    },

    /// A file could not be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },

    /// There is nothing to compile.
    #[error("{} holds no .cu file: is this the repository's `kernels` folder?", .0.display())]
    NoSources(PathBuf),
}

/// The folders of the catalogue, from the repository's root.
pub const CATALOGUE: [&str; 2] = ["sim/tests/faulty", "sim/tests/correct"];

/// Compiles every `cu/*.cu` of the repository's `kernels` folder, or of one that is laid out like it, again and writes
/// what changed to `ptx/`; with the `kernels` folder also those of the [`CATALOGUE`] beside it, if it is there.
///
/// Every source is compiled before the first file is written: an error leaves all files as they were.
///
/// # Errors
/// [`RegenerateError`].
pub fn regenerate(kernels: &Path) -> Result<Vec<Regenerated>, RegenerateError> {
    // The header must not depend on where the repository lies, so an absolute path loses what is before the folder.
    let folder = if kernels.is_relative() { kernels } else { kernels.file_name().map_or(kernels, Path::new) };
    let mut fresh = Vec::new();
    for source in sources(&kernels.join("cu"))? {
        let problem = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&source).map_err(io_error(&source))?;
        fresh.push((make_in(folder, &problem, &text)?, kernels.join("ptx").join(format!("{problem}.ptx")), problem));
    }
    if folder == Path::new("kernels") {
        fresh.push((make_functions()?, kernels.join(functions::FILE), "functions".to_owned()));
        let root = kernels.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        for folder in CATALOGUE.into_iter().filter(|folder| root.join(folder).is_dir()) {
            for source in sources(&root.join(folder))? {
                let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let text = std::fs::read_to_string(&source).map_err(io_error(&source))?;
                fresh.push((make_in_catalogue(folder, &name, &text)?, source.with_extension("ptx"), name));
            }
        }
    }
    let mut report = Vec::new();
    for (made, path, problem) in fresh {
        let changed = std::fs::read_to_string(&path).ok().is_none_or(|old| old != made.ptx);
        if changed {
            std::fs::create_dir_all(path.parent().unwrap_or(kernels)).map_err(io_error(&path))?;
            std::fs::write(&path, &made.ptx).map_err(io_error(&path))?;
        }
        report.push(Regenerated { problem, path, changed, log: made.log });
    }
    Ok(report)
}

/// Compiles the source of a problem as its committed PTX is compiled, header included.
///
/// # Errors
/// [`RegenerateError::Compile`], or [`RegenerateError::Version`] if the NVRTC in use is not the pinned one.
pub fn make(problem: &str, text: &str) -> Result<Compiled, RegenerateError> {
    make_in(Path::new("kernels"), problem, text)
}

/// The same for a source in another folder of the repository.
///
/// # Errors
/// As [`make`].
pub fn make_in(folder: &Path, problem: &str, text: &str) -> Result<Compiled, RegenerateError> {
    // The bare name: the PTX must not depend on where the repository lies.
    let name = format!("{problem}.cu");
    with_header(&Source { name: &name, text }, &format!("{}/cu/{name}", folder.display()), &Options::nvrtc())
}

/// Compiles a source of the [`CATALOGUE`] as its PTX is compiled: for the latest GPUs, whose instructions some need.
///
/// # Errors
/// As for [`make`].
pub fn make_in_catalogue(folder: &str, name: &str, text: &str) -> Result<Compiled, RegenerateError> {
    let options = Options { default_arch: Arch { number: 90, suffix: None }, ..Options::nvrtc() };
    let name = format!("{name}.cu");
    with_header(&Source { name: &name, text }, &format!("{folder}/{name}"), &options)
}

/// Compiles the functions of CUDA C++ that are held against a GPU ([`functions`]), header included.
///
/// # Errors
/// As for [`make`].
pub fn make_functions() -> Result<Compiled, RegenerateError> {
    let options = Options { line_info: false, ..Options::nvrtc() };
    with_header(
        &Source { name: "functions.cu", text: &functions::source() },
        "kernels/src/isa/functions.rs, the source that it writes",
        &options,
    )
}

fn with_header(source: &Source<'_>, origin: &str, options: &Options) -> Result<Compiled, RegenerateError> {
    let mut compiled = compile::compile_source(source, options)?;
    if compiled.build != setup::VERSION {
        let used = nvrtc::get().map_err(CompileError::from)?;
        return Err(RegenerateError::Version {
            found: compiled.build,
            path: used.path().display().to_string(),
            cached: nvrtc::cache_folder().map(|c| setup::folder_in(&c, setup::Component::Nvrtc)).unwrap_or_default(),
        });
    }
    let header = Header {
        source: origin,
        source_sha256: &sha256(source.text),
        nvrtc: &compiled.build,
        options: &compiled.options.join(" "),
    };
    compiled.ptx = format!("{header}{}", compiled.ptx);
    Ok(compiled)
}

/// Whether the NVRTC of this machine can make the committed PTX again, or why not, for [`crate::testing::not_run`].
///
/// # Errors
/// The reason, as a text for people.
pub fn can_make() -> Result<(), String> {
    match make("empty", "") {
        Ok(_) => Ok(()),
        Err(RegenerateError::Compile(CompileError::Nvrtc(NvrtcError::Missing { .. }))) => {
            Err(format!("there is no NVRTC on this machine ({})", nvrtc::HOW_TO_GET))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// SHA-256 of what a PTX file makes a GPU do: comments, blank lines and line tables are left out, so that a changed
/// comment in the source does not make a record of the hardware worthless.
#[must_use]
pub fn code_sha256(ptx: &str) -> String {
    let mut code = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if !line.is_empty() && !line.starts_with(".loc") && !line.starts_with(".file") {
            code.push_str(line);
            code.push('\n');
        }
    }
    sha256(&code)
}

/// The `.cu` files of a folder, sorted.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, RegenerateError> {
    let entries = std::fs::read_dir(folder).map_err(io_error(folder))?;
    let mut found: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|path| path.extension().is_some_and(|e| e == "cu")).collect();
    found.sort();
    if found.is_empty() { Err(RegenerateError::NoSources(folder.to_owned())) } else { Ok(found) }
}

/// Makes a [`RegenerateError`] of an input or output error.
fn io_error(path: &Path) -> impl Fn(io::Error) -> RegenerateError + '_ {
    move |source| RegenerateError::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_changes_no_code() {
        let code = code_sha256("// by NVRTC\n.file 1 \"a.cu\"\n\t.loc 1 2 3\n\tadd.s32 %r1, %r2, 1; // sum\n");
        assert_eq!(code, code_sha256("  add.s32 %r1, %r2, 1;"));
        assert_ne!(code, code_sha256("  add.s32 %r1, %r2, 2;"));
    }

    #[test]
    fn a_header_reads_as_it_was_written() {
        let header =
            Header { source: "kernels/cu/scan.cu", source_sha256: "00ff", nvrtc: "13.0.88", options: "--a --b" };
        let ptx = format!("{header}//\n// Generated by NVIDIA NVVM Compiler\n");
        assert_eq!(Header::parse(&ptx), Some(header));
    }

    #[test]
    fn a_missing_or_cut_header_is_none() {
        assert_eq!(Header::parse(""), None);
        assert_eq!(Header::parse(".version 9.0\n"), None);
        assert_eq!(Header::parse(&format!("{TITLE}\n// source: kernels/cu/scan.cu\n")), None);
    }

    #[test]
    fn a_wrong_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(regenerate(folder.path()).unwrap_err().to_string().contains("cu: "));
        std::fs::create_dir(folder.path().join("cu")).unwrap();
        assert!(regenerate(folder.path()).unwrap_err().to_string().contains("holds no .cu file"));
    }
}
