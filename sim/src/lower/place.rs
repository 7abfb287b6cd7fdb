//! Gives variables, and device functions whose address is taken, their addresses.

use std::collections::HashSet;

use super::builder::Builder;
use super::names::Symbol;
use crate::error::Error;
use crate::ir::PlacedVariable;
use crate::ir::inst::Space;
use crate::ir::layout::{FUNCTIONS_BASE, GLOBALS_BASE, align_up};
use crate::ptx::ast::{Function, Relocation, StateSpace, Statement, Variable};

/// Bytes of constant memory for variables (CUDA C++ Programming Guide, technical specifications).
const MOST_CONSTANT: u64 = 64 << 10;
/// Bytes of local memory per thread (likewise).
pub(super) const MOST_LOCAL: u64 = 512 << 10;
/// Bytes of parameters of a kernel (PTX ISA, `.param` state space: 32,764 since PTX 8.1).
pub(super) const MOST_PARAMETERS: u64 = 32_764;
/// Module variables lie below this address; argument buffers far above. No GPU has that much memory.
const MOST_GLOBAL: u64 = GLOBALS_BASE + (1 << 38);

impl<'m> Builder<'m> {
    /// Gives every static shared variable of the kernel, and of the functions it calls, its address before any code
    /// is decoded: dynamic shared memory lies behind all of them.
    pub(super) fn place_shared(&mut self, kernel: &'m Function) {
        let mut names: HashSet<&str> = HashSet::new();
        let mut functions = vec![kernel];
        let mut declared: Vec<&Variable> = Vec::new();
        while let Some(function) = functions.pop() {
            let mut found: Vec<&'m str> = Vec::new();
            for statement in function.body.iter().flatten() {
                match statement {
                    Statement::Variable(v) if v.space == StateSpace::Shared => declared.push(v),
                    Statement::Instruction(instruction) => {
                        let pointers = !instruction.opcode.text.starts_with("call");
                        for operand in &instruction.operands {
                            operand.for_each_name(&mut |name| {
                                found.push(name);
                                if pointers && self.functions.contains_key(name) {
                                    self.pointed_to.insert(name);
                                }
                            });
                        }
                    }
                    Statement::Open
                    | Statement::Close
                    | Statement::Registers { .. }
                    | Statement::Variable(_)
                    | Statement::Label(_)
                    | Statement::Line(_)
                    | Statement::Targets(..)
                    | Statement::Prototype(_) => {}
                }
            }
            while let Some(name) = found.pop() {
                if !names.insert(name) {
                    continue;
                }
                functions.extend(self.functions.get(name));
                for relocation in self.variables.get(name).iter().flat_map(|variable| &variable.relocations) {
                    found.push(&relocation.symbol.text);
                    if self.functions.contains_key(&*relocation.symbol.text) {
                        self.pointed_to.insert(&relocation.symbol.text);
                    }
                }
            }
        }
        let of_module = self.module.variables.iter().filter(|v| names.contains(&*v.name.text));
        for variable in of_module.chain(declared) {
            if variable.space != StateSpace::Shared {
                continue;
            }
            if variable.bytes == 0 {
                self.program.shared_align = self.program.shared_align.max(variable.align);
            } else {
                let address = align_up(self.shared_end, variable.align);
                self.shared_end = address + variable.bytes;
                self.shared_addresses.insert(variable.name.span.start, address);
            }
        }
    }

    pub(super) fn function_variable(&mut self, variable: &'m Variable) -> Result<(), Error> {
        let symbol = match variable.space {
            StateSpace::Local => {
                let address = align_up(self.local_end, variable.align);
                self.local_end = self.end_of(variable, address, MOST_LOCAL, "local memory per thread")?;
                match self.recursion.local {
                    Some(base) => {
                        self.recursion.most_local = self.recursion.most_local.max(self.local_end);
                        Symbol::OnStack { base, address }
                    }
                    None => {
                        self.program.local_bytes = self.program.local_bytes.max(self.local_end);
                        Symbol::Variable { space: Space::Local, address }
                    }
                }
            }
            StateSpace::Param => {
                let address = align_up(self.frame_end, variable.align);
                self.frame_end = self.end_of(variable, address, MOST_LOCAL, "call arguments per thread")?;
                self.program.frame_bytes = self.program.frame_bytes.max(self.frame_end);
                Symbol::Variable { space: Space::Frame, address }
            }
            StateSpace::Reg | StateSpace::Const | StateSpace::Global | StateSpace::Shared | StateSpace::Generic => {
                match self.placed_in_functions.get(&variable.name.span.start) {
                    Some(symbol) => symbol.clone(),
                    None => {
                        let symbol = self.place(variable)?;
                        self.placed_in_functions.insert(variable.name.span.start, symbol.clone());
                        symbol
                    }
                }
            }
        };
        self.declare(&variable.name.text, symbol);
        Ok(())
    }

    /// End of a variable at `address`, checked against the most that a GPU has of its space.
    pub(super) fn end_of(&self, variable: &Variable, address: u64, most: u64, what: &str) -> Result<u64, Error> {
        let end = address.saturating_add(variable.bytes);
        if end <= most {
            return Ok(end);
        }
        let message = format!("`{}` does not fit: a GPU has {most} bytes of {what}", variable.name.text);
        Err(self.invalid(&variable.name.span, &message))
    }

    /// Gives a shared, constant or global variable its address.
    fn place(&mut self, variable: &Variable) -> Result<Symbol<'m>, Error> {
        let name = variable.name.text.to_string();
        let placed = |address| PlacedVariable {
            name: name.clone(),
            address,
            bytes: variable.bytes,
            content: variable.content.clone(),
            relocations: variable.relocations.clone(),
        };
        Ok(match variable.space {
            StateSpace::Shared if variable.bytes == 0 => {
                // All dynamic arrays begin at the same address, behind every static variable.
                let address = align_up(self.shared_end, self.program.shared_align);
                self.program.shared_variables.push((name, address, 0));
                Symbol::Variable { space: Space::Shared, address }
            }
            StateSpace::Shared => {
                let Some(&address) = self.shared_addresses.get(&variable.name.span.start) else {
                    // Every operand's name was looked at before: only an initialiser can name this one now.
                    let message = "an initial value cannot be an address in shared memory";
                    return Err(self.invalid(&variable.name.span, message));
                };
                self.program.shared_variables.push((name, address, variable.bytes));
                Symbol::Variable { space: Space::Shared, address }
            }
            StateSpace::Const => {
                let address = align_up(self.const_end, variable.align);
                self.const_end = self.end_of(variable, address, MOST_CONSTANT, "constant memory")?;
                self.program.constants.push(placed(address));
                Symbol::Variable { space: Space::Const, address }
            }
            StateSpace::Global => {
                if variable.external && variable.bytes == 0 {
                    return Err(self.unsupported(&variable.name.span, "a variable that is defined in another file"));
                }
                let address = align_up(self.global_end, variable.align.max(256));
                self.global_end = self.end_of(variable, address, MOST_GLOBAL, "global memory")?.max(address + 1);
                self.program.globals.push(placed(address));
                Symbol::Variable { space: Space::Global, address }
            }
            StateSpace::Reg | StateSpace::Param | StateSpace::Local | StateSpace::Generic => {
                return Err(self.invalid(&variable.name.span, "a variable in a space that cannot hold one here"));
            }
        })
    }

    /// A module-scope variable, placed when it is first used: what a kernel does not use takes no memory.
    pub(super) fn find_module_variable(&mut self, name: &str) -> Result<Option<Symbol<'m>>, Error> {
        if let Some(symbol) = self.module_variables.get(name) {
            return Ok(Some(symbol.clone()));
        }
        let Some(&first) = self.variables.get(name) else {
            return Ok(None);
        };
        // A variable that is used makes those used whose addresses its initial value holds.
        let mut wanted = vec![first];
        while let Some(variable) = wanted.pop() {
            if !self.module_variables.contains_key(&*variable.name.text) {
                let symbol = self.place(variable)?;
                self.module_variables.insert(&variable.name.text, symbol);
                let named = |relocation: &Relocation| self.variables.get(&*relocation.symbol.text).copied();
                wanted.extend(variable.relocations.iter().filter_map(named));
            }
        }
        Ok(self.module_variables.get(name).cloned())
    }

    /// The address of zeros by which the thread blocks of a grid wait for each other (`this_grid().sync()`): on a GPU, the
    /// driver has them ready for a cooperative launch.
    pub(super) fn grid_workspace(&mut self) -> u64 {
        const BYTES: u64 = 256;
        *self.grid_workspace.get_or_insert_with(|| {
            let address = align_up(self.global_end, BYTES);
            self.global_end = address + BYTES;
            let (name, content, relocations) = ("the grid's barrier".to_owned(), Vec::new(), Vec::new());
            self.program.globals.push(PlacedVariable { name, address, bytes: BYTES, content, relocations });
            address
        })
    }

    /// The functions whose address the kernel can hold, in the order of the file.
    pub(super) fn pointed_to(&self) -> Vec<&'m Function> {
        let list = self.module.functions.iter().filter(|f| f.body.is_some());
        list.filter(|f| self.pointed_to.contains(&*f.name.text)).collect()
    }

    /// The address that stands for a function.
    pub(super) fn function_address(&self, name: &str) -> u64 {
        let index = self.module.functions.iter().position(|f| &*f.name.text == name).unwrap_or(0);
        FUNCTIONS_BASE + 16 * index as u64
    }
}
