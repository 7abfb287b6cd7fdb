//! Reading an expression: operators by how tightly they bind, as in CUDA C++.

use std::ops::Range;

use crate::number::decimal;
use crate::{FUNCTIONS, Step, Wrong};

/// Deepest nesting of brackets and signs: the reader calls itself for each.
const DEEPEST: u32 = 64;

/// Operators, from those that bind loosest.
const LEVELS: [&[&str]; 6] = [&["|"], &["^"], &["&"], &["<<", ">>"], &["+", "-"], &["*", "/", "%"]];

/// Reads one expression.
pub(crate) struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    steps: Vec<(Range<usize>, Step)>,
    depth: u32,
    /// How many `floor(…)` and `ceil(…)` are open.
    exact: u32,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, rest: text, steps: Vec::new(), depth: 0, exact: 0 }
    }

    /// The steps of the whole text.
    pub(crate) fn all(mut self) -> Result<Vec<(Range<usize>, Step)>, Wrong> {
        self.operation(0)?;
        match self.peek() {
            None => Ok(self.steps),
            Some(_) => Err(self.wrong()),
        }
    }

    /// Where the rest begins.
    fn here(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn wrong(&mut self) -> Wrong {
        let text = self.text;
        let next = self.peek();
        let message = match next {
            None if text.trim().is_empty() => "a number is missing".to_owned(),
            None => format!("`{text}` ends too early"),
            Some(c) => format!("`{text}` is not a number: `{c}` does not belong there"),
        };
        Wrong { message, at: self.here()..self.here() + next.map_or(0, char::len_utf8) }
    }

    fn take(&mut self, token: &str) -> bool {
        self.peek();
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn operation(&mut self, level: usize) -> Result<(), Wrong> {
        let Some(operators) = LEVELS.get(level) else { return self.operand() };
        self.operation(level + 1)?;
        while let Some(operator) = operators.iter().copied().find(|operator| self.take(operator)) {
            let at = self.here() - operator.len()..self.here();
            self.operation(level + 1)?;
            let step = if operator == "/" && self.exact == 0 { Step::Divide } else { Step::Operator(operator) };
            self.steps.push((at, step));
        }
        Ok(())
    }

    fn operand(&mut self) -> Result<(), Wrong> {
        self.depth += 1;
        let next = self.peek();
        let at = self.here();
        if self.depth > DEEPEST {
            let message = format!("more than {DEEPEST} brackets or signs are nested");
            return Err(Wrong { message, at: at..self.text.len() });
        }
        match next {
            Some('-') => {
                self.take("-");
                self.operand()?;
                self.steps.push((at..at + 1, Step::Negate));
            }
            Some('(') => {
                self.take("(");
                self.operation(0)?;
                self.close(at)?;
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.literal(at)?,
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.named(at)?,
            _ => return Err(self.wrong()),
        }
        self.depth -= 1;
        Ok(())
    }

    /// Closes the bracket that was opened at `open`.
    fn close(&mut self, open: usize) -> Result<(), Wrong> {
        if self.take(")") {
            return Ok(());
        }
        match self.peek() {
            None => {
                let message = format!("`{}` opens a bracket and does not close it", self.text);
                Err(Wrong { message, at: open..open + 1 })
            }
            Some(_) => Err(self.wrong()),
        }
    }

    fn word(&mut self, belongs: impl Fn(char, Option<char>) -> bool) -> &'a str {
        let mut before = None;
        let end = self.rest.char_indices().find(|&(_, c)| {
            let ends = !belongs(c, before);
            before = Some(c);
            ends
        });
        let (word, rest) = self.rest.split_at(end.map_or(self.rest.len(), |(at, _)| at));
        self.rest = rest;
        word
    }

    fn literal(&mut self, at: usize) -> Result<(), Wrong> {
        let hexadecimal = self.rest.starts_with("0x") || self.rest.starts_with("0X");
        let word = self.word(|c, before| {
            let exponent = matches!(before, Some('e' | 'E')) && !hexadecimal;
            c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || exponent && matches!(c, '+' | '-')
        });
        let at = at..self.here();
        let wrong = || Wrong { message: format!("`{word}` is not a number"), at: at.clone() };
        let number = decimal(word).ok_or_else(wrong)?;
        self.steps.push((at, Step::Push(number)));
        Ok(())
    }

    fn named(&mut self, start: usize) -> Result<(), Wrong> {
        let word = self.word(|c, _| c.is_ascii_alphanumeric() || c == '_');
        let at = start..self.here();
        if !self.take("(") {
            self.steps.push((at, Step::Name(word.to_owned())));
            return Ok(());
        }
        let open = self.here() - 1;
        let Some(function) = FUNCTIONS.into_iter().find(|function| *function == word) else {
            let message = format!("there is no function `{word}`; there are {}", FUNCTIONS.join(", "));
            return Err(Wrong { message, at });
        };
        let rounds = u32::from(matches!(function, "floor" | "ceil"));
        self.exact += rounds;
        let mut operands = 0;
        loop {
            self.operation(0)?;
            operands += 1;
            if !self.take(",") {
                break;
            }
        }
        self.exact -= rounds;
        self.close(open)?;
        self.steps.push((at, Step::Call(function, operands)));
        Ok(())
    }
}
