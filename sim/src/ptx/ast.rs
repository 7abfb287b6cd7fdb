//! The syntax tree of a PTX module. Every node that a message can be about keeps its byte range.

use std::collections::BTreeMap;

use crate::diagnostic::Span;

/// A parsed PTX file.
#[derive(Debug, Clone, Default)]
pub struct Module {
    /// `.version`, major and minor.
    pub version: (u32, u32),
    /// `.target`, for example `sm_75`.
    pub target: String,
    /// `.target …, debug`: compiled without optimisation.
    pub debug: bool,
    /// `.file` table: source files by the number that `.loc` uses.
    pub files: BTreeMap<u32, String>,
    /// The lines at which functions are inlined, as [`Line::caller`] names them.
    pub callers: Vec<Line>,
    /// Variables at module scope.
    pub variables: Vec<Variable>,
    /// Kernels and device functions, in order.
    pub functions: Vec<Function>,
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: Box<str>,
    /// Where it stands.
    pub span: Span,
}

/// PTX state spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum StateSpace {
    Reg,
    Param,
    Const,
    Global,
    Shared,
    Local,
    Generic,
}

/// A variable declaration in any state space but `.reg`.
#[derive(Debug, Clone)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// Where it lives.
    pub space: StateSpace,
    /// Declared with `.extern`: storage comes from elsewhere (dynamic shared memory).
    pub external: bool,
    /// Element type, without the dot (`b8`, `f32`, `.v4` folded into `lanes`).
    pub element: Box<str>,
    /// Alignment in bytes: declared, or the element's own.
    pub align: u64,
    /// Size in bytes; 0 for an unsized array (`.extern .shared x[]`).
    pub bytes: u64,
    /// Initial content, if there is any; shorter than `bytes` when the rest is zero.
    pub content: Vec<u8>,
    /// Places in `content` that hold the address of a symbol.
    pub relocations: Vec<Relocation>,
}

/// An address inside an initialiser.
#[derive(Debug, Clone)]
pub struct Relocation {
    /// Byte offset of the 8-byte (or narrower) slot.
    pub at: u64,
    /// Width of the slot in bytes.
    pub bytes: u64,
    /// The symbol whose address is stored.
    pub symbol: Name,
    /// Added to the address.
    pub addend: i64,
    /// Written as `generic(symbol)`: the generic address, not the one within its space.
    pub generic: bool,
}

/// A kernel (`.entry`) or device function (`.func`).
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Whether it is a kernel.
    pub is_kernel: bool,
    /// Return parameters of a device function.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub params: Vec<Variable>,
    /// `None` for a declaration without body.
    pub body: Option<Vec<Statement>>,
    /// `.maxntid`: most threads per block in x, y, z.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: exact threads per block.
    pub required_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`: thread blocks per cluster.
    pub cluster: Option<[u32; 3]>,
}

/// One step of a function body.
#[derive(Debug, Clone)]
pub enum Statement {
    /// `{`: names declared from here on are gone at the matching `}`.
    Open,
    /// `}`.
    Close,
    /// `.reg` declaration: type without the dot, names. A count means `name0 … name(count-1)`.
    Registers {
        /// Element type (`b32`, `pred`, …).
        element: Box<str>,
        /// Number of elements per register, for `.v2` and `.v4` registers.
        lanes: u8,
        /// Declared name.
        name: Name,
        /// Number of registers, if declared as `%r<n>`.
        count: Option<u32>,
    },
    /// A variable in another space, or a `.param` of a call.
    Variable(Variable),
    /// `label:`.
    Label(Name),
    /// `.loc`: the following instructions belong to this source place.
    Line(Line),
    /// `.branchtargets` or `.calltargets`: a named list of labels or functions.
    Targets(Name, Vec<Name>),
    /// `.callprototype`: the shape of an indirect call.
    Prototype(Name),
    /// An instruction.
    Instruction(Instruction),
}

/// A place in a source file, from `.loc`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line {
    /// File number of the `.file` table.
    pub file: u32,
    /// Line, from 1; 0 when the compiler could not say.
    pub line: u32,
    /// Where the function that the line belongs to is inlined: a position in [`Module::callers`], plus one; 0 when it is
    /// not inlined.
    pub caller: u32,
}

/// `@p` or `@!p`.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Execute where the predicate is false.
    pub negated: bool,
    /// The predicate register.
    pub register: Name,
}

/// An instruction as written.
#[derive(Debug, Clone)]
pub struct Instruction {
    /// The guard, if any.
    pub guard: Option<Guard>,
    /// Dotted opcode, for example `ld.shared.v2.f32`.
    pub opcode: Name,
    /// Operands in order.
    pub operands: Vec<Operand>,
    /// The whole instruction.
    pub span: Span,
}

/// An operand as written.
#[derive(Debug, Clone)]
pub enum Operand {
    /// A register, label, function or variable name (which of them is decided when lowering).
    Name(Name),
    /// `name+offset` outside brackets.
    NameOffset(Name, i64),
    /// A literal.
    Literal(Literal, Span),
    /// `[base+offset]`.
    Address {
        /// What the offset is added to; `None` for an absolute address.
        base: Option<Name>,
        /// Added to the base, in bytes.
        offset: i64,
        /// Further components (`[a, {x, y}]`) of texture and bulk-copy operands.
        more: Vec<Operand>,
        /// The brackets and all between.
        span: Span,
    },
    /// `{a, b, …}`.
    Vector(Vec<Operand>, Span),
    /// `(a, b, …)` of a call.
    List(Vec<Operand>),
    /// `p|q`: two destinations.
    Pair(Box<Operand>, Box<Operand>),
    /// `!p`.
    Not(Box<Operand>),
    /// `-a`: only video instructions have signs at registers.
    Negative(Box<Operand>),
    /// `_`: no destination.
    Sink(Span),
}

/// A literal operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// Whole number; the low 64 bits count.
    Int(i128),
    /// `0f` literal: the bits of an f32.
    F32(u32),
    /// `0d` literal or a decimal fraction: the bits of an f64.
    F64(u64),
}

impl Operand {
    /// The operands of a vector; any other operand by itself.
    pub fn items(&self) -> Vec<&Self> {
        if let Self::Vector(items, _) = self { items.iter().collect() } else { vec![self] }
    }

    /// Where the operand stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Name(name) | Self::NameOffset(name, _) => name.span.clone(),
            Self::Literal(_, span) | Self::Address { span, .. } | Self::Vector(_, span) | Self::Sink(span) => {
                span.clone()
            }
            Self::List(items) => match (items.first(), items.last()) {
                (Some(a), Some(b)) => a.span().start..b.span().end,
                _ => 0..0,
            },
            Self::Pair(a, b) => a.span().start..b.span().end,
            Self::Not(a) | Self::Negative(a) => a.span(),
        }
    }

    /// Calls `f` with every name in the operand.
    pub fn for_each_name<'a>(&'a self, f: &mut impl FnMut(&'a str)) {
        match self {
            Self::Name(name) | Self::NameOffset(name, _) => f(&name.text),
            Self::Literal(..) | Self::Sink(_) => {}
            Self::Address { base, more, .. } => {
                if let Some(base) = base {
                    f(&base.text);
                }
                for operand in more {
                    operand.for_each_name(f);
                }
            }
            Self::Vector(items, _) | Self::List(items) => {
                for item in items {
                    item.for_each_name(f);
                }
            }
            Self::Pair(a, b) => {
                a.for_each_name(f);
                b.for_each_name(f);
            }
            Self::Not(a) | Self::Negative(a) => a.for_each_name(f),
        }
    }
}
