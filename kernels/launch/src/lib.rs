//! A launch of a kernel without files, CUDA or an operating system: which kernel is meant ([`names`]), which parameters it has
//! ([`signature`]), what its arguments and buffers hold ([`argument`], [`content`]), how it is written in TOML ([`schema`]), and
//! how it is simulated with all checks ([`checked`]). `kernels` launches with it, and so does the grader of exercises in a page of the book.
//!
//! The one file that is opened here is one that a buffer's content names, `in:data.bin`; where there are no files, that is an
//! error like any file that cannot be read.

#![forbid(unsafe_code)]

pub mod argument;
pub mod checked;
pub mod content;
pub mod names;
pub mod schema;
pub mod signature;

use std::path::PathBuf;

use data::expression::{self, Names};
use data::split;
use sim::Dim3;

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

/// Reads `X`, `X,Y` or `X,Y,Z`, each a number or an expression.
///
/// # Errors
/// A sentence for the user.
pub fn shape(text: &str, names: &Names) -> Result<Dim3, String> {
    // Plain numbers have messages of their own.
    let numbers: Result<Vec<String>, String> = split(text)
        .into_iter()
        .map(|part| match part.bytes().all(|byte| byte.is_ascii_digit()) {
            true => Ok(part.to_owned()),
            false => expression::count(part, names).map(|count| count.to_string()),
        })
        .collect();
    numbers?.join(",").parse()
}

#[cfg(test)]
pub(crate) mod testing {
    use std::path::Path;

    use data::expression::{Names, Number};

    use crate::content::Context;

    /// `n` is 1000.
    pub(crate) fn names() -> Names {
        Names::from([("n".to_owned(), Number::from(1000))])
    }

    pub(crate) fn context(names: &Names) -> Context<'_> {
        Context { folder: Path::new(""), names }
    }
}
