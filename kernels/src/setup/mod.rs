//! `warpbook setup`: puts a known NVRTC into our cache.
//!
//! NVRTC is NVIDIA's and may not lie in this repository. NVIDIA publishes it on PyPI as the package
//! `nvidia-cuda-nvrtc`; here the user's own pip downloads one pinned version, its SHA-256 is compared with the one
//! written here, and the two libraries and the licence are unpacked into the cache.
//!
//! Everything happens in a temporary folder inside the cache, which becomes `nvrtc-13.0.88` by one rename at the very
//! end: whatever interrupts a run, the cache holds a whole NVRTC or none. Running it again does nothing.

mod pip;
mod unpack;

use crate::nvrtc::{self, Nvrtc, Origin};
use indicatif::{ProgressBar, ProgressStyle};
use std::io;
use std::path::{Path, PathBuf};

/// The version that `warpbook setup` installs, and that made the PTX in `kernels/ptx`.
pub const VERSION: &str = "13.0.88";
/// The package's name on PyPI.
const PACKAGE: &str = "nvidia-cuda-nvrtc";
/// The licence's name. Its text comes with the package.
pub const LICENCE: &str = "End User License Agreement of the NVIDIA CUDA Toolkit";
/// The licence's file beside the libraries in the cache.
const LICENCE_FILE: &str = "License.txt";
/// How temporary folders in the cache begin; the process id follows.
const TEMPORARY: &str = ".setup-";

/// The package for one kind of machine.
#[derive(Debug)]
struct Wheel {
    /// `std::env::consts::ARCH` of the machine.
    arch: &'static str,
    /// Lower-case hexadecimal SHA-256 of the wheel.
    sha256: &'static str,
    /// The wheel's size.
    bytes: u64,
}

/// The packages of version 13.0.88 for Linux with glibc. The hashes are those of the files that pip downloads.
const WHEELS: &[Wheel] = &[
    Wheel {
        arch: "x86_64",
        sha256: "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
        bytes: 90_215_200,
    },
    Wheel {
        arch: "aarch64",
        sha256: "d27f20a0ca67a4bb34268a5e951033496c5b74870b868bacd046b1b8e0c3267b",
        bytes: 43_015_449,
    },
];

/// An NVRTC in our cache.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Installed {
    /// The folder that holds the libraries.
    pub folder: PathBuf,
    /// The licence's text.
    pub licence: PathBuf,
    /// Whether this run put it there; false if it was there already.
    pub fresh: bool,
}

/// Why nothing was installed.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// No package for this machine.
    #[error(
        "warpbook setup knows NVRTC packages for Linux on x86_64 and aarch64 only, and this is {os} on {arch}.\n{}",
        what_else()
    )]
    Platform {
        /// The operating system.
        os: &'static str,
        /// The processor architecture.
        arch: &'static str,
    },

    /// The environment does not say where the cache is.
    #[error("there is no folder for warpbook's cache: set WARPBOOK_CACHE, XDG_CACHE_HOME or HOME")]
    NoCacheFolder,

    /// No pip, and perhaps no Python.
    #[error("{}\n{}", no_pip(*.python), what_else())]
    NoPip {
        /// Whether there is a Python 3 without pip.
        python: bool,
    },

    /// pip did not download the package.
    #[error(
        "pip could not download {PACKAGE} {VERSION} from PyPI: {why}.\npip's last words ({command}):\n{output}\n{advice}"
    )]
    Download {
        /// What went wrong, as the end of a sentence.
        why: &'static str,
        /// What to do about it.
        advice: String,
        /// The command that ran.
        command: String,
        /// The last lines that pip wrote.
        output: String,
    },

    /// The downloaded file is another one than the pinned one.
    #[error(
        "the downloaded package is not the one that warpbook knows, so it was thrown away and nothing was installed.\n\
         expected SHA-256 {expected}\n     got SHA-256 {got}\n\
         The download was damaged, or the package index that your pip uses serves another file under this name.\n\
         Run warpbook setup again; if it repeats, look at: python3 -m pip config list"
    )]
    Hash {
        /// The pinned hash.
        expected: &'static str,
        /// The hash of what was downloaded.
        got: String,
    },

    /// A disk is full.
    #[error(
        "no space left on the device while {doing}: {} needs about {MEGABYTES_NEEDED} MB while it sets up.\n\
         Make room, or set WARPBOOK_CACHE to a folder on another disk",
        .path.display()
    )]
    NoSpace {
        /// What was being done.
        doing: &'static str,
        /// The cache folder.
        path: PathBuf,
    },

    /// Reading or writing failed otherwise.
    #[error("{doing} failed: {}: {source}{}", .path.display(), io_advice(source))]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },

    /// The package is not laid out as expected: with the right hash, this is our mistake.
    #[error("the package's content is not what warpbook expects ({why}): this is a bug in warpbook, please report it")]
    Content {
        /// What is missing or different.
        why: String,
    },

    /// The library is right and does not run here.
    #[error(
        "NVRTC was downloaded and unpacked, but it does not run on this machine: it {why}.\nNothing was installed.\n{}",
        what_else()
    )]
    DoesNotRun {
        /// The loader's words.
        why: String,
    },
}

/// What the cache's disk must hold at once, in megabytes: the wheel twice while pip copies it, or once and unpacked.
const MEGABYTES_NEEDED: u32 = 210;

/// What to do about an error of [`SetupError::Io`], on a line of its own, where there is something that helps.
fn io_advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::NotFound
        | io::ErrorKind::AlreadyExists
        | io::ErrorKind::NotADirectory => "\nSet WARPBOOK_CACHE to a folder that you can write to",
        _ => "",
    }
}

/// The first sentence of [`SetupError::NoPip`].
fn no_pip(python: bool) -> &'static str {
    if python {
        "warpbook setup downloads NVRTC from PyPI with your own pip. This machine has Python but no pip, and\n\
         Python could not make a virtual environment with one (python3 -m venv)."
    } else {
        "warpbook setup downloads NVRTC from PyPI with your own pip, and this machine has no Python\n\
         (tried python3 -m pip, python -m pip, pip3 and pip)."
    }
}

/// What works where setup does not.
fn what_else() -> String {
    let (major, minor) = nvrtc::OLDEST;
    format!(
        "What else works:\n  \
         - install pip and run warpbook setup again: apt install python3-pip (Debian, Ubuntu), dnf install python3-pip\n    \
           (Fedora), pacman -S python-pip (Arch)\n  \
         - install a CUDA toolkit, version {major}.{minor} or later, on Linux: warpbook finds it by itself\n  \
         - set {} to a libnvrtc.so.* that you have, or to its folder\n{}",
        nvrtc::OVERRIDE,
        nvrtc::WITHOUT
    )
}

/// The folder in `cache` that holds, or will hold, the pinned NVRTC.
#[must_use]
pub fn installed_folder(cache: &Path) -> PathBuf {
    cache.join(format!("nvrtc-{VERSION}"))
}

/// What the user must know before the download: whose software it is, under which licence, from where and how large.
///
/// # Errors
/// [`SetupError::Platform`] or [`SetupError::NoCacheFolder`]: then there is nothing to agree to.
pub fn notice() -> Result<String, SetupError> {
    let wheel = wheel_for(std::env::consts::OS, std::env::consts::ARCH)?;
    let folder = installed_folder(&cache_folder()?);
    Ok(format!(
        "NVRTC {VERSION} is NVIDIA's software and no part of warpbook. It is under the\n\
         {LICENCE}.\n\
         Its text lies in the package ({PACKAGE}, licenses/{LICENCE_FILE}) and will be at\n  {}\n\
         By continuing it is you who downloads it from PyPI, with your own pip, and who accepts this licence.\n\
         Download: {} MB, into {}",
        folder.join(LICENCE_FILE).display(),
        wheel.bytes.div_ceil(1_000_000),
        folder.display(),
    ))
}

/// A progress bar for [`install`] that shows nothing.
#[must_use]
pub fn hidden_bar() -> ProgressBar {
    ProgressBar::hidden()
}

/// A progress bar for [`install`]: on standard error if that is a terminal, else hidden.
#[must_use]
pub fn progress_bar() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{msg}\n{wide_bar} {bytes}/{total_bytes} {eta}").expect("a valid template");
    ProgressBar::new(0).with_style(style)
}

/// Puts the pinned NVRTC into the cache, unless it is there. `bar` shows the stages and how far each one is.
///
/// # Errors
/// [`SetupError`]; the cache is then as it was.
pub fn install(bar: &ProgressBar) -> Result<Installed, SetupError> {
    let installed = install_into(&cache_folder()?, bar);
    bar.finish_and_clear();
    installed
}

/// The version of the pip that [`install`] would use, in pip's own words. None if there is no pip.
#[must_use]
pub fn pip_version() -> Option<String> {
    pip::version()
}

/// The cache folder of this machine.
fn cache_folder() -> Result<PathBuf, SetupError> {
    nvrtc::cache_folder().ok_or(SetupError::NoCacheFolder)
}

/// [`install`] for a given cache folder.
fn install_into(cache: &Path, bar: &ProgressBar) -> Result<Installed, SetupError> {
    let wheel = wheel_for(std::env::consts::OS, std::env::consts::ARCH)?;
    let folder = installed_folder(cache);
    let installed = |fresh| Installed { licence: folder.join(LICENCE_FILE), folder: folder.clone(), fresh };
    if is_complete(&folder) {
        return Ok(installed(false));
    }

    std::fs::create_dir_all(cache).map_err(io_error("creating the cache folder", cache))?;
    remove_leftovers(cache);
    let temporary = tempfile::Builder::new()
        .prefix(&format!("{TEMPORARY}{}-", std::process::id()))
        .tempdir_in(cache)
        .map_err(io_error("creating a temporary folder in the cache", cache))?;
    let package = pip::download(wheel, temporary.path(), bar)?;
    unpack::verify(&package, wheel, bar)?;
    let unpacked = temporary.path().join("unpacked");
    unpack::unpack(&package, &unpacked, bar)?;
    bar.set_message("trying the library");
    try_out(&unpacked)?;

    if folder.exists() {
        // What lies there is not whole. It moves away in one step, so that no moment shows a mixture.
        let old = temporary.path().join("old");
        std::fs::rename(&folder, &old).map_err(io_error("moving an incomplete installation away", &folder))?;
    }
    match std::fs::rename(&unpacked, &folder) {
        Ok(()) => Ok(installed(true)),
        // Another run was faster.
        Err(_) if is_complete(&folder) => Ok(installed(false)),
        Err(source) => Err(io_error("moving the libraries into place", &folder)(source)),
    }
}

/// The package for an operating system and a processor architecture.
fn wheel_for(os: &'static str, arch: &'static str) -> Result<&'static Wheel, SetupError> {
    let wheel = WHEELS.iter().find(|wheel| os == "linux" && wheel.arch == arch);
    wheel.ok_or(SetupError::Platform { os, arch })
}

/// Whether `folder` holds an installation whose files have the sizes that the package's own list tells.
pub(crate) fn is_complete(folder: &Path) -> bool {
    unpack::sizes(folder).is_some_and(|sizes| {
        sizes.iter().all(|(file, bytes)| std::fs::metadata(folder.join(file)).is_ok_and(|m| m.len() == *bytes))
    })
}

/// Loads the unpacked library and compiles an empty kernel with it.
fn try_out(folder: &Path) -> Result<(), SetupError> {
    let not = |why: String| SetupError::DoesNotRun { why };
    let nvrtc = Nvrtc::load(&folder.join(unpack::LIBRARY), Origin::Cache).map_err(not)?;
    let compiled = nvrtc.compile(c"empty.cu", c"extern \"C\" __global__ void empty() {}", &[]);
    let outcome = compiled.map_err(|e| not(format!("fails: {e}")))?;
    outcome.ptx.map(|_| ()).ok_or_else(|| not(format!("does not compile an empty kernel: {}", outcome.log)))
}

/// Removes the temporary folders of runs that were killed. What cannot be removed is left to the next run.
fn remove_leftovers(cache: &Path) {
    for entry in std::fs::read_dir(cache).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|n| n.strip_prefix(TEMPORARY)).and_then(|n| n.split('-').next());
        if process.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Makes a [`SetupError`] of an input or output error.
fn io_error<'a>(doing: &'static str, path: &'a Path) -> impl Fn(io::Error) -> SetupError + 'a {
    move |source| match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            SetupError::NoSpace { doing, path: path.to_owned() }
        }
        _ => SetupError::Io { doing, path: path.to_owned(), source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_hear_what_else_works() {
        for (os, arch) in [("macos", "aarch64"), ("windows", "x86_64"), ("linux", "riscv64")] {
            let text = wheel_for(os, arch).unwrap_err().to_string();
            assert!(text.contains(&format!("this is {os} on {arch}")), "{text}");
            assert!(text.contains("WARPBOOK_NVRTC") && text.contains("warpbook compare"), "{text}");
        }
        assert!(wheel_for("linux", "x86_64").is_ok() && wheel_for("linux", "aarch64").is_ok());
    }

    #[test]
    fn no_pip_says_what_to_install() {
        for python in [false, true] {
            let text = SetupError::NoPip { python }.to_string();
            assert!(text.contains("apt install python3-pip") && text.contains("CUDA toolkit"), "{text}");
        }
    }

    #[test]
    fn a_full_disk_is_told_apart() {
        let cache = Path::new("cache");
        let full = io_error("unpacking", cache)(io::ErrorKind::StorageFull.into()).to_string();
        assert!(full.contains("no space left") && full.contains("WARPBOOK_CACHE"), "{full}");
        let other = io_error("unpacking", cache)(io::ErrorKind::PermissionDenied.into()).to_string();
        assert!(other.starts_with("unpacking failed: cache: permission denied"), "{other}");
        assert!(other.ends_with("Set WARPBOOK_CACHE to a folder that you can write to"), "{other}");
    }

    #[test]
    fn an_empty_or_truncated_folder_is_not_complete() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_complete(folder.path()));
        let record = format!(
            "nvidia/cu13/lib/{},sha256=x,5\nnvidia/cu13/lib/{},sha256=x,3\n",
            unpack::LIBRARY,
            unpack::BUILTINS
        );
        std::fs::write(folder.path().join("RECORD"), record).unwrap();
        std::fs::write(folder.path().join(unpack::LIBRARY), "12345").unwrap();
        assert!(!is_complete(folder.path()), "the built-ins are absent");
        std::fs::write(folder.path().join(unpack::BUILTINS), "123").unwrap();
        assert!(is_complete(folder.path()));
        std::fs::write(folder.path().join(unpack::LIBRARY), "1234").unwrap();
        assert!(!is_complete(folder.path()), "the library is truncated");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn leftovers_of_dead_runs_go_and_those_of_live_ones_stay() {
        let cache = tempfile::tempdir().unwrap();
        let live = cache.path().join(format!("{TEMPORARY}{}-a", std::process::id()));
        // Process ids of Linux end below 2^22.
        let dead = cache.path().join(format!("{TEMPORARY}99999999-b"));
        std::fs::create_dir(&live).unwrap();
        std::fs::create_dir(&dead).unwrap();
        remove_leftovers(cache.path());
        assert!(live.exists() && !dead.exists());
    }
}
