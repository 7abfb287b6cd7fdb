//! `warpbook setup`: puts known parts of CUDA into our cache.
//!
//! They are NVIDIA's and may not lie in this repository. NVIDIA publishes them on PyPI; here the user's own pip
//! downloads pinned versions, their SHA-256 is compared with the ones written in [`component`], and the files that are
//! needed are unpacked into the cache, with the licence.
//!
//! Everything happens in a temporary folder inside the cache, which becomes for example `nvrtc-13.0.88` by one rename
//! at the very end: whatever interrupts a run, the cache holds a whole component or none. Running it again does nothing.

pub mod component;
mod error;
mod pip;
mod unpack;

pub use component::Component;
pub use error::SetupError;

use crate::clang;
use crate::nvrtc::{self, Nvrtc, Origin};
use indicatif::{ProgressBar, ProgressStyle};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version of the compilers that `warpbook setup` installs, and that made the PTX in `kernels/ptx`.
pub const VERSION: &str = "13.0.88";
/// The licence's name. Its text comes with each package.
pub const LICENCE: &str = "End User License Agreement of the NVIDIA CUDA Toolkit";
/// The licence's file in the folder of each component.
const LICENCE_FILE: &str = "License.txt";
/// How temporary folders in the cache begin; the process id follows.
const TEMPORARY: &str = ".setup-";

/// A component in our cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Which.
    pub component: Component,
    /// The folder that holds it.
    pub folder: PathBuf,
    /// The licence's text.
    pub licence: PathBuf,
    /// Whether this run put it there; false if it was there already.
    pub fresh: bool,
}

/// The folder in `cache` that holds, or will hold, a component.
#[must_use]
pub fn folder_in(cache: &Path, component: Component) -> PathBuf {
    cache.join(component.folder_name())
}

/// The folder of a component that is wholly installed on this machine.
#[must_use]
pub fn installed(component: Component) -> Option<PathBuf> {
    let folder = folder_in(&nvrtc::cache_folder()?, component);
    unpack::is_whole(&folder, component).then_some(folder)
}

/// Whether `folder` holds the whole component, and nothing is cut.
pub(crate) fn is_whole(folder: &Path, component: Component) -> bool {
    unpack::is_whole(folder, component)
}

/// What the user must know before the download: whose software it is, under which licence, from where and how large.
///
/// # Errors
/// [`SetupError::Platform`] or [`SetupError::NoCacheFolder`]: then there is nothing to agree to.
pub fn notice(components: &[Component]) -> Result<String, SetupError> {
    let cache = cache_folder()?;
    let mut list = String::new();
    let mut bytes = 0;
    for &component in components {
        bytes += component.download_bytes()?;
        let packages: Vec<String> =
            component.packages().iter().map(|package| format!("{} {}", package.name, package.version)).collect();
        list += &format!("  {}: {}\n", component.title(), packages.join(", "));
    }
    let first = components.first().map(|&component| folder_in(&cache, component)).unwrap_or_default();
    let download = format!("Download: {} MB, into {}", bytes.div_ceil(1_000_000), cache.display());
    if components == [Component::Clang] {
        return Ok(format!("{}\n{download}", clang_notice(&cache, &list)));
    }
    let clang = if components.contains(&Component::Clang) {
        list = list.lines().filter(|line| !line.contains(": ziglang ")).map(|line| format!("{line}\n")).collect();
        let line = format!("  {}: ziglang {}\n", Component::Clang.title(), Component::Clang.version());
        format!("{}\n", clang_notice(&cache, &line))
    } else {
        String::new()
    };
    Ok(format!(
        "What follows is NVIDIA's software and no part of warpbook:\n{list}\
         It is under the {LICENCE}.\n\
         Its text lies in each package ({}) and will be at\n  {}\n\
         By continuing it is you who downloads it from PyPI, with your own pip, and who accepts this licence.\n\
         {clang}{download}",
        error::licence_in_package(),
        first.join(LICENCE_FILE).display(),
    ))
}

/// What is said of clang: whose it is.
fn clang_notice(cache: &Path, list: &str) -> String {
    format!(
        "What follows is the Zig project's package with LLVM's clang, and no part of warpbook:\n{list}\
         Zig is under the MIT licence, LLVM under Apache-2.0 with LLVM's exceptions. The package's text will be at\n  {}",
        folder_in(cache, Component::Clang).join(LICENCE_FILE).display()
    )
}

/// A progress bar for [`install`] that shows nothing.
#[must_use]
pub fn hidden_bar() -> ProgressBar {
    ProgressBar::hidden()
}

/// A progress bar for [`install`]: on standard error if that is a terminal, else hidden.
#[must_use]
pub fn progress_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg}\n{wide_bar} {pos}/{len} {eta}").expect("a valid template");
    ProgressBar::new(0).with_style(style)
}

/// Puts a component into the cache, unless it is there. `bar` shows the stages and how far each one is.
///
/// # Errors
/// [`SetupError`]; the cache is then as it was.
pub fn install(component: Component, bar: &ProgressBar) -> Result<Installed, SetupError> {
    let installed = install_into(&cache_folder()?, component, bar);
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
fn install_into(cache: &Path, component: Component, bar: &ProgressBar) -> Result<Installed, SetupError> {
    let folder = folder_in(cache, component);
    component.download_bytes()?;
    let installed = |fresh| Installed { component, licence: folder.join(LICENCE_FILE), folder: folder.clone(), fresh };
    if is_whole(&folder, component) {
        return Ok(installed(false));
    }

    std::fs::create_dir_all(cache).map_err(io_error("creating the cache folder", cache))?;
    remove_leftovers(cache);
    let temporary = tempfile::Builder::new()
        .prefix(&format!("{TEMPORARY}{}-", std::process::id()))
        .tempdir_in(cache)
        .map_err(io_error("creating a temporary folder in the cache", cache))?;
    let making = "creating a temporary folder in the cache";
    bar.set_message("looking for pip");
    let pip = pip::find(temporary.path())?;
    let unpacked = temporary.path().join("unpacked");
    std::fs::create_dir(&unpacked).map_err(io_error(making, &unpacked))?;
    for package in component.packages() {
        let wheel = package.wheel_here()?;
        let own = temporary.path().join(package.name);
        std::fs::create_dir(&own).map_err(io_error(making, &own))?;
        let file = pip::download(&pip, package, wheel, &own, bar)?;
        unpack::verify(&file, package, wheel, bar)?;
        unpack::unpack(&file, package, &unpacked, bar)?;
        // The next package needs the room.
        let _ = std::fs::remove_dir_all(own);
    }
    bar.set_message(format!("trying {}", component.title()));
    try_out(component, &unpacked)?;

    if folder.exists() {
        // What lies there is not whole. It moves away in one step, so that no moment shows a mixture.
        let old = temporary.path().join("old");
        std::fs::rename(&folder, &old).map_err(io_error("moving an incomplete installation away", &folder))?;
    }
    match std::fs::rename(&unpacked, &folder) {
        Ok(()) => Ok(installed(true)),
        // Another run was faster.
        Err(_) if is_whole(&folder, component) => Ok(installed(false)),
        Err(source) => Err(io_error("moving the files into place", &folder)(source)),
    }
}

/// Runs what was unpacked: a library compiles an empty kernel, programs tell their version.
fn try_out(component: Component, folder: &Path) -> Result<(), SetupError> {
    let not = |why: String| SetupError::DoesNotRun { component, why };
    let programs: &[&str] = match component {
        Component::Nvrtc => {
            let nvrtc = Nvrtc::load(&folder.join(component::LIBRARY), Origin::Cache).map_err(not)?;
            let compiled = nvrtc.compile(&nvrtc::library::Input::new(c"empty.cu", c"__global__ void empty() {}"));
            let outcome = compiled.map_err(|e| not(format!("fails: {e}")))?;
            return match outcome.ptx {
                Some(_) => Ok(()),
                None => Err(not(format!("does not compile an empty kernel: {}", outcome.log))),
            };
        }
        Component::Headers => &[],
        Component::Nvcc => &["bin/nvcc", "nvvm/bin/cicc"],
        Component::Sass => &["bin/ptxas", "bin/nvdisasm"],
        Component::Clang => {
            let program = folder.join(clang::PROGRAM);
            return clang::known(&program, String::new()).map(|_| ()).map_err(not);
        }
    };
    for program in programs {
        let output = Command::new(folder.join(program)).arg("--version").stdin(Stdio::null()).output();
        let output = output.map_err(|e| not(format!("cannot be started ({program}: {e})")))?;
        // cicc has no such option and says so: what counts is that it runs and ends by itself.
        if output.status.code().is_none() || output.stdout.is_empty() && output.stderr.is_empty() {
            return Err(not(format!("fails ({program} --version: {})", output.status)));
        }
    }
    Ok(())
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
    fn a_full_disk_is_told_apart() {
        let cache = Path::new("cache");
        let full = io_error("unpacking", cache)(io::ErrorKind::StorageFull.into()).to_string();
        assert!(full.contains("no space left") && full.contains("WARPBOOK_CACHE"), "{full}");
        let other = io_error("unpacking", cache)(io::ErrorKind::PermissionDenied.into()).to_string();
        assert!(other.starts_with("unpacking failed: cache: permission denied"), "{other}");
        assert!(other.ends_with("Set WARPBOOK_CACHE to a folder that you can write to"), "{other}");
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
