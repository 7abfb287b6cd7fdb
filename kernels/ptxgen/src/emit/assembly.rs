//! Inline PTX.

use super::function::Writer;
use super::registers::Class;
use crate::Error;
use crate::ir::{Argument, Instruction};
use crate::types::Type;

impl Writer<'_, '_> {
    /// Writes inline PTX with its operands.
    pub(super) fn assembly(
        &mut self,
        text: &str,
        constraints: &str,
        arguments: &[Argument],
        instruction: &Instruction,
    ) -> Result<(), Error> {
        let results: Vec<Type> = match &instruction.ty {
            Type::Void => Vec::new(),
            Type::Struct { fields, .. } => fields.clone(),
            ty => vec![ty.clone()],
        };
        let mut operands: Vec<String> = Vec::new();
        let mut outputs: Vec<String> = Vec::new();
        let mut kinds = results.iter();
        let mut inputs = arguments.iter();
        for constraint in constraints.split(',').filter(|own| !own.is_empty() && !own.starts_with('~')) {
            let wrong = |writer: &Self| writer.unsupported(format!("inline PTX with the constraint `{constraint}`"));
            if let Some(letter) = constraint.strip_prefix('=') {
                let letter = letter.trim_start_matches('&');
                let ty = kinds.next().ok_or_else(|| wrong(self))?;
                let own = self.class(ty)?;
                if letter.starts_with('*') || self.letter_class(letter).is_none() {
                    return Err(wrong(self));
                }
                let register = self.fresh(own);
                operands.push(register.clone());
                outputs.push(register);
                continue;
            }
            let argument = inputs.next().ok_or_else(|| wrong(self))?;
            if let Ok(tied) = constraint.parse::<usize>() {
                // In and out in one register.
                let to = outputs.get(tied).cloned().ok_or_else(|| wrong(self))?;
                let class = self.class(&argument.operand.ty)?;
                let value = self.piece(&argument.operand)?;
                self.line(format!("mov.{} \t{to}, {value};", class.name()));
                operands.push(to);
                continue;
            }
            let immediate = matches!(constraint, "n" | "i");
            if constraint.starts_with('*') || self.letter_class(constraint).is_none() && !immediate {
                return Err(wrong(self));
            }
            let piece = self.piece(&argument.operand)?;
            operands.push(if immediate {
                piece
            } else {
                let class = self.class(&argument.operand.ty)?;
                self.in_register(class, &piece)
            });
        }
        let mut made = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            made += &rest[..at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('$') {
                made.push('$');
                rest = after;
                continue;
            }
            let (digits, after) = if let Some(inner) = rest.strip_prefix('{') {
                let (inner, after) =
                    inner.split_once('}').ok_or_else(|| self.unsupported("inline PTX whose `${` does not end"))?;
                (inner.split(':').next().unwrap_or(inner), after)
            } else {
                rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()))
            };
            let index = digits.parse::<usize>();
            let operand = index.ok().and_then(|index| operands.get(index));
            made += operand.ok_or_else(|| self.unsupported(format!("inline PTX with the operand `${digits}`")))?;
            rest = after;
        }
        made += rest;
        for line in made.split('\n').map(str::trim).filter(|line| !line.is_empty()) {
            self.line(line);
        }
        if let Some(result) = instruction.result {
            self.values[result] = Some(outputs);
        }
        Ok(())
    }

    fn letter_class(&self, letter: &str) -> Option<Class> {
        Some(match letter {
            "b" => Class::Pred,
            "h" | "c" => Class::B16,
            "r" | "f" => Class::B32,
            "l" | "d" | "N" => Class::B64,
            _ => return None,
        })
    }
}
