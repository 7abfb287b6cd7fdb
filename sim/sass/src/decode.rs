//! From bits to an instruction.

use crate::bits::Encoding;
use crate::control::Control;
use crate::instruction::{Guard, Instruction};
use crate::operand::{Address, Bank, Constant, Operand, Register, Sign, Value};
use crate::table::{
    AddressSpec, Architecture, Condition, Flags, ImmediateKind, Modifier, Row, Selector, Slot, Spec, Table,
};

/// Why 16 bytes are no instruction that the decoder knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// No row has this opcode.
    #[error("no instruction is known with the opcode {opcode:#05x} (bits 0 to 11 of {:#034x})", .encoding.0)]
    Opcode {
        /// Bits 0 to 11.
        opcode: u16,
        /// All bits.
        encoding: Encoding,
    },
    /// The opcode is known, but not in this form.
    #[error("no form of the opcode {opcode:#05x} is known that fits {:#034x}", .encoding.0)]
    Form {
        /// Bits 0 to 11.
        opcode: u16,
        /// All bits.
        encoding: Encoding,
    },
    /// A field has a value that has no name.
    #[error("{name} (opcode {opcode:#05x}): the field `{field}` has no value {value} (in {:#034x})", .encoding.0)]
    Field {
        /// The instruction's name.
        name: &'static str,
        /// Bits 0 to 11.
        opcode: u16,
        /// The field's name in the table.
        field: &'static str,
        /// What stands there.
        value: usize,
        /// All bits.
        encoding: Encoding,
    },
}

/// Decodes the instruction whose 16 bytes stand `offset` bytes behind the start of its function.
///
/// # Errors
/// [`DecodeError`] if the architecture's table does not have it.
pub fn decode(architecture: Architecture, bytes: [u8; 16], offset: u64) -> Result<Instruction, DecodeError> {
    let encoding = Encoding::from_bytes(bytes);
    let table = architecture.table();
    let Some(row) = table.row(encoding) else {
        let opcode = encoding.opcode();
        return Err(if table.knows(opcode) {
            DecodeError::Form { opcode, encoding }
        } else {
            DecodeError::Opcode { opcode, encoding }
        });
    };
    Reader { table, row, encoding, offset }.instruction()
}

struct Reader<'a> {
    table: &'a Table,
    row: &'a Row,
    encoding: Encoding,
    offset: u64,
}

impl Reader<'_> {
    fn instruction(&self) -> Result<Instruction, DecodeError> {
        let mut modifiers = Vec::new();
        for modifier in &self.row.modifiers {
            match modifier {
                Modifier::Text(conditions, text) if self.hold(conditions) => modifiers.push(*text),
                Modifier::Value(conditions, selector) if self.hold(conditions) => {
                    modifiers.push(self.value(selector)?);
                }
                _ => {}
            }
        }
        modifiers.retain(|modifier| !modifier.is_empty());
        let mut operands = Vec::new();
        for spec in self.row.operands.iter().filter(|operand| self.hold(&operand.conditions)) {
            if let Some(mut operand) = self.operand(&spec.spec)? {
                operand.joined = spec.joined;
                operands.push(operand);
            }
        }
        let guard =
            Guard { predicate: self.bits(12, 3), negated: self.encoding.bit(15), uniform: self.row.uniform_guard };
        let control = Control::of(self.encoding);
        Ok(Instruction { encoding: self.encoding, guard, name: self.row.name, modifiers, operands, control })
    }

    fn hold(&self, conditions: &[Condition]) -> bool {
        conditions.iter().all(|condition| condition.holds(self.encoding))
    }

    /// A field of at most 8 bits.
    fn bits(&self, low: u8, length: u8) -> u8 {
        self.encoding.field(low, length.min(8)) as u8
    }

    fn value(&self, selector: &Selector) -> Result<&'static str, DecodeError> {
        let value = selector.number(self.encoding);
        selector.values.get(value).copied().flatten().ok_or(DecodeError::Field {
            name: self.row.name,
            opcode: self.encoding.opcode(),
            field: selector.set,
            value,
            encoding: self.encoding,
        })
    }

    fn register(&self, low: u8) -> Register {
        match self.bits(low, 8) {
            255 => Register::Zero,
            number => Register::Thread(number),
        }
    }

    fn uniform(&self, low: u8) -> Register {
        let length = self.table.uniform_bits;
        match self.bits(low, length) {
            number if u32::from(number) == (1 << length) - 1 => Register::UniformZero,
            number => Register::Uniform(number),
        }
    }

    /// Whether the cache of register operands keeps the register of a slot.
    fn reuse(&self, low: u8) -> bool {
        match low {
            24 => self.kept(122),
            32 => self.kept(123),
            64 => self.kept(124),
            _ => false,
        }
    }

    /// Whether a reuse flag counts: where the warp yields, the cache is lost, and nvdisasm does not print the flag.
    const fn kept(&self, bit: u8) -> bool {
        self.row.reuses && self.encoding.bit(bit) && self.encoding.bit(109)
    }

    fn operand(&self, spec: &Spec) -> Result<Option<Operand>, DecodeError> {
        let value = match spec {
            Spec::Register { low, flags } => {
                let reuse = flags.reuse.map_or_else(|| self.reuse(*low), |bit| self.kept(bit));
                return self.flagged(Value::Register(self.register(*low)), flags, reuse).map(Some);
            }
            Spec::Uniform { low, flags } => {
                return self.flagged(Value::Register(self.uniform(*low)), flags, false).map(Some);
            }
            Spec::Predicate { low, uniform, not, optional, inverted } => {
                let number = self.bits(*low, 3) ^ if *inverted { 7 } else { 0 };
                let not = *not && self.encoding.bit(low + 3);
                if *optional && number == 7 && !not {
                    return Ok(None);
                }
                let value = if *uniform { Value::UniformPredicate(number) } else { Value::Predicate(number) };
                return Ok(Some(Operand { not, ..Operand::plain(value) }));
            }
            Spec::Source { slot, immediate, flags } => {
                let (low, kind) = source(*slot, self.encoding.opcode());
                let (negate, absolute) = crate::table::slot_bits(low);
                let kept = flags.reuse.unwrap_or(if *slot == Slot::Third { 124 } else { 123 });
                let flags = Flags {
                    negate: flags.negate.then_some(negate),
                    absolute: flags.absolute.then_some(absolute),
                    invert: flags.invert.then_some(negate),
                    complement: flags.complement,
                    part: None,
                    reuse: None,
                };
                let (value, reuse) = match kind {
                    Kind::Register if !self.row.uniform_guard => (Value::Register(self.register(low)), self.kept(kept)),
                    Kind::Register | Kind::Uniform => (Value::Register(self.uniform(low)), false),
                    Kind::Constant => {
                        (self.constant((None, false), self.encoding.bit(91).then_some(32), 40, 14, 4), false)
                    }
                    Kind::Immediate => return Ok(Some(Operand::plain(self.immediate(32, 32, *immediate)))),
                };
                return self.flagged(value, &flags, reuse).map(Some);
            }
            Spec::Immediate { low, length, kind } => self.immediate(*low, *length, *kind),
            Spec::Spread(fields) => Value::Unsigned(self.spread(fields)),
            Spec::Constant { index, of_warp, bindless, low, length, unit } => {
                self.constant((*index, *of_warp), *bindless, *low, *length, *unit)
            }
            Spec::Address(address) => Value::Address(self.address(address)?),
            Spec::Target { fields, unit, relative } => Value::Target(self.target(fields, *unit, *relative)),
            Spec::Barrier { low } => Value::Barrier(self.bits(*low, 4)),
            Spec::Scoreboard { low } => Value::Scoreboard(self.bits(*low, 3)),
            Spec::Scoreboards { low } => match self.bits(*low, 6) {
                0 => return Ok(None),
                mask => Value::Scoreboards(mask),
            },
            Spec::Named(selector) => Value::Named(self.value(selector)?),
            Spec::Predicates => Value::Predicates,
        };
        Ok(Some(Operand::plain(value)))
    }

    fn flagged(&self, value: Value, flags: &Flags, reuse: bool) -> Result<Operand, DecodeError> {
        let set = |bit: Option<u8>| bit.is_some_and(|bit| self.encoding.bit(bit));
        let negate = if set(flags.invert) {
            Sign::Inverted
        } else if !set(flags.negate) {
            Sign::Kept
        } else if set(flags.complement) {
            Sign::Inverted
        } else {
            Sign::Negated
        };
        let part = flags.part.as_ref().map_or(Ok(""), |part| self.value(part))?;
        Ok(Operand { negate, absolute: set(flags.absolute), reuse, part, ..Operand::plain(value) })
    }

    fn immediate(&self, low: u8, length: u8, kind: ImmediateKind) -> Value {
        let bits = self.encoding.field(low, length);
        match kind {
            ImmediateKind::Unsigned => Value::Unsigned(bits),
            ImmediateKind::Signed => Value::Signed(self.encoding.signed(low, length)),
            ImmediateKind::Float32 => Value::Float32(bits as u32),
            ImmediateKind::Float64 => Value::Float64(bits << 32),
            ImmediateKind::Float16 => Value::Float16(bits as u16),
            ImmediateKind::Bfloat16 => Value::Bfloat16(bits as u16),
        }
    }

    fn spread(&self, fields: &[(u8, u8)]) -> u64 {
        let mut place = 0;
        let mut value = 0;
        for &(low, length) in fields {
            value |= self.encoding.field(low, length) << place;
            place += length;
        }
        value
    }

    fn constant(
        &self,
        (index, of_warp): (Option<u8>, bool),
        bindless: Option<u8>,
        low: u8,
        length: u8,
        unit: u8,
    ) -> Value {
        // A zero index is printed only where nothing else is there.
        let zero = self.encoding.field(low, length) == 0;
        let index = index.map(|low| if of_warp { self.uniform(low) } else { self.register(low) });
        let index = index.filter(|index| !matches!(index, Register::Zero | Register::UniformZero) || zero);
        let bank = match bindless {
            Some(register) => Bank::Bindless(self.uniform(register)),
            None => Bank::Bound(self.bits(54, 5)),
        };
        let offset = self.encoding.signed(low, length);
        Value::Constant(Constant { bank, index, offset: offset * i64::from(unit) })
    }

    fn address(&self, spec: &AddressSpec) -> Result<Address, DecodeError> {
        let kind = spec.kinds.as_ref().map_or(Ok(spec.kind), |kinds| self.value(kinds))?;
        let uniform = spec.uniform.map(|low| self.uniform(low));
        let offset = spec.offset.map_or(0, |(low, length)| self.encoding.signed(low, length));
        // A register that is zero is not printed beside something else, unless it is scaled.
        let alone = uniform.is_none() && offset == 0;
        let base = spec.base.map(|low| self.register(low));
        let base = base.filter(|base| *base != Register::Zero || alone || kind.starts_with(".X"));
        Ok(Address {
            descriptor: spec.descriptor.map(|low| self.uniform(low)),
            base,
            kind,
            reuse: base.is_some() && spec.base.is_some_and(|low| self.reuse(low)),
            uniform,
            offset,
        })
    }

    fn target(&self, fields: &[(u8, u8)], unit: u8, relative: bool) -> i64 {
        let mut place = 0;
        let mut value: i64 = 0;
        for (number, &(low, length)) in fields.iter().enumerate() {
            let last = number + 1 == fields.len();
            let bits = if last { self.encoding.signed(low, length) } else { self.encoding.field(low, length) as i64 };
            value |= bits << place;
            place += length;
        }
        let next = if relative { (self.offset as i64).wrapping_add(16) } else { 0 };
        value.wrapping_mul(unit.into()).wrapping_add(next)
    }
}

enum Kind {
    Register,
    Uniform,
    Constant,
    Immediate,
}

/// Where a source stands and what it is, by bits 9 to 11 of the opcode.
const fn source(slot: Slot, opcode: u16) -> (u8, Kind) {
    let form = opcode >> 9;
    let swapped = matches!(form, 2 | 3 | 7);
    match (slot, swapped) {
        (Slot::SecondOfThree, true) | (Slot::Third, false) => (64, Kind::Register),
        _ => match form {
            2 | 4 => (32, Kind::Immediate),
            3 | 5 => (32, Kind::Constant),
            6 | 7 => (32, Kind::Uniform),
            _ => (32, Kind::Register),
        },
    }
}
