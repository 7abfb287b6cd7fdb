//! Executes instructions, one for all lanes of a path at a time.

mod alu;
mod atomic;
mod memory;
mod spaces;
pub(crate) mod warp_ops;

use crate::machine::block::Block;
use crate::machine::fault::Fault;
use crate::machine::paths::Wait;
use crate::machine::warp::Warp;
use crate::observe::{Observer, SyncEvent};
use crate::program::inst::{Address, Op, Reg, Space, Special};
use crate::program::{SHARED_WINDOW, WINDOW};
use crate::report::FindingKind;

/// Runs `path` of `warp` until it waits, exits, meets others or `fuel` is used up.
pub(crate) fn run<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, path: usize, fuel: &mut u64) {
    let machine = block.machine;
    let program = machine.program;
    let mut pc = warp.paths.list[path].pc;
    let lanes = warp.paths.list[path].lanes;
    let meeting = warp.paths.meeting_pc(path);
    while *fuel > 0 {
        if pc == meeting {
            warp.paths.list[path].pc = pc;
            warp.paths.arrive(path);
            return;
        }
        let inst = &program.insts[pc as usize];
        let active = match inst.guard {
            None => lanes,
            Some((p, false)) => lanes & warp.registers.p(p),
            Some((p, true)) => lanes & !warp.registers.p(p),
        };
        *fuel -= 1;
        if active == 0 {
            pc += 1;
            continue;
        }
        if inst.op.waits_for_lanes()
            && let Some((apart, next)) = warp_ops::divide(warp, block, &inst.op, pc, active, lanes)
        {
            warp.paths.list[path].pc = pc;
            warp.paths.split(path, apart, pc, next, pc + 1);
            return;
        }
        block.observer.instruction(pc, active);
        match &inst.op {
            Op::Branch { target, meet } => {
                if active == lanes {
                    pc = *target;
                    continue;
                }
                warp.paths.list[path].pc = pc;
                warp.paths.split(path, active, *target, pc + 1, *meet);
                // The path's place in the list may hold another one now.
                return;
            }
            Op::Exit => {
                warp.paths.exit(path, active, pc + 1);
                return;
            }
            Op::Trap => {
                trap(warp, block, pc, active);
                warp.paths.exit(path, active, pc + 1);
                return;
            }
            Op::Assert { message, file, line } => {
                let text = spaces::text(warp, block, *message, active);
                let file = spaces::text(warp, block, *file, active);
                let line = warp.registers.wide(&machine.constants, *line)[active.trailing_zeros() as usize];
                let (index, number) = (block.index, warp.index);
                block.faults.note(pc, FindingKind::Assert, || Fault {
                    message: format!("the assertion `{text}` of {file}, line {line}, does not hold"),
                    help: "the kernel itself asks for this condition: look at the values of the lanes that are named",
                    block: index,
                    warp: number,
                    lanes: active,
                    count: 1,
                });
                warp.paths.exit(path, active, pc + 1);
                return;
            }
            Op::Barrier(barrier) => {
                let row = warp.registers.wide(&machine.constants, barrier.id);
                let id = row[active.trailing_zeros() as usize] as u32;
                if !barrier.arrive_only {
                    let current = &mut warp.paths.list[path];
                    current.pc = pc;
                    current.wait = Wait::Barrier(id);
                    return;
                }
                // A whole warp counts 32 threads, also the last one of a block that has fewer.
                let threads = if active == warp.paths.live() { 32 } else { active.count_ones() };
                block.arrive(id, warp.index, active, threads);
            }
            op if op.waits_for_lanes() => {
                if !warp_ops::execute(warp, block, path, pc, active) {
                    return; // waits for other lanes
                }
            }
            Op::ActiveMask { d } => warp.registers.set_w(*d, &[active; 32], active),
            Op::ReadSpecial { d, what } => {
                let value = match what {
                    Special::Clock | Special::GlobalTimer => warp.clock,
                    Special::ClockHigh | Special::GlobalTimerHigh => warp.clock >> 32,
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
                atomic::execute(warp, block, pc, atomic, active);
            }
            Op::Convert { .. } | Op::IsSpace { .. } => spaces::convert(warp, block, &inst.op, active),
            Op::Nop | Op::Print => {}
            Op::Fence => {
                if O::CHECKS {
                    block.observer.sync(&SyncEvent::Fence { pc, warp: warp.index, lanes: active });
                }
            }
            Op::Sleep { nanoseconds } => {
                let row = warp.registers.w(&machine.constants, *nanoseconds);
                // The turn is over: whoever it waits for has its own.
                warp.clock += u64::from(row[active.trailing_zeros() as usize]);
                warp.communicated = true;
                warp.sleeps = true;
                warp.paths.list[path].pc = pc + 1;
                return;
            }
            Op::Copy(copy) => spaces::copy(warp, block, pc, copy, active),
            Op::NoFunction { target } => {
                no_function(warp, block, pc, *target, active);
                warp.paths.exit(path, active, pc + 1);
                return;
            }
            op => alu::execute(&mut warp.registers, &machine.constants, op, active),
        }
        pc += 1;
    }
    warp.paths.list[path].pc = pc;
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
        _ => None,
    }
}

/// Where in shared memory a generic address lies, if it does.
pub(crate) fn shared_offset(address: u64) -> Option<u64> {
    address.checked_sub(SHARED_WINDOW).filter(|&offset| offset < WINDOW)
}

fn no_function<O>(warp: &Warp, block: &mut Block<'_, O>, pc: u32, target: Reg, active: u32) {
    let (index, number) = (block.index, warp.index);
    let address = warp.registers.wide(&block.machine.constants, target)[active.trailing_zeros() as usize];
    block.faults.note(pc, FindingKind::OutOfBounds, || Fault {
        message: format!("the kernel calls address {address:#x}, where no function of this kind begins"),
        help: "a function pointer is null, was never set or belongs to the host: look at where it comes from",
        block: index,
        warp: number,
        lanes: active,
        count: 1,
    });
}

fn trap<O>(warp: &Warp, block: &mut Block<'_, O>, pc: u32, active: u32) {
    let (index, number) = (block.index, warp.index);
    block.faults.note(pc, FindingKind::Trap, || Fault {
        message: "the kernel executed a trap: it asked for the launch to be aborted".to_owned(),
        help: "`__trap()` or a failed check of the compiler stands here: look at the condition that leads to it",
        block: index,
        warp: number,
        lanes: active,
        count: 1,
    });
}
