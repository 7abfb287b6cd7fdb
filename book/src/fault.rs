//! What is wrong with the book's chapters, with file and line.

use std::fmt;
use std::path::PathBuf;

/// One thing that is wrong with a chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The chapter's file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// What is wrong, for the author.
    pub reason: Reason,
}

/// Why a directive cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The directive, or what it refers to, is wrong.
    Wrong(String),
    /// The run contradicts what the text or the record of a GPU says.
    Contradicted(String),
}

impl From<String> for Reason {
    fn from(message: String) -> Self {
        Self::Wrong(message)
    }
}

impl From<&str> for Reason {
    fn from(message: &str) -> Self {
        Self::Wrong(message.to_owned())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Wrong(message) | Self::Contradicted(message)) = self;
        f.write_str(message)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.reason)
    }
}

/// Everything that is wrong with a book, in the order of its chapters. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fault in &self.0 {
            writeln!(f, "{fault}")?;
        }
        match self.0.len() {
            1 => f.write_str("the book was not built: fix the line above"),
            n => write!(f, "the book was not built: fix the {n} lines above"),
        }
    }
}

impl std::error::Error for Faults {}
