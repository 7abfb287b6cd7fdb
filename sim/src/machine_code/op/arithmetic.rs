//! What distinguishes arithmetic instructions of one kind: comparisons, shifts, permutations, halves, matrices.

use super::{Dst, Pred, PredDst, Src, Src64};
use crate::semantics::matrix::Product;

/// How two numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Test {
    False,
    Lt,
    Eq,
    Le,
    Gt,
    Ne,
    Ge,
    True,
    /// Neither is a NaN.
    Number,
    /// One is a NaN.
    NotANumber,
}

/// How a comparison is combined with a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Combine {
    And,
    Or,
    Xor,
}

/// How the sources of packed halves are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Halves {
    /// Both as they stand.
    Both,
    /// The lower one twice.
    Low,
    /// The upper one twice.
    High,
}

/// A value that lane-local semantics take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Value {
    /// 32 bits.
    Word(Src),
    /// The upper 16 bits of a register, or a byte of it: shifted right by so many bits.
    Part(Src, u32),
    /// 64 bits.
    Wide(Src64),
    /// Packed halves.
    Packed(Src, Halves),
    /// A truth value.
    Truth(Pred),
}

/// Where lane-local semantics leave their result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Result {
    /// 32 bits.
    Word(Dst),
    /// 64 bits.
    Wide(Dst),
    /// The upper word of 64 bits.
    Upper(Dst),
    /// So many bits, which are extended with their sign.
    Signed(Dst, u32),
    /// Bit 0 and bit 1.
    Truth(PredDst, PredDst),
}

/// How elements of integers are told apart in minima and maxima.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum MinMax {
    Signed,
    Unsigned,
    SignedHalves,
    UnsignedHalves,
}

/// A shift of 64 bits, of which one half is the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) struct Shift {
    pub(in crate::machine_code) left: bool,
    /// The amount is taken modulo the width; else it is cut to the width.
    pub(in crate::machine_code) wraps: bool,
    pub(in crate::machine_code) signed: bool,
    /// The number has 64 bits, else 32.
    pub(in crate::machine_code) wide: bool,
    /// The result is the upper word.
    pub(in crate::machine_code) high: bool,
}

/// A kind of `PRMT`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Permute {
    Index,
    F4E,
    B4E,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// The rounding and flushing of a frequent single-precision operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine_code) enum Float {
    Add,
    Mul,
}

/// A product of matrices: registers of the fragments of D, A, B and C, and how their elements lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::machine_code) struct MatrixProduct {
    pub(in crate::machine_code) shape: (usize, usize, usize),
    pub(in crate::machine_code) product: Product,
    pub(in crate::machine_code) d: u8,
    pub(in crate::machine_code) a: u8,
    pub(in crate::machine_code) b: u8,
    pub(in crate::machine_code) c: u8,
}
