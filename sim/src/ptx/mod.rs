//! PTX text to syntax tree.
//!
//! The parser knows the shape of PTX, not its instructions: an instruction is a guard, a dotted opcode and
//! operands, whatever the opcode is. What an opcode means, and whether we have it, is decided later, when a kernel is
//! lowered (`lower`); a kernel that nobody launches can therefore use anything.

pub mod ast;
mod function;
pub(crate) mod inlining;
mod lexer;
mod number;
mod parser;
mod statement;
pub(crate) mod variable;

pub use parser::parse;
