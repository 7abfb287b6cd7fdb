//! Types.

use super::{Parser, Result};
use crate::lex::Token;
use crate::types::Type;

impl Parser<'_> {
    /// Reads a type, with what may follow it to make a function's type.
    pub(super) fn ty(&mut self) -> Result<Type> {
        let mut ty = self.deeper(Self::plain_type)?;
        loop {
            if self.is_sign('*') {
                self.at += 1;
                ty = Type::Ptr(0);
            } else if self.is_sign('(') && self.function_type_follows() {
                self.at += 1;
                let (mut parameters, mut variadic) = (Vec::new(), false);
                while !self.take_sign(')') {
                    if self.peek() == Some(&Token::Dots) {
                        self.at += 1;
                        variadic = true;
                    } else {
                        parameters.push(self.ty()?);
                    }
                    self.take_sign(',');
                }
                ty = Type::Function(Box::new(ty), parameters, variadic);
            } else {
                return Ok(ty);
            }
        }
    }

    /// Whether the bracket here holds types only, as in `i32 (ptr, ...)`.
    fn function_type_follows(&self) -> bool {
        match self.peek_at(1) {
            Some(Token::Dots) => true,
            Some(Token::Sign(')')) => matches!(self.peek_at(2), Some(Token::Global(_) | Token::Local(_))),
            Some(Token::Word(word)) => {
                let word: &str = word;
                is_type_word(word) && matches!(self.peek_at(2), Some(Token::Sign(',' | ')')))
            }
            _ => false,
        }
    }

    fn plain_type(&mut self) -> Result<Type> {
        match self.next()? {
            Token::Word(word) => match *word {
                "void" => Ok(Type::Void),
                "half" => Ok(Type::Half),
                "bfloat" => Ok(Type::BFloat),
                "float" => Ok(Type::Float),
                "double" => Ok(Type::Double),
                "label" => Ok(Type::Label),
                "metadata" => Ok(Type::Metadata),
                "opaque" => Ok(Type::Opaque),
                "ptr" => {
                    if !self.take_word("addrspace") {
                        return Ok(Type::Ptr(0));
                    }
                    self.sign('(')?;
                    let space = self.number()? as u32;
                    self.sign(')')?;
                    Ok(Type::Ptr(space))
                }
                word => {
                    let bits = word.strip_prefix('i').and_then(|bits| bits.parse().ok());
                    match bits {
                        Some(bits @ 1..=8_388_608) => Ok(Type::Int(bits)),
                        _ => Err(self.wrong(format!("`{word}` is no type"))),
                    }
                }
            },
            Token::Local(name) => self.named_type(name),
            Token::Sign('[') => {
                let count = self.number()?;
                self.word()?;
                let element = self.ty()?;
                self.sign(']')?;
                Ok(Type::Array(count, Box::new(element)))
            }
            Token::Sign('<') if self.is_sign('{') => {
                self.at += 1;
                let fields = self.fields()?;
                self.sign('>')?;
                Ok(Type::Struct { packed: true, fields })
            }
            Token::Sign('<') => {
                let count = self.number()? as u32;
                self.word()?;
                let element = self.ty()?;
                self.sign('>')?;
                Ok(Type::Vector(count, Box::new(element)))
            }
            Token::Sign('{') => Ok(Type::Struct { packed: false, fields: self.fields()? }),
            _ => Err(self.wrong("a type is missing here")),
        }
    }

    fn fields(&mut self) -> Result<Vec<Type>> {
        let mut fields = Vec::new();
        while !self.take_sign('}') {
            fields.push(self.ty()?);
            if !self.take_sign(',') {
                self.sign('}')?;
                break;
            }
        }
        Ok(fields)
    }

    fn named_type(&mut self, name: &str) -> Result<Type> {
        if let Some(ty) = self.types.get(name) {
            return Ok(ty.clone());
        }
        let Some(&place) = self.named_types.get(name) else {
            return Err(self.wrong(format!("no type is named `%{name}`")));
        };
        let back = std::mem::replace(&mut self.at, place);
        let ty = self.ty()?;
        self.at = back;
        self.types.insert(name.to_owned(), ty.clone());
        Ok(ty)
    }
}

/// Whether a word begins a type.
pub(super) fn is_type_word(word: &str) -> bool {
    matches!(word, "void" | "half" | "bfloat" | "float" | "double" | "ptr" | "label" | "metadata")
        || word.strip_prefix('i').is_some_and(|bits| !bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit()))
}
