//! A kernel's PTX instructions, as a trace has them.

use super::super::polls;
use super::super::trace::{AccessKind, Instruction, Update};
use crate::ir::Instruction as Lowered;
use crate::ir::Opcode;
use crate::ir::cfg::Cfg;
use crate::ir::inst::{Op, Pc, Reg, Space};
use crate::ir::operands;
use crate::prepare::Executable;

/// The kernel's instructions.
pub(in crate::predict) fn code(program: &Executable) -> Vec<Instruction> {
    let starts: Vec<Pc> = Cfg::new(program).blocks.iter().map(|block| block.start).collect();
    let numbers = |reg: Reg| -> Vec<u32> {
        match reg {
            Reg::W(slot, _) => vec![u32::from(slot) * 3],
            Reg::D(slot) => vec![u32::from(slot) * 3 + 1],
            Reg::P(slot) => vec![u32::from(slot) * 3 + 2],
            Reg::Q(low, high) => vec![u32::from(low) * 3 + 1, u32::from(high) * 3 + 1],
        }
    };
    let of = |(pc, inst): (usize, &Lowered)| {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        operands::visit(inst, &mut |reg| reads.extend(numbers(reg)), &mut |reg| writes.extend(numbers(reg)));
        // A question to an `mbarrier` is one instruction of the machine code; what the simulator makes of its answer costs
        // nothing.
        let text = &inst.text;
        let of_answer = polls::asks(&inst.opcode) && !matches!(inst.op, Op::Atomic(_));
        Instruction {
            text: if of_answer { format!("mov {text}") } else { text.clone() },
            reads,
            writes,
            leads: starts.binary_search(&(pc as Pc)).is_ok(),
            removed: program.insts[pc].removed,
            target: if let Op::Branch { target, .. } = inst.op { Some(target) } else { None },
            guarded: inst.guard.is_some(),
            update: update(&inst.opcode),
            issue: None,
        }
    };
    program.insts.iter().enumerate().map(of).collect()
}

/// What a bulk copy is beyond the multiprocessor, with the bytes of an element; `None` for other instructions.
pub(super) fn engine(op: &Op) -> Option<(AccessKind, u32)> {
    let Op::Bulk(bulk) = op else { return None };
    Some(match (bulk.to.0, bulk.reduces) {
        (Space::Shared, _) => (AccessKind::Copy, 16),
        (_, None) => (AccessKind::Store, 16),
        (_, Some((_, bytes))) => (AccessKind::Reduction, bytes.into()),
    })
}

/// What an instruction's updates take.
fn update(opcode: &Opcode) -> Update {
    let floating = ["f16", "f16x2", "bf16", "bf16x2", "f32", "f64"];
    if opcode.has("cas") {
        Update::Compare
    } else if opcode.has("add") && floating.iter().any(|kind| opcode.has(kind)) {
        Update::Sum
    } else {
        Update::Plain
    }
}
