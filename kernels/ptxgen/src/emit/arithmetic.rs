//! Arithmetic, comparisons and choices.
//!
//! An integer whose width is none of PTX's lies in the next larger register, and what is above its width is undefined: what
//! looks at it there is extended first.

use super::function::Writer;
use super::registers::{Class, is_register};
use crate::Error;
use crate::ir::{Flags, Kind, Operand};
use crate::spaces::GENERIC;
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

    /// `icmp` and `fcmp`.
    pub(super) fn compare(
        &mut self,
        float: bool,
        predicate: &str,
        a: &Operand,
        b: &Operand,
    ) -> Result<Vec<String>, Error> {
        let scalar = a.ty.scalar().clone();
        let (left, right) = (self.pieces(a)?, self.pieces(b)?);
        let each = scalar.scalar_count();
        let mut all = Vec::new();
        for (x, y) in left.chunks(each).zip(right.chunks(each)) {
            all.push(if float {
                self.compare_floats(predicate, &scalar, &x[0], &y[0])?
            } else if each == 2 {
                self.wide_compare(predicate, &scalar, x, y)?
            } else {
                self.compare_ints(predicate, &scalar, &x[0], &y[0])?
            });
        }
        Ok(all)
    }

    pub(super) fn compare_ints(&mut self, predicate: &str, ty: &Type, a: &str, b: &str) -> Result<String, Error> {
        let mut class = self.class(ty)?;
        let signed = predicate.starts_with('s');
        let (mut a, mut b) = (a.to_owned(), b.to_owned());
        if class == Class::Pred {
            let one = if signed { "-1" } else { "1" };
            (a, b) = (self.in_register(class, &a), self.in_register(class, &b));
            if predicate == "ne" {
                return Ok(self.make(class, "xor.pred", &[&a, &b]));
            }
            a = self.make(Class::B16, "selp.b16", &[one, "0", &a]);
            b = self.make(Class::B16, "selp.b16", &[one, "0", &b]);
            class = Class::B16;
        } else {
            a = self.extend(&a, ty, class, signed);
            b = self.extend(&b, ty, class, signed);
        }
        let bits = class.bits();
        let head = match predicate {
            "eq" | "ne" => format!("setp.{predicate}.b{bits}"),
            _ => format!("setp.{}.{}{bits}", &predicate[1..], if signed { 's' } else { 'u' }),
        };
        let a = self.in_register(class, &a);
        Ok(self.make(Class::Pred, &head, &[&a, &b]))
    }

    fn compare_floats(&mut self, predicate: &str, ty: &Type, a: &str, b: &str) -> Result<String, Error> {
        let condition = match predicate {
            "false" => return Ok("0".into()),
            "true" => return Ok("-1".into()),
            "oeq" => "eq",
            "ogt" => "gt",
            "oge" => "ge",
            "olt" => "lt",
            "ole" => "le",
            "one" => "ne",
            "ord" => "num",
            "uno" => "nan",
            "ueq" => "equ",
            "ugt" => "gtu",
            "uge" => "geu",
            "ult" => "ltu",
            "ule" => "leu",
            _ => "neu",
        };
        let class = self.class(ty)?;
        let a = self.in_register(class, a);
        let b = if class == Class::B16 { self.in_register(class, b) } else { b.to_owned() };
        Ok(self.make(Class::Pred, &format!("setp.{condition}.{}", float_name(ty)), &[&a, &b]))
    }

    /// `select`.
    pub(super) fn select(
        &mut self,
        condition: &Operand,
        a: &Operand,
        b: &Operand,
        ty: &Type,
    ) -> Result<Vec<String>, Error> {
        let conditions = self.pieces(condition)?;
        let (left, right) = if let Type::Ptr(space) = ty {
            let space = match (space, a.local(), b.local()) {
                (&GENERIC, ..) => self.space_of_choice(a, b),
                (space, ..) => *space,
            };
            (vec![self.pointer_in(a, space)?], vec![self.pointer_in(b, space)?])
        } else {
            (self.pieces(a)?, self.pieces(b)?)
        };
        let scalars = ty.scalars();
        let each = scalars.len() / conditions.len().max(1);
        let mut all = Vec::new();
        for (index, (scalar, _)) in scalars.iter().enumerate() {
            let condition = &conditions[if conditions.len() == 1 { 0 } else { index / each.max(1) }];
            let class = self.class(scalar)?;
            let condition = self.in_register(Class::Pred, condition);
            all.push(self.choose(class, &condition, &left[index], &right[index]));
        }
        Ok(all)
    }

    /// The space in which both pointers are, as inferred.
    fn space_of_choice(&self, a: &Operand, b: &Operand) -> u32 {
        let of = |operand: &Operand| match &operand.value {
            crate::ir::Value::Local(id) => Some(self.spaces[*id]),
            crate::ir::Value::Constant(constant) => crate::spaces::of_constant(constant, &operand.ty),
        };
        if !self.optimised {
            return GENERIC;
        }
        match (of(a), of(b)) {
            (Some(a), Some(b)) if a == b => a,
            (Some(space), None) | (None, Some(space)) => space,
            _ => GENERIC,
        }
    }

    /// One of two scalars.
    pub(super) fn choose(&mut self, class: Class, condition: &str, a: &str, b: &str) -> String {
        if a == b {
            return a.to_owned();
        }
        if class != Class::Pred {
            return self.make(class, &format!("selp.{}", class.name()), &[a, b, condition]);
        }
        match (a, b) {
            ("-1", "0") => condition.to_owned(),
            ("0", "-1") => self.make(class, "not.pred", &[condition]),
            ("-1", other) => self.make(class, "or.pred", &[condition, other]),
            (other, "0") => self.make(class, "and.pred", &[condition, other]),
            ("0", other) => {
                let not = self.make(class, "not.pred", &[condition]);
                self.make(class, "and.pred", &[&not, other])
            }
            (a, b) => {
                let (a, b) = (self.in_register(class, a), self.in_register(class, b));
                let yes = self.make(class, "and.pred", &[condition, &a]);
                let not = self.make(class, "not.pred", &[condition]);
                let no = self.make(class, "and.pred", &[&not, &b]);
                self.make(class, "or.pred", &[&yes, &no])
            }
        }
    }

    /// Integers of 65 to 128 bits, in two registers.
    fn wide_binary(&mut self, op: &str, ty: &Type, a: &[String], b: &[String]) -> Result<Vec<String>, Error> {
        let class = Class::B64;
        let word = Type::Int(64);
        match op {
            "and" | "or" | "xor" => {
                Ok(vec![self.int_binary(op, &word, &a[0], &b[0])?, self.int_binary(op, &word, &a[1], &b[1])?])
            }
            "add" | "sub" => {
                let left = self.in_register(class, &a[0]);
                let low = self.make(class, &format!("{op}.cc.s64"), &[&left, &b[0]]);
                let (left, right) = (a[1].clone(), b[1].clone());
                let high = self.make(class, &format!("{op}c.s64"), &[&left, &right]);
                Ok(vec![low, high])
            }
            "mul" => {
                let (x, y) = (self.in_register(class, &a[0]), self.in_register(class, &b[0]));
                let low = self.make(class, "mul.lo.s64", &[&x, &y]);
                let high = self.make(class, "mul.hi.u64", &[&x, &y]);
                let cross = self.int_binary("mul", &word, &x, &b[1])?;
                let high = self.int_binary("add", &word, &high, &cross)?;
                let cross = self.int_binary("mul", &word, &y, &a[1])?;
                Ok(vec![low, self.int_binary("add", &word, &high, &cross)?])
            }
            "shl" | "lshr" | "ashr" if *ty == Type::Int(128) => self.wide_shift(op, a, &b[0]),
            _ => Err(self.unsupported(format!("`{op}` of {}", ty.name()))),
        }
    }

    fn wide_shift(&mut self, op: &str, a: &[String], amount: &str) -> Result<Vec<String>, Error> {
        let class = Class::B64;
        let (low, high) = (self.in_register(class, &a[0]), self.in_register(class, &a[1]));
        let amount = self.in_register(class, amount);
        let amount = self.make(Class::B32, "cvt.u32.u64", &[&amount]);
        let far = self.make(Class::Pred, "setp.gt.u32", &[&amount, "63"]);
        let rest = self.in_register(Class::B32, "64");
        let back = self.make(Class::B32, "sub.s32", &[&rest, &amount]);
        let over = self.make(Class::B32, "sub.s32", &[&amount, "64"]);
        // Shifts by more than 63 give what is shifted in, so both cases may be computed.
        if op == "shl" {
            let up = self.make(class, "shl.b64", &[&high, &amount]);
            let carried = self.make(class, "shr.u64", &[&low, &back]);
            let near = self.make(class, "or.b64", &[&up, &carried]);
            let beyond = self.make(class, "shl.b64", &[&low, &over]);
            let top = self.make(class, "selp.b64", &[&beyond, &near, &far]);
            return Ok(vec![self.make(class, "shl.b64", &[&low, &amount]), top]);
        }
        let shift = if op == "lshr" { "shr.u64" } else { "shr.s64" };
        let down = self.make(class, "shr.u64", &[&low, &amount]);
        let carried = self.make(class, "shl.b64", &[&high, &back]);
        let near = self.make(class, "or.b64", &[&down, &carried]);
        let beyond = self.make(class, shift, &[&high, &over]);
        let bottom = self.make(class, "selp.b64", &[&beyond, &near, &far]);
        Ok(vec![bottom, self.make(class, shift, &[&high, &amount])])
    }

    fn wide_compare(&mut self, predicate: &str, ty: &Type, a: &[String], b: &[String]) -> Result<String, Error> {
        if *ty != Type::Int(128) {
            return Err(self.unsupported(format!("comparisons of {}", ty.name())));
        }
        let word = Type::Int(64);
        if matches!(predicate, "eq" | "ne") {
            let low = self.int_binary("xor", &word, &a[0], &b[0])?;
            let high = self.int_binary("xor", &word, &a[1], &b[1])?;
            let both = self.int_binary("or", &word, &low, &high)?;
            return self.compare_ints(predicate, &word, &both, "0");
        }
        let low = self.compare_ints(&format!("u{}", &predicate[1..]), &word, &a[0], &b[0])?;
        let strict = format!("{}{}", &predicate[..1], if predicate[1..].starts_with('g') { "gt" } else { "lt" });
        let high = self.compare_ints(&strict, &word, &a[1], &b[1])?;
        let same = self.compare_ints("eq", &word, &a[1], &b[1])?;
        Ok(self.choose(Class::Pred, &same, &low, &high))
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
