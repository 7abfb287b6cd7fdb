//! Gives the registers of an instruction other slots.

use super::inst::{Address, CONSTANT, Inst, MatrixKind, Op, Reg, Variation};

/// Replaces every register of the instruction by what `map` makes of it, constants left out. The counterpart of
/// [`uses::visit`](super::uses::visit).
pub(super) fn registers(inst: &mut Inst, map: &mut impl FnMut(Reg) -> Reg) {
    let mut names = Names { map };
    if let Some((p, _)) = &mut inst.guard {
        names.p(p);
    }
    names.op(&mut inst.op);
}

struct Names<'m, F> {
    map: &'m mut F,
}

impl<F: FnMut(Reg) -> Reg> Names<'_, F> {
    fn reg(&mut self, reg: &mut Reg) {
        if !reg.is_constant() {
            *reg = (self.map)(*reg);
        }
    }

    fn w(&mut self, slot: &mut u16) {
        if *slot & CONSTANT == 0
            && let Reg::W(new, _) = (self.map)(Reg::W(*slot, 32))
        {
            *slot = new;
        }
    }

    fn d(&mut self, slot: &mut u16) {
        if *slot & CONSTANT == 0
            && let Reg::D(new) = (self.map)(Reg::D(*slot))
        {
            *slot = new;
        }
    }

    fn p(&mut self, slot: &mut u16) {
        if let Reg::P(new) = (self.map)(Reg::P(*slot)) {
            *slot = new;
        }
    }

    fn address(&mut self, address: &mut Address) {
        address.base.iter_mut().for_each(|reg| self.reg(reg));
    }

    fn op(&mut self, op: &mut Op) {
        match op {
            Op::Nop | Op::Fence | Op::Branch { .. } | Op::Exit | Op::Trap | Op::Breakpoint | Op::StackOverflow => {}
            Op::Mov32 { d, a } => [d, a].into_iter().for_each(|slot| self.w(slot)),
            Op::Int32 { d, a, b, .. } | Op::F32 { d, a, b, .. } => {
                [d, a, b].into_iter().for_each(|slot| self.w(slot));
            }
            Op::Mad32 { d, a, b, c } | Op::Fma32 { d, a, b, c, .. } => {
                [d, a, b, c].into_iter().for_each(|slot| self.w(slot));
            }
            Op::Mov64 { d, a } => [d, a].into_iter().for_each(|slot| self.d(slot)),
            Op::Int64 { d, a, b, .. } | Op::F64 { d, a, b, .. } => {
                [d, a, b].into_iter().for_each(|slot| self.d(slot));
            }
            Op::Fma64 { d, a, b, c, .. } => [d, a, b, c].into_iter().for_each(|slot| self.d(slot)),
            Op::Shl64 { d, a, b } | Op::Shr64 { d, a, b, .. } => {
                self.d(d);
                self.d(a);
                self.w(b);
            }
            Op::MulWide { d, a, b, .. } => {
                self.d(d);
                self.w(a);
                self.w(b);
            }
            Op::MadWide { d, a, b, c, .. } => {
                self.d(d);
                self.w(a);
                self.w(b);
                self.d(c);
            }
            Op::Widen { d, a, .. } => {
                self.d(d);
                self.w(a);
            }
            Op::Narrow { d, a } => {
                self.w(d);
                self.d(a);
            }
            Op::Compare32 { p, a, b, .. } => {
                self.p(p);
                self.w(a);
                self.w(b);
            }
            Op::Compare64 { p, a, b, .. } => {
                self.p(p);
                self.d(a);
                self.d(b);
            }
            Op::Select32 { d, a, b, p } => {
                [d, a, b].into_iter().for_each(|slot| self.w(slot));
                self.p(p);
            }
            Op::Select64 { d, a, b, p } => {
                [d, a, b].into_iter().for_each(|slot| self.d(slot));
                self.p(p);
            }
            Op::PredicateConstant { d, .. } => self.p(d),
            Op::PredicateMov { d, a, .. } => [d, a].into_iter().for_each(|slot| self.p(slot)),
            Op::Predicate { d, a, b, .. } => [d, a, b].into_iter().for_each(|slot| self.p(slot)),
            Op::Varying(varying) => {
                match &mut varying.by {
                    Variation::Only(p, _) => self.p(p),
                    Variation::Operands(_, operands) => operands.iter_mut().flatten().for_each(|reg| self.reg(reg)),
                }
                self.op(&mut varying.inst.op);
            }
            Op::Lane(lane) => {
                lane.src.iter_mut().for_each(|(reg, _)| self.reg(reg));
                lane.d.iter_mut().for_each(|reg| self.reg(reg));
                lane.q.iter_mut().for_each(|q| self.p(q));
            }
            Op::Pack { d, parts, .. } => {
                parts.iter_mut().for_each(|reg| self.reg(reg));
                self.reg(d);
            }
            Op::Unpack { parts, a, .. } => {
                parts.iter_mut().flatten().for_each(|reg| self.reg(reg));
                self.reg(a);
            }
            _ => self.special(op),
        }
    }

    /// Memory, and what is more than lane-local.
    fn special(&mut self, op: &mut Op) {
        match op {
            Op::Print(print) => {
                self.reg(&mut print.format);
                self.reg(&mut print.arguments);
                print.result.iter_mut().for_each(|reg| self.reg(reg));
            }
            Op::Allocate { d, size: a } | Op::Convert { d, a, .. } => [d, a].into_iter().for_each(|reg| self.reg(reg)),
            Op::IsSpace { d, a, .. } => {
                self.p(d);
                self.reg(a);
            }
            Op::Release { pointer: reg } | Op::NoFunction { target: reg } | Op::ReadSpecial { d: reg, .. } => {
                self.reg(reg);
            }
            Op::Sleep { nanoseconds: slot } | Op::WarpSync { mask: slot } | Op::ActiveMask { d: slot } => self.w(slot),
            Op::Copy(copy) => {
                self.address(&mut copy.to);
                self.address(&mut copy.from);
                copy.source_bytes.iter_mut().for_each(|reg| self.reg(reg));
                copy.ignore.iter_mut().for_each(|(p, _)| self.p(p));
            }
            Op::Bulk(bulk) => {
                self.address(&mut bulk.to.1);
                self.address(&mut bulk.from.1);
                self.reg(&mut bulk.bytes);
            }
            Op::Load(access) | Op::Store(access) => {
                self.address(&mut access.address);
                access.registers.iter_mut().flatten().for_each(|reg| self.reg(reg));
            }
            Op::Atomic(atomic) => {
                self.address(&mut atomic.address);
                self.reg(&mut atomic.a);
                atomic.b.iter_mut().chain(&mut atomic.result).for_each(|reg| self.reg(reg));
            }
            Op::Barrier(barrier) => {
                self.reg(&mut barrier.id);
                barrier.threads.iter_mut().for_each(|reg| self.reg(reg));
                if let Some((_, p, _, d)) = &mut barrier.reduction {
                    self.p(p);
                    self.reg(d);
                }
            }
            Op::Shuffle { d, p, a, b, c, mask, .. } => {
                [d, a, b, c].into_iter().chain(mask).for_each(|slot| self.w(slot));
                p.iter_mut().for_each(|p| self.p(p));
            }
            Op::Vote { d, a, mask, .. } => {
                self.reg(d);
                self.p(a);
                mask.iter_mut().for_each(|mask| self.w(mask));
            }
            Op::Match { d, p, a, mask, .. } => {
                self.reg(a);
                [d, mask].into_iter().for_each(|slot| self.w(slot));
                p.iter_mut().for_each(|p| self.p(p));
            }
            Op::Redux { d, a, mask, .. } => [d, a, mask].into_iter().for_each(|slot| self.w(slot)),
            Op::Elect { d, p, mask } => {
                d.iter_mut().chain([mask]).for_each(|slot| self.w(slot));
                self.p(p);
            }
            Op::Matrix(matrix) => {
                self.w(&mut matrix.mask);
                self.matrix(&mut matrix.kind);
            }
            Op::Assert { message, file, line, function } => {
                [message, file, line, function].into_iter().for_each(|reg| self.reg(reg));
            }
            // The others are in `op`.
            _ => {}
        }
    }

    fn matrix(&mut self, kind: &mut MatrixKind) {
        match kind {
            MatrixKind::Multiply(multiply) => {
                let fragments = [&mut multiply.a, &mut multiply.b, &mut multiply.c, &mut multiply.d];
                fragments.into_iter().flat_map(|fragment| &mut fragment.registers).for_each(|reg| self.reg(reg));
            }
            MatrixKind::Transfer(transfer) => {
                self.address(&mut transfer.address);
                self.reg(&mut transfer.stride);
                transfer.fragment.registers.iter_mut().for_each(|reg| self.reg(reg));
            }
            MatrixKind::Rows(rows) => {
                self.address(&mut rows.address);
                rows.registers.iter_mut().for_each(|slot| self.w(slot));
            }
            MatrixKind::Transpose { d, a } => [d, a].into_iter().for_each(|slot| self.w(slot)),
        }
    }
}
