//! Breakpoints: at lines of sources, or at lines of the PTX.

use sim::session::{Direction, Place};

use super::Model;
use crate::sources::same_file;

/// Where a breakpoint is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    /// At a line of a source file.
    Source {
        /// The file, or the end of its path.
        file: String,
        /// The line, from 1.
        line: u32,
    },
    /// At a line of the PTX, from 1.
    Ptx(u32),
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Source { file, line } => write!(f, "line {line} of {}", crate::words::base(file)),
            Self::Ptx(line) => write!(f, "PTX line {line}"),
        }
    }
}

/// What an instruction is to a breakpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    /// It belongs to the line.
    On,
    /// A piece of the line's code begins with it.
    Begin,
}

/// A breakpoint: a warp stops before it begins the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakpoint {
    /// Its number.
    pub number: u32,
    /// Where it is: at the next line with code, if that which was wanted has none.
    pub spot: Spot,
    marks: Vec<Mark>,
}

/// The lines of a file that have code, those of calls that were inlined among them.
fn lines(places: &[Place], file: &str) -> impl Iterator<Item = u32> {
    let of_place = |place: &Place| {
        let callers = place.inlined_in.iter().map(|caller| (caller.file.clone(), caller.line));
        callers.chain([(place.file.clone(), place.line)]).collect::<Vec<_>>()
    };
    places.iter().flat_map(of_place).filter(move |(own, _)| same_file(own, file)).map(|(_, line)| line)
}

/// Whether an instruction belongs to a spot.
fn belongs(place: &Place, spot: &Spot) -> bool {
    match spot {
        Spot::Ptx(line) => place.ptx_line == *line,
        Spot::Source { file, line } => {
            let here = |own: &str, at: u32| at == *line && same_file(own, file);
            here(&place.file, place.line) || place.inlined_in.iter().any(|caller| here(&caller.file, caller.line))
        }
    }
}

impl Model {
    /// Where a breakpoint that is wanted somewhere would be: at the next line with code; nothing where none follows.
    pub fn resolve(&self, wanted: &Spot) -> Option<Spot> {
        match wanted {
            Spot::Ptx(line) => {
                let lines = self.places.iter().map(|place| place.ptx_line).filter(|own| own >= line);
                lines.min().map(Spot::Ptx)
            }
            Spot::Source { file, line } => {
                let line = lines(&self.places, file).filter(|own| own >= line).min()?;
                Some(Spot::Source { file: file.clone(), line })
            }
        }
    }

    /// Lines of a file with code, from one to another, in order.
    pub fn lines_with_code(&self, file: &str, range: std::ops::RangeInclusive<u32>) -> Vec<u32> {
        let mut lines: Vec<u32> = lines(&self.places, file).filter(|line| range.contains(line)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Sets a breakpoint at the next line with code; nothing where none follows.
    pub fn add_breakpoint(&mut self, wanted: &Spot) -> Option<&Breakpoint> {
        let spot = self.resolve(wanted)?;
        if let Some(at) = self.breakpoints.iter().position(|own| own.spot == spot) {
            return self.breakpoints.get(at);
        }
        let mut before = false;
        let mark = |place: &Place| {
            let on = belongs(place, &spot);
            let mark = if !on {
                Mark::None
            } else if before {
                Mark::On
            } else {
                Mark::Begin
            };
            before = on;
            mark
        };
        let marks = self.places.iter().map(mark).collect();
        self.numbered += 1;
        self.breakpoints.push(Breakpoint { number: self.numbered, spot, marks });
        self.breakpoints.last()
    }

    /// The breakpoints.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// Removes those that `remove` names, and tells how many they were.
    pub fn remove_breakpoints(&mut self, remove: impl Fn(&Breakpoint) -> bool) -> usize {
        let before = self.breakpoints.len();
        self.breakpoints.retain(|own| !remove(own));
        before - self.breakpoints.len()
    }

    /// The breakpoint at which a warp stands before the step from a position: where a piece of the line's code begins, or
    /// where the warp comes from another line.
    fn stopped_at(&self, position: u64) -> Option<u32> {
        let step = self.step_at(position)?;
        let mark = |own: &Breakpoint| own.marks[step.instruction as usize];
        let hit = |own: &&Breakpoint| match mark(own) {
            Mark::None => false,
            Mark::Begin => true,
            Mark::On => {
                let same = |other: sim::session::StepTaken| (other.block, other.warp) == (step.block, step.warp);
                let before = self.session.step_before(position, same).and_then(|at| self.step_at(at));
                before.is_none_or(|before| own.marks[before.instruction as usize] == Mark::None)
            }
        };
        self.breakpoints.iter().find(hit).map(|own| own.number)
    }

    /// The nearest position with a breakpoint behind or before another, and its number.
    pub(super) fn next_breakpoint(&self, from: u64, direction: Direction) -> Option<(u64, u32)> {
        if self.breakpoints.is_empty() {
            return None;
        }
        let stopped = |at: u64| Some((at, self.stopped_at(at)?));
        match direction {
            Direction::Forward => (from + 1..self.length()).find_map(stopped),
            Direction::Back => (0..from).rev().find_map(stopped),
        }
    }
}
