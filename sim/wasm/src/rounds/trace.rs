//! The observer: writes down what is written to arrays, and where rounds end.

use std::collections::BTreeMap;

use data::element::Element;
use played::Write;
use sim::event::{AccessEvent, AccessKind, LaunchInfo, MemoryEvent, MemoryKind, Observer, SyncEvent};
use sim::ir::Inst;
use sim::ir::inst::{Op, Reg, Space};
use sim::target::Rules;

use super::By;
use super::flow::{Flow, Origin};

/// Where an array is.
#[derive(Debug, Clone)]
pub(super) struct Watched {
    pub(super) shared: bool,
    /// Its first byte; none where the launch does not have it.
    pub(super) base: Option<u64>,
    pub(super) element: Element,
    pub(super) count: u64,
}

/// A round that was seen.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub(super) writes: Vec<RawWrite>,
    /// What elements hold behind it, as far as they were written, by array and element.
    pub(super) values: BTreeMap<(usize, usize), u64>,
    pub(super) shared: (u64, u64, u64),
}

/// An element is written.
#[derive(Debug)]
pub(super) struct RawWrite {
    pub(super) told: Write,
    pub(super) mixed: bool,
}

/// Sees a launch.
pub(super) struct Trace {
    insts: Vec<Inst>,
    rules: Rules,
    watched: Vec<Watched>,
    by: By,
    /// The block and the warp that run.
    now: (u64, u32),
    flow: Flow,
    /// Origins of what was stored to memory that is no array, by space and address.
    stored: BTreeMap<(bool, u64, u64), Origin>,
    rounds: Vec<Raw>,
    current: Raw,
    /// Elements that atomics changed, whose values are not known yet: array, element, address.
    unknown: Vec<(usize, usize, u64)>,
}

impl Trace {
    pub(super) fn new(info: &LaunchInfo<'_>, watched: Vec<Watched>, by: By) -> Self {
        Self {
            insts: info.program.insts.iter().map(|inst| inst.inst.clone()).collect(),
            rules: info.target.rules(),
            watched,
            by,
            now: (0, 0),
            flow: Flow::default(),
            stored: BTreeMap::new(),
            rounds: Vec::new(),
            current: Raw::default(),
            unknown: Vec::new(),
        }
    }

    /// Adds what was seen of later blocks.
    pub(super) fn merge(&mut self, later: Self) {
        self.close();
        self.rounds.extend(later.rounds);
        self.current = later.current;
        self.unknown = later.unknown;
    }

    /// The rounds in which something was written.
    pub(super) fn end(mut self, by: By) -> Vec<Raw> {
        self.close();
        self.rounds.retain(|round| !round.writes.is_empty());
        if by == By::Launch && self.rounds.len() > 1 {
            let mut sum = Raw::default();
            for round in self.rounds {
                sum.writes.extend(round.writes);
                sum.values.extend(round.values);
                sum.shared.0 += round.shared.0;
                sum.shared.1 += round.shared.1;
                sum.shared.2 += round.shared.2;
            }
            return vec![sum];
        }
        self.rounds
    }

    fn close(&mut self) {
        self.rounds.push(std::mem::take(&mut self.current));
    }

    /// Whether the rounds are about what the block that runs does.
    fn counts(&self) -> bool {
        self.by != By::Barrier || self.now.0 == 0
    }

    /// The array and the element at an address.
    fn find(&self, shared: bool, address: u64) -> Option<(usize, usize)> {
        if shared && self.now.0 != 0 {
            return None;
        }
        self.watched.iter().enumerate().find_map(|(number, array)| {
            let offset = address.checked_sub(array.base?)? / array.element.bytes() as u64;
            (array.shared == shared && offset < array.count).then_some((number, offset as usize))
        })
    }

    /// What atomics made of elements can be read before anything else happens to memory.
    fn learn(&mut self, event: &AccessEvent<'_>) {
        let shared = event.space == Space::Shared;
        if shared && self.now.0 != 0 {
            return;
        }
        let (rounds, current) = (&mut self.rounds, &mut self.current);
        self.unknown.retain(|&(array, element, address)| {
            if self.watched[array].shared != shared {
                return true;
            }
            let value = (event.old)(address, self.watched[array].element.bytes() as u32).0;
            let wrote = |round: &&mut Raw| {
                round.writes.iter().any(|write| (write.told.array, write.told.element) == (array, element))
            };
            let round = Some(&mut *current).filter(wrote).or_else(|| rounds.iter_mut().rev().find(wrote));
            if let Some(round) = round {
                round.values.insert((array, element), value);
            }
            false
        });
    }

    fn load(&mut self, event: &AccessEvent<'_>, registers: &[Option<Reg>]) {
        let shared = event.space == Space::Shared;
        for lane in lanes(event.lanes) {
            let who = (self.now.0, event.warp * 32 + lane);
            for (part, reg) in (0..).zip(registers) {
                let Some(reg) = *reg else { continue };
                let address = event.addresses[lane as usize].wrapping_add(u64::from(part * event.bytes));
                let origin = match self.find(shared, address) {
                    // Which of several elements a part of the value comes from is not followed.
                    Some(element) if self.is_wider(element, event.bytes) => Origin { mixed: true, ..Origin::default() },
                    Some(element) => Origin { elements: [element].into(), mixed: false },
                    None => self.stored.get(&(shared, self.block_of(shared), address)).cloned().unwrap_or_default(),
                };
                self.flow.set(who, reg, &origin);
            }
        }
    }

    fn is_wider(&self, (array, _): (usize, usize), bytes: u32) -> bool {
        bytes as usize > self.watched[array].element.bytes()
    }

    fn block_of(&self, shared: bool) -> u64 {
        if shared { self.now.0 } else { 0 }
    }

    /// `parts` are the values' registers: the operands of an atomic are one part.
    fn write(&mut self, event: &AccessEvent<'_>, parts: &[Vec<Reg>], base: Option<Reg>) {
        let shared = event.space == Space::Shared;
        let atomic = event.kind == AccessKind::Atomic;
        let mut any = false;
        for lane in lanes(event.lanes) {
            let who = (self.now.0, event.warp * 32 + lane);
            for (part, regs) in (0..).zip(parts) {
                let address = event.addresses[lane as usize].wrapping_add(u64::from(part * event.bytes));
                let mut origin = Origin::default();
                for &reg in regs {
                    let own = self.flow.of(who, reg);
                    origin.elements.extend(own.elements);
                    origin.mixed |= own.mixed;
                }
                let Some((array, element)) = self.find(shared, address) else {
                    self.stored.insert((shared, self.block_of(shared), address), origin);
                    continue;
                };
                if origin.is_empty()
                    && let Some(base) = base
                {
                    // An address that lanes agreed on says nothing of elements.
                    origin.elements = self.flow.of(who, base).elements;
                }
                if !self.counts() {
                    continue;
                }
                any = true;
                let (block, thread) = who;
                let from = origin.elements.iter().copied().collect();
                let told = Write { array, element, block, thread, atomic, from };
                self.current.writes.push(RawWrite { told, mixed: origin.mixed });
                if atomic {
                    self.unknown.push((array, element, address));
                } else {
                    self.current.values.insert((array, element), (event.value)(lane, part).0);
                    // The register and the element are one value from here on.
                    let same = Origin { elements: [(array, element)].into(), mixed: false };
                    regs.iter().for_each(|&reg| self.flow.set(who, reg, &same));
                }
            }
        }
        if any && self.by == By::Store {
            self.close();
        }
    }
}

impl Observer for Trace {
    const CHECKS: bool = true;

    type Held = ();

    fn turn(&mut self, block: u64, warp: u32) {
        self.now = (block, warp);
    }

    fn instruction(&mut self, pc: u32, active: u32) {
        let Some(inst) = self.insts.get(pc as usize) else { return };
        if matches!(inst.op, Op::Load(_) | Op::Store(_) | Op::Atomic(_)) {
            // What a load of other memory gives comes from no element; of an array, the access says so.
            let Op::Load(access) = &inst.op else { return };
            let registers: Vec<Reg> = access.registers.iter().flatten().copied().collect();
            for lane in lanes(active) {
                let who = (self.now.0, self.now.1 * 32 + lane);
                registers.iter().for_each(|&reg| self.flow.set(who, reg, &Origin::default()));
            }
            return;
        }
        let inst = inst.clone();
        self.flow.execute(self.now.0, self.now.1, active, &inst);
    }

    fn memory(&mut self, event: &MemoryEvent<'_>) {
        if !self.counts() {
            return;
        }
        let narrow = || event.addresses.map(|address| address as u32);
        let ideal = || self.rules.ideal_wavefronts(event.active, event.width);
        let (cost, ideal) = match event.kind {
            MemoryKind::SharedLoad | MemoryKind::SharedLoopLoad | MemoryKind::SharedStore | MemoryKind::SharedCopy => {
                (self.rules.wavefronts(&narrow(), event.active, event.width, event.kind.direction()), ideal())
            }
            MemoryKind::SharedAtomic(unit) => {
                (self.rules.atomic_wavefronts(&narrow(), event.active, event.width, unit), ideal())
            }
            _ => return,
        };
        // Of a round that is one access, that alone counts.
        if self.by == By::Store {
            self.current.shared = (0, 0, 0);
        }
        self.current.shared.0 += 1;
        self.current.shared.1 += u64::from(cost);
        self.current.shared.2 += u64::from(ideal);
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        self.learn(event);
        let Some(inst) = self.insts.get(event.pc as usize).cloned() else { return };
        match (&inst.op, event.kind) {
            (Op::Load(access), AccessKind::Load) => self.load(event, &access.registers),
            (Op::Store(access), AccessKind::Store) => {
                let parts: Vec<Vec<Reg>> = access.registers.iter().map(|reg| reg.iter().copied().collect()).collect();
                self.write(event, &parts, access.address.base);
            }
            (Op::Atomic(atomic), AccessKind::Atomic) => {
                let parts = [std::iter::once(atomic.a).chain(atomic.b).collect()];
                self.write(event, &parts, atomic.address.base);
            }
            _ => {}
        }
    }

    fn sync(&mut self, event: &SyncEvent<'_>) {
        if self.by == By::Barrier && self.now.0 == 0 && matches!(event, SyncEvent::Everyone) {
            self.close();
        }
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}
