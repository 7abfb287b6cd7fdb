//! What a program names before it runs: words of constant memory, immediate numbers, and how many registers; and why an
//! instruction is refused.

use std::collections::HashMap;

use crate::machine_code::op::Slot;

/// Why an instruction is not executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::machine_code) struct Refused(pub(in crate::machine_code) String);

pub(super) type Decoded<T> = Result<T, Refused>;

/// A constant that the program names: its value is known when the launch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::machine_code) enum Constant {
    /// A number.
    Immediate(u32),
    /// A word of a bank of constant memory.
    Bank {
        /// Which bank.
        bank: u8,
        /// Bytes from its start.
        offset: u32,
    },
}

/// The constants of a program, each once; the first is zero.
#[derive(Debug, Clone)]
pub(in crate::machine_code) struct Constants {
    pub(in crate::machine_code) list: Vec<Constant>,
    numbers: HashMap<Constant, u16>,
    /// The highest register of a thread that is named.
    pub(in crate::machine_code) highest: u8,
}

impl Constants {
    pub(in crate::machine_code) fn new() -> Self {
        let zero = Constant::Immediate(0);
        Self { list: vec![zero], numbers: HashMap::from([(zero, 0)]), highest: 0 }
    }

    pub(in crate::machine_code) fn add(&mut self, constant: Constant) -> Decoded<Slot> {
        if let Some(&number) = self.numbers.get(&constant) {
            return Ok(Slot::Constant(number));
        }
        let number = u16::try_from(self.list.len()).map_err(|_| Refused("too many constants".to_owned()))?;
        self.list.push(constant);
        self.numbers.insert(constant, number);
        Ok(Slot::Constant(number))
    }

    /// A register that is named: so many of them a thread needs.
    pub(super) fn register(&mut self, number: u8) -> u8 {
        self.highest = self.highest.max(number);
        number
    }
}
