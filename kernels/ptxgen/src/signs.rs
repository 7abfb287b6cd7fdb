//! The sign of a floating-point number that is taken as bits is changed as bits: what LLVM does when it selects instructions.
//!
//! The optimiser makes `fneg` and `fabs` of an integer's `xor` and `and` where the bits come from a float. Taken back as bits they
//! must be integer instructions again: `neg.f32` would count as an addition and lose the payload of a NaN.

use crate::ir::{Block, Callee, Constant, Flags, Function, Id, Instruction, Kind, Module, Operand, Value};
use crate::linear::definitions;
use crate::parameters::each_operand;
use crate::types::Type;

/// Rewrites all functions that were compiled with optimisation.
pub(crate) fn all(module: &mut Module) {
    for function in module.functions.iter_mut().filter(|own| !own.attributes.contains_key("optnone")) {
        let sources = sources(function);
        let mut values = function.values;
        for block in &mut function.blocks {
            rewrite(block, &sources, &mut values);
        }
        function.values = values;
    }
}

/// What changes a sign alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Flipped,
    Cleared,
}

/// By value: of which number it is the negative or the magnitude, if only one instruction uses it.
fn sources(function: &Function) -> Vec<Option<(Sign, Operand)>> {
    let mut uses = vec![0_u32; function.values];
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        each_operand(&instruction.kind, &mut |value| {
            if let Value::Local(id) = value {
                uses[*id] += 1;
            }
        });
    }
    let source = |(id, instruction): (Id, Option<&Instruction>)| {
        let found = match &instruction?.kind {
            Kind::FNeg { value } => (Sign::Flipped, value.clone()),
            Kind::Call { callee: Callee::Function(name), arguments, .. } if name.starts_with("llvm.fabs.") => {
                (Sign::Cleared, arguments.first()?.operand.clone())
            }
            _ => return None,
        };
        (uses[id] == 1).then_some(found)
    };
    definitions(function).into_iter().enumerate().map(source).collect()
}

fn bits(ty: &Type) -> Option<u32> {
    match ty {
        Type::Half | Type::BFloat => Some(16),
        Type::Float => Some(32),
        Type::Double => Some(64),
        _ => None,
    }
}

fn rewrite(block: &mut Block, sources: &[Option<(Sign, Operand)>], values: &mut usize) {
    let mut instructions = Vec::with_capacity(block.instructions.len());
    for instruction in std::mem::take(&mut block.instructions) {
        let mut signs = Vec::new();
        let mut number = match &instruction.kind {
            Kind::Cast { op, value, .. } if op == "bitcast" && bits(&value.ty).is_some() => value.clone(),
            _ => {
                instructions.push(instruction);
                continue;
            }
        };
        while let Some((sign, source)) = number.local().and_then(|id| sources.get(id)?.as_ref()) {
            signs.push(*sign);
            number = source.clone();
        }
        let (Some(width), Type::Int(_), false) = (bits(&number.ty), &instruction.ty, signs.is_empty()) else {
            instructions.push(instruction);
            continue;
        };
        let cast = Kind::Cast { op: "bitcast".into(), flags: Flags::default(), value: number };
        let mut made = Instruction { result: Some(*values), kind: cast, ..instruction.clone() };
        // The innermost change comes first, the last one has the old name.
        for sign in signs.into_iter().rev() {
            let a = Operand { ty: instruction.ty.clone(), value: Value::Local(*values) };
            *values += 1;
            instructions.push(made);
            let top = 1_u128 << (width - 1);
            let (op, mask) = match sign {
                Sign::Flipped => ("xor", top),
                Sign::Cleared => ("and", top - 1),
            };
            let b = Operand { ty: instruction.ty.clone(), value: Value::Constant(Constant::Int(mask)) };
            let kind = Kind::Binary { op: op.into(), flags: Flags::default(), a, b };
            made = Instruction { result: Some(*values), kind, ..instruction.clone() };
        }
        made.result = instruction.result;
        instructions.push(made);
    }
    block.instructions = instructions;
}
