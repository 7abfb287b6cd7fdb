//! From LLVM IR to PTX.
#![forbid(unsafe_code)]

mod debug;
mod emit;
mod error;
mod intrinsics;
mod ir;
mod linear;
mod lex;
mod parameters;
mod parse;
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
    vectorise::all(&mut module);
    emit::module(&module, options)
}
