//! A launch of machine code from its beginning to its report.

use std::collections::BTreeSet;

use super::block::Faults;
use super::machine::Machine;
use super::op::{Op, Space};
use super::program::{Inst, Program};
use super::run::{self, Ran};
use super::stream::{STREAM, Site};
use super::table::{self, Source};
use super::time;
use crate::error::Error;
use crate::findings::{Finding, Severity};
use crate::ir::arithmetic::Arithmetic;
use crate::launch::{Arg, Content, Launch};
use crate::observe::metrics::{self, Kind, What};
use crate::options::Options;
use crate::predict::How;
use crate::predict::timeline::Timeline;
use crate::report::machine_code::{MachineCode, MachineInstruction};
use crate::report::{BufferDigest, LaunchShape, Metrics, Report, Versions};
use crate::simulate::Outcome;

/// Runs a launch of machine code.
///
/// Of the options, the target and the budget count here.
///
/// # Errors
/// [`Error::Input`] when the launch does not fit the kernel or the GPU. A faulty kernel is not an error: see
/// [`Report::findings`].
pub fn simulate(program: &Program, launch: &Launch, options: &Options) -> Result<Outcome, Error> {
    run_and_count(program, launch, options).map(|(outcome, _)| outcome)
}

/// Runs a launch of machine code and predicts how long it takes on its target. The work of every block is known then: where
/// it differs, the blocks that are replayed are chosen by it. The report has the prediction, and its listing what warps
/// wait for at every instruction.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_timed(
    program: &Program,
    launch: &Launch,
    options: &Options,
    how: &How,
) -> Result<(Outcome, Timeline), Error> {
    let (mut outcome, work) = run_and_count(program, launch, options)?;
    if outcome.report.findings.iter().any(|finding| finding.kind.ends_launch()) {
        return Ok((outcome, Timeline::default()));
    }
    let whole = work.len() as u64 == launch.grid.count();
    let timed = time::timed(program, launch, options, how, whole.then(|| time::work(0.., &work)))?;
    if let Some(section) = &mut outcome.report.machine_code {
        time::annotate(section, &timed.stalls);
    }
    outcome.report.prediction = Some(timed.prediction);
    Ok((outcome, timed.timeline))
}

/// The content of every buffer before a launch.
pub(super) fn unchanged(launch: &Launch) -> Vec<Option<Content>> {
    let content = |arg: &Arg| match arg {
        Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } => None,
        Arg::Buffer(before) | Arg::Memory { content: before, .. } => Some(before.clone()),
        Arg::Zeros(bytes) | Arg::Uninit(bytes) => Some(vec![0; *bytes as usize].into()),
    };
    launch.args.iter().map(content).collect()
}

/// Runs a launch; the length of every block comes with what it showed.
fn run_and_count(program: &Program, launch: &Launch, options: &Options) -> Result<(Outcome, Vec<run::Length>), Error> {
    let machine = Machine::new(program, launch, options)?;
    let mut ran = run::run(&machine);
    let work = std::mem::take(&mut ran.work);
    let sites = || {
        let counted = ran.counters.by_pc.iter().zip(&ran.executed);
        program.instructions.iter().zip(counted).filter(|(_, (_, executed))| executed.warps > 0)
    };
    let exact = || sites().map(|(inst, (counts, executed))| (inst, site(inst, counts, executed.pred_on)));
    let own = |mut metrics: Metrics| {
        metrics.retain(|name, _| !OF_PTX.iter().any(|part| name.contains(part)));
        metrics
    };
    let place = |inst: &Inst| (inst.file.to_string(), inst.line);
    let mut lines = metrics::by_line(exact().map(|(inst, site)| (place(inst), site)), metrics::OWN);
    for line in &mut lines {
        line.estimates = own(std::mem::take(&mut line.estimates));
    }
    let mut report = Report {
        kernel: program.kernel.clone(),
        target: machine.target.name.clone(),
        launch: LaunchShape {
            grid: launch.grid.into(),
            block: launch.block.into(),
            shared_dynamic: launch.shared_bytes,
            shared_static: machine.shared_static as u32,
        },
        occupancy: Some(machine.occupancy),
        metrics: metrics::sum(metrics::EXACT, exact().map(|(_, site)| site)),
        estimates: own(metrics::sum(metrics::OWN, exact().map(|(_, site)| site))),
        lines,
        findings: findings(&ran.faults, program),
        machine_code: Some(section(program, &ran)),
        versions: Versions {
            warpbook: env!("CARGO_PKG_VERSION").to_owned(),
            ptx: String::new(),
            ptx_target: "sm_90".to_owned(),
            lowering: "machine code".to_owned(),
        },
        ..Report::default()
    };
    let (written, variables) = machine.global.into_written();
    let mut written = written.into_iter();
    let mut after = |before: Option<&Content>, bytes: u64| -> Content {
        match (written.next().flatten(), before) {
            (Some(after), _) => after.into(),
            (None, Some(before)) if before.len() as u64 == bytes => before.clone(),
            (None, before) => {
                let mut content = before.map_or_else(Vec::new, |before| before.to_vec());
                content.resize(bytes as usize, 0);
                content.into()
            }
        }
    };
    let buffers: Vec<Option<Content>> = launch
        .args
        .iter()
        .map(|arg| match arg {
            Arg::Buffer(content) => Some(after(Some(content), content.len() as u64)),
            Arg::Memory { content, bytes, .. } => Some(after(Some(content), *bytes)),
            Arg::Zeros(bytes) | Arg::Uninit(bytes) => Some(after(None, *bytes)),
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
    let changed = program.variables.iter().zip(variables).filter_map(|(variable, after)| {
        let after = after?;
        let mut before = variable.content.clone();
        before.resize(after.len(), 0);
        (before != after).then(|| (variable.name.clone(), after))
    });
    let variables = changed.collect();
    Ok((Outcome { report, buffers, variables }, work))
}

/// Parts of the names of our own counters that are about PTX or need its road.
const OF_PTX: [&str; 3] = ["ptx", "printf", "longest_warp"];

/// What the exact counters have to know of an instruction.
fn site<'a>(inst: &Inst, counts: &'a crate::observe::counters::Counts, lanes: u64) -> metrics::Site<'a> {
    let (kind, width) = match &inst.op {
        Op::Load(access) => (Some(Kind::Load), access.bytes),
        Op::Store(access) => (Some(Kind::Store), access.bytes),
        Op::CopyAsync { bytes, .. } => (Some(Kind::Copy), *bytes),
        Op::LoadMatrix { .. } => (Some(Kind::Rows), 16),
        Op::StoreMatrix { .. } => (Some(Kind::Store), 16),
        Op::Atomic(atomic) if atomic.result.is_none() => (Some(Kind::Reduction), atomic.bytes * atomic.elements),
        Op::Atomic(atomic) => (Some(Kind::Atomic), atomic.bytes * atomic.elements),
        _ => (None, 0),
    };
    // One that tells whether it was done leaves what lies in shared memory to another instruction.
    let either = matches!(&inst.op, Op::Atomic(atomic) if atomic.space == Space::Generic && atomic.success == 7);
    let exchanges = table::find(inst.name, &inst.text).is_some_and(|row| row.class == table::Class::Communication);
    let one = |name: &str| u8::from(inst.name == name);
    let arithmetic = Arithmetic {
        fadd: one("FADD"),
        fmul: one("FMUL"),
        ffma: one("FFMA"),
        dadd: one("DADD"),
        dmul: one("DMUL"),
        dfma: one("DFMA"),
    };
    let bulk = matches!(inst.op, Op::Bulk(_));
    let barrier = matches!(inst.op, Op::Barrier(_));
    let what = What { kind, either, bulk, width, exchanges, barrier, ..What::default() };
    metrics::Site { counts, what, arithmetic, arithmetic_lanes: lanes, unusual: Default::default(), removed: false }
}

/// The instruction stream: counters and listing.
fn section(program: &Program, ran: &Ran) -> MachineCode {
    let mut counters: Metrics = STREAM.iter().map(|stream| (stream.counter.metric.to_owned(), 0)).collect();
    let mut listing = Vec::with_capacity(program.instructions.len());
    let mut by_likeness = BTreeSet::new();
    for (inst, (memory, executed)) in program.instructions.iter().zip(ran.counters.by_pc.iter().zip(&ran.executed)) {
        let row = table::find(inst.name, &inst.text);
        if executed.warps > 0 {
            if row.is_none_or(|row| row.source == Source::Likeness) {
                by_likeness.insert(inst.name.to_owned());
            }
            let site = Site { name: inst.name, row, executed, memory };
            for stream in STREAM {
                if let Some(total) = counters.get_mut(stream.counter.metric) {
                    *total += (stream.value)(&site);
                }
            }
        }
        let mut metrics = metrics::sum(metrics::EXACT, std::iter::once(site(inst, memory, executed.pred_on)));
        metrics.retain(|_, value| *value > 0);
        listing.push(MachineInstruction {
            offset: inst.offset,
            text: inst.text.clone(),
            control: inst.control.to_string(),
            file: inst.file.to_string(),
            line: inst.line,
            executed: executed.warps,
            threads: executed.threads,
            pred_on: executed.pred_on,
            divergent: executed.divergent,
            metrics,
            stalls: Metrics::new(),
        });
    }
    MachineCode {
        compiler: program.compiler.clone(),
        registers: program.resources.registers,
        counters,
        by_likeness: by_likeness.into_iter().collect(),
        listing,
        line_stalls: Vec::new(),
    }
}

fn findings(faults: &Faults, program: &Program) -> Vec<Finding> {
    let finding = |(&(pc, kind), fault): (&(u32, _), &super::block::Fault)| {
        let inst = &program.instructions[pc as usize];
        Finding {
            kind,
            severity: Severity::Error,
            message: fault.message.clone(),
            help: fault.help.to_owned(),
            file: inst.file.to_string(),
            line: inst.line,
            seed: 0,
            block: fault.block,
            warp: fault.warp,
            lanes: crate::lanes::lanes_of(fault.lanes).collect(),
            count: fault.count,
            space: fault.space,
            parties: Vec::new(),
        }
    };
    let mut findings: Vec<Finding> = faults.iter().map(finding).collect();
    findings.sort_by(|a, b| (&a.file, a.line, a.kind).cmp(&(&b.file, b.line, b.kind)));
    findings
}
