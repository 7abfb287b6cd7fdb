//! Moves variables as a whole, and registers: between the arguments of calls and the stack.

use super::builder::Builder;
use super::decode::Guard;
use crate::diagnostic::Span;
use crate::error::Error;
use crate::ir::inst::{Access, Address, Compared, Op, Reg, Slot64, Space, Test};

/// Where an argument or a result of a call lies.
pub(super) type Place = (Space, u64);

/// Bytes of a variable: its space, the register that its address counts from, the rest of the address, how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area {
    pub space: Space,
    pub base: Option<Slot64>,
    pub address: u64,
    pub bytes: u64,
}

impl Area {
    /// A variable at a place that is known.
    pub(super) const fn at((space, address): Place, bytes: u64) -> Self {
        Self { space, base: None, address, bytes }
    }
}

impl Builder<'_> {
    /// Saves a register, or gets it back.
    pub(super) fn keep(&mut self, register: Reg, cell: Area, save: bool, span: &Span) -> Result<(), Error> {
        let half = |part: u64| Area { address: cell.address + 8 * part, bytes: 8, ..cell };
        match register {
            Reg::W(slot, _) => self.move_register(save, Area { bytes: 4, ..cell }, Reg::W(slot, 32), None, span),
            Reg::D(_) => self.move_register(save, half(0), register, None, span),
            Reg::Q(low, high) => {
                self.move_register(save, half(0), Reg::D(low), None, span)?;
                self.move_register(save, half(1), Reg::D(high), None, span)
            }
            Reg::P(p) => {
                let word = self.new_register("b32", span)?;
                let Reg::W(d, _) = word else { return Err(self.too_many(span)) };
                let (one, zero) = (self.word_constant(1, span)?, self.word_constant(0, span)?);
                if save {
                    self.emit(Op::Select32 { d, a: one, b: zero, p }, None, span)?;
                }
                self.move_register(save, Area { bytes: 4, ..cell }, word, None, span)?;
                if !save {
                    let what = Compared::U32;
                    self.emit(Op::Compare32 { test: Test::Ne, what, p, a: d, b: zero }, None, span)?;
                }
                Ok(())
            }
        }
    }

    /// Copies what lies in an area.
    pub(super) fn copy_area(&mut self, from: Area, to: Area, span: &Span) -> Result<(), Error> {
        let temporary = self.slots.mark();
        let pieces = self.fetch(from, span)?;
        self.put(&pieces, to, span)?;
        self.slots.release(temporary);
        Ok(())
    }

    /// Loads an area into registers, each with its offset.
    pub(super) fn fetch(&mut self, from: Area, span: &Span) -> Result<Vec<(u64, u64, Reg)>, Error> {
        let (mut pieces, mut offset) = (Vec::new(), 0);
        while offset < from.bytes {
            // As wide as the place of the piece allows.
            let at = (from.address + offset) | 8;
            let (bytes, element) = [(8, "b64"), (4, "b32"), (2, "b16"), (1, "b8")]
                .into_iter()
                .find(|&(bytes, _)| at.is_multiple_of(bytes) && offset + bytes <= from.bytes)
                .unwrap_or((1, "b8"));
            let register = self.new_register(element, span)?;
            self.move_register(false, Area { address: from.address + offset, bytes, ..from }, register, None, span)?;
            pieces.push((offset, bytes, register));
            offset += bytes;
        }
        Ok(pieces)
    }

    /// Stores what [`Self::fetch`] loaded.
    pub(super) fn put(&mut self, pieces: &[(u64, u64, Reg)], to: Area, span: &Span) -> Result<(), Error> {
        for &(offset, bytes, register) in pieces {
            self.move_register(true, Area { address: to.address + offset, bytes, ..to }, register, None, span)?;
        }
        Ok(())
    }

    /// One load or store.
    pub(super) fn move_register(
        &mut self,
        store: bool,
        area: Area,
        register: Reg,
        guard: Guard,
        span: &Span,
    ) -> Result<(), Error> {
        let Area { space, base, address, bytes } = area;
        let address = Address::new(base.map(Reg::D), address as i64);
        let registers = vec![Some(register)];
        let access = Access { space, address, bytes: bytes as u8, signed: false, registers, strong: false };
        let op = if store { Op::Store(Box::new(access)) } else { Op::Load(Box::new(access)) };
        self.emit(op, guard, span)
    }
}
