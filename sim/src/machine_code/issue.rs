//! What a machine instruction asks of the scheduler and of the pipes: its control bits, the pipe of the table, and the
//! clocks that it takes there.
//!
//! Clocks are those of 64 lanes for integers, 128 for single precision, 64 for double precision and 16 for functions (CUDA
//! C++ Programming Guide, Arithmetic Instructions, compute capability 9.0), over four partitions. What is marked as a guess
//! was not measured on this GPU; on 15 kernels each changed the time by 2 percent at most.

use super::op::{AtomicOp, Op, Space};
use super::program::{Inst, Program};
use super::table::{self, Pipe};
use crate::predict::trace::{Action, Instruction, Issue, Unit};

/// Clocks of a partition's pipe of 16 lanes.
const HALF_RATE: u32 = 2;
/// `IMAD.WIDE` and `IMAD.HI`: a guess.
const WIDE: u32 = 4;
/// A pipe of 4 lanes: `throughput of ex2`, 2.00 clocks per warp on four partitions.
const SPECIAL: u32 = 8;
/// Multiplications and additions of matrices that a partition does in a clock, by the bytes of an element: NVIDIA, H100
/// white paper: dense peaks of the tensor cores, by multiprocessors, partitions and clock.
const TENSOR: [(&str, u32); 4] = [("DMMA", 32), ("HMMA", 512), ("IMMA", 1024), ("BMMA", 8192)];
/// Clocks until the results of variable latency are there: double precision and its comparisons (`fma.f64`, one behind
/// the other), functions, shuffles, special registers, comparisons of lanes' values and their reduction as the road over
/// PTX has them; an indexed constant is a guess.
const FP64_LATENCY: u32 = 8;
const SPECIAL_LATENCY: u32 = 20;
const SHUFFLE_LATENCY: u32 = 24;
const REGISTER_LATENCY: u32 = 20;
const MATCH_LATENCY: u32 = 53;
const REDUX_LATENCY: u32 = 44;
const CONSTANT_LATENCY: u32 = 40;
/// Of a product of matrices: a guess.
const TENSOR_LATENCY: u32 = 33;

/// The instructions of a program as the replay sees them.
pub(super) fn code(program: &Program) -> Vec<Instruction> {
    let instruction = |inst: &Inst| Instruction {
        text: inst.text.clone(),
        guarded: inst.guard.is_some(),
        issue: Some(issue(inst)),
        ..Instruction::default()
    };
    program.instructions.iter().map(instruction).collect()
}

/// The loads that look past the L1 cache, by position.
pub(super) fn past_l1(program: &Program) -> Vec<bool> {
    let strong = |inst: &Inst| matches!(&inst.op, Op::Load(access) if access.strong && matches!(access.space, Space::Global | Space::Generic));
    program.instructions.iter().map(strong).collect()
}

fn issue(inst: &Inst) -> Issue {
    let (unit, clocks, latency) = path(inst);
    let control = &inst.control;
    Issue {
        unit,
        clocks,
        latency,
        action: action(inst),
        // What is compared with, and what is stored.
        operands: match &inst.op {
            Op::Atomic(atomic) if matches!(atomic.op, AtomicOp::Cas | AtomicOp::CasSpin) => 2,
            _ => 1,
        },
        stall: u32::from(control.stall),
        write: control.write,
        read: control.read,
        wait: control.wait,
    }
}

/// The pipe, the clocks that it is busy, and the clocks until the result is there.
fn path(inst: &Inst) -> (Unit, u32, u32) {
    let has = |part: &str| inst.text.split_whitespace().any(|word| word.split('.').skip(1).any(|p| p == part));
    if let Some((_, rate)) = TENSOR.iter().find(|(name, _)| *name == inst.name) {
        return (Unit::Tensor, products(&inst.text) / rate, TENSOR_LATENCY);
    }
    match inst.name {
        "MATCH" => return (Unit::Adu, 2, MATCH_LATENCY),
        "REDUX" => return (Unit::Adu, 1, REDUX_LATENCY),
        "BAR" => return (Unit::Adu, 1, 12),
        "SHFL" => return (Unit::Lsu, 1, SHUFFLE_LATENCY),
        "LDC" => return (Unit::Adu, 2, CONSTANT_LATENCY),
        _ => {}
    }
    let pipe = table::find(inst.name, &inst.text).and_then(|row| row.pipes.first());
    match pipe {
        Some(Pipe::Alu) => (Unit::Alu, HALF_RATE, 0),
        Some(Pipe::Fma) => match inst.name {
            "IMAD" | "IDP" if has("WIDE") || has("HI") => (Unit::FmaHeavy, WIDE, 0),
            "IMAD" | "IDP" | "VIADD" => (Unit::FmaHeavy, HALF_RATE, 0),
            _ => (Unit::Fma, HALF_RATE, 0),
        },
        Some(Pipe::Fp64) => (Unit::Fp64, HALF_RATE, FP64_LATENCY),
        Some(Pipe::Xu) => (Unit::Xu, SPECIAL, SPECIAL_LATENCY),
        Some(Pipe::Uniform) => (Unit::Uniform, HALF_RATE, 0),
        Some(Pipe::Lsu) => (Unit::Lsu, 1, REGISTER_LATENCY),
        Some(Pipe::Adu) => (Unit::Adu, 1, REGISTER_LATENCY),
        Some(Pipe::Cbu) => (Unit::Cbu, HALF_RATE, REGISTER_LATENCY),
        Some(Pipe::Tex) => (Unit::Lsu, 1, REGISTER_LATENCY),
        None => (Unit::None, 0, REGISTER_LATENCY),
    }
}

/// Multiplications and additions of a product of matrices, from its shape: `16816` is 16 by 8 by 16.
fn products(text: &str) -> u32 {
    let digits = text.split(['.', ' ']).find(|part| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_digit()));
    let numbers = |digits: &str| -> Option<u32> {
        // The first extent is 16 or 8, the second 8, the third what is left.
        let (m, rest) = digits.strip_prefix("16").map_or_else(|| (8, &digits[1..]), |rest| (16, rest));
        let k: u32 = rest.strip_prefix('8')?.parse().ok()?;
        Some(m * 8 * k)
    };
    digits.and_then(numbers).unwrap_or(2048)
}

fn action(inst: &Inst) -> Action {
    match inst.name {
        "BRA" | "CALL" | "RET" | "BRX" | "JMP" => Action::Branch,
        "MEMBAR" => Action::Fence,
        "NANOSLEEP" => Action::Sleep,
        "LDGDEPBAR" => Action::Commit,
        "MATCH" => Action::Compare,
        // `DEPBAR.LE SB0, 0x1`: at most one group may still be under way.
        "DEPBAR" => {
            let number =
                inst.text.rsplit("0x").next().map(|digits| digits.trim_end_matches(|c: char| !c.is_ascii_hexdigit()));
            let under_way = number.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            Action::Await(under_way.unwrap_or(0))
        }
        _ => Action::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_a_product_is_that_of_its_shape() {
        assert_eq!(products("HMMA.16816.F32 R4, R8, R12, R4"), 16 * 8 * 16);
        assert_eq!(products("HMMA.1688.F32 R4, R8, R12, R4"), 16 * 8 * 8);
        assert_eq!(products("DMMA.884 R4, R8, R12, R4"), 8 * 8 * 4);
        assert_eq!(products("IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4"), 16 * 8 * 32);
    }
}
