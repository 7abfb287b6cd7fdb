//! Puts the wide accesses that were planned in place of the narrow ones.

use super::Member;
use crate::ir::{Access, Block, Constant, Instruction, Kind, Operand, Value};
use crate::types::Type;

/// Puts the wide accesses in place of the narrow ones.
pub(super) fn rewrite(block: &mut Block, groups: Vec<Vec<Member>>, values: &mut usize) {
    let count = block.instructions.len();
    let mut before: Vec<Vec<Instruction>> = vec![Vec::new(); count];
    let mut instead: Vec<Option<Vec<Instruction>>> = vec![None; count];
    let mut fresh = || {
        *values += 1;
        *values - 1
    };
    for group in groups {
        let lowest = &group[0];
        let lanes: u64 = group.iter().map(|own| own.count).sum();
        let lanes = if lowest.load { lanes.next_power_of_two() } else { lanes };
        let same = group.iter().all(|own| own.element == lowest.element);
        let element = if same { lowest.element.clone() } else { Type::Int(lowest.element.bits() as u32) };
        let ty = Type::Vector(lanes as u32, Box::new(element.clone()));
        let place =
            if lowest.load { group.iter().map(|own| own.place).min() } else { group.iter().map(|own| own.place).max() };
        let place = place.unwrap_or(0);
        let there = block.instructions[place].clone();
        let here = group.iter().find(|own| own.place == place).unwrap_or(lowest);
        let (Kind::Load { pointer, access } | Kind::Store { pointer, access, .. }) = &there.kind else { continue };
        let delta = lowest.at.offset - here.at.offset;
        let mut pointer = pointer.clone();
        let made = |result: Option<usize>, ty: Type, kind: Kind| Instruction {
            result,
            ty,
            kind,
            debug: there.debug,
            line: there.line,
        };
        let mut new = Vec::new();
        if delta != 0 {
            let id = fresh();
            let kind = Kind::Gep { element: Type::Int(8), base: pointer.clone(), indices: vec![number(delta, 64)] };
            new.push(made(Some(id), pointer.ty.clone(), kind));
            pointer = local(&pointer.ty, id);
        }
        let invariant = group
            .iter()
            .all(|own| matches!(&block.instructions[own.place].kind, Kind::Load { access, .. } if access.invariant));
        let access = Access { align: lowest.align, invariant, ..access.clone() };
        if lowest.load {
            let whole = fresh();
            new.push(made(Some(whole), ty.clone(), Kind::Load { pointer, access }));
            let mut at = 0;
            for own in &group {
                let old = &block.instructions[own.place];
                let mut parts = Vec::new();
                let own_ty = if own.count == 1 {
                    element.clone()
                } else {
                    Type::Vector(own.count as u32, Box::new(element.clone()))
                };
                let kind = if own.count == 1 {
                    Kind::ExtractElement { value: local(&ty, whole), index: number(at as i64, 32) }
                } else {
                    let mask = (at..at + own.count).map(|lane| Some(lane as u32)).collect();
                    Kind::Shuffle { a: local(&ty, whole), b: local(&ty, whole), mask }
                };
                if own_ty == old.ty {
                    parts.push(Instruction { kind, ..old.clone() });
                } else {
                    let id = fresh();
                    parts.push(Instruction { result: Some(id), ty: own_ty.clone(), kind, ..old.clone() });
                    let cast = Kind::Cast {
                        op: "bitcast".into(),
                        flags: crate::ir::Flags::default(),
                        value: local(&own_ty, id),
                    };
                    parts.push(Instruction { kind: cast, ..old.clone() });
                }
                instead[own.place] = Some(parts);
                at += own.count;
            }
        } else {
            let mut parts = Vec::new();
            for own in &group {
                let Kind::Store { value, .. } = &block.instructions[own.place].kind else { continue };
                let mut value = value.clone();
                let own_ty = if own.count == 1 {
                    element.clone()
                } else {
                    Type::Vector(own.count as u32, Box::new(element.clone()))
                };
                if value.ty != own_ty {
                    let id = fresh();
                    let cast = Kind::Cast { op: "bitcast".into(), flags: crate::ir::Flags::default(), value };
                    new.push(made(Some(id), own_ty.clone(), cast));
                    value = local(&own_ty, id);
                }
                parts.push(value);
                instead[own.place] = Some(Vec::new());
            }
            let value = Operand { ty, value: Value::Constant(Constant::Parts(parts)) };
            new.push(made(None, Type::Void, Kind::Store { value, pointer, access }));
        }
        before[place] = new;
    }
    let old = std::mem::take(&mut block.instructions);
    for (index, instruction) in old.into_iter().enumerate() {
        block.instructions.append(&mut before[index]);
        match instead[index].take() {
            Some(parts) => block.instructions.extend(parts),
            None => block.instructions.push(instruction),
        }
    }
}

fn number(value: i64, bits: u32) -> Operand {
    let mask = if bits >= 64 { u128::from(u64::MAX) } else { (1 << bits) - 1 };
    Operand { ty: Type::Int(bits), value: Value::Constant(Constant::Int(value as u128 & mask)) }
}

fn local(ty: &Type, id: usize) -> Operand {
    Operand { ty: ty.clone(), value: Value::Local(id) }
}
