//! A warp: 32 lanes with their registers, paths and private memory.

use super::grid::Machine;
use super::paths::Paths;
use super::registers::Registers;
use crate::ir::inst::Pc;
use crate::ir::slots::StartValue;
use crate::launch::Dim3;

/// Instructions without an effect after which a warp that looks at memory is watched for the first time.
pub(crate) const FIRST_PATIENCE: u64 = 1024;

/// A memory access in a loop that spins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// The instruction.
    pub pc: Pc,
    /// Lanes that execute it.
    pub lanes: u32,
    /// Generic address that the lowest of them looks at.
    pub address: u64,
}

/// How a warp spins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spin {
    /// The count of [`Block::changes`](super::block::Block::changes) for which this is known.
    pub changes: u64,
    /// What its loops look at in memory that other threads can change, in order of execution.
    pub looks: Vec<Look>,
}

/// A warp of a thread block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warp {
    /// Number within the block.
    pub index: u32,
    /// Register file.
    pub registers: Registers,
    /// Where its lanes are.
    pub paths: Paths,
    /// Local memory of the lanes, lane after lane.
    pub local: Vec<u8>,
    /// Call arguments and results of the lanes, lane after lane.
    pub frame: Vec<u8>,
    /// The model's clock: one cycle per instruction, and the time that it waited at barriers and slept.
    pub clock: u64,
    /// Instructions that it has executed in this block.
    pub executed: u64,
    /// An atomic or volatile access was executed in this turn: what a loop can wait for.
    pub communicated: bool,
    /// It sleeps (`nanosleep`): its turn is over.
    pub sleeps: bool,
    /// Instructions since it last waited or changed anything that other threads can see.
    pub idle: u64,
    /// The count of `idle` at which it is looked at more closely.
    pub patience: u64,
    /// It has run a block, as the same warp of it.
    pub started: bool,
    /// It is known to repeat itself until memory changes.
    pub spin: Option<Spin>,
}

impl Warp {
    /// Makes the warp ready to run the kernel from its start, as warp `index` of thread block `block`.
    pub(crate) fn start(&mut self, machine: &Machine<'_>, block: Dim3, index: u32) {
        let program = machine.program;
        let first_thread = u64::from(index) * 32;
        let threads = machine.block.count();
        let lanes = (threads - first_thread).min(32) as u32;
        self.index = index;
        self.clock = 0;
        self.executed = 0;
        self.communicated = false;
        self.sleeps = false;
        self.idle = 0;
        self.patience = FIRST_PATIENCE;
        self.spin = None;
        self.paths.start(if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 });
        self.local.clear();
        self.local.resize(program.local_bytes as usize * 32, 0);
        self.frame.clear();
        self.frame.resize(program.frame_bytes as usize * 32, 0);
        // Storage that ran a block before belonged to the same warp of it, so much is still there.
        let again = std::mem::replace(&mut self.started, true);
        let there = |value: StartValue, slot: u16| again && slot < program.code.kept && !value.differs_by_block();
        let mut threads = [Dim3::linear(0); 32];
        if !program.code.start.iter().all(|(&value, &slot)| there(value, slot) || !value.differs_by_lane()) {
            let mut next = machine.block.coordinates(first_thread);
            for thread in &mut threads {
                *thread = next;
                next = after(next, machine.block);
            }
        }
        for (&value, &slot) in program.code.start.iter().filter(|&(&value, &slot)| !there(value, slot)) {
            let of = |lane: usize| start_value(value, machine, block, index, lane as u32, threads[lane]);
            let row = if value.differs_by_lane() { std::array::from_fn(of) } else { [of(0); 32] };
            self.registers.set_w(slot, &row, u32::MAX);
        }
    }
}

/// The thread behind this one in a block of this extent. Dividing a linear index anew for each lane takes longer than
/// many a kernel.
fn after(thread: Dim3, extent: Dim3) -> Dim3 {
    let Dim3 { x, y, z } = thread;
    if x + 1 < extent.x {
        Dim3::new(x + 1, y, z)
    } else if y + 1 < extent.y {
        Dim3::new(0, y + 1, z)
    } else {
        Dim3::new(0, 0, z + 1)
    }
}

fn start_value(value: StartValue, machine: &Machine<'_>, block: Dim3, warp: u32, lane: u32, thread: Dim3) -> u32 {
    match value {
        StartValue::TidX => thread.x,
        StartValue::TidY => thread.y,
        StartValue::TidZ => thread.z,
        StartValue::NtidX => machine.block.x,
        StartValue::NtidY => machine.block.y,
        StartValue::NtidZ => machine.block.z,
        // A cluster is one thread block, so the clusters of the grid are its blocks.
        StartValue::CtaidX | StartValue::ClusterIdX => block.x,
        StartValue::CtaidY | StartValue::ClusterIdY => block.y,
        StartValue::CtaidZ | StartValue::ClusterIdZ => block.z,
        StartValue::NctaidX | StartValue::NclusterIdX => machine.grid.x,
        StartValue::NctaidY | StartValue::NclusterIdY => machine.grid.y,
        StartValue::NctaidZ | StartValue::NclusterIdZ => machine.grid.z,
        StartValue::ClusterCtaidX | StartValue::ClusterCtaidY | StartValue::ClusterCtaidZ => 0,
        StartValue::ClusterNctaidX | StartValue::ClusterNctaidY | StartValue::ClusterNctaidZ => 1,
        StartValue::ClusterCtarank => 0,
        StartValue::ClusterNctarank => 1,
        StartValue::LaneId => lane,
        StartValue::WarpId => warp,
        StartValue::NwarpId => machine.warps_per_block(),
        // Blocks go round the multiprocessors in order.
        StartValue::SmId => {
            let linear = u64::from(block.x)
                + u64::from(machine.grid.x) * (u64::from(block.y) + u64::from(machine.grid.y) * u64::from(block.z));
            (linear % u64::from(machine.target.multiprocessors)) as u32
        }
        StartValue::NsmId => machine.target.multiprocessors,
        StartValue::GridId => 1,
        StartValue::LanemaskEq => 1 << lane,
        StartValue::LanemaskLt => (1 << lane) - 1,
        StartValue::LanemaskLe => u32::MAX >> (31 - lane),
        StartValue::LanemaskGt => u32::MAX.checked_shl(lane + 1).unwrap_or(0),
        StartValue::LanemaskGe => u32::MAX << lane,
        StartValue::DynamicSharedBytes => machine.shared_dynamic,
        // Both are multiples of what the target allocates (PTX ISA, "%total_smem_size", "%aggr_smem_size").
        StartValue::TotalSharedBytes => (machine.shared_bytes as u32).next_multiple_of(machine.target.shared_unit),
        StartValue::AggregateSharedBytes => {
            let all = machine.shared_bytes as u32 + machine.target.shared_reserved;
            all.next_multiple_of(machine.target.shared_unit)
        }
    }
}
