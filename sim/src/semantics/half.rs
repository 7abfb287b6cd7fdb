//! Half-precision arithmetic (manual 9.7.4): `.f16`, `.bf16` and their packed forms.
//!
//! Every operand is exact in double precision; sums of products are rounded to odd there, so that the one rounding to
//! the half format that follows is the only one that shows.

use super::choices::{NAN_BF16, NAN_F16};
use super::float32::round_to_odd_sum;
use super::modifiers::{Decoded, Modifiers};
use super::rounding::{Exact, Format, Rounding};
use super::signature::Signature;
use super::types::ScalarType as T;

/// One of the two 16-bit formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    F16,
    BF16,
}

impl Half {
    /// The format of a half-precision type, packed or not.
    pub(super) const fn of(ty: T) -> Self {
        if matches!(ty, T::F16 | T::F16x2) { Self::F16 } else { Self::BF16 }
    }

    pub(super) const fn format(self) -> Format {
        match self {
            Self::F16 => Format::F16,
            Self::BF16 => Format::BF16,
        }
    }

    pub(super) const fn canonical_nan(self) -> u64 {
        match self {
            Self::F16 => NAN_F16 as u64,
            Self::BF16 => NAN_BF16 as u64,
        }
    }

    const fn infinity(self) -> u64 {
        match self {
            Self::F16 => 0x7c00,
            Self::BF16 => 0x7f80,
        }
    }

    /// The number in the low 16 bits; with `ftz`, a subnormal one as a zero of its sign.
    #[inline]
    pub(super) fn load(self, bits: u64, ftz: bool) -> f64 {
        let bits = bits & 0xffff;
        let magnitude = bits & 0x7fff;
        if ftz && magnitude < self.format().smallest_normal() {
            return if bits & 0x8000 != 0 { -0.0 } else { 0.0 };
        }
        match self {
            Self::F16 => half::f16::from_bits(bits as u16).to_f64(),
            Self::BF16 => half::bf16::from_bits(bits as u16).to_f64(),
        }
    }

    /// Rounds `value` into the low 16 bits; a NaN becomes the canonical one. With `ftz`, a subnormal result becomes a
    /// zero of its sign.
    #[inline]
    pub(super) fn store(self, value: f64, rounding: Rounding, ftz: bool) -> u64 {
        if value.is_nan() {
            self.canonical_nan()
        } else if value.is_infinite() {
            self.infinity() | u64::from(value < 0.0) << 15
        } else if ftz {
            Exact::of(value).round_flushed(self.format(), rounding)
        } else {
            Exact::of(value).round(self.format(), rounding)
        }
    }

    /// Clamps to [0, 1], NaN to 0.
    pub(super) fn saturate(self, bits: u64) -> u64 {
        let one = match self {
            Self::F16 => 0x3c00,
            Self::BF16 => 0x3f80,
        };
        if bits & 0x8000 != 0 || bits > self.infinity() { 0 } else { bits.min(one) }
    }

    /// Negative numbers become +0; the NaN stays.
    pub(super) const fn relu(bits: u64) -> u64 {
        if bits & 0x8000 != 0 { 0 } else { bits }
    }
}

/// The type of one half of a packed type, or the type itself.
pub(super) const fn element(ty: T) -> T {
    match ty {
        T::F16x2 => T::F16,
        T::BF16x2 => T::BF16,
        _ => ty,
    }
}

/// One half-precision instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Op {
    kind: Kind,
    half: Half,
    packed: bool,
    ftz: bool,
    sat: bool,
    relu: bool,
    /// A fused operation's product and addend are taken with the opposite sign.
    negate: [bool; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Add,
    Sub,
    Mul,
    Fma,
    Neg,
    Abs,
    Extremum { max: bool, nan: bool, xor_sign: bool },
    Tanh,
    Ex2,
}

pub(super) fn decode(m: &mut Modifiers<'_>) -> Decoded<(Op, Signature)> {
    if m.types().contains(&T::F32) {
        return Err(m.unsupported("arithmetic on operands of two types exists from compute capability 10.0 on"));
    }
    let ty = m.one_type()?;
    let half = Half::of(ty);
    let is_f16 = half == Half::F16;
    let base = m.base();
    let mut rounded_otherwise = false;
    let (kind, sources) = match base {
        "add" | "sub" | "mul" => {
            m.take("rn");
            let kind = match base {
                "add" => Kind::Add,
                "sub" => Kind::Sub,
                _ => Kind::Mul,
            };
            (kind, 2)
        }
        "fma" => {
            let undocumented: &[(&str, bool)] = &[("rz", true), ("rm", true), ("rp", true)];
            rounded_otherwise = !is_f16 && m.choose(undocumented).unwrap_or(false);
            if !rounded_otherwise {
                m.require("a rounding", &[("rn", ())])?;
            }
            (Kind::Fma, 3)
        }
        "neg" => (Kind::Neg, 1),
        "abs" => (Kind::Abs, 1),
        "min" | "max" => {
            let nan = m.take("NaN");
            let xor_sign = m.take("xorsign");
            if xor_sign {
                m.require("`.abs` with `.xorsign`", &[("abs", ())])?;
            }
            (Kind::Extremum { max: base == "max", nan, xor_sign }, 2)
        }
        _ => {
            m.require("its precision", &[("approx", ())])?;
            if base == "ex2" && !is_f16 {
                m.require("`.ftz` with this type", &[("ftz", ())])?;
            }
            (if base == "tanh" { Kind::Tanh } else { Kind::Ex2 }, 1)
        }
    };
    let arithmetic = matches!(kind, Kind::Add | Kind::Sub | Kind::Mul | Kind::Fma);
    let ftz = is_f16 && !matches!(kind, Kind::Tanh | Kind::Ex2) && m.take("ftz");
    let sat = is_f16 && arithmetic && m.take("sat");
    let relu = kind == Kind::Fma && m.take("relu");
    if sat && relu {
        return Err(m.invalid("`.sat` and `.relu` exclude each other"));
    }
    if rounded_otherwise {
        m.finish()?;
        return Err(m.unsupported("the manual knows only `.rn` here, though ptxas takes the others"));
    }
    let packed = matches!(ty, T::F16x2 | T::BF16x2);
    // The bf16 exponential flushes subnormal operands and results by definition.
    let ftz = ftz || kind == Kind::Ex2 && !is_f16;
    Ok((Op { kind, half, packed, ftz, sat, relu, negate: [false; 2] }, Signature::same(ty, sources)))
}

impl Op {
    pub(super) const fn negated(self, product: bool, addend: bool) -> Option<Self> {
        match self.kind {
            Kind::Fma => Some(Self { negate: [product, addend], ..self }),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn eval(self, [a, b, c, _]: [u64; 4]) -> u64 {
        if self.packed { self.one(a >> 16, b >> 16, c >> 16) << 16 | self.one(a, b, c) } else { self.one(a, b, c) }
    }

    /// The instruction on the low 16 bits of each operand.
    fn one(self, a: u64, b: u64, c: u64) -> u64 {
        let half = self.half;
        let load = |bits: u64| half.load(bits, self.ftz);
        let value = match self.kind {
            Kind::Add => round_to_odd_sum(load(a), load(b)),
            Kind::Sub => round_to_odd_sum(load(a), -load(b)),
            Kind::Mul => load(a) * load(b),
            Kind::Fma => {
                let [product, addend] = self.negate.map(|negate| if negate { -1.0 } else { 1.0 });
                round_to_odd_sum(product * load(a) * load(b), addend * load(c))
            }
            Kind::Neg => -load(a),
            Kind::Abs => load(a).abs(),
            Kind::Extremum { max, nan, xor_sign } => extremum(max, nan, xor_sign, load(a), load(b)),
            Kind::Tanh => libm::tanh(load(a)),
            Kind::Ex2 => libm::exp2(load(a)),
        };
        let mut bits = half.store(value, Rounding::Nearest, self.ftz);
        if self.sat {
            bits = half.saturate(bits);
        }
        if self.relu { Half::relu(bits) } else { bits }
    }
}

/// `min` and `max`, as for single precision.
fn extremum(max: bool, nan: bool, xor_sign: bool, a: f64, b: f64) -> f64 {
    let negative = a.is_sign_negative() != b.is_sign_negative();
    let (a, b) = if xor_sign { (a.abs(), b.abs()) } else { (a, b) };
    let value = if a.is_nan() || b.is_nan() {
        if nan || a.is_nan() && b.is_nan() {
            return f64::NAN;
        }
        if a.is_nan() { b } else { a }
    } else {
        let a_is_less = a < b || a == b && a.is_sign_negative();
        if a_is_less != max { a } else { b }
    };
    if xor_sign { value.copysign(if negative { -1.0 } else { 1.0 }) } else { value }
}
