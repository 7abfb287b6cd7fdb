//! A decoded instruction.

use std::fmt;

use crate::bits::Encoding;
use crate::control::Control;
use crate::operand::Operand;

/// One instruction. Its text is exactly what nvdisasm prints for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// The bits it was made from.
    pub encoding: Encoding,
    /// Which lanes execute it.
    pub guard: Guard,
    /// The name without modifiers: `IMAD`.
    pub name: &'static str,
    /// The modifiers in their order, without dots: `WIDE`, `U32`.
    pub modifiers: Vec<&'static str>,
    /// The operands in their order, results first.
    pub operands: Vec<Operand>,
    /// What the scheduler is told.
    pub control: Control,
}

/// The predicate that guards an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guard {
    /// Its number; 7 is true.
    pub predicate: u8,
    /// Whether the lanes execute the instruction where it is false.
    pub negated: bool,
    /// Whether it is a predicate of the warp.
    pub uniform: bool,
}

impl Guard {
    /// Whether every lane executes the instruction.
    #[must_use]
    pub const fn always(self) -> bool {
        self.predicate == 7 && !self.negated
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (not, uniform) = (if self.negated { "!" } else { "" }, if self.uniform { "U" } else { "" });
        match self.predicate {
            7 => write!(f, "@{not}{uniform}PT"),
            number => write!(f, "@{not}{uniform}P{number}"),
        }
    }
}

impl Instruction {
    /// Returns the name with its modifiers: `IMAD.WIDE.U32`.
    #[must_use]
    pub fn opcode(&self) -> String {
        let mut text = self.name.to_owned();
        for modifier in &self.modifiers {
            text.push('.');
            text.push_str(modifier);
        }
        text
    }

    /// Returns the operands as nvdisasm prints them.
    #[must_use]
    pub fn operand_text(&self) -> String {
        let mut text = String::new();
        for (number, operand) in self.operands.iter().enumerate() {
            if number > 0 {
                text.push_str(if operand.joined { " " } else { ", " });
            }
            text.push_str(&operand.to_string());
        }
        // Infinities and NaNs end with a blank, which nvdisasm prints before a comma too.
        text.trim_end().to_owned()
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.guard.always() {
            write!(f, "{} ", self.guard)?;
        }
        f.write_str(&self.opcode())?;
        let operands = self.operand_text();
        if operands.is_empty() { Ok(()) } else { write!(f, " {operands}") }
    }
}
