//! Counts per instruction, from which totals and source lines are summed up.

use super::{MemoryEvent, MemoryKind, Observer};
use crate::memory::banks::{self, Direction};
use crate::memory::sectors;
use crate::program::inst::Pc;

/// Counts of one instruction of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Times a warp executed it with at least one lane.
    pub executed: u64,
    /// Lanes that executed it.
    pub lanes: u64,
    /// Shared accesses.
    pub shared: Access,
    /// Global accesses.
    pub global: Access,
    /// Local accesses.
    pub local: Access,
}

/// Counts of the accesses of one instruction to one space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Access {
    /// Warp-level instructions that accessed the space.
    pub instructions: u64,
    /// Bytes of all distinct elements that the lanes of an instruction address.
    pub bytes: u64,
    /// Shared: wavefronts. Global: 32-byte sectors.
    pub cost: u64,
    /// The least that `cost` could be for the same lanes.
    pub ideal: u64,
    /// Global: 128-byte lines.
    pub tags: u64,
}

impl Access {
    fn add(&mut self, event: &MemoryEvent<'_>, cost: u32, ideal: u32, tags: u32) {
        self.instructions += 1;
        // Lanes that address the same element move it once: so the hardware counts, and so it was measured.
        self.bytes += u64::from(sectors::elements(event.addresses, event.active, event.width) * event.width);
        self.cost += u64::from(cost);
        self.ideal += u64::from(ideal);
        self.tags += u64::from(tags);
    }

    fn merge(&mut self, other: &Self) {
        self.instructions += other.instructions;
        self.bytes += other.bytes;
        self.cost += other.cost;
        self.ideal += other.ideal;
        self.tags += other.tags;
    }
}

/// The counting observer.
#[derive(Debug, Clone, Default)]
pub struct Counters {
    /// Counts by instruction.
    pub by_pc: Vec<Counts>,
}

impl Counters {
    /// Counters for a program of this many instructions.
    pub fn new(instructions: usize) -> Self {
        Self { by_pc: vec![Counts::default(); instructions] }
    }

    /// Adds what another observer counted.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.by_pc.iter_mut().zip(&other.by_pc) {
            mine.executed += theirs.executed;
            mine.lanes += theirs.lanes;
            mine.shared.merge(&theirs.shared);
            mine.global.merge(&theirs.global);
            mine.local.merge(&theirs.local);
        }
    }
}

impl Observer for Counters {
    type Held = ();

    #[inline(always)]
    fn instruction(&mut self, pc: Pc, active: u32) {
        let counts = &mut self.by_pc[pc as usize];
        counts.executed += 1;
        counts.lanes += u64::from(active.count_ones());
    }

    fn memory(&mut self, event: &MemoryEvent<'_>) {
        let counts = &mut self.by_pc[event.pc as usize];
        match event.kind {
            MemoryKind::SharedLoad | MemoryKind::SharedStore | MemoryKind::SharedAtomic { .. } => {
                let addresses = event.addresses.map(|address| address as u32);
                let cost = match event.kind {
                    MemoryKind::SharedStore => {
                        banks::wavefronts(&addresses, event.active, event.width, Direction::Store)
                    }
                    MemoryKind::SharedLoad => banks::wavefronts(&addresses, event.active, event.width, Direction::Load),
                    _ => banks::atomic_wavefronts(&addresses, event.active, event.kind),
                };
                let ideal = banks::ideal_wavefronts(event.active, event.width);
                counts.shared.add(event, cost, ideal, 0);
            }
            MemoryKind::GlobalLoad
            | MemoryKind::GlobalStore
            | MemoryKind::GlobalAtomic
            | MemoryKind::GlobalReduction => {
                let cost = sectors::sectors(event.addresses, event.active);
                let ideal = sectors::ideal_sectors(event.active, event.width);
                counts.global.add(event, cost, ideal, sectors::tags(event.addresses, event.active));
            }
            MemoryKind::LocalLoad | MemoryKind::LocalStore => counts.local.add(event, 0, 0, 0),
        }
    }
}
