//! Why a simulation could not be run. A fault of the kernel itself is not an error but a
//! [`Finding`](crate::report::Finding): the simulation ran and found it.

use std::fmt;

use crate::diagnostic::Diagnostic;

/// Why a simulation was not run to its end. The three classes are worded differently on purpose; to be stopped is the caller's
/// own doing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The input is unreadable: not PTX, or a launch that no GPU would take.
    #[error("{0}")]
    Input(Box<Diagnostic>),
    /// The input is fine, and we do not support something in it.
    #[error("{0}")]
    Unsupported(Box<Diagnostic>),
    /// Whoever watched the simulation stopped it ([`Options::watch`](crate::Options)): there is no report of a part.
    #[error("the simulation was stopped by its caller")]
    Stopped,
    /// The simulator contradicts itself.
    #[error(
        "this is a bug in warpbook, not in your kernel: {0}\nplease report it with the kernel and the command that you ran"
    )]
    Internal(String),
}

/// The three classes of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// Wrong usage or unreadable input.
    Input,
    /// Not supported by the simulator.
    Unsupported,
    /// A bug of ours.
    Internal,
}

/// The exit code of a program that found something wrong with a kernel, or with a result: no error of its own.
pub const FAULTY: u8 = 1;

impl ErrorClass {
    /// The exit code of a program that ends with such an error. Every room takes its codes from here.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Input => 2,
            Self::Unsupported => 3,
            Self::Internal => 101,
        }
    }
}

impl Error {
    /// An input error without a place in a file.
    pub fn input(message: impl fmt::Display) -> Self {
        Self::Input(Box::new(Diagnostic::new(message)))
    }

    /// Which class of error this is.
    pub const fn class(&self) -> ErrorClass {
        match self {
            Self::Input(_) | Self::Stopped => ErrorClass::Input,
            Self::Unsupported(_) => ErrorClass::Unsupported,
            Self::Internal(_) => ErrorClass::Internal,
        }
    }
}
