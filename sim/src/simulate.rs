//! The entry points: a parsed module, and a simulated launch of one of its kernels.

use std::sync::Arc;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::check::{Checked, Places};
use crate::error::Error;
use crate::launch::{Arg, Launch};
use crate::machine::grid::{Machine, Ran};
use crate::machine::schedule::Scheduling;
use crate::memory::global::Allocation;
use crate::observe::counters::Counters;
use crate::observe::metrics;
use crate::program::{self, Source};
use crate::ptx;
use crate::report::{BufferDigest, LaunchShape, Order, Report, Versions};
use crate::schedules;
use crate::target;

/// A parsed PTX module.
#[derive(Debug, Clone)]
pub struct Module {
    name: Arc<str>,
    text: Arc<str>,
    ast: Arc<ptx::ast::Module>,
}

impl Module {
    /// Reads PTX. `name` is the file's name for messages.
    ///
    /// # Errors
    /// [`Error::Input`] with the place when the text is not PTX.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let (ast, errors) = ptx::parse(name, text);
        match errors.into_iter().next() {
            Some(first) => Err(Error::Input(Box::new(first))),
            None => Ok(Self { name: name.into(), text: text.into(), ast: Arc::new(ast) }),
        }
    }

    /// The names of the kernels (`.entry`) in the module, in order.
    pub fn kernels(&self) -> Vec<&str> {
        self.ast.functions.iter().filter(|f| f.is_kernel && f.body.is_some()).map(|f| &*f.name.text).collect()
    }

    /// Lowers one of the kernels, for a look at what is executed.
    ///
    /// # Errors
    /// As [`simulate`].
    pub fn lower(&self, kernel: &str, lowering: Lowering) -> Result<program::Program, Error> {
        program::lower(&self.ast, Source { file: &self.name, text: &self.text }, kernel, lowering)
    }
}

/// Which compiler's memory instructions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize)]
pub enum Lowering {
    /// What the simulated target's file says; where no target is given, as for the default target.
    #[default]
    #[serde(skip)]
    OfTarget,
    /// What ptxas makes of the PTX for compute capability 9.0.
    #[serde(rename = "sm_90")]
    Sm90,
    /// The PTX instructions as they stand.
    #[serde(rename = "none")]
    None,
}

impl Lowering {
    /// The name in reports and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OfTarget => "of the target",
            Self::Sm90 => "sm_90",
            Self::None => "none",
        }
    }
}

/// How to simulate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The GPU: a name of [`targets`].
    pub target: String,
    /// Which compiler's memory instructions are counted.
    pub lowering: Lowering,
    /// Warp-instructions that one thread block may execute before it is ended with a `budget` finding.
    pub budget: u64,
    /// Whether to look for races and uninitialised reads. Counters are the same with and without.
    pub checks: bool,
    /// The order in which things happen that the hardware leaves open (blocks, warps, lanes that have parted): 0 is the
    /// plain order, every other seed another one.
    pub seed: u64,
    /// How many such orders are tried: those of this many seeds from `seed` on. The report's counters and buffers are
    /// those of the first; findings of the others name their seed.
    pub schedules: u64,
    /// How the lanes of a warp that part at a branch run; `None` for what the target does.
    pub scheduling: Option<Scheduling>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            target: "h200".to_owned(),
            lowering: Lowering::default(),
            budget: 1 << 30,
            checks: true,
            seed: 0,
            schedules: 1,
            scheduling: None,
        }
    }
}

/// What a simulation gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Counters and findings.
    pub report: Report,
    /// One entry per argument: the buffer's bytes after the launch, `None` for a scalar.
    pub buffers: Vec<Option<Vec<u8>>>,
}

/// The names of the GPUs that can be simulated.
pub fn targets() -> Vec<&'static str> {
    target::all().iter().map(|target| &*target.name).collect()
}

/// Runs `kernel` of `module`.
///
/// # Errors
/// [`Error::Input`] when the launch does not fit the kernel, [`Error::Unsupported`] when the kernel uses something
/// that is not simulated. A faulty kernel is not an error: see [`Report::findings`].
pub fn simulate(module: &Module, kernel: &str, launch: &Launch, options: &Options) -> Result<Outcome, Error> {
    schedules::run(module, kernel, launch, options, one_schedule)
}

fn one_schedule(module: &Module, kernel: &str, launch: &Launch, options: &Options) -> Result<Outcome, Error> {
    let Some(target) = target::find(&options.target) else {
        return Err(Error::input(target::unknown(&options.target)));
    };
    let lowering = if options.lowering == Lowering::OfTarget { target.lowering } else { options.lowering };
    let program = module.lower(kernel, lowering)?;
    let mut machine = Machine::new(&program, launch, target, options)?;
    let ran = match run(&machine, options, false) {
        Some(ran) => ran,
        None => {
            machine = Machine::new(&program, launch, target, options)?;
            let blocked = || Error::Internal("blocks that run in turn wait for blocks that do not".to_owned());
            run(&machine, options, true).ok_or_else(blocked)?
        }
    };
    let Ran { observer: checked, faults, printed, .. } = ran;
    let (counters, places) = (&checked.counters, Places { machine: &machine, module: &module.ast, ptx: &module.name });
    let mut findings = faults.findings(&machine, &module.ast, &module.name);
    let (found, remarks) = checked.findings(places);
    findings.extend(found);
    findings.sort_by(|a, b| (&a.file, a.line, a.kind).cmp(&(&b.file, b.line, b.kind)));

    let mut contents = machine.global.buffers().iter();
    let buffers: Vec<Option<Vec<u8>>> = launch
        .args
        .iter()
        .map(|arg| match arg {
            Arg::Buffer(_) | Arg::Zeros(_) => contents.next().map(Allocation::to_vec),
            Arg::Scalar(_) | Arg::Bytes(_) => None,
        })
        .collect();
    let output = buffers
        .iter()
        .enumerate()
        .filter_map(|(argument, bytes)| {
            let bytes = bytes.as_ref()?;
            Some(BufferDigest { argument, bytes: bytes.len() as u64, sha256: digest(bytes) })
        })
        .collect();
    let (major, minor) = module.ast.version;
    let report = Report {
        kernel: kernel.to_owned(),
        target: target.name.clone(),
        launch: LaunchShape {
            grid: launch.grid.into(),
            block: launch.block.into(),
            shared_dynamic: launch.shared_bytes,
            shared_static: program.shared_static as u32,
        },
        occupancy: Some(machine.occupancy),
        metrics: metrics::totals(metrics::EXACT, counters, &program),
        estimates: metrics::totals(metrics::OWN, counters, &program),
        lines: metrics::lines(counters, &program, &module.ast, &module.name),
        findings,
        remarks,
        order: Order { places: schedules::places(&machine, counters, &module.ast, &module.name), ..Order::default() },
        printed: printed.report(),
        output,
        versions: Versions {
            warpbook: env!("CARGO_PKG_VERSION").to_owned(),
            ptx: format!("{major}.{minor}"),
            ptx_target: module.ast.target.clone(),
            lowering: lowering.name().to_owned(),
        },
    };
    Ok(Outcome { report, buffers })
}

/// Runs all blocks, with checks or without.
fn run(machine: &Machine<'_>, options: &Options, in_turn: bool) -> Option<Ran<Checked>> {
    if options.checks {
        return machine.run(in_turn, || Checked::new(machine), Checked::merge);
    }
    let ran = machine.run(in_turn, || Counters::of(machine), |sum: &mut Counters, later| sum.merge(&later))?;
    Some(ran.map(Checked::unchecked))
}

/// SHA-256 in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
