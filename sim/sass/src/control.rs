//! The control bits of an instruction: what the compiler tells the scheduler of the hardware.
//!
//! Bits 105 to 125. Which they are is public since Volta (Jia et al., arXiv 1804.06826; Huerta et al., arXiv 2503.20481);
//! nvdisasm prints none of them but the reuse flags, which stand at the operands.

use std::fmt;

use crate::bits::Encoding;

/// What an instruction makes the scheduler wait for, and which scoreboards it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Control {
    /// Clock cycles until the warp's next instruction may be issued, 0 to 15.
    pub stall: u8,
    /// Whether the scheduler should go on with another warp (the bit is 0 then).
    pub yields: bool,
    /// The scoreboard (0 to 5) that is released when the result is written.
    pub write: Option<u8>,
    /// The scoreboard (0 to 5) that is released when the operands are read.
    pub read: Option<u8>,
    /// The scoreboards that must be free before this instruction is issued: bit n is scoreboard n.
    pub wait: u8,
    /// The operands that stay in the cache of register operands: bit 0 is the first register slot (bits 24 to 31), bit 1 the
    /// second (32 to 39), bit 2 the third (64 to 71).
    pub reuse: u8,
}

impl Control {
    /// Reads the control bits.
    #[must_use]
    pub const fn of(encoding: Encoding) -> Self {
        const fn scoreboard(number: u64) -> Option<u8> {
            if number == 7 { None } else { Some(number as u8) }
        }
        Self {
            stall: encoding.field(105, 4) as u8,
            yields: !encoding.bit(109),
            write: scoreboard(encoding.field(110, 3)),
            read: scoreboard(encoding.field(113, 3)),
            wait: encoding.field(116, 6) as u8,
            reuse: encoding.field(122, 4) as u8,
        }
    }
}

/// Prints `wait:read:write:yield:stall` as the literature does: `B01----:R2:W-:Y:S04` waits for the scoreboards 0 and 1,
/// takes scoreboard 2 until its operands are read and none for its result, yields, and stalls for 4 cycles.
impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("B")?;
        for scoreboard in 0..6 {
            if self.wait >> scoreboard & 1 == 1 { write!(f, "{scoreboard}")? } else { f.write_str("-")? }
        }
        for (name, taken) in [("R", self.read), ("W", self.write)] {
            match taken {
                Some(scoreboard) => write!(f, ":{name}{scoreboard}")?,
                None => write!(f, ":{name}-")?,
            }
        }
        write!(f, ":{}:S{:02}", if self.yields { "Y" } else { "-" }, self.stall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_bits_are_read() {
        // S2R R0, SR_TID.X as ptxas makes it: takes scoreboard 0 for its result.
        let control = Control::of(Encoding(0x000e_2e00_0000_2100_0000_0000_0000_7919));
        assert_eq!(control.to_string(), "B------:R-:W0:-:S07");
        // LEA.HI.SX32 R4, R5, R0, 0x1f waits for it.
        let control = Control::of(Encoding(0x001f_e200_078f_faff_0000_0000_0504_7211));
        assert_eq!(control.to_string(), "B0-----:R-:W-:-:S01");
    }
}
