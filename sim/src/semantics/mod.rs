//! What every lane-local PTX instruction computes: registers in, one register out, no memory, no control flow and no
//! other lane.
//!
//! [`LaneOp::decode`] turns an opcode into a [`LaneOp`] with all its modifiers folded in, [`LaneOp::eval`] runs it for
//! one lane. This is the specification that the faster, warp-wide paths are compared with, so it is written for
//! exactness first. `table` lists every instruction with its manual section, `choices` everything that the manual
//! leaves open.

mod bitfield;
mod carry;
mod choices;
mod compare;
mod convert;
mod float32;
mod float64;
mod half;
mod integer;
mod logic;
pub mod matrix;
mod modifiers;
mod pack;
mod rounding;
mod rows;
mod signature;
mod table;
mod types;
mod video;

#[cfg(test)]
mod tests;

pub use modifiers::DecodeError;
pub use signature::Signature;
pub use table::{Instruction, TABLE};
pub use types::ScalarType;
pub use video::Selectors;

use modifiers::Modifiers;
use table::Family;

/// One lane-local instruction with all its modifiers. Equal values compute the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneOp(Kind);

/// A division of whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    /// It leaves the remainder, not the quotient.
    pub remainder: bool,
    /// The type of dividend and divisor.
    pub ty: ScalarType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer(integer::Op),
    Carry(carry::Op),
    Bitfield(bitfield::Op),
    Float32(float32::Op),
    Float64(float64::Op),
    Half(half::Op),
    Compare(compare::Op),
    Logic(logic::Op),
    Convert(convert::Op),
    Pack(pack::Op),
    Video(video::Op),
}

impl LaneOp {
    /// Decodes an opcode that was split at its dots: `["mad", "lo", "s32"]`. The order of modifiers does not matter,
    /// that of types does. `None` when the instruction is not lane-local (memory, control flow, other lanes) or is
    /// `mov`, `cvta`, `isspacep` or `mapa`, which need more than values.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] when PTX has no such combination, [`DecodeError::Unsupported`] when it has one that is
    /// not simulated.
    pub fn decode(opcode: &[&str]) -> Result<Option<(Self, Signature)>, DecodeError> {
        let Some(name) = opcode.first() else {
            return Ok(None);
        };
        if !TABLE.iter().any(|row| row.name == *name) {
            return Ok(None);
        }
        let mut m = Modifiers::new(opcode);
        let row = table::find(&m)?;
        let (kind, signature) = match row.family {
            Family::Integer => wrap(integer::decode(&mut m)?, Kind::Integer),
            Family::Carry => wrap(carry::decode(&mut m)?, Kind::Carry),
            Family::Bitfield => wrap(bitfield::decode(&mut m)?, Kind::Bitfield),
            Family::Float32 => wrap(float32::decode(&mut m)?, Kind::Float32),
            Family::Float64 => wrap(float64::decode(&mut m)?, Kind::Float64),
            Family::Half => wrap(half::decode(&mut m)?, Kind::Half),
            Family::Compare => wrap(compare::decode(&mut m)?, Kind::Compare),
            Family::Logic => wrap(logic::decode(&mut m)?, Kind::Logic),
            Family::Convert => convert::decode(&mut m)?,
            Family::Pack => wrap(pack::decode_pack(&mut m)?, Kind::Pack),
            Family::Video => wrap(video::decode(&mut m)?, Kind::Video),
        };
        m.finish()?;
        Ok(Some((Self(kind), signature)))
    }

    /// Folds in what stands at the operands of a video instruction besides their names (`%r1.b0`, `-%r2`), and tells
    /// `signature` when that makes a third source necessary.
    ///
    /// # Errors
    /// [`DecodeError::Invalid`] when this instruction has no such selector or none at all.
    pub fn select(self, signature: &mut Signature, selectors: Selectors<'_>) -> Result<Self, DecodeError> {
        match self.0 {
            Kind::Video(op) => Ok(Self(Kind::Video(op.select(signature, selectors)?))),
            _ if selectors == Selectors::default() => Ok(self),
            _ => Err(DecodeError::Invalid("only the operands of video instructions have selectors".to_owned())),
        }
    }

    /// Whether [`Self::select`] may have something to fold in.
    pub const fn has_selectors(self) -> bool {
        matches!(self.0, Kind::Video(_))
    }

    /// The destination's bits, upper bits zero, from the sources' bits in the order of the [`Signature`]. Sources may
    /// have bits above their type, which are ignored; sources that the instruction does not have are not looked at.
    ///
    /// Predicates are 0 or 1. `setp` gives its first destination in bit 0 and its second in bit 1. A destination
    /// narrower than its register is widened with [`ScalarType::extend`]. An instruction that reads the carry reads
    /// it as clear.
    #[inline]
    pub fn eval(self, src: [u64; 4]) -> u64 {
        match self.0 {
            Kind::Integer(op) => op.eval(src),
            Kind::Carry(op) => op.eval(src, false).0,
            Kind::Bitfield(op) => op.eval(src),
            Kind::Float32(op) => op.eval(src),
            Kind::Float64(op) => op.eval(src),
            Kind::Half(op) => op.eval(src),
            Kind::Compare(op) => op.eval(src),
            Kind::Logic(op) => op.eval(src),
            Kind::Convert(op) => op.eval(src),
            Kind::Pack(op) => op.eval(src),
            Kind::Video(op) => op.eval(src),
        }
    }

    /// As [`Self::eval`], with the condition code's carry before and after; for subtractions it is the borrow.
    #[inline]
    pub fn eval_carry(self, src: [u64; 4], carry: bool) -> (u64, bool) {
        match self.0 {
            Kind::Carry(op) => op.eval(src, carry),
            _ => (self.eval(src), carry),
        }
    }

    /// A fused multiplication and addition with the sign of its product or its addend turned around, which the hardware
    /// does for nothing. `None` for any other instruction.
    pub const fn negated(self, product: bool, addend: bool) -> Option<Self> {
        match self.0 {
            _ if !product && !addend => Some(self),
            Kind::Float32(op) => match op.negated(product, addend) {
                Some(op) => Some(Self(Kind::Float32(op))),
                None => None,
            },
            Kind::Half(op) => match op.negated(product, addend) {
                Some(op) => Some(Self(Kind::Half(op))),
                None => None,
            },
            _ => None,
        }
    }

    /// What it divides, if it is a division of whole numbers: its second source must not be zero.
    pub const fn division(self) -> Option<Division> {
        match self.0 {
            Kind::Integer(op) => op.division(),
            _ => None,
        }
    }

    /// Whether the result depends on the carry.
    pub const fn uses_carry(self) -> bool {
        matches!(self.0, Kind::Carry(op) if op.uses_carry)
    }

    /// Whether the carry is written.
    pub const fn sets_carry(self) -> bool {
        matches!(self.0, Kind::Carry(op) if op.sets_carry)
    }
}

fn wrap<T>((op, signature): (T, Signature), kind: impl Fn(T) -> Kind) -> (Kind, Signature) {
    (kind(op), signature)
}
