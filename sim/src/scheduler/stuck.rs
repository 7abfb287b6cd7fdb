//! Findings about threads that never come to their end: what each waits for and why it never comes.

use crate::event::Observer;
use crate::exec;
use crate::findings::{Fault, FindingKind};
use crate::ir::inst::{AtomicOp, Op, Pc};
use crate::lanes::lanes_text;
use crate::machine::barrier::waiting_lanes;
use crate::machine::block::Block;
use crate::machine::paths::Wait;
use crate::machine::warp::{Look, Warp};

const BARRIER_HELP: &str = "a barrier must be reached by every thread of the block: move it out of the branch or loop \
                            that only some threads take";
const COUNT_HELP: &str = "the hardware counts the threads that come, and those that have ended do not: give the barrier the \
                          count of the warps that really come to it, times 32";
const MASK_HELP: &str = "pass a mask that names exactly the lanes that execute the instruction together";
const ENDLESS_HELP: &str =
    "look for a loop whose condition never becomes false; if the kernel is just long, raise --budget";

/// Who waits at barrier `id`, and who of the block never comes: `here` threads wait, `live` of all have not ended, `of`
/// is all.
fn missing_at_barrier(id: u32, wanted: Option<u32>, arrived: u32, [here, live, of]: [u32; 3]) -> String {
    let ended = match of - live {
        0 => String::new(),
        1 => "; 1 has ended".to_owned(),
        n => format!("; {n} have ended"),
    };
    let elsewhere = live - here;
    match wanted {
        None => {
            format!("of the block's {of} threads, {here} wait at barrier {id} and {elsewhere} never come to it{ended}")
        }
        Some(wanted) => {
            let arrived = if arrived > 0 { format!(" and {arrived} have arrived at it") } else { String::new() };
            format!(
                "barrier {id} opens for {wanted} threads: {here} of the block's {of} threads wait at it{arrived}, and no \
                 other comes{ended}"
            )
        }
    }
}

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
        self.faults.note(pc, kind, || Fault { message: message(), help, block, warp, lanes, count: 1, space: None });
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
        let (live, of): (u32, u32) = (warps.iter().map(|warp| warp.paths.live().count_ones()).sum(), self.threads());
        for warp in warps {
            for path in &warp.paths.list {
                let place = (warp.index, path.lanes);
                match path.wait {
                    Wait::Barrier(id) => {
                        let here: u32 = warps.iter().map(|warp| waiting_lanes(warp, id).count_ones()).sum();
                        let wanted = self.barrier_threads(warps, id);
                        let arrived = self.arrivals.get(&id).copied().unwrap_or(0);
                        let message = || missing_at_barrier(id, wanted, arrived, [here, live, of]);
                        let help = if wanted.is_some() { COUNT_HELP } else { BARRIER_HELP };
                        self.note(path.pc, FindingKind::BarrierDivergence, place, message, help);
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
                let waited = || spin.looks.iter().filter(|look| self.waits_for(look));
                // What it asks an mbarrier is what it waits for, whatever else it reads.
                match waited().find(|look| self.mbarrier(**look).is_some()).or_else(|| waited().next()) {
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

    /// The state of the mbarrier that a look asks, if it asks one.
    fn mbarrier(&self, look: Look) -> Option<u64> {
        let Op::Atomic(atomic) = &self.machine.program.code.insts[look.pc as usize].op else { return None };
        let asks = matches!(atomic.op, AtomicOp::MbarrierTest);
        let offset = exec::shared_offset(look.address).filter(|_| asks)?;
        Some(u64::from_le_bytes(*self.shared.get(offset as usize..)?.first_chunk()?))
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
        let mbarrier = self.mbarrier(look).map(|word| {
            let (who, what) = (lanes_text(look.lanes), exec::atomic::waits_for(word));
            format!("{who} wait at the mbarrier at {place} for {what}, and no thread arrives any more: {because}")
        });
        if let Some(message) = mbarrier {
            let help = "the count of `mbarrier.init` (of `init` of a cuda::barrier) is the number of arrivals in each phase: \
                        count the threads, and the elected ones, that arrive; and expect as many bytes as are copied";
            self.note(look.pc, FindingKind::Deadlock, (warp.index, look.lanes), || message, help);
            return;
        }
        let holds = value.map_or(String::new(), |value| format!(", which holds {value}"));
        let who = lanes_text(look.lanes);
        let message =
            || format!("{who} wait in a loop for {place}{holds}, to change, and no thread changes it: {because}");
        let help = "look for who should write it: a thread that waits itself, lost its turn in a lock, or runs only when \
                    this one has ended";
        self.note(look.pc, FindingKind::Deadlock, (warp.index, look.lanes), message, help);
    }
}
