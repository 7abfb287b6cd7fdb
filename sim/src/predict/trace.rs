//! What a sample of a launch's thread blocks executed, warp by warp: what the replay needs to time them.
//!
//! A trace has the instructions of the kernel once, and per warp a list of events: straight runs, single instructions,
//! memory accesses with what they cost, and barriers with who waited there. It holds no values of registers or memory.

use super::held::Brought;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A sample of a launch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// The kernel's instructions, by position.
    pub code: Vec<Instruction>,
    /// The thread blocks that are replayed, in order.
    pub blocks: Vec<BlockTrace>,
    /// Blocks in front of them that were followed only to see how blocks wait for one another.
    pub neighbours: Vec<BlockTrace>,
    /// Every global access of theirs.
    pub accesses: Vec<Access>,
    /// The 32-byte sectors that the accesses touch, by number (address / 32); each access has a range of them.
    pub sectors: Vec<u64>,
    /// Of loads that touch what other blocks touch, too: how they share it, by the instruction's position.
    pub sharing: BTreeMap<u32, Sharing>,
    /// The same of those sectors that many more of them touch than the others, which have a kind of sharing of their own.
    pub hot: BTreeMap<u32, Hot>,
    /// Bytes of each of the launch's buffers, which lie where global memory has them.
    pub buffers: Vec<u64>,
    /// Bytes of a block's local memory, which lies from [`LOCAL_MEMORY`] on, block behind block.
    pub local: u64,
    /// Accesses of the replayed blocks whose sectors other blocks brought to L2 well before, in order.
    pub early: Vec<u32>,
    /// Of each replayed block the sectors that blocks beside it bring which began earlier, and whether they do so at the same time,
    /// so that it waits for memory, too.
    pub beside: Vec<BTreeMap<u64, bool>>,
    /// Of rows of memory that replayed blocks and those beside them load together, the part that one block loads at most.
    pub shared_rows: HashMap<u64, f32>,
    /// What a load of the replayed blocks brings to L2, by instruction, where blocks that were executed one behind the other tell.
    pub fresh: BTreeMap<u32, Brought>,
    /// Chunks of memory, each of which belongs to one slice of L2, that several blocks from all over the grid store to.
    pub stored_by_many: HashSet<u64>,
    /// How the whole launch updates memory, if blocks from all over the grid tell.
    pub updates: Option<Updates>,
}

/// How a launch updates memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Updates {
    /// The place of which most updates are.
    pub hottest: Hottest,
    /// The chunk of memory, which belongs to one slice of L2, of which most updates are.
    pub busiest: Busiest,
    /// Slices that are busy on average while the busiest one is, where all blocks update the same places.
    pub slices: Option<f64>,
}

/// Updates of one place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Hottest {
    /// Accesses.
    pub accesses: f64,
    /// Updates of lanes.
    pub lanes: f64,
    /// Those of them that are sums of floating point.
    pub sums: f64,
}

/// Updates of one chunk of memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Busiest {
    /// Rounds of whole sectors.
    pub whole: f64,
    /// Rounds of parts of sectors.
    pub parts: f64,
    /// Sums of floating point behind sums to the same sector: one after the other.
    pub sums: f64,
}

/// Where local memory lies in a trace: no buffer is there.
pub const LOCAL_MEMORY: u64 = 1 << 62;

/// How the blocks of a launch share what a load touches.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sharing {
    /// Blocks, or groups of blocks, that touch a sector, on average.
    pub blocks: u64,
    /// Those of the launch.
    pub of: u64,
    /// Different sectors that are touched between two of them.
    pub between: u64,
    /// Of what the followed blocks touch, each for the first time: the part that no block of the launch has touched before.
    pub first: f64,
}

/// What most blocks touch of what a load touches.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hot {
    /// How they share it.
    pub sharing: Sharing,
    /// The sectors.
    pub sectors: HashSet<u64>,
}

impl Trace {
    /// Whether the instructions are those of machine code, with their control bits.
    pub fn is_machine_code(&self) -> bool {
        !self.code.is_empty() && self.code.iter().all(|instruction| instruction.issue.is_some())
    }

    /// A block gets the local memory of one that ended: so many of them have some at the same time.
    pub fn reuse_local(&mut self, resident: u32) {
        let (sectors, resident) = (self.local / 32, resident.max(1) as usize);
        if sectors == 0 {
            return;
        }
        for (number, block) in self.blocks.iter().enumerate() {
            let (from, to) = (block.index * sectors, (number % resident) as u64 * sectors);
            for event in block.warps.iter().flatten() {
                let Event::Global { access, .. } = event else { continue };
                let access = &self.accesses[*access as usize];
                let range = access.first as usize..(access.first + access.sectors) as usize;
                let local = self.sectors[range].iter_mut().filter(|sector| **sector >= LOCAL_MEMORY / 32);
                local.for_each(|sector| *sector = *sector - from + to);
            }
        }
    }

    /// The sectors that an access touches.
    pub fn touched(&self, access: &Access) -> &[u64] {
        &self.sectors[access.first as usize..][..access.sectors as usize]
    }

    /// How many blocks were followed, [`Trace::neighbours`] among them.
    pub const fn followed(&self) -> usize {
        self.blocks.len() + self.neighbours.len()
    }
}

/// An instruction as the replay sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instruction {
    /// As it stands in the PTX or in the machine code, with its guard.
    pub text: String,
    /// Registers that it reads, numbered through.
    pub reads: Vec<u32>,
    /// Registers that it writes.
    pub writes: Vec<u32>,
    /// Whether a basic block begins here.
    pub leads: bool,
    /// Whether the compiler takes it away.
    pub removed: bool,
    /// Of a branch: where it goes.
    pub target: Option<u32>,
    /// Whether it is executed by all lanes of a path, or by those for which a predicate holds.
    pub guarded: bool,
    /// Of an atomic: what L2 has to do for it.
    pub update: Update,
    /// Of machine code: what it asks of the scheduler and of the pipes.
    pub issue: Option<Issue>,
}

/// What L2 does with a place that an atomic updates, as far as it takes different times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Update {
    /// It combines the value with the one there, of whole numbers or of bits, or puts one for the other.
    #[default]
    Plain,
    /// It adds numbers of floating point: the next addition to the same place waits for the sum.
    Sum,
    /// It compares, and brings two values for that.
    Compare,
}

/// What a machine instruction asks of the scheduler and of the pipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Issue {
    /// The pipe.
    pub unit: Unit,
    /// Clocks for which it keeps the pipe of its partition busy, or the one that all partitions share.
    pub clocks: u32,
    /// Clocks until the scoreboard of its result is free, where it moves no data of memory.
    pub latency: u32,
    /// What is done beside computing.
    pub action: Action,
    /// Registers that it reads, where it computes.
    pub sources: [Option<Source>; Source::PLACES],
    /// Clocks for which it keeps the other half of the FMA pipe busy, beside its own.
    pub beside: u32,
    /// Clocks beyond the first for which the partition dispatches nothing else.
    pub dispatch: u32,
    /// Clocks until the warp's next instruction may be issued.
    pub stall: u32,
    /// The scoreboard that is released when the result is written.
    pub write: Option<u8>,
    /// The scoreboard that is released when the operands are read.
    pub read: Option<u8>,
    /// The scoreboards that must be free: bit n is scoreboard n.
    pub wait: u8,
}

/// A register that an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Which operand it is, of those that are no predicates; less than [`Source::PLACES`].
    pub place: u8,
    /// Its number; of a pair the first one's.
    pub register: u8,
    /// Whether it is a pair of registers.
    pub pair: bool,
    /// Whether it is kept for the same operand of an instruction that follows (`.reuse`).
    pub kept: bool,
}

impl Source {
    /// Operands that an instruction can keep registers of.
    pub const PLACES: usize = 4;
}

/// Clocks that every further value adds to a comparison of lanes' values, and every further constant to a load of constants
/// (`ldc_8`, `ldc_32` of `kernels/calibrate/opcodes.cu`: 11.9, 11.2).
pub const FURTHER: u32 = 11;

/// A pipe that machine instructions go through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// None: only an issue slot is taken.
    #[default]
    None,
    /// Integers, logic, comparisons.
    Alu,
    /// Single precision, on either half of the FMA pipe.
    Fma,
    /// Multiplications of integers, on its heavy half.
    FmaHeavy,
    /// Double precision.
    Fp64,
    /// Functions, conversions, counts of bits.
    Xu,
    /// Instructions that are executed once for a warp.
    Uniform,
    /// Products of matrices.
    Tensor,
    /// Control flow.
    Cbu,
    /// Memory and shuffles: the queue that all four partitions share.
    Lsu,
    /// Barriers, indexed constants, comparisons of lanes' values.
    Adu,
}

/// What a machine instruction does, as far as the replay treats it in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Action {
    /// Nothing of that.
    #[default]
    Plain,
    /// A jump: what follows has to be found first.
    Branch,
    /// A call of a function, or the return from it.
    Call,
    /// Waits for the warp's other lanes, with which it goes on.
    Converge,
    /// Begins or ends what only some of a warp's lanes do.
    Part,
    /// Waits until all of the warp's own accesses are done.
    Fence,
    /// Sleeps.
    Sleep,
    /// Closes a group of asynchronous copies.
    Commit,
    /// Waits until at most so many groups of asynchronous copies are under way.
    Await(u8),
    /// Does something for each different value of the lanes, one after the other: comparisons, indexed constants.
    Compare,
}

/// What a thread block executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockTrace {
    /// Linear index in the grid.
    pub index: u64,
    /// The events of its warps.
    pub warps: Vec<Vec<Event>>,
    /// Warp-instructions that it executed, those included that are no longer among the events.
    pub executed: u64,
    /// Warp-instructions among the events.
    pub kept: u64,
}

/// What a warp did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Instructions one behind the other, from `pc` on.
    Run {
        /// The first.
        pc: u32,
        /// How many.
        length: u32,
    },
    /// A machine instruction whose predicate held for no lane: it is issued, and nothing comes of it.
    Off {
        /// The instruction.
        pc: u32,
    },
    /// An access to shared memory, or to several spaces at once the part there; or a comparison of all lanes' values.
    Shared {
        /// The instruction.
        pc: u32,
        /// Passes through the banks, or different values.
        wavefronts: u32,
    },
    /// An access to global or local memory.
    Global {
        /// The instruction.
        pc: u32,
        /// Its number among [`Trace::accesses`].
        access: u32,
    },
    /// A barrier at which the warp waited.
    Barrier {
        /// The instruction.
        pc: u32,
        /// Which opening of a barrier ended the wait, numbered through within the block.
        opening: u32,
        /// How many warps that opening waited for.
        warps: u32,
    },
    /// An `mbarrier` in shared memory: the warp arrives, or has waited until all others had.
    Phase {
        /// The instruction.
        pc: u32,
        /// Which phase of which barrier, numbered through within the block.
        phase: u32,
        /// Whether the warp waits for it.
        waits: bool,
    },
    /// No instruction of its own: the copies that the warp has begun so far arrive at an `mbarrier` when their bytes have come.
    Lands {
        /// The instruction that said so.
        pc: u32,
        /// Which phase of which barrier.
        phase: u32,
    },
}

/// An access of a warp to global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access {
    /// What is done.
    pub kind: AccessKind,
    /// First of its sectors in [`Trace::sectors`].
    pub first: u32,
    /// How many sectors it touches.
    pub sectors: u32,
    /// How many 128-byte lines.
    pub lines: u32,
    /// Of a load: wavefronts that L1 takes to look up its tags or to deliver its data, whichever are more. The data lie in the
    /// banks of shared memory, so that words of different lines meet in a bank.
    pub wavefronts: u32,
    /// Most lanes that update one element: 1 for loads and stores.
    pub together: u32,
    /// Of an atomic: in each sector, the lanes beyond the first that update the element that most of them update; the
    /// sum over the sectors.
    pub repeats: u32,
    /// Lanes that take part.
    pub lanes: u32,
    /// Whether what it touches fills all its sectors.
    pub full: bool,
    /// Bytes per lane.
    pub width: u32,
    /// Of a load: whether it may ask for what another block stored.
    pub polls: bool,
    /// Of an atomic: what L2 has to do for it.
    pub update: Update,
}

impl Access {
    /// Whether it brings data from memory.
    pub const fn loads(&self) -> bool {
        matches!(self.kind, AccessKind::Load | AccessKind::LoadL2 | AccessKind::Copy)
    }
}

/// Kinds of access to global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AccessKind {
    /// A load that looks into the L1 cache.
    #[default]
    Load,
    /// A load that does not: volatile, or of a stronger memory order.
    LoadL2,
    /// A store.
    Store,
    /// An atomic whose old value is used.
    Atomic,
    /// One whose old value nobody waits for.
    Reduction,
    /// An asynchronous copy into shared memory, by the lanes or by the copy engine.
    Copy,
}
