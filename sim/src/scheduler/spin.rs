//! Tells a warp that waits in a loop from one that works in a loop.
//!
//! A warp is a machine of its own as long as memory stays as it is: if its registers, its local memory and the places
//! of its lanes are what they were before, and no memory that other threads see has changed in between, it will repeat
//! the same steps until somebody else changes memory. So a warp that comes back to an earlier state *spins*: it need
//! not run before memory has changed, and when all that is left spins, nobody will ever change it. This is a proof, not
//! a guess: a loop that counts its rounds or looks at the clock never comes back to an earlier state.

use crate::event::Observer;
use crate::exec;
use crate::ir::inst::{Access, Op, Pc, Special};
use crate::machine::block::Block;
use crate::machine::paths::{Path, Wait};
use crate::machine::warp::{Look, Spin, Warp};
use crate::target::Scheduling;

/// Instructions over which a repetition is looked for.
const LONGEST: u64 = 2048;

/// What was found out about a warp that has run for long without any effect.
pub(super) enum Watched {
    /// It repeats itself.
    Spins(Spin),
    /// It does not, as far as one can see; in its loop it looks at the clock, and at this.
    WaitsForTime(Vec<Look>),
    /// It does not, as far as one can see.
    Works,
}

/// Runs every path of the warp until it is back in an earlier state or memory changes or it has run for long.
pub(super) fn watch<O: Observer>(block: &mut Block<'_, O>, warp: &mut Warp) -> Watched {
    let changes = block.changes;
    let groups: Vec<u32> = match block.machine.scheduling {
        Scheduling::Independent => {
            warp.paths.list.iter().filter(|path| path.wait == Wait::None).map(|path| path.lanes).collect()
        }
        Scheduling::LockStep => warp.paths.innermost().map(|path| warp.paths.list[path].lanes).into_iter().collect(),
    };
    let mut looks = Vec::new();
    let mut clock = false;
    for lanes in groups {
        if !repeats(block, warp, lanes, &mut looks, &mut clock) {
            return if clock { Watched::WaitsForTime(looks) } else { Watched::Works };
        }
    }
    Watched::Spins(Spin { changes, looks })
}

/// Runs the paths of `lanes` alone. True when they came back to an earlier state.
fn repeats<O: Observer>(
    block: &mut Block<'_, O>,
    warp: &mut Warp,
    lanes: u32,
    looks: &mut Vec<Look>,
    clock: &mut bool,
) -> bool {
    let changes = block.changes;
    let known = looks.len();
    let state = |warp: &Warp| (warp.paths.clone(), warp.registers.clone(), warp.local.clone(), warp.frame.clone());
    let mut earlier = state(warp);
    let mut renew = 32;
    for step in 1..=LONGEST.min(block.budget) {
        let ours = |path: &Path| path.wait == Wait::None && path.lanes & lanes != 0;
        let Some(path) = warp.paths.list.iter().rposition(ours) else { return false };
        let pc = warp.paths.list[path].pc;
        looks.extend(look(block, warp, path, pc));
        *clock |= matches!(
            block.machine.program.code.insts.get(pc as usize).map(|inst| &inst.op),
            Some(Op::ReadSpecial { what: Special::Clock | Special::GlobalTimer, .. })
        );
        let mut fuel = 1;
        let arrives = O::STEPS && exec::arrives(warp, block, path);
        if !arrives {
            if O::STEPS && block.stride(warp, path).is_none() {
                return false;
            }
            exec::run(warp, block, path, &mut fuel);
        }
        let used = 1 - fuel;
        warp.clock += used;
        warp.executed += used;
        block.budget -= used;
        if O::STEPS {
            block.pace.left -= used;
        }
        if block.changes != changes {
            return false;
        }
        if warp.paths == earlier.0 && warp.registers == earlier.1 && warp.local == earlier.2 && warp.frame == earlier.3
        {
            return true;
        }
        // Loops take some rounds until they are in their steady state, and may be long: look further back, less often.
        // What it looked at last is also what it waits for if it only waits for time.
        if step == renew && step < LONGEST {
            renew *= 2;
            earlier = state(warp);
            looks.truncate(known);
        }
    }
    false
}

/// What the instruction at `pc` looks at, if it reads memory that other threads can change.
fn look<O>(block: &Block<'_, O>, warp: &Warp, path: usize, pc: Pc) -> Option<Look> {
    let inst = block.machine.program.code.insts.get(pc as usize)?;
    let (address, space) = match &inst.op {
        Op::Load(access) => {
            let Access { address, space, .. } = **access;
            (address, space)
        }
        Op::Atomic(atomic) => (atomic.address, atomic.space),
        _ => return None,
    };
    let lanes = warp.paths.list[path].lanes
        & match inst.guard {
            None => u32::MAX,
            Some((p, false)) => warp.registers.p(p),
            Some((p, true)) => !warp.registers.p(p),
        };
    let lane = (lanes != 0).then(|| lanes.trailing_zeros() as usize)?;
    let address = exec::generic_address(warp, block, address, space, lane)?;
    Some(Look { pc, lanes, address })
}
