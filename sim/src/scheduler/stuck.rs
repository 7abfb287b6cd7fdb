//! Findings about threads that never come to their end: what each waits for and why it never comes.

use crate::event::Observer;
use crate::exec;
use crate::findings::{Fault, Standstill, Who, Word};
use crate::ir::inst::{AtomicOp, Op, Pc};
use crate::machine::barrier::waiting_lanes;
use crate::machine::block::Block;
use crate::machine::paths::Wait;
use crate::machine::warp::{Look, Warp};

impl<O: Observer> Block<'_, O> {
    fn note(&mut self, pc: Pc, (warp, lanes): (u32, u32), fault: Fault) {
        let who = Who { block: self.index, warp, lanes };
        self.faults.note(pc, fault.kind(), who, || fault);
    }

    /// The budget is spent: the place where a warp was last becomes a finding.
    pub(super) fn note_endless(&mut self, warps: &[Warp]) {
        let Some((warp, path)) = warps.iter().find_map(|warp| Some((warp, warp.paths.list.first()?))) else { return };
        self.note(path.pc, (warp.index, path.lanes), Fault::Endless { budget: self.machine.budget });
    }

    /// All warps wait for threads of the block that never come: every place where somebody waits becomes a finding.
    pub(super) fn note_unreachable(&mut self, warps: &[Warp]) {
        let (live, of): (u32, u32) = (warps.iter().map(|warp| warp.paths.live().count_ones()).sum(), self.threads());
        for warp in warps {
            for path in &warp.paths.list {
                let place = (warp.index, path.lanes);
                match path.wait {
                    Wait::Barrier(id) => {
                        let here = warps.iter().map(|warp| waiting_lanes(warp, id).count_ones()).sum();
                        let wanted = self.barrier_threads(warps, id);
                        let arrived = self.arrivals.get(&id).copied().unwrap_or(0);
                        self.note(path.pc, place, Fault::NeverOpens { id, wanted, arrived, here, live, of });
                    }
                    Wait::Lanes(mask) => self.note(path.pc, place, Fault::MissingLanes { mask }),
                    Wait::None => {}
                }
            }
        }
    }

    /// The block waits for a change of memory that never comes, `because` of what stands there: every place where
    /// somebody spins or waits becomes a finding.
    pub(super) fn note_deadlock(&mut self, warps: &[Warp], because: &Standstill) {
        for warp in warps {
            let lanes = warp.paths.live();
            if let Some(spin) = &warp.spin {
                let waited = || spin.looks.iter().filter(|look| self.waits_for(look));
                // What it asks an mbarrier is what it waits for, whatever else it reads.
                match waited().find(|look| self.mbarrier(**look).is_some()).or_else(|| waited().next()) {
                    Some(&look) => self.note_spin(warp, look, because),
                    None => {
                        let pc = warp.paths.list.first().map_or(0, |path| path.pc);
                        self.note(pc, (warp.index, lanes), Fault::EndlessLoop);
                    }
                }
            }
            for path in &warp.paths.list {
                let place = (warp.index, path.lanes);
                match path.wait {
                    Wait::Barrier(id) => self.note(path.pc, place, Fault::WaitsAtBarrier { id }),
                    Wait::Lanes(mask) => self.note(path.pc, place, Fault::MissingLanes { mask }),
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

    fn note_spin(&mut self, warp: &Warp, look: Look, because: &Standstill) {
        let (word, holds) = match exec::shared_offset(look.address) {
            Some(offset) => {
                let bytes = self.shared.get(offset as usize..).and_then(|rest| rest.first_chunk());
                (Word::Shared(offset), bytes.map(|bytes| u32::from_le_bytes(*bytes)))
            }
            None => match self.machine.global.find(look.address, 4) {
                Some(allocation) => {
                    let offset = look.address - allocation.base;
                    let value = look.address.is_multiple_of(4).then(|| allocation.load(offset, 4) as u32);
                    (Word::Global(allocation.name.clone(), offset), value)
                }
                None => (Word::Nowhere(look.address), None),
            },
        };
        let because = because.clone();
        let fault = match self.mbarrier(look) {
            Some(state) => Fault::WaitsForPhase { word, phase: exec::atomic::waits_for(state), because },
            None => Fault::WaitsForWord { word, holds, because },
        };
        self.note(look.pc, (warp.index, look.lanes), fault);
    }
}
