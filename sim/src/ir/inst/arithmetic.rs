//! What the frequent lane-local instructions compute.

/// Two-operand 32-bit integer operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Int32 {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    ShrU,
    ShrS,
    MinS,
    MaxS,
    MinU,
    MaxU,
    MulHiU,
    MulHiS,
    /// How many bits both operands have: `popc`, where they are one.
    CountBoth,
}

/// Two-operand 64-bit integer operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Int64 {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
}

/// Two-operand f32 operations with round-to-nearest and denormals kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Float {
    Add,
    Sub,
    Mul,
}

/// What a fused multiplication and addition takes with the opposite sign, as the hardware's operands can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Negate {
    /// `c - a * b`.
    pub product: bool,
    /// `a * b - c`.
    pub addend: bool,
}

/// Comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Test {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Boolean operations on predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Bool {
    And,
    Or,
    Xor,
}

/// What a comparison compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are PTX's own names")]
pub enum Compared {
    U32,
    S32,
    F32,
}
