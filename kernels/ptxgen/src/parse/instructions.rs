//! Instructions.

use super::function::Scope;
use super::{Parser, Result};
use crate::Error;
use crate::ir::{Access, Constant, Flags, Instruction, Kind, Operand, Value};
use crate::lex::Token;
use crate::types::Type;

impl Parser<'_> {
    /// One instruction; none for a debug record.
    pub(super) fn instruction(&mut self, scope: &mut Scope) -> Result<Option<Instruction>> {
        let line = self.line();
        if self.is_sign('#') || matches!(self.peek(), Some(Token::Attributes(_))) {
            self.skip_line();
            return Ok(None);
        }
        let mut result = None;
        if let Some(Token::Local(name)) = self.peek() {
            self.at += 1;
            self.sign('=')?;
            result = Some(scope.define(name).ok_or_else(|| self.wrong(format!("`%{name}` is defined twice")))?);
        }
        let word = self.word()?;
        let (ty, kind) = self.kind(word, scope)?;
        let mut instruction = Instruction { result, ty, kind, debug: None, line };
        self.attachments(&mut instruction)?;
        if instruction.ty == Type::Void {
            instruction.result = None;
        }
        Ok(Some(instruction))
    }

    /// What follows an instruction: its alignment and its metadata.
    fn attachments(&mut self, instruction: &mut Instruction) -> Result<()> {
        while self.take_sign(',') {
            match self.next()? {
                Token::Word("align") => {
                    let number = self.number()?;
                    match &mut instruction.kind {
                        Kind::Alloca { align, .. } => *align = number,
                        Kind::Load { access, .. }
                        | Kind::Store { access, .. }
                        | Kind::AtomicRmw { access, .. }
                        | Kind::CmpXchg { access, .. } => access.align = number,
                        _ => {}
                    }
                }
                Token::Word("addrspace") => self.skip_brackets()?,
                Token::Meta(kind) => {
                    let value = self.next()?;
                    match (*kind, value) {
                        ("dbg", Token::Meta(number)) => instruction.debug = number.parse().ok(),
                        ("invariant.load", _) => {
                            if let Kind::Load { access, .. } = &mut instruction.kind {
                                access.invariant = true;
                            }
                        }
                        (_, Token::Meta("")) => self.skip_brackets()?,
                        (_, Token::Meta(_)) if self.is_sign('(') => self.skip_brackets()?,
                        _ => {}
                    }
                }
                _ => return Err(self.wrong("this cannot follow an instruction")),
            }
        }
        Ok(())
    }

    pub(super) fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        while let Some(Token::Word(word)) = self.peek() {
            match *word {
                "nuw" => flags.nuw = true,
                "nsw" => flags.nsw = true,
                "disjoint" => flags.disjoint = true,
                "nneg" => flags.nneg = true,
                "contract" => flags.contract = true,
                "afn" => flags.approximate = true,
                "fast" => {
                    flags.contract = true;
                    flags.approximate = true;
                }
                "exact" | "nnan" | "ninf" | "nsz" | "arcp" | "reassoc" | "samesign" | "inbounds" | "nusw" => {}
                _ => break,
            }
            self.at += 1;
        }
        flags
    }

    fn label(&mut self, scope: &mut Scope) -> Result<usize> {
        self.take_word("label");
        match self.next()? {
            Token::Local(name) => Ok(scope.label(name)),
            _ => Err(self.wrong("a label is missing here")),
        }
    }

    fn pair(&mut self, scope: &mut Scope) -> Result<(Operand, Operand)> {
        let a = self.operand(scope)?;
        self.sign(',')?;
        let b = self.value_of(&a.ty.clone(), scope)?;
        Ok((a, b))
    }

    fn indices(&mut self) -> Result<Vec<u64>> {
        let mut indices = Vec::new();
        // Metadata may follow the last.
        while self.is_sign(',') && matches!(self.peek_at(1), Some(Token::Word(_))) {
            self.at += 1;
            indices.push(self.number()?);
        }
        Ok(indices)
    }

    fn kind(&mut self, word: &str, scope: &mut Scope) -> Result<(Type, Kind)> {
        Ok(match word {
            "add" | "sub" | "mul" | "udiv" | "sdiv" | "urem" | "srem" | "shl" | "lshr" | "ashr" | "and" | "or"
            | "xor" | "fadd" | "fsub" | "fmul" | "fdiv" | "frem" => {
                let flags = self.flags();
                let (a, b) = self.pair(scope)?;
                (a.ty.clone(), Kind::Binary { op: word.to_owned(), flags, a, b })
            }
            "fneg" => {
                self.flags();
                let value = self.operand(scope)?;
                (value.ty.clone(), Kind::FNeg { value })
            }
            "trunc" | "zext" | "sext" | "fptrunc" | "fpext" | "fptoui" | "fptosi" | "uitofp" | "sitofp"
            | "ptrtoint" | "ptrtoaddr" | "inttoptr" | "bitcast" | "addrspacecast" => {
                let flags = self.flags();
                let value = self.operand(scope)?;
                if !self.take_word("to") {
                    return Err(self.wrong("`to` is missing here"));
                }
                let ty = self.ty()?;
                (ty, Kind::Cast { op: word.to_owned(), flags, value })
            }
            "icmp" | "fcmp" => {
                self.flags();
                let predicate = self.word()?.to_owned();
                let (a, b) = self.pair(scope)?;
                let ty = match &a.ty {
                    Type::Vector(count, _) => Type::Vector(*count, Box::new(Type::Int(1))),
                    _ => Type::Int(1),
                };
                (ty, Kind::Compare { float: word == "fcmp", predicate, a, b })
            }
            "select" => {
                self.flags();
                let condition = self.operand(scope)?;
                self.sign(',')?;
                let a = self.operand(scope)?;
                self.sign(',')?;
                let b = self.operand(scope)?;
                (a.ty.clone(), Kind::Select { condition, a, b })
            }
            "phi" => {
                self.flags();
                let ty = self.ty()?;
                let mut incoming = Vec::new();
                loop {
                    self.sign('[')?;
                    let value = self.value_of(&ty, scope)?.value;
                    self.sign(',')?;
                    let block = self.label(scope)?;
                    self.sign(']')?;
                    incoming.push((value, block));
                    if !(self.is_sign(',') && self.peek_at(1) == Some(&Token::Sign('['))) {
                        break;
                    }
                    self.at += 1;
                }
                (ty, Kind::Phi { incoming })
            }
            "alloca" => {
                self.take_word("inalloca");
                let ty = self.ty()?;
                let mut count = Operand { ty: Type::Int(32), value: Value::Constant(Constant::Int(1)) };
                if self.is_sign(',')
                    && !matches!(self.peek_at(1), Some(Token::Word("align" | "addrspace") | Token::Meta(_)))
                {
                    self.at += 1;
                    count = self.operand(scope)?;
                }
                let align = ty.align();
                let mut result = Type::Ptr(0);
                // `addrspace` stands behind the alignment; what matters is the type of the result.
                for ahead in 0..6 {
                    if self.peek_at(ahead) == Some(&Token::Word("addrspace"))
                        && let Some(Token::Word(space)) = self.peek_at(ahead + 2)
                    {
                        result = Type::Ptr(space.parse().unwrap_or(0));
                    }
                    if matches!(self.peek_at(ahead), Some(Token::Meta(_) | Token::Local(_))) {
                        break;
                    }
                }
                (result, Kind::Alloca { ty, count, align })
            }
            "load" => {
                let mut access = Access::default();
                let atomic = self.take_word("atomic");
                access.volatile = self.take_word("volatile");
                let ty = self.ty()?;
                self.sign(',')?;
                let pointer = self.operand(scope)?;
                access.align = ty.align();
                if atomic {
                    access.atomic = Some(self.scope_and_ordering()?);
                }
                (ty, Kind::Load { pointer, access })
            }
            "store" => {
                let mut access = Access::default();
                let atomic = self.take_word("atomic");
                access.volatile = self.take_word("volatile");
                let value = self.operand(scope)?;
                self.sign(',')?;
                let pointer = self.operand(scope)?;
                access.align = value.ty.align();
                if atomic {
                    access.atomic = Some(self.scope_and_ordering()?);
                }
                (Type::Void, Kind::Store { value, pointer, access })
            }
            "getelementptr" => {
                self.flags();
                let element = self.ty()?;
                self.sign(',')?;
                let base = self.operand(scope)?;
                let mut indices = Vec::new();
                while self.is_sign(',') && !matches!(self.peek_at(1), Some(Token::Meta(_))) {
                    self.at += 1;
                    self.take_word("inrange");
                    indices.push(self.operand(scope)?);
                }
                (base.ty.clone(), Kind::Gep { element, base, indices })
            }
            "atomicrmw" => {
                let volatile = self.take_word("volatile");
                let op = self.word()?.to_owned();
                let pointer = self.operand(scope)?;
                self.sign(',')?;
                let value = self.operand(scope)?;
                let atomic = Some(self.scope_and_ordering()?);
                let access = Access { align: value.ty.align(), volatile, atomic, invariant: false };
                (value.ty.clone(), Kind::AtomicRmw { op, pointer, value, access })
            }
            "cmpxchg" => {
                self.take_word("weak");
                let volatile = self.take_word("volatile");
                let pointer = self.operand(scope)?;
                self.sign(',')?;
                let expected = self.operand(scope)?;
                self.sign(',')?;
                let new = self.operand(scope)?;
                let (scope_name, success) = self.scope_and_ordering()?;
                let failure = self.word()?;
                let ordering = stronger(&success, failure).to_owned();
                let access =
                    Access { align: new.ty.align(), volatile, atomic: Some((scope_name, ordering)), invariant: false };
                let ty = Type::Struct { packed: false, fields: vec![new.ty.clone(), Type::Int(1)] };
                (ty, Kind::CmpXchg { pointer, expected, new, access })
            }
            "fence" => {
                let (scope, ordering) = self.scope_and_ordering()?;
                (Type::Void, Kind::Fence { scope, ordering })
            }
            "tail" | "musttail" | "notail" => {
                self.word()?;
                self.call(scope)?
            }
            "call" => self.call(scope)?,
            "extractvalue" => {
                let value = self.operand(scope)?;
                let indices = self.indices()?;
                let mut ty = &value.ty;
                for &index in &indices {
                    ty = ty.part(index).ok_or_else(|| self.wrong("there is no such part"))?.0;
                }
                (ty.clone(), Kind::ExtractValue { value, indices })
            }
            "insertvalue" => {
                let value = self.operand(scope)?;
                self.sign(',')?;
                let part = self.operand(scope)?;
                let indices = self.indices()?;
                (value.ty.clone(), Kind::InsertValue { value, part, indices })
            }
            "extractelement" => {
                let value = self.operand(scope)?;
                self.sign(',')?;
                let index = self.operand(scope)?;
                (value.ty.scalar().clone(), Kind::ExtractElement { value, index })
            }
            "insertelement" => {
                let value = self.operand(scope)?;
                self.sign(',')?;
                let part = self.operand(scope)?;
                self.sign(',')?;
                let index = self.operand(scope)?;
                (value.ty.clone(), Kind::InsertElement { value, part, index })
            }
            "shufflevector" => {
                let a = self.operand(scope)?;
                self.sign(',')?;
                let b = self.operand(scope)?;
                self.sign(',')?;
                let mask = self.operand(scope)?;
                let Type::Vector(count, _) = mask.ty else { return Err(self.wrong("the mask is no vector")) };
                let mask = match &mask.value {
                    Value::Constant(Constant::Parts(parts)) => {
                        parts.iter().map(|part| part.int().map(|index| index as u32)).collect()
                    }
                    Value::Constant(Constant::Zero) => vec![Some(0); count as usize],
                    _ => vec![None; count as usize],
                };
                let ty = Type::Vector(count, Box::new(a.ty.scalar().clone()));
                (ty, Kind::Shuffle { a, b, mask })
            }
            "freeze" => {
                let value = self.operand(scope)?;
                (value.ty.clone(), Kind::Freeze { value })
            }
            "br" => {
                if self.is_word("label") {
                    return Ok((Type::Void, Kind::Br { target: self.label(scope)? }));
                }
                let condition = self.operand(scope)?;
                self.sign(',')?;
                let then = self.label(scope)?;
                self.sign(',')?;
                let otherwise = self.label(scope)?;
                (Type::Void, Kind::CondBr { condition, then, otherwise })
            }
            "switch" => {
                let value = self.operand(scope)?;
                self.sign(',')?;
                let default = self.label(scope)?;
                self.sign('[')?;
                let mut cases = Vec::new();
                while !self.take_sign(']') {
                    let case = self.operand(scope)?;
                    self.sign(',')?;
                    let target = self.label(scope)?;
                    let case = case.int().ok_or_else(|| self.wrong("a case is no number"))?;
                    cases.push((case, target));
                }
                (Type::Void, Kind::Switch { value, default, cases })
            }
            "ret" => {
                if self.take_word("void") {
                    return Ok((Type::Void, Kind::Ret { value: None }));
                }
                (Type::Void, Kind::Ret { value: Some(self.operand(scope)?) })
            }
            "unreachable" => (Type::Void, Kind::Unreachable),
            "invoke" | "resume" | "landingpad" | "indirectbr" | "callbr" | "catchswitch" | "catchret"
            | "cleanupret" | "va_arg" => {
                return Err(Error::Unsupported {
                    what: format!("the instruction `{word}`"),
                    function: String::new(),
                    line: None,
                });
            }
            _ => {
                self.at -= 1;
                return Err(self.wrong(format!("`{word}` is no instruction")));
            }
        })
    }

    /// `syncscope("device") acq_rel`; the scope is that of the whole system if it is left out.
    fn scope_and_ordering(&mut self) -> Result<(String, String)> {
        let mut scope = String::new();
        if self.take_word("syncscope") {
            self.sign('(')?;
            if let Token::Text(bytes) = self.next()? {
                scope = String::from_utf8_lossy(bytes).into_owned();
            }
            self.sign(')')?;
        }
        Ok((scope, self.word()?.to_owned()))
    }
}

/// The ordering of a compare-and-swap: the stronger one of its success and its failure.
fn stronger<'a>(success: &'a str, failure: &'a str) -> &'a str {
    match (success, failure) {
        (_, "seq_cst") | ("seq_cst", _) => "seq_cst",
        ("release" | "acq_rel", "acquire") => "acq_rel",
        ("monotonic", "acquire") => "acquire",
        _ => success,
    }
}
