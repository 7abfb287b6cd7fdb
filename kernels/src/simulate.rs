//! Running cases on the simulator. Every problem's PTX is read once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use sim::{Launch, Module, Options, Outcome};

use crate::case::Case;
use crate::ptx;

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
            Self::Sim { error, .. } if matches!(error.class(), sim::ErrorClass::Unsupported) => 3,
            _ => 101,
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

/// Runs a case on the simulator.
///
/// # Errors
/// [`SimulateError`] when the simulator refuses. A faulty kernel is not an error: see [`sim::Report::findings`].
pub fn case(case: &Case) -> Result<Outcome, SimulateError> {
    launch(case, &case.prepare().launch)
}

/// Runs a case whose inputs are made already.
///
/// # Errors
/// As for [`case`].
pub(crate) fn launch(case: &Case, launch: &Launch) -> Result<Outcome, SimulateError> {
    let module = module(case.problem)?;
    sim::simulate(&module, case.kernel, launch, &Options::default())
        .map_err(|error| SimulateError::Sim { case: case.to_string(), error })
}
