//! Every lane-local instruction: where the manual describes it, what it computes, which types it takes and an example.
//! Decoding starts here, so a row that is missing is an instruction that is not simulated.

use super::modifiers::{Decoded, Modifiers};
use super::types::ScalarType as T;

/// One instruction of the PTX ISA manual, version 9.0.
#[derive(Debug, Clone, Copy)]
pub struct Instruction {
    /// The part of the opcode before the first dot.
    pub name: &'static str,
    /// The manual's section.
    pub section: &'static str,
    /// What it computes, in a line.
    pub semantics: &'static str,
    /// An opcode of it.
    pub example: &'static str,
    /// The types that choose this row: the first of the opcode (of `set`, the last); empty when any does.
    pub types: &'static [T],
    /// A modifier without which the row does not apply.
    pub(super) needs: Option<&'static str>,
    pub(super) family: Family,
}

/// The file that holds the semantics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Integer,
    Carry,
    Bitfield,
    Float32,
    Float64,
    Half,
    Compare,
    Logic,
    Convert,
    Pack,
    Video,
}

const INT: &[T] = &[T::U16, T::U32, T::U64, T::S16, T::S32, T::S64];
const INT_PACKED: &[T] = &[T::U16, T::U32, T::U64, T::S16, T::S32, T::S64, T::U16x2, T::S16x2];
const SIGNED: &[T] = &[T::S16, T::S32, T::S64];
const WORD: &[T] = &[T::U32, T::S32];
const LONG: &[T] = &[T::U32, T::S32, T::U64, T::S64];
const B32: &[T] = &[T::B32];
const BITS: &[T] = &[T::B32, T::B64];
const LOGIC: &[T] = &[T::Pred, T::B16, T::B32, T::B64];
const SHIFT_LEFT: &[T] = &[T::B16, T::B32, T::B64];
const SHIFT_RIGHT: &[T] = &[T::B16, T::B32, T::B64, T::U16, T::U32, T::U64, T::S16, T::S32, T::S64];
const F32: &[T] = &[T::F32];
const F64: &[T] = &[T::F64];
const HALF: &[T] = &[T::F16, T::F16x2, T::BF16, T::BF16x2];
const COMPARE: &[T] = &[T::B16, T::B32, T::B64, T::U16, T::U32, T::U64, T::S16, T::S32, T::S64, T::F32, T::F64];

/// A row: name, section, semantics, example, types, modifier needed, family.
const fn row(
    name: &'static str,
    section: &'static str,
    semantics: &'static str,
    example: &'static str,
    types: &'static [T],
    needs: Option<&'static str>,
    family: Family,
) -> Instruction {
    Instruction { name, section, semantics, example, types, needs, family }
}

/// Every lane-local instruction that is simulated.
#[rustfmt::skip]
pub const TABLE: &[Instruction] = &[
    // Extended precision first: its rows need a modifier that the plain rows do not know.
    row("add", "9.7.2.1", "d = a + b, carry out", "add.cc.u32", LONG, Some("cc"), Family::Carry),
    row("addc", "9.7.2.2", "d = a + b + carry", "addc.cc.u32", INT, None, Family::Carry),
    row("sub", "9.7.2.3", "d = a - b, borrow out", "sub.cc.u32", LONG, Some("cc"), Family::Carry),
    row("subc", "9.7.2.4", "d = a - (b + borrow)", "subc.u32", INT, None, Family::Carry),
    row("mad", "9.7.2.5", "d = half of a * b, plus c, carry out", "mad.lo.cc.u32", LONG, Some("cc"), Family::Carry),
    row("madc", "9.7.2.6", "d = half of a * b, plus c + carry", "madc.hi.u32", INT, None, Family::Carry),
    row("add", "9.7.1.1", "d = a + b, or clamped", "add.s32", INT_PACKED, None, Family::Integer),
    row("sub", "9.7.1.2", "d = a - b, or clamped", "sub.sat.s32", INT, None, Family::Integer),
    row("mul", "9.7.1.3", "d = lower or upper half of a * b, or all of it", "mul.wide.s32", INT, None, Family::Integer),
    row("mad", "9.7.1.4", "d = part of a * b, plus c", "mad.lo.s32", INT, None, Family::Integer),
    row("mul24", "9.7.1.5", "d = upper or lower 32 bits of the product of 24-bit numbers", "mul24.lo.u32", WORD, None, Family::Integer),
    row("mad24", "9.7.1.6", "d = mul24(a, b) + c", "mad24.hi.sat.s32", WORD, None, Family::Integer),
    row("sad", "9.7.1.7", "d = c + |a - b|", "sad.s32", INT, None, Family::Integer),
    row("div", "9.7.1.8", "d = a / b, towards zero", "div.s32", INT, None, Family::Integer),
    row("rem", "9.7.1.9", "d = a % b, with the sign of a", "rem.u32", INT, None, Family::Integer),
    row("abs", "9.7.1.10", "d = |a|", "abs.s32", SIGNED, None, Family::Integer),
    row("neg", "9.7.1.11", "d = -a", "neg.s32", SIGNED, None, Family::Integer),
    row("min", "9.7.1.12", "d = the lesser of a and b", "min.s32", INT_PACKED, None, Family::Integer),
    row("max", "9.7.1.13", "d = the greater of a and b", "max.relu.s16x2", INT_PACKED, None, Family::Integer),
    row("popc", "9.7.1.14", "d = number of ones in a", "popc.b32", BITS, None, Family::Bitfield),
    row("clz", "9.7.1.15", "d = number of zeros above the highest one of a", "clz.b64", BITS, None, Family::Bitfield),
    row("bfind", "9.7.1.16", "d = position of the highest bit of a that is not sign", "bfind.shiftamt.u32", LONG, None, Family::Bitfield),
    row("fns", "9.7.1.17", "d = position of the c-th one of a counted from bit b", "fns.b32", B32, None, Family::Bitfield),
    row("brev", "9.7.1.18", "d = a with its bits in reverse order", "brev.b32", BITS, None, Family::Bitfield),
    row("bfe", "9.7.1.19", "d = c bits of a from bit b on, extended", "bfe.s32", LONG, None, Family::Bitfield),
    row("bfi", "9.7.1.20", "d = b with d bits from bit c on taken from a", "bfi.b64", BITS, None, Family::Bitfield),
    row("szext", "9.7.1.21", "d = the low b bits of a, extended", "szext.clamp.s32", WORD, None, Family::Bitfield),
    row("bmsk", "9.7.1.22", "d = b ones from bit a on", "bmsk.clamp.b32", B32, None, Family::Bitfield),
    row("dp4a", "9.7.1.23", "d = c + dot product of four bytes of a and b", "dp4a.u32.u32", WORD, None, Family::Bitfield),
    row("dp2a", "9.7.1.24", "d = c + dot product of two halves of a and two bytes of b", "dp2a.lo.s32.u32", WORD, None, Family::Bitfield),

    row("testp", "9.7.3.1", "d = whether a is finite, infinite, a number, NaN, normal or subnormal", "testp.normal.f32", F32, None, Family::Float32),
    row("testp", "9.7.3.1", "d = whether a is finite, infinite, a number, NaN, normal or subnormal", "testp.subnormal.f64", F64, None, Family::Float64),
    row("copysign", "9.7.3.2", "d = b with the sign of a", "copysign.f32", F32, None, Family::Float32),
    row("copysign", "9.7.3.2", "d = b with the sign of a", "copysign.f64", F64, None, Family::Float64),
    row("add", "9.7.3.3", "d = a + b", "add.rn.ftz.f32", F32, None, Family::Float32),
    row("add", "9.7.3.3", "d = a + b", "add.rp.f64", F64, None, Family::Float64),
    row("sub", "9.7.3.4", "d = a - b", "sub.f32", F32, None, Family::Float32),
    row("sub", "9.7.3.4", "d = a - b", "sub.f64", F64, None, Family::Float64),
    row("mul", "9.7.3.5", "d = a * b", "mul.rz.f32", F32, None, Family::Float32),
    row("mul", "9.7.3.5", "d = a * b", "mul.f64", F64, None, Family::Float64),
    row("fma", "9.7.3.6", "d = a * b + c, rounded once", "fma.rn.f32", F32, None, Family::Float32),
    row("fma", "9.7.3.6", "d = a * b + c, rounded once", "fma.rn.f64", F64, None, Family::Float64),
    row("mad", "9.7.3.7", "d = a * b + c, rounded once", "mad.rn.f32", F32, None, Family::Float32),
    row("mad", "9.7.3.7", "d = a * b + c, rounded once", "mad.rn.f64", F64, None, Family::Float64),
    row("div", "9.7.3.8", "d = a / b", "div.full.ftz.f32", F32, None, Family::Float32),
    row("div", "9.7.3.8", "d = a / b", "div.rn.f64", F64, None, Family::Float64),
    row("abs", "9.7.3.9", "d = |a|", "abs.f32", F32, None, Family::Float32),
    row("abs", "9.7.3.9", "d = |a|", "abs.f64", F64, None, Family::Float64),
    row("neg", "9.7.3.10", "d = -a", "neg.f32", F32, None, Family::Float32),
    row("neg", "9.7.3.10", "d = -a", "neg.f64", F64, None, Family::Float64),
    row("min", "9.7.3.11", "d = the lesser of a and b", "min.NaN.f32", F32, None, Family::Float32),
    row("min", "9.7.3.11", "d = the lesser of a and b", "min.f64", F64, None, Family::Float64),
    row("max", "9.7.3.12", "d = the greater of a and b", "max.xorsign.abs.f32", F32, None, Family::Float32),
    row("max", "9.7.3.12", "d = the greater of a and b", "max.f64", F64, None, Family::Float64),
    row("rcp", "9.7.3.13", "d = 1 / a", "rcp.approx.ftz.f32", F32, None, Family::Float32),
    row("rcp", "9.7.3.13", "d = 1 / a; approximately: 9.7.3.14", "rcp.approx.ftz.f64", F64, None, Family::Float64),
    row("sqrt", "9.7.3.15", "d = square root of a", "sqrt.rn.f32", F32, None, Family::Float32),
    row("sqrt", "9.7.3.15", "d = square root of a", "sqrt.rn.f64", F64, None, Family::Float64),
    row("rsqrt", "9.7.3.16", "d = 1 / square root of a, approximately", "rsqrt.approx.f32", F32, None, Family::Float32),
    row("rsqrt", "9.7.3.16", "d = 1 / square root of a, approximately; from the upper word: 9.7.3.17", "rsqrt.approx.ftz.f64", F64, None, Family::Float64),
    row("sin", "9.7.3.18", "d = sine of a, approximately", "sin.approx.f32", F32, None, Family::Float32),
    row("cos", "9.7.3.19", "d = cosine of a, approximately", "cos.approx.ftz.f32", F32, None, Family::Float32),
    row("lg2", "9.7.3.20", "d = logarithm of a to base 2, approximately", "lg2.approx.f32", F32, None, Family::Float32),
    row("ex2", "9.7.3.21", "d = 2 to the power of a, approximately", "ex2.approx.ftz.f32", F32, None, Family::Float32),
    row("tanh", "9.7.3.22", "d = hyperbolic tangent of a, approximately", "tanh.approx.f32", F32, None, Family::Float32),

    row("add", "9.7.4.1", "d = a + b", "add.f16x2", HALF, None, Family::Half),
    row("sub", "9.7.4.2", "d = a - b", "sub.bf16", HALF, None, Family::Half),
    row("mul", "9.7.4.3", "d = a * b", "mul.ftz.sat.f16", HALF, None, Family::Half),
    row("fma", "9.7.4.4", "d = a * b + c, rounded once", "fma.rn.relu.bf16x2", HALF, None, Family::Half),
    row("neg", "9.7.4.5", "d = -a", "neg.f16", HALF, None, Family::Half),
    row("abs", "9.7.4.6", "d = |a|", "abs.bf16x2", HALF, None, Family::Half),
    row("min", "9.7.4.7", "d = the lesser of a and b", "min.NaN.f16", HALF, None, Family::Half),
    row("max", "9.7.4.8", "d = the greater of a and b", "max.bf16", HALF, None, Family::Half),
    row("tanh", "9.7.4.9", "d = hyperbolic tangent of a, approximately", "tanh.approx.f16", HALF, None, Family::Half),
    row("ex2", "9.7.4.10", "d = 2 to the power of a, approximately", "ex2.approx.ftz.bf16", HALF, None, Family::Half),

    row("set", "9.7.6.1", "d = one or all ones when the comparison holds", "set.lt.and.u32.f32", COMPARE, None, Family::Compare),
    row("setp", "9.7.6.2", "p = comparison, q = its opposite, each combined with c", "setp.lt.and.s32", COMPARE, None, Family::Compare),
    row("selp", "9.7.6.3", "d = c ? a : b", "selp.b32", COMPARE, None, Family::Compare),
    row("slct", "9.7.6.4", "d = c >= 0 ? a : b", "slct.u32.s32", COMPARE, None, Family::Compare),
    row("set", "9.7.7.1", "d = one or all ones when the comparison holds, per half", "set.eq.f16.f16", HALF, None, Family::Compare),
    row("setp", "9.7.7.2", "p = comparison, q = its opposite or that of the upper halves", "setp.gtu.f16x2", HALF, None, Family::Compare),

    row("and", "9.7.8.1", "d = a & b", "and.b32", LOGIC, None, Family::Logic),
    row("or", "9.7.8.2", "d = a | b", "or.pred", LOGIC, None, Family::Logic),
    row("xor", "9.7.8.3", "d = a ^ b", "xor.b64", LOGIC, None, Family::Logic),
    row("not", "9.7.8.4", "d = ~a", "not.pred", LOGIC, None, Family::Logic),
    row("cnot", "9.7.8.5", "d = a == 0", "cnot.b32", SHIFT_LEFT, None, Family::Logic),
    row("lop3", "9.7.8.6", "d = the bits that a table names for the bits of a, b and c", "lop3.b32", B32, None, Family::Logic),
    row("shf", "9.7.8.7", "d = upper or lower word of the pair of b and a, shifted", "shf.l.wrap.b32", B32, None, Family::Logic),
    row("shl", "9.7.8.8", "d = a << b, zero when b exceeds the width", "shl.b64", SHIFT_LEFT, None, Family::Logic),
    row("shr", "9.7.8.9", "d = a >> b, filled with zeros or the sign", "shr.s32", SHIFT_RIGHT, None, Family::Logic),

    row("prmt", "9.7.9.7", "d = four of the eight bytes of a and b", "prmt.b32", B32, None, Family::Logic),
    row("cvt", "9.7.9.22", "d = two clamped integers side by side", "cvt.pack.sat.u8.s32.b32", &[], Some("pack"), Family::Pack),
    row("cvt", "9.7.9.21", "d = a in another format", "cvt.rzi.s32.f32", &[], None, Family::Convert),

    row("vadd", "9.7.18.1.1", "d = a + b of parts of words; then c added, compared or merged", "vadd.u32.s32.u32.sat.add", WORD, None, Family::Video),
    row("vsub", "9.7.18.1.1", "d = a - b of parts of words; then c added, compared or merged", "vsub.s32.s32.s32", WORD, None, Family::Video),
    row("vabsdiff", "9.7.18.1.1", "d = |a - b| of parts of words; then c added, compared or merged", "vabsdiff.s32.s32.s32", WORD, None, Family::Video),
    row("vmin", "9.7.18.1.1", "d = the lesser of a and b of parts of words; then c added, compared or merged", "vmin.s32.s32.s32", WORD, None, Family::Video),
    row("vmax", "9.7.18.1.1", "d = the greater of a and b of parts of words; then c added, compared or merged", "vmax.s32.s32.s32", WORD, None, Family::Video),
    row("vshl", "9.7.18.1.2", "d = a << b of parts of words; then c added, compared or merged", "vshl.u32.u32.u32.clamp", WORD, None, Family::Video),
    row("vshr", "9.7.18.1.2", "d = a >> b of parts of words; then c added, compared or merged", "vshr.u32.u32.u32.clamp", WORD, None, Family::Video),
    row("vmad", "9.7.18.1.3", "d = a * b + c of parts of words, shifted right", "vmad.s32.s32.u32.sat.shr7", WORD, None, Family::Video),
    row("vset", "9.7.18.1.4", "d = whether the comparison of parts of words holds", "vset.u32.u32.ne", WORD, None, Family::Video),
    row("vadd2", "9.7.18.2.1", "d = a + b per pair of halves, beside or added to c", "vadd2.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vsub2", "9.7.18.2.1", "d = a - b per pair of halves, beside or added to c", "vsub2.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vavrg2", "9.7.18.2.1", "d = the average of a and b per pair of halves, beside or added to c", "vavrg2.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vabsdiff2", "9.7.18.2.1", "d = |a - b| per pair of halves, beside or added to c", "vabsdiff2.u32.u32.u32.add", WORD, None, Family::Video),
    row("vmin2", "9.7.18.2.1", "d = the lesser of a and b per pair of halves, beside or added to c", "vmin2.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vmax2", "9.7.18.2.1", "d = the greater of a and b per pair of halves, beside or added to c", "vmax2.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vset2", "9.7.18.2.2", "d = whether the comparison holds per pair of halves, beside or added to c", "vset2.u32.u32.lt", WORD, None, Family::Video),
    row("vadd4", "9.7.18.2.3", "d = a + b per pair of bytes, beside or added to c", "vadd4.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vsub4", "9.7.18.2.3", "d = a - b per pair of bytes, beside or added to c", "vsub4.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vavrg4", "9.7.18.2.3", "d = the average of a and b per pair of bytes, beside or added to c", "vavrg4.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vabsdiff4", "9.7.18.2.3", "d = |a - b| per pair of bytes, beside or added to c", "vabsdiff4.u32.u32.u32.add", WORD, None, Family::Video),
    row("vmin4", "9.7.18.2.3", "d = the lesser of a and b per pair of bytes, beside or added to c", "vmin4.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vmax4", "9.7.18.2.3", "d = the greater of a and b per pair of bytes, beside or added to c", "vmax4.s32.s32.u32.sat", WORD, None, Family::Video),
    row("vset4", "9.7.18.2.4", "d = whether the comparison holds per pair of bytes, beside or added to c", "vset4.u32.u32.lt", WORD, None, Family::Video),
];

/// Modifiers and types that PTX has only for targets later than the simulated ones.
const LATER: [&str; 11] =
    ["f32x2", "e2m1x2", "e2m1x4", "e2m3x2", "e2m3x4", "e3m2x2", "e3m2x4", "e4m3x4", "e5m2x4", "ue8m0x2", "rs"];

/// The row that decodes this opcode, whose name must be in the table.
pub(super) fn find(m: &Modifiers<'_>) -> Decoded<&'static Instruction> {
    if let Some(later) = LATER.iter().find(|modifier| m.has(modifier)) {
        return Err(m.unsupported(&format!("`.{later}` exists from compute capability 10.0 on")));
    }
    let ty = if m.base() == "set" { m.types().last().copied() } else { m.first_type() };
    let Some(ty) = ty else {
        return Err(m.invalid("a type is missing"));
    };
    let fits = |row: &&Instruction| {
        row.name == m.base()
            && row.needs.is_none_or(|modifier| m.has(modifier))
            && (row.types.is_empty() || row.types.contains(&ty))
    };
    TABLE.iter().find(fits).ok_or_else(|| m.invalid(&format!("it does not exist for the type `{ty}`")))
}
