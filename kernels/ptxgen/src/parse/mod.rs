//! LLVM IR text as data. The whole text is split into tokens first; named types are found before anything else is read,
//! since a text may use them before it says what they are.

mod attributes;
mod calls;
mod function;
mod instructions;
mod metadata;
mod types;
mod values;

use std::collections::HashMap;

use crate::Error;
use crate::ir::{Global, Module};
use crate::lex::{Spot, Token, tokens};
use crate::types::Type;

/// Where a parser is, and what it knows.
struct Parser<'a> {
    tokens: &'a [Spot<'a>],
    at: usize,
    /// Where the definitions of named types begin.
    named_types: HashMap<String, usize>,
    types: HashMap<String, Type>,
    /// How deeply types and constants are nested here: a text that nests without end is refused.
    depth: u32,
    /// `attributes #n`.
    groups: HashMap<u32, HashMap<String, String>>,
    module: Module,
    /// Calling a function: which metadata is attached to it.
    pending: Vec<(usize, u32)>,
}

/// Types and constants are not nested more deeply.
const DEEPEST: u32 = 200;

type Result<T> = std::result::Result<T, Error>;

/// Reads a module.
pub(crate) fn parse(text: &str) -> Result<Module> {
    let tokens = tokens(text)?;
    let mut named_types = HashMap::new();
    for (at, window) in tokens.windows(3).enumerate() {
        if let (Token::Local(name), Token::Sign('='), Token::Word("type")) =
            (&window[0].token, &window[1].token, &window[2].token)
        {
            named_types.insert(name.to_string(), at + 3);
        }
    }
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        named_types,
        types: HashMap::new(),
        depth: 0,
        groups: HashMap::new(),
        module: Module::default(),
        pending: Vec::new(),
    };
    parser.module()?;
    parser.attach_groups();
    Ok(parser.module)
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at).map(|spot| &spot.token)
    }

    fn peek_at(&self, ahead: usize) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at + ahead).map(|spot| &spot.token)
    }

    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |spot| spot.line)
    }

    fn next(&mut self) -> Result<&'a Token<'a>> {
        let token = self.peek().ok_or_else(|| self.wrong("the text ends too early"))?;
        self.at += 1;
        Ok(token)
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::Syntax { line: self.line(), message: message.into() }
    }

    fn is_sign(&self, sign: char) -> bool {
        self.peek() == Some(&Token::Sign(sign))
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(own)) if *own == word)
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let there = self.is_sign(sign);
        self.at += usize::from(there);
        there
    }

    fn take_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        self.at += usize::from(there);
        there
    }

    fn sign(&mut self, sign: char) -> Result<()> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.wrong(format!("`{sign}` is missing here"))) }
    }

    fn word(&mut self) -> Result<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => {
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.wrong("a word is missing here")),
        }
    }

    fn number(&mut self) -> Result<u64> {
        let word = self.word()?;
        word.parse().map_err(|_| self.wrong(format!("`{word}` is no number")))
    }

    /// Skips what stands between a pair of brackets, of which the first is next.
    fn skip_brackets(&mut self) -> Result<()> {
        let mut open = 0;
        loop {
            match self.next()? {
                Token::Sign('(' | '[' | '{' | '<') => open += 1,
                Token::Sign(')' | ']' | '}' | '>') => open -= 1,
                _ => {}
            }
            if open == 0 {
                return Ok(());
            }
        }
    }

    fn skip_line(&mut self) {
        let line = self.line();
        while self.at < self.tokens.len() && self.tokens[self.at].line == line {
            self.at += 1;
        }
    }

    /// Goes one level of types or constants deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEEPEST {
            return Err(self.wrong("types or constants are nested too deeply"));
        }
        self.depth += 1;
        let made = read(self);
        self.depth -= 1;
        made
    }

    fn module(&mut self) -> Result<()> {
        while let Some(token) = self.peek() {
            match token {
                Token::Word("define") => self.function(true)?,
                Token::Word("declare") => self.function(false)?,
                Token::Word("attributes") => self.attribute_group()?,
                Token::Word("source_filename" | "target" | "module") | Token::Comdat | Token::Sign('^') => {
                    self.skip_line();
                }
                Token::Local(_) => {
                    self.at += 3;
                    if !self.take_word("opaque") {
                        self.ty()?;
                    }
                }
                Token::Global(_) => self.global()?,
                Token::Meta(_) => self.metadata()?,
                _ => return Err(self.wrong("neither a function nor a variable nor metadata begins here")),
            }
        }
        Ok(())
    }

    fn global(&mut self) -> Result<()> {
        let Token::Global(name) = self.next()? else { return Err(self.wrong("a name is missing")) };
        self.sign('=')?;
        let mut global = Global {
            name: name.to_string(),
            space: 0,
            ty: Type::Void,
            linkage: String::new(),
            constant: false,
            initialiser: None,
            align: 0,
        };
        let mut external = false;
        loop {
            match self.word()? {
                "addrspace" => {
                    self.sign('(')?;
                    global.space = self.number()? as u32;
                    self.sign(')')?;
                }
                "constant" => {
                    global.constant = true;
                    break;
                }
                "global" => break,
                "thread_local" if self.is_sign('(') => self.skip_brackets()?,
                word @ ("external" | "extern_weak") => {
                    external = true;
                    global.linkage = word.to_owned();
                }
                word @ ("internal"
                | "private"
                | "weak"
                | "weak_odr"
                | "linkonce"
                | "linkonce_odr"
                | "common"
                | "available_externally"
                | "appending") => global.linkage = word.to_owned(),
                "alias" | "ifunc" => {
                    return Err(Error::Unsupported {
                        what: format!("the alias `{name}`"),
                        function: String::new(),
                        line: None,
                    });
                }
                _ => {}
            }
        }
        global.ty = self.ty()?;
        global.align = global.ty.align();
        if !external {
            let value = self.constant_of(&global.ty.clone())?;
            global.initialiser = Some(value);
        }
        while self.take_sign(',') {
            match self.next()? {
                Token::Word("align") => global.align = self.number()?,
                Token::Word("comdat") if self.is_sign('(') => self.skip_brackets()?,
                Token::Meta(_) => {
                    self.next()?;
                }
                Token::Word("section" | "partition" | "code_model") => {
                    self.next()?;
                }
                _ => {}
            }
        }
        while matches!(self.peek(), Some(Token::Attributes(_))) {
            self.at += 1;
        }
        if !global.name.starts_with("llvm.") {
            self.module.globals.push(global);
        }
        Ok(())
    }
}
