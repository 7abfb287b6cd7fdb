//! Integers, carries, bit fields, logic and shifts.

use proptest::prelude::*;

use super::{SPECIAL, operand, run};
use crate::semantics::{LaneOp, ScalarType as T};

const TYPES: [T; 6] = [T::U16, T::U32, T::U64, T::S16, T::S32, T::S64];

/// The number that `bits` stands for.
fn value(ty: T, bits: u64) -> i128 {
    let width = ty.bits();
    let unsigned = i128::from(bits) & ((1 << width) - 1);
    if ty.name().starts_with('s') && unsigned >> (width - 1) == 1 { unsigned - (1 << width) } else { unsigned }
}

/// The low bits of a number.
fn low(ty: T, value: i128) -> u64 {
    (value & ((1_i128 << ty.bits()) - 1)) as u64
}

fn check(ty: T, a: u64, b: u64, c: u64) {
    let name = ty.name();
    let (va, vb, vc) = (value(ty, a), value(ty, b), value(ty, c));
    let run2 = |form: &str| run(&format!("{form}.{name}"), [a, b]);
    let run3 = |form: &str| run(&format!("{form}.{name}"), [a, b, c]);
    assert_eq!(run2("add"), low(ty, va + vb));
    assert_eq!(run2("sub"), low(ty, va - vb));
    assert_eq!(run2("min"), low(ty, va.min(vb)));
    assert_eq!(run2("max"), low(ty, va.max(vb)));
    assert_eq!(run3("sad"), low(ty, vc + (va - vb).abs()));
    let product = va.wrapping_mul(vb);
    assert_eq!(run2("mul.lo"), low(ty, product));
    assert_eq!(run3("mad.lo"), low(ty, product.wrapping_add(vc)));
    // The product of two u64 needs 128 bits and no sign.
    let high = if ty == T::U64 { ((va as u128 * vb as u128) >> 64) as i128 } else { product >> ty.bits() };
    assert_eq!(run2("mul.hi"), low(ty, high));
    assert_eq!(run3("mad.hi"), low(ty, high + vc));
    if vb == 0 {
        assert_eq!(run2("div"), low(ty, -1));
        assert_eq!(run2("rem"), low(ty, -1));
    } else {
        assert_eq!(run2("div"), low(ty, va / vb));
        assert_eq!(run2("rem"), low(ty, va % vb));
    }
    if let Some(wide) = [(T::U16, T::U32), (T::S16, T::S32), (T::U32, T::U64), (T::S32, T::S64)]
        .iter()
        .find_map(|pair| (pair.0 == ty).then_some(pair.1))
    {
        assert_eq!(run2("mul.wide"), low(wide, product));
        assert_eq!(run3("mad.wide"), low(wide, product + value(wide, c)));
    }
    if ty.is_signed() {
        assert_eq!(run(&format!("abs.{name}"), [a]), low(ty, va.abs()));
        assert_eq!(run(&format!("neg.{name}"), [a]), low(ty, -va));
    }
    if ty == T::S32 {
        let clamp = |v: i128| low(ty, v.clamp(i32::MIN.into(), i32::MAX.into()));
        assert_eq!(run2("add.sat"), clamp(va + vb));
        assert_eq!(run2("sub.sat"), clamp(va - vb));
        assert_eq!(run3("mad.hi.sat"), clamp(high + vc));
        assert_eq!(run2("min.relu"), low(ty, va.min(vb).max(0)));
    }
}

#[test]
fn special_operands() {
    for ty in TYPES {
        for a in SPECIAL {
            for b in SPECIAL {
                check(ty, a, b, a ^ b);
            }
        }
    }
}

#[test]
fn by_hand() {
    const MIN: u64 = 0x8000_0000;
    assert_eq!(run("div.s32", [MIN, 0xffff_ffff]), MIN);
    assert_eq!(run("rem.s32", [MIN, 0xffff_ffff]), 0);
    assert_eq!(run("div.s32", [-7_i32 as u32 as u64, 2]), -3_i32 as u32 as u64);
    assert_eq!(run("rem.s32", [-7_i32 as u32 as u64, 2]), -1_i32 as u32 as u64);
    assert_eq!(run("div.u32", [5, 0]), 0xffff_ffff);
    assert_eq!(run("abs.s32", [MIN]), MIN);
    assert_eq!(run("shl.b32", [1, 31]), MIN);
    assert_eq!(run("shl.b32", [1, 32]), 0);
    assert_eq!(run("shl.b16", [1, 16]), 0);
    assert_eq!(run("shr.s32", [MIN, 40]), 0xffff_ffff);
    assert_eq!(run("shr.s64", [1 << 63, 0xffff_ffff]), u64::MAX);
    assert_eq!(run("shr.u32", [MIN, 32]), 0);
    assert_eq!(run("shr.s16", [0x8000, 3]), 0xf000);
    assert_eq!(run("shf.l.wrap.b32", [0x1234_5678, 0x9abc_def0, 8]), 0xbcde_f012);
    assert_eq!(run("shf.r.clamp.b32", [0x1234_5678, 0x9abc_def0, 99]), 0x9abc_def0);
    assert_eq!(run("shf.l.clamp.b32", [0x1234_5678, 0x9abc_def0, 32]), 0x1234_5678);
    assert_eq!(run("shf.l.wrap.b32", [0x1234_5678, 0x9abc_def0, 32]), 0x9abc_def0);
    assert_eq!(run("not.pred", [1]), 0);
    assert_eq!(run("not.pred", [0]), 1);
    assert_eq!(run("cnot.b32", [0x1_0000_0000]), 1);
    assert_eq!(run("bfind.u32", [0]), 0xffff_ffff);
    assert_eq!(run("bfind.s32", [0xffff_ffff]), 0xffff_ffff);
    assert_eq!(run("bfind.s32", [0xffff_fffe]), 0);
    assert_eq!(run("bfind.shiftamt.u32", [1]), 31);
    assert_eq!(run("clz.b32", [0]), 32);
    assert_eq!(run("clz.b64", [1]), 63);
    assert_eq!(run("popc.b32", [u64::MAX]), 32);
    assert_eq!(run("bmsk.wrap.b32", [1, 2]), 6);
    assert_eq!(run("bmsk.clamp.b32", [0, 32]), 0xffff_ffff);
    assert_eq!(run("bmsk.clamp.b32", [32, 1]), 0);
    assert_eq!(run("szext.wrap.u32", [0xffff_ffff, 0]), 0);
    assert_eq!(run("szext.clamp.s32", [0x80, 8]), 0xffff_ff80);
    assert_eq!(run("fns.b32", [0b1010_1000, 0, 2]), 5);
    assert_eq!(run("fns.b32", [0b1010_1000, 31, -1_i32 as u32 as u64]), 7);
    assert_eq!(run("fns.b32", [0b1000, 3, 0]), 3);
    assert_eq!(run("prmt.b32", [0x4433_2211, 0x8877_6655, 0x7531]), 0x8866_4422);
    assert_eq!(run("prmt.b32", [0x4433_2280, 0, 0x8888]), 0xffff_ffff);
    assert_eq!(run("prmt.b32.ecl", [0x4433_2211, 0, 2]), 0x4433_3333);
    assert_eq!(run("prmt.b32.b4e", [0x4433_2211, 0x8877_6655, 1]), 0x7788_1122);
    assert_eq!(run("prmt.b32.rc16", [0x4433_2211, 0, 1]), 0x4433_4433);
    assert_eq!(run("dp4a.s32.s32", [0xff01_7f80, 0x0203_0405, 10]), (-2 + 3 + 127 * 4 - 128 * 5 + 10) as u32 as u64);
    assert_eq!(run("dp2a.hi.u32.u32", [0x0003_0002, 0x0504_0000, 1]), 3 * 5 + 2 * 4 + 1);
    assert_eq!(run("add.u16x2", [0x0001_ffff, 0x0001_0001]), 0x0002_0000);
    assert_eq!(run("min.s16x2", [0x8000_0001, 0x0001_8000]), 0x8000_8000);
    assert_eq!(run("max.relu.s16x2", [0x8000_0001, 0xffff_0002]), 0x0000_0002);
    assert_eq!(run("mul24.hi.u32", [0xff_ffff, 0xff_ffff]), (0xff_ffff_u64 * 0xff_ffff) >> 16);
    assert_eq!(run("mul24.lo.s32", [0xff_ffff, 2]), 0xffff_fffe);
}

/// `eval_carry` of a form.
fn carry(form: &str, src: [u64; 3], carry: bool) -> (u64, bool) {
    let opcode: Vec<&str> = form.split('.').collect();
    let op = LaneOp::decode(&opcode).unwrap().unwrap().0;
    op.eval_carry([src[0], src[1], src[2], 0], carry)
}

#[test]
fn carry_flags() {
    let of = |form: &str| {
        let opcode: Vec<&str> = form.split('.').collect();
        let op = LaneOp::decode(&opcode).unwrap().unwrap().0;
        (op.uses_carry(), op.sets_carry())
    };
    assert_eq!(of("add.cc.u32"), (false, true));
    assert_eq!(of("addc.u32"), (true, false));
    assert_eq!(of("madc.hi.cc.s64"), (true, true));
    assert_eq!(of("add.u32"), (false, false));
    // An instruction without `.cc` leaves the carry alone.
    assert_eq!(carry("addc.u32", [0xffff_ffff, 0, 0], true), (0, true));
    assert_eq!(carry("add.u32", [1, 2, 0], true), (3, true));
    // A carry that is there counts only where it is read.
    assert_eq!(carry("add.cc.u32", [0xffff_ffff, 0, 0], true), (0xffff_ffff, false));
    assert_eq!(carry("mad.hi.cc.s32", [0xffff_ffff, 1, 1], false), (0, true));
}

/// The manual's loop for `bfe`, bit by bit.
/// Of 64-bit fields, all bits of a position or length count, as on an H200; the manual takes eight.
fn place(ty: T, value: u64) -> u32 {
    (if ty.bits() == 64 { value } else { value & 0xff }) as u32
}

fn bfe(ty: T, a: u64, b: u64, c: u64) -> u64 {
    let (msb, pos, len) = (ty.bits() - 1, place(ty, b), place(ty, c));
    let bit = |at: u32| a >> at & 1;
    let sign = if !ty.is_signed() || len == 0 { 0 } else { bit((pos + len - 1).min(msb)) };
    (0..=msb).fold(0, |d, i| d | (if i < len && pos + i <= msb { bit(pos + i) } else { sign }) << i)
}

fn bfi(ty: T, a: u64, b: u64, c: u64, d: u64) -> u64 {
    let (msb, pos, len) = (ty.bits() - 1, place(ty, c), place(ty, d));
    let mut f = ty.truncate(b);
    for i in 0..len {
        if pos + i <= msb {
            f = f & !(1 << (pos + i)) | (a >> i & 1) << (pos + i);
        }
    }
    f
}

proptest! {
    #[test]
    fn arithmetic_is_that_of_unbounded_integers(a in operand(), b in operand(), c in operand()) {
        for ty in TYPES {
            check(ty, a, b, c);
        }
    }

    #[test]
    fn carries_add_up_to_128_bits(a: u128, b: u128) {
        let word = |v: u128, i: u32| (v >> (32 * i)) as u32 as u64;
        let chain = |first: &str, next: &str| {
            let (mut sum, mut flag) = (0_u128, false);
            for i in 0..4 {
                let form = if i == 0 { first } else { next };
                let (part, out) = carry(form, [word(a, i), word(b, i), 0], flag);
                sum |= u128::from(part) << (32 * i);
                flag = out;
            }
            (sum, flag)
        };
        prop_assert_eq!(chain("add.cc.u32", "addc.cc.u32"), a.overflowing_add(b));
        // The carry of a subtraction is the complement of the borrow.
        let (difference, borrow) = a.overflowing_sub(b);
        prop_assert_eq!(chain("sub.cc.s32", "subc.cc.s32"), (difference, !borrow));
    }

    #[test]
    fn carries_multiply_to_128_bits(a: u64, b: u64) {
        // The schoolbook product as nvcc writes it for 64-bit operands.
        let (a0, a1, b0, b1) = (a & 0xffff_ffff, a >> 32, b & 0xffff_ffff, b >> 32);
        let r0 = run("mul.lo.u32", [a0, b0]);
        let r1 = run("mul.hi.u32", [a0, b0]);
        let (r1, f) = carry("mad.lo.cc.u32", [a1, b0, r1], false);
        let (r2, _) = carry("madc.hi.u32", [a1, b0, 0], f);
        let (r1, f) = carry("mad.lo.cc.u32", [a0, b1, r1], false);
        let (r2, f) = carry("madc.hi.cc.u32", [a0, b1, r2], f);
        let (r3, _) = carry("addc.u32", [0, 0, 0], f);
        let (r2, f) = carry("mad.lo.cc.u32", [a1, b1, r2], false);
        let (r3, _) = carry("madc.hi.u32", [a1, b1, r3], f);
        let product = u128::from(r3) << 96 | u128::from(r2) << 64 | u128::from(r1) << 32 | u128::from(r0);
        prop_assert_eq!(product, u128::from(a) * u128::from(b));
    }

    #[test]
    fn bit_fields(a in operand(), b in operand(), pos in 0..300_u64, len in 0..300_u64) {
        for ty in [T::U32, T::S32, T::U64, T::S64] {
            prop_assert_eq!(run(&format!("bfe.{}", ty.name()), [a, pos, len]), bfe(ty, a, pos, len));
        }
        for ty in [T::B32, T::B64] {
            let form = format!("bfi.{}", ty.name());
            prop_assert_eq!(run(&form, [a, b, pos, len]), bfi(ty, a, b, pos, len));
        }
    }

    #[test]
    fn masks_and_extensions(a: u32, b in 0..70_u32) {
        // The manual's text for `bmsk`.
        for clamp in [true, false] {
            let (a1, b1) = ((a % 70) & 31, b & 31);
            let a = a % 70;
            let sum = a1 + b1;
            let mask0 = if clamp && a >= 32 { 0 } else { u32::MAX << a1 };
            let over = sum >= 32 || clamp && (a >= 32 || b >= 32);
            let mask1 = if over { 0 } else { u32::MAX << sum };
            let form = if clamp { "bmsk.clamp.b32" } else { "bmsk.wrap.b32" };
            prop_assert_eq!(run(form, [a.into(), b.into()]), u64::from(mask0 & !mask1));
        }
        let width = b.min(32);
        let kept = (0..width).fold(0_u32, |sum, i| sum | a & 1 << i);
        prop_assert_eq!(run("szext.clamp.u32", [a.into(), b.into()]), u64::from(kept));
        let sign = if width > 0 && a >> (width - 1) & 1 == 1 { (width..32).fold(0, |s, i| s | 1_u32 << i) } else { 0 };
        prop_assert_eq!(run("szext.clamp.s32", [a.into(), b.into()]), u64::from(kept | sign));
    }

    #[test]
    fn bit_counts(a in operand()) {
        let text = format!("{a:064b}");
        prop_assert_eq!(run("popc.b64", [a]), text.matches('1').count() as u64);
        prop_assert_eq!(run("clz.b64", [a]), text.find('1').unwrap_or(64) as u64);
        prop_assert_eq!(run("clz.b32", [a]), text[32..].find('1').unwrap_or(32) as u64);
        let reversed: String = text.chars().rev().collect();
        prop_assert_eq!(run("brev.b64", [a]), u64::from_str_radix(&reversed, 2).unwrap());
        prop_assert_eq!(run("brev.b32", [a]), u64::from_str_radix(&reversed[..32], 2).unwrap());
        let top = text.find('1').map_or(0xffff_ffff, |at| 63 - at as u64);
        prop_assert_eq!(run("bfind.u64", [a]), top);
        let sign = &text[..1];
        let other = text.find(if sign == "1" { '0' } else { '1' }).map_or(0xffff_ffff, |at| 63 - at as u64);
        prop_assert_eq!(run("bfind.s64", [a]), other);
    }

    #[test]
    fn lookup_and_permutation(a: u32, b: u32, c: u32, table: u8) {
        let expected = (0..32).fold(0_u32, |sum, i| {
            let row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
            sum | u32::from(table >> row & 1) << i
        });
        prop_assert_eq!(run("lop3.b32", [a.into(), b.into(), c.into(), table.into()]), u64::from(expected));
        let bytes = [a.to_le_bytes(), b.to_le_bytes()].concat();
        let picked: Vec<u8> = (0..4).map(|i| {
            let selector = c >> (4 * i) & 15;
            let byte = bytes[selector as usize % 8];
            if selector < 8 { byte } else if byte < 128 { 0 } else { 255 }
        }).collect();
        let expected = u32::from_le_bytes(picked.try_into().unwrap());
        prop_assert_eq!(run("prmt.b32", [a.into(), b.into(), c.into()]), u64::from(expected));
    }

    #[test]
    fn shifts(a in operand(), b in operand(), by in 0..140_u32) {
        let by64 = u64::from(by);
        for (ty, signed) in [(T::U16, T::S16), (T::U32, T::S32), (T::U64, T::S64)] {
            let wide = value(ty, a);
            let left = if by >= ty.bits() { 0 } else { wide << by };
            prop_assert_eq!(run(&format!("shl.b{}", ty.bits()), [a, by64]), low(ty, left));
            prop_assert_eq!(run(&format!("shr.{}", ty.name()), [a, by64]), low(ty, wide >> by.min(127)));
            let wide = value(signed, a);
            prop_assert_eq!(run(&format!("shr.{}", signed.name()), [a, by64]), low(ty, wide >> by.min(127)));
        }
        let pair = (b & 0xffff_ffff) << 32 | a & 0xffff_ffff;
        prop_assert_eq!(run("shf.r.wrap.b32", [a, b, by64]), pair >> (by & 31) & 0xffff_ffff);
        prop_assert_eq!(run("shf.l.wrap.b32", [a, b, by64]), pair << (by & 31) >> 32);
        prop_assert_eq!(run("shf.r.clamp.b32", [a, b, by64]), pair >> by.min(32) & 0xffff_ffff);
        prop_assert_eq!(run("shf.l.clamp.b32", [a, b, by64]), pair << by.min(32) >> 32);
    }
}
