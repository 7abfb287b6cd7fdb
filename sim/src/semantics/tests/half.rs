//! Half precision against a software float library.

use proptest::prelude::*;
use rustc_apfloat::ieee::{BFloat, Half};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::run;

/// Bits of a 16-bit float; with luck the two operands are close.
fn bits() -> impl Strategy<Value = u16> {
    let special = vec![0, 1, 0x3ff, 0x400, 0x7f, 0x80, 0x3c00, 0x3f80, 0x7bff, 0x7c00, 0x7f7f, 0x7f80, 0x7fff, 0x7e00];
    let magnitude = prop_oneof![3 => any::<u16>(), 1 => proptest::sample::select(special), 1 => 0x3b00..0x4100_u16];
    (magnitude, any::<bool>()).prop_map(|(m, negative)| m & 0x7fff | u16::from(negative) << 15)
}

fn check<F: Float>(ty: &str, a: u16, b: u16, c: u16) {
    let (x, y, z) = (F::from_bits(a.into()), F::from_bits(b.into()), F::from_bits(c.into()));
    let (a, b, c) = (u64::from(a), u64::from(b), u64::from(c));
    let expect = |form: &str, value: F| {
        let want = if value.is_nan() { 0x7fff } else { value.to_bits() as u64 };
        assert_eq!(run(&format!("{form}.{ty}"), [a, b, c]), want, "{form}.{ty} {a:#x} {b:#x} {c:#x}");
        // The packed form does the same twice.
        let both = run(&format!("{form}.{ty}x2"), [a << 16 | b, b << 16 | b, c << 16 | c]);
        assert_eq!(both >> 16, want, "{form}.{ty}x2");
    };
    let round = Round::NearestTiesToEven;
    expect("add", x.add_r(y, round).value);
    expect("sub", x.sub_r(y, round).value);
    expect("mul", x.mul_r(y, round).value);
    let fused = x.mul_add_r(y, z, round).value;
    expect("fma.rn", fused);
    let relu = if fused.is_nan() || !fused.is_negative() { fused } else { F::ZERO };
    expect("fma.rn.relu", relu);
    if !x.is_nan() {
        expect("neg", -x);
        expect("abs", x.abs());
    }
    let less = |p: F, q: F| p < q || p == q && p.is_negative();
    let pick = |max: bool| match (x.is_nan(), y.is_nan()) {
        (true, _) => y,
        (_, true) => x,
        _ => {
            if less(x, y) == max {
                y
            } else {
                x
            }
        }
    };
    expect("min", pick(false));
    expect("max", pick(true));
    let with_nan = |max: bool| if x.is_nan() || y.is_nan() { F::NAN } else { pick(max) };
    expect("min.NaN", with_nan(false));
    expect("max.NaN", with_nan(true));
}

#[test]
fn by_hand() {
    assert_eq!(run("add.f16", [0x3c00, 0x3c00]), 0x4000);
    assert_eq!(run("add.sat.f16", [0x3c00, 0x3c00]), 0x3c00);
    assert_eq!(run("sub.sat.f16", [0x3c00, 0x4000]), 0);
    assert_eq!(run("add.sat.f16", [0x7e00, 0x3c00]), 0);
    assert_eq!(run("add.ftz.f16", [0x0001, 0x0001]), 0);
    assert_eq!(run("add.f16", [0x0001, 0x0001]), 2);
    // 2^-14 * 2^-1 is subnormal: flushed as a result too.
    assert_eq!(run("mul.ftz.f16", [0x0400, 0x3800]), 0);
    assert_eq!(run("mul.f16", [0x0400, 0x3800]), 0x0200);
    assert_eq!(run("neg.f16x2", [0x3c00_8000]), 0xbc00_0000);
    assert_eq!(run("abs.bf16", [0xffc0]), 0x7fff);
    assert_eq!(run("max.xorsign.abs.f16", [0xc000, 0x3c00]), 0xc000);
    assert_eq!(run("ex2.approx.f16", [0x4000]), 0x4400);
    assert_eq!(run("ex2.approx.f16", [0xcb00]), 0x0400);
    assert_eq!(run("ex2.approx.ftz.bf16x2", [0x3f80_0000]), 0x4000_3f80);
    assert_eq!(run("tanh.approx.f16", [0x7c00]), 0x3c00);
    assert_eq!(run("tanh.approx.bf16", [0x8000]), 0x8000);
}

#[test]
fn every_eight_bit_float_widens_exactly() {
    use rustc_apfloat::ieee::{Float8E4M3FN, Float8E5M2};
    fn check<F: Float + FloatConvert<Half>>(ty: &str) {
        for bits in 0..=255_u64 {
            let mut loses = false;
            let value = F::from_bits(bits.into());
            let wide: Half = value.convert_r(Round::NearestTiesToEven, &mut loses).value;
            let want = if wide.is_nan() { 0x7fff } else { wide.to_bits() as u64 };
            assert_eq!(run(&format!("cvt.rn.f16x2.{ty}"), [bits << 8 | bits]), want << 16 | want, "{ty} {bits:#x}");
        }
    }
    check::<Float8E4M3FN>("e4m3x2");
    check::<Float8E5M2>("e5m2x2");
}

#[test]
fn every_half_narrows_to_eight_bits() {
    use rustc_apfloat::ieee::{Float8E4M3FN, Float8E5M2};
    fn check<F: Float>(ty: &str, largest: u64)
    where
        Half: FloatConvert<F>,
    {
        for bits in 0..=0xffff_u64 {
            let value = Half::from_bits(bits.into());
            let mut loses = false;
            let narrow: F = value.convert_r(Round::NearestTiesToEven, &mut loses).value;
            let sign = bits >> 15 << 7;
            let want = if value.is_nan() {
                0x7f
            } else if narrow.is_finite() {
                narrow.to_bits() as u64
            } else {
                sign | largest
            };
            let form = format!("cvt.rn.satfinite.{ty}.f16x2");
            assert_eq!(run(&form, [bits << 16 | bits]), want << 8 | want, "{form} {bits:#x}");
            let relu = if want & 0x80 != 0 { 0 } else { want };
            assert_eq!(run(&format!("cvt.rn.satfinite.relu.{ty}.f16x2"), [bits]) & 0xff, relu, "{ty} {bits:#x}");
            let single = half::f16::from_bits(bits as u16).to_f32();
            let form = format!("cvt.rn.satfinite.{ty}.f32");
            assert_eq!(run(&form, [0, single.to_bits().into()]), want, "{form} {bits:#x}");
        }
    }
    check::<Float8E4M3FN>("e4m3x2", 0x7e);
    check::<Float8E5M2>("e5m2x2", 0x7b);
}

proptest! {
    #[test]
    fn arithmetic(a in bits(), b in bits(), c in bits()) {
        check::<Half>("f16", a, b, c);
        check::<BFloat>("bf16", a, b, c);
    }

    #[test]
    fn approximations_keep_their_bounds(a in bits()) {
        let x = half::f16::from_bits(a).to_f64();
        let of = |form: &str| half::f16::from_bits(run(form, [a.into()]) as u16).to_f64();
        if !x.is_nan() && x.abs() < 15.0 {
            prop_assert!((of("ex2.approx.f16") - x.exp2()).abs() <= 2_f64.powf(-9.9) * x.exp2());
            prop_assert!((of("tanh.approx.f16") - x.tanh()).abs() <= 2_f64.powf(-10.987));
        }
    }
}
