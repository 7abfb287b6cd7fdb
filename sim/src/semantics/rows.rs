//! The table of all lane-local instructions: where the manual describes each, what it computes, which forms it has and
//! which file holds its semantics.

use super::table::{Family, Instruction};
use super::types::ScalarType as T;

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

/// A row: name, section, semantics, forms, types, modifier needed, family.
const fn row(
    name: &'static str,
    section: &'static str,
    semantics: &'static str,
    forms: &'static str,
    types: &'static [T],
    needs: Option<&'static str>,
    family: Family,
) -> Instruction {
    Instruction { name, section, semantics, forms, types, needs, family }
}

/// What `set` can leave.
const SET: &str = "set.{order}[|.and|.or|.xor].[u32|s32|f32|f16|bf16].{int} \
                   set.[lo|ls|hi|hs][|.and|.or|.xor].[u32|s32|f32|f16|bf16].[u16|u32|u64] \
                   set.[eq|ne][|.and|.or|.xor].[u32|s32|f32|f16|bf16].{untyped} \
                   set.{relation}[|.and|.or|.xor][|.ftz].[u32|s32|f32|f16].f32 \
                   set.{relation}[|.and|.or|.xor].bf16.f32 \
                   set.{relation}[|.and|.or|.xor].[u32|s32|f32|f16|bf16].f64";
const SETP: &str = "setp.{order}[|.and|.or|.xor].{int} setp.[lo|ls|hi|hs][|.and|.or|.xor].[u16|u32|u64] \
                    setp.[eq|ne][|.and|.or|.xor].{untyped} setp.{relation}[|.and|.or|.xor][|.ftz].f32 \
                    setp.{relation}[|.and|.or|.xor].f64";
const SET_HALF: &str = "set.{relation}[|.and|.or|.xor][|.ftz].[u16|u32|s16|s32|f16].f16 \
                        set.{relation}[|.and|.or|.xor].bf16.f16 \
                        set.{relation}[|.and|.or|.xor].[u16|u32|s16|s32|bf16].bf16 \
                        set.{relation}[|.and|.or|.xor][|.ftz].[u32|s32|f16x2].f16x2 \
                        set.{relation}[|.and|.or|.xor].[u32|s32|bf16x2].bf16x2";
const SETP_HALF: &str =
    "setp.{relation}[|.and|.or|.xor][|.ftz].[f16|f16x2] setp.{relation}[|.and|.or|.xor].[bf16|bf16x2]";
const CVT: &str = "cvt.{scalar}.{scalar} cvt.sat.u8.[u16|u32|u64|s8|s16|s32|s64] cvt.sat.u16.[u32|u64|s8|s16|s32|s64] \
                   cvt.sat.u32.[u64|s8|s16|s32|s64] cvt.sat.u64.[s8|s16|s32|s64] \
                   cvt.sat.s8.[u8|u16|u32|u64|s16|s32|s64] cvt.sat.s16.[u16|u32|u64|s32|s64] \
                   cvt.sat.s32.[u32|u64|s64] cvt.sat.s64.u64 \
                   cvt.{I}[|.sat].{scalar}.[f16|f64] cvt.{I}.{scalar}.bf16 cvt.{I}[|.ftz][|.sat].{scalar}.f32 \
                   cvt.{R}[|.sat].[f16|f64].{scalar} cvt.{R}.bf16.{scalar} cvt.{R}[|.ftz][|.sat].f32.{scalar} \
                   cvt[|.rni|.rzi|.rmi|.rpi][|.sat].[f16.f16|f64.f64] cvt[|.rni|.rzi|.rmi|.rpi].bf16.bf16 \
                   cvt[|.rni|.rzi|.rmi|.rpi][|.ftz][|.sat].f32.f32 cvt[|.rn|.rz|.rm|.rp].[f16.bf16|bf16.f16] \
                   cvt.{R}[|.ftz][|.sat].f16.f32 cvt.{R}[|.ftz].bf16.f32 \
                   cvt.[rn|rz][.relu|.satfinite|.satfinite.relu].[f16|bf16].f32 cvt.{R}[|.sat].f16.f64 \
                   cvt.{R}.bf16.f64 cvt[|.ftz][|.sat].f32.f16 cvt[|.rn|.rz|.rm|.rp][|.ftz].f32.bf16 \
                   cvt.{R}[|.ftz][|.sat].f32.f64 cvt[|.sat].f64.f16 cvt[|.rn|.rz|.rm|.rp].f64.bf16 \
                   cvt[|.ftz][|.sat].f64.f32 cvt.[rn|rz][|.relu].tf32.f32 cvt.rna[|.satfinite].tf32.f32 \
                   cvt.[rn|rz][|.satfinite][|.relu].[f16x2|bf16x2].f32 cvt.rn[|.relu].f16x2.[e4m3x2|e5m2x2] \
                   cvt.rn.satfinite[|.relu].[e4m3x2|e5m2x2].[f32|f16x2]";

/// Every lane-local instruction that is simulated, in the order of the manual but for extended precision, whose rows
/// need a modifier that the plain rows do not know.
#[rustfmt::skip]
pub const TABLE: &[Instruction] = &[
    row("add", "9.7.2.1", "d = a + b, carry out", "add.cc.{long}", LONG, Some("cc"), Family::Carry),
    row("addc", "9.7.2.2", "d = a + b + carry", "addc.{int} addc.cc.{long}", INT, None, Family::Carry),
    row("sub", "9.7.2.3", "d = a - b, borrow out", "sub.cc.{long}", LONG, Some("cc"), Family::Carry),
    row("subc", "9.7.2.4", "d = a - (b + borrow)", "subc.{int} subc.cc.{long}", INT, None, Family::Carry),
    row("mad", "9.7.2.5", "d = half of a * b, plus c, carry out", "mad.[lo|hi].cc.{long}", LONG, Some("cc"), Family::Carry),
    row("madc", "9.7.2.6", "d = half of a * b, plus c + carry", "madc.[lo|hi].{int} madc.[lo|hi].cc.{long}", INT, None, Family::Carry),
    row("add", "9.7.1.1", "d = a + b, or clamped", "add.{int} add.sat.s32 add.{x2}", INT_PACKED, None, Family::Integer),
    row("sub", "9.7.1.2", "d = a - b, or clamped", "sub.{int} sub.sat.s32", INT, None, Family::Integer),
    row("mul", "9.7.1.3", "d = lower or upper half of a * b, or all of it", "mul.[lo|hi].{int} mul.wide.[u16|s16|u32|s32]", INT, None, Family::Integer),
    row("mad", "9.7.1.4", "d = part of a * b, plus c", "mad.[lo|hi].{int} mad.wide.[u16|s16|u32|s32] mad.hi.sat.s32", INT, None, Family::Integer),
    row("mul24", "9.7.1.5", "d = upper or lower 32 bits of the product of 24-bit numbers", "mul24.[lo|hi].{word}", WORD, None, Family::Integer),
    row("mad24", "9.7.1.6", "d = mul24(a, b) + c", "mad24.[lo|hi].{word} mad24.hi.sat.s32", WORD, None, Family::Integer),
    row("sad", "9.7.1.7", "d = c + |a - b|", "sad.{int}", INT, None, Family::Integer),
    row("div", "9.7.1.8", "d = a / b, towards zero", "div.{int}", INT, None, Family::Integer),
    row("rem", "9.7.1.9", "d = a % b, with the sign of a", "rem.{int}", INT, None, Family::Integer),
    row("abs", "9.7.1.10", "d = |a|", "abs.[s16|s32|s64]", SIGNED, None, Family::Integer),
    row("neg", "9.7.1.11", "d = -a", "neg.[s16|s32|s64]", SIGNED, None, Family::Integer),
    row("min", "9.7.1.12", "d = the lesser of a and b", "min.{int} min.{x2} min.relu.[s32|s16x2]", INT_PACKED, None, Family::Integer),
    row("max", "9.7.1.13", "d = the greater of a and b", "max.{int} max.{x2} max.relu.[s32|s16x2]", INT_PACKED, None, Family::Integer),
    row("popc", "9.7.1.14", "d = number of ones in a", "popc.[b32|b64]", BITS, None, Family::Bitfield),
    row("clz", "9.7.1.15", "d = number of zeros above the highest one of a", "clz.[b32|b64]", BITS, None, Family::Bitfield),
    row("bfind", "9.7.1.16", "d = position of the highest bit of a that is not sign", "bfind[|.shiftamt].{long}", LONG, None, Family::Bitfield),
    row("fns", "9.7.1.17", "d = position of the c-th one of a counted from bit b", "fns.b32", B32, None, Family::Bitfield),
    row("brev", "9.7.1.18", "d = a with its bits in reverse order", "brev.[b32|b64]", BITS, None, Family::Bitfield),
    row("bfe", "9.7.1.19", "d = c bits of a from bit b on, extended", "bfe.{long}", LONG, None, Family::Bitfield),
    row("bfi", "9.7.1.20", "d = b with d bits from bit c on taken from a", "bfi.[b32|b64]", BITS, None, Family::Bitfield),
    row("szext", "9.7.1.21", "d = the low b bits of a, extended", "szext.[clamp|wrap].{word}", WORD, None, Family::Bitfield),
    row("bmsk", "9.7.1.22", "d = b ones from bit a on", "bmsk.[clamp|wrap].b32", B32, None, Family::Bitfield),
    row("dp4a", "9.7.1.23", "d = c + dot product of four bytes of a and b", "dp4a.{word}.{word}", WORD, None, Family::Bitfield),
    row("dp2a", "9.7.1.24", "d = c + dot product of two halves of a and two bytes of b", "dp2a.[lo|hi].{word}.{word}", WORD, None, Family::Bitfield),
    row("testp", "9.7.3.1", "d = whether a is finite, infinite, a number, NaN, normal or subnormal", "testp.{property}.f32", F32, None, Family::Float32),
    row("testp", "9.7.3.1", "d = whether a is finite, infinite, a number, NaN, normal or subnormal", "testp.{property}.f64", F64, None, Family::Float64),
    row("copysign", "9.7.3.2", "d = b with the sign of a", "copysign.f32", F32, None, Family::Float32),
    row("copysign", "9.7.3.2", "d = b with the sign of a", "copysign.f64", F64, None, Family::Float64),
    row("add", "9.7.3.3", "d = a + b", "add[|.rn|.rz|.rm|.rp][|.ftz][|.sat].f32", F32, None, Family::Float32),
    row("add", "9.7.3.3", "d = a + b", "add[|.rn|.rz|.rm|.rp].f64", F64, None, Family::Float64),
    row("sub", "9.7.3.4", "d = a - b", "sub[|.rn|.rz|.rm|.rp][|.ftz][|.sat].f32", F32, None, Family::Float32),
    row("sub", "9.7.3.4", "d = a - b", "sub[|.rn|.rz|.rm|.rp].f64", F64, None, Family::Float64),
    row("mul", "9.7.3.5", "d = a * b", "mul[|.rn|.rz|.rm|.rp][|.ftz][|.sat].f32", F32, None, Family::Float32),
    row("mul", "9.7.3.5", "d = a * b", "mul[|.rn|.rz|.rm|.rp].f64", F64, None, Family::Float64),
    row("fma", "9.7.3.6", "d = a * b + c, rounded once", "fma.{R}[|.ftz][|.sat].f32", F32, None, Family::Float32),
    row("fma", "9.7.3.6", "d = a * b + c, rounded once", "fma.{R}.f64", F64, None, Family::Float64),
    row("mad", "9.7.3.7", "d = a * b + c, rounded once", "mad.{R}[|.ftz][|.sat].f32", F32, None, Family::Float32),
    row("mad", "9.7.3.7", "d = a * b + c, rounded once", "mad.{R}.f64", F64, None, Family::Float64),
    row("div", "9.7.3.8", "d = a / b", "div.[approx|full|rn|rz|rm|rp][|.ftz].f32", F32, None, Family::Float32),
    row("div", "9.7.3.8", "d = a / b", "div.{R}.f64", F64, None, Family::Float64),
    row("abs", "9.7.3.9", "d = |a|", "abs[|.ftz].f32", F32, None, Family::Float32),
    row("abs", "9.7.3.9", "d = |a|", "abs.f64", F64, None, Family::Float64),
    row("neg", "9.7.3.10", "d = -a", "neg[|.ftz].f32", F32, None, Family::Float32),
    row("neg", "9.7.3.10", "d = -a", "neg.f64", F64, None, Family::Float64),
    row("min", "9.7.3.11", "d = the lesser of a and b", "min[|.ftz][|.NaN][|.xorsign.abs].f32", F32, None, Family::Float32),
    row("min", "9.7.3.11", "d = the lesser of a and b", "min.f64", F64, None, Family::Float64),
    row("max", "9.7.3.12", "d = the greater of a and b", "max[|.ftz][|.NaN][|.xorsign.abs].f32", F32, None, Family::Float32),
    row("max", "9.7.3.12", "d = the greater of a and b", "max.f64", F64, None, Family::Float64),
    row("rcp", "9.7.3.13", "d = 1 / a", "rcp.[approx|rn|rz|rm|rp][|.ftz].f32", F32, None, Family::Float32),
    row("rcp", "9.7.3.13", "d = 1 / a; approximately: 9.7.3.14", "rcp.{R}.f64 rcp.approx.ftz.f64", F64, None, Family::Float64),
    row("sqrt", "9.7.3.15", "d = square root of a", "sqrt.[approx|rn|rz|rm|rp][|.ftz].f32", F32, None, Family::Float32),
    row("sqrt", "9.7.3.15", "d = square root of a", "sqrt.{R}.f64", F64, None, Family::Float64),
    row("rsqrt", "9.7.3.16", "d = 1 / square root of a, approximately", "rsqrt.approx[|.ftz].f32", F32, None, Family::Float32),
    row("rsqrt", "9.7.3.16", "d = 1 / square root of a, approximately; from the upper word: 9.7.3.17", "rsqrt.approx[|.ftz].f64", F64, None, Family::Float64),
    row("sin", "9.7.3.18", "d = sine of a, approximately", "sin.approx[|.ftz].f32", F32, None, Family::Float32),
    row("cos", "9.7.3.19", "d = cosine of a, approximately", "cos.approx[|.ftz].f32", F32, None, Family::Float32),
    row("lg2", "9.7.3.20", "d = logarithm of a to base 2, approximately", "lg2.approx[|.ftz].f32", F32, None, Family::Float32),
    row("ex2", "9.7.3.21", "d = 2 to the power of a, approximately", "ex2.approx[|.ftz].f32", F32, None, Family::Float32),
    row("tanh", "9.7.3.22", "d = hyperbolic tangent of a, approximately", "tanh.approx.f32", F32, None, Family::Float32),
    row("add", "9.7.4.1", "d = a + b", "add[|.rn][|.ftz][|.sat].[f16|f16x2] add[|.rn].[bf16|bf16x2]", HALF, None, Family::Half),
    row("sub", "9.7.4.2", "d = a - b", "sub[|.rn][|.ftz][|.sat].[f16|f16x2] sub[|.rn].[bf16|bf16x2]", HALF, None, Family::Half),
    row("mul", "9.7.4.3", "d = a * b", "mul[|.rn][|.ftz][|.sat].[f16|f16x2] mul[|.rn].[bf16|bf16x2]", HALF, None, Family::Half),
    row("fma", "9.7.4.4", "d = a * b + c, rounded once", "fma.rn[|.ftz][|.sat|.relu].[f16|f16x2] fma.rn[|.relu].[bf16|bf16x2]", HALF, None, Family::Half),
    row("neg", "9.7.4.5", "d = -a", "neg[|.ftz].[f16|f16x2] neg.[bf16|bf16x2]", HALF, None, Family::Half),
    row("abs", "9.7.4.6", "d = |a|", "abs[|.ftz].[f16|f16x2] abs.[bf16|bf16x2]", HALF, None, Family::Half),
    row("min", "9.7.4.7", "d = the lesser of a and b", "min[|.ftz][|.NaN][|.xorsign.abs].[f16|f16x2] min[|.NaN][|.xorsign.abs].[bf16|bf16x2]", HALF, None, Family::Half),
    row("max", "9.7.4.8", "d = the greater of a and b", "max[|.ftz][|.NaN][|.xorsign.abs].[f16|f16x2] max[|.NaN][|.xorsign.abs].[bf16|bf16x2]", HALF, None, Family::Half),
    row("tanh", "9.7.4.9", "d = hyperbolic tangent of a, approximately", "tanh.approx.[f16|f16x2|bf16|bf16x2]", HALF, None, Family::Half),
    row("ex2", "9.7.4.10", "d = 2 to the power of a, approximately", "ex2.approx.[f16|f16x2] ex2.approx.ftz.[bf16|bf16x2]", HALF, None, Family::Half),
    row("set", "9.7.6.1", "d = one or all ones when the comparison holds", SET, COMPARE, None, Family::Compare),
    row("setp", "9.7.6.2", "p = comparison, q = its opposite, each combined with c", SETP, COMPARE, None, Family::Compare),
    row("selp", "9.7.6.3", "d = c ? a : b", "selp.{selected}", COMPARE, None, Family::Compare),
    row("slct", "9.7.6.4", "d = c >= 0 ? a : b", "slct.{selected}.s32 slct[|.ftz].{selected}.f32", COMPARE, None, Family::Compare),
    row("set", "9.7.7.1", "d = one or all ones when the comparison holds, per half", SET_HALF, HALF, None, Family::Compare),
    row("setp", "9.7.7.2", "p = comparison, q = its opposite or that of the upper halves", SETP_HALF, HALF, None, Family::Compare),
    row("and", "9.7.8.1", "d = a & b", "and.[pred|b16|b32|b64]", LOGIC, None, Family::Logic),
    row("or", "9.7.8.2", "d = a | b", "or.[pred|b16|b32|b64]", LOGIC, None, Family::Logic),
    row("xor", "9.7.8.3", "d = a ^ b", "xor.[pred|b16|b32|b64]", LOGIC, None, Family::Logic),
    row("not", "9.7.8.4", "d = ~a", "not.[pred|b16|b32|b64]", LOGIC, None, Family::Logic),
    row("cnot", "9.7.8.5", "d = a == 0", "cnot.{untyped}", SHIFT_LEFT, None, Family::Logic),
    row("lop3", "9.7.8.6", "d = the bits that a table names for the bits of a, b and c", "lop3.b32", B32, None, Family::Logic),
    row("shf", "9.7.8.7", "d = upper or lower word of the pair of b and a, shifted", "shf.[l|r].[clamp|wrap].b32", B32, None, Family::Logic),
    row("shl", "9.7.8.8", "d = a << b, zero when b exceeds the width", "shl.{untyped}", SHIFT_LEFT, None, Family::Logic),
    row("shr", "9.7.8.9", "d = a >> b, filled with zeros or the sign", "shr.{untyped} shr.{int}", SHIFT_RIGHT, None, Family::Logic),
    row("prmt", "9.7.9.7", "d = four of the eight bytes of a and b", "prmt.b32[|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16]", B32, None, Family::Logic),
    row("cvt", "9.7.9.22", "d = two clamped integers side by side", "cvt.pack.sat.[u2|s2|u4|s4|u8|s8].s32.b32 cvt.pack.sat.[u16|s16].s32", &[], Some("pack"), Family::Pack),
    row("cvt", "9.7.9.21", "d = a in another format", CVT, &[], None, Family::Convert),
    row("vadd", "9.7.18.1.1", "d = a + b of parts of words; then c added, compared or merged", "vadd.{word}.{word}.{word}[|.sat][|.add|.min|.max]", WORD, None, Family::Video),
    row("vsub", "9.7.18.1.1", "d = a - b of parts of words; then c added, compared or merged", "vsub.{word}.{word}.{word}[|.sat][|.add|.min|.max]", WORD, None, Family::Video),
    row("vabsdiff", "9.7.18.1.1", "d = |a - b| of parts of words; then c added, compared or merged", "vabsdiff.{word}.{word}.{word}[|.sat][|.add|.min|.max]", WORD, None, Family::Video),
    row("vmin", "9.7.18.1.1", "d = the lesser of a and b of parts of words; then c added, compared or merged", "vmin.{word}.{word}.{word}[|.sat][|.add|.min|.max]", WORD, None, Family::Video),
    row("vmax", "9.7.18.1.1", "d = the greater of a and b of parts of words; then c added, compared or merged", "vmax.{word}.{word}.{word}[|.sat][|.add|.min|.max]", WORD, None, Family::Video),
    row("vshl", "9.7.18.1.2", "d = a << b of parts of words; then c added, compared or merged", "vshl.{word}.{word}.u32[|.sat].[clamp|wrap][|.add|.min|.max]", WORD, None, Family::Video),
    row("vshr", "9.7.18.1.2", "d = a >> b of parts of words; then c added, compared or merged", "vshr.{word}.{word}.u32[|.sat].[clamp|wrap][|.add|.min|.max]", WORD, None, Family::Video),
    row("vmad", "9.7.18.1.3", "d = a * b + c of parts of words, shifted right", "vmad.{word}.{word}.{word}[|.po][|.sat][|.shr7|.shr15]", WORD, None, Family::Video),
    row("vset", "9.7.18.1.4", "d = whether the comparison of parts of words holds", "vset.{word}.{word}.{order}[|.add|.min|.max]", WORD, None, Family::Video),
    row("vadd2", "9.7.18.2.1", "d = a + b per pair of halves, beside or added to c", "vadd2.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vsub2", "9.7.18.2.1", "d = a - b per pair of halves, beside or added to c", "vsub2.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vavrg2", "9.7.18.2.1", "d = the average of a and b per pair of halves, beside or added to c", "vavrg2.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vabsdiff2", "9.7.18.2.1", "d = |a - b| per pair of halves, beside or added to c", "vabsdiff2.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vmin2", "9.7.18.2.1", "d = the lesser of a and b per pair of halves, beside or added to c", "vmin2.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vmax2", "9.7.18.2.1", "d = the greater of a and b per pair of halves, beside or added to c", "vmax2.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vset2", "9.7.18.2.2", "d = whether the comparison holds per pair of halves, beside or added to c", "vset2.{word}.{word}.{order}[|.add]", WORD, None, Family::Video),
    row("vadd4", "9.7.18.2.3", "d = a + b per pair of bytes, beside or added to c", "vadd4.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vsub4", "9.7.18.2.3", "d = a - b per pair of bytes, beside or added to c", "vsub4.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vavrg4", "9.7.18.2.3", "d = the average of a and b per pair of bytes, beside or added to c", "vavrg4.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vabsdiff4", "9.7.18.2.3", "d = |a - b| per pair of bytes, beside or added to c", "vabsdiff4.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vmin4", "9.7.18.2.3", "d = the lesser of a and b per pair of bytes, beside or added to c", "vmin4.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vmax4", "9.7.18.2.3", "d = the greater of a and b per pair of bytes, beside or added to c", "vmax4.{word}.{word}.{word}[|.sat|.add]", WORD, None, Family::Video),
    row("vset4", "9.7.18.2.4", "d = whether the comparison holds per pair of bytes, beside or added to c", "vset4.{word}.{word}.{order}[|.add]", WORD, None, Family::Video),
];
