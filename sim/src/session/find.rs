//! Where one can go to from a position, and who wrote what: answered from the record.

use serde::{Deserialize, Serialize};

use super::{Event, Session};
use crate::ptx::ast::Line;

/// Forwards or back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To the next one.
    #[default]
    Forward,
    /// To the one before.
    Back,
}

/// How far a step goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// One warp-instruction, whosever it is.
    #[default]
    Step,
    /// Until the warp has executed an instruction.
    Warp,
    /// Until the warp is about to execute another source line, or has exited.
    Line,
    /// Until some warp of the block has executed an instruction.
    Block,
}

/// A place in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// In shared memory of a block, from its beginning.
    Shared {
        /// Linear index of the block.
        block: u64,
        /// The first byte.
        address: u64,
        /// How many bytes.
        bytes: u32,
    },
    /// In global memory.
    Global {
        /// The first byte's address, as registers hold it.
        address: u64,
        /// How many bytes.
        bytes: u32,
    },
}

/// The last write of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LastWrite {
    /// The position behind the step that wrote.
    pub position: u64,
    /// Linear index of its block.
    pub block: u64,
    /// Its warp.
    pub warp: u32,
    /// The lanes that wrote there, as a mask.
    pub lanes: u32,
}

impl Session {
    /// The position that a step of a unit leads to from `from`, for a warp of a block; nothing if there is none.
    pub fn step_from(&self, from: u64, unit: Unit, direction: Direction, block: u64, warp: u32) -> Option<u64> {
        match unit {
            Unit::Step => match direction {
                Direction::Forward => (from < self.length()).then(|| from + 1),
                Direction::Back => from.checked_sub(1),
            },
            Unit::Warp => self.owned(from, direction, |own| own == (block, warp)),
            Unit::Block => self.owned(from, direction, |own| own.0 == block),
            Unit::Line => self.line_from(from, direction, (block, warp)),
        }
    }

    /// The nearest position behind a step of somebody whom `whose` names. Going back from the first of them leads to the
    /// beginning.
    fn owned(&self, from: u64, direction: Direction, whose: impl Fn((u64, u32)) -> bool) -> Option<u64> {
        let runs = &self.record.runs;
        let is_one = |at: &usize| whose((runs[*at].block, runs[*at].warp));
        match direction {
            Direction::Forward => {
                let first = runs.partition_point(|run| run.start <= from).saturating_sub(1);
                (first..runs.len()).filter(is_one).find_map(|at| {
                    self.record.steps(at).start.max(from).checked_add(1).filter(|&to| to <= self.record.steps(at).end)
                })
            }
            Direction::Back => {
                if from == 0 {
                    return None;
                }
                let behind = runs.partition_point(|run| run.start + 1 < from);
                let before = (0..behind).rev().filter(is_one).map(|at| self.record.steps(at).end.min(from - 1));
                Some(before.into_iter().next().unwrap_or(0))
            }
        }
    }

    /// The source line of a step.
    fn line_of(&self, step: u64) -> Line {
        self.program.insts[self.record.pcs[step as usize] as usize].line
    }

    /// The steps of a warp in a range, in order.
    fn steps_of(&self, who: (u64, u32), range: std::ops::Range<u64>) -> impl DoubleEndedIterator<Item = u64> {
        let runs = &self.record.runs;
        let first = runs.partition_point(|run| run.start <= range.start).saturating_sub(1);
        let last = runs.partition_point(|run| run.start < range.end);
        (first..last.max(first)).filter(move |&at| (runs[at].block, runs[at].warp) == who).flat_map(move |at| {
            let own = self.record.steps(at);
            own.start.max(range.start)..own.end.min(range.end)
        })
    }

    /// Lines of a warp are runs of its steps with one source line. Forwards: to before the next run, or behind the last
    /// step; back: to before the first step of this run, or, from there, of the run before.
    fn line_from(&self, from: u64, direction: Direction, who: (u64, u32)) -> Option<u64> {
        match direction {
            Direction::Forward => {
                let mut steps = self.steps_of(who, from..self.length());
                let line = self.line_of(steps.next()?);
                let mut last = from;
                for step in self.steps_of(who, from..self.length()) {
                    if self.line_of(step) != line {
                        return Some(step);
                    }
                    last = step + 1;
                }
                Some(last)
            }
            Direction::Back => {
                let mut steps = self.steps_of(who, 0..from).rev();
                let mut first = steps.next()?;
                let line = self.line_of(first);
                for step in steps {
                    if self.line_of(step) != line {
                        break;
                    }
                    first = step;
                }
                Some(first)
            }
        }
    }

    /// The nearest position behind a step that is such an event; of one block, of one warp of it, or of anybody.
    pub fn event_from(
        &self,
        from: u64,
        event: Event,
        direction: Direction,
        block: Option<u64>,
        warp: Option<u32>,
    ) -> Option<u64> {
        let mark = event.mark();
        let fits = |step: &u64| {
            self.record.marks[*step as usize].has(mark)
                && self.record.who(*step).is_some_and(|(own_block, own_warp)| {
                    block.is_none_or(|block| block == own_block) && warp.is_none_or(|warp| warp == own_warp)
                })
        };
        let step = match direction {
            Direction::Forward => (from..self.length()).find(fits)?,
            Direction::Back => (0..from.saturating_sub(1)).rev().find(fits)?,
        };
        Some(step + 1)
    }

    /// The position behind the last write of a place before `from`; nothing if no step before it wrote there.
    pub fn last_write(&self, from: u64, word: Word) -> Option<LastWrite> {
        let (place, of_block) = match word {
            Word::Shared { block, address, bytes } => ((true, address, bytes), Some(block)),
            Word::Global { address, bytes } => ((false, address, bytes), None),
        };
        let fits = |step| self.record.who(step).is_some_and(|(block, _)| of_block.is_none_or(|own| own == block));
        let (write, lanes) = self.record.writes.last(from, place, |write| fits(write.step))?;
        let (block, warp) = self.record.who(write.step)?;
        Some(LastWrite { position: write.step + 1, block, warp, lanes })
    }

    /// What happens in each of `columns` equal parts of the launch: the events of its steps, and the most that an access
    /// takes beyond the ideal, in wavefronts or sectors, up to 255. Fewer parts where there are fewer steps.
    pub fn timeline(&self, columns: usize) -> Vec<(Vec<Event>, u8)> {
        let length = self.record.pcs.len();
        let columns = columns.min(length);
        let part = |column: usize| {
            let range = column * length / columns..(column + 1) * length / columns;
            let marks = &self.record.marks[range.clone()];
            let events = Event::ALL.into_iter().filter(|event| marks.iter().any(|marks| marks.has(event.mark())));
            (events.collect(), self.record.excess[range].iter().copied().max().unwrap_or(0))
        };
        (0..columns).map(part).collect()
    }
}
