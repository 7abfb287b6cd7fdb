//! `sm_90` lowering: marks floating-point instructions that are counted lane by lane.
//!
//! - Division, roots and their siblings look at their operands ([`slow_paths`](crate::ir::slow_paths)).
//! - What only one side of a selection needs is executed under its condition: of `p ? x * y : z`, ptxas 13.0.88 makes a
//!   multiplication with a predicate that overwrites `z`, where `z` is a register that nobody needs afterwards. Where
//!   both sides are computed, that is the later one. A condition that is computed after both sides is moved before them,
//!   unless the selection is one of 64 bits.
//!   (Read from its machine code; the CUDA library's logarithm scales subnormal numbers so, and its hyperbolic tangent
//!   replaces one formula by another: kernel `functions` of `sim/tests/counters`.)

use super::code_sinking::Place;
use super::float_instructions::opcode;
use crate::ir::Program;
use crate::ir::arithmetic::Arithmetic;
use crate::ir::def_use::Flow;
use crate::ir::inst::{Inst, Op, Reg, SlotP, Variation, Varying};
use crate::ir::slow_paths::Way;

/// Runs the pass; `counts` are the floating-point instructions of each instruction.
pub(super) fn run(program: &mut Program, flow: &Flow, counts: &mut [Arithmetic], places: &[Place]) {
    let mut found: Vec<(usize, Variation)> = Vec::new();
    for pc in 0..program.insts.len() {
        let op = &program.insts[pc].op;
        if let Op::Lane(lane) = op {
            let Some(way) = Way::of(&opcode(program, pc)) else { continue };
            let operand = |at: usize| lane.src.get(at).map(|&(reg, _)| reg);
            let kept = operand(0).is_some_and(|reg| flow.is_live_behind(reg, pc));
            let way = if kept { way.with_kept_operand() } else { way };
            found.push((pc, Variation::Operands(way, [operand(0), operand(1)])));
        } else if let &Op::Select32 { a, b, p, .. } = op {
            found.extend(only(program, flow, counts, places, pc, [Reg::W(a, 32), Reg::W(b, 32)], p));
        } else if let &Op::Select64 { a, b, p, .. } = op {
            found.extend(only(program, flow, counts, places, pc, [Reg::D(a), Reg::D(b)], p));
        }
    }
    for (pc, by) in found {
        let elsewhere = places[pc] != Place::Own;
        if elsewhere || matches!(program.insts[pc].op, Op::Varying(_)) {
            continue;
        }
        let op = std::mem::replace(&mut program.insts[pc].op, Op::Nop);
        program.insts[pc].op =
            Op::Varying(Box::new(Varying { inst: Inst { op, guard: None }, ordinary: counts[pc], by }));
    }
}

/// The instruction at which it is known which lanes execute what only one arm of a selection needs, if there is such an
/// arm: what makes the arm; or the selection, which then counts it, where the condition is computed in between.
fn only(
    program: &Program,
    flow: &Flow,
    counts: &mut [Arithmetic],
    places: &[Place],
    selection: usize,
    arms: [Reg; 2],
    p: SlotP,
) -> Option<(usize, Variation)> {
    if arms[0] == arms[1] || arms.iter().any(|arm| arm.is_constant()) {
        return None;
    }
    let counted_here = |pc: usize| places[pc] == Place::Own;
    let maker = |arm: Reg| {
        let maker = flow.maker_for(arm, selection)?;
        let here = flow.same_block(maker, selection) && maker < selection;
        (here && counts[maker] != Arithmetic::default() && program.insts[maker].guard.is_none()).then_some(maker)
    };
    let made = arms.map(maker);
    let side = usize::from(made[1] > made[0]);
    let maker = made[side]?;
    let overwritten = arms[1 - side];
    // Nobody but the selection reads what is made, so the condition cannot depend on it.
    let known = flow.sole_writer(Reg::P(p)).filter(|&writer| writer < selection)?;
    // A negated or absolute value that its readers take on their own stands in no register.
    let in_no_register = flow.sole_writer(overwritten).is_some_and(|maker| {
        counts[maker] == Arithmetic::default() && matches!(opcode(program, maker)[0], "neg" | "abs")
    });
    if in_no_register || flow.is_live_behind(overwritten, selection) {
        return None;
    }
    let by = Variation::Only(p, side == 0);
    if known < maker {
        return Some((maker, by));
    }
    let moves = matches!(overwritten, Reg::W(..))
        && flow.same_block(known, selection)
        && counted_here(maker)
        && counted_here(selection);
    let plain = !matches!(program.insts[maker].op, Op::Varying(_)) && Way::of(&opcode(program, maker)).is_none();
    if !moves || !plain || program.insts[selection].guard.is_some() {
        return None;
    }
    counts[selection] = std::mem::take(&mut counts[maker]);
    Some((selection, by))
}

#[cfg(test)]
mod tests {
    use crate::ir::inst::Op;
    use crate::{Lowering, Module};

    /// The instructions of a body, by their opcodes, that are counted lane by lane.
    fn varying(ty: &str, body: &str) -> Vec<String> {
        let text = format!(
            ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .{ty} %f<20>;\n\
             .reg .b64 %rd<9>; .reg .pred %p<9>;\nld.param.u64 %rd1, [p];\nld.global.{ty} %f1, [%rd1];\n\
             ld.global.{ty} %f2, [%rd1+8];\nld.global.{ty} %f3, [%rd1+16];\n{}\nst.global.{ty} [%rd1], %f9;\nret;\n}}\n",
            body.replace("TY", ty)
        );
        let module = Module::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
        let program = module.lower("k", Lowering::Sm90).unwrap_or_else(|error| panic!("{error}"));
        let is_varying = |pc: &usize| matches!(program.insts[*pc].op, Op::Varying(_));
        (0..program.insts.len()).filter(is_varying).map(|pc| program.insts[pc].opcode.to_string()).collect()
    }

    #[test]
    fn what_one_side_of_a_selection_needs_is_counted_where_the_condition_is_known() {
        let before = "setp.lt.TY %p1, %f1, %f2; add.TY %f4, %f1, %f2; selp.TY %f9, %f4, %f3, %p1;";
        let between = "add.TY %f4, %f1, %f2; setp.lt.TY %p1, %f1, %f2; selp.TY %f9, %f4, %f3, %p1;";
        assert_eq!(varying("f32", before), ["add.f32"]);
        assert_eq!(varying("f32", between), ["selp.f32"]);
        assert_eq!(varying("f64", before), ["add.f64"]);
        assert!(varying("f64", between).is_empty(), "ptxas leaves it where it is");
    }

    #[test]
    fn what_is_overwritten_must_not_be_needed_afterwards() {
        let needed =
            "setp.lt.TY %p1, %f1, %f2; add.TY %f4, %f1, %f2; selp.TY %f5, %f4, %f3, %p1; add.TY %f9, %f5, %f3;";
        assert!(varying("f32", needed).is_empty());
    }
}
