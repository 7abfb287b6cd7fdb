//! `shfl`: every lane reads a register of another one.

use crate::ir::inst::{ShuffleMode, Slot32, SlotP};
use crate::machine::registers::{Constants, Row32};
use crate::machine::warp::Warp;
use crate::memory::rows;

/// Executes a shuffle of all 32 lanes: `d` and `p` are where the values and their validity go.
#[inline(always)]
pub(super) fn execute(
    warp: &mut Warp,
    constants: &Constants,
    (mode, d, p): (ShuffleMode, Slot32, Option<SlotP>),
    (a, b, c): (Slot32, Slot32, Slot32),
) {
    let registers = &warp.registers;
    let (value, valid) = shuffle(mode, registers.w(constants, a), registers.w(constants, b), registers.w(constants, c));
    warp.registers.set_w(d, &value, u32::MAX);
    if let Some(p) = p {
        warp.registers.set_p(p, valid, u32::MAX);
    }
}

/// The PTX ISA's definition of `shfl`: the value that every lane reads, and which lanes read within their segment.
#[inline(always)]
pub(super) fn shuffle(mode: ShuffleMode, a: &Row32, b: &Row32, c: &Row32) -> (Row32, u32) {
    let (source, valid) = sources(mode, b, c);
    let mut value = [0; 32];
    for lane in 0..32 {
        value[lane] = a[(source[lane] & 31) as usize];
    }
    (value, valid)
}

/// The lane that every lane reads from, itself where the other is outside its segment, and which lanes read within theirs.
#[inline(always)]
pub(super) fn sources(mode: ShuffleMode, b: &Row32, c: &Row32) -> (Row32, u32) {
    let mut source = [0u32; 32];
    let mut truth = [false; 32];
    // The mode is chosen outside the loops over lanes, so that each is a few vector instructions.
    match mode {
        ShuffleMode::Up => {
            for lane in 0..32u32 {
                let (b, c) = (b[lane as usize] & 31, c[lane as usize]);
                let from = lane as i32 - b as i32;
                let inside = from >= last(lane, c) as i32;
                (source[lane as usize], truth[lane as usize]) = (if inside { from as u32 } else { lane }, inside);
            }
        }
        ShuffleMode::Down => {
            for lane in 0..32u32 {
                let (b, c) = (b[lane as usize] & 31, c[lane as usize]);
                let inside = lane + b <= last(lane, c);
                (source[lane as usize], truth[lane as usize]) = (if inside { lane + b } else { lane }, inside);
            }
        }
        ShuffleMode::Bfly => {
            for lane in 0..32u32 {
                let (b, c) = (b[lane as usize] & 31, c[lane as usize]);
                let inside = lane ^ b <= last(lane, c);
                (source[lane as usize], truth[lane as usize]) = (if inside { lane ^ b } else { lane }, inside);
            }
        }
        ShuffleMode::Idx => {
            for lane in 0..32u32 {
                let (b, c) = (b[lane as usize] & 31, c[lane as usize]);
                let segment = c >> 8 & 31;
                let from = (lane & segment) | (b & !segment);
                let inside = from <= last(lane, c);
                (source[lane as usize], truth[lane as usize]) = (if inside { from } else { lane }, inside);
            }
        }
    }
    (source, rows::bits(truth))
}

/// The end of a lane's segment, as the operand `c` of the instruction tells it: the highest lane that it may read, or
/// with `.up` the lowest.
#[inline(always)]
fn last(lane: u32, c: u32) -> u32 {
    let (clamp, segment) = (c & 31, c >> 8 & 31);
    (lane & segment) | (clamp & !segment)
}
