//! The grader, as an instructor calls it.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Grades a folder of submissions of `block_sum`: the exit code and the report.
pub(crate) fn grade(folder: &Path, out: &Path) -> (i32, Value) {
    let run = Command::new(env!("CARGO_BIN_EXE_warpbook"))
        .args(["--json", "grade", "--each", "--only", "block_sum", "--exercises"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("exercises"))
        .arg("--out")
        .arg(out)
        .arg(folder)
        .env("WARPBOOK_SECRET", "a test's secret")
        .output()
        .unwrap();
    let report = serde_json::from_slice(&run.stdout).unwrap_or_else(|why| {
        panic!("{why}\n{}\n{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr))
    });
    (run.status.code().unwrap(), report)
}
