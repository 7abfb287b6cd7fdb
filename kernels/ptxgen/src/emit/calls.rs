//! Calls of functions, what they return, and declarations of those that are defined elsewhere.

use std::fmt::Write;

use super::Unit;
use super::function::{Writer, bytes_align, head, is_bytes, parameter_type, returned};
use super::registers::Class;
use crate::Error;
use crate::ir::{Argument, Callee, Instruction, Operand};
use crate::types::Type;

/// Functions that the driver provides.
const PROVIDED: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

impl Writer<'_, '_> {
    /// Writes a call.
    pub(super) fn call(&mut self, instruction: &Instruction) -> Result<(), Error> {
        let crate::ir::Kind::Call { callee, arguments, .. } = &instruction.kind else { return Ok(()) };
        let target = match callee {
            Callee::Asm { text, constraints, .. } => {
                return self.assembly(text, constraints, arguments, instruction);
            }
            Callee::Function(name) if name.starts_with("llvm.") => {
                return self.intrinsic(name, arguments, instruction);
            }
            Callee::Function(name) => {
                let module = self.unit.module;
                let function = module.functions.iter().find(|own| own.name == *name);
                let function = function.ok_or_else(|| self.our_fault("a function that is called is not declared"))?;
                if function.kernel {
                    return Err(self.unsupported("a call of a kernel"));
                }
                if function.variadic {
                    return Err(self.unsupported(format!("the function `{name}` with `...`")));
                }
                if function.blocks.is_empty() && !PROVIDED.contains(&&**name) {
                    return Err(
                        self.unsupported(format!("the function `{name}`, which is declared and defined nowhere"))
                    );
                }
                if function.blocks.is_empty() {
                    self.unit.called.insert(name.clone());
                }
                self.unit.names[&**name].clone()
            }
            Callee::Pointer(pointer) => self.register(pointer)?,
        };
        let indirect = matches!(callee, Callee::Pointer(_));
        // What is passed is computed before the scope of the call begins.
        let mut passed = Vec::new();
        for argument in arguments {
            passed.push(match &argument.attributes.byval {
                None => self.pieces(&argument.operand)?,
                Some(ty) => self.copied(&argument.operand, ty)?,
            });
        }
        let number = self.unit.calls;
        self.unit.calls += 1;
        self.line(format!("{{ // callseq {number}, 0"));
        let mut names = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let name = format!("param{index}");
            self.declare(argument, &name);
            names.push(name);
        }
        for ((argument, pieces), name) in arguments.iter().zip(&passed).zip(&names) {
            let ty = argument.attributes.byval.as_ref().unwrap_or(&argument.operand.ty);
            if argument.attributes.byval.is_some() {
                for (piece, (at, unit)) in pieces.iter().zip(fields(ty)) {
                    self.line(format!("st.param.b{} \t[{name}+{at}], {piece};", unit * 8));
                }
                continue;
            }
            self.store_to(ty, pieces, name, 0, "st.param", bytes_align(ty, 1), true)?;
        }
        if instruction.ty != Type::Void {
            let text = returned(&instruction.ty, "retval0");
            let text = text.trim().trim_start_matches('(').trim_end_matches(')').to_owned();
            self.line(format!("{text};"));
        }
        let result = if instruction.ty == Type::Void { "" } else { "(retval0), " };
        let list = names.join(", ");
        if indirect {
            let mut prototype = format!("prototype_{number} : .callprototype ");
            prototype += &if instruction.ty == Type::Void { "()".into() } else { returned(&instruction.ty, "_") };
            prototype += " _ (";
            for (index, argument) in arguments.iter().enumerate() {
                let _ = write!(prototype, "{}{}", if index == 0 { "" } else { ", " }, declaration(argument, "_"));
            }
            self.line(format!("{prototype});"));
            self.line(format!("call {result}{target}, ({list}), prototype_{number};"));
        } else {
            self.line(format!("call.uni {result}{target}, ({list});"));
        }
        let mut pieces = Vec::new();
        if instruction.ty != Type::Void {
            pieces =
                self.load_from(&instruction.ty, "retval0", 0, "ld.param", bytes_align(&instruction.ty, 1), true)?;
        }
        self.line(format!("}} // callseq {number}"));
        if let Some(result) = instruction.result {
            self.values[result] = Some(pieces);
        }
        Ok(())
    }

    fn declare(&mut self, argument: &Argument, name: &str) {
        let text = declaration(argument, name);
        self.line(format!("{text};"));
    }

    /// The bytes of an aggregate in memory, in registers.
    fn copied(&mut self, pointer: &Operand, ty: &Type) -> Result<Vec<String>, Error> {
        let address = self.usable(pointer)?;
        let space = crate::spaces::name(address.space).map_or(String::new(), |space| format!(".{space}"));
        let mut all = Vec::new();
        for (at, unit) in fields(ty) {
            let place = Self::place(&address, at);
            all.push(self.make(Class::holding(unit as u32 * 8), &format!("ld{space}.b{}", unit * 8), &[&place]));
        }
        Ok(all)
    }

    /// Writes a return.
    pub(super) fn ret(&mut self, value: Option<&Operand>) -> Result<(), Error> {
        if let (Some(value), false) = (value, self.function.kernel) {
            let pieces = self.pieces(value)?;
            self.store_to(&value.ty, &pieces, "func_retval0", 0, "st.param", bytes_align(&value.ty, 1), true)?;
        }
        self.line("ret;");
        Ok(())
    }
}

/// How an aggregate that is passed is copied: its scalars, and not what lies between them.
pub(super) fn fields(ty: &Type) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    for (scalar, offset) in ty.scalars() {
        let bytes = scalar.store_size();
        all.extend(units(bytes, 1 << bytes.trailing_zeros()).into_iter().map(|(at, unit)| (offset + at, unit)));
    }
    all
}

/// How so many bytes are copied: offsets and widths.
pub(super) fn units(size: u64, align: u64) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < size {
        let mut unit = align.clamp(1, 8);
        while at + unit > size || at % unit != 0 {
            unit /= 2;
        }
        all.push((at, unit));
        at += unit;
    }
    all
}

fn declaration(argument: &Argument, name: &str) -> String {
    let ty = argument.attributes.byval.as_ref().unwrap_or(&argument.operand.ty);
    if argument.attributes.byval.is_some() || is_bytes(ty) {
        let align = bytes_align(ty, argument.attributes.align);
        return format!(".param .align {align} .b8 {name}[{}]", ty.size().max(1));
    }
    format!(".param .{} {name}", parameter_type(ty, false))
}

/// Declarations of functions: all that are defined, since any may call any, and those that the driver provides.
pub(super) fn declarations(unit: &Unit<'_>) -> Result<String, Error> {
    let mut text = String::new();
    for function in &unit.module.functions {
        let provided = unit.called.contains(&function.name);
        let own = !function.blocks.is_empty() && !function.kernel;
        if provided || own {
            text += &head(unit, function);
            text += "\n;\n";
        }
    }
    Ok(text)
}
