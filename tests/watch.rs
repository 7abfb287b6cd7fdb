//! `warpbook watch` in a terminal: a pseudo terminal, keys as somebody presses them, files as an editor saves them.

#![cfg(target_os = "linux")]

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use course::copy;
use kernels::testing::{compiler_for, not_run};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

#[path = "shared/course.rs"]
mod course;

/// How long an answer may take: a debug build compiles and grades meanwhile, perhaps on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// The program in a terminal of its own.
struct Terminal {
    child: Child,
    keyboard: File,
    /// The other end, which stays open so that what was written last can still be read.
    screen: File,
    shown: Arc<Mutex<String>>,
    /// How much of what was shown has been looked at.
    seen: usize,
}

impl Terminal {
    fn start(course: &Path, options: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let screen = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_warpbook"))
            .arg("watch")
            .args(options)
            .current_dir(course)
            .stdin(screen.try_clone().unwrap())
            .stdout(screen.try_clone().unwrap())
            .stderr(screen.try_clone().unwrap())
            .spawn()
            .unwrap();
        let keyboard = File::from(master);
        let (mut reader, shown) = (keyboard.try_clone().unwrap(), Arc::new(Mutex::new(String::new())));
        let writer = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                writer.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Self { child, keyboard, screen, shown, seen: 0 }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until `text` is shown, behind what was looked at, and gives what came up to there.
    fn wait_for(&mut self, text: &str) -> String {
        let begin = Instant::now();
        loop {
            {
                let shown = self.shown.lock().unwrap();
                if let Some(at) = shown[self.seen..].find(text) {
                    let end = self.seen + at + text.len();
                    let part = shown[self.seen..end].to_owned();
                    self.seen = end;
                    return part;
                }
                assert!(begin.elapsed() < PATIENCE, "`{text}` does not come:\n{}", &shown[self.seen..]);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the program has ended.
    fn end(&mut self) -> ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end:\n{}", self.shown.lock().unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether the terminal is as programs expect it: lines are edited and shown.
    fn is_cooked(&self) -> bool {
        tcgetattr(&self.screen).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const PROMPT: &str = "q:quit ? ";

#[test]
fn a_learner_works_in_a_terminal() {
    if !compiler_for("watch in a terminal") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let course = copy(folder.path());
    let mut watch = Terminal::start(&course, &[]);

    // The first run begins with the first exercise, and says where its file is.
    let text = watch.wait_for(PROMPT);
    assert!(text.contains("please wait") && text.contains("not yet") && text.contains("save it to check it"), "{text}");
    assert!(text.contains("[----") && !text.contains("r:run"), "{text}");

    // The list: a word searches, a filter filters, a name goes there.
    watch.press("l");
    assert!(watch.wait_for("Enter goes back: ").contains("here  "), "the current exercise is marked");
    watch.press("/sum\n");
    let text = watch.wait_for("Enter goes back: ");
    assert!(text.contains("block_sum") && !text.contains("coalesced_copy"), "{text}");
    watch.press("/done\n");
    assert!(watch.wait_for("Enter goes back: ").contains("no exercise is like that"));
    watch.press("/all\n");
    assert!(watch.wait_for("Enter goes back: ").contains("coalesced_copy"));
    watch.press("nonsense\n");
    assert!(watch.wait_for("Enter goes back: ").contains("nonsense"));
    watch.press("block_sum\n");
    let text = watch.wait_for(PROMPT);
    assert!(text.contains("block_sum: not yet"), "{text}");

    // A hint, and the next one.
    watch.press("h");
    let first = watch.wait_for(PROMPT);
    assert!(first.contains("Press h for the next hint"), "{first}");
    watch.press("h");
    assert_ne!(first, watch.wait_for(PROMPT));
    // The key of a GPU only says how to get one.
    watch.press("g");
    assert!(watch.wait_for(PROMPT).contains("warpbook watch --gpu"));

    // Saving checks again, whether an editor writes the file or puts another in its place.
    let file = course.join("00_machine/block_sum.cu");
    let starter = fs::read_to_string(&file).unwrap();
    let solution = fs::read_to_string(course.join("solutions/00_machine/block_sum.cu")).unwrap();
    fs::write(&file, &solution).unwrap();
    let text = watch.wait_for(PROMPT);
    assert!(text.contains("block_sum: all public checks passed") && text.contains("n:next"), "{text}");
    let beside = course.join("00_machine/.block_sum.cu.swp");
    fs::write(&beside, solution.replacen("__syncthreads();", "", 2)).unwrap();
    fs::rename(&beside, &file).unwrap();
    let text = watch.wait_for(PROMPT);
    assert!(text.contains("block_sum: not yet") && !text.contains("n:next"), "{text}");

    // The starter comes back, and what was there is kept.
    watch.press("x");
    watch.wait_for("Type y to do it: ");
    watch.press("\n");
    assert!(watch.wait_for(PROMPT).contains("nothing was changed"));
    watch.press("x");
    watch.wait_for("Type y to do it: ");
    watch.press("y\n");
    let text = watch.wait_for(PROMPT);
    assert!(text.contains("kept: ") && text.contains("block_sum: not yet"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), starter);
    assert!(course.join(".warpbook-backups/block_sum.cu.1").is_file());
    assert!(!text.contains("g:gpu"), "{text}");

    // That the file has changed so is no news, and neither is a file of the same name elsewhere.
    fs::write(course.join("solutions/00_machine/block_sum.cu"), &solution).unwrap();
    std::thread::sleep(Duration::from_millis(800));
    let rest = watch.shown.lock().unwrap()[watch.seen..].to_owned();
    assert!(!rest.contains("Checking"), "{rest}");

    watch.press("q");
    assert_eq!(watch.end().code(), Some(0));
    assert!(watch.is_cooked(), "the terminal is left as it was");
}

#[test]
fn files_are_only_checked_on_demand_with_manual() {
    if !compiler_for("watch --manual in a terminal") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let course = copy(folder.path());
    let mut watch = Terminal::start(&course, &["--manual", "block_sum"]);
    let text = watch.wait_for(PROMPT);
    assert!(text.contains("block_sum: not yet") && text.contains("r:run") && !text.contains("save it"), "{text}");
    let solution = fs::read_to_string(course.join("solutions/00_machine/block_sum.cu")).unwrap();
    fs::write(course.join("00_machine/block_sum.cu"), solution).unwrap();
    std::thread::sleep(Duration::from_millis(600));
    assert!(!watch.shown.lock().unwrap()[watch.seen..].contains("Checking"), "nobody asked for a check");
    watch.press("r");
    assert!(watch.wait_for(PROMPT).contains("block_sum: all public checks passed"));
    // Ctrl-C ends it as q does, with the terminal as it was.
    watch.press("\x03");
    assert_eq!(watch.end().code(), Some(0));
    assert!(watch.is_cooked());
}

#[test]
fn without_a_gpu_watch_does_not_begin() {
    if kernels::gpu::driver_is_here() {
        return not_run("watch --gpu without a GPU", "this machine has a driver");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut watch = Terminal::start(&copy(folder.path()), &["--gpu"]);
    let text = watch.wait_for("what to do: ");
    assert!(text.contains("nothing can be run on a GPU here") && !text.contains("Checking"), "{text}");
    assert_eq!(watch.end().code(), Some(3));
}
