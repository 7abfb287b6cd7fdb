//! A launch: its shape, and what is passed by the name of a buffer or as a number.

use std::fmt;

use serde::{Deserialize, Serialize};
use sim::{Dim3, Scalar};

/// The shape of a launch: what stands between `<<<` and `>>>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Thread blocks in the grid.
    pub grid: Dim3,
    /// Threads in a thread block.
    pub block: Dim3,
    /// Dynamic shared memory per thread block, in bytes.
    pub shared_bytes: u32,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grid {}, block {}, {} bytes of dynamic shared memory", self.grid, self.block, self.shared_bytes)
    }
}

/// A value that a launch passes to its kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pass {
    /// The address of the buffer of this name.
    Buffer(&'static str),
    /// A number.
    Scalar(Scalar),
}

/// One launch of a case of a problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The kernel.
    pub kernel: &'static str,
    /// The launch's shape.
    pub shape: Shape,
    /// What is passed, in the order of the kernel's parameters.
    pub args: Vec<Pass>,
}
