//! Addresses: what a pointer is in PTX, how it is computed, and how it gets from one address space to another.

use super::function::Writer;
use super::registers::{Class, is_register};
use crate::Error;
use crate::ir::{Constant, Kind, Operand, Value};
use crate::spaces::{self, GENERIC, GLOBAL, PARAM};
use crate::types::Type;

/// An address: a register, number or symbol, and what is added to it.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) base: String,
    /// The base is the name of a variable.
    pub(super) symbol: bool,
    pub(super) offset: i64,
    pub(super) space: u32,
}

impl Writer<'_, '_> {
    /// The address that a pointer holds, in its own space.
    pub(super) fn address(&mut self, pointer: &Operand) -> Result<Address, Error> {
        match &pointer.value {
            Value::Local(id) => {
                let base = self.values[*id].as_ref().and_then(|pieces| pieces.first()).cloned();
                let base = base.ok_or_else(|| self.our_fault("a pointer is used before it is computed"))?;
                let space = match pointer.ty {
                    Type::Ptr(GENERIC) => self.spaces[*id],
                    Type::Ptr(space) => space,
                    _ => return Err(self.unsupported("a pointer that is none")),
                };
                let symbol = space == PARAM && !is_register(&base);
                Ok(Address { base, symbol, offset: self.offsets[*id], space })
            }
            Value::Constant(constant) => self.constant_address(constant, &pointer.ty),
        }
    }

    fn constant_address(&mut self, constant: &Constant, ty: &Type) -> Result<Address, Error> {
        let own = if let Type::Ptr(space) = ty { *space } else { GENERIC };
        match constant {
            Constant::Global(name) => {
                let base = self.unit.names.get(&**name).cloned();
                let base = base.ok_or_else(|| self.our_fault("a name belongs to nothing"))?;
                let space = match self.unit.globals.get(&**name) {
                    Some(&at) => match self.unit.module.globals[at].space {
                        GENERIC => GLOBAL,
                        space => space,
                    },
                    None => GENERIC,
                };
                Ok(Address { base, symbol: true, offset: 0, space })
            }
            Constant::Expression(kind) => match &**kind {
                Kind::Gep { .. } => self.address_of(kind, ty),
                Kind::Cast { op, value, .. } if op == "addrspacecast" => self.address(value),
                Kind::Cast { op, value, .. } if op == "bitcast" => self.address(value),
                Kind::Cast { op, value, .. } if op == "inttoptr" => {
                    let base = self.cast(op, value, ty)?.remove(0);
                    Ok(Address { base, symbol: false, offset: 0, space: own })
                }
                _ => Err(self.unsupported("a pointer that is such an expression among constants")),
            },
            _ => Ok(Address { base: "0".into(), symbol: false, offset: 0, space: own }),
        }
    }

    /// The address that `getelementptr` computes, in the space of its base.
    pub(super) fn address_of(&mut self, kind: &Kind, _ty: &Type) -> Result<Address, Error> {
        let Kind::Gep { element, base, indices } = kind else { return Err(self.our_fault("no address is computed")) };
        let mut address = self.address(base)?;
        let mut ty = element;
        for (level, index) in indices.iter().enumerate() {
            if level > 0 {
                if let Type::Struct { fields, .. } = ty {
                    let field = index.int().unwrap_or(0) as usize;
                    address.offset = address.offset.wrapping_add(ty.field_offset(field) as i64);
                    ty = fields.get(field).ok_or_else(|| self.our_fault("a structure lacks a field"))?;
                    continue;
                }
                ty = match ty {
                    Type::Array(_, element) | Type::Vector(_, element) => element,
                    _ => return Err(self.our_fault("an index goes into what has no parts")),
                };
            }
            let size = ty.size() as i64;
            if let Some(index) = index.signed() {
                address.offset = address.offset.wrapping_add(index.wrapping_mul(size));
                continue;
            }
            if size == 0 {
                continue;
            }
            address.base = if address.symbol {
                let base = address.base;
                address.symbol = false;
                let base = self.make(Class::B64, "mov.b64", &[&base]);
                self.add_index(&base, index, size)?
            } else {
                let base = address.base;
                self.add_index(&base, index, size)?
            };
        }
        Ok(address)
    }

    /// A base and an index times a size.
    fn add_index(&mut self, base: &str, index: &Operand, size: i64) -> Result<String, Error> {
        let wide = match index.ty {
            Type::Int(64) => self.register(index)?,
            Type::Int(bits) if bits < 64 => self.cast("sext", index, &Type::Int(64))?.remove(0),
            _ => return Err(self.unsupported(format!("an index of type {}", index.ty.name()))),
        };
        let scaled = if size == 1 {
            wide
        } else if size.count_ones() == 1 {
            self.make(Class::B64, "shl.b64", &[&wide, &size.trailing_zeros().to_string()])
        } else {
            self.make(Class::B64, "mul.lo.s64", &[&wide, &size.to_string()])
        };
        let base = self.in_register(Class::B64, base);
        Ok(self.make(Class::B64, "add.s64", &[&base, &scaled]))
    }

    /// The text in brackets of an access.
    pub(super) fn place(address: &Address, offset: u64) -> String {
        let offset = address.offset.wrapping_add(offset as i64);
        if offset == 0 { format!("[{}]", address.base) } else { format!("[{}+{offset}]", address.base) }
    }

    /// An address as it may stand in brackets.
    pub(super) fn usable(&mut self, pointer: &Operand) -> Result<Address, Error> {
        let mut address = self.address(pointer)?;
        if let Type::Ptr(space) = pointer.ty
            && space != GENERIC
            && address.space != space
        {
            address = Address { base: self.pointer(pointer)?, symbol: false, offset: 0, space };
        }
        let far = i32::try_from(address.offset).is_err();
        if far || !address.symbol && !is_register(&address.base) || address.symbol && address.space == GENERIC {
            let space = address.space;
            let base = self.pointer_in(pointer, space)?;
            let base = self.in_register(Class::B64, &base);
            return Ok(Address { base, symbol: false, offset: 0, space });
        }
        Ok(address)
    }

    /// A pointer that was computed in the space of its type, in the space that was inferred for it.
    pub(super) fn in_own_space(
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
            spaces::name(space).ok_or_else(|| writer.unsupported(format!("pointers into address space {space}")))
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
}
