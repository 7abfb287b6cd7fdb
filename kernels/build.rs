//! Lists the records in `truth/`, so that a new one is compiled in without naming it anywhere.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=truth");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("truth");
    let entries = fs::read_dir(&folder).unwrap_or_else(|why| panic!("cannot read {}: {why}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let list: String = files
        .iter()
        .map(|file| {
            let name = file.file_name().expect("a file").to_string_lossy();
            format!("    ({name:?}, include_str!({:?})),\n", file.to_string_lossy())
        })
        .collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("truth.rs");
    fs::write(&out, format!("&[\n{list}]\n")).unwrap_or_else(|why| panic!("cannot write {}: {why}", out.display()));
}
