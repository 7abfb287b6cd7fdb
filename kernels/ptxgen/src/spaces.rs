//! Address spaces of generic pointers.
//!
//! A generic pointer whose every origin lies in one space is that space's pointer: pointers that a kernel is passed are global
//! ones, an `alloca` is local, and what is cast from a space is of that space. LLVM's back end knows the same before it
//! selects instructions, and without optimisation it does not ask.

use std::collections::HashSet;

use crate::ir::{Constant, Function, Id, Kind, Operand, Value};
use crate::types::Type;

/// Numbers of address spaces.
pub(crate) const GENERIC: u32 = 0;
pub(crate) const GLOBAL: u32 = 1;
pub(crate) const SHARED: u32 = 3;
pub(crate) const CONST: u32 = 4;
pub(crate) const LOCAL: u32 = 5;
pub(crate) const PARAM: u32 = 101;

/// The name of a space in PTX instructions; none for the generic one.
pub(crate) const fn name(space: u32) -> Option<&'static str> {
    match space {
        GLOBAL => Some("global"),
        SHARED => Some("shared"),
        CONST => Some("const"),
        LOCAL => Some("local"),
        PARAM => Some("param"),
        _ => None,
    }
}

/// What is known of a pointer: nothing yet, or its space.
type Known = Option<u32>;

fn meet(a: Known, b: Known) -> Known {
    match (a, b) {
        (None, other) | (other, None) => other,
        (Some(a), Some(b)) => Some(if a == b { a } else { GENERIC }),
    }
}

/// The space of a constant pointer.
pub(crate) fn of_constant(constant: &Constant, ty: &Type) -> Known {
    match constant {
        Constant::Undef => None,
        Constant::Expression(kind) => match &**kind {
            Kind::Cast { op, value, .. } if op == "addrspacecast" => of_type(&value.ty).or(Some(GENERIC)),
            Kind::Gep { base, .. } => match &base.value {
                Value::Constant(own) => of_constant(own, &base.ty),
                Value::Local(_) => Some(GENERIC),
            },
            _ => Some(of_type(ty).unwrap_or(GENERIC)),
        },
        _ => Some(of_type(ty).unwrap_or(GENERIC)),
    }
}

const fn of_type(ty: &Type) -> Option<u32> {
    match ty {
        Type::Ptr(GENERIC) => None,
        Type::Ptr(space) => Some(*space),
        _ => None,
    }
}

/// The space of each value of a function; generic for what is no pointer.
pub(crate) fn infer(function: &Function, optimised: bool, in_place: &HashSet<Id>) -> Vec<u32> {
    let mut known: Vec<Known> = vec![None; function.values];
    for parameter in &function.parameters {
        known[parameter.id] = Some(match &parameter.ty {
            Type::Ptr(GENERIC) if in_place.contains(&parameter.id) => PARAM,
            Type::Ptr(GENERIC) if parameter.attributes.byval.is_some() && optimised => LOCAL,
            Type::Ptr(GENERIC) if parameter.attributes.byval.is_some() => GENERIC,
            Type::Ptr(GENERIC) if function.kernel && optimised => GLOBAL,
            Type::Ptr(space) => *space,
            _ => GENERIC,
        });
    }
    loop {
        let mut changed = false;
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Some(result) = instruction.result else { continue };
            let Type::Ptr(space) = instruction.ty else {
                continue;
            };
            let of = |operand: &Operand| match &operand.value {
                Value::Local(id) => known[*id],
                Value::Constant(constant) => of_constant(constant, &operand.ty),
            };
            let made = if space != GENERIC {
                Some(space)
            } else if !optimised {
                match &instruction.kind {
                    // What is a parameter is no memory of another space, and its address cannot be generic.
                    Kind::Gep { base, .. } if of(base) == Some(PARAM) => Some(PARAM),
                    _ => Some(GENERIC),
                }
            } else {
                match &instruction.kind {
                    Kind::Alloca { .. } => Some(LOCAL),
                    Kind::Cast { op, value, .. } if op == "addrspacecast" => {
                        of_type(&value.ty).or_else(|| of(value)).or(Some(GENERIC))
                    }
                    Kind::Gep { base, .. } => of(base),
                    Kind::Freeze { value } => of(value),
                    Kind::Select { a, b, .. } => meet(of(a), of(b)),
                    Kind::Phi { incoming } => incoming.iter().fold(None, |all, (value, _)| {
                        let one = match value {
                            Value::Local(id) => known[*id],
                            Value::Constant(constant) => of_constant(constant, &instruction.ty),
                        };
                        meet(all, one)
                    }),
                    // Pointers within a kernel's parameters are global, too.
                    Kind::Load { pointer, .. } if function.kernel && of(pointer) == Some(PARAM) => Some(GLOBAL),
                    _ => Some(GENERIC),
                }
            };
            let merged = meet(known[result], made);
            if merged != known[result] {
                known[result] = merged;
                changed = true;
            }
        }
        if !changed {
            return known.into_iter().map(|space| space.unwrap_or(GENERIC)).collect();
        }
    }
}
