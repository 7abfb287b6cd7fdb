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
    /// Reduces over the lanes of one mask after the other.
    Reduce,
    /// Waits until the warp's own asynchronous copies are done, or announces that.
    Copies,
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
    /// Clocks for which it keeps [`Pipe::Adu`] busy beside its own pipe.
    pub votes: f64,
}

const fn cost(slots: f64, pipe: Pipe, busy: f64, latency: f64) -> Cost {
    Cost { slots, pipe, busy, latency, action: Action::Plain, votes: 0.0 }
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
            if inst.removed || converted.gone[pc] { FREE } else { masked(of(inst, &feeds), mask(inst, code)) }
        })
        .collect()
}

/// What is known of the mask of a `_sync` instruction when it is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mask {
    /// It has none, or a constant.
    Constant,
    /// A register that holds the same for all lanes: the result of a vote.
    Uniform,
    /// A register of which nothing is known.
    Any,
}

/// The mask of a shuffle, a vote or a reduction over lanes: the last operand.
fn mask(inst: &Instruction, code: &[Instruction]) -> Mask {
    let op = opcode(&inst.text);
    if !op.contains(".sync") || !matches!(op.split('.').next(), Some("shfl" | "vote" | "redux")) {
        return Mask::Constant;
    }
    let last = inst.text.trim_end().trim_end_matches(';').rsplit(',').next().map_or("", str::trim);
    if !last.starts_with('%') {
        return Mask::Constant;
    }
    let writes = |text: &str| {
        let operands = text.split_once(opcode(text)).map_or("", |parts| parts.1);
        let first = operands.split(',').next().unwrap_or("");
        first.split('|').any(|word| word.trim().trim_start_matches('{') == last)
    };
    let uniform = |inst: &Instruction| {
        let op = opcode(&inst.text);
        op.contains("ballot") || op.starts_with("activemask") || op.starts_with("ld.param") || op.starts_with("redux")
    };
    // A copy of a number, as `mov.b32 %r1, -1;`.
    let constant = |inst: &Instruction| {
        let from = inst.text.trim_end_matches(';').rsplit(',').next().map_or("", str::trim);
        opcode(&inst.text).starts_with("mov") && from.starts_with(|first: char| first == '-' || first.is_ascii_digit())
    };
    let writers: Vec<&Instruction> = code.iter().filter(|inst| writes(&inst.text)).collect();
    match &writers[..] {
        [] => Mask::Any,
        all if all.iter().all(|inst| constant(inst)) => Mask::Constant,
        all if all.iter().all(|inst| constant(inst) || uniform(inst)) => Mask::Uniform,
        _ => Mask::Any,
    }
}

/// A `_sync` instruction whose mask is in a register has others around it that see to it that its lanes are together.
/// Read off the machine code of `by_key_peers_f64` and `by_key_match_redux_i32` (ptxas 13.0.88, `sm_90`): a branch for a
/// mask that is the same for all lanes; else `MATCH`, `REDUX`, `VOTE` and a branch in front of a shuffle, `REDUX`, `R2UR`
/// and a branch in front of a vote; a reduction stands alone between `WARPSYNC.EXCLUSIVE` and `BSYNC`.
fn masked(cost: Cost, mask: Mask) -> Cost {
    match (mask, cost.action, cost.pipe) {
        (Mask::Constant, ..) => cost,
        (_, Action::Reduce, _) => Cost { slots: EXCLUSIVE.0, busy: EXCLUSIVE.1, ..cost },
        (Mask::Uniform, ..) => Cost { slots: cost.slots + 1.0, ..cost },
        (Mask::Any, _, Pipe::Lsu) => Cost { slots: cost.slots + 5.0, votes: 2.0 + 0.9 + REDUX, ..cost },
        (Mask::Any, ..) => Cost { slots: cost.slots + 3.0, busy: cost.busy + REDUX, ..cost },
    }
}

/// Clocks that `REDUX` keeps the unit of votes: `redux` of `kernels/calibrate/opcodes.cu`, 8.7 clocks of each of four
/// partitions.
const REDUX: f64 = 2.2;
/// Issue slots, and clocks of the unit of votes, of a reduction over the lanes of one mask of several: Nsight Compute
/// counts them in `by_key_match_redux_i32`.
const EXCLUSIVE: (f64, f64) = (8.0, 4.9);

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
        // A thread's number comes through the data stage of shared memory, a block's does not.
        "mov" if inst.text.contains("%tid") => cost(1.0, Pipe::Lsu, 1.0, 20.0),
        "mov" if inst.text.contains("%ctaid") || inst.text.contains("%laneid") => cost(1.0, Pipe::Lsu, 0.0, 20.0),
        "mov" | "cvta" | "isspacep" | "pragma" => FREE,
        "ld" if has("param") || has("const") => FREE,
        "cp" if has("wait_group") || has("wait_all") || has("bulk") => {
            Cost { action: Action::Copies, ..cost(1.0, Pipe::Lsu, 1.0, 0.0) }
        }
        "ld" | "st" | "atom" | "red" | "ldu" | "cp" | "ldmatrix" | "stmatrix" => cost(1.0, Pipe::Lsu, 1.0, 0.0),
        "prefetch" | "prefetchu" => FREE,
        "shfl" => cost(1.0, Pipe::Lsu, 1.0, 24.0),
        "vote" | "activemask" => cost(1.0, Pipe::Adu, 0.9, 12.0),
        "match" => cost(1.0, Pipe::Adu, 2.0, 53.0),
        "redux" => Cost { action: Action::Reduce, ..cost(1.0, Pipe::Adu, REDUX, 44.0) },
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
