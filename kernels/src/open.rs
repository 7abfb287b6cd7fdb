//! Opens any kernel file: PTX as it is, CUDA C++ through a compiler.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use sim::Module;
use sim::report::Report;

use crate::assembled::Assembled;
use crate::compile::{self, CompileError, Compiled, Options, Source, cache};
use crate::names::{self, NameError};

/// Why a kernel file could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error("cannot read {}: {}", .path.display(), reason(.path, .why))]
    Read {
        /// Which.
        path: PathBuf,
        /// The operating system's reason.
        why: std::io::Error,
    },
    /// The file is not text.
    #[error(
        "{} is not text: byte {at} (line {line}) is no part of a UTF-8 character. \
         Give a CUDA source (.cu) or PTX; a cubin, fatbin or executable can be turned into PTX with cuobjdump -ptx",
        .path.display()
    )]
    Binary {
        /// Which.
        path: PathBuf,
        /// Offset of the first bad byte.
        at: usize,
        /// Its line.
        line: usize,
    },
    /// No compiler took it.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It is not PTX.
    #[error(transparent)]
    Parse(#[from] sim::Error),
}

/// Why a file cannot be read, and what to name instead.
fn reason(path: &Path, why: &std::io::Error) -> String {
    if path.is_dir() {
        return "it is a folder; name a .cu, .ptx or .toml file in it".to_owned();
    }
    why.to_string()
}

impl OpenError {
    /// The exit code that a program should end with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Read { .. } | Self::Binary { .. } => sim::ErrorClass::Input.exit_code(),
            Self::Compile(error) => error.exit_code(),
            Self::Parse(error) => error.class().exit_code(),
        }
    }
}

/// What a source became: twice compiled, because the optimiser merges or removes faulty accesses, and because what is
/// counted must be what runs.
#[derive(Debug, Clone)]
pub struct Build {
    /// Optimised, as it runs on a GPU: what is counted.
    pub optimised: Compiled,
    /// Not optimised (`-G`): what is checked. None if it was not asked for, or did not compile.
    pub debug: Option<Compiled>,
    /// Why there is no `debug` though it was asked for.
    pub note: Option<String>,
}

/// Compiles a source, and with `checks` a second time without optimisation.
///
/// # Errors
/// [`CompileError`] if the optimised compilation fails.
pub fn build(source: &Source<'_>, options: &Options, checks: bool) -> Result<Build, CompileError> {
    let debug = |optimised: &Compiled| {
        let compiler = compile::Choice::Only(optimised.compiler);
        let mut options = Options { debug: true, compiler, ..options.clone() };
        options.includes.extend_from_slice(&optimised.includes);
        match &optimised.part {
            Some(part) => {
                options.stubs.clone_from(&part.stubs);
                options.default_device = optimised.compiler != compile::Compiler::Nvcc;
                cache::compile(&Source { name: source.name, text: &part.text }, &options)
            }
            None => cache::compile(source, &options),
        }
    };
    let optimised = cache::compile(source, options)?;
    if !checks {
        return Ok(Build { optimised, debug: None, note: None });
    }
    Ok(match debug(&optimised) {
        Ok(debug) => Build { optimised, debug: Some(debug), note: None },
        Err(error) => {
            let note = format!("the optimised code was checked, because without optimisation {error}");
            Build { optimised, debug: None, note: Some(note) }
        }
    })
}

/// A kernel file, ready to be simulated.
#[derive(Debug, Clone)]
pub struct Opened {
    /// The file's name, for messages.
    pub name: String,
    /// The PTX whose instructions are counted.
    pub module: Module,
    /// The PTX that is checked, if it is another: the same source compiled without optimisation.
    pub checked: Option<Module>,
    /// The CUDA source, if the file was one.
    pub source: Option<String>,
    /// How the source was compiled, if it was one.
    pub compiled: Option<Compiled>,
    /// What the compiler warned of.
    pub warnings: String,
    /// What the user should know of how the checks are made.
    pub notes: Vec<String>,
    /// Its machine code, where that is to be executed instead of the PTX.
    pub machine_code: Option<Assembled>,
    /// The text of the file and of the files of its own that it includes, if it is CUDA C++: where kernels, and what launches
    /// them, may be declared.
    declarations: Option<String>,
    instances: BTreeMap<String, String>,
    /// The file's text, if it is PTX.
    ptx: Option<String>,
}

/// How to open a file.
#[derive(Debug, Clone, Default)]
pub struct How {
    /// How a CUDA source is compiled.
    pub options: Options,
    /// Whether there is to be a second module for the checks.
    pub checks: bool,
    /// The kernels that will be launched, as the user names them: templates are made for them.
    pub kernels: Vec<String>,
}

/// Opens `path`. A file whose name ends in `.cu` (or `.cuh`) is compiled; everything else is taken for PTX. A source that
/// does not compile by itself, because it is a part of another one that includes it, is opened as part of that.
///
/// # Errors
/// [`OpenError`] with the place in the file.
pub fn open(path: &Path, how: &How) -> Result<Opened, OpenError> {
    let opened = open_alone(path, how);
    let Err(OpenError::Compile(CompileError::Rejected { log, .. })) = &opened else { return opened };
    let reason = log.lines().find(|line| line.contains("error")).unwrap_or_default();
    for whole in compile::including(path).into_iter().take(MOST_WHOLES) {
        if let Ok(mut opened) = open_alone(&whole, how) {
            opened.warnings = format!(
                "{}note: {} does not compile by itself: {reason}\n{}, which includes it, was compiled instead",
                if opened.warnings.is_empty() { String::new() } else { format!("{}\n", opened.warnings.trim_end()) },
                path.display(),
                whole.display()
            );
            return Ok(opened);
        }
    }
    opened
}

/// Most sources that are tried because they include one that does not compile by itself.
const MOST_WHOLES: usize = 4;

fn open_alone(path: &Path, how: &How) -> Result<Opened, OpenError> {
    let is_source = path.extension().is_some_and(|extension| extension == "cu" || extension == "cuh");
    let (text, encoding) = read_text(path, is_source)?;
    let name = path.to_string_lossy().into_owned();
    if !is_source {
        return Ok(Opened::of_ptx(&name, &text)?);
    }
    let mut wanted: Vec<(String, String)> =
        how.kernels.iter().filter_map(|kernel| Some((names::instance(kernel)?, kernel.clone()))).collect();
    wanted.sort();
    wanted.dedup();
    let instances = wanted.iter().map(|(instance, _)| instance.clone()).collect();
    let options = Options { instances, ..how.options.clone() };
    let source = Source { name: &name, text: &text };
    let waiting = Waiting::start(&name);
    let build = match build(&source, &options, how.checks) {
        // What is named may be there already, by types that only the source can name.
        Err(CompileError::Instance { .. }) if !wanted.is_empty() => {
            without_instances(&source, how, &mut wanted, &options)
        }
        other => other,
    };
    drop(waiting);
    let build = build?;
    let module = Module::parse(&name, &build.optimised.ptx)?;
    let checked = build.debug.map(|debug| Module::parse(&name, &debug.ptx)).transpose()?;
    let made = build.optimised.instances.iter().cloned();
    let includes = [&how.options.includes[..], &build.optimised.includes].concat();
    let own = compile::host::own_files(&name, &text, &includes).into_iter().map(|(_, text)| text);
    let declarations = std::iter::once(text.clone()).chain(own).collect::<Vec<_>>().join("\n");
    Ok(Opened {
        name,
        module,
        checked,
        source: Some(text),
        declarations: Some(declarations),
        warnings: build.optimised.log.clone(),
        instances: wanted.into_iter().map(|(_, kernel)| kernel).zip(made).collect(),
        compiled: Some(build.optimised),
        machine_code: None,
        notes: encoding.into_iter().chain(build.note).collect(),
        ptx: None,
    })
}

/// Compiles what the source makes itself, if that holds all kernels that are wanted.
fn without_instances(
    source: &Source<'_>,
    how: &How,
    wanted: &mut Vec<(String, String)>,
    options: &Options,
) -> Result<Build, CompileError> {
    if let Ok(build) = build(source, &how.options, how.checks)
        && let Ok(module) = Module::parse(source.name, &build.optimised.ptx)
    {
        let kernels = module.kernels();
        if wanted.iter().all(|(_, kernel)| names::resolve(source.name, &kernels, Some(kernel)).is_ok()) {
            wanted.clear();
            return Ok(build);
        }
    }
    build(source, options, how.checks)
}

/// After a while, a line on a terminal that says what takes so long.
struct Waiting {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Waiting {
    fn start(name: &str) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self { done: None, thread: None };
        }
        let (done, ended) = std::sync::mpsc::channel();
        let text = format!("compiling {name} …");
        let thread = std::thread::spawn(move || {
            if ended.recv_timeout(Duration::from_secs(2)) == Err(RecvTimeoutError::Timeout) {
                let bar = indicatif::ProgressBar::new_spinner().with_message(text);
                bar.set_style(
                    indicatif::ProgressStyle::with_template("{msg} {elapsed}")
                        .unwrap_or_else(|_| indicatif::ProgressStyle::default_spinner()),
                );
                bar.enable_steady_tick(Duration::from_secs(1));
                // Ends when the other side is gone, too.
                let _ = ended.recv();
                bar.finish_and_clear();
            }
        });
        Self { done: Some(done), thread: Some(thread) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.done = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The text of a file, and what the user should know of how it was read.
fn read_text(path: &Path, is_source: bool) -> Result<(String, Option<String>), OpenError> {
    let bytes = fs::read(path).map_err(|why| OpenError::Read { path: path.to_owned(), why })?;
    let error = match String::from_utf8(bytes) {
        // The mark that some editors write in front is no part of the text.
        Ok(text) => {
            let marked = text.strip_prefix('\u{feff}').map(str::to_owned);
            return Ok((marked.unwrap_or(text), None));
        }
        Err(error) => error,
    };
    let at = error.utf8_error().valid_up_to();
    let bytes = error.into_bytes();
    let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    if is_source && let Some(text) = of_utf16(&bytes) {
        return Ok((text, None));
    }
    // Comments in an older encoding are common. Binary files hold NUL bytes.
    if is_source && !bytes.contains(&0) {
        let text = bytes.iter().map(|&byte| char::from(byte)).collect();
        let note = format!(
            "{} is not UTF-8 (line {line}): it was read byte by byte, so that its comments and strings may look odd here",
            path.display()
        );
        return Ok((text, Some(note)));
    }
    Err(OpenError::Binary { path: path.to_owned(), at, line })
}

/// A text in UTF-16 that says so with its first two bytes.
fn of_utf16(bytes: &[u8]) -> Option<String> {
    let decode: fn([u8; 2]) -> u16 = match bytes.get(..2)? {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().copied().map(decode).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

impl Opened {
    /// The text of the PTX whose instructions are counted.
    #[must_use]
    pub fn ptx(&self) -> &str {
        let compiled = self.compiled.as_ref().map(|compiled| &*compiled.ptx);
        compiled.or(self.ptx.as_deref()).unwrap_or_default()
    }

    /// The PTX and the machine code, if that is executed, as a GPU is given them. Of a cubin the PTX has the kernels'
    /// parameters alone.
    #[must_use]
    pub fn native(&self) -> (Cow<'_, str>, Option<&[u8]>) {
        match &self.machine_code {
            None => (self.ptx().into(), None),
            // A cubin that was opened has been read before.
            Some(code) if self.ptx().is_empty() => (code.signatures().unwrap_or_default().into(), Some(code.cubin())),
            Some(code) => (self.ptx().into(), Some(code.cubin())),
        }
    }

    /// A cubin, whose machine code is executed. Its kernels have their parameters by size alone.
    ///
    /// # Errors
    /// The simulator's, when it is no cubin.
    pub fn of_cubin(name: &str, bytes: Vec<u8>) -> Result<Self, sim::Error> {
        let assembled = Assembled::of_cubin(bytes);
        let opened = Self::of_ptx(name, &assembled.signatures()?)?;
        Ok(Self { machine_code: Some(assembled), ptx: None, ..opened })
    }

    /// PTX, which is counted and checked as it stands. `name` is the file's name, for messages.
    ///
    /// # Errors
    /// The simulator's, with the place in the text.
    pub fn of_ptx(name: &str, text: &str) -> Result<Self, sim::Error> {
        Ok(Self {
            module: Module::parse(name, text)?,
            name: name.to_owned(),
            checked: None,
            source: None,
            declarations: None,
            compiled: None,
            machine_code: None,
            warnings: String::new(),
            notes: Vec::new(),
            instances: BTreeMap::new(),
            ptx: Some(text.to_owned()),
        })
    }

    /// Gives the module's variables what a launch has left in them.
    pub(crate) fn keep_variables(&mut self, variables: &[(String, Vec<u8>)]) {
        for (name, bytes) in variables {
            for module in [Some(&mut self.module), self.checked.as_mut()].into_iter().flatten() {
                // A variable that only one of the two compilations kept is no concern of the other.
                let _ = module.write_variable(name, bytes);
            }
        }
    }

    /// The text in which its kernels, and what launches them, may be declared: that of the source and of the files of its own
    /// that it includes. None for PTX.
    #[must_use]
    pub fn declarations(&self) -> Option<&str> {
        self.declarations.as_deref().or(self.source.as_deref())
    }

    /// The folder that the file lies in.
    pub(crate) fn folder(&self) -> PathBuf {
        Path::new(&self.name).parent().map(Path::to_owned).unwrap_or_default()
    }

    /// The name in the PTX of the kernel that a user names, or of the only one.
    ///
    /// # Errors
    /// [`NameError`], with the kernels that there are.
    pub fn kernel(&self, wanted: Option<&str>) -> Result<String, NameError> {
        if let Some(made) = wanted.and_then(|wanted| self.instances.get(wanted)) {
            return Ok(made.clone());
        }
        names::resolve(&self.name, &self.module.kernels(), wanted)
    }

    /// The texts of the source files that a report names, as far as they can be read, to show their lines.
    #[must_use]
    pub fn sources(&self, report: &Report) -> BTreeMap<String, String> {
        let Some(own) = &self.source else { return BTreeMap::new() };
        let path = Path::new(&self.name);
        let own_name = path.file_name().unwrap_or_default().to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new(""));
        let lines = report.lines.iter().map(|line| &line.file);
        let files = lines.chain(report.findings.iter().map(|finding| &finding.file));
        let mut texts = BTreeMap::new();
        for file in files {
            if texts.contains_key(file) {
                continue;
            }
            let text = if **file == own_name { Some(own.clone()) } else { fs::read_to_string(folder.join(file)).ok() };
            texts.extend(text.map(|text| (file.clone(), text)));
        }
        texts
    }
}
