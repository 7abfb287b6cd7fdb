//! The operation `run`: launches one after another on the same buffers, within a budget.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use data::expression::Names;
use sim::predict::{How, predict};
use sim::{Arg, Checks, Error, ErrorClass, Module, Options, Watch, simulate};
use wasm_interface::{PACE, goes_on};

use crate::inputs::{self, Held};
use crate::protocol::{Buffer, Failure, FailureKind, Ran, Run, Values};

impl Failure {
    /// What the page has to change.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Input, message: message.into() }
    }

    fn budget(message: String) -> Self {
        Self { kind: FailureKind::Budget, message }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::input(message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let kind = match error.class() {
            ErrorClass::Input => FailureKind::Input,
            ErrorClass::Unsupported => FailureKind::Unsupported,
            ErrorClass::Internal => FailureKind::Internal,
        };
        Self { kind, message: error.to_string() }
    }
}

/// Counts what is executed, tells the host, and ends it when it is too much.
pub(crate) struct Meter {
    executed: AtomicU64,
    told: AtomicU64,
    budget: u64,
    /// The host wants no more.
    refused: AtomicBool,
}

impl Meter {
    /// One that ends it behind so many.
    pub(crate) fn new(budget: u64) -> Arc<Self> {
        let (executed, told) = (AtomicU64::new(0), AtomicU64::new(0));
        Arc::new(Self { executed, told, budget, refused: AtomicBool::new(false) })
    }

    /// Who counts.
    pub(crate) fn watch(self: &Arc<Self>) -> Watch {
        let own = Arc::clone(self);
        Watch::new(move |executed| own.add(executed))
    }

    fn add(&self, more: u64) -> ControlFlow<()> {
        let sum = self.executed.fetch_add(more, Relaxed) + more;
        if sum > self.budget {
            return ControlFlow::Break(());
        }
        if sum >= self.told.load(Relaxed) + PACE {
            self.told.store(sum, Relaxed);
            if !goes_on(sum) {
                self.refused.store(true, Relaxed);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// A failure of the simulator, where it is the budget's doing as such.
    pub(crate) fn failure(&self, error: Error) -> Failure {
        if error != Error::Stopped {
            return error.into();
        }
        if self.refused.load(Relaxed) {
            return Failure::budget(format!("stopped after {} warp-instructions", self.executed.load(Relaxed)));
        }
        Failure::budget(format!(
            "this takes more than {} warp-instructions, the most that may be executed here; a smaller launch or \
             `warpbook sim` on the command line will do it",
            self.budget
        ))
    }
}

/// Runs what is asked for on `module`.
///
/// # Errors
/// [`Failure`], when the request does not fit the module or itself, or its budget is spent.
pub(crate) fn run(module: &Module, request: &Run) -> Result<Ran, Failure> {
    let names = inputs::names(&request.numbers)?;
    let mut buffers = buffers(&request.buffers, &names, request.memory)?;
    for want in &request.want {
        position(&buffers, &want.buffer)?;
    }
    let meter = Meter::new(request.budget);
    let checks = request.checks.as_deref().map_or(Ok(Checks::ALL), str::parse)?;
    let defaults = Options::default();
    let options = Options {
        target: request.target.clone().unwrap_or(defaults.target),
        lowering: request.lowering.unwrap_or_default(),
        budget: request.block_budget.unwrap_or(defaults.budget),
        checks,
        seed: request.seed,
        schedules: request.schedules,
        details: request.details,
        memory: Some(request.memory),
        watch: Some(meter.watch()),
        ..defaults
    };
    let mut module = module.clone();
    let mut reports = Vec::new();
    for launch in &request.launches {
        let taken = inputs::launch(launch, &mut buffers, &names)?;
        let predicted = request
            .predict
            .then(|| {
                let options = Options { checks: Checks::NONE, details: false, schedules: 1, ..options.clone() };
                let how = How { registers: request.registers.get(&launch.kernel).copied(), ..How::default() };
                predict(&module, &launch.kernel, &taken.launch, &options, &how)
            })
            .transpose()
            .map_err(|error| meter.failure(error))?;
        let outcome = simulate(&module, &launch.kernel, &taken.launch, &options);
        let mut outcome = outcome.map_err(|error| meter.failure(error))?;
        outcome.report.prediction = predicted.map(|predicted| predicted.prediction);
        for (argument, buffer) in taken.passed {
            buffers[buffer].content = Arg::Buffer(outcome.buffers[argument].take().unwrap_or_default());
        }
        for (name, bytes) in &outcome.variables {
            module.write_variable(name, bytes)?;
        }
        reports.push(outcome.report);
    }
    let mut wanted = Vec::new();
    for want in &request.want {
        let held = &buffers[position(&buffers, &want.buffer)?];
        let values = held.values(want.from, want.count);
        wanted.push(Values { buffer: want.buffer.clone(), from: want.from, values });
    }
    Ok(Ran { reports, buffers: wanted, executed: meter.executed.load(Relaxed) })
}

/// The buffers of a request, which may take `room` bytes together.
pub(crate) fn buffers(described: &[Buffer], names: &Names, mut room: u64) -> Result<Vec<Held>, Failure> {
    let mut buffers: Vec<Held> = Vec::new();
    for buffer in described {
        if buffers.iter().any(|held| held.name == buffer.name) {
            return Err(Failure::input(format!("there are two buffers `{}`", buffer.name)));
        }
        let held = Held::of(buffer, names, room)?;
        room -= held.bytes();
        buffers.push(held);
    }
    Ok(buffers)
}

fn position(buffers: &[Held], name: &str) -> Result<usize, Failure> {
    let unknown = || Failure::input(format!("there is no buffer `{name}` whose elements could be given"));
    buffers.iter().position(|held| held.name == name).ok_or_else(unknown)
}
