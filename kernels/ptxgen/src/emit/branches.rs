//! The ends of blocks: branches, and what values that depend on the way are on each.
//!
//! A `phi` is one register. Each edge that leads to it copies; all copies of an edge happen at once, so a copy waits until
//! nobody needs what it overwrites, and a circle of copies goes through one more register. An edge from a block with several
//! successors copies ahead of the branch, as LLVM does: then what one side alone does is a branch around it, which ptxas can
//! predicate. A way back into a loop gets a block of its own where it copies something, since the other way needs what it had.

use super::blocks::successors;
use super::function::Writer;
use super::registers::{Class, is_register};
use crate::Error;
use crate::ir::{Constant, Instruction, Kind, Operand, Value};
use crate::spaces::GENERIC;
use crate::types::Type;

impl Writer<'_, '_> {
    fn own_label(&mut self) -> String {
        self.labels += 1;
        format!("$L__BB{}_e{}", self.index, self.labels)
    }

    /// Gives each `phi` its registers.
    pub(super) fn make_phis(&mut self, order: &[usize]) -> Result<(), Error> {
        let function = self.function;
        for &block in order {
            for instruction in &function.blocks[block].instructions {
                let (Kind::Phi { .. }, Some(result)) = (&instruction.kind, instruction.result) else { continue };
                if !self.needed[result] {
                    continue;
                }
                let mut registers = Vec::new();
                for (scalar, _) in instruction.ty.scalars() {
                    let class = self.class(&scalar)?;
                    registers.push(self.fresh(class));
                }
                self.values[result] = Some(registers);
            }
        }
        Ok(())
    }

    /// Writes the copies of an edge.
    fn copies(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let function = self.function;
        let mut pending: Vec<(Class, String, String)> = Vec::new();
        for instruction in &function.blocks[to].instructions {
            let (Kind::Phi { incoming }, Some(result)) = (&instruction.kind, instruction.result) else { continue };
            if !self.needed[result] {
                continue;
            }
            let Some((value, _)) = incoming.iter().find(|(_, block)| *block == from) else {
                return Err(self.our_fault("a `phi` does not know one of its ways"));
            };
            if *value == Value::Constant(Constant::Undef) {
                continue;
            }
            let operand = Operand { ty: instruction.ty.clone(), value: value.clone() };
            let sources = match instruction.ty {
                Type::Ptr(space) => {
                    let space = if space == GENERIC { self.spaces[result] } else { space };
                    vec![self.pointer_in(&operand, space)?]
                }
                _ => self.pieces(&operand)?,
            };
            let targets = self.values[result].clone().unwrap_or_default();
            for ((scalar, _), (target, source)) in
                instruction.ty.scalars().into_iter().zip(targets.into_iter().zip(sources))
            {
                if target != source {
                    pending.push((self.class(&scalar)?, target, source));
                }
            }
        }
        while !pending.is_empty() {
            let free = pending.iter().position(|(_, target, _)| !pending.iter().any(|(_, _, source)| source == target));
            let (class, target, source) = match free {
                Some(at) => pending.swap_remove(at),
                None => {
                    // A circle: what the first would overwrite is kept elsewhere.
                    let (class, target) = (pending[0].0, pending[0].1.clone());
                    let kept = self.fresh(class);
                    for (_, _, source) in pending.iter_mut().filter(|(_, _, source)| *source == target) {
                        source.clone_from(&kept);
                    }
                    (class, kept, target)
                }
            };
            self.line(format!("mov.{} \t{target}, {source};", class.name()));
        }
        Ok(())
    }

    fn copies_needed(&self, to: usize) -> bool {
        self.function.blocks[to].instructions.iter().any(|instruction| {
            matches!(instruction.kind, Kind::Phi { .. }) && instruction.result.is_some_and(|result| self.needed[result])
        })
    }

    /// Writes a jump along an edge, from a block that has no other successor here.
    pub(super) fn jump(&mut self, from: usize, to: usize) -> Result<(), Error> {
        self.copies(from, to)?;
        let label = self.label(to);
        self.line(format!("bra.uni \t{label};"));
        Ok(())
    }

    /// Writes the end of a block.
    pub(super) fn end(&mut self, block: usize, instruction: &Instruction) -> Result<(), Error> {
        match &instruction.kind {
            Kind::Br { target } => self.jump(block, *target),
            Kind::CondBr { condition, then, otherwise } => {
                if then == otherwise {
                    return self.jump(block, *then);
                }
                // What stands next is not jumped to: a comparison for nothing but the branch is made the other way around.
                let opposite = *then == block + 1;
                let own = self.branch_comparison(block, condition).filter(|(alone, ..)| *alone || opposite);
                if let Some((_, predicate, a, b)) = own {
                    let predicate = if opposite { inverse(&predicate) } else { &predicate };
                    let made = self.compare(false, predicate, &a, &b)?.remove(0);
                    let (then, otherwise) = if opposite { (*otherwise, *then) } else { (*then, *otherwise) };
                    return self.branch(block, &made, then, otherwise);
                }
                let condition = self.register(condition)?;
                self.branch(block, &condition, *then, *otherwise)
            }
            Kind::Switch { value, default, cases } => self.switch(block, value, *default, cases),
            Kind::Ret { value } => self.ret(value.as_ref()),
            _ => {
                // `exit` makes what cannot be reached no way to the next block.
                self.line("exit;");
                Ok(())
            }
        }
    }

    /// The comparison of integers that a block's branch depends on, and whether nothing else does.
    fn branch_comparison(&self, block: usize, condition: &Operand) -> Option<(bool, String, Operand, Operand)> {
        let id = condition.local()?;
        let (instruction, own) = self.definition(condition)?;
        match &instruction.kind {
            Kind::Compare { float: false, predicate, a, b } if matches!(a.ty, Type::Int(2..) | Type::Ptr(_)) => {
                Some((own == block && self.uses[id] == 1, predicate.clone(), a.clone(), b.clone()))
            }
            _ => None,
        }
    }

    /// Whether an instruction is written with the branch of its block.
    pub(super) fn is_with_branch(&self, block: usize, instruction: &Instruction) -> bool {
        let Some(Kind::CondBr { condition, then, otherwise }) =
            self.function.blocks[block].instructions.last().map(|last| &last.kind)
        else {
            return false;
        };
        then != otherwise
            && matches!(instruction.kind, Kind::Compare { .. })
            && condition.local() == instruction.result
            && self.branch_comparison(block, condition).is_some_and(|(alone, ..)| alone)
    }

    fn branch(&mut self, block: usize, condition: &str, then: usize, otherwise: usize) -> Result<(), Error> {
        if !is_register(condition) {
            return self.jump(block, if condition == "0" { otherwise } else { then });
        }
        // What stands next is not jumped to.
        let (sign, other, far, near) =
            if then == block + 1 { ("!", "", otherwise, then) } else { ("", "!", then, otherwise) };
        if !self.copies_needed(far) {
            let label = self.label(far);
            self.line(format!("@{sign}{condition} bra \t{label};"));
            return self.jump(block, near);
        }
        if self.is_reached_without(block, far) {
            self.copies(block, far)?;
            let label = self.label(far);
            self.line(format!("@{sign}{condition} bra \t{label};"));
            return self.jump(block, near);
        }
        if !self.copies_needed(near) {
            let label = self.label(near);
            self.line(format!("@{other}{condition} bra \t{label};"));
            return self.jump(block, far);
        }
        let label = self.own_label();
        self.line(format!("@{sign}{condition} bra \t{label};"));
        self.jump(block, near)?;
        self.lines.push(format!("{label}:"));
        self.jump(block, far)
    }

    /// Whether a block can be reached on a way that does not lead through another one. Then nothing that follows from the
    /// other one's `phi`s is alive at its end, or where it can go instead.
    fn is_reached_without(&self, block: usize, other: usize) -> bool {
        let mut seen = vec![false; self.function.blocks.len()];
        let mut next = vec![0];
        while let Some(at) = next.pop() {
            if at == other || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if at == block {
                return true;
            }
            next.extend(successors(&self.function.blocks[at].instructions));
        }
        false
    }

    fn switch(&mut self, block: usize, value: &Operand, default: usize, cases: &[(u128, usize)]) -> Result<(), Error> {
        let Type::Int(bits @ 1..=64) = value.ty else {
            return Err(self.unsupported(format!("`switch` over {}", value.ty.name())));
        };
        let (text, class) = self.extended(value, false)?;
        let text = self.in_register(class, &text);
        let mut edges: Vec<(String, usize)> = Vec::new();
        for (case, target) in cases {
            let number = super::registers::number(*case as u64, class.bits().max(bits));
            let is = self.make(Class::Pred, &format!("setp.eq.b{}", class.bits()), &[&text, &number]);
            let label = if self.copies_needed(*target) {
                match edges.iter().find(|(_, own)| own == target) {
                    Some((label, _)) => label.clone(),
                    None => {
                        let label = self.own_label();
                        edges.push((label.clone(), *target));
                        label
                    }
                }
            } else {
                self.label(*target)
            };
            self.line(format!("@{is} bra \t{label};"));
        }
        self.jump(block, default)?;
        for (label, target) in edges {
            self.lines.push(format!("{label}:"));
            self.jump(block, target)?;
        }
        Ok(())
    }
}

/// The comparison that holds where another does not.
fn inverse(predicate: &str) -> &str {
    match predicate {
        "eq" => "ne",
        "ne" => "eq",
        "ugt" => "ule",
        "uge" => "ult",
        "ult" => "uge",
        "ule" => "ugt",
        "sgt" => "sle",
        "sge" => "slt",
        "slt" => "sge",
        "sle" => "sgt",
        _ => predicate,
    }
}
