//! Downloading the package with the user's own pip.

use super::component::{Package, Wheel};
use super::error::what_else;
use super::{SetupError, io_error};
use indicatif::ProgressBar;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The ways to call pip, the surest first.
const PIPS: &[&[&str]] = &[&["python3", "-m", "pip"], &["python", "-m", "pip"], &["pip3"], &["pip"]];

/// How often the size of the download is looked at.
const POLL: Duration = Duration::from_millis(100);

/// Downloads the package into `folder`, which is its own, and returns its path. It is not yet verified.
pub(super) fn download(
    pip: &[OsString],
    package: &Package,
    wheel: &Wheel,
    folder: &Path,
    bar: &ProgressBar,
) -> Result<PathBuf, SetupError> {
    let wanted = format!("{}=={}", package.name, package.version);
    let shown = pip.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    bar.set_message(format!("downloading {wanted} from PyPI with {shown}"));
    bar.set_length(wheel.bytes);
    bar.set_position(0);

    // pip downloads into its temporary folder and then copies: in the cache's own disk, where room is needed anyway,
    // and where the growing file can be watched.
    let (growing, done) = (folder.join("growing"), folder.join("package"));
    std::fs::create_dir_all(&growing).map_err(io_error("creating a temporary folder in the cache", &growing))?;
    let log_path = folder.join("pip.log");
    let doing = "writing pip's messages to a temporary file";
    let log = File::create(&log_path).map_err(io_error(doing, &log_path))?;
    let log_too = log.try_clone().map_err(io_error(doing, &log_path))?;

    let mut command = Command::new(&pip[0]);
    command
        .args(&pip[1..])
        .args(["download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--progress-bar", "off"])
        .args(["--no-input", "--disable-pip-version-check", "--retries", "2", "--dest"])
        .arg(&done)
        .arg(&wanted)
        .env("TMPDIR", &growing)
        // Who forbids pip outside of virtual environments means installing; this only downloads a file.
        .env("PIP_REQUIRE_VIRTUALENV", "0")
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(log_too);
    let start = |e| io_error("starting pip", Path::new(&pip[0]))(e);
    let mut child = command.spawn().map_err(start)?;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(start)? {
            break status;
        }
        // Never backwards: pip moves the file away when it is complete.
        bar.set_position(bytes_below(&growing).clamp(bar.position(), wheel.bytes.max(bar.position())));
        std::thread::sleep(POLL);
    };
    bar.set_position(wheel.bytes);

    match only_wheel(&done) {
        Some(file) if status.success() => Ok(file),
        _ => Err(failure(&wanted, &shown, &std::fs::read_to_string(&log_path).unwrap_or_default(), folder)),
    }
}

/// The words that call pip. If there is a Python without pip, a virtual environment in `folder` may bring one.
pub(super) fn find(folder: &Path) -> Result<Vec<OsString>, SetupError> {
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    if let Some(pip) = PIPS.iter().find(|pip| answer(&words(pip)).is_some()) {
        return Ok(words(pip));
    }
    let environment = folder.join("venv");
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv"]).arg(&environment).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Starting fails where there is no python3 at all; the status tells whether it could make the environment.
    let made = venv.status();
    let pip = vec![environment.join("bin").join("python").into_os_string(), "-m".into(), "pip".into()];
    if answer(&pip).is_some() { Ok(pip) } else { Err(SetupError::NoPip { python: made.is_ok() }) }
}

/// What the first pip that works says of its version.
pub(super) fn version() -> Option<String> {
    PIPS.iter().find_map(|pip| answer(&pip.iter().map(OsString::from).collect::<Vec<_>>()))
}

/// What `pip --version` says, if it speaks as the pip of a Python 3 does.
fn answer(pip: &[OsString]) -> Option<String> {
    let output = Command::new(&pip[0]).args(&pip[1..]).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && text.starts_with("pip ") && text.contains("(python 3")).then_some(text)
}

/// The bytes of all files below `folder`, as far as they can be read: pip creates and removes them meanwhile.
fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => bytes_below(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}

/// The wheel in the folder that pip downloaded to.
fn only_wheel(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    entries.flatten().map(|e| e.path()).find(|path| path.extension() == Some(OsStr::new("whl")))
}

/// What pip's failure means, by its own words.
fn failure(wanted: &str, command: &str, log: &str, folder: &Path) -> SetupError {
    let says = |words: &[&str]| words.iter().any(|word| log.contains(word));
    if says(&["No space left on device", "Disk quota exceeded"]) {
        let path = folder.parent().unwrap_or(folder).to_owned();
        return SetupError::NoSpace { doing: "downloading", path };
    }
    let network = [
        "Failed to establish a new connection",
        "Temporary failure in name resolution",
        "Name or service not known",
        "Network is unreachable",
        "Connection refused",
        "Connection reset",
        "Cannot connect to proxy",
        "Read timed out",
        "ConnectTimeout",
        "SSLError",
        "SSL: ",
    ];
    // A connection that fails is looked for first: pip then says as well that it found no version.
    let (why, advice) = if says(&network) {
        (
            "the network, a proxy or a certificate does not let it through",
            format!(
                "Check the connection and run warpbook setup again; for a mirror or a proxy, see: {command} config list"
            ),
        )
    } else if says(&["No matching distribution found", "Could not find a version"]) {
        (
            "your pip finds no such package for this machine",
            format!(
                "The package needs glibc (no musl, as on Alpine), a 64-bit Python, and pip 19.3 or later.\n\
                 Look at the version: {command} --version\n{}",
                what_else()
            ),
        )
    } else {
        ("it failed", format!("Run it by hand: {command} download --no-deps --only-binary=:all: {wanted}"))
    };
    SetupError::Download {
        package: wanted.to_owned(),
        why,
        advice,
        command: command.to_owned(),
        output: last_lines(log),
    }
}

/// The last lines of pip's output, indented.
fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(5)..];
    if last.is_empty() { "  (nothing)".to_owned() } else { format!("  {}", last.join("\n  ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(log: &str) -> String {
        failure("nvidia-cuda-nvrtc==13.0.88", "python3 -m pip", log, Path::new("cache/.setup-1-a")).to_string()
    }

    #[test]
    fn failures_are_told_apart_by_pips_words() {
        let network = failed(
            "WARNING: Retrying: NewConnectionError: Failed to establish a new connection: [Errno 111]\n\
             ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88\n",
        );
        assert!(network.contains("the network") && network.contains("Errno 111"), "{network}");

        let absent = failed("ERROR: No matching distribution found for nvidia-cuda-nvrtc==13.0.88\n");
        assert!(absent.contains("no such package for this machine") && absent.contains("glibc"), "{absent}");

        let full = failed("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n");
        assert!(full.contains("no space left") && full.contains("cache needs about"), "{full}");

        let other = failed("");
        assert!(other.contains("Run it by hand") && other.contains("(nothing)"), "{other}");
    }

    #[test]
    fn only_the_last_lines_are_shown() {
        let log: String = (1..=9).map(|n| format!("line {n}\n\n")).collect();
        assert_eq!(last_lines(&log), "  line 5\n  line 6\n  line 7\n  line 8\n  line 9");
    }
}
