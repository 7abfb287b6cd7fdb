//! The operations of a warp in the order of the machine code, from the events of its trace.

use super::trace::Event;

/// An instruction that a warp executes.
#[derive(Clone, Copy)]
pub(super) struct Op {
    /// The instruction.
    pub pc: u32,
    /// What is known of it.
    pub what: What,
}

/// What a trace knows of an instruction beside its position.
#[derive(Clone, Copy)]
pub(super) enum What {
    /// Nothing more.
    Plain,
    /// It is done for no lane.
    Off,
    /// It takes so many wavefronts in shared memory.
    Shared(u32),
    /// It is this access to global memory.
    Global(u32),
    /// It waits for this opening of a barrier, together with so many warps.
    Barrier(u32, u32),
    /// It arrives at a phase of an `mbarrier`.
    Arrive(u32),
    /// It waits for a phase of an `mbarrier`.
    Wait(u32),
    /// No instruction: the copies before it arrive at a phase of an `mbarrier` when they are done.
    Lands(u32),
}

/// A warp's operations in the order of the machine code. Where `skips` says that an instruction is a branch that has become
/// a condition, and how far it goes, a warp all of whose lanes go around still issues what stands in between, for no lane.
pub(super) fn of(
    events: &[Event],
    ranks: &[u32],
    leads: &dyn Fn(u32) -> bool,
    skips: &dyn Fn(u32) -> Option<u32>,
) -> Vec<Op> {
    let mut list: Vec<Op> = Vec::new();
    let mut group = 0;
    let mut last = u32::MAX;
    let mut add = |pc: u32, what: What, list: &mut Vec<Op>| {
        if last != u32::MAX && pc > last + 1 && skips(last) == Some(pc) {
            list.extend((last + 1..pc).map(|pc| Op { pc, what: What::Plain }));
        }
        if last == u32::MAX || pc <= last || leads(pc) || (last + 1..pc).any(leads) {
            list[group..].sort_by_key(|op| ranks[op.pc as usize]);
            group = list.len();
        }
        last = pc;
        list.push(Op { pc, what });
    };
    for event in events {
        match *event {
            Event::Run { pc, length } => (pc..pc + length).for_each(|pc| add(pc, What::Plain, &mut list)),
            Event::Off { pc } => add(pc, What::Off, &mut list),
            Event::Shared { pc, wavefronts } => add(pc, What::Shared(wavefronts), &mut list),
            Event::Global { pc, access } => add(pc, What::Global(access), &mut list),
            Event::Barrier { pc, opening, warps } => add(pc, What::Barrier(opening, warps), &mut list),
            Event::Phase { pc, phase, waits: false } => add(pc, What::Arrive(phase), &mut list),
            Event::Phase { pc, phase, waits: true } => add(pc, What::Wait(phase), &mut list),
            // In PTX an instruction of its own says so.
            Event::Lands { .. } => {}
        }
    }
    list[group..].sort_by_key(|op| ranks[op.pc as usize]);
    list
}

/// A warp's operations as they were executed: of machine code.
pub(super) fn as_executed(events: &[Event]) -> Vec<Op> {
    let op = |event: &Event| {
        let (pc, length, what) = match *event {
            Event::Run { pc, length } => (pc, length, What::Plain),
            Event::Off { pc } => (pc, 1, What::Off),
            Event::Shared { pc, wavefronts } => (pc, 1, What::Shared(wavefronts)),
            Event::Global { pc, access } => (pc, 1, What::Global(access)),
            Event::Barrier { pc, opening, warps } => (pc, 1, What::Barrier(opening, warps)),
            Event::Phase { pc, phase, waits } => (pc, 1, if waits { What::Wait(phase) } else { What::Arrive(phase) }),
            Event::Lands { pc, phase } => (pc, 1, What::Lands(phase)),
        };
        (pc..pc + length).map(move |pc| Op { pc, what })
    };
    events.iter().flat_map(op).collect()
}
