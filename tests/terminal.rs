//! What commands print in terminals of 80, 100 and 160 columns: tables with whole borders, sentences wrapped at words,
//! colours only where they are wanted; and plainly where no terminal reads.

#![cfg(target_os = "linux")]

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;
use std::process::Command;

use kernels::testing::{compiler_for, not_run};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use textwrap::core::display_width;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpbook"));
    command.args(words).current_dir(ROOT).env("NO_COLOR", "1").env("TERM", "xterm-256color");
    // What else decides about colours: a machine that tests (`CI`) may have any of these.
    for name in ["CLICOLOR_FORCE", "CLICOLOR", "CI", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

/// What a command prints in a terminal with so many columns.
fn in_terminal(columns: u16, command: &mut Command) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    tcsetwinsize(&master, Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let screen = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let (out, err) = (screen.try_clone().unwrap(), screen.try_clone().unwrap());
    let mut child = command.stdin(screen).stdout(out).stderr(err).spawn().unwrap();
    // The command's own copies of the screen are closed here, so that reading ends with the child.
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut master = File::from(master);
    let mut bytes = Vec::new();
    let mut part = [0; 65536];
    // Linux ends the reading of a terminal that nobody holds any more with an error.
    while let Ok(count @ 1..) = master.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
    }
    child.wait().unwrap();
    // A bar that shows progress is written over; what stays on the screen is what comes behind the last return.
    let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n").replace("\u{1b}[2K", "");
    let stays = |line: &str| line.rsplit('\r').next().unwrap_or_default().to_owned();
    text.split('\n').map(stays).collect::<Vec<_>>().join("\n")
}

/// What is wrong with a text that was laid out for so many columns.
fn misfit(text: &str, columns: usize) -> Option<String> {
    let is_frame = |line: &str| line.starts_with(['│', '┌', '├', '└']);
    let mut framed = 0;
    for line in text.lines() {
        let width = display_width(line);
        if is_frame(line) {
            if width > columns || (framed > 0 && width != framed) || !line.ends_with(['│', '┐', '┤', '┘']) {
                return Some(format!("a table of {width} columns: {line}"));
            }
            framed = width;
            continue;
        }
        framed = 0;
        let words = line.trim_start();
        // What is to be typed or copied stays on its line.
        let typed = ["$ ", "warpbook ", "cargo "].iter().any(|start| words.starts_with(start));
        let gutter = words.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with('|');
        if width > columns && words.contains(' ') && !typed && !gutter {
            return Some(format!("a line of {width} columns: {line}"));
        }
    }
    None
}

fn fits(words: &[&str]) {
    for columns in [80, 100, 160] {
        let text = in_terminal(columns, &mut command(words));
        assert!(text.lines().count() > 1, "{words:?} prints too little:\n{text}");
        if let Some(why) = misfit(&text, columns.into()) {
            panic!("{words:?} in {columns} columns: {why}\n\n{text}");
        }
    }
}

#[test]
fn tables_and_sentences_fit_the_terminal() {
    for words in [
        &["compare", "tile 512, 1 block", "--no-gpu"][..],
        &["compare", "transpose_shared", "transpose_padded", "--counter", "shared load wavefronts", "--no-gpu"],
        &["compare", "transpose_padded, 32×32", "--lines", "--counter", "shared load", "--no-gpu"],
        &["compare", "by_key_vector_f32x4", "--worst", "3", "--no-gpu"],
        &["compare", "--problem", "copy", "--no-gpu"],
        &["bench", "copy", "--show"],
        &["targets"],
        &["targets", "h200"],
        &["claims", "--seed", "wilt"],
        &["exercise", "list"],
        &["exercise", "hint", "block_sum", "1"],
        &["doctor"],
        &["dev", "isa"],
        &["dev", "lowering", "--suite", "cases", "--only", "scan_naive,radix_local_match"],
        &["sim", "tests/cmd/first_come.toml"],
        &["sim", "tests/cmd/endless.ptx", "--list"],
    ] {
        fits(words);
    }
}

#[test]
fn so_do_those_that_compile() {
    if !compiler_for("tables of checks and grades") {
        return;
    }
    fits(&["exercise", "check", "block_sum", "--solution"]);
    fits(&["exercise", "check", "stride_costs", "--solution"]);
    fits(&["grade", "exercises/solutions/00_machine", "--only", "block_sum"]);
    match kernels::lowering::Tools::find() {
        Ok(_) => fits(&["lowering", "kernels/cu/scan.cu", "--all", "--kernel", "scan_naive"]),
        Err(why) => not_run("the table of lowering", &why.to_string()),
    }
}

#[test]
fn a_pipe_gets_plain_text_whatever_the_environment_says() {
    for name in ["targets", "doctor"] {
        let output = command(&[name]).env_remove("NO_COLOR").env("COLUMNS", "60").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains(['│', '┌', '\u{1b}']), "{text}");
        assert!(name != "targets" || text.lines().any(|line| line.len() > 80), "nothing is wrapped in a pipe:\n{text}");
    }
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let wanted = in_terminal(100, command(&["doctor"]).env_remove("NO_COLOR"));
    assert!(wanted.contains("\u{1b}[") && wanted.contains("\u{1b}[0m"), "{wanted:?}");
    assert!(!in_terminal(100, &mut command(&["doctor"])).contains('\u{1b}'), "NO_COLOR is there");
    let dumb = in_terminal(100, command(&["doctor"]).env_remove("NO_COLOR").env("TERM", "dumb"));
    assert!(!dumb.contains('\u{1b}'), "{dumb:?}");
    let log = in_terminal(100, command(&["doctor"]).env_remove("NO_COLOR").env("TERM", "dumb").env("CI", "true"));
    assert!(log.contains('\u{1b}'), "{log:?}");
}

#[test]
fn the_check_of_this_file_finds_what_does_not_fit() {
    assert!(misfit("┌───┐\n│ a │\n└───┘\n", 5).is_none());
    assert!(misfit("┌───┐\n│ a │\n└───┘\n", 4).is_some());
    assert!(misfit("┌───┐\n│ a\n└───┘\n", 9).is_some());
    assert!(misfit("six words in a long line", 10).is_some());
    assert!(Path::new(ROOT).join("exercises").is_dir());
}
