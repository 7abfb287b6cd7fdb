//! Where the operands of a machine instruction lie: registers of each thread and of the warp, constants, predicates.

/// One register of all 32 lanes.
pub(in crate::machine_code) type Row = [u32; 32];
/// Two registers of all 32 lanes as numbers of 64 bits.
pub(in crate::machine_code) type Wide = [u64; 32];

/// Where 32 bits for each lane come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Slot {
    /// A register of each thread.
    Lane(u8),
    /// A register of the warp.
    Warp(u8),
    /// An immediate or a word of constant memory: its number among the program's constants.
    Constant(u16),
}

/// The constant that is zero: the first of every program.
pub(in crate::machine_code) const ZERO: Slot = Slot::Constant(0);

/// A source of 32 bits: `((value & and) ^ xor) + add`, which is a sign, an absolute value or a complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct Src {
    pub(in crate::machine_code) slot: Slot,
    pub(in crate::machine_code) and: u32,
    pub(in crate::machine_code) xor: u32,
    pub(in crate::machine_code) add: u32,
}

impl Src {
    /// The value as it is.
    pub(in crate::machine_code) const fn plain(slot: Slot) -> Self {
        Self { slot, and: u32::MAX, xor: 0, add: 0 }
    }

    /// Whether the value is taken as it is.
    #[inline(always)]
    pub(in crate::machine_code) const fn is_plain(self) -> bool {
        self.and == u32::MAX && self.xor == 0 && self.add == 0
    }
}

/// A source of 64 bits: `(value & and) ^ xor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct Src64 {
    pub(in crate::machine_code) low: Slot,
    pub(in crate::machine_code) high: Slot,
    pub(in crate::machine_code) and: u64,
    pub(in crate::machine_code) xor: u64,
    pub(in crate::machine_code) add: u64,
}

/// A destination of 32 bits, or of several registers from here on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Dst {
    /// The result is dropped.
    None,
    /// A register of each thread.
    Lane(u8),
    /// A register of the warp.
    Warp(u8),
}

/// A predicate that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct Pred {
    pub(in crate::machine_code) number: u8,
    pub(in crate::machine_code) uniform: bool,
    pub(in crate::machine_code) not: bool,
}

impl Pred {
    /// Whether it is true in every lane.
    pub(in crate::machine_code) const fn always(self) -> bool {
        self.number == 7 && !self.not
    }
}

/// A predicate that is written; number 7 drops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct PredDst {
    pub(in crate::machine_code) number: u8,
    pub(in crate::machine_code) uniform: bool,
}
