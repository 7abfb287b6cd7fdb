//! Decodes calls: device functions are inlined, also those that a pointer may lead to.

use super::builder::{Builder, Symbol};
use super::decode::Guard;
use super::inst::{Access, Address, Op, Reg, Space, Test};
use crate::diagnostic::Span;
use crate::error::Error;
use crate::ptx::ast::{Instruction, Name, Operand};
use crate::semantics::ScalarType;

/// Where an argument or a result of a call lies.
type Place = (Space, u64);

impl<'m> Builder<'m> {
    /// `call (results), function, (arguments);`
    pub(super) fn call(&mut self, inst: &'m Instruction, guard: Guard) -> Result<(), Error> {
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
                "vprintf" => return self.print(&results, inst, guard),
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
            let Ok(Some(Reg::P(p))) = self.slots.register("pred") else {
                return Err(self.too_many(span));
            };
            let b = self.wide_constant(self.function_address(&function.name.text), span)?;
            let next = self.new_label();
            self.emit(Op::Compare64 { test: Test::Eq, signed: false, p, a: pointer, b }, None, span)?;
            self.branch(next, Some((p, true)), span)?;
            self.inline(function, arguments, results, span)?;
            self.branch(end, None, span)?;
            self.place_label(next);
        }
        self.emit(Op::NoFunction { target }, None, span)?;
        self.place_label(end);
        Ok(())
    }

    /// `vprintf`: what it would print is lost, that it was called is counted.
    fn print(&mut self, results: &[Place], inst: &Instruction, guard: Guard) -> Result<(), Error> {
        self.emit(Op::Print, guard, &inst.span)?;
        let Some(&(space, offset)) = results.first() else { return Ok(()) };
        let zero = self.constant(0, ScalarType::B32, &inst.span)?;
        let address = Address { base: None, offset: offset as i64 };
        let registers = vec![Some(zero)];
        let access = Access { space, address, bytes: 4, signed: false, registers, strong: false };
        self.emit(Op::Store(Box::new(access)), guard, &inst.span)
    }

    fn frame_variable(&mut self, operand: &Operand) -> Result<Place, Error> {
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
    fn assert_failure(&mut self, arguments: &[Place], inst: &Instruction, guard: Guard) -> Result<(), Error> {
        let [message, file, line, ..] = arguments else {
            return Err(self.unsupported_instruction(inst));
        };
        let load = |builder: &mut Self, &(space, offset): &Place, element: &str, bytes: u8| {
            let Ok(Some(register)) = builder.slots.register(element) else {
                return Err(builder.too_many(&inst.span));
            };
            let address = Address { base: None, offset: offset as i64 };
            let access =
                Access { space, address, bytes, signed: false, registers: vec![Some(register)], strong: false };
            builder.emit(Op::Load(Box::new(access)), guard, &inst.span)?;
            Ok::<Reg, Error>(register)
        };
        let (message, file) = (load(self, message, "b64", 8)?, load(self, file, "b64", 8)?);
        let line = load(self, line, "b32", 4)?;
        self.emit(Op::Assert { message, file, line }, guard, &inst.span)
    }
}
