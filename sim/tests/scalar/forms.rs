//! Lane-local instruction forms with their meaning in Rust, written from the PTX manual and not from the simulator.

/// A class of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// 32 bits: `%r0` to `%r5`.
    R,
    /// 64 bits: `%d0` to `%d2`.
    D,
    /// A predicate: `%p0` to `%p2`.
    P,
}

impl Class {
    /// Registers of the class that a program computes with.
    pub(crate) const fn count(self) -> usize {
        match self {
            Self::R => 6,
            Self::D | Self::P => 3,
        }
    }

    /// The letter of the registers' names.
    pub(crate) const fn letter(self) -> char {
        match self {
            Self::R => 'r',
            Self::D => 'd',
            Self::P => 'p',
        }
    }
}

/// An instruction form.
pub(crate) struct Form {
    /// The opcode with its modifiers.
    pub(crate) name: &'static str,
    /// What it writes.
    pub(crate) to: Class,
    /// What it reads.
    pub(crate) from: &'static [Class],
    /// Operands of 64 bits each (high bits of narrower ones are zero) to the result, of which the class's bits count.
    pub(crate) eval: fn(&[u64]) -> u64,
}

use Class::{D, P, R};

const fn form(name: &'static str, to: Class, from: &'static [Class], eval: fn(&[u64]) -> u64) -> Form {
    Form { name, to, from, eval }
}

fn low(value: u64) -> u32 {
    value as u32
}

fn signed(value: u64) -> i32 {
    value as u32 as i32
}

fn float(value: u64) -> f32 {
    f32::from_bits(value as u32)
}

/// Every NaN that arithmetic makes is the canonical one.
fn bits(value: f32) -> u64 {
    if value.is_nan() { 0x7fff_ffff } else { u64::from(value.to_bits()) }
}

fn word(value: u32) -> u64 {
    u64::from(value)
}

fn int(value: i32) -> u64 {
    u64::from(value as u32)
}

fn flag(value: bool) -> u64 {
    u64::from(value)
}

/// A bit field of `length` bits from `start` on; bits beyond the register are zero, or the sign where it is wanted.
fn field(value: u32, start: u32, length: u32, sign: bool) -> u32 {
    let (start, length) = (start & 0xff, length & 0xff);
    if length == 0 {
        return 0;
    }
    let at = |bit: u32| value >> bit.min(31) & 1;
    let top = at(start + length - 1);
    (0..32).fold(0, |out, bit| {
        let given = if bit < length && start + bit < 32 {
            at(start + bit)
        } else if sign {
            top
        } else {
            0
        };
        out | given << bit
    })
}

fn insert(from: u32, into: u32, start: u32, length: u32) -> u32 {
    let (start, length) = (start & 0xff, length & 0xff);
    (0..32).fold(into, |out, bit| {
        let inside = bit >= start && bit < start + length;
        if inside { out & !(1 << bit) | (from >> (bit - start) & 1) << bit } else { out }
    })
}

fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = (word(b) << 32 | word(a)).to_le_bytes();
    u32::from_le_bytes(std::array::from_fn(|at| {
        let select = selector >> (4 * at) & 0xf;
        let byte = bytes[select as usize & 7];
        if select & 8 == 0 {
            byte
        } else if byte & 0x80 != 0 {
            0xff
        } else {
            0
        }
    }))
}

fn dot(a: [i32; 4], b: [i32; 4], c: u32) -> u32 {
    a.iter().zip(b).fold(c, |sum, (&a, b)| sum.wrapping_add((a * b) as u32))
}

/// Position of the highest bit that is not `fill`.
fn highest(value: u32) -> u64 {
    if value == 0 { 0xffff_ffff } else { word(31 - value.leading_zeros()) }
}

/// All forms, in an order that saved inputs rely on: append only.
pub(crate) static FORMS: &[Form] = &[
    form("add.u32", R, &[R, R], |v| word(low(v[0]).wrapping_add(low(v[1])))),
    form("sub.s32", R, &[R, R], |v| word(low(v[0]).wrapping_sub(low(v[1])))),
    form("mul.lo.s32", R, &[R, R], |v| word(low(v[0]).wrapping_mul(low(v[1])))),
    form("mul.hi.u32", R, &[R, R], |v| (v[0] * v[1]) >> 32),
    form("mul.hi.s32", R, &[R, R], |v| int(((i64::from(signed(v[0])) * i64::from(signed(v[1]))) >> 32) as i32)),
    form("mad.lo.u32", R, &[R, R, R], |v| word(low(v[0]).wrapping_mul(low(v[1])).wrapping_add(low(v[2])))),
    form("mad.hi.u32", R, &[R, R, R], |v| word((((v[0] * v[1]) >> 32) as u32).wrapping_add(low(v[2])))),
    form("min.s32", R, &[R, R], |v| int(signed(v[0]).min(signed(v[1])))),
    form("max.s32", R, &[R, R], |v| int(signed(v[0]).max(signed(v[1])))),
    form("min.u32", R, &[R, R], |v| v[0].min(v[1])),
    form("max.u32", R, &[R, R], |v| v[0].max(v[1])),
    form("add.sat.s32", R, &[R, R], |v| int(signed(v[0]).saturating_add(signed(v[1])))),
    form("sub.sat.s32", R, &[R, R], |v| int(signed(v[0]).saturating_sub(signed(v[1])))),
    form("abs.s32", R, &[R], |v| int(signed(v[0]).wrapping_abs())),
    form("neg.s32", R, &[R], |v| int(signed(v[0]).wrapping_neg())),
    form("sad.u32", R, &[R, R, R], |v| word(low(v[2]).wrapping_add(low(v[0]).abs_diff(low(v[1]))))),
    form("and.b32", R, &[R, R], |v| v[0] & v[1]),
    form("or.b32", R, &[R, R], |v| v[0] | v[1]),
    form("xor.b32", R, &[R, R], |v| v[0] ^ v[1]),
    form("not.b32", R, &[R], |v| word(!low(v[0]))),
    form("cnot.b32", R, &[R], |v| flag(v[0] == 0)),
    form("shl.b32", R, &[R, R], |v| word(low(v[0]).checked_shl(low(v[1])).unwrap_or(0))),
    form("shr.u32", R, &[R, R], |v| word(low(v[0]).checked_shr(low(v[1])).unwrap_or(0))),
    form("shr.s32", R, &[R, R], |v| int(signed(v[0]) >> v[1].min(31))),
    form("shf.l.wrap.b32", R, &[R, R, R], |v| ((v[1] << 32 | v[0]) << (v[2] & 31)) >> 32),
    form("shf.r.clamp.b32", R, &[R, R, R], |v| (v[1] << 32 | v[0]) >> v[2].min(32)),
    form("popc.b32", R, &[R], |v| word(low(v[0]).count_ones())),
    form("clz.b32", R, &[R], |v| word(low(v[0]).leading_zeros())),
    form("brev.b32", R, &[R], |v| word(low(v[0]).reverse_bits())),
    form("bfind.u32", R, &[R], |v| highest(low(v[0]))),
    form("bfind.s32", R, &[R], |v| highest(if signed(v[0]) < 0 { !low(v[0]) } else { low(v[0]) })),
    form("bfe.u32", R, &[R, R, R], |v| word(field(low(v[0]), low(v[1]), low(v[2]), false))),
    form("bfe.s32", R, &[R, R, R], |v| word(field(low(v[0]), low(v[1]), low(v[2]), true))),
    form("bfi.b32", R, &[R, R, R, R], |v| word(insert(low(v[0]), low(v[1]), low(v[2]), low(v[3])))),
    form("prmt.b32", R, &[R, R, R], |v| word(permute(low(v[0]), low(v[1]), low(v[2])))),
    form("dp4a.u32.u32", R, &[R, R, R], |v| {
        let bytes = |value: u64| low(value).to_le_bytes().map(i32::from);
        word(dot(bytes(v[0]), bytes(v[1]), low(v[2])))
    }),
    form("dp4a.s32.s32", R, &[R, R, R], |v| {
        let bytes = |value: u64| low(value).to_le_bytes().map(|byte| i32::from(byte as i8));
        word(dot(bytes(v[0]), bytes(v[1]), low(v[2])))
    }),
    form("setp.lt.s32", P, &[R, R], |v| flag(signed(v[0]) < signed(v[1]))),
    form("setp.hs.u32", P, &[R, R], |v| flag(v[0] >= v[1])),
    form("setp.eq.b32", P, &[R, R], |v| flag(v[0] == v[1])),
    form("setp.gt.u64", P, &[D, D], |v| flag(v[0] > v[1])),
    form("setp.le.f32", P, &[R, R], |v| flag(float(v[0]) <= float(v[1]))),
    form("setp.neu.f32", P, &[R, R], |v| flag(float(v[0]) != float(v[1]))),
    form("and.pred", P, &[P, P], |v| v[0] & v[1]),
    form("or.pred", P, &[P, P], |v| v[0] | v[1]),
    form("xor.pred", P, &[P, P], |v| v[0] ^ v[1]),
    form("not.pred", P, &[P], |v| v[0] ^ 1),
    form("selp.b32", R, &[R, R, P], |v| if v[2] != 0 { v[0] } else { v[1] }),
    form("slct.s32.s32", R, &[R, R, R], |v| if signed(v[2]) >= 0 { v[0] } else { v[1] }),
    form("selp.b64", D, &[D, D, P], |v| if v[2] != 0 { v[0] } else { v[1] }),
    form("add.u64", D, &[D, D], |v| v[0].wrapping_add(v[1])),
    form("sub.s64", D, &[D, D], |v| v[0].wrapping_sub(v[1])),
    form("mul.lo.u64", D, &[D, D], |v| v[0].wrapping_mul(v[1])),
    form("mul.hi.u64", D, &[D, D], |v| ((u128::from(v[0]) * u128::from(v[1])) >> 64) as u64),
    form("mul.wide.u32", D, &[R, R], |v| v[0] * v[1]),
    form("mul.wide.s32", D, &[R, R], |v| (i64::from(signed(v[0])) * i64::from(signed(v[1]))) as u64),
    form("mad.wide.u32", D, &[R, R, D], |v| (v[0] * v[1]).wrapping_add(v[2])),
    form("xor.b64", D, &[D, D], |v| v[0] ^ v[1]),
    form("shl.b64", D, &[D, R], |v| v[0].checked_shl(low(v[1])).unwrap_or(0)),
    form("shr.s64", D, &[D, R], |v| (v[0] as i64 >> v[1].min(63)) as u64),
    form("popc.b64", R, &[D], |v| word(v[0].count_ones())),
    form("clz.b64", R, &[D], |v| word(v[0].leading_zeros())),
    form("cvt.u64.u32", D, &[R], |v| v[0]),
    form("cvt.s64.s32", D, &[R], |v| i64::from(signed(v[0])) as u64),
    form("cvt.u32.u64", R, &[D], |v| word(low(v[0]))),
    form("cvt.s32.s8", R, &[R], |v| int(i32::from(v[0] as i8))),
    form("cvt.u32.u16", R, &[R], |v| u64::from(v[0] as u16)),
    form("add.rn.f32", R, &[R, R], |v| bits(float(v[0]) + float(v[1]))),
    form("sub.rn.f32", R, &[R, R], |v| bits(float(v[0]) - float(v[1]))),
    form("mul.rn.f32", R, &[R, R], |v| bits(float(v[0]) * float(v[1]))),
    form("fma.rn.f32", R, &[R, R, R], |v| bits(float(v[0]).mul_add(float(v[1]), float(v[2])))),
    form("div.rn.f32", R, &[R, R], |v| bits(float(v[0]) / float(v[1]))),
    form("sqrt.rn.f32", R, &[R], |v| bits(float(v[0]).sqrt())),
    form("cvt.rn.f32.s32", R, &[R], |v| bits(signed(v[0]) as f32)),
    form("cvt.rn.f32.u32", R, &[R], |v| bits(low(v[0]) as f32)),
    // Rust's cast saturates and sends NaN to zero, as the conversion to integers does.
    form("cvt.rzi.s32.f32", R, &[R], |v| int(float(v[0]) as i32)),
    form("cvt.rzi.u32.f32", R, &[R], |v| word(float(v[0]) as u32)),
];
