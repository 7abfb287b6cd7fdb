//! The table of operands: which registers each instruction reads and writes, and where it keeps them.
//!
//! One table serves those who ask ([`visit`]) and those who give registers other slots (`rename`): the macro below is
//! expanded once for shared and once for exclusive references. It names every operation, so that a new one does not
//! compile before its operands stand here.

use super::inst::{Address, CONSTANT, Inst, MatrixKind, Op, Reg, Slot32, Slot64, SlotP, Variation};

/// What an instruction does with a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Read,
    Written,
}
use Role::{Read, Written};

/// Defines a function that shows every operand of an instruction to a visitor: what is read first, in the order of the
/// instruction's operands, then what is written. `$r` is the kind of reference, `&` or `&mut`.
macro_rules! operands {
    ($name:ident, $address:ident, $visitor:ident, $($r:tt)+) => {
        fn $address<V: $visitor>(address: $($r)+ Address, v: &mut V) {
            if let Some(base) = $($r)+ address.base {
                v.register(Read, base);
            }
        }

        fn $name<V: $visitor>(inst: $($r)+ Inst, v: &mut V) {
            if let Some((p, _)) = $($r)+ inst.guard {
                v.predicate(Read, p);
            }
            match $($r)+ inst.op {
                Op::Nop
                | Op::Fence
                | Op::CopyStep
                | Op::Branch { .. }
                | Op::Exit
                | Op::Trap
                | Op::Breakpoint
                | Op::StackOverflow => {}
                Op::Mov32 { d, a } => {
                    v.word(Read, a);
                    v.word(Written, d);
                }
                Op::Mov64 { d, a } => {
                    v.double(Read, a);
                    v.double(Written, d);
                }
                Op::Int32 { d, a, b, op: _ } | Op::F32 { d, a, b, op: _ } => {
                    v.word(Read, a);
                    v.word(Read, b);
                    v.word(Written, d);
                }
                Op::Mad32 { d, a, b, c } | Op::Fma32 { d, a, b, c, negate: _ } => {
                    v.word(Read, a);
                    v.word(Read, b);
                    v.word(Read, c);
                    v.word(Written, d);
                }
                Op::Int64 { d, a, b, op: _ } | Op::F64 { d, a, b, op: _ } => {
                    v.double(Read, a);
                    v.double(Read, b);
                    v.double(Written, d);
                }
                Op::Fma64 { d, a, b, c, negate: _ } => {
                    v.double(Read, a);
                    v.double(Read, b);
                    v.double(Read, c);
                    v.double(Written, d);
                }
                Op::Shl64 { d, a, b } | Op::Shr64 { d, a, b, signed: _ } => {
                    v.double(Read, a);
                    v.word(Read, b);
                    v.double(Written, d);
                }
                Op::MulWide { d, a, b, signed: _ } => {
                    v.word(Read, a);
                    v.word(Read, b);
                    v.double(Written, d);
                }
                Op::MadWide { d, a, b, c, signed: _ } => {
                    v.word(Read, a);
                    v.word(Read, b);
                    v.double(Read, c);
                    v.double(Written, d);
                }
                Op::Widen { d, a, signed: _ } => {
                    v.word(Read, a);
                    v.double(Written, d);
                }
                Op::Narrow { d, a } => {
                    v.double(Read, a);
                    v.word(Written, d);
                }
                Op::Compare32 { p, a, b, test: _, what: _ } => {
                    v.word(Read, a);
                    v.word(Read, b);
                    v.predicate(Written, p);
                }
                Op::Compare64 { p, a, b, test: _, signed: _ } => {
                    v.double(Read, a);
                    v.double(Read, b);
                    v.predicate(Written, p);
                }
                Op::Select32 { d, a, b, p } => {
                    v.word(Read, a);
                    v.word(Read, b);
                    v.predicate(Read, p);
                    v.word(Written, d);
                }
                Op::Select64 { d, a, b, p } => {
                    v.double(Read, a);
                    v.double(Read, b);
                    v.predicate(Read, p);
                    v.double(Written, d);
                }
                Op::PredicateConstant { d, value: _ } => v.predicate(Written, d),
                Op::PredicateMov { d, a, negated: _ } => {
                    v.predicate(Read, a);
                    v.predicate(Written, d);
                }
                Op::Predicate { d, a, b, op: _ } => {
                    v.predicate(Read, a);
                    v.predicate(Read, b);
                    v.predicate(Written, d);
                }
                Op::Varying(varying) => {
                    match $($r)+ varying.by {
                        Variation::Only(p, _) => v.predicate(Read, p),
                        Variation::Operands(_, operands) => {
                            for reg in operands.into_iter().flatten() {
                                v.register(Read, reg);
                            }
                        }
                    }
                    $name($($r)+ varying.inst, v);
                }
                Op::Lane(lane) => {
                    for (reg, _) in $($r)+ lane.src {
                        v.register(Read, reg);
                    }
                    if let Some(reg) = $($r)+ lane.d {
                        v.register(Written, reg);
                    }
                    if let Some(q) = $($r)+ lane.q {
                        v.predicate(Written, q);
                    }
                }
                Op::Pack { d, parts, bits: _ } => {
                    for part in $($r)+ **parts {
                        v.register(Read, part);
                    }
                    v.register(Written, d);
                }
                Op::Unpack { parts, a, bits: _ } => {
                    v.register(Read, a);
                    for part in ($($r)+ **parts).into_iter().flatten() {
                        v.register(Written, part);
                    }
                }
                Op::ReadSpecial { d, what: _ } => v.register(Written, d),
                Op::Load(access) => {
                    $address($($r)+ access.address, v);
                    for reg in ($($r)+ access.registers).into_iter().flatten() {
                        v.register(Written, reg);
                    }
                }
                Op::Store(access) => {
                    $address($($r)+ access.address, v);
                    for reg in ($($r)+ access.registers).into_iter().flatten() {
                        v.register(Read, reg);
                    }
                }
                Op::Atomic(atomic) => {
                    $address($($r)+ atomic.address, v);
                    v.register(Read, $($r)+ atomic.a);
                    if let Some(reg) = $($r)+ atomic.b {
                        v.register(Read, reg);
                    }
                    if let Some(reg) = $($r)+ atomic.result {
                        v.register(Written, reg);
                    }
                }
                Op::Copy(copy) => {
                    $address($($r)+ copy.to, v);
                    $address($($r)+ copy.from, v);
                    if let Some(reg) = $($r)+ copy.source_bytes {
                        v.register(Read, reg);
                    }
                    if let Some((p, _)) = $($r)+ copy.ignore {
                        v.predicate(Read, p);
                    }
                }
                Op::Bulk(bulk) => {
                    $address($($r)+ bulk.to.1, v);
                    $address($($r)+ bulk.from.1, v);
                    v.register(Read, $($r)+ bulk.bytes);
                }
                Op::Convert { d, a, space: _, to_generic: _ } => {
                    v.register(Read, a);
                    v.register(Written, d);
                }
                Op::IsSpace { d, a, space: _ } => {
                    v.register(Read, a);
                    v.predicate(Written, d);
                }
                Op::Barrier(barrier) => {
                    v.register(Read, $($r)+ barrier.id);
                    if let Some(reg) = $($r)+ barrier.threads {
                        v.register(Read, reg);
                    }
                    if let Some((_, p, _, d)) = $($r)+ barrier.reduction {
                        v.predicate(Read, p);
                        v.register(Written, d);
                    }
                }
                Op::WarpSync { mask } => v.word(Read, mask),
                Op::Sleep { nanoseconds } => v.word(Read, nanoseconds),
                Op::Shuffle { d, p, a, b, c, mask, mode: _ } => {
                    v.word(Read, a);
                    v.word(Read, b);
                    v.word(Read, c);
                    if let Some(mask) = mask {
                        v.word(Read, mask);
                    }
                    v.word(Written, d);
                    if let Some(p) = p {
                        v.predicate(Written, p);
                    }
                }
                Op::Vote { d, a, mask, mode: _, negated: _ } => {
                    v.predicate(Read, a);
                    if let Some(mask) = mask {
                        v.word(Read, mask);
                    }
                    v.register(Written, d);
                }
                Op::Match { d, p, a, mask, all: _ } => {
                    v.register(Read, a);
                    v.word(Read, mask);
                    v.word(Written, d);
                    if let Some(p) = p {
                        v.predicate(Written, p);
                    }
                }
                Op::Redux { d, a, mask, op: _ } => {
                    v.word(Read, a);
                    v.word(Read, mask);
                    v.word(Written, d);
                }
                Op::Elect { d, p, mask } => {
                    v.word(Read, mask);
                    if let Some(d) = d {
                        v.word(Written, d);
                    }
                    v.predicate(Written, p);
                }
                Op::ActiveMask { d } => v.word(Written, d),
                Op::Matrix(matrix) => {
                    v.word(Read, $($r)+ matrix.mask);
                    match $($r)+ matrix.kind {
                        MatrixKind::Multiply(multiply) => {
                            let multiply = $($r)+ **multiply;
                            for factor in [$($r)+ multiply.a, $($r)+ multiply.b, $($r)+ multiply.c] {
                                for reg in $($r)+ factor.registers {
                                    v.register(Read, reg);
                                }
                            }
                            for reg in $($r)+ multiply.d.registers {
                                v.register(Written, reg);
                            }
                        }
                        MatrixKind::Transfer(transfer) => {
                            $address($($r)+ transfer.address, v);
                            v.register(Read, $($r)+ transfer.stride);
                            let role = if transfer.store { Read } else { Written };
                            for reg in $($r)+ transfer.fragment.registers {
                                v.register(role, reg);
                            }
                        }
                        MatrixKind::Rows(rows) => {
                            $address($($r)+ rows.address, v);
                            let role = if rows.store { Read } else { Written };
                            for slot in $($r)+ rows.registers {
                                v.word(role, slot);
                            }
                        }
                        MatrixKind::Transpose { d, a } => {
                            v.word(Read, a);
                            v.word(Written, d);
                        }
                    }
                }
                Op::Print(print) => {
                    v.register(Read, $($r)+ print.format);
                    v.register(Read, $($r)+ print.arguments);
                    if let Some(reg) = $($r)+ print.result {
                        v.register(Written, reg);
                    }
                }
                Op::Allocate { d, size } => {
                    v.register(Read, size);
                    v.register(Written, d);
                }
                Op::Release { pointer: reg } | Op::NoFunction { target: reg } => v.register(Read, reg),
                Op::Assert { message, file, line, function } => {
                    v.register(Read, message);
                    v.register(Read, file);
                    v.register(Read, line);
                    v.register(Read, function);
                }
            }
        }
    };
}

operands!(show, show_address, Looks, &);
operands!(change, change_address, Changes, &mut);

/// Somebody who looks at operands.
trait Looks {
    fn register(&mut self, role: Role, reg: &Reg);

    fn word(&mut self, role: Role, slot: &Slot32) {
        self.register(role, &Reg::W(*slot, 32));
    }

    fn double(&mut self, role: Role, slot: &Slot64) {
        self.register(role, &Reg::D(*slot));
    }

    fn predicate(&mut self, role: Role, slot: &SlotP) {
        self.register(role, &Reg::P(*slot));
    }
}

/// Somebody who changes operands.
trait Changes {
    fn register(&mut self, role: Role, reg: &mut Reg);
    fn word(&mut self, role: Role, slot: &mut Slot32);
    fn double(&mut self, role: Role, slot: &mut Slot64);
    fn predicate(&mut self, role: Role, slot: &mut SlotP);
}

struct Look<'f, R, W> {
    reads: &'f mut R,
    writes: &'f mut W,
}

impl<R: FnMut(Reg), W: FnMut(Reg)> Looks for Look<'_, R, W> {
    fn register(&mut self, role: Role, reg: &Reg) {
        match role {
            Read if reg.is_constant() => {}
            Read => (self.reads)(*reg),
            Written => (self.writes)(*reg),
        }
    }
}

struct Change<'f, F> {
    map: &'f mut F,
}

impl<F: FnMut(Reg) -> Reg> Changes for Change<'_, F> {
    fn register(&mut self, _: Role, reg: &mut Reg) {
        if !reg.is_constant() {
            *reg = (self.map)(*reg);
        }
    }

    fn word(&mut self, _: Role, slot: &mut Slot32) {
        if *slot & CONSTANT == 0
            && let Reg::W(new, _) = (self.map)(Reg::W(*slot, 32))
        {
            *slot = new;
        }
    }

    fn double(&mut self, _: Role, slot: &mut Slot64) {
        if *slot & CONSTANT == 0
            && let Reg::D(new) = (self.map)(Reg::D(*slot))
        {
            *slot = new;
        }
    }

    fn predicate(&mut self, _: Role, slot: &mut SlotP) {
        if let Reg::P(new) = (self.map)(Reg::P(*slot)) {
            *slot = new;
        }
    }
}

/// Calls `reads` and `writes` with every register of the instruction, its guard included and constants left out.
pub fn visit(inst: &Inst, reads: &mut impl FnMut(Reg), writes: &mut impl FnMut(Reg)) {
    show(inst, &mut Look { reads, writes });
}

/// Replaces every register of the instruction by what `map` makes of it, constants left out.
pub(crate) fn rename(inst: &mut Inst, map: &mut impl FnMut(Reg) -> Reg) {
    change(inst, &mut Change { map });
}

/// Two registers share storage.
pub fn same(a: Reg, b: Reg) -> bool {
    match (a, b) {
        (Reg::W(a, _), Reg::W(b, _)) | (Reg::D(a), Reg::D(b)) | (Reg::P(a), Reg::P(b)) => a == b,
        (Reg::Q(a0, a1), Reg::D(b)) | (Reg::D(b), Reg::Q(a0, a1)) => a0 == b || a1 == b,
        (Reg::Q(a0, _), Reg::Q(b0, _)) => a0 == b0,
        _ => false,
    }
}

/// The instruction writes `reg`.
pub fn writes(inst: &Inst, reg: Reg) -> bool {
    let mut found = false;
    visit(inst, &mut |_| {}, &mut |written| found |= same(written, reg));
    found
}

/// The instruction reads or writes `reg`.
pub fn touches(inst: &Inst, reg: Reg) -> bool {
    let (mut read, mut written) = (false, false);
    visit(inst, &mut |r| read |= same(r, reg), &mut |r| written |= same(r, reg));
    read || written
}
