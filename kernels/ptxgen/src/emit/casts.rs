//! Conversions.

use super::arithmetic::float_name;
use super::function::Writer;
use super::registers::Class;
use crate::Error;
use crate::ir::{Operand, Value};
use crate::spaces::GENERIC;
use crate::types::Type;

impl Writer<'_, '_> {
    /// A conversion of a value to a type.
    pub(super) fn cast(&mut self, op: &str, value: &Operand, to: &Type) -> Result<Vec<String>, Error> {
        match op {
            "bitcast" => return self.bitcast(value, to),
            "addrspacecast" => {
                let space = match *to {
                    Type::Ptr(GENERIC) if self.optimised => match (&value.value, &value.ty) {
                        (_, Type::Ptr(space)) if *space != GENERIC => *space,
                        (Value::Local(id), _) => self.spaces[*id],
                        _ => GENERIC,
                    },
                    Type::Ptr(space) => space,
                    _ => return Err(self.unsupported("vectors of pointers")),
                };
                return Ok(vec![self.pointer_in(value, space)?]);
            }
            _ => {}
        }
        let (from, into) = (value.ty.scalar().clone(), to.scalar().clone());
        let pieces = self.pieces(value)?;
        let mut all = Vec::new();
        for own in pieces.chunks(from.scalar_count().max(1)) {
            all.extend(self.convert(op, own, &from, &into)?);
        }
        Ok(all)
    }

    /// A conversion of one scalar.
    pub(super) fn convert(&mut self, op: &str, own: &[String], from: &Type, to: &Type) -> Result<Vec<String>, Error> {
        if own.len() == 2 || to.scalar_count() == 2 {
            return self.convert_wide(op, own, from, to);
        }
        let (source, target) = (self.class(from)?, self.class(to)?);
        let text = &own[0];
        let one = match op {
            "ptrtoint" | "ptrtoaddr" | "inttoptr" | "trunc" | "zext" => {
                let truncates = op == "trunc" || matches!(op, "ptrtoint" | "ptrtoaddr") && to.bits() < 64;
                if truncates {
                    self.truncate(text, source, to, target)
                } else {
                    self.widen(text, from, source, target, false)
                }
            }
            "sext" => self.widen(text, from, source, target, true),
            "fptrunc" | "fpext" => self.float_to_float(text, from, to)?,
            "fptoui" | "fptosi" => {
                let text = self.in_register(source, text);
                let (text, name) = match from {
                    Type::BFloat => (self.as_float(&text, from), "f32"),
                    _ => (text, float_name(from)),
                };
                let sign = if op == "fptoui" { 'u' } else { 's' };
                if target == Class::Pred {
                    let whole = self.make(Class::B32, &format!("cvt.rzi.{sign}32.{name}"), &[&text]);
                    return Ok(vec![self.make(Class::Pred, "setp.ne.b32", &[&whole, "0"])]);
                }
                self.make(target, &format!("cvt.rzi.{sign}{}.{name}", target.bits()), &[&text])
            }
            "uitofp" | "sitofp" => {
                let signed = op == "sitofp";
                let (text, class) = if source == Class::Pred {
                    let pred = self.in_register(source, text);
                    let one = if signed { "-1" } else { "1" };
                    (self.make(Class::B32, "selp.b32", &[one, "0", &pred]), Class::B32)
                } else {
                    (self.extend(text, from, source, signed), source)
                };
                let text = self.in_register(class, &text);
                let name = float_name(to);
                if *to == Type::BFloat {
                    return Err(self.unsupported("a conversion of an integer to bfloat"));
                }
                let sign = if signed { 's' } else { 'u' };
                self.make(target, &format!("cvt.rn.{name}.{sign}{}", class.bits()), &[&text])
            }
            _ => return Err(self.unsupported(format!("the conversion `{op}`"))),
        };
        Ok(vec![one])
    }

    fn truncate(&mut self, text: &str, source: Class, to: &Type, target: Class) -> String {
        let text = self.in_register(source, text);
        if *to == Type::Int(1) {
            let name = source.name();
            let low = self.make(source, &format!("and.{name}"), &[&text, "1"]);
            return self.make(Class::Pred, &format!("setp.ne.{name}"), &[&low, "0"]);
        }
        if source == target {
            return text;
        }
        self.make(target, &format!("cvt.u{}.u{}", target.bits(), source.bits()), &[&text])
    }

    /// An integer in a class at least as large, with zeros or its sign above.
    pub(super) fn widen(&mut self, text: &str, from: &Type, source: Class, target: Class, signed: bool) -> String {
        if source == Class::Pred {
            let pred = self.in_register(source, text);
            let one = if signed { "-1" } else { "1" };
            return self.make(target, &format!("selp.{}", target.name()), &[one, "0", &pred]);
        }
        let text = self.extend(text, from, source, signed);
        if source == target {
            return text;
        }
        let text = self.in_register(source, &text);
        let sign = if signed { 's' } else { 'u' };
        self.make(target, &format!("cvt.{sign}{}.{sign}{}", target.bits(), source.bits()), &[&text])
    }

    fn float_to_float(&mut self, text: &str, from: &Type, to: &Type) -> Result<String, Error> {
        let (source, target) = (self.class(from)?, self.class(to)?);
        let text = self.in_register(source, text);
        Ok(match (from, to) {
            (Type::BFloat, Type::Float) => self.as_float(&text, from),
            (Type::BFloat, Type::Double) => {
                let float = self.as_float(&text, from);
                self.make(target, "cvt.f64.f32", &[&float])
            }
            (Type::Double, Type::BFloat) => {
                return Err(self.unsupported("a conversion of double to bfloat"));
            }
            (Type::Half, _) | (Type::Float, Type::Double) => {
                self.make(target, &format!("cvt.{}.{}", float_name(to), float_name(from)), &[&text])
            }
            _ => self.make(target, &format!("cvt.rn.{}.{}", float_name(to), float_name(from)), &[&text]),
        })
    }

    /// Conversions from or to integers of 65 to 128 bits.
    fn convert_wide(&mut self, op: &str, own: &[String], from: &Type, to: &Type) -> Result<Vec<String>, Error> {
        let word = Type::Int(64);
        match (op, own.len(), to.scalar_count()) {
            ("trunc", 2, 2) => Ok(own.to_vec()),
            ("trunc", 2, 1) => {
                if to.bits() == 64 {
                    return Ok(vec![own[0].clone()]);
                }
                self.convert("trunc", &own[..1], &word, to)
            }
            ("zext", 1, 2) => {
                let low = self.convert("zext", own, from, &word)?.remove(0);
                Ok(vec![low, "0".into()])
            }
            ("sext", 1, 2) => {
                let source = self.class(from)?;
                let low = self.widen(&own[0], from, source, Class::B64, true);
                let low = self.in_register(Class::B64, &low);
                let high = self.make(Class::B64, "shr.s64", &[&low, "63"]);
                Ok(vec![low, high])
            }
            _ => Err(self.unsupported(format!("the conversion `{op}` of {} to {}", from.name(), to.name()))),
        }
    }

    /// The same bits as another type.
    fn bitcast(&mut self, value: &Operand, to: &Type) -> Result<Vec<String>, Error> {
        if let (Type::Ptr(_), Type::Ptr(_)) = (&value.ty, to) {
            return Ok(vec![self.pointer(value)?]);
        }
        let pieces = self.pieces(value)?;
        let (from, into) = (value.ty.scalars(), to.scalars());
        let bits = |all: &[(Type, u64)]| all.first().map_or(0, |(ty, _)| ty.bits() as u32);
        let (old, new) = (bits(&from), bits(&into));
        if old == new {
            // A constant is written by its new type.
            let mut all = Vec::new();
            for ((piece, (was, _)), (is, _)) in pieces.iter().zip(&from).zip(&into) {
                let class = self.class(was)?;
                all.push(if was == is { piece.clone() } else { self.in_register(class, piece) });
            }
            return Ok(all);
        }
        if old == 1 || new == 1 {
            return self.bits_of_predicates(&pieces, old, new, into.len());
        }
        if old < new {
            if new % old != 0 {
                return Err(self.unsupported(format!("`bitcast` of {} to {}", value.ty.name(), to.name())));
            }
            let class = Class::holding(new);
            let mut all = Vec::new();
            for small in pieces.chunks((new / old) as usize) {
                all.push(self.join(small, class, old)?);
            }
            return Ok(all);
        }
        if old % new != 0 {
            return Err(self.unsupported(format!("`bitcast` of {} to {}", value.ty.name(), to.name())));
        }
        let mut all = Vec::new();
        for large in &pieces {
            all.extend(self.split(large, Class::holding(old), new)?);
        }
        Ok(all)
    }

    fn bits_of_predicates(
        &mut self,
        pieces: &[String],
        old: u32,
        new: u32,
        count: usize,
    ) -> Result<Vec<String>, Error> {
        if old == 1 && new <= 64 {
            let class = Class::holding(new);
            let name = class.name();
            let mut whole: Option<String> = None;
            for (at, piece) in pieces.iter().enumerate() {
                let pred = self.in_register(Class::Pred, piece);
                let bit = super::registers::number(1 << at, class.bits());
                let bit = self.make(class, &format!("selp.{name}"), &[&bit, "0", &pred]);
                whole = Some(match whole {
                    None => bit,
                    Some(low) => self.make(class, &format!("or.{name}"), &[&low, &bit]),
                });
            }
            return Ok(whole.into_iter().collect());
        }
        if new == 1 && old <= 64 {
            let class = Class::holding(old);
            let name = class.name();
            let whole = self.in_register(class, &pieces[0]);
            let mut all = Vec::new();
            for at in 0..count {
                let bit = super::registers::number(1 << at, class.bits());
                let bit = self.make(class, &format!("and.{name}"), &[&whole, &bit]);
                all.push(self.make(Class::Pred, &format!("setp.ne.{name}"), &[&bit, "0"]));
            }
            return Ok(all);
        }
        Err(self.unsupported("a `bitcast` of so many predicates"))
    }

    /// A register made of smaller values of so many bits, the lowest first.
    pub(super) fn join(&mut self, small: &[String], class: Class, bits: u32) -> Result<String, Error> {
        if let [one] = small {
            return Ok(one.clone());
        }
        if bits == 8 {
            let name = class.name();
            let mut whole: Option<String> = None;
            for (at, piece) in small.iter().enumerate() {
                let low = self.extend(piece, &Type::Int(8), Class::B16, false);
                let wide = self.widen(&low, &Type::Int(16), Class::B16, class, false);
                let wide = self.in_register(class, &wide);
                let placed = if at == 0 {
                    wide
                } else {
                    self.make(class, &format!("shl.{name}"), &[&wide, &(at * 8).to_string()])
                };
                whole = Some(match whole {
                    None => placed,
                    Some(low) => self.make(class, &format!("or.{name}"), &[&low, &placed]),
                });
            }
            return whole.ok_or_else(|| self.our_fault("nothing is joined"));
        }
        if !matches!(bits, 16 | 32) {
            return Err(self.unsupported(format!("vectors whose elements have {bits} bits in one register")));
        }
        let part = Class::holding(bits);
        let mut registers = Vec::new();
        for piece in small {
            registers.push(self.in_register(part, piece));
        }
        Ok(self.make(class, &format!("mov.{}", class.name()), &[&format!("{{{}}}", registers.join(", "))]))
    }

    /// The smaller values of so many bits in a register, the lowest first.
    pub(super) fn split(&mut self, large: &str, class: Class, bits: u32) -> Result<Vec<String>, Error> {
        let count = class.bits() / bits;
        let large = self.in_register(class, large);
        if count == 1 {
            return Ok(vec![large]);
        }
        if bits == 8 {
            let mut all = Vec::new();
            for at in 0..count {
                let shifted = if at == 0 {
                    large.clone()
                } else {
                    self.make(class, &format!("shr.u{}", class.bits()), &[&large, &(at * 8).to_string()])
                };
                all.push(if class == Class::B16 {
                    shifted
                } else {
                    self.make(Class::B16, &format!("cvt.u16.u{}", class.bits()), &[&shifted])
                });
            }
            return Ok(all);
        }
        if !matches!(bits, 16 | 32) {
            return Err(self.unsupported(format!("vectors whose elements have {bits} bits in one register")));
        }
        let registers: Vec<String> = (0..count).map(|_| self.fresh(Class::holding(bits))).collect();
        self.line(format!("mov.{} \t{{{}}}, {large};", class.name(), registers.join(", ")));
        Ok(registers)
    }
}
