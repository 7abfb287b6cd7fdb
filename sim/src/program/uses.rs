//! Which registers an instruction reads and writes.

use super::inst::{Inst, MatrixKind, Multiply, Op, Reg, Variation};

/// Calls `reads` and `writes` with every register of the instruction, constants left out.
pub fn visit(inst: &Inst, reads: &mut impl FnMut(Reg), writes: &mut impl FnMut(Reg)) {
    let mut read = |reg: Reg| {
        if !reg.is_constant() {
            reads(reg);
        }
    };
    let (w, d64) = (|slot| Reg::W(slot, 32), Reg::D);
    if let Some((p, _)) = inst.guard {
        read(Reg::P(p));
    }
    match &inst.op {
        Op::Nop | Op::Fence | Op::Branch { .. } | Op::Exit | Op::Trap | Op::Breakpoint | Op::StackOverflow => {}
        Op::Print(print) => {
            read(print.format);
            read(print.arguments);
            print.result.into_iter().for_each(writes);
        }
        &Op::Allocate { d, size } => {
            read(size);
            writes(d);
        }
        &Op::Release { pointer } => read(pointer),
        &Op::NoFunction { target } => read(target),
        &Op::Sleep { nanoseconds } => read(w(nanoseconds)),
        Op::Copy(copy) => {
            copy.to.base.into_iter().chain(copy.from.base).chain(copy.source_bytes).for_each(&mut read);
            copy.ignore.into_iter().for_each(|(p, _)| read(Reg::P(p)));
        }
        Op::Bulk(bulk) => bulk.to.1.base.into_iter().chain(bulk.from.1.base).chain([bulk.bytes]).for_each(read),
        &Op::Mov32 { d, a } => {
            read(w(a));
            writes(w(d));
        }
        &Op::Mov64 { d, a } => {
            read(d64(a));
            writes(d64(d));
        }
        &Op::Int32 { d, a, b, .. } | &Op::F32 { d, a, b, .. } => {
            read(w(a));
            read(w(b));
            writes(w(d));
        }
        &Op::Mad32 { d, a, b, c } | &Op::Fma32 { d, a, b, c, .. } => {
            [a, b, c].map(w).into_iter().for_each(&mut read);
            writes(w(d));
        }
        &Op::Int64 { d, a, b, .. } | &Op::F64 { d, a, b, .. } => {
            read(d64(a));
            read(d64(b));
            writes(d64(d));
        }
        &Op::Fma64 { d, a, b, c, .. } => {
            [a, b, c].map(d64).into_iter().for_each(&mut read);
            writes(d64(d));
        }
        &Op::Shl64 { d, a, b } | &Op::Shr64 { d, a, b, .. } => {
            read(d64(a));
            read(w(b));
            writes(d64(d));
        }
        &Op::MulWide { d, a, b, .. } => {
            read(w(a));
            read(w(b));
            writes(d64(d));
        }
        &Op::MadWide { d, a, b, c, .. } => {
            read(w(a));
            read(w(b));
            read(d64(c));
            writes(d64(d));
        }
        &Op::Widen { d, a, .. } => {
            read(w(a));
            writes(d64(d));
        }
        &Op::Narrow { d, a } => {
            read(d64(a));
            writes(w(d));
        }
        &Op::Compare32 { p, a, b, .. } => {
            read(w(a));
            read(w(b));
            writes(Reg::P(p));
        }
        &Op::Compare64 { p, a, b, .. } => {
            read(d64(a));
            read(d64(b));
            writes(Reg::P(p));
        }
        &Op::Select32 { d, a, b, p } => {
            read(w(a));
            read(w(b));
            read(Reg::P(p));
            writes(w(d));
        }
        &Op::Select64 { d, a, b, p } => {
            read(d64(a));
            read(d64(b));
            read(Reg::P(p));
            writes(d64(d));
        }
        &Op::PredicateConstant { d, .. } => writes(Reg::P(d)),
        &Op::PredicateMov { d, a, .. } => {
            read(Reg::P(a));
            writes(Reg::P(d));
        }
        &Op::Predicate { d, a, b, .. } => {
            read(Reg::P(a));
            read(Reg::P(b));
            writes(Reg::P(d));
        }
        Op::Varying(varying) => {
            match varying.by {
                Variation::Only(p, _) => read(Reg::P(p)),
                Variation::Operands(_, operands) => operands.into_iter().flatten().for_each(read),
            }
            visit(&varying.inst, reads, writes);
        }
        Op::Lane(lane) => {
            lane.src.iter().for_each(|&(reg, _)| read(reg));
            lane.d.into_iter().for_each(&mut *writes);
            lane.q.into_iter().for_each(|q| writes(Reg::P(q)));
        }
        Op::Pack { d, parts, .. } => {
            parts.iter().copied().for_each(read);
            writes(*d);
        }
        Op::Unpack { parts, a, .. } => {
            read(*a);
            parts.iter().copied().flatten().for_each(writes);
        }
        &Op::ReadSpecial { d, .. } => writes(d),
        Op::Load(access) => {
            access.address.base.into_iter().for_each(read);
            access.registers.iter().copied().flatten().for_each(writes);
        }
        Op::Store(access) => {
            access.address.base.into_iter().for_each(&mut read);
            access.registers.iter().copied().flatten().for_each(read);
        }
        Op::Atomic(atomic) => {
            atomic.address.base.into_iter().for_each(&mut read);
            read(atomic.a);
            atomic.b.into_iter().for_each(read);
            atomic.result.into_iter().for_each(writes);
        }
        &Op::Convert { d, a, .. } => {
            read(a);
            writes(d);
        }
        &Op::IsSpace { d, a, .. } => {
            read(a);
            writes(Reg::P(d));
        }
        Op::Barrier(barrier) => {
            read(barrier.id);
            barrier.threads.into_iter().for_each(&mut read);
            if let Some((_, p, _, d)) = barrier.reduction {
                read(Reg::P(p));
                writes(d);
            }
        }
        &Op::WarpSync { mask } => read(w(mask)),
        &Op::Shuffle { d, p, a, b, c, mask, .. } => {
            [a, b, c].map(w).into_iter().for_each(&mut read);
            mask.into_iter().for_each(|mask| read(w(mask)));
            writes(w(d));
            p.into_iter().for_each(|p| writes(Reg::P(p)));
        }
        &Op::Vote { d, a, mask, .. } => {
            read(Reg::P(a));
            mask.into_iter().for_each(|mask| read(w(mask)));
            writes(d);
        }
        &Op::Match { d, p, a, mask, .. } => {
            read(a);
            read(w(mask));
            writes(w(d));
            p.into_iter().for_each(|p| writes(Reg::P(p)));
        }
        &Op::Redux { d, a, mask, .. } => {
            read(w(a));
            read(w(mask));
            writes(w(d));
        }
        &Op::Elect { d, p, mask } => {
            read(w(mask));
            d.into_iter().for_each(|d| writes(w(d)));
            writes(Reg::P(p));
        }
        Op::Matrix(matrix) => {
            read(w(matrix.mask));
            match &matrix.kind {
                MatrixKind::Multiply(multiply) => {
                    let Multiply { a, b, c, d, .. } = &**multiply;
                    [a, b, c].into_iter().flat_map(|fragment| &fragment.registers).for_each(|&reg| read(reg));
                    d.registers.iter().copied().for_each(writes);
                }
                MatrixKind::Transfer(transfer) => {
                    transfer.address.base.into_iter().chain([transfer.stride]).for_each(&mut read);
                    let registers = transfer.fragment.registers.iter().copied();
                    if transfer.store { registers.for_each(read) } else { registers.for_each(writes) }
                }
                MatrixKind::Rows(rows) => {
                    rows.address.base.into_iter().for_each(&mut read);
                    let registers = rows.registers.iter().copied().map(w);
                    if rows.store { registers.for_each(read) } else { registers.for_each(writes) }
                }
                &MatrixKind::Transpose { d, a } => {
                    read(w(a));
                    writes(w(d));
                }
            }
        }
        &Op::ActiveMask { d } => writes(w(d)),
        &Op::Assert { message, file, line, function } => [message, file, line, function].into_iter().for_each(read),
    }
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
