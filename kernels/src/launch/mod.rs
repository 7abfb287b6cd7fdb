//! Launching any kernel on the simulator: what is run ([`spec`], [`command`]), with which arguments ([`argument`], [`content`],
//! [`generate`], [`expression`]) for which parameters ([`signature`]), which launch
//! of a kernel runs clean ([`list`]), how several launches share buffers ([`run`]; one of them alone: [`prepare`]), and
//! whether the results are right ([`expect`]).

pub mod argument;
pub mod command;
pub mod content;
pub mod expect;
mod hints;
pub mod list;
mod memory;
pub mod native;
pub mod prepare;
mod probe;
pub mod run;
pub mod signature;
pub mod spec;
mod trials;

use std::path::PathBuf;

use data::split;
pub use data::{element, expression, generate};

/// Why a launch cannot be made. All of these are wrong usage or unreadable input.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// A file cannot be read.
    #[error("cannot read {}: {why}", .path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// The operating system's reason.
        why: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {why}", .path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// The operating system's reason.
        why: std::io::Error,
    },
    /// A launch file is not one.
    #[error("{}: {why}", .path.display())]
    Toml {
        /// Which.
        path: PathBuf,
        /// What TOML says, with the place.
        why: Box<toml::de::Error>,
    },
    /// Anything else that is wrong with what was asked.
    #[error("{0}")]
    Usage(String),
}

impl SpecError {
    /// The same error with the words that say which part of the launch it is about.
    #[must_use]
    pub fn inside(self, what: &str) -> Self {
        match self {
            Self::Usage(message) => Self::Usage(format!("{what}: {message}")),
            other => other,
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::path::Path;

    use super::content::Context;
    use super::expression::{Names, Number};

    /// `n` is 1000.
    pub(crate) fn names() -> Names {
        Names::from([("n".to_owned(), Number::from(1000))])
    }

    pub(crate) fn context(names: &Names) -> Context<'_> {
        Context { folder: Path::new(""), names }
    }
}
