//! NVRTC, NVIDIA's compiler of CUDA C++ as a library: where it is on this machine, and how it is loaded.
//!
//! The library is loaded at run time, so that the workbook builds and runs where no CUDA is installed. It is looked
//! for in this order ([`Origin`]):
//!
//! 1. the environment variable `WARPBOOK_NVRTC`: a `libnvrtc.so.*`, or the folder that holds it. If it is set and
//!    wrong, that is an error: nothing else is tried, because whoever sets it wants to know which compiler runs;
//! 2. a CUDA toolkit: `CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda*`, `/opt/cuda`, then the system's linker;
//! 3. our cache, which `warpbook setup` fills ([`crate::setup`]).
//!
//! The functions are bound here, in [`library`], and not with cudarc's `nvrtc` module. cudarc 0.19 picks a library by
//! trying a fixed list of bare names (`libnvrtc.so` first) in the linker's search path. A library loaded before by its
//! full path answers to its soname only (`libnvrtc.so.13`), so with cudarc neither `WARPBOOK_NVRTC` nor our cache
//! could be sure to be the compiler that runs.

mod find;
pub mod library;

pub use find::cache_folder;
pub(crate) use find::toolkit_folders;
pub use library::Nvrtc;

use std::path::PathBuf;
use std::sync::OnceLock;

/// The oldest NVRTC that we use: CUDA 12.0. Older ones in a toolkit are passed over.
pub const OLDEST: (u32, u32) = (12, 0);

/// The environment variable that names the NVRTC to use: a library file, or the folder that holds one.
pub const OVERRIDE: &str = "WARPBOOK_NVRTC";

/// What a command that needs NVRTC and lacks it tells its user to type.
pub const HOW_TO_GET: &str = "run: warpbook setup (from a clone: cargo run --release -- setup)";

/// What can be done where there is no NVRTC, as a list with one thing per line.
pub const WITHOUT: &str = "\
Without NVRTC you can:
  - compare the book's kernels with the counters recorded on a GPU: warpbook compare
  - simulate any kernel that is compiled already: warpbook sim FILE.ptx --kernel NAME …
  - run all tests that need no CUDA: cargo test --workspace
Only CUDA sources (.cu files), and so the exercises, need a compiler. clang is another one: warpbook setup --clang";

/// Where an NVRTC was found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Named by the environment variable `WARPBOOK_NVRTC`.
    Override,
    /// In a CUDA toolkit: the folder that was searched, or the environment variable that named it.
    Toolkit(String),
    /// By the system's dynamic linker.
    Linker,
    /// In our cache, put there by `warpbook setup`.
    Cache,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Override => write!(f, "named by {OVERRIDE}"),
            Self::Toolkit(from) => write!(f, "from the CUDA toolkit ({from})"),
            Self::Linker => write!(f, "found by the system's dynamic linker"),
            Self::Cache => write!(f, "from warpbook's cache"),
        }
    }
}

/// An NVRTC that was found and passed over, and why.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PassedOver {
    /// The library file.
    pub path: PathBuf,
    /// Why it was not used, as the end of a sentence that begins with the path.
    pub why: String,
}

/// Why there is no NVRTC to compile with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NvrtcError {
    /// Nothing was found in any place.
    #[error(
        "compiling CUDA needs NVRTC, NVIDIA's compiler library, and it is not on this machine.{}\n{HOW_TO_GET}\n{WITHOUT}",
        list(.passed_over)
    )]
    Missing {
        /// What was found but could not be used.
        passed_over: Vec<PassedOver>,
    },

    /// `WARPBOOK_NVRTC` is set and does not lead to a library that works.
    #[error(
        "the environment variable {OVERRIDE} is set to `{value}`, but {why}.\n\
         Set it to a libnvrtc.so.* or to the folder that holds one, or unset it to let warpbook search.\n\
         To get a copy that is known to work, unset it and {HOW_TO_GET}"
    )]
    Override {
        /// The variable's value.
        value: String,
        /// What is wrong with it, as the end of a sentence.
        why: String,
    },

    /// We do not load NVRTC on this operating system.
    #[error(
        "compiling CUDA needs NVRTC, NVIDIA's compiler library, and warpbook loads it on Linux only: there is no NVRTC on this system ({os}).\n{WITHOUT}"
    )]
    Unsupported {
        /// The operating system, as Rust names it.
        os: &'static str,
    },
}

/// The libraries that were passed over, each on its own line after a line break.
fn list(passed_over: &[PassedOver]) -> String {
    passed_over.iter().map(|p| format!("\n  passed over: {} {}", p.path.display(), p.why)).collect()
}

/// The NVRTC of this process: found and loaded on the first call, and the same one ever after.
///
/// A failure is not remembered: after `setup` has filled the cache, the next call finds it.
///
/// # Errors
/// [`NvrtcError`], whose text says what to type.
pub fn get() -> Result<&'static Nvrtc, NvrtcError> {
    static LOADED: OnceLock<Nvrtc> = OnceLock::new();
    if let Some(loaded) = LOADED.get() {
        return Ok(loaded);
    }
    let found = find::find(&find::Places::of_this_machine())?;
    Ok(LOADED.get_or_init(|| found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_says_exactly_what_to_type() {
        let text = NvrtcError::Missing { passed_over: Vec::new() }.to_string();
        assert!(text.contains("\nrun: warpbook setup (from a clone: cargo run --release -- setup)\n"), "{text}");
        assert!(text.contains("warpbook sim FILE.ptx"), "{text}");
    }

    #[test]
    fn the_error_names_what_was_passed_over() {
        let old = PassedOver { path: "/opt/old/libnvrtc.so.10".into(), why: "is version 10.2".into() };
        let text = NvrtcError::Missing { passed_over: vec![old] }.to_string();
        assert!(text.contains("passed over: /opt/old/libnvrtc.so.10 is version 10.2"), "{text}");
    }

    #[test]
    fn other_systems_hear_what_works() {
        let text = NvrtcError::Unsupported { os: "macos" }.to_string();
        assert!(text.contains("no NVRTC on this system (macos)") && text.contains("warpbook compare"), "{text}");
        assert!(text.contains("warpbook setup --clang"), "{text}");
    }
}
