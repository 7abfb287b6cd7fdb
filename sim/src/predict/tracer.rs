//! The observer that writes a [`Trace`].

use std::collections::HashMap;

use super::polls::{self, Known, Phase};
use super::trace::{AccessKind, BlockTrace, Event, Instruction, Trace};
use crate::event::{AccessEvent, LaunchInfo, MemoryEvent, MemoryKind, Observer, SyncEvent};
use crate::ir::inst::{MBARRIER_PARITY, Op, Pc, Space};
use crate::lanes::lanes_of;
use crate::memory::banks;

mod accesses;
mod instructions;

pub(super) use instructions::code;
use instructions::engine;

/// Events of one block after which no more are kept.
const MOST_EVENTS: usize = 1 << 20;
/// Most warps of a thread block.
const WARPS: u64 = 32;

/// Follows some of the blocks that run.
#[derive(Debug)]
pub(crate) struct Tracer {
    pub(super) trace: Trace,
    /// The blocks to follow, ascending.
    wanted: Vec<u64>,
    /// Loads that look past the L1 cache, by position.
    past_l1: Vec<bool>,
    /// Bulk copies, by position: what they are beyond the multiprocessor.
    bulk: Vec<Option<(AccessKind, u32)>>,
    /// Loads with which a warp may wait for others, by position: volatile ones and those with a memory order, and
    /// questions to an `mbarrier`.
    pub(super) polls: Vec<bool>,
    /// What is done to an `mbarrier`, by position.
    phases: Vec<Option<Phase>>,
    /// By block, warp and instruction: the lanes and addresses of the last volatile load from shared memory.
    pub(super) asked: HashMap<(usize, usize, Pc), (u32, Vec<u32>)>,
    /// What is known of each `mbarrier`, by block and address.
    pub(super) barriers: HashMap<(usize, u64), Known>,
    /// How many phases there were, by block.
    pub(super) phase_counts: Vec<u32>,
    /// How many of the first blocks are neighbours.
    neighbours: usize,
    /// The block that runs, by its place in the trace, and its warp; `None` when it is not followed.
    pub(super) current: Option<(usize, usize)>,
    places: HashMap<u64, usize>,
    /// How many barriers have opened, by block.
    openings: Vec<u32>,
    /// How many events were kept, by block.
    pub(super) events: Vec<usize>,
    /// Bytes of a thread's local memory.
    local: u64,
}

impl Tracer {
    /// Follows the blocks `wanted` of a launch, the first of them as `neighbours`.
    pub(super) fn new(launch: &LaunchInfo<'_>, wanted: Vec<u64>, neighbours: usize) -> Self {
        let program = launch.program;
        let phase = |pc: usize| polls::phase(&program.insts[pc].op, &program.insts[pc].opcode);
        let strong = |op: &Op| matches!(op, Op::Load(access) if access.strong);
        Self {
            past_l1: (0..program.insts.len())
                .map(|pc| {
                    let opcode = &program.insts[pc].opcode;
                    strong(&program.insts[pc].op) || opcode.has("cg") || opcode.has("cv")
                })
                .collect(),
            bulk: program.insts.iter().map(|inst| engine(&inst.op)).collect(),
            polls: (0..program.insts.len())
                .map(|pc| strong(&program.insts[pc].op) || phase(pc) == Some(Phase::Wait))
                .collect(),
            phases: (0..program.insts.len()).map(phase).collect(),
            ..Self::of_code(code(launch.program), wanted, neighbours, program.local_bytes)
        }
    }

    /// Follows the blocks `wanted` of a launch of machine code, the first of them as `neighbours`. `past_l1` tells the loads
    /// that look past the L1 cache, `polls` those with which a warp may wait for others, and `local` the bytes of a thread's
    /// local memory.
    pub(crate) fn of_machine_code(
        code: Vec<Instruction>,
        (past_l1, polls): (Vec<bool>, Vec<bool>),
        wanted: Vec<u64>,
        neighbours: usize,
        local: u64,
    ) -> Self {
        Self { polls, past_l1, ..Self::of_code(code, wanted, neighbours, local) }
    }

    /// Follows blocks of which nothing was seen yet; nothing is known of these instructions.
    fn of_code(code: Vec<Instruction>, wanted: Vec<u64>, neighbours: usize, local: u64) -> Self {
        let length = code.len();
        Self {
            trace: Trace { code, local: local * 32 * WARPS, ..Trace::default() },
            local,
            wanted,
            past_l1: vec![false; length],
            bulk: vec![None; length],
            polls: vec![false; length],
            phases: vec![None; length],
            asked: HashMap::new(),
            barriers: HashMap::new(),
            phase_counts: Vec::new(),
            neighbours,
            current: None,
            places: HashMap::new(),
            openings: Vec::new(),
            events: Vec::new(),
        }
    }

    /// What was seen.
    pub(crate) fn into_trace(self) -> Trace {
        let mut trace = self.trace;
        for block in &mut trace.blocks {
            let mut waiting: HashMap<u32, u32> = HashMap::new();
            let events = || block.warps.iter().flatten();
            events().for_each(|event| {
                if let Event::Barrier { opening, .. } = event {
                    *waiting.entry(*opening).or_default() += 1;
                }
            });
            for event in block.warps.iter_mut().flatten() {
                if let Event::Barrier { opening, warps, .. } = event {
                    *warps = waiting.get(opening).copied().unwrap_or(1);
                }
            }
        }
        trace.blocks.sort_by_key(|block| block.index);
        let replayed = trace.blocks.split_off(self.neighbours.min(trace.blocks.len().saturating_sub(1)));
        trace.neighbours = std::mem::replace(&mut trace.blocks, replayed);
        trace
    }

    pub(super) fn push(&mut self, event: Event, instructions: u64) {
        let Some((block, warp)) = self.current else { return };
        let traced = &mut self.trace.blocks[block];
        traced.executed += instructions;
        if self.events[block] < MOST_EVENTS {
            self.events[block] += 1;
            traced.kept += instructions;
            traced.warps[warp].push(event);
        }
    }

    /// The last event was the instruction of which more is known now.
    fn replace(&mut self, pc: Pc, event: Event) {
        let Some((block, warp)) = self.current else { return };
        if self.events[block] >= MOST_EVENTS {
            return;
        }
        let events = &mut self.trace.blocks[block].warps[warp];
        match events.last_mut() {
            Some(last) if *last == (Event::Run { pc, length: 1 }) => *last = event,
            _ => events.push(event),
        }
    }
}

impl Observer for Tracer {
    const CHECKS: bool = true;

    type Held = ();

    fn instruction(&mut self, pc: Pc, active: u32) {
        let off = active == 0 && self.trace.code[pc as usize].issue.is_some();
        self.push(if off { Event::Off { pc } } else { Event::Run { pc, length: 1 } }, 1);
        if let Some((kind, element)) = self.bulk[pc as usize] {
            self.engine(pc, kind, element);
        }
    }

    fn straight(&mut self, pc: Pc, length: usize, _active: u32) {
        self.push(Event::Run { pc, length: length as u32 }, length as u64);
    }

    fn memory(&mut self, event: &MemoryEvent<'_>) {
        if self.current.is_none() {
            return;
        }
        let &MemoryEvent { pc, active, width, .. } = event;
        if self.phases[pc as usize].is_some_and(|what| what != Phase::Init) {
            // The steps of the simulator's atomic are none of the machine's; `access` tells the rest.
            return;
        }
        let addresses = || std::array::from_fn(|lane| event.addresses[lane] as u32);
        match event.kind {
            MemoryKind::GlobalLoad if self.past_l1[pc as usize] => self.global(event, AccessKind::LoadL2),
            MemoryKind::GlobalLoad => self.global(event, AccessKind::Load),
            MemoryKind::LocalLoad => self.local(event, AccessKind::Load),
            MemoryKind::LocalStore => self.local(event, AccessKind::Store),
            MemoryKind::GlobalCopy => self.global(event, AccessKind::Copy),
            MemoryKind::GlobalStore => self.global(event, AccessKind::Store),
            MemoryKind::GlobalAtomic | MemoryKind::GlobalSwap => self.global(event, AccessKind::Atomic),
            MemoryKind::GlobalReduction => self.global(event, AccessKind::Reduction),
            MemoryKind::SharedAtomic(unit) => {
                let wavefronts = banks::atomic_wavefronts(&addresses(), active, width, unit);
                self.replace(pc, Event::Shared { pc, wavefronts });
            }
            kind @ (MemoryKind::SharedLoad
            | MemoryKind::SharedStore
            | MemoryKind::SharedLoopLoad
            | MemoryKind::SharedAttempt
            | MemoryKind::SharedCopy) => {
                let wavefronts = banks::wavefronts(&addresses(), active, width, kind.direction());
                self.replace(pc, Event::Shared { pc, wavefronts });
            }
        }
        if self.polls[pc as usize] && self.phases[pc as usize].is_none() {
            // The trace has no addresses of shared memory, so that they are remembered here.
            let shared = matches!(event.kind, MemoryKind::SharedLoad);
            let same = !shared || self.is_same_place(event);
            if same {
                self.forget_poll(pc);
            }
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        if let Some(what) = self.phases[event.pc as usize]
            && event.space == Space::Shared
            && event.lanes != 0
        {
            let address = event.addresses[event.lanes.trailing_zeros() as usize];
            self.phase(event.pc, what, address, (event.old)(address, 8).0 & MBARRIER_PARITY != 0);
            return;
        }
        // The copy engine's accesses are not reported as a warp's. Those of a copy come one behind the other.
        if self.bulk[event.pc as usize].is_some() && event.space != Space::Shared {
            lanes_of(event.lanes).for_each(|lane| self.engine_moves(event.addresses[lane as usize] >> 5));
        }
    }

    fn turn(&mut self, block: u64, warp: u32) {
        if self.wanted.binary_search(&block).is_err() {
            self.current = None;
            return;
        }
        let next = self.trace.blocks.len();
        let place = *self.places.entry(block).or_insert(next);
        if place == next {
            self.trace.blocks.push(BlockTrace { index: block, ..BlockTrace::default() });
            self.openings.push(0);
            self.events.push(0);
            self.phase_counts.push(0);
        }
        let warps = &mut self.trace.blocks[place].warps;
        if warps.len() <= warp as usize {
            warps.resize(warp as usize + 1, Vec::new());
        }
        self.current = Some((place, warp as usize));
    }

    fn waited(&mut self, pc: Pc, warp: u32, _steps: u64) {
        let Some((block, _)) = self.current else { return };
        let opening = self.openings[block];
        let Some(events) = self.trace.blocks[block].warps.get_mut(warp as usize) else { return };
        let here = events.iter_mut().rev().find(|event| **event == (Event::Run { pc, length: 1 }));
        if let Some(event) = here {
            *event = Event::Barrier { pc, opening, warps: 0 };
        }
    }

    fn compared(&mut self, distinct: u32) {
        let Some((block, warp)) = self.current else { return };
        if let Some(event) = self.trace.blocks[block].warps[warp].last_mut()
            && let Event::Run { pc, length: 1 } = *event
        {
            *event = Event::Shared { pc, wavefronts: distinct };
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        // Who waited is told behind the opening.
        if let (SyncEvent::Everyone | SyncEvent::Some { .. }, Some((block, _))) = (event, self.current) {
            self.openings[block] += 1;
        }
    }
}
