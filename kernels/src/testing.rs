//! What the project's tests share: running a case that must show what is expected of it, and saying that something was
//! not tested.

use std::io::Write;

use sim::Report;

use crate::case::Case;
use crate::clang::{self, ClangError};
use crate::nvrtc::{self, NvrtcError};
use crate::simulate::{self, Simulated};

/// The environment variable that names a file to which every `not run: …` line is appended.
pub const NOT_RUN_FILE: &str = "WARPBOOK_NOT_RUN";

/// Says that `what` was not tested here, and `why`: `not run: WHAT because WHY`.
///
/// A test that needs what this machine lacks calls this and returns. libtest hides what a passing test prints, so the
/// line also goes to the end of the file that `WARPBOOK_NOT_RUN` names, if it is set; whoever runs the tests prints
/// that file when they are done.
///
/// # Panics
/// If that file cannot be written: a line that nobody sees would make the test pass silently.
pub fn not_run(what: &str, why: &str) {
    let line = line(what, why);
    eprintln!("{line}");
    if let Some(path) = std::env::var_os(NOT_RUN_FILE).filter(|p| !p.is_empty()) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        // One write per line, so that tests that run at the same time do not mix theirs.
        let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
        written.unwrap_or_else(|e| panic!("cannot write to {} ({NOT_RUN_FILE}): {e}", path.display()));
    }
}

/// Whether NVRTC is here; if not, says that `what` was not tested.
///
/// # Panics
/// As [`not_run`], and if the user's own choice of a library cannot be opened.
pub fn compiler_for(what: &str) -> bool {
    match nvrtc::get() {
        Ok(_) => true,
        Err(error @ NvrtcError::Override { .. }) => panic!("{error}"),
        Err(_) => {
            not_run(what, &format!("there is no NVRTC on this machine ({})", nvrtc::HOW_TO_GET));
            false
        }
    }
}

/// Whether clang is here; if not, says that `what` was not tested.
///
/// # Panics
/// As [`not_run`], and if the user's own choice of a program is no clang that can be used.
pub fn clang_for(what: &str) -> bool {
    match clang::get() {
        Ok(_) => true,
        Err(error @ ClangError::Override { .. }) => panic!("{error}"),
        Err(error) => {
            not_run(what, &error.to_string());
            false
        }
    }
}

/// Runs a case on the simulator.
///
/// # Panics
/// If its result or its findings are not those that its verdict expects.
pub fn as_expected(case: &Case) -> Simulated {
    let prepared = case.prepare();
    let run = simulate::run(case, &prepared).unwrap_or_else(|error| panic!("{case}: {error}"));
    let check = prepared.check(&run.contents);
    assert!(case.verdict.allows(check.right), "{case}: {check:?}");
    let findings: Vec<_> = run.reports.iter().flat_map(Report::errors).collect();
    assert!(case.verdict.finds(findings.iter().map(|finding| finding.kind)), "{case}: {findings:?}");
    run
}

/// The line, with line breaks of an error text folded: one thing not run is one line.
fn line(what: &str, why: &str) -> String {
    let why: Vec<&str> = why.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    format!("not run: {what} because {}", why.join(" "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn one_line_whatever_the_reason() {
        let line = super::line("the GPU", "there is none\n  on this machine\n");
        assert_eq!(line, "not run: the GPU because there is none on this machine");
    }
}
