//! The 128 bits of an instruction, and fields of them.

/// The encoding of one instruction: bit 0 is the lowest bit of its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoding(pub u128);

impl Encoding {
    /// Reads the 16 bytes that stand in a code section.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }

    /// Returns the `length` bits from bit `low` on, at most 64.
    #[must_use]
    pub const fn field(self, low: u8, length: u8) -> u64 {
        let mask = if length >= 64 { u64::MAX } else { (1 << length) - 1 };
        // The mask keeps what fits.
        (self.0 >> (low & 127)) as u64 & mask
    }

    /// Returns whether a bit is 1.
    #[must_use]
    pub const fn bit(self, at: u8) -> bool {
        self.field(at, 1) == 1
    }

    /// Returns a field as a number of two's complement.
    #[must_use]
    pub const fn signed(self, low: u8, length: u8) -> i64 {
        let unused = 64 - if length > 64 { 64 } else { length } as u32;
        (self.field(low, length) << unused).cast_signed() >> unused
    }

    /// Returns the 12 bits that choose the instruction: 9 of the operation and 3 of the kinds of its operands.
    #[must_use]
    pub const fn opcode(self) -> u16 {
        self.field(0, 12) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cross_the_middle() {
        let encoding = Encoding(0xf << 62);
        assert_eq!((encoding.field(62, 4), encoding.field(60, 4)), (0xf, 0xc));
        assert_eq!((encoding.signed(60, 6), encoding.signed(60, 7)), (-4, 0x3c));
        assert_eq!((Encoding(u128::MAX).signed(64, 64), Encoding(u128::MAX).field(0, 64)), (-1, u64::MAX));
    }
}
