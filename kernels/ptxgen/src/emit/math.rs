//! LLVM's own intrinsics of arithmetic, for every width that they come in; of these, those of floating-point numbers.

use super::arithmetic::float_name;
use super::function::Writer;
use super::registers::Class;
use crate::Error;
use crate::ir::Argument;
use crate::types::Type;

/// Those of floating-point numbers that are one instruction: the name, PTX with `T` for the type, how many operands.
const FLOAT: &[(&str, &str, usize)] = &[
    ("fabs", "abs.T", 1),
    ("sqrt", "sqrt.rn.T", 1),
    ("floor", "cvt.rmi.T.T", 1),
    ("ceil", "cvt.rpi.T.T", 1),
    ("trunc", "cvt.rzi.T.T", 1),
    ("rint", "cvt.rni.T.T", 1),
    ("nearbyint", "cvt.rni.T.T", 1),
    ("roundeven", "cvt.rni.T.T", 1),
    ("minnum", "min.T", 2),
    ("maxnum", "max.T", 2),
    ("minimumnum", "min.T", 2),
    ("maximumnum", "max.T", 2),
    ("minimum", "min.NaN.T", 2),
    ("maximum", "max.NaN.T", 2),
    ("fma", "fma.rn.T", 3),
    ("fmuladd", "fma.rn.T", 3),
];

impl Writer<'_, '_> {
    /// Writes an intrinsic, lane by lane where it is of vectors.
    pub(super) fn math(&mut self, name: &str, arguments: &[Argument], ty: &Type) -> Result<Vec<String>, Error> {
        let unknown = |writer: &Self| writer.unsupported(format!("the intrinsic `{name}`"));
        let base = name.strip_prefix("llvm.").ok_or_else(|| unknown(self))?;
        // The types follow the name: `.i32`, `.v2f32.v2f32`.
        let mut base = base;
        while let Some((before, last)) = base.rsplit_once('.') {
            let is_type = last.len() > 1
                && last.starts_with(['i', 'f', 'v', 'p', 'b', 's'])
                && last.ends_with(|c: char| c.is_ascii_digit());
            if !is_type {
                break;
            }
            base = before;
        }
        if matches!(base, "expect" | "ssa.copy" | "annotation" | "launder.invariant.group" | "strip.invariant.group") {
            let operand = self.argument(arguments, 0)?;
            return self.pieces(operand);
        }
        if base == "is.constant" {
            return Ok(vec!["0".into()]);
        }
        if base == "objectsize" {
            let least = arguments.get(1).and_then(|own| own.operand.int()) == Some(1);
            return Ok(vec![if least { "0".into() } else { "-1".into() }]);
        }
        if let Some(op) = base.strip_prefix("vector.reduce.") {
            return self.reduce(op, arguments);
        }
        let first = self.argument(arguments, 0)?.ty.clone();
        let scalar = first.scalar().clone();
        if scalar.scalar_count() == 2 {
            return self.wide_math(base, arguments).ok_or_else(|| unknown(self))?;
        }
        let lanes = if let Type::Vector(count, _) = first { count as usize } else { 1 };
        let mut operands = Vec::new();
        for argument in arguments {
            operands.push(self.pieces(&argument.operand)?);
        }
        let (mut values, mut flags) = (Vec::new(), Vec::new());
        for lane in 0..lanes {
            let own: Vec<String> =
                operands.iter().map(|pieces| pieces[if pieces.len() == 1 { 0 } else { lane }].clone()).collect();
            if let Some(op) = base.strip_suffix(".with.overflow") {
                let (value, flag) = self.with_overflow(op, &scalar, &own)?.ok_or_else(|| unknown(self))?;
                values.push(value);
                flags.push(flag);
                continue;
            }
            let result = ty.scalar().clone();
            values.push(self.one(base, &scalar, &result, &own)?.ok_or_else(|| unknown(self))?);
        }
        values.extend(flags);
        Ok(values)
    }

    fn reduce(&mut self, op: &str, arguments: &[Argument]) -> Result<Vec<String>, Error> {
        let last = arguments.last().ok_or_else(|| self.our_fault("an intrinsic lacks an argument"))?;
        let scalar = last.operand.ty.scalar().clone();
        let mut pieces = self.pieces(&last.operand)?.into_iter();
        if scalar.scalar_count() != 1 || matches!(op, "fadd" | "fmul") && arguments.len() != 2 {
            return Err(self.unsupported(format!("the intrinsic `llvm.vector.reduce.{op}`")));
        }
        let mut all =
            if arguments.len() == 2 { self.piece(&arguments[0].operand)? } else { pieces.next().unwrap_or_default() };
        for piece in pieces {
            all = match op {
                "add" | "mul" | "and" | "or" | "xor" => self.int_binary(op, &scalar, &all, &piece)?,
                "fadd" | "fmul" => {
                    let class = self.class(&scalar)?;
                    let left = self.in_register(class, &all);
                    let right = self.in_register(class, &piece);
                    self.make(class, &format!("{}.rn.{}", &op[1..], float_name(&scalar)), &[&left, &right])
                }
                "smin" | "smax" | "umin" | "umax" => self
                    .one(op, &scalar, &scalar, &[all, piece])?
                    .ok_or_else(|| self.our_fault("nothing is reduced"))?,
                _ => return Err(self.unsupported(format!("the intrinsic `llvm.vector.reduce.{op}`"))),
            };
        }
        Ok(vec![all])
    }

    fn one(&mut self, base: &str, ty: &Type, result: &Type, own: &[String]) -> Result<Option<String>, Error> {
        if ty.is_float() { self.float_math(base, ty, result, own) } else { self.int_math(base, ty, result, own) }
    }

    fn float_math(&mut self, base: &str, ty: &Type, result: &Type, own: &[String]) -> Result<Option<String>, Error> {
        let class = self.class(ty)?;
        let name = float_name(ty);
        let mut texts = Vec::new();
        for text in own {
            texts.push(text.clone());
        }
        if let Some((_, form, count)) = FLOAT.iter().find(|(own, ..)| *own == base) {
            if matches!(ty, Type::Half | Type::BFloat) && (form.starts_with("cvt") || form.starts_with("sqrt")) {
                let wide = self.as_float(&texts[0], ty);
                let made = self.make(Class::B32, &form.replace('T', "f32").replace("Nf32aN", "NaN"), &[&wide]);
                return Ok(Some(self.make(Class::B16, &format!("cvt.rn.{name}.f32"), &[&made])));
            }
            for text in &mut texts[..*count] {
                *text = self.in_register(class, text);
            }
            let operands: Vec<&str> = texts[..*count].iter().map(String::as_str).collect();
            return Ok(Some(self.make(class, &form.replace('T', name), &operands)));
        }
        if let Type::Half | Type::BFloat = ty {
            if base == "copysign" {
                let magnitude = self.int_binary("and", &Type::Int(16), &texts[0], "32767")?;
                let sign = self.int_binary("and", &Type::Int(16), &texts[1], "-32768")?;
                return Ok(Some(self.int_binary("or", &Type::Int(16), &magnitude, &sign)?));
            }
            return Ok(None);
        }
        for text in &mut texts {
            if base != "is.fpclass" && !base.starts_with("powi") {
                *text = self.in_register(class, text);
            }
        }
        Ok(Some(match base {
            "copysign" => self.make(class, &format!("copysign.{name}"), &[&texts[1], &texts[0]]),
            "exp2" if *ty == Type::Float => self.make(class, "ex2.approx.f32", &[&texts[0]]),
            "log2" if *ty == Type::Float => self.make(class, "lg2.approx.f32", &[&texts[0]]),
            "sin" if *ty == Type::Float => self.make(class, "sin.approx.f32", &[&texts[0]]),
            "cos" if *ty == Type::Float => self.make(class, "cos.approx.f32", &[&texts[0]]),
            "round" => {
                // To the nearest, halves away from zero: the whole part, and one more where the rest is at least a half.
                let (one, half) = if *ty == Type::Float {
                    ("0f3F800000", "0f3F000000")
                } else {
                    ("0d3FF0000000000000", "0d3FE0000000000000")
                };
                let whole = self.make(class, &format!("cvt.rzi.{name}.{name}"), &[&texts[0]]);
                let rest = self.make(class, &format!("sub.rn.{name}"), &[&texts[0], &whole]);
                let size = self.make(class, &format!("abs.{name}"), &[&rest]);
                let away = self.make(Class::Pred, &format!("setp.ge.{name}"), &[&size, half]);
                let one = self.in_register(class, one);
                let step = self.make(class, &format!("copysign.{name}"), &[&texts[0], &one]);
                let further = self.make(class, &format!("add.rn.{name}"), &[&whole, &step]);
                let rounded = self.make(class, &format!("selp.{name}"), &[&further, &whole, &away]);
                self.make(class, &format!("copysign.{name}"), &[&texts[0], &rounded])
            }
            "is.fpclass" => {
                let Ok(mask) = texts[1].parse::<u32>() else { return Ok(None) };
                return self.is_class(ty, &texts[0], mask).map(Some);
            }
            "fptoui.sat" | "fptosi.sat" => {
                let sign = if base == "fptoui.sat" { 'u' } else { 's' };
                let Type::Int(bits @ (32 | 64)) = result else { return Ok(None) };
                // PTX saturates, and leaves what NaN becomes open for some types: LLVM says zero.
                let class = Class::holding(*bits);
                let made = self.make(class, &format!("cvt.rzi.{sign}{bits}.{name}"), &[&texts[0]]);
                let none = self.make(Class::Pred, &format!("setp.nan.{name}"), &[&texts[0], &texts[0]]);
                self.choose(class, &none, "0", &made)
            }
            "lrint" | "llrint" => {
                let target = self.class(result)?;
                self.make(target, &format!("cvt.rni.s{}.{name}", target.bits()), &[&texts[0]])
            }
            _ => return Ok(None),
        }))
    }

    /// Whether a number is of one of the classes of a mask of `llvm.is.fpclass`.
    fn is_class(&mut self, ty: &Type, text: &str, mask: u32) -> Result<String, Error> {
        let class = self.class(ty)?;
        let bits = class.bits();
        let word = Type::Int(bits);
        let value = self.in_register(class, text);
        let fraction = if *ty == Type::Float { 23 } else { 52 };
        let magnitude_mask = (1u64 << (bits - 1)) - 1;
        let infinite = (magnitude_mask >> fraction) << fraction;
        let quiet = infinite | 1 << (fraction - 1);
        let least_normal = 1u64 << fraction;
        let text_of = |number: u64| super::registers::number(number, bits);
        let magnitude = self.int_binary("and", &word, &value, &text_of(magnitude_mask))?;
        let negative = self.compare_ints("slt", &word, &value, "0")?;
        let mut found: Option<String> = None;
        let is_below = |writer: &mut Self, limit: u64| writer.compare_ints("ult", &word, &magnitude, &text_of(limit));
        let is_from = |writer: &mut Self, limit: u64| writer.compare_ints("uge", &word, &magnitude, &text_of(limit));
        // Bits of the mask: negative, positive, and the class as a range of magnitudes.
        let ranges = [
            (1 << 2, 1 << 9, infinite, infinite + 1),
            (1 << 3, 1 << 8, least_normal, infinite),
            (1 << 4, 1 << 7, 1, least_normal),
            (1 << 5, 1 << 6, 0, 1),
            (1, 1, infinite + 1, quiet),
            (2, 2, quiet, magnitude_mask),
        ];
        for (minus, plus, from, to) in ranges {
            if mask & (minus | plus) == 0 {
                continue;
            }
            let mut within = is_from(self, from)?;
            if to != magnitude_mask {
                let below = is_below(self, to)?;
                within = self.make(Class::Pred, "and.pred", &[&within, &below]);
            }
            if mask & minus == 0 {
                let positive = self.make(Class::Pred, "not.pred", &[&negative]);
                within = self.make(Class::Pred, "and.pred", &[&within, &positive]);
            } else if mask & plus == 0 {
                within = self.make(Class::Pred, "and.pred", &[&within, &negative]);
            }
            found = Some(match found {
                None => within,
                Some(other) => self.make(Class::Pred, "or.pred", &[&other, &within]),
            });
        }
        Ok(found.unwrap_or_else(|| "0".into()))
    }
}
