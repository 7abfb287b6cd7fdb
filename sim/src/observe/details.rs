//! What only a simulator can see of each instruction: how its costs are spread, its worst access lane by lane, which
//! addresses its atomics meet on, how many lanes take part, and who waits for whom at barriers.
//!
//! Kept only when it is asked for ([`Options::details`](crate::Options)): it takes time and memory.

use std::collections::BTreeMap;

use super::eras;
use crate::event::{LaunchInfo, MemoryEvent, MemoryKind};
use crate::ir::inst::Pc;
use crate::lanes::lanes_of;
use crate::target::Rules;

/// Most addresses of atomics that are counted one by one for each instruction.
const ADDRESSES: usize = 1 << 16;

/// What is known of one instruction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Instruction {
    /// Times it was executed, by the number of lanes that took part (1 to 32).
    pub by_count: BTreeMap<u32, u64>,
    /// Times each lane took part.
    pub by_lane: [u64; 32],
    /// Its accesses, by what they do.
    pub accesses: BTreeMap<&'static str, Accesses>,
    /// Of a barrier: who waited.
    pub waits: Waits,
}

/// The accesses of one instruction to one space.
#[derive(Debug, Clone, Default)]
pub(crate) struct Accesses {
    /// Whether the space is shared memory: then costs are wavefronts, else sectors.
    pub shared: bool,
    /// Bytes per lane.
    pub width: u32,
    /// Accesses of warps by what they cost.
    pub histogram: BTreeMap<u32, u64>,
    /// What all cost together.
    pub cost: u64,
    /// What they would cost if their lanes addressed consecutive elements.
    pub ideal: u64,
    /// The first of those that cost most beyond the ideal.
    pub worst: Option<Worst>,
    /// Of atomics: where they meet.
    pub meetings: Meetings,
}

/// One access of a warp.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Worst {
    /// What it costs and could cost.
    pub cost: u32,
    pub ideal: u32,
    /// Who does it.
    pub block: u64,
    pub warp: u32,
    pub active: u32,
    /// The addresses of the active lanes.
    pub addresses: [u64; 32],
}

/// The addresses of an atomic.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meetings {
    /// Distinct addresses of an access of a warp by the number of its lanes that meet there.
    pub together: BTreeMap<u32, u64>,
    /// Lanes by address, for the first addresses that come.
    pub by_address: BTreeMap<u64, u64>,
    /// Lanes at all other addresses.
    pub elsewhere: u64,
}

/// What warps waited at a barrier, in steps of model time: one warp-instruction each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waits {
    /// Times that warps waited until it opened.
    pub warps: u64,
    /// Steps that they waited, all together.
    pub steps: u64,
    /// The most that one warp waited.
    pub most: u64,
    /// How often each warp came last (waited for nobody).
    pub last: BTreeMap<u32, u64>,
}

/// Collects the details of a launch.
#[derive(Debug, Clone)]
pub(crate) struct Details {
    rules: Rules,
    /// By instruction; `None` for those that were never executed.
    pub by_pc: Vec<Option<Box<Instruction>>>,
    /// The block and warp that run.
    now: (u64, u32),
}

impl Details {
    pub(crate) fn new(launch: &LaunchInfo<'_>) -> Self {
        Self { rules: launch.target.rules(), by_pc: vec![None; launch.program.insts.len()], now: (0, 0) }
    }

    /// This warp runs from now on.
    pub(crate) fn turn(&mut self, block: u64, warp: u32) {
        self.now = (block, warp);
    }

    fn at(&mut self, pc: Pc) -> &mut Instruction {
        self.by_pc[pc as usize].get_or_insert_default()
    }

    pub(crate) fn instruction(&mut self, pc: Pc, active: u32) {
        let instruction = self.at(pc);
        *instruction.by_count.entry(active.count_ones()).or_default() += 1;
        for lane in lanes_of(active) {
            instruction.by_lane[lane as usize] += 1;
        }
    }

    pub(crate) fn memory(&mut self, event: &MemoryEvent<'_>) {
        let Some(cost) = eras::cost(&self.rules, event) else { return };
        let (block, warp) = self.now;
        let accesses = self.at(event.pc).accesses.entry(name(event.kind)).or_default();
        accesses.shared = cost.shared;
        accesses.width = event.width;
        *accesses.histogram.entry(cost.cost).or_default() += 1;
        accesses.cost += u64::from(cost.cost);
        accesses.ideal += u64::from(cost.ideal);
        let excess = cost.cost.saturating_sub(cost.ideal);
        if accesses.worst.as_ref().is_none_or(|worst| excess > worst.excess()) {
            let (active, addresses) = (event.active, *event.addresses);
            accesses.worst = Some(Worst { cost: cost.cost, ideal: cost.ideal, block, warp, active, addresses });
        }
        if matches!(
            event.kind,
            MemoryKind::SharedAtomic(_)
                | MemoryKind::GlobalAtomic
                | MemoryKind::GlobalSwap
                | MemoryKind::GlobalReduction
        ) {
            accesses.meetings.add(event);
        }
    }

    /// A warp waited this long at the barrier at `pc`.
    pub(crate) fn waited(&mut self, pc: Pc, warp: u32, steps: u64) {
        let waits = &mut self.at(pc).waits;
        waits.warps += 1;
        waits.steps += steps;
        waits.most = waits.most.max(steps);
        if steps == 0 {
            *waits.last.entry(warp).or_default() += 1;
        }
    }

    /// Adds what was seen of later blocks.
    pub(crate) fn merge(&mut self, later: Self) {
        for (mine, theirs) in self.by_pc.iter_mut().zip(later.by_pc) {
            match (mine, theirs) {
                (_, None) => {}
                (Some(mine), Some(theirs)) => mine.merge(*theirs),
                (mine, theirs) => *mine = theirs,
            }
        }
    }
}

impl Worst {
    const fn excess(&self) -> u32 {
        self.cost.saturating_sub(self.ideal)
    }
}

impl Instruction {
    fn merge(&mut self, later: Self) {
        add(&mut self.by_count, later.by_count);
        for (mine, theirs) in self.by_lane.iter_mut().zip(later.by_lane) {
            *mine += theirs;
        }
        for (name, theirs) in later.accesses {
            match self.accesses.get_mut(name) {
                Some(mine) => mine.merge(theirs),
                None => _ = self.accesses.insert(name, theirs),
            }
        }
        self.waits.warps += later.waits.warps;
        self.waits.steps += later.waits.steps;
        self.waits.most = self.waits.most.max(later.waits.most);
        add(&mut self.waits.last, later.waits.last);
    }
}

impl Accesses {
    fn merge(&mut self, later: Self) {
        add(&mut self.histogram, later.histogram);
        self.cost += later.cost;
        self.ideal += later.ideal;
        if later.worst.is_some_and(|theirs| self.worst.is_none_or(|mine| theirs.excess() > mine.excess())) {
            self.worst = later.worst;
        }
        add(&mut self.meetings.together, later.meetings.together);
        self.meetings.elsewhere += later.meetings.elsewhere;
        for (address, lanes) in later.meetings.by_address {
            self.meetings.count(address, lanes);
        }
    }
}

impl Meetings {
    fn add(&mut self, event: &MemoryEvent<'_>) {
        let mut rest = event.active;
        while rest != 0 {
            let address = event.addresses[rest.trailing_zeros() as usize];
            let here = lanes_of(rest).filter(|&lane| event.addresses[lane as usize] == address);
            let here = here.fold(0, |mask, lane| mask | 1 << lane);
            rest &= !here;
            *self.together.entry(here.count_ones()).or_default() += 1;
            self.count(address, u64::from(here.count_ones()));
        }
    }

    fn count(&mut self, address: u64, lanes: u64) {
        if self.by_address.len() < ADDRESSES || self.by_address.contains_key(&address) {
            *self.by_address.entry(address).or_default() += lanes;
        } else {
            self.elsewhere += lanes;
        }
    }
}

fn add<K: Ord>(sum: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    for (key, value) in more {
        *sum.entry(key).or_default() += value;
    }
}

/// What an access is called.
const fn name(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::SharedLoad => "shared load",
        MemoryKind::SharedStore => "shared store",
        MemoryKind::SharedAtomic(_) => "shared atomic",
        MemoryKind::SharedLoopLoad => "shared load of an atomic's loop",
        MemoryKind::SharedCopy => "asynchronous copy to shared memory",
        MemoryKind::GlobalLoad => "global load",
        MemoryKind::GlobalStore => "global store",
        MemoryKind::SharedAttempt => "shared atomic, tried as a global one",
        MemoryKind::GlobalAtomic | MemoryKind::GlobalSwap => "global atomic",
        MemoryKind::GlobalReduction => "global reduction",
        MemoryKind::GlobalCopy => "asynchronous copy from global memory",
        MemoryKind::LocalLoad => "local load",
        MemoryKind::LocalStore => "local store",
    }
}
