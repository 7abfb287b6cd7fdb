//! Floating-point instructions by kind, as the counters of a GPU tell them apart.

/// Floating-point instructions per lane that executes an instruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// `FADD`.
    pub fadd: u8,
    /// `FMUL`.
    pub fmul: u8,
    /// `FFMA`.
    pub ffma: u8,
    /// `DADD`.
    pub dadd: u8,
    /// `DMUL`.
    pub dmul: u8,
    /// `DFMA`.
    pub dfma: u8,
}

/// Nothing.
pub(crate) const NONE: Arithmetic = Arithmetic { fadd: 0, fmul: 0, ffma: 0, dadd: 0, dmul: 0, dfma: 0 };

/// Single precision: additions, multiplications, fused ones.
pub(crate) const fn single(fadd: u8, fmul: u8, ffma: u8) -> Arithmetic {
    Arithmetic { fadd, fmul, ffma, ..NONE }
}

/// Double precision, likewise.
pub(crate) const fn double(dadd: u8, dmul: u8, dfma: u8) -> Arithmetic {
    Arithmetic { dadd, dmul, dfma, ..NONE }
}
