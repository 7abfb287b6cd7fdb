//! Decodes branches, calls, barriers and fences.

use super::builder::Builder;
use super::decode::Guard;
use super::names::Symbol;
use crate::error::Error;
use crate::ir::inst::{Barrier, BarrierReduction, Compared, Op, Reg, Test};
use crate::ptx::ast::{Instruction, Operand};
use crate::semantics::ScalarType;

impl<'m> Builder<'m> {
    #[allow(
        clippy::wildcard_enum_match_arm,
        reason = "every other operand is treated alike: as a register, or refused"
    )]
    pub(super) fn control(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        match parts[0] {
            "bra" => {
                self.arity(inst, 1..=1)?;
                match &inst.operands[0] {
                    Operand::Name(name) => match self.find(&name.text) {
                        Some(Symbol::Label(label)) => self.branch(label, guard, &inst.span),
                        _ => Err(self.invalid(&name.span, &format!("there is no label `{}` here", name.text))),
                    },
                    other => Err(self.invalid(&other.span(), "a branch goes to a label")),
                }
            }
            "brx" => self.branch_by_index(inst, guard),
            "ret" => match self.return_label {
                Some(label) => self.branch(label, guard, &inst.span),
                None => self.emit(Op::Exit, guard, &inst.span),
            },
            "exit" => self.emit(Op::Exit, guard, &inst.span),
            "brkpt" => self.emit(Op::Breakpoint, guard, &inst.span),
            "trap" => self.emit(Op::Trap, guard, &inst.span),
            "call" => self.call(inst, guard),
            "bar" | "barrier" => self.barrier(inst, parts, guard),
            // Warps here see each other's writes at once and in order, so a fence only has to exist.
            "membar" | "fence" => self.emit(Op::Fence, guard, &inst.span),
            "nanosleep" => {
                self.arity(inst, 1..=1)?;
                let nanoseconds = self.source32(&inst.operands[0], ScalarType::U32)?;
                self.emit(Op::Sleep { nanoseconds }, guard, &inst.span)
            }
            // Hints: profiler events and launch overlap change neither results nor exact counters.
            "pmevent" | "griddepcontrol" | "setmaxnreg" => self.emit(Op::Nop, guard, &inst.span),
            _ => Err(self.unsupported_instruction(inst)),
        }
    }

    /// `brx.idx index, targets`: a chain of comparisons; what ptxas makes of it is no concern of the counters.
    fn branch_by_index(&mut self, inst: &'m Instruction, guard: Guard) -> Result<(), Error> {
        self.arity(inst, 2..=2)?;
        let Operand::Name(list) = &inst.operands[1] else {
            return Err(self.unsupported_instruction(inst));
        };
        let Some(Symbol::Targets(targets)) = self.find(&list.text) else {
            return Err(self.invalid(&list.span, &format!("there is no list of targets `{}` here", list.text)));
        };
        let index = self.source32(&inst.operands[0], ScalarType::U32)?;
        let behind = match guard {
            None => None,
            Some((p, negated)) => {
                let label = self.new_label();
                self.branch(label, Some((p, !negated)), &inst.span)?;
                Some(label)
            }
        };
        for (number, target) in targets.iter().enumerate() {
            let Some(Symbol::Label(label)) = self.find(&target.text) else {
                return Err(self.invalid(&target.span, &format!("there is no label `{}` here", target.text)));
            };
            let p = self.new_predicate(&inst.span)?;
            let Reg::W(b, _) = self.constant(number as u64, ScalarType::U32, &inst.span)? else {
                return Err(self.unsupported_instruction(inst));
            };
            let op = Op::Compare32 { test: Test::Eq, what: Compared::U32, p, a: index, b };
            self.emit(op, None, &inst.span)?;
            self.branch(label, Some((p, false)), &inst.span)?;
        }
        // An index beyond the list is undefined.
        self.emit(Op::Trap, None, &inst.span)?;
        if let Some(label) = behind {
            self.place_label(label);
        }
        Ok(())
    }

    fn barrier(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        let aligned = parts[0] == "bar" || parts.contains(&"aligned");
        let parts: Vec<&str> = parts.iter().copied().filter(|part| !matches!(*part, "cta" | "aligned")).collect();
        let operands = &inst.operands;
        let threads = |builder: &mut Self, at: usize| match operands.get(at) {
            Some(operand) => builder.source(operand, ScalarType::U32).map(Some),
            None => Ok(None),
        };
        let barrier = match parts[1..] {
            ["warp", "sync"] => {
                self.arity(inst, 1..=1)?;
                let mask = self.source32(&operands[0], ScalarType::B32)?;
                return self.emit(Op::WarpSync { mask }, guard, &inst.span);
            }
            // A cluster has one thread block: waiting for all of it is waiting for the block's threads.
            ["cluster", "arrive", ..] => return self.emit(Op::Nop, guard, &inst.span),
            ["cluster", "wait", ..] => {
                let id = self.constant(Barrier::CLUSTER.into(), ScalarType::U32, &inst.span)?;
                Barrier { id, threads: None, aligned, arrive_only: false, reduction: None }
            }
            ["sync"] => {
                self.arity(inst, 1..=2)?;
                let id = self.source(&operands[0], ScalarType::U32)?;
                Barrier { id, threads: threads(self, 1)?, aligned, arrive_only: false, reduction: None }
            }
            ["arrive"] => {
                self.arity(inst, 2..=2)?;
                let id = self.source(&operands[0], ScalarType::U32)?;
                Barrier { id, threads: threads(self, 1)?, aligned, arrive_only: true, reduction: None }
            }
            ["red", op, _] => {
                self.arity(inst, 3..=4)?;
                let op = match op {
                    "popc" => BarrierReduction::Popc,
                    "and" => BarrierReduction::And,
                    "or" => BarrierReduction::Or,
                    _ => return Err(self.unsupported_instruction(inst)),
                };
                let Some(d) = self.destination(&operands[0])? else {
                    return Err(self.unsupported_instruction(inst));
                };
                let id = self.source(&operands[1], ScalarType::U32)?;
                let threads = if operands.len() == 4 { threads(self, 2)? } else { None };
                let (p, negated) = self.source_predicate(&operands[operands.len() - 1])?;
                Barrier { id, threads, aligned, arrive_only: false, reduction: Some((op, p, negated, d)) }
            }
            _ => return Err(self.unsupported_instruction(inst)),
        };
        self.emit(Op::Barrier(Box::new(barrier)), guard, &inst.span)
    }
}
