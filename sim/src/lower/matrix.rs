//! Decodes matrix instructions: which element of which matrix every bit of the registers is.
//!
//! The manual draws the fragments of `mma`; those of `wmma` it leaves open, and they are here as an H200 was seen to load
//! them: side by side as `mma` has them, 16-bit factors twice or four times, a product of 8 × 32 turned into 32 × 8.

use super::builder::Builder;
use super::decode::Guard;
use crate::error::Error;
use crate::ir::inst::{Fragment, Matrix, MatrixKind, Multiply, Op, Reg, Rows, Space, Transfer};
use crate::ptx::ast::Instruction;
use crate::semantics::ScalarType;
use crate::semantics::matrix::{Accumulator, Element, Product};

type Shape = (usize, usize, usize);

/// A factor or the sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    A,
    B,
    C,
}

/// `m16n8k16` as three numbers.
fn shape(part: &str) -> Option<Shape> {
    let (m, rest) = part.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
}

/// Where the elements of a fragment with `registers` registers of `per` elements are. `None` when they do not fit.
fn places(side: Side, (m, n, k): Shape, registers: usize, per: usize) -> Option<Vec<(u8, u8)>> {
    let (rows, columns) = match side {
        Side::A => (m, k),
        Side::B => (k, n),
        Side::C => (m, n),
    };
    let turned = (m, n) == (8, 32);
    let mut places = Vec::with_capacity(32 * registers * per);
    for lane in 0..32 {
        let (group, member) = (lane / 4, lane % 4);
        for element in 0..registers * per {
            let (register, i) = (element / per, element % per);
            // Sixteen lines of a factor, k elements each, as the wide operand of `mma` has them.
            let wide = || {
                let each = k / (2 * per);
                let (tile, register) = (register / each, register % each);
                (16 * tile + group + 8 * (register & 1), member * per + i + (register >> 1) * 4 * per)
            };
            // Eight lines, as the narrow operand has them.
            let narrow = || {
                let each = k / (4 * per);
                let (tile, register) = (register / each, register % each);
                (8 * tile + group, member * per + i + register * 4 * per)
            };
            if k < 4 * per && side != Side::C {
                return None;
            }
            let (row, column) = match side {
                Side::A if m == 8 => narrow(),
                Side::A => wide(),
                Side::B if turned => swap(wide()),
                Side::B => swap(narrow()),
                Side::C if m == 8 && !turned => (group, member * 2 + element),
                Side::C => {
                    let (tile, part) = (element / 4, element % 4);
                    let (long, short) = (group + 8 * (part >> 1), member * 2 + (part & 1));
                    match (turned, n) {
                        (true, _) => (short, long + 16 * tile),
                        (false, 16) => (long, short + 8 * tile),
                        (false, _) => (long + 16 * tile, short),
                    }
                }
            };
            // What is there twice or more comes again from the first line on.
            let (row, column) = if side == Side::C { (row, column) } else { (row % rows, column % columns) };
            if row >= rows || column >= columns {
                return None;
            }
            places.push((row as u8, column as u8));
        }
    }
    let mut there = vec![false; rows * columns];
    for &(row, column) in &places {
        there[usize::from(row) * columns + usize::from(column)] = true;
    }
    there.iter().all(|&there| there).then_some(places)
}

const fn swap((a, b): (usize, usize)) -> (usize, usize) {
    (b, a)
}

impl<'m> Builder<'m> {
    pub(super) fn matrix(&mut self, inst: &'m Instruction, parts: &[&str], guard: Guard) -> Result<(), Error> {
        let kind = match *parts {
            ["mma", "sync", "aligned", size, "row", "col", ref rest @ ..] => {
                let Some((m @ (8 | 16), 8, k)) = shape(size) else {
                    return Err(self.unsupported_instruction(inst));
                };
                self.multiply(inst, (m, 8, k), rest)?
            }
            ["wmma", "mma", "sync", "aligned", "row" | "col", "row" | "col", size, ref rest @ ..] => {
                let rest: Vec<&str> = rest.iter().copied().filter(|part| *part != "rn").collect();
                let Some(size) = shape(size) else {
                    return Err(self.unsupported_instruction(inst));
                };
                match rest[..] {
                    // Factors are f16 where only the sums have types.
                    [d, c] => self.multiply(inst, size, &[d, "f16", "f16", c])?,
                    _ => self.multiply(inst, size, &rest)?,
                }
            }
            ["wmma", operation @ ("load" | "store"), side, "sync", "aligned", layout, size, ref rest @ ..] => {
                let Some(size) = shape(size) else {
                    return Err(self.unsupported_instruction(inst));
                };
                self.transfer(inst, operation == "store", side, layout, size, rest)?
            }
            ["ldmatrix" | "stmatrix", ref modifiers @ ..] => self.rows(inst, parts[0], modifiers)?,
            ["movmatrix", "sync", "aligned", "m8n8", "trans", "b16"] => {
                self.arity(inst, 2..=2)?;
                let Some(Reg::W(d, 32)) = self.destination(&inst.operands[0])? else {
                    return Err(self.invalid(&inst.operands[0].span(), "a 32-bit register is needed here"));
                };
                MatrixKind::Transpose { d, a: self.source32(&inst.operands[1], ScalarType::B32)? }
            }
            _ => return Err(self.unsupported_instruction(inst)),
        };
        let Reg::W(mask, _) = self.constant(u32::MAX.into(), ScalarType::B32, &inst.span)? else {
            return Err(self.unsupported_instruction(inst));
        };
        self.emit(Op::Matrix(Box::new(Matrix { mask, kind })), guard, &inst.span)
    }

    fn multiply(&mut self, inst: &'m Instruction, size: Shape, rest: &[&str]) -> Result<MatrixKind, Error> {
        let saturate = rest.contains(&"satfinite");
        let rest: Vec<&str> = rest.iter().copied().filter(|part| *part != "satfinite").collect();
        let (types, and) = match rest[..] {
            [d, a, b, c] => ([d, a, b, c], false),
            [d, a @ "b1", b @ "b1", c, operation @ ("xor" | "and"), "popc"] => ([d, a, b, c], operation == "and"),
            _ => return Err(self.unsupported_instruction(inst)),
        };
        let [d, a, b, c] = types;
        let wmma = inst.opcode.text.starts_with("wmma");
        let kinds = (Accumulator::parse(d), Element::parse(a), Element::parse(b), Accumulator::parse(c));
        let (Some(d), Some(a), Some(b), Some(c)) = kinds else {
            return Err(self.unsupported_instruction(inst));
        };
        use Element as E;
        let fits = d == c
            && match (a, b) {
                (E::F16, E::F16) => matches!(c, Accumulator::F16 | Accumulator::F32),
                (E::BF16, E::BF16) | (E::TF32, E::TF32) => c == Accumulator::F32,
                (E::E4M3 | E::E5M2, E::E4M3 | E::E5M2) => c == Accumulator::F32 && size.2 == 32,
                (E::F64, E::F64) => c == Accumulator::F64,
                (E::S8 | E::U8, E::S8 | E::U8) | (E::S4 | E::U4, E::S4 | E::U4) | (E::B1, E::B1) => {
                    c == Accumulator::S32
                }
                _ => false,
            };
        // The oldest shape of f16 has fragments of its own.
        if !fits || (a == E::F16 && size == (8, 8, 4)) {
            return Err(self.unsupported_instruction(inst));
        }
        self.arity(inst, 4..=4)?;
        let multiply = Multiply {
            product: Product { a, b, c, saturate, and, step: if wmma && a == E::TF32 { 4 } else { size.2 } },
            shape: size,
            d: self.fragment(inst, 0, Side::C, size, d.bits(), true)?,
            a: self.fragment(inst, 1, Side::A, size, a.bits(), false)?,
            b: self.fragment(inst, 2, Side::B, size, b.bits(), false)?,
            c: self.fragment(inst, 3, Side::C, size, c.bits(), false)?,
        };
        Ok(MatrixKind::Multiply(Box::new(multiply)))
    }

    /// The fragment that operand `at` is.
    fn fragment(
        &mut self,
        inst: &'m Instruction,
        at: usize,
        side: Side,
        size: Shape,
        bits: u32,
        written: bool,
    ) -> Result<Fragment, Error> {
        let items = inst.operands[at].items();
        let span = inst.operands[at].span();
        let mut registers = Vec::with_capacity(items.len());
        for item in items {
            let kind = if bits == 64 { ScalarType::F64 } else { ScalarType::B32 };
            registers.push(if written { self.destination(item)? } else { Some(self.source(item, kind)?) });
        }
        let registers: Option<Vec<Reg>> = registers.into_iter().collect();
        let fits = |reg: &Reg| matches!((reg, bits), (Reg::D(_), 64) | (Reg::W(_, 32), ..64));
        let Some(registers) = registers.filter(|registers| registers.iter().all(fits)) else {
            return Err(self.invalid(&span, "the registers of a fragment have 32 bits, those of f64 have 64"));
        };
        let per = (if bits == 64 { 1 } else { 32 / bits }) as usize;
        match places(side, size, registers.len(), per) {
            Some(places) => Ok(Fragment { registers, bits, places }),
            None => Err(self.invalid(&span, "this is not the number of registers that the fragment has")),
        }
    }

    fn transfer(
        &mut self,
        inst: &'m Instruction,
        store: bool,
        side: &str,
        layout: &str,
        size: Shape,
        rest: &[&str],
    ) -> Result<MatrixKind, Error> {
        self.arity(inst, 2..=3)?;
        let (space, name) = match *rest {
            [name] => (Space::Generic, name),
            ["global", name] => (Space::Global, name),
            ["shared" | "shared::cta", name] => (Space::Shared, name),
            _ => return Err(self.unsupported_instruction(inst)),
        };
        let side = match (side, store) {
            ("a", false) => Side::A,
            ("b", false) => Side::B,
            ("c", false) | ("d", true) => Side::C,
            _ => return Err(self.unsupported_instruction(inst)),
        };
        let bits = match (side, Element::parse(name), Accumulator::parse(name)) {
            (Side::C, _, Some(accumulator)) => accumulator.bits(),
            (Side::A | Side::B, Some(element), _) if element.bits() >= 8 => element.bits(),
            _ => return Err(self.unsupported_instruction(inst)),
        };
        let (memory, value) = if store { (0, 1) } else { (1, 0) };
        let fragment = self.fragment(inst, value, side, size, bits, !store)?;
        let (address, space) = self.address(&inst.operands[memory], space)?;
        let by_columns = layout == "col";
        let stride = match (inst.operands.get(2), side, by_columns) {
            (Some(operand), ..) => self.source(operand, ScalarType::U32)?,
            (None, Side::A, false) => self.constant(size.2 as u64, ScalarType::U32, &inst.span)?,
            (None, Side::B, true) => self.constant(size.2 as u64, ScalarType::U32, &inst.span)?,
            (None, Side::B | Side::C, false) => self.constant(size.1 as u64, ScalarType::U32, &inst.span)?,
            (None, Side::A | Side::C, true) => self.constant(size.0 as u64, ScalarType::U32, &inst.span)?,
        };
        Ok(MatrixKind::Transfer(Box::new(Transfer { store, fragment, space, address, stride, by_columns })))
    }

    /// `ldmatrix` and `stmatrix`. ptxas takes their modifiers in any order, each once.
    fn rows(&mut self, inst: &'m Instruction, name: &str, modifiers: &[&str]) -> Result<MatrixKind, Error> {
        self.arity(inst, 2..=2)?;
        let count_of = |wanted: &[&str]| modifiers.iter().filter(|modifier| wanted.contains(modifier)).count();
        let spaces = ["shared", "shared::cta"];
        let required = ["sync", "aligned", "m8n8", "b16"];
        let (numbers, transposed) = (["x1", "x2", "x4"], count_of(&["trans"]));
        let known = required.len() + 1 + transposed + count_of(&spaces);
        let complete = required.iter().all(|modifier| count_of(&[modifier]) == 1) && count_of(&numbers) == 1;
        if !complete || transposed > 1 || count_of(&spaces) > 1 || modifiers.len() != known {
            return Err(self.unsupported_instruction(inst));
        }
        let transposed = transposed == 1;
        let wanted = match modifiers.iter().find(|modifier| numbers.contains(modifier)) {
            Some(&"x4") => 4,
            Some(&"x2") => 2,
            _ => 1,
        };
        let store = name == "stmatrix";
        let (memory, value) = if store { (0, 1) } else { (1, 0) };
        let items = inst.operands[value].items();
        let mut registers = Vec::with_capacity(wanted);
        for item in items {
            registers.push(
                match if store { Some(self.source(item, ScalarType::B32)?) } else { self.destination(item)? } {
                    Some(Reg::W(slot, 32)) => slot,
                    _ => return Err(self.invalid(&item.span(), "a 32-bit register is needed here")),
                },
            );
        }
        if registers.len() != wanted {
            return Err(self.invalid(&inst.operands[value].span(), &format!("{wanted} registers are needed here")));
        }
        let space = if inst.opcode.text.contains("shared") { Space::Shared } else { Space::Generic };
        let (address, space) = self.address(&inst.operands[memory], space)?;
        Ok(MatrixKind::Rows(Box::new(Rows { store, registers, transposed, address, space })))
    }
}
