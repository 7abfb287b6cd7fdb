//! From LLVM IR to PTX: what LLVM's NVPTX back end does, for where there is none, such as in a page.
//!
//! [`translate`] takes the text that clang 22 prints for `nvptx64-nvidia-cuda` and gives the text of a PTX module, without
//! files, clocks or anything else of the machine. It goes in three steps. `parse` reads the text. `signs` and `vectorise`
//! change it as LLVM's back end does: signs of numbers taken as bits, and vectors for accesses that lie side by side. `emit`
//! writes PTX, function by function: a value is a list of scalars, each in a register; a pointer is a register and a number,
//! in the address space that `spaces` infers for it. What counters depend on is done as LLVM does it: spaces, vectors, fused
//! products, bases that near addresses share, the way branches go. What only costs arithmetic is done plainly, since ptxas
//! does it again.
//!
//! Functions marked `optnone` are written as they stand, with generic addresses and a frame in local memory.
//!
//! An intrinsic that is one instruction is a row of the table in `intrinsics.rs`. What is not translated is an
//! [`Error::Unsupported`] with its name, never other code.
#![forbid(unsafe_code)]

mod debug;
mod emit;
mod error;
mod intrinsics;
mod ir;
mod lex;
mod linear;
mod parameters;
mod parse;
mod signs;
mod spaces;
mod types;
mod vectorise;

pub use error::Error;

/// What the PTX is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The architecture, such as `sm_90`.
    pub target: String,
    /// The release of PTX: major and minor.
    pub version: (u32, u32),
}

impl Default for Options {
    fn default() -> Self {
        Self { target: "sm_90".into(), version: (8, 0) }
    }
}

/// The PTX of a module in LLVM IR.
///
/// # Errors
/// If the text is no LLVM IR, or asks for something that is not translated.
pub fn translate(ir: &str, options: &Options) -> Result<String, Error> {
    let mut module = parse::parse(ir)?;
    signs::all(&mut module);
    vectorise::all(&mut module);
    emit::module(&module, options)
}
