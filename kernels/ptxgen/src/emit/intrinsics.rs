//! Calls of intrinsics: those of the table, and those of NVPTX that take more than a row.

use super::function::Writer;
use super::registers::Class;
use crate::Error;
use crate::intrinsics;
use crate::ir::{Access, Argument, Instruction, Operand};
use crate::types::Type;

impl Writer<'_, '_> {
    /// Writes a call of an intrinsic.
    pub(super) fn intrinsic(
        &mut self,
        name: &str,
        arguments: &[Argument],
        instruction: &Instruction,
    ) -> Result<(), Error> {
        if intrinsics::is_nothing(name) {
            return Ok(());
        }
        let pieces = if let Some(own) = name.strip_prefix("llvm.nvvm.") {
            self.of_nvptx(own, arguments, instruction)?
        } else {
            match name {
                "llvm.trap" | "llvm.ubsantrap" => {
                    self.line("trap;");
                    Vec::new()
                }
                "llvm.debugtrap" => {
                    self.line("brkpt;");
                    Vec::new()
                }
                _ if ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].iter().any(|own| name.starts_with(own)) => {
                    self.bulk(name, arguments)?;
                    Vec::new()
                }
                _ if name.starts_with("llvm.prefetch") => Vec::new(),
                _ => self.math(name, arguments, &instruction.ty)?,
            }
        };
        if let Some(result) = instruction.result {
            self.values[result] = Some(pieces);
        }
        Ok(())
    }

    fn of_nvptx(
        &mut self,
        name: &str,
        arguments: &[Argument],
        instruction: &Instruction,
    ) -> Result<Vec<String>, Error> {
        if let Some(row) = intrinsics::find(name) {
            return self.written(row.form, arguments, &instruction.ty);
        }
        if let Some(form) = intrinsics::conversion(name) {
            return self.written(&form, arguments, &instruction.ty);
        }
        if let Some(rest) = name.strip_prefix("atomic.") {
            return self.scoped_atomic(rest, arguments, &instruction.ty);
        }
        if name.starts_with("ldg.") || name.starts_with("ldu.") {
            let pointer = &arguments[0].operand;
            let align = arguments.get(1).and_then(|own| own.operand.int()).unwrap_or(1) as u64;
            let access = Access { align, volatile: false, atomic: None, invariant: true };
            return self.load(pointer, &access, &instruction.ty);
        }
        match name {
            "d2i.lo" | "d2i.hi" => {
                let text = self.register(&arguments[0].operand)?;
                let pair = self.split(&text, Class::B64, 32)?;
                Ok(vec![pair[usize::from(name == "d2i.hi")].clone()])
            }
            "bitcast.f2i" | "bitcast.i2f" | "bitcast.d2ll" | "bitcast.ll2d" => {
                Ok(vec![self.register(&arguments[0].operand)?])
            }
            "reflect" => Ok(vec!["0".into()]),
            _ => Err(self.unsupported(format!("the intrinsic `llvm.nvvm.{name}`"))),
        }
    }

    /// Writes a form of the table with its operands.
    fn written(&mut self, form: &str, arguments: &[Argument], ty: &Type) -> Result<Vec<String>, Error> {
        let mut text = form.to_owned();
        for (index, argument) in arguments.iter().enumerate() {
            let sign = format!("{{{index}}}");
            if !text.contains(&sign) {
                continue;
            }
            let operand = &argument.operand;
            let class = self.class(&operand.ty)?;
            let piece = self.piece(operand)?;
            // Numbers stand as they are; the rest needs registers.
            let in_place = matches!(operand.ty, Type::Int(32 | 64)) && (index > 0 || !form.contains("{d}"));
            let piece = if in_place && class != Class::Pred { piece } else { self.in_register(class, &piece) };
            text = text.replace(&sign, &piece);
        }
        let mut results = Vec::new();
        for ((scalar, _), sign) in ty.scalars().into_iter().zip(["{d}", "{p}"]) {
            let class = self.class(&scalar)?;
            let register = self.fresh(class);
            text = text.replace(sign, &register);
            results.push(register);
        }
        let text = match text.split_once(' ') {
            Some((opcode, rest)) => format!("{opcode} \t{rest}"),
            None => text,
        };
        self.line(text);
        Ok(results)
    }

    /// `atomic.add.gen.i.cta` and its like: operation, kind, scope.
    fn scoped_atomic(&mut self, name: &str, arguments: &[Argument], ty: &Type) -> Result<Vec<String>, Error> {
        let unknown = |writer: &Self| writer.unsupported(format!("the intrinsic `llvm.nvvm.atomic.{name}`"));
        let parts: Vec<&str> = name.split('.').collect();
        let [operation, "gen", kind, scope, ..] = parts[..] else { return Err(unknown(self)) };
        let scope = match scope {
            "cta" => "cta",
            "sys" => "sys",
            "gpu" => "gpu",
            _ => return Err(unknown(self)),
        };
        let class = self.class(ty)?;
        let bits = class.bits();
        let (name, width) = match (operation, kind) {
            ("add", "i") => ("add", format!("u{bits}")),
            ("add", "f") => ("add", format!("f{bits}")),
            ("exch", "i") => ("exch", format!("b{bits}")),
            ("and" | "or" | "xor", "i") => (operation, format!("b{bits}")),
            ("max" | "min", "i") => (operation, format!("s{bits}")),
            ("inc" | "dec", "i") => (operation, format!("u{bits}")),
            ("cas", "i") => ("cas", format!("b{bits}")),
            _ => return Err(unknown(self)),
        };
        // LLVM leaves the addresses of these generic.
        let address = self.pointer(&arguments[0].operand)?;
        let address = self.in_register(Class::B64, &address);
        let mut operands = vec![format!("[{address}]")];
        for argument in &arguments[1..] {
            operands.push(self.register(&argument.operand)?);
        }
        let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
        Ok(vec![self.make(class, &format!("atom.{scope}.{name}.{width}"), &operands)])
    }

    /// An argument of an intrinsic.
    pub(super) fn argument<'a>(&self, arguments: &'a [Argument], at: usize) -> Result<&'a Operand, Error> {
        arguments.get(at).map(|own| &own.operand).ok_or_else(|| self.our_fault("an intrinsic lacks an argument"))
    }
}
