//! Arithmetic.
//!
//! An integer whose width is none of PTX's lies in the next larger register, and what is above its width is undefined: what
//! looks at it there is extended first.

use super::function::Writer;
use super::registers::{Class, is_register};
use crate::Error;
use crate::ir::{Flags, Kind, Operand};
use crate::types::Type;

impl Writer<'_, '_> {
    /// An integer with the bits above its width set to zero or its sign, and its class.
    pub(super) fn extended(&mut self, value: &Operand, signed: bool) -> Result<(String, Class), Error> {
        if value.ty == Type::Int(1) {
            let pred = self.register(value)?;
            let one = if signed { "-1" } else { "1" };
            return Ok((self.make(Class::B16, "selp.b16", &[one, "0", &pred]), Class::B16));
        }
        let class = self.class(&value.ty)?;
        let text = self.piece(value)?;
        Ok((self.extend(&text, &value.ty, class, signed), class))
    }

    /// The same for a text.
    pub(super) fn extend(&mut self, text: &str, ty: &Type, class: Class, signed: bool) -> String {
        let Type::Int(bits) = *ty else { return text.to_owned() };
        let width = class.bits();
        if bits >= width {
            return text.to_owned();
        }
        if let Ok(number) = text.parse::<i64>() {
            let shift = 64 - bits;
            return if signed {
                ((number << shift) >> shift).to_string()
            } else {
                (((number << shift) as u64) >> shift).to_string()
            };
        }
        let name = class.name();
        if !signed {
            let mask = (1u64 << bits) - 1;
            return self.make(class, &format!("and.{name}"), &[text, &mask.to_string()]);
        }
        if bits == 8 {
            return self.make(class, &format!("cvt.s{width}.s8"), &[text]);
        }
        let shift = (width - bits).to_string();
        let up = self.make(class, &format!("shl.{name}"), &[text, &shift]);
        self.make(class, &format!("shr.s{width}"), &[&up, &shift])
    }

    /// An instruction of two operands.
    pub(super) fn binary(&mut self, op: &str, flags: Flags, a: &Operand, b: &Operand) -> Result<Vec<String>, Error> {
        let Type::Vector(count, element) = &a.ty else { return self.scalar_binary(op, flags, a, b) };
        let (left, right) = (self.pieces(a)?, self.pieces(b)?);
        let each = element.scalar_count();
        let mut all = Vec::new();
        for lane in 0..*count as usize {
            let part = |pieces: &[String]| pieces[lane * each..(lane + 1) * each].to_vec();
            all.extend(self.operate(op, flags, element, &part(&left), &part(&right))?);
        }
        Ok(all)
    }

    fn scalar_binary(&mut self, op: &str, flags: Flags, a: &Operand, b: &Operand) -> Result<Vec<String>, Error> {
        if let Some(fused) = self.fused(op, flags, a, b)? {
            return Ok(vec![fused]);
        }
        if op == "or" && flags.disjoint && a.ty == Type::Int(1) {
            return self.scalar_binary("xor", Flags::default(), a, b);
        }
        let (left, right) = (self.pieces(a)?, self.pieces(b)?);
        self.operate(op, flags, &a.ty, &left, &right)
    }

    /// The same on scalars.
    fn operate(&mut self, op: &str, flags: Flags, ty: &Type, a: &[String], b: &[String]) -> Result<Vec<String>, Error> {
        if let Type::Int(65..=128) = ty {
            return self.wide_binary(op, ty, a, b);
        }
        if ty.is_float() {
            return Ok(vec![self.float_binary(op, flags, ty, &a[0], &b[0])?]);
        }
        Ok(vec![self.int_binary(op, ty, &a[0], &b[0])?])
    }

    pub(super) fn int_binary(&mut self, op: &str, ty: &Type, a: &str, b: &str) -> Result<String, Error> {
        let class = self.class(ty)?;
        let (width, name) = (class.bits(), class.name());
        if class == Class::Pred {
            let op = match op {
                "and" | "mul" => "and",
                "or" => "or",
                "xor" | "add" | "sub" => "xor",
                "udiv" | "sdiv" | "shl" | "lshr" | "ashr" => return Ok(a.to_owned()),
                _ => return Err(self.unsupported(format!("`{op}` of i1"))),
            };
            let (a, b) = (self.in_register(class, a), self.in_register(class, b));
            return Ok(self.make(class, &format!("{op}.pred"), &[&a, &b]));
        }
        let head = match op {
            "add" | "sub" => format!("{op}.s{width}"),
            "mul" => format!("mul.lo.s{width}"),
            "and" | "or" | "xor" => format!("{op}.{name}"),
            "udiv" => format!("div.u{width}"),
            "sdiv" => format!("div.s{width}"),
            "urem" => format!("rem.u{width}"),
            "srem" => format!("rem.s{width}"),
            "shl" => format!("shl.{name}"),
            "lshr" => format!("shr.u{width}"),
            "ashr" => format!("shr.s{width}"),
            _ => return Err(self.unsupported(format!("the instruction `{op}`"))),
        };
        let left = match op {
            "udiv" | "urem" | "lshr" => self.extend(a, ty, class, false),
            "sdiv" | "srem" | "ashr" => self.extend(a, ty, class, true),
            _ => a.to_owned(),
        };
        let right = match op {
            "udiv" | "urem" => self.extend(b, ty, class, false),
            "sdiv" | "srem" => self.extend(b, ty, class, true),
            "shl" | "lshr" | "ashr" => {
                let amount = self.extend(b, ty, class, false);
                self.amount(&amount, class)
            }
            _ => b.to_owned(),
        };
        let left = self.in_register(class, &left);
        Ok(self.make(class, &head, &[&left, &right]))
    }

    /// The amount of a shift, which is always of 32 bits.
    pub(super) fn amount(&mut self, text: &str, class: Class) -> String {
        match class {
            _ if !is_register(text) => text.to_owned(),
            Class::B32 => text.to_owned(),
            _ => self.make(Class::B32, &format!("cvt.u32.u{}", class.bits()), &[text]),
        }
    }

    fn float_binary(&mut self, op: &str, flags: Flags, ty: &Type, a: &str, b: &str) -> Result<String, Error> {
        let class = self.class(ty)?;
        let a = &self.in_register(class, a);
        let b = &if matches!(ty, Type::Half | Type::BFloat) { self.in_register(class, b) } else { b.to_owned() };
        let name = float_name(ty);
        // Without `.rn` ptxas may fuse it with another.
        let rounding = if self.optimised { "" } else { ".rn" };
        match (op, ty) {
            // Twice a number is the sum of two, as LLVM makes it.
            ("fmul", Type::Float | Type::Double) if matches!(&**b, "0f40000000" | "0d4000000000000000") => {
                Ok(self.make(class, &format!("add{rounding}.{name}"), &[a, a]))
            }
            ("fadd" | "fsub" | "fmul", _) => {
                let op = &op[1..];
                Ok(self.make(class, &format!("{op}{rounding}.{name}"), &[a, b]))
            }
            ("fdiv", Type::Float) if flags.approximate => Ok(self.make(class, "div.approx.f32", &[a, b])),
            ("fdiv", Type::Float | Type::Double) => {
                let one = if *ty == Type::Float { "0f3F800000" } else { "0d3FF0000000000000" };
                if a == one {
                    return Ok(self.make(class, &format!("rcp.rn.{name}"), &[b]));
                }
                Ok(self.make(class, &format!("div.rn.{name}"), &[a, b]))
            }
            ("fdiv", _) => {
                let (x, y) = (self.as_float(a, ty), self.as_float(b, ty));
                let quotient = self.make(Class::B32, "div.rn.f32", &[&x, &y]);
                Ok(self.make(class, &format!("cvt.rn.{name}.f32"), &[&quotient]))
            }
            ("frem", Type::Float | Type::Double) => {
                let quotient = self.make(class, &format!("div.rn.{name}"), &[a, b]);
                let whole = self.make(class, &format!("cvt.rzi.{name}.{name}"), &[&quotient]);
                let minus = self.make(class, &format!("neg.{name}"), &[&whole]);
                let rest = self.make(class, &format!("fma.rn.{name}"), &[&minus, b, a]);
                // A finite number divided by an infinite one leaves itself.
                let infinite = self.make(Class::Pred, &format!("testp.infinite.{name}"), &[b]);
                Ok(self.make(class, &format!("selp.{name}"), &[a, &rest, &infinite]))
            }
            _ => Err(self.unsupported(format!("`{op}` of {}", ty.name()))),
        }
    }

    /// A half or bfloat as a float.
    pub(super) fn as_float(&mut self, text: &str, ty: &Type) -> String {
        let text = self.in_register(Class::B16, text);
        if *ty == Type::Half {
            return self.make(Class::B32, "cvt.f32.f16", &[&text]);
        }
        let low = self.make(Class::B16, "mov.b16", &["0"]);
        self.make(Class::B32, "mov.b32", &[&format!("{{{low}, {text}}}")])
    }

    /// A product and a sum in one, where LLVM fuses them: in one block, when the code is optimised.
    fn fused(&mut self, op: &str, flags: Flags, a: &Operand, b: &Operand) -> Result<Option<String>, Error> {
        if !self.optimised || !matches!(op, "fadd" | "fsub") || !flags.contract || !a.ty.is_float() {
            return Ok(None);
        }
        let product = |writer: &Self, operand: &Operand| -> Option<(Operand, Operand, bool)> {
            let (instruction, block) = writer.definition(operand)?;
            if block != writer.block {
                return None;
            }
            match &instruction.kind {
                Kind::Binary { op, flags, a, b } if op == "fmul" && flags.contract => {
                    Some((a.clone(), b.clone(), false))
                }
                Kind::FNeg { value } => {
                    let (instruction, block) = writer.definition(value)?;
                    match &instruction.kind {
                        Kind::Binary { op, flags, a, b } if op == "fmul" && flags.contract && block == writer.block => {
                            Some((a.clone(), b.clone(), true))
                        }
                        _ => None,
                    }
                }
                _ => None,
            }
        };
        let uses = |writer: &Self, operand: &Operand| operand.local().map_or(0, |id| writer.uses[id]);
        let (mut left, mut right) = (product(self, a), product(self, b));
        // Of two products the one that fewer others use is fused.
        if left.is_some() && right.is_some() {
            if uses(self, a) > uses(self, b) && op == "fadd" {
                left = None;
            } else {
                right = None;
            }
        }
        let class = self.class(&a.ty)?;
        let name = float_name(&a.ty);
        let negate = |writer: &mut Self, operand: &Operand| -> Result<String, Error> {
            let text = writer.register(operand)?;
            Ok(writer.make(class, &format!("neg.{name}"), &[&text]))
        };
        let head = format!("fma.rn.{name}");
        let (x, y, minus, other, minus_other) = match (left, right) {
            (Some((x, y, minus)), _) => (x, y, minus, b, op == "fsub"),
            (None, Some((x, y, minus))) => (x, y, minus != (op == "fsub"), a, false),
            (None, None) => return Ok(None),
        };
        let x = if minus { negate(self, &x)? } else { self.register(&x)? };
        let y = self.register(&y)?;
        let other = if minus_other { negate(self, other)? } else { self.register(other)? };
        Ok(Some(self.make(class, &head, &[&x, &y, &other])))
    }

    /// `fneg`.
    pub(super) fn negated(&mut self, value: &Operand) -> Result<Vec<String>, Error> {
        let scalar = value.ty.scalar().clone();
        let class = self.class(&scalar)?;
        let mut all = Vec::new();
        for piece in self.pieces(value)? {
            let piece = self.in_register(class, &piece);
            all.push(if matches!(scalar, Type::Half | Type::BFloat) {
                self.make(class, "xor.b16", &[&piece, "-32768"])
            } else {
                self.make(class, &format!("neg.{}", float_name(&scalar)), &[&piece])
            });
        }
        Ok(all)
    }
}

/// PTX's name of a floating-point type.
pub(super) const fn float_name(ty: &Type) -> &'static str {
    match ty {
        Type::Half => "f16",
        Type::BFloat => "bf16",
        Type::Double => "f64",
        _ => "f32",
    }
}
