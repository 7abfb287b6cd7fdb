//! Decodes branches, calls, barriers and fences.

use super::builder::{Builder, Symbol};
use super::decode::Guard;
use super::inst::{Barrier, BarrierReduction, Op, Reg, Space};
use crate::error::Error;
use crate::ptx::ast::{Instruction, Name, Operand};
use crate::semantics::ScalarType;

impl<'m> Builder<'m> {
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
            "ret" => match self.return_label {
                Some(label) => self.branch(label, guard, &inst.span),
                None => self.emit(Op::Exit, guard, &inst.span),
            },
            "exit" => self.emit(Op::Exit, guard, &inst.span),
            "trap" => self.emit(Op::Trap, guard, &inst.span),
            "call" => self.call(inst, guard),
            "bar" | "barrier" => self.barrier(inst, parts, guard),
            // Warps here see each other's writes at once and in order, so a fence only has to exist.
            "membar" | "fence" => self.emit(Op::Fence, guard, &inst.span),
            // Hints: sleeping, profiler events and launch overlap change neither results nor exact counters.
            "nanosleep" | "pmevent" | "brkpt" | "griddepcontrol" => self.emit(Op::Nop, guard, &inst.span),
            _ => Err(self.unsupported_instruction(inst)),
        }
    }

    fn barrier(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
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
            ["sync"] => {
                self.arity(inst, 1..=2)?;
                let id = self.source(&operands[0], ScalarType::U32)?;
                Barrier { id, threads: threads(self, 1)?, arrive_only: false, reduction: None }
            }
            ["arrive"] => {
                self.arity(inst, 2..=2)?;
                let id = self.source(&operands[0], ScalarType::U32)?;
                Barrier { id, threads: threads(self, 1)?, arrive_only: true, reduction: None }
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
                Barrier { id, threads, arrive_only: false, reduction: Some((op, p, negated, d)) }
            }
            _ => return Err(self.unsupported_instruction(inst)),
        };
        self.emit(Op::Barrier(Box::new(barrier)), guard, &inst.span)
    }

    /// `call (results), function, (arguments);` Device functions are inlined.
    fn call(&mut self, inst: &'m Instruction, guard: Guard) -> Result<(), Error> {
        let (results, rest) = match inst.operands.split_first() {
            Some((Operand::List(results), rest)) => (&results[..], rest),
            _ => (&[][..], &inst.operands[..]),
        };
        let Some((Operand::Name(callee), rest)) = rest.split_first() else {
            return Err(self.unsupported_instruction(inst));
        };
        let arguments = match rest.first() {
            Some(Operand::List(arguments)) => &arguments[..],
            _ => &[][..],
        };
        let Some(&function) = self.functions.get(&*callee.text) else {
            if self.find(&callee.text).is_some() {
                return Err(self.unsupported(&callee.span, "a call through a function pointer"));
            }
            return Err(self.invalid(&callee.span, &format!("there is no function `{}`", callee.text)));
        };
        let places = |builder: &mut Self, operands: &'m [Operand]| {
            operands.iter().map(|operand| builder.frame_variable(operand)).collect::<Result<Vec<_>, _>>()
        };
        let (arguments, results) = (places(self, arguments)?, places(self, results)?);
        if function.body.is_none() && &*callee.text == "__assertfail" {
            return self.assert_failure(&arguments, inst, guard);
        }
        let skip = match guard {
            None => None,
            // A guarded call becomes a branch around the inlined body.
            Some((p, negated)) => {
                let label = self.new_label();
                self.branch(label, Some((p, !negated)), &inst.span)?;
                Some(label)
            }
        };
        self.inline(function, &arguments, &results, &inst.span)?;
        if let Some(label) = skip {
            self.place_label(label);
        }
        Ok(())
    }

    fn frame_variable(&mut self, operand: &Operand) -> Result<(Space, u64), Error> {
        let name: &Name = match operand {
            Operand::Name(name) => name,
            other => return Err(self.unsupported(&other.span(), "this kind of call argument")),
        };
        match self.find(&name.text) {
            Some(Symbol::Variable { space: space @ (Space::Frame | Space::Param), address }) => Ok((space, address)),
            _ => Err(self.unsupported(&name.span, "a call argument that is not a `.param` variable")),
        }
    }

    /// `__assertfail(message, file, line, function, size)`: what `assert` calls when it fails.
    fn assert_failure(&mut self, arguments: &[(Space, u64)], inst: &Instruction, guard: Guard) -> Result<(), Error> {
        let [message, file, line, ..] = arguments else {
            return Err(self.unsupported_instruction(inst));
        };
        let load = |builder: &mut Self, &(space, offset): &(Space, u64), element: &str, bytes: u8| {
            let Ok(Some(register)) = builder.slots.register(element) else {
                return Err(builder.too_many(&inst.span));
            };
            let address = super::inst::Address { base: None, offset: offset as i64 };
            let access = super::inst::Access {
                space,
                address,
                bytes,
                signed: false,
                registers: vec![Some(register)],
                strong: false,
            };
            builder.emit(Op::Load(Box::new(access)), guard, &inst.span)?;
            Ok::<Reg, Error>(register)
        };
        let (message, file) = (load(self, message, "b64", 8)?, load(self, file, "b64", 8)?);
        let line = load(self, line, "b32", 4)?;
        self.emit(Op::Assert { message, file, line }, guard, &inst.span)
    }
}
