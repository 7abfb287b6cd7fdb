//! What registers are called in the PTX, which are needed where, and how their values are read.

use std::collections::HashMap;

use half::f16;

use crate::ir::cfg::Cfg;
use crate::ir::inst::{Op, Pc, Reg, Space};
use crate::ir::numbers::Numbers;
use crate::ir::operands;
use crate::ir::slots::StartValue;
use crate::prepare::Executable;
use crate::prepare::liveness::Liveness;
use crate::prepare::register_allocation::MOST_WORK;

/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    #[default]
    Bits,
    Unsigned,
    Signed,
    Float,
    Predicate,
}

impl Kind {
    /// Of one of an opcode's modifiers.
    fn of(part: &str) -> Option<Self> {
        let digits = |rest: &str| matches!(rest, "8" | "16" | "32" | "64");
        match part.split_at_checked(1)? {
            ("f", rest) if digits(rest) => Some(Self::Float),
            ("s", rest) if digits(rest) => Some(Self::Signed),
            ("u", rest) if digits(rest) => Some(Self::Unsigned),
            ("b", rest) if digits(rest) => Some(Self::Bits),
            _ => None,
        }
    }

    /// Its name, with the bits of a value.
    pub(super) fn name(self, bits: u32) -> String {
        match self {
            Self::Predicate => "pred".to_owned(),
            Self::Bits => format!("b{bits}"),
            Self::Unsigned => format!("u{bits}"),
            Self::Signed => format!("s{bits}"),
            Self::Float => format!("f{bits}"),
        }
    }

    /// A value of so many bits, as a person reads it.
    pub(super) fn show(self, bits: u32, value: u64) -> String {
        match (self, bits) {
            (Self::Float, 32) => format!("{:?}", f32::from_bits(value as u32)),
            (Self::Float, 64) => format!("{:?}", f64::from_bits(value)),
            (Self::Float, 16) => format!("{:?}", f16::from_bits(value as u16).to_f32()),
            (Self::Signed, 8) => (value as u8 as i8).to_string(),
            (Self::Signed, 16) => (value as u16 as i16).to_string(),
            (Self::Signed, 32) => (value as u32 as i32).to_string(),
            (Self::Signed, _) if (value as i64).unsigned_abs() < 1 << 32 => (value as i64).to_string(),
            // What is larger is an address, nearly always.
            _ if value >= 1 << 32 => format!("{value:#x}"),
            _ => value.to_string(),
        }
    }
}

/// A register that has a name.
#[derive(Debug, Clone)]
struct Named {
    /// The instruction from which on it is called so.
    from: Pc,
    name: String,
    bits: u32,
}

/// What registers are called, which are needed where, and how their values are read.
pub(super) struct Names {
    numbers: Numbers,
    cfg: Cfg,
    /// Nothing for programs that are too large for it.
    live: Option<Liveness>,
    by_number: HashMap<usize, Vec<Named>>,
    kinds: Vec<Kind>,
    /// How words of shared memory are read.
    pub(super) shared: Kind,
}

impl Names {
    pub(super) fn new(program: &Executable) -> Self {
        let (numbers, cfg) = (Numbers::of(program), Cfg::new(program));
        let small = numbers.count().saturating_mul(cfg.blocks.len()) <= MOST_WORK;
        let live = small.then(|| Liveness::of(&program.steps, &cfg, numbers));
        let mut by_number: HashMap<usize, Vec<Named>> = HashMap::new();
        for (text, value) in StartValue::ALL {
            if let Some(&slot) = program.slots.start.get(&value) {
                let named = Named { from: 0, name: text.to_owned(), bits: 32 };
                by_number.entry(usize::from(slot)).or_default().push(named);
            }
        }
        for declared in &program.declared {
            for (at, &register) in declared.registers.iter().enumerate() {
                let name = if declared.numbered { format!("{}{at}", declared.name) } else { declared.name.clone() };
                let mut halves = ["", " (high)"].into_iter();
                numbers.each(register, |number| {
                    let name = format!("{name}{}", halves.next().unwrap_or_default());
                    let named = Named { from: declared.from, name, bits: bits(register) };
                    by_number.entry(number).or_default().push(named);
                });
            }
        }
        let mut names =
            Self { numbers, cfg, live, by_number, kinds: vec![Kind::default(); numbers.count()], shared: Kind::Bits };
        names.find_kinds(program);
        names
    }

    /// Reads from opcodes how registers are read: from who writes them, else from who reads them.
    fn find_kinds(&mut self, program: &Executable) {
        let numbers = self.numbers;
        let note = |kinds: &mut Vec<Kind>, reg: Reg, kind: Option<Kind>| {
            numbers.each(reg, |number| {
                if let (Kind::Bits, Some(kind)) = (kinds[number], kind) {
                    kinds[number] = if matches!(reg, Reg::P(_)) { Kind::Predicate } else { kind };
                }
            });
        };
        for writes in [true, false] {
            for inst in &program.insts {
                let parts = inst.opcode.parts();
                let typed = || parts.iter().skip(1).filter_map(|part| Kind::of(part));
                // `cvt` and `set` name the type of their result first.
                let kind =
                    if writes && matches!(parts[0], "cvt" | "set") { typed().next() } else { typed().next_back() };
                let mut regs = (Vec::new(), Vec::new());
                operands::visit(inst, &mut |reg| regs.0.push(reg), &mut |reg| regs.1.push(reg));
                let address = match &inst.op {
                    Op::Load(access) | Op::Store(access) => access.address.base,
                    Op::Atomic(atomic) => atomic.address.base,
                    _ => None,
                };
                let own = if writes { &regs.1 } else { &regs.0 };
                own.iter().filter(|&&reg| Some(reg) != address).for_each(|&reg| note(&mut self.kinds, reg, kind));
            }
        }
        // What moves bits moves them as what they are.
        for inst in &program.insts {
            if !matches!(inst.opcode.name(), "mov" | "selp" | "shfl" | "ld") {
                continue;
            }
            let mut regs = (Vec::new(), Vec::new());
            operands::visit(inst, &mut |reg| regs.0.push(reg), &mut |reg| regs.1.push(reg));
            if let (Some(&to), Some(&from), false) = (regs.1.first(), regs.0.first(), inst.opcode.name() == "ld") {
                let known = self.kind(from);
                note(&mut self.kinds, to, Some(known));
            }
        }
        let mut shared = program.insts.iter().filter_map(|inst| match &inst.op {
            Op::Load(access) | Op::Store(access) if access.space == Space::Shared && access.bytes == 4 => {
                // Constants, which stores have among their operands, are not visited.
                let (mut read, mut written, base) = (Vec::new(), Vec::new(), access.address.base);
                operands::visit(inst, &mut |reg| read.push(reg), &mut |reg| written.push(reg));
                written
                    .into_iter()
                    .chain(read)
                    .find(|reg| matches!(reg, Reg::W(..)) && Some(*reg) != base)
                    .map(|reg| self.kind(reg))
            }
            _ => None,
        });
        let mut found = shared.clone();
        self.shared = shared.find(|kind| *kind == Kind::Float).or_else(|| found.next()).unwrap_or_default();
    }

    fn kind(&self, reg: Reg) -> Kind {
        let mut kind = Kind::default();
        self.numbers.each(reg, |number| kind = self.kinds[number]);
        kind
    }

    /// The register of a number, in the program.
    pub(super) fn register(&self, program: &Executable, number: usize) -> Reg {
        let (words, doubles) = (usize::from(program.slots.words), usize::from(program.slots.doubles));
        match self.numbers.file(number) {
            0 => Reg::W(number as u16, 32),
            1 => Reg::D((number - words) as u16),
            _ => Reg::P((number - words - doubles) as u16),
        }
    }

    /// What a register is called before the instruction at `pc`, how many bits its values have and how they are read;
    /// nothing for one that the compiler of the simulator made.
    pub(super) fn of(&self, number: usize, pc: Pc) -> Option<(&str, u32, Kind)> {
        let named = self.by_number.get(&number)?.iter().rev().find(|named| named.from <= pc)?;
        let kind = if named.bits == 1 { Kind::Predicate } else { self.kinds[number] };
        Some((&named.name, named.bits, kind))
    }

    /// The registers that somebody may still read before the instruction at `pc`, by number.
    pub(super) fn needed(&self, program: &Executable, pc: Pc) -> Vec<usize> {
        let mut needed = Vec::new();
        match &self.live {
            Some(live) => live.before(&program.steps, &self.cfg, self.numbers, pc).each(|number| needed.push(number)),
            None => {
                let numbers = self.numbers;
                let mut read = |reg: Reg| numbers.each(reg, |number| needed.push(number));
                operands::visit(&program.steps[pc as usize], &mut read, &mut |_| {});
            }
        }
        needed
    }

    /// The registers that the instruction at `pc` writes, by number.
    pub(super) fn written(&self, program: &Executable, pc: Pc) -> Vec<usize> {
        let mut written = Vec::new();
        let mut write = |reg: Reg| self.numbers.each(reg, |number| written.push(number));
        operands::visit(&program.steps[pc as usize], &mut |_| {}, &mut write);
        written
    }
}

/// The bits of a register's values.
const fn bits(register: Reg) -> u32 {
    match register {
        Reg::W(_, bits) => bits as u32,
        Reg::D(_) | Reg::Q(..) => 64,
        Reg::P(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_what_they_are() {
        for (kind, bits, value, shown) in [
            (Kind::Float, 32, 0x40e0_0000, "7.0"),
            (Kind::Float, 64, 0x3fe0_0000_0000_0000, "0.5"),
            (Kind::Signed, 32, 0xffff_ffff, "-1"),
            (Kind::Signed, 64, u64::MAX - 4, "-5"),
            (Kind::Bits, 32, 0xffff_ffff, "4294967295"),
            (Kind::Unsigned, 64, 0x1000_0000_0000, "0x100000000000"),
        ] {
            assert_eq!(kind.show(bits, value), shown);
        }
        assert_eq!(Kind::of("f32"), Some(Kind::Float));
        assert_eq!(Kind::of("shared"), None);
        assert_eq!(Kind::of("b1"), None);
        assert_eq!(Kind::of(""), None);
    }
}
