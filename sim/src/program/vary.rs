//! `sm_90` lowering: marks floating-point instructions that are counted lane by lane.
//!
//! - Division, roots and their siblings look at their operands ([`ways`](super::ways)).
//! - What only one side of a selection needs is executed under its condition: of `p ? x * y : z`, ptxas 13.0.88 makes a
//!   multiplication with a predicate that overwrites `z`, where `z` is a register that nobody needs afterwards. Where
//!   both sides are computed, that is the later one. A condition that is computed after both sides is moved before them.
//!   (Read from its machine code; the CUDA library's logarithm scales subnormal numbers so, and its hyperbolic tangent
//!   replaces one formula by another: kernel `functions` of `sim/tests/counters`.)

use super::Program;
use super::arithmetic::{Arithmetic, Readers, opcode};
use super::inst::{Op, Reg, SlotP, Variation, Varying};
use super::sink::Place;
use super::ways::Way;

/// Runs the pass; `counts` are the floating-point instructions of each instruction.
pub(super) fn run(program: &mut Program, readers: &Readers, counts: &mut [Arithmetic]) {
    let mut found: Vec<(usize, Variation)> = Vec::new();
    for pc in 0..program.insts.len() {
        match &program.insts[pc].op {
            Op::Lane(lane) => {
                let Some(way) = Way::of(&opcode(program, pc)) else { continue };
                let operand = |at: usize| lane.src.get(at).map(|&(reg, _)| reg);
                let kept = operand(0).is_some_and(|reg| readers.read_later(reg, pc));
                let way = if kept { way.with_kept_operand() } else { way };
                found.push((pc, Variation::Operands(way, [operand(0), operand(1)])));
            }
            &Op::Select32 { a, b, p, .. } => {
                found.extend(only(program, readers, counts, pc, [Reg::W(a, 32), Reg::W(b, 32)], p));
            }
            &Op::Select64 { a, b, p, .. } => {
                found.extend(only(program, readers, counts, pc, [Reg::D(a), Reg::D(b)], p));
            }
            _ => {}
        }
    }
    for (pc, by) in found {
        let elsewhere = program.places.get(pc).is_some_and(|&place| place != Place::Own);
        if elsewhere || matches!(program.insts[pc].op, Op::Varying(_)) {
            continue;
        }
        let op = std::mem::replace(&mut program.insts[pc].op, Op::Nop);
        program.insts[pc].op = Op::Varying(Box::new(Varying { op, ordinary: counts[pc], by }));
    }
}

/// The instruction at which it is known which lanes execute what only one arm of a selection needs, if there is such an
/// arm: what makes the arm; or the selection, which then counts it, where the condition is computed in between.
fn only(
    program: &Program,
    readers: &Readers,
    counts: &mut [Arithmetic],
    selection: usize,
    arms: [Reg; 2],
    p: SlotP,
) -> Option<(usize, Variation)> {
    if arms[0] == arms[1] || arms.iter().any(|arm| arm.is_constant()) {
        return None;
    }
    let counted_here = |pc: usize| program.places.get(pc).is_none_or(|&place| place == Place::Own);
    let maker = |arm: Reg| {
        let maker = readers.maker_of(arm, selection)?;
        let here = readers.same_block(maker, selection) && maker < selection;
        (here && counts[maker] != Arithmetic::default() && program.insts[maker].guard.is_none()).then_some(maker)
    };
    let made = arms.map(maker);
    let side = usize::from(made[1] > made[0]);
    let maker = made[side]?;
    let overwritten = arms[1 - side];
    // Nobody but the selection reads what is made, so the condition cannot depend on it.
    let known = readers.sole_writer(p).filter(|&writer| writer < selection)?;
    // A negated or absolute value that its readers take on their own stands in no register.
    let in_no_register = readers.sole_maker(overwritten).is_some_and(|maker| {
        counts[maker] == Arithmetic::default() && matches!(opcode(program, maker)[0], "neg" | "abs")
    });
    if in_no_register || readers.read_later(overwritten, selection) {
        return None;
    }
    let by = Variation::Only(p, side == 0);
    if known < maker {
        return Some((maker, by));
    }
    let moves = readers.same_block(known, selection) && counted_here(maker) && counted_here(selection);
    let plain = !matches!(program.insts[maker].op, Op::Varying(_)) && Way::of(&opcode(program, maker)).is_none();
    if !moves || !plain || program.insts[selection].guard.is_some() {
        return None;
    }
    counts[selection] = std::mem::take(&mut counts[maker]);
    Some((selection, by))
}
