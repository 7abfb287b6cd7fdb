//! Decodes calls: device functions are inlined, also those that a pointer may lead to. Of those that call each other in a
//! circle there is one body ([`super::recursion`]).

use super::aggregate_copy::{Area, Place};
use super::builder::Builder;
use super::decode::Guard;
use super::names::Symbol;
use crate::diagnostic::Span;
use crate::error::Error;
use crate::ir::inst::{Op, Print, Reg, Space, Test};
use crate::ptx::ast::{Instruction, Name, Operand};

/// The operands of a call.
pub(super) struct Called<'m> {
    pub results: &'m [Operand],
    pub callee: &'m Name,
    pub arguments: &'m [Operand],
}

impl<'m> Called<'m> {
    /// `call (results), function, (arguments);`
    pub(super) fn of(call: &'m Instruction) -> Option<Self> {
        let (results, rest) = match call.operands.split_first() {
            Some((Operand::List(results), rest)) => (&results[..], rest),
            _ => (&[][..], &call.operands[..]),
        };
        let (Operand::Name(callee), rest) = rest.split_first()? else { return None };
        let arguments = match rest.first() {
            Some(Operand::List(arguments)) => &arguments[..],
            _ => &[][..],
        };
        Some(Self { results, callee, arguments })
    }
}

/// The type of a register for so many bytes.
const fn element(bytes: u8) -> &'static str {
    if bytes == 8 { "b64" } else { "b32" }
}

impl<'m> Builder<'m> {
    /// `call (results), function, (arguments);`
    pub(super) fn call(&mut self, inst: &'m Instruction, guard: Guard) -> Result<(), Error> {
        let Some(Called { results, callee, arguments }) = Called::of(inst) else {
            return Err(self.unsupported_instruction(inst));
        };
        let places = |builder: &mut Self, operands: &'m [Operand]| {
            operands.iter().map(|operand| builder.frame_variable(operand)).collect::<Result<Vec<_>, _>>()
        };
        let (arguments, results) = (places(self, arguments)?, places(self, results)?);
        let function = self.functions.get(&*callee.text).copied();
        if let Some(function) = function
            && function.body.is_none()
        {
            match &*callee.text {
                "__assertfail" => return self.assert_failure(&arguments, inst, guard),
                "vprintf" => return self.print(&arguments, &results, inst, guard),
                "malloc" => return self.allocate(&arguments, &results, inst, guard),
                "free" => return self.release(&arguments, inst, guard),
                _ => {}
            }
        }
        // A guarded call becomes a branch around the inlined body.
        let behind = match guard {
            None => None,
            Some((p, negated)) => {
                let label = self.new_label();
                self.branch(label, Some((p, !negated)), &inst.span)?;
                Some(label)
            }
        };
        match function {
            Some(function) => self.inline(function, &arguments, &results, &inst.span)?,
            None => self.call_through_pointer(callee, &arguments, &results, &inst.span)?,
        }
        if let Some(label) = behind {
            self.place_label(label);
        }
        Ok(())
    }

    /// Compares the pointer with every function whose address is taken and that has as many parameters.
    fn call_through_pointer(
        &mut self,
        callee: &Name,
        arguments: &[Place],
        results: &[Place],
        span: &Span,
    ) -> Result<(), Error> {
        let target = match self.find(&callee.text) {
            Some(Symbol::Register(register @ Reg::D(_))) => register,
            Some(_) => return Err(self.invalid(&callee.span, "a function pointer must be in a 64-bit register")),
            None => return Err(self.invalid(&callee.span, &format!("there is no function `{}`", callee.text))),
        };
        let Reg::D(pointer) = target else { return Ok(()) };
        let end = self.new_label();
        for function in self.pointed_to() {
            if function.params.len() != arguments.len() || function.returns.len() != results.len() {
                continue;
            }
            let p = self.new_predicate(span)?;
            let b = self.wide_constant(self.function_address(&function.name.text), span)?;
            let next = self.new_label();
            self.emit(Op::Compare64 { test: Test::Eq, signed: false, p, a: pointer, b }, None, span)?;
            self.branch_apart(next, (p, true), span)?;
            self.inline(function, arguments, results, span)?;
            self.branch(end, None, span)?;
            self.place_label(next);
        }
        self.emit(Op::NoFunction { target }, None, span)?;
        self.place_label(end);
        Ok(())
    }

    /// A new register with an argument of a call.
    fn argument(&mut self, &place: &Place, bytes: u8, inst: &Instruction, guard: Guard) -> Result<Reg, Error> {
        let register = self.new_register(element(bytes), &inst.span)?;
        self.move_register(false, Area::at(place, bytes.into()), register, guard, &inst.span)?;
        Ok(register)
    }

    /// A new register for the result of a call, if there is one, of some bytes.
    fn result(&mut self, results: &[Place], bytes: u8, inst: &Instruction) -> Result<Option<Reg>, Error> {
        results.first().map(|_| self.new_register(element(bytes), &inst.span)).transpose()
    }

    /// Puts the result where the caller looks for it.
    fn hand_back(
        &mut self,
        results: &[Place],
        result: Reg,
        bytes: u8,
        inst: &Instruction,
        guard: Guard,
    ) -> Result<(), Error> {
        let Some(&place) = results.first() else { return Ok(()) };
        self.move_register(true, Area::at(place, bytes.into()), result, guard, &inst.span)
    }

    /// `vprintf(format, arguments)`.
    fn print(&mut self, arguments: &[Place], results: &[Place], inst: &Instruction, guard: Guard) -> Result<(), Error> {
        let [format, values] = arguments else { return Err(self.unsupported_instruction(inst)) };
        let format = self.argument(format, 8, inst, guard)?;
        let arguments = self.argument(values, 8, inst, guard)?;
        let result = self.result(results, 4, inst)?;
        self.emit(Op::Print(Box::new(Print { format, arguments, result })), guard, &inst.span)?;
        result.map_or(Ok(()), |result| self.hand_back(results, result, 4, inst, guard))
    }

    /// `malloc(size)`.
    fn allocate(
        &mut self,
        arguments: &[Place],
        results: &[Place],
        inst: &Instruction,
        guard: Guard,
    ) -> Result<(), Error> {
        let ([size], Some(d)) = (arguments, self.result(results, 8, inst)?) else {
            return Err(self.unsupported_instruction(inst));
        };
        let size = self.argument(size, 8, inst, guard)?;
        self.emit(Op::Allocate { d, size }, guard, &inst.span)?;
        self.hand_back(results, d, 8, inst, guard)
    }

    /// `free(pointer)`.
    fn release(&mut self, arguments: &[Place], inst: &Instruction, guard: Guard) -> Result<(), Error> {
        let [pointer] = arguments else { return Err(self.unsupported_instruction(inst)) };
        let pointer = self.argument(pointer, 8, inst, guard)?;
        self.emit(Op::Release { pointer }, guard, &inst.span)
    }

    fn frame_variable(&mut self, operand: &Operand) -> Result<Place, Error> {
        let Operand::Name(name) = operand else {
            return Err(self.unsupported(&operand.span(), "this kind of call argument"));
        };
        match self.find(&name.text) {
            Some(Symbol::Variable { space: space @ (Space::Frame | Space::Param), address }) => Ok((space, address)),
            _ => Err(self.unsupported(&name.span, "a call argument that is not a `.param` variable")),
        }
    }

    /// `__assertfail(message, file, line, function, size)`: what `assert` calls when it fails.
    fn assert_failure(&mut self, arguments: &[Place], inst: &Instruction, guard: Guard) -> Result<(), Error> {
        let [message, file, line, function, ..] = arguments else {
            return Err(self.unsupported_instruction(inst));
        };
        let (message, file) = (self.argument(message, 8, inst, guard)?, self.argument(file, 8, inst, guard)?);
        let (line, function) = (self.argument(line, 4, inst, guard)?, self.argument(function, 8, inst, guard)?);
        self.emit(Op::Assert { message, file, line, function }, guard, &inst.span)
    }
}
