//! Addresses as sums: a base, integers times factors, and a number. Two addresses whose difference is a number differ in
//! the number only.

use crate::ir::{Constant, Function, Id, Instruction, Kind, Operand, Value};
use crate::types::Type;

/// What an address begins with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Base {
    /// A value of the function.
    Local(Id),
    /// A variable.
    Global(String),
    /// A number.
    Nothing,
}

/// How an integer of fewer than 64 bits is widened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Widened {
    No,
    Zero,
    Sign,
}

/// An address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Linear {
    pub(crate) base: Base,
    /// Integers and their factors, in order.
    pub(crate) terms: Vec<((Id, Widened), i64)>,
    pub(crate) offset: i64,
}

/// The instruction that computes each value of a function.
pub(crate) fn definitions(function: &Function) -> Vec<Option<&Instruction>> {
    let mut all = vec![None; function.values];
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        if let Some(result) = instruction.result {
            all[result] = Some(instruction);
        }
    }
    all
}

/// Takes addresses apart.
pub(crate) struct Sums<'a> {
    pub(crate) definitions: Vec<Option<&'a Instruction>>,
}

/// Chains of additions are followed so far.
const DEEPEST: u32 = 24;

impl<'a> Sums<'a> {
    fn definition(&self, operand: &Operand) -> Option<&'a Kind> {
        Some(&self.definitions[operand.local()?]?.kind)
    }

    /// An address.
    pub(crate) fn address(&self, pointer: &Operand) -> Linear {
        let mut sum = Linear { base: Base::Nothing, terms: Vec::new(), offset: 0 };
        self.add_pointer(&mut sum, pointer, 0);
        sum.terms.sort_unstable();
        let mut merged: Vec<((Id, Widened), i64)> = Vec::new();
        for (term, factor) in sum.terms {
            match merged.last_mut() {
                Some((last, own)) if *last == term => *own = own.wrapping_add(factor),
                _ => merged.push((term, factor)),
            }
        }
        merged.retain(|(_, factor)| *factor != 0);
        sum.terms = merged;
        sum
    }

    fn add_pointer(&self, sum: &mut Linear, pointer: &Operand, depth: u32) {
        let kind = match &pointer.value {
            Value::Local(id) => match self.definition(pointer) {
                Some(kind @ (Kind::Gep { .. } | Kind::Cast { .. })) if depth < DEEPEST => kind,
                _ => {
                    sum.base = Base::Local(*id);
                    return;
                }
            },
            Value::Constant(Constant::Global(name)) => {
                sum.base = Base::Global(name.clone());
                return;
            }
            Value::Constant(Constant::Expression(kind)) => kind,
            Value::Constant(_) => return,
        };
        match kind {
            Kind::Gep { element, base, indices } => {
                self.add_pointer(sum, base, depth + 1);
                let mut ty = element;
                for (level, index) in indices.iter().enumerate() {
                    if level > 0 {
                        if let (Type::Struct { fields, .. }, Some(field)) = (ty, index.int()) {
                            sum.offset = sum.offset.wrapping_add(ty.field_offset(field as usize) as i64);
                            let Some(next) = fields.get(field as usize) else { return };
                            ty = next;
                            continue;
                        }
                        let (Type::Array(_, next) | Type::Vector(_, next)) = ty else { return };
                        ty = next;
                    }
                    let widened = if index.ty == Type::Int(64) { Widened::No } else { Widened::Sign };
                    self.add_integer(sum, index, widened, ty.size() as i64, depth + 1);
                }
            }
            Kind::Cast { op, value, .. } if op == "addrspacecast" || op == "bitcast" => {
                self.add_pointer(sum, value, depth + 1);
            }
            _ => {
                if let Value::Local(id) = pointer.value {
                    sum.base = Base::Local(id);
                }
            }
        }
    }

    fn add_integer(&self, sum: &mut Linear, value: &Operand, widened: Widened, factor: i64, depth: u32) {
        if let Some(number) = value.signed() {
            let number = match (widened, &value.ty) {
                (Widened::Zero, Type::Int(bits)) if *bits < 64 => number & ((1 << bits) - 1),
                _ => number,
            };
            sum.offset = sum.offset.wrapping_add(number.wrapping_mul(factor));
            return;
        }
        let Value::Local(id) = value.value else { return };
        let kept = |sum: &mut Linear| sum.terms.push(((id, widened), factor));
        let Some(kind) = self.definition(value).filter(|_| depth < DEEPEST) else { return kept(sum) };
        // Within a widened sum nothing may have wrapped around.
        let exact = |nuw: bool, nsw: bool| match widened {
            Widened::No => true,
            Widened::Zero => nuw,
            Widened::Sign => nsw,
        };
        match kind {
            Kind::Binary { op, flags, a, b } => match &**op {
                "add" if exact(flags.nuw, flags.nsw) => {
                    self.add_integer(sum, a, widened, factor, depth + 1);
                    self.add_integer(sum, b, widened, factor, depth + 1);
                }
                "or" if flags.disjoint && (widened != Widened::Sign || b.signed().is_some_and(|own| own >= 0)) => {
                    self.add_integer(sum, a, widened, factor, depth + 1);
                    self.add_integer(sum, b, widened, factor, depth + 1);
                }
                "sub" if exact(flags.nuw, flags.nsw) => {
                    self.add_integer(sum, a, widened, factor, depth + 1);
                    self.add_integer(sum, b, widened, factor.wrapping_neg(), depth + 1);
                }
                "mul" if exact(flags.nuw, flags.nsw) && b.signed().is_some() => {
                    let by = b.signed().unwrap_or(1);
                    self.add_integer(sum, a, widened, factor.wrapping_mul(by), depth + 1);
                }
                "shl" if exact(flags.nuw, flags.nsw) && b.int().is_some_and(|by| by < 63) => {
                    let by = b.int().unwrap_or(0) as u32;
                    self.add_integer(sum, a, widened, factor.wrapping_shl(by), depth + 1);
                }
                _ => kept(sum),
            },
            Kind::Cast { op, value, flags } if matches!(value.ty, Type::Int(2..=64)) => match (&**op, widened) {
                // Widening twice is widening once.
                ("zext", Widened::No | Widened::Zero | Widened::Sign) => {
                    let inner = if flags.nneg { Widened::Sign } else { Widened::Zero };
                    self.add_integer(sum, value, inner, factor, depth + 1);
                }
                ("sext", Widened::No | Widened::Sign) => {
                    self.add_integer(sum, value, Widened::Sign, factor, depth + 1);
                }
                _ => kept(sum),
            },
            _ => kept(sum),
        }
    }

    /// A power of two that an integer is a multiple of.
    fn factor_of(&self, id: Id, depth: u32) -> u64 {
        let Some(Some(instruction)) = self.definitions.get(id) else { return 1 };
        match &instruction.kind {
            Kind::Binary { op, a, b, .. } => {
                let of = |operand: &Operand| match (operand.int(), operand.local()) {
                    (Some(0), _) => 1 << 16,
                    (Some(number), _) => 1 << number.trailing_zeros().min(16),
                    (_, Some(id)) if depth < 6 => self.factor_of(id, depth + 1),
                    _ => 1,
                };
                match &**op {
                    "and" => of(a).max(of(b)),
                    "add" | "sub" | "or" | "xor" => of(a).min(of(b)),
                    "mul" => (of(a) * of(b)).min(1 << 16),
                    "shl" => b.int().map_or(1, |by| (of(a) << by.min(16)).min(1 << 16)),
                    _ => 1,
                }
            }
            Kind::Cast { op, value, .. } if matches!(&**op, "zext" | "sext") => {
                value.local().filter(|_| depth < 6).map_or(1, |id| self.factor_of(id, depth + 1))
            }
            _ => 1,
        }
    }

    /// A power of two that an address is a multiple of, given that its base is one of `base`.
    pub(crate) fn alignment(&self, sum: &Linear, base: u64) -> u64 {
        let low = |number: i64| if number == 0 { 1 << 16 } else { 1u64 << number.trailing_zeros().min(16) };
        let terms = sum.terms.iter().map(|((id, _), factor)| low(*factor).saturating_mul(self.factor_of(*id, 0)));
        terms.fold(base, u64::min).min(low(sum.offset))
    }
}
