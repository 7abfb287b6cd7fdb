//! Executes machine instructions, one for all lanes of a group at a time.

mod accesses;
mod atomic;
mod bits;
mod bulk;
mod float;
mod integer;
mod matrix;
mod memory;
mod warp_wide;

use std::sync::OnceLock;

use super::block::{Block, lanes_at};
use super::machine::Machine;
use super::op::{Barrier, BarrierReduction, Op};
use super::warp::{Group, Wait, Warp};
use crate::event::Observer as _;
use crate::findings::FindingKind;
use crate::lanes::lanes_where;

/// Runs group `at` of a warp until it waits, ends, parts, or `fuel` is used up.
pub(super) fn run(warp: &mut Warp, block: &mut Block<'_>, at: usize, fuel: &mut u64) {
    static CPU: OnceLock<pulp::Arch> = OnceLock::new();
    CPU.get_or_init(pulp::Arch::new).dispatch(Run { warp, block, at, fuel });
}

/// The arguments of [`run`]: its code is compiled for every kind of vector unit, and the CPU's is chosen at run time.
struct Run<'r, 'm> {
    warp: &'r mut Warp,
    block: &'r mut Block<'m>,
    at: usize,
    fuel: &'r mut u64,
}

impl pulp::WithSimd for Run<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        run_here(self.warp, self.block, self.at, self.fuel);
    }
}

#[inline(always)]
fn run_here(warp: &mut Warp, block: &mut Block<'_>, at: usize, fuel: &mut u64) {
    let machine = block.machine;
    let constants = &machine.constants[..];
    let Group { mask, mut pc, .. } = warp.groups[at];
    while *fuel > 0 {
        let Some(inst) = machine.program.instructions.get(pc as usize) else {
            let message = "the program counter has left the code".to_owned();
            let last = machine.program.instructions.len() as u32 - 1;
            block.fault(last, FindingKind::Trap, (warp.index, mask), (message, "report the kernel"), None);
            block.faulted = 0;
            end_lanes(warp, at, mask, pc);
            return;
        };
        *fuel -= 1;
        warp.executed += 1;
        let active = match inst.guard {
            None => mask,
            Some(guard) => mask & warp.pred(guard),
        };
        let counts = &mut block.executed[pc as usize];
        counts.warps += 1;
        counts.threads += u64::from(mask.count_ones());
        counts.pred_on += u64::from(active.count_ones());
        if let Some(tracer) = &mut block.tracer {
            tracer.instruction(pc, active);
        }
        match &inst.op {
            &Op::Branch { target, taken, all } => {
                let goes = active & warp.pred(taken);
                let goes = if all && goes != 0 { mask } else { goes };
                if goes == mask {
                    pc = target;
                } else if goes == 0 {
                    pc += 1;
                } else {
                    counts.divergent += 1;
                    part(warp, at, (goes, target), pc + 1);
                    return;
                }
                continue;
            }
            &Op::BranchDivergent { target, mask: wanted } => {
                let wanted = warp.source(constants, wanted)[mask.trailing_zeros() as usize & 31];
                // Taken unless all wanted lanes are here and their guard holds: `@!P0` has lanes with the mask of the first
                // one, so lanes with different masks take it, too. An H100 executes as many instructions.
                let apart = wanted & warp.live & !active != 0;
                pc = if apart { target } else { pc + 1 };
                continue;
            }
            &Op::Exit { also } => {
                let goes = active & warp.pred(also);
                if goes == 0 {
                    pc += 1;
                    continue;
                }
                end_lanes(warp, at, goes, pc + 1);
                return;
            }
            &Op::BeginRegion { barrier } if active != 0 => set_region(warp, barrier, mask, active),
            Op::BeginRegion { .. } => {}
            &Op::EndRegion { barrier } if active != 0 => {
                warp.groups[at].pc = pc;
                if !meet(warp, at, barrier) {
                    return;
                }
                // All are here already: they go on as one.
                if warp.groups[at].mask != mask {
                    return;
                }
            }
            &Op::WarpSync { mask: wanted, collective } if active != 0 => {
                let wanted = wanted.map_or([u32::MAX; 32], |slot| warp.raw(constants, slot));
                if collective {
                    let first = wanted[mask.trailing_zeros() as usize & 31];
                    let same = lanes_where(mask, |lane| wanted[lane as usize] == first);
                    if same != mask {
                        // The others execute it again, when their turn comes.
                        part_at(warp, at, (same, pc), pc);
                    }
                }
                warp.groups[at].pc = pc;
                wait_for_lanes(warp, at, &wanted);
                return;
            }
            &Op::Call { target } if active != 0 => {
                pc = target;
                continue;
            }
            &(Op::CallRegister { address, base }
            | Op::Return { address, base }
            | Op::BranchIndirect { address, base })
                if active != 0 =>
            {
                let to = warp.source64(constants, address);
                let first = to[active.trailing_zeros() as usize & 31];
                let same = lanes_where(active, |lane| to[lane as usize] == first);
                let offset = first.cast_signed().wrapping_add(base);
                let inside = offset % 16 == 0 && offset >= 0;
                let target = if inside { u32::try_from(offset / 16).unwrap_or(u32::MAX) } else { u32::MAX };
                if same == mask {
                    pc = target;
                    continue;
                }
                // The others find their own way when they come here again.
                part_at(warp, at, (same, target), pc);
                return;
            }
            Op::Barrier(barrier) if active != 0 => {
                let id = barrier_id(warp, constants, barrier, active);
                if !barrier.arrive_only {
                    let group = &mut warp.groups[at];
                    group.pc = pc;
                    group.wait = Wait::Barrier(id);
                    return;
                }
                let threads = if active == warp.live { 32 } else { active.count_ones() };
                *block.arrivals.entry(id).or_default() += threads;
                block.changes += 1;
            }
            Op::Sleep { a } if active != 0 => {
                let nanoseconds = warp.source(constants, *a)[active.trailing_zeros() as usize & 31];
                warp.executed += u64::from(nanoseconds);
                // The turn is over: whoever it waits for has its own.
                give_way(warp, at, pc + 1);
                warp.yields = true;
                return;
            }
            Op::Trap if active != 0 => {
                let message = format!("{} of warp {} execute a trap", crate::lanes::lanes_text(active), warp.index);
                block.fault(
                    pc,
                    FindingKind::Trap,
                    (warp.index, active),
                    (message, "see why the kernel stops itself"),
                    None,
                );
            }
            op if active != 0 => {
                execute(warp, block, pc, op, active);
                if warp.yields {
                    give_way(warp, at, pc + 1);
                    return;
                }
            }
            _ => {}
        }
        if block.faulted != 0 {
            // Whoever misses memory goes no further; on a GPU the whole launch ends here.
            let gone = std::mem::take(&mut block.faulted) & mask;
            end_lanes(warp, at, gone, pc + 1);
            return;
        }
        pc += 1;
    }
    give_way(warp, at, pc);
}

/// The turn of a group is over; the next one begins at `pc`.
fn give_way(warp: &mut Warp, at: usize, pc: u32) {
    let group = &mut warp.groups[at];
    group.pc = pc;
    group.turns += 1;
}

/// What neither branches nor waits.
#[inline(always)]
fn execute(warp: &mut Warp, block: &mut Block<'_>, pc: u32, op: &Op, active: u32) {
    let constants = &block.machine.constants[..];
    match op {
        Op::Load(access) => accesses::load(warp, block, pc, access, active),
        Op::Store(access) => accesses::store(warp, block, pc, access, active),
        Op::Nothing => {}
        op if integer::execute(warp, constants, op, active) => {}
        op if float::execute(warp, constants, op, active) => {}
        op => others(warp, block, pc, op, active),
    }
}

#[inline(never)]
fn others(warp: &mut Warp, block: &mut Block<'_>, pc: u32, op: &Op, active: u32) {
    match op {
        Op::Atomic(atomic) => atomic::execute(warp, block, pc, atomic, active),
        &Op::LoadConstant { d, bank, index, offset, bytes, signed } => {
            if let (Some(index), true) = (index, block.tracer.is_some()) {
                let constants = warp.raw(&block.machine.constants, index);
                block.tell_different(&constants, active);
            }
            accesses::load_constant(warp, block, (d, bank, index, offset), (bytes, signed), active);
        }
        &Op::ChangePhase { what, result, ref address, value } => {
            bulk::change_phase(warp, block, pc, (what, value), result, address, active);
        }
        &Op::CheckPhase { p, ref address, phase, waits } => {
            bulk::check_phase(warp, block, pc, (p, phase, waits), address, active);
        }
        Op::Bulk(copy) => bulk::copy(warp, block, pc, copy, active),
        Op::CopyAsync { to, from, bytes, fill } => {
            accesses::copy(warp, block, pc, (to, from, *bytes), *fill, active);
        }
        &Op::LoadMatrix { d, ref address, count, transposed } => {
            let register = if let super::op::Dst::Lane(number) = d { number } else { 255 };
            accesses::matrices(warp, block, pc, (address, count, transposed), register, (false, active));
        }
        &Op::StoreMatrix { a, ref address, count, transposed } => {
            accesses::matrices(warp, block, pc, (address, count, transposed), a, (true, active));
        }
        Op::IsSpace { p, space, address } => {
            let to = memory::addresses(warp, &block.machine.constants, address, super::op::Space::Generic);
            let mut inside = 0;
            memory::by_space(super::op::Space::Generic, &to, active, |found, _, lanes| {
                if found == *space {
                    inside |= lanes;
                }
            });
            warp.set_pred(*p, inside, active);
        }
        Op::Product(product) => matrix::product(warp, product, active),
        Op::Transpose { d, a } => {
            let row = matrix::turned(&warp.source(&block.machine.constants, *a));
            warp.set(*d, &row, active);
        }
        op => {
            let known = warp_wide::execute(warp, block, op, active);
            debug_assert!(known, "{op:?} is executed somewhere");
        }
    }
}

/// Writes the mask that these lanes keep for a region.
#[inline(always)]
fn set_region(warp: &mut Warp, barrier: u8, value: u32, lanes: u32) {
    let region = &mut warp.regions[usize::from(barrier & 15)];
    for (lane, kept) in region.iter_mut().enumerate() {
        *kept = if lanes >> lane & 1 != 0 { value } else { *kept };
    }
}

/// Some lanes go, the others stay. The group with the higher program counter, which leaves a loop, runs first.
fn part(warp: &mut Warp, at: usize, (goes, target): (u32, u32), next: u32) {
    let group = &mut warp.groups[at];
    let stays = Group { mask: group.mask & !goes, pc: next, ..*group };
    group.mask = goes;
    group.pc = target;
    warp.groups.push(stays);
}

/// Some lanes go elsewhere, the others execute the instruction again.
fn part_at(warp: &mut Warp, at: usize, goes: (u32, u32), pc: u32) {
    part(warp, at, goes, pc);
}

/// Lanes end; the others of their group go on at `next`.
fn end_lanes(warp: &mut Warp, at: usize, lanes: u32, next: u32) {
    warp.live &= !lanes;
    let group = &mut warp.groups[at];
    group.mask &= !lanes;
    group.pc = next;
    if group.mask == 0 {
        warp.groups.swap_remove(at);
    }
    // Whoever waited for them goes on.
    release(warp);
}

/// A group has come to the end of a region. True when it was the last: then all that waited go on with it.
fn meet(warp: &mut Warp, at: usize, barrier: u8) -> bool {
    let mask = warp.groups[at].mask;
    let first = mask.trailing_zeros() as usize & 31;
    let needed = warp.regions[usize::from(barrier)][first] & warp.live;
    if needed & !mask == 0 {
        return true;
    }
    warp.groups[at].wait = Wait::Region(barrier);
    release(warp);
    false
}

/// A group waits for the lanes of the masks that its lanes give: those with one mask together.
fn wait_for_lanes(warp: &mut Warp, at: usize, wanted: &[u32; 32]) {
    let group = warp.groups.swap_remove(at);
    let mut rest = group.mask;
    while rest != 0 {
        let mask = wanted[rest.trailing_zeros() as usize & 31];
        let same = lanes_where(rest, |lane| wanted[lane as usize] == mask);
        warp.groups.push(Group { mask: same, wait: Wait::Lanes(mask), ..group });
        rest &= !same;
    }
    release(warp);
}

/// Lets every group go on for which nobody is missing any more. True when one went on.
fn release(warp: &mut Warp) -> bool {
    let mut any = false;
    let mut at = 0;
    while at < warp.groups.len() {
        let group = warp.groups[at];
        let needed = match group.wait {
            Wait::Region(barrier) => warp.regions[usize::from(barrier)][group.mask.trailing_zeros() as usize & 31],
            Wait::Lanes(mask) => mask,
            Wait::None | Wait::Barrier(_) => {
                at += 1;
                continue;
            }
        } & warp.live;
        let belongs = |other: &Group| match (group.wait, other.wait) {
            (Wait::Region(a), Wait::Region(b)) => a == b && other.mask & needed != 0,
            (Wait::Lanes(a), Wait::Lanes(b)) => a == b && other.mask & needed != 0,
            _ => false,
        };
        let here = warp.groups.iter().filter(|other| belongs(other)).fold(group.mask, |all, other| all | other.mask);
        if needed & !here != 0 {
            at += 1;
            continue;
        }
        // Those at one place become one group.
        let mut merged: Vec<Group> = Vec::new();
        warp.groups.retain(|other| {
            if !belongs(other) && *other != group {
                return true;
            }
            match merged.iter_mut().find(|one| one.pc == other.pc + 1) {
                Some(one) => one.mask |= other.mask,
                None => merged.push(Group { pc: other.pc + 1, wait: Wait::None, ..*other }),
            }
            false
        });
        warp.groups.extend(merged);
        any = true;
        at = 0;
    }
    any
}

fn barrier_id(warp: &Warp, constants: &[u32], barrier: &Barrier, active: u32) -> u32 {
    let value = warp.raw(constants, barrier.id)[active.trailing_zeros() as usize & 31];
    value & 15
}

/// The number of threads that the barrier at `pc` waits for, if it gives one.
pub(super) fn barrier_threads(warp: &Warp, machine: &Machine<'_>, pc: u32) -> Option<u32> {
    let Op::Barrier(barrier) = &machine.program.instructions[pc as usize].op else { return None };
    let group = warp.groups.iter().find(|group| group.pc == pc)?;
    let first = group.mask.trailing_zeros() as usize & 31;
    barrier.threads.map(|slot| {
        let value = warp.raw(&machine.constants, slot)[first];
        if barrier.packed { value & 0xfff } else { value }
    })
}

/// Combines the predicates of all threads at a barrier, and leaves the result to each warp.
pub(super) fn reduce_at_barrier(warps: &mut [Warp], machine: &Machine<'_>, id: u32) {
    let (mut count, mut threads, mut kind) = (0, 0, None);
    for warp in warps.iter() {
        for group in warp.groups.iter().filter(|group| group.wait == Wait::Barrier(id)) {
            let inst = &machine.program.instructions[group.pc as usize];
            let Op::Barrier(Barrier { reduction: Some((what, with)), .. }) = inst.op else { continue };
            count += (warp.pred(with) & group.mask).count_ones();
            threads += group.mask.count_ones();
            kind = Some(what);
        }
    }
    let result = match kind {
        None => return,
        Some(BarrierReduction::Popc) => count,
        Some(BarrierReduction::And) => u32::from(count == threads),
        Some(BarrierReduction::Or) => u32::from(count > 0),
    };
    for warp in warps.iter_mut().filter(|warp| lanes_at(warp, id) != 0) {
        warp.result = result;
    }
}
