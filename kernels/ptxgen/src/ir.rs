//! LLVM IR as data: what the parser makes and the passes change.

use std::collections::HashMap;

use crate::types::Type;

/// A value within a function: an argument or what an instruction computes.
pub(crate) type Id = usize;

/// A constant. Its type stands beside it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Constant {
    /// The bits of an integer, those above its width cleared.
    Int(u128),
    /// The bits of a floating-point number in its own format.
    Float(u64),
    /// A null pointer, or zero of any type.
    Zero,
    /// Undefined or poison.
    Undef,
    /// Bytes of an array.
    Bytes(Vec<u8>),
    /// An array, vector or structure.
    Parts(Vec<Operand>),
    /// The address of a global or function.
    Global(String),
    /// An expression.
    Expression(Box<Kind>),
}

/// A value that an instruction uses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Local(Id),
    Constant(Constant),
}

/// A value with its type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Operand {
    pub(crate) ty: Type,
    pub(crate) value: Value,
}

impl Operand {
    /// The bits, if this is a constant integer.
    pub(crate) fn int(&self) -> Option<u128> {
        match &self.value {
            Value::Constant(Constant::Int(bits)) => Some(*bits),
            Value::Constant(Constant::Zero) if matches!(self.ty, Type::Int(_)) => Some(0),
            _ => None,
        }
    }

    /// The same as a number with sign.
    pub(crate) fn signed(&self) -> Option<i64> {
        let Type::Int(bits) = self.ty else { return None };
        let value = self.int()?;
        let shift = 128 - bits.clamp(1, 128);
        Some((((value << shift) as i128) >> shift) as i64)
    }

    /// The value within the function, if it is one.
    pub(crate) const fn local(&self) -> Option<Id> {
        match self.value {
            Value::Local(id) => Some(id),
            Value::Constant(_) => None,
        }
    }
}

/// Attributes of a parameter or of what is returned, as far as they matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ParameterAttributes {
    pub(crate) byval: Option<Type>,
    pub(crate) sret: Option<Type>,
    pub(crate) align: u64,
    pub(crate) noalias: bool,
    pub(crate) readonly: bool,
    pub(crate) signext: bool,
}

/// Flags of an instruction, as far as they matter.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Flags {
    pub(crate) nuw: bool,
    pub(crate) nsw: bool,
    pub(crate) disjoint: bool,
    pub(crate) nneg: bool,
    pub(crate) contract: bool,
    pub(crate) approximate: bool,
}

/// What is known of an access of memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Access {
    pub(crate) align: u64,
    pub(crate) volatile: bool,
    /// Scope and ordering, if it is atomic.
    pub(crate) atomic: Option<(String, String)>,
    pub(crate) invariant: bool,
}

/// What a call calls.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Callee {
    Function(String),
    Pointer(Operand),
    Asm { text: String, constraints: String, sideeffect: bool },
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Argument {
    pub(crate) operand: Operand,
    pub(crate) attributes: ParameterAttributes,
}

/// What an instruction does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Binary { op: String, flags: Flags, a: Operand, b: Operand },
    FNeg { value: Operand },
    Cast { op: String, flags: Flags, value: Operand },
    Compare { float: bool, predicate: String, a: Operand, b: Operand },
    Select { condition: Operand, a: Operand, b: Operand },
    Phi { incoming: Vec<(Value, usize)> },
    Alloca { ty: Type, count: Operand, align: u64 },
    Load { pointer: Operand, access: Access },
    Store { value: Operand, pointer: Operand, access: Access },
    Gep { element: Type, base: Operand, indices: Vec<Operand> },
    AtomicRmw { op: String, pointer: Operand, value: Operand, access: Access },
    CmpXchg { pointer: Operand, expected: Operand, new: Operand, access: Access },
    Fence { scope: String, ordering: String },
    Call { callee: Callee, arguments: Vec<Argument>, tail_varargs: bool, signature: Option<Type> },
    ExtractValue { value: Operand, indices: Vec<u64> },
    InsertValue { value: Operand, part: Operand, indices: Vec<u64> },
    ExtractElement { value: Operand, index: Operand },
    InsertElement { value: Operand, part: Operand, index: Operand },
    Shuffle { a: Operand, b: Operand, mask: Vec<Option<u32>> },
    Freeze { value: Operand },
    Br { target: usize },
    CondBr { condition: Operand, then: usize, otherwise: usize },
    Switch { value: Operand, default: usize, cases: Vec<(u128, usize)> },
    Ret { value: Option<Operand> },
    Unreachable,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Instruction {
    pub(crate) result: Option<Id>,
    /// The type of the result.
    pub(crate) ty: Type,
    pub(crate) kind: Kind,
    /// Number of the metadata that says where it stands.
    pub(crate) debug: Option<u32>,
    /// Line of the IR text.
    pub(crate) line: u32,
}

/// A basic block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) instructions: Vec<Instruction>,
}

/// A parameter of a function.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) ty: Type,
    pub(crate) attributes: ParameterAttributes,
    pub(crate) id: Id,
}

/// A function, defined or declared.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) kernel: bool,
    pub(crate) linkage: String,
    pub(crate) result: Type,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) variadic: bool,
    pub(crate) blocks: Vec<Block>,
    /// How many values there are.
    pub(crate) values: usize,
    /// Its attributes: names with their values, empty for those that have none.
    pub(crate) attributes: HashMap<String, String>,
    /// Number of its `DISubprogram`.
    pub(crate) subprogram: Option<u32>,
}

/// A variable at module scope.
#[derive(Debug, Clone)]
pub(crate) struct Global {
    pub(crate) name: String,
    pub(crate) space: u32,
    pub(crate) ty: Type,
    pub(crate) linkage: String,
    pub(crate) constant: bool,
    /// None if it is defined elsewhere.
    pub(crate) initialiser: Option<Operand>,
    pub(crate) align: u64,
}

/// A node of metadata, as far as it matters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    /// `DILocation` and so on; empty for a plain list.
    pub(crate) kind: String,
    /// Its fields. Texts are without quotes, references are `!` and a number.
    pub(crate) fields: HashMap<String, String>,
    /// The elements of a list.
    pub(crate) elements: Vec<String>,
}

/// A module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Module {
    pub(crate) globals: Vec<Global>,
    pub(crate) functions: Vec<Function>,
    pub(crate) nodes: HashMap<u32, Node>,
    /// Named metadata.
    pub(crate) named: HashMap<String, Vec<u32>>,
}
