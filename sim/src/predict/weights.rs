//! What the machine code of a PTX instruction costs: issue slots, the pipe that it goes through, and the clocks until
//! its result can be used. ptxas is not asked; what it folds into other instructions is left out by rules that hold for
//! most code: copies, address additions behind a multiplication, logic behind logic.

use super::convert::Converted;
use super::trace::Instruction;

/// A pipe of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Pipe {
    /// None: only an issue slot is taken.
    None,
    /// Integers, logic, comparisons.
    Alu,
    /// Single precision, integer multiplications.
    Fma,
    /// Double precision.
    Fp64,
    /// Functions, conversions, counts of bits.
    Xu,
    /// Memory, shuffles: the queue that all four partitions share.
    Lsu,
    /// Votes, barriers.
    Adu,
}

/// What is done, as far as the replay treats it in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Arithmetic.
    Plain,
    /// A jump.
    Branch,
    /// The end of a warp.
    Exit,
    /// Waits until all of the warp's own accesses are done.
    Fence,
    /// Sleeps.
    Sleep,
}

/// The cost of an instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    /// Issue slots.
    pub slots: f64,
    /// The pipe.
    pub pipe: Pipe,
    /// Clocks for which it keeps the pipe busy: of a partition's for [`Pipe::Alu`] and the like, else of all.
    pub busy: f64,
    /// Clocks until the result is there.
    pub latency: f64,
    /// What it is.
    pub action: Action,
}

const fn cost(slots: f64, pipe: Pipe, busy: f64, latency: f64) -> Cost {
    Cost { slots, pipe, busy, latency, action: Action::Plain }
}

/// Free: part of another instruction.
const FREE: Cost = cost(0.0, Pipe::None, 0.0, 0.0);
const ALU: Cost = cost(1.0, Pipe::Alu, 2.0, 4.5);
const FMA: Cost = cost(1.0, Pipe::Fma, 1.0, 4.2);
const IMAD: Cost = cost(1.0, Pipe::Fma, 2.0, 4.2);

/// The costs of all instructions of a kernel.
pub(super) fn costs(code: &[Instruction], converted: &Converted) -> Vec<Cost> {
    let most = code.iter().flat_map(|i| i.reads.iter().chain(&i.writes)).max().map_or(0, |&most| most as usize + 1);
    let mut uses = vec![0u32; most];
    let mut written = vec![0u32; most];
    let mut from = vec![usize::MAX; most];
    for (pc, inst) in code.iter().enumerate() {
        inst.reads.iter().for_each(|&reg| uses[reg as usize] += 1);
        for &reg in &inst.writes {
            written[reg as usize] += 1;
            from[reg as usize] = pc;
        }
    }
    let name = |pc: usize| code.get(pc).map_or("", |inst| opcode(&inst.text));
    code.iter()
        .enumerate()
        .map(|(pc, inst)| {
            // What the instruction's operands come from, if nobody else uses them.
            let feeds = |prefix: &str| {
                inst.reads.iter().any(|&reg| {
                    let reg = reg as usize;
                    uses[reg] == 1 && written[reg] == 1 && name(from[reg]).starts_with(prefix)
                })
            };
            if inst.removed || converted.gone[pc] { FREE } else { of(inst, &feeds) }
        })
        .collect()
}

/// The opcode without its guard.
pub(super) fn opcode(text: &str) -> &str {
    let word = text.split_whitespace().find(|word| !word.starts_with('@'));
    word.unwrap_or_default().trim_end_matches(';')
}

fn of(inst: &Instruction, feeds: &dyn Fn(&str) -> bool) -> Cost {
    let op = opcode(&inst.text);
    let mut parts = op.split('.');
    let name = parts.next().unwrap_or("");
    let has = |part: &str| op.split('.').any(|p| p == part);
    let wide = has("s64") || has("u64") || has("b64");
    let double = has("f64");
    let single = has("f32");
    let predicate = has("pred");
    match name {
        "mov" if inst.text.contains("%tid") || inst.text.contains("%ctaid") || inst.text.contains("%laneid") => {
            cost(1.0, Pipe::Lsu, 0.5, 20.0)
        }
        "mov" | "cvta" | "isspacep" | "pragma" => FREE,
        "ld" if has("param") || has("const") => FREE,
        "ld" | "st" | "atom" | "red" | "ldu" | "cp" | "ldmatrix" | "stmatrix" => cost(1.0, Pipe::Lsu, 1.0, 0.0),
        "prefetch" | "prefetchu" => FREE,
        "shfl" => cost(1.0, Pipe::Lsu, 1.0, 24.0),
        "vote" | "activemask" => cost(1.0, Pipe::Adu, 0.9, 12.0),
        "match" => cost(1.0, Pipe::Adu, 2.0, 53.0),
        "redux" => cost(1.0, Pipe::Xu, 8.0, 44.0),
        "elect" => cost(1.0, Pipe::Adu, 2.0, 12.0),
        "bar" | "barrier" if op.contains("warp") => cost(1.0, Pipe::None, 0.0, 8.0),
        "bar" | "barrier" => cost(1.0, Pipe::Adu, 1.0, 12.0),
        "mbarrier" => cost(1.0, Pipe::Lsu, 1.0, 24.0),
        "membar" | "fence" => Cost { action: Action::Fence, ..cost(2.0, Pipe::Lsu, 1.0, 0.0) },
        "nanosleep" => Cost { action: Action::Sleep, ..cost(1.0, Pipe::None, 0.0, 40.0) },
        // Lanes that may part are told where they meet again: an instruction more.
        "bra" if inst.text.trim_start().starts_with('@') => {
            Cost { action: Action::Branch, ..cost(2.0, Pipe::None, 0.0, 0.0) }
        }
        "bra" | "brx" => Cost { action: Action::Branch, ..cost(1.0, Pipe::None, 0.0, 0.0) },
        "ret" | "exit" => Cost { action: Action::Exit, ..cost(1.0, Pipe::None, 0.0, 0.0) },
        "call" => cost(2.0, Pipe::None, 0.0, 10.0),
        _ if predicate => FREE,
        "add" | "sub" | "mul" | "fma" | "mad" | "min" | "max" | "neg" | "abs" if double => {
            cost(1.0, Pipe::Fp64, 2.0, 8.2)
        }
        "add" | "sub" | "mul" | "fma" | "mad" if single => FMA,
        "div" if double => cost(30.0, Pipe::Fp64, 40.0, 200.0),
        "div" | "sqrt" if single => cost(9.0, Pipe::Xu, 8.0, 60.0),
        "div" | "rem" if wide => cost(70.0, Pipe::Fma, 70.0, 250.0),
        "div" | "rem" => cost(22.0, Pipe::Fma, 22.0, 110.0),
        "sqrt" | "rsqrt" | "rcp" | "sin" | "cos" | "ex2" | "lg2" | "tanh" => cost(1.5, Pipe::Xu, 8.0, 20.0),
        "popc" | "brev" | "clz" | "bfind" => cost(1.0, Pipe::Xu, 4.0, 18.0),
        "cvt" if wide && (has("u32") || has("s32")) => {
            if has("s64") {
                cost(0.5, Pipe::Alu, 1.0, 4.5)
            } else {
                FREE
            }
        }
        "cvt" if single || double || has("f16") => cost(1.0, Pipe::Xu, 8.0, 12.0),
        "cvt" => cost(0.5, Pipe::Alu, 1.0, 4.5),
        "mul" if has("wide") => IMAD,
        "mad" if wide => cost(2.0, Pipe::Fma, 4.0, 8.4),
        "mul" | "mad" if wide => cost(3.0, Pipe::Fma, 6.0, 10.0),
        "mul" | "mad" if has("hi") => cost(1.0, Pipe::Fma, 4.0, 6.0),
        "mul" | "mad" => IMAD,
        "add" | "sub" if wide && feeds("mul.wide") => FREE,
        "add" | "sub" if wide && feeds("shl.b64") => cost(1.0, Pipe::Alu, 2.0, 4.5),
        "shl" if wide => cost(1.0, Pipe::Alu, 2.0, 4.5),
        "add" | "sub" if wide => cost(2.0, Pipe::Alu, 4.0, 6.0),
        "add" | "sub" if feeds("add.s32") || feeds("shl.b32") || feeds("mul.lo") => FREE,
        "and" | "or" | "xor" | "not" if wide => cost(2.0, Pipe::Alu, 4.0, 4.5),
        "and" | "or" | "xor" | "not" if feeds("and.b32") || feeds("or.b32") || feeds("xor.b32") || feeds("not.b32") => {
            FREE
        }
        "setp" | "set" | "selp" | "shl" | "shr" if wide => cost(2.0, Pipe::Alu, 4.0, 6.0),
        _ => ALU,
    }
}
