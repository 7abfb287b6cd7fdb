//! A simulated streaming multiprocessor: executes PTX warp by warp on the CPU and counts what the hardware counts.
//!
//! The way through this crate: [`Module::parse`] reads PTX text, [`simulate`] runs one of its kernels for a
//! [`Launch`] and returns a [`Report`] and the buffers. Nothing here touches a file, a clock, CUDA or an
//! operating system, so the crate also builds for `wasm32-unknown-unknown`.

#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod error;
pub mod launch;
pub mod report;
pub mod semantics;

pub use error::{Error, ErrorClass};
pub use launch::{Arg, Dim3, Launch, Scalar};
pub use report::Report;

/// A parsed PTX module.
#[derive(Debug)]
pub struct Module {}

impl Module {
    /// Reads PTX. `name` is the file's name for messages.
    ///
    /// # Errors
    /// [`Error::Input`] with the place when the text is not PTX.
    pub fn parse(_name: &str, _text: &str) -> Result<Self, Error> {
        Err(Error::Internal("not built yet".to_owned()))
    }

    /// The names of the kernels (`.entry`) in the module, in order.
    pub fn kernels(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// Which compiler's memory instructions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lowering {
    /// What ptxas makes of the PTX for compute capability 9.0.
    #[default]
    Sm90,
    /// The PTX instructions as they stand.
    None,
}

/// How to simulate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The GPU: a name of [`targets`].
    pub target: String,
    /// Which compiler's memory instructions are counted.
    pub lowering: Lowering,
    /// Warp-instructions after which a launch is ended with a `budget` finding.
    pub budget: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { target: "h200".to_owned(), lowering: Lowering::default(), budget: 1 << 36 }
    }
}

/// What a simulation gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Counters and findings.
    pub report: Report,
    /// One entry per argument: the buffer's bytes after the launch, `None` for a scalar.
    pub buffers: Vec<Option<Vec<u8>>>,
}

/// The names of the GPUs that can be simulated.
pub fn targets() -> &'static [&'static str] {
    &["h200"]
}

/// Runs `kernel` of `module`.
///
/// # Errors
/// [`Error::Input`] when the launch does not fit the kernel, [`Error::Unsupported`] when the kernel uses something
/// that is not simulated. A faulty kernel is not an error: see [`Report::findings`].
pub fn simulate(_module: &Module, _kernel: &str, _launch: &Launch, _options: &Options) -> Result<Outcome, Error> {
    Err(Error::Internal("not built yet".to_owned()))
}
