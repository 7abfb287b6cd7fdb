//! Registers: slots of the three files.

/// A slot of the 32-bit file. The high bit selects the program's constants.
pub type Slot32 = u16;
/// A slot of the 64-bit file. The high bit selects the program's constants.
pub type Slot64 = u16;
/// A slot of the predicate file.
pub type SlotP = u16;

/// Set in a [`Slot32`] or [`Slot64`] that names a constant.
pub const CONSTANT: u16 = 0x8000;

/// A register of any file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reg {
    /// 32-bit word, holding a value of this many bits (8, 16 or 32).
    W(Slot32, u8),
    /// 64-bit word.
    D(Slot64),
    /// Predicate.
    P(SlotP),
    /// Two 64-bit words, low word first: a 128-bit register.
    Q(Slot64, Slot64),
}

impl Reg {
    /// The register regardless of how many bits of it are meant.
    pub const fn whole(self) -> Self {
        match self {
            Self::W(slot, _) => Self::W(slot, 32),
            other @ (Self::D(_) | Self::P(_) | Self::Q(..)) => other,
        }
    }

    /// Whether it names one of the program's constants.
    pub const fn is_constant(self) -> bool {
        matches!(self, Self::W(slot, _) | Self::D(slot) if slot & CONSTANT != 0)
    }
}
