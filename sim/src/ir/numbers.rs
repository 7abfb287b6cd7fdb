//! One row of numbers for the registers of all three files, for sets and tables of registers.

use super::inst::Reg;
use super::program::Program;

/// Numbers for the registers of all three files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    words: usize,
    doubles: usize,
    predicates: usize,
}

impl Numbers {
    pub(crate) fn of(program: &Program) -> Self {
        let slots = &program.slots;
        Self { words: slots.words.into(), doubles: slots.doubles.into(), predicates: slots.predicates.into() }
    }

    pub(crate) fn count(self) -> usize {
        self.words + self.doubles + self.predicates
    }

    /// The file of a number: 0 for 32-bit words, 1 for 64-bit words, 2 for predicates.
    pub(crate) fn file(self, number: usize) -> usize {
        [self.words, self.words + self.doubles].into_iter().filter(|&start| number >= start).count()
    }

    /// Calls `f` with the numbers of a register.
    pub(crate) fn each(self, reg: Reg, mut f: impl FnMut(usize)) {
        match reg {
            Reg::W(slot, _) => f(usize::from(slot)),
            Reg::D(slot) => f(self.words + usize::from(slot)),
            Reg::P(slot) => f(self.words + self.doubles + usize::from(slot)),
            Reg::Q(low, high) => {
                f(self.words + usize::from(low));
                f(self.words + usize::from(high));
            }
        }
    }
}
