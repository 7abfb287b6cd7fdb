//! Functions: heads, blocks and their labels.

use std::collections::HashMap;

use super::{Parser, Result};
use crate::ir::{Block, Function, Id, Kind, Parameter};
use crate::lex::Token;

/// The names of a function's values and blocks.
#[derive(Default)]
pub(super) struct Scope {
    values: HashMap<String, Id>,
    /// Which of the values are defined.
    defined: Vec<bool>,
    labels: HashMap<String, usize>,
}

impl Scope {
    /// The value of a name.
    pub(super) fn value(&mut self, name: &str) -> Id {
        if let Some(&id) = self.values.get(name) {
            return id;
        }
        let id = self.defined.len();
        self.defined.push(false);
        self.values.insert(name.to_owned(), id);
        id
    }

    /// The value of a name that is defined here.
    pub(super) fn define(&mut self, name: &str) -> Option<Id> {
        let id = self.value(name);
        (!std::mem::replace(&mut self.defined[id], true)).then_some(id)
    }

    /// The block of a name.
    pub(super) fn label(&mut self, name: &str) -> usize {
        let next = self.labels.len();
        *self.labels.entry(name.to_owned()).or_insert(next)
    }
}

impl Parser<'_> {
    /// `define …` or `declare …`.
    pub(super) fn function(&mut self, defined: bool) -> Result<()> {
        self.at += 1;
        let mut function = Function {
            name: String::new(),
            kernel: false,
            linkage: String::new(),
            result: crate::types::Type::Void,
            parameters: Vec::new(),
            variadic: false,
            blocks: Vec::new(),
            values: 0,
            attributes: HashMap::new(),
            subprogram: None,
        };
        // Metadata may stand before the head of a declaration.
        while let Some(Token::Meta(_)) = self.peek() {
            self.at += 2;
        }
        loop {
            self.parameter_attributes()?;
            match self.peek() {
                Some(Token::Word("ptx_kernel")) => function.kernel = true,
                Some(Token::Word(
                    word @ ("internal"
                    | "private"
                    | "linkonce"
                    | "linkonce_odr"
                    | "weak"
                    | "weak_odr"
                    | "external"
                    | "extern_weak"
                    | "available_externally"),
                )) => function.linkage = (*word).to_owned(),
                Some(Token::Word(
                    "dso_local" | "hidden" | "protected" | "default" | "ptx_device" | "fastcc" | "ccc" | "coldcc"
                    | "unnamed_addr" | "local_unnamed_addr",
                )) => {}
                _ => break,
            }
            self.at += 1;
        }
        function.result = self.ty()?;
        let Token::Global(name) = self.next()? else { return Err(self.wrong("the function has no name")) };
        function.name = name.to_string();
        let mut scope = Scope::default();
        let mut unnamed = 0;
        self.sign('(')?;
        while !self.take_sign(')') {
            if self.peek() == Some(&Token::Dots) {
                self.at += 1;
                function.variadic = true;
                continue;
            }
            let ty = self.ty()?;
            let attributes = self.parameter_attributes()?;
            let name = if let Some(Token::Local(name)) = self.peek() {
                self.at += 1;
                name.to_string()
            } else {
                unnamed += 1;
                (unnamed - 1).to_string()
            };
            // Numbers count up, whether they are written or not.
            if let Ok(number) = name.parse::<u32>() {
                unnamed = number + 1;
            }
            let id = scope.define(&name).ok_or_else(|| self.wrong(format!("`%{name}` is defined twice")))?;
            function.parameters.push(Parameter { ty, attributes, id });
            self.take_sign(',');
        }
        let index = self.module.functions.len();
        loop {
            match self.peek() {
                Some(Token::Sign('{')) if defined => break,
                Some(Token::Attributes(number)) => {
                    self.at += 1;
                    self.pending.push((index, *number));
                }
                Some(Token::Meta(kind)) => {
                    self.at += 1;
                    if let Token::Meta(number) = self.next()?
                        && *kind == "dbg"
                    {
                        function.subprogram = number.parse().ok();
                    }
                }
                Some(Token::Word("define" | "declare" | "attributes")) if !defined => break,
                Some(Token::Word("align" | "gc" | "section" | "personality" | "prefix" | "prologue")) => self.at += 2,
                Some(Token::Word("comdat" | "unnamed_addr" | "local_unnamed_addr")) => {
                    self.at += 1;
                    if self.is_sign('(') {
                        self.skip_brackets()?;
                    }
                }
                Some(Token::Word(_) | Token::Text(_)) => self.function_attribute(&mut function.attributes)?,
                Some(_) if !defined => break,
                None if !defined => break,
                _ => return Err(self.wrong("the body of the function is missing here")),
            }
        }
        if defined {
            self.sign('{')?;
            self.body(&mut function, scope, unnamed)?;
        }
        self.module.functions.push(function);
        Ok(())
    }

    fn body(&mut self, function: &mut Function, mut scope: Scope, unnamed: u32) -> Result<()> {
        // For each block in the order of the text: its label.
        let mut order = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        loop {
            if self.take_sign('}') {
                break;
            }
            let label = match (self.peek(), self.peek_at(1)) {
                (Some(Token::Word(word)), Some(Token::Sign(':'))) => {
                    self.at += 2;
                    Some((*word).to_owned())
                }
                (Some(Token::Text(bytes)), Some(Token::Sign(':'))) => {
                    self.at += 2;
                    Some(String::from_utf8_lossy(bytes).into_owned())
                }
                _ => None,
            };
            if label.is_some() || blocks.is_empty() {
                let label = label.unwrap_or_else(|| unnamed.to_string());
                let number = scope.label(&label);
                if order.contains(&number) {
                    return Err(self.wrong(format!("the block `{label}` is there twice")));
                }
                order.push(number);
                blocks.push(Block::default());
                continue;
            }
            let instruction = self.instruction(&mut scope)?;
            if let (Some(block), Some(instruction)) = (blocks.last_mut(), instruction) {
                block.instructions.push(instruction);
            }
        }
        if let Some((name, _)) = scope.values.iter().find(|(_, id)| !scope.defined[**id]) {
            return Err(self.wrong(format!("`%{name}` is not defined in `{}`", function.name)));
        }
        // Labels were numbered as they were named; blocks are as they stand.
        let mut places = vec![None; scope.labels.len()];
        for (place, &label) in order.iter().enumerate() {
            places[label] = Some(place);
        }
        if let Some((name, _)) = scope.labels.iter().find(|(_, label)| places[**label].is_none()) {
            return Err(self.wrong(format!("no block of `{}` is named `{name}`", function.name)));
        }
        let place = |label: &mut usize| *label = places[*label].unwrap_or(0);
        for instruction in blocks.iter_mut().flat_map(|block| &mut block.instructions) {
            match &mut instruction.kind {
                Kind::Br { target } => place(target),
                Kind::CondBr { then, otherwise, .. } => {
                    place(then);
                    place(otherwise);
                }
                Kind::Switch { default, cases, .. } => {
                    place(default);
                    cases.iter_mut().for_each(|(_, target)| place(target));
                }
                Kind::Phi { incoming } => incoming.iter_mut().for_each(|(_, block)| place(block)),
                _ => {}
            }
        }
        if blocks.iter().any(|block| block.instructions.is_empty()) || blocks.is_empty() {
            return Err(self.wrong(format!("a block of `{}` is empty", function.name)));
        }
        function.values = scope.defined.len();
        function.blocks = blocks;
        Ok(())
    }
}
