//! How far the simulator's approximate functions may be from a GPU's. The manual bounds the error of each against the
//! true value; the simulator computes the true value, rounded, so that bound is the tolerance.

use sim::semantics::ScalarType;

/// A bound on the difference of two results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// In units of the last place of the format.
    Ulp(u64),
    /// Relative to the true value.
    Relative(f64),
    /// Absolute.
    Absolute(f64),
    /// Absolute or relative, whichever allows more.
    Either(f64, f64),
}

/// The tolerance of an instruction form; `None` when every bit counts. The bounds are those of the PTX ISA manual, sections
/// 9.7.3.8 to 9.7.3.22 and 9.7.4.9 to 9.7.4.10.
pub(super) fn of(form: &str) -> Option<Tolerance> {
    let exp = |bits: i32| 2f64.powi(bits);
    Some(match form.split(".ftz").collect::<String>().as_str() {
        "div.approx.f32" | "div.full.f32" => Tolerance::Ulp(2),
        "rcp.approx.f32" => Tolerance::Ulp(1),
        "sqrt.approx.f32" => Tolerance::Relative(exp(-23) * 1.5),
        "rsqrt.approx.f32" => Tolerance::Relative(exp(-23) * 2.1),
        "sin.approx.f32" | "cos.approx.f32" => Tolerance::Absolute(exp(-20) / 2f64.sqrt()),
        "lg2.approx.f32" => Tolerance::Either(exp(-22), exp(-22)),
        "ex2.approx.f32" => Tolerance::Ulp(2),
        "tanh.approx.f32" => Tolerance::Relative(exp(-11)),
        "tanh.approx.f16" | "tanh.approx.f16x2" => Tolerance::Absolute(exp(-10)),
        "tanh.approx.bf16" | "tanh.approx.bf16x2" => Tolerance::Absolute(exp(-8)),
        "ex2.approx.f16" | "ex2.approx.f16x2" => Tolerance::Either(exp(-24), exp(-9)),
        "ex2.approx.bf16" | "ex2.approx.bf16x2" => Tolerance::Relative(exp(-7)),
        "rcp.approx.f64" | "rsqrt.approx.f64" if form.contains("ftz") => Tolerance::Relative(exp(-19)),
        "rsqrt.approx.f64" => Tolerance::Relative(exp(-51)),
        _ => return None,
    })
}

impl Tolerance {
    /// Whether results of type `ty` that are this far apart are the same. NaNs are all alike; infinities are not.
    pub fn allows(self, ty: ScalarType, a: u64, b: u64) -> bool {
        match ty {
            _ if a == b => true,
            ScalarType::F16x2 | ScalarType::BF16x2 => {
                let half = if ty == ScalarType::F16x2 { ScalarType::F16 } else { ScalarType::BF16 };
                self.allows(half, a & 0xffff, b & 0xffff) && self.allows(half, a >> 16 & 0xffff, b >> 16 & 0xffff)
            }
            _ => self.near(ty, a, b),
        }
    }

    fn near(self, ty: ScalarType, a: u64, b: u64) -> bool {
        let (x, y) = (value(ty, a), value(ty, b));
        if x.is_nan() || y.is_nan() || x.is_infinite() || y.is_infinite() {
            return x.is_nan() && y.is_nan() || x == y;
        }
        let apart = (x - y).abs();
        match self {
            Self::Ulp(most) => ordered(ty, a).abs_diff(ordered(ty, b)) <= most,
            Self::Relative(most) => apart <= most * x.abs(),
            Self::Absolute(most) => apart <= most,
            Self::Either(absolute, relative) => apart <= absolute.max(relative * x.abs()),
        }
    }
}

/// The number that bits of a floating-point type are; of any other type, the bits as a number.
fn value(ty: ScalarType, bits: u64) -> f64 {
    match ty {
        ScalarType::F32 => f32::from_bits(bits as u32).into(),
        ScalarType::F64 => f64::from_bits(bits),
        // The exponent of an f16 is rebased by multiplying; every f16 is exact in f32.
        ScalarType::F16 => {
            let magnitude = f64::from(f32::from_bits((bits as u32 & 0x7fff) << 13)) * 2f64.powi(112);
            let magnitude = match bits & 0x7fff {
                0x7c00 => f64::INFINITY,
                0x7c01.. => f64::NAN,
                _ => magnitude,
            };
            if bits & 0x8000 == 0 { magnitude } else { -magnitude }
        }
        ScalarType::BF16 => f32::from_bits((bits as u32) << 16).into(),
        _ => bits as f64,
    }
}

/// Numbers in their order, neighbours one apart, both zeros alike.
fn ordered(ty: ScalarType, bits: u64) -> i64 {
    let sign = 1u64 << (ty.bits() - 1);
    let magnitude = (bits & (sign - 1)) as i64;
    if bits & sign == 0 { magnitude } else { -magnitude }
}
