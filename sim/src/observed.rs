//! A launch with an observer of anybody's making: the door that every observer comes in by.

use crate::error::Error;
use crate::event::{LaunchInfo, Observer};
use crate::findings::{Finding, Places};
use crate::launch::Launch;
use crate::machine::grid::Machine;
use crate::module::Module;
use crate::options::Options;
use crate::scheduler::{self, Ran};

/// What a launch showed to an observer.
#[derive(Debug, Clone)]
pub struct Observed<O> {
    /// The observer, which has seen all blocks.
    pub observer: O,
    /// What the machine itself found: accesses outside of memory, threads that wait for ever. What takes a shadow of
    /// memory (races, reads of what nobody has written) is looked for by [`simulate`](crate::simulate) alone.
    pub findings: Vec<Finding>,
}

/// Runs `kernel` of `module` for observers: blocks that do not communicate run side by side in groups, and `observer`
/// makes one for each group; `merge` adds one that has seen later blocks to one that has seen earlier ones. Of `options`,
/// [`checks`](Options::checks), [`details`](Options::details) and [`schedules`](Options::schedules) do not count here.
///
/// A launch whose blocks turn out to wait for each other is run a second time, with new observers.
///
/// # Errors
/// As [`simulate`](crate::simulate).
pub fn run_observed<O: Observer + Send>(
    module: &Module,
    kernel: &str,
    launch: &Launch,
    options: &Options,
    observer: impl Fn(&LaunchInfo<'_>) -> O + Sync,
    merge: impl Fn(&mut O, O) + Sync + Send,
) -> Result<Observed<O>, Error> {
    let (target, lowering) = options.target_and_lowering()?;
    let program = module.lower(kernel, lowering)?;
    let new = || Machine::new(&program, launch, target, options);
    let (machine, ran) = scheduler::launch(new, |machine| {
        let info = machine.info();
        scheduler::run(machine, || observer(&info), &merge)
    })?;
    let Ran { observer, faults, .. } = ran;
    let places = Places { launch: machine.info(), module: module.ast(), ptx: module.name() };
    Ok(Observed { observer, findings: faults.findings(places, true) })
}
