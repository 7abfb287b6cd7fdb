//! Comparison and selection.

use proptest::prelude::*;

use super::{SPECIAL, operand, run};

/// Operators on ordered numbers.
type Operator = (&'static str, fn(f64, f64) -> bool);

const FLOAT_OPERATORS: [Operator; 14] = [
    ("eq", |a, b| a == b),
    ("ne", |a, b| a != b && !unordered(a, b)),
    ("lt", |a, b| a < b),
    ("le", |a, b| a <= b),
    ("gt", |a, b| a > b),
    ("ge", |a, b| a >= b),
    ("equ", |a, b| a == b || unordered(a, b)),
    ("neu", |a, b| a != b),
    ("ltu", |a, b| a < b || unordered(a, b)),
    ("leu", |a, b| a <= b || unordered(a, b)),
    ("gtu", |a, b| a > b || unordered(a, b)),
    ("geu", |a, b| a >= b || unordered(a, b)),
    ("num", |a, b| !unordered(a, b)),
    ("nan", unordered),
];

fn unordered(a: f64, b: f64) -> bool {
    a.is_nan() || b.is_nan()
}

fn check_float(ty: &str, bits: (u64, u64), numbers: (f64, f64)) {
    for (name, operator) in FLOAT_OPERATORS {
        let outcome = operator(numbers.0, numbers.1);
        let expected = if outcome { 1 } else { 2 };
        assert_eq!(run(&format!("setp.{name}.{ty}"), [bits.0, bits.1]), expected, "{name} {ty} {numbers:?}");
    }
}

#[test]
fn special_floats() {
    let specials = [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, -1e-40];
    for a in specials {
        for b in specials {
            let (wa, wb) = (f64::from(a), f64::from(b));
            check_float("f32", (a.to_bits().into(), b.to_bits().into()), (wa, wb));
            check_float("f64", (wa.to_bits(), wb.to_bits()), (wa, wb));
            let (ha, hb) = (half::f16::from_f32(a), half::f16::from_f32(b));
            check_float("f16", (ha.to_bits().into(), hb.to_bits().into()), (ha.to_f64(), hb.to_f64()));
            let (ha, hb) = (half::bf16::from_f32(a), half::bf16::from_f32(b));
            check_float("bf16", (ha.to_bits().into(), hb.to_bits().into()), (ha.to_f64(), hb.to_f64()));
        }
    }
}

#[test]
fn by_hand() {
    // Flushing makes a subnormal number equal to zero.
    assert_eq!(run("setp.eq.f32", [1, 0]), 2);
    assert_eq!(run("setp.eq.ftz.f32", [1, 0x8000_0000]), 1);
    assert_eq!(run("setp.gt.ftz.f16", [0x0001, 0]), 2);
    // q combines the opposite of the comparison, not of p.
    assert_eq!(run("setp.lt.and.s32", [1, 2, 0]), 0);
    assert_eq!(run("setp.lt.and.s32", [1, 2, 1]), 1);
    assert_eq!(run("setp.lt.and.s32", [2, 1, 1]), 2);
    assert_eq!(run("setp.lt.or.s32", [1, 2, 1]), 3);
    assert_eq!(run("setp.lt.xor.s32", [1, 2, 1]), 2);
    assert_eq!(run("setp.lt.s32", [0xffff_ffff, 0]), 1);
    assert_eq!(run("setp.lo.u32", [0xffff_ffff, 0]), 2);
    assert_eq!(run("setp.eq.s16", [0x1_0005, 0x2_0005]), 1);
    // The packed form compares half by half.
    assert_eq!(run("setp.lt.f16x2", [0x3c00_0000, 0x0000_3c00]), 1);
    assert_eq!(run("setp.eq.or.bf16x2", [0x3f80_0000, 0x3f80_3f80, 0]), 2);
    assert_eq!(run("set.lt.u32.f32", [0, 0x3f80_0000]), 0xffff_ffff);
    assert_eq!(run("set.lt.f32.s32", [0xffff_ffff, 0]), 0x3f80_0000);
    assert_eq!(run("set.eq.f16.f16", [0x8000, 0]), 0x3c00);
    assert_eq!(run("set.eq.bf16x2.bf16x2", [0x0000_3f80, 0x0000_0000]), 0x3f80_0000);
    assert_eq!(run("set.eq.u32.f16x2", [0x0000_3c00, 0x0000_0000]), 0xffff_0000);
    assert_eq!(run("set.gt.u16.f16", [0x3c00, 0]), 0xffff);
    assert_eq!(run("selp.b32", [1, 2, 1]), 1);
    assert_eq!(run("selp.b16", [0x1_0001, 0x1_0002, 0]), 2);
    assert_eq!(run("slct.u32.s32", [1, 2, 0]), 1);
    assert_eq!(run("slct.u32.s32", [1, 2, 0x8000_0000]), 2);
    // A negative zero is not below zero, a NaN is not above.
    assert_eq!(run("slct.f32.f32", [1, 2, 0x8000_0000]), 1);
    assert_eq!(run("slct.f32.f32", [1, 2, 0x7fc0_0000]), 2);
    assert_eq!(run("slct.u64.f32", [1, 2, 0x8000_0001]), 2);
    assert_eq!(run("slct.ftz.u64.f32", [1, 2, 0x8000_0001]), 1);
}

#[test]
fn special_integers() {
    for a in SPECIAL {
        for b in SPECIAL {
            check_integers(a, b);
        }
    }
}

fn check_integers(a: u64, b: u64) {
    let expect = |form: &str, outcome: bool| {
        assert_eq!(run(form, [a, b]), if outcome { 1 } else { 2 }, "{form} {a:#x} {b:#x}");
    };
    expect("setp.lt.s16", (a as i16) < b as i16);
    expect("setp.ge.u16", a as u16 >= b as u16);
    expect("setp.le.s32", a as i32 <= b as i32);
    expect("setp.gt.u32", a as u32 > b as u32);
    expect("setp.hi.u32", a as u32 > b as u32);
    expect("setp.ls.u64", a <= b);
    expect("setp.gt.s64", a as i64 > b as i64);
    expect("setp.ne.b32", a as u32 != b as u32);
    expect("setp.eq.b64", a == b);
    expect("setp.hs.u16", a as u16 >= b as u16);
}

proptest! {
    #[test]
    fn comparisons(a in operand(), b in operand()) {
        check_integers(a, b);
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        check_float("f32", (a, b), (x.into(), y.into()));
        check_float("f64", (a, b), (f64::from_bits(a), f64::from_bits(b)));
    }
}
