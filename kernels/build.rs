//! Lists the records in `truth/`, so that a new one is compiled in without naming it anywhere.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=truth");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("truth");
    // How long kernels take by the model, beside what was measured, is read where it is compared.
    let files: Vec<PathBuf> = json_files(&folder).into_iter().filter(|file| !name(file).starts_with("time.")).collect();
    // What a bench measured has another form than what was recorded of cases.
    let (bench, truth): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|file| name(file).starts_with("bench."));
    list("truth.rs", &truth);
    list("bench.rs", &bench);
    list("lines.rs", &json_files(&folder.join("lines")));
}

/// The records in a folder, by name.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("cannot read {}: {why}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

fn name(file: &Path) -> String {
    file.file_name().expect("a file").to_string_lossy().into_owned()
}

/// Writes names and texts of `files` as a constant.
fn list(source: &str, files: &[PathBuf]) {
    let entry = |file: &PathBuf| format!("    ({:?}, include_str!({:?})),\n", name(file), file.to_string_lossy());
    let list: String = files.iter().map(entry).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(source);
    fs::write(&out, format!("&[\n{list}]\n")).unwrap_or_else(|why| panic!("cannot write {}: {why}", out.display()));
}
