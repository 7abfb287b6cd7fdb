// What an engine is made of, as a number: the build scripts of the engine and of the book compute it alike, so that a book knows
// whether a module was made from the sources that it was built from itself.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

/// The sources, from the root of the repository. Folders count with all that is in them.
pub(crate) const SOURCES: [&str; 7] = [
    "sim/src",
    "sim/targets",
    "sim/wasm/src",
    "sim/wasm/interface/src",
    "sim/wasm/played/src",
    "kernels/data/src",
    "kernels/expression/src",
];

/// The number of the sources below `root`, and of `more` sources of what holds an engine.
pub(crate) fn engine(root: &Path, more: &[&str]) -> String {
    let mut files = Vec::new();
    SOURCES.iter().chain(more).for_each(|source| collect(&root.join(source), &mut files));
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        let bytes = std::fs::read(&file).unwrap_or_else(|why| panic!("cannot read {}: {why}", file.display()));
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        hasher.write(name.as_bytes());
        hasher.write_usize(bytes.len());
        hasher.write(&bytes);
    }
    format!("{:016x}", hasher.finish())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap_or_else(|why| panic!("cannot read {}: {why}", path.display()));
        entries.for_each(|entry| collect(&entry.expect("a readable folder").path(), files));
    } else {
        files.push(path.to_owned());
    }
}
