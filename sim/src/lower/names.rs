//! What names mean: registers, variables and labels in the scopes that are open.

use std::collections::HashMap;

use super::builder::Builder;
use crate::error::Error;
use crate::ir::Declared;
use crate::ir::inst::{Pc, Reg, Slot64, Space};
use crate::ir::slots::TooMany;
use crate::ptx::ast::Name;

/// What a name means in a scope.
#[derive(Debug, Clone)]
pub(super) enum Symbol<'m> {
    Register(Reg),
    /// Elements of a `.v2` or `.v4` register.
    VectorRegister(Vec<Reg>),
    /// `%r<n>`: registers numbered from 0.
    Numbered(Vec<Reg>),
    /// A variable: its space and its address within it.
    Variable {
        space: Space,
        address: u64,
    },
    /// A variable in local memory of a function that calls itself: where it is, counted from a register.
    OnStack {
        base: Slot64,
        address: u64,
    },
    Label(usize),
    /// A list of labels or functions.
    Targets(&'m [Name]),
    /// The shape of an indirect call.
    Prototype,
}

pub(super) type Scope<'m> = HashMap<&'m str, Symbol<'m>>;

impl<'m> Builder<'m> {
    /// Declares registers of a type.
    pub(super) fn registers(
        &mut self,
        element: &str,
        lanes: u8,
        name: &'m Name,
        count: Option<u32>,
    ) -> Result<(), Error> {
        let fresh = |builder: &mut Self| match builder.slots.register(element) {
            Ok(Some(register)) => Ok(register),
            Ok(None) => Err(builder.unsupported(&name.span, &format!("registers of type .{element}"))),
            Err(TooMany) => Err(builder.too_many(&name.span)),
        };
        let symbol = match (count, lanes) {
            (Some(count), 1) => Symbol::Numbered((0..count).map(|_| fresh(self)).collect::<Result<_, _>>()?),
            (None, 1) => Symbol::Register(fresh(self)?),
            (None, lanes) => Symbol::VectorRegister((0..lanes).map(|_| fresh(self)).collect::<Result<_, _>>()?),
            (Some(_), _) => return Err(self.unsupported(&name.span, "a numbered range of vector registers")),
        };
        let (registers, numbered) = match &symbol {
            Symbol::Register(register) => (vec![*register], false),
            Symbol::VectorRegister(registers) | Symbol::Numbered(registers) => (registers.clone(), true),
            Symbol::Variable { .. }
            | Symbol::OnStack { .. }
            | Symbol::Label(_)
            | Symbol::Targets(_)
            | Symbol::Prototype => (Vec::new(), false),
        };
        let from = self.program.insts.len() as Pc;
        self.program.declared.push(Declared { from, name: name.text.to_string(), numbered, registers });
        self.declare(&name.text, symbol);
        Ok(())
    }

    pub(super) fn declare(&mut self, name: &'m str, symbol: Symbol<'m>) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, symbol);
        }
    }

    /// What `name` means here.
    pub(super) fn find(&self, name: &str) -> Option<Symbol<'m>> {
        let visible = &self.scopes[self.floor..];
        if let Some(symbol) = visible.iter().rev().find_map(|scope| scope.get(name)) {
            return Some(symbol.clone());
        }
        if let Some((vector, component)) = name.rsplit_once('.')
            && let Some(Symbol::VectorRegister(elements)) = visible.iter().rev().find_map(|scope| scope.get(vector))
        {
            let index = match component {
                "x" | "r" => 0,
                "y" | "g" => 1,
                "z" | "b" => 2,
                "w" | "a" => 3,
                _ => return None,
            };
            return elements.get(index).map(|&register| Symbol::Register(register));
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: usize = name[stem.len()..].parse().ok()?;
        visible.iter().rev().find_map(|scope| match scope.get(stem) {
            Some(Symbol::Numbered(registers)) => registers.get(number).map(|&r| Symbol::Register(r)),
            _ => None,
        })
    }
}
