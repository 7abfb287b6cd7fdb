//! Lists the records in `truth/` and the machine code in `cubins/`, so that a new one is compiled in without naming it
//! anywhere.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=truth");
    println!("cargo::rerun-if-changed=cubins");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let folder = here.join("truth");
    // How long kernels take by the model, beside what was measured, is read where it is compared.
    let files: Vec<PathBuf> =
        files_of(&folder, "json").into_iter().filter(|file| !name(file).starts_with("time.")).collect();
    // What a bench measured has another form than what was recorded of cases.
    let (bench, truth): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|file| name(file).starts_with("bench."));
    list("truth.rs", "include_str", &truth);
    list("bench.rs", "include_str", &bench);
    list("lines.rs", "include_str", &files_of(&folder.join("lines"), "json"));
    list("machine.rs", "include_bytes", &files_of(&folder.join("machine"), "gz"));
    list("cubins.rs", "include_bytes", &files_of(&here.join("cubins"), "gz"));
}

/// The files in a folder whose names end so, by name.
fn files_of(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("cannot read {}: {why}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == ending));
    files.sort();
    files
}

fn name(file: &Path) -> String {
    file.file_name().expect("a file").to_string_lossy().into_owned()
}

/// Writes names and contents of `files` as a constant.
fn list(source: &str, include: &str, files: &[PathBuf]) {
    let entry = |file: &PathBuf| format!("    ({:?}, {include}!({:?})),\n", name(file), file.to_string_lossy());
    let list: String = files.iter().map(entry).collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(source);
    fs::write(&out, format!("&[\n{list}]\n")).unwrap_or_else(|why| panic!("cannot write {}: {why}", out.display()));
}
