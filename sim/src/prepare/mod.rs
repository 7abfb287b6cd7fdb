//! From a counted program to what the executor runs.
//!
//! 1. `reconvergence`: where the lanes that diverge at a branch reconverge.
//! 2. [`convergence_barriers`]: where some of them do before all do.
//! 3. `address_folding`: chains of instructions are executed in fewer steps.
//! 4. [`register_allocation`]: registers that are not needed at the same time share a slot.

#![deny(clippy::wildcard_enum_match_arm)]

mod address_folding;
pub mod convergence_barriers;
pub(crate) mod liveness;
mod reconvergence;
pub mod register_allocation;

use std::ops::Deref;

use crate::ir::Inst;
use crate::ptxas::Counted;
use convergence_barriers::Joins;
use register_allocation::Code;

/// A program that can be executed. It can be read as the counted program that it is.
#[derive(Debug, Clone)]
pub struct Executable {
    counted: Counted,
    /// Where some of the lanes that part at a branch meet before all do.
    pub joins: Joins,
    /// The instructions with chains of them in fewer steps: some do nothing, others more than the PTX says.
    pub steps: Vec<Inst>,
    /// The steps as they are executed.
    pub code: Code,
}

impl Executable {
    /// Prepares a counted program.
    pub(crate) fn new(mut counted: Counted) -> Self {
        reconvergence::run(counted.program_mut());
        let joins = convergence_barriers::find(&counted);
        let steps = address_folding::run(counted.program_mut());
        let code = register_allocation::run(&counted, &joins, &steps);
        Self { counted, joins, steps, code }
    }
}

impl Deref for Executable {
    type Target = Counted;

    fn deref(&self) -> &Counted {
        &self.counted
    }
}
