//! Instructions in which lanes of a warp exchange values.
//!
//! The `_sync` forms name the lanes that execute them together. Lanes on other paths are waited for; lanes that have
//! exited are not.

use crate::machine::block::{Block, lanes_text};
use crate::machine::fault::Fault;
use crate::machine::paths::{Path, Wait};
use crate::machine::registers::{Constants, Registers, Row32};
use crate::machine::warp::Warp;
use crate::observe::Observer;
use crate::program::inst::{Op, Pc, ReduxOp, ShuffleMode, Slot32, VoteMode};
use crate::report::FindingKind;

/// Lanes that execute one instruction together with others; the instruction of each may stand elsewhere in the program,
/// with other registers.
type Part<'m> = (&'m Op, u32);

/// Executes the instruction at `pc` for the lanes `active` of `path`, or makes the path wait for the other lanes of its
/// mask. True when it was executed.
pub(super) fn execute<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    path: usize,
    pc: Pc,
    active: u32,
) -> bool {
    let op = &block.machine.program.insts[pc as usize].op;
    let Some(mask) = mask_of(warp, block, op, active) else {
        // The forms without a mask, of before Volta: whoever is here takes part.
        compute(warp, block, &[(op, active)]);
        return true;
    };
    if active & !mask != 0 {
        let (index, number) = (block.index, warp.index);
        block.faults.note(pc, FindingKind::InvalidSyncMask, || Fault {
            message: format!(
                "{} of warp {number} executes this instruction but is not in its mask {mask:#010x}",
                lanes_text(active & !mask)
            ),
            help: "the mask must name every lane that executes the instruction: take it from `__ballot_sync` or \
                   `__activemask` where the lanes part",
            block: index,
            warp: number,
            lanes: active & !mask,
            count: 1,
        });
    }
    let missing = mask & warp.paths.live() & !active;
    if missing == 0 {
        compute(warp, block, &[(op, active)]);
        return true;
    }
    let current = &mut warp.paths.list[path];
    current.pc = pc;
    current.wait = Wait::Lanes(mask);
    false
}

/// Whether the lanes of `active` that execute `op` have to wait for others, perhaps.
pub(super) fn may_wait<O>(warp: &Warp, block: &Block<'_, O>, op: &Op, active: u32) -> bool {
    match op {
        Op::Barrier(barrier) => !barrier.arrive_only,
        _ => mask_of(warp, block, op, active).is_some_and(|mask| mask & warp.paths.live() & !active != 0),
    }
}

/// Wakes paths that wait at a `_sync` instruction when all lanes of their mask are there. True when some woke.
///
/// The instruction need not be the same one: the PTX ISA asks for the same operation with the same mask, and compilers
/// do copy a `_sync` instruction into both branches of a condition.
pub(crate) fn wake<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>) -> bool {
    let program = block.machine.program;
    for at in 0..warp.paths.list.len() {
        let first = warp.paths.list[at];
        let Wait::Lanes(mask) = first.wait else { continue };
        let op = &program.insts[first.pc as usize].op;
        let together = |path: &Path| path.wait == first.wait && same_operation(op, &program.insts[path.pc as usize].op);
        let here = warp.paths.list.iter().filter(|path| together(path)).fold(0, |lanes, path| lanes | path.lanes);
        if mask & warp.paths.live() & !here != 0 {
            continue;
        }
        let parts: Vec<Part<'_>> = warp
            .paths
            .list
            .iter()
            .filter(|path| together(path))
            .map(|path| (&program.insts[path.pc as usize].op, path.lanes))
            .collect();
        compute(warp, block, &parts);
        warp.paths.wake(together);
        return true;
    }
    false
}

/// Whether lanes at one instruction and lanes at the other take part in the same exchange.
fn same_operation(a: &Op, b: &Op) -> bool {
    match (a, b) {
        (Op::WarpSync { .. }, Op::WarpSync { .. }) => true,
        (Op::Shuffle { mode: a, .. }, Op::Shuffle { mode: b, .. }) => a == b,
        (Op::Vote { mode: a, .. }, Op::Vote { mode: b, .. }) => a == b,
        (Op::Match { all: a, .. }, Op::Match { all: b, .. }) => a == b,
        (Op::Redux { op: a, .. }, Op::Redux { op: b, .. }) => a == b,
        (Op::Elect { .. }, Op::Elect { .. }) => true,
        _ => false,
    }
}

fn mask_of<O>(warp: &Warp, block: &Block<'_, O>, op: &Op, active: u32) -> Option<u32> {
    let slot = match *op {
        Op::WarpSync { mask } | Op::Match { mask, .. } | Op::Redux { mask, .. } | Op::Elect { mask, .. } => mask,
        Op::Shuffle { mask, .. } | Op::Vote { mask, .. } => mask?,
        _ => return None,
    };
    Some(warp.registers.w(&block.machine.constants, slot)[active.trailing_zeros() as usize])
}

/// An operand of all parts: every lane's from the register that its own instruction names.
fn gather<'m>(
    registers: &Registers,
    constants: &Constants,
    parts: &[Part<'m>],
    slot: impl Fn(&'m Op) -> Slot32,
) -> Row32 {
    let mut row = *registers.w(constants, slot(parts[0].0));
    for &(op, lanes) in &parts[1..] {
        let other = registers.w(constants, slot(op));
        for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
            row[lane] = other[lane];
        }
    }
    row
}

fn compute<O>(warp: &mut Warp, block: &Block<'_, O>, parts: &[Part<'_>]) {
    let constants = &block.machine.constants;
    let registers = &mut warp.registers;
    let active = parts.iter().fold(0, |lanes, part| lanes | part.1);
    match *parts[0].0 {
        Op::Shuffle { mode, .. } => {
            let operand = |which: fn(Slot32, Slot32, Slot32) -> Slot32| {
                gather(registers, constants, parts, |op| match *op {
                    Op::Shuffle { a, b, c, .. } => which(a, b, c),
                    _ => 0,
                })
            };
            let (a, b, c) = (operand(|a, _, _| a), operand(|_, b, _| b), operand(|_, _, c| c));
            let (value, valid) = shuffle(mode, &a, &b, &c);
            for &(op, lanes) in parts {
                let Op::Shuffle { d, p, .. } = *op else { continue };
                registers.set_w(d, &value, lanes);
                if let Some(p) = p {
                    registers.set_p(p, valid, lanes);
                }
            }
        }
        Op::Vote { mode, .. } => {
            let mut bits = 0;
            for &(op, lanes) in parts {
                let Op::Vote { a, negated, .. } = *op else { continue };
                bits |= if negated { !registers.p(a) } else { registers.p(a) } & lanes;
            }
            let value = match mode {
                VoteMode::Ballot => bits,
                VoteMode::All => u32::from(bits == active),
                VoteMode::Any => u32::from(bits != 0),
                VoteMode::Uni => u32::from(bits == active || bits == 0),
            };
            for &(op, lanes) in parts {
                let Op::Vote { d, .. } = *op else { continue };
                registers.set_wide(d, &[u64::from(value); 32], lanes);
            }
        }
        Op::Match { all, .. } => {
            let mut row = [0; 32];
            for &(op, lanes) in parts {
                let Op::Match { a, .. } = *op else { continue };
                let own = registers.wide(constants, a);
                for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
                    row[lane] = own[lane];
                }
            }
            let peers =
                |value: u64| (0..32).filter(|&l| active >> l & 1 != 0 && row[l] == value).fold(0, |m, l| m | 1 << l);
            let value: Row32 = std::array::from_fn(|lane| {
                let peers = if active >> lane & 1 != 0 { peers(row[lane]) } else { 0 };
                if all && peers != active { 0 } else { peers }
            });
            let agreed = value[active.trailing_zeros() as usize] != 0;
            for &(op, lanes) in parts {
                let Op::Match { d, p, .. } = *op else { continue };
                registers.set_w(d, &value, lanes);
                if let Some(p) = p {
                    registers.set_p(p, if agreed { u32::MAX } else { 0 }, lanes);
                }
            }
        }
        Op::Redux { op, .. } => {
            let row = gather(registers, constants, parts, |op| if let Op::Redux { a, .. } = *op { a } else { 0 });
            let values = (0..32).filter(|lane| active >> lane & 1 != 0).map(|lane| row[lane]);
            let value = match op {
                ReduxOp::Add => values.fold(0, u32::wrapping_add),
                ReduxOp::And => values.fold(u32::MAX, |x, y| x & y),
                ReduxOp::Or => values.fold(0, |x, y| x | y),
                ReduxOp::Xor => values.fold(0, |x, y| x ^ y),
                ReduxOp::MinU => values.min().unwrap_or(0),
                ReduxOp::MaxU => values.max().unwrap_or(0),
                ReduxOp::MinS => values.map(|v| v as i32).min().unwrap_or(0) as u32,
                ReduxOp::MaxS => values.map(|v| v as i32).max().unwrap_or(0) as u32,
            };
            for &(op, lanes) in parts {
                let Op::Redux { d, .. } = *op else { continue };
                registers.set_w(d, &[value; 32], lanes);
            }
        }
        Op::Elect { .. } => {
            let leader = active.trailing_zeros();
            for &(op, lanes) in parts {
                let Op::Elect { d, p, .. } = *op else { continue };
                if let Some(d) = d {
                    registers.set_w(d, &[leader; 32], lanes);
                }
                registers.set_p(p, 1 << leader, lanes);
            }
        }
        _ => {}
    }
}

/// The PTX ISA's definition of `shfl`: the value that every lane reads, and which lanes read within their segment.
fn shuffle(mode: ShuffleMode, a: &Row32, b: &Row32, c: &Row32) -> (Row32, u32) {
    let mut value = [0; 32];
    let mut valid = 0;
    for lane in 0..32u32 {
        let (b, c) = (b[lane as usize] & 31, c[lane as usize]);
        let (clamp, segment) = (c & 31, c >> 8 & 31);
        let highest = (lane & segment) | (clamp & !segment);
        let lowest = lane & segment;
        let (source, inside) = match mode {
            ShuffleMode::Up => {
                let source = lane as i32 - b as i32;
                (source, source >= highest as i32)
            }
            ShuffleMode::Down => ((lane + b) as i32, lane + b <= highest),
            ShuffleMode::Bfly => ((lane ^ b) as i32, (lane ^ b) <= highest),
            ShuffleMode::Idx => {
                let source = lowest | (b & !segment);
                (source as i32, source <= highest)
            }
        };
        let source = if inside { source as usize } else { lane as usize };
        value[lane as usize] = a[source & 31];
        valid |= u32::from(inside) << lane;
    }
    (value, valid)
}
