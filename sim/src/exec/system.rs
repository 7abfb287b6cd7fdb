//! What a kernel asks the system for: memory of the device heap, and to be stopped.

use super::spaces;
use crate::findings::{Fault, Who};
use crate::ir::inst::{Op, Pc, ops};
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
                let fault = match first {
                    Release::Twice => Fault::DoubleFree { address },
                    Release::NeverGiven | Release::Done => Fault::NeverAllocated { address },
                };
                note(warp, block, pc, wrong, fault);
            }
        }
        Op::Print(_) | Op::Sleep { .. } => {}
        ops!(lane_local) | ops!(query) | ops!(memory) | ops!(sync) | ops!(exchange) | ops!(control) | ops!(stop) => {}
    }
    // The others see the heap change.
    block.changes += 1;
}

/// The instruction at `pc` stops its lanes: what it says becomes a finding.
pub(super) fn stop<O>(warp: &Warp, block: &mut Block<'_, O>, pc: Pc, active: u32) {
    let machine = block.machine;
    let lane = active.trailing_zeros() as usize;
    let value = |reg| warp.registers.wide(&machine.constants, reg)[lane];
    let text = |reg| String::from_utf8_lossy(&spaces::text(warp, block, value(reg), lane)).into_owned();
    let fault = match machine.program.code.insts[pc as usize].op {
        Op::Assert { message, file, line, function } => Fault::Assertion {
            condition: text(message),
            file: text(file),
            line: value(line) as u32,
            function: text(function),
        },
        Op::Breakpoint => Fault::Breakpoint,
        Op::NoFunction { target } => Fault::NoFunction { address: value(target) },
        Op::StackOverflow => Fault::StackOverflow,
        Op::Trap => Fault::Trap,
        ops!(lane_local) | ops!(query) | ops!(memory) | ops!(sync) | ops!(exchange) | ops!(control) | ops!(system) => {
            return;
        }
    };
    note(warp, block, pc, active, fault);
}

fn note<O>(warp: &Warp, block: &mut Block<'_, O>, pc: Pc, lanes: u32, fault: Fault) {
    let who = Who { block: block.index, warp: warp.index, lanes };
    block.faults.note(pc, fault.kind(), who, || fault);
}
