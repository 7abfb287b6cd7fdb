//! Our own device headers for clang (`kernels/clang`), which are part of the program.

use include_dir::{Dir, DirEntry, include_dir};
use sha2::{Digest, Sha256};

static HEADERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../clang");

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
    crate::hex(&hash.finalize())
}
