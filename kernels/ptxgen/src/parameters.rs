//! What instructions use, whether they have effects, and which parameters are read in place.

use std::collections::HashSet;

use crate::ir::{Callee, Constant, Function, Id, Kind, Operand, Value};

/// Calls something with each value that an instruction uses, those within constants included.
pub(crate) fn each_operand<'a>(kind: &'a Kind, with: &mut impl FnMut(&'a Value)) {
    let mut one = |operand: &'a Operand| value(&operand.value, with);
    match kind {
        Kind::Binary { a, b, .. } | Kind::Compare { a, b, .. } | Kind::Shuffle { a, b, .. } => {
            one(a);
            one(b);
        }
        Kind::FNeg { value }
        | Kind::Cast { value, .. }
        | Kind::Freeze { value }
        | Kind::ExtractValue { value, .. }
        | Kind::Switch { value, .. } => one(value),
        Kind::Select { condition, a, b } => {
            one(condition);
            one(a);
            one(b);
        }
        Kind::Phi { incoming } => incoming.iter().for_each(|(own, _)| value(own, with)),
        Kind::Alloca { count, .. } => one(count),
        Kind::Load { pointer, .. } => one(pointer),
        Kind::Store { value, pointer, .. } => {
            one(value);
            one(pointer);
        }
        Kind::Gep { base, indices, .. } => {
            one(base);
            indices.iter().for_each(one);
        }
        Kind::AtomicRmw { pointer, value, .. } => {
            one(pointer);
            one(value);
        }
        Kind::CmpXchg { pointer, expected, new, .. } => {
            one(pointer);
            one(expected);
            one(new);
        }
        Kind::Call { callee, arguments, .. } => {
            if let Callee::Pointer(pointer) = callee {
                one(pointer);
            }
            arguments.iter().for_each(|argument| one(&argument.operand));
        }
        Kind::InsertValue { value, part, .. } => {
            one(value);
            one(part);
        }
        Kind::ExtractElement { value, index } => {
            one(value);
            one(index);
        }
        Kind::InsertElement { value, part, index } => {
            one(value);
            one(part);
            one(index);
        }
        Kind::CondBr { condition, .. } => one(condition),
        Kind::Ret { value } => value.iter().for_each(one),
        Kind::Fence { .. } | Kind::Br { .. } | Kind::Unreachable => {}
    }
}

fn value<'a>(own: &'a Value, with: &mut impl FnMut(&'a Value)) {
    match own {
        Value::Local(_) => with(own),
        Value::Constant(Constant::Parts(parts)) => parts.iter().for_each(|part| value(&part.value, with)),
        Value::Constant(_) => {}
    }
}

/// Whether an instruction does something that nobody needs to ask for.
pub(crate) fn has_effect(kind: &Kind) -> bool {
    match kind {
        Kind::Store { .. }
        | Kind::AtomicRmw { .. }
        | Kind::CmpXchg { .. }
        | Kind::Fence { .. }
        | Kind::Br { .. }
        | Kind::CondBr { .. }
        | Kind::Switch { .. }
        | Kind::Ret { .. }
        | Kind::Unreachable => true,
        Kind::Load { access, .. } => access.volatile || access.atomic.is_some(),
        Kind::Call { callee: Callee::Asm { sideeffect, .. }, .. } => *sideeffect,
        Kind::Call { callee: Callee::Function(name), .. } => !crate::intrinsics::is_pure(name),
        Kind::Call { .. } => true,
        _ => false,
    }
}

/// The parameters of a kernel passed by value that are only read, so that no copy is made of them.
pub(crate) fn in_place(function: &Function) -> HashSet<Id> {
    let mut found = HashSet::new();
    if !function.kernel {
        return found;
    }
    for parameter in function.parameters.iter().filter(|own| own.attributes.byval.is_some()) {
        let mut derived = vec![parameter.id];
        let mut at = 0;
        let mut read_only = true;
        while read_only && at < derived.len() {
            let id = derived[at];
            at += 1;
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                let mut uses = false;
                each_operand(&instruction.kind, &mut |value| uses |= *value == Value::Local(id));
                if !uses {
                    continue;
                }
                match &instruction.kind {
                    Kind::Load { access, .. } if !access.volatile && access.atomic.is_none() => {}
                    Kind::Gep { base, .. } if base.local() == Some(id) => derived.extend(instruction.result),
                    Kind::Call { callee: Callee::Function(name), arguments, .. }
                        if name.starts_with("llvm.memcpy.")
                            && arguments[0].operand.local() != Some(id)
                            && arguments[2].operand.int().is_some() => {}
                    Kind::Call { callee: Callee::Function(name), .. }
                        if name.starts_with("llvm.lifetime") || name.starts_with("llvm.dbg") => {}
                    _ => read_only = false,
                }
            }
        }
        if read_only {
            found.insert(parameter.id);
        }
    }
    found
}
