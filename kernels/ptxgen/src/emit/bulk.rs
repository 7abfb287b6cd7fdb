//! `memcpy`, `memmove` and `memset`: a few accesses where the length is small and known, else a loop over bytes, as LLVM has it.

use super::addresses::Address;
use super::calls::units;
use super::function::Writer;
use super::registers::{Class, is_register};
use crate::Error;
use crate::ir::{Argument, Operand};
use crate::spaces;

/// From this many bytes on a loop is made.
const LOOP: u64 = 128;

impl Writer<'_, '_> {
    /// Writes one of them.
    pub(super) fn bulk(&mut self, name: &str, arguments: &[Argument]) -> Result<(), Error> {
        let (to, length) = (self.argument(arguments, 0)?, self.argument(arguments, 2)?);
        let align = arguments[0].attributes.align.max(1);
        let set = name.starts_with("llvm.memset");
        if let Some(length) = length.int().filter(|&length| length < u128::from(LOOP)) {
            let length = length as u64;
            return if set {
                self.set_few(to, &arguments[1].operand, length, align)
            } else {
                self.copy_few(to, &arguments[1], length, align)
            };
        }
        let to = self.plain_address(to)?;
        let (length, class) = self.extended(length, false)?;
        let length = self.widen(&length, &crate::types::Type::Int(class.bits()), class, Class::B64, false);
        let length = self.in_register(Class::B64, &length);
        if set {
            let byte = self.register(&arguments[1].operand)?;
            return self.fill(&to, &byte, &length);
        }
        let from = self.plain_address(&arguments[1].operand)?;
        if name.starts_with("llvm.memmove") {
            return self.move_bytes(&to, &from, &length);
        }
        self.copy_bytes(&to, &from, &length)
    }

    /// An address in a register, and its space.
    fn plain_address(&mut self, pointer: &Operand) -> Result<Address, Error> {
        let space = self.usable(pointer)?.space;
        let base = self.pointer_in(pointer, space)?;
        let base = self.in_register(Class::B64, &base);
        Ok(Address { base, symbol: false, offset: 0, space })
    }

    fn space_name(&self, what: &str, space: u32) -> Result<String, Error> {
        if what == "st" && matches!(space, spaces::CONST | spaces::PARAM) {
            return Err(self.unsupported("a store into constant memory"));
        }
        Ok(spaces::name(space).map_or_else(|| what.to_owned(), |name| format!("{what}.{name}")))
    }

    fn copy_few(&mut self, to: &Operand, from: &Argument, length: u64, align: u64) -> Result<(), Error> {
        let align = align.min(from.attributes.align.max(1));
        let source = self.usable(&from.operand)?;
        let target = self.usable(to)?;
        let (load, store) = (self.space_name("ld", source.space)?, self.space_name("st", target.space)?);
        // All are loaded before any is stored, so that it does not matter whether they overlap.
        let mut loaded = Vec::new();
        for (at, unit) in units(length, align) {
            let class = Class::holding(unit as u32 * 8);
            let place = Self::place(&source, at);
            loaded.push((at, unit, self.make(class, &format!("{load}.b{}", unit * 8), &[&place])));
        }
        for (at, unit, register) in loaded {
            let place = Self::place(&target, at);
            self.line(format!("{store}.b{} \t{place}, {register};", unit * 8));
        }
        Ok(())
    }

    fn set_few(&mut self, to: &Operand, byte: &Operand, length: u64, align: u64) -> Result<(), Error> {
        let target = self.usable(to)?;
        let store = self.space_name("st", target.space)?;
        let known = byte.int();
        let byte = if known.is_none() { Some(self.register(byte)?) } else { None };
        let mut spread: Vec<(u64, String)> = Vec::new();
        for (at, unit) in units(length, align) {
            let text = match (known, &byte) {
                (Some(byte), _) => {
                    let word = (byte as u64 & 0xff).wrapping_mul(0x0101_0101_0101_0101);
                    super::registers::number(word, (unit as u32 * 8).max(8))
                }
                (None, Some(byte)) => match spread.iter().find(|(own, _)| *own == unit) {
                    Some((_, text)) => text.clone(),
                    None => {
                        let class = Class::holding(unit as u32 * 8);
                        let parts = vec![byte.clone(); unit as usize];
                        let text = self.join(&parts, class, 8)?;
                        spread.push((unit, text.clone()));
                        text
                    }
                },
                (None, None) => return Err(self.our_fault("nothing is stored")),
            };
            let place = Self::place(&target, at);
            self.line(format!("{store}.b{} \t{place}, {text};", unit * 8));
        }
        Ok(())
    }

    fn loop_label(&mut self) -> String {
        self.labels += 1;
        format!("$L__BB{}_m{}", self.index, self.labels)
    }

    fn fill(&mut self, to: &Address, byte: &str, length: &str) -> Result<(), Error> {
        let store = self.space_name("st", to.space)?;
        let (again, end) = (self.loop_label(), self.loop_label());
        let none = self.make(Class::Pred, "setp.eq.b64", &[length, "0"]);
        self.line(format!("@{none} bra \t{end};"));
        let at = self.make(Class::B64, "mov.b64", &["0"]);
        self.lines.push(format!("{again}:"));
        let place = self.make(Class::B64, "add.s64", &[&to.base, &at]);
        self.line(format!("{store}.b8 \t[{place}], {byte};"));
        self.line(format!("add.s64 \t{at}, {at}, 1;"));
        let more = self.make(Class::Pred, "setp.lt.u64", &[&at, length]);
        self.line(format!("@{more} bra \t{again};"));
        self.lines.push(format!("{end}:"));
        Ok(())
    }

    fn copy_bytes(&mut self, to: &Address, from: &Address, length: &str) -> Result<(), Error> {
        let (load, store) = (self.space_name("ld", from.space)?, self.space_name("st", to.space)?);
        let (again, end) = (self.loop_label(), self.loop_label());
        let none = self.make(Class::Pred, "setp.eq.b64", &[length, "0"]);
        self.line(format!("@{none} bra \t{end};"));
        let at = self.make(Class::B64, "mov.b64", &["0"]);
        self.lines.push(format!("{again}:"));
        let source = self.make(Class::B64, "add.s64", &[&from.base, &at]);
        let byte = self.make(Class::B16, &format!("{load}.b8"), &[&format!("[{source}]")]);
        let target = self.make(Class::B64, "add.s64", &[&to.base, &at]);
        self.line(format!("{store}.b8 \t[{target}], {byte};"));
        self.line(format!("add.s64 \t{at}, {at}, 1;"));
        let more = self.make(Class::Pred, "setp.lt.u64", &[&at, length]);
        self.line(format!("@{more} bra \t{again};"));
        self.lines.push(format!("{end}:"));
        Ok(())
    }

    /// From the end to the beginning where the target lies behind the source, else from the beginning.
    fn move_bytes(&mut self, to: &Address, from: &Address, length: &str) -> Result<(), Error> {
        if to.space != from.space {
            return if to.space == spaces::GENERIC || from.space == spaces::GENERIC {
                let to = Address {
                    base: self.recast(&to.base, to.space, spaces::GENERIC)?,
                    space: spaces::GENERIC,
                    ..to.clone()
                };
                let from = Address {
                    base: self.recast(&from.base, from.space, spaces::GENERIC)?,
                    space: spaces::GENERIC,
                    ..from.clone()
                };
                self.move_bytes(&to, &from, length)
            } else {
                self.copy_bytes(to, from, length)
            };
        }
        let (load, store) = (self.space_name("ld", from.space)?, self.space_name("st", to.space)?);
        let (forwards, again, end) = (self.loop_label(), self.loop_label(), self.loop_label());
        let before = self.make(Class::Pred, "setp.le.u64", &[&to.base, &from.base]);
        self.line(format!("@{before} bra \t{forwards};"));
        let left = self.make(Class::B64, "mov.b64", &[length]);
        let none = self.make(Class::Pred, "setp.eq.b64", &[&left, "0"]);
        self.line(format!("@{none} bra \t{end};"));
        self.lines.push(format!("{again}:"));
        self.line(format!("add.s64 \t{left}, {left}, -1;"));
        let source = self.make(Class::B64, "add.s64", &[&from.base, &left]);
        let byte = self.make(Class::B16, &format!("{load}.b8"), &[&format!("[{source}]")]);
        let target = self.make(Class::B64, "add.s64", &[&to.base, &left]);
        self.line(format!("{store}.b8 \t[{target}], {byte};"));
        let more = self.make(Class::Pred, "setp.ne.b64", &[&left, "0"]);
        self.line(format!("@{more} bra \t{again};"));
        self.line(format!("bra.uni \t{end};"));
        self.lines.push(format!("{forwards}:"));
        self.copy_bytes(to, from, length)?;
        self.lines.push(format!("{end}:"));
        debug_assert!(is_register(length));
        Ok(())
    }
}
