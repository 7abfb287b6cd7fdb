//! Decodes asynchronous copies and the barriers in shared memory (`mbarrier`) that wait for them.
//!
//! A copy is done where it stands, so that its waiting instructions have nothing to do. What a kernel reads too early,
//! before it has waited, the race detector finds (`check/copies.rs`): for it the waiting instructions stay as
//! [`Op::CopyStep`].

use super::builder::Builder;
use super::decode::Guard;
use crate::error::Error;
use crate::ir::inst::{
    Atomic, AtomicForm, AtomicOp, Bulk, Copied, Int64, MBARRIER_PARITY, MBARRIER_PENDING, Op, Reg, Space, Test,
};
use crate::ptx::ast::{Instruction, Operand};
use crate::semantics::ScalarType;

impl<'m> Builder<'m> {
    pub(super) fn asynchronous(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        match *parts {
            ["cp", "async", "commit_group" | "wait_group" | "wait_all"] => self.emit(Op::CopyStep, guard, &inst.span),
            ["cp", "async", "bulk", "commit_group" | "wait_group", ..] => self.emit(Op::CopyStep, guard, &inst.span),
            ["cp", "async", "bulk", "prefetch", ..] => self.emit(Op::Nop, guard, &inst.span),
            ["cp", "async", "bulk", to, from, ..] => self.bulk(inst, to, from, None, guard),
            ["cp", "reduce", "async", "bulk", to, from, ..] => {
                let reduces = reduction(parts, to).ok_or_else(|| self.unsupported_instruction(inst))?;
                self.bulk(inst, to, from, Some(reduces), guard)
            }
            ["cp", "async", "ca" | "cg", "shared" | "shared::cta", "global", ..] => self.copy(inst, guard),
            // Without `.noinc` the arrival is one more than the phase expects: nothing changes.
            ["cp", "async", "mbarrier", "arrive", "b64"]
            | ["cp", "async", "mbarrier", "arrive", "shared" | "shared::cta", "b64"] => {
                self.arity(inst, 1..=1)?;
                let none = self.constant(0, ScalarType::B32, &inst.span)?;
                self.update(inst, AtomicOp::MbarrierExpect, 0, None, none, None, guard)
            }
            ["cp", "async", "mbarrier", "arrive", "noinc", ..] => {
                self.arity(inst, 1..=1)?;
                let one = self.constant(1, ScalarType::B32, &inst.span)?;
                self.update(inst, AtomicOp::MbarrierArrive, 0, None, one, None, guard)
            }
            ["st" | "red", "async", ..] => self.store_later(inst, parts, guard),
            ["mbarrier", operation, ..] => self.mbarrier(inst, operation, parts, guard),
            _ => Err(self.unsupported_instruction(inst)),
        }
    }

    /// `cp.async.ca.shared.global [to], [from], bytes{, source bytes | ignore}{, policy}`.
    fn copy(&mut self, inst: &'m Instruction, guard: Guard) -> Result<(), Error> {
        self.arity(inst, 3..=5)?;
        let (to, _) = self.address(&inst.operands[0], Space::Shared)?;
        let (from, _) = self.address(&inst.operands[1], Space::Global)?;
        let Operand::Literal(crate::ptx::ast::Literal::Int(bytes @ (4 | 8 | 16)), _) = inst.operands[2] else {
            return Err(self.invalid(&inst.operands[2].span(), "an asynchronous copy moves 4, 8 or 16 bytes"));
        };
        let bytes = bytes as u8;
        let (mut source_bytes, mut ignore) = (None, None);
        if let Some(operand) = inst.operands.get(3) {
            let predicate = matches!(operand, Operand::Not(_))
                || matches!(operand, Operand::Name(name) if matches!(self.register(name), Ok(Reg::P(_))));
            if predicate {
                ignore = Some(self.source_predicate(operand)?);
            } else if !matches!(operand, Operand::Name(name) if matches!(self.register(name), Ok(Reg::D(_)))) {
                // A 64-bit register is a cache policy.
                source_bytes = Some(self.source(operand, ScalarType::U32)?);
            }
        }
        let copied = Copied { to, from, bytes, source_bytes, ignore };
        self.emit(Op::Copy(Box::new(copied)), guard, &inst.span)
    }

    /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [mbarrier]` and
    /// `cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes`, perhaps with a cache policy behind. Those that
    /// reduce read shared memory.
    fn bulk(
        &mut self,
        inst: &'m Instruction,
        to: &str,
        from: &str,
        reduces: Option<(AtomicOp, u8)>,
        guard: Guard,
    ) -> Result<(), Error> {
        let space = |name| match name {
            "global" => Some(Space::Global),
            // A cluster has one thread block.
            "shared::cta" | "shared::cluster" => Some(Space::Shared),
            _ => None,
        };
        let text = &*inst.opcode.text;
        let (Some(to), Some(from)) = (space(to), space(from)) else {
            return Err(self.unsupported_instruction(inst));
        };
        if reduces.is_some() && from != Space::Shared {
            return Err(self.unsupported_instruction(inst));
        }
        let completes = text.contains("mbarrier::complete_tx::bytes");
        if text.contains("multicast") || text.contains("cp_mask") || completes == text.contains("bulk_group") {
            return Err(self.unsupported_instruction(inst));
        }
        let wanted = if completes { 4 } else { 3 };
        self.arity(inst, wanted..=wanted + 1)?;
        let (to, from) = (self.address(&inst.operands[0], to)?, self.address(&inst.operands[1], from)?);
        let bytes = self.source(&inst.operands[2], ScalarType::U32)?;
        let bulk = Bulk { to: (to.1, to.0), from: (from.1, from.0), bytes, reduces };
        self.emit(Op::Bulk(Box::new(bulk)), guard, &inst.span)?;
        if completes { self.update(inst, AtomicOp::MbarrierComplete, 3, None, bytes, None, guard) } else { Ok(()) }
    }

    /// `st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [to], value, [mbarrier]`, with a vector of values too, and
    /// `red.async`, which combines the value with what is there: a store or reduction by each lane, whose bytes it takes off
    /// what the mbarrier expects.
    fn store_later(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        const COMPLETES: &str = "mbarrier::complete_tx::bytes";
        let plain: Vec<&str> = parts.iter().copied().filter(|&part| part != "async" && part != COMPLETES).collect();
        // What completes otherwise came with later architectures.
        if plain.len() + 2 != parts.len() || !plain.contains(&"shared::cluster") {
            return Err(self.unsupported_instruction(inst));
        }
        self.arity(inst, 3..=3)?;
        let Some(kind) = parts.last().and_then(|part| ScalarType::parse(part)) else {
            return Err(self.unsupported_instruction(inst));
        };
        let count = inst.operands[1].items().len() as u32;
        let known = match &plain[plain.len() - 2..] {
            what if parts[0] == "red" => element_reduction(what, false).is_some(),
            _ => matches!(kind.bits(), 32 | 64),
        };
        if !known {
            return Err(self.unsupported_instruction(inst));
        }
        self.memory(inst, &plain, guard)?;
        let bytes = self.constant(u64::from(count * kind.bytes()), ScalarType::B32, &inst.span)?;
        self.update(inst, AtomicOp::MbarrierComplete, 2, None, bytes, None, guard)
    }

    fn mbarrier(&mut self, inst: &'m Instruction, operation: &str, parts: &[&str], guard: Guard) -> Result<(), Error> {
        let expects = parts.contains(&"expect_tx");
        let number = |builder: &mut Self, at: usize| match inst.operands.get(at) {
            Some(operand) => builder.source(operand, ScalarType::U32),
            None => builder.constant(1, ScalarType::B32, &inst.span),
        };
        match operation {
            "init" => {
                self.arity(inst, 2..=2)?;
                let count = number(self, 1)?;
                self.update(inst, AtomicOp::MbarrierInit, 0, None, count, None, guard)
            }
            "inval" => self.emit(Op::Nop, guard, &inst.span),
            "expect_tx" | "complete_tx" => {
                self.arity(inst, 2..=2)?;
                let bytes = number(self, 1)?;
                let op = if operation == "expect_tx" { AtomicOp::MbarrierExpect } else { AtomicOp::MbarrierComplete };
                self.update(inst, op, 0, None, bytes, None, guard)
            }
            "arrive" | "arrive_drop" => {
                self.arity(inst, 1..=3)?;
                // The state is left out for a barrier of another thread block.
                let first = usize::from(!matches!(inst.operands[0], Operand::Address { .. }));
                let state = if first == 1 { self.destination(&inst.operands[0])? } else { None };
                let (count, bytes) = if expects {
                    (self.constant(1, ScalarType::B32, &inst.span)?, Some(number(self, first + 1)?))
                } else {
                    (number(self, first + 1)?, None)
                };
                let op = if operation == "arrive" { AtomicOp::MbarrierArrive } else { AtomicOp::MbarrierDrop };
                self.update(inst, op, first, state, count, bytes, guard)
            }
            "test_wait" | "try_wait" => {
                self.arity(inst, 3..=4)?;
                self.test_wait(inst, parts.contains(&"parity"), guard)
            }
            "pending_count" => {
                self.arity(inst, 2..=2)?;
                let Some(Reg::W(d, 32)) = self.destination(&inst.operands[0])? else {
                    return Err(self.unsupported_instruction(inst));
                };
                let a = self.source64(&inst.operands[1], ScalarType::B64)?;
                self.emit(
                    Op::Unpack { parts: pending_parts(d), a: Reg::D(a), bits: MBARRIER_PENDING as u8 },
                    guard,
                    &inst.span,
                )
            }
            _ => Err(self.unsupported_instruction(inst)),
        }
    }

    /// A change of the barrier whose address is operand `at`.
    #[allow(clippy::too_many_arguments, reason = "the parts of one instruction")]
    fn update(
        &mut self,
        inst: &'m Instruction,
        op: AtomicOp,
        at: usize,
        result: Option<Reg>,
        a: Reg,
        b: Option<Reg>,
        guard: Guard,
    ) -> Result<(), Error> {
        let Some(operand) = inst.operands.get(at) else {
            return Err(self.invalid(&inst.span, "an address is missing"));
        };
        let space = if inst.opcode.text.contains("shared") { Space::Shared } else { Space::Generic };
        let (address, space) = self.address(operand, space)?;
        let atomic = Atomic {
            op,
            space,
            address,
            bytes: 8,
            result,
            a,
            b,
            form: AtomicForm::default(),
            stays: false,
            elements: 1,
        };
        self.emit(Op::Atomic(Box::new(atomic)), guard, &inst.span)
    }

    /// Whether the phase that the state or parity names is over: its parity is then not the barrier's any more.
    fn test_wait(&mut self, inst: &'m Instruction, parity: bool, guard: Guard) -> Result<(), Error> {
        let span = &inst.span;
        let Some(Reg::P(p)) = self.destination(&inst.operands[0])? else {
            return Err(self.invalid(&inst.operands[0].span(), "a predicate register is needed here"));
        };
        let (now, phase) = (self.new_wide(span)?, self.new_wide(span)?);
        let zero = self.wide_constant(0, span)?;
        self.update(inst, AtomicOp::MbarrierTest, 1, Some(Reg::D(now)), Reg::D(zero), None, guard)?;
        if parity {
            let a = self.source32(&inst.operands[2], ScalarType::U32)?;
            self.emit(Op::Widen { signed: false, d: phase, a }, guard, span)?;
            let shift = self.constant(u64::from(MBARRIER_PARITY.trailing_zeros()), ScalarType::B32, span)?;
            let Reg::W(b, _) = shift else { return Err(self.unsupported_instruction(inst)) };
            self.emit(Op::Shl64 { d: phase, a: phase, b }, guard, span)?;
        } else {
            let a = self.source64(&inst.operands[2], ScalarType::B64)?;
            self.emit(Op::Mov64 { d: phase, a }, guard, span)?;
        }
        let bit = self.wide_constant(MBARRIER_PARITY, span)?;
        self.emit(Op::Int64 { op: Int64::Xor, d: now, a: now, b: phase }, guard, span)?;
        self.emit(Op::Int64 { op: Int64::And, d: now, a: now, b: bit }, guard, span)?;
        self.emit(Op::Compare64 { test: Test::Ne, signed: false, p, a: now, b: zero }, guard, span)
    }
}

/// What a bulk copy does with what is there, and the bytes of an element: `parts` are those of its opcode. Towards the
/// shared memory of a cluster there are no floats and no 64-bit additions of signed numbers (PTX ISA,
/// "cp.reduce.async.bulk").
fn reduction(parts: &[&str], to: &str) -> Option<(AtomicOp, u8)> {
    let at = parts.iter().position(|part| matches!(*part, "bulk_group" | "mbarrier::complete_tx::bytes"))?;
    let rest: Vec<&str> = parts[at + 1..]
        .iter()
        .copied()
        .filter(|part| *part != "level::cache_hint" && *part != "L2::cache_hint")
        .collect();
    element_reduction(&rest, to == "global")
}

/// What is done with each element, by operation and type, and the bytes of one.
fn element_reduction(operation: &[&str], global: bool) -> Option<(AtomicOp, u8)> {
    Some(match *operation {
        ["add", "u32" | "s32"] => (AtomicOp::AddInt, 4),
        ["add", "u64"] => (AtomicOp::AddInt, 8),
        ["add", "s64"] if global => (AtomicOp::AddInt, 8),
        ["inc", "u32"] => (AtomicOp::Inc, 4),
        ["dec", "u32"] => (AtomicOp::Dec, 4),
        ["min", "s32"] => (AtomicOp::MinS, 4),
        ["max", "s32"] => (AtomicOp::MaxS, 4),
        ["min", "u32"] => (AtomicOp::MinU, 4),
        ["max", "u32"] => (AtomicOp::MaxU, 4),
        ["min", "s64"] if global => (AtomicOp::MinS, 8),
        ["max", "s64"] if global => (AtomicOp::MaxS, 8),
        ["min", "u64"] if global => (AtomicOp::MinU, 8),
        ["max", "u64"] if global => (AtomicOp::MaxU, 8),
        ["and", "b32"] => (AtomicOp::And, 4),
        ["or", "b32"] => (AtomicOp::Or, 4),
        ["xor", "b32"] => (AtomicOp::Xor, 4),
        ["and", "b64"] if global => (AtomicOp::And, 8),
        ["or", "b64"] if global => (AtomicOp::Or, 8),
        ["xor", "b64"] if global => (AtomicOp::Xor, 8),
        // Unlike an atomic in global memory, the copy engine keeps subnormal numbers: an H200 does.
        ["add", "f32"] if global => (AtomicOp::AddF32 { ftz: false }, 4),
        ["add", "f64"] if global => (AtomicOp::AddF64, 8),
        ["add", "noftz", "f16"] if global => (AtomicOp::AddF16, 2),
        ["add", "noftz", "bf16"] if global => (AtomicOp::AddBf16, 2),
        ["min", "f16"] if global => (AtomicOp::MinF16, 2),
        ["max", "f16"] if global => (AtomicOp::MaxF16, 2),
        ["min", "bf16"] if global => (AtomicOp::MinBf16, 2),
        ["max", "bf16"] if global => (AtomicOp::MaxBf16, 2),
        _ => return None,
    })
}

/// The pending arrivals are the second 20 bits of a state.
fn pending_parts(d: u16) -> Box<[Option<Reg>]> {
    [None, Some(Reg::W(d, 32))].into()
}

const _: () = assert!(MBARRIER_PENDING == 20, "the counts of a state are 20 bits each");
