//! Video instructions.

use proptest::prelude::*;

use super::run;
use crate::semantics::{LaneOp, ScalarType as T, Selectors};

/// Runs `form` with selectors.
fn selected(form: &str, dst: &str, a: &str, b: &str, negate: [bool; 3], src: [u64; 3]) -> u64 {
    let opcode: Vec<&str> = form.split('.').collect();
    let (op, mut signature) = LaneOp::decode(&opcode).unwrap().unwrap();
    let some = |text: &'static str| (!text.is_empty()).then_some(text);
    let (dst, a, b) = (dst.to_owned().leak(), a.to_owned().leak(), b.to_owned().leak());
    let op = op.select(&mut signature, Selectors { dst: some(dst), a: some(a), b: some(b), negate }).unwrap();
    op.eval([src[0], src[1], src[2], 0])
}

const NONE: [bool; 3] = [false; 3];

#[test]
fn by_hand() {
    assert_eq!(run("vabsdiff4.u32.u32.u32.add", [0x0102_03ff, 0x0400_0300, 5]), 3 + 2 + 255 + 5);
    assert_eq!(run("vabsdiff4.u32.u32.u32", [0x0102_03ff, 0x0400_0300, 5]), 0x0302_00ff);
    assert_eq!(run("vadd2.s32.s32.s32.sat", [0x7fff_8000, 0x0001_ffff, 0]), 0x7fff_8000);
    assert_eq!(run("vadd4.u32.u32.u32", [0xff01_ff01, 0x0101_0101, 0]), 0x0002_0002);
    assert_eq!(run("vavrg4.u32.u32.u32", [0x0001_0203, 0x0002_0305, 0]), 0x0002_0304);
    assert_eq!(run("vavrg2.s32.s32.s32", [0xffff_0001, 0xfffe_0002, 0]), 0xfffe_0002);
    assert_eq!(run("vset4.u32.u32.lt", [0x0005_0005, 0x0505_0500, 0]), 0x0100_0100);
    assert_eq!(run("vset2.s32.s32.ge.add", [0x0000_ffff, 0xffff_0000, 10]), 11);
    assert_eq!(run("vsub.u32.u32.u32.sat", [1, 2]), 0);
    assert_eq!(run("vsub.s32.u32.u32", [1, 2]), 0xffff_ffff);
    assert_eq!(run("vadd.s32.s32.s32.sat", [0x7fff_ffff, 1]), 0x7fff_ffff);
    assert_eq!(run("vadd.u32.u32.u32.add", [1, 2, 3]), 6);
    assert_eq!(run("vabsdiff.s32.s32.s32.max", [0xffff_fffe, 3, 0xffff_ffff]), 5);
    assert_eq!(run("vmin.s32.u32.s32", [0xffff_ffff, 0xffff_fff0]), 0xffff_fff0);
    assert_eq!(run("vshl.u32.u32.u32.clamp", [1, 40]), 0);
    assert_eq!(run("vshl.u32.u32.u32.wrap", [1, 33]), 2);
    assert_eq!(run("vshr.s32.s32.u32.clamp", [0x8000_0000, 40]), 0xffff_ffff);
    assert_eq!(run("vset.s32.u32.lt", [0xffff_ffff, 0]), 1);
    assert_eq!(run("vmad.u32.u32.u32.shr7", [256, 3, 128]), 7);
    assert_eq!(run("vmad.s32.s32.s32", [0xffff_ffff, 5, 3]), 0xffff_fffe);
}

/// What differs from the manual, each as an H200 computes it.
#[test]
fn results_that_do_not_fit() {
    // `.sat` of unsigned words knows no greatest number.
    assert_eq!(run("vadd.u32.u32.u32.sat", [0xffff_ffff, 2]), 1);
    assert_eq!(run("vsub.u32.s32.s32.sat", [5, 6]), 0);
    // In a byte or a half, what is negative counts as too great.
    assert_eq!(selected("vsub.s32.s32.s32.sat", "b1", "", "", NONE, [1, 2, 0x1122_3344]), 0x1122_7f44);
    assert_eq!(selected("vsub.u32.s32.s32.sat", "h1", "", "", NONE, [1, 2, 0x1122_3344]), 0x3344);
    // Shifts keep 34 bits, and the part of the destination does not matter.
    assert_eq!(run("vshl.u32.u32.u32.sat.clamp", [1, 32]), 0xffff_ffff);
    assert_eq!(run("vshl.u32.u32.u32.sat.clamp", [2, 32]), 0);
    assert_eq!(run("vshl.u32.u32.u32.sat.clamp", [4, 32]), 0);
    assert_eq!(selected("vshl.s32.u32.u32.sat.clamp", "h0", "", "", NONE, [1, 20, 7]), 0);
    assert_eq!(selected("vshl.s32.u32.u32.sat.clamp", "h0", "", "", NONE, [1, 31, 7]), 0xffff);
    // The secondary operation extends the result with its sign, also of unsigned numbers.
    assert_eq!(run("vadd.u32.u32.u32.min", [0x8000_0000, 0, 0xffff_ffff]), 0xffff_ffff);
    assert_eq!(run("vadd.u32.u32.u32.max", [0x8000_0000, 0, 0xffff_ffff]), 0x8000_0000);
    assert_eq!(run("vmax.u32.u32.u32.min", [0x8000_0000, 0, 0xffff_ffff]), 0x8000_0000);
    // The upper half gets the upper half.
    assert_eq!(selected("vadd.u32.u32.u32", "h1", "", "", NONE, [0x5_0001, 2, 0x1122_3344]), 0x5_3344);
    // `vmad` takes whole words for signed.
    assert_eq!(run("vmad.u32.u32.u32.po.sat", [0xffff_ffff, 2, 0]), 0);
    assert_eq!(run("vmad.u32.u32.u32.sat", [0xffff_ffff, 0xffff_ffff, 0xffff_ffff]), 0);
    assert_eq!(run("vmad.u32.u32.u32.shr7", [0xffff_ffff, 1, 0]), 0xffff_ffff);
}

#[test]
fn selectors() {
    assert_eq!(selected("vadd.s32.s32.u32", "", "b3", "h1", NONE, [0x8012_3456, 0xffff_0000, 0]), 0xffff - 0x80);
    assert_eq!(selected("vadd.u32.u32.u32", "b2", "b0", "b0", NONE, [0xf0, 0x20, 0x1122_3344]), 0x1110_3344);
    assert_eq!(selected("vadd.u32.u32.u32.sat", "b2", "b0", "b0", NONE, [0xf0, 0x20, 0x1122_3344]), 0x11ff_3344);
    assert_eq!(
        selected("vsub2.u32.u32.u32", "h0", "h01", "h22", NONE, [0x0005_0009, 0x0003_0001, 0x7777_8888]),
        0x7777_0004
    );
    assert_eq!(selected("vadd4.u32.u32.u32.add", "b20", "", "", NONE, [0x0102_0304, 0x1010_1010, 1]), 0x12 + 0x14 + 1);
    assert_eq!(selected("vmad.s32.u32.u32", "", "", "", [true, false, false], [3, 4, 20]), 8);
    assert_eq!(selected("vmad.s32.s32.s32", "", "", "", [false, false, true], [3, 4, 20]), 0xffff_fff8);
    assert_eq!(selected("vmad.s32.s32.s32", "", "h0", "", [true, true, false], [0x5_0003, 4, 20]), 32);
}

#[test]
fn selectors_are_checked() {
    let select = |form: &str, selectors: Selectors<'_>| {
        let opcode: Vec<&str> = form.split('.').collect();
        let (op, mut signature) = LaneOp::decode(&opcode).unwrap().unwrap();
        op.select(&mut signature, selectors).map(|_| signature.src.len())
    };
    let none = Selectors::default();
    assert_eq!(select("vadd.u32.u32.u32", none), Ok(2));
    assert_eq!(select("vadd.u32.u32.u32", Selectors { dst: Some("b0"), ..none }), Ok(3));
    assert_eq!(select("add.u32", none), Ok(2));
    assert!(select("add.u32", Selectors { a: Some("b0"), ..none }).is_err());
    assert!(select("vadd.u32.u32.u32.add", Selectors { dst: Some("b0"), ..none }).is_err());
    assert!(select("vadd.u32.u32.u32", Selectors { a: Some("b4"), ..none }).is_err());
    assert!(select("vadd.u32.u32.u32", Selectors { negate: [true, false, false], ..none }).is_err());
    assert!(select("vmad.u32.u32.u32.po", Selectors { negate: [true, false, false], ..none }).is_err());
    assert!(select("vmad.u32.u32.u32", Selectors { negate: [true, false, true], ..none }).is_err());
    assert!(select("vadd4.u32.u32.u32", Selectors { a: Some("b8000"), ..none }).is_err());
    assert!(select("vadd4.u32.u32.u32", Selectors { a: Some("b70"), ..none }).is_err());
    assert!(select("vadd4.u32.u32.u32", Selectors { dst: Some("b02"), ..none }).is_err());
    assert!(select("vadd2.u32.u32.u32", Selectors { b: Some("h33"), ..none }).is_ok());
}

proptest! {
    #[test]
    fn packed_is_scalar_per_element(a: u32, b: u32, c: u32) {
        // The packed forms without saturation against the scalar ones on one byte or half.
        for (name, extra) in [("vadd", ""), ("vsub", ""), ("vabsdiff", ""), ("vmin", ""), ("vmax", ""), ("vset", ".le")] {
            for types in ["u32.u32", "s32.s32", "s32.u32"] {
                for (lanes, letter) in [(4_u32, "b"), (2, "h")] {
                    let dst = if name == "vset" { "" } else { "s32." };
                    let width = 32 / lanes;
                    let mut want = 0;
                    for lane in 0..lanes {
                        let part = format!("{letter}{lane}");
                        let src = [a.into(), b.into(), 0];
                        let result = selected(&format!("{name}.{dst}{types}{extra}"), "", &part, &part, NONE, src);
                        want |= (result & ((1 << width) - 1)) << (lane * width);
                    }
                    let form = format!("{name}{lanes}.{dst}{types}{extra}");
                    prop_assert_eq!(run(&form, [a.into(), b.into(), c.into()]), want, "{} {}", form, width);
                }
            }
        }
    }

    #[test]
    fn scalar_is_integer_arithmetic(a: u32, b: u32, c: u32) {
        let value = |ty: T, bits: u32| if ty == T::S32 { i128::from(bits as i32) } else { i128::from(bits) };
        for ta in [T::U32, T::S32] {
            for tb in [T::U32, T::S32] {
                let (x, y) = (value(ta, a), value(tb, b));
                let types = format!("s32.{}.{}", ta.name(), tb.name());
                let src = [u64::from(a), b.into(), c.into()];
                let clamp = |v: i128| v.clamp(i32::MIN.into(), i32::MAX.into()) as u32 as u64;
                prop_assert_eq!(run(&format!("vadd.{types}.sat"), src), clamp(x + y));
                prop_assert_eq!(run(&format!("vsub.{types}.sat"), src), clamp(x - y));
                prop_assert_eq!(run(&format!("vabsdiff.{types}.sat"), src), clamp((x - y).abs()));
                prop_assert_eq!(run(&format!("vmax.{types}"), src), x.max(y) as u32 as u64);
                // Words are signed to `vmad`, and the bits beyond 32 are too many to be seen here.
                let signed = |bits: u32| i64::from(bits as i32);
                let sum = (signed(a) * signed(b) + signed(c)) >> 15;
                prop_assert_eq!(run(&format!("vmad.{types}.shr15"), src), sum as u32 as u64);
            }
        }
    }
}
