//! Our own device headers for clang (`kernels/clang`): part of the program, written into warpbook's cache when clang is
//! first used.

use std::io;
use std::path::{Path, PathBuf};

use include_dir::{Dir, DirEntry, include_dir};
use sha2::{Digest, Sha256};

use crate::nvrtc;

static HEADERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../clang");

/// The header that is included before every source.
pub const FIRST: &str = "cuda_runtime.h";

/// Every header: its name as it is included, and its text.
#[must_use]
pub fn all() -> Vec<(String, &'static str)> {
    let mut all = Vec::new();
    collect(&HEADERS, &mut all);
    all.sort();
    all
}

fn collect(folder: &'static Dir<'_>, all: &mut Vec<(String, &'static str)>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(folder) => collect(folder, all),
            DirEntry::File(file) => {
                let parts: Vec<_> = file.path().iter().map(|part| part.to_string_lossy()).collect();
                all.push((parts.join("/"), file.contents_utf8().unwrap_or_default()));
            }
        }
    }
}

/// A name for this state of the headers: what is compiled with others is something else.
#[must_use]
pub fn digest() -> String {
    let mut hash = Sha256::new();
    for (name, text) in all() {
        for part in [name.as_str(), text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

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
