//! Opcodes: what is asked about how an instruction was written, after it was decoded.

use std::fmt;
use std::sync::Arc;

/// An opcode with its modifiers, such as `ld.global.f32`: split once, where the instruction is decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opcode(Arc<[Box<str>]>);

impl Opcode {
    /// Splits an opcode as PTX writes it.
    pub fn new(text: &str) -> Self {
        Self(text.split('.').map(Into::into).collect())
    }

    /// Its name, without modifiers.
    pub fn name(&self) -> &str {
        &self.0[0]
    }

    /// Name and modifiers, in order.
    pub fn parts(&self) -> Vec<&str> {
        self.0.iter().map(|part| &**part).collect()
    }

    /// Whether `part` is its name or one of its modifiers.
    pub fn has(&self, part: &str) -> bool {
        self.0.iter().any(|one| **one == *part)
    }
}

impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}
