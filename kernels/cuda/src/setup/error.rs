//! Why nothing was installed, and what to do about it.

use super::LICENCE_FILE;
use super::component::Component;
use crate::nvrtc;
use std::io;
use std::path::PathBuf;

/// Why nothing was installed.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// No package for this machine.
    #[error(
        "warpbook setup knows NVIDIA's packages for Linux on x86_64 and aarch64 only, and this is {os} on {arch}.\n{}",
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
    #[error("pip could not download {package} from PyPI: {why}.\npip's last words ({command}):\n{output}\n{advice}")]
    Download {
        /// The package and its version.
        package: String,
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
        "the downloaded {package} is not the one that warpbook knows, so it was thrown away and nothing was installed.\n\
         expected SHA-256 {expected}\n     got SHA-256 {got}\n\
         The download was damaged, or the package index that your pip uses serves another file under this name.\n\
         Run warpbook setup again; if it repeats, look at: python3 -m pip config list"
    )]
    Hash {
        /// The package.
        package: &'static str,
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
    #[error(
        "the content of {package} is not what warpbook expects ({why}): this is a bug in warpbook, please report it"
    )]
    Content {
        /// The package.
        package: &'static str,
        /// What is missing or different.
        why: String,
    },

    /// What was installed is right and does not run here.
    #[error(
        "{} was downloaded and unpacked, but does not run on this machine: it {why}.\nNothing was installed.\n{}",
        .component.title(), what_else()
    )]
    DoesNotRun {
        /// What was tried.
        component: Component,
        /// The loader's words.
        why: String,
    },
}

/// What the cache's disk must hold at once, in megabytes: a wheel twice while pip copies it, or once and unpacked.
const MEGABYTES_NEEDED: u32 = 250;

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
        "warpbook setup downloads from PyPI with your own pip. This machine has Python but no pip, and\n\
         Python could not make a virtual environment with one (python3 -m venv)."
    } else {
        "warpbook setup downloads from PyPI with your own pip, and this machine has no Python\n\
         (tried python3 -m pip, python -m pip, pip3 and pip)."
    }
}

/// What works where setup does not.
pub(super) fn what_else() -> String {
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

/// The name of the licence's file in a package, for the notice.
pub(super) fn licence_in_package() -> String {
    format!("licenses/{LICENCE_FILE}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pip_says_what_to_install() {
        for python in [false, true] {
            let text = SetupError::NoPip { python }.to_string();
            assert!(text.contains("apt install python3-pip") && text.contains("CUDA toolkit"), "{text}");
        }
    }
}
