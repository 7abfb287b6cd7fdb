//! Runs the catalogue under compute-sanitizer and writes the record.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use super::{SanitizerError, Subject, TOOLS};
use crate::gpu::Gpu;

/// How to run the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Parts of the names of the subjects that are run; all, if there are none. What was recorded of others stays.
    pub only: Vec<String>,
    /// Processes that run at a time.
    pub processes: usize,
    /// Time after which a kernel that has not ended is stopped. Loading a tool takes seconds.
    pub patience: Duration,
}

impl Options {
    fn has(&self, subject: &Subject) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| subject.name.contains(part.as_str()))
    }
}

/// Exit code by which compute-sanitizer tells that it found something.
const FOUND: i32 = 86;

/// Runs every subject that is asked for under every tool and writes the record into `folder`. `program` and
/// `arguments` start a process that launches the subject whose argument is its last one.
///
/// # Errors
/// [`SanitizerError::Missing`], or a file that cannot be read or written.
pub fn record(
    subjects: &[Subject],
    folder: &Path,
    program: &Path,
    arguments: &[&str],
    sanitizer: &Path,
    options: &Options,
) -> Result<PathBuf, SanitizerError> {
    let asked: Vec<usize> = (0..subjects.len()).filter(|&number| options.has(&subjects[number])).collect();
    if asked.is_empty() {
        return Err(SanitizerError::Nothing(options.only.join(", ")));
    }
    let properties = Gpu::open(0)?.properties().clone();
    let version = Command::new(sanitizer).arg("--version").output().map_err(SanitizerError::Missing)?;
    let version = String::from_utf8_lossy(&version.stdout);
    let version = version.lines().find_map(|line| line.strip_prefix("Version ")).unwrap_or("unknown").to_owned();
    let jobs: Vec<(usize, &str)> = asked.iter().flat_map(|&number| TOOLS.map(|tool| (number, tool))).collect();
    let (next, said) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    thread::scope(|scope| {
        for _ in 0..options.processes.max(1) {
            scope.spawn(|| {
                while let Some(&(number, tool)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut command = Command::new(sanitizer);
                    command.args(["--tool", tool, "--error-exitcode", &FOUND.to_string(), "--print-limit", "3"]);
                    command.arg(program).args(arguments).arg(&subjects[number].argument);
                    let said_now = verdict(command, options.patience);
                    said.lock().expect("no thread panics with it").insert((number, tool), said_now);
                }
            });
        }
    });
    let file = folder.join(format!("sanitizer.{}.tsv", properties.slug()));
    let before = if options.only.is_empty() {
        String::new()
    } else {
        fs::read_to_string(&file).map_err(|why| SanitizerError::File { file: file.clone(), why })?
    };
    let said = said.into_inner().expect("no thread panics with it");
    let mut text = format!(
        "# What compute-sanitizer reports of each kernel on a GPU, each in a process of its own. Written by\n\
         # `warpbook dev sanitize`, never by hand. `ptx` is a digest of the code.\n# gpu: {}\n# driver: {}\n\
         # compute-sanitizer: {version}\nkernel\tptx\twarpbook\t{}\n",
        properties.name,
        properties.driver,
        TOOLS.join("\t")
    );
    for (number, subject) in subjects.iter().enumerate() {
        let name = format!("{}\t", subject.name);
        if let (false, Some(line)) = (asked.contains(&number), before.lines().find(|line| line.starts_with(&name))) {
            text.push_str(line);
            text.push('\n');
            continue;
        }
        let _ = write!(text, "{}\t{}\t{}", subject.name, subject.digest, subject.kinds);
        for tool in TOOLS {
            let _ = write!(text, "\t{}", said.get(&(number, tool)).map_or("not run", String::as_str));
        }
        text.push('\n');
    }
    fs::write(&file, text).map_err(|why| SanitizerError::File { file: file.clone(), why })?;
    Ok(file)
}

/// What a tool says of a launch, in a few words.
fn verdict(mut command: Command, patience: Duration) -> String {
    let log = match tempfile::tempfile().and_then(|log| Ok((log.try_clone()?, log))) {
        Ok(log) => log,
        Err(why) => return format!("not run: {why}"),
    };
    command.stdin(Stdio::null()).stdout(log.0).stderr(Stdio::null());
    in_a_group(&mut command);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(why) => return format!("not run: {why}"),
    };
    let start = Instant::now();
    let code = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) if start.elapsed() < patience => thread::sleep(Duration::from_millis(50)),
            _ => {
                stop(&mut child);
                return "no end".to_owned();
            }
        }
    };
    let mut output = String::new();
    let mut log = log.1;
    let read = io::Seek::rewind(&mut log).and_then(|()| io::Read::read_to_string(&mut log, &mut output));
    match (read, code) {
        (Err(why), _) => format!("not run: {why}"),
        (_, Some(0)) => first(&output).unwrap_or_else(|| "nothing".to_owned()),
        (_, Some(FOUND)) => first(&output).unwrap_or_else(|| "something".to_owned()),
        // The launch itself failed: the GPU stopped the kernel, and the tool had nothing to add.
        (_, code) => first(&output).unwrap_or_else(|| format!("ended with {code:?}")),
    }
}

/// compute-sanitizer starts the program that it looks at as one more process: both must be stopped.
#[cfg(unix)]
fn in_a_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
const fn in_a_group(_: &mut Command) {}

/// Ends a process and, where there are such, those of its group.
fn stop(child: &mut Child) {
    if cfg!(unix) {
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The first thing that compute-sanitizer reports: `Invalid __global__ read of size 4 bytes`. Its lines begin with a row of
/// equality signs; its own welcome and sum are no reports, and what stands further in tells more of the same.
fn first(output: &str) -> Option<String> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("========= "));
    let told = |line: &&str| {
        !line.starts_with([' ', '\t'])
            && !["COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY", "Target application"]
                .iter()
                .any(|word| line.starts_with(word))
    };
    let line = lines.map(str::trim_end).filter(|line| !line.is_empty()).find(told)?;
    // Addresses and places differ from run to run.
    let words: Vec<&str> =
        line.split_whitespace().take_while(|word| !word.starts_with("0x") && *word != "at").collect();
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn the_first_report_is_found() {
        let output = "========= COMPUTE-SANITIZER\n========= Invalid __global__ read of size 4 bytes\n\
                      =========     at k+0x10\n========= ERROR SUMMARY: 1 error\n";
        assert_eq!(first(output).as_deref(), Some("Invalid __global__ read of size 4 bytes"));
        let none = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
        assert_eq!(first(none), None);
    }
}
