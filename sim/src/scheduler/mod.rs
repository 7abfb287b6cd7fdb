//! Who runs when: the blocks of a launch, the warps of a block, the paths of a warp.
//!
//! [`turns`] lets the warps of a block take turns, [`residents`] the blocks that communicate. Blocks that do not run side
//! by side, in groups. A warp that waits in a loop is told from one that works by [`spin`]; who waits for ever, by
//! [`stuck`].

mod residents;
mod spin;
mod stuck;
mod turns;
mod walk;

use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use crate::error::Error;
use crate::event::Observer;
use crate::findings::{Faults, Standstill};
use crate::machine::block::Block;
use crate::machine::grid::Machine;
use crate::machine::printed::Printed;
use crate::machine::registers::Registers;
use crate::machine::warp::Warp;
use residents::Residents;
use turns::{BRIEF_TURN, Round, TURN, Visit};
pub(crate) use walk::{Snapshot, Stop, Walk};

/// Most groups of blocks that run side by side. Fixed, so that results do not depend on the number of CPU threads.
const GROUPS: u64 = 256;

/// What blocks showed that ran.
pub(crate) struct Ran<O> {
    /// Who observed them.
    pub observer: O,
    /// What went wrong.
    pub faults: Faults,
    /// What they printed, in order.
    pub printed: Printed,
    /// The last of them came to no end.
    endless: bool,
}

impl<O> Ran<O> {
    fn of(block: Block<'_, O>, endless: bool) -> Self {
        Self { observer: block.observer, faults: block.faults, printed: block.printed, endless }
    }

    /// The same with another observer.
    pub(crate) fn map<P>(self, change: impl FnOnce(O) -> P) -> Ran<P> {
        let Self { observer, faults, printed, endless } = self;
        Ran { observer: change(observer), faults, printed, endless }
    }
}

/// Prepares a launch with `new` and runs it with `run`: the blocks side by side where that is possible, else once more in
/// turn. `run` returns `None` where it is not.
///
/// # Errors
/// Those of `new`, and [`Error::Stopped`].
pub(crate) fn launch<'a, R>(
    new: impl Fn() -> Result<Machine<'a>, Error>,
    run: impl Fn(&Machine<'a>) -> Option<R>,
) -> Result<(Machine<'a>, R), Error> {
    for forced_turns in [false, true] {
        let mut machine = new()?;
        machine.forced_turns = forced_turns;
        let ran = run(&machine);
        if machine.is_stopped() {
            return Err(Error::Stopped);
        }
        if let Some(ran) = ran {
            return Ok((machine, ran));
        }
    }
    Err(Error::Internal("blocks that run in turn wait for blocks that do not".to_owned()))
}

/// Runs all blocks. `observer` makes an observer for a group of blocks, `merge` adds one of later blocks to the sum.
/// `None` when they cannot run side by side, because one waits for what another one does: then a new machine has to
/// run them in turn.
pub(crate) fn run<O: Observer + Send>(
    machine: &Machine<'_>,
    observer: impl Fn() -> O + Sync,
    merge: impl Fn(&mut O, O) + Sync + Send,
) -> Option<Ran<O>> {
    if machine.in_turn() {
        let mut block = Block::new(machine, observer(), BRIEF_TURN);
        let _ = Residents::new(machine.grid.count(), machine.resident_blocks, machine.seed).run(&mut block);
        block.observer.finish(&machine.program.code);
        return Some(Ran::of(block, false));
    }
    let blocks = machine.grid.count();
    let per_group = blocks.div_ceil(GROUPS);
    let run_group = |group: u64| {
        let mut block = Block::new(machine, observer(), TURN);
        let range = group * per_group..((group + 1) * per_group).min(blocks);
        let endless = run_alone(machine, &mut block, range);
        block.observer.finish(&machine.program.code);
        Ran::of(block, endless)
    };
    let nothing =
        || Ran { observer: observer(), faults: Faults::default(), printed: Printed::default(), endless: false };
    // Neighbours are merged in order and as soon as both are there: the counters of a long kernel are megabytes.
    let merge = |mut earlier: Ran<O>, later: Ran<O>| {
        // Whatever ran behind the first endless block was cut short at some point: it does not count.
        if earlier.endless {
            return earlier;
        }
        merge(&mut earlier.observer, later.observer);
        earlier.faults.merge(later.faults);
        earlier.printed.merge(&later.printed);
        earlier.endless = later.endless;
        earlier
    };
    let groups = blocks.div_ceil(per_group) as u32;
    let run = (0..groups).into_par_iter().map(|group| run_group(u64::from(group)));
    let ran = run.reduce(nothing, merge);
    (!machine.waiting.load(Relaxed)).then_some(ran)
}

/// Runs a sample of the blocks on one CPU thread: those of `alone`, or, where blocks communicate, the `first` ones
/// in turn. `None` when they cannot run one by one.
pub(crate) fn run_sample<O: Observer>(machine: &Machine<'_>, observer: O, alone: &[u64], first: u64) -> Option<Ran<O>> {
    let in_turn = machine.in_turn();
    let mut block = Block::new(machine, observer, if in_turn { BRIEF_TURN } else { TURN });
    let mut endless = false;
    if in_turn {
        let count = first.clamp(1, machine.grid.count());
        let _ = Residents::new(count, machine.resident_blocks, machine.seed).fair().run(&mut block);
    } else {
        for &index in alone {
            endless |= run_alone(machine, &mut block, index..index + 1);
        }
    }
    block.observer.finish(&machine.program.code);
    (!machine.waiting.load(Relaxed)).then(|| Ran::of(block, endless))
}

/// Runs blocks one after another, each to its end. True when one came to none.
fn run_alone<O: Observer>(machine: &Machine<'_>, block: &mut Block<'_, O>, range: std::ops::Range<u64>) -> bool {
    let mut warps: Vec<Warp> = (0..machine.warps_per_block())
        .map(|_| Warp { registers: Registers::new(&machine.program.code), ..Warp::default() })
        .collect();
    for index in range {
        if index > machine.endless.load(Relaxed) || machine.is_stopped() {
            break;
        }
        block.start(index, &mut warps);
        let visit = loop {
            let visit = block.visit(&mut warps, u64::MAX, &mut Round::default());
            if !matches!(visit, Visit::Idles | Visit::Interrupted) {
                break visit;
            }
        };
        if !has_ended(block, &warps, visit) {
            return true;
        }
    }
    false
}

/// Whether a block that ran alone has come to its end. If not, it is noted why: it waits for others, or for ever, or has
/// spent its budget.
fn has_ended<O: Observer>(block: &mut Block<'_, O>, warps: &[Warp], visit: Visit) -> bool {
    match visit {
        Visit::Waits if block.waits_for_others(warps) => block.machine.waiting.store(true, Relaxed),
        Visit::Waits => block.note_deadlock(warps, &Standstill::OwnBlock),
        Visit::Endless => block.note_endless(warps),
        Visit::Ended | Visit::Idles | Visit::Interrupted | Visit::Paused | Visit::Halted => return true,
    }
    block.machine.endless.fetch_min(block.index, Relaxed);
    false
}
