//! Running cases on the simulator. Every problem's PTX is read once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use advice::Advice;
use sim::machine_code::Program;
use sim::predict::{How, Predicted};
use sim::{Arg, Launch, Module, Options, Outcome, Report};

use crate::case::{Case, Pass, Prepared, Shape, Step};
use crate::{ptx, truth};

/// Why a case could not be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimulateError {
    /// The program has no PTX for the problem.
    #[error("this program was built without PTX for `{0}`")]
    NoPtx(String),
    /// The simulator refused.
    #[error("{case}: {error}")]
    Sim {
        /// Which case.
        case: String,
        /// What the simulator says.
        error: sim::Error,
    },
}

impl SimulateError {
    /// The exit code that a program should end with. The kernels and cases are our own, so whatever goes wrong with
    /// them is our bug, except what the simulator does not support.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Sim { error, .. } if matches!(error.class(), sim::ErrorClass::Unsupported) => {
                sim::ErrorClass::Unsupported.exit_code()
            }
            _ => sim::ErrorClass::Internal.exit_code(),
        }
    }
}

/// The parsed PTX of a problem.
///
/// # Errors
/// [`SimulateError`] when there is none or the simulator cannot read it.
pub fn module(problem: &str) -> Result<Arc<Module>, SimulateError> {
    static MODULES: Mutex<BTreeMap<String, Arc<Module>>> = Mutex::new(BTreeMap::new());
    // A panic elsewhere cannot leave the map half changed.
    let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(module) = modules.get(problem) {
        return Ok(Arc::clone(module));
    }
    let committed = ptx::committed(problem).ok_or_else(|| SimulateError::NoPtx(problem.to_owned()))?;
    let parsed = Module::parse(&format!("{problem}.ptx"), committed.text);
    let module = Arc::new(parsed.map_err(|error| SimulateError::Sim { case: problem.to_owned(), error })?);
    modules.insert(problem.to_owned(), Arc::clone(&module));
    Ok(module)
}

/// What the simulator did with a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// One report per launch, in order.
    pub reports: Vec<Report>,
    /// The content of the case's buffers after the last launch.
    pub contents: Vec<Vec<u8>>,
}

/// Runs the launches of a case one after another on the simulator.
///
/// # Errors
/// [`SimulateError`] when the simulator refuses. A faulty kernel is not an error: see [`sim::Report::findings`].
pub fn run(case: &Case, prepared: &Prepared) -> Result<Simulated, SimulateError> {
    run_with(&*module(case.problem)?, prepared, &Options::default())
        .map_err(|error| SimulateError::Sim { case: case.to_string(), error })
}

/// Runs launches one after another on the simulator, with the kernels of any module.
///
/// # Errors
/// As [`sim::simulate`].
pub fn run_with(module: &Module, prepared: &Prepared, options: &Options) -> Result<Simulated, sim::Error> {
    run_by(prepared, |kernel, launch| sim::simulate(module, kernel, launch, options))
}

/// Runs launches one after another as machine code; `program` gives that of a kernel.
///
/// # Errors
/// As [`sim::machine_code::simulate`], and those of `program`.
pub fn run_machine_code(
    program: impl Fn(&str) -> Result<Arc<Program>, sim::Error>,
    prepared: &Prepared,
    options: &Options,
) -> Result<Simulated, sim::Error> {
    run_by(prepared, |kernel, launch| sim::machine_code::simulate(&*program(kernel)?, launch, options))
}

/// Runs launches one after another, each by `simulate`.
fn run_by(
    prepared: &Prepared,
    simulate: impl Fn(&str, &Launch) -> Result<Outcome, sim::Error>,
) -> Result<Simulated, sim::Error> {
    let mut contents: Vec<Arg> = prepared.buffers.iter().map(|buffer| buffer.content.clone()).collect();
    let mut reports = Vec::new();
    for step in &prepared.steps {
        let (launch, passed) = launch(prepared, step, &mut contents)?;
        let mut outcome = simulate(step.kernel, &launch)?;
        reports.push(outcome.report);
        for (argument, buffer) in passed {
            contents[buffer] = Arg::Buffer(outcome.buffers[argument].take().unwrap_or_default());
        }
    }
    let content = |arg: Arg| match arg {
        Arg::Buffer(bytes) => bytes.into_vec(),
        Arg::Zeros(bytes) | Arg::Uninit(bytes) => vec![0; bytes as usize],
        Arg::Scalar(_) | Arg::Bytes(_) | Arg::Address { .. } | Arg::Memory { .. } => Vec::new(),
    };
    Ok(Simulated { reports, contents: contents.into_iter().map(content).collect() })
}

/// The edits that would help each launch of a case: the kernel, and what [`advice::of`] says of it.
///
/// # Errors
/// [`SimulateError`] when the simulator refuses.
pub fn advice(case: &Case) -> Result<Vec<(String, Vec<Advice>)>, SimulateError> {
    let module = module(case.problem)?;
    let options = Options { checks: sim::Checks::NONE, ..Options::default() };
    let all = RefCell::new(Vec::new());
    let ran = run_by(&case.prepare(), |kernel, launch| {
        let how = How { registers: truth::registers().get(kernel).copied(), ..How::default() };
        all.borrow_mut().push((kernel.to_owned(), advice::of(&module, kernel, launch, &options, &how)?));
        sim::simulate(&module, kernel, launch, &options)
    });
    ran.map_err(|error| SimulateError::Sim { case: case.to_string(), error })?;
    Ok(all.into_inner())
}

/// Predicts how long launch number `at` of a case takes, from 0, after those before it have been simulated.
///
/// # Errors
/// [`SimulateError`] when there is no such launch, or the simulator refuses.
pub fn predict(case: &Case, at: usize) -> Result<Predicted, SimulateError> {
    let failed = |error| SimulateError::Sim { case: case.to_string(), error };
    let mut prepared = case.prepare();
    let Some(step) = prepared.steps.get(at).cloned() else {
        let launches = prepared.steps.len();
        return Err(failed(sim::Error::input(format!("there is no launch {}; there are {launches}", at + 1))));
    };
    let module = module(case.problem)?;
    let options = Options { checks: sim::Checks::NONE, ..Options::default() };
    prepared.steps.truncate(at);
    let before = run_with(&module, &prepared, &options).map_err(failed)?;
    let mut contents: Vec<Arg> = before.contents.into_iter().map(|bytes| Arg::Buffer(bytes.into())).collect();
    let (launch, _) = launch(&prepared, &step, &mut contents).map_err(failed)?;
    let how = How { registers: truth::registers().get(step.kernel).copied(), ..How::default() };
    sim::predict::predict(&module, step.kernel, &launch, &options, &how).map_err(failed)
}

/// The launch of one step. The buffers that it is passed move into it; with it comes which argument is which buffer.
fn launch(prepared: &Prepared, step: &Step, contents: &mut [Arg]) -> Result<(Launch, Vec<(usize, usize)>), sim::Error> {
    let mut passed = Vec::new();
    let mut args = Vec::new();
    for arg in &step.args {
        args.push(match arg {
            Pass::Scalar(scalar) => Arg::Scalar(*scalar),
            Pass::Buffer(name) => {
                let unknown = || sim::Error::input(format!("`{}` is passed `{name}`, which is no buffer", step.kernel));
                let buffer = prepared.index(name).ok_or_else(unknown)?;
                passed.push((args.len(), buffer));
                std::mem::replace(&mut contents[buffer], Arg::Zeros(0))
            }
        });
    }
    let Shape { grid, block, shared_bytes } = step.shape;
    Ok((Launch { grid, block, shared_bytes, args }, passed))
}
