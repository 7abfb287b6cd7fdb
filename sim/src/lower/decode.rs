//! Decodes instructions: the opcode chooses the family, and the frequent lane-local forms get variants of their own.

use super::builder::Builder;
use super::names::Symbol;
use super::operand::mask_of;
use super::{selectors, special_registers};
use crate::diagnostic::Span;
use crate::error::Error;
use crate::ir::inst::{Bool, Compared, Float, Int32, Int64, Lane, Negate, Op, Reg, Test};
use crate::isa::{self, Unit};
use crate::ptx::ast::{Instruction, Operand};
use crate::semantics::{DecodeError, LaneOp, ScalarType, Signature};

pub(super) type Guard = Option<(u16, bool)>;

impl<'m> Builder<'m> {
    /// Decodes one instruction; `parts` is its opcode split at the dots.
    pub(super) fn decode(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        match isa::unit(parts) {
            Some(Unit::Move) => self.mov(inst, parts, guard),
            Some(Unit::Memory) => self.memory(inst, parts, guard),
            Some(Unit::Asynchronous) => self.asynchronous(inst, parts, guard),
            Some(Unit::Control) => self.control(inst, parts, guard),
            Some(Unit::Warp) => self.warp(inst, parts, guard),
            Some(Unit::Matrix) => self.matrix(inst, parts, guard),
            None => self.lane_local(inst, parts, guard),
        }
    }

    /// Checks the number of operands.
    pub(super) fn arity(&self, inst: &Instruction, wanted: std::ops::RangeInclusive<usize>) -> Result<(), Error> {
        if wanted.contains(&inst.operands.len()) {
            return Ok(());
        }
        let message = format!("`{}` does not take {} operands", inst.opcode.text, inst.operands.len());
        Err(self.invalid(&inst.span, &message))
    }

    /// The instruction as a whole is not supported.
    pub(super) fn unsupported_instruction(&self, inst: &Instruction) -> Error {
        self.unsupported(&inst.opcode.span, &format!("the instruction `{}`", inst.opcode.text))
    }

    fn mov(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        self.arity(inst, 2..=2)?;
        let Some(kind) = parts.get(1).and_then(|name| ScalarType::parse(name)) else {
            return Err(self.unsupported_instruction(inst));
        };
        let (to, from) = (&inst.operands[0], &inst.operands[1]);
        if let Operand::Vector(items, _) = to {
            let bits = self.part_bits(inst, kind, items.len())?;
            let parts = items.iter().map(|item| self.destination(item)).collect::<Result<Vec<_>, _>>()?;
            let a = self.source(from, kind)?;
            return self.emit(Op::Unpack { parts: parts.into(), a, bits: bits as u8 }, guard, &inst.span);
        }
        let Some(d) = self.destination(to)? else {
            return Ok(());
        };
        if let Operand::Vector(items, _) = from {
            let bits = self.part_bits(inst, kind, items.len())?;
            let part = match bits {
                8 => ScalarType::B8,
                16 => ScalarType::B16,
                32 => ScalarType::B32,
                _ => ScalarType::B64,
            };
            let parts = items.iter().map(|item| self.source(item, part)).collect::<Result<Vec<_>, _>>()?;
            return self.emit(Op::Pack { d, parts: parts.into(), bits: bits as u8 }, guard, &inst.span);
        }
        if let Operand::Name(name) = from
            && let Some(what) = special_registers::clock(&name.text)
        {
            return self.emit(Op::ReadSpecial { d, what }, guard, &inst.span);
        }
        if kind == ScalarType::Pred {
            let Reg::P(d) = d else {
                return Err(self.invalid(&to.span(), "mov.pred needs a predicate register"));
            };
            let (a, negated) = self.source_predicate(from)?;
            return self.emit(Op::PredicateMov { d, a, negated }, guard, &inst.span);
        }
        let a = self.source(from, kind)?;
        let op = match (d, a) {
            // A 16-bit register takes the low half of a special register.
            (Reg::W(_, to), Reg::W(_, from)) if to < from => Op::Pack { d, parts: [a].into(), bits: to },
            (Reg::W(d, _), Reg::W(a, _)) => Op::Mov32 { d, a },
            (Reg::D(d), Reg::D(a)) => Op::Mov64 { d, a },
            // `mov.u64 %rd, %clock`-like mixtures and 32-bit special registers read as 64-bit ones.
            (Reg::D(d), Reg::W(a, _)) => Op::Widen { signed: false, d, a },
            (Reg::W(d, 32), Reg::D(a)) => Op::Narrow { d, a },
            (Reg::Q(d0, d1), Reg::Q(a0, a1)) => {
                self.emit(Op::Mov64 { d: d0, a: a0 }, guard, &inst.span)?;
                Op::Mov64 { d: d1, a: a1 }
            }
            _ => return Err(self.invalid(&inst.span, "the registers of this mov do not fit each other")),
        };
        self.emit(op, guard, &inst.span)
    }

    /// Bits of each of `count` parts that a value of `kind` is put together from.
    fn part_bits(&self, inst: &Instruction, kind: ScalarType, count: usize) -> Result<u32, Error> {
        let bits = kind.bits();
        if matches!(count, 1 | 2 | 4) && bits / count as u32 >= 8 {
            return Ok(bits / count as u32);
        }
        Err(self.invalid(&inst.span, &format!("{bits} bits cannot be divided into {count} registers")))
    }

    fn lane_local(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        // Operands of video instructions (`vadd4` and so on) may have selectors: those are none of the frequent forms.
        if !parts[0].starts_with('v')
            && let Some(op) = self.frequent(inst, parts)?
        {
            return self.emit(op, guard, &inst.span);
        }
        let (op, mut signature) = match LaneOp::decode(parts) {
            Ok(Some(decoded)) => decoded,
            Ok(None) => return Err(self.unsupported_instruction(inst)),
            Err(DecodeError::Unsupported(what)) => return Err(self.unsupported(&inst.opcode.span, &what)),
            Err(DecodeError::Invalid(message)) => return Err(self.invalid(&inst.opcode.span, &message)),
        };
        if !op.has_selectors() {
            return self.general(inst, &inst.operands, op, &signature, guard);
        }
        let selected = op.select(&mut signature, selectors::of(&inst.operands));
        let op = selected.map_err(|error| self.invalid(&inst.span, &error.to_string()))?;
        self.general(inst, &selectors::plain(&inst.operands), op, &signature, guard)
    }

    /// An instruction that runs through its scalar semantics.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "every other operand is treated alike: as a register, or refused"
    )]
    fn general(
        &mut self,
        inst: &'m Instruction,
        operands: &[Operand],
        op: LaneOp,
        signature: &Signature,
        guard: Guard,
    ) -> Result<(), Error> {
        let wanted = signature.src.len() + 1;
        self.arity(inst, wanted..=wanted)?;
        let (d, q) = match &operands[0] {
            Operand::Pair(first, second) => {
                let q = match self.destination(second)? {
                    Some(Reg::P(slot)) => Some(slot),
                    None => None,
                    Some(_) => return Err(self.invalid(&second.span(), "the second destination is a predicate")),
                };
                (self.destination(first)?, q)
            }
            Operand::Vector(..) => return Err(self.unsupported_instruction(inst)),
            other => (self.destination(other)?, None),
        };
        let mut src = Vec::with_capacity(signature.src.len());
        for (operand, &kind) in operands[1..].iter().zip(&signature.src) {
            if let Operand::Vector(items, span) = operand {
                // cvt and the half-precision forms take packed operands as vectors: `{lo, hi}`.
                let packed = self.packed(items, kind, span, guard)?;
                src.push((packed, mask_of(kind)));
                continue;
            }
            if kind == ScalarType::Pred {
                let (slot, negated) = self.source_predicate(operand)?;
                src.push((Reg::P(if negated { self.inverted(slot, &inst.span)? } else { slot }), 1));
            } else {
                src.push((self.source(operand, kind)?, mask_of(kind)));
            }
        }
        let extend_from = signature.dst.is_signed().then(|| signature.dst.bits() as u8);
        self.emit(Op::Lane(Box::new(Lane { op, d, q, src, extend_from })), guard, &inst.span)
    }

    fn packed(&mut self, items: &[Operand], kind: ScalarType, span: &Span, guard: Guard) -> Result<Reg, Error> {
        if items.len() != 2 || kind.bits() < 32 {
            return Err(self.invalid(span, "two registers are needed here"));
        }
        let bits = kind.bits() / 2;
        let part = if bits == 16 { ScalarType::B16 } else { ScalarType::B32 };
        let parts = items.iter().map(|item| self.source(item, part)).collect::<Result<Vec<_>, _>>()?;
        let element = if kind.bits() == 64 { "b64" } else { "b32" };
        let d = self.new_register(element, span)?;
        self.emit(Op::Pack { d, parts: parts.into(), bits: bits as u8 }, guard, span)?;
        Ok(d)
    }

    /// A fresh predicate with the opposite of `slot`.
    pub(super) fn inverted(&mut self, slot: u16, span: &Span) -> Result<u16, Error> {
        let d = self.new_predicate(span)?;
        self.emit(Op::PredicateMov { d, a: slot, negated: true }, None, span)?;
        Ok(d)
    }

    /// The frequent forms. `None` when `parts` is none of them; then the scalar semantics are used.
    fn frequent(&mut self, inst: &'m Instruction, parts: &[&str]) -> Result<Option<Op>, Error> {
        use ScalarType as T;
        let operands = &inst.operands;
        let Some(Operand::Name(to)) = operands.first() else {
            return Ok(None);
        };
        // A converted register may be wider than the type that is read: that goes through the general form.
        if let (["cvt", ..], Some(Operand::Name(from))) = (parts, operands.get(1))
            && let Some(from) = self.find(&from.text)
            && !matches!(
                (from, parts.last()),
                (Symbol::Register(Reg::W(_, 32)), Some(&("u32" | "s32")))
                    | (Symbol::Register(Reg::D(_)), Some(&("u64" | "s64")))
            )
        {
            return Ok(None);
        }
        let count = operands.len();
        let kind = |at: usize| parts.get(at).and_then(|name| T::parse(name));
        let d = self.register(to)?;
        Ok(Some(match (parts, d, count) {
            (["add" | "sub" | "and" | "or" | "xor" | "min" | "max", "u32" | "s32" | "b32"], Reg::W(d, 32), 3)
            | (["mul", "lo", "u32" | "s32"], Reg::W(d, 32), 3) => {
                let signed = parts[parts.len() - 1] == "s32";
                let op = match (parts[0], signed) {
                    ("add", _) => Int32::Add,
                    ("sub", _) => Int32::Sub,
                    ("mul", _) => Int32::Mul,
                    ("and", _) => Int32::And,
                    ("or", _) => Int32::Or,
                    ("xor", _) => Int32::Xor,
                    ("min", true) => Int32::MinS,
                    ("min", false) => Int32::MinU,
                    ("max", true) => Int32::MaxS,
                    (_, _) => Int32::MaxU,
                };
                let (a, b) = (self.source32(&operands[1], T::B32)?, self.source32(&operands[2], T::B32)?);
                Op::Int32 { op, d, a, b }
            }
            (["shl" | "shr", "b32" | "u32" | "s32"], Reg::W(d, 32), 3) => {
                let op = match (parts[0], parts[1]) {
                    ("shl", _) => Int32::Shl,
                    (_, "s32") => Int32::ShrS,
                    _ => Int32::ShrU,
                };
                let (a, b) = (self.source32(&operands[1], T::B32)?, self.source32(&operands[2], T::B32)?);
                Op::Int32 { op, d, a, b }
            }
            (["mul", "hi", "u32" | "s32"], Reg::W(d, 32), 3) => {
                let op = if parts[2] == "s32" { Int32::MulHiS } else { Int32::MulHiU };
                let (a, b) = (self.source32(&operands[1], T::B32)?, self.source32(&operands[2], T::B32)?);
                Op::Int32 { op, d, a, b }
            }
            (["not", "b32"], Reg::W(d, 32), 2) => {
                let a = self.source32(&operands[1], T::B32)?;
                Op::Int32 { op: Int32::Xor, d, a, b: self.word_constant(u32::MAX, &inst.span)? }
            }
            (["neg", "s32"], Reg::W(d, 32), 2) => {
                let b = self.source32(&operands[1], T::B32)?;
                Op::Int32 { op: Int32::Sub, d, a: self.word_constant(0, &inst.span)?, b }
            }
            (["popc", "b32"], Reg::W(d, 32), 2) => {
                let a = self.source32(&operands[1], T::B32)?;
                Op::Int32 { op: Int32::CountBoth, d, a, b: a }
            }
            (["mad", "lo", "u32" | "s32"], Reg::W(d, 32), 4) => {
                let a = self.source32(&operands[1], T::B32)?;
                let b = self.source32(&operands[2], T::B32)?;
                Op::Mad32 { d, a, b, c: self.source32(&operands[3], T::B32)? }
            }
            (["add" | "sub" | "and" | "or" | "xor", "u64" | "s64" | "b64"], Reg::D(d), 3)
            | (["mul", "lo", "u64" | "s64"], Reg::D(d), 3) => {
                let op = match parts[0] {
                    "add" => Int64::Add,
                    "sub" => Int64::Sub,
                    "mul" => Int64::Mul,
                    "and" => Int64::And,
                    "or" => Int64::Or,
                    _ => Int64::Xor,
                };
                let (a, b) = (self.source64(&operands[1], T::B64)?, self.source64(&operands[2], T::B64)?);
                Op::Int64 { op, d, a, b }
            }
            (["shl", "b64"], Reg::D(d), 3) => {
                let (a, b) = (self.source64(&operands[1], T::B64)?, self.source32(&operands[2], T::B32)?);
                Op::Shl64 { d, a, b }
            }
            (["shr", "b64" | "u64" | "s64"], Reg::D(d), 3) => {
                let (a, b) = (self.source64(&operands[1], T::B64)?, self.source32(&operands[2], T::B32)?);
                Op::Shr64 { signed: parts[1] == "s64", d, a, b }
            }
            (["mul", "wide", "u32" | "s32"], Reg::D(d), 3) => {
                let (a, b) = (self.source32(&operands[1], T::B32)?, self.source32(&operands[2], T::B32)?);
                Op::MulWide { signed: parts[2] == "s32", d, a, b }
            }
            (["mad", "wide", "u32" | "s32"], Reg::D(d), 4) => {
                let (a, b) = (self.source32(&operands[1], T::B32)?, self.source32(&operands[2], T::B32)?);
                Op::MadWide { signed: parts[2] == "s32", d, a, b, c: self.source64(&operands[3], T::B64)? }
            }
            (["cvt", "u64" | "s64", "u32" | "s32"], Reg::D(d), 2) => {
                let a = self.source32(&operands[1], T::B32)?;
                Op::Widen { signed: parts[2] == "s32", d, a }
            }
            (["cvt", "u32" | "s32", "u64" | "s64"], Reg::W(d, 32), 2) => {
                Op::Narrow { d, a: self.source64(&operands[1], T::B64)? }
            }
            (["add" | "sub" | "mul", "f32"] | ["add" | "sub" | "mul", "rn", "f32"], Reg::W(d, 32), 3) => {
                let (a, b) = (self.source32(&operands[1], T::F32)?, self.source32(&operands[2], T::F32)?);
                Op::F32 { op: float(parts[0]), d, a, b }
            }
            (["add" | "sub" | "mul", "f64"] | ["add" | "sub" | "mul", "rn", "f64"], Reg::D(d), 3) => {
                let (a, b) = (self.source64(&operands[1], T::F64)?, self.source64(&operands[2], T::F64)?);
                Op::F64 { op: float(parts[0]), d, a, b }
            }
            (["fma", "rn", "f32"], Reg::W(d, 32), 4) => {
                let (a, b) = (self.source32(&operands[1], T::F32)?, self.source32(&operands[2], T::F32)?);
                let c = self.source32(&operands[3], T::F32)?;
                Op::Fma32 { d, a, b, c, negate: Negate::default() }
            }
            (["fma", "rn", "f64"], Reg::D(d), 4) => {
                let (a, b) = (self.source64(&operands[1], T::F64)?, self.source64(&operands[2], T::F64)?);
                let c = self.source64(&operands[3], T::F64)?;
                Op::Fma64 { d, a, b, c, negate: Negate::default() }
            }
            (["setp", test, what], Reg::P(p), 3) => {
                let Some(test) = comparison(test) else {
                    return Ok(None);
                };
                match *what {
                    "u32" | "b32" | "s32" | "f32" => {
                        let kind = kind(2).unwrap_or(T::B32);
                        let (a, b) = (self.source32(&operands[1], kind)?, self.source32(&operands[2], kind)?);
                        let what = match *what {
                            "s32" => Compared::S32,
                            "f32" => Compared::F32,
                            _ => Compared::U32,
                        };
                        Op::Compare32 { test, what, p, a, b }
                    }
                    "u64" | "b64" | "s64" => {
                        let (a, b) = (self.source64(&operands[1], T::B64)?, self.source64(&operands[2], T::B64)?);
                        Op::Compare64 { test, signed: *what == "s64", p, a, b }
                    }
                    _ => return Ok(None),
                }
            }
            (["selp", _], Reg::W(d, 32), 4) if kind(1).is_some_and(|kind| kind.bits() == 32) => {
                let kind = kind(1).unwrap_or(T::B32);
                let (a, b) = (self.source32(&operands[1], kind)?, self.source32(&operands[2], kind)?);
                match self.source_predicate(&operands[3])? {
                    (p, false) => Op::Select32 { d, a, b, p },
                    (p, true) => Op::Select32 { d, a: b, b: a, p },
                }
            }
            (["selp", _], Reg::D(d), 4) if kind(1).is_some_and(|kind| kind.bits() == 64) => {
                let kind = kind(1).unwrap_or(T::B64);
                let (a, b) = (self.source64(&operands[1], kind)?, self.source64(&operands[2], kind)?);
                match self.source_predicate(&operands[3])? {
                    (p, false) => Op::Select64 { d, a, b, p },
                    (p, true) => Op::Select64 { d, a: b, b: a, p },
                }
            }
            (["and" | "or" | "xor", "pred"], Reg::P(d), 3) => {
                let op = match parts[0] {
                    "and" => Bool::And,
                    "or" => Bool::Or,
                    _ => Bool::Xor,
                };
                let plain = |builder: &mut Self, operand| match builder.source_predicate(operand)? {
                    (slot, true) => builder.inverted(slot, &inst.span),
                    (slot, false) => Ok(slot),
                };
                let (a, b) = (plain(self, &operands[1])?, plain(self, &operands[2])?);
                Op::Predicate { op, d, a, b }
            }
            (["not", "pred"], Reg::P(d), 2) => {
                let (a, negated) = self.source_predicate(&operands[1])?;
                Op::PredicateMov { d, a, negated: !negated }
            }
            _ => return Ok(None),
        }))
    }
}

fn float(name: &str) -> Float {
    match name {
        "add" => Float::Add,
        "sub" => Float::Sub,
        _ => Float::Mul,
    }
}

/// The comparisons that mean the same for integers and for ordered floats.
fn comparison(name: &str) -> Option<Test> {
    Some(match name {
        "eq" => Test::Eq,
        "ne" => Test::Ne,
        "lt" => Test::Lt,
        "le" => Test::Le,
        "gt" => Test::Gt,
        "ge" => Test::Ge,
        _ => return None,
    })
}
