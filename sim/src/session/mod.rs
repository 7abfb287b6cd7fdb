//! A launch that is stepped forwards and back, one warp-instruction at a time.
//!
//! A [`Session`] runs a launch once, with all checks, and writes down every step (`record`): which warp executed which
//! instruction with which lanes, and what is remarkable of it. A *position* is the number of steps since the beginning;
//! the order is that of a run on one CPU thread, which a seed changes. The same position is the same state, however one
//! comes there: every look at a position starts from a snapshot before it and goes on from there (`replay`), so that a
//! step back costs what a step forward costs. Snapshots are bounded in number and bytes ([`Limits`]), and the way from one
//! of them to the next is a 64th of the launch at most, where their bytes allow it.
//!
//! What is asked about steps (`find`, `steps`) is answered from the record alone.

mod eye;
mod find;
mod look;
mod marks;
mod names;
mod record;
mod replay;
mod sentence;
mod snapshots;
mod steps;
mod view;
mod writes;

use std::sync::Arc;

use crate::check::{Checked, Plan};
use crate::error::Error;
use crate::findings::{Finding, Places};
use crate::launch::{Launch, buffer_address};
use crate::machine::grid::Machine;
use crate::machine::pace::Pace;
use crate::module::Module;
use crate::options::{Checks, Options};
use crate::prepare::Executable;
use crate::scheduler::{Snapshot, Stop, Walk};
use eye::Eye;
use names::Names;
use record::{Record, Recorder};
use snapshots::Snapshots;

pub use find::{Direction, LastWrite, Unit, Word};
pub use marks::Event;
pub use steps::StepTaken;
pub use view::{
    Access, BarrierView, BlockView, Done, Listed, Next, PathView, Place, RegisterView, SharedView, State, VariableView,
    View, WarpInBlock, WarpView,
};

/// What a session may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Warp-instructions that are recorded. A launch of more ends there, for the session.
    pub steps: u64,
    /// Bytes that snapshots may take together, about. One of the beginning, and one near the position, are there in any
    /// case.
    pub bytes: usize,
}

impl Default for Limits {
    /// Two million steps, which take about twenty megabytes themselves, and 64 MiB.
    fn default() -> Self {
        Self { steps: 1 << 21, bytes: 64 << 20 }
    }
}

/// A finding, and where it was first known.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// The position behind the step that showed it.
    pub position: u64,
    /// The finding.
    pub finding: Finding,
}

/// A launch that is stepped forwards and back.
pub struct Session {
    module: Module,
    program: Arc<Executable>,
    launch: Launch,
    options: Options,
    /// Blocks have to run in turn although their code does not show it.
    forced_turns: bool,
    record: Record,
    /// Positions before which a warp's turn begins, in order.
    turns: Vec<u64>,
    snapshots: Snapshots,
    /// A snapshot of the beginning of the turn that was looked at last.
    near: Option<(u64, Snapshot)>,
    names: Names,
    findings: Vec<Found>,
    complete: bool,
    position: u64,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { position, .. } = self;
        write!(f, "Session of {} at {position} of {}", self.program.kernel, self.length())
    }
}

impl Session {
    /// Runs `kernel` of `module` once and stands at its beginning. Of `options`, [`details`](Options::details) and
    /// [`schedules`](Options::schedules) do not count here, and all checks run.
    ///
    /// # Errors
    /// As [`simulate`](crate::simulate).
    pub fn new(
        module: &Module,
        kernel: &str,
        launch: &Launch,
        options: &Options,
        limits: Limits,
    ) -> Result<Self, Error> {
        let (target, lowering) = options.target_and_lowering()?;
        let program = module.lower(kernel, lowering)?;
        for forced_turns in [false, true] {
            let mut machine = Machine::new(&program, launch, target, options)?;
            machine.forced_turns = forced_turns;
            let info = machine.info();
            let all = Options { checks: Checks::ALL, details: false, busiest: false, ..options.clone() };
            let plan = Plan::new(&info, &all);
            let recorder = Recorder::new(&program, Checked::new(&info, &plan), target.rules());
            let mut walk = Walk::new(&machine, Eye::Record(Box::new(recorder)));
            let mut snapshots = Snapshots::new(walk.snapshot(None), limits.bytes);
            let (mut turns, mut left) = (vec![0], limits.steps);
            let stop = loop {
                let stop = walk.go(Pace { left, pause: Some(u64::MAX), most: 1, halted: None });
                left = walk.left();
                let position = limits.steps - left;
                if stop != Stop::Turn {
                    break stop;
                }
                if turns.last().is_none_or(|&last| last < position) {
                    turns.push(position);
                    if snapshots.wants(position) {
                        snapshots.add(position, walk.snapshot(snapshots.before(position).map(|(_, own)| own)));
                    }
                }
            };
            if machine.is_stopped() {
                return Err(Error::Stopped);
            }
            let (Eye::Record(recorder), faults) = walk.observer() else { break };
            // Blocks that wait for each other, or race, are run once more, in turn: as a simulation does it.
            if !forced_turns && (stop == Stop::Waits || recorder.checked().disordered()) {
                continue;
            }
            recorder.settle(faults.kinds());
            recorder.finish(&program.code);
            let places = Places { launch: info, module: module.ast(), ptx: module.name() };
            let mut findings = faults.findings(places, false);
            findings.extend(recorder.checked().findings(places));
            let record = std::mem::take(&mut recorder.record);
            let findings = placed(findings, &record, &program, module);
            drop(walk);
            drop(machine);
            return Ok(Self {
                names: Names::new(&program),
                module: module.clone(),
                launch: launch.clone(),
                options: Options { watch: None, ..options.clone() },
                program,
                forced_turns,
                record,
                turns,
                snapshots,
                near: None,
                findings,
                complete: stop != Stop::Step,
                position: 0,
            });
        }
        Err(Error::Internal("blocks that run in turn wait for blocks that do not".to_owned()))
    }

    /// A machine of the launch on which nothing has run.
    fn machine(&self) -> Result<Machine<'_>, Error> {
        let (target, _) = self.options.target_and_lowering()?;
        let mut machine = Machine::new(&self.program, &self.launch, target, &self.options)?;
        machine.forced_turns = self.forced_turns;
        Ok(machine)
    }

    /// The position of the end: how many steps there are.
    pub fn length(&self) -> u64 {
        self.record.length()
    }

    /// Whether the end is that of the launch; else so many steps were recorded as [`Limits`] allow.
    pub const fn is_complete(&self) -> bool {
        self.complete
    }

    /// The position.
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Goes to a position, or to the end if it lies behind that. This takes no time; looking does.
    pub fn seek(&mut self, position: u64) {
        self.position = position.min(self.length());
    }

    /// What was found, in the order in which it became known.
    pub fn findings(&self) -> &[Found] {
        &self.findings
    }

    /// How many snapshots there are, and about how many bytes they take.
    pub fn snapshots(&self) -> (usize, usize) {
        (self.snapshots.count(), self.snapshots.bytes())
    }

    /// Some bytes of a buffer of the launch at the position: of the argument at a place in the list, from an offset on.
    /// What lies behind the buffer's end is left out.
    ///
    /// # Errors
    /// [`Error::Input`] when that argument is no buffer.
    pub fn buffer(&mut self, argument: usize, from: u64, bytes: u64) -> Result<Vec<u8>, Error> {
        use crate::launch::Arg;
        let is_buffer = |arg: &Arg| !matches!(arg, Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. });
        if !self.launch.args.get(argument).is_some_and(is_buffer) {
            return Err(Error::input(format!("argument {argument} is no buffer")));
        }
        let number = self.launch.args[..argument].iter().filter(|arg| is_buffer(arg)).count();
        self.at(self.position, |_, at| {
            let Some(buffer) = at.machine.global.find(buffer_address(number), 0) else { return Vec::new() };
            let end = from.saturating_add(bytes).min(buffer.bytes);
            (from..end).map(|offset| buffer.load(offset, 1) as u8).collect()
        })
    }
}

/// Findings with the position at which each was first known: that of a step at its place, if there is one.
fn placed(findings: Vec<Finding>, record: &Record, program: &Executable, module: &Module) -> Vec<Found> {
    let known: Vec<_> = record
        .found
        .iter()
        .map(|&step| {
            let place = program.place(module.ast(), module.name(), record.pcs[step as usize] as usize);
            (step, place, record.who(step))
        })
        .collect();
    let position = |finding: &Finding| {
        let here = |(file, line): &(String, u32)| *file == finding.file && *line == finding.line;
        let by_warp = |who: &Option<(u64, u32)>| who.is_some_and(|(_, warp)| warp == finding.warp);
        let exact = known.iter().find(|(_, place, who)| here(place) && by_warp(who));
        let step = exact.or_else(|| known.iter().find(|(_, place, _)| here(place)));
        step.map_or(record.length(), |(step, ..)| step + 1)
    };
    let mut placed: Vec<Found> =
        findings.into_iter().map(|finding| Found { position: position(&finding), finding }).collect();
    placed.sort_by(|a, b| {
        let key = |found: &Found| (found.position, found.finding.line, found.finding.kind);
        key(a).cmp(&key(b)).then_with(|| a.finding.file.cmp(&b.finding.file))
    });
    placed
}
