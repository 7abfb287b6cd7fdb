//! The compiler of the book's pages, as far as it is on this machine: clang's front end, and our own back end in place of LLVM's.

use kernels::compile::{self, Ir, Options, Source};
use kernels::translation;

use super::{ARCH, Cached, CompileFailure, Compiled, Compiler, local};

/// What clang's front end makes of a source: LLVM IR where others make PTX. Starting clang is what takes time, so this is what
/// is kept; our back end may change from one build to the next.
#[derive(Debug, Clone, Copy)]
struct FrontEnd;

impl Compiler for FrontEnd {
    fn identity(&self) -> Option<String> {
        Some(format!("LLVM IR {}", compile::Compiler::Clang.identity()?))
    }

    fn is_nvrtc(&self) -> bool {
        false
    }

    fn compile(&self, name: &str, text: &str) -> Result<Compiled, CompileFailure> {
        let ir = |debug: bool| {
            let options = Options { debug, default_arch: ARCH, kept: false, ..Options::with(compile::Compiler::Clang) };
            let ir = compile::llvm_ir(&Source { name, text }, &options)?;
            Ok(serde_json::to_string(&ir).unwrap_or_default())
        };
        match ir(false) {
            Ok(optimised) => Ok(Compiled { ptx: optimised, debug_ptx: ir(true).ok(), warnings: String::new() }),
            Err(why) => Err(local::failure(&why)),
        }
    }
}

/// The compiler of the book's pages.
#[derive(Debug)]
pub struct Pages(Cached<FrontEnd>);

impl Default for Pages {
    fn default() -> Self {
        Self(Cached::new(FrontEnd))
    }
}

impl Compiler for Pages {
    fn identity(&self) -> Option<String> {
        self.0.identity()
    }

    fn is_nvrtc(&self) -> bool {
        false
    }

    fn compile(&self, name: &str, text: &str) -> Result<Compiled, CompileFailure> {
        let made = self.0.compile(name, text)?;
        let translated = |ir: &str| {
            let ir: Ir = serde_json::from_str(ir).map_err(|why| CompileFailure::Stopped(why.to_string()))?;
            translation::own(name, &ir).map_err(|why| CompileFailure::Rejected(why.to_string()))
        };
        let debug_ptx = made.debug_ptx.as_deref().and_then(|ir| translated(ir).ok());
        Ok(Compiled { ptx: translated(&made.ptx)?, debug_ptx, warnings: made.warnings })
    }
}
