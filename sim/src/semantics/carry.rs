//! Extended-precision integer arithmetic (manual 9.7.2): the instructions that read or write the carry `CC.CF`.

use super::modifiers::{Decoded, Modifiers};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One instruction: what it adds up, whether it starts from the carry, and whether it leaves one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Op {
    kind: Kind,
    ty: T,
    pub(super) uses_carry: bool,
    pub(super) sets_carry: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Add,
    Sub,
    MadLow,
    MadHigh,
}

pub(super) fn decode(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    let ty = m.one_type()?;
    let sets_carry = m.take("cc");
    if sets_carry && ty.bits() == 16 {
        return Err(m.invalid("`.cc` needs a 32-bit or 64-bit type"));
    }
    let base = m.base();
    let kind = match base {
        "add" | "addc" => Kind::Add,
        "sub" | "subc" => Kind::Sub,
        _ => m.require("a part of the product", &[("lo", Kind::MadLow), ("hi", Kind::MadHigh)])?,
    };
    let sources = if matches!(kind, Kind::Add | Kind::Sub) { 2 } else { 3 };
    Ok((Op { kind, ty, uses_carry: base.ends_with('c'), sets_carry }, Signature::same(ty, sources)))
}

impl Op {
    /// The result, and the carry after it, which is `carry` when the instruction leaves it alone. A subtraction adds the
    /// complement, so its carry is set when nothing was borrowed. Sums of three terms are below 2^66, so all of it is
    /// computed in 128 bits.
    #[inline]
    pub(super) fn eval(self, [a, b, c, _]: [u64; 4], carry: bool) -> (u64, bool) {
        let ty = self.ty;
        let start = u128::from(self.uses_carry && carry);
        let cut = |value: u64| u128::from(ty.truncate(value));
        let sum = match self.kind {
            Kind::Add => cut(a) + cut(b) + start,
            Kind::Sub => cut(a) + cut(!b) + u128::from(!self.uses_carry || carry),
            Kind::MadLow => cut(a.wrapping_mul(b)) + cut(c) + start,
            Kind::MadHigh => {
                let (a, b) = (ty.extend(a), ty.extend(b));
                // Of 16-bit factors, which the manual does not have here, an H200 takes the bits above 32, too.
                let from = ty.bits().max(32);
                let high = if ty.is_signed() {
                    ((a as i64 as i128 * b as i64 as i128) >> from) as u64
                } else {
                    ((a as u128 * b as u128) >> from) as u64
                };
                cut(high) + cut(c) + start
            }
        };
        let out = if self.sets_carry { (sum >> ty.bits()) & 1 == 1 } else { carry };
        (ty.truncate(sum as u64), out)
    }
}
