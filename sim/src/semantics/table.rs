//! Looking a lane-local instruction up in the table of all of them ([`TABLE`]). Decoding starts here, so a row that is
//! missing is an instruction that is not simulated.

use super::modifiers::{Decoded, Modifiers};
pub use super::rows::TABLE;
use super::types::ScalarType as T;

/// One instruction of the PTX ISA manual, version 9.0.
#[derive(Debug, Clone, Copy)]
pub struct Instruction {
    /// The part of the opcode before the first dot.
    pub name: &'static str,
    /// The manual's section.
    pub section: &'static str,
    /// What it computes, in a line.
    pub semantics: &'static str,
    /// All its opcodes, as patterns ([`crate::isa::expand`]).
    pub forms: &'static str,
    /// The types that choose this row: the first of the opcode (of `set`, the last); empty when any does.
    pub types: &'static [T],
    /// A modifier without which the row does not apply.
    pub(super) needs: Option<&'static str>,
    pub(super) family: Family,
}

/// The file that holds the semantics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Integer,
    Carry,
    Bitfield,
    Float32,
    Float64,
    Half,
    Compare,
    Logic,
    Convert,
    Pack,
    Video,
}

/// Modifiers and types that PTX has only for targets later than the simulated ones.
const LATER: [&str; 11] =
    ["f32x2", "e2m1x2", "e2m1x4", "e2m3x2", "e2m3x4", "e3m2x2", "e3m2x4", "e4m3x4", "e5m2x4", "ue8m0x2", "rs"];

/// The row that decodes this opcode, whose name must be in the table.
pub(super) fn find(m: &Modifiers<'_>) -> Decoded<&'static Instruction> {
    if let Some(later) = LATER.iter().find(|modifier| m.has(modifier)) {
        return Err(m.unsupported(&format!("`.{later}` exists from compute capability 10.0 on")));
    }
    let ty = if m.base() == "set" { m.types().last().copied() } else { m.first_type() };
    let Some(ty) = ty else {
        return Err(m.invalid("a type is missing"));
    };
    let fits = |row: &&Instruction| {
        row.name == m.base()
            && row.needs.is_none_or(|modifier| m.has(modifier))
            && (row.types.is_empty() || row.types.contains(&ty))
    };
    TABLE.iter().find(fits).ok_or_else(|| m.invalid(&format!("it does not exist for the type `{ty}`")))
}
