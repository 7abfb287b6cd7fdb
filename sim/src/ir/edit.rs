//! Adding instructions to a program that is built already.

use super::inst::{Inst, NEVER, Op, Pc};
use super::program::{Instruction, Program};

/// Puts instructions behind others: each behind the instruction at the position beside it, in order of position. They
/// share its source line. Branches keep their targets.
pub(crate) fn insert_behind(program: &mut Program, new: Vec<(usize, Inst)>) {
    if new.is_empty() {
        return;
    }
    // Where each instruction will stand, and where the end will.
    let mut moved = Vec::with_capacity(program.insts.len() + 1);
    let mut behind = new.iter().map(|&(behind, _)| behind).peekable();
    let mut before = 0;
    for pc in 0..=program.insts.len() {
        moved.push((pc + before) as Pc);
        while behind.next_if_eq(&pc).is_some() {
            before += 1;
        }
    }
    let old = std::mem::take(&mut program.insts);
    program.insts.reserve_exact(old.len() + new.len());
    let mut new = new.into_iter().peekable();
    for (pc, instruction) in old.into_iter().enumerate() {
        let at = program.insts.len();
        program.insts.push(instruction);
        while let Some((_, inst)) = new.next_if(|&(behind, _)| behind == pc) {
            let added = Instruction { inst, removed: false, ..program.insts[at].clone() };
            program.insts.push(added);
        }
    }
    for declared in &mut program.declared {
        declared.from = moved[declared.from as usize];
    }
    for instruction in &mut program.insts {
        if let Op::Branch { target, .. } = &mut instruction.op
            && *target != NEVER
        {
            *target = moved[*target as usize];
        }
    }
}
