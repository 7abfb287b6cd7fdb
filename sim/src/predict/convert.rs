//! Short pieces of code that a branch goes around become conditional instructions, as ptxas makes them: the branch is
//! gone, and what stands before, between and behind it is put in order as one block.

use super::trace::Instruction;
use super::weights::opcode;

/// Most instructions of a piece.
const LONGEST: usize = 7;

/// What became of the branches of a kernel.
#[derive(Debug, Default)]
pub(super) struct Converted {
    /// By position: whether a block begins here, now that some branches are gone.
    pub leads: Vec<bool>,
    /// By position: the branch that is gone and on whose condition this instruction depends.
    pub under: Vec<Option<u32>>,
    /// By position: whether this is a branch that is gone.
    pub gone: Vec<bool>,
}

/// Converts the branches of a kernel.
pub(super) fn convert(code: &[Instruction]) -> Converted {
    let mut converted = Converted {
        leads: code.iter().map(|inst| inst.leads).collect(),
        under: vec![None; code.len()],
        gone: vec![false; code.len()],
    };
    let mut arrivals = vec![0u32; code.len() + 1];
    code.iter().filter_map(|inst| inst.target).for_each(|target| arrivals[(target as usize).min(code.len())] += 1);
    for (pc, inst) in code.iter().enumerate() {
        let Some(target) = inst.target.map(|target| target as usize) else { continue };
        if !inst.guarded || target <= pc + 1 || target - pc - 1 > LONGEST * 2 || target >= code.len() {
            continue;
        }
        let inside = pc + 1..target;
        let counted = code[inside.clone()].iter().filter(|inst| !inst.removed && counts(inst)).count();
        if counted > LONGEST
            || code[inside.clone()].iter().any(stays)
            || arrivals[pc + 1..target].iter().any(|&a| a > 0)
        {
            continue;
        }
        converted.gone[pc] = true;
        inside.clone().for_each(|at| {
            converted.under[at] = Some(pc as u32);
            converted.leads[at] = false;
        });
        converted.leads[target] = arrivals[target] > 1;
    }
    converted
}

/// Whether an instruction takes room.
fn counts(inst: &Instruction) -> bool {
    !matches!(opcode(&inst.text).split('.').next(), Some("mov" | "cvta" | "pragma"))
}

/// Whether no condition can stand before an instruction, or others may arrive at it.
fn stays(inst: &Instruction) -> bool {
    let name = opcode(&inst.text).split('.').next().unwrap_or("");
    matches!(
        name,
        "bra"
            | "brx"
            | "ret"
            | "exit"
            | "call"
            | "bar"
            | "barrier"
            | "shfl"
            | "vote"
            | "match"
            | "redux"
            | "membar"
            | "fence"
            | "atom"
            | "trap"
            | "nanosleep"
            | "div"
            | "rem"
            | "mbarrier"
            | "activemask"
            | "elect"
    )
}
