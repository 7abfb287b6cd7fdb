//! Logic and shift instructions (manual 9.7.8) and the byte permutation `prmt` (9.7.9.7).

use super::modifiers::{Decoded, Modifiers};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One logic, shift or permutation instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    And(T),
    Or(T),
    Xor(T),
    Not(T),
    Cnot(T),
    Lop3,
    ShfLeft { clamp: bool },
    ShfRight { clamp: bool },
    Shl(T),
    Shr(T),
    Prmt(Permutation),
}

/// The mode of `prmt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permutation {
    /// Four selectors, each with a sign-replication bit.
    Generic,
    Forward4,
    Backward4,
    Replicate8,
    EdgeClampLeft,
    EdgeClampRight,
    Replicate16,
}

pub(super) fn decode(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    let ty = m.one_type()?;
    Ok(match m.base() {
        "and" => (Op::And(ty), Signature::same(ty, 2)),
        "or" => (Op::Or(ty), Signature::same(ty, 2)),
        "xor" => (Op::Xor(ty), Signature::same(ty, 2)),
        "not" => (Op::Not(ty), Signature::same(ty, 1)),
        "cnot" => (Op::Cnot(ty), Signature::same(ty, 1)),
        "lop3" => {
            if m.has("or") || m.has("and") {
                return Err(m.unsupported("the form of `lop3` that also makes a predicate"));
            }
            (Op::Lop3, Signature::new(ty, &[ty, ty, ty, T::U32]))
        }
        "shf" => {
            let left = m.require("a direction", &[("l", true), ("r", false)])?;
            let clamp = m.require("what becomes of amounts above 32", &[("clamp", true), ("wrap", false)])?;
            let op = if left { Op::ShfLeft { clamp } } else { Op::ShfRight { clamp } };
            (op, Signature::new(ty, &[ty, ty, T::U32]))
        }
        "shl" => (Op::Shl(ty), Signature::new(ty, &[ty, T::U32])),
        "shr" => (Op::Shr(ty), Signature::new(ty, &[ty, T::U32])),
        _ => {
            let mode = m.choose(&[
                ("f4e", Permutation::Forward4),
                ("b4e", Permutation::Backward4),
                ("rc8", Permutation::Replicate8),
                ("ecl", Permutation::EdgeClampLeft),
                ("ecr", Permutation::EdgeClampRight),
                ("rc16", Permutation::Replicate16),
            ]);
            (Op::Prmt(mode.unwrap_or(Permutation::Generic)), Signature::same(ty, 3))
        }
    })
}

impl Op {
    #[inline]
    pub(super) fn eval(self, [a, b, c, d]: [u64; 4]) -> u64 {
        match self {
            Self::And(ty) => ty.truncate(a & b),
            Self::Or(ty) => ty.truncate(a | b),
            Self::Xor(ty) => ty.truncate(a ^ b),
            // `extend` cuts a predicate to its one bit.
            Self::Not(T::Pred) => T::Pred.extend(!a),
            Self::Not(ty) => ty.truncate(!a),
            Self::Cnot(ty) => (ty.truncate(a) == 0).into(),
            Self::Lop3 => lop3(a as u32, b as u32, c as u32, d as u8).into(),
            Self::ShfLeft { clamp } => {
                let by = if clamp { (c as u32).min(32) } else { c as u32 & 31 };
                (pair(a, b) << by) >> 32
            }
            Self::ShfRight { clamp } => {
                let by = if clamp { (c as u32).min(32) } else { c as u32 & 31 };
                T::U32.truncate(pair(a, b) >> by)
            }
            Self::Shl(ty) => ty.truncate(a.checked_shl(b as u32).unwrap_or(0)),
            Self::Shr(ty) if ty.is_signed() => ty.truncate((ty.extend(a) as i64 >> (b as u32).min(63)) as u64),
            Self::Shr(ty) => ty.truncate(a).checked_shr(b as u32).unwrap_or(0),
            Self::Prmt(mode) => prmt(mode, pair(a, b), c as u32).into(),
        }
    }
}

/// `b` above `a`.
const fn pair(a: u64, b: u64) -> u64 {
    (b & 0xffff_ffff) << 32 | a & 0xffff_ffff
}

/// Looks each bit of the three operands up in `table`.
#[inline]
fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    (0..8).filter(|row| table >> row & 1 == 1).fold(0, |sum, row| {
        let pick = |value: u32, bit: u32| if row & bit != 0 { value } else { !value };
        sum | pick(a, 4) & pick(b, 2) & pick(c, 1)
    })
}

/// Picks four of the eight bytes of `bytes`.
fn prmt(mode: Permutation, bytes: u64, control: u32) -> u32 {
    let at = control & 3;
    let selectors: [u32; 4] = match mode {
        Permutation::Generic => [control, control >> 4, control >> 8, control >> 12].map(|s| s & 0xf),
        Permutation::Forward4 => [at, at + 1, at + 2, at + 3],
        Permutation::Backward4 => [at, at.wrapping_sub(1), at.wrapping_sub(2), at.wrapping_sub(3)].map(|s| s & 7),
        Permutation::Replicate8 => [at; 4],
        Permutation::EdgeClampLeft => [at, at.max(1), at.max(2), 3],
        Permutation::EdgeClampRight => [0, at.min(1), at.min(2), at],
        Permutation::Replicate16 => {
            let low = (control & 1) * 2;
            [low, low + 1, low, low + 1]
        }
    };
    let pick = |selector: u32| {
        let byte = (bytes >> ((selector & 7) * 8)) as u8;
        // The highest selector bit asks for eight copies of the byte's sign.
        if selector & 8 != 0 { (byte as i8 >> 7) as u8 } else { byte }
    };
    u32::from_le_bytes(selectors.map(pick))
}
