//! Integers of 65 to 128 bits, in two registers.

use super::function::Writer;
use super::registers::Class;
use crate::Error;
use crate::ir::Argument;
use crate::types::Type;

impl Writer<'_, '_> {
    /// Integers of 65 to 128 bits, in two registers.
    pub(super) fn wide_binary(
        &mut self,
        op: &str,
        ty: &Type,
        a: &[String],
        b: &[String],
    ) -> Result<Vec<String>, Error> {
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

    pub(super) fn wide_compare(
        &mut self,
        predicate: &str,
        ty: &Type,
        a: &[String],
        b: &[String],
    ) -> Result<String, Error> {
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

    /// An intrinsic of them; none if it is not translated.
    pub(super) fn wide_math(&mut self, base: &str, arguments: &[Argument]) -> Option<Result<Vec<String>, Error>> {
        if base != "abs" || arguments.first()?.operand.ty != Type::Int(128) {
            return None;
        }
        Some(self.wide_abs(arguments))
    }

    fn wide_abs(&mut self, arguments: &[Argument]) -> Result<Vec<String>, Error> {
        let own = self.pieces(&arguments[0].operand)?;
        let word = Type::Int(64);
        let sign = self.int_binary("ashr", &word, &own[1], "63")?;
        let low = self.int_binary("xor", &word, &own[0], &sign)?;
        let high = self.int_binary("xor", &word, &own[1], &sign)?;
        let bottom = self.make(Class::B64, "sub.cc.s64", &[&low, &sign]);
        let top = self.make(Class::B64, "subc.s64", &[&high, &sign]);
        Ok(vec![bottom, top])
    }
}
