//! The scalar types of PTX as instruction modifiers name them.

use std::fmt;

/// A type of an instruction or operand: what follows the dot in `.u32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed two's complement, 8 bits.
    S8,
    /// Signed two's complement, 16 bits.
    S16,
    /// Signed two's complement, 32 bits.
    S32,
    /// Signed two's complement, 64 bits.
    S64,
    /// Two unsigned 16-bit integers in 32 bits, the first in the low half.
    U16x2,
    /// Two signed 16-bit integers in 32 bits, the first in the low half.
    S16x2,
    /// Untyped, 8 bits.
    B8,
    /// Untyped, 16 bits.
    B16,
    /// Untyped, 32 bits.
    B32,
    /// Untyped, 64 bits.
    B64,
    /// Untyped, 128 bits.
    B128,
    /// IEEE 754 binary16.
    F16,
    /// Two binary16 numbers in 32 bits, the first in the low half.
    F16x2,
    /// bfloat16: the upper half of a binary32.
    BF16,
    /// Two bfloat16 numbers in 32 bits, the first in the low half.
    BF16x2,
    /// A binary32 of which the low 13 mantissa bits are zero.
    TF32,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// Two 8-bit floats with 4 exponent and 3 mantissa bits, in 16 bits; no infinities.
    E4M3x2,
    /// Two 8-bit floats with 5 exponent and 2 mantissa bits, in 16 bits.
    E5M2x2,
    /// A predicate, one bit.
    Pred,
}

use ScalarType as T;

/// Every type with its PTX name (without the dot), its size in bytes and what kind of number it holds.
const TYPES: [(ScalarType, &str, u32, Number); 25] = [
    (T::U8, "u8", 1, Number::Unsigned),
    (T::U16, "u16", 2, Number::Unsigned),
    (T::U32, "u32", 4, Number::Unsigned),
    (T::U64, "u64", 8, Number::Unsigned),
    (T::S8, "s8", 1, Number::Signed),
    (T::S16, "s16", 2, Number::Signed),
    (T::S32, "s32", 4, Number::Signed),
    (T::S64, "s64", 8, Number::Signed),
    (T::U16x2, "u16x2", 4, Number::Unsigned),
    (T::S16x2, "s16x2", 4, Number::Signed),
    (T::B8, "b8", 1, Number::Bits),
    (T::B16, "b16", 2, Number::Bits),
    (T::B32, "b32", 4, Number::Bits),
    (T::B64, "b64", 8, Number::Bits),
    (T::B128, "b128", 16, Number::Bits),
    (T::F16, "f16", 2, Number::Float),
    (T::F16x2, "f16x2", 4, Number::Float),
    (T::BF16, "bf16", 2, Number::Float),
    (T::BF16x2, "bf16x2", 4, Number::Float),
    (T::TF32, "tf32", 4, Number::Float),
    (T::F32, "f32", 4, Number::Float),
    (T::F64, "f64", 8, Number::Float),
    (T::E4M3x2, "e4m3x2", 2, Number::Float),
    (T::E5M2x2, "e5m2x2", 2, Number::Float),
    (T::Pred, "pred", 1, Number::Bits),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Unsigned,
    Signed,
    Bits,
    Float,
}

impl ScalarType {
    /// The type called `name`, without the dot; `None` when PTX has no such type.
    pub fn parse(name: &str) -> Option<Self> {
        TYPES.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The name without the dot.
    pub const fn name(self) -> &'static str {
        TYPES[self as usize].1
    }

    /// Size in bytes; 1 for a predicate.
    pub const fn bytes(self) -> u32 {
        TYPES[self as usize].2
    }

    /// Size in bits; 8 for a predicate.
    pub const fn bits(self) -> u32 {
        self.bytes() * 8
    }

    /// Whether the type holds floating-point numbers.
    pub fn is_float(self) -> bool {
        TYPES[self as usize].3 == Number::Float
    }

    /// Whether the type holds signed integers.
    pub fn is_signed(self) -> bool {
        TYPES[self as usize].3 == Number::Signed
    }

    /// Whether the type holds integers: signed or unsigned, not untyped bits.
    pub fn is_integer(self) -> bool {
        matches!(TYPES[self as usize].3, Number::Signed | Number::Unsigned)
    }

    /// Cuts `bits` to the width of this type and extends it to 64 bits: with the sign for a signed type, with zeros
    /// for every other. This is how a result narrower than its destination register fills that register.
    pub const fn extend(self, bits: u64) -> u64 {
        match self {
            T::S8 => bits as i8 as u64,
            T::S16 => bits as i16 as u64,
            T::S32 => bits as i32 as u64,
            T::Pred => bits & 1,
            _ => match self.bytes() {
                1 => bits & 0xff,
                2 => bits & 0xffff,
                4 => bits & 0xffff_ffff,
                _ => bits,
            },
        }
    }

    /// Cuts `bits` to the width of this type, upper bits zero.
    pub const fn truncate(self, bits: u64) -> u64 {
        match self.bytes() {
            1 => bits & 0xff,
            2 => bits & 0xffff,
            4 => bits & 0xffff_ffff,
            _ => bits,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_variants() {
        for (index, row) in TYPES.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert_eq!(ScalarType::parse(row.1), Some(row.0));
        }
        assert_eq!(ScalarType::parse("u128"), None);
    }

    #[test]
    fn extends_by_sign() {
        assert_eq!(T::S8.extend(0x180), 0xffff_ffff_ffff_ff80);
        assert_eq!(T::U8.extend(0x180), 0x80);
        assert_eq!(T::S32.extend(0x8000_0000), 0xffff_ffff_8000_0000);
        assert_eq!(T::S32.truncate(u64::MAX), 0xffff_ffff);
    }
}
