//! The compiler that grading needs, from CUDA C++ to PTX.

mod cache;
pub mod sandbox;

pub use cache::Cached;
use kernels::compile::{self, Arch, Choice, CompileError, Options, Source};
use kernels::open;
pub use sandbox::Sandboxed;
use serde::{Deserialize, Serialize};

/// A compiled source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// The PTX that is counted, with a line table.
    pub ptx: String,
    /// The same source compiled without optimisation, for the checks: the optimiser merges and removes faulty accesses.
    /// None if that did not work.
    pub debug_ptx: Option<String>,
    /// The compiler's warnings, empty if there are none.
    pub warnings: String,
}

/// Why there is no PTX.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompileFailure {
    /// The source is wrong: the compiler's messages, at the source's lines.
    Rejected(String),
    /// The source kept the compiler busy, or broke it: what became of it.
    Stopped(String),
    /// There is no compiler on this machine: what to type.
    Missing(String),
}

/// Something that makes PTX of CUDA C++.
pub trait Compiler: Sync {
    /// Compiles `text`. `name` is the path that its author knows it by, for messages and the line table.
    ///
    /// # Errors
    /// [`CompileFailure`].
    fn compile(&self, name: &str, text: &str) -> Result<Compiled, CompileFailure>;

    /// Which build of which compiler it is: what others make is kept apart. None if there is none.
    fn identity(&self) -> Option<String>;
}

/// What exercises are compiled for where their source does not say it (`// warpbook: arch=compute_75`): the architecture
/// of the H200, which grades them. An older one lacks what chapters teach, such as `__reduce_add_sync`.
pub const ARCH: Arch = Arch::new(90);

/// The compiler of device code in this process, as [`kernels::compile`] finds it: for sources of people who trust themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct Local {
    /// Which one. None: NVRTC, or clang where there is no NVRTC.
    pub compiler: Option<compile::Compiler>,
}

impl Local {
    /// The compiler that this is on this machine.
    fn which(self) -> Result<compile::Compiler, CompileFailure> {
        match self.compiler {
            Some(compiler) => Ok(compiler),
            None => compile::for_device_code().map_err(|why| CompileFailure::Missing(why.to_string())),
        }
    }
}

impl Compiler for Local {
    fn identity(&self) -> Option<String> {
        self.which().ok()?.identity()
    }

    fn compile(&self, name: &str, text: &str) -> Result<Compiled, CompileFailure> {
        // Submissions are compiled where no file may be written, and [`Cached`] keeps what was compiled besides.
        let options = Options { default_arch: ARCH, kept: false, ..Options::with(self.which()?) };
        match open::build(&Source { name, text }, &options, true) {
            Ok(build) => Ok(Compiled {
                ptx: build.optimised.ptx,
                debug_ptx: build.debug.map(|debug| debug.ptx),
                warnings: build.optimised.log,
            }),
            Err(CompileError::Rejected { log, help, .. }) => {
                // NVRTC's messages stand for themselves; what clang alone refuses needs the reason.
                let help = help.filter(|_| options.compiler == Choice::Only(compile::Compiler::Clang));
                Err(CompileFailure::Rejected(help.map_or(log.clone(), |help| format!("{log}\nhelp: {help}"))))
            }
            Err(why @ (CompileError::Arch { .. } | CompileError::Nul { .. })) => {
                Err(CompileFailure::Rejected(why.to_string()))
            }
            Err(why) => Err(CompileFailure::Missing(why.to_string())),
        }
    }
}
