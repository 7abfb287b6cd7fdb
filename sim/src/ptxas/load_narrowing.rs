//! `sm_90` lowering: loads the half of an element that is used.
//!
//! The GPU's registers have 32 bits, so a 64-bit value is two of them, and ptxas 13.0.88 drops the one that nobody
//! reads: `(int)offsets[i]` of a `long` array is a load of 32 bits, `offsets[i] >> 32` one of the upper 32 bits. What it
//! was seen to do, on kernels written to find out (`tests` below), in all spaces, with `volatile` and `acquire`, too:
//!
//! - Low halves of sums, differences, products, left shifts and logical operations need low halves only; a shift by 32
//!   or more needs the other half; a comparison of the sign the upper one.
//! - A load of one 64-bit element becomes one of 32 bits. Elements of vectors stay as they are.
//! - A load of 32 bits becomes one of 16 where `mov.b32 {a, b}` takes it apart and only one of the two is used. Masks,
//!   shifts and conversions change nothing there.

use std::collections::HashMap;

use crate::ir::edit::insert_behind;
use crate::ir::inst::{Access, Inst, Int32, Int64, Op, Reg, Test, ops};
use crate::ir::{Program, operands};

/// Which half of a register is needed: bit 0 for the low one, bit 1 for the upper one.
type Halves = u8;

const LOW: Halves = 1;
const HIGH: Halves = 2;
const BOTH: Halves = 3;

/// Runs the pass. Needs [`Program::removed`].
pub(super) fn run(program: &mut Program) {
    let needed = needed(program);
    let mut shifts = Vec::new();
    for pc in 0..program.insts.len() {
        if program.insts[pc].removed {
            continue;
        }
        let guard = program.insts[pc].guard;
        let Op::Load(access) = &mut program.insts[pc].op else { continue };
        let &[Some(reg)] = &access.registers[..] else { continue };
        let half = needed.get(&reg.whole()).copied().unwrap_or(BOTH);
        let fits = match reg {
            Reg::D(_) => access.bytes == 8,
            Reg::W(_, 32) => access.bytes == 4,
            Reg::W(..) | Reg::P(_) | Reg::Q(..) => false,
        };
        if !fits || (half != LOW && half != HIGH) {
            continue;
        }
        if half == LOW {
            access.bytes /= 2;
            continue;
        }
        // The value goes where the upper half is read.
        let shift = match reg {
            Reg::D(slot) => program.slots.constant32(32).map(|by| Op::Shl64 { d: slot, a: slot, b: by }),
            Reg::W(slot, _) => {
                program.slots.constant32(16).map(|by| Op::Int32 { op: Int32::Shl, d: slot, a: slot, b: by })
            }
            Reg::P(_) | Reg::Q(..) => continue,
        };
        // A program without a free slot stays as it is.
        let Ok(op) = shift else { continue };
        upper_half(access);
        shifts.push((pc, Inst { op, guard }));
    }
    insert_behind(program, shifts);
}

fn upper_half(access: &mut Access) {
    access.bytes /= 2;
    access.address.offset += i64::from(access.bytes);
}

/// What is needed of each register. Registers are looked at without regard to order.
fn needed(program: &Program) -> HashMap<Reg, Halves> {
    let mut needed: HashMap<Reg, Halves> = HashMap::new();
    let mut changed = true;
    while changed {
        changed = false;
        // Backwards, because most readers stand behind what they read.
        for pc in (0..program.insts.len()).rev() {
            if program.insts[pc].removed {
                continue;
            }
            for (reg, halves) in reads(program, pc, &needed) {
                let entry = needed.entry(reg).or_default();
                changed |= *entry | halves != *entry;
                *entry |= halves;
            }
        }
    }
    needed
}

/// The registers that an instruction reads and what it needs of them, as far as its own result is needed.
fn reads(program: &Program, pc: usize, needed: &HashMap<Reg, Halves>) -> Vec<(Reg, Halves)> {
    let inst = &program.insts[pc];
    let of = |reg: Reg| needed.get(&reg.whole()).copied().unwrap_or_default();
    let double = |slot: u16| Reg::D(slot);
    // Low halves of arithmetic need low halves; a carry goes up, never down.
    let arithmetic = |d: u16| match of(Reg::D(d)) {
        LOW => LOW,
        0 => 0,
        _ => BOTH,
    };
    let some: Vec<(Reg, Halves)> = match inst.op {
        Op::Narrow { a, .. } => vec![(double(a), LOW)],
        Op::Mov64 { d, a } => vec![(double(a), of(double(d)))],
        Op::Select64 { d, a, b, p } => {
            vec![(double(a), of(double(d))), (double(b), of(double(d))), (Reg::P(p), BOTH)]
        }
        Op::Int64 { op: op @ (Int64::And | Int64::Or | Int64::Xor), d, a, b } => {
            let all = of(double(d));
            // What a constant masks out is not needed.
            let masked = |other: u16| match program.slots.value64(other) {
                Some(mask) if op == Int64::And => {
                    all & (if mask as u32 == 0 { HIGH } else { BOTH }) & (if mask >> 32 == 0 { LOW } else { BOTH })
                }
                _ => all,
            };
            vec![(double(a), masked(b)), (double(b), masked(a))]
        }
        Op::Int64 { d, a, b, .. } => vec![(double(a), arithmetic(d)), (double(b), arithmetic(d))],
        Op::Shl64 { d, a, b } => {
            let far = program.slots.value32(b).is_some_and(|by| by >= 32);
            let halves = match of(double(d)) {
                0 => 0,
                all if far => {
                    if all & HIGH != 0 {
                        LOW
                    } else {
                        0
                    }
                }
                LOW => LOW,
                _ => BOTH,
            };
            vec![(double(a), halves), (Reg::W(b, 32), BOTH)]
        }
        Op::Shr64 { a, b, .. } => {
            let far = program.slots.value32(b).is_some_and(|by| by >= 32);
            vec![(double(a), if far { HIGH } else { BOTH }), (Reg::W(b, 32), BOTH)]
        }
        Op::MadWide { d, a, b, c, .. } => {
            vec![(Reg::W(a, 32), BOTH), (Reg::W(b, 32), BOTH), (double(c), arithmetic(d))]
        }
        Op::Compare64 { test: Test::Lt | Test::Ge, signed: true, a, b, .. } if program.slots.value64(b) == Some(0) => {
            vec![(double(a), HIGH)]
        }
        Op::Unpack { ref parts, a, bits } => {
            let mut halves = 0;
            for (at, _) in parts.iter().enumerate().filter(|(_, part)| part.is_some_and(|part| of(part) != 0)) {
                let total = parts.len() * usize::from(bits);
                halves |= if at * usize::from(bits) * 2 < total { LOW } else { HIGH };
            }
            vec![(a, if matches!(a, Reg::D(_) | Reg::W(_, 32)) { halves } else { BOTH })]
        }
        // A store writes the low part of a register that is wider than its element.
        Op::Store(ref access) => {
            let values = access.registers.iter().flatten();
            let value = |&reg: &Reg| (reg, if access.bytes <= 4 && matches!(reg, Reg::D(_)) { LOW } else { BOTH });
            values.map(value).chain(access.address.base.map(|base| (base, BOTH))).collect()
        }
        Op::Lane(ref lane) => {
            let result = lane.d.map_or(BOTH, of);
            let rest = lane_reads(program, pc, result);
            lane.src.iter().map(|&(reg, mask)| (reg, rest(reg, mask))).collect()
        }
        Op::Nop
        | Op::Mov32 { .. }
        | Op::Int32 { .. }
        | Op::Mad32 { .. }
        | Op::MulWide { .. }
        | Op::Widen { .. }
        | Op::F32 { .. }
        | Op::Fma32 { .. }
        | Op::F64 { .. }
        | Op::Fma64 { .. }
        | Op::Compare32 { .. }
        | Op::Compare64 { .. }
        | Op::Select32 { .. }
        | Op::PredicateConstant { .. }
        | Op::PredicateMov { .. }
        | Op::Predicate { .. }
        | Op::Varying(_)
        | Op::Pack { .. }
        | Op::Load(_)
        | Op::Atomic(_)
        | Op::Copy(_)
        | Op::Bulk(_)
        | ops!(query)
        | ops!(sync)
        | ops!(exchange)
        | ops!(control)
        | ops!(stop)
        | ops!(system) => {
            let mut all = Vec::new();
            operands::visit(inst, &mut |reg| all.push((reg, BOTH)), &mut |_| {});
            all
        }
    };
    let guard = inst.guard.map(|(p, _)| (Reg::P(p), BOTH));
    let split = |(reg, halves)| match reg {
        Reg::Q(low, high) => vec![(Reg::D(low), halves), (Reg::D(high), halves)],
        reg @ (Reg::W(..) | Reg::D(_) | Reg::P(_)) => vec![(reg.whole(), halves)],
    };
    some.into_iter().chain(guard).flat_map(split).filter(|&(_, halves)| halves != 0).collect()
}

/// What an instruction without a variant of its own needs of a source, whose type has the bits of a mask.
fn lane_reads(program: &Program, pc: usize, result: Halves) -> impl Fn(Reg, u64) -> Halves {
    let parts = program.insts[pc].opcode.parts();
    let long = matches!(parts.last(), Some(&("b64" | "u64" | "s64")));
    let rule = match (parts[0], long) {
        ("mad" | "neg", true) if result == LOW && !parts.contains(&"hi") && !parts.contains(&"wide") => LOW,
        ("not", true) => result,
        // To an integer of at most 32 bits: the rest is cut off.
        ("cvt", true) if parts.len() == 3 && matches!(parts[1], "u8" | "s8" | "u16" | "s16" | "u32" | "s32") => LOW,
        _ => BOTH,
    };
    // A type narrower than its 64-bit register reads the low half.
    move |reg, mask| match reg {
        Reg::D(_) if mask <= 0xffff_ffff => LOW,
        Reg::D(_) => rule,
        Reg::W(..) | Reg::P(_) | Reg::Q(..) => BOTH,
    }
}

#[cfg(test)]
#[allow(clippy::wildcard_enum_match_arm, reason = "a test picks the operations that it is about")]
mod tests {
    use crate::ir::inst::{Op, Space};
    use crate::{Lowering, Module};

    /// Bytes and offset of the load that the body's `%d1` (or `%r1`) comes from.
    fn load(kind: &str, body: &str) -> (u8, i64) {
        let register = if kind.ends_with("64") { "%d1" } else { "%r1" };
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u64 o)\n{{\n\
             .reg .b64 %d<12>, %p, %o, %x;\n.reg .b32 %r<12>;\n.reg .b16 %h<4>;\n.reg .pred %q<3>;\n.reg .f64 %g<3>;\n.reg .f32 %f<3>;\n\
             ld.param.u64 %p, [p];\nld.param.u64 %o, [o];\nmov.u64 %x, %o;\nld.{kind} {register}, [%p];\n{body}\n\
             st.global.u32 [%o], %r2;\nret;\n}}\n"
        );
        let module = Module::parse("k.ptx", &text).expect("PTX");
        let program = module.lower("k", Lowering::Sm90).expect("a program");
        program
            .insts
            .iter()
            .find_map(|inst| match &inst.op {
                Op::Load(access) if access.space != Space::Param => Some((access.bytes, access.address.offset)),
                _ => None,
            })
            .expect("a load")
    }

    #[test]
    fn halves_of_64_bits() {
        let low = [
            "cvt.u32.u64 %r2, %d1;",
            "add.s64 %d2, %d1, %x; cvt.u32.u64 %r2, %d2;",
            "mul.lo.s64 %d2, %d1, %x; cvt.u32.u64 %r2, %d2;",
            "mad.lo.s64 %d2, %d1, %x, %x; cvt.u32.u64 %r2, %d2;",
            "xor.b64 %d2, %d1, %x; cvt.u32.u64 %r2, %d2;",
            "not.b64 %d2, %d1; cvt.u32.u64 %r2, %d2;",
            "neg.s64 %d2, %d1; cvt.u32.u64 %r2, %d2;",
            "shl.b64 %d2, %d1, 3; cvt.u32.u64 %r2, %d2;",
            "and.b64 %d2, %d1, 4294967295; st.global.u64 [%o+64], %d2;",
            "setp.eq.s64 %q1, %x, 3; selp.b64 %d2, %d1, %x, %q1; cvt.u32.u64 %r2, %d2;",
            "mov.b64 {%r2, %r3}, %d1;",
            "shl.b64 %d2, %d1, 32; st.global.u64 [%o+64], %d2;",
            "shl.b64 %d2, %d1, 40; st.global.u64 [%o+64], %d2;",
            "cvt.s64.s32 %d2, %d1; st.global.u64 [%o+64], %d2;",
            "st.global.u32 [%o+64], %d1;",
        ];
        for body in low {
            assert_eq!(load("global.u64", body), (4, 0), "{body}");
        }
        let high = [
            "shr.u64 %d2, %d1, 32; cvt.u32.u64 %r2, %d2;",
            "shr.u64 %d2, %d1, 40; cvt.u32.u64 %r2, %d2;",
            "shr.s64 %d2, %d1, 63; cvt.u32.u64 %r2, %d2;",
            "mov.b64 {%r3, %r2}, %d1;",
            "mov.b64 %g1, %d1; mov.b64 {%r3, %r2}, %g1;",
            "setp.lt.s64 %q1, %d1, 0; selp.u32 %r2, 1, 0, %q1;",
        ];
        for body in high {
            assert_eq!(load("global.u64", body), (4, 4), "{body}");
        }
        let both = [
            "shr.u64 %d2, %d1, 3; cvt.u32.u64 %r2, %d2;",
            "setp.eq.s64 %q1, %d1, 0; selp.u32 %r2, 1, 0, %q1;",
            "bfe.u64 %d2, %d1, 4, 8; cvt.u32.u64 %r2, %d2;",
            "popc.b64 %r2, %d1;",
            "cvt.rn.f32.u64 %f1, %d1; mov.b32 %r2, %f1;",
            "mov.b64 %g1, %d1; cvt.rn.f32.f64 %f1, %g1; mov.b32 %r2, %f1;",
            "add.s64 %d2, %d1, %x; st.global.u64 [%o+64], %d2;",
        ];
        for body in both {
            assert_eq!(load("global.u64", body), (8, 0), "{body}");
        }
    }

    #[test]
    fn spaces_and_orders_make_no_difference() {
        for kind in ["shared.u64", "volatile.global.u64", "acquire.gpu.global.u64", "u64", "global.nc.u64"] {
            assert_eq!(load(kind, "cvt.u32.u64 %r2, %d1;"), (4, 0), "{kind}");
            assert_eq!(load(kind, "mov.b64 {%r3, %r2}, %d1;"), (4, 4), "{kind}");
        }
    }

    #[test]
    fn halves_of_32_bits() {
        assert_eq!(load("global.u32", "mov.b32 {%h1, %h2}, %r1; cvt.u32.u16 %r2, %h1;"), (2, 0));
        assert_eq!(load("global.u32", "mov.b32 {%h1, %h2}, %r1; cvt.u32.u16 %r2, %h2;"), (2, 2));
        for body in ["cvt.u16.u32 %h1, %r1; cvt.u32.u16 %r2, %h1;", "and.b32 %r2, %r1, 65535;", "shr.u32 %r2, %r1, 16;"]
        {
            assert_eq!(load("global.u32", body), (4, 0), "{body}");
        }
    }
}
