//! Instructions in which lanes of a warp exchange values.
//!
//! The `_sync` forms name the lanes that execute them together. Lanes on other paths are waited for; lanes that have
//! exited are not.

use crate::machine::block::{Block, lanes_text};
use crate::machine::fault::Fault;
use crate::machine::paths::Wait;
use crate::machine::registers::Row32;
use crate::machine::warp::Warp;
use crate::observe::Observer;
use crate::program::inst::{Op, Pc, ReduxOp, ShuffleMode, VoteMode};
use crate::report::FindingKind;

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
        compute(warp, block, op, active);
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
        compute(warp, block, op, active);
        return true;
    }
    let current = &mut warp.paths.list[path];
    current.pc = pc;
    current.wait = Wait::Lanes(mask);
    false
}

/// Wakes paths that wait at the same `_sync` instruction when all lanes of their mask are there. True when some woke.
pub(crate) fn wake<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>) -> bool {
    for at in 0..warp.paths.list.len() {
        let first = warp.paths.list[at];
        let Wait::Lanes(mask) = first.wait else { continue };
        // Two paths that wait at different instructions of the same kind do not meet: CUDA leaves that undefined.
        let together = |path: &crate::machine::paths::Path| path.wait == first.wait && path.pc == first.pc;
        let here = warp.paths.list.iter().filter(|path| together(path)).fold(0, |lanes, path| lanes | path.lanes);
        if mask & warp.paths.live() & !here != 0 {
            continue;
        }
        let inst = &block.machine.program.insts[first.pc as usize];
        let active = match inst.guard {
            None => here,
            Some((p, false)) => here & warp.registers.p(p),
            Some((p, true)) => here & !warp.registers.p(p),
        };
        compute(warp, block, &inst.op, active);
        for path in &mut warp.paths.list {
            if path.wait == first.wait && path.pc == first.pc {
                path.wait = Wait::None;
                path.pc += 1;
            }
        }
        return true;
    }
    false
}

fn mask_of<O>(warp: &Warp, block: &Block<'_, O>, op: &Op, active: u32) -> Option<u32> {
    let slot = match *op {
        Op::WarpSync { mask } | Op::Match { mask, .. } | Op::Redux { mask, .. } => mask,
        Op::Shuffle { mask, .. } | Op::Vote { mask, .. } => mask?,
        _ => return None,
    };
    Some(warp.registers.w(&block.machine.constants, slot)[active.trailing_zeros() as usize])
}

fn compute<O>(warp: &mut Warp, block: &Block<'_, O>, op: &Op, active: u32) {
    let constants = &block.machine.constants;
    let registers = &mut warp.registers;
    match *op {
        Op::Shuffle { mode, d, p, a, b, c, .. } => {
            let (a, b, c) = (*registers.w(constants, a), *registers.w(constants, b), *registers.w(constants, c));
            let (value, valid) = shuffle(mode, &a, &b, &c);
            registers.set_w(d, &value, active);
            if let Some(p) = p {
                registers.set_p(p, valid, active);
            }
        }
        Op::Vote { mode, d, a, negated, .. } => {
            let bits = if negated { !registers.p(a) } else { registers.p(a) } & active;
            let value = match mode {
                VoteMode::Ballot => bits,
                VoteMode::All => u32::from(bits == active),
                VoteMode::Any => u32::from(bits != 0),
                VoteMode::Uni => u32::from(bits == active || bits == 0),
            };
            registers.set_wide(d, &[u64::from(value); 32], active);
        }
        Op::Match { all, d, p, a, .. } => {
            let row = registers.wide(constants, a);
            let lanes =
                |value: u64| (0..32).filter(|&l| active >> l & 1 != 0 && row[l] == value).fold(0, |m, l| m | 1 << l);
            let value: Row32 = std::array::from_fn(|lane| {
                let peers = if active >> lane & 1 != 0 { lanes(row[lane]) } else { 0 };
                if all && peers != active { 0 } else { peers }
            });
            let agreed = value[active.trailing_zeros() as usize] != 0;
            registers.set_w(d, &value, active);
            if let Some(p) = p {
                registers.set_p(p, if agreed { u32::MAX } else { 0 }, active);
            }
        }
        Op::Redux { op, d, a, .. } => {
            let row = registers.w(constants, a);
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
            registers.set_w(d, &[value; 32], active);
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
