//! The compiler that grading needs, from CUDA C++ to PTX.

use kernels::compile::{self, CompileError};

/// A compiled source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The PTX, with a line table.
    pub ptx: String,
    /// The compiler's warnings, empty if there are none.
    pub warnings: String,
}

/// Why there is no PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompileFailure {
    /// The source is wrong: the compiler's messages, at the source's lines.
    Rejected(String),
    /// There is no compiler on this machine: what to type.
    Missing(String),
}

/// Something that makes PTX of CUDA C++.
pub trait Compiler {
    /// Compiles `text`. `name` is the path that its author knows it by, for messages and the line table.
    ///
    /// # Errors
    /// [`CompileFailure`].
    fn compile(&self, name: &str, text: &str) -> Result<Compiled, CompileFailure>;
}

/// NVIDIA's NVRTC, as [`kernels::compile`] finds it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nvrtc;

impl Compiler for Nvrtc {
    fn compile(&self, name: &str, text: &str) -> Result<Compiled, CompileFailure> {
        match compile::compile_source(&compile::Source { name, text }, &compile::Options::default()) {
            Ok(compiled) => Ok(Compiled { ptx: compiled.ptx, warnings: compiled.log }),
            Err(CompileError::Rejected { log, .. }) => Err(CompileFailure::Rejected(log)),
            Err(why @ (CompileError::Arch { .. } | CompileError::Nul { .. })) => {
                Err(CompileFailure::Rejected(why.to_string()))
            }
            Err(why) => Err(CompileFailure::Missing(why.to_string())),
        }
    }
}
