//! Makes a view of what a launch is at a position.

use super::names::Kind;
use super::replay::{At, Seen};
use super::view::{
    Access, BarrierView, BlockView, Done, Listed, Next, PathView, Place, RegisterView, SharedView, State, VariableView,
    View, WarpInBlock, WarpView,
};
use super::{Event, Session, sentence};
use crate::error::Error;
use crate::event::MemoryKind;
use crate::ir::inst::{Pc, Reg};
use crate::lanes::lanes_of;
use crate::machine::block::State as BlockState;
use crate::machine::grid::Machine;
use crate::machine::paths::{Path, Wait};
use crate::machine::warp::Warp;
use crate::ptx::inlining;

/// Words of shared memory that a view has at most.
const MOST_WORDS: u32 = 1 << 14;

impl Session {
    /// What the launch is at the position: of a warp and its block, or of those that are next if none is named (at the
    /// end, of those that were last). `shared` are the first word of shared memory and how many, of which up to 16,384
    /// are shown.
    ///
    /// # Errors
    /// [`Error::Input`] when there is no such block or warp.
    pub fn view(&mut self, warp: Option<(u64, u32)>, shared: (u32, u32)) -> Result<View, Error> {
        if let Some((block, number)) = warp {
            let (blocks, warps) = (self.launch.grid.count(), self.launch.block.count().div_ceil(32));
            if block >= blocks || u64::from(number) >= warps {
                let message =
                    format!("there is no warp {number} in a block {block}: {blocks} blocks have {warps} warps each");
                return Err(Error::input(message));
            }
        }
        let position = self.position;
        self.at(position, |session, at| session.look(position, &at, warp, shared))
    }

    fn look(&self, position: u64, at: &At<'_, '_>, warp: Option<(u64, u32)>, shared: (u32, u32)) -> View {
        let last = position.checked_sub(1);
        let stopped = at.walk.next();
        let of_last = last.and_then(|step| self.record.who(step));
        let (block, number) = warp.or(stopped.map(|(block, warp, _)| (block, warp))).or(of_last).unwrap_or((0, 0));
        let find = |block: u64| at.walk.blocks().find(|(state, _)| state.index == block);
        let next = stopped.and_then(|(block, number, path)| {
            let path = find(block)?.1.get(number as usize)?.paths.list.get(path)?;
            Some(Next { block, warp: number, lanes: path.lanes, place: self.place(path.pc) })
        });
        let last = last.map(|step| self.done(step, at.seen()));
        let resident = find(block);
        let view = match resident.and_then(|(_, warps)| warps.get(number as usize)) {
            Some(warp) => self.warp(at.machine, block, warp, position, stopped),
            None => WarpView { block, warp: number, live: 0, path: None, paths: Vec::new(), registers: Vec::new() },
        };
        View {
            position,
            length: self.length(),
            sentence: sentence::of(last.as_ref(), &view, self.launch.grid.count() > 1),
            block: self.block(block, resident, last.as_ref(), position, shared),
            next,
            last,
            warp: view,
        }
    }

    pub(super) fn place(&self, pc: Pc) -> Place {
        let inst = &self.program.insts[pc as usize];
        let (file, line) = self.program.place(self.module.ast(), self.module.name(), pc as usize);
        let chain = inlining::chain(self.module.ast(), inst.line);
        let listed = |line: &crate::ptx::ast::Line| {
            let file = self.module.ast().files.get(&line.file)?;
            Some(Listed { file: file.clone(), line: line.line })
        };
        let inlined_in = chain.iter().skip(1).filter_map(listed).collect();
        Place { file, line, inlined_in, ptx_line: inst.ptx_line, text: inst.text.clone() }
    }

    fn done(&self, step: u64, seen: &[Seen]) -> Done {
        let at = step as usize;
        let (block, warp) = self.record.who(step).unwrap_or_default();
        let marks = self.record.marks[at];
        Done {
            block,
            warp,
            lanes: self.record.lanes[at],
            place: self.place(self.record.pcs[at]),
            accesses: seen.iter().map(access).collect(),
            events: Event::ALL.into_iter().filter(|event| marks.has(event.mark())).collect(),
        }
    }

    fn warp(
        &self,
        machine: &Machine<'_>,
        block: u64,
        warp: &Warp,
        position: u64,
        stopped: Option<(u64, u32, usize)>,
    ) -> WarpView {
        let list = &warp.paths.list;
        let of = |path: &Path| PathView {
            lanes: path.lanes,
            state: if warp.spin.is_some() && path.wait == Wait::None { State::Spinning } else { state(path.wait) },
            place: self.place(path.pc),
        };
        let arrived = warp.paths.arrived().map(|(pc, lanes)| PathView {
            lanes,
            state: State::ToReconverge,
            place: self.place(pc),
        });
        let ours = stopped.filter(|&(own, number, _)| (own, number) == (block, warp.index)).map(|(.., path)| path);
        let shown =
            ours.or_else(|| list.iter().rposition(|path| path.wait == Wait::None)).or(list.len().checked_sub(1));
        WarpView {
            block,
            warp: warp.index,
            live: warp.paths.live(),
            path: shown,
            registers: self.registers(machine, block, warp, position, shown),
            paths: list.iter().map(of).chain(arrived).collect(),
        }
    }

    /// The registers of a warp. Each lane has those that are needed where it is.
    fn registers(
        &self,
        machine: &Machine<'_>,
        block: u64,
        warp: &Warp,
        position: u64,
        shown: Option<usize>,
    ) -> Vec<RegisterView> {
        let program = &*self.program;
        let mut lanes_by_number = std::collections::BTreeMap::<usize, u32>::new();
        let places = warp.paths.list.iter().map(|path| (path.pc, path.lanes)).chain(warp.paths.arrived());
        for (pc, lanes) in places {
            for number in self.names.needed(program, pc) {
                *lanes_by_number.entry(number).or_default() |= lanes;
            }
        }
        let mut written = Vec::new();
        let mut at = shown.and_then(|path| warp.paths.list.get(path)).map_or(0, |path| path.pc);
        if let Some(step) = position.checked_sub(1)
            && self.record.who(step) == Some((block, warp.index))
        {
            let pc = self.record.pcs[step as usize];
            let lanes = self.record.lanes[step as usize];
            if lanes != 0 {
                written = self.names.written(program, pc);
                for &number in &written {
                    *lanes_by_number.entry(number).or_default() |= lanes;
                }
            }
            at = at.max(pc);
        }
        let row = |(number, lanes): (usize, u32)| {
            let (name, bits, kind) = self.names.of(number, at)?;
            let own = self.names.register(program, number);
            let slot = program.code.given.get(number).copied();
            let reg = match (own, slot) {
                (Reg::W(..), Some(slot)) => Reg::W(slot, 32),
                (Reg::D(_), Some(slot)) => Reg::D(slot),
                (Reg::P(_), Some(slot)) => Reg::P(slot),
                (own, _) => own,
            };
            let value = |lane: u32| {
                (lanes >> lane & 1 != 0).then(|| kind.show(bits, warp.registers.lane(&machine.constants, reg, lane)))
            };
            let values = (0..32).map(value).collect();
            Some(RegisterView {
                name: name.to_owned(),
                kind: kind.name(bits),
                written: written.contains(&number),
                values,
            })
        };
        let mut rows: Vec<RegisterView> = lanes_by_number.into_iter().filter_map(row).collect();
        rows.sort_by_cached_key(|row| {
            let stem = row.name.trim_end_matches(|c: char| c.is_ascii_digit());
            let number: u64 = row.name[stem.len()..].parse().unwrap_or(0);
            (!row.name.contains('.') && stem.len() == row.name.len(), stem.to_owned(), number)
        });
        rows.sort_by_key(|row| crate::ir::slots::StartValue::from_name(&row.name).is_none());
        rows
    }

    fn block(
        &self,
        block: u64,
        resident: Option<(&BlockState, &[Warp])>,
        last: Option<&Done>,
        position: u64,
        (from, count): (u32, u32),
    ) -> BlockView {
        let variables = self.program.shared_variables.iter();
        let variables =
            variables.map(|(name, offset, bytes)| VariableView { name: name.clone(), offset: *offset, bytes: *bytes });
        let Some((held, warps)) = resident else {
            let ran = self.record.runs.iter().any(|run| run.block == block && run.start < position);
            let state = if ran { State::Exited } else { State::NotStarted };
            let count = self.launch.block.count().div_ceil(32);
            let warps = (0..count).map(|_| WarpInBlock { state: state.clone(), live: 0, line: 0 }).collect();
            return BlockView { block, warps, barriers: Vec::new(), shared: None, variables: variables.collect() };
        };
        let mut ids: Vec<u32> = warps.iter().flat_map(|warp| &warp.paths.list).filter_map(barrier).collect();
        ids.sort_unstable();
        ids.dedup();
        let lanes_at = |warp: &Warp, id: u32| {
            let there = warp.paths.list.iter().filter(|path| barrier(path) == Some(id));
            there.fold(0, |lanes, path| lanes | path.lanes)
        };
        let numbers = |which: &dyn Fn(&Warp) -> bool| {
            warps.iter().filter(|warp| which(warp)).map(|warp| warp.index).collect::<Vec<_>>()
        };
        let barriers = ids.into_iter().map(|id| BarrierView {
            id,
            waiting: numbers(&|warp| lanes_at(warp, id) != 0),
            missing: numbers(&|warp| warp.paths.live() & !lanes_at(warp, id) != 0),
        });
        let words = (held.shared.len() / 4) as u32;
        let end = from.saturating_add(count.min(MOST_WORDS)).min(words);
        let shared = (words > 0).then(|| {
            let word = |number: u32| {
                let bytes = held.shared[number as usize * 4..].first_chunk().copied().unwrap_or_default();
                self.names.shared.show(32, u32::from_le_bytes(bytes).into())
            };
            let kind = if self.names.shared == Kind::Predicate { Kind::Bits } else { self.names.shared };
            SharedView {
                kind: kind.name(32),
                words,
                from,
                values: (from..end).map(word).collect(),
                touched: touched(last.filter(|last| last.block == block), from..end),
            }
        });
        BlockView {
            block,
            warps: warps.iter().map(|warp| self.in_block(warp)).collect(),
            barriers: barriers.collect(),
            shared,
            variables: variables.collect(),
        }
    }

    fn in_block(&self, warp: &Warp) -> WarpInBlock {
        let list = &warp.paths.list;
        let path = list.iter().rev().find(|path| path.wait == Wait::None).or(list.first());
        WarpInBlock {
            state: match path {
                None => State::Exited,
                Some(path) if path.wait == Wait::None && warp.spin.is_some() => State::Spinning,
                Some(path) => state(path.wait),
            },
            live: warp.paths.live(),
            line: path.map_or(0, |path| self.program.place(self.module.ast(), self.module.name(), path.pc as usize).1),
        }
    }
}

fn state(wait: Wait) -> State {
    match wait {
        Wait::None => State::Ready,
        Wait::Barrier(id) => State::AtBarrier(id),
        Wait::Lanes(mask) => State::ForLanes(mask),
    }
}

fn barrier(path: &Path) -> Option<u32> {
    match path.wait {
        Wait::Barrier(id) => Some(id),
        Wait::None | Wait::Lanes(_) => None,
    }
}

fn access(seen: &Seen) -> Access {
    let (what, shared) = match seen.kind {
        MemoryKind::SharedLoad => ("load from shared memory", true),
        MemoryKind::SharedLoopLoad => ("load of an atomic's loop from shared memory", true),
        MemoryKind::SharedStore => ("store to shared memory", true),
        MemoryKind::SharedCopy => ("copy to shared memory", true),
        MemoryKind::SharedAtomic(_) => ("atomic in shared memory", true),
        MemoryKind::SharedAttempt => ("atomic that is tried in global memory", true),
        MemoryKind::GlobalLoad => ("load from global memory", false),
        MemoryKind::GlobalStore => ("store to global memory", false),
        MemoryKind::GlobalCopy => ("copy from global memory", false),
        MemoryKind::GlobalAtomic | MemoryKind::GlobalSwap => ("atomic in global memory", false),
        MemoryKind::GlobalReduction => ("reduction in global memory", false),
        MemoryKind::LocalLoad => ("load from local memory", false),
        MemoryKind::LocalStore => ("store to local memory", false),
    };
    let address = |lane: usize| (seen.active >> lane & 1 != 0).then(|| format!("{:x}", seen.addresses[lane]));
    Access {
        what: what.to_owned(),
        shared,
        width: seen.width,
        lanes: seen.active,
        addresses: (0..32).map(address).collect(),
        cost: seen.cost.map(|(cost, _)| cost),
        ideal: seen.cost.map(|(_, ideal)| ideal),
    }
}

/// The words of a range of shared memory that the last step touched.
fn touched(last: Option<&Done>, range: std::ops::Range<u32>) -> Vec<u32> {
    let mut words = Vec::new();
    for access in last.into_iter().flat_map(|last| &last.accesses).filter(|access| access.shared) {
        for lane in lanes_of(access.lanes) {
            let text = access.addresses[lane as usize].as_deref().unwrap_or_default();
            let address = u64::from_str_radix(text, 16).unwrap_or_default();
            let end = address.saturating_add(u64::from(access.width.max(1)) - 1);
            words.extend((address / 4..=end / 4).filter_map(|word| u32::try_from(word).ok()));
        }
    }
    words.retain(|word| range.contains(word));
    words.sort_unstable();
    words.dedup();
    words
}
