//! What a kernel asks the system for: memory of the device heap, and to be stopped.

use super::spaces;
use crate::findings::{Fault, FindingKind};
use crate::ir::inst::{Op, Pc};
use crate::ir::layout::STACK;
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::heap::Release;

/// `malloc` and `free`, lane after lane.
pub(super) fn heap<O>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, active: u32) {
    let machine = block.machine;
    let heap = machine.global.heap();
    match machine.program.code.insts[pc as usize].op {
        Op::Allocate { d, size } => {
            let sizes = warp.registers.wide(&machine.constants, size);
            let mut addresses = [0; 32];
            for lane in lanes_of(active) {
                addresses[lane as usize] = heap.allocate(sizes[lane as usize]);
            }
            warp.registers.set_wide(d, &addresses, active);
        }
        Op::Release { pointer } => {
            let addresses = warp.registers.wide(&machine.constants, pointer);
            // Freeing null does nothing.
            let (mut wrong, mut first) = (0u32, Release::Done);
            for lane in lanes_of(active).filter(|&lane| addresses[lane as usize] != 0) {
                let release = heap.release(addresses[lane as usize]);
                if release != Release::Done {
                    first = if wrong == 0 { release } else { first };
                    wrong |= 1 << lane;
                }
            }
            if wrong != 0 {
                let address = addresses[wrong.trailing_zeros() as usize];
                let who = thread(warp, block, wrong);
                let (message, help) = match first {
                    Release::Twice => (
                        format!(
                            "{who} frees address {address:#x} a second time: the block of the device heap there was freed \
                             before (a double free)"
                        ),
                        "each block is freed once, by one thread: decide who owns it, and set the pointer to null behind \
                         `free`",
                    ),
                    _ => (
                        format!("{who} frees address {address:#x}, which `malloc` has never returned"),
                        "free the very pointer that `malloc` or `new` returned: not one that was moved, nor the address of \
                         other memory",
                    ),
                };
                note(warp, block, pc, wrong, FindingKind::InvalidFree, message, help);
            }
        }
        _ => {}
    }
    // The others see the heap change.
    block.changes += 1;
}

/// The instruction at `pc` stops its lanes: what it says becomes a finding.
pub(super) fn stop<O>(warp: &Warp, block: &mut Block<'_, O>, pc: Pc, active: u32) {
    let machine = block.machine;
    let lane = active.trailing_zeros() as usize;
    let thread = thread(warp, block, active);
    let value = |reg| warp.registers.wide(&machine.constants, reg)[lane];
    let text = |reg| String::from_utf8_lossy(&spaces::text(warp, block, value(reg), lane)).into_owned();
    let (kind, message, help) = match machine.program.code.insts[pc as usize].op {
        Op::Assert { message, file, line, function } => (
            FindingKind::Assert,
            format!(
                "the assertion `{}` does not hold for {thread}: {}, line {}, in {}",
                text(message),
                text(file),
                value(line) as u32,
                text(function)
            ),
            "the kernel itself asks for this condition: look at the values of the lanes that are named",
        ),
        Op::Breakpoint => (
            FindingKind::Trap,
            format!("{thread} comes to a breakpoint, where a kernel waits for a debugger"),
            "without a debugger a GPU never goes on from here: remove `brkpt` or `__brkpt()`",
        ),
        Op::NoFunction { target } => (
            FindingKind::OutOfBounds,
            format!("{thread} calls address {:#x}, where no function of this kind begins", value(target)),
            "a function pointer is null, was never set or belongs to the host: look at where it comes from",
        ),
        Op::StackOverflow => (
            FindingKind::OutOfBounds,
            format!("{thread} needs more than {} KiB of stack for calls that are not done", STACK >> 10),
            "either the recursion never ends, or it goes deep: a GPU's own stack has 1 KiB per thread unless the host \
             asks for more with cudaDeviceSetLimit(cudaLimitStackSize, …)",
        ),
        _ => (
            FindingKind::Trap,
            format!("{thread} executes a trap: it asks for the launch to be aborted"),
            "`__trap()` or a failed check of the compiler ends the kernel here: look at the condition that leads to it",
        ),
    };
    note(warp, block, pc, active, kind, message, help);
}

/// The lowest of `lanes` as a thread, in words.
fn thread<O>(warp: &Warp, block: &Block<'_, O>, lanes: u32) -> String {
    let index = u64::from(warp.index) * 32 + u64::from(lanes.trailing_zeros());
    let thread = block.machine.block.coordinates(index);
    format!("thread ({},{},{})", thread.x, thread.y, thread.z)
}

fn note<O>(
    warp: &Warp,
    block: &mut Block<'_, O>,
    pc: Pc,
    lanes: u32,
    kind: FindingKind,
    message: String,
    help: &'static str,
) {
    let (index, number) = (block.index, warp.index);
    block.faults.note(pc, kind, || Fault { message, help, block: index, warp: number, lanes, count: 1, space: None });
}
