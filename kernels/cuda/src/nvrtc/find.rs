//! Searching for NVRTC: which places, in which order, and which file of a folder.
//!
//! [`Places`] holds everything that the search reads from the machine, so that tests can search a machine of their
//! own making.

use super::{Nvrtc, NvrtcError, OVERRIDE, Origin, PassedOver};
use crate::setup::{self, Component};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How the compiler library's file names begin; a version follows.
pub(super) const LIBRARY: &str = "libnvrtc.so";
/// How its built-ins library's file names begin; a version follows.
pub(super) const BUILTINS: &str = "libnvrtc-builtins.so";

/// Where a folder of a CUDA toolkit, or a folder that a user names, may hold its libraries.
const SUBFOLDERS: &[&str] =
    &["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib"];

/// Folders in which CUDA toolkits are installed without being named by an environment variable. Toolkits of several
/// versions stand beside the first one as `cuda-13.0` and so on.
const TOOLKIT_FOLDERS: &[&str] = &["/usr/local/cuda", "/opt/cuda"];

/// Names that the system's linker is asked for, newest first.
const LINKER_NAMES: &[&str] = &["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

/// What the search looks at.
pub(super) struct Places {
    /// The value of `WARPBOOK_NVRTC`.
    over: Option<OsString>,
    /// Toolkit folders, with the words that say where each one comes from.
    toolkits: Vec<(String, PathBuf)>,
    /// Names for the system's linker.
    linker_names: &'static [&'static str],
    /// The folder of the cache that holds our NVRTC.
    cached: Option<PathBuf>,
}

impl Places {
    /// What this machine's environment says.
    pub(super) fn of_this_machine() -> Self {
        let mut toolkits = Vec::new();
        for variable in ["CUDA_HOME", "CUDA_PATH"] {
            if let Some(value) = std::env::var_os(variable).filter(|v| !v.is_empty()) {
                toolkits.push((variable.to_owned(), PathBuf::from(value)));
            }
        }
        toolkits.extend(toolkit_folders().into_iter().map(|folder| (folder.display().to_string(), folder)));
        Self {
            over: std::env::var_os(OVERRIDE).filter(|v| !v.is_empty()),
            toolkits,
            linker_names: LINKER_NAMES,
            // A damaged installation counts as none, so that the answer is to run setup, which repairs it.
            cached: setup::installed(Component::Nvrtc),
        }
    }
}

/// The CUDA toolkits' folders that exist on this machine, the newest of several versions first.
pub(crate) fn toolkit_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = TOOLKIT_FOLDERS.iter().map(PathBuf::from).filter(|f| f.is_dir()).collect();
    let versioned = files_beginning(Path::new("/usr/local"), "cuda-");
    folders.extend(versioned.into_iter().filter(|f| f.is_dir()).rev());
    folders
}

/// The folder in which warpbook keeps what it downloaded: `WARPBOOK_CACHE`, else `$XDG_CACHE_HOME/warpbook`, else
/// `~/.cache/warpbook`. None if the environment names none of them.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("WARPBOOK_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").filter(|p| p.is_absolute()).map(|p| p.join("warpbook")))
        .or_else(|| set("HOME").map(|p| p.join(".cache").join("warpbook")))
}

/// Finds and loads NVRTC.
pub(super) fn find(places: &Places) -> Result<Nvrtc, NvrtcError> {
    if !cfg!(target_os = "linux") {
        return Err(NvrtcError::Unsupported { os: std::env::consts::OS });
    }
    if let Some(value) = &places.over {
        return from_override(Path::new(value))
            .map_err(|why| NvrtcError::Override { value: value.to_string_lossy().into_owned(), why });
    }
    let mut passed_over = Vec::new();
    let mut attempt = |path: PathBuf, origin: Origin| match Nvrtc::load(&path, origin) {
        Ok(nvrtc) => Some(nvrtc),
        Err(why) => {
            passed_over.push(PassedOver { path, why });
            None
        }
    };
    for (words, folder) in &places.toolkits {
        if let Some(nvrtc) = newest_below(folder).and_then(|path| attempt(path, Origin::Toolkit(words.clone()))) {
            return Ok(nvrtc);
        }
    }
    for name in places.linker_names {
        // A name that the linker does not know is no news: it is absent on most machines.
        if let Ok(nvrtc) = Nvrtc::load(Path::new(name), Origin::Linker) {
            return Ok(nvrtc);
        }
    }
    let cached = places.cached.as_deref().and_then(|folder| newest_in(folder, LIBRARY));
    cached.and_then(|path| attempt(path, Origin::Cache)).ok_or(NvrtcError::Missing { passed_over })
}

/// Loads what `WARPBOOK_NVRTC` names. The error is the end of a sentence.
fn from_override(value: &Path) -> Result<Nvrtc, String> {
    let path = if value.is_dir() {
        newest_below(value).ok_or_else(|| format!("there is no {LIBRARY}.* in that folder"))?
    } else if value.is_file() {
        // A bare file name must not turn into a search by the linker.
        std::path::absolute(value).map_err(|e| e.to_string())?
    } else {
        return Err("there is nothing at that path".to_owned());
    };
    Nvrtc::load(&path, Origin::Override).map_err(|why| format!("{} {why}", path.display()))
}

/// The newest NVRTC in `folder` or in the places below it where a toolkit keeps its libraries.
fn newest_below(folder: &Path) -> Option<PathBuf> {
    newest_in(folder, LIBRARY).or_else(|| SUBFOLDERS.iter().find_map(|sub| newest_in(&folder.join(sub), LIBRARY)))
}

/// The file of `folder` with the highest version after `name` and a dot (`libnvrtc.so.13`), else `name` itself.
pub(super) fn newest_in(folder: &Path, name: &str) -> Option<PathBuf> {
    let found = files_beginning(folder, &format!("{name}.")).into_iter().rfind(|path| path.is_file());
    let found = found.or_else(|| Some(folder.join(name)).filter(|path| path.is_file()))?;
    // A relative folder would be searched by the linker in its own way.
    std::path::absolute(found).ok()
}

/// What `folder` holds whose name is `prefix` and a version of dotted numbers, in ascending order of versions.
fn files_beginning(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let version = name.to_str()?.strip_prefix(prefix)?;
            let numbers: Result<Vec<u32>, _> = version.split('.').map(str::parse).collect();
            Some((numbers.ok()?, entry.path()))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A machine that holds nothing.
    fn nothing() -> Places {
        Places { over: None, toolkits: Vec::new(), linker_names: &[], cached: None }
    }

    #[test]
    fn an_empty_machine_is_missing() {
        assert_eq!(find(&nothing()).unwrap_err(), NvrtcError::Missing { passed_over: Vec::new() });
    }

    #[test]
    fn a_wrong_override_is_an_error_and_no_fallback() {
        let folder = TempDir::new().unwrap();
        let cases = [
            (folder.path().join("absent"), "nothing at that path"),
            (folder.path().to_owned(), "no libnvrtc.so.* in that folder"),
        ];
        for (value, expected) in cases {
            // Even where a working NVRTC lies in the cache, the override is what counts.
            let cached = cache_folder().map(|c| setup::folder_in(&c, Component::Nvrtc));
            let places = Places { over: Some(value.clone().into()), cached, ..nothing() };
            let text = find(&places).unwrap_err().to_string();
            assert!(text.contains(OVERRIDE) && text.contains(expected), "{text}");
            assert!(text.contains(&*value.to_string_lossy()), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_no_library_says_so() {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("libnvrtc.so.13"), "not a library").unwrap();
        let over = |value: PathBuf| Places { over: Some(value.into()), ..nothing() };
        let text = find(&over(folder.path().join("libnvrtc.so.13"))).unwrap_err().to_string();
        assert!(text.contains("has no libnvrtc-builtins.so.* beside it"), "{text}");

        std::fs::write(folder.path().join("libnvrtc-builtins.so.13.0"), "not a library").unwrap();
        let text = find(&over(folder.path().to_owned())).unwrap_err().to_string();
        assert!(text.contains("cannot be loaded"), "{text}");
    }

    #[test]
    fn a_broken_toolkit_is_passed_over_and_named() {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("lib64")).unwrap();
        std::fs::write(folder.path().join("lib64/libnvrtc.so.12"), "").unwrap();
        let places = Places { toolkits: vec![("CUDA_HOME".into(), folder.path().into())], ..nothing() };
        let NvrtcError::Missing { passed_over } = find(&places).unwrap_err() else { panic!("not missing") };
        assert_eq!(passed_over.len(), 1);
        assert!(passed_over[0].path.ends_with("lib64/libnvrtc.so.12"));
    }

    #[test]
    fn versions_are_numbers_and_other_files_are_left_alone() {
        let folder = TempDir::new().unwrap();
        let names = ["libnvrtc.so", "libnvrtc.so.9", "libnvrtc.so.13", "libnvrtc.so.13.alt", "libnvrtc.alt.so.14"];
        for name in names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert!(newest_in(folder.path(), LIBRARY).unwrap().ends_with("libnvrtc.so.13"));
        std::fs::remove_file(folder.path().join("libnvrtc.so.13")).unwrap();
        assert!(newest_in(folder.path(), LIBRARY).unwrap().ends_with("libnvrtc.so.9"));
        std::fs::remove_file(folder.path().join("libnvrtc.so.9")).unwrap();
        assert!(newest_in(folder.path(), LIBRARY).unwrap().ends_with("libnvrtc.so"));
        assert_eq!(newest_in(folder.path(), BUILTINS), None);
    }
}
