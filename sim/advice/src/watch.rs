//! The observer: what the blocks of a launch did to shared and global memory, kept by source line.

use std::collections::{BTreeMap, BTreeSet};

use sim::event::{AccessEvent, AccessKind, LaunchInfo, MemoryEvent, MemoryKind, Observer, SyncEvent};
use sim::ir::inst::{Pc, Space};
use sim::target::Rules;

use crate::exchange::{self, Exchange};
use crate::global::{self, Global};
use crate::shared::Shared;

/// Most blocks that are watched; of larger grids every n-th one is.
const MOST_BLOCKS: u64 = 512;

/// What is known of the kernel before it runs.
#[derive(Debug, Clone)]
pub(crate) struct Code {
    /// Source lines: file and line.
    pub(crate) places: Vec<(String, u32)>,
    /// The source line of each instruction.
    pub(crate) place_of: Vec<u32>,
    /// The opcode of each instruction, as written.
    pub(crate) opcodes: Vec<String>,
    /// Variables of shared memory: name, first address, size in bytes.
    pub(crate) variables: Vec<(String, u64, u64)>,
    /// Buffers in global memory: name, first address, size in bytes.
    pub(crate) buffers: Vec<(String, u64, u64)>,
    /// What accesses cost.
    pub(crate) rules: Rules,
    /// Compute capability.
    pub(crate) capability: (u32, u32),
    /// Bytes of shared memory that a block may have.
    pub(crate) shared_limit: u64,
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Blocks of the grid.
    pub(crate) blocks: u64,
}

impl Code {
    /// Every n-th block is watched.
    pub(crate) fn stride(&self) -> u64 {
        self.blocks.div_ceil(MOST_BLOCKS).max(1)
    }

    /// The variable of shared memory at an address.
    pub(crate) fn variable(&self, address: u64) -> Option<usize> {
        // The variable that a launch sizes comes behind all others.
        let holds = |(_, start, bytes): &&(String, u64, u64)| address >= *start && address < start + bytes;
        let found = self.variables.iter().filter(holds).max_by_key(|(_, start, _)| *start)?;
        self.variables.iter().position(|variable| variable == found)
    }

    /// The buffer in global memory at an address.
    pub(crate) fn buffer(&self, address: u64) -> Option<usize> {
        self.buffers.iter().position(|(_, start, bytes)| address >= *start && address < start + bytes)
    }
}

/// Watches some of the blocks of a launch.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    code: &'a Code,
    /// The block that runs and its warp.
    now: (u64, u32),
    /// Whether that block is watched.
    watched: bool,
    /// Blocks that were watched to their end.
    pub(crate) blocks: u64,
    /// Warp-instructions by instruction, and how many of them one lane alone executed.
    pub(crate) executed: Vec<(u64, u64)>,
    pub(crate) shared: Shared,
    pub(crate) global: Global,
    pub(crate) exchange: Exchange,
    /// What is known of the block that runs.
    block: Held,
}

/// What is kept of a block while it runs.
#[derive(Debug, Default)]
pub(crate) struct Held {
    global: global::Block,
    exchange: exchange::Block,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(code: &'a Code) -> Self {
        Self {
            code,
            now: (0, 0),
            watched: false,
            blocks: 0,
            executed: vec![(0, 0); code.place_of.len()],
            shared: Shared::default(),
            global: Global::default(),
            exchange: Exchange::default(),
            block: Held::default(),
        }
    }

    /// Adds what was seen of other blocks.
    pub(crate) fn merge(&mut self, later: Self) {
        self.blocks += later.blocks;
        for (mine, theirs) in self.executed.iter_mut().zip(later.executed) {
            *mine = (mine.0 + theirs.0, mine.1 + theirs.1);
        }
        self.shared.merge(later.shared);
        self.global.merge(later.global);
        self.exchange.merge(later.exchange);
    }
}

impl Observer for Watch<'_> {
    const CHECKS: bool = true;

    type Held = Held;

    fn instruction(&mut self, pc: Pc, active: u32) {
        if self.watched {
            let executed = &mut self.executed[pc as usize];
            executed.0 += 1;
            executed.1 += u64::from(active.count_ones() == 1);
        }
    }

    fn memory(&mut self, event: &MemoryEvent<'_>) {
        if !self.watched || event.active == 0 {
            return;
        }
        match event.kind {
            MemoryKind::SharedLoad
            | MemoryKind::SharedStore
            | MemoryKind::SharedAtomic(_)
            | MemoryKind::SharedLoopLoad
            | MemoryKind::SharedCopy => self.shared.access(self.code, event),
            MemoryKind::GlobalLoad
            | MemoryKind::GlobalStore
            | MemoryKind::GlobalAtomic
            | MemoryKind::GlobalSwap
            | MemoryKind::GlobalReduction
            | MemoryKind::GlobalCopy => self.block.global.access(self.code, &mut self.global, self.now.1, event),
            MemoryKind::SharedAttempt | MemoryKind::LocalLoad | MemoryKind::LocalStore => {}
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if !self.watched || event.space != Space::Shared || event.lanes == 0 {
            return;
        }
        match event.kind {
            AccessKind::Load => self.block.exchange.load(event),
            AccessKind::Store => self.block.exchange.store(event),
            AccessKind::Atomic => self.block.exchange.atomic(),
        }
    }

    fn turn(&mut self, block: u64, warp: u32) {
        self.now = (block, warp);
        self.watched = block.is_multiple_of(self.code.stride());
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        match event {
            SyncEvent::Everyone if self.watched => self.block.exchange.barrier(),
            SyncEvent::End if self.watched => {
                self.blocks += 1;
                let Held { global, exchange } = std::mem::take(&mut self.block);
                global.end(&mut self.global);
                exchange.end(self.code, &mut self.exchange);
            }
            _ => {}
        }
    }

    fn exchange(&mut self, held: &mut Held) {
        std::mem::swap(&mut self.block, held);
    }
}

/// What is known of a launch's kernel.
pub(crate) fn code(launch: &LaunchInfo<'_>, place: impl Fn(Pc) -> (String, u32)) -> Code {
    let program = launch.program;
    let mut numbers: BTreeMap<(String, u32), u32> = BTreeMap::new();
    let mut places = Vec::new();
    let place_of = (0..program.insts.len() as Pc).map(|pc| {
        let place = place(pc);
        *numbers.entry(place.clone()).or_insert_with(|| {
            places.push(place);
            places.len() as u32 - 1
        })
    });
    let place_of = place_of.collect();
    let starts: BTreeSet<u64> = program.shared_variables.iter().map(|(_, start, _)| *start).collect();
    let variables = starts.into_iter().filter_map(|start| sim::observe::places::shared(launch, start));
    let buffers = (0..).map_while(|number| {
        let buffer = launch.global.find(sim::ir::BUFFERS_BASE + number * sim::ir::BUFFER_STRIDE, 1)?;
        Some((buffer.name.clone(), buffer.base, buffer.bytes))
    });
    Code {
        place_of,
        opcodes: program.insts.iter().map(|inst| inst.opcode.parts().join(".")).collect(),
        variables: variables.map(|variable| (variable.name, variable.start, variable.bytes)).collect(),
        buffers: buffers.collect(),
        rules: launch.target.rules(),
        capability: (launch.target.compute_capability.major, launch.target.compute_capability.minor),
        shared_limit: u64::from(launch.target.shared_per_block),
        threads: launch.block.count() as u32,
        blocks: launch.grid.count(),
        places,
    }
}
