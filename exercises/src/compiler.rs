//! The compiler that grading needs, from CUDA C++ to PTX.

#[cfg(feature = "host")]
mod cache;
#[cfg(feature = "host")]
mod local;
#[cfg(feature = "host")]
mod pages;
#[cfg(feature = "host")]
pub mod sandbox;

#[cfg(feature = "host")]
pub use cache::Cached;
#[cfg(feature = "host")]
pub use local::{ARCH, Local};
#[cfg(feature = "host")]
pub use pages::Pages;
#[cfg(feature = "host")]
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
    #[serde(default)]
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

    /// Whether it is NVRTC, which limits and answers are made with. What another compiler makes of a learner's source is held
    /// against the authors' sources by NVRTC, too.
    fn is_nvrtc(&self) -> bool;
}

impl<C: Compiler + ?Sized> Compiler for Box<C> {
    fn compile(&self, name: &str, text: &str) -> Result<Compiled, CompileFailure> {
        (**self).compile(name, text)
    }

    fn identity(&self) -> Option<String> {
        (**self).identity()
    }

    fn is_nvrtc(&self) -> bool {
        (**self).is_nvrtc()
    }
}
