//! Functions: their head with its attributes and parameters, and their body.

use super::ast::{Function, Name, StateSpace, Statement, Variable};
use super::lexer::Kind;
use super::parser::{MOST_ERRORS, Noted, Parsed, Parser};

impl Parser<'_> {
    pub(super) fn function(&mut self) -> Parsed<Function> {
        let is_kernel = self.word() == ".entry";
        self.advance();
        while self.word().starts_with('.') {
            self.attribute()?; // `.attribute(.unified)`, `.noreturn` before the name
        }
        let returns = if self.at(b'(') { self.parameters()? } else { Vec::new() };
        let name = self.name("the function's name")?;
        let params = if self.at(b'(') { self.parameters()? } else { Vec::new() };
        let (mut max_threads, mut required_threads, mut cluster) = (None, None, None);
        while self.word().starts_with('.') {
            match self.word() {
                ".maxntid" => max_threads = Some(self.attribute()?),
                ".reqntid" => required_threads = Some(self.attribute()?),
                ".reqnctapercluster" => cluster = Some(self.attribute()?),
                _ => {
                    self.attribute()?;
                }
            }
        }
        let body = if self.eat(b';') { None } else { Some(self.body(&name)?) };
        Ok(Function { name, is_kernel, returns, params, body, max_threads, required_threads, cluster })
    }

    /// A performance-tuning or linkage attribute: its name and up to three numbers.
    fn attribute(&mut self) -> Parsed<[u32; 3]> {
        self.advance();
        let mut values = [1u32; 3];
        if self.eat(b'(') {
            while !self.eat(b')') {
                if self.token.kind == Kind::End {
                    return self.expected("`)`");
                }
                self.advance();
            }
            return Ok(values);
        }
        if self.token.kind == Kind::Text {
            self.advance();
            self.expect(b';')?;
            return Ok(values);
        }
        let mut count = 0;
        while self.token.kind == Kind::Number {
            let value = self.unsigned("a number")?;
            if let Some(slot) = values.get_mut(count) {
                *slot = u32::try_from(value).unwrap_or(u32::MAX);
            }
            count += 1;
            if !self.eat(b',') {
                break;
            }
        }
        Ok(values)
    }

    fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        self.expect(b'(')?;
        let mut list = Vec::new();
        while !self.eat(b')') {
            if self.word() == ".param" || self.word() == ".reg" {
                self.advance();
            } else {
                return self.expected("`.param`");
            }
            list.push(self.variable(StateSpace::Param, false)?);
            if !self.at(b')') {
                self.expect(b',')?;
            }
        }
        Ok(list)
    }

    fn body(&mut self, function: &Name) -> Parsed<Vec<Statement>> {
        self.expect(b'{')?;
        self.locations.clear();
        let mut body = Vec::new();
        let mut depth = 0usize;
        loop {
            if matches!(self.token.kind, Kind::End | Kind::Unterminated) {
                let message = format!("the file ends inside `{}`: it looks truncated", function.text);
                return Err(self.error(self.token.span(), message, "a `}` is missing"));
            }
            if self.errors.len() >= MOST_ERRORS {
                return Err(Noted);
            }
            if self.eat(b'{') {
                depth += 1;
                body.push(Statement::Open);
            } else if self.eat(b'}') {
                if depth == 0 {
                    return Ok(body);
                }
                depth -= 1;
                body.push(Statement::Close);
            } else if self.statement(&mut body).is_err() {
                self.skip_statement();
            }
        }
    }
}
