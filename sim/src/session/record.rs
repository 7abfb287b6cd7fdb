//! What is written down of every warp-instruction of a launch when it runs for the first time.

use super::marks::Marks;
use super::writes::{Write, Writes};
use crate::check::Checked;
use crate::event::{AccessEvent, AccessKind, MemoryEvent, Observer, SyncEvent};
use crate::ir::inst::{Op, Pc, Space};
use crate::ir::slow_paths::Difference;
use crate::observe::eras;
use crate::prepare::Executable;
use crate::prepare::register_allocation::Code;
use crate::target::Rules;

/// A warp executes instructions one after another from a step on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// The first step.
    pub start: u64,
    /// Linear index of the block.
    pub block: u64,
    /// Number of the warp within it.
    pub warp: u32,
}

/// Every step of a launch. The step with index `i` leads from position `i` to position `i + 1`.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// The instruction of each step.
    pub pcs: Vec<Pc>,
    /// The lanes that executed it; none where its guard is false in all of them, or they have to wait.
    pub lanes: Vec<u32>,
    /// What is remarkable of it.
    pub marks: Vec<Marks>,
    /// Wavefronts or sectors beyond the ideal, up to 255.
    pub excess: Vec<u8>,
    /// Whose steps they are.
    pub runs: Vec<Run>,
    /// Steps behind which a finding was first known.
    pub found: Vec<u64>,
    /// What was written to shared and global memory.
    pub writes: Writes,
}

impl Record {
    /// How many steps there are.
    pub(super) fn length(&self) -> u64 {
        self.pcs.len() as u64
    }

    /// The block and the warp of a step.
    pub(super) fn who(&self, step: u64) -> Option<(u64, u32)> {
        let at = self.runs.partition_point(|run| run.start <= step).checked_sub(1)?;
        (step < self.length()).then(|| (self.runs[at].block, self.runs[at].warp))
    }

    /// The steps of a run of the list: from one, up to before another.
    pub(super) fn steps(&self, at: usize) -> std::ops::Range<u64> {
        self.runs[at].start..self.runs.get(at + 1).map_or(self.length(), |next| next.start)
    }
}

/// Records, and looks for bugs meanwhile.
pub(super) struct Recorder {
    checked: Checked,
    rules: Rules,
    /// What the instructions are, by position.
    ops: Vec<Marks>,
    /// The steps so far.
    pub record: Record,
    now: (u64, u32),
    /// The lanes of the path that executes.
    path: u32,
    /// How many different things were found so far.
    found: usize,
}

impl Recorder {
    pub(super) fn new(program: &Executable, checked: Checked, rules: Rules) -> Self {
        let of = |op: &Op| match op {
            Op::Branch { .. } => Marks::BRANCH,
            Op::Barrier(_) => Marks::BARRIER,
            Op::Atomic(_) => Marks::ATOMIC,
            _ => Marks::NONE,
        };
        let ops = program.code.insts.iter().map(|inst| of(&inst.op)).collect();
        Self { checked, rules, ops, record: Record::default(), now: (0, 0), path: 0, found: 0 }
    }

    /// So many different faults were found up to here: if they are more than before, the last step has shown it.
    pub(super) fn settle(&mut self, faults: usize) {
        let found = faults + self.checked.kinds();
        if found > self.found
            && let Some(marks) = self.record.marks.last_mut()
        {
            *marks |= Marks::FINDING;
            self.record.found.push(self.record.pcs.len() as u64 - 1);
        }
        self.found = found;
    }

    /// What was checked meanwhile.
    pub(super) const fn checked(&self) -> &Checked {
        &self.checked
    }
}

/// What an observer is told.
impl Recorder {
    pub(super) fn step(&mut self, pc: Pc, lanes: u32, found: usize) {
        self.settle(found);
        let (record, (block, warp)) = (&mut self.record, self.now);
        if record.runs.last().is_none_or(|run| (run.block, run.warp) != (block, warp)) {
            record.runs.push(Run { start: record.pcs.len() as u64, block, warp });
        }
        record.pcs.push(pc);
        record.lanes.push(0);
        record.marks.push(Marks::NONE);
        record.excess.push(0);
        self.path = lanes;
    }

    pub(super) fn instruction(&mut self, pc: Pc, active: u32) {
        self.checked.instruction(pc, active);
        let op = self.ops[pc as usize];
        if let (Some(lanes), Some(marks)) = (self.record.lanes.last_mut(), self.record.marks.last_mut()) {
            *lanes = active;
            *marks |= match op {
                Marks::BRANCH if active != self.path => Marks::DIVERGENCE,
                Marks::BRANCH => Marks::NONE,
                op => op,
            };
        }
    }

    pub(super) fn straight(&mut self, pc: Pc, length: usize, active: u32) {
        self.checked.straight(pc, length, active);
        if let Some(lanes) = self.record.lanes.last_mut() {
            *lanes = active;
        }
    }

    pub(super) fn memory(&mut self, event: &MemoryEvent<'_>) {
        self.checked.memory(event);
        let Some(cost) = eras::cost(&self.rules, event) else { return };
        let excess = cost.cost.saturating_sub(cost.ideal);
        if let (Some(marks), Some(own)) = (self.record.marks.last_mut(), self.record.excess.last_mut()) {
            *marks |= match (cost.shared, excess > 0) {
                (true, true) => Marks::SHARED | Marks::CONFLICT,
                (true, false) => Marks::SHARED,
                (false, true) => Marks::GLOBAL | Marks::SCATTERED,
                (false, false) => Marks::GLOBAL,
            };
            *own = own.saturating_add(u8::try_from(excess).unwrap_or(u8::MAX));
        }
    }

    pub(super) fn access(&mut self, event: &AccessEvent<'_>) {
        self.checked.access(event);
        let step = self.record.pcs.len() as u64 - u64::from(!self.record.pcs.is_empty());
        if event.kind != AccessKind::Load {
            let shared = event.space == Space::Shared;
            let bytes = event.bytes * event.parts;
            self.record.writes.add(Write::new(step, shared, bytes, event.lanes, event.addresses));
        }
    }

    pub(super) fn turn(&mut self, block: u64, warp: u32) {
        self.checked.turn(block, warp);
        self.now = (block, warp);
    }

    pub(super) fn waited(&mut self, pc: Pc, warp: u32, steps: u64) {
        self.checked.waited(pc, warp, steps);
    }

    pub(super) fn unusual(&mut self, pc: Pc, difference: Difference) {
        self.checked.unusual(pc, difference);
    }

    pub(super) fn communicate(&mut self, pc: Pc, thread_instructions: u32) {
        self.checked.communicate(pc, thread_instructions);
    }

    pub(super) fn engine(&mut self, pc: Pc, requests: u64, sectors: u64) {
        self.checked.engine(pc, requests, sectors);
    }

    pub(super) fn sync(&mut self, event: &SyncEvent<'_>) {
        self.checked.sync(event);
    }

    pub(super) fn exchange(&mut self, held: &mut <Checked as Observer>::Held) {
        self.checked.exchange(held);
    }

    pub(super) fn finish(&mut self, code: &Code) {
        self.checked.finish(code);
    }
}
