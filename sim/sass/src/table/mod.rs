//! The table of instructions of one architecture: a text in `tables/`, one row per form, read once.
//!
//! # The language of the tables
//!
//! Everything behind `#` is a remark. A line `set NAME VALUE VALUE …` gives the values of a field in their order: `-` prints
//! nothing, `!` is none that may occur, and `=N` before a value goes on with number N, and a line `more NAME …`
//! appends. A line `width UR 6` tells how many bits
//! the number of a register of the warp has, and `reuse off` and
//! `reuse on` whether the registers of the rows behind it can stay in the cache of register operands. Every other line is a row:
//!
//! ```text
//! OPCODE… NAME MODIFIER… | OPERAND… | CONDITION…
//! ```
//!
//! An opcode is the lower 12 bits in hexadecimal. Rows of one opcode are tried in their order, the first whose conditions
//! hold is the instruction.
//!
//! A **condition** is `91` (the bit is 1), `!91` (it is 0), `24:8=255` or `24:8!255` (the field of 8 bits from bit 24 on),
//! or `32:32^` (it is a power of two); `&` joins several. Before an operand or modifier it ends with `?`.
//!
//! A **modifier** is `.HI` (always there), `.HI@80` (if the bit is 1), `.U32@!73` (if it is 0), or `NAME@76`: the value of a
//! set, whose number starts at bit 76 and is as long as the set needs; `NAME@87:3` gives the length, `NAME@72,74` the bits.
//! `$NAME@72` is a part of the name itself, without a dot.
//!
//! An **operand** is one of
//!
//! | token | is |
//! |---|---|
//! | `R24`, `UR32` | a register of the thread or the warp; with `-` a negative, `\|` an absolute value, `~` a complement at the bits that belong to the slot (24: 72 and 73, 32: 63 and 62, 64: 75 and 74), `-@84` at another bit, `-/74` a complement instead of a negative if bit 74 is 1, `:NAME@60` the part that a set names, `^124` the bit of its reuse |
//! | `P87`, `UP87` | a predicate; with `!` inverted if the bit behind it is 1; with `~` stored inverted; with `?` at the end not there when it is `PT` |
//! | `S`, `B`, `C` | the second of two sources, the second or third of three: where and what it is tells the opcode (bits 9 to 11); the letter behind it is the kind of an immediate |
//! | `x32:32`, `s32:32` | an immediate without and with a sign; `x64:3+72:5` has its bits in two fields |
//! | `f32`, `d32`, `h32`, `b32` | a number of single, double, half and bfloat16 precision |
//! | `c+38:16*1`, `cR24+…`, `cUR24+…`, `cx24+…` | constant memory: the offset's bits and unit; an index in a register of the thread or the warp; a bank that a register of the warp describes |
//! | `[R24.64+UR32+40:24]` | an address: register, register of the warp, offset; `desc[UR32]` before it |
//! | `T16:8+34:48` | a place in the code relative to the next instruction: bits and where they start |
//! | `B16`, `SB44`, `=NAME@72`, `'PR'` | a barrier, a scoreboard, a name from a set, predicates |
//!
//! `_` before an operand joins it to the one before with a blank.
//!
//! # Where the rows are from
//!
//! Every row was found by flipping each bit of instructions of the corpus and reading what nvdisasm 13.5.37 prints, and every
//! field by counting through its values.

mod parse;
mod row;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::bits::Encoding;

pub use parse::TableError;
pub(crate) use parse::slot_bits;
pub(crate) use row::{
    AddressSpec, Condition, Flags, ImmediateKind, Modifier, OperandSpec, Row, Selector, Slot, Spec, Test,
};

/// The rows of one architecture.
#[derive(Debug)]
pub struct Table {
    rows: HashMap<u16, Vec<Row>>,
    /// Bits of the number of a register of the warp.
    pub(crate) uniform_bits: u8,
    /// While the text is read: whether the registers of the next rows can be reused.
    reuses: bool,
}

/// The architectures that have a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Architecture {
    /// Compute capability 7.5.
    Sm75,
    /// Compute capability 8.0 to 8.8.
    Sm80,
    /// Compute capability 8.9.
    Sm89,
    /// Compute capability 9.0, with what only `sm_90a` has.
    Sm90,
    /// Compute capability 10.0 to 11.0.
    Sm100,
    /// Compute capability 12.0 and 12.1.
    Sm120,
}

impl Architecture {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Sm75, Self::Sm80, Self::Sm89, Self::Sm90, Self::Sm100, Self::Sm120];

    /// Returns the compute capabilities whose machine code it is, as `90` for 9.0.
    #[must_use]
    pub const fn capabilities(self) -> &'static [u32] {
        match self {
            Self::Sm75 => &[75],
            Self::Sm80 => &[80, 86, 87, 88],
            Self::Sm89 => &[89],
            Self::Sm90 => &[90],
            Self::Sm100 => &[100, 103, 110],
            Self::Sm120 => &[120, 121],
        }
    }

    /// Returns the architecture of a compute capability, as `90` for 9.0.
    #[must_use]
    pub fn of(capability: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|architecture| architecture.capabilities().contains(&capability))
    }

    /// Returns its table.
    ///
    /// # Panics
    /// If a table of this crate is wrong, which a test excludes.
    #[must_use]
    pub fn table(self) -> &'static Table {
        const SM90_TEXT: &str = include_str!("../../tables/sm90.txt");
        const SM80_TEXT: &str = include_str!("../../tables/sm80.txt");
        static SM90: LazyLock<Table> = LazyLock::new(|| read(&[SM90_TEXT]));
        const SM87_TEXT: &str = include_str!("../../tables/sm87.txt");
        static SM80: LazyLock<Table> = LazyLock::new(|| read(&[SM90_TEXT, SM80_TEXT, SM87_TEXT]));
        const SM89_TEXT: &str = include_str!("../../tables/sm89.txt");
        static SM89: LazyLock<Table> = LazyLock::new(|| read(&[SM90_TEXT, SM80_TEXT, SM89_TEXT]));
        const SM75_TEXT: &str = include_str!("../../tables/sm75.txt");
        static SM75: LazyLock<Table> = LazyLock::new(|| read(&[SM90_TEXT, SM80_TEXT, SM75_TEXT]));
        const SM100_TEXT: &str = include_str!("../../tables/sm100.txt");
        static SM100: LazyLock<Table> = LazyLock::new(|| read(&[SM90_TEXT, SM100_TEXT]));
        const SM120_TEXT: &str = include_str!("../../tables/sm120.txt");
        static SM120: LazyLock<Table> = LazyLock::new(|| read(&[SM90_TEXT, SM100_TEXT, SM120_TEXT]));
        match self {
            Self::Sm75 => &SM75,
            Self::Sm80 => &SM80,
            Self::Sm89 => &SM89,
            Self::Sm90 => &SM90,
            Self::Sm100 => &SM100,
            Self::Sm120 => &SM120,
        }
    }
}

fn read(layers: &[&'static str]) -> Table {
    Table::parse(layers).unwrap_or_else(|error| panic!("{error}"))
}

impl Table {
    /// Finds the row of an instruction.
    pub(crate) fn row(&self, encoding: Encoding) -> Option<&Row> {
        self.rows.get(&encoding.opcode())?.iter().find(|row| row.conditions.iter().all(|c| c.holds(encoding)))
    }

    /// Returns whether any row has an opcode.
    pub(crate) fn knows(&self, opcode: u16) -> bool {
        self.rows.contains_key(&opcode)
    }

    /// Returns how many rows and opcodes there are.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.rows.values().map(Vec::len).sum(), self.rows.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_can_be_read() {
        for architecture in Architecture::ALL {
            let (rows, opcodes) = architecture.table().size();
            assert!(rows >= opcodes && opcodes > 200, "{architecture:?}: {rows} rows, {opcodes} opcodes");
        }
    }

    #[test]
    fn what_is_wrong_in_a_table_is_told_with_its_line() {
        for (text, message) in [
            ("set cmp F LT EQ", "line 1: the set `cmp` has 3 values"),
            ("20c ISETP cmp@76 | P81", "line 1: there is no set `cmp`"),
            ("20c ISETP | Q81", "line 1: `Q81`"),
            ("20g ISETP |", "line 1: `20g`"),
            ("\n20c", "line 2: "),
        ] {
            let error = Table::parse(&[text]).expect_err(text).to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
