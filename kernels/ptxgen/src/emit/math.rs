//! LLVM's own intrinsics of arithmetic, for every width that they come in.

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

    fn int_math(&mut self, base: &str, ty: &Type, result: &Type, own: &[String]) -> Result<Option<String>, Error> {
        let Type::Int(bits) = *ty else { return Ok(None) };
        let class = self.class(ty)?;
        if class == Class::Pred {
            return Ok(match base {
                "smax" | "umin" => Some(self.int_binary("and", ty, &own[0], &own[1])?),
                "smin" | "umax" => Some(self.int_binary("or", ty, &own[0], &own[1])?),
                _ => None,
            });
        }
        let width = class.bits();
        let signed = matches!(base, "smin" | "smax" | "abs" | "sadd.sat" | "ssub.sat" | "scmp");
        let mut x = self.extend(&own[0], ty, class, signed);
        x = self.in_register(class, &x);
        Ok(Some(match base {
            "abs" => self.make(class, &format!("abs.s{width}"), &[&x]),
            "smin" | "smax" | "umin" | "umax" => {
                let y = self.extend(&own[1], ty, class, signed);
                self.make(class, &format!("{}.{}{width}", &base[1..], &base[..1]), &[&x, &y])
            }
            "scmp" | "ucmp" => {
                let word = Type::Int(width);
                let y = self.extend(&own[1], ty, class, signed);
                let sign = &base[..1];
                let less = self.compare_ints(&format!("{sign}lt"), &word, &x, &y)?;
                let more = self.compare_ints(&format!("{sign}gt"), &word, &x, &y)?;
                let target = self.class(result)?;
                let up = self.choose(target, &more, "1", "0");
                self.choose(target, &less, "-1", &up)
            }
            "ctpop" | "ctlz" | "cttz" | "bitreverse" | "bswap" => self.bits_of(base, bits, class, &x)?,
            "fshl" | "fshr" => return self.funnel(base, bits, class, own),
            "uadd.sat" | "usub.sat" | "sadd.sat" | "ssub.sat" => {
                return self.saturating(base, bits, class, own).map(Some);
            }
            _ => return Ok(None),
        }))
    }

    fn bits_of(&mut self, base: &str, bits: u32, class: Class, text: &str) -> Result<String, Error> {
        // PTX counts and turns words of 32 and 64 bits.
        let (wide, word) = if class == Class::B64 {
            (text.to_owned(), Class::B64)
        } else {
            (self.widen(text, &Type::Int(class.bits()), class, Class::B32, false), Class::B32)
        };
        let above = word.bits() - bits;
        let name = word.name();
        let count = |writer: &mut Self, op: &str, text: &str| writer.make(Class::B32, &format!("{op}.{name}"), &[text]);
        let narrow = |writer: &mut Self, text: String, from: Class| {
            if from == class {
                text
            } else if from.bits() > class.bits() {
                writer.make(class, &format!("cvt.u{}.u{}", class.bits(), from.bits()), &[&text])
            } else {
                writer.widen(&text, &Type::Int(from.bits()), from, class, false)
            }
        };
        match base {
            "ctpop" => {
                let made = count(self, "popc", &wide);
                Ok(narrow(self, made, Class::B32))
            }
            "ctlz" => {
                let mut made = count(self, "clz", &wide);
                if above > 0 {
                    made = self.make(Class::B32, "sub.s32", &[&made, &above.to_string()]);
                }
                Ok(narrow(self, made, Class::B32))
            }
            "cttz" => {
                // Of zero there are as many as it has bits.
                let guarded = if above > 0 {
                    let bit = super::registers::number(1 << bits, word.bits());
                    self.make(word, &format!("or.{name}"), &[&wide, &bit])
                } else {
                    wide
                };
                let turned = self.make(word, &format!("brev.{name}"), &[&guarded]);
                let made = count(self, "clz", &turned);
                Ok(narrow(self, made, Class::B32))
            }
            "bitreverse" => {
                let mut turned = self.make(word, &format!("brev.{name}"), &[&wide]);
                if above > 0 {
                    turned = self.make(word, &format!("shr.u{}", word.bits()), &[&turned, &above.to_string()]);
                }
                Ok(narrow(self, turned, word))
            }
            _ => {
                let made = match bits {
                    16 => self.make(Class::B32, "prmt.b32", &[&wide, "0", "0x7701"]),
                    32 => self.make(Class::B32, "prmt.b32", &[&wide, "0", "0x0123"]),
                    64 => {
                        let pair = self.split(&wide, Class::B64, 32)?;
                        let low = self.make(Class::B32, "prmt.b32", &[&pair[1], "0", "0x0123"]);
                        let high = self.make(Class::B32, "prmt.b32", &[&pair[0], "0", "0x0123"]);
                        self.join(&[low, high], Class::B64, 32)?
                    }
                    _ => return Err(self.unsupported(format!("`llvm.bswap` of i{bits}"))),
                };
                Ok(narrow(self, made, if bits == 64 { Class::B64 } else { Class::B32 }))
            }
        }
    }

    fn funnel(&mut self, base: &str, bits: u32, class: Class, own: &[String]) -> Result<Option<String>, Error> {
        let ty = Type::Int(bits);
        if bits == 32 {
            let (high, low) = (self.in_register(class, &own[0]), self.in_register(class, &own[1]));
            let side = if base == "fshl" { "l" } else { "r" };
            return Ok(Some(self.make(class, &format!("shf.{side}.wrap.b32"), &[&low, &high, &own[2]])));
        }
        if !bits.is_power_of_two() || bits != class.bits() && bits != 8 {
            return Ok(None);
        }
        // The amount counts modulo the width. The other half is shifted in two steps, so that none is by the whole width.
        let amount = self.int_binary("and", &ty, &own[2], &(bits - 1).to_string())?;
        let most = super::registers::number(u64::from(bits - 1), bits);
        let inverse = self.int_binary("xor", &ty, &amount, &most)?;
        let (first, second) = if base == "fshl" {
            let half = self.int_binary("lshr", &ty, &own[1], "1")?;
            (self.int_binary("shl", &ty, &own[0], &amount)?, self.int_binary("lshr", &ty, &half, &inverse)?)
        } else {
            let half = self.int_binary("shl", &ty, &own[0], "1")?;
            (self.int_binary("lshr", &ty, &own[1], &amount)?, self.int_binary("shl", &ty, &half, &inverse)?)
        };
        Ok(Some(self.int_binary("or", &ty, &first, &second)?))
    }

    fn saturating(&mut self, base: &str, bits: u32, class: Class, own: &[String]) -> Result<String, Error> {
        let ty = Type::Int(bits);
        let op = &base[1..4];
        let (sum, over) =
            self.with_overflow(&base[..4], &ty, own)?.ok_or_else(|| self.our_fault("nothing saturates"))?;
        let limit = match base {
            "uadd.sat" => "-1".to_owned(),
            "usub.sat" => "0".to_owned(),
            _ => {
                // The limit has the sign of the first.
                let shift = (bits - 1).to_string();
                let sign = self.int_binary("ashr", &ty, &own[0], &shift)?;
                let most = super::registers::number((1u64 << (bits - 1)) - 1, class.bits());
                self.int_binary("xor", &ty, &sign, &most)?
            }
        };
        let _ = op;
        Ok(self.choose(class, &over, &limit, &sum))
    }

    /// A result, and whether it does not fit.
    fn with_overflow(&mut self, op: &str, ty: &Type, own: &[String]) -> Result<Option<(String, String)>, Error> {
        let Type::Int(bits) = *ty else { return Ok(None) };
        let class = self.class(ty)?;
        if class == Class::Pred {
            return Ok(None);
        }
        let (a, b) = (&own[0], &own[1]);
        Ok(Some(match op {
            "uadd" => {
                let sum = self.int_binary("add", ty, a, b)?;
                let over = self.compare_ints("ult", ty, &sum, a)?;
                (sum, over)
            }
            "usub" => {
                let difference = self.int_binary("sub", ty, a, b)?;
                let under = self.compare_ints("ult", ty, a, b)?;
                (difference, under)
            }
            "sadd" | "ssub" => {
                let made = self.int_binary(&op[1..], ty, a, b)?;
                // It overflows where the result's sign is not that which both have, or the first has.
                let x = self.int_binary("xor", ty, &made, a)?;
                let y = if op == "sadd" {
                    self.int_binary("xor", ty, &made, b)?
                } else {
                    self.int_binary("xor", ty, a, b)?
                };
                let both = self.int_binary("and", ty, &x, &y)?;
                let over = self.compare_ints("slt", ty, &both, "0")?;
                (made, over)
            }
            "umul" | "smul" => {
                let signed = op == "smul";
                let sign = if signed { 's' } else { 'u' };
                let x = self.extend(a, ty, class, signed);
                let y = self.extend(b, ty, class, signed);
                let x = self.in_register(class, &x);
                let width = class.bits();
                let low = self.make(class, &format!("mul.lo.s{width}"), &[&x, &y]);
                let high = self.make(class, &format!("mul.hi.{sign}{width}"), &[&x, &y]);
                let word = Type::Int(width);
                if bits != width {
                    // The whole product fits into the register.
                    let fitting = self.extend(&low, ty, class, signed);
                    let over = self.compare_ints("ne", &word, &low, &fitting)?;
                    if bits * 2 > width {
                        return Ok(None);
                    }
                    return Ok(Some((low, over)));
                }
                let expected =
                    if signed { self.int_binary("ashr", &word, &low, &(width - 1).to_string())? } else { "0".into() };
                let over = self.compare_ints("ne", &word, &high, &expected)?;
                (low, over)
            }
            _ => return Ok(None),
        }))
    }

    /// Integers of two registers.
    fn wide_math(&mut self, base: &str, arguments: &[Argument]) -> Option<Result<Vec<String>, Error>> {
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
