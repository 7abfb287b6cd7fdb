//! `warpbook debug` in a terminal: keys step, quitting restores the terminal; and without one it says what to do.

#![cfg(target_os = "linux")]

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// A program in a terminal.
struct Terminal {
    master: File,
    screen: File,
    shown: String,
    parts: Receiver<Vec<u8>>,
    child: Child,
}

/// How long a screen may take: the program is not optimised, and the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

impl Terminal {
    fn new(words: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let screen = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpbook"));
        command.args(words).current_dir(env!("CARGO_MANIFEST_DIR")).env("NO_COLOR", "1").env("TERM", "xterm-256color");
        let own = || Stdio::from(screen.try_clone().unwrap());
        let child = command.stdin(own()).stdout(own()).stderr(own()).spawn().unwrap();
        let master = File::from(master);
        let (to, parts) = channel();
        let mut reader = master.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut part = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut part) {
                if to.send(part[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { master, screen, shown: String::new(), parts, child }
    }

    /// Waits until a word was shown since the last key. It is one word, because blanks are not written but passed over, and
    /// one where nothing was before.
    #[track_caller]
    fn waits_for(&mut self, text: &str) {
        let began = Instant::now();
        while !self.shown.contains(text) {
            let left = PATIENCE.saturating_sub(began.elapsed());
            match self.parts.recv_timeout(left) {
                Ok(part) => self.shown += &String::from_utf8_lossy(&part),
                Err(_) => panic!("`{text}` is not shown: {:?}", self.shown),
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.shown.clear();
        self.master.write_all(keys.as_bytes()).unwrap();
    }

    /// Whether lines are edited and echoed, as a shell wants it.
    fn is_plain(&self) -> bool {
        tcgetattr(&self.screen).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    /// Waits for the program's end, behind which the terminal is as it was.
    fn ends(mut self) {
        self.waits_for("\u{1b}[?1049l");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        assert!(self.is_plain());
    }
}

#[test]
fn keys_step_and_quitting_restores_the_terminal() {
    let mut terminal = Terminal::new(&["debug", "tests/cmd/twice.toml"]);
    terminal.waits_for("\u{1b}[?1049h");
    terminal.waits_for("beginning:");
    assert!(!terminal.is_plain());
    terminal.press(">");
    terminal.waits_for("Barrier");
    terminal.press("q");
    terminal.ends();
}

#[test]
fn control_c_quits_as_well() {
    let mut terminal = Terminal::new(&["debug", "tests/cmd/twice.toml"]);
    terminal.waits_for("beginning:");
    terminal.press("\u{3}");
    terminal.ends();
}
