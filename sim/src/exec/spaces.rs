//! What leads from one memory space to another: asynchronous copies, address conversions, and text in any space.

use super::access_events;
use super::memory::{Attempt, Outside, WINDOWS, addresses, aligned, by_space, note_misses, read, write};
use crate::event::{MemoryEvent, MemoryKind, Observer};
use crate::ir::inst::{Copied, Op, Pc, Space, ops};
use crate::ir::{CONST_WINDOW, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW};
use crate::lanes::lanes_of;
use crate::machine::block::Block;
use crate::machine::warp::Warp;
use crate::memory::rows::Layout;

/// Longest text that is read, in bytes.
const LONGEST_TEXT: u64 = 4096;

/// Executes `cp.async`.
pub(super) fn copy<O: Observer>(warp: &mut Warp, block: &mut Block<'_, O>, pc: Pc, copy: &Copied, active: u32) {
    let (from, to) = (addresses(warp, block, copy.from), addresses(warp, block, copy.to));
    let width = u32::from(copy.bytes);
    let sizes = copy.source_bytes.map(|reg| warp.registers.wide(&block.machine.constants, reg));
    let ignored =
        copy.ignore.map_or(0, |(p, negated)| if negated { !warp.registers.p(p) } else { warp.registers.p(p) });
    let reading = active & !ignored;
    if reading != 0 {
        block.observer.memory(&MemoryEvent {
            pc,
            active: reading,
            addresses: &from,
            width,
            layout: Layout::of(&from, reading, width),
            kind: MemoryKind::GlobalCopy,
        });
    }
    let layout = Layout::of(&to, active, width);
    block.observer.memory(&MemoryEvent { pc, active, addresses: &to, width, layout, kind: MemoryKind::SharedCopy });
    if O::CHECKS {
        let full = |lane: u32| sizes.is_none_or(|sizes| sizes[lane as usize] as u32 >= width);
        let reading = lanes_of(reading).filter(|&lane| full(lane)).fold(0, |lanes, lane| lanes | 1 << lane);
        access_events::copy(warp, block, pc, width, (Space::Global, &from, reading), (Space::Shared, &to, active));
    }
    block.changes += 1;
    let (aligned_from, misaligned_from) = aligned(&from, reading, width);
    let (aligned_to, misaligned_to) = aligned(&to, active & !misaligned_from, width);
    let (mut outside_from, mut outside_to) = (0, 0);
    for lane in (0..32usize).filter(|lane| aligned_to >> lane & 1 != 0) {
        let size = sizes.map_or(width, |sizes| (sizes[lane] as u32).min(width));
        for at in 0..width {
            let offset = u64::from(at);
            let mut value = 0;
            if at < size && aligned_from >> lane & 1 != 0 {
                match read(warp, block, Space::Global, lane, from[lane].wrapping_add(offset), 1) {
                    Ok(byte) => value = byte,
                    Err(Outside) => outside_from |= 1 << lane,
                }
            }
            if write(warp, block, Space::Shared, lane, to[lane].wrapping_add(offset), 1, value).is_err() {
                outside_to |= 1 << lane;
            }
        }
    }
    if misaligned_from | outside_from != 0 {
        let attempt = Attempt { verb: "reads", space: Space::Global, addresses: &from, width };
        note_misses(warp, block, pc, &attempt, (misaligned_from, outside_from));
    }
    if misaligned_to | outside_to != 0 {
        let attempt = Attempt { verb: "writes", space: Space::Shared, addresses: &to, width };
        note_misses(warp, block, pc, &attempt, (misaligned_to, outside_to));
    }
}

fn window(space: Space) -> u64 {
    match space {
        Space::Shared => SHARED_WINDOW,
        Space::Local | Space::Frame => LOCAL_WINDOW,
        Space::Const => CONST_WINDOW,
        Space::Param => PARAM_WINDOW,
        Space::Global | Space::Generic => 0,
    }
}

/// `cvta` and `isspacep`.
pub(super) fn convert<O>(warp: &mut Warp, block: &mut Block<'_, O>, op: &Op, active: u32) {
    let constants = &block.machine.constants;
    match *op {
        Op::Convert { d, a, space, to_generic } => {
            let base = window(space);
            let value = warp.registers.wide(constants, a);
            let value = value.map(|v| if to_generic { v.wrapping_add(base) } else { v.wrapping_sub(base) });
            warp.registers.set_wide(d, &value, active);
        }
        Op::IsSpace { d, a, space } => {
            let value = warp.registers.wide(constants, a);
            let inside = |v: u64, space| v.wrapping_sub(window(space)) < WINDOW;
            let bits = (0..32).fold(0, |bits, lane| {
                let yes = match space {
                    Space::Global => !WINDOWS.iter().any(|&(other, _)| inside(value[lane], other)),
                    Space::Param | Space::Frame | Space::Const | Space::Shared | Space::Local | Space::Generic => {
                        inside(value[lane], space)
                    }
                };
                bits | u32::from(yes) << lane
            });
            warp.registers.set_p(d, bits, active);
        }
        Op::ReadSpecial { .. }
        | Op::ActiveMask { .. }
        | ops!(lane_local)
        | ops!(memory)
        | ops!(sync)
        | ops!(exchange)
        | ops!(control)
        | ops!(stop)
        | ops!(system) => {}
    }
}

/// The text at a generic address, up to its zero, as `assert` and `printf` pass it.
pub(super) fn text<O>(warp: &Warp, block: &Block<'_, O>, start: u64, lane: usize) -> Vec<u8> {
    let byte = |at: u64| value(warp, block, start.wrapping_add(at), 1, lane).filter(|&byte| byte != 0);
    (0..LONGEST_TEXT).map_while(byte).map(|byte| byte as u8).collect()
}

/// Up to eight bytes at a generic address, as a lane sees them; `None` when there is no memory.
pub(super) fn value<O>(warp: &Warp, block: &Block<'_, O>, address: u64, bytes: u32, lane: usize) -> Option<u64> {
    if !address.is_multiple_of(u64::from(bytes)) {
        return None;
    }
    let mut value = None;
    by_space(Space::Generic, &[address; 32], 1 << lane, |space, addresses, _| {
        value = read(warp, block, space, lane, addresses[lane], bytes).ok();
    });
    value
}
