//! Holding the simulator's lowering against the compiler: for every source line, the memory accesses that the PTX has,
//! what our passes make of them, and what ptxas emitted.
//!
//! Unrolling multiplies instructions, so it is not their number that is compared but what kinds there are on a line: load,
//! store, atomic, reduction or copy, the space, and the width.

mod known;
mod sass;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use sim::prepare::Executable;
use sim::{Lowering, Module};

pub use known::{FILE as KNOWN_FILE, KnownLowering, known};
pub use sass::Placed;

use crate::counters::EXACT;
pub use crate::sass::{HOW_TO_GET, OVERRIDE, SassError, Tools};

/// The architectures that the check is made for.
pub const ARCHES: [&str; 2] = ["sm_90", "sm_80"];

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic operation that gives the old value back.
    Atomic,
    /// One that does not.
    Reduction,
    /// An asynchronous copy into shared memory, lane by lane.
    Copy,
    /// One of many bytes by one lane.
    Bulk,
}

/// The space that is accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Room {
    /// Global memory.
    Global,
    /// Shared memory.
    Shared,
    /// A thread's own memory.
    Local,
    /// Whatever the address says.
    Generic,
}

/// A kind of access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Access {
    /// What it does.
    pub action: Action,
    /// Where.
    pub room: Room,
    /// Bytes per lane; 0 where the instruction does not say.
    pub bytes: u32,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let room = match self.room {
            Room::Global => "global",
            Room::Shared => "shared",
            Room::Local => "local",
            Room::Generic => "generic",
        };
        let bits = self.bytes * 8;
        match self.action {
            Action::Load => write!(f, "{bits}-bit load from {room} memory"),
            Action::Store => write!(f, "{bits}-bit store to {room} memory"),
            Action::Atomic => write!(f, "{bits}-bit atomic in {room} memory"),
            Action::Reduction => write!(f, "{bits}-bit reduction in {room} memory"),
            Action::Copy => write!(f, "{bits}-bit copy from global to shared memory"),
            Action::Bulk => write!(f, "bulk copy"),
        }
    }
}

impl Access {
    /// The exact counters that an access more or less touches, by the parts of their names.
    fn touches(&self, counter: &str) -> bool {
        let (room, other) = match self.room {
            Room::Global | Room::Generic => ("global", "tex"),
            Room::Shared => ("shared", "shared"),
            Room::Local => ("local", "local"),
        };
        let action = match self.action {
            Action::Load | Action::Copy | Action::Bulk => "_ld",
            Action::Store => "_st",
            Action::Atomic => "_atom",
            Action::Reduction => "_red",
        };
        let (space, operation) = (counter.contains(room), counter.contains(&format!("op_{room}{action}")));
        let sum = space && !["_ld", "_st", "_atom", "_red"].iter().any(|other| counter.contains(other));
        operation
            || sum
            || (space || counter.contains(&format!("srcunit_{other}"))) && counter.contains(&format!("_op{action}"))
    }
}

/// A source line with its accesses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineAccesses {
    /// The kernel, as the PTX names it.
    pub kernel: String,
    /// The source file's name.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What the PTX says.
    pub ptx: BTreeSet<Access>,
    /// What our passes make of it.
    pub ours: BTreeSet<Access>,
    /// What ptxas emitted.
    pub ptxas: BTreeSet<Access>,
    /// Why the last two differ, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<&'static str>,
}

impl LineAccesses {
    /// Accesses that only our passes have, and those that only ptxas has.
    pub fn difference(&self) -> (Vec<Access>, Vec<Access>) {
        let only = |a: &BTreeSet<Access>, b: &BTreeSet<Access>| a.difference(b).copied().collect();
        (only(&self.ours, &self.ptxas), only(&self.ptxas, &self.ours))
    }

    /// Whether the two are the same.
    pub fn agrees(&self) -> bool {
        self.ours == self.ptxas
    }

    /// The difference in a sentence: `scan.cu:73 (scan): our passes have a 32-bit load …, and ptxas has …`.
    pub fn sentence(&self) -> String {
        let list = |accesses: &[Access]| match accesses {
            [] => "nothing that the other lacks".to_owned(),
            several => several.iter().map(Access::to_string).collect::<Vec<_>>().join(", "),
        };
        let (ours, theirs) = self.difference();
        let Self { kernel, file, line, .. } = self;
        format!("{file}:{line} ({kernel}): our passes alone make {}; ptxas alone {}", list(&ours), list(&theirs))
    }
}

/// All lines of a PTX file that access memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The architecture.
    pub arch: String,
    /// The version of ptxas.
    pub ptxas: String,
    /// The lines, kernel by kernel.
    pub lines: Vec<LineAccesses>,
}

impl Report {
    /// The lines that differ and of which it is not known why.
    pub fn unexplained(&self) -> impl Iterator<Item = &LineAccesses> {
        self.lines.iter().filter(|line| !line.agrees() && line.known.is_none())
    }

    /// The exact counters that the differences touch, by their short names.
    pub fn counters(&self) -> Vec<&'static str> {
        let differing = self.lines.iter().filter(|line| !line.agrees()).flat_map(|line| {
            let (ours, theirs) = line.difference();
            ours.into_iter().chain(theirs)
        });
        let accesses: BTreeSet<Access> = differing.collect();
        let touched = |metric: &str| accesses.iter().any(|access| access.touches(metric));
        EXACT.iter().filter(|counter| touched(counter.metric)).map(|counter| counter.label).collect()
    }
}

/// Why a file's lowering could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum LoweringError {
    /// There is no machine code.
    #[error(transparent)]
    Sass(#[from] SassError),
    /// The simulator refuses a kernel.
    #[error("{0}")]
    Sim(#[from] sim::Error),
    /// The list of known differences cannot be read.
    #[error("{0}")]
    Known(&'static str),
}

impl LoweringError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Sass(SassError::Refused { .. }) => sim::ErrorClass::Input.exit_code(),
            Self::Sass(_) => sim::ErrorClass::Unsupported.exit_code(),
            Self::Sim(error) => error.class().exit_code(),
            Self::Known(_) => sim::ErrorClass::Internal.exit_code(),
        }
    }
}

/// The accesses that are counted of a program of the simulator, by the bare names of the source files of its PTX and the line.
#[must_use]
pub fn accesses_by_line(program: &Executable, text: &str) -> BTreeMap<(String, u32), BTreeSet<Access>> {
    view::accesses(program, &view::files(text))
}

/// The accesses of a machine instruction, by its text.
#[must_use]
pub fn accesses_of_instruction(text: &str) -> Vec<Access> {
    sass::accesses_of(text)
}

/// Looks at the kernels of a PTX text: all, or only those that are named.
///
/// # Errors
/// [`LoweringError`].
pub fn look(tools: &Tools, name: &str, text: &str, arch: &str, kernels: &[&str]) -> Result<Report, LoweringError> {
    let known = known().map_err(LoweringError::Known)?;
    let module = Module::parse(name, text)?;
    let files = view::files(text);
    let sass = sass::parse(&tools.disassemble(name, text, arch)?);
    let wanted = |kernel: &str| kernels.is_empty() || kernels.contains(&kernel);
    let mut lines = Vec::new();
    for kernel in module.kernels().into_iter().filter(|kernel| wanted(kernel)) {
        let ptx = view::accesses(&*module.lower(kernel, Lowering::None)?, &files);
        let ours = view::accesses(&*module.lower(kernel, Lowering::Sm90)?, &files);
        let mut theirs: BTreeMap<(String, u32), BTreeSet<Access>> = BTreeMap::new();
        for placed in sass.iter().filter(|placed| placed.kernel == kernel) {
            theirs.entry((placed.file.clone(), placed.line)).or_default().insert(placed.access);
        }
        let places: BTreeSet<&(String, u32)> = ptx.keys().chain(ours.keys()).chain(theirs.keys()).collect();
        for place in places {
            let of = |accesses: &BTreeMap<_, BTreeSet<Access>>| accesses.get(place).cloned().unwrap_or_default();
            let mut line = LineAccesses {
                kernel: kernel.to_owned(),
                file: place.0.clone(),
                line: place.1,
                ptx: of(&ptx),
                ours: of(&ours),
                ptxas: of(&theirs),
                known: None,
            };
            if !line.agrees() {
                line.known = known.cause(&line, arch, &tools.version);
            }
            lines.push(line);
        }
    }
    Ok(Report { arch: arch.to_owned(), ptxas: tools.version.clone(), lines })
}

/// What a user should know whose kernels ptxas lowers otherwise than our passes: a sentence. None if there is nothing to
/// say, or no ptxas here to ask.
pub fn note(name: &str, text: &str, kernels: &[&str]) -> Option<String> {
    let arch = ARCHES[0];
    let tools = Tools::find().ok().filter(|_| can_run(text, arch))?;
    let report = look(&tools, name, text, arch, kernels).ok()?;
    let differing: Vec<&LineAccesses> = report.lines.iter().filter(|line| !line.agrees()).collect();
    let first = differing.first()?;
    let lines = match differing.len() {
        1 => "one line".to_owned(),
        many => format!("{many} lines"),
    };
    Some(format!(
        "ptxas {} makes other memory accesses of {lines} than the simulator's passes. Unless it only names another line for \
         them, these counters may be off: {}. {} (`warpbook lowering` shows every line)",
        report.ptxas,
        report.counters().join(", "),
        first.sentence(),
    ))
}

/// Whether ptxas takes a PTX text for an architecture: its target is no newer.
pub fn can_run(text: &str, arch: &str) -> bool {
    let number = |arch: &str| arch.trim_start_matches("sm_").trim_end_matches(char::is_alphabetic).parse::<u32>().ok();
    let target = text.lines().find_map(|line| line.trim().strip_prefix(".target"));
    let target = target.and_then(|targets| number(targets.split(',').next()?.trim()));
    target.zip(number(arch)).is_none_or(|(target, arch)| target <= arch)
}

#[cfg(test)]
mod tests;
