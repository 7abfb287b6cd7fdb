//! Values and constants.

use super::function::Scope;
use super::{Parser, Result};
use crate::ir::{Constant, Flags, Kind, Operand, Value};
use crate::lex::Token;
use crate::types::Type;

impl Parser<'_> {
    /// A type and a value of it.
    pub(super) fn operand(&mut self, scope: &mut Scope) -> Result<Operand> {
        let ty = self.ty()?;
        self.value_of(&ty, scope)
    }

    /// A value of a type that is known.
    pub(super) fn value_of(&mut self, ty: &Type, scope: &mut Scope) -> Result<Operand> {
        if let Some(Token::Local(name)) = self.peek() {
            self.at += 1;
            return Ok(Operand { ty: ty.clone(), value: Value::Local(scope.value(name)) });
        }
        self.constant_of(ty)
    }

    /// A constant of a type that is known.
    pub(super) fn constant_of(&mut self, ty: &Type) -> Result<Operand> {
        let constant = self.deeper(|parser| parser.constant(ty))?;
        Ok(Operand { ty: ty.clone(), value: Value::Constant(constant) })
    }

    fn typed_constant(&mut self) -> Result<Operand> {
        let ty = self.ty()?;
        self.constant_of(&ty)
    }

    fn constant(&mut self, ty: &Type) -> Result<Constant> {
        let token = self.next()?;
        Ok(match token {
            Token::Global(name) => Constant::Global(name.to_string()),
            Token::Bytes(bytes) => Constant::Bytes(bytes.clone()),
            Token::Sign('[') => Constant::Parts(self.parts(']')?),
            Token::Sign('{') => Constant::Parts(self.parts('}')?),
            Token::Sign('<') if self.is_sign('{') => {
                self.at += 1;
                let parts = self.parts('}')?;
                self.sign('>')?;
                Constant::Parts(parts)
            }
            Token::Sign('<') => Constant::Parts(self.parts('>')?),
            Token::Word(word) => match *word {
                "zeroinitializer" | "null" => Constant::Zero,
                "undef" | "poison" => Constant::Undef,
                "true" => Constant::Int(1),
                "false" => Constant::Int(0),
                "none" => Constant::Undef,
                "splat" => {
                    self.sign('(')?;
                    let part = self.typed_constant()?;
                    self.sign(')')?;
                    let Type::Vector(count, _) = ty else { return Err(self.wrong("`splat` makes a vector")) };
                    Constant::Parts(vec![part; *count as usize])
                }
                "getelementptr" | "ptrtoint" | "inttoptr" | "bitcast" | "addrspacecast" | "trunc" | "zext" | "sext"
                | "add" | "sub" | "mul" | "xor" | "and" | "or" | "shl" | "ptrtoaddr" => {
                    Constant::Expression(Box::new(self.expression(word)?))
                }
                word => self.literal(word, ty)?,
            },
            _ => return Err(self.wrong("a value is missing here")),
        })
    }

    fn parts(&mut self, end: char) -> Result<Vec<Operand>> {
        let mut parts = Vec::new();
        while !self.take_sign(end) {
            parts.push(self.typed_constant()?);
            if !self.take_sign(',') {
                self.sign(end)?;
                break;
            }
        }
        Ok(parts)
    }

    fn expression(&mut self, word: &str) -> Result<Kind> {
        let mut flags = Flags::default();
        while let Some(Token::Word(flag)) = self.peek() {
            match *flag {
                "nuw" => flags.nuw = true,
                "nsw" => flags.nsw = true,
                _ => {}
            }
            self.at += 1;
            if *flag == "inrange" && self.is_sign('(') {
                self.skip_brackets()?;
            }
        }
        self.sign('(')?;
        let kind = match word {
            "getelementptr" => {
                let element = self.ty()?;
                self.sign(',')?;
                let base = self.typed_constant()?;
                let mut indices = Vec::new();
                while self.take_sign(',') {
                    self.take_word("inrange");
                    indices.push(self.typed_constant()?);
                }
                Kind::Gep { element, base, indices }
            }
            "add" | "sub" | "mul" | "xor" | "and" | "or" | "shl" => {
                let a = self.typed_constant()?;
                self.sign(',')?;
                let b = self.typed_constant()?;
                Kind::Binary { op: word.to_owned(), flags, a, b }
            }
            _ => {
                let value = self.typed_constant()?;
                if !self.take_word("to") {
                    return Err(self.wrong("`to` is missing here"));
                }
                self.ty()?;
                Kind::Cast { op: word.to_owned(), flags, value }
            }
        };
        self.sign(')')?;
        Ok(kind)
    }

    fn literal(&mut self, word: &str, ty: &Type) -> Result<Constant> {
        let wrong = |parser: &Self| parser.wrong(format!("`{word}` is no value of type {}", ty.name()));
        match ty {
            Type::Int(bits) => {
                let mask = if *bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
                let value = if let Some(hex) = word.strip_prefix("u0x").or_else(|| word.strip_prefix("s0x")) {
                    u128::from_str_radix(hex, 16).map_err(|_| wrong(self))?
                } else if word.starts_with('-') {
                    word.parse::<i128>().map_err(|_| wrong(self))? as u128
                } else {
                    word.parse::<u128>().map_err(|_| wrong(self))?
                };
                Ok(Constant::Int(value & mask))
            }
            Type::Half | Type::BFloat | Type::Float | Type::Double => {
                float(word, ty).map(Constant::Float).ok_or_else(|| wrong(self))
            }
            _ => Err(wrong(self)),
        }
    }
}

/// The bits of a floating-point literal in its own format. LLVM writes `float` as the double of the same value.
fn float(word: &str, ty: &Type) -> Option<u64> {
    if let Some(hex) = word.strip_prefix("0xH").or_else(|| word.strip_prefix("0xR")) {
        return u64::from_str_radix(hex, 16).ok();
    }
    let double = match word.strip_prefix("0x") {
        Some(hex) => f64::from_bits(u64::from_str_radix(hex, 16).ok()?),
        None => word.parse::<f64>().ok()?,
    };
    match ty {
        Type::Double => Some(double.to_bits()),
        Type::Float => {
            // A conversion would make signalling NaNs quiet: those are narrowed bit by bit.
            if double.is_nan() {
                let bits = double.to_bits();
                let sign = (bits >> 63) << 31;
                return Some(sign | 0x7f80_0000 | (bits >> 29) & 0x007f_ffff);
            }
            Some(u64::from((double as f32).to_bits()))
        }
        Type::Half => Some(u64::from(half_bits(double))),
        Type::BFloat => Some(u64::from((double as f32).to_bits() >> 16)),
        _ => None,
    }
}

/// The half of the same value; decimal literals are written only where it is exact.
fn half_bits(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 48) & 0x8000) as u16;
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    if value == 0.0 {
        return sign;
    }
    if exponent > 15 {
        return sign | 0x7c00 | if value.is_nan() { 0x200 } else { 0 };
    }
    if exponent < -14 {
        let shift = 42 + (-14 - exponent);
        let whole = fraction | 1 << 52;
        return sign | if shift < 64 { (whole >> shift) as u16 } else { 0 };
    }
    sign | (((exponent + 15) as u16) << 10) | (fraction >> 42) as u16
}
