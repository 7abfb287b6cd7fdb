//! Blocks: their order, and the instructions in them.

use std::collections::HashMap;

use super::function::Writer;
use super::registers::{Class, is_register};
use crate::Error;
use crate::ir::{Instruction, Kind, Operand, Value};
use crate::linear::Linear;
use crate::spaces::GENERIC;
use crate::types::Type;

impl Writer<'_, '_> {
    pub(super) fn label(&self, block: usize) -> String {
        format!("$L__BB{}_{block}", self.index)
    }

    /// The body of the function.
    pub(super) fn blocks(&mut self) -> Result<String, Error> {
        let function = self.function;
        let order = self.reverse_postorder();
        self.find_dominators(&order);
        self.make_phis(&order)?;
        let mut texts: HashMap<usize, Vec<String>> = HashMap::new();
        let mut parameters = Vec::new();
        for &block in &order {
            self.place = None;
            self.block = block;
            if block == 0 {
                self.beginning();
                self.read_parameters()?;
                parameters = std::mem::take(&mut self.lines);
            }
            for instruction in &function.blocks[block].instructions {
                self.instruction(block, instruction)?;
            }
            texts.insert(block, std::mem::take(&mut self.lines));
        }
        let mut text = String::new();
        if self.frame > 0 {
            text += &format!("\tmov.b64 \t%SPL, __local_depot{};\n", self.index);
            text += "\tcvta.local.u64 \t%SP, %SPL;\n";
        }
        for line in parameters {
            text += &line;
            text.push('\n');
        }
        let mut laid: Vec<usize> = texts.keys().copied().collect();
        laid.sort_unstable();
        for (at, &block) in laid.iter().enumerate() {
            if block != 0 {
                text += &self.label(block);
                text += ":\n";
            }
            let lines = &texts[&block];
            // A jump to what follows anyway is none.
            let next = laid.get(at + 1).map(|&next| format!("\tbra.uni \t{};", self.label(next)));
            let falls = lines.last().is_some() && lines.last() == next.as_ref();
            for line in &lines[..lines.len() - usize::from(falls)] {
                text += line;
                text.push('\n');
            }
        }
        Ok(text)
    }

    fn reverse_postorder(&self) -> Vec<usize> {
        let blocks = &self.function.blocks;
        let mut seen = vec![false; blocks.len()];
        let mut order = Vec::new();
        let mut stack = vec![(0, 0)];
        seen[0] = true;
        while let Some((block, next)) = stack.pop() {
            let to = successors(&blocks[block].instructions);
            if let Some(&target) = to.get(next) {
                stack.push((block, next + 1));
                if !std::mem::replace(&mut seen[target], true) {
                    stack.push((target, 0));
                }
            } else {
                order.push(block);
            }
        }
        order.reverse();
        order
    }

    /// Writes where the function stands in the source.
    fn beginning(&mut self) {
        let Some(number) = self.function.subprogram else { return };
        if let Some(place) = self.unit.files.beginning(self.unit.module, number) {
            self.line(format!(".loc\t{} {} 0", place.file, place.line));
            self.place = Some(place);
        }
    }

    /// Writes where an instruction stands in the source, if that is elsewhere than the one before it.
    fn locate(&mut self, instruction: &Instruction) {
        let place = instruction.debug.and_then(|number| self.unit.files.place(self.unit.module, number));
        self.source_line = place.map(|place| place.line).filter(|&line| line > 0);
        match (place, self.place) {
            (Some(place), last) if last != Some(place) => {
                self.line(format!(".loc\t{} {} {}", place.file, place.line, place.column));
                self.place = Some(place);
            }
            (None, Some(last)) if last.line != 0 => {
                self.line(format!(".loc\t{} 0 {}", last.file, last.column));
                self.place = Some(crate::debug::Place { line: 0, ..last });
            }
            _ => {}
        }
    }

    /// Writes one instruction.
    fn instruction(&mut self, block: usize, instruction: &Instruction) -> Result<(), Error> {
        if matches!(instruction.kind, Kind::Phi { .. }) || self.is_dead(instruction.result, &instruction.kind) {
            return Ok(());
        }
        if self.is_with_branch(block, instruction) {
            return Ok(());
        }
        if !self.is_silent(&instruction.kind) {
            self.locate(instruction);
        }
        match &instruction.kind {
            Kind::Br { .. } | Kind::CondBr { .. } | Kind::Switch { .. } | Kind::Ret { .. } | Kind::Unreachable => {
                self.end(block, instruction)
            }
            Kind::Alloca { ty, count, align } => {
                let Some(result) = instruction.result else { return Ok(()) };
                let Some(count) = count.int() else {
                    return Err(self.unsupported("arrays in local memory whose length is not known at compile time"));
                };
                if block != 0 {
                    return Err(self.unsupported("`alloca` behind the beginning of a function"));
                }
                let place = self.reserve(ty.size().saturating_mul(count as u64), *align);
                self.values[result] = Some(vec![self.frame_base().0.into()]);
                self.offsets[result] = place as i64;
                Ok(())
            }
            Kind::Gep { .. } => {
                let Some(result) = instruction.result else { return Ok(()) };
                if !matches!(instruction.ty, Type::Ptr(_)) {
                    return Err(self.unsupported("vectors of pointers"));
                }
                let own = match instruction.ty {
                    Type::Ptr(GENERIC) => self.spaces[result],
                    Type::Ptr(space) => space,
                    _ => GENERIC,
                };
                let sum = self.sums.address(&Operand { ty: instruction.ty.clone(), value: Value::Local(result) });
                if let Some((register, offset)) = self.known_base(&sum, own, block) {
                    self.values[result] = Some(vec![register]);
                    self.offsets[result] = sum.offset.wrapping_sub(offset);
                    return Ok(());
                }
                let address = self.address_of(&instruction.kind, &instruction.ty)?;
                let mut base = address.base;
                if address.symbol && address.space != crate::spaces::PARAM {
                    base = self.make(Class::B64, "mov.b64", &[&base]);
                }
                self.offsets[result] = address.offset;
                if address.space != own {
                    // The base is of a space that was not inferred for this value, such as a constant's.
                    base = self.recast(&base, address.space, own)?;
                }
                if is_register(&base) {
                    let offset = sum.offset.wrapping_sub(address.offset);
                    let known = self.bases.entry((sum.base, sum.terms, own)).or_default();
                    known.push((base.clone(), offset, block));
                }
                self.values[result] = Some(vec![base]);
                Ok(())
            }
            Kind::Store { value, pointer, access } => self.store(value, pointer, access),
            Kind::Fence { scope, ordering } => self.fence(scope, ordering),
            Kind::Call { .. } => self.call(instruction),
            kind => {
                let pieces = self.compute(kind, &instruction.ty)?;
                let Some(result) = instruction.result else { return Ok(()) };
                let pieces = self.in_own_space(result, &instruction.ty, kind, pieces)?;
                self.values[result] = Some(pieces);
                Ok(())
            }
        }
    }

    /// A register whose address differs from a sum by a number, computed where every way here has passed: what is near one
    /// another gets one base, so that it can be seen to be near.
    fn known_base(&self, sum: &Linear, space: u32, block: usize) -> Option<(String, i64)> {
        if !self.optimised || sum.terms.is_empty() {
            return None;
        }
        let known = self.bases.get(&(sum.base.clone(), sum.terms.clone(), space))?;
        let found = known.iter().rev().find(|(_, _, own)| self.dominates(*own, block))?;
        Some((found.0.clone(), found.1))
    }

    /// Whether every way to `block` passes `other`.
    fn dominates(&self, other: usize, mut block: usize) -> bool {
        while block != other && block != 0 {
            block = self.dominators[block];
        }
        block == other
    }

    /// The immediate dominator of each block that can be reached.
    fn find_dominators(&mut self, order: &[usize]) {
        let blocks = &self.function.blocks;
        let mut number = vec![usize::MAX; blocks.len()];
        for (at, &block) in order.iter().enumerate() {
            number[block] = at;
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
        for &block in order {
            for next in successors(&blocks[block].instructions) {
                before[next].push(block);
            }
        }
        let mut found = vec![usize::MAX; blocks.len()];
        found[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &order[1..] {
                let mut known = before[block].iter().copied().filter(|&own| found[own] != usize::MAX);
                let Some(mut best) = known.next() else { continue };
                for mut other in known {
                    while best != other {
                        if number[best] > number[other] {
                            best = found[best];
                        } else {
                            other = found[other];
                        }
                    }
                }
                if found[block] != best {
                    found[block] = best;
                    changed = true;
                }
            }
        }
        self.dominators = found;
    }

    /// Whether an instruction writes nothing by itself, so that its place does not matter.
    fn is_silent(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Alloca { .. } => true,
            Kind::Call { callee: crate::ir::Callee::Function(name), .. } => crate::intrinsics::is_nothing(name),
            _ => false,
        }
    }

    /// The scalars that an instruction without effects on others computes.
    pub(super) fn compute(&mut self, kind: &Kind, ty: &Type) -> Result<Vec<String>, Error> {
        match kind {
            Kind::Binary { op, flags, a, b } => self.binary(op, *flags, a, b),
            Kind::FNeg { value } => self.negated(value),
            Kind::Cast { op, value, .. } => self.cast(op, value, ty),
            Kind::Compare { float, predicate, a, b } => self.compare(*float, predicate, a, b),
            Kind::Select { condition, a, b } => self.select(condition, a, b, ty),
            Kind::Load { pointer, access } => self.load(pointer, access, ty),
            Kind::AtomicRmw { op, pointer, value, access } => self.atomic(op, pointer, value, access),
            Kind::CmpXchg { pointer, expected, new, access } => self.exchange(pointer, expected, new, access),
            Kind::ExtractValue { .. }
            | Kind::InsertValue { .. }
            | Kind::ExtractElement { .. }
            | Kind::InsertElement { .. }
            | Kind::Shuffle { .. } => self.rearranged(kind, ty),
            Kind::Freeze { value } => match ty {
                Type::Ptr(GENERIC) => {
                    let space = value.local().map_or(GENERIC, |id| self.spaces[id]);
                    Ok(vec![self.pointer_in(value, space)?])
                }
                _ => self.pieces(value),
            },
            _ => Err(self.unsupported("an expression of this kind among constants")),
        }
    }
}

/// The blocks that may follow one.
pub(super) fn successors(instructions: &[Instruction]) -> Vec<usize> {
    match instructions.last().map(|last| &last.kind) {
        Some(Kind::Br { target }) => vec![*target],
        Some(Kind::CondBr { then, otherwise, .. }) => vec![*then, *otherwise],
        Some(Kind::Switch { default, cases, .. }) => {
            let mut all: Vec<usize> = cases.iter().map(|(_, target)| *target).collect();
            all.push(*default);
            all
        }
        _ => Vec::new(),
    }
}
