//! Registers: classes, numbers and constants.

use super::function::Writer;
use crate::Error;
use crate::ir::{Constant, Operand, Value};
use crate::spaces;
use crate::types::Type;

/// A class of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Pred,
    B16,
    B32,
    B64,
}

impl Class {
    /// The class of a scalar.
    pub(crate) const fn of(ty: &Type) -> Option<Self> {
        match ty {
            Type::Int(1) => Some(Self::Pred),
            Type::Int(2..=16) | Type::Half | Type::BFloat => Some(Self::B16),
            Type::Int(17..=32) | Type::Float => Some(Self::B32),
            Type::Int(33..=64) | Type::Double | Type::Ptr(_) => Some(Self::B64),
            _ => None,
        }
    }

    /// The bits of a register.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::Pred => 1,
            Self::B16 => 16,
            Self::B32 => 32,
            Self::B64 => 64,
        }
    }

    /// How names of registers begin.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Pred => "%p",
            Self::B16 => "%rs",
            Self::B32 => "%r",
            Self::B64 => "%rd",
        }
    }

    /// The type in declarations and moves.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pred => "pred",
            Self::B16 => "b16",
            Self::B32 => "b32",
            Self::B64 => "b64",
        }
    }

    /// The smallest class of integers that holds so many bits.
    pub(crate) const fn holding(bits: u32) -> Self {
        match bits {
            0..=16 => Self::B16,
            17..=32 => Self::B32,
            _ => Self::B64,
        }
    }
}

/// Whether an operand's text is a register, and not a number.
pub(crate) fn is_register(text: &str) -> bool {
    text.starts_with('%')
}

impl Writer<'_, '_> {
    /// A new register.
    pub(super) fn fresh(&mut self, class: Class) -> String {
        let count = &mut self.counts[class as usize];
        *count += 1;
        format!("{}{count}", class.prefix())
    }

    /// Writes an instruction.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("\t{}", text.as_ref()));
    }

    /// Writes an instruction whose result goes to a new register: `text` has `{}` in place of it.
    pub(super) fn make(&mut self, class: Class, head: &str, operands: &[&str]) -> String {
        let result = self.fresh(class);
        let mut text = format!("{head} \t{result}");
        for operand in operands {
            text += ", ";
            text += operand;
        }
        self.line(text + ";");
        result
    }

    /// The operand as a register.
    pub(super) fn in_register(&mut self, class: Class, text: &str) -> String {
        if is_register(text) {
            return text.to_owned();
        }
        self.make(class, &format!("mov.{}", class.name()), &[text])
    }

    /// The scalars of a value, each a register or a number.
    pub(super) fn pieces(&mut self, operand: &Operand) -> Result<Vec<String>, Error> {
        match &operand.value {
            Value::Local(id) => {
                if matches!(operand.ty, Type::Ptr(_)) {
                    return Ok(vec![self.pointer(operand)?]);
                }
                self.values[*id].clone().ok_or_else(|| self.our_fault("a value is used before it is computed"))
            }
            Value::Constant(constant) => self.constant(constant, &operand.ty),
        }
    }

    /// The only scalar of a value.
    pub(super) fn piece(&mut self, operand: &Operand) -> Result<String, Error> {
        let pieces = self.pieces(operand)?;
        match <[String; 1]>::try_from(pieces) {
            Ok([piece]) => Ok(piece),
            Err(_) => Err(self.unsupported(format!("a value of type {} here", operand.ty.name()))),
        }
    }

    /// The only scalar of a value, in a register.
    pub(super) fn register(&mut self, operand: &Operand) -> Result<String, Error> {
        let class = self.class(&operand.ty)?;
        let piece = self.piece(operand)?;
        Ok(self.in_register(class, &piece))
    }

    /// The class of a scalar type.
    pub(super) fn class(&self, ty: &Type) -> Result<Class, Error> {
        Class::of(ty).ok_or_else(|| self.unsupported(format!("values of type {}", ty.name())))
    }

    fn constant(&mut self, constant: &Constant, ty: &Type) -> Result<Vec<String>, Error> {
        Ok(match constant {
            Constant::Int(bits) => match ty {
                Type::Int(65..=128) => vec![(*bits as i64).to_string(), ((*bits >> 64) as i64).to_string()],
                Type::Int(width @ 1..=64) => vec![number(*bits as u64, *width)],
                _ => return Err(self.unsupported(format!("integers of type {}", ty.name()))),
            },
            Constant::Float(bits) => vec![float(*bits, ty)],
            Constant::Zero | Constant::Undef => ty.scalars().iter().map(|(scalar, _)| zero(scalar)).collect(),
            Constant::Bytes(bytes) => bytes.iter().map(|&byte| number(byte.into(), 8)).collect(),
            Constant::Parts(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.pieces(part)?);
                }
                all
            }
            Constant::Global(_) => {
                let operand = Operand { ty: ty.clone(), value: Value::Constant(constant.clone()) };
                vec![self.pointer(&operand)?]
            }
            Constant::Expression(kind) => {
                if matches!(ty, Type::Ptr(_)) {
                    let operand = Operand { ty: ty.clone(), value: Value::Constant(constant.clone()) };
                    return Ok(vec![self.pointer(&operand)?]);
                }
                self.compute(kind, ty)?
            }
        })
    }

    /// A pointer's number in the space of its type.
    pub(super) fn pointer(&mut self, operand: &Operand) -> Result<String, Error> {
        let Type::Ptr(space) = operand.ty else {
            return Err(self.unsupported(format!("a pointer of type {}", operand.ty.name())));
        };
        self.pointer_in(operand, space)
    }

    /// A pointer's number in a space.
    pub(super) fn pointer_in(&mut self, operand: &Operand, space: u32) -> Result<String, Error> {
        if let Value::Constant(Constant::Zero | Constant::Undef) = operand.value {
            return Ok("0".into());
        }
        let address = self.address(operand)?;
        let mut text = address.base;
        if address.symbol {
            text = self.make(Class::B64, "mov.b64", &[&text]);
        }
        if address.offset != 0 {
            text = if is_register(&text) {
                self.make(Class::B64, "add.s64", &[&text, &address.offset.to_string()])
            } else {
                text.parse::<i64>().map_or(text, |base| base.wrapping_add(address.offset).to_string())
            };
        }
        if address.space == space {
            return Ok(text);
        }
        let text = self.in_register(Class::B64, &text);
        if space == spaces::GENERIC {
            let from = spaces::name(address.space)
                .ok_or_else(|| self.unsupported(format!("pointers into address space {}", address.space)))?;
            return Ok(self.make(Class::B64, &format!("cvta.{from}.u64"), &[&text]));
        }
        if address.space != spaces::GENERIC {
            return Err(self.unsupported("a pointer that is cast from one address space to another"));
        }
        let to = spaces::name(space).ok_or_else(|| self.unsupported(format!("pointers into address space {space}")))?;
        Ok(self.make(Class::B64, &format!("cvta.to.{to}.u64"), &[&text]))
    }
}

/// An integer of so many bits as a number with sign.
pub(super) fn number(bits: u64, width: u32) -> String {
    if width == 1 {
        return if bits & 1 == 1 { "-1".into() } else { "0".into() };
    }
    let shift = 64 - width.clamp(1, 64);
    (((bits << shift) as i64) >> shift).to_string()
}

/// A floating-point number by its bits.
pub(super) fn float(bits: u64, ty: &Type) -> String {
    match ty {
        Type::Float => format!("0f{:08X}", bits as u32),
        Type::Double => format!("0d{bits:016X}"),
        _ => format!("0x{:04X}", bits as u16),
    }
}

/// Zero of a scalar type.
pub(super) fn zero(ty: &Type) -> String {
    match ty {
        Type::Float | Type::Double => float(0, ty),
        _ => "0".into(),
    }
}
