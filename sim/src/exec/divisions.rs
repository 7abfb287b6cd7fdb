//! # What it does
//!
//! Looks for divisions of whole numbers by zero (`division-by-zero`).
//!
//! # Why it matters
//!
//! C++ leaves such a division undefined, and the optimiser relies on there being none. PTX calls the result unspecified: a GPU
//! goes on with some value, and nothing tells of it.

use crate::event::Observer;
use crate::findings::{Fault, FindingKind, Who};
use crate::ir::inst::{Lane, Pc};
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::warp::Warp;

/// The lanes of `active` are about to execute `lane`: if it divides, none of their divisors may be zero.
#[inline(never)]
pub(super) fn look<O: Observer>(warp: &Warp, block: &mut Block<'_, O>, pc: Pc, lane: &Lane, active: u32) {
    let (Some(division), [(dividend, _), (divisor, mask)]) = (lane.op.division(), &lane.src[..]) else {
        return;
    };
    let constants = &block.machine.constants;
    let divisors = warp.registers.wide(constants, *divisor);
    let lanes =
        lanes_of(active).filter(|&lane| divisors[lane as usize] & mask == 0).fold(0, |lanes, lane| lanes | 1 << lane);
    if lanes != 0 {
        let dividend = warp.registers.lane(constants, *dividend, u32::trailing_zeros(lanes));
        let who = Who { block: block.index, warp: warp.index, lanes };
        block.faults.note(pc, FindingKind::DivisionByZero, who, || Fault::DivisionByZero { division, dividend });
    }
}
