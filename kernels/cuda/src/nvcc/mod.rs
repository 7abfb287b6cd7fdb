//! nvcc, NVIDIA's compiler driver: where it is on this machine.
//!
//! It is looked for in this order: the environment variable `WARPBOOK_NVCC` (a program, and nothing else is tried),
//! a CUDA toolkit (`CUDA_HOME`, `CUDA_PATH`, `PATH`, `/usr/local/cuda*`, `/opt/cuda`), then our cache, which
//! `warpbook setup --nvcc` fills. It needs a C++ compiler for the host, whose preprocessor reads the headers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::nvrtc;
use crate::setup::{self, Component};

/// The environment variable that names the nvcc to use.
pub const OVERRIDE: &str = "WARPBOOK_NVCC";

/// What a command that needs nvcc and lacks it tells its user to type.
pub const HOW_TO_GET: &str =
    "run: warpbook setup --nvcc (from a clone: cargo run --release -- setup --nvcc), or install a CUDA toolkit";

/// The host compilers, any of which will do.
const HOST_COMPILERS: &[&str] = &["g++", "c++", "clang++"];

/// An nvcc that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nvcc {
    /// The program.
    pub program: PathBuf,
    /// Where it was found, as the end of a sentence.
    pub origin: String,
    /// Its version, such as `13.0.88`.
    pub version: String,
    /// Folders of CUDA's headers, if they do not lie where nvcc looks by itself.
    pub includes: Vec<PathBuf>,
}

/// Why there is no nvcc to compile with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NvccError {
    /// Nothing was found in any place.
    #[error("There is no nvcc on this machine.{}\n{HOW_TO_GET}", list(.passed_over))]
    Missing {
        /// What was found but could not be used, each as a sentence.
        passed_over: Vec<String>,
    },

    /// The host's compiler is missing.
    #[error(
        "nvcc ({}) is here, but it needs a C++ compiler for the host, and there is none in PATH (tried {}).\n\
         Install one, for example: apt install g++ (Debian, Ubuntu), dnf install gcc-c++ (Fedora)",
        .program.display(), HOST_COMPILERS.join(", ")
    )]
    NoHostCompiler {
        /// The nvcc.
        program: PathBuf,
    },

    /// `WARPBOOK_NVCC` is set and is no nvcc.
    #[error("the environment variable {OVERRIDE} is set to `{value}`, but {why}.\nSet it to an nvcc, or unset it")]
    Override {
        /// The variable's value.
        value: String,
        /// What is wrong with it, as the end of a sentence.
        why: String,
    },
}

fn list(passed_over: &[String]) -> String {
    passed_over.iter().map(|sentence| format!("\n  passed over: {sentence}")).collect()
}

/// The nvcc of this machine: looked for on the first call that finds one.
///
/// # Errors
/// [`NvccError`], whose text says what to type. A failure is not remembered.
pub fn get() -> Result<Nvcc, NvccError> {
    static FOUND: OnceLock<Nvcc> = OnceLock::new();
    if let Some(found) = FOUND.get() {
        return Ok(found.clone());
    }
    let found = find()?;
    if !has_host_compiler() {
        return Err(NvccError::NoHostCompiler { program: found.program });
    }
    Ok(FOUND.get_or_init(|| found).clone())
}

fn find() -> Result<Nvcc, NvccError> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(value) = set(OVERRIDE) {
        let program = PathBuf::from(&value);
        return known(&program, format!("named by {OVERRIDE}"), Vec::new())
            .map_err(|why| NvccError::Override { value: value.to_string_lossy().into_owned(), why });
    }
    let mut places: Vec<(PathBuf, String)> = Vec::new();
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        places.extend(set(variable).map(|folder| (Path::new(&folder).join("bin"), format!("from {variable}"))));
    }
    let path = set("PATH").unwrap_or_default();
    places.extend(std::env::split_paths(&path).map(|folder| (folder, "from PATH".to_owned())));
    let toolkits = nvrtc::toolkit_folders().into_iter();
    places.extend(toolkits.map(|folder| (folder.join("bin"), format!("from the CUDA toolkit ({})", folder.display()))));

    let mut passed_over = Vec::new();
    for (folder, origin) in places {
        let program = folder.join("nvcc");
        if !program.is_file() {
            continue;
        }
        match known(&program, origin, Vec::new()) {
            Ok(nvcc) => return Ok(nvcc),
            Err(why) => passed_over.push(format!("{}: {why}", program.display())),
        }
    }
    if let Some(folder) = setup::installed(Component::Nvcc) {
        match setup::installed(Component::Headers) {
            Some(headers) => {
                let include = headers.join("include");
                let includes = vec![include.join("cccl"), include];
                match known(&folder.join("bin/nvcc"), "from warpbook's cache".to_owned(), includes) {
                    Ok(nvcc) => return Ok(nvcc),
                    Err(why) => passed_over.push(format!("{}: {why}", folder.display())),
                }
            }
            None => passed_over.push(format!("{}: CUDA's headers are missing in the cache", folder.display())),
        }
    }
    Err(NvccError::Missing { passed_over })
}

/// An nvcc that tells its version and is new enough. The error is the end of a sentence.
fn known(program: &Path, origin: String, includes: Vec<PathBuf>) -> Result<Nvcc, String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|e| format!("it cannot be started ({e})"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = version(&text).ok_or("it does not say its version as nvcc does")?;
    let (major, minor) = nvrtc::OLDEST;
    let number: u32 = version.split('.').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    if number < major {
        return Err(format!("it is version {version}, and warpbook needs {major}.{minor} or later"));
    }
    Ok(Nvcc { program: program.to_owned(), origin, version: version.to_owned(), includes })
}

/// The version in what `nvcc --version` prints: `Cuda compilation tools, release 13.0, V13.0.88`.
fn version(text: &str) -> Option<&str> {
    let line = text.lines().find(|line| line.contains("Cuda compilation tools"))?;
    line.rsplit_once(", V").map(|(_, version)| version.trim())
}

/// Whether the PATH holds a C++ compiler, or the variable by which nvcc is told of one is set.
#[must_use]
pub fn has_host_compiler() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    std::env::var_os("NVCC_CCBIN").is_some()
        || HOST_COMPILERS.iter().any(|name| folders.iter().any(|folder| folder.join(name).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read() {
        let text = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\nBuild x\n";
        assert_eq!(version(text), Some("13.0.88"));
        assert_eq!(version("gcc 12"), None);
    }

    #[test]
    fn the_error_says_exactly_what_to_type() {
        let text = NvccError::Missing { passed_over: vec!["old: it is version 9.0".to_owned()] }.to_string();
        assert!(text.contains("\nrun: warpbook setup --nvcc") && text.contains("passed over: old"), "{text}");
        let text = NvccError::NoHostCompiler { program: "nvcc".into() }.to_string();
        assert!(text.contains("apt install g++"), "{text}");
    }
}
