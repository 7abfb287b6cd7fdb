//! What is simulated, and what it is held against.

use std::sync::Arc;

use sim::Module;
use sim::target::{self, DEFAULT, Target};

use super::{CompareError, Edited};
use crate::case::Case;
use crate::gpu::Gpu;
use crate::ptx;
use crate::simulate::{self, SimulateError};
use crate::truth::{self, Provenance, Record};

/// What the simulator is held against.
#[derive(Debug, Clone, Default)]
pub struct Against<'a> {
    /// Records; the first of a problem counts.
    pub records: Vec<&'a Record>,
    /// A GPU of this machine.
    pub gpu: Option<&'a Gpu>,
    /// What is simulated.
    pub simulator: Simulator,
}

/// What is simulated.
#[derive(Debug, Clone)]
pub struct Simulator {
    /// The GPU: a name of [`sim::targets`].
    pub target: String,
    /// Sources that are not those that the committed PTX was made from.
    pub edited: Vec<Edited>,
    /// Whether large cases are searched for races and uninitialised reads, too.
    pub all_checks: bool,
}

impl Default for Simulator {
    fn default() -> Self {
        Self { target: DEFAULT.to_owned(), edited: Vec::new(), all_checks: false }
    }
}

impl<'a> Against<'a> {
    /// The records of `target` (a name of [`sim::targets`]) that this program was built with, and `gpu`.
    ///
    /// # Errors
    /// [`CompareError::Truth`] when a record in this program cannot be used.
    pub fn recorded(target: &str, gpu: Option<&'a Gpu>) -> Result<Self, CompareError> {
        let records = truth::records().map_err(CompareError::Truth)?;
        let records = records.iter().filter(|record| record.provenance.slug() == target).collect();
        Ok(Self { records, gpu, simulator: Simulator { target: target.to_owned(), ..Simulator::default() } })
    }

    /// A record that was made elsewhere. The GPU that is simulated is the one that it is about, else the newest that the
    /// simulator knows which is no newer.
    ///
    /// # Errors
    /// [`CompareError::NoTarget`] when the simulator knows none of its kind.
    pub fn record(record: &'a Record, gpu: Option<&'a Gpu>) -> Result<Self, CompareError> {
        let target = target_of(&record.provenance).ok_or_else(|| CompareError::NoTarget {
            gpu: record.provenance.gpu.clone(),
            capability: record.provenance.compute_capability.clone(),
        })?;
        let simulator = Simulator { target: target.name.clone(), ..Simulator::default() };
        Ok(Self { records: vec![record], gpu, simulator })
    }
}

impl Simulator {
    /// The kernels of a problem as they are now: the edited ones, or those of the committed PTX.
    pub(super) fn module(&self, problem: &str) -> Result<Arc<Module>, SimulateError> {
        match self.edited.iter().find(|edited| edited.problem == problem) {
            Some(edited) => Ok(Arc::clone(&edited.module)),
            None => simulate::module(problem),
        }
    }

    /// SHA-256 of these kernels' code.
    pub(super) fn code_sha256(&self, problem: &str) -> Result<String, SimulateError> {
        let edited = self.edited.iter().find(|edited| edited.problem == problem);
        let committed = || ptx::committed(problem).ok_or_else(|| SimulateError::NoPtx(problem.to_owned()));
        edited.map_or_else(|| Ok(ptx::code_sha256(committed()?.text)), |edited| Ok(edited.code_sha256.clone()))
    }

    /// Their source.
    pub(super) fn source(&self, problem: &str) -> Option<&str> {
        let edited = self.edited.iter().find(|edited| edited.problem == problem);
        edited.map(|edited| &*edited.source).or_else(|| ptx::committed(problem).map(|committed| committed.source))
    }
}

/// The simulator's GPU for a record: the one of that name, else the newest one whose compute capability is no newer.
fn target_of(provenance: &Provenance) -> Option<&'static Target> {
    if let Some(target) = target::find(&provenance.slug()) {
        return Some(target);
    }
    let numbers = |text: &str| -> Option<(u32, u32)> {
        let (major, minor) = text.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    let own = numbers(&provenance.compute_capability)?;
    let capability = |target: &Target| numbers(&target.summary().compute_capability).filter(|number| *number <= own);
    target::all().iter().filter(|target| capability(target).is_some()).max_by_key(|target| capability(target))
}

impl Against<'_> {
    /// Takes the cases out that there is nothing to compare with, and returns the names of their problems: kernels that
    /// nobody has recorded yet are in the repository before they are in a table, and of some GPUs only some problems were recorded. With a
    /// GPU there are none; without any record all stay, and comparing says what is lacking.
    pub fn without_a_record(&self, cases: &mut Vec<Case>) -> Vec<&'static str> {
        if self.gpu.is_some() || self.records.is_empty() {
            return Vec::new();
        }
        let mut left_out: Vec<&'static str> = Vec::new();
        cases.retain(|case| {
            let recorded = self.records.iter().any(|record| record.problem == case.problem);
            if !recorded && !left_out.contains(&case.problem) {
                left_out.push(case.problem);
            }
            recorded
        });
        left_out
    }
}
