//! Reads the operands and modifiers of a decoded instruction, one after the other.

use sass::operand::{Bank, Register, Sign, Value};
use sass::{Instruction, Operand};

use super::constants::{Constant, Constants, Decoded, Refused};
use crate::machine_code::op;
use crate::machine_code::op::{Address, Dst, Halves, Pred, PredDst, Slot, Src, Src64, ZERO};

/// What stands at an instruction and has not been read yet.
pub(in crate::machine_code) struct Reader<'a> {
    pub(super) instruction: &'a Instruction,
    pub(super) constants: &'a mut Constants,
    modifiers: Vec<&'static str>,
    next: usize,
}

impl<'a> Reader<'a> {
    pub(in crate::machine_code) fn new(instruction: &'a Instruction, constants: &'a mut Constants) -> Self {
        Self { instruction, constants, modifiers: instruction.modifiers.clone(), next: 0 }
    }

    /// The instruction is not executed, for this reason.
    pub(super) fn refuse<T>(&self, why: &str) -> Decoded<T> {
        Err(Refused(format!("`{}`: {why}", self.instruction)))
    }

    /// Whether there is a modifier; it counts as read.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let found = self.modifiers.iter().position(|modifier| *modifier == name);
        found.map(|at| self.modifiers.remove(at)).is_some()
    }

    /// The first modifier that is in a table; it counts as read.
    pub(super) fn choose<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let (at, value) = self.modifiers.iter().enumerate().find_map(|(at, modifier)| {
            table.iter().find(|(name, _)| name == modifier).map(|(_, value)| (at, *value))
        })?;
        self.modifiers.remove(at);
        Some(value)
    }

    /// All modifiers that are left; they count as read.
    pub(super) fn rest(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.modifiers)
    }

    /// Reads away the modifiers that a condition holds for; whether there was one.
    pub(super) fn rest_where(&mut self, condition: impl Fn(&str) -> bool) -> bool {
        let before = self.modifiers.len();
        self.modifiers.retain(|modifier| !condition(modifier));
        self.modifiers.len() < before
    }

    /// Reads the first modifier that a condition holds for.
    pub(super) fn rest_of(&mut self, condition: impl Fn(&str) -> bool) -> Option<&'static str> {
        let at = self.modifiers.iter().position(|modifier| condition(modifier))?;
        Some(self.modifiers.remove(at))
    }

    /// Whatever else stands there has no effect.
    pub(super) fn ignore_all(&mut self) {
        self.modifiers.clear();
        self.next = self.instruction.operands.len();
    }

    /// A register of each thread as a source.
    pub(super) fn lane_slot(&mut self, number: u8) -> Slot {
        Slot::Lane(self.constants.register(number))
    }

    /// A source of several registers of each thread, or zero.
    pub(super) fn slot_wide(&mut self, registers: u8) -> Decoded<Slot> {
        let operand = self.operand()?;
        match operand.value {
            Value::Register(register @ Register::Thread(_)) => {
                self.of_register(register, registers.saturating_sub(1))?;
                self.of_register(register, 0)
            }
            _ => self.slot_of(operand, 0),
        }
    }

    /// A source of two registers, of each thread or of the warp, or zero.
    pub(super) fn slot_pair(&mut self) -> Decoded<Slot> {
        let operand = self.operand()?;
        match operand.value {
            Value::Register(register) => {
                self.of_register(register, 1)?;
                self.of_register(register, 0)
            }
            _ => self.refuse("a pair of registers is missing"),
        }
    }

    /// Every modifier and operand must have been read.
    pub(super) fn finish(&self) -> Decoded<()> {
        if let Some(modifier) = self.modifiers.first() {
            return self.refuse(&format!("`.{modifier}` of {} is not executed", self.instruction.name));
        }
        if self.next < self.instruction.operands.len() {
            return self.refuse("an operand of it is not executed");
        }
        Ok(())
    }

    /// The operand that is read next.
    pub(super) fn peek(&self) -> Option<&'a Operand> {
        self.instruction.operands.get(self.next)
    }

    pub(super) fn operand(&mut self) -> Decoded<&'a Operand> {
        match self.peek() {
            Some(operand) => {
                self.next += 1;
                Ok(operand)
            }
            None => self.refuse("an operand is missing"),
        }
    }

    fn is_predicate(&self) -> bool {
        matches!(self.peek().map(|operand| &operand.value), Some(Value::Predicate(_) | Value::UniformPredicate(_)))
    }

    /// A destination of `registers` registers.
    pub(super) fn dst(&mut self, registers: u8) -> Decoded<Dst> {
        match self.operand()?.value {
            Value::Register(Register::Thread(number)) => {
                let last = number.checked_add(registers - 1).filter(|last| *last < 255);
                let Some(last) = last else { return self.refuse("its result does not fit the registers") };
                self.constants.register(last);
                Ok(Dst::Lane(number))
            }
            Value::Register(Register::Uniform(number)) if number + registers <= 64 => Ok(Dst::Warp(number)),
            Value::Register(Register::Zero | Register::UniformZero) => Ok(Dst::None),
            _ => self.refuse("its destination is no register"),
        }
    }

    /// A register of each thread, as its number; 255 is zero.
    pub(super) fn register(&mut self, registers: u8) -> Decoded<u8> {
        match self.dst(registers)? {
            Dst::Lane(number) => Ok(number),
            Dst::None => Ok(255),
            Dst::Warp(_) => self.refuse("a register of the warp stands where one of each thread should"),
        }
    }

    /// A predicate that is written.
    pub(super) fn pred_dst(&mut self) -> Decoded<PredDst> {
        match self.operand()?.value {
            Value::Predicate(number) => Ok(PredDst { number, uniform: false }),
            Value::UniformPredicate(number) => Ok(PredDst { number, uniform: true }),
            _ => self.refuse("its first destination is no predicate"),
        }
    }

    /// A predicate that is written, if there is one.
    pub(super) fn optional_pred_dst(&mut self) -> Decoded<PredDst> {
        if self.is_predicate() { self.pred_dst() } else { Ok(PredDst { number: 7, uniform: false }) }
    }

    /// A predicate that is read.
    pub(super) fn pred(&mut self) -> Decoded<Pred> {
        let operand = self.operand()?;
        match operand.value {
            Value::Predicate(number) => Ok(Pred { number, uniform: false, not: operand.not }),
            Value::UniformPredicate(number) => Ok(Pred { number, uniform: true, not: operand.not }),
            _ => self.refuse("a predicate is missing"),
        }
    }

    /// A predicate that is read, if there is one; else true.
    pub(super) fn optional_pred(&mut self) -> Decoded<Pred> {
        if self.is_predicate() { self.pred() } else { Ok(Pred { number: 7, uniform: false, not: false }) }
    }

    fn of_register(&mut self, register: Register, further: u8) -> Decoded<Slot> {
        Ok(match register {
            Register::Thread(number) => match number.checked_add(further).filter(|number| *number < 255) {
                Some(number) => Slot::Lane(self.constants.register(number)),
                None => return self.refuse("a source does not fit the registers"),
            },
            Register::Uniform(number) if number + further < 63 => Slot::Warp(number + further),
            Register::Uniform(_) => return self.refuse("a source does not fit the registers"),
            Register::Zero | Register::UniformZero => ZERO,
        })
    }

    fn of_constant(&mut self, constant: &sass::operand::Constant, further: u32) -> Decoded<Slot> {
        let Bank::Bound(bank) = constant.bank else { return self.refuse("bindless constants are not executed") };
        if constant.index.is_some_and(|index| index != Register::Zero) {
            return self.refuse("a constant with an index is not executed here");
        }
        let Ok(offset) = u32::try_from(constant.offset) else { return self.refuse("a constant lies before its bank") };
        self.constants.add(Constant::Bank { bank, offset: offset + further })
    }

    /// What an operand is, without signs; `word`: 0, or 1 for the upper half of 64 bits.
    pub(super) fn slot_of(&mut self, operand: &Operand, word: u8) -> Decoded<Slot> {
        match &operand.value {
            Value::Register(register) => self.of_register(*register, word),
            Value::Constant(constant) => self.of_constant(constant, 4 * u32::from(word)),
            value => {
                let bits = match *value {
                    Value::Unsigned(bits) => bits,
                    Value::Signed(bits) | Value::Target(bits) => bits as u64,
                    Value::Float32(bits) => u64::from(bits),
                    Value::Float64(bits) => bits,
                    Value::Float16(bits) | Value::Bfloat16(bits) => u64::from(bits) << 16 | u64::from(bits),
                    _ => return self.refuse("an operand of it is not executed"),
                };
                self.constants.add(Constant::Immediate((bits >> (32 * word)) as u32))
            }
        }
    }

    /// A source without signs.
    pub(super) fn slot(&mut self) -> Decoded<Slot> {
        let operand = self.operand()?;
        if operand.negate != Sign::Kept || operand.absolute || operand.not || !operand.part.is_empty() {
            return self.refuse("a sign of it is not executed");
        }
        self.slot_of(operand, 0)
    }

    /// A source that is an integer.
    pub(super) fn int(&mut self) -> Decoded<Src> {
        let operand = self.operand()?;
        if operand.absolute || !operand.part.is_empty() {
            return self.refuse("a part or an absolute value of an integer is not executed");
        }
        let (xor, add) = match operand.negate {
            Sign::Kept => (0, 0),
            Sign::Negated => (u32::MAX, 1),
            Sign::Inverted => (u32::MAX, 0),
        };
        Ok(Src { xor, add, ..Src::plain(self.slot_of(operand, 0)?) })
    }

    /// A source that is an integer of 64 bits.
    pub(super) fn int64(&mut self) -> Decoded<Src64> {
        let operand = self.operand()?;
        let (xor, add) = match operand.negate {
            Sign::Kept => (0, 0),
            Sign::Negated => (u64::MAX, 1),
            Sign::Inverted => (u64::MAX, 0),
        };
        Ok(Src64 { low: self.slot_of(operand, 0)?, high: self.slot_of(operand, 1)?, and: u64::MAX, xor, add })
    }

    /// A source that is a floating-point number whose sign is in these bits.
    fn signed(&mut self, signs: u32) -> Decoded<(Src, &'static str)> {
        let operand = self.operand()?;
        let xor = match operand.negate {
            Sign::Kept => 0,
            Sign::Negated => signs,
            Sign::Inverted => return self.refuse("a complement of a floating-point number is not executed"),
        };
        let and = if operand.absolute { !signs } else { u32::MAX };
        Ok((Src { and, xor, add: 0, slot: self.slot_of(operand, 0)? }, operand.part))
    }

    /// A single-precision source.
    pub(super) fn float(&mut self) -> Decoded<Src> {
        match self.signed(1 << 31)? {
            (source, "") => Ok(source),
            _ => self.refuse("a part of a single-precision number is not executed"),
        }
    }

    /// A source that is packed halves. Two immediates that follow each other are the upper and the lower half.
    pub(super) fn packed(&mut self) -> Decoded<op::Value> {
        let bits = |operand: Option<&Operand>| match operand.map(|operand| &operand.value) {
            Some(Value::Float16(bits) | Value::Bfloat16(bits)) => Some(u32::from(*bits)),
            _ => None,
        };
        if let Some(upper) = bits(self.peek()) {
            self.next += 1;
            let Some(lower) = bits(self.peek()) else { return self.refuse("one half of an immediate is missing") };
            self.next += 1;
            let slot = self.constants.add(Constant::Immediate(upper << 16 | lower))?;
            return Ok(op::Value::Packed(Src::plain(slot), Halves::Both));
        }
        match self.signed(0x8000_8000)? {
            (source, "") => Ok(op::Value::Packed(source, Halves::Both)),
            (source, ".H0_H0") => Ok(op::Value::Packed(source, Halves::Low)),
            (source, ".H1_H1") => Ok(op::Value::Packed(source, Halves::High)),
            (_, part) => self.refuse(&format!("`{part}` is not executed")),
        }
    }

    /// A source that is one half of a register.
    pub(super) fn half(&mut self) -> Decoded<op::Value> {
        match self.signed(0x8000_8000)? {
            (source, "" | ".H0") => Ok(op::Value::Word(source)),
            (source, ".H1") => Ok(op::Value::Part(source, 16)),
            (_, part) => self.refuse(&format!("`{part}` is not executed")),
        }
    }

    /// A source that is an integer in a part of a register.
    pub(super) fn part(&mut self) -> Decoded<op::Value> {
        let operand = self.operand()?;
        let source = Src::plain(self.slot_of(operand, 0)?);
        let shift = match operand.part {
            "" => return Ok(op::Value::Word(source)),
            ".B1" => 8,
            ".B2" | ".H1" => 16,
            ".B3" => 24,
            part => return self.refuse(&format!("`{part}` is not executed")),
        };
        Ok(op::Value::Part(source, shift))
    }

    /// A double-precision source.
    pub(super) fn double(&mut self) -> Decoded<Src64> {
        let operand = self.operand()?;
        let xor = if operand.negate == Sign::Negated { 1 << 63 } else { 0 };
        let and = if operand.absolute { u64::MAX >> 1 } else { u64::MAX };
        Ok(Src64 { low: self.slot_of(operand, 0)?, high: self.slot_of(operand, 1)?, and, xor, add: 0 })
    }

    /// An immediate.
    pub(super) fn number(&mut self) -> Decoded<u64> {
        match self.operand()?.value {
            Value::Unsigned(number) => Ok(number),
            Value::Signed(number) => Ok(number as u64),
            _ => self.refuse("a number is missing"),
        }
    }

    /// A place in the code, in bytes.
    pub(super) fn target(&mut self) -> Decoded<i64> {
        match self.operand()?.value {
            Value::Target(target) => Ok(target),
            _ => self.refuse("a place in the code is missing"),
        }
    }

    /// A name.
    pub(super) fn named(&mut self) -> Decoded<&'static str> {
        match self.operand()?.value {
            Value::Named(name) => Ok(name),
            _ => self.refuse("a name is missing"),
        }
    }

    /// A convergence barrier.
    pub(super) fn barrier(&mut self) -> Decoded<u8> {
        match self.operand()?.value {
            Value::Barrier(number) => Ok(number),
            _ => self.refuse("a convergence barrier is missing"),
        }
    }

    /// An address; `wide`: a generic or global one, whose base may be a pair of registers.
    pub(super) fn address(&mut self) -> Decoded<Address> {
        let operand = self.operand()?;
        let Value::Address(address) = &operand.value else { return self.refuse("an address is missing") };
        let base = address.base.unwrap_or(Register::Zero);
        let wide = address.kind == ".64";
        let scale = match address.kind {
            "" | ".64" | ".U32" => 1,
            ".X4" => 4,
            ".X8" => 8,
            ".X16" => 16,
            kind => return self.refuse(&format!("`{kind}` of an address is not executed")),
        };
        let uniform = address.uniform.filter(|register| *register != Register::UniformZero);
        Ok(Address {
            base: self.of_register(base, 0)?,
            base_high: if wide { Some(self.of_register(base, 1)?) } else { None },
            scale,
            uniform: uniform.map(|register| self.of_register(register, 0)).transpose()?,
            uniform_high: uniform.map(|register| self.of_register(register, 1)).transpose().unwrap_or(None),
            offset: address.offset,
        })
    }
}
