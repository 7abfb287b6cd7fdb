//! Comparison and selection (manual 9.7.6) and its half-precision forms (9.7.7): `set`, `setp`, `selp`, `slct`.

use std::cmp::Ordering;

use super::float32::flush;
use super::half::{self, Half};
use super::modifiers::{Decoded, Modifiers};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One comparison or selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Setp(Comparison),
    /// The type is the destination's.
    Set(Comparison, T),
    Selp(T),
    /// Selects by the sign of an `.s32`.
    SlctInteger(T),
    /// Selects by the sign of an `.f32`.
    SlctFloat {
        ty: T,
        ftz: bool,
    },
}

/// What is compared how, and what the outcome is combined with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comparison {
    /// The relations that make the comparison true.
    relations: u8,
    ty: T,
    combine: Combine,
    ftz: bool,
}

/// How a comparison and the predicate operand make the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Combine {
    /// There is no predicate operand.
    Alone,
    And,
    Or,
    Xor,
}

// The four relations that two numbers can be in; an operator is a set of them.
const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const UNORDERED: u8 = 8;

/// Comparison operators, and for which kinds of types each exists.
const OPERATORS: [(&str, u8, Kinds); 18] = [
    ("eq", EQUAL, Kinds::All),
    ("ne", LESS | GREATER, Kinds::All),
    ("lt", LESS, Kinds::Ordered),
    ("le", LESS | EQUAL, Kinds::Ordered),
    ("gt", GREATER, Kinds::Ordered),
    ("ge", GREATER | EQUAL, Kinds::Ordered),
    ("lo", LESS, Kinds::Unsigned),
    ("ls", LESS | EQUAL, Kinds::Unsigned),
    ("hi", GREATER, Kinds::Unsigned),
    ("hs", GREATER | EQUAL, Kinds::Unsigned),
    ("equ", EQUAL | UNORDERED, Kinds::Float),
    ("neu", LESS | GREATER | UNORDERED, Kinds::Float),
    ("ltu", LESS | UNORDERED, Kinds::Float),
    ("leu", LESS | EQUAL | UNORDERED, Kinds::Float),
    ("gtu", GREATER | UNORDERED, Kinds::Float),
    ("geu", GREATER | EQUAL | UNORDERED, Kinds::Float),
    ("num", LESS | EQUAL | GREATER, Kinds::Float),
    ("nan", UNORDERED, Kinds::Float),
];

#[derive(Clone, Copy)]
enum Kinds {
    All,
    /// Integers and floats, not untyped bits.
    Ordered,
    Unsigned,
    Float,
}

pub(super) fn decode(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    match m.base() {
        "setp" => {
            let ty = m.one_type()?;
            let (comparison, sources) = decode_comparison(m, ty)?;
            Ok((Op::Setp(comparison), Signature::new(T::Pred, &sources)))
        }
        "set" => {
            let (to, ty) = m.two_types()?;
            let legal = match ty {
                T::F16 => matches!(to, T::F16 | T::BF16 | T::U16 | T::S16 | T::U32 | T::S32),
                T::BF16 => matches!(to, T::BF16 | T::U16 | T::S16 | T::U32 | T::S32),
                T::F16x2 | T::BF16x2 => to == ty || matches!(to, T::U32 | T::S32),
                _ => matches!(to, T::U32 | T::S32 | T::F32 | T::F16 | T::BF16),
            };
            if !legal {
                return Err(m.invalid(&format!("the outcome of comparing `{ty}` cannot be `{to}`")));
            }
            if to == T::BF16 && m.has("ftz") {
                return Err(m.invalid("`.ftz` does not go with an outcome of type `.bf16`"));
            }
            let (comparison, sources) = decode_comparison(m, ty)?;
            Ok((Op::Set(comparison, to), Signature::new(to, &sources)))
        }
        "selp" => {
            let ty = m.one_type()?;
            Ok((Op::Selp(ty), Signature::new(ty, &[ty, ty, T::Pred])))
        }
        _ => {
            let (ty, selector) = m.two_types()?;
            let op = match selector {
                T::S32 => Op::SlctInteger(ty),
                T::F32 => Op::SlctFloat { ty, ftz: m.take("ftz") },
                _ => return Err(m.invalid("the selector's type is `.s32` or `.f32`")),
            };
            Ok((op, Signature::new(ty, &[ty, ty, selector])))
        }
    }
}

fn decode_comparison(m: &mut Modifiers<'_>, ty: T) -> Decoded<(Comparison, Vec<T>)> {
    let operators = OPERATORS.map(|(name, relations, kinds)| (name, (relations, kinds)));
    let (relations, kinds) = m.require("a comparison operator", &operators)?;
    let legal = match kinds {
        Kinds::All => true,
        Kinds::Ordered => ty.is_float() || ty.is_integer(),
        Kinds::Unsigned => ty.is_integer() && !ty.is_signed(),
        Kinds::Float => ty.is_float(),
    };
    if !legal {
        return Err(m.invalid(&format!("the comparison operator does not go with `{ty}`")));
    }
    let combine =
        m.choose(&[("and", Combine::And), ("or", Combine::Or), ("xor", Combine::Xor)]).unwrap_or(Combine::Alone);
    let ftz = matches!(ty, T::F32 | T::F16 | T::F16x2) && m.take("ftz");
    let mut sources = vec![ty, ty];
    if combine != Combine::Alone {
        sources.push(T::Pred);
    }
    Ok((Comparison { relations, ty, combine, ftz }, sources))
}

const fn relation(ordering: Option<Ordering>) -> u8 {
    match ordering {
        Some(Ordering::Less) => LESS,
        Some(Ordering::Equal) => EQUAL,
        Some(Ordering::Greater) => GREATER,
        None => UNORDERED,
    }
}

impl Comparison {
    /// Whether the comparison of the two operands holds.
    #[inline]
    fn holds(self, a: u64, b: u64) -> bool {
        let ordering = match self.ty {
            T::S16 | T::S32 | T::S64 => Some((self.ty.extend(a) as i64).cmp(&(self.ty.extend(b) as i64))),
            T::F32 => {
                let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                if self.ftz { flush(a).partial_cmp(&flush(b)) } else { a.partial_cmp(&b) }
            }
            T::F64 => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
            T::F16 | T::BF16 => {
                let format = Half::of(self.ty);
                format.load(a, self.ftz).partial_cmp(&format.load(b, self.ftz))
            }
            _ => Some(self.ty.truncate(a).cmp(&self.ty.truncate(b))),
        };
        self.relations & relation(ordering) != 0
    }

    #[inline]
    fn combined(self, outcome: bool, c: u64) -> bool {
        let c = c & 1 == 1;
        match self.combine {
            Combine::Alone => outcome,
            Combine::And => outcome & c,
            Combine::Or => outcome | c,
            Combine::Xor => outcome ^ c,
        }
    }

    /// The comparison of the low and of the high halves of packed operands, both combined with `c`.
    fn halves(self, a: u64, b: u64, c: u64) -> (bool, bool) {
        let one = Self { ty: half::element(self.ty), ..self };
        (one.combined(one.holds(a & 0xffff, b & 0xffff), c), one.combined(one.holds(a >> 16, b >> 16), c))
    }
}

impl Op {
    #[inline]
    pub(super) fn eval(self, [a, b, c, _]: [u64; 4]) -> u64 {
        match self {
            Self::Setp(comparison) => {
                if let T::F16x2 | T::BF16x2 = comparison.ty {
                    let (low, high) = comparison.halves(a, b, c);
                    return u64::from(high) << 1 | u64::from(low);
                }
                let outcome = comparison.holds(a, b);
                let (p, q) = (comparison.combined(outcome, c), comparison.combined(!outcome, c));
                u64::from(q) << 1 | u64::from(p)
            }
            Self::Set(comparison, to) => {
                if let T::F16x2 | T::BF16x2 = comparison.ty {
                    let (low, high) = comparison.halves(a, b, c);
                    let one = if to.is_float() { truth(half::element(to)) } else { 0xffff };
                    return if high { one << 16 } else { 0 } | if low { one } else { 0 };
                }
                if comparison.combined(comparison.holds(a, b), c) { truth(to) } else { 0 }
            }
            Self::Selp(ty) => ty.truncate(if c & 1 == 1 { a } else { b }),
            Self::SlctInteger(ty) => ty.truncate(if c as i32 >= 0 { a } else { b }),
            Self::SlctFloat { ty, ftz } => {
                let c = f32::from_bits(c as u32);
                let c = if ftz { flush(c) } else { c };
                ty.truncate(if c >= 0.0 { a } else { b })
            }
        }
    }
}

/// What `set` writes for true: one, or all ones in an integer.
const fn truth(to: T) -> u64 {
    match to {
        T::F32 => 0x3f80_0000,
        T::F16 => 0x3c00,
        T::BF16 => 0x3f80,
        _ => to.truncate(u64::MAX),
    }
}
