//! `atom` and `red`: lanes of a warp take effect in the order of their numbers.

use half::{bf16, f16};

use super::access_events;
use super::memory;
use crate::event::{MemoryEvent, MemoryKind, Observer, SharedUnit};
use crate::findings;
use crate::ir::inst::{Atomic, AtomicForm, AtomicOp, MBARRIER_PARITY, MBARRIER_PENDING, Pc, Reg, Space};
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::banks;
use crate::memory::rows::Layout;

/// Executes an atomic.
pub(super) fn execute<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, atomic: &Atomic, active: u32) {
    let addresses = memory::addresses(warp, block, atomic.address);
    let constants = &block.machine.constants;
    let a = warp.registers.wide(constants, atomic.a);
    let b = atomic.b.map_or([0; 32], |reg| warp.registers.wide(constants, reg));
    let mut result = [0u64; 32];
    let width = u32::from(atomic.bytes);
    if let AtomicForm::Leader(exchange) | AtomicForm::Scan(exchange) = atomic.form {
        let full = if active == u32::MAX { exchange.full } else { 0 };
        block.observer.communicate(pc, active.count_ones() * u32::from(exchange.always + full));
    }
    memory::by_space(atomic.space, &addresses, active, |space, addresses, active| {
        let (kind, access) = (kind(atomic, space), atomic.width());
        let event = MemoryEvent { pc, active, addresses, width: access, layout: Layout::Any, kind };
        if atomic.elements == 0 {
            // The first element's access is that of the whole vector.
        } else if atomic.form == AtomicForm::Loop && space == Space::Shared {
            if atomic.space == Space::Generic {
                block.observer.memory(&MemoryEvent { kind: MemoryKind::SharedAttempt, ..event });
            }
            let old = |lane: usize| load(&block.shared, addresses[lane], width);
            observe_loop(&mut block.observer, &event, atomic.op, &a, std::array::from_fn(old));
        } else {
            observe(&mut block.observer, &event, atomic.form);
        }
        if O::CHECKS {
            access_events::atomic(warp, block, pc, atomic, space, addresses, active);
        }
        let (mut misaligned, mut outside) = (0, 0);
        let mut changed = false;
        let mut op = atomic.op;
        // The unit in L2 flushes subnormal numbers; shared memory adds in the SM, where they are kept.
        if let AtomicOp::AddF32 { ftz } = &mut op {
            *ftz = space == Space::Global;
        }
        for lane in (0..32).filter(|lane| active >> lane & 1 != 0) {
            let address = addresses[lane];
            if !address.is_multiple_of(u64::from(width)) {
                misaligned |= 1 << lane;
                continue;
            }
            let change = |old| {
                let new = if op == AtomicOp::AddF64 {
                    add_f64(old, a[lane], space == Space::Global)
                } else {
                    new_value(op, width, old, a[lane], b[lane])
                };
                changed |= new != old;
                new
            };
            let old = match space {
                Space::Shared => update(&mut block.shared, address, width, change),
                Space::Global => block
                    .machine
                    .global
                    .find(address, width)
                    .map(|allocation| allocation.update(address - allocation.base, width, change)),
                Space::Param | Space::Frame | Space::Const | Space::Local | Space::Generic => None,
            };
            match old {
                Some(old) => result[lane] = old,
                None => outside |= 1 << lane,
            }
        }
        block.changes += u64::from(changed);
        if misaligned | outside != 0 {
            let attempt = memory::Attempt { verb: "updates", space, addresses, width };
            memory::note_misses(warp, block, pc, &attempt, (misaligned, outside));
        }
    });
    if let Some(d) = atomic.result {
        if let Reg::P(_) = d {
            return;
        }
        warp.registers.set_wide(d, &result, active);
    }
}

/// The unit that does an atomic in a space.
pub(super) fn kind(atomic: &Atomic, space: Space) -> MemoryKind {
    match (space, atomic.form) {
        (Space::Shared, AtomicForm::Increment) => MemoryKind::SharedAtomic(SharedUnit::Increment),
        (Space::Shared, AtomicForm::Loop) => MemoryKind::SharedAtomic(SharedUnit::LoopStep),
        (Space::Shared, _) if atomic.op == AtomicOp::Cas => MemoryKind::SharedAtomic(SharedUnit::CompareAndSwap),
        (Space::Shared, _) => MemoryKind::SharedAtomic(SharedUnit::Alu),
        _ if atomic.is_reduction() => MemoryKind::GlobalReduction,
        _ if atomic.op == AtomicOp::Cas => MemoryKind::GlobalSwap,
        _ => MemoryKind::GlobalAtomic,
    }
}

/// Reports what reaches memory: every lane's access, or one lane's for all.
fn observe<O: Observer>(observer: &mut O, event: &MemoryEvent<'_>, form: AtomicForm) {
    let one = |lane: u32| MemoryEvent { active: 1 << lane, ..*event };
    match form {
        AtomicForm::Leader(_) => observer.memory(&one(event.active.ilog2())),
        AtomicForm::Scan(_) if event.active == u32::MAX => observer.memory(&one(31)),
        AtomicForm::Plain | AtomicForm::Increment | AtomicForm::Scan(_) | AtomicForm::Loop => observer.memory(event),
    }
}

/// Reports the steps of a loop of load, operation and compare-and-swap. `now` is what each lane's word holds before.
fn observe_loop<O: Observer>(
    observer: &mut O,
    event: &MemoryEvent<'_>,
    op: AtomicOp,
    operands: &[u64; 32],
    mut now: [u64; 32],
) {
    let addresses = event.addresses.map(|address| address as u32);
    let new = |lane: u32, now: &[u64; 32]| new_value(op, event.width, now[lane as usize], operands[lane as usize], 0);
    // A minimum or maximum that is reached already leaves the loop without a swap.
    let may_leave = matches!(op, AtomicOp::MinS | AtomicOp::MinU | AtomicOp::MaxS | AtomicOp::MaxU);
    let mut active = event.active;
    while active != 0 {
        observer.memory(&MemoryEvent { active, kind: MemoryKind::SharedLoopLoad, ..*event });
        if may_leave {
            let done = lanes_of(active).filter(|&lane| new(lane, &now) == now[lane as usize]);
            active &= !done.fold(0, |lanes, lane| lanes | 1 << lane);
            if active == 0 {
                return;
            }
        }
        observer.memory(&MemoryEvent { active, ..*event });
        let winners = banks::cas_winners(&addresses, active, event.width);
        for winner in lanes_of(winners) {
            let value = new(winner, &now);
            for lane in lanes_of(event.active).filter(|&lane| addresses[lane as usize] == addresses[winner as usize]) {
                now[lane as usize] = value;
            }
        }
        active &= !winners;
    }
}

/// A word of shared memory; 0 where there is none.
fn load(memory: &[u8], address: u64, width: u32) -> u64 {
    let mut bytes = [0; 8];
    let from = usize::try_from(address).ok().and_then(|at| memory.get(at..)?.get(..width as usize));
    if let Some(from) = from {
        bytes[..width as usize].copy_from_slice(from);
    }
    u64::from_le_bytes(bytes)
}

pub(super) fn update(memory: &mut [u8], address: u64, width: u32, change: impl FnOnce(u64) -> u64) -> Option<u64> {
    let at = usize::try_from(address).ok()?;
    let target = memory.get_mut(at..)?.get_mut(..width as usize)?;
    let mut bytes = [0; 8];
    bytes[..width as usize].copy_from_slice(target);
    let old = u64::from_le_bytes(bytes);
    target.copy_from_slice(&change(old).to_le_bytes()[..width as usize]);
    Some(old)
}

/// What a memory word becomes. `a` is the operand; for a compare-and-swap, `a` is compared with and `b` stored.
fn new_value(op: AtomicOp, width: u32, old: u64, a: u64, b: u64) -> u64 {
    let mask = if width == 8 { u64::MAX } else { (1 << (width * 8)) - 1 };
    let (a, b) = (a & mask, b & mask);
    let signed = |value: u64| {
        let shift = 64 - width * 8;
        (value << shift) as i64 >> shift
    };
    mask & match op {
        AtomicOp::Exch => a,
        AtomicOp::Cas => {
            if old == a {
                b
            } else {
                old
            }
        }
        AtomicOp::And => old & a,
        AtomicOp::Or => old | a,
        AtomicOp::Xor => old ^ a,
        AtomicOp::AddInt => old.wrapping_add(a),
        AtomicOp::Inc => {
            if old >= a {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Dec => {
            if old == 0 || old > a {
                a
            } else {
                old - 1
            }
        }
        AtomicOp::MinU => old.min(a),
        AtomicOp::MaxU => old.max(a),
        AtomicOp::MinS => signed(old).min(signed(a)) as u64,
        AtomicOp::MaxS => signed(old).max(signed(a)) as u64,
        AtomicOp::AddF32 { ftz } => u64::from(add_f32(old as u32, a as u32, ftz)),
        AtomicOp::MbarrierInit => Phase { number: 0, expected: a, pending: a, bytes: 0 }.word(),
        AtomicOp::MbarrierArrive => Phase::of(old).expect(b).arrive(a, 0).word(),
        AtomicOp::MbarrierDrop => Phase::of(old).expect(b).arrive(a, a).word(),
        AtomicOp::MbarrierExpect => Phase::of(old).expect(a).word(),
        AtomicOp::MbarrierComplete => Phase::of(old).expect(a.wrapping_neg()).arrive(0, 0).word(),
        AtomicOp::MbarrierTest => old,
        AtomicOp::AddF64 => add_f64(old, a, false),
        AtomicOp::AddF16 => add_f16(old as u16, a as u16).into(),
        AtomicOp::AddBf16 => add_bf16(old as u16, a as u16).into(),
        AtomicOp::MinF16 => chosen(old, a, |bits| f16::from_bits(bits).to_f32(), f32::min),
        AtomicOp::MaxF16 => chosen(old, a, |bits| f16::from_bits(bits).to_f32(), f32::max),
        AtomicOp::MinBf16 => chosen(old, a, |bits| bf16::from_bits(bits).to_f32(), f32::min),
        AtomicOp::MaxBf16 => chosen(old, a, |bits| bf16::from_bits(bits).to_f32(), f32::max),
        AtomicOp::AddF16x2 => halves(old, a, add_f16),
        AtomicOp::AddBf16x2 => halves(old, a, add_bf16),
    }
}

/// The state of an `mbarrier`, as this simulator keeps it in the barrier's 64 bits; programs must not look inside
/// (PTX ISA, "mbarrier object"). Counts have 20 bits, as the manual's limit of 2^20 - 1 asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Phase {
    /// Phases that have completed, modulo 16: a program sees the lowest bit, the race detector all four.
    number: u64,
    /// Arrivals that complete a phase.
    expected: u64,
    /// Arrivals that are missing.
    pending: u64,
    /// Bytes of asynchronous copies that are missing.
    bytes: u64,
}

/// What the phase of an `mbarrier` waits for, read off its state.
pub(crate) fn waits_for(word: u64) -> findings::Phase {
    let Phase { expected, pending, bytes, .. } = Phase::of(word);
    findings::Phase { pending, expected, bytes }
}

impl Phase {
    const COUNT: u64 = (1 << 20) - 1;

    fn of(word: u64) -> Self {
        Self {
            number: word >> MBARRIER_PARITY.trailing_zeros(),
            expected: word & Self::COUNT,
            pending: word >> MBARRIER_PENDING & Self::COUNT,
            bytes: word >> 40 & Self::COUNT,
        }
    }

    fn word(self) -> u64 {
        self.expected & Self::COUNT
            | (self.pending & Self::COUNT) << MBARRIER_PENDING
            | (self.bytes & Self::COUNT) << 40
            | self.number << MBARRIER_PARITY.trailing_zeros()
    }

    fn expect(mut self, bytes: u64) -> Self {
        self.bytes = self.bytes.wrapping_add(bytes) & Self::COUNT;
        self
    }

    /// `threads` arrive, `dropped` of them for the last time.
    fn arrive(mut self, threads: u64, dropped: u64) -> Self {
        self.pending = self.pending.saturating_sub(threads);
        self.expected = self.expected.saturating_sub(dropped);
        if self.pending == 0 && self.bytes == 0 {
            self.number = (self.number + 1) & 15;
            self.pending = self.expected;
        }
        self
    }
}

/// The lesser or greater of two halves, by what `choose` chooses of their values. A NaN gives way to a number, two give
/// the canonical one, and -0 is less than 0.
fn chosen(old: u64, a: u64, value: impl Fn(u16) -> f32, choose: impl Fn(f32, f32) -> f32) -> u64 {
    let [x, y] = [old, a].map(|bits| value(bits as u16));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => 0x7fff,
        (true, false) => a,
        (false, true) => old,
        // Numbers that are equal differ in the sign of zero at most.
        _ if x == y => {
            let negative = choose(-1.0, 1.0) < 0.0;
            if x.is_sign_negative() == negative { old } else { a }
        }
        _ if choose(x, y) == x => old,
        _ => a,
    }
}

/// What a word of memory becomes when a bulk copy reduces into it.
pub(super) fn reduced(op: AtomicOp, width: u32, space: Space, old: u64, a: u64) -> u64 {
    if op == AtomicOp::AddF64 { add_f64(old, a, space == Space::Global) } else { new_value(op, width, old, a, 0) }
}

fn halves(old: u64, a: u64, add: impl Fn(u16, u16) -> u16) -> u64 {
    u64::from(add(old as u16, a as u16)) | u64::from(add((old >> 16) as u16, (a >> 16) as u16)) << 16
}

/// Of two NaNs, global memory keeps the operand's as it is, shared memory (an addition in the SM) the old value's,
/// quieted: both as an H200 does it.
fn add_f64(old: u64, a: u64, global: bool) -> u64 {
    let sum = f64::from_bits(old) + f64::from_bits(a);
    if !sum.is_nan() {
        return sum.to_bits();
    }
    let operands = if global { [a, old] } else { [old, a] };
    match operands.into_iter().find(|&bits| f64::from_bits(bits).is_nan()) {
        Some(nan) if global => nan,
        Some(nan) => nan | 0x0008_0000_0000_0000,
        None => 0xfff8_0000_0000_0000,
    }
}

fn add_f32(old: u32, a: u32, ftz: bool) -> u32 {
    let flush = |bits: u32| if ftz && bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
    let sum = f32::from_bits(flush(old)) + f32::from_bits(flush(a));
    if sum.is_nan() { 0x7fff_ffff } else { flush(sum.to_bits()) }
}

fn add_f16(old: u16, a: u16) -> u16 {
    // f32 has more than twice the precision of f16, so rounding twice gives what rounding once does.
    let sum = f16::from_bits(old).to_f32() + f16::from_bits(a).to_f32();
    if sum.is_nan() { 0x7fff } else { f16::from_f32(sum).to_bits() }
}

fn add_bf16(old: u16, a: u16) -> u16 {
    // An f64 holds the sum of two bf16 to more than twice their precision, so rounding twice is harmless.
    let sum = bf16::from_bits(old).to_f64() + bf16::from_bits(a).to_f64();
    if sum.is_nan() { 0x7fff } else { bf16::from_f64(sum).to_bits() }
}
