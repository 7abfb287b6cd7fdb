//! Single-precision arithmetic (manual 9.7.3 with `.f32`).

use super::choices::NAN_F32;
use super::modifiers::{Decoded, Modifiers};
use super::rounding::{Exact, Format, ROUNDINGS, Rounding};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One `.f32` instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Op {
    kind: Kind,
    rounding: Rounding,
    /// Subnormal operands and results become zeros of their sign.
    ftz: bool,
    /// The result is clamped to [0, 1], NaN to 0.
    sat: bool,
    /// Signs that turn a fused operation's product and addend around, in bit 31.
    signs: [u32; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    DivApprox,
    Rcp,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Lg2,
    Ex2,
    Tanh,
    Abs,
    Neg,
    Extremum { max: bool, nan: bool, xor_sign: bool },
    Copysign,
    Testp(Test),
}

/// The property that `testp` tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

pub(super) const TESTS: [(&str, Test); 6] = [
    ("finite", Test::Finite),
    ("infinite", Test::Infinite),
    ("number", Test::Number),
    ("notanumber", Test::NotANumber),
    ("normal", Test::Normal),
    ("subnormal", Test::Subnormal),
];

pub(super) fn decode(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    const APPROX_OR_ROUNDING: [(&str, Option<Rounding>); 5] = [
        ("approx", None),
        ("rn", Some(Rounding::Nearest)),
        ("rz", Some(Rounding::Zero)),
        ("rm", Some(Rounding::Down)),
        ("rp", Some(Rounding::Up)),
    ];
    if m.types().len() == 2 && matches!(m.base(), "add" | "sub" | "fma") {
        return Err(m.unsupported("arithmetic on operands of two types exists from compute capability 10.0 on"));
    }
    let ty = m.one_type()?;
    let (unary, binary, ternary) = (Signature::same(ty, 1), Signature::same(ty, 2), Signature::same(ty, 3));
    let mut rounding = Rounding::Nearest;
    let base = m.base();
    let (kind, signature) = match base {
        "add" | "sub" | "mul" => {
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
        "div" if m.take("full") => (Kind::Div, binary),
        "div" | "rcp" | "sqrt" => {
            let choice = m.require("a rounding or `.approx`", &APPROX_OR_ROUNDING)?;
            rounding = choice.unwrap_or(Rounding::Nearest);
            match base {
                "div" if choice.is_none() => (Kind::DivApprox, binary),
                "div" => (Kind::Div, binary),
                "rcp" => (Kind::Rcp, unary),
                _ => (Kind::Sqrt, unary),
            }
        }
        "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => {
            m.require("its precision", &[("approx", ())])?;
            let kind = match base {
                "rsqrt" => Kind::Rsqrt,
                "sin" => Kind::Sin,
                "cos" => Kind::Cos,
                "lg2" => Kind::Lg2,
                "ex2" => Kind::Ex2,
                _ => Kind::Tanh,
            };
            (kind, unary)
        }
        "abs" => (Kind::Abs, unary),
        "neg" => (Kind::Neg, unary),
        "min" | "max" => {
            let nan = m.take("NaN");
            let xor_sign = m.take("xorsign");
            if xor_sign {
                m.require("`.abs` with `.xorsign`", &[("abs", ())])?;
            }
            (Kind::Extremum { max: base == "max", nan, xor_sign }, binary)
        }
        "copysign" => (Kind::Copysign, binary),
        _ => (Kind::Testp(m.require("a property", &TESTS)?), Signature::new(T::Pred, &[ty])),
    };
    let ftz = !matches!(kind, Kind::Copysign | Kind::Testp(_) | Kind::Tanh) && m.take("ftz");
    let sat = matches!(kind, Kind::Add | Kind::Sub | Kind::Mul | Kind::Fma) && m.take("sat");
    Ok((Op { kind, rounding, ftz, sat, signs: [0; 2] }, signature))
}

/// A subnormal number becomes a zero of its sign.
#[inline]
pub(super) fn flush(value: f32) -> f32 {
    if value.is_subnormal() { f32::from_bits(value.to_bits() & 0x8000_0000) } else { value }
}

/// Clamps to [0, 1]; NaN and both zeros become +0.
#[inline]
pub(super) fn saturate(value: f32) -> f32 {
    if value > 0.0 { value.min(1.0) } else { 0.0 }
}

/// `a * b + c` rounded once to the nearest.
#[inline]
pub(super) fn fused(a: f32, b: f32, c: f32) -> f32 {
    round_to_odd_sum(f64::from(a) * f64::from(b), f64::from(c)) as f32
}

/// The sum of two numbers in double precision, rounded so that rounding it once more, to at most 51 bits, gives what
/// rounding the exact sum would: an inexact sum gets an odd last bit.
#[inline]
pub(super) fn round_to_odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let rest = {
        let b_part = sum - a;
        (a - (sum - b_part)) + (b - b_part)
    };
    // The rest is NaN when the sum is not finite, and then the sum stands.
    let inexact = rest.abs() > 0.0;
    if inexact && sum.to_bits() & 1 == 0 {
        let away = (rest > 0.0) == (sum > 0.0);
        f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
    } else {
        sum
    }
}

/// An operation on finite numbers, computed exactly and rounded once. `None` when an operand is not finite: rounding
/// does not matter then.
fn exact(kind: Kind, rounding: Rounding, ftz: bool, operands: [f32; 3]) -> Option<f32> {
    let count = match kind {
        Kind::Rcp | Kind::Sqrt => 1,
        Kind::Fma => 3,
        _ => 2,
    };
    if operands[..count].iter().any(|operand| !operand.is_finite()) {
        return None;
    }
    let [a, b, c] = operands.map(|operand| Exact::decode(Format::F32, operand.to_bits().into()));
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
    let bits = if ftz { exact.round_flushed(Format::F32, rounding) } else { exact.round(Format::F32, rounding) };
    Some(f32::from_bits(bits as u32))
}

impl Op {
    pub(super) const fn negated(self, product: bool, addend: bool) -> Option<Self> {
        match self.kind {
            Kind::Fma => Some(Self { signs: [(product as u32) << 31, (addend as u32) << 31], ..self }),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn eval(self, src: [u64; 4]) -> u64 {
        let load = |bits: u64, sign: u32| {
            let value = f32::from_bits(bits as u32 ^ sign);
            if self.ftz { flush(value) } else { value }
        };
        let (a, b, c) = (load(src[0], self.signs[0]), load(src[1], 0), load(src[2], self.signs[1]));
        if self.rounding != Rounding::Nearest
            && let Some(value) = exact(self.kind, self.rounding, self.ftz, [a, b, c])
        {
            return self.finish(value);
        }
        let value = match self.kind {
            Kind::Add => a + b,
            Kind::Sub => a - b,
            Kind::Mul => a * b,
            Kind::Fma => fused(a, b, c),
            Kind::Div => a / b,
            Kind::DivApprox => div_approx(a, b),
            Kind::Rcp => 1.0 / a,
            Kind::Sqrt => a.sqrt(),
            Kind::Rsqrt => (1.0 / f64::from(a).sqrt()) as f32,
            Kind::Sin => libm::sin(turned(a)) as f32,
            Kind::Cos => libm::cos(turned(a)) as f32,
            Kind::Lg2 => libm::log2(f64::from(a)) as f32,
            Kind::Ex2 => libm::exp2(f64::from(a)) as f32,
            Kind::Tanh => libm::tanh(f64::from(a)) as f32,
            Kind::Abs => a.abs(),
            Kind::Neg => -a,
            Kind::Extremum { max, nan, xor_sign } => extremum(max, nan, xor_sign, a, b),
            Kind::Copysign => return b.copysign(a).to_bits().into(),
            Kind::Testp(test) => return test.of(f64::from(a), a.is_subnormal()).into(),
        };
        if self.ftz && value.abs() == f32::MIN_POSITIVE {
            // It may have been rounded up from what counts as subnormal.
            if let Some(value) = exact(self.kind, self.rounding, true, [a, b, c]) {
                return self.finish(value);
            }
        }
        self.finish(value)
    }

    /// Makes a NaN canonical, then saturates and flushes as the modifiers ask.
    #[inline]
    fn finish(self, value: f32) -> u64 {
        let value = if self.sat { saturate(value) } else { value };
        let value = if self.ftz { flush(value) } else { value };
        if value.is_nan() { NAN_F32.into() } else { value.to_bits().into() }
    }
}

impl Test {
    /// Whether `value` has the property. It comes widened, so whether it was subnormal comes apart.
    pub(super) fn of(self, value: f64, subnormal: bool) -> bool {
        match self {
            Self::Finite => value.is_finite(),
            Self::Infinite => value.is_infinite(),
            Self::Number => !value.is_nan(),
            Self::NotANumber => value.is_nan(),
            // The manual counts both zeros as normal numbers.
            Self::Normal => value.is_finite() && !subnormal,
            Self::Subnormal => subnormal,
        }
    }
}

/// `div.approx` multiplies by an approximate reciprocal, which is flushed to zero for divisors above 2^126.
fn div_approx(a: f32, b: f32) -> f32 {
    const LARGE: f32 = f32::from_bits(0x7e80_0000);
    if b.is_finite() && b.abs() > LARGE { a * 0.0_f32.copysign(b) } else { a / b }
}

/// `min` and `max`: −0 is below +0; a NaN loses against a number unless `nan` asks for it.
#[inline]
fn extremum(max: bool, nan: bool, xor_sign: bool, a: f32, b: f32) -> f32 {
    let negative = a.is_sign_negative() != b.is_sign_negative();
    let (a, b) = if xor_sign { (a.abs(), b.abs()) } else { (a, b) };
    let value = if a.is_nan() || b.is_nan() {
        if nan || a.is_nan() && b.is_nan() {
            return f32::NAN;
        }
        if a.is_nan() { b } else { a }
    } else {
        let a_is_less = a < b || a == b && a.is_sign_negative();
        if a_is_less != max { a } else { b }
    };
    if xor_sign { value.copysign(if negative { -1.0 } else { 1.0 }) } else { value }
}

/// The angle that the hardware takes the sine of: it multiplies by 1 / 2π in single precision, towards zero, and then
/// works with whole turns. For large operands the product's rounding decides the result, far from the true sine, so
/// that it is computed here in the same way (H200: within 2^-21 for every operand).
fn turned(a: f32) -> f64 {
    /// 1 / 2π as a binary32.
    const TURNS: f32 = f32::from_bits(0x3e22_f983);
    // 48 bits: exact.
    let product = f64::from(a) * f64::from(TURNS);
    let nearest = product as f32;
    let over = f64::from(nearest).abs() > product.abs();
    let turns = if over { f32::from_bits(nearest.to_bits() - 1) } else { nearest };
    let turns = flush(turns);
    (f64::from(turns) % 1.0) * std::f64::consts::TAU
}
