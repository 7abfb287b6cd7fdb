//! What a machine instruction asks of the scheduler and of the pipes: its control bits, the pipe of the table, and the
//! clocks that it takes there.
//!
//! Clocks are those of 64 lanes for integers, 128 for single precision, 64 for double precision and 16 for functions (CUDA
//! C++ Programming Guide, Arithmetic Instructions, compute capability 9.0), over four partitions. What is marked as a guess
//! was not measured on this GPU; on 15 kernels each changed the time by 2 percent at most.

use std::sync::OnceLock;

use super::banks;
use super::op::{AtomicOp, Op};
use super::program::{Inst, Program, looks_past_l1};
use super::table::{self, Pipe};
use crate::predict::trace::{Action, FURTHER, Instruction, Issue, Source, Unit, Update};

/// Clocks of a partition's pipe of 16 lanes.
const HALF_RATE: u32 = 2;
/// `IMAD.WIDE` and `IMAD.HI`: 4.0 clocks each, of 8 to 16 warps of a partition (H200; `imad_hi` with its loop 4.4).
const WIDE: u32 = 4;
/// Clocks for which a product of two words keeps its partition from dispatching, beyond its own, and which its warp waits beyond the stall
/// count: a lone warp's `IMAD.WIDE` and `IMAD.HI` with stall counts of 4 take an H200 6.1 clocks each, and whatever stands between
/// them 2 more than without.
const WIDE_DISPATCH: u32 = 2;
/// A pipe of 4 lanes: `throughput of ex2`, 2.00 clocks per warp on four partitions.
const SPECIAL: u32 = 8;
/// What was measured of single instructions (`kernels/calibrate/opcodes.cu`), on a GPU of compute capability 9.0.
const OPCODES: &str = include_str!("../../targets/timing/opcodes/sm_90.tsv");
/// Products of matrices that were measured: the opcode, the shape, whether of TF32, and the measurement's name.
const TENSOR: [(&str, &str, bool, &str); 6] = [
    ("HMMA", "16816", false, "hmma_16816"),
    ("HMMA", "1688", false, "hmma_1688"),
    ("HMMA", "1688", true, "hmma_1688_tf32"),
    ("IMMA", "16816", false, "imma_16816"),
    ("IMMA", "16832", false, "imma_16832"),
    ("DMMA", "8x8x4", false, "dmma_884"),
];
/// Multiplications and additions of bits that a partition does in a clock: NVIDIA, H100 white paper, dense peaks of the
/// tensor cores, by multiprocessors, partitions and clock.
const BITS: u32 = 8192;
/// Clocks until the results of variable latency are there that were not measured alone: special registers.
const REGISTER_LATENCY: u32 = 20;
/// A try to swap in shared memory, of floats and of doubles: what a lone warp's additions to words of its own take an H100 (104.4 and
/// 124.4 clocks an addition), less the other instructions of the loop.
const SPIN_LATENCY: [u32; 2] = [44, 56];
/// The same of a compare-and-swap that succeeds (151.1 clocks). One that fails takes 30 (`atoms_cas`).
const SWAP_LATENCY: u32 = 89;
/// Clocks of `redux`'s chain that are those of the move behind it: a sum goes to a register of the warp.
const MOVE: u32 = 6;

/// What was measured of instructions, in whole clocks.
struct Measured {
    fp64: u32,
    special: u32,
    shuffle: u32,
    redux: u32,
    /// A comparison of lanes' values, of which all are equal.
    equal: u32,
    constant: u32,
    /// Clocks of the pipe of control, of a meeting of a warp's lanes.
    control: u32,
    shared_atomic: u32,
    /// Loads of two and of four words of shared memory, without the clocks of the wavefronts beyond the first: one and three.
    shared_pair: u32,
    shared_quad: u32,
    /// Clocks of the lite half of the FMA pipe, of an integer multiplication whose result has two words: four multiplications of
    /// single precision beside it wait for both halves, each of which takes two clocks for one.
    beside: u32,
    /// Clocks that a function keeps others from being dispatched, beyond its own: what it and seven multiplications of single
    /// precision take beyond eight.
    dispatch: u32,
    /// Clocks and latencies, in the order of [`TENSOR`].
    tensor: [(u32, u32); TENSOR.len()],
}

impl Measured {
    fn get() -> &'static Self {
        static READ: OnceLock<Measured> = OnceLock::new();
        READ.get_or_init(|| Self {
            fp64: value("dfma", "latency"),
            special: value("mufu_ex2", "latency"),
            shuffle: value("shfl", "latency"),
            redux: value("redux", "latency").saturating_sub(MOVE),
            // All 32 lanes have values of their own there.
            equal: value("match", "latency").saturating_sub(31 * FURTHER),
            constant: value("ldc_1", "latency"),
            control: value("warpsync", "clocks"),
            shared_atomic: value("atoms_add", "latency"),
            shared_pair: value("lds_64", "latency").saturating_sub(1),
            shared_quad: value("lds_128", "latency").saturating_sub(3),
            beside: times("imad_hi_fmul", "clocks", 2.0).saturating_sub(WIDE + 4 * HALF_RATE),
            dispatch: value("mufu_fmul", "clocks").saturating_sub(8),
            tensor: TENSOR.map(|(_, _, _, name)| (value(name, "clocks"), value(name, "latency"))),
        })
    }
}

/// A measurement in whole clocks; 0 if there is none, which a test excludes.
fn value(name: &str, kind: &str) -> u32 {
    times(name, kind, 1.0)
}

/// The same so many times, rounded only then.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clocks are few and no negative")]
fn times(name: &str, kind: &str, times: f64) -> u32 {
    let of = |line: &str| {
        let mut cells = line.split('\t');
        let is = cells.next() == Some(name) && cells.next() == Some(kind);
        is.then(|| cells.next()?.parse::<f64>().ok()).flatten()
    };
    OPCODES.lines().find_map(of).map_or(0, |clocks| (clocks * times).round() as u32)
}

/// The instructions of a program as the replay sees them.
pub(super) fn code(program: &Program) -> Vec<Instruction> {
    let instruction = |inst: &Inst| Instruction {
        text: inst.text.clone(),
        guarded: inst.guard.is_some(),
        update: update(&inst.op),
        issue: Some(issue(inst)),
        ..Instruction::default()
    };
    program.instructions.iter().map(instruction).collect()
}

/// The loads that look past the L1 cache, by position.
pub(super) fn past_l1(program: &Program) -> Vec<bool> {
    program.instructions.iter().map(|inst| looks_past_l1(&inst.op)).collect()
}

/// What L2 has to do for an update.
fn update(op: &Op) -> Update {
    let op = match op {
        Op::Atomic(atomic) => atomic.op,
        Op::Bulk(copy) => match copy.reduces {
            Some((op, _)) => op,
            None => return Update::Plain,
        },
        _ => return Update::Plain,
    };
    match op {
        AtomicOp::Cas | AtomicOp::CasSpin => Update::Compare,
        AtomicOp::AddF32 { .. } | AtomicOp::AddF64 | AtomicOp::AddHalves(_) => Update::Sum,
        AtomicOp::Add
        | AtomicOp::Min
        | AtomicOp::Max
        | AtomicOp::MinSigned
        | AtomicOp::MaxSigned
        | AtomicOp::Inc
        | AtomicOp::Dec
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor
        | AtomicOp::Exch
        | AtomicOp::PopcInc
        | AtomicOp::MinHalves(_) => Update::Plain,
    }
}

/// The instructions with which a warp may wait for others: those, and questions to an `mbarrier`.
pub(super) fn polls(program: &Program) -> Vec<bool> {
    let asks = |inst: &Inst| matches!(inst.op, Op::CheckPhase { .. });
    program.instructions.iter().map(asks).zip(past_l1(program)).map(|(asks, strong)| asks || strong).collect()
}

fn issue(inst: &Inst) -> Issue {
    let (unit, clocks, latency) = path(inst);
    let computes = matches!(unit, Unit::Alu | Unit::Fma | Unit::FmaHeavy | Unit::Fp64 | Unit::Xu);
    let wide = unit == Unit::FmaHeavy && clocks == WIDE;
    let control = &inst.control;
    let measured = Measured::get();
    Issue {
        unit,
        clocks,
        latency,
        action: action(inst),
        sources: if computes { banks::sources(&inst.text) } else { [None; Source::PLACES] },
        beside: if wide { measured.beside } else { 0 },
        dispatch: match unit {
            Unit::Xu => measured.dispatch,
            _ if wide => WIDE_DISPATCH,
            _ => 0,
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
    let measured = Measured::get();
    if let Some((clocks, latency)) = tensor(inst, measured) {
        return (Unit::Tensor, clocks, latency);
    }
    match inst.name {
        "MATCH" => return (Unit::Adu, 2, measured.equal),
        // Whatever the profiler counts them as, special registers do not wait behind stores: with the queue full of them a read of
        // `%tid.x` takes an H200 14 to 20 clocks, as long as operations do, and one of shared memory 300 to 8000.
        "S2R" => return (Unit::Adu, 1, REGISTER_LATENCY),
        // `redux` keeps the pipe of all partitions for 8.7 clocks of a partition, `ldc_1` too.
        "REDUX" => return (Unit::Adu, 2, measured.redux),
        "BAR" => return (Unit::Adu, 1, 12),
        // As long as a reduction, which it is followed by: a guess. Each group of lanes has one.
        "WARPSYNC" if has("COLLECTIVE") => return (Unit::Adu, 2, REGISTER_LATENCY),
        "SHFL" => return (Unit::Lsu, 1, measured.shuffle),
        "ATOMS" if has("SPIN") => return (Unit::Lsu, 1, SPIN_LATENCY[usize::from(has("64"))]),
        "ATOMS" if has("CAS") => return (Unit::Lsu, 1, SWAP_LATENCY),
        "ATOMS" => return (Unit::Lsu, 1, measured.shared_atomic),
        // Every other load has the latency of the target.
        "LDS" if has("64") => return (Unit::Lsu, 1, measured.shared_pair),
        "LDS" if has("128") => return (Unit::Lsu, 1, measured.shared_quad),
        "LDC" => return (Unit::Adu, 2, measured.constant),
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
        Some(Pipe::Fp64) => (Unit::Fp64, HALF_RATE, measured.fp64),
        Some(Pipe::Xu) => (Unit::Xu, SPECIAL, measured.special),
        Some(Pipe::Uniform) => (Unit::Uniform, HALF_RATE, 0),
        Some(Pipe::Lsu) => (Unit::Lsu, 1, REGISTER_LATENCY),
        Some(Pipe::Adu) => (Unit::Adu, 1, REGISTER_LATENCY),
        Some(Pipe::Cbu) => (Unit::Cbu, measured.control, REGISTER_LATENCY),
        Some(Pipe::Tex) => (Unit::Lsu, 1, REGISTER_LATENCY),
        None => (Unit::None, 0, REGISTER_LATENCY),
    }
}

/// Clocks and latency of a product of matrices: those of its shape, or of another one of its opcode by the work.
fn tensor(inst: &Inst, measured: &Measured) -> Option<(u32, u32)> {
    if inst.name == "BMMA" {
        return Some((products(&inst.text) / BITS, measured.tensor[0].1));
    }
    let halves = inst.text.contains("TF32");
    let of_opcode = || TENSOR.iter().zip(&measured.tensor).filter(|((name, ..), _)| *name == inst.name);
    let same = |&((_, shape, tf32, _), _): &(&(&str, &str, bool, &str), &(u32, u32))| {
        *tf32 == halves && inst.text.split(['.', ' ']).any(|part| part == *shape)
    };
    let (row, &(clocks, latency)) = of_opcode()
        .find(same)
        .or_else(|| of_opcode().find(|((_, _, tf32, _), _)| *tf32 == halves))
        .or_else(|| of_opcode().next())?;
    let work = products(row.1);
    Some(((clocks * products(&inst.text)).div_ceil(work.max(1)).max(1), latency))
}

/// Multiplications and additions of a product of matrices, from its shape: `16816` is 16 by 8 by 16.
fn products(text: &str) -> u32 {
    if text.contains("8x8x4") {
        return 8 * 8 * 4;
    }
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
        "BRA" | "BRX" | "JMP" => Action::Branch,
        "CALL" | "RET" => Action::Call,
        "ENDCOLLECTIVE" => Action::Part,
        "WARPSYNC" if inst.text.contains("COLLECTIVE") => Action::Part,
        "BSYNC" | "WARPSYNC" => Action::Converge,
        "MEMBAR" => Action::Fence,
        "NANOSLEEP" => Action::Sleep,
        "LDGDEPBAR" => Action::Commit,
        // Lanes that ask for different constants are served one constant after the other (`ldc_8`, `ldc_32`).
        "MATCH" | "LDC" => Action::Compare,
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
    fn what_is_used_of_the_measurements_is_there() {
        let Measured {
            shared_pair,
            shared_quad,
            fp64,
            special,
            shuffle,
            redux,
            equal,
            constant,
            control,
            shared_atomic,
            beside,
            dispatch,
            tensor,
        } = Measured::get();
        assert!((2..5).contains(control) && (2..5).contains(beside) && (1..3).contains(dispatch));
        assert!(
            [fp64, special, shuffle, redux, equal, constant, shared_atomic, shared_pair, shared_quad]
                .iter()
                .all(|clocks| (4..100).contains(*clocks))
        );
        assert!(tensor.iter().all(|(clocks, latency)| (2..40).contains(clocks) && (8..80).contains(latency)));
    }

    #[test]
    fn the_work_of_a_product_is_that_of_its_shape() {
        assert_eq!(products("HMMA.16816.F32 R4, R8, R12, R4"), 16 * 8 * 16);
        assert_eq!(products("HMMA.1688.F32 R4, R8, R12, R4"), 16 * 8 * 8);
        assert_eq!(products("DMMA.8x8x4 R4, R8, R12, R4"), 8 * 8 * 4);
        assert_eq!(products("IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4"), 16 * 8 * 32);
    }
}
