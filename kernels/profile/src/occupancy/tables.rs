//! The occupancy of every launch as tables in which a page only looks things up. They hold what
//! [`Target::occupancy`] says: a step function for each resource, made by asking it.

use serde::{Deserialize, Serialize};
use sim::target::{Limit, Target, Usage};

/// A step of a function that falls or stays as its input grows: its value for all inputs from behind the step before up to
/// `to`, that included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The last input.
    pub to: u64,
    /// Thread blocks that fit; `None` where this resource limits nothing.
    pub blocks: Option<u32>,
}

/// A size of a thread block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// The most threads with so many warps.
    pub to: u64,
    /// Warps of the block.
    pub warps: u32,
    /// Blocks that fit as far as warps are concerned.
    pub blocks: u32,
    /// Blocks that fit by the registers of a thread.
    pub registers: Vec<Step>,
}

/// The occupancy of a GPU. An input behind the last step lets no block fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tables {
    /// Blocks that fit by the threads of a block, and for each of these sizes by the registers.
    pub sizes: Vec<Size>,
    /// Blocks that fit by the shared memory of a block, in bytes.
    pub shared: Vec<Step>,
    /// Blocks that a multiprocessor holds in any case.
    pub blocks: u32,
    /// Warps that a multiprocessor has room for.
    pub warps: u32,
    /// What limits are called, in the order in which the first of several counts.
    pub limits: [String; 4],
}

/// What the tables say of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looked {
    /// Resident blocks of a multiprocessor.
    pub blocks: u32,
    /// Resident warps.
    pub warps: u32,
    /// What limits them: a place in [`Tables::limits`].
    pub limit: usize,
}

/// The limits in their order.
pub(crate) const LIMITS: [Limit; 4] = [Limit::Warps, Limit::Blocks, Limit::Registers, Limit::SharedMemory];

impl Tables {
    /// Those of a GPU. The parameters of a kernel are left out, which take shared memory on the oldest.
    pub fn of(target: &Target) -> Self {
        let most = u64::from(target.threads_per_block);
        let lanes = u64::from(target.warp_lanes.max(1));
        let sizes = (1..=most.div_ceil(lanes)).map(|warps| {
            let threads = (warps * lanes).min(most) as u32;
            let of = |registers| target.occupancy(&Usage { threads, registers, ..Usage::default() });
            let last = u64::from(target.registers_per_thread);
            let registers = steps(last, |registers| of(Some(registers as u32)).by_registers);
            Size { to: u64::from(threads), warps: warps as u32, blocks: of(None).by_warps, registers }
        });
        let shared = |shared_bytes| target.occupancy(&Usage { threads: 1, shared_bytes, ..Usage::default() });
        let mut by_shared = steps(u64::from(target.shared_per_multiprocessor), |bytes| shared(bytes).by_shared_memory);
        by_shared.retain(|step| step.blocks != Some(0));
        let any = shared(0);
        Self {
            sizes: sizes.collect(),
            shared: by_shared,
            blocks: any.by_blocks,
            warps: any.most_warps,
            limits: LIMITS.map(|limit| limit.text().to_owned()),
        }
    }

    /// Looks a launch up, as the page does it.
    pub fn look(&self, threads: u64, registers: Option<u64>, shared_bytes: u64) -> Looked {
        let size = self.sizes.iter().find(|size| threads <= size.to);
        let at =
            |steps: &[Step], input: u64| steps.iter().find(|step| input <= step.to).map_or(Some(0), |step| step.blocks);
        let by = [
            Some(size.map_or(0, |size| size.blocks)),
            Some(self.blocks),
            registers.and_then(|registers| size.and_then(|size| at(&size.registers, registers))),
            at(&self.shared, shared_bytes),
        ];
        let least = by.into_iter().enumerate().filter_map(|(limit, blocks)| Some((blocks?, limit))).min();
        let (blocks, limit) = least.unwrap_or((self.blocks, 1));
        Looked { blocks, warps: blocks * size.map_or(0, |size| size.warps), limit }
    }
}

/// The steps of a function from 0 to `last` that never rises.
fn steps(last: u64, value: impl Fn(u64) -> Option<u32>) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut from = 0;
    while from <= last {
        let blocks = value(from);
        // The last input with the same value lies between these.
        let (mut same, mut other) = (from, last + 1);
        while other - same > 1 {
            let middle = same + (other - same) / 2;
            if value(middle) == blocks { same = middle } else { other = middle }
        }
        steps.push(Step { to: same, blocks });
        from = same + 1;
    }
    steps
}
