//! Warps that wait for others by asking again and again: what a [`Tracer`] makes of polls and of `mbarrier`s.

use super::trace::Event;
use super::tracer::Tracer;
use crate::event::MemoryEvent;
use crate::ir::Opcode;
use crate::ir::inst::{AtomicOp, Op, Pc};
use crate::lanes::lanes_of;

/// Events over which a round of a loop that polls is looked for.
const LONGEST_POLL: usize = 64;

/// What an instruction does to an `mbarrier`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It is made.
    Init,
    /// Somebody arrives, or announced bytes have come.
    Arrive,
    /// The copies that the warp has begun arrive when they are done.
    Copies,
    /// Somebody asks whether a phase is over.
    Wait,
}

/// What is known of an `mbarrier`: the number of the phase that it is in and of the one before, and its parity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    phase: u32,
    before: Option<u32>,
    parity: bool,
}

/// Whether an instruction asks an `mbarrier` whether a phase is over.
pub(super) fn asks(opcode: &Opcode) -> bool {
    opcode.name() == "mbarrier" && (opcode.has("test_wait") || opcode.has("try_wait"))
}

/// What an instruction does to an `mbarrier`, if it is one.
pub(super) fn phase(op: &Op, opcode: &Opcode) -> Option<Phase> {
    let Op::Atomic(atomic) = op else { return None };
    if atomic.op == AtomicOp::MbarrierInit {
        Some(Phase::Init)
    } else if matches!(atomic.op, AtomicOp::MbarrierArrive | AtomicOp::MbarrierDrop | AtomicOp::MbarrierComplete) {
        Some(Phase::Arrive)
    } else {
        asks(opcode).then_some(Phase::Wait)
    }
}

impl Tracer {
    /// Whether the warp that runs looked at the same places of shared memory when it was last at this instruction.
    pub(super) fn is_same_place(&mut self, event: &MemoryEvent<'_>) -> bool {
        let Some((block, warp)) = self.current else { return false };
        let places = lanes_of(event.active).map(|lane| event.addresses[lane as usize] as u32).collect();
        let now = (event.active, places);
        let before = self.asked.insert((block, warp, event.pc), now);
        let now = &self.asked[&(block, warp, event.pc)];
        before.is_some_and(|before| before == *now)
    }

    /// The last event of the warp that runs was a question that other warps have to answer. Where it was asked before,
    /// and nothing has been done since but to ask, the warp waits: on a GPU it asks less often, or more, and what it
    /// takes is the time until the answer is there. So only the last time counts.
    pub(super) fn forget_poll(&mut self, pc: Pc) {
        let Some((block, warp)) = self.current else { return };
        let traced = &mut self.trace.blocks[block];
        let events = &mut traced.warps[warp];
        let position = |event: &Event| match *event {
            Event::Run { .. } | Event::Off { .. } => None,
            Event::Shared { pc, .. }
            | Event::Global { pc, .. }
            | Event::Barrier { pc, .. }
            | Event::Phase { pc, .. }
            | Event::Lands { pc, .. } => Some(pc),
        };
        let Some((&last, before)) = events.split_last() else { return };
        if position(&last) != Some(pc) {
            return;
        }
        let mut earlier = None;
        for (at, event) in before.iter().enumerate().rev().take(LONGEST_POLL) {
            match position(event) {
                Some(own) if own == pc => {
                    earlier = Some(at);
                    break;
                }
                Some(own) if !self.polls[own as usize] => return,
                _ => {}
            }
        }
        let Some(earlier) = earlier else { return };
        // Somewhere else: a walk along what others have stored, not a wait.
        let sectors = |event: &Event| match *event {
            Event::Global { access, .. } => {
                let access = &self.trace.accesses[access as usize];
                &self.trace.sectors[access.first as usize..][..access.sectors as usize]
            }
            Event::Run { .. }
            | Event::Off { .. }
            | Event::Shared { .. }
            | Event::Barrier { .. }
            | Event::Phase { .. }
            | Event::Lands { .. } => &[],
        };
        let same = match (&before[earlier], &last) {
            (Event::Phase { .. }, _) | (_, Event::Phase { .. }) => true,
            (one, other) => sectors(other).iter().all(|sector| sectors(one).contains(sector)),
        };
        if !same {
            return;
        }
        let instructions = |event: &Event| match *event {
            Event::Run { length, .. } => length.into(),
            Event::Lands { .. } => 0,
            Event::Off { .. }
            | Event::Shared { .. }
            | Event::Global { .. }
            | Event::Barrier { .. }
            | Event::Phase { .. } => 1,
        };
        let gone: u64 = before[earlier..].iter().map(instructions).sum();
        for event in &before[earlier..] {
            if let Event::Global { access, .. } = *event {
                let access = &mut self.trace.accesses[access as usize];
                (access.sectors, access.lines, access.lanes) = (0, 0, 0);
            }
        }
        self.events[block] -= before.len() - earlier;
        traced.executed -= gone;
        traced.kept -= gone;
        events.truncate(earlier);
        events.push(last);
    }

    /// An instruction of the warp that runs asks an `mbarrier` or arrives at it, whose phase has this parity before.
    pub(crate) fn phase(&mut self, pc: Pc, what: Phase, address: u64, parity: bool) {
        let Some((block, warp)) = self.current else { return };
        let known = self.known((block, address), what, parity);
        // Whoever hears yes has waited for the phase before the one that he finds; there may be none.
        let phase = match what {
            Phase::Init => return,
            Phase::Wait => known.before.unwrap_or(u32::MAX),
            Phase::Arrive => known.phase,
            Phase::Copies => {
                self.push(Event::Lands { pc, phase: known.phase }, 0);
                return;
            }
        };
        if let Some(event) = self.trace.blocks[block].warps[warp].last_mut()
            && *event == (Event::Run { pc, length: 1 })
        {
            *event = Event::Phase { pc, phase, waits: what == Phase::Wait };
        }
        if what == Phase::Wait {
            self.forget_poll(pc);
        }
    }

    /// What is known of an `mbarrier` of a block to which something is done.
    fn known(&mut self, (block, address): (usize, u64), what: Phase, parity: bool) -> Known {
        let count = &mut self.phase_counts[block];
        let mut fresh = || {
            *count += 1;
            *count - 1
        };
        let known = match self.barriers.get(&(block, address)) {
            _ if what == Phase::Init => Known { phase: fresh(), before: None, parity: false },
            None => Known { phase: fresh(), before: None, parity },
            Some(known) if known.parity != parity => Known { phase: fresh(), before: Some(known.phase), parity },
            Some(known) => *known,
        };
        self.barriers.insert((block, address), known);
        known
    }
}
