//! Conversions against unbounded integers and a software float library.

use proptest::prelude::*;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert};

use super::float::{NAN_F32, ROUNDS};
use super::{SPECIAL, operand, run};
use crate::semantics::ScalarType as T;

const INTEGERS: [T; 8] = [T::U8, T::U16, T::U32, T::U64, T::S8, T::S16, T::S32, T::S64];

/// The number that `bits` stands for.
fn value(ty: T, bits: u64) -> i128 {
    match ty {
        T::U8 => (bits as u8).into(),
        T::U16 => (bits as u16).into(),
        T::U32 => (bits as u32).into(),
        T::U64 => bits.into(),
        T::S8 => (bits as i8).into(),
        T::S16 => (bits as i16).into(),
        T::S32 => (bits as i32).into(),
        _ => (bits as i64).into(),
    }
}

fn limits(ty: T) -> (i128, i128) {
    let bits = ty.bits();
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn low(ty: T, value: i128) -> u64 {
    (value & ((1 << ty.bits()) - 1)) as u64
}

fn check_integer(a: u64) {
    for from in INTEGERS {
        let number = value(from, a);
        for to in INTEGERS {
            let name = format!("{}.{}", to.name(), from.name());
            assert_eq!(run(&format!("cvt.{name}"), [a]), low(to, number), "{name} {a:#x}");
            let (least, greatest) = limits(to);
            let narrows = limits(from).0 < least || limits(from).1 > greatest;
            if narrows {
                assert_eq!(
                    run(&format!("cvt.sat.{name}"), [a]),
                    low(to, number.clamp(least, greatest)),
                    "{name} {a:#x}"
                );
            }
        }
        for (name, round) in ROUNDS {
            let got = |to: &str| run(&format!("cvt.{name}.{to}.{}", from.name()), [a]);
            assert_eq!(got("f32"), Single::from_i128_r(number, round).value.to_bits() as u64, "{name} {number}");
            assert_eq!(got("f64"), Double::from_i128_r(number, round).value.to_bits() as u64, "{name} {number}");
            assert_eq!(got("f16"), Half::from_i128_r(number, round).value.to_bits() as u64, "{name} {number}");
            assert_eq!(got("bf16"), BFloat::from_i128_r(number, round).value.to_bits() as u64, "{name} {number}");
        }
    }
}

/// Rounds `x` to an integer and clamps it, all in integers.
fn integer_of(to: T, x: f64, name: &str) -> i128 {
    let (least, greatest) = limits(to);
    if x.abs() >= 2_f64.powi(70) {
        return if x < 0.0 { least } else { greatest };
    }
    let below = x.floor() as i128;
    let fraction = x - x.floor();
    let up = match name {
        "rni" => fraction > 0.5 || fraction == 0.5 && below % 2 != 0,
        "rzi" => fraction > 0.0 && x < 0.0,
        "rmi" => false,
        _ => fraction > 0.0,
    };
    (below + i128::from(up)).clamp(least, greatest)
}

fn check_float_to_integer(x: f64, from: &str, bits: u64) {
    for to in INTEGERS {
        if from == "bf16" && to.bytes() == 1 {
            continue;
        }
        for name in ["rni", "rzi", "rmi", "rpi"] {
            let form = format!("cvt.{name}.{}.{from}", to.name());
            let want = if !x.is_nan() {
                low(to, integer_of(to, x, name))
            } else if from == "f64" || to.bytes() == 8 {
                1 << (to.bits() - 1)
            } else {
                0
            };
            assert_eq!(run(&form, [bits]), want, "{form} {x:e}");
        }
    }
}

fn check_narrowing(a: u64) {
    let (single, double) = (Single::from_bits((a as u32).into()), Double::from_bits(a.into()));
    let mut loses = false;
    for (name, round) in ROUNDS {
        let half: Half = single.convert_r(round, &mut loses).value;
        let want = if single.is_nan() { 0x7fff } else { half.to_bits() as u64 };
        assert_eq!(run(&format!("cvt.{name}.f16.f32"), [a]), want, "{name} {a:#x}");
        let half: BFloat = single.convert_r(round, &mut loses).value;
        let want = if single.is_nan() { 0x7fff } else { half.to_bits() as u64 };
        assert_eq!(run(&format!("cvt.{name}.bf16.f32"), [a]), want, "{name} {a:#x}");
        let half: Half = double.convert_r(round, &mut loses).value;
        // The NaN keeps its sign and the top of its payload, quieted.
        let nan = (a >> 63) << 15 | 0x7e00 | a >> 42 & 0x3ff;
        let want = if double.is_nan() { nan } else { half.to_bits() as u64 };
        assert_eq!(run(&format!("cvt.{name}.f16.f64"), [a]), want, "{name} {a:#x}");
        let narrow: Single = double.convert_r(round, &mut loses).value;
        let want = narrow.to_bits() as u64;
        assert_eq!(run(&format!("cvt.{name}.f32.f64"), [a]), want, "{name} {a:#x}");
    }
    let (x, y) = (f32::from_bits(a as u32), f64::from_bits(a));
    check_float_to_integer(x.into(), "f32", a);
    check_float_to_integer(y, "f64", a);
    check_float_to_integer(half::f16::from_bits(a as u16).to_f64(), "f16", a);
    check_float_to_integer(half::bf16::from_bits(a as u16).to_f64(), "bf16", a);
    if !x.is_nan() {
        assert_eq!(run("cvt.f64.f32", [a]), f64::from(x).to_bits());
        assert_eq!(run("cvt.rni.f32.f32", [a]), u64::from(x.round_ties_even().to_bits()));
        assert_eq!(run("cvt.rpi.f32.f32", [a]), u64::from(x.ceil().to_bits()));
    }
    if !y.is_nan() {
        assert_eq!(run("cvt.rzi.f64.f64", [a]), y.trunc().to_bits());
        assert_eq!(run("cvt.rmi.f64.f64", [a]), y.floor().to_bits());
    }
}

#[test]
fn special_operands() {
    for a in SPECIAL {
        check_integer(a);
        check_narrowing(a);
        check_narrowing(a << 20 | a >> 3);
    }
    for value in [0.5_f64, 1.5, 2.5, -0.5, -1.5, 2147483647.5, -2147483648.5, 4294967295.5, 1e300, 9.3e18, -9.3e18] {
        check_narrowing(value.to_bits());
        check_float_to_integer((value as f32).into(), "f32", (value as f32).to_bits().into());
    }
}

#[test]
fn every_half_widens_exactly() {
    for bits in 0..=0xffff_u16 {
        let (half, bfloat) = (half::f16::from_bits(bits), half::bf16::from_bits(bits));
        if half.is_nan() {
            assert_eq!(run("cvt.f32.f16", [bits.into()]), NAN_F32);
        } else {
            assert_eq!(run("cvt.f32.f16", [bits.into()]), u64::from(half.to_f32().to_bits()));
            assert_eq!(run("cvt.f64.f16", [bits.into()]), half.to_f64().to_bits());
        }
        assert_eq!(run("cvt.f32.bf16", [bits.into()]), u64::from(bits) << 16);
        if !bfloat.is_nan() {
            assert_eq!(run("cvt.f64.bf16", [bits.into()]), bfloat.to_f64().to_bits());
        }
    }
}

#[test]
fn by_hand() {
    let f = |value: f32| u64::from(value.to_bits());
    assert_eq!(run("cvt.rzi.u32.f32", [f(-1.5)]), 0);
    assert_eq!(run("cvt.rzi.s32.f32", [f(3e9)]), 0x7fff_ffff);
    assert_eq!(run("cvt.rzi.s32.f32", [0x7fc0_0000]), 0);
    assert_eq!(run("cvt.rzi.s64.f32", [0x7fc0_0000]), 1 << 63);
    assert_eq!(run("cvt.rzi.s32.f64", [0x7ff8 << 48]), 1 << 31);
    assert_eq!(run("cvt.rpi.u32.f32", [1]), 1);
    assert_eq!(run("cvt.rpi.ftz.u32.f32", [1]), 0);
    assert_eq!(run("cvt.s32.s8", [0x80]), 0xffff_ff80);
    assert_eq!(run("cvt.u32.u8", [0x180]), 0x80);
    assert_eq!(run("cvt.sat.u8.s32", [0xffff_ffff]), 0);
    assert_eq!(run("cvt.sat.f32.f32", [f(-0.0)]), 0);
    assert_eq!(run("cvt.sat.f32.f32", [0x7fc0_0000]), 0);
    assert_eq!(run("cvt.sat.f32.f32", [f(1.5)]), f(1.0));
    assert_eq!(run("cvt.f32.f32", [0x7f80_0001]), 0x7f80_0001);
    assert_eq!(run("cvt.ftz.f32.f32", [0x8000_0001]), f(-0.0));
    assert_eq!(run("cvt.rn.ftz.f32.f64", [2_f64.powi(-140).to_bits()]), 0);
    assert_eq!(run("cvt.rn.sat.f32.s32", [5]), f(1.0));
    assert_eq!(run("cvt.rn.f16.f32", [f(65520.0)]), 0x7c00);
    assert_eq!(run("cvt.rn.satfinite.f16.f32", [f(65520.0)]), 0x7bff);
    assert_eq!(run("cvt.rn.satfinite.f16.f32", [f(f32::NEG_INFINITY)]), 0xfbff);
    assert_eq!(run("cvt.rz.f16.f32", [f(65520.0)]), 0x7bff);
    assert_eq!(run("cvt.rn.relu.bf16.f32", [f(-1.0)]), 0);
    assert_eq!(run("cvt.rn.relu.bf16.f32", [0xffc0_0000]), 0x7fff);
    assert_eq!(run("cvt.rn.f16x2.f32", [f(1.0), f(2.0)]), 0x3c00_4000);
    assert_eq!(run("cvt.rz.relu.bf16x2.f32", [f(1.0), f(-2.0)]), 0x3f80_0000);
    assert_eq!(run("cvt.rn.satfinite.e4m3x2.f32", [f(1000.0), f(-1.0)]), 0x7eb8);
    assert_eq!(run("cvt.rna.tf32.f32", [0x3f80_1000]), 0x3f80_2000);
    assert_eq!(run("cvt.rn.tf32.f32", [0x3f80_1000]), 0x3f80_0000);
    assert_eq!(run("cvt.rz.tf32.f32", [0x3f80_1fff]), 0x3f80_0000);
    assert_eq!(run("cvt.rn.relu.tf32.f32", [f(-1.0)]), 0);
    assert_eq!(run("cvt.rna.tf32.f32", [0x7f7f_ffff]), 0x7f80_0000);
    assert_eq!(run("cvt.rna.satfinite.tf32.f32", [0x7f7f_ffff]), 0x7f7f_e000);
    assert_eq!(run("cvt.pack.sat.u16.s32", [70000, 0xffff_ffff]), 0xffff_0000);
    assert_eq!(run("cvt.pack.sat.s16.s32", [0xffff_0000, 5]), 0x8000_0005);
    assert_eq!(run("cvt.pack.sat.u8.s32.b32", [300, 7, 0x1234_5678]), 0x5678_ff07);
    assert_eq!(run("cvt.pack.sat.s4.s32.b32", [0xffff_fff0, 7, 0x0000_0001]), 0x187);
    assert_eq!(run("cvt.pack.sat.u2.s32.b32", [3, 1, 0]), 0b1101);
}

proptest! {
    #[test]
    fn from_integers(a in operand()) {
        check_integer(a);
    }

    #[test]
    fn from_floats(a in operand()) {
        check_narrowing(a);
    }

    #[test]
    fn near_half_way(exponent in 1000..1100_u64, fraction in 0..64_u64, negative: bool) {
        // Few significant bits: ties are frequent.
        let bits = u64::from(negative) << 63 | exponent << 52 | fraction << 46;
        check_narrowing(bits);
        check_narrowing(u64::from((f64::from_bits(bits) as f32).to_bits()));
    }
}
