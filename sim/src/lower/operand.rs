//! Operands: names and literals to slots, addresses and constants.

use super::builder::Builder;
use super::names::Symbol;
use crate::diagnostic::Span;
use crate::error::Error;
use crate::ir::inst::{Address, Int64, Op, Reg, Slot32, Slot64, SlotP, Space};
use crate::ir::layout::FRAME_OFFSET;
use crate::ir::slots::TooMany;
use crate::ptx::ast::{Literal, Name, Operand};
use crate::semantics::ScalarType;

/// The bits of a literal as a value of `kind`.
fn literal_bits(literal: Literal, kind: ScalarType) -> u64 {
    let bits = match (literal, kind) {
        (Literal::Int(value), ScalarType::F32) => u64::from((value as f32).to_bits()),
        (Literal::Int(value), ScalarType::F64) => (value as f64).to_bits(),
        (Literal::Int(value), ScalarType::Pred) => u64::from(value != 0),
        (Literal::Int(value), _) => value as u64,
        (Literal::F32(bits), ScalarType::F64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Literal::F32(bits), _) => u64::from(bits),
        (Literal::F64(bits), ScalarType::F64 | ScalarType::B64) => bits,
        (Literal::F64(bits), ScalarType::F32 | ScalarType::B32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
        (Literal::F64(bits), _) => bits,
    };
    bits & mask_of(kind)
}

/// The bits that a value of `kind` occupies.
pub(super) fn mask_of(kind: ScalarType) -> u64 {
    match kind.bits() {
        64.. => u64::MAX,
        bits => (1 << bits) - 1,
    }
}

impl<'m> Builder<'m> {
    /// A register by its name.
    pub(super) fn register(&mut self, name: &Name) -> Result<Reg, Error> {
        match self.find(&name.text) {
            Some(Symbol::Register(register)) => Ok(register),
            Some(_) => Err(self.invalid(&name.span, &format!("`{}` is not a register", name.text))),
            None => Err(self.invalid(&name.span, &format!("`{}` is not declared", name.text))),
        }
    }

    /// A destination; `None` for `_`.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "every other operand is treated alike: as a register, or refused"
    )]
    pub(super) fn destination(&mut self, operand: &Operand) -> Result<Option<Reg>, Error> {
        match operand {
            Operand::Sink(_) => Ok(None),
            Operand::Name(name) => self.register(name).map(Some),
            other => Err(self.invalid(&other.span(), "a destination must be a register")),
        }
    }

    /// A slot that holds the constant in a file wide enough for `kind`.
    pub(super) fn constant(&mut self, bits: u64, kind: ScalarType, span: &Span) -> Result<Reg, Error> {
        let slot = match kind.bits() {
            64.. => self.slots.constant64(bits).map(Reg::D),
            width => self.slots.constant32(bits as u32).map(|slot| Reg::W(slot, width.max(8) as u8)),
        };
        slot.map_err(|TooMany| self.too_many(span))
    }

    /// A slot of the 32-bit file that holds the constant.
    pub(super) fn word_constant(&mut self, value: u32, span: &Span) -> Result<Slot32, Error> {
        self.slots.constant32(value).map_err(|TooMany| self.too_many(span))
    }

    /// A slot of the 64-bit file that holds the constant.
    pub(super) fn wide_constant(&mut self, value: u64, span: &Span) -> Result<Slot64, Error> {
        self.slots.constant64(value).map_err(|TooMany| self.too_many(span))
    }

    /// A fresh register of a declared type (`b32`, `pred`, …).
    pub(super) fn new_register(&mut self, element: &str, span: &Span) -> Result<Reg, Error> {
        self.slots.register(element).ok().flatten().ok_or_else(|| self.too_many(span))
    }

    /// A fresh register of 64 bits.
    pub(super) fn new_wide(&mut self, span: &Span) -> Result<Slot64, Error> {
        match self.new_register("b64", span)? {
            Reg::D(slot) => Ok(slot),
            Reg::W(..) | Reg::P(_) | Reg::Q(..) => Err(self.too_many(span)),
        }
    }

    /// A fresh predicate.
    pub(super) fn new_predicate(&mut self, span: &Span) -> Result<SlotP, Error> {
        match self.new_register("pred", span)? {
            Reg::P(slot) => Ok(slot),
            Reg::W(..) | Reg::D(_) | Reg::Q(..) => Err(self.too_many(span)),
        }
    }

    /// A source operand of an instruction that reads a value of `kind`.
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "every other operand is treated alike: as a register, or refused"
    )]
    pub(super) fn source(&mut self, operand: &Operand, kind: ScalarType) -> Result<Reg, Error> {
        match operand {
            Operand::Literal(literal, span) if kind == ScalarType::Pred => {
                let (slot, value) = (self.new_predicate(span)?, literal_bits(*literal, kind) != 0);
                self.emit(Op::PredicateConstant { d: slot, value }, None, span)?;
                Ok(Reg::P(slot))
            }
            Operand::Literal(literal, span) => self.constant(literal_bits(*literal, kind), kind, span),
            Operand::Name(name) => self.named_source(name, 0, kind),
            Operand::NameOffset(name, offset) => self.named_source(name, *offset, kind),
            other => Err(self.invalid(&other.span(), "this operand must be a register, a variable or a number")),
        }
    }

    fn named_source(&mut self, name: &Name, offset: i64, kind: ScalarType) -> Result<Reg, Error> {
        // The one constant that PTX predefines.
        if &*name.text == "WARP_SZ" {
            return self.constant(32u64.wrapping_add(offset as u64), kind, &name.span);
        }
        if name.text.starts_with('%')
            && self.find(&name.text).is_none()
            && let Some(register) = self.special_register(name, kind)?
        {
            return Ok(register);
        }
        match self.symbol(name)? {
            Symbol::Register(register) => Ok(register),
            Symbol::Variable { space, address } => {
                // A frame variable's address is taken to pass or read a struct.
                let address = if space == Space::Frame { FRAME_OFFSET + address } else { address };
                let kind = if kind.bits() >= 64 { ScalarType::B64 } else { ScalarType::B32 };
                self.constant(address.wrapping_add(offset as u64), kind, &name.span)
            }
            Symbol::OnStack { base, address } if kind.bits() >= 64 => {
                let d = self.new_wide(&name.span)?;
                let b = self.wide_constant(address.wrapping_add(offset as u64), &name.span)?;
                self.emit(Op::Int64 { op: Int64::Add, d, a: base, b }, None, &name.span)?;
                Ok(Reg::D(d))
            }
            Symbol::VectorRegister(_)
            | Symbol::Numbered(_)
            | Symbol::OnStack { .. }
            | Symbol::Label(_)
            | Symbol::Targets(_)
            | Symbol::Prototype => Err(self.invalid(&name.span, &format!("`{}` cannot be an operand here", name.text))),
        }
    }

    /// What a name means, module scope included.
    pub(super) fn symbol(&mut self, name: &Name) -> Result<Symbol<'m>, Error> {
        if let Some(symbol) = self.find(&name.text) {
            return Ok(symbol);
        }
        if let Some(symbol) = self.find_module_variable(&name.text)? {
            return Ok(symbol);
        }
        if name.text.starts_with('%') {
            return Err(self.invalid(&name.span, &format!("`{}` is not declared", name.text)));
        }
        if self.functions.contains_key(&*name.text) {
            return Ok(Symbol::Variable { space: Space::Global, address: self.function_address(&name.text) });
        }
        // The address of a kernel is what a launch from inside of a kernel begins with.
        if self.module.functions.iter().any(|function| function.is_kernel && *function.name.text == *name.text) {
            let what = format!("dynamic parallelism: a kernel that launches a kernel (`{}`)", name.text);
            return Err(self.unsupported(&name.span, &what));
        }
        Err(self.invalid(&name.span, &format!("`{}` is not declared", name.text)))
    }

    /// A source that must lie in the 32-bit file.
    pub(super) fn source32(&mut self, operand: &Operand, kind: ScalarType) -> Result<Slot32, Error> {
        match self.source(operand, kind)? {
            Reg::W(slot, _) => Ok(slot),
            Reg::D(_) | Reg::P(_) | Reg::Q(..) => {
                Err(self.invalid(&operand.span(), "a 32-bit register is needed here"))
            }
        }
    }

    /// A source that must lie in the 64-bit file.
    pub(super) fn source64(&mut self, operand: &Operand, kind: ScalarType) -> Result<Slot64, Error> {
        match self.source(operand, kind)? {
            Reg::D(slot) => Ok(slot),
            Reg::W(..) | Reg::P(_) | Reg::Q(..) => {
                Err(self.invalid(&operand.span(), "a 64-bit register is needed here"))
            }
        }
    }

    /// A predicate source, perhaps negated.
    pub(super) fn source_predicate(&mut self, operand: &Operand) -> Result<(SlotP, bool), Error> {
        if let Operand::Not(inner) = operand {
            let (slot, negated) = self.source_predicate(inner)?;
            return Ok((slot, !negated));
        }
        match self.source(operand, ScalarType::Pred)? {
            Reg::P(slot) => Ok((slot, false)),
            Reg::W(..) | Reg::D(_) | Reg::Q(..) => {
                Err(self.invalid(&operand.span(), "a predicate register is needed here"))
            }
        }
    }

    /// An address operand: register, variable or number, plus offset. A variable fixes the space if the instruction
    /// leaves it open.
    pub(super) fn address(&mut self, operand: &Operand, space: Space) -> Result<(Address, Space), Error> {
        let Operand::Address { base, offset, more, span } = operand else {
            return Err(self.invalid(&operand.span(), "an address in brackets is needed here"));
        };
        if let Some(operand) = more.first() {
            return Err(self.unsupported(&operand.span(), "an address of several components"));
        }
        let Some(name) = base else {
            return Ok((Address::new(None, *offset), space));
        };
        match self.symbol(name)? {
            Symbol::Register(register) => match register {
                Reg::D(_) | Reg::W(_, 32) => Ok((Address::new(Some(register), *offset), space)),
                Reg::W(..) | Reg::P(_) | Reg::Q(..) => {
                    Err(self.invalid(span, "an address must be in a 32- or 64-bit register"))
                }
            },
            Symbol::Variable { space: own, address } => {
                if space == Space::Generic && own != Space::Generic {
                    return Ok((Address::new(None, (address as i64).wrapping_add(*offset)), own));
                }
                let same = space == own || (space == Space::Param && own == Space::Frame);
                if !same {
                    return Err(self.invalid(span, &format!("`{}` does not lie in the instruction's space", name.text)));
                }
                Ok((Address::new(None, (address as i64).wrapping_add(*offset)), own))
            }
            Symbol::OnStack { base, address } if matches!(space, Space::Local | Space::Generic) => {
                let offset = (address as i64).wrapping_add(*offset);
                Ok((Address::new(Some(Reg::D(base)), offset), Space::Local))
            }
            Symbol::VectorRegister(_)
            | Symbol::Numbered(_)
            | Symbol::OnStack { .. }
            | Symbol::Label(_)
            | Symbol::Targets(_)
            | Symbol::Prototype => Err(self.invalid(span, &format!("`{}` is not an address", name.text))),
        }
    }
}
