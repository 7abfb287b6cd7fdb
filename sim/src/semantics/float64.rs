//! Double-precision arithmetic (manual 9.7.3 with `.f64`).

use super::choices::{NAN_F64, propagate_f64};
use super::float32::{TESTS, Test};
use super::modifiers::{Decoded, Modifiers};
use super::rounding::{Exact, Format, ROUNDINGS, Rounding};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One `.f64` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Op {
    kind: Kind,
    rounding: Rounding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Rcp,
    Sqrt,
    Rsqrt,
    /// Reciprocal of the upper word, lower word of the result zero.
    RcpHigh,
    /// Reciprocal square root of the upper word, lower word of the result zero.
    RsqrtHigh,
    Abs,
    Neg,
    Min,
    Max,
    Copysign,
    Testp(Test),
}

pub(super) fn decode(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    let ty = m.one_type()?;
    let (unary, binary, ternary) = (Signature::same(ty, 1), Signature::same(ty, 2), Signature::same(ty, 3));
    let mut rounding = Rounding::Nearest;
    let (kind, signature) = match m.base() {
        base @ ("add" | "sub" | "mul") => {
            rounding = m.choose(&ROUNDINGS).unwrap_or(Rounding::Nearest);
            let kind = match base {
                "add" => Kind::Add,
                "sub" => Kind::Sub,
                _ => Kind::Mul,
            };
            (kind, binary)
        }
        "fma" | "mad" => {
            rounding = m.require("a rounding", &ROUNDINGS)?;
            (Kind::Fma, ternary)
        }
        "rcp" if m.take("approx") => {
            m.require("`.ftz` with `.approx.f64`", &[("ftz", ())])?;
            (Kind::RcpHigh, unary)
        }
        base @ ("div" | "rcp" | "sqrt") => {
            rounding = m.require("a rounding", &ROUNDINGS)?;
            if base == "rcp" && m.has("ftz") {
                return Err(m.unsupported("the manual knows no `.ftz` here, though ptxas takes it"));
            }
            match base {
                "div" => (Kind::Div, binary),
                "rcp" => (Kind::Rcp, unary),
                _ => (Kind::Sqrt, unary),
            }
        }
        "rsqrt" => {
            m.require("its precision", &[("approx", ())])?;
            (if m.take("ftz") { Kind::RsqrtHigh } else { Kind::Rsqrt }, unary)
        }
        "abs" => (Kind::Abs, unary),
        "neg" => (Kind::Neg, unary),
        "min" => (Kind::Min, binary),
        "max" => (Kind::Max, binary),
        "copysign" => (Kind::Copysign, binary),
        _ => (Kind::Testp(m.require("a property", &TESTS)?), Signature::new(T::Pred, &[ty])),
    };
    Ok((Op { kind, rounding }, signature))
}

/// As the function of the same name for single precision.
fn exact(kind: Kind, rounding: Rounding, operands: [f64; 3]) -> Option<f64> {
    let count = match kind {
        Kind::Rcp | Kind::Sqrt => 1,
        Kind::Fma => 3,
        _ => 2,
    };
    if operands[..count].iter().any(|operand| !operand.is_finite()) {
        return None;
    }
    let [a, b, c] = operands.map(Exact::of);
    let exact = match kind {
        Kind::Add => a.add(b, rounding),
        Kind::Sub => a.add(Exact { negative: !b.negative, ..b }, rounding),
        Kind::Mul => a.mul(b),
        Kind::Fma => a.mul(b).add(c, rounding),
        Kind::Div if operands[0] != 0.0 && operands[1] != 0.0 => a.div(b),
        Kind::Rcp if operands[0] != 0.0 => Exact::integer(false, 1).div(a),
        Kind::Sqrt if operands[0] > 0.0 => a.sqrt(),
        _ => return None,
    };
    Some(f64::from_bits(exact.round(Format::F64, rounding)))
}

impl Op {
    #[inline]
    pub(super) fn eval(self, src: [u64; 4]) -> u64 {
        let (a, b, c) = (f64::from_bits(src[0]), f64::from_bits(src[1]), f64::from_bits(src[2]));
        if self.rounding != Rounding::Nearest
            && let Some(value) = exact(self.kind, self.rounding, [a, b, c])
        {
            return value.to_bits();
        }
        let binary = |value: f64| if value.is_nan() { propagate_f64(&[a, b]) } else { value };
        let unary = |value: f64| if value.is_nan() { propagate_f64(&[a]) } else { value };
        let value = match self.kind {
            Kind::Add => binary(a + b),
            Kind::Sub => binary(a - b),
            Kind::Mul => binary(a * b),
            Kind::Fma => {
                let value = a.mul_add(b, c);
                if value.is_nan() { propagate_f64(&[a, b, c]) } else { value }
            }
            Kind::Div => {
                let value = a / b;
                if value.is_nan() { propagate_f64(&[b, a]) } else { value }
            }
            Kind::Rcp => unary(1.0 / a),
            Kind::Sqrt => unary(a.sqrt()),
            Kind::Rsqrt => unary(1.0 / a.sqrt()),
            Kind::RcpHigh => high_word(a, |a| 1.0 / a),
            Kind::RsqrtHigh => high_word(a, |a| 1.0 / a.sqrt()),
            Kind::Abs => unary(a.abs()),
            Kind::Neg => unary(-a),
            Kind::Min => extremum(false, a, b),
            Kind::Max => extremum(true, a, b),
            Kind::Copysign => b.copysign(a),
            Kind::Testp(test) => return test.of(a, a.is_subnormal()).into(),
        };
        value.to_bits()
    }
}

/// −0 is below +0; a NaN loses against a number; of two NaNs the second, quieted.
fn extremum(max: bool, a: f64, b: f64) -> f64 {
    if a.is_nan() && b.is_nan() {
        return propagate_f64(&[b]);
    }
    if a.is_nan() {
        return b;
    }
    if b.is_nan() {
        return a;
    }
    let a_is_less = a < b || a == b && a.is_sign_negative();
    if a_is_less != max { a } else { b }
}

/// An approximation computed from and into the upper 32 bits alone; subnormal operands and results count as zero.
fn high_word(a: f64, function: impl Fn(f64) -> f64) -> f64 {
    const HIGH: u64 = 0xffff_ffff_0000_0000;
    let flush = |value: f64| if value.is_subnormal() { 0.0_f64.copysign(value) } else { value };
    let value = flush(function(flush(f64::from_bits(a.to_bits() & HIGH))));
    if value.is_nan() {
        // Only the upper word is the instruction's own; see the manual: the lower word is zero.
        return f64::from_bits(NAN_F64);
    }
    // To the nearest number that the upper word can hold; the carry out of the mantissa is right as it is.
    let rounded = if value.is_finite() { value.to_bits() + 0x8000_0000 } else { value.to_bits() };
    f64::from_bits(rounded & HIGH)
}
