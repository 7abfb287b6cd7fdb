//! Instructions in which lanes of a warp exchange values.
//!
//! The `_sync` forms name the lanes that execute them together. Lanes on other paths are waited for; lanes that have
//! exited are not.

use super::matrix;
use super::shuffles::{shuffle, sources};
use crate::event::{Observer, SyncEvent};
use crate::findings::{Absence, Breach, Fault, Who};
use crate::ir::inst::{Op, Pc, ReduxOp, Slot32, VoteMode, ops};
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::paths::{Path, Wait};
use crate::machine::registers::{Constants, Registers, Row32};
use crate::machine::warp::Warp;
use crate::target::Scheduling;

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
    let op = &block.machine.program.code.insts[pc as usize].op;
    if slot_of_mask(op).is_none() {
        // The forms without a mask, of before Volta: whoever is here takes part.
        compute(warp, block, pc, &[(op, active)], active, active);
        return true;
    }
    let (mut rest, mut groups) = (active, 0);
    while let Some((mask, group)) = next_group(warp, block, op, rest) {
        rest &= !group;
        groups += 1;
        if group & !mask != 0 {
            note_mask(warp, block, pc, group & !mask, Fault::NotInMask { mask });
        }
        let missing = mask & warp.paths.live() & !active;
        if missing != 0 && block.machine.scheduling == Scheduling::LockStep {
            // Nobody is waited for: those who are here are all that there is.
            if !matches!(op, Op::WarpSync { .. }) {
                note_mask(warp, block, pc, missing, Fault::AcrossBranch { mask });
            }
        } else if missing != 0 {
            // The whole path has this mask: `divide` has seen to it.
            let current = &mut warp.paths.list[path];
            current.pc = pc;
            current.wait = Wait::Lanes(mask);
            return false;
        }
        meet(warp, block, op, group);
        note_ended(warp, block, pc, mask, group);
        if let Op::Matrix(matrix) = op {
            matrix::execute(warp, block, pc, matrix, group);
        } else {
            compute(warp, block, pc, &[(op, active)], active & mask, group);
        }
    }
    if O::CHECKS && groups > 1 && matches!(op, Op::Redux { .. }) {
        block.observer.compared(groups);
    }
    true
}

/// Whether every living lane of the warp is here, with one mask for all that names exactly these lanes: nobody is waited
/// for and nobody is missing. Most `_sync` instructions are like that.
#[inline(always)]
pub(super) fn all_together(warp: &Warp, constants: &Constants, op: &Op, active: u32) -> bool {
    // Matrices are no rows of the lanes' own: `execute` knows them.
    let exchanges = !matches!(op, Op::Matrix(_));
    slot_of_mask(op).is_some_and(|slot| {
        let masks = warp.registers.w(constants, slot);
        let first = masks[active.trailing_zeros() as usize & 31];
        let mut different = 0;
        for (lane, mask) in masks.iter().enumerate() {
            different |= if active >> lane & 1 != 0 { mask ^ first } else { 0 };
        }
        exchanges && active == warp.paths.live() && first & active == active && different == 0
    })
}

/// Executes an instruction of which [`all_together`] holds.
pub(super) fn execute_together<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, op: &Op, active: u32) {
    meet(warp, block, op, active);
    if O::CHECKS
        && let Op::Match { all: false, a, .. } = *op
    {
        let values = warp.registers.wide(&block.machine.constants, a);
        let first =
            |lane: u32| !lanes_of(active & ((1 << lane) - 1)).any(|l| values[l as usize] == values[lane as usize]);
        let distinct = lanes_of(active).filter(|&lane| first(lane)).count() as u32;
        block.observer.compared(distinct);
    }
    if active != u32::MAX
        && let Some(slot) = slot_of_mask(op)
    {
        let mask = warp.registers.w(&block.machine.constants, slot)[active.trailing_zeros() as usize & 31];
        note_ended(warp, block, pc, mask, active);
    }
    compute(warp, block, pc, &[(op, active)], active, active);
}

/// Lanes execute an instruction whose mask names some that have ended. Lanes that the block never had do not count.
fn note_ended<O>(warp: &Warp, block: &mut Block<'_, O>, pc: Pc, mask: u32, lanes: u32) {
    let ended = mask & threads_of(warp, block) & !warp.paths.live();
    if ended != 0 && block.machine.scheduling == Scheduling::Independent {
        let who = (block.index, warp.index, lanes);
        block.faults.breaches.note((pc, None), who, Breach::EndedLanes { mask, lanes: ended });
    }
}

/// The lanes that a warp began with.
fn threads_of<O>(warp: &Warp, block: &Block<'_, O>) -> u32 {
    let rest = block.machine.block.count().saturating_sub(u64::from(warp.index) * 32);
    if rest >= 32 { u32::MAX } else { (1 << rest) - 1 }
}

/// Lanes that read, in a shuffle, from lanes that take no part in it: what they get is undefined.
#[cold]
fn note_absent<O>(warp: &Warp, block: &mut Block<'_, O>, pc: Pc, sources: &Row32, readers: u32) {
    let reader = readers.trailing_zeros();
    let from = sources[reader as usize & 31] & 31;
    let mask = slot_of_mask(&block.machine.program.code.insts[pc as usize].op)
        .map_or(u32::MAX, |slot| warp.registers.w(&block.machine.constants, slot)[reader as usize & 31]);
    let why = if mask >> from & 1 == 0 { Absence::Unnamed } else { Absence::Gone };
    block.faults.breaches.note((pc, None), (block.index, warp.index, readers), Breach::Absent { reader, from, why });
}

fn note_mask<O>(warp: &Warp, block: &mut Block<'_, O>, pc: Pc, lanes: u32, fault: Fault) {
    let who = Who { block: block.index, warp: warp.index, lanes };
    block.faults.note(pc, fault.kind(), who, || fault);
}

/// Lanes of a path that must part from the others before they execute `op`, because not all of them have to wait for
/// the same, and where the others go on. `None` when the path can stay together.
pub(super) fn divide<O>(
    warp: &Warp,
    block: &Block<'_, O>,
    op: &Op,
    pc: Pc,
    active: u32,
    lanes: u32,
) -> Option<(u32, Pc)> {
    if block.machine.scheduling == Scheduling::LockStep {
        return None;
    }
    if let Op::Barrier(barrier) = op {
        // Lanes whose guard is false do not wait with the others: they part as at a branch around the instruction.
        return (active != lanes && !barrier.arrive_only).then_some((active, pc + 1));
    }
    let (first_mask, first) = next_group(warp, block, op, active)?;
    let complete = |mask: u32| mask & warp.paths.live() & !active == 0;
    if first == active {
        return (active != lanes && !complete(first_mask)).then_some((active, pc + 1));
    }
    // Lanes with different masks are different exchanges (as after `match.any`): they happen at once when all are
    // complete, else each waits for its own.
    let mut rest = active & !first;
    let mut all = complete(first_mask);
    while let Some((mask, group)) = next_group(warp, block, op, rest) {
        all &= complete(mask);
        rest &= !group;
    }
    (!all).then_some((first, pc))
}

/// The mask of the first of `lanes`, and those of them that have the same. `None` when there are no more or the
/// instruction has no mask.
fn next_group<O>(warp: &Warp, block: &Block<'_, O>, op: &Op, lanes: u32) -> Option<(u32, u32)> {
    let row = warp.registers.w(&block.machine.constants, slot_of_mask(op)?);
    let mask = *row.get(lanes.trailing_zeros() as usize)?;
    let group = row.iter().enumerate().fold(0, |group, (lane, &other)| group | u32::from(other == mask) << lane);
    Some((mask, group & lanes))
}

/// Wakes paths that wait at a `_sync` instruction when all lanes of their mask are there. True when some woke.
///
/// The instruction need not be the same one: the PTX ISA asks for the same operation with the same mask, and compilers
/// do copy a `_sync` instruction into both branches of a condition.
pub(crate) fn wake<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>) -> bool {
    let program = block.machine.program;
    let op_at = |pc: Pc| &program.code.insts[pc as usize].op;
    for at in 0..warp.paths.list.len() {
        let first = warp.paths.list[at];
        if !matches!(first.wait, Wait::Lanes(_)) {
            continue;
        }
        // A lane counts as there whatever its own mask says: that is how the hardware waits.
        let parts: Vec<Part<'_>> = warp
            .paths
            .list
            .iter()
            .filter(|path| matches!(path.wait, Wait::Lanes(_)) && same_operation(op_at(first.pc), op_at(path.pc)))
            .map(|path| (op_at(path.pc), path.lanes))
            .collect();
        let here = parts.iter().fold(0, |lanes, part| lanes | part.1);
        let live = warp.paths.live();
        let complete = |path: &Path| {
            matches!(path.wait, Wait::Lanes(mask) if mask & live & !here == 0)
                && same_operation(op_at(first.pc), op_at(path.pc))
        };
        let mut masks: Vec<(u32, u32)> = Vec::new();
        for path in warp.paths.list.iter().filter(|path| complete(path)) {
            let Wait::Lanes(mask) = path.wait else { continue };
            match masks.iter_mut().find(|known| known.0 == mask) {
                Some(known) => known.1 |= path.lanes,
                None => masks.push((mask, path.lanes)),
            }
        }
        if masks.is_empty() {
            continue;
        }
        for (mask, receivers) in masks {
            meet(warp, block, parts[0].0, receivers);
            note_ended(warp, block, first.pc, mask, receivers);
            if let Op::Matrix(matrix) = parts[0].0 {
                matrix::execute(warp, block, first.pc, matrix, receivers);
            } else {
                compute(warp, block, first.pc, &parts, here & mask, receivers);
            }
        }
        warp.paths.wake(complete);
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
        (Op::Matrix(a), Op::Matrix(b)) => std::ptr::eq(&raw const **a, &raw const **b),
        _ => false,
    }
}

/// `__syncwarp` orders what its lanes did to memory. The other `_sync` instructions exchange values and order nothing:
/// neither the PTX ISA nor CUDA C++ says that they do.
fn meet<O: Observer>(warp: &Warp, block: &mut Block<'_, O>, op: &Op, lanes: u32) {
    if O::CHECKS && matches!(op, Op::WarpSync { .. }) {
        block.observer.sync(&SyncEvent::Warp { warp: warp.index, lanes });
    }
}

fn slot_of_mask(op: &Op) -> Option<Slot32> {
    match *op {
        Op::WarpSync { mask } | Op::Match { mask, .. } | Op::Redux { mask, .. } | Op::Elect { mask, .. } => Some(mask),
        Op::Shuffle { mask, .. } | Op::Vote { mask, .. } => mask,
        Op::Matrix(ref matrix) => Some(matrix.mask),
        Op::Barrier(_) | Op::Fence | Op::CopyStep => None,
        ops!(lane_local) | ops!(query) | ops!(memory) | ops!(control) | ops!(stop) | ops!(system) => None,
    }
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

/// Lets `members`, lanes of `parts`, exchange values, and gives `receivers`, lanes of the same mask, the result.
fn compute<O: Observer>(
    warp: &mut Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    parts: &[Part<'_>],
    members: u32,
    receivers: u32,
) {
    let machine = block.machine;
    let constants = &machine.constants;
    let registers = &mut warp.registers;
    let results = parts.iter().map(|&(op, lanes)| (op, lanes & receivers)).filter(|part| part.1 != 0);
    match *parts[0].0 {
        Op::Shuffle { mode, .. } => {
            let operand = |which: fn(Slot32, Slot32, Slot32) -> Slot32| {
                gather(registers, constants, parts, |op| match *op {
                    Op::Shuffle { a, b, c, .. } => which(a, b, c),
                    Op::Vote { .. }
                    | Op::Match { .. }
                    | Op::Redux { .. }
                    | Op::Elect { .. }
                    | Op::Matrix(_)
                    | ops!(lane_local)
                    | ops!(query)
                    | ops!(memory)
                    | ops!(sync)
                    | ops!(control)
                    | ops!(stop)
                    | ops!(system) => 0,
                })
            };
            let (mut a, b, c) = (operand(|a, _, _| a), operand(|_, b, _| b), operand(|_, _, c| c));
            // What lanes give that do not take part is undefined; an H200 was seen to give 0.
            let present = parts.iter().fold(0, |lanes, part| lanes | part.1);
            for lane in (0..32).filter(|lane| present >> lane & 1 == 0) {
                a[lane] = 0;
            }
            if O::CHECKS && members != u32::MAX && machine.scheduling == Scheduling::Independent {
                let (from, _) = sources(mode, &b, &c);
                let absent = |lane: &u32| {
                    let source = from[*lane as usize] & 31;
                    source != *lane && members >> source & 1 == 0
                };
                let readers = lanes_of(receivers).filter(absent).fold(0, |lanes, lane| lanes | 1 << lane);
                if readers != 0 {
                    for lane in (0..32).filter(|lane| members >> lane & 1 == 0) {
                        a[lane] = machine.absent.unwrap_or(a[lane]);
                    }
                    note_absent(warp, block, pc, &from, readers);
                }
            }
            let registers = &mut warp.registers;
            let (value, valid) = shuffle(mode, &a, &b, &c);
            for (op, lanes) in results {
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
                bits |= if negated { !registers.p(a) } else { registers.p(a) } & lanes & members;
            }
            let value = match mode {
                VoteMode::Ballot => bits,
                VoteMode::All => u32::from(bits == members),
                VoteMode::Any => u32::from(bits != 0),
                VoteMode::Uni => u32::from(bits == members || bits == 0),
            };
            for (op, lanes) in results {
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
                |value: u64| (0..32).filter(|&l| members >> l & 1 != 0 && row[l] == value).fold(0, |m, l| m | 1 << l);
            let value: Row32 = std::array::from_fn(|lane| {
                let peers = peers(row[lane]);
                if all && peers != members { 0 } else { peers }
            });
            let agreed = value[receivers.trailing_zeros() as usize & 31] != 0;
            for (op, lanes) in results {
                let Op::Match { d, p, .. } = *op else { continue };
                registers.set_w(d, &value, lanes);
                if let Some(p) = p {
                    registers.set_p(p, if agreed { u32::MAX } else { 0 }, lanes);
                }
            }
        }
        Op::Redux { op, .. } => {
            let row = gather(registers, constants, parts, |op| if let Op::Redux { a, .. } = *op { a } else { 0 });
            let values = (0..32).filter(|lane| members >> lane & 1 != 0).map(|lane| row[lane]);
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
            for (op, lanes) in results {
                let Op::Redux { d, .. } = *op else { continue };
                registers.set_w(d, &[value; 32], lanes);
            }
        }
        Op::Elect { .. } => {
            let leader = members.trailing_zeros().min(31);
            for (op, lanes) in results {
                let Op::Elect { d, p, .. } = *op else { continue };
                if let Some(d) = d {
                    registers.set_w(d, &[leader; 32], lanes);
                }
                registers.set_p(p, 1 << leader, lanes);
            }
        }
        Op::Matrix(_) => {}
        ops!(lane_local) | ops!(query) | ops!(memory) | ops!(sync) | ops!(control) | ops!(stop) | ops!(system) => {}
    }
}
