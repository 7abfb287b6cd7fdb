//! The machine code (SASS) of NVIDIA's GPUs: reads a cubin, decodes its instructions, and prints them as nvdisasm does.
//!
//! [`decode()`] turns 16 bytes into an [`Instruction`] with typed operands, by the [`Table`] of an [`Architecture`].
//! The crate does no input and output, and needs none of NVIDIA's programs: those are the judge of its tests
//! (`kernels/tests/machine_code.rs`), which hold every instruction of a corpus against nvdisasm.

mod bits;
mod control;
pub mod cubin;
mod decode;
mod instruction;
pub mod number;
pub mod operand;
pub mod table;

pub use bits::Encoding;
pub use control::Control;
pub use cubin::{Cubin, CubinError};
pub use decode::{DecodeError, decode};
pub use instruction::{Guard, Instruction};
pub use operand::{Operand, Value};
pub use table::{Architecture, Table};
