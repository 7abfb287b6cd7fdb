//! Attributes of functions and parameters.

use std::collections::HashMap;

use super::{Parser, Result};
use crate::ir::ParameterAttributes;
use crate::lex::Token;

impl Parser<'_> {
    /// `attributes #0 = { … }`.
    pub(super) fn attribute_group(&mut self) -> Result<()> {
        self.at += 1;
        let Token::Attributes(number) = self.next()? else { return Err(self.wrong("`#` and a number are missing")) };
        self.sign('=')?;
        self.sign('{')?;
        let mut all = HashMap::new();
        while !self.take_sign('}') {
            self.function_attribute(&mut all)?;
        }
        self.groups.insert(*number, all);
        Ok(())
    }

    /// One attribute of a function.
    pub(super) fn function_attribute(&mut self, all: &mut HashMap<String, String>) -> Result<()> {
        match self.next()? {
            Token::Text(bytes) => {
                let name = String::from_utf8_lossy(bytes).into_owned();
                let mut value = String::new();
                if self.take_sign('=')
                    && let Token::Text(bytes) = self.next()?
                {
                    value = String::from_utf8_lossy(bytes).into_owned();
                }
                all.insert(name, value);
            }
            Token::Word(word) => {
                let name = (*word).to_owned();
                if self.is_sign('(') {
                    self.skip_brackets()?;
                } else if self.take_sign('=') {
                    self.next()?;
                }
                all.insert(name, String::new());
            }
            _ => return Err(self.wrong("this is no attribute")),
        }
        Ok(())
    }

    /// Attributes of a parameter, an argument or what is returned.
    pub(super) fn parameter_attributes(&mut self) -> Result<ParameterAttributes> {
        let mut all = ParameterAttributes::default();
        loop {
            match self.peek() {
                Some(Token::Text(_)) => {
                    self.at += 1;
                    if self.take_sign('=') {
                        self.at += 1;
                    }
                }
                Some(Token::Word(word)) => match *word {
                    "byval" | "sret" | "byref" | "inalloca" | "preallocated" | "elementtype" => {
                        self.at += 1;
                        self.sign('(')?;
                        let ty = self.ty()?;
                        self.sign(')')?;
                        match *word {
                            "byval" => all.byval = Some(ty),
                            "sret" => all.sret = Some(ty),
                            _ => {}
                        }
                    }
                    "align" => {
                        self.at += 1;
                        let bracket = self.take_sign('(');
                        all.align = self.number()?;
                        if bracket {
                            self.sign(')')?;
                        }
                    }
                    "noalias" => {
                        self.at += 1;
                        all.noalias = true;
                    }
                    "readonly" | "readnone" => {
                        self.at += 1;
                        all.readonly = true;
                    }
                    "signext" => {
                        self.at += 1;
                        all.signext = true;
                    }
                    "zeroext" | "inreg" | "noundef" | "nonnull" | "nocapture" | "writeonly" | "returned" | "noext"
                    | "immarg" | "nofree" | "nest" | "swiftself" | "swifterror" | "writable" | "allocalign"
                    | "allocptr" | "dead_on_unwind" | "dead_on_return" => {
                        self.at += 1;
                        if self.is_sign('(') {
                            self.skip_brackets()?;
                        }
                    }
                    "captures"
                    | "dereferenceable"
                    | "dereferenceable_or_null"
                    | "range"
                    | "nofpclass"
                    | "initializes"
                    | "alignstack" => {
                        self.at += 1;
                        if self.is_sign('(') {
                            self.skip_brackets()?;
                        }
                    }
                    _ => return Ok(all),
                },
                _ => return Ok(all),
            }
        }
    }

    /// Gives functions the attributes of their groups.
    pub(super) fn attach_groups(&mut self) {
        for (function, group) in std::mem::take(&mut self.pending) {
            if let Some(attributes) = self.groups.get(&group) {
                for (name, value) in attributes {
                    self.module.functions[function].attributes.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
        }
    }
}
