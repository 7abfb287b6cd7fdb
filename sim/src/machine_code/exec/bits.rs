//! Words by their bits, bytes and halves: tables of three inputs, shifts, permutations, the lesser and the greater of two.

use crate::machine_code::op::{Combine, MinMax, Permute, Row, Shift};
use crate::memory::rows::{map, map2, map3};

/// The bits of three words looked up in a table; the frequent tables are an instruction or two.
#[inline(always)]
pub(super) fn lop3(table: u8, a: &Row, b: &Row, c: &Row) -> Row {
    match table {
        0xc0 => map2(a, b, |a, b| a & b),
        0xfc => map2(a, b, |a, b| a | b),
        0x3c => map2(a, b, |a, b| a ^ b),
        0x30 => map2(a, b, |a, b| a & !b),
        0x33 => map(b, |b| !b),
        0xf8 => map3(a, b, c, |a, b, c| a | b & c),
        0x80 => map3(a, b, c, |a, b, c| a & b & c),
        0xfe => map3(a, b, c, |a, b, c| a | b | c),
        0x96 => map3(a, b, c, |a, b, c| a ^ b ^ c),
        _ => map3(a, b, c, |a, b, c| table_of(table, a, b, c)),
    }
}

#[inline(always)]
pub(super) fn table_of(table: u8, a: u32, b: u32, c: u32) -> u32 {
    let mut result = 0;
    for row in 0..8 {
        let pick = 0u32.wrapping_sub(u32::from(table >> row & 1));
        let a = if row & 4 != 0 { a } else { !a };
        let b = if row & 2 != 0 { b } else { !b };
        let c = if row & 1 != 0 { c } else { !c };
        result |= a & b & c & pick;
    }
    result
}

#[inline(always)]
pub(super) fn shifted(shift: Shift, low: &Row, amount: &Row, high: &Row) -> Row {
    let Shift { left, wraps, signed, wide, high: upper } = shift;
    match (left, upper, wide, wraps, signed) {
        // The upper word alone, shifted right.
        (false, true, false, false, false) => map2(high, amount, |value, by| if by < 32 { value >> by } else { 0 }),
        (false, true, false, false, true) => map2(high, amount, |value, by| (value as i32 >> by.min(31)) as u32),
        (true, false, false, false, _) => map2(low, amount, |value, by| if by < 32 { value << by } else { 0 }),
        _ => map3(low, amount, high, |low, by, high| {
            let limit = if wide { 64 } else { 32 };
            let by = if wraps { by & (limit - 1) } else { by.min(limit) };
            let pair = u64::from(low) | u64::from(high) << 32;
            if left {
                let value = if by < 64 { pair << by } else { 0 };
                return (if upper { value >> 32 } else { value }) as u32;
            }
            let value = match (signed, by) {
                (true, _) => (pair as i64 >> by.min(63)) as u64,
                (false, 64) => 0,
                (false, _) => pair >> by,
            };
            (if upper { value >> 32 } else { value }) as u32
        }),
    }
}

#[inline(always)]
pub(super) fn permuted(mode: Permute, a: u32, selector: u32, c: u32) -> u32 {
    let bytes = u64::from(a) | u64::from(c) << 32;
    let byte = |at: u32| (bytes >> (8 * (at & 7))) as u32 & 255;
    let at = selector & 3;
    let of = |places: [u32; 4]| byte(places[0]) | byte(places[1]) << 8 | byte(places[2]) << 16 | byte(places[3]) << 24;
    match mode {
        Permute::Index => {
            let mut result = 0;
            for place in 0..4 {
                let choice = selector >> (4 * place) & 15;
                let value = byte(choice);
                let sign = 0u32.wrapping_sub(value >> 7) & 255;
                result |= (if choice & 8 != 0 { sign } else { value }) << (8 * place);
            }
            result
        }
        Permute::F4E => of([at, at + 1, at + 2, at + 3]),
        Permute::B4E => of([at, (8 + at - 1) & 7, (8 + at - 2) & 7, (8 + at - 3) & 7]),
        Permute::Rc8 => of([at; 4]),
        Permute::Ecl => of([at, at.max(1), at.max(2), 3]),
        Permute::Ecr => of([0, at.min(1), at.min(2), at]),
        Permute::Rc16 => of(if at & 1 == 0 { [0, 1, 0, 1] } else { [2, 3, 2, 3] }),
    }
}

pub(super) fn add_halves(a: u32, b: u32) -> u32 {
    u32::from((a as u16).wrapping_add(b as u16)) | u32::from(((a >> 16) as u16).wrapping_add((b >> 16) as u16)) << 16
}

#[inline(always)]
pub(super) fn extremum(kind: MinMax, min: u32, a: &Row, b: &Row) -> Row {
    let halves = |a: u32, b: u32, f: fn(u16, u16) -> u16| {
        u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
    };
    let (least, most) = match kind {
        MinMax::Signed => {
            (map2(a, b, |a, b| (a as i32).min(b as i32) as u32), map2(a, b, |a, b| (a as i32).max(b as i32) as u32))
        }
        MinMax::Unsigned => (map2(a, b, u32::min), map2(a, b, u32::max)),
        MinMax::SignedHalves => (
            map2(a, b, |a, b| halves(a, b, |a, b| (a as i16).min(b as i16) as u16)),
            map2(a, b, |a, b| halves(a, b, |a, b| (a as i16).max(b as i16) as u16)),
        ),
        MinMax::UnsignedHalves => {
            (map2(a, b, |a, b| halves(a, b, u16::min)), map2(a, b, |a, b| halves(a, b, u16::max)))
        }
    };
    let mut row = [0; 32];
    for lane in 0..32 {
        row[lane] = if min >> lane & 1 != 0 { least[lane] } else { most[lane] };
    }
    row
}

/// Negative numbers become zero.
pub(super) fn positive(kind: MinMax, value: u32) -> u32 {
    match kind {
        MinMax::Signed => (value as i32).max(0) as u32,
        MinMax::SignedHalves => {
            let half = |value: u32| u32::from((value as u16 as i16).max(0) as u16);
            half(value) | half(value >> 16) << 16
        }
        MinMax::Unsigned | MinMax::UnsignedHalves => value,
    }
}

#[inline(always)]
pub(super) const fn combine(how: Combine, value: u32, with: u32) -> u32 {
    match how {
        Combine::And => value & with,
        Combine::Or => value | with,
        Combine::Xor => value ^ with,
    }
}
