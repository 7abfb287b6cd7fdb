//! Metadata: nodes as lists of fields, of which only those of places in the source are looked at later.

use super::{Parser, Result};
use crate::ir::Node;
use crate::lex::Token;

impl Parser<'_> {
    /// `!name = !{…}` or `!12 = …`.
    pub(super) fn metadata(&mut self) -> Result<()> {
        let Token::Meta(name) = self.next()? else { return Err(self.wrong("metadata is missing here")) };
        self.sign('=')?;
        if let Ok(number) = name.parse::<u32>() {
            self.take_word("distinct");
            let node = self.node()?;
            self.module.nodes.insert(number, node);
            return Ok(());
        }
        let node = self.node()?;
        let numbers = node.elements.iter().filter_map(|element| element.strip_prefix('!')?.parse().ok()).collect();
        self.module.named.insert((*name).to_owned(), numbers);
        Ok(())
    }

    fn node(&mut self) -> Result<Node> {
        let mut node = Node::default();
        match self.next()? {
            Token::Meta("") => {
                self.sign('{')?;
                while !self.take_sign('}') {
                    let element = self.field()?;
                    node.elements.push(element);
                    self.take_sign(',');
                }
            }
            Token::Meta(kind) => {
                node.kind = (*kind).to_owned();
                if self.is_sign('(') {
                    self.at += 1;
                    while !self.take_sign(')') {
                        if let (Some(Token::Word(field)), Some(Token::Sign(':'))) = (self.peek(), self.peek_at(1)) {
                            self.at += 2;
                            let value = self.field()?;
                            node.fields.insert((*field).to_owned(), value);
                        } else {
                            let value = self.field()?;
                            node.elements.push(value);
                        }
                        self.take_sign(',');
                    }
                }
            }
            _ => return Err(self.wrong("this is no node of metadata")),
        }
        Ok(node)
    }

    /// A field's text: up to a comma or the end of the node.
    fn field(&mut self) -> Result<String> {
        let mut text = String::new();
        loop {
            match self.peek() {
                None => return Err(self.wrong("the text ends within metadata")),
                Some(Token::Sign(',' | ')' | '}')) => return Ok(text),
                Some(Token::Sign('(' | '{' | '[' | '<')) => self.skip_brackets()?,
                Some(token) => {
                    self.at += 1;
                    match token {
                        Token::Text(bytes) => text += &String::from_utf8_lossy(bytes),
                        Token::Meta(name) => {
                            text.push('!');
                            text += name;
                        }
                        Token::Global(name) => {
                            text.push('@');
                            text += name;
                        }
                        Token::Word(word) => {
                            if !text.is_empty() {
                                text.push(' ');
                            }
                            text += word;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}
