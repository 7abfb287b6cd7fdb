//! The entry points: a parsed module, and a simulated launch of one of its kernels.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::check::{Checked, Checks, Places, Plan};
use crate::error::Error;
use crate::ir::Source;
use crate::launch::{Arg, Content, Launch, buffer_address};
use crate::lower;
use crate::machine::grid::{self, Machine, Ran};
use crate::machine::schedule::Scheduling;
use crate::memory::global::Written;
use crate::observe::counters::Counters;
use crate::observe::{by_line, metrics};
use crate::prepare::Executable;
use crate::ptx;
use crate::ptxas::Lowering;
use crate::report::details::{Details, Distance};
use crate::report::{BufferDigest, Finding, LaunchShape, Order, Report, Versions};
use crate::schedules;
use crate::target::{self, features};

/// A parsed PTX module.
#[derive(Debug, Clone)]
pub struct Module {
    name: Arc<str>,
    text: Arc<str>,
    ast: Arc<ptx::ast::Module>,
    lowered: Lowered,
}

/// What has been lowered already: many launches of a kernel need it once. Copies of a module share it.
type Lowered = Arc<Mutex<HashMap<(String, Lowering), Arc<Executable>>>>;

impl Module {
    /// Reads PTX. `name` is the file's name for messages.
    ///
    /// # Errors
    /// [`Error::Input`] with the place when the text is not PTX.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let (ast, errors) = ptx::parse(name, text);
        match errors.into_iter().next() {
            Some(first) => Err(Error::Input(Box::new(first))),
            None => Ok(Self { name: name.into(), text: text.into(), ast: Arc::new(ast), lowered: Lowered::default() }),
        }
    }

    /// The syntax tree.
    pub(crate) fn ast(&self) -> &ptx::ast::Module {
        &self.ast
    }

    /// The names of the kernels (`.entry`) in the module, in order.
    pub fn kernels(&self) -> Vec<&str> {
        self.ast.functions.iter().filter(|f| f.is_kernel && f.body.is_some()).map(|f| &*f.name.text).collect()
    }

    /// What a kernel takes and asks for; None if there is no such kernel.
    pub fn entry(&self, kernel: &str) -> Option<Entry> {
        let is_it = |f: &&ptx::ast::Function| f.is_kernel && f.body.is_some() && &*f.name.text == kernel;
        let function = self.ast.functions.iter().find(is_it)?;
        Some(Entry {
            params: function.params.iter().map(Parameter::of).collect(),
            required_threads: function.required_threads,
            max_threads: function.max_threads,
        })
    }

    /// The module's variables in global and constant memory, in order.
    pub fn variables(&self) -> Vec<Parameter> {
        self.ast.variables.iter().filter(|variable| is_settable(variable)).map(Parameter::of).collect()
    }

    /// Sets the first bytes of a variable in global or constant memory, as `cudaMemcpyToSymbol` does: every launch from
    /// now on begins with them.
    ///
    /// # Errors
    /// [`Error::Input`] when there is no such variable or it is smaller.
    pub fn write_variable(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let ast = Arc::make_mut(&mut self.ast);
        let found = ast.variables.iter_mut().find(|variable| is_settable(variable) && &*variable.name.text == name);
        let Some(variable) = found else {
            return Err(Error::input(format!("there is no variable `{name}` in global or constant memory")));
        };
        if bytes.len() as u64 > variable.bytes {
            let (given, size) = (bytes.len(), variable.bytes);
            return Err(Error::input(format!("the variable `{name}` has {size} bytes, {given} were given")));
        }
        if variable.content.len() < bytes.len() {
            variable.content.resize(bytes.len(), 0);
        }
        variable.content[..bytes.len()].copy_from_slice(bytes);
        variable.relocations.retain(|relocation| relocation.at >= bytes.len() as u64);
        // A program holds its variables' first bytes. Copies of this module keep theirs.
        self.lowered = Lowered::default();
        Ok(())
    }

    /// Lowers one of the kernels: what is executed.
    ///
    /// # Errors
    /// As [`simulate`].
    pub fn lower(&self, kernel: &str, lowering: Lowering) -> Result<Arc<Executable>, Error> {
        let key = (kernel.to_owned(), lowering);
        // Whoever panicked while holding the lock left the map whole.
        let lowered = || self.lowered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = lowered().get(&key) {
            return Ok(Arc::clone(program));
        }
        let source = Source { file: &self.name, text: &self.text };
        let program = lower::build(&self.ast, source, kernel)?;
        let program = Arc::new(Executable::new(lowering.codegen().compile(program)));
        lowered().insert(key, Arc::clone(&program));
        Ok(program)
    }
}

/// What a kernel takes and asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its parameters, in order.
    pub params: Vec<Parameter>,
    /// Exact number of threads per block in x, y and z (`.reqntid`).
    pub required_threads: Option<[u32; 3]>,
    /// Most threads per block in x, y and z (`.maxntid`).
    pub max_threads: Option<[u32; 3]>,
}

/// A parameter of a kernel, or a variable of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the PTX.
    pub name: String,
    /// Type of its elements, without the dot (`u32`, `b8`).
    pub element: String,
    /// Size in bytes.
    pub bytes: u64,
}

impl Parameter {
    fn of(variable: &ptx::ast::Variable) -> Self {
        Self { name: variable.name.text.to_string(), element: variable.element.to_string(), bytes: variable.bytes }
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
    /// Which bugs to look for. Counters are the same with and without.
    pub checks: Checks,
    /// The order in which things happen that the hardware leaves open (blocks, warps, lanes that have parted): 0 is the
    /// plain order, every other seed another one.
    pub seed: u64,
    /// How many such orders are tried: those of this many seeds from `seed` on. The report's counters and buffers are
    /// those of the first; findings of the others name their seed.
    pub schedules: u64,
    /// Whether the report has [`details`](Report::details). They take time and memory.
    pub details: bool,
    /// How the lanes of a warp that part at a branch run; `None` for what the target does.
    pub scheduling: Option<Scheduling>,
    /// Bytes that the launch's buffers, the module's variables and the local memory of the threads that run at once may
    /// take together; more is refused before anything is allocated. Simulated memory itself takes room only where it is
    /// written, and the checks take up to as much again. `None`: as much as the target has.
    pub memory: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            target: target::DEFAULT.to_owned(),
            lowering: Lowering::default(),
            budget: 1 << 30,
            checks: Checks::ALL,
            seed: 0,
            schedules: 1,
            details: false,
            scheduling: None,
            memory: None,
        }
    }
}

/// What a simulation gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Counters and findings.
    pub report: Report,
    /// One entry per argument: the buffer's bytes after the launch, `None` for a scalar.
    pub buffers: Vec<Option<Content>>,
    /// The module's variables in global memory that the launch changed, with their bytes after it.
    pub variables: Vec<(String, Vec<u8>)>,
}

/// Whether a module's variable can be given another content.
fn is_settable(variable: &ptx::ast::Variable) -> bool {
    matches!(variable.space, ptx::ast::StateSpace::Global | ptx::ast::StateSpace::Const)
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

/// What lanes that take no part in a shuffle give, in runs that find out whether it matters: large and negative as a
/// number of any type, and large and positive, for minima and maxima hide one of the two.
const ABSENT: [u32; 2] = [0xff12_3457, 0x7e12_3457];

fn one_schedule(module: &Module, kernel: &str, launch: &Launch, options: &Options) -> Result<Outcome, Error> {
    let Attempt { mut outcome, if_used } = attempt(module, kernel, launch, options, None)?;
    if let Some(findings) = if_used {
        let plain = Options { details: false, ..options.clone() };
        for absent in ABSENT {
            let other = attempt(module, kernel, launch, &plain, Some(absent))?.outcome;
            if !same_effects(&outcome, &other) {
                outcome.report.findings = findings;
                break;
            }
        }
    }
    Ok(outcome)
}

/// Whether two runs went the same ways and left the same behind.
fn same_effects(one: &Outcome, other: &Outcome) -> bool {
    let steps = |outcome: &Outcome| {
        let of = |name: &str| outcome.report.estimates.get(name).copied();
        ["warpbook__ptx_inst_executed.sum", "warpbook__ptx_thread_inst_executed.sum"].map(of)
    };
    let errors = |outcome: &Outcome| {
        let key = |finding: &Finding| (finding.kind, finding.file.clone(), finding.line, finding.count);
        outcome.report.errors().map(key).collect::<Vec<_>>()
    };
    one.report.output == other.report.output
        && one.variables == other.variables
        && one.report.printed == other.report.printed
        && steps(one) == steps(other)
        && errors(one) == errors(other)
}

/// A run.
struct Attempt {
    outcome: Outcome,
    /// The findings, should undefined values that lanes read turn out to be used; `None` if no lane has read one.
    if_used: Option<Vec<Finding>>,
}

/// Runs a launch once; `absent` is what lanes that take no part in a shuffle give.
fn attempt(
    module: &Module,
    kernel: &str,
    launch: &Launch,
    options: &Options,
    absent: Option<u32>,
) -> Result<Attempt, Error> {
    let Some(target) = target::find(&options.target) else {
        return Err(Error::input(target::unknown(&options.target)));
    };
    let lowering = if options.lowering == Lowering::OfTarget { target.lowering } else { options.lowering };
    let program = module.lower(kernel, lowering)?;
    let mut machine = Machine::new(&program, launch, target, options)?;
    machine.absent = absent;
    let mut ran = run(&machine, options);
    if ran.as_ref().is_none_or(|ran| ran.observer.disordered()) {
        machine = Machine::new(&program, launch, target, options)?;
        machine.forced_turns = true;
        machine.absent = absent;
        ran = run(&machine, options);
    }
    let blocked = || Error::Internal("blocks that run in turn wait for blocks that do not".to_owned());
    let Ran { observer: checked, faults, printed, .. } = ran.ok_or_else(blocked)?;
    let (counters, places) = (&checked.counters, Places { machine: &machine, module: &module.ast, ptx: &module.name });
    let find = |used| {
        let mut findings = faults.findings(&machine, &module.ast, &module.name, used);
        findings.extend(checked.findings(places));
        findings.sort_by(|a, b| (a.severity, &a.file, a.line, a.kind).cmp(&(b.severity, &b.file, b.line, b.kind)));
        findings
    };
    let findings = find(false);
    let if_used = (absent.is_none() && faults.breaches.reads_undefined()).then(|| find(true));

    let (major, minor) = module.ast.version;
    let mut report = Report {
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
        order: Order { places: schedules::places(&machine, counters, &module.ast, &module.name), ..Order::default() },
        printed: printed.report(),
        missing: features::missing(target, &program, &module.ast, &module.name),
        details: None,
        prediction: None,
        output: Vec::new(),
        versions: Versions {
            warpbook: env!("CARGO_PKG_VERSION").to_owned(),
            ptx: format!("{major}.{minor}"),
            ptx_target: module.ast.target.clone(),
            lowering: lowering.name().to_owned(),
        },
    };
    report.details = checked.details.as_ref().map(|details| Details {
        distance: Distance::of(&report),
        lines: by_line::lines(details, &machine, &module.ast, &module.name),
    });
    let (written, variables) = machine.global.into_written();
    let mut written = written.into_iter();
    let mut buffer = 0;
    let mut after = |before: Option<&Content>, bytes: u64| {
        let content: Content = match (written.next().flatten(), before) {
            (Some(after), _) => after.into(),
            (None, Some(before)) if before.len() as u64 == bytes => before.clone(),
            (None, before) => {
                let mut content = before.map_or_else(Vec::new, |before| before.to_vec());
                content.resize(bytes as usize, 0);
                content.into()
            }
        };
        let known = checked.written(buffer_address(buffer));
        buffer += 1;
        Some(match known {
            Some(known) if content.written().is_none_or(|before| **before != known) => {
                content.with_written(Some(Arc::new(known)))
            }
            _ => content,
        })
    };
    let buffers: Vec<Option<Content>> = launch
        .args
        .iter()
        .map(|arg| match arg {
            Arg::Buffer(content) => after(Some(content), content.len() as u64),
            Arg::Memory { content, bytes, .. } => after(Some(content), *bytes),
            Arg::Zeros(bytes) | Arg::Uninit(bytes) => after(None, *bytes),
            Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } => None,
        })
        .collect();
    report.output = buffers
        .iter()
        .enumerate()
        .filter_map(|(argument, bytes)| {
            let bytes = bytes.as_ref()?;
            // Memory that is no argument goes by the first argument that is its address.
            let points_here = |arg: &Arg| matches!(arg, Arg::Address { argument: place, .. } if *place == argument);
            let argument = launch.args.iter().position(points_here).unwrap_or(argument);
            Some(BufferDigest { argument, bytes: bytes.len() as u64, blake3: bytes.digest().to_owned() })
        })
        .collect();
    let variables = changed(&program, variables);
    Ok(Attempt { outcome: Outcome { report, buffers, variables }, if_used })
}

/// The variables in global memory whose bytes after the launch are not what they were.
fn changed(program: &Executable, written: Vec<Written>) -> Vec<(String, Vec<u8>)> {
    let addresses = grid::addresses(program);
    let written = program.globals.iter().zip(written).filter_map(|(variable, after)| Some((variable, after?)));
    // What lies behind the last page that was written is as it was: a large variable is not made whole for that.
    let changed = written.filter(|(variable, after)| {
        let mut before = grid::content(variable, &addresses);
        let rest = before.split_off(before.len().min(after.len()));
        before.resize(after.len(), 0);
        debug_assert!(rest.len() as u64 <= variable.bytes, "a variable's content fits into it");
        before != *after
    });
    changed.map(|(variable, after)| (variable.name.clone(), after)).collect()
}

/// Runs all blocks, with checks and details or without.
fn run(machine: &Machine<'_>, options: &Options) -> Option<Ran<Checked>> {
    let (checks, details) = (options.checks, options.details);
    if checks != Checks::NONE || details {
        let plan = Plan::new(machine, checks, details);
        return machine.run(|| Checked::new(machine, &plan), Checked::merge);
    }
    let ran = machine.run(|| Counters::of(machine), |sum: &mut Counters, later| sum.merge(&later))?;
    Some(ran.map(Checked::unchecked))
}
