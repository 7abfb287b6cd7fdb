//! Matrix instructions: products of fragments, and moving fragments between registers and memory.

use super::{Address, Reg, Slot32, Space};
use crate::semantics::matrix::Product;

/// A matrix instruction. All lanes of the warp execute it together.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// The lanes: all.
    pub mask: Slot32,
    /// What is done.
    pub kind: MatrixKind,
}

impl Matrix {
    /// Whether it loads rows of matrices: `ldmatrix`.
    pub fn loads_rows(&self) -> bool {
        matches!(&self.kind, MatrixKind::Rows(rows) if !rows.store)
    }
}

/// What a matrix instruction does.
#[derive(Debug, Clone, PartialEq)]
pub enum MatrixKind {
    /// `mma`, `wmma.mma`: D = A · B + C.
    Multiply(Box<Multiply>),
    /// `wmma.load`, `wmma.store`: a fragment between registers and memory.
    Transfer(Box<Transfer>),
    /// `ldmatrix`, `stmatrix`: matrices of 8 × 8 halves whose rows are anywhere in shared memory.
    Rows(Box<Rows>),
    /// `movmatrix`: an 8 × 8 matrix of halves, transposed.
    Transpose {
        /// Where it goes.
        d: Slot32,
        /// Where it is.
        a: Slot32,
    },
}

/// D = A · B + C.
#[derive(Debug, Clone, PartialEq)]
pub struct Multiply {
    /// Kinds of elements.
    pub product: Product,
    /// Rows of A, columns of B, and columns of A.
    pub shape: (usize, usize, usize),
    /// A.
    pub a: Fragment,
    /// B.
    pub b: Fragment,
    /// C.
    pub c: Fragment,
    /// D.
    pub d: Fragment,
}

/// A matrix that lies in registers of all lanes.
#[derive(Debug, Clone, PartialEq)]
pub struct Fragment {
    /// The registers.
    pub registers: Vec<Reg>,
    /// Bits of an element.
    pub bits: u32,
    /// Row and column of every element: all of lane 0, lowest bits of the first register first, then of lane 1 and so on.
    pub places: Vec<(u8, u8)>,
}

/// A fragment between registers and memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Transfer {
    /// To memory.
    pub store: bool,
    /// The fragment.
    pub fragment: Fragment,
    /// The space that the instruction names.
    pub space: Space,
    /// Where the first element lies.
    pub address: Address,
    /// Elements from one row (or column) to the next.
    pub stride: Reg,
    /// Columns rather than rows lie together.
    pub by_columns: bool,
}

/// Matrices of 8 × 8 halves.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// To memory.
    pub store: bool,
    /// One register per matrix.
    pub registers: Vec<Slot32>,
    /// Transposed.
    pub transposed: bool,
    /// Where a lane's row lies: that of matrix `lane / 8`.
    pub address: Address,
    /// The space that the instruction names.
    pub space: Space,
}

impl Fragment {
    /// Elements of a register.
    pub fn per_register(&self) -> usize {
        let width = if matches!(self.registers.first(), Some(Reg::D(_))) { 64 } else { 32 };
        (width / self.bits) as usize
    }
}
