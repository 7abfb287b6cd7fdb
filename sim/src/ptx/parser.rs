//! Tokens to a module: directives, functions and their bodies.
//!
//! A syntax error never stops the parser: it notes the first one of a statement, skips to the next `;` and goes on.

use std::collections::HashMap;

use super::ast::{Line, Module, Name};
use super::lexer::{Kind, Lexer, Token};
use super::number;
use crate::diagnostic::{Diagnostic, Place, Span};

/// Errors after which the parser gives up: a binary file would otherwise produce one per line.
pub(super) const MOST_ERRORS: usize = 20;

/// Parses PTX. The module holds what could be read; it is complete when there are no diagnostics.
pub fn parse(file: &str, text: &str) -> (Module, Vec<Diagnostic>) {
    let mut parser = Parser::new(file, text);
    let mut module = Module::default();
    if text.len() > u32::MAX as usize {
        parser.errors.push(Diagnostic::new("the file is over 4 GiB; no PTX is"));
    } else {
        parser.module(&mut module);
    }
    module.callers = std::mem::take(&mut parser.callers);
    (module, parser.errors)
}

/// Deepest nesting of operands and initialisers. PTX needs three; without a limit, a file of opening brackets would use
/// up the stack.
const DEEPEST: usize = 32;

/// A syntax error has been noted; the caller skips to a place where it can go on.
pub(super) struct Noted;
pub(super) type Parsed<T> = Result<T, Noted>;

pub(super) struct Parser<'a> {
    file: &'a str,
    pub(super) text: &'a str,
    lexer: Lexer<'a>,
    pub(super) token: Token,
    /// End of the token before, for the span of what ends there.
    pub(super) before: u32,
    /// Operands or initialisers that are open around the current token.
    depth: usize,
    pub(super) errors: Vec<Diagnostic>,
    /// The latest `.loc` of each file, line and column in the running function: a function that is inlined there says so
    /// by them.
    pub(super) locations: HashMap<(u64, u64, u64), Line>,
    callers: Vec<Line>,
    caller_numbers: HashMap<Line, u32>,
}

impl<'a> Parser<'a> {
    fn new(file: &'a str, text: &'a str) -> Self {
        let mut lexer = Lexer::new(text);
        let token = lexer.next_token();
        let (locations, caller_numbers) = (HashMap::new(), HashMap::new());
        let (errors, callers) = (Vec::new(), Vec::new());
        Self { file, text, lexer, token, before: 0, depth: 0, errors, locations, callers, caller_numbers }
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.token;
        self.before = token.end;
        self.token = self.lexer.next_token();
        token
    }

    pub(super) fn slice(&self, token: Token) -> &'a str {
        &self.text[token.span()]
    }

    pub(super) fn word(&self) -> &'a str {
        if self.token.kind == Kind::Word { self.slice(self.token) } else { "" }
    }

    pub(super) fn at(&self, punct: u8) -> bool {
        self.token.kind == Kind::Punct(punct)
    }

    pub(super) fn eat(&mut self, punct: u8) -> bool {
        let here = self.at(punct);
        if here {
            self.advance();
        }
        here
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let here = self.word() == word;
        if here {
            self.advance();
        }
        here
    }

    /// Notes an error at `span`.
    pub(super) fn error(&mut self, span: Span, message: String, label: &str) -> Noted {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(Diagnostic::new(message).at(Place::new(self.file, self.text, span, label)));
        }
        Noted
    }

    /// Notes that `what` was expected where the current token is.
    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let found = match self.token.kind {
            Kind::End => "the end of the file".to_owned(),
            Kind::Unterminated => "a comment or string without an end".to_owned(),
            Kind::Unknown => "a character that PTX does not have".to_owned(),
            _ => format!("`{}`", self.slice(self.token).chars().take(40).collect::<String>()),
        };
        Err(self.error(self.token.span(), format!("expected {what}, found {found}"), &format!("expected {what}")))
    }

    pub(super) fn expect(&mut self, punct: u8) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { self.expected(&format!("`{}`", punct as char)) }
    }

    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.token.kind != Kind::Word {
            return self.expected(what);
        }
        let token = self.advance();
        Ok(Name { text: self.slice(token).into(), span: token.span() })
    }

    pub(super) fn unsigned(&mut self, what: &str) -> Parsed<u64> {
        if self.token.kind == Kind::Number
            && let Some(super::ast::Literal::Int(value)) = number::literal(self.slice(self.token))
            && let Ok(value) = u64::try_from(value)
        {
            self.advance();
            return Ok(value);
        }
        self.expected(what)
    }

    /// Parses something that can hold another of its kind.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let message = format!("brackets and operators nested over {DEEPEST} deep are no PTX");
            return Err(self.error(self.token.span(), message, "too deep"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn module(&mut self, module: &mut Module) {
        let mut saw_version = false;
        while self.token.kind != Kind::End && self.errors.len() < MOST_ERRORS {
            if !saw_version && self.word() != ".version" {
                let start = self.token.span();
                let message = if self.text.trim().is_empty() {
                    "this file is empty: there is no PTX in it".to_owned()
                } else {
                    "this is not PTX: a PTX file begins with `.version`".to_owned()
                };
                self.error(start, message, "`.version` expected here");
                return;
            }
            saw_version = true;
            if self.item(module).is_err() {
                self.skip_item();
            }
        }
        if !saw_version && self.errors.is_empty() {
            let message = "this file is empty: there is no PTX in it".to_owned();
            self.error(0..0, message, "`.version` expected here");
        }
    }

    /// After an error at module scope: goes on behind the next `;` or balanced `{ … }`.
    fn skip_item(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.token.kind {
                Kind::End | Kind::Unterminated => return,
                Kind::Punct(b'{') => depth += 1,
                Kind::Punct(b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            let ends = depth == 0 && (self.at(b';') || self.at(b'}'));
            self.advance();
            if ends {
                return;
            }
        }
    }

    /// After an error in a body: goes on behind the next `;`, or at a brace.
    pub(super) fn skip_statement(&mut self) {
        while !matches!(self.token.kind, Kind::End | Kind::Unterminated | Kind::Punct(b'}' | b'{')) {
            if self.eat(b';') {
                return;
            }
            self.advance();
        }
    }

    fn item(&mut self, module: &mut Module) -> Parsed<()> {
        match self.word() {
            ".version" => {
                self.advance();
                let text = self.slice(self.token);
                let parts = text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                match parts {
                    Some(version) if self.token.kind == Kind::Number => module.version = version,
                    _ => return self.expected("a PTX version such as 9.0"),
                }
                self.advance();
            }
            ".target" => {
                self.advance();
                module.target = self.name("a target such as sm_90")?.text.into();
                while self.eat(b',') {
                    module.debug |= &*self.name("a target option")?.text == "debug";
                }
            }
            ".address_size" => {
                self.advance();
                let span = self.token.span();
                if self.unsigned("64")? != 64 {
                    let message = "only 64-bit PTX can be run: this file has 32-bit addresses".to_owned();
                    return Err(self.error(span, message, "not 64"));
                }
            }
            ".file" => {
                self.advance();
                let number = self.unsigned("a file number")?;
                let name = self.string("the file's name")?;
                while self.eat(b',') {
                    self.unsigned("a number")?;
                }
                module.files.insert(u32::try_from(number).unwrap_or(u32::MAX), name);
            }
            ".pragma" | ".alias" => {
                while !self.eat(b';') {
                    if self.token.kind == Kind::End {
                        return self.expected("`;`");
                    }
                    self.advance();
                }
            }
            ".section" => self.section()?,
            _ => self.declaration(module)?,
        }
        Ok(())
    }

    pub(super) fn string(&mut self, what: &str) -> Parsed<String> {
        if self.token.kind != Kind::Text {
            return self.expected(what);
        }
        let token = self.advance();
        Ok(self.text[token.start as usize + 1..token.end as usize - 1].to_owned())
    }

    /// Debug data: nothing in it changes what a kernel does.
    fn section(&mut self) -> Parsed<()> {
        self.advance();
        self.name("a section name")?;
        self.expect(b'{')?;
        while !self.eat(b'}') {
            if matches!(self.token.kind, Kind::End | Kind::Unterminated) {
                return self.expected("`}` at the end of the section");
            }
            self.advance();
        }
        Ok(())
    }

    fn declaration(&mut self, module: &mut Module) -> Parsed<()> {
        let mut external = false;
        loop {
            match self.word() {
                ".extern" => external = true,
                ".visible" | ".weak" | ".common" => {}
                ".entry" | ".func" => {
                    let function = self.function()?;
                    module.functions.push(function);
                    return Ok(());
                }
                ".global" | ".const" | ".shared" => {
                    module.variables.extend(self.variables(external)?);
                    return Ok(());
                }
                ".tex" => return self.expected("anything but the `.tex` space, which is not supported"),
                _ => return self.expected("a directive such as `.visible`, `.entry` or `.global`"),
            }
            self.advance();
        }
    }

    pub(super) fn line(&mut self) -> Parsed<Line> {
        self.advance();
        let file = self.unsigned("a file number")?;
        let line = self.unsigned("a line")?;
        let column = self.unsigned("a column")?;
        let mut caller = 0;
        // `, function_name label+offset, inlined_at file line column` tells of the caller of an inlined function. Whether
        // that is inlined itself, the latest `.loc` of that place has told (PTX ISA, ".loc").
        while self.eat(b',') {
            let inlined_at = self.word() == "inlined_at";
            self.name("`function_name` or `inlined_at`")?;
            if inlined_at {
                let file = self.unsigned("a file number")?;
                let line = self.unsigned("a line")?;
                let place = (file, line, self.unsigned("a column")?);
                let there = self.locations.get(&place).copied();
                caller = self.caller(there.unwrap_or_else(|| source_line(file, line, 0)));
            } else {
                self.name("a label")?;
                if self.eat(b'+') {
                    self.unsigned("an offset")?;
                }
            }
        }
        let here = source_line(file, line, caller);
        self.locations.insert((file, line, column), here);
        Ok(here)
    }

    /// The number of a line at which something is inlined.
    fn caller(&mut self, line: Line) -> u32 {
        let next = self.callers.len() as u32 + 1;
        let number = *self.caller_numbers.entry(line).or_insert(next);
        if number == next {
            self.callers.push(line);
        }
        number
    }
}

fn source_line(file: u64, line: u64, caller: u32) -> Line {
    Line { file: u32::try_from(file).unwrap_or(0), line: u32::try_from(line).unwrap_or(0), caller }
}
