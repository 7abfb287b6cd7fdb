//! Adding instructions to a program that is built already.

use super::Program;
use super::inst::{Inst, NEVER, Op, Pc};

/// Puts instructions behind others: each behind the instruction at the position beside it, in order of position. They
/// share its source line. Branches keep their targets.
pub(super) fn insert_behind(program: &mut Program, new: Vec<(usize, Inst)>) {
    if new.is_empty() {
        return;
    }
    let count = program.insts.len();
    let mut from = Vec::with_capacity(count + new.len());
    let mut moved = vec![0; count + 1];
    let mut next = new.into_iter().peekable();
    for (pc, moved) in moved.iter_mut().enumerate().take(count) {
        *moved = from.len() as Pc;
        from.push((pc, None));
        while let Some((_, inst)) = next.next_if(|(behind, _)| *behind == pc) {
            from.push((pc, Some(inst)));
        }
    }
    moved[count] = from.len() as Pc;
    program.lines = from.iter().map(|&(pc, _)| program.lines[pc]).collect();
    program.ptx_lines = from.iter().map(|&(pc, _)| program.ptx_lines[pc]).collect();
    program.texts = from.iter().map(|&(pc, _)| program.texts[pc].clone()).collect();
    if !program.removed.is_empty() {
        program.removed = from.iter().map(|&(pc, ref new)| program.removed[pc] && new.is_none()).collect();
    }
    let mut old: Vec<Option<Inst>> = std::mem::take(&mut program.insts).into_iter().map(Some).collect();
    for (pc, new) in from {
        let mut inst = new.or_else(|| old[pc].take()).unwrap_or(Inst { op: Op::Nop, guard: None });
        if let Op::Branch { target, .. } = &mut inst.op
            && *target != NEVER
        {
            *target = moved[*target as usize];
        }
        program.insts.push(inst);
    }
}
