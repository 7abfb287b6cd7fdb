//! Comparisons, and choices that depend on them.

use super::arithmetic::float_name;
use super::function::Writer;
use super::registers::Class;
use crate::Error;
use crate::ir::Operand;
use crate::spaces::GENERIC;
use crate::types::Type;

impl Writer<'_, '_> {
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
}
