//! Variable declarations and their initialisers.

use super::ast::{Literal, Name, Relocation, StateSpace, Variable};
use super::lexer::Kind;
use super::parser::{Parsed, Parser};

/// Largest initialised or declared variable: more would not fit on any GPU of the targets.
const MOST_BYTES: u64 = 1 << 38;

/// Size in bytes of a fundamental type, without its dot.
pub(crate) fn size_of(element: &str) -> Option<u64> {
    Some(match element {
        "b8" | "u8" | "s8" | "pred" => 1,
        "b16" | "u16" | "s16" | "f16" | "bf16" => 2,
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" => 4,
        "b64" | "u64" | "s64" | "f64" => 8,
        "b128" => 16,
        "texref" | "samplerref" | "surfref" => 8,
        _ => return None,
    })
}

/// What an initialiser is written into.
struct Content {
    element: Box<str>,
    size: u64,
    limit: u64,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl Parser<'_> {
    /// One or more variables of a space: `.shared .align 4 .b8 a[16], b[16];`
    pub(super) fn variables(&mut self, external: bool) -> Parsed<Vec<Variable>> {
        let Some(space) = Self::space(self.word()) else {
            return self.expected("a state space");
        };
        self.advance();
        let first = self.variable(space, external)?;
        let mut list = vec![first];
        while self.eat(b',') {
            let (align, element) = (list[0].align, list[0].element.clone());
            let size = size_of(&element).unwrap_or(1);
            list.push(self.declarator(space, external, align, element, size)?);
        }
        self.expect(b';')?;
        Ok(list)
    }

    /// One variable, from its alignment and type on.
    pub(super) fn variable(&mut self, space: StateSpace, external: bool) -> Parsed<Variable> {
        let (mut align, mut lanes) = (None, 1u64);
        loop {
            match self.word() {
                ".align" => {
                    self.advance();
                    let span = self.token.span();
                    let value = self.unsigned("an alignment")?;
                    if !value.is_power_of_two() || value > 1 << 16 {
                        let message = format!("an alignment of {value} bytes is not a power of two");
                        return Err(self.error(span, message, "not a power of two"));
                    }
                    align = Some(value);
                }
                ".ptr" => {
                    self.advance();
                    if Self::space(self.word()).is_some() {
                        self.advance();
                    }
                    // The alignment that may follow is the pointee's, not the parameter's.
                    if self.eat_word(".align") {
                        self.unsigned("an alignment")?;
                    }
                }
                ".managed" => {
                    self.advance();
                }
                ".attribute" => {
                    self.advance();
                    self.expect(b'(')?;
                    while !self.eat(b')') {
                        if self.token.kind == Kind::End {
                            return self.expected("`)`");
                        }
                        self.advance();
                    }
                }
                ".v2" | ".v4" | ".v8" => lanes = u64::from(self.vector_width().unwrap_or(1)),
                _ => break,
            }
        }
        // In a parameter list `.param .u64 .ptr .global .align 4 name` puts `.ptr` behind the type.
        let element_span = self.token.span();
        let element: Box<str> = self.word().trim_start_matches('.').into();
        let Some(size) = size_of(&element) else {
            if matches!(&*element, "texref" | "samplerref" | "surfref") {
                let message = "textures and surfaces are not supported".to_owned();
                return Err(self.error(element_span, message, "not supported"));
            }
            return self.expected("a type such as .u32, .f64 or .b8");
        };
        self.advance();
        if self.word() == ".ptr" {
            self.advance();
            if Self::space(self.word()).is_some() {
                self.advance();
            }
            if self.eat_word(".align") {
                self.unsigned("an alignment")?;
            }
        }
        let align = align.unwrap_or(size * lanes);
        self.declarator(space, external, align, element, size * lanes)
    }

    fn declarator(
        &mut self,
        space: StateSpace,
        external: bool,
        align: u64,
        element: Box<str>,
        size: u64,
    ) -> Parsed<Variable> {
        let name = self.name("the variable's name")?;
        let (mut count, mut unsized_array) = (1u64, false);
        while self.eat(b'[') {
            if self.at(b']') {
                unsized_array = true;
            } else {
                count = count.saturating_mul(self.unsigned("the number of elements")?);
            }
            self.expect(b']')?;
        }
        let declared = if unsized_array { 0 } else { count.saturating_mul(size) };
        if declared > MOST_BYTES {
            let message = format!("`{}` is larger than any GPU's memory", name.text);
            return Err(self.error(name.span, message, "too large"));
        }
        let mut content = Content {
            size: size_of(&element).unwrap_or(1),
            element: element.clone(),
            limit: if unsized_array { MOST_BYTES } else { declared },
            bytes: Vec::new(),
            relocations: Vec::new(),
        };
        if self.eat(b'=') {
            self.initialiser(&mut content)?;
        }
        let bytes = declared.max(content.bytes.len() as u64);
        Ok(Variable {
            name,
            space,
            external,
            element,
            align,
            bytes,
            content: content.bytes,
            relocations: content.relocations,
        })
    }

    fn initialiser(&mut self, content: &mut Content) -> Parsed<()> {
        self.nested(|parser| parser.initial_value(content))
    }

    fn initial_value(&mut self, content: &mut Content) -> Parsed<()> {
        if self.eat(b'{') {
            // Nested braces only group rows: the elements follow each other in memory.
            while !self.eat(b'}') {
                self.initialiser(content)?;
                if !self.at(b'}') {
                    self.expect(b',')?;
                }
            }
            return Ok(());
        }
        let span = self.token.span();
        let at = content.bytes.len() as u64;
        if at + content.size > content.limit {
            return Err(self.error(span, "more initial values than elements".to_owned(), "one too many"));
        }
        if self.token.kind == Kind::Word {
            return self.symbol_value(content, at);
        }
        let bits: u64 = match (&*content.element, self.literal()?) {
            ("f32", Literal::F64(bits)) => u64::from((f64::from_bits(bits) as f32).to_bits()),
            ("f32", Literal::Int(value)) => u64::from((value as f32).to_bits()),
            ("f64", Literal::Int(value)) => (value as f64).to_bits(),
            ("f64", Literal::F32(bits)) => f64::from(f32::from_bits(bits)).to_bits(),
            (_, Literal::Int(value)) => value as u64,
            (_, Literal::F32(bits)) => u64::from(bits),
            (_, Literal::F64(bits)) => bits,
        };
        let bytes = u128::from(bits).to_le_bytes();
        content.bytes.extend_from_slice(&bytes[..content.size as usize]);
        Ok(())
    }

    /// `symbol`, `symbol+8`, `generic(symbol)+8` or `mask(symbol)` as an initial value.
    fn symbol_value(&mut self, content: &mut Content, at: u64) -> Parsed<()> {
        let mut symbol: Name = self.name("a symbol")?;
        let generic = &*symbol.text == "generic";
        if self.at(b'(') {
            if !generic {
                return self.expected("`,`: only `generic(symbol)` are allowed in an initialiser");
            }
            self.advance();
            symbol = self.name("a symbol")?;
            self.expect(b')')?;
        }
        let mut addend = 0;
        if self.at(b'+') || self.at(b'-') {
            self.eat(b'+'); // a minus sign is part of the literal
            if let Literal::Int(value) = self.literal()? {
                addend = value as i64;
            }
        }
        content.relocations.push(Relocation { at, bytes: content.size, symbol, addend, generic });
        content.bytes.resize((at + content.size) as usize, 0);
        Ok(())
    }
}
