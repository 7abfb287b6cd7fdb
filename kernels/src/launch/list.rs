//! What a file holds: its kernels, their parameters, and for each a command that launches it.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use sim::Options;

use super::signature::{self, Signature, shell};
use super::spec::LaunchSpec;
use super::{hints, probe};
use crate::names::{self, NameError};
use crate::open::{self, How, OpenError, Opened};

/// The kernels of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// The file.
    pub file: String,
    /// Its kernels, in the order of the PTX.
    pub kernels: Vec<Kernel>,
    /// `__global__` functions of the source that are not compiled: templates that nothing makes an instance of.
    pub templates: Vec<String>,
    /// `__constant__` and `__device__` variables that a launch can set, with their sizes in bytes.
    pub variables: Vec<(String, u64)>,
}

/// A kernel and how to launch it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kernel {
    /// Its name and parameters.
    #[serde(flatten)]
    pub signature: Signature,
    /// A command that launches it, to be changed.
    pub command: String,
    /// The launch of that command, if it was simulated.
    #[serde(skip)]
    pub launch: Option<LaunchSpec>,
    /// Whether that launch was simulated and has no finding; none if no launch was tried.
    pub clean: Option<bool>,
    /// How many launches were tried to find it.
    pub tried: u32,
    /// What is wrong with it, if something is.
    pub why: Option<String>,
}

impl Listed {
    /// The kernels of an opened file, or the one that is wanted. `how` are the options of the command line that say how
    /// it is compiled and simulated: the commands repeat them. With `options`, launches are tried in the simulator, and
    /// the commands are those that run clean.
    ///
    /// # Errors
    /// [`NameError`] when there is no such kernel, or none at all.
    pub fn of(opened: &Opened, wanted: Option<&str>, how: &str, options: Option<&Options>) -> Result<Self, NameError> {
        let names: Vec<String> = match wanted {
            Some(_) => vec![opened.kernel(wanted)?],
            None => own(opened.module.kernels()).into_iter().map(str::to_owned).collect(),
        };
        let source = opened.declarations();
        let launches = source.map(hints::launches).unwrap_or_default();
        let shapes = source.map(hints::shapes).unwrap_or_default();
        let mut beside: Option<Vec<hints::Hint>> = None;
        let mut fuel = probe::FUEL;
        let mut kernel = |name: &String| {
            let signature = Signature::of(&opened.module, name, source)?;
            let called = called(opened, &signature, wanted);
            let plain = names::short(name);
            let plain = plain.split('<').next().unwrap_or_default().rsplit("::").next().unwrap_or_default();
            let mut hints: Vec<&hints::Hint> = launches.iter().filter(|hint| hint.kernel == plain).collect();
            if hints.is_empty() && options.is_some() {
                let beside = beside.get_or_insert_with(|| launches_beside(opened));
                hints = beside.iter().filter(|hint| hint.kernel == plain).collect();
            }
            let probed =
                options.and_then(|options| probe::probe(opened, &signature, &hints, &shapes, options, &mut fuel));
            let (clean, tried, why, words, launch) = match probed {
                Some(probed) => (Some(probed.clean), probed.tried, probed.why, probed.words, probed.launch),
                None => (None, 0, options.map(|_| NO_TIME.to_owned()), Vec::new(), None),
            };
            let words = if words.is_empty() { signature.example() } else { words };
            let head = format!("warpbook sim {}{how} --kernel {}", shell(&opened.name), shell(&called));
            let command = format!("{head} {}", words.join(" "));
            Some(Kernel { command, launch, signature, clean, tried, why })
        };
        let kernels: Vec<Kernel> = names.iter().filter_map(&mut kernel).collect();
        let compiled: Vec<&str> = kernels.iter().map(|kernel| kernel.signature.name.as_str()).collect();
        let templates = match (source, wanted) {
            (Some(source), None) => signature::not_compiled(source, &compiled),
            _ => Vec::new(),
        };
        if kernels.is_empty() && templates.is_empty() {
            return Err(NameError::None(opened.name.clone()));
        }
        // Tables of CUDA's own mathematics come along with a sine: they are nobody's to set.
        let own = |name: &str| name.starts_with("__cudart_") || name.starts_with("__nv_");
        let variables = opened.module.variables().into_iter().filter(|variable| !own(&variable.name));
        let variables = variables.map(|variable| (names::short(&variable.name), variable.bytes)).collect();
        Ok(Self { file: opened.name.clone(), kernels, templates, variables })
    }
}

/// What is said of a kernel for which no time was left.
const NO_TIME: &str =
    "no launch was tried, because those of the kernels before it took long; --list --kernel NAME tries this one";

/// Most files, and most bytes of each, that are read to find launches of kernels whose own file has none.
const MOST_BESIDE: (usize, u64) = (64, 1 << 20);

/// The launches in other sources of the file's folder, and of files that they include: kernels may stand in a file of their own.
fn launches_beside(opened: &Opened) -> Vec<hints::Hint> {
    let Some(own) = opened.declarations() else { return Vec::new() };
    let folder = opened.folder();
    let folder = if folder.as_os_str().is_empty() { ".".into() } else { folder };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|end| ["cu", "cuh", "h", "hpp", "cpp"].iter().any(|known| end == *known))
    });
    paths.sort();
    let small = |path: &std::path::PathBuf| std::fs::metadata(path).is_ok_and(|about| about.len() <= MOST_BESIDE.1);
    let texts = paths.iter().take(MOST_BESIDE.0).filter(|path| small(path)).filter_map(|path| {
        let text = std::fs::read_to_string(path).ok().filter(|text| text.contains("<<<"))?;
        let more = crate::compile::host::own_files(&path.to_string_lossy(), &text, &[]);
        Some(more.into_iter().map(|(_, text)| text).fold(text, |all, text| all + "\n" + &text))
    });
    texts.flat_map(|text| hints::launches(&format!("{own}\n{text}"))).collect()
}

/// The kernels without those that CUDA's libraries bring along, unless there are no others.
fn own(kernels: Vec<&str>) -> Vec<&str> {
    let of_library = |name: &&str| {
        let name = names::readable(name);
        ["cub::", "thrust::", "cuda::", "void cub::"].iter().any(|start| name.starts_with(start))
    };
    if kernels.iter().all(of_library) {
        kernels
    } else {
        kernels.into_iter().filter(|name| !of_library(name)).collect()
    }
}

/// A name that means this kernel and no other: the short one, the one with parameters, or the PTX's own.
fn called(opened: &Opened, signature: &Signature, wanted: Option<&str>) -> String {
    let full = names::readable(&signature.ptx_name);
    let clear = |name: &&str| {
        // An instance that the source makes must not need to be made once more.
        opened.kernel(Some(name)).is_ok_and(|found| found == signature.ptx_name)
    };
    let candidates = wanted.into_iter().chain([&*signature.name, &*full]);
    candidates.into_iter().find(clear).unwrap_or(&signature.ptx_name).to_owned()
}

/// Most templates of a file that instances are tried of: each is compiled.
const MOST_TEMPLATES: usize = 12;

/// The templates of `listed` that nothing makes an instance of, each with arguments that may do, most likely first, of which
/// one is to be compiled and listed too.
#[must_use]
pub fn instances(opened: &Opened, listed: &Listed) -> Vec<Vec<String>> {
    let Some(source) = opened.declarations() else { return Vec::new() };
    listed.templates.iter().take(MOST_TEMPLATES).map(|name| hints::instances(source, name)).collect()
}

/// Opens a file and lists its kernels with launches that run clean. Templates that nothing makes are listed with arguments
/// that may do, of which the first that compile are taken.
///
/// # Errors
/// [`OpenError`] when the file cannot be opened; [`NameError`] when it has no kernel at all.
pub fn open_and_list(
    path: &Path,
    mut how: How,
    (wanted, given): (Option<&str>, &str),
    tried: Option<&Options>,
) -> Result<(Opened, Listed), ListError> {
    let mut opened = open::open(path, &how)?;
    let mut listed = Listed::of(&opened, wanted, given, None)?;
    for candidates in instances(&opened, &listed) {
        for instance in candidates {
            how.kernels.push(instance);
            if let Ok(more) = open::open(path, &how) {
                opened = more;
                break;
            }
            how.kernels.pop();
        }
    }
    if tried.is_some() || !how.kernels.is_empty() {
        listed = Listed::of(&opened, wanted, given, tried)?;
    }
    Ok((opened, listed))
}

/// Why a file's kernels cannot be listed.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A kernel was named that is not there, or there is none.
    #[error(transparent)]
    Name(#[from] NameError),
}

impl ListError {
    /// The exit code that a program should end with.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Open(error) => error.exit_code(),
            Self::Name(_) => sim::ErrorClass::Input.exit_code(),
        }
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, kernel) in self.kernels.iter().enumerate() {
            let blank = if index > 0 { "\n" } else { "" };
            writeln!(f, "{blank}{}\n  {}", kernel.signature, kernel.command)?;
            if let Some(why) = &kernel.why {
                writeln!(f, "  {why}")?;
            }
        }
        if !self.templates.is_empty() {
            let blank = if self.kernels.is_empty() { "" } else { "\n" };
            writeln!(
                f,
                "{blank}templates, compiled where --kernel names them with their arguments, as in 'NAME<int, 4>':"
            )?;
            self.templates.iter().try_for_each(|name| writeln!(f, "  {name}"))?;
        }
        if !self.variables.is_empty() {
            writeln!(f, "\nvariables that --symbol NAME=… sets:")?;
            self.variables.iter().try_for_each(|(name, bytes)| writeln!(f, "  {name} ({bytes} bytes)"))?;
        }
        Ok(())
    }
}
