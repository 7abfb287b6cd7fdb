//! The device headers as files: written into warpbook's cache when clang is first used.

use std::io;
use std::path::{Path, PathBuf};

pub use front::headers::{FIRST, all, digest};

use crate::nvrtc;

/// The folder that holds the headers, in warpbook's cache. They are written if they are not there.
///
/// # Errors
/// What the operating system says, where the cache cannot be written; [`io::ErrorKind::NotFound`] where there is none.
pub fn folder() -> io::Result<PathBuf> {
    let cache = nvrtc::cache_folder().ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, "no folder for the cache: set WARPBOOK_CACHE, XDG_CACHE_HOME or HOME")
    })?;
    folder_in(&cache)
}

fn folder_in(cache: &Path) -> io::Result<PathBuf> {
    let folder = cache.join(format!("clang-headers-{}", digest()));
    if folder.join(FIRST).is_file() {
        return Ok(folder);
    }
    std::fs::create_dir_all(cache)?;
    // As a whole or not at all: another process may be reading.
    let temporary = tempfile::Builder::new().prefix(".clang-headers-").tempdir_in(cache)?;
    for (name, text) in all() {
        let to = temporary.path().join(&name);
        std::fs::create_dir_all(to.parent().unwrap_or(temporary.path()))?;
        std::fs::write(to, text)?;
    }
    match std::fs::rename(temporary.path(), &folder) {
        Err(error) if !folder.join(FIRST).is_file() => Err(error),
        _ => Ok(folder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_written_once_and_whole() {
        let cache = tempfile::tempdir().unwrap();
        let folder = folder_in(cache.path()).unwrap();
        for (name, text) in all() {
            assert_eq!(std::fs::read_to_string(folder.join(&name)).unwrap(), text, "{name}");
        }
        assert_eq!(folder_in(cache.path()).unwrap(), folder);
        for name in [FIRST, "cooperative_groups.h", "cuda_fp16.h", "cuda/atomic", "cstdint", "warpbook/language.h"] {
            assert!(folder.join(name).is_file(), "{name}");
        }
    }
}
