//! Why an IR text becomes no PTX.

use std::fmt;

/// Why an IR text becomes no PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The text is no LLVM IR that this crate can read.
    Syntax {
        /// Line of the IR text, from 1.
        line: u32,
        /// What is wrong there.
        message: String,
    },
    /// The IR asks for something that is not translated.
    Unsupported {
        /// What it asks for, by its name in LLVM IR.
        what: String,
        /// The function that asks for it; empty at module scope.
        function: String,
        /// Line of the source, where the IR says which.
        line: Option<u32>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, message } => write!(out, "line {line} of the LLVM IR cannot be read: {message}"),
            Self::Unsupported { what, function, line } => {
                write!(out, "the translation to PTX does not support {what}")?;
                if let Some(line) = line {
                    write!(out, " (line {line} of the source)")?;
                }
                if !function.is_empty() {
                    write!(out, ", which `{function}` uses")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Error {}
