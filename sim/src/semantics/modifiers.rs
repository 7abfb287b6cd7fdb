//! The dotted parts of an opcode while it is being decoded: every part must be understood exactly once.

use super::types::ScalarType;

/// Why an opcode of a lane-local instruction was not decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// PTX has no such form: the text is wrong.
    #[error("{0}")]
    Invalid(String),
    /// PTX has the form, on some target, and it is not simulated.
    #[error("{0}")]
    Unsupported(String),
}

pub(super) type Decoded<T> = Result<T, DecodeError>;

/// The parts of one opcode behind its name, types apart from the other modifiers. Modifiers are looked up by name, so
/// their order does not matter; the types keep theirs.
pub(super) struct Modifiers<'a> {
    opcode: &'a [&'a str],
    /// Non-type modifiers that nobody has asked for yet.
    flags: Vec<&'a str>,
    types: Vec<ScalarType>,
}

impl<'a> Modifiers<'a> {
    /// `opcode` is not empty; its first part is the name.
    pub(super) fn new(opcode: &'a [&'a str]) -> Self {
        let mut flags = Vec::new();
        let mut types = Vec::new();
        for part in opcode.iter().skip(1) {
            match ScalarType::parse(part) {
                Some(ty) => types.push(ty),
                None => flags.push(*part),
            }
        }
        Self { opcode, flags, types }
    }

    /// The name: the part before the first dot.
    pub(super) fn base(&self) -> &'a str {
        self.opcode[0]
    }

    /// The types in the order written.
    pub(super) fn types(&self) -> &[ScalarType] {
        &self.types
    }

    /// The first type, which is the instruction's own.
    pub(super) fn first_type(&self) -> Option<ScalarType> {
        self.types.first().copied()
    }

    /// The only type.
    pub(super) fn one_type(&self) -> Decoded<ScalarType> {
        match self.types[..] {
            [ty] => Ok(ty),
            _ => Err(self.invalid("this instruction takes exactly one type")),
        }
    }

    /// The two types.
    pub(super) fn two_types(&self) -> Decoded<(ScalarType, ScalarType)> {
        match self.types[..] {
            [first, second] => Ok((first, second)),
            _ => Err(self.invalid("this instruction takes exactly two types")),
        }
    }

    /// Whether modifier `name` is there; it counts as understood from now on.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let found = self.flags.iter().position(|flag| *flag == name);
        if let Some(at) = found {
            self.flags.remove(at);
        }
        found.is_some()
    }

    /// Whether modifier `name` is there and has not been taken.
    pub(super) fn has(&self, name: &str) -> bool {
        self.flags.contains(&name)
    }

    /// The choice that is there, if any. A second one stays behind and is reported by [`Self::finish`].
    pub(super) fn choose<T: Copy>(&mut self, choices: &[(&str, T)]) -> Option<T> {
        let (at, value) = self
            .flags
            .iter()
            .enumerate()
            .find_map(|(at, flag)| choices.iter().find(|choice| choice.0 == *flag).map(|choice| (at, choice.1)))?;
        self.flags.remove(at);
        Some(value)
    }

    /// As [`Self::choose`], for a modifier that must be there.
    pub(super) fn require<T: Copy>(&mut self, what: &str, choices: &[(&str, T)]) -> Decoded<T> {
        self.choose(choices).ok_or_else(|| {
            let names: Vec<String> = choices.iter().map(|choice| format!("`.{}`", choice.0)).collect();
            self.invalid(&format!("it needs {what}: one of {}", names.join(", ")))
        })
    }

    /// Complains when a modifier was not understood.
    pub(super) fn finish(&self) -> Decoded<()> {
        match self.flags.first() {
            None => Ok(()),
            Some(flag) => Err(self.invalid(&format!("modifier `.{flag}` does not belong here"))),
        }
    }

    /// The opcode is not PTX, because of `why` (a clause without a full stop).
    pub(super) fn invalid(&self, why: &str) -> DecodeError {
        DecodeError::Invalid(format!("`{}` is not a PTX instruction: {why}", self.opcode.join(".")))
    }

    /// The opcode is PTX but not simulated, because of `why` (a clause without a full stop).
    pub(super) fn unsupported(&self, why: &str) -> DecodeError {
        DecodeError::Unsupported(format!("`{}` is not simulated: {why}", self.opcode.join(".")))
    }
}
