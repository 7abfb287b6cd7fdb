//! Findings about threads that never come to their end: what each waits for and why it never comes.

use super::barrier::waiting_lanes;
use super::block::{Block, lanes_text};
use super::fault::Fault;
use super::paths::Wait;
use super::spin::Look;
use super::warp::Warp;
use crate::exec;
use crate::observe::Observer;
use crate::program::inst::Pc;
use crate::report::FindingKind;

const BARRIER_HELP: &str = "a barrier must be reached by every thread of the block: move it out of the branch or loop \
                            that only some threads take";
const MASK_HELP: &str = "pass a mask that names exactly the lanes that execute the instruction together";
const ENDLESS_HELP: &str =
    "look for a loop whose condition never becomes false; if the kernel is just long, raise --budget";

impl<O: Observer> Block<'_, O> {
    fn note(
        &mut self,
        pc: Pc,
        kind: FindingKind,
        place: (u32, u32),
        message: impl FnOnce() -> String,
        help: &'static str,
    ) {
        let (block, (warp, lanes)) = (self.index, place);
        self.faults.note(pc, kind, || Fault { message: message(), help, block, warp, lanes, count: 1 });
    }

    /// The budget is spent: the place where a warp was last becomes a finding.
    pub(super) fn note_endless(&mut self, warps: &[Warp]) {
        let Some((warp, path)) = warps.iter().find_map(|warp| Some((warp, warp.paths.list.first()?))) else { return };
        let budget = self.machine.budget;
        let message = || {
            format!(
                "the thread block executed its budget of {budget} warp-instructions without coming to an end; warp {} \
                 was here last",
                warp.index
            )
        };
        self.note(path.pc, FindingKind::Budget, (warp.index, path.lanes), message, ENDLESS_HELP);
    }

    /// All warps wait for threads of the block that never come: every place where somebody waits becomes a finding.
    pub(super) fn note_unreachable(&mut self, warps: &[Warp]) {
        let live: u32 = warps.iter().map(|warp| warp.paths.live().count_ones()).sum();
        for warp in warps {
            for path in &warp.paths.list {
                let place = (warp.index, path.lanes);
                match path.wait {
                    Wait::Barrier(id) => {
                        let here: u32 = warps.iter().map(|warp| waiting_lanes(warp, id).count_ones()).sum();
                        let message = || {
                            format!(
                                "{here} threads wait at barrier {id} and {} threads of the block never come to it",
                                live - here
                            )
                        };
                        self.note(path.pc, FindingKind::BarrierDivergence, place, message, BARRIER_HELP);
                    }
                    Wait::Lanes(mask) => self.note_missing(path.pc, place, mask),
                    Wait::None => {}
                }
            }
        }
    }

    fn note_missing(&mut self, pc: Pc, place: (u32, u32), mask: u32) {
        let message = || {
            format!(
                "lanes wait for all lanes of mask {mask:#010x} to execute this instruction, and {} never do",
                lanes_text(mask & !place.1)
            )
        };
        self.note(pc, FindingKind::Deadlock, place, message, MASK_HELP);
    }

    /// The block waits for a change of memory that never comes, `because` of what stands there: every place where
    /// somebody spins or waits becomes a finding.
    pub(super) fn note_deadlock(&mut self, warps: &[Warp], because: &str) {
        for warp in warps {
            let lanes = warp.paths.live();
            if let Some(spin) = &warp.spin {
                match spin.looks.iter().find(|look| self.waits_for(look)) {
                    Some(&look) => self.note_spin(warp, look, because),
                    None => {
                        let pc = warp.paths.list.first().map_or(0, |path| path.pc);
                        let message = || {
                            "this loop never ends: it came back to the state it was in before, and looks at nothing that \
                             another thread could change"
                                .to_owned()
                        };
                        let help = "nothing inside the loop changes its condition: look at what should";
                        self.note(pc, FindingKind::Budget, (warp.index, lanes), message, help);
                    }
                }
            }
            for path in &warp.paths.list {
                let place = (warp.index, path.lanes);
                match path.wait {
                    Wait::Barrier(id) => {
                        let message = || {
                            format!(
                                "threads wait at barrier {id} for threads of their block that wait elsewhere for ever"
                            )
                        };
                        let help = "the other findings name what those threads wait for";
                        self.note(path.pc, FindingKind::Deadlock, place, message, help);
                    }
                    Wait::Lanes(mask) => self.note_missing(path.pc, place, mask),
                    Wait::None => {}
                }
            }
        }
    }

    /// Whether a spinning warp looks at what another block could change.
    pub(super) fn waits_for_others(&self, warps: &[Warp]) -> bool {
        let looks = warps.iter().filter_map(|warp| warp.spin.as_ref()).flat_map(|spin| &spin.looks);
        looks.into_iter().any(|look| self.machine.global.find(look.address, 1).is_some())
    }

    /// Whether a change of what `look` sees could end the loop; constants and parameters never change.
    fn waits_for(&self, look: &Look) -> bool {
        self.machine.global.find(look.address, 1).is_some() || exec::shared_offset(look.address).is_some()
    }

    fn note_spin(&mut self, warp: &Warp, look: Look, because: &str) {
        let (place, value) = match exec::shared_offset(look.address) {
            Some(offset) => {
                let bytes = self.shared.get(offset as usize..).and_then(|rest| rest.first_chunk());
                (format!("byte {offset} of shared memory"), bytes.map(|bytes| u32::from_le_bytes(*bytes)))
            }
            None => match self.machine.global.find(look.address, 4) {
                Some(allocation) => {
                    let offset = look.address - allocation.base;
                    let value = look.address.is_multiple_of(4).then(|| allocation.load(offset, 4) as u32);
                    (format!("byte {offset} of {}", allocation.name), value)
                }
                None => (format!("address {:#x}", look.address), None),
            },
        };
        let holds = value.map_or(String::new(), |value| format!(", which holds {value}"));
        let who = lanes_text(look.lanes);
        let message =
            || format!("{who} wait in a loop for {place}{holds}, to change, and nobody changes it: {because}");
        let help = "look for who should write it: a thread that waits itself, lost its turn in a lock, or runs only when \
                    this one has ended";
        self.note(look.pc, FindingKind::Deadlock, (warp.index, look.lanes), message, help);
    }
}
