//! Whoever edits a kernel of the workbook is told which line counts something else than it did.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kernels::testing::not_run;

/// Runs `warpbook compare` on a copy of `copy.cu` in which `before` is `after`.
fn compare(before: &str, after: &str) -> (Output, u32) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = fs::read_to_string(root.join("kernels/cu/copy.cu")).unwrap();
    let line = 1 + source.lines().position(|line| line.contains(before)).expect("the line is there") as u32;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("copy.cu");
    fs::write(&file, source.replacen(before, after, 1)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpbook"));
    command.args(["compare", "--no-gpu", "--source"]).arg(&file).arg("transpose_padded");
    (command.current_dir(folder.path()).output().unwrap(), line)
}

fn can_compile() -> bool {
    let can = kernels::regenerate::can_make();
    if let Err(why) = &can {
        not_run("what a changed line of a source costs", why);
    }
    can.is_ok()
}

#[test]
fn a_changed_padding_constant_fails_with_its_line_and_with_the_line_that_pays() {
    if !can_compile() {
        return;
    }
    let (output, line) = compare("transpose<1>", "transpose<0>");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(&format!("changed: copy.cu:{line}: transpose<0>(out, in, width, height);")), "{text}");
    // The load of a column: every lane of a warp in one bank.
    let pays = text.lines().find(|line| line.contains("shared load wavefronts")).unwrap_or_default();
    assert!(pays.trim_start().starts_with("copy.cu:") && pays.contains(" → ") && pays.contains("transpose_padded"));
    assert!(text.contains("not the code that was recorded: copy.cu"), "{text}");
}

#[test]
fn a_changed_comment_changes_nothing() {
    if !can_compile() {
        return;
    }
    let (output, _) = compare("// ANCHOR: transpose_padded", "// ANCHOR: transpose_padded\n// A remark.");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(!text.contains("not the code that was recorded"), "{text}");
}

#[test]
fn what_does_not_compile_is_told_with_its_place() {
    if !can_compile() {
        return;
    }
    let (output, line) = compare("transpose<1>", "transpose<one>");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains(&format!("copy.cu({line})")) || text.contains(&format!("copy.cu:{line}")), "{text}");
}
