//! Calls.

use super::function::Scope;
use super::{Parser, Result};
use crate::ir::{Argument, Callee, Kind};
use crate::lex::Token;
use crate::types::Type;

impl Parser<'_> {
    pub(super) fn call(&mut self, scope: &mut Scope) -> Result<(Type, Kind)> {
        self.flags();
        while matches!(self.peek(), Some(Token::Word("fastcc" | "ccc" | "coldcc" | "ptx_device" | "ptx_kernel"))) {
            self.at += 1;
        }
        self.parameter_attributes()?;
        if self.take_word("addrspace") {
            self.skip_brackets()?;
        }
        let written = self.ty()?;
        let (result, signature) = match &written {
            Type::Function(result, ..) => ((**result).clone(), Some(written.clone())),
            _ => (written.clone(), None),
        };
        let callee = match self.peek() {
            Some(Token::Word("asm")) => {
                self.at += 1;
                let mut sideeffect = false;
                loop {
                    match self.next()? {
                        Token::Word("sideeffect") => sideeffect = true,
                        Token::Word(_) => {}
                        Token::Text(text) => {
                            self.sign(',')?;
                            let Token::Text(constraints) = self.next()? else {
                                return Err(self.wrong("the constraints of `asm` are missing"));
                            };
                            break Callee::Asm {
                                text: String::from_utf8_lossy(text).into_owned(),
                                constraints: String::from_utf8_lossy(constraints).into_owned(),
                                sideeffect,
                            };
                        }
                        _ => return Err(self.wrong("the text of `asm` is missing")),
                    }
                }
            }
            Some(Token::Global(name)) => {
                self.at += 1;
                Callee::Function(name.to_string())
            }
            _ => Callee::Pointer(self.value_of(&Type::Ptr(0), scope)?),
        };
        self.sign('(')?;
        let mut arguments = Vec::new();
        while !self.take_sign(')') {
            let ty = self.ty()?;
            let attributes = self.parameter_attributes()?;
            if ty == Type::Metadata {
                self.metadata_argument()?;
            } else {
                let operand = self.value_of(&ty, scope)?;
                arguments.push(Argument { operand, attributes });
            }
            if !self.take_sign(',') {
                self.sign(')')?;
                break;
            }
        }
        loop {
            match self.peek() {
                Some(Token::Attributes(_)) => self.at += 1,
                Some(Token::Sign('[')) => self.skip_brackets()?,
                Some(Token::Word(_)) if self.peek_at(1) != Some(&Token::Sign(':')) && self.is_call_attribute() => {
                    self.at += 1;
                }
                _ => break,
            }
        }
        Ok((result, Kind::Call { callee, arguments, tail_varargs: false, signature }))
    }

    /// Whether an attribute of a call follows, and not the next instruction.
    fn is_call_attribute(&self) -> bool {
        matches!(
            self.peek(),
            Some(Token::Word(
                "nounwind" | "noreturn" | "convergent" | "readnone" | "readonly" | "willreturn" | "memory"
            ))
        )
    }

    fn metadata_argument(&mut self) -> Result<()> {
        let mut open = 0;
        loop {
            match self.peek() {
                None => return Err(self.wrong("the text ends within a call")),
                Some(Token::Sign(',' | ')')) if open == 0 => return Ok(()),
                Some(Token::Sign('(' | '{')) => open += 1,
                Some(Token::Sign(')' | '}')) => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }
}
