//! A row of the table: what stands in which bits of one form of an instruction.

use crate::bits::Encoding;

/// One form of an instruction.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) modifiers: Vec<Modifier>,
    pub(crate) operands: Vec<OperandSpec>,
    /// Whether the guard is a predicate of the warp.
    pub(crate) uniform_guard: bool,
    /// Whether its registers can stay in the cache of register operands.
    pub(crate) reuses: bool,
}

/// A condition on a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) low: u8,
    pub(crate) length: u8,
    pub(crate) test: Test,
}

/// What is asked of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    /// To be a number.
    Is(u64),
    /// To be another number.
    IsNot(u64),
    /// To have one bit that is 1.
    IsPowerOfTwo,
}

impl Condition {
    pub(crate) const fn holds(&self, encoding: Encoding) -> bool {
        let value = encoding.field(self.low, self.length);
        match self.test {
            Test::Is(number) => value == number,
            Test::IsNot(number) => value != number,
            Test::IsPowerOfTwo => value.is_power_of_two(),
        }
    }
}

/// Which value of a set stands in an instruction.
#[derive(Debug, Clone)]
pub(crate) struct Selector {
    /// The set's name in the table, for messages.
    pub(crate) set: &'static str,
    pub(crate) bits: Vec<u8>,
    /// `None` for a value that must not occur; the empty text for one that prints nothing.
    pub(crate) values: Vec<Option<&'static str>>,
}

impl Selector {
    /// The number in the bits.
    pub(crate) fn number(&self, encoding: Encoding) -> usize {
        self.bits.iter().enumerate().map(|(place, bit)| usize::from(encoding.bit(*bit)) << place).sum()
    }
}

/// A part of the instruction's name.
#[derive(Debug, Clone)]
pub(crate) enum Modifier {
    /// A text, if the conditions hold.
    Text(Vec<Condition>, &'static str),
    /// A value of a set, if the conditions hold.
    Value(Vec<Condition>, Selector),
}

/// An operand, if the conditions hold.
#[derive(Debug, Clone)]
pub(crate) struct OperandSpec {
    pub(crate) conditions: Vec<Condition>,
    pub(crate) joined: bool,
    pub(crate) spec: Spec,
}

/// Where the flags of an operand are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flags {
    pub(crate) negate: Option<u8>,
    pub(crate) absolute: Option<u8>,
    pub(crate) invert: Option<u8>,
    /// A bit that makes a complement of a negative.
    pub(crate) complement: Option<u8>,
    pub(crate) part: Option<Selector>,
    /// The bit that keeps the register in the cache, where it is not the slot's.
    pub(crate) reuse: Option<u8>,
}

/// Which source of an arithmetic instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slot {
    /// The second of two.
    Second,
    /// The second of three.
    SecondOfThree,
    /// The third of three.
    Third,
}

/// How an immediate is read and printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImmediateKind {
    Unsigned,
    Signed,
    Float32,
    Float64,
    Float16,
    Bfloat16,
}

/// What an operand is and where it stands.
#[derive(Debug, Clone)]
pub(crate) enum Spec {
    Register {
        low: u8,
        flags: Flags,
    },
    Uniform {
        low: u8,
        flags: Flags,
    },
    Predicate {
        low: u8,
        uniform: bool,
        not: bool,
        optional: bool,
        inverted: bool,
    },
    Source {
        slot: Slot,
        immediate: ImmediateKind,
        flags: SourceFlags,
    },
    Immediate {
        low: u8,
        length: u8,
        kind: ImmediateKind,
    },
    /// An immediate without sign in several fields, from its low to its high bits.
    Spread(Vec<(u8, u8)>),
    Constant {
        index: Option<u8>,
        /// The index is a register of the warp.
        of_warp: bool,
        bindless: Option<u8>,
        low: u8,
        length: u8,
        unit: u8,
    },
    Address(AddressSpec),
    /// Fields from low to high bits, the unit of the lowest bit, and whether it is relative to the next instruction.
    Target {
        fields: Vec<(u8, u8)>,
        unit: u8,
        relative: bool,
    },
    Barrier {
        low: u8,
    },
    Scoreboard {
        low: u8,
    },
    Scoreboards {
        low: u8,
    },
    Named(Selector),
    Predicates,
}

/// Which flags a source has; their bits depend on the slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceFlags {
    pub(crate) negate: bool,
    pub(crate) absolute: bool,
    pub(crate) invert: bool,
    pub(crate) complement: Option<u8>,
    pub(crate) reuse: Option<u8>,
}

/// The parts of an address.
#[derive(Debug, Clone, Default)]
pub(crate) struct AddressSpec {
    pub(crate) descriptor: Option<u8>,
    pub(crate) base: Option<u8>,
    /// A fixed kind such as `.64`.
    pub(crate) kind: &'static str,
    pub(crate) kinds: Option<Selector>,
    pub(crate) uniform: Option<u8>,
    /// Bit and length of the offset.
    pub(crate) offset: Option<(u8, u8)>,
}
