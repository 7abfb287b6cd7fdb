//! A simulated launch: the entry point, and how a report is put together.

mod order;
mod schedules;

use std::sync::Arc;

use crate::check::{Checked, Plan};
use crate::error::Error;
use crate::event::LaunchInfo;
use crate::findings::{Finding, Places};
use crate::launch::{Arg, Content, Launch, buffer_address};
use crate::machine::grid::{self, Machine};
use crate::memory::allocation::Written;
use crate::module::Module;
use crate::observe::counters::Counters;
use crate::observe::{by_line, metrics};
use crate::options::{Checks, Options};
use crate::prepare::Executable;
use crate::report::details::{Details, Distance};
use crate::report::{BufferDigest, LaunchShape, Order, Printed, Report, Versions};
use crate::scheduler::{self, Ran};
use crate::target::{self, features};

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
    let (target, lowering) = options.target_and_lowering()?;
    let program = module.lower(kernel, lowering)?;
    let new = || {
        let mut machine = Machine::new(&program, launch, target, options)?;
        machine.absent = absent;
        Ok(machine)
    };
    let (machine, ran) = scheduler::launch(new, |machine| {
        // Blocks that race are run once more, in turn.
        run(machine, options).filter(|ran| machine.forced_turns || !ran.observer.disordered())
    })?;
    let Ran { observer: checked, faults, printed, .. } = ran;
    let counters = &checked.counters;
    let places = Places { launch: machine.info(), module: module.ast(), ptx: module.name() };
    let find = |used| {
        let mut findings = faults.findings(places, used);
        findings.extend(checked.findings(places));
        findings.sort_by(|a, b| (a.severity, &a.file, a.line, a.kind).cmp(&(b.severity, &b.file, b.line, b.kind)));
        findings
    };
    let findings = find(false);
    let if_used = (absent.is_none() && faults.breaches.reads_undefined()).then(|| find(true));

    let (major, minor) = module.ast().version;
    let (text, calls, lost) = printed.told();
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
        lines: metrics::lines(counters, &program, module.ast(), module.name()),
        findings,
        order: Order { places: order::places(&program, counters, module.ast(), module.name()), ..Order::default() },
        printed: Printed { text, calls, lost },
        missing: features::missing(target, &program, module.ast(), module.name()),
        details: None,
        prediction: None,
        machine_code: None,
        output: Vec::new(),
        versions: Versions {
            warpbook: env!("CARGO_PKG_VERSION").to_owned(),
            ptx: format!("{major}.{minor}"),
            ptx_target: module.ast().target.clone(),
            lowering: lowering.name().to_owned(),
        },
    };
    report.estimates.extend(checked.busiest.iter().flat_map(|busiest| busiest.metrics()));
    report.details = checked.details.as_ref().map(|details| Details {
        distance: Distance::of(&report),
        lines: by_line::lines(details, &places.launch, module.ast(), module.name()),
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

/// Runs all blocks, with checks and what else is collected, or without.
fn run(machine: &Machine<'_>, options: &Options) -> Option<Ran<Checked>> {
    let launch: LaunchInfo<'_> = machine.info();
    if options.checks != Checks::NONE || options.details || options.busiest {
        let plan = Plan::new(&launch, options);
        return scheduler::run(machine, || Checked::new(&launch, &plan), Checked::merge);
    }
    let ran = scheduler::run(machine, || Counters::of(&launch), |sum: &mut Counters, later| sum.merge(&later))?;
    Some(ran.map(Checked::unchecked))
}
