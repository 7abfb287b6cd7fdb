//! Counts per instruction, from which totals and source lines are summed up.

use std::collections::BTreeMap;

use super::eras;
use crate::event::{LaunchInfo, MemoryEvent, MemoryKind, Observer, SharedUnit};
use crate::ir::inst::Pc;
use crate::ir::slow_paths::Difference;
use crate::memory::banks::{self, Marks};
use crate::memory::rows::{self, Layout};
use crate::memory::sectors::{self, GlobalUnit, Passes};
use crate::prepare::register_allocation::Code;
use crate::target::Rules;

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
    /// Shared loads of the compare-and-swap loop that an atomic became.
    pub loop_loads: Access,
    /// Atomics that were tried as global ones first.
    pub attempts: Access,
    /// Thread instructions that lanes execute to let one of them do an atomic for all.
    pub exchanges: u64,
}

/// Counts of the accesses of one instruction to one space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Access {
    /// Warp-level instructions that accessed the space.
    pub instructions: u64,
    /// Lanes of them.
    pub lanes: u64,
    /// Bytes of all distinct elements that the lanes of an instruction address.
    pub bytes: u64,
    /// Shared: wavefronts. Global: 32-byte sectors.
    pub cost: u64,
    /// The least that `cost` could be for the same lanes.
    pub ideal: u64,
    /// Global: 128-byte lines, or the transactions of targets without a cache.
    pub tags: u64,
    /// Global atomics: sectors, where lanes with the same address come one after the other.
    pub pass_sectors: u64,
    /// Global atomics: lines, likewise.
    pub pass_tags: u64,
}

impl Access {
    /// No access at all.
    pub const NONE: Self =
        Self { instructions: 0, lanes: 0, bytes: 0, cost: 0, ideal: 0, tags: 0, pass_sectors: 0, pass_tags: 0 };

    /// Adds an access to this many distinct elements.
    #[inline(always)]
    pub(super) fn add(&mut self, event: &MemoryEvent<'_>, elements: u32, cost: u32, ideal: u32, tags: u32) {
        self.instructions += 1;
        self.lanes += u64::from(event.active.count_ones());
        // Lanes that address the same element move it once: so the hardware counts, and so it was measured.
        self.bytes += u64::from(elements * event.width);
        self.cost += u64::from(cost);
        self.ideal += u64::from(ideal);
        self.tags += u64::from(tags);
    }

    fn merge(&mut self, other: &Self) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        self.pass_sectors += other.pass_sectors;
        self.pass_tags += other.pass_tags;
        self.bytes += other.bytes;
        self.cost += other.cost;
        self.ideal += other.ideal;
        self.tags += other.tags;
    }
}

/// Loads and stores, and increments that add equal addresses up first: all of one rule where lanes address neighbours.
#[inline(always)]
fn simple(kind: MemoryKind) -> bool {
    match kind {
        MemoryKind::SharedAtomic(unit) => unit == SharedUnit::Increment,
        _ => true,
    }
}

fn add(sum: &mut Difference, difference: Difference) {
    for (sum, difference) in sum.iter_mut().zip(difference) {
        *sum += difference;
    }
}

/// The counting observer.
#[derive(Debug, Clone, Default)]
pub struct Counters {
    /// Counts by instruction.
    pub by_pc: Vec<Counts>,
    /// `executed` and `lanes` of each instruction, until the group ends: they change with every instruction, and lie
    /// close together here.
    running: Vec<[u64; 2]>,
    /// The same for all instructions of the straight run that begins with an instruction, together.
    runs: Vec<[u64; 2]>,
    /// Instructions of the warp that executes most.
    pub longest_warp: u64,
    /// The words that shared accesses come to.
    marks: Marks,
    /// Floating-point thread instructions that lanes execute beyond what all execute.
    pub unusual: BTreeMap<Pc, Difference>,
    /// The same by instruction, until the group ends; nothing as long as there is none.
    varied: Vec<Difference>,
    /// What accesses cost on a target that does not follow the rules of the newest ones, which stand below.
    other_rules: Option<Rules>,
}

impl Counters {
    /// Counters for a launch.
    pub(crate) fn of(launch: &LaunchInfo<'_>) -> Self {
        let rules = launch.target.rules();
        Self {
            unusual: BTreeMap::new(),
            varied: Vec::new(),
            by_pc: vec![Counts::default(); launch.program.insts.len()],
            running: vec![[0; 2]; launch.program.insts.len()],
            runs: vec![[0; 2]; launch.program.insts.len()],
            longest_warp: 0,
            marks: Marks::default(),
            other_rules: (rules != Rules::default()).then_some(rules),
        }
    }

    /// Counters of so many instructions, for accesses alone.
    pub(crate) fn for_instructions(count: usize, rules: Rules) -> Self {
        Self {
            by_pc: vec![Counts::default(); count],
            other_rules: (rules != Rules::default()).then_some(rules),
            ..Self::default()
        }
    }

    /// Distinct elements and wavefronts of an access to shared memory that lies anyhow.
    #[inline(always)]
    fn shared(&mut self, event: &MemoryEvent<'_>) -> (u32, u32) {
        let &MemoryEvent { active, width, .. } = event;
        let addresses = rows::map(event.addresses, |address| address as u32);
        match event.kind {
            // Elements are words here: what is found out for one answers the other.
            MemoryKind::SharedAtomic(SharedUnit::Increment) if width == 4 => {
                self.marks.scattered(&rows::map(&addresses, |address| address >> 2), active)
            }
            MemoryKind::SharedAtomic(unit) => (
                sectors::elements(event.addresses, active, width),
                banks::atomic_wavefronts(&addresses, active, width, unit),
            ),
            _ if width == 4 => self.marks.words_and_wavefronts(&addresses, active),
            kind => (
                sectors::elements(event.addresses, active, width),
                banks::wavefronts(&addresses, active, width, kind.direction()),
            ),
        }
    }

    /// Adds what another observer counted.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.by_pc.iter_mut().zip(&other.by_pc) {
            mine.executed += theirs.executed;
            mine.lanes += theirs.lanes;
            mine.shared.merge(&theirs.shared);
            mine.global.merge(&theirs.global);
            mine.local.merge(&theirs.local);
            mine.loop_loads.merge(&theirs.loop_loads);
            mine.attempts.merge(&theirs.attempts);
            mine.exchanges += theirs.exchanges;
        }
        self.longest_warp = self.longest_warp.max(other.longest_warp);
        for (&pc, &difference) in &other.unusual {
            add(self.unusual.entry(pc).or_default(), difference);
        }
    }
}

impl Observer for Counters {
    type Held = ();

    #[inline(always)]
    fn instruction(&mut self, pc: Pc, active: u32) {
        let counts = &mut self.running[pc as usize];
        counts[0] += 1;
        counts[1] += u64::from(active.count_ones());
    }

    #[inline(always)]
    fn straight(&mut self, pc: Pc, _length: usize, active: u32) {
        let counts = &mut self.runs[pc as usize];
        counts[0] += 1;
        counts[1] += u64::from(active.count_ones());
    }

    fn finish(&mut self, code: &Code) {
        for (pc, &[executed, lanes]) in self.runs.iter().enumerate().filter(|(_, counts)| counts[0] != 0) {
            let run = pc..pc + usize::from(code.straight[pc]);
            for counts in &mut self.running[run] {
                counts[0] += executed;
                counts[1] += lanes;
            }
        }
        for (pc, difference) in (0..).zip(std::mem::take(&mut self.varied)) {
            if difference != Difference::default() {
                add(self.unusual.entry(pc).or_default(), difference);
            }
        }
        for (counts, [executed, lanes]) in self.by_pc.iter_mut().zip(&mut self.running) {
            counts.executed += std::mem::take(executed);
            counts.lanes += std::mem::take(lanes);
        }
    }

    #[inline(always)]
    fn memory(&mut self, event: &MemoryEvent<'_>) {
        let counts = &mut self.by_pc[event.pc as usize];
        if let Some(rules) = &self.other_rules {
            return eras::count(rules, counts, event);
        }
        let &MemoryEvent { active, width, .. } = event;
        match event.kind {
            MemoryKind::SharedLoad
            | MemoryKind::SharedLoopLoad
            | MemoryKind::SharedStore
            | MemoryKind::SharedCopy
            | MemoryKind::SharedAtomic(_) => {
                let (elements, cost) = match (event.layout, event.kind) {
                    // One wavefront for every 32 words: 32 neighbouring words lie in 32 banks, and who asks for one word
                    // gets it together with the others.
                    (Layout::Run, kind) if simple(kind) => (32, width.div_ceil(4)),
                    (Layout::Same, kind) if simple(kind) => (1, banks::same_wavefronts(width, kind.direction())),
                    _ => self.shared(event),
                };
                let counts = &mut self.by_pc[event.pc as usize];
                let ideal = banks::ideal_wavefronts(active, width);
                let access =
                    if event.kind == MemoryKind::SharedLoopLoad { &mut counts.loop_loads } else { &mut counts.shared };
                access.add(event, elements, cost, ideal, 0);
            }
            MemoryKind::GlobalLoad
            | MemoryKind::GlobalStore
            | MemoryKind::GlobalCopy
            | MemoryKind::GlobalAtomic
            | MemoryKind::GlobalSwap
            | MemoryKind::GlobalReduction => {
                let request = sectors::request(event.addresses, event.layout, active, width);
                let ideal = sectors::ideal_sectors(active, width);
                counts.global.add(event, request.elements, request.sectors, ideal, request.tags);
                let unit = match event.kind {
                    MemoryKind::GlobalAtomic | MemoryKind::GlobalReduction => GlobalUnit::Alu,
                    MemoryKind::GlobalSwap => GlobalUnit::CompareAndSwap,
                    _ => return,
                };
                // In one line and no two lanes at the same element: there is one pass.
                let single = request.tags == 1 && request.elements == active.count_ones();
                let passes = if single && unit == GlobalUnit::Alu {
                    Passes { sectors: request.sectors, tags: 1 }
                } else {
                    sectors::passes(event.addresses, active, width, unit)
                };
                counts.global.pass_sectors += u64::from(passes.sectors);
                counts.global.pass_tags += u64::from(passes.tags);
            }
            MemoryKind::SharedAttempt => {
                let elements = sectors::elements(event.addresses, active, width);
                counts.attempts.add(event, elements, 0, 0, 0);
            }
            MemoryKind::LocalLoad | MemoryKind::LocalStore => {
                // Word i of all lanes lies in one line: lanes that use the same offset use neighbouring words.
                let elements = sectors::elements(event.addresses, active, width);
                counts.local.add(event, elements, 0, 0, 0);
            }
        }
    }

    fn unusual(&mut self, pc: Pc, difference: Difference) {
        if self.varied.is_empty() {
            self.varied.resize(self.by_pc.len(), Difference::default());
        }
        add(&mut self.varied[pc as usize], difference);
    }

    fn communicate(&mut self, pc: Pc, thread_instructions: u32) {
        self.by_pc[pc as usize].exchanges += u64::from(thread_instructions);
    }

    #[inline]
    fn worked(&mut self, executed: u64) {
        self.longest_warp = self.longest_warp.max(executed);
    }

    fn engine(&mut self, pc: Pc, requests: u64, sectors: u64) {
        let counts = &mut self.by_pc[pc as usize].global;
        counts.pass_tags += requests;
        counts.pass_sectors += sectors;
    }
}
