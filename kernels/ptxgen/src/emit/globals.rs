//! Variables at module scope, and what is in them.

use std::fmt::Write;

use super::Unit;
use crate::Error;
use crate::ir::{Constant, Global, Kind, Operand, Value};
use crate::spaces;
use crate::types::Type;

/// Bytes of a variable, and the addresses among them.
struct Content {
    bytes: Vec<u8>,
    /// Where an address stands, and what it is.
    addresses: Vec<(u64, String)>,
}

/// All variables. One that holds the address of another follows it.
pub(super) fn write(unit: &Unit<'_>) -> Result<String, Error> {
    let mut done = vec![false; unit.module.globals.len()];
    let mut text = String::new();
    for index in 0..unit.module.globals.len() {
        emit(unit, index, &mut done, &mut text)?;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    Ok(text)
}

fn unsupported(what: impl Into<String>) -> Error {
    Error::Unsupported { what: what.into(), function: String::new(), line: None }
}

fn emit(unit: &Unit<'_>, index: usize, done: &mut [bool], text: &mut String) -> Result<(), Error> {
    if std::mem::replace(&mut done[index], true) {
        return Ok(());
    }
    let global = &unit.module.globals[index];
    let content = match &global.initialiser {
        Some(value) if !is_undefined(value) && global.space != spaces::SHARED => Some(content(unit, global, value)?),
        _ => None,
    };
    if let Some(Operand { value: Value::Constant(constant), .. }) = &global.initialiser {
        let mut named = Vec::new();
        names(constant, &mut named);
        for name in named {
            if let Some(&other) = unit.globals.get(name) {
                emit(unit, other, done, text)?;
            }
        }
    }
    let name = &unit.names[&*global.name];
    let space = match global.space {
        spaces::GENERIC | spaces::GLOBAL => "global",
        spaces::SHARED => "shared",
        spaces::CONST => "const",
        space => return Err(unsupported(format!("the variable `{}` in address space {space}", global.name))),
    };
    let linkage = match &*global.linkage {
        "internal" | "private" => "",
        "external" if global.initialiser.is_none() => ".extern ",
        "extern_weak" => return Err(unsupported(format!("the weak variable `{}`", global.name))),
        "linkonce" | "linkonce_odr" | "weak" | "weak_odr" => ".weak ",
        "common" => ".common ",
        _ if space == "shared" => "",
        _ => ".visible ",
    };
    let size = global.ty.size();
    if linkage == ".extern " && size == 0 {
        let _ = writeln!(text, ".extern .{space} .align {} .b8 {name}[];", global.align);
        return Ok(());
    }
    let _ = write!(text, "{linkage}.{space} .align {} ", global.align);
    let Some(content) = content else {
        let _ = writeln!(text, ".b8 {name}[{}];", size.max(1));
        return Ok(());
    };
    if content.addresses.is_empty() {
        let last = content.bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let _ = write!(text, ".b8 {name}[{}]", size.max(1));
        if last > 0 {
            let list: Vec<String> = content.bytes[..last].iter().map(u8::to_string).collect();
            let _ = write!(text, " = {{{}}}", list.join(", "));
        }
        text.push_str(";\n");
        return Ok(());
    }
    if content.addresses.iter().any(|(at, _)| at % 8 != 0) || !size.is_multiple_of(8) {
        return Err(unsupported(format!("the variable `{}`, which holds addresses at odd places", global.name)));
    }
    let words = content.bytes.chunks(8).enumerate().map(|(index, bytes)| {
        match content.addresses.iter().find(|(at, _)| *at == index as u64 * 8) {
            Some((_, address)) => address.clone(),
            None => bytes.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte)).to_string(),
        }
    });
    let words: Vec<String> = words.collect();
    let _ = writeln!(text, ".u64 {name}[{}] = {{{}}};", words.len(), words.join(", "));
    Ok(())
}

fn is_undefined(value: &Operand) -> bool {
    matches!(value.value, Value::Constant(Constant::Undef))
}

fn names<'a>(constant: &'a Constant, all: &mut Vec<&'a str>) {
    let mut operand = |own: &'a Operand| {
        if let Value::Constant(constant) = &own.value {
            names(constant, all);
        }
    };
    match constant {
        Constant::Global(name) => all.push(name),
        Constant::Parts(parts) => parts.iter().for_each(operand),
        Constant::Expression(kind) => match &**kind {
            Kind::Gep { base, .. } => operand(base),
            Kind::Cast { value, .. } => operand(value),
            _ => {}
        },
        _ => {}
    }
}

fn content(unit: &Unit<'_>, global: &Global, value: &Operand) -> Result<Content, Error> {
    let size = global.ty.size();
    if size > 1 << 28 {
        return Err(unsupported(format!("the variable `{}` of {size} bytes", global.name)));
    }
    let mut content = Content { bytes: vec![0; size as usize], addresses: Vec::new() };
    fill(unit, &mut content, 0, value)?;
    Ok(content)
}

fn fill(unit: &Unit<'_>, content: &mut Content, at: u64, value: &Operand) -> Result<(), Error> {
    let Value::Constant(constant) = &value.value else { return Ok(()) };
    let mut put = |bits: u128, bytes: u64| {
        for index in 0..bytes {
            if let Some(byte) = content.bytes.get_mut((at + index) as usize) {
                *byte = (bits >> (8 * index.min(15))) as u8;
            }
        }
    };
    match constant {
        Constant::Int(bits) => put(*bits, value.ty.store_size()),
        Constant::Float(bits) => put((*bits).into(), value.ty.size()),
        Constant::Zero | Constant::Undef => {}
        Constant::Bytes(bytes) => {
            for (index, &byte) in bytes.iter().enumerate() {
                if let Some(place) = content.bytes.get_mut(at as usize + index) {
                    *place = byte;
                }
            }
        }
        Constant::Parts(parts) => {
            for (index, part) in parts.iter().enumerate() {
                let offset = match &value.ty {
                    Type::Struct { .. } => value.ty.field_offset(index),
                    Type::Vector(_, element) => index as u64 * element.bits() / 8,
                    ty => ty.part(0).map_or(0, |(element, _)| element.size()) * index as u64,
                };
                fill(unit, content, at + offset, part)?;
            }
        }
        Constant::Global(_) | Constant::Expression(_) => {
            let (name, offset, generic) = address(unit, constant, &value.ty)?;
            let mut text = if generic { format!("generic({name})") } else { name };
            if offset != 0 {
                text += &format!("+{offset}");
            }
            content.addresses.push((at, text));
        }
    }
    Ok(())
}

/// A symbol, what is added to it, and whether its generic address is meant.
fn address(unit: &Unit<'_>, constant: &Constant, ty: &Type) -> Result<(String, i64, bool), Error> {
    match constant {
        Constant::Global(name) => {
            let own = unit.names.get(&**name).cloned().ok_or_else(|| unsupported(format!("the name `{name}`")))?;
            let is_variable = unit.globals.contains_key(&**name);
            Ok((own, 0, is_variable && *ty == Type::Ptr(spaces::GENERIC)))
        }
        Constant::Expression(kind) => match &**kind {
            Kind::Cast { op, value, .. } => {
                let Value::Constant(inner) = &value.value else { return Err(unsupported("an initialiser")) };
                let (name, offset, generic) = address(unit, inner, &value.ty)?;
                let cast = op == "addrspacecast" && *ty == Type::Ptr(spaces::GENERIC);
                Ok((name, offset, generic || cast))
            }
            Kind::Gep { element, base, indices } => {
                let Value::Constant(inner) = &base.value else { return Err(unsupported("an initialiser")) };
                let (name, mut offset, generic) = address(unit, inner, &base.ty)?;
                let mut ty = element;
                for (level, index) in indices.iter().enumerate() {
                    let number = index.signed().ok_or_else(|| unsupported("an initialiser with such an index"))?;
                    if level == 0 {
                        offset += number * ty.size() as i64;
                        continue;
                    }
                    if let Type::Struct { .. } = ty {
                        offset += ty.field_offset(number as usize) as i64;
                    } else {
                        offset += number * ty.part(0).map_or(0, |(element, _)| element.size()) as i64;
                    }
                    let part = ty.part(if matches!(ty, Type::Struct { .. }) { number as u64 } else { 0 });
                    ty = part.ok_or_else(|| unsupported("an initialiser with such an index"))?.0;
                }
                Ok((name, offset, generic))
            }
            _ => Err(unsupported("an initialiser that is such an expression")),
        },
        _ => Err(unsupported("an initialiser of this kind")),
    }
}
