//! The copy engine, and the barriers in shared memory that wait for it. A copy is done where it stands.
//!
//! The 64 bits of a barrier are those that the machine code makes it with and looks at: the arrivals that a phase expects
//! and those that are missing, each as its complement to 2^20, so that the last arrival carries into the bit of the phase
//! (`mbarrier.init` becomes shifts of that complement to bits 1 and 43, `mbarrier.pending_count` reads bits 43 to 62, and a
//! parity is compared with bit 63). Where the bytes that are still expected lie is not seen from outside; here they fill
//! the bits between.

use super::memory::{addresses, note_misses};
use crate::event::Observer as _;
use crate::findings::FindingKind;
use crate::lanes::{lanes_of, lanes_where};
use crate::machine_code::block::Block;
use crate::machine_code::machine::RESERVED_SHARED;
use crate::machine_code::op::{Address, AtomicOp, BulkCopy, PhaseChange, PredDst, Slot, Space};
use crate::machine_code::warp::Warp;
use crate::memory::sectors::SECTOR;
use crate::predict::polls::Phase as Met;
use crate::predict::trace::AccessKind;

/// Bytes that addresses and sizes of copies are multiples of.
const UNIT: u64 = 16;
/// Bits of a count of arrivals.
const COUNT: u32 = 20;
/// Bits of the bytes that are expected.
const BYTES: u32 = 22;
const COUNT_MASK: u64 = (1 << COUNT) - 1;
const BYTES_MASK: u64 = (1 << BYTES) - 1;

/// The state of a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Phase {
    /// Arrivals of each phase.
    expected: u64,
    /// Bytes that are still to come, modulo 2^22.
    bytes: u64,
    /// Arrivals that are missing.
    missing: u64,
    /// Changes when a phase is over.
    parity: u64,
}

impl Phase {
    const fn of(word: u64) -> Self {
        Self {
            expected: complement(word >> 1),
            bytes: word >> 21 & BYTES_MASK,
            missing: complement(word >> 43),
            parity: word >> 63,
        }
    }

    const fn word(self) -> u64 {
        complement(self.expected) << 1
            | (self.bytes & BYTES_MASK) << 21
            | complement(self.missing) << 43
            | self.parity << 63
    }

    /// After a change; the phase is over when nothing is missing any more.
    fn after(mut self, what: PhaseChange, value: u64) -> Self {
        let arrivals = match what {
            PhaseChange::Arrive | PhaseChange::ArriveCopied | PhaseChange::ArriveAndExpect | PhaseChange::Drop => 1,
            PhaseChange::ArriveSeveral => value,
            PhaseChange::Exchange | PhaseChange::Expect | PhaseChange::Complete => 0,
        };
        let bytes = match what {
            PhaseChange::ArriveAndExpect | PhaseChange::Expect => value,
            PhaseChange::Complete => value.wrapping_neg(),
            PhaseChange::Exchange
            | PhaseChange::Arrive
            | PhaseChange::ArriveCopied
            | PhaseChange::ArriveSeveral
            | PhaseChange::Drop => 0,
        };
        if what == PhaseChange::Drop {
            self.expected = self.expected.wrapping_sub(1) & COUNT_MASK;
        }
        self.bytes = self.bytes.wrapping_add(bytes) & BYTES_MASK;
        self.missing = self.missing.wrapping_sub(arrivals) & COUNT_MASK;
        // Bytes that are expected without any arrival end no phase.
        if self.missing == 0 && self.bytes == 0 && !matches!(what, PhaseChange::Expect) {
            self.missing = self.expected;
            self.parity ^= 1;
        }
        self
    }
}

/// What a count of arrivals is as its complement, and the other way round.
const fn complement(count: u64) -> u64 {
    count.wrapping_neg() & COUNT_MASK
}

/// The 8 bytes of a barrier; `None` outside of shared memory.
fn barrier(shared: &mut [u8], address: u64) -> Option<&mut [u8; 8]> {
    if address < RESERVED_SHARED || !address.is_multiple_of(8) {
        return None;
    }
    shared.get_mut(usize::try_from(address).ok()?..)?.first_chunk_mut()
}

/// A barrier is not where it should be.
#[cold]
fn missed(warp: &Warp, block: &mut Block<'_>, pc: u32, verb: &str, to: &[u64; 32], lanes: u32) {
    let skewed = lanes_where(lanes, |lane| !to[lane as usize].is_multiple_of(8));
    note_misses(warp, block, pc, (verb, Space::Shared, to, 8), (skewed, lanes & !skewed));
}

/// Changes a barrier of asynchronous copies, lane after lane.
pub(super) fn change_phase(
    warp: &mut Warp,
    block: &mut Block<'_>,
    pc: u32,
    (what, value): (PhaseChange, Slot),
    result: u8,
    address: &Address,
    active: u32,
) {
    let constants = &block.machine.constants;
    let to = addresses(warp, constants, address, Space::Shared);
    let low = warp.raw(constants, value);
    let high = match value {
        Slot::Lane(number) => warp.raw(constants, Slot::Lane(number + 1)),
        Slot::Warp(number) => warp.raw(constants, Slot::Warp(number + 1)),
        Slot::Constant(_) => low,
    };
    let (mut old_low, mut old_high, mut outside) = ([0; 32], [0; 32], 0);
    if let Some(met) = met(what) {
        trace_phase(block, pc, met, to[(active.trailing_zeros() & 31) as usize]);
    }
    for lane in lanes_of(active) {
        let at = lane as usize;
        let Some(bytes) = barrier(&mut block.shared, to[at]) else {
            outside |= 1 << lane;
            continue;
        };
        let old = u64::from_le_bytes(*bytes);
        let new = match what {
            PhaseChange::Exchange => u64::from(low[at]) | u64::from(high[at]) << 32,
            what => Phase::of(old).after(what, low[at].into()).word(),
        };
        *bytes = new.to_le_bytes();
        (old_low[at], old_high[at]) = (old as u32, (old >> 32) as u32);
    }
    block.changes += 1;
    if result != 255 {
        warp.set_lane(result, &old_low, active);
        warp.set_lane(result + 1, &old_high, active);
    }
    if outside != 0 {
        missed(warp, block, pc, "changes", &to, outside);
    }
}

/// What a change is for those who wait for a phase; `None` if nobody arrives.
const fn met(what: PhaseChange) -> Option<Met> {
    match what {
        PhaseChange::Exchange => Some(Met::Init),
        PhaseChange::ArriveCopied => Some(Met::Copies),
        PhaseChange::Arrive
        | PhaseChange::ArriveSeveral
        | PhaseChange::ArriveAndExpect
        | PhaseChange::Drop
        | PhaseChange::Complete => Some(Met::Arrive),
        PhaseChange::Expect => None,
    }
}

/// Tells the tracer what is done to the barrier at an address, in front of it.
fn trace_phase(block: &mut Block<'_>, pc: u32, met: Met, at: u64) {
    if block.tracer.is_none() {
        return;
    }
    let Some(&mut bytes) = barrier(&mut block.shared, at) else { return };
    if let Some(tracer) = &mut block.tracer {
        tracer.phase(pc, met, at, Phase::of(u64::from_le_bytes(bytes)).parity == 1);
    }
}

/// Tells the tracer which sectors of global memory a copy moves.
fn trace_copy(block: &mut Block<'_>, pc: u32, copy: &BulkCopy, (at, size): (u64, u64)) {
    let Some(tracer) = &mut block.tracer else { return };
    let (kind, element) = match (copy.to, copy.reduces) {
        (Space::Shared, _) => (AccessKind::Copy, 16),
        (Space::Global | Space::Generic | Space::Local, None) => (AccessKind::Store, 16),
        (Space::Global | Space::Generic | Space::Local, Some((_, bytes))) => (AccessKind::Reduction, bytes),
    };
    tracer.engine(pc, kind, element);
    let end = at.saturating_add(size).div_ceil(SECTOR);
    (at / SECTOR..end).for_each(|sector| tracer.engine_moves(sector));
}

/// Looks whether a phase is over.
pub(super) fn check_phase(
    warp: &mut Warp,
    block: &mut Block<'_>,
    pc: u32,
    (p, phase, waits): (PredDst, Slot, bool),
    address: &Address,
    active: u32,
) {
    let constants = &block.machine.constants;
    let to = addresses(warp, constants, address, Space::Shared);
    let asked = warp.raw(constants, phase);
    trace_phase(block, pc, Met::Wait, to[(active.trailing_zeros() & 31) as usize]);
    let (mut over, mut outside) = (0, 0);
    for lane in lanes_of(active) {
        let at = lane as usize;
        match barrier(&mut block.shared, to[at]) {
            None => outside |= 1 << lane,
            Some(bytes) => {
                let parity = Phase::of(u64::from_le_bytes(*bytes)).parity;
                over |= u32::from(parity != u64::from(asked[at] >> 31)) << lane;
            }
        }
    }
    warp.set_pred(p, over, active);
    warp.yields = waits && over != active && outside == 0;
    if outside != 0 {
        missed(warp, block, pc, "looks at", &to, outside);
    }
}

/// Copies or reduces many bytes, once for the warp.
pub(super) fn copy(warp: &mut Warp, block: &mut Block<'_>, pc: u32, copy: &BulkCopy, active: u32) {
    let constants = &block.machine.constants;
    let word = |slot: Slot| warp.raw(constants, slot)[0];
    let size = u64::from(word(copy.units) & 0xffff) * UNIT;
    let wide = |(low, high): (Slot, Slot)| u64::from(word(low)) | u64::from(word(high)) << 32;
    let (to, from) = match copy.to {
        Space::Shared => (u64::from(word(copy.target.0)), wide(copy.source)),
        Space::Global | Space::Generic | Space::Local => (wide(copy.target), u64::from(word(copy.source.0))),
    };
    let barrier_at = (copy.to == Space::Shared).then(|| u64::from(word(copy.target.1)));
    let (target, source) = match copy.to {
        Space::Shared => (Space::Shared, Space::Global),
        Space::Global | Space::Generic | Space::Local => (Space::Global, Space::Shared),
    };
    let lane = active & active.wrapping_neg();
    block.changes += 1;
    for (verb, space, address) in [("reads", source, from), ("writes", target, to)] {
        if !address.is_multiple_of(UNIT) {
            return note_misses(warp, block, pc, (verb, space, &[address; 32], UNIT as u32), (lane, 0));
        }
    }
    if copy.reduces.is_some() && size > 0 {
        // As an H200 was measured to do it: one request for each line, with the sectors that it has of it.
        let touched = |bytes: u64| to.saturating_add(size - 1) / bytes - to / bytes + 1;
        block.counters.engine(pc, touched(128), touched(SECTOR));
    }
    trace_copy(block, pc, copy, (if source == Space::Global { from } else { to }, size));
    let step = copy.reduces.map_or(8, |(_, bytes)| u64::from(bytes));
    for offset in (0..size).step_by(step as usize) {
        let (here, there) = (from.wrapping_add(offset), to.wrapping_add(offset));
        let Some(value) = read(block, source, here, step) else {
            return note_misses(warp, block, pc, ("reads", source, &[here; 32], UNIT as u32), (0, lane));
        };
        if !write(block, target, there, step, copy.reduces.map(|(op, _)| op), value) {
            return note_misses(warp, block, pc, ("writes", target, &[there; 32], UNIT as u32), (0, lane));
        }
    }
    let Some(at) = barrier_at else { return };
    trace_phase(block, pc, Met::Copies, at);
    match barrier(&mut block.shared, at) {
        Some(bytes) => {
            *bytes = Phase::of(u64::from_le_bytes(*bytes)).after(PhaseChange::Complete, size).word().to_le_bytes();
        }
        None => {
            let message = format!("a copy into shared memory reports to byte {at}, where no barrier can be");
            let help = "pass the address of an 8-byte barrier in shared memory";
            block.fault(pc, FindingKind::OutOfBounds, (warp.index, lane), (message, help), None);
        }
    }
}

/// Reads an element of the copy engine.
fn read(block: &Block<'_>, space: Space, address: u64, bytes: u64) -> Option<u64> {
    if space == Space::Global {
        let found = block.machine.global.find(address, bytes as u32)?;
        return Some(found.load(address - found.base, bytes as u32));
    }
    if address < RESERVED_SHARED {
        return None;
    }
    let at = usize::try_from(address).ok()?;
    let content = block.shared.get(at..at.checked_add(bytes as usize)?)?;
    Some(content.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

/// Writes an element, or combines it with what is there; false outside of memory.
fn write(block: &mut Block<'_>, space: Space, address: u64, bytes: u64, reduces: Option<AtomicOp>, value: u64) -> bool {
    let new = |old: u64| match reduces {
        Some(op) => super::atomic::step_of(op, bytes as u32, old.into(), value.into(), 0).0 as u64,
        None => value,
    };
    if space == Space::Global {
        let Some(found) = block.machine.global.find(address, bytes as u32) else { return false };
        found.update(address - found.base, bytes as u32, new);
        return true;
    }
    let old = read(block, space, address, bytes);
    let (Some(old), at) = (old, address as usize) else { return false };
    block.shared[at..at + bytes as usize].copy_from_slice(&new(old).to_le_bytes()[..bytes as usize]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `mbarrier.init` with so many arrivals becomes.
    const fn made(count: u64) -> u64 {
        let complement = (1 << COUNT) - count;
        complement << 1 | complement << 43
    }

    #[test]
    fn a_phase_is_over_after_its_arrivals_and_its_bytes() {
        let mut phase = Phase::of(made(2));
        assert_eq!((phase.expected, phase.missing, phase.bytes, phase.parity), (2, 2, 0, 0));
        assert_eq!(phase.word(), made(2));
        phase = phase.after(PhaseChange::ArriveAndExpect, 512).after(PhaseChange::Arrive, 0);
        assert_eq!((phase.missing, phase.bytes, phase.parity), (0, 512, 0));
        assert_eq!(Phase::of(phase.word()), phase);
        phase = phase.after(PhaseChange::Complete, 512);
        assert_eq!((phase.missing, phase.bytes, phase.parity), (2, 0, 1));
    }

    #[test]
    fn bytes_may_come_before_they_are_expected_and_arrivals_may_be_dropped() {
        let early = Phase::of(made(2)).after(PhaseChange::Complete, 64).after(PhaseChange::ArriveAndExpect, 64);
        assert_eq!((early.missing, early.bytes, early.parity), (1, 0, 0));
        let dropped = early.after(PhaseChange::Drop, 0);
        assert_eq!((dropped.expected, dropped.missing, dropped.parity), (1, 1, 1));
        let several = Phase::of(made(8)).after(PhaseChange::ArriveSeveral, 8);
        assert_eq!((several.missing, several.parity), (8, 1));
    }
}
