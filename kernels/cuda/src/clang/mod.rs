//! clang with LLVM's NVPTX back end: where it is on this machine, and the device headers that it needs.
//!
//! NVIDIA's compilers exist for Linux (and Windows) only. The package `ziglang` on PyPI holds a whole clang in one program
//! for Linux, macOS and Windows, and CUDA's device code is a part of what clang compiles. clang brings no functions of
//! CUDA: those are our own headers ([`headers`]).
//!
//! It is looked for in this order: the environment variable `WARPBOOK_CLANG` (a clang, or a zig, and nothing else is
//! tried), then our cache, which `warpbook setup --clang` fills.

pub mod headers;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::setup::{self, Component};

/// The environment variable that names the clang to use.
pub const OVERRIDE: &str = "WARPBOOK_CLANG";

/// What a command that needs clang and lacks it tells its user to type.
pub const HOW_TO_GET: &str = "run: warpbook setup --clang (from a clone: cargo run --release -- setup --clang)";

/// The oldest release of clang that has what the headers use.
pub const OLDEST: u32 = 22;

/// The program's name in the package.
pub const PROGRAM: &str = if cfg!(windows) { "zig.exe" } else { "zig" };

/// A clang that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clang {
    /// The program: clang itself, or zig, of which clang is a part.
    pub program: PathBuf,
    /// Where it was found, as the end of a sentence.
    pub origin: String,
    /// Its version, such as `22.1.8`.
    pub version: String,
}

/// Why there is no clang to compile with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClangError {
    /// Nothing was found in any place.
    #[error("There is no clang for GPUs on this machine.{}\n{HOW_TO_GET}", .why.as_deref().map(|why| format!("\n  passed over: {why}")).unwrap_or_default())]
    Missing {
        /// What was found but could not be used, as a sentence.
        why: Option<String>,
    },

    /// `WARPBOOK_CLANG` is set and is no clang that can be used.
    #[error(
        "the environment variable {OVERRIDE} is set to `{value}`, but {why}.\n\
         Set it to a clang {OLDEST} or newer with the NVPTX back end (or to a zig that holds one), or unset it"
    )]
    Override {
        /// The variable's value.
        value: String,
        /// What is wrong with it, as the end of a sentence.
        why: String,
    },
}

/// The clang of this machine: looked for on the first call that finds one.
///
/// # Errors
/// [`ClangError`], whose text says what to type. A failure is not remembered.
pub fn get() -> Result<Clang, ClangError> {
    static FOUND: OnceLock<Clang> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    let found = find()?;
    Ok(FOUND.get_or_init(|| found).clone())
}

fn find() -> Result<Clang, ClangError> {
    if let Some(value) = std::env::var_os(OVERRIDE).filter(|value| !value.is_empty()) {
        return known(Path::new(&value), format!("named by {OVERRIDE}"))
            .map_err(|why| ClangError::Override { value: value.to_string_lossy().into_owned(), why });
    }
    let Some(folder) = setup::installed(Component::Clang) else { return Err(ClangError::Missing { why: None }) };
    let program = folder.join(PROGRAM);
    known(&program, "from warpbook's cache".to_owned())
        .map_err(|why| ClangError::Missing { why: Some(format!("{}: {why}", program.display())) })
}

impl Clang {
    /// A command that runs clang; its arguments follow.
    #[must_use]
    pub fn command(&self) -> Command {
        command(&self.program)
    }
}

/// A command for a program that is clang, or zig, which takes clang's name as its first argument.
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    let zig = program.file_stem().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("zig"));
    if zig {
        command.arg("clang");
    }
    command
}

/// A clang that tells its version, is new enough and knows GPUs. The error is the end of a sentence.
pub(crate) fn known(program: &Path, origin: String) -> Result<Clang, String> {
    let ask = |argument: &str| {
        let output = command(program).arg(argument).stdin(Stdio::null()).output();
        let output = output.map_err(|e| format!("it cannot be started ({e})"))?;
        Ok::<_, String>(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let text = ask("--version")?;
    let version = version(&text).ok_or("it does not say its version as clang does")?;
    let release: u32 = version.split('.').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    if release < OLDEST {
        return Err(format!("it is clang {version}, and warpbook's headers need {OLDEST} or newer"));
    }
    if !ask("--print-targets")?.contains("nvptx64") {
        return Err(format!("this clang {version} was built without the NVPTX back end"));
    }
    Ok(Clang { program: program.to_owned(), origin, version: version.to_owned() })
}

/// The version in what `clang --version` prints: `clang version 22.1.8`.
fn version(text: &str) -> Option<&str> {
    let (_, rest) = text.lines().next()?.split_once("clang version ")?;
    rest.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read() {
        assert_eq!(version("clang version 22.1.8\nTarget: x"), Some("22.1.8"));
        assert_eq!(version("Ubuntu clang version 18.1.3 (1ubuntu1)\n"), Some("18.1.3"));
        assert_eq!(version("gcc 12"), None);
    }

    #[test]
    fn the_error_says_exactly_what_to_type() {
        let text = ClangError::Missing { why: Some("zig: it is old".to_owned()) }.to_string();
        assert!(text.contains("\nrun: warpbook setup --clang") && text.contains("passed over: zig"), "{text}");
    }

    #[test]
    fn what_is_no_clang_says_why() {
        let why = known(Path::new("/nowhere/clang"), String::new()).unwrap_err();
        assert!(why.starts_with("it cannot be started"), "{why}");
    }
}
