//! Single and double precision against a software float library, and the approximate functions against their bounds.

use proptest::prelude::*;
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::run;

/// The rounding modifiers and what the library calls them.
pub(super) const ROUNDS: [(&str, Round); 4] = [
    ("rn", Round::NearestTiesToEven),
    ("rz", Round::TowardZero),
    ("rm", Round::TowardNegative),
    ("rp", Round::TowardPositive),
];

pub(super) const NAN_F32: u64 = 0x7fff_ffff;

/// Bits of a single-precision number of any kind; subnormal numbers, zeros, infinities and near numbers are frequent.
fn single() -> impl Strategy<Value = u32> {
    let special = [
        0,
        1,
        2,
        0x7f_ffff,
        0x80_0000,
        0x80_0001,
        0x3f80_0000,
        0x3f7f_ffff,
        0x3f80_0001,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x7fff_ffff,
        0x4b80_0000,
        0x7e80_0000,
    ];
    let magnitude = prop_oneof![
        2 => any::<u32>(),
        2 => proptest::sample::select(special.to_vec()),
        1 => 0..0x100_0000_u32,
        2 => 0x3f00_0000..0x4100_0000_u32
    ];
    (magnitude, any::<bool>()).prop_map(|(m, negative)| m & 0x7fff_ffff | u32::from(negative) << 31)
}

fn double() -> impl Strategy<Value = u64> {
    let special = [
        0,
        1,
        0xf_ffff_ffff_ffff,
        0x10_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0x3ff0_0000_0000_0001,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        0x7ff8_0000_0000_0000,
    ];
    let magnitude = prop_oneof![
        2 => any::<u64>(),
        2 => proptest::sample::select(special.to_vec()),
        1 => 0..0x20_0000_0000_0000_u64,
        2 => 0x3fe0_0000_0000_0000..0x4010_0000_0000_0000_u64
    ];
    (magnitude, any::<bool>()).prop_map(|(m, negative)| m & (u64::MAX >> 1) | u64::from(negative) << 63)
}

fn flushed(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// The library's result as ours must be.
fn single_bits(value: Single, ftz: bool) -> u64 {
    let bits = value.to_bits() as u32;
    if value.is_nan() { NAN_F32 } else { u64::from(if ftz { flushed(bits) } else { bits }) }
}

fn check_single(a: u32, b: u32, c: u32) {
    for (name, round) in ROUNDS {
        for ftz in [false, true] {
            let load = |bits: u32| Single::from_bits(if ftz { flushed(bits) } else { bits }.into());
            let (x, y, z) = (load(a), load(b), load(c));
            let mode = if ftz { format!("{name}.ftz") } else { name.to_owned() };
            let (a, b, c) = (u64::from(a), u64::from(b), u64::from(c));
            let expect = |form: &str, sources: &[u64], value: Single| {
                let mut src = [0; 3];
                src[..sources.len()].copy_from_slice(sources);
                let got = run(&format!("{form}.{mode}.f32"), src);
                if ftz && value.to_bits() as u32 & 0x7fff_ffff == 0x80_0000 {
                    // Whether it was rounded up from a subnormal number, the library does not say: see the test below.
                    assert!(got & 0x7fff_ffff == 0 || got == value.to_bits() as u64);
                    return;
                }
                assert_eq!(got, single_bits(value, ftz), "{form}.{mode} {a:#x} {b:#x} {c:#x}");
            };
            expect("add", &[a, b], x.add_r(y, round).value);
            expect("sub", &[a, b], x.sub_r(y, round).value);
            expect("mul", &[a, b], x.mul_r(y, round).value);
            expect("div", &[a, b], x.div_r(y, round).value);
            expect("fma", &[a, b, c], x.mul_add_r(y, z, round).value);
            expect("mad", &[a, b, c], x.mul_add_r(y, z, round).value);
            expect("rcp", &[a], Single::from_u128(1).value.div_r(x, round).value);
        }
    }
}

fn check_double(a: u64, b: u64, c: u64) {
    let (x, y, z) = (a, b, c).into_doubles();
    for (name, round) in ROUNDS {
        let expect = |form: &str, value: Double| {
            let got = run(&format!("{form}.{name}.f64"), [a, b, c]);
            if value.is_nan() {
                assert!(f64::from_bits(got).is_nan() && got & 0x8_0000_0000_0000 != 0, "{form} {got:#x}");
            } else {
                assert_eq!(got, value.to_bits() as u64, "{form}.{name} {a:#x} {b:#x} {c:#x}");
            }
        };
        expect("add", x.add_r(y, round).value);
        expect("sub", x.sub_r(y, round).value);
        expect("mul", x.mul_r(y, round).value);
        expect("div", x.div_r(y, round).value);
        expect("fma", x.mul_add_r(y, z, round).value);
        expect("rcp", Double::from_u128(1).value.div_r(x, round).value);
    }
}

trait IntoDoubles {
    fn into_doubles(self) -> (Double, Double, Double);
}

impl IntoDoubles for (u64, u64, u64) {
    fn into_doubles(self) -> (Double, Double, Double) {
        (Double::from_bits(self.0.into()), Double::from_bits(self.1.into()), Double::from_bits(self.2.into()))
    }
}

/// Whether `root` is the square root of `value` rounded as `name` says; both finite and positive, squares exact in
/// 106 bits.
fn is_root(name: &str, value: f64, root: f64) -> bool {
    // The sign of root² − value, exactly: the fused operation rounds once and never to zero in this range.
    let sign = |root: f64| root.mul_add(root, -value);
    match name {
        "rz" | "rm" => sign(root) <= 0.0 && sign(root.next_up()) > 0.0,
        "rp" => sign(root) >= 0.0 && sign(root.next_down()) < 0.0,
        _ => {
            // No square root lies half-way between two numbers, so the nearer neighbour is unique.
            let (down, up) = if sign(root) <= 0.0 { (root, root.next_up()) } else { (root.next_down(), root) };
            // value compared with ((down + up) / 2)²: with m = up − down, value − down² against down·m + m²/4.
            let m = up - down;
            let rest = (-down).mul_add(down, value);
            (rest > down * m) == (root == up)
        }
    }
}

#[test]
fn square_roots() {
    for name in ["rn", "rz", "rm", "rp"] {
        for i in 1..2000_u32 {
            let single = f32::from_bits(i.wrapping_mul(0x9e37_79b9) >> 1);
            if single.is_finite() && single > 0.0 {
                let got = f32::from_bits(run(&format!("sqrt.{name}.f32"), [single.to_bits().into()]) as u32);
                // Candidates checked in double precision, where the square of a single-precision number is exact.
                let (value, root) = (f64::from(single), f64::from(got));
                let (above, below) = (f64::from(got.next_up()), f64::from(got.next_down()));
                let right = match name {
                    "rz" | "rm" => root * root <= value && above * above > value,
                    "rp" => root * root >= value && below * below < value,
                    _ => {
                        let (low, high) = ((root + below) / 2.0, (root + above) / 2.0);
                        low * low < value && value < high * high
                    }
                };
                assert!(right, "sqrt.{name}.f32 {single:e} {got:e}");
            }
            let value = f64::from_bits(0x3ff0_0000_0000_0000 + u64::from(i).wrapping_mul(0x9e37_79b9_7f4a) % (1 << 53));
            let got = f64::from_bits(run(&format!("sqrt.{name}.f64"), [value.to_bits()]));
            assert!(is_root(name, value, got), "sqrt.{name}.f64 {value:e} {got:e}");
        }
        for (from, to) in [(0, 0), (0x8000_0000, 0x8000_0000), (0x7f80_0000, 0x7f80_0000), (0xff80_0000, NAN_F32)] {
            assert_eq!(run(&format!("sqrt.{name}.f32"), [from]), to);
        }
        assert_eq!(run(&format!("sqrt.{name}.f32"), [0x4080_0000]), 0x4000_0000);
        assert_eq!(run(&format!("sqrt.{name}.f32"), [0xbf80_0000]), NAN_F32);
        // The smallest subnormal number: 2^-149, whose root is not a power of two.
        let root = f64::from(f32::from_bits(run(&format!("sqrt.{name}.f32"), [1]) as u32));
        assert!((root / 2_f64.powf(-74.5) - 1.0).abs() < 2e-7);
    }
}

#[test]
fn by_hand() {
    let f = |value: f32| u64::from(value.to_bits());
    // The tie of 1 + 2^-24 goes to the even 1; with the product's last bit it is no tie.
    assert_eq!(run("fma.rn.f32", [f(1.0), f(1.0), 0x3380_0000]), f(1.0));
    assert_eq!(run("fma.rn.f32", [0x3f80_0001, f(1.0), 0x3380_0000]), 0x3f80_0002);
    // Double rounding would give 2^-127: the sum 2^-127 + 2^-150 + 2^-190 lies just above a tie of subnormal numbers.
    assert_eq!(run("fma.rn.f32", [0x1a80_0000 + 1, 0x1980_0000, 0x0040_0000]), 0x0040_0001);
    assert_eq!(run("add.sat.f32", [f(-0.0), f(-0.0)]), 0);
    assert_eq!(run("add.sat.f32", [f(2.0), f(-0.5)]), f(1.0));
    assert_eq!(run("mul.sat.f32", [f(f32::NAN), f(1.0)]), 0);
    assert_eq!(run("add.rm.f32", [f(1.0), f(-1.0)]), f(-0.0));
    assert_eq!(run("add.f32", [f(1.0), f(-1.0)]), 0);
    assert_eq!(run("mul.rz.f32", [f(f32::MAX), f(2.0)]), f(f32::MAX));
    assert_eq!(run("mul.rp.f32", [f(-f32::MAX), f(2.0)]), f(-f32::MAX));
    assert_eq!(run("min.f32", [f(0.0), f(-0.0)]), f(-0.0));
    assert_eq!(run("max.f32", [f(-0.0), f(0.0)]), f(0.0));
    assert_eq!(run("min.f32", [0x7fc0_0000, f(1.0)]), f(1.0));
    assert_eq!(run("min.f32", [0x7fc0_0000, 0x7f80_0001]), NAN_F32);
    assert_eq!(run("max.NaN.f32", [0x7fc0_0000, f(1.0)]), NAN_F32);
    assert_eq!(run("max.xorsign.abs.f32", [f(-3.0), f(2.0)]), f(-3.0));
    assert_eq!(run("min.xorsign.abs.f32", [f(-3.0), f(-2.0)]), f(2.0));
    assert_eq!(run("abs.f32", [0xffc0_0001]), NAN_F32);
    assert_eq!(run("neg.ftz.f32", [1]), f(-0.0));
    assert_eq!(run("copysign.f32", [f(-1.0), 0x7fc0_0001]), 0xffc0_0001);
    assert_eq!(run("testp.normal.f32", [0]), 1);
    assert_eq!(run("testp.normal.f32", [1]), 0);
    assert_eq!(run("testp.subnormal.f32", [1]), 1);
    assert_eq!(run("testp.notanumber.f64", [0x7ff0_0000_0000_0001]), 1);
    assert_eq!(run("testp.infinite.f64", [0xfff0_0000_0000_0000]), 1);
    assert_eq!(run("testp.finite.f64", [0]), 1);
    assert_eq!(run("testp.number.f64", [0x7ff8_0000_0000_0000]), 0);
    assert_eq!(run("add.f64", [0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000]), 0xfff8_0000_0000_0000);
    assert_eq!(run("mul.f64", [0x7ff0_0000_0000_0001, 0]), 0x7ff8_0000_0000_0001);
    assert_eq!(run("max.f64", [(-0.0_f64).to_bits(), 0]), 0);
    assert_eq!(run("min.f64", [0x7ff8_0000_0000_0000, 5]), 5);
    assert_eq!(run("rcp.approx.ftz.f64", [4.0_f64.to_bits()]), 0.25_f64.to_bits());
    assert_eq!(run("rcp.approx.ftz.f64", [1]), f64::INFINITY.to_bits());
    assert_eq!(run("rsqrt.approx.ftz.f64", [4.0_f64.to_bits() | 1]), 0.5_f64.to_bits());
}

/// A product below the smallest normal number is flushed unless 24 bits without end of exponents round it up to that.
fn check_flush(a: f32, b: f32) {
    let exact = f64::from(a) * f64::from(b);
    for (name, round) in ROUNDS {
        let mut loses = false;
        // Single precision sixty powers of two higher has the exponents that are missing.
        let scaled = Double::from_bits((exact * 2_f64.powi(60)).to_bits().into());
        let rounded: Single = scaled.convert_r(round, &mut loses).value;
        let back = f64::from(f32::from_bits(rounded.to_bits() as u32)) / 2_f64.powi(60);
        let want = if back.abs() < f64::from(f32::MIN_POSITIVE) { 0.0_f64.copysign(exact) } else { back };
        let (a, b) = (u64::from(a.to_bits()), u64::from(b.to_bits()));
        let want = u64::from((want as f32).to_bits());
        assert_eq!(run(&format!("mul.{name}.ftz.f32"), [a, b]), want, "{name} {a:#x} {b:#x}");
        assert_eq!(run(&format!("fma.{name}.ftz.f32"), [a, b, 0x8000_0000 & (a ^ b)]), want, "{name} {a:#x} {b:#x}");
        assert_eq!(run(&format!("cvt.{name}.ftz.f32.f64"), [exact.to_bits()]), want, "{name} {a:#x} {b:#x}");
    }
}

#[test]
fn flushing_by_hand() {
    // What ptxas computes for these constants.
    assert_eq!(run("mul.ftz.f32", [0x0080_0000, 0x3f7f_ffff]), 0);
    assert_eq!(run("mul.f32", [0x0080_0000, 0x3f7f_ffff]), 0x0080_0000);
    assert_eq!(run("mul.ftz.f32", [0x0080_0001, 0x3f7f_fffe]), 0x0080_0000);
    assert_eq!(run("mul.ftz.f32", [0x0080_0fff, 0x3f7f_e001]), 0);
    assert_eq!(run("cvt.rn.ftz.f32.f64", [0x380f_ffff_efff_ffff]), 0);
    assert_eq!(run("cvt.rn.ftz.f32.f64", [0x380f_ffff_f000_0000]), 0x0080_0000);
    assert_eq!(run("cvt.rn.f32.f64", [0xfff8_0000_2000_0000]), 0xffc0_0001);
    assert_eq!(run("cvt.f64.f32", [0xff80_0001]), 0xfff8_0000_2000_0000);
    assert_eq!(run("cvt.f64.f16", [0x7e01]), 0x7ff8_0400_0000_0000);
}

#[test]
fn special_values_of_the_approximate_functions() {
    const INF: u64 = 0x7f80_0000;
    const MINUS_INF: u64 = 0xff80_0000;
    const MINUS_ZERO: u64 = 0x8000_0000;
    const ONE: u64 = 0x3f80_0000;
    let table: [(&str, &[(u64, u64)]); 9] = [
        ("rcp.approx.f32", &[(0, INF), (MINUS_ZERO, MINUS_INF), (INF, 0), (MINUS_INF, MINUS_ZERO), (ONE, ONE)]),
        ("rcp.approx.ftz.f32", &[(1, INF), (0x8000_0001, MINUS_INF), (0x7f00_0000, 0)]),
        (
            "sqrt.approx.f32",
            &[(0, 0), (MINUS_ZERO, MINUS_ZERO), (INF, INF), (MINUS_INF, NAN_F32), (0xbf80_0000, NAN_F32)],
        ),
        (
            "rsqrt.approx.f32",
            &[(0, INF), (MINUS_ZERO, MINUS_INF), (INF, 0), (MINUS_INF, NAN_F32), (0xbf80_0000, NAN_F32)],
        ),
        ("sin.approx.f32", &[(0, 0), (MINUS_ZERO, MINUS_ZERO), (INF, NAN_F32), (MINUS_INF, NAN_F32)]),
        ("cos.approx.f32", &[(0, ONE), (MINUS_ZERO, ONE), (INF, NAN_F32)]),
        ("lg2.approx.f32", &[(0, MINUS_INF), (MINUS_ZERO, MINUS_INF), (INF, INF), (MINUS_INF, NAN_F32), (ONE, 0)]),
        ("ex2.approx.f32", &[(0, ONE), (MINUS_ZERO, ONE), (INF, INF), (MINUS_INF, 0)]),
        ("tanh.approx.f32", &[(0, 0), (MINUS_ZERO, MINUS_ZERO), (INF, ONE), (MINUS_INF, 0xbf80_0000)]),
    ];
    for (form, cases) in table {
        for (from, to) in cases {
            assert_eq!(run(form, [*from]), *to, "{form} {from:#x}");
        }
        assert_eq!(run(form, [0x7f80_0001]), NAN_F32, "{form}");
    }
    // `div.approx` loses divisors above 2^126.
    assert_eq!(run("div.approx.f32", [ONE, 0x7e80_0001]), 0);
    assert_eq!(run("div.approx.f32", [ONE, 0xfe80_0001]), MINUS_ZERO);
    assert_eq!(run("div.approx.f32", [INF, 0x7e80_0001]), NAN_F32);
    assert_eq!(run("div.full.f32", [ONE, 0x7f00_0000]), 0x0040_0000);
}

proptest! {
    #[test]
    fn single_precision_in_every_rounding(a in single(), b in single(), c in single()) {
        check_single(a, b, c);
    }

    #[test]
    fn double_precision_in_every_rounding(a in double(), b in double(), c in double()) {
        check_double(a, b, c);
    }

    #[test]
    fn flushing(a in 0x80_0000..0x80_2000_u32, b in 0..0x4000_u32, negative: bool) {
        let b = f32::from_bits(0x3f80_0000 - b);
        check_flush(f32::from_bits(a), if negative { -b } else { b });
    }

    #[test]
    fn near_cancellation(a in single(), b in single(), d in -4..=4_i32) {
        // The addend is the negated product or close to it.
        let product = -(f32::from_bits(a) * f32::from_bits(b));
        check_single(a, b, product.to_bits().wrapping_add_signed(d));
    }

    #[test]
    fn near_cancellation_double(a in double(), b in double(), d in -4..=4_i64) {
        let product = -(f64::from_bits(a) * f64::from_bits(b));
        check_double(a, b, product.to_bits().wrapping_add_signed(d));
    }

    #[test]
    fn approximations_keep_their_bounds(bits in 0x2000_0000..0x5f00_0000_u32) {
        // Bounds of the manual, relative unless said otherwise.
        let a = f32::from_bits(bits);
        let x = f64::from(a);
        let of = |form: &str| f64::from(f32::from_bits(run(form, [bits.into()]) as u32));
        let near = |got: f64, want: f64, bound: f64| (got - want).abs() <= bound * want.abs();
        prop_assert!(near(of("rcp.approx.f32"), 1.0 / x, 2_f64.powi(-23)));
        prop_assert!(near(of("sqrt.approx.f32"), x.sqrt(), 2_f64.powi(-23)));
        prop_assert!(near(of("rsqrt.approx.f32"), 1.0 / x.sqrt(), 2_f64.powf(-22.9)));
        prop_assert!(near(of("tanh.approx.f32"), x.tanh(), 2_f64.powi(-11)));
        prop_assert!((of("lg2.approx.f32") - x.log2()).abs() <= 2_f64.powi(-22).max(2_f64.powi(-22) * x.log2().abs()));
        if x < 100.0 {
            prop_assert!(near(of("ex2.approx.f32"), x.exp2(), 2_f64.powi(-22)));
        }
        if x < std::f64::consts::TAU {
            prop_assert!((of("sin.approx.f32") - x.sin()).abs() <= 2_f64.powf(-20.5));
            prop_assert!((of("cos.approx.f32") - x.cos()).abs() <= 2_f64.powf(-20.5));
        }
    }
}
