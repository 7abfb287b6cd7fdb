//! What the lanes of a group tell each other. The group's active lanes take part, and no others.

use crate::lanes::{lanes_of, lanes_where};
use crate::machine_code::block::Block;
use crate::machine_code::op::{LaneMask, Op, Reduce, Row, Shuffle, Special, Vote};
use crate::machine_code::warp::Warp;
use crate::memory::rows::map;

/// Executes an instruction for some lanes; false if it is of another kind.
#[inline(never)]
pub(super) fn execute(warp: &mut Warp, block: &mut Block<'_>, op: &Op, active: u32) -> bool {
    let constants = &block.machine.constants;
    match *op {
        Op::Vote { d, p, vote, q } => {
            let value = warp.pred(q) & active;
            let truth = match vote {
                Vote::All => value == active,
                Vote::Any => value != 0,
                Vote::Eq => value == active || value == 0,
            };
            warp.set(d, &[value; 32], active);
            warp.set_pred(p, if truth { u32::MAX } else { 0 }, active);
        }
        Op::Shuffle { p, d, mode, a, b, c } => {
            let (a, b, c) = (warp.source(constants, a), warp.source(constants, b), warp.source(constants, c));
            let (mut row, mut valid) = ([0; 32], 0u32);
            for lane in 0..32u32 {
                let at = lane as usize;
                let (segment, clamp) = (c[at] >> 8 & 31, c[at] & 31);
                let (most, least) = (lane & segment | clamp & !segment, lane & segment);
                let by = b[at] & 31;
                let (from, inside) = match mode {
                    Shuffle::Up => (lane.wrapping_sub(by), lane.cast_signed() - by.cast_signed() >= most.cast_signed()),
                    Shuffle::Down => (lane + by, lane + by <= most),
                    Shuffle::Bfly => (lane ^ by, lane ^ by <= most),
                    Shuffle::Idx => (least | by & !segment, (least | by & !segment) <= most),
                };
                let from = if inside { from & 31 } else { lane };
                valid |= u32::from(inside) << lane;
                // A lane that takes no part gives what an H200 was seen to give: zero.
                row[at] = if active >> from & 1 != 0 { a[from as usize] } else { 0 };
            }
            warp.set(d, &row, active);
            warp.set_pred(p, valid, active);
        }
        Op::Match { p, d, low, high, all } => {
            let low = warp.raw(constants, low);
            let high = high.map_or([0; 32], |high| warp.raw(constants, high));
            let same = |a: u32, b: u32| low[a as usize] == low[b as usize] && high[a as usize] == high[b as usize];
            let mut row = [0u32; 32];
            for lane in lanes_of(active) {
                row[lane as usize] = lanes_where(active, |other| same(lane, other));
            }
            // Lanes with equal values have the same mask.
            if block.tracer.is_some() {
                block.tell_different(&row, active);
            }
            if all {
                let agree = lanes_of(active).all(|lane| row[lane as usize] == active);
                warp.set_pred(p, if agree { u32::MAX } else { 0 }, active);
                if !agree {
                    row = [0; 32];
                }
            }
            warp.set(d, &row, active);
        }
        Op::Redux { d, op, a } => {
            let a = warp.source(constants, a);
            let values = || lanes_of(active).map(|lane| a[lane as usize]);
            let result = match op {
                Reduce::And => values().fold(u32::MAX, |all, value| all & value),
                Reduce::Or => values().fold(0, |all, value| all | value),
                Reduce::Xor => values().fold(0, |all, value| all ^ value),
                Reduce::Sum => values().fold(0, u32::wrapping_add),
                Reduce::Min => values().min().unwrap_or(0),
                Reduce::Max => values().max().unwrap_or(0),
                Reduce::MinSigned => values().map(u32::cast_signed).min().unwrap_or(0).cast_unsigned(),
                Reduce::MaxSigned => values().map(u32::cast_signed).max().unwrap_or(0).cast_unsigned(),
            };
            warp.set(d, &[result; 32], active);
        }
        Op::Elect { p, d, q } => {
            let candidates = warp.pred(q) & active;
            let leader = candidates & candidates.wrapping_neg();
            warp.set_pred(p, leader, active);
            warp.set(d, &[leader.trailing_zeros() & 31; 32], active);
        }
        Op::ToWarp { d, p, a, or } => {
            let row = warp.source(constants, a);
            if or {
                let all = lanes_of(active).fold(0, |all, lane| all | row[lane as usize]);
                warp.set(d, &[all; 32], active);
                warp.set_pred(p, if all != 0 { u32::MAX } else { 0 }, active);
            } else {
                let first = row[active.trailing_zeros() as usize & 31];
                // True where a lane has another value: a loop over the different ones goes on with these lanes.
                let others = lanes_where(active, |lane| row[lane as usize] != first);
                warp.set(d, &[first; 32], active);
                warp.set_pred(p, others, active);
            }
        }
        Op::Special { d, what, pair } => {
            let row = special(warp, block, what);
            warp.set(d, &row, active);
            if pair {
                let high = match what {
                    Special::Clock => [(warp.executed >> 32) as u32; 32],
                    _ => [0; 32],
                };
                warp.set(d.next(), &high, active);
            }
        }
        Op::SaveBarrier { d, barrier, clear } => {
            let row = warp.regions[usize::from(barrier)];
            warp.set(d, &row, active);
            if clear {
                super::set_region(warp, barrier, 0, active);
            }
        }
        Op::RestoreBarrier { barrier, a } => {
            let row = warp.source(constants, a);
            for lane in lanes_of(active) {
                warp.regions[usize::from(barrier)][lane as usize] = row[lane as usize];
            }
        }
        Op::Break { barrier, also } => {
            let gone = active & warp.pred(also);
            let region = &mut warp.regions[usize::from(barrier)];
            *region = map(region, |mask| mask & !gone);
        }
        Op::BarrierResult { d, p } => {
            let result = warp.result;
            warp.set(d, &[result; 32], active);
            warp.set_pred(p, if result != 0 { u32::MAX } else { 0 }, active);
        }
        Op::CodeAddress { d, target } => {
            let offset = block.machine.program.instructions.get(target as usize).map_or(0, |inst| inst.offset);
            warp.set(d, &[offset as u32; 32], active);
            warp.set(d.next(), &[(offset >> 32) as u32; 32], active);
        }
        _ => return false,
    }
    true
}

fn special(warp: &Warp, block: &Block<'_>, what: Special) -> Row {
    let at: [u32; 3] = block.coordinates.into();
    let lane = |f: fn(u32) -> u32| std::array::from_fn(|lane| f(lane as u32));
    match what {
        Special::Zero | Special::ClusterBlock | Special::Multiprocessor => [0; 32],
        Special::Thread(axis) => warp.threads[usize::from(axis)],
        Special::Block(axis) => [at[usize::from(axis)]; 32],
        Special::Lane => lane(|lane| lane),
        Special::LaneMask(LaneMask::Eq) => lane(|lane| 1 << lane),
        Special::LaneMask(LaneMask::Lt) => lane(|lane| (1 << lane) - 1),
        Special::LaneMask(LaneMask::Le) => lane(|lane| u32::MAX >> (31 - lane)),
        Special::LaneMask(LaneMask::Gt) => lane(|lane| !(u32::MAX >> (31 - lane))),
        Special::LaneMask(LaneMask::Ge) => lane(|lane| !((1 << lane) - 1)),
        Special::SharedWindow => [(crate::ir::layout::SHARED_WINDOW >> 32) as u32; 32],
        Special::Clock | Special::Timer => [warp.executed as u32; 32],
        Special::ClockHigh | Special::TimerHigh => [(warp.executed >> 32) as u32; 32],
    }
}
