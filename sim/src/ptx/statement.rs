//! The statements of a function body: declarations, labels, instructions and their operands.

use super::ast::{Guard, Instruction, Literal, Name, Operand, StateSpace, Statement};
use super::lexer::Kind;
use super::number;
use super::parser::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn statement(&mut self, body: &mut Vec<Statement>) -> Parsed<()> {
        match self.word() {
            ".loc" => {
                let line = self.line()?;
                body.push(Statement::Line(line));
            }
            ".reg" => self.registers(body)?,
            ".pragma" => {
                self.advance();
                self.string("a pragma")?;
                self.expect(b';')?;
            }
            ".local" | ".shared" | ".param" | ".global" | ".const" => {
                let variables = self.variables(false)?;
                body.extend(variables.into_iter().map(Statement::Variable));
            }
            ".branchtargets" | ".calltargets" | ".callprototype" => {
                return self.expected("a label before the list of targets");
            }
            word if word.starts_with('.') => return self.expected("a statement"),
            "" if !self.at(b'@') => return self.expected("an instruction, a label or a declaration"),
            _ => self.label_or_instruction(body)?,
        }
        Ok(())
    }

    fn registers(&mut self, body: &mut Vec<Statement>) -> Parsed<()> {
        self.advance();
        let mut lanes = 1;
        if let Some(vector) = self.vector_width() {
            lanes = vector;
        }
        let element = self.name("a register type")?;
        loop {
            let name = self.name("a register name")?;
            let mut count = None;
            if self.eat(b'<') {
                let span = self.token.span();
                let value = self.unsigned("the number of registers")?;
                if value > 1 << 20 {
                    return Err(self.error(span, format!("{value} registers are more than any GPU has"), "too many"));
                }
                count = Some(value as u32);
                self.expect(b'>')?;
            }
            body.push(Statement::Registers {
                element: element.text.trim_start_matches('.').into(),
                lanes,
                name,
                count,
            });
            if !self.eat(b',') {
                return self.expect(b';');
            }
        }
    }

    /// `.v2` or `.v4`, if it stands here.
    pub(super) fn vector_width(&mut self) -> Option<u8> {
        let lanes = match self.word() {
            ".v2" => 2,
            ".v4" => 4,
            ".v8" => 8,
            _ => return None,
        };
        self.advance();
        Some(lanes)
    }

    fn label_or_instruction(&mut self, body: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.token.start as usize;
        let mut guard = None;
        if self.eat(b'@') {
            let negated = self.eat(b'!');
            guard = Some(Guard { negated, register: self.name("a predicate register")? });
        }
        let word = self.name("an opcode")?;
        if guard.is_none() && self.eat(b':') {
            return self.labelled(word, body);
        }
        let mut operands = Vec::new();
        while !self.at(b';') {
            operands.push(self.operand()?);
            if !self.at(b';') {
                // `call (ret), function, (args)` and all others separate by commas.
                self.expect(b',')?;
            }
        }
        let span = start..self.before as usize;
        self.expect(b';')?;
        body.push(Statement::Instruction(Instruction { guard, opcode: word, operands, span }));
        Ok(())
    }

    fn labelled(&mut self, label: Name, body: &mut Vec<Statement>) -> Parsed<()> {
        match self.word() {
            ".branchtargets" | ".calltargets" => {
                self.advance();
                let mut targets = Vec::new();
                loop {
                    targets.push(self.name("a target")?);
                    if !self.eat(b',') {
                        break;
                    }
                }
                self.expect(b';')?;
                body.push(Statement::Targets(label, targets));
            }
            ".callprototype" => {
                while !self.at(b';') {
                    if self.token.kind == Kind::End {
                        return self.expected("`;`");
                    }
                    self.advance();
                }
                self.advance();
                body.push(Statement::Prototype(label));
            }
            _ => body.push(Statement::Label(label)),
        }
        Ok(())
    }

    fn operand(&mut self) -> Parsed<Operand> {
        self.nested(Self::one_operand)
    }

    fn one_operand(&mut self) -> Parsed<Operand> {
        let start = self.token.start as usize;
        if self.eat(b'!') {
            return Ok(Operand::Not(Box::new(self.operand()?)));
        }
        if self.eat(b'[') {
            return self.address(start);
        }
        if self.eat(b'{') {
            let items = self.operands_until(b'}')?;
            return Ok(Operand::Vector(items, start..self.before as usize));
        }
        if self.eat(b'(') {
            return Ok(Operand::List(self.operands_until(b')')?));
        }
        let negative = self.eat(b'-');
        if self.token.kind == Kind::Number {
            let literal = self.literal()?;
            let literal = if negative { number::negated(literal) } else { literal };
            return Ok(Operand::Literal(literal, start..self.before as usize));
        }
        if negative {
            return Ok(Operand::Negative(Box::new(self.operand()?)));
        }
        if self.word() == "_" {
            let token = self.advance();
            let sink = Operand::Sink(token.span());
            return self.second_destination(sink);
        }
        let name = self.name("an operand")?;
        if self.at(b'+') || self.at(b'-') {
            let offset = self.offset()?;
            return Ok(Operand::NameOffset(name, offset));
        }
        self.second_destination(Operand::Name(name))
    }

    fn second_destination(&mut self, first: Operand) -> Parsed<Operand> {
        if self.eat(b'|') {
            let second = self.operand()?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn operands_until(&mut self, close: u8) -> Parsed<Vec<Operand>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            items.push(self.operand()?);
            if !self.at(close) {
                self.expect(b',')?;
            }
        }
        Ok(items)
    }

    pub(super) fn literal(&mut self) -> Parsed<Literal> {
        let negative = self.eat(b'-');
        let Some(value) = (self.token.kind == Kind::Number).then(|| number::literal(self.slice(self.token))).flatten()
        else {
            return self.expected("a number");
        };
        self.advance();
        Ok(if negative { number::negated(value) } else { value })
    }

    /// `+4`, `-4`, `+-4`.
    fn offset(&mut self) -> Parsed<i64> {
        let plus = self.eat(b'+');
        let span = self.token.span();
        if !plus && !self.at(b'-') {
            return Ok(0);
        }
        match self.literal()? {
            Literal::Int(value) => Ok(value as i64),
            _ => Err(self.error(span, "an offset is a whole number of bytes".to_owned(), "not a whole number")),
        }
    }

    fn address(&mut self, start: usize) -> Parsed<Operand> {
        let (mut base, mut offset) = (None, 0);
        if self.token.kind == Kind::Number || self.at(b'-') {
            if let Literal::Int(value) = self.literal()? {
                offset = value as i64;
            }
        } else {
            base = Some(self.name("an address")?);
            offset = self.offset()?;
        }
        let mut more = Vec::new();
        while self.eat(b',') {
            more.push(self.operand()?);
        }
        self.expect(b']')?;
        Ok(Operand::Address { base, offset, more, span: start..self.before as usize })
    }

    pub(super) fn space(word: &str) -> Option<StateSpace> {
        Some(match word {
            ".global" => StateSpace::Global,
            ".const" => StateSpace::Const,
            ".shared" => StateSpace::Shared,
            ".local" => StateSpace::Local,
            ".param" => StateSpace::Param,
            _ => return None,
        })
    }
}
