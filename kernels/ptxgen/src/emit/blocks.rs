//! Blocks: their order, branches, and what values that depend on the way are on each.
//!
//! A `phi` is one register. Each edge that leads to it copies; all copies of an edge happen at once, so a copy waits until
//! nobody needs what it overwrites, and a circle of copies goes through one more register. An edge from a block with several
//! successors gets a block of its own where it copies something.

use std::collections::HashMap;

use super::function::Writer;
use super::registers::{Class, is_register};
use crate::Error;
use crate::ir::{Constant, Instruction, Kind, Operand, Value};
use crate::linear::Linear;
use crate::spaces::GENERIC;
use crate::types::Type;

impl Writer<'_, '_> {
    pub(super) fn label(&self, block: usize) -> String {
        format!("$L__BB{}_{block}", self.index)
    }

    fn own_label(&mut self) -> String {
        self.labels += 1;
        format!("$L__BB{}_e{}", self.index, self.labels)
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

    /// Gives each `phi` its registers.
    fn make_phis(&mut self, order: &[usize]) -> Result<(), Error> {
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
    fn is_with_branch(&self, block: usize, instruction: &Instruction) -> bool {
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

    /// A pointer that was computed in the space of its type, in the space that was inferred for it.
    fn in_own_space(
        &mut self,
        result: usize,
        ty: &Type,
        kind: &Kind,
        pieces: Vec<String>,
    ) -> Result<Vec<String>, Error> {
        let space = self.spaces[result];
        let computed_there = matches!(kind, Kind::Select { .. } | Kind::Freeze { .. })
            || matches!(kind, Kind::Cast { op, .. } if op == "addrspacecast");
        if *ty != Type::Ptr(GENERIC) || space == GENERIC || computed_there {
            return Ok(pieces);
        }
        Ok(vec![self.recast(&pieces[0], GENERIC, space)?])
    }

    /// An address of one space in another; one of them is the generic one.
    pub(super) fn recast(&mut self, text: &str, from: u32, to: u32) -> Result<String, Error> {
        if from == to || text == "0" {
            return Ok(text.to_owned());
        }
        let name = |writer: &Self, space: u32| {
            crate::spaces::name(space).ok_or_else(|| writer.unsupported(format!("pointers into address space {space}")))
        };
        let text = self.in_register(Class::B64, text);
        if to == GENERIC {
            let head = format!("cvta.{}.u64", name(self, from)?);
            return Ok(self.make(Class::B64, &head, &[&text]));
        }
        if from != GENERIC {
            return Err(self.unsupported("a pointer that is cast from one address space to another"));
        }
        let head = format!("cvta.to.{}.u64", name(self, to)?);
        Ok(self.make(Class::B64, &head, &[&text]))
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
