//! Executes instructions, one for all lanes of a path at a time.

#![deny(clippy::wildcard_enum_match_arm)]

mod access_events;
mod additions;
mod alu;
pub(crate) mod atomic;
mod bulk;
mod divisions;
mod lanes;
mod matrix;
mod memory;
mod print;
mod shuffles;
mod spaces;
mod synccheck;
mod system;
mod vectors;
pub(crate) mod warp_ops;
mod wide;

use std::sync::OnceLock;

use crate::event::{Observer, SyncEvent};
use crate::ir::inst::{Address, Inst, Op, Pc, Reg, Space, Special, Varying, VoteMode, ops};
use crate::ir::{SHARED_WINDOW, WINDOW};
use crate::machine::block::Block;
use crate::machine::paths::Wait;
use crate::machine::registers::Registers;
use crate::machine::warp::Warp;
use crate::prepare::convergence_barriers::{MEETS, PARTS, WAITS};
use crate::prepare::register_allocation::ALONE;
use crate::target::Scheduling;

/// Runs `path` of `warp` until it waits, exits, meets others or `fuel` is used up. True when nothing but the lack of fuel
/// keeps the path, which has its place in the list still, from going on.
pub(crate) fn run<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, path: usize, fuel: &mut u64) -> bool {
    static CPU: OnceLock<pulp::Arch> = OnceLock::new();
    CPU.get_or_init(pulp::Arch::new).dispatch(Run { warp, block, path, fuel })
}

/// Lets `path` wait before its next instruction if it meets others there, as [`run`] does before it executes anything.
/// True when it waits.
pub(crate) fn arrives<O: Observer>(warp: &mut Warp, block: &Block<'_, O>, path: usize) -> bool {
    let pc = warp.paths.list[path].pc;
    let may_meet = warp.paths.will_meet() && block.machine.program.joins.flags[pc as usize] & MEETS != 0;
    let meets = may_meet && warp.paths.meets(path, pc);
    if meets {
        warp.paths.arrive(path);
    }
    meets
}

/// The arguments of [`run`]. Its code is compiled for every kind of vector unit, and the CPU's is chosen at run time:
/// whatever it inlines is a few vector instructions there.
struct Run<'r, 'm, O> {
    warp: &'r mut Warp,
    block: &'r mut Block<'m, O>,
    path: usize,
    fuel: &'r mut u64,
}

impl<O: Observer> pulp::WithSimd for Run<'_, '_, O> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> bool {
        run_here(self.warp, self.block, self.path, self.fuel)
    }
}

#[inline(always)]
fn run_here<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, path: usize, fuel: &mut u64) -> bool {
    let machine = block.machine;
    let program = machine.program;
    let mut pc = warp.paths.list[path].pc;
    let lanes = warp.paths.list[path].lanes;
    let flags = &program.joins.flags[..];
    let mut will_meet = warp.paths.will_meet();
    let start = *fuel;
    while *fuel > 0 {
        let flag = flags[pc as usize];
        if will_meet && flag & MEETS != 0 && warp.paths.meets(path, pc) {
            warp.paths.list[path].pc = pc;
            warp.paths.arrive(path);
            return false;
        }
        // Arithmetic up to the next instruction of another kind: nothing can happen in between.
        let straight = program.code.straight[pc as usize];
        if straight > 0 {
            let (mut insts, mut length, mut active) = (&[][..], 1, lanes);
            if straight == ALONE {
                let inst = &program.code.insts[pc as usize];
                active &= guarded(&warp.registers, inst);
                if active != 0 {
                    block.observer.instruction(pc, active);
                    insts = std::slice::from_ref(inst);
                    if let Op::Varying(varying) = &inst.op {
                        note_difference(warp, block, pc, varying, active);
                        insts = std::slice::from_ref(&varying.inst);
                    } else if let Op::Lane(lane) = &inst.op {
                        divisions::look(warp, block, pc, lane, active);
                    }
                }
            } else {
                length = u64::from(straight).min(*fuel) as usize;
                insts = program.code.run(pc, length);
                if length == usize::from(straight) {
                    block.observer.straight(pc, length, lanes);
                } else {
                    (pc..pc + length as Pc).for_each(|pc| block.observer.instruction(pc, lanes));
                }
            }
            for inst in insts {
                alu::execute(&mut warp.registers, &machine.constants, &inst.op, active);
            }
            pc += length as Pc;
            *fuel -= length as u64;
            continue;
        }
        let inst = &program.code.insts[pc as usize];
        let active = lanes & guarded(&warp.registers, inst);
        *fuel -= 1;
        if active == 0 && flag & PARTS == 0 {
            pc += 1;
            continue;
        }
        let together = flag & WAITS != 0 && warp_ops::all_together(warp, &machine.constants, &inst.op, active);
        if flag & WAITS != 0
            && !together
            && let Some((apart, next)) = warp_ops::divide(warp, block, &inst.op, pc, active, lanes)
        {
            warp.paths.list[path].pc = pc;
            warp.paths.split(path, apart, pc, next, pc + 1);
            return false;
        }
        if active != 0 {
            block.observer.instruction(pc, active);
        }
        match &inst.op {
            &Op::Branch { target, meet } if flag & PARTS != 0 => {
                warp.paths.list[path].pc = pc;
                let ways = (target, pc + 1, meet);
                let parting = program.joins.parting(pc);
                let Some(next) = parting.and_then(|parting| warp.paths.part(path, active, ways, parting)) else {
                    return false;
                };
                will_meet = true;
                pc = next;
                continue;
            }
            Op::Branch { target, meet } => {
                if active == lanes {
                    pc = *target;
                    continue;
                }
                warp.paths.list[path].pc = pc;
                warp.paths.split(path, active, *target, pc + 1, *meet);
                // The path's place in the list may hold another one now.
                return false;
            }
            Op::Exit => {
                warp.paths.exit(path, active, pc + 1);
                return false;
            }
            Op::Assert { .. } | Op::Breakpoint | Op::Trap | Op::NoFunction { .. } | Op::StackOverflow => {
                system::stop(warp, block, pc, active);
                warp.paths.exit(path, active, pc + 1);
                return false;
            }
            Op::Barrier(barrier) => {
                let id = warp.registers.lane(&machine.constants, barrier.id, active.trailing_zeros()) as u32;
                if barrier.threads.is_some() || id != 0 {
                    synccheck::barrier(warp, block, pc, barrier, id, active);
                }
                if !barrier.arrive_only {
                    let current = &mut warp.paths.list[path];
                    current.pc = pc;
                    current.wait = Wait::Barrier(id);
                    return false;
                }
                // A whole warp counts 32 threads, also the last one of a block that has fewer.
                let threads = if active == warp.paths.live() { 32 } else { active.count_ones() };
                block.arrive(id, warp.index, active, threads);
            }
            &Op::Shuffle { mode, d, p, a, b, c, .. } if together && active == u32::MAX => {
                shuffles::execute(warp, &machine.constants, (mode, d, p), (a, b, c));
            }
            &Op::Vote { mode: VoteMode::Ballot, d: Reg::W(d, 32), a, negated, .. }
                if together && active == u32::MAX =>
            {
                let bits = if negated { !warp.registers.p(a) } else { warp.registers.p(a) };
                warp.registers.set_w(d, &[bits; 32], active);
            }
            op @ (Op::WarpSync { .. } | ops!(exchange)) if together => {
                warp_ops::execute_together(warp, block, pc, op, active);
            }
            _ if flag & WAITS != 0 => {
                let executed = warp_ops::execute(warp, block, path, pc, active);
                if !executed {
                    return false; // waits for other lanes
                }
            }
            Op::ActiveMask { d } => warp.registers.set_w(*d, &[active; 32], active),
            Op::ReadSpecial { d, what } => {
                // The warp's own clock is put on when this run ends.
                let now = warp.clock + (start - *fuel);
                let value = match what {
                    Special::Clock | Special::GlobalTimer => now,
                    Special::ClockHigh | Special::GlobalTimerHigh => now >> 32,
                };
                warp.registers.set_wide(*d, &[value; 32], active);
            }
            Op::Load(access) => {
                warp.communicated |= access.strong;
                memory::load(warp, block, pc, access, active);
            }
            Op::Store(access) => memory::store(warp, block, pc, access, active),
            Op::Atomic(atomic) => {
                warp.communicated = true;
                if additions::execute(warp, block, pc, atomic, active) {
                    // One of those that histograms consist of.
                } else if atomic.bytes == 16 {
                    wide::execute(warp, block, pc, atomic, active);
                } else {
                    atomic::execute(warp, block, pc, atomic, active);
                }
            }
            Op::Convert { .. } | Op::IsSpace { .. } => spaces::convert(warp, block, &inst.op, active),
            Op::Print(print) => print::execute(warp, block, print, active),
            Op::Allocate { .. } | Op::Release { .. } => system::heap(warp, block, pc, active),
            Op::Fence | Op::CopyStep if O::CHECKS => {
                block.observer.sync(&SyncEvent::Fence { pc, warp: warp.index, lanes: active });
            }
            Op::Sleep { nanoseconds } => {
                let row = warp.registers.w(&machine.constants, *nanoseconds);
                // The turn is over: whoever it waits for has its own.
                warp.clock += u64::from(row[active.trailing_zeros() as usize]);
                warp.communicated = true;
                warp.sleeps = true;
                warp.paths.list[path].pc = pc + 1;
                return false;
            }
            Op::Copy(copy) => spaces::copy(warp, block, pc, copy, active),
            Op::Bulk(bulk) => bulk::execute(warp, block, pc, bulk, active),
            // Lane-local ones are part of a straight run, exchanges were executed above, and what else orders is for
            // observers only.
            ops!(lane_local) | ops!(exchange) | Op::WarpSync { .. } | Op::Fence | Op::CopyStep => {}
        }
        if block.faulted != 0 {
            // Whoever misses memory goes no further; on a GPU the whole launch ends here.
            let gone = std::mem::take(&mut block.faulted) & warp.paths.list[path].lanes;
            warp.paths.exit(path, gone, pc + 1);
            return false;
        }
        // With one program counter, what any lane of the warp did before comes before what any of them does next.
        if O::CHECKS
            && machine.scheduling == Scheduling::LockStep
            && matches!(inst.op, Op::Load(_) | Op::Store(_) | Op::Atomic(_))
        {
            block.observer.sync(&SyncEvent::Warp { warp: warp.index, lanes: warp.paths.live() });
        }
        pc += 1;
    }
    warp.paths.list[path].pc = pc;
    true
}

/// The lanes for which an instruction does what it does.
#[inline(always)]
fn guarded(registers: &Registers, inst: &Inst) -> u32 {
    match inst.guard {
        None => u32::MAX,
        Some((p, false)) => registers.p(p),
        Some((p, true)) => !registers.p(p),
    }
}

#[inline(never)]
fn note_difference<O: Observer>(warp: &Warp, block: &mut Block<'_, O>, pc: Pc, varying: &Varying, active: u32) {
    let difference = alu::difference(&warp.registers, &block.machine.constants, varying, active);
    block.observer.unusual(pc, difference);
}

/// The generic address that a memory instruction has for a lane, if it lies in memory that threads share.
pub(crate) fn generic_address<O>(
    warp: &Warp,
    block: &Block<'_, O>,
    address: Address,
    space: Space,
    lane: usize,
) -> Option<u64> {
    let address = memory::addresses(warp, block, address)[lane];
    match space {
        Space::Shared => Some(SHARED_WINDOW.wrapping_add(address)),
        Space::Global | Space::Generic => Some(address),
        Space::Param | Space::Frame | Space::Const | Space::Local => None,
    }
}

/// Where in shared memory a generic address lies, if it does.
pub(crate) fn shared_offset(address: u64) -> Option<u64> {
    address.checked_sub(SHARED_WINDOW).filter(|&offset| offset < WINDOW)
}
