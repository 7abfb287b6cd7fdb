//! How many registers a thread needs: the most values that live at one place of the code. ptxas decides by more than
//! that; PTX tells no more.

use super::trace::Instruction;

/// Registers that a thread has beside those that hold values of the PTX: addresses, constants, what moves in advance.
const MORE: u32 = 6;
/// Registers come in so many.
const STEP: u32 = 8;

/// An estimate of the registers of a thread. `double` tells whether a register of the code is one of 64 bits, and
/// `counts` whether it is one at all (predicates have their own).
pub(super) fn registers(code: &[Instruction], counts: impl Fn(u32) -> u32) -> u32 {
    let most =
        code.iter().flat_map(|inst| inst.reads.iter().chain(&inst.writes)).max().map_or(0, |&reg| reg as usize + 1);
    // From the first mention to the last.
    let mut spans: Vec<Option<(usize, usize)>> = vec![None; most];
    for (pc, inst) in code.iter().enumerate().filter(|(_, inst)| !inst.removed) {
        for &reg in inst.reads.iter().chain(&inst.writes) {
            let span = spans[reg as usize].get_or_insert((pc, pc));
            span.1 = pc;
        }
    }
    // What is known before a loop and needed in it lives until its end.
    for (pc, inst) in code.iter().enumerate() {
        let Some(target) = inst.target.map(|target| target as usize).filter(|&target| target <= pc) else { continue };
        for span in spans.iter_mut().flatten() {
            if span.0 < target && span.1 >= target && span.1 < pc {
                span.1 = pc;
            }
        }
    }
    let mut change = vec![0i64; code.len() + 1];
    for (reg, span) in spans.iter().enumerate() {
        if let Some((from, to)) = *span {
            let words = i64::from(counts(reg as u32));
            change[from] += words;
            change[to] -= words;
        }
    }
    let (mut now, mut most) = (0, 0);
    for change in change {
        now += change;
        most = most.max(now);
    }
    (most as u32 + MORE).next_multiple_of(STEP)
}
