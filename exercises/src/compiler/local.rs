//! The compilers of this machine.

use kernels::compile::{self, Arch, Choice, CompileError, Options, Source};
use kernels::open;

use super::{CompileFailure, Compiled, Compiler};

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

    fn is_nvrtc(&self) -> bool {
        self.which() == Ok(compile::Compiler::Nvrtc)
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
            Err(why) => Err(failure(&why)),
        }
    }
}

/// Whom an error is to blame on: the source, or what this machine lacks.
pub(super) fn failure(why: &CompileError) -> CompileFailure {
    match why {
        CompileError::Rejected { log, .. } => CompileFailure::Rejected(log.clone()),
        CompileError::Arch { .. } | CompileError::Nul { .. } => CompileFailure::Rejected(why.to_string()),
        _ => CompileFailure::Missing(why.to_string()),
    }
}
