//! Operands of machine instructions, as types.

use std::fmt;

use crate::number;

/// One operand with what is done to it before it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// What it is.
    pub value: Value,
    /// Whether its negative is used. Of an addition with carry (`.X`) it is the complement.
    pub negate: Sign,
    /// Whether its absolute value is used.
    pub absolute: bool,
    /// Whether a predicate is inverted.
    pub not: bool,
    /// Whether the register stays in the cache of register operands.
    pub reuse: bool,
    /// A part or kind that stands behind the register: `.H0_H0`, `.B1`; empty if there is none.
    pub part: &'static str,
    /// Whether a blank, not a comma, stands before it.
    pub joined: bool,
}

/// What happens to the sign of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sign {
    /// It stays.
    #[default]
    Kept,
    /// The negative is used: `-R2`.
    Negated,
    /// The bits are inverted: `~R2`.
    Inverted,
}

/// A register of one of the two register files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Register {
    /// A register of each thread, `R0` to `R254`; `RZ` is zero.
    Thread(u8),
    /// The register that is zero, `RZ`.
    Zero,
    /// A register of the warp, `UR0` and following.
    Uniform(u8),
    /// The warp's register that is zero, `URZ`.
    UniformZero,
}

/// What an operand is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A register.
    Register(Register),
    /// A predicate of each thread, `P0` to `P6`; 7 is `PT`, which is true.
    Predicate(u8),
    /// A predicate of the warp, `UP0` to `UP6`; 7 is `UPT`.
    UniformPredicate(u8),
    /// All predicates of the thread, `PR`.
    Predicates,
    /// A convergence barrier, `B0` to `B15`.
    Barrier(u8),
    /// A scoreboard, `SB0` to `SB5`.
    Scoreboard(u8),
    /// Scoreboards in braces: bit n is scoreboard n.
    Scoreboards(u8),
    /// A special register or state by its name: `SR_TID.X`, `MACTIVE`.
    Named(&'static str),
    /// An integer that is printed without a sign.
    Unsigned(u64),
    /// An integer with a sign.
    Signed(i64),
    /// A single-precision number, by its bits.
    Float32(u32),
    /// A double-precision number, by its bits. Instructions have the upper 32 only.
    Float64(u64),
    /// A half-precision number, by its bits.
    Float16(u16),
    /// A number with the exponent of single precision and 8 bits of mantissa, by its bits.
    Bfloat16(u16),
    /// Memory of constants.
    Constant(Constant),
    /// An address of memory.
    Address(Address),
    /// A place in the code, in bytes from the start of the function. It may lie before it.
    Target(i64),
}

/// A place in constant memory: `c[0x0][0x28]`, `c[0x3][R0+0x10]`, `cx[UR4][0x8]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Constant {
    /// Which bank.
    pub bank: Bank,
    /// A register that is added to the offset.
    pub index: Option<Register>,
    /// Bytes from the start of the bank.
    pub offset: i64,
}

/// Which bank of constant memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bank {
    /// One of the banks that a launch has: `c[0x0]` holds its parameters.
    Bound(u8),
    /// A bank whose descriptor is in a register of the warp.
    Bindless(Register),
}

/// An address: the sum of what is there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// The register pair of the warp that describes the memory, `desc[UR4]`.
    pub descriptor: Option<Register>,
    /// The register of the thread.
    pub base: Option<Register>,
    /// How the register is read: `.64`, `.U32`, `.X4`; empty if it is one register of 32 bits.
    pub kind: &'static str,
    /// Whether the cache of register operands keeps the base.
    pub reuse: bool,
    /// The register of the warp.
    pub uniform: Option<Register>,
    /// Bytes.
    pub offset: i64,
}

impl Operand {
    /// An operand to which nothing is done.
    #[must_use]
    pub const fn plain(value: Value) -> Self {
        Self { value, negate: Sign::Kept, absolute: false, not: false, reuse: false, part: "", joined: false }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Thread(number) => write!(f, "R{number}"),
            Self::Zero => f.write_str("RZ"),
            Self::Uniform(number) => write!(f, "UR{number}"),
            Self::UniformZero => f.write_str("URZ"),
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.negate {
            Sign::Kept => "",
            Sign::Negated => "-",
            Sign::Inverted => "~",
        })?;
        let bar = if self.absolute { "|" } else { "" };
        write!(f, "{}{bar}{}", if self.not { "!" } else { "" }, self.value)?;
        let reuse = if self.reuse { ".reuse" } else { "" };
        // One half of a register stands inside of the bars, both of them behind.
        if self.part == ".H1" {
            return write!(f, "{reuse}{}{bar}", self.part);
        }
        write!(f, "{bar}{reuse}{}", self.part)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(register) => register.fmt(f),
            Self::Predicate(7) => f.write_str("PT"),
            Self::Predicate(number) => write!(f, "P{number}"),
            Self::UniformPredicate(7) => f.write_str("UPT"),
            Self::UniformPredicate(number) => write!(f, "UP{number}"),
            Self::Predicates => f.write_str("PR"),
            Self::Barrier(number) => write!(f, "B{number}"),
            Self::Scoreboard(number) => write!(f, "SB{number}"),
            Self::Scoreboards(mask) => {
                let numbers: Vec<String> =
                    (0..8u8).rev().filter(|bit| mask >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
                write!(f, "{{{}}}", numbers.join(","))
            }
            Self::Named(name) => f.write_str(name),
            Self::Unsigned(value) => write!(f, "{value:#x}"),
            Self::Signed(value) | Self::Target(value) => hex(f, *value),
            Self::Float32(bits) => f.write_str(&number::of_bits((*bits).into(), 32, 23, f32::from_bits(*bits).into())),
            Self::Float64(bits) => f.write_str(&number::of_bits(*bits, 64, 52, f64::from_bits(*bits))),
            Self::Float16(bits) => f.write_str(&number::of_bits((*bits).into(), 16, 10, number::half(*bits))),
            Self::Bfloat16(bits) => {
                let value = f32::from_bits(u32::from(*bits) << 16);
                f.write_str(&number::of_bits((*bits).into(), 16, 7, value.into()))
            }
            Self::Constant(constant) => constant.fmt(f),
            Self::Address(address) => address.fmt(f),
        }
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bank {
            Bank::Bound(bank) => write!(f, "c[{bank:#x}]")?,
            Bank::Bindless(register) => write!(f, "cx[{register}]")?,
        }
        f.write_str("[")?;
        if let Some(index) = self.index {
            index.fmt(f)?;
            if self.offset != 0 {
                f.write_str("+")?;
                hex(f, self.offset)?;
            }
        } else {
            hex(f, self.offset)?;
        }
        f.write_str("]")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(descriptor) = self.descriptor {
            write!(f, "desc[{descriptor}]")?;
        }
        f.write_str("[")?;
        if let Some(base) = self.base {
            write!(f, "{base}{}{}", if self.reuse { ".reuse" } else { "" }, self.kind)?;
        }
        if let Some(uniform) = self.uniform {
            write!(f, "{}{uniform}", if self.base.is_some() { "+" } else { "" })?;
        }
        if self.base.is_none() && self.uniform.is_none() {
            hex(f, self.offset)?;
        } else if self.offset != 0 {
            f.write_str("+")?;
            hex(f, self.offset)?;
        }
        f.write_str("]")
    }
}

/// Prints a number in hexadecimal with its sign.
fn hex(f: &mut fmt::Formatter<'_>, value: i64) -> fmt::Result {
    write!(f, "{}{:#x}", if value < 0 { "-" } else { "" }, value.unsigned_abs())
}
