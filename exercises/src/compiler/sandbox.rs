//! Compiles what strangers wrote: in a process of its own, with limits on time and memory, that can open no file but the
//! compiler's.
//!
//! The program starts itself again ([`Sandboxed`], [`child`]). The child finds and warms up the compiler, then gives up its
//! rights: on Linux, Landlock leaves it the folders of the compiler and of CUDA's headers to read and nothing to write,
//! so that `#include "/etc/passwd"` fails in the operating system, however it is spelt. Where Landlock is missing, the
//! child may open no file at all, because its limit of open files is reached; headers of CUDA that NVRTC has not built in
//! cannot be included then. Limits of the operating system end compile bombs. That includes of paths are refused by their
//! text, too, only makes the message better.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use kernels::clang;
use kernels::compile::{self, Compiler as Kind};
use kernels::nvrtc;
use kernels::setup::{self, Component};
use serde::{Deserialize, Serialize};
use wait_timeout::ChildExt;

use super::{CompileFailure, Compiled, Compiler, Local};

/// The hidden subcommand that [`child`] is reached by.
pub const SUBCOMMAND: &str = "compile-submission";

/// Seconds that a compilation may take; the exercises take less than one.
const PATIENCE: Duration = Duration::from_secs(30);

/// Address space of the compiler, in bytes: mostly of files that it maps.
const ADDRESSES: u64 = 4 << 30;

/// Memory that the compiler may write to, in bytes: it needs a quarter of this.
const MEMORY: u64 = 900 << 20;

/// Most bytes of PTX that are handed on: kernels of exercises have some ten thousand. What is larger was made to be large
/// (an initialised array, a loop that is unrolled a million times) and would keep the simulator busy with reading.
const MOST_PTX: usize = 4 << 20;

/// Most bytes that are read of what the child gives back.
const MOST_OUTPUT: u64 = 64 << 20;

/// Longest source, in bytes.
const MOST_SOURCE: usize = 1 << 20;

/// Variables of the environment that the compiler's search needs; no other reaches the child.
const ENVIRONMENT: [&str; 10] = [
    "WARPBOOK_NVRTC",
    "WARPBOOK_CLANG",
    "WARPBOOK_COMPILER",
    "WARPBOOK_CACHE",
    "XDG_CACHE_HOME",
    "HOME",
    "CUDA_PATH",
    "CUDA_HOME",
    "LD_LIBRARY_PATH",
    "PATH",
];

/// How a child is kept from the machine's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// By the operating system.
    Landlock,
    /// By the operating system: no file can be opened, CUDA's headers neither.
    NoFiles,
    /// By looking at the text alone.
    TextOnly,
}

/// What the child is asked.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    name: String,
    text: String,
}

/// What it answers.
#[derive(Debug, Serialize, Deserialize)]
struct Reply {
    protection: Protection,
    result: Result<Compiled, CompileFailure>,
}

/// A compiler that compiles in another process.
#[derive(Debug, Clone)]
pub struct Sandboxed {
    program: PathBuf,
    patience: Duration,
}

impl Sandboxed {
    /// With `program`, which calls [`child`] when its first argument is [`SUBCOMMAND`].
    pub const fn new(program: PathBuf) -> Self {
        Self { program, patience: PATIENCE }
    }

    /// Compiles in the child.
    fn ask(&self, name: &str, text: &str) -> Result<Reply, CompileFailure> {
        let missing = |what: &str, why: &dyn std::fmt::Display| {
            CompileFailure::Missing(format!("cannot {what} {}: {why}", self.program.display()))
        };
        // The child may write nothing.
        let _ = clang::headers::folder();
        let nowhere = tempfile::tempdir().map_err(|why| missing("make a folder for", &why))?;
        let mut child = Command::new(&self.program)
            .arg(SUBCOMMAND)
            .current_dir(nowhere.path())
            .env_clear()
            .envs(ENVIRONMENT.iter().filter_map(|key| Some((key, std::env::var_os(key)?))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|why| missing("start", &why))?;
        let request = Request { name: name.to_owned(), text: text.to_owned() };
        let request = serde_json::to_vec(&request).map_err(|why| missing("ask", &why))?;
        if let Some(mut pipe) = child.stdin.take() {
            // A child that has died already is told of below.
            let _ = pipe.write_all(&request);
        }
        let output = child.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = output.map(|pipe| pipe.take(MOST_OUTPUT).read_to_end(&mut bytes));
            read.and_then(Result::ok).map(|_| bytes)
        });
        let ended = child.wait_timeout(self.patience).map_err(|why| missing("wait for", &why))?;
        let Some(status) = ended else {
            // It may have ended by itself just now.
            let _ = child.kill();
            let _ = child.wait();
            let _ = reader.join();
            let seconds = self.patience.as_secs();
            let message = format!("the compiler did not come to an end within {seconds} seconds and was stopped");
            return Err(CompileFailure::Stopped(message));
        };
        let bytes = reader.join().ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).map_err(|_| {
            let how = match status.code() {
                Some(code) => format!("it ended with code {code}"),
                None => "the operating system ended it".to_owned(),
            };
            CompileFailure::Stopped(format!(
                "the compiler gave up on this source: {how}. It may go round in circles (a file that includes itself, a \
                 template that makes itself), or need more than {} MiB of memory",
                MEMORY >> 20
            ))
        })
    }

    /// How a child is protected on this machine.
    ///
    /// # Errors
    /// When there is no compiler.
    pub fn protection(&self) -> Result<Protection, CompileFailure> {
        self.ask("probe.cu", "__global__ void probe() {}\n").map(|reply| reply.protection)
    }
}

impl Compiler for Sandboxed {
    fn identity(&self) -> Option<String> {
        Local::default().identity()
    }

    fn is_nvrtc(&self) -> bool {
        Local::default().is_nvrtc()
    }

    fn compile(&self, name: &str, text: &str) -> Result<Compiled, CompileFailure> {
        refuse(name, text)?;
        // The child knows the file by its bare name: no path of this machine gets into messages.
        let bare = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        let shown = |log: String| if name == bare { log } else { log.replace(&*bare, name) };
        let reply = self.ask(&bare, text)?;
        match reply.result {
            Ok(compiled) => Ok(Compiled { warnings: shown(compiled.warnings), ..compiled }),
            Err(CompileFailure::Rejected(log)) => Err(CompileFailure::Rejected(shown(log))),
            Err(other) => Err(other),
        }
    }
}

/// Refuses what is no source, and includes of files by their paths: the first and cheaper of two walls.
fn refuse(file: &str, text: &str) -> Result<(), CompileFailure> {
    if text.len() > MOST_SOURCE {
        let message = format!("{file} has {} bytes: a kernel of an exercise has at most {MOST_SOURCE}", text.len());
        return Err(CompileFailure::Rejected(message));
    }
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        // A line may go on in the next one, in the middle of a word.
        let mut whole = line.to_owned();
        while whole.trim_end().ends_with('\\') {
            whole.truncate(whole.trim_end().len() - 1);
            let Some((_, next)) = lines.next() else { break };
            whole.push_str(next);
        }
        let line = without_comments(&whole);
        // `#` has other spellings.
        let Some(directive) = ["#", "%:", "??="].iter().find_map(|hash| line.trim_start().strip_prefix(hash)) else {
            continue;
        };
        let directive = directive.trim_start();
        let words = ["include_next", "include", "import", "embed"];
        let Some(operand) = words.iter().find_map(|word| directive.strip_prefix(word)).map(str::trim_start) else {
            continue;
        };
        let name = operand.trim_start().strip_prefix(['<', '"']);
        if name.is_none_or(|name| name.starts_with(['/', '\\']) || name.contains("..")) {
            let line = at + 1;
            let message = format!(
                "{file}({line}): a submission includes CUDA's own headers by their names, and no file by a path"
            );
            return Err(CompileFailure::Rejected(message));
        }
    }
    Ok(())
}

/// A line with a blank for each comment that begins and ends in it.
fn without_comments(line: &str) -> String {
    let mut plain = line.to_owned();
    while let Some(begin) = plain.find("/*")
        && let Some(length) = plain[begin + 2..].find("*/")
    {
        plain.replace_range(begin..begin + length + 4, " ");
    }
    plain
}

/// What the child process does: reads a request from standard input, compiles it without any right to the machine's
/// files, and writes the reply to standard output.
///
/// # Errors
/// When it cannot read, write or limit itself.
pub fn child() -> std::io::Result<()> {
    let mut bytes = Vec::new();
    std::io::stdin().take(2 * MOST_SOURCE as u64 + 4096).read_to_end(&mut bytes)?;
    let request: Request = serde_json::from_slice(&bytes)?;
    limit_resources()?;
    // Loads the compiler and what it loads in turn, while files can still be opened.
    let warm = Local::default().compile("warm.cu", "__global__ void warm() {}\n");
    let reply = match warm {
        Err(failure @ CompileFailure::Missing(_)) => Reply { protection: Protection::TextOnly, result: Err(failure) },
        _ => {
            let protection = give_up_files();
            Reply { protection, result: Local::default().compile(&request.name, &request.text).and_then(not_too_large) }
        }
    };
    std::io::stdout().write_all(&serde_json::to_vec(&reply)?)
}

/// Refuses code that only its size makes hard to read.
fn not_too_large(compiled: Compiled) -> Result<Compiled, CompileFailure> {
    let bytes = compiled.ptx.len().max(compiled.debug_ptx.as_ref().map_or(0, String::len));
    if bytes <= MOST_PTX {
        return Ok(compiled);
    }
    Err(CompileFailure::Stopped(format!(
        "the compiler made {bytes} bytes of code of this source, and a kernel of an exercise has at most {MOST_PTX}. Look for \
         a large array with initial values, or a loop that is unrolled very often"
    )))
}

/// Limits memory, time and files of this process.
#[cfg(unix)]
fn limit_resources() -> std::io::Result<()> {
    use rlimit::Resource;
    let seconds = PATIENCE.as_secs();
    let mut limits =
        vec![(Resource::AS, ADDRESSES), (Resource::CPU, seconds), (Resource::FSIZE, 0), (Resource::CORE, 0)];
    // Elsewhere the system's limit of data leaves out what is mapped.
    if cfg!(target_os = "linux") {
        limits.push((Resource::DATA, MEMORY));
    }
    for (resource, most) in limits {
        let (_, hard) = resource.get()?;
        resource.set(most.min(hard), most.min(hard))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn limit_resources() -> std::io::Result<()> {
    Ok(())
}

/// Leaves this process nothing to open but the compiler and CUDA's headers, if the operating system can.
#[cfg(target_os = "linux")]
fn give_up_files() -> Protection {
    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetStatus,
    };
    let mut readable: Vec<PathBuf> = Vec::new();
    if let (Ok(Kind::Clang), Ok(found), Ok(headers)) =
        (compile::for_device_code(), clang::get(), clang::headers::folder())
    {
        // The program itself is started again for every source.
        readable.push(found.program);
        readable.push(headers);
    } else if let Ok(found) = nvrtc::get() {
        let library = found.path().parent().map(Path::to_owned);
        readable.extend(library.iter().flat_map(|folder| [folder.join("include"), folder.join("../include")]));
        readable.extend(library);
        readable.extend(setup::installed(Component::Headers));
    }
    let enforce = || -> Result<RulesetStatus, landlock::RulesetError> {
        let all = AccessFs::from_all(ABI::V3);
        let mut rules = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(all)?.create()?;
        for folder in &readable {
            if let Ok(opened) = PathFd::new(folder) {
                rules = rules.add_rule(PathBeneath::new(opened, AccessFs::from_read(ABI::V3)))?;
            }
        }
        Ok(rules.restrict_self()?.ruleset)
    };
    match enforce() {
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => Protection::Landlock,
        Ok(RulesetStatus::NotEnforced) | Err(_) => open_nothing(),
    }
}

#[cfg(not(target_os = "linux"))]
fn give_up_files() -> Protection {
    open_nothing()
}

/// Lets this process open no further file: it has standard input, output and error, and its limit is three.
#[cfg(unix)]
fn open_nothing() -> Protection {
    // clang is a program of its own, and starting one takes pipes.
    if matches!(compile::for_device_code(), Ok(Kind::Clang)) {
        return Protection::TextOnly;
    }
    match rlimit::Resource::NOFILE.set(3, 3) {
        Ok(()) => Protection::NoFiles,
        Err(_) => Protection::TextOnly,
    }
}

#[cfg(not(unix))]
fn open_nothing() -> Protection {
    Protection::TextOnly
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_of_paths_are_refused_by_their_text() {
        for bad in [
            "#include \"/etc/passwd\"",
            "  # include </etc/passwd>",
            "#include \"../x.cu\"",
            "#embed \"/etc/passwd\"",
            "%:include \"/etc/passwd\"",
            "#define X \"/etc/passwd\"\n#include X",
            "#\\\ninclude \\\n\"/etc/passwd\"",
            "#inc\\\nlude \"/etc/passwd\"",
            "#inc\\  \r\nlu\\\nde \"/etc/passwd\"",
            "/* */ # /**/ include /* */ \"/etc/passwd\"",
            "#include /**/ </etc/passwd>",
        ] {
            assert!(matches!(refuse("a.cu", bad), Err(CompileFailure::Rejected(_))), "{bad}");
        }
        assert_eq!(refuse("a.cu", "#include <cuda_fp16.h>\n#define A ..\nint x = a / b;"), Ok(()));
        assert!(refuse("a.cu", &"x".repeat(MOST_SOURCE + 1)).is_err());
    }
}
