//! Compiled sources, kept in warpbook's cache (`compiled/`) so that a command need not compile again what did not change.
//!
//! The key holds everything that the PTX depends on: the source's name and text, the files of its own that it includes, all
//! options, and which compilers are here in which versions. Headers of CUDA belong to the compiler's version; those of the
//! system are taken as they were. The folder is kept below [`MOST_BYTES`]: what was not used for longest goes.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{CompileError, Compiled, Options, Source, compile_source, host};
use crate::{clang, nvcc, nvrtc};

/// What the folder holds at most, in bytes.
pub const MOST_BYTES: u64 = 256 << 20;

/// Changes whenever the same source is compiled in another way by this program.
const VERSION: u32 = 4;

/// As [`compile_source`], from the cache if it is there.
///
/// # Errors
/// As [`compile_source`]. A cache that cannot be read or written is none.
pub fn compile(source: &Source<'_>, options: &Options) -> Result<Compiled, CompileError> {
    let folder = nvrtc::cache_folder().map(|cache| cache.join("compiled"));
    let Some(folder) = folder.filter(|_| options.kept && cacheable(source)) else {
        return compile_source(source, options);
    };
    compile_in(&folder, source, options)
}

fn compile_in(folder: &Path, source: &Source<'_>, options: &Options) -> Result<Compiled, CompileError> {
    let first = key(source, options);
    // Where headers were found in the source's project, they count, too.
    let beside = folder.join(format!("{first}.folders.json"));
    let within = |includes: &[PathBuf]| {
        let options = Options { includes: [&options.includes, includes].concat(), ..options.clone() };
        folder.join(format!("{}.json", key(source, &options)))
    };
    let known = fs::read(&beside).ok().and_then(|bytes| serde_json::from_slice::<Vec<PathBuf>>(&bytes).ok());
    let file = known.map_or_else(|| folder.join(format!("{first}.json")), |includes| within(&includes));
    if let Some(compiled) = fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()) {
        // Its time tells when it was used.
        let _ = fs::File::options()
            .append(true)
            .open(&file)
            .and_then(|file| file.set_modified(std::time::SystemTime::now()));
        return Ok(compiled);
    }
    let compiled = compile_source(source, options)?;
    if compiled.includes.is_empty() {
        keep(folder, &folder.join(format!("{first}.json")), &compiled);
    } else {
        keep(folder, &beside, &compiled.includes);
        keep(folder, &within(&compiled.includes), &compiled);
    }
    Ok(compiled)
}

/// Whether it can be told what a source depends on: an include whose name is a macro could be anything.
fn cacheable(source: &Source<'_>) -> bool {
    let named = |line: &str| {
        let rest = line.trim_start().strip_prefix('#').and_then(|rest| rest.trim_start().strip_prefix("include"));
        rest.is_none_or(|rest| rest.trim_start().starts_with(['<', '"']))
    };
    source.text.lines().all(named)
}

fn key(source: &Source<'_>, options: &Options) -> String {
    let mut hash = Sha256::new();
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    add(&format!("{VERSION} {}", env!("CARGO_PKG_VERSION")));
    add(&format!("{options:?}"));
    add(&std::env::current_dir().unwrap_or_default().to_string_lossy());
    add(source.name);
    add(source.text);
    for (path, text) in host::own_files(source.name, source.text, &options.includes) {
        add(&path.to_string_lossy());
        add(&text);
    }
    let nvrtc = nvrtc::get().ok().map(|nvrtc| format!("{} {:?}", nvrtc.path().display(), nvrtc.version()));
    let nvcc = nvcc::get().ok().map(|nvcc| format!("{} {}", nvcc.program.display(), nvcc.version));
    let clang = clang::get().ok().map(|clang| format!("{} {}", clang.program.display(), clang.version));
    add(&format!("{nvrtc:?} {nvcc:?} {clang:?} {:?}", std::env::var_os("NVCC_CCBIN")));
    add(&clang::headers::digest());
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file whole or not at all, and removes the oldest ones beyond the limit.
fn keep(folder: &Path, file: &Path, content: &impl serde::Serialize) {
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&mut temporary, content)?;
        temporary.persist(file)?;
        trim(folder, MOST_BYTES)
    };
    // Without a cache, everything works and takes longer.
    let _ = write();
}

fn trim(folder: &Path, most: u64) -> std::io::Result<()> {
    let mut files: Vec<(std::time::SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        files.push((about.modified()?, about.len(), entry.path()));
    }
    let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    files.sort();
    for (_, bytes, path) in files {
        if total <= most {
            break;
        }
        fs::remove_file(path)?;
        total -= bytes;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_follows_text_options_and_included_files() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("k.cu").to_string_lossy().into_owned();
        fs::write(folder.path().join("own.h"), "int a;").unwrap();
        let of = |text: &str, options: &Options| key(&Source { name: &name, text }, options);
        let (plain, text) = (Options::default(), "#include \"own.h\"\n");
        let first = of(text, &plain);
        assert_eq!(first, of(text, &plain));
        assert_ne!(first, of("#include \"own.h\"", &plain));
        assert_ne!(first, of(text, &Options { debug: true, ..plain.clone() }));
        fs::write(folder.path().join("own.h"), "int b;").unwrap();
        assert_ne!(first, of(text, &plain));
        assert!(!cacheable(&Source { name: "k.cu", text: "# include HEADER\n" }));
        assert!(cacheable(&Source { name: "k.cu", text: "# include <a>\nint includes;" }));
    }

    #[test]
    fn the_oldest_files_go_first() {
        let folder = tempfile::tempdir().unwrap();
        for (name, age) in [("a", 30), ("b", 20), ("c", 10)] {
            let path = folder.path().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            fs::File::options().append(true).open(path).unwrap().set_modified(then).unwrap();
        }
        trim(folder.path(), 250).unwrap();
        let left = |name: &str| folder.path().join(name).exists();
        assert!(!left("a") && left("b") && left("c"));
    }
}
