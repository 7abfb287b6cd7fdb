//! The operand types of a decoded instruction.

use super::types::ScalarType;

/// The type of the destination and of each source, in the order in which PTX writes them.
///
/// A source that is not of the instruction's own type has its own entry: the shift amount of `shl.b64` is `.u32`, the
/// third source of `selp` and of `setp.lt.and` is `.pred`, and the selector of `lop3` is `.u32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// Type of the destination; for `setp`, of each of its one or two predicates.
    pub dst: ScalarType,
    /// Type of each source.
    pub src: Vec<ScalarType>,
}

impl Signature {
    pub(super) fn new(dst: ScalarType, src: &[ScalarType]) -> Self {
        Self { dst, src: src.to_vec() }
    }

    /// `sources` sources of the type of the destination.
    pub(super) fn same(ty: ScalarType, sources: usize) -> Self {
        Self { dst: ty, src: vec![ty; sources] }
    }
}
