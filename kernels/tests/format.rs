//! CUDA sources are as wide as the book shows them, and formatted by the committed style.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kernels::testing::not_run;

/// The columns of a source line: `ColumnLimit` of `.clang-format`.
const WIDTH: usize = 88;

/// The version of clang-format whose output is committed; others break lines at other places.
const VERSION: &str = "19.1.7";

/// Where sources are that a reader sees: the workbook's, the exercises', the book's own and the examples.
const FOLDERS: [&str; 4] = ["kernels", "exercises", "book/listings", "examples"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Every `.cu` file below a folder, sorted.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        // What is built or kept for a learner is in folders whose names begin with a dot, or in `target`.
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "cu") {
            into.push(path);
        }
    }
}

fn all() -> Vec<PathBuf> {
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| sources(&root().join(folder), &mut files));
    assert!(files.len() > 300, "there are only {} sources: a folder has moved", files.len());
    files
}

/// The lines that are wider than [`WIDTH`], from 1, with their columns.
fn wide(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let columns = text.lines().map(|line| line.chars().count()).enumerate();
    columns.filter(|(_, columns)| *columns > WIDTH).map(|(at, columns)| (at + 1, columns))
}

#[test]
fn no_line_of_a_source_is_wider_than_the_page() {
    let mut told = Vec::new();
    for file in all() {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        told.extend(wide(&text).map(|(line, columns)| format!("{name}:{line} has {columns} columns")));
    }
    assert!(told.is_empty(), "at most {WIDTH} columns are shown:\n{}", told.join("\n"));
    // The check can fail.
    assert_eq!(wide(&format!("x\n{}\n{}", "y".repeat(WIDTH), "z".repeat(WIDTH + 1))).collect::<Vec<_>>(), [(3, 89)]);
}

#[test]
fn sources_are_formatted_by_the_committed_style() {
    let what = "the format of CUDA sources";
    let program = ["target/clang-format/bin/clang-format"].map(|path| root().join(path));
    let program = program.into_iter().find(|path| path.is_file()).unwrap_or_else(|| "clang-format".into());
    let version = Command::new(&program)
        .arg("--version")
        .output()
        .ok()
        .map(|said| String::from_utf8_lossy(&said.stdout).into_owned());
    match version {
        Some(version) if version.contains(&format!("version {VERSION}")) => {}
        Some(version) => return not_run(what, &format!("clang-format is not {VERSION}: {}", version.trim())),
        None => return not_run(what, &format!("there is no clang-format {VERSION} (README, Test)")),
    }
    // The learners' files are generated of the solutions, which are formatted.
    let exercises = root().join("exercises");
    let is_generated = |file: &Path| {
        let below = file.strip_prefix(&exercises).ok().and_then(|path| path.components().next());
        below.is_some_and(|first| first.as_os_str().to_string_lossy().starts_with(|c: char| c.is_ascii_digit()))
    };
    let files: Vec<PathBuf> = all().into_iter().filter(|file| !is_generated(file)).collect();
    let said = Command::new(&program).current_dir(root()).args(["--dry-run", "-Werror"]).args(&files).output().unwrap();
    let told = String::from_utf8_lossy(&said.stderr).replace(&format!("{}/", root().display()), "");
    assert!(said.status.success(), "run clang-format -i on these files:\n{told}");
    // The check can fail.
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.cu");
    fs::write(&bad, "void  f( ){int a ;}\n").unwrap();
    let style = format!("--style=file:{}", root().join(".clang-format").display());
    let said = Command::new(&program).args(["--dry-run", "-Werror", &style]).arg(&bad).output().unwrap();
    assert!(!said.status.success());
}
