//! The register file of a warp: every slot holds one register of all 32 lanes, side by side.

use crate::ir::inst::{CONSTANT, Reg, Slot32, Slot64, SlotP};
use crate::ir::slots::Slots;
use crate::memory::rows;
use crate::prepare::register_allocation::Code;

/// 32 lanes of a 32-bit register.
pub(crate) type Row32 = [u32; 32];
/// 32 lanes of a 64-bit register.
pub(crate) type Row64 = [u64; 32];

/// Constants of a program, one row each, shared by all warps.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    words: Vec<Row32>,
    doubles: Vec<Row64>,
}

impl Constants {
    /// The constants of a program.
    pub(crate) fn new(slots: &Slots) -> Self {
        Self {
            words: slots.constants32.iter().map(|&value| [value; 32]).collect(),
            doubles: slots.constants64.iter().map(|&value| [value; 32]).collect(),
        }
    }
}

/// Registers of one warp.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    words: Vec<Row32>,
    doubles: Vec<Row64>,
    predicates: Vec<u32>,
    /// The condition-code carry, one bit per lane.
    pub carry: u32,
}

impl Registers {
    /// Zeroed registers for a program.
    pub(crate) fn new(code: &Code) -> Self {
        Self {
            words: vec![[0; 32]; usize::from(code.words)],
            doubles: vec![[0; 32]; usize::from(code.doubles)],
            predicates: vec![0; usize::from(code.predicates)],
            carry: 0,
        }
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.words) + size_of_val(&*self.doubles) + size_of_val(&*self.predicates)
    }

    /// Back to zero, for the next thread block, as far as anybody can see.
    pub(crate) fn clear(&mut self, code: &Code) {
        let [words, doubles, predicates] = &code.zeroed;
        words.iter().for_each(|&slot| self.words[usize::from(slot)] = [0; 32]);
        doubles.iter().for_each(|&slot| self.doubles[usize::from(slot)] = [0; 32]);
        predicates.iter().for_each(|&slot| self.predicates[usize::from(slot)] = 0);
        self.carry = 0;
    }

    /// A 32-bit row.
    #[inline(always)]
    pub(crate) fn w<'a>(&'a self, constants: &'a Constants, slot: Slot32) -> &'a Row32 {
        // The file is chosen before the bounds check, so that this is a conditional move and no branch.
        let file = if slot & CONSTANT == 0 { &self.words[..] } else { &constants.words[..] };
        &file[usize::from(slot & !CONSTANT)]
    }

    /// A 64-bit row.
    #[inline(always)]
    pub(crate) fn d<'a>(&'a self, constants: &'a Constants, slot: Slot64) -> &'a Row64 {
        let file = if slot & CONSTANT == 0 { &self.doubles[..] } else { &constants.doubles[..] };
        &file[usize::from(slot & !CONSTANT)]
    }

    /// A predicate: one bit per lane.
    #[inline(always)]
    pub(crate) fn p(&self, slot: SlotP) -> u32 {
        self.predicates[usize::from(slot)]
    }

    /// All lanes of a register, to be written.
    #[inline(always)]
    pub(crate) fn row(&mut self, slot: Slot32) -> &mut Row32 {
        &mut self.words[usize::from(slot)]
    }

    /// Writes the lanes of `active`. Masks, because of a choice the compiler makes one of addresses, lane by lane, for
    /// which it has to put the values into memory first.
    #[inline(always)]
    pub(crate) fn set_w(&mut self, slot: Slot32, value: &Row32, active: u32) {
        let row = &mut self.words[usize::from(slot)];
        if active == u32::MAX {
            *row = *value;
        } else {
            for lane in 0..32 {
                let mask = (active >> lane & 1).wrapping_neg();
                row[lane] = row[lane] & !mask | value[lane] & mask;
            }
        }
    }

    /// Writes the lanes of `active`.
    #[inline(always)]
    pub(crate) fn set_d(&mut self, slot: Slot64, value: &Row64, active: u32) {
        let row = &mut self.doubles[usize::from(slot)];
        if active == u32::MAX {
            *row = *value;
        } else {
            for lane in 0..32 {
                let mask = u64::from(active >> lane & 1).wrapping_neg();
                row[lane] = row[lane] & !mask | value[lane] & mask;
            }
        }
    }

    /// Writes the lanes of `active`.
    #[inline(always)]
    pub(crate) fn set_p(&mut self, slot: SlotP, value: u32, active: u32) {
        let bits = &mut self.predicates[usize::from(slot)];
        *bits = *bits & !active | value & active;
    }

    /// A register of any file, widened to 64 bits a lane (predicates to 0 and 1; the low half of a 128-bit register).
    pub(crate) fn wide(&self, constants: &Constants, reg: Reg) -> Row64 {
        match reg {
            Reg::W(slot, _) => rows::map(self.w(constants, slot), u64::from),
            Reg::D(slot) | Reg::Q(slot, _) => *self.d(constants, slot),
            Reg::P(slot) => std::array::from_fn(|lane| u64::from(self.p(slot) >> lane & 1)),
        }
    }

    /// What [`Self::wide`] gives for one lane.
    pub(crate) fn lane(&self, constants: &Constants, reg: Reg, lane: u32) -> u64 {
        let at = lane as usize & 31;
        match reg {
            Reg::W(slot, _) => self.w(constants, slot)[at].into(),
            Reg::D(slot) | Reg::Q(slot, _) => self.d(constants, slot)[at],
            Reg::P(slot) => u64::from(self.p(slot) >> at & 1),
        }
    }

    /// Writes the lanes of `active`, cut to the register's width.
    pub(crate) fn set_wide(&mut self, reg: Reg, value: &Row64, active: u32) {
        match reg {
            Reg::W(slot, bits) => {
                let mask = if bits >= 32 { u32::MAX } else { (1 << bits) - 1 };
                self.set_w(slot, &rows::map(value, |v| v as u32 & mask), active);
            }
            Reg::D(slot) => self.set_d(slot, value, active),
            Reg::Q(low, high) => {
                self.set_d(low, value, active);
                self.set_d(high, &[0; 32], active);
            }
            Reg::P(slot) => {
                let bits = (0..32).fold(0, |bits, lane| bits | ((value[lane] & 1) as u32) << lane);
                self.set_p(slot, bits, active);
            }
        }
    }
}
