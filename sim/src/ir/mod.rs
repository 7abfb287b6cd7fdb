//! The intermediate representation: a kernel with its registers in slots, its variables at addresses, and its device
//! functions inlined.
//!
//! [`Program`] is what `lower` makes of a syntax tree, what `ptxas` changes as the compiler
//! of a GPU would, and what [`prepare`](crate::prepare) makes executable. Here stand the instructions ([`inst`]), the one
//! table of what they read and write ([`operands`]), and what every pass asks: basic blocks ([`mod@cfg`]), dominators, and
//! definitions with their uses.

#![deny(clippy::wildcard_enum_match_arm)]

pub mod arithmetic;
pub mod cfg;
pub(crate) mod def_use;
pub(crate) mod dominators;
pub(crate) mod edit;
pub mod inst;
pub(crate) mod layout;
pub(crate) mod numbers;
pub mod opcode;
pub mod operands;
mod program;
pub mod slots;
pub mod slow_paths;

pub use inst::Inst;
pub use layout::{
    BUFFER_STRIDE, BUFFERS_BASE, CONST_WINDOW, FRAME_OFFSET, GLOBALS_BASE, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW,
    WINDOW,
};
pub use opcode::Opcode;
pub use program::{Declared, Instruction, KernelParam, PlacedVariable, Program, Source};
