//! The observer that writes a [`Trace`].

use std::collections::HashMap;

use super::polls::{self, Known, Phase};
use super::trace::{Access, AccessKind, BlockTrace, Event, Instruction, LOCAL_MEMORY, Trace, Update};
use super::units::tag_wavefronts;
use crate::event::{AccessEvent, LaunchInfo, MemoryEvent, MemoryKind, Observer, SyncEvent};
use crate::ir::Instruction as Lowered;
use crate::ir::Opcode;
use crate::ir::cfg::Cfg;
use crate::ir::inst::{Op, Pc, Reg, Space};
use crate::ir::operands;
use crate::lanes::lanes_of;
use crate::memory::banks::{self, Direction};
use crate::memory::rows::Layout;
use crate::memory::sectors;
use crate::prepare::Executable;

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
    /// Bulk copies, by position.
    bulk: Vec<bool>,
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
            bulk: program.insts.iter().map(|inst| matches!(inst.op, Op::Bulk(_))).collect(),
            polls: (0..program.insts.len())
                .map(|pc| strong(&program.insts[pc].op) || phase(pc) == Some(Phase::Wait))
                .collect(),
            phases: (0..program.insts.len()).map(phase).collect(),
            ..Self::of_code(code(launch.program), wanted, neighbours, program.local_bytes)
        }
    }

    /// Follows the blocks `wanted` of a launch of machine code, the first of them as `neighbours`. `past_l1` tells the loads
    /// that look past the L1 cache, with which a warp may wait for others, and `local` the bytes of a thread's local memory.
    pub(crate) fn of_machine_code(
        code: Vec<Instruction>,
        past_l1: Vec<bool>,
        wanted: Vec<u64>,
        neighbours: usize,
        local: u64,
    ) -> Self {
        Self { polls: past_l1.clone(), past_l1, ..Self::of_code(code, wanted, neighbours, local) }
    }

    /// Follows blocks of which nothing was seen yet; nothing is known of these instructions.
    fn of_code(code: Vec<Instruction>, wanted: Vec<u64>, neighbours: usize, local: u64) -> Self {
        let length = code.len();
        Self {
            trace: Trace { code, local: local * 32 * WARPS, ..Trace::default() },
            local,
            wanted,
            past_l1: vec![false; length],
            bulk: vec![false; length],
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

    fn push(&mut self, event: Event, instructions: u64) {
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

    /// An access to local memory. Words with one address lie side by side, in a place of the warp's own, so that a vector's
    /// words lie in lines behind each other.
    fn local(&mut self, event: &MemoryEvent<'_>, kind: AccessKind) {
        let Some((block, warp)) = self.current else { return };
        let number = self.trace.blocks[block].index * WARPS + warp as u64;
        let place = |lane: usize| {
            let address = event.addresses[lane];
            LOCAL_MEMORY + number * self.local * 32 + (address / 4 * 32 + lane as u64) * 4 + address % 4
        };
        let addresses = std::array::from_fn(place);
        let words = (event.width / 4).max(1);
        let width = event.width.min(4);
        let layout = Layout::of(&addresses, event.active, width);
        self.words(&MemoryEvent { addresses: &addresses, width, layout, ..*event }, kind, words);
    }

    fn global(&mut self, event: &MemoryEvent<'_>, kind: AccessKind) {
        self.words(event, kind, 1);
    }

    /// An access of so many words of each lane, which are a line apart.
    fn words(&mut self, event: &MemoryEvent<'_>, kind: AccessKind, words: u32) {
        let &MemoryEvent { pc, active, width, addresses, .. } = event;
        if self.current.is_none_or(|(block, _)| self.events[block] >= MOST_EVENTS) {
            return;
        }
        // A vector of updates is told element by element, and done as one.
        if let (AccessKind::Atomic | AccessKind::Reduction, Some((block, warp))) = (kind, self.current)
            && let Some(Event::Global { pc: before, .. }) = self.trace.blocks[block].warps[warp].last()
            && *before == pc
        {
            return;
        }
        let first = self.trace.sectors.len();
        let mut lines = 0;
        let (mut last, mut last_line) = (u64::MAX, u64::MAX);
        for (word, lane) in (0..words).flat_map(|word| lanes_of(active).map(move |lane| (word, lane))) {
            let sector = (addresses[lane as usize] >> 5) + u64::from(word) * 4;
            if sector == last || self.trace.sectors[first..].contains(&sector) {
                continue;
            }
            last = sector;
            self.trace.sectors.push(sector);
            if sector >> 2 != last_line {
                last_line = sector >> 2;
                lines += u32::from(!self.trace.sectors[first..].iter().rev().skip(1).any(|s| s >> 2 == last_line));
            }
        }
        let sectors = (self.trace.sectors.len() - first) as u32;
        let elements = sectors::elements(addresses, active, width.min(32).next_power_of_two()) * words;
        let (together, repeats) = match kind {
            AccessKind::Atomic | AccessKind::Reduction => together(addresses, active),
            AccessKind::Load | AccessKind::LoadL2 | AccessKind::Store | AccessKind::Copy => (1, 0),
        };
        let lanes = active.count_ones() * words;
        let access = self.trace.accesses.len() as u32;
        let full = elements * width >= sectors * 32;
        let (polls, update) = (self.polls[pc as usize], self.trace.code[pc as usize].update);
        let wavefronts = match kind {
            AccessKind::Load | AccessKind::LoadL2 => {
                let places = std::array::from_fn(|lane| addresses[lane] as u32);
                let data = banks::wavefronts(&places, active, width, Direction::Load) * words;
                data.max(tag_wavefronts(&self.trace.sectors[first..]))
            }
            AccessKind::Store | AccessKind::Atomic | AccessKind::Reduction | AccessKind::Copy => 0,
        };
        let first = first as u32;
        let access_of =
            Access { kind, first, sectors, lines, wavefronts, together, repeats, lanes, full, width, polls, update };
        self.trace.accesses.push(access_of);
        self.replace(pc, Event::Global { pc, access });
    }
}

/// Most lanes that address the same place; and in each sector the lanes beyond the first that address the place that
/// most of them do, summed up.
fn together(addresses: &[u64; 32], active: u32) -> (u32, u32) {
    let (mut most, mut repeats) = (1, 0);
    let mut left = active;
    while left != 0 {
        let sector = addresses[left.trailing_zeros() as usize] >> 5;
        let lanes = lanes_of(left).filter(|&lane| addresses[lane as usize] >> 5 == sector);
        let of_sector = lanes.fold(0, |mask, lane| mask | 1 << lane);
        let same = |lane: u32| {
            lanes_of(of_sector).filter(|&other| addresses[other as usize] == addresses[lane as usize]).count() as u32
        };
        let of_place = lanes_of(of_sector).map(same).max().unwrap_or(1);
        most = most.max(of_place);
        repeats += of_place - 1;
        left &= !of_sector;
    }
    (most, repeats)
}

/// The kernel's instructions.
pub(super) fn code(program: &Executable) -> Vec<Instruction> {
    let starts: Vec<Pc> = Cfg::new(program).blocks.iter().map(|block| block.start).collect();
    let numbers = |reg: Reg| -> Vec<u32> {
        match reg {
            Reg::W(slot, _) => vec![u32::from(slot) * 3],
            Reg::D(slot) => vec![u32::from(slot) * 3 + 1],
            Reg::P(slot) => vec![u32::from(slot) * 3 + 2],
            Reg::Q(low, high) => vec![u32::from(low) * 3 + 1, u32::from(high) * 3 + 1],
        }
    };
    let of = |(pc, inst): (usize, &Lowered)| {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        operands::visit(inst, &mut |reg| reads.extend(numbers(reg)), &mut |reg| writes.extend(numbers(reg)));
        // A question to an `mbarrier` is one instruction of the machine code; what the simulator makes of its answer costs
        // nothing.
        let text = &inst.text;
        let of_answer = polls::asks(&inst.opcode) && !matches!(inst.op, Op::Atomic(_));
        Instruction {
            text: if of_answer { format!("mov {text}") } else { text.clone() },
            reads,
            writes,
            leads: starts.binary_search(&(pc as Pc)).is_ok(),
            removed: program.insts[pc].removed,
            target: if let Op::Branch { target, .. } = inst.op { Some(target) } else { None },
            guarded: inst.guard.is_some(),
            update: update(&inst.opcode),
            issue: None,
        }
    };
    program.insts.iter().enumerate().map(of).collect()
}

/// What an instruction's updates take.
fn update(opcode: &Opcode) -> Update {
    let floating = ["f16", "f16x2", "bf16", "bf16x2", "f32", "f64"];
    if opcode.has("cas") {
        Update::Compare
    } else if opcode.has("add") && floating.iter().any(|kind| opcode.has(kind)) {
        Update::Sum
    } else {
        Update::Plain
    }
}

impl Observer for Tracer {
    const CHECKS: bool = true;

    type Held = ();

    fn instruction(&mut self, pc: Pc, active: u32) {
        let off = active == 0 && self.trace.code[pc as usize].issue.is_some();
        self.push(if off { Event::Off { pc } } else { Event::Run { pc, length: 1 } }, 1);
        if self.bulk[pc as usize]
            && let Some((block, _)) = self.current
            && self.events[block] < MOST_EVENTS
        {
            let first = self.trace.sectors.len() as u32;
            let access = self.trace.accesses.len() as u32;
            let none =
                Access { kind: AccessKind::Copy, first, together: 1, full: true, width: 16, ..Access::default() };
            self.trace.accesses.push(none);
            self.replace(pc, Event::Global { pc, access });
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
            self.phase(event.pc, what, address, (event.old)(address, 8).0);
            return;
        }
        // The copy engine's accesses are not reported as a warp's. Those of a copy come one behind the other.
        let Some((block, _)) = self.current else { return };
        if !self.bulk[event.pc as usize] || event.space == Space::Shared || self.events[block] >= MOST_EVENTS {
            return;
        }
        let Some(access) = self.trace.accesses.last_mut() else { return };
        for lane in lanes_of(event.lanes) {
            let sector = event.addresses[lane as usize] >> 5;
            if access.sectors == 0 || self.trace.sectors.last() != Some(&sector) {
                self.trace.sectors.push(sector);
                access.sectors += 1;
                access.lines = access.sectors.div_ceil(4);
            }
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
