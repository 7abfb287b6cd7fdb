//! Computes what the results of runs depend on: the texts of the simulator, the kernels, the records and what asks for runs
//! here. Results that are kept between builds of the book are kept under it ([`cache`](src/cache.rs)).

#[path = "../sim/wasm/inputs.rs"]
mod engine;
#[path = "../exercises/wasm/inputs.rs"]
mod grader;
#[path = "draw/rounds/inputs.rs"]
mod rounds;

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// What results depend on, from this folder. Folders count with all that is in them.
const INPUTS: [&str; 18] = [
    "../sim/src",
    "../sim/targets",
    "../kernels/cuda/front/src",
    "../kernels/cuda/src",
    "../kernels/data/src",
    "../kernels/src",
    "../kernels/cu",
    "../kernels/expression/src",
    "../kernels/launch/src",
    "../kernels/ptx",
    "../kernels/truth",
    "../Cargo.lock",
    "listings",
    "draw/src/access.rs",
    "src/access.rs",
    "src/listings.rs",
    "src/real",
    "src/wrong.rs",
];

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut files = Vec::new();
    for input in INPUTS {
        let path = here.join(input);
        if path.exists() {
            println!("cargo::rerun-if-changed={input}");
            collect(&path, &mut files);
        }
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        let bytes = fs::read(&file).unwrap_or_else(|why| panic!("cannot read {}: {why}", file.display()));
        hasher.write(file.strip_prefix(&here).unwrap_or(&file).to_string_lossy().as_bytes());
        hasher.write_usize(bytes.len());
        hasher.write(&bytes);
    }
    println!("cargo::rustc-env=WARPBOOK_INPUTS={:016x}", hasher.finish());
    // The modules in the pages must count and judge as this program does.
    for source in engine::SOURCES.iter().chain(&grader::GRADER).chain(&rounds::ROUNDS) {
        println!("cargo::rerun-if-changed=../{source}");
    }
    println!("cargo::rustc-env=WARPBOOK_ENGINE={}", engine::engine(&here.join(".."), &[]));
    println!("cargo::rustc-env=WARPBOOK_GRADER={}", engine::engine(&here.join(".."), &grader::GRADER));
    println!("cargo::rustc-env=WARPBOOK_ROUNDS={}", engine::engine(&here.join(".."), &rounds::ROUNDS));
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap_or_else(|why| panic!("cannot read {}: {why}", path.display()));
        entries.for_each(|entry| collect(&entry.expect("a readable folder").path(), files));
    } else {
        files.push(path.to_owned());
    }
}
