//! A session with what its readers see: where it stands, whom one looks at, where it can go. No terminal and no editor
//! here.

mod breakpoints;
mod lines;

use kernels::launch::prepare::PreparedBuffer;
use sim::session::{Direction, Event, Found, Place, Session, StepTaken, Unit, View, Word};
use sim::{Dim3, Error};

use crate::sources::Sources;
pub use breakpoints::{Breakpoint, Spot};

/// Words of shared memory that a view has.
const WORDS: u32 = 1 << 14;

/// What is stepped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The file.
    pub file: String,
    /// The kernel, as its source calls it.
    pub kernel: String,
    /// The GPU.
    pub target: String,
    /// Its grid.
    pub grid: Dim3,
    /// Its block.
    pub block: Dim3,
    /// Which launch of the session it is, from 1.
    pub launch: usize,
    /// How many there are.
    pub launches: usize,
    /// Whether the code is what a GPU runs, and not compiled without optimisation.
    pub optimised: bool,
    /// The buffers in global memory.
    pub buffers: Vec<PreparedBuffer>,
    /// What the compiler warned of.
    pub warnings: String,
    /// What the user should know, one sentence each.
    pub notes: Vec<String>,
}

/// Why a run stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Before an instruction with a breakpoint, by its number.
    Breakpoint(u32),
    /// Behind the step that showed a finding, by its index.
    Finding(usize),
    /// At the end of what was recorded.
    End,
    /// At the beginning.
    Beginning,
}

/// A warp of a block, by the block's linear index.
pub type Warp = (u64, u32);

/// A launch that is stepped.
pub struct Model {
    session: Session,
    /// What is stepped.
    pub about: About,
    /// The texts of its code.
    pub sources: Sources,
    places: Vec<Place>,
    look: Warp,
    /// Whether runs stop at findings.
    pub stops_at_findings: bool,
    breakpoints: Vec<Breakpoint>,
    /// The number of the latest breakpoint.
    numbered: u32,
    /// Where jumps came from.
    before: Vec<(u64, Warp)>,
    /// The view at a position, of a warp.
    seen: Option<(u64, Warp, View)>,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.session.fmt(f)
    }
}

impl Model {
    pub(crate) fn new(session: Session, places: Vec<Place>, sources: Sources, about: About) -> Result<Self, Error> {
        let mut model = Self {
            session,
            about,
            sources,
            places,
            look: (0, 0),
            stops_at_findings: true,
            breakpoints: Vec::new(),
            numbered: 0,
            before: Vec::new(),
            seen: None,
        };
        if let Some(first) = model.session.step_at(0) {
            model.look = (first.block, first.warp);
        }
        model.view()?;
        Ok(model)
    }

    /// Steps since the beginning.
    pub fn position(&self) -> u64 {
        self.session.position()
    }

    /// The position of the end.
    pub fn length(&self) -> u64 {
        self.session.length()
    }

    /// Whether the end is that of the launch.
    pub fn is_complete(&self) -> bool {
        self.session.is_complete()
    }

    /// What was found, in the order in which it became known.
    pub fn findings(&self) -> &[Found] {
        self.session.findings()
    }

    /// The warp that one looks at.
    pub const fn look(&self) -> Warp {
        self.look
    }

    /// Warps of a block.
    pub fn warps(&self) -> u32 {
        self.about.block.count().div_ceil(32) as u32
    }

    /// Whether the launch has this warp.
    pub fn has(&self, (block, warp): Warp) -> bool {
        block < self.about.grid.count() && warp < self.warps()
    }

    /// Looks at another warp.
    ///
    /// # Errors
    /// A sentence, when there is no such warp.
    pub fn look_at(&mut self, warp: Warp) -> Result<(), String> {
        if !self.has(warp) {
            let (blocks, warps) = (self.about.grid.count(), self.warps());
            return Err(format!(
                "there is no warp {} in a block {}: {blocks} blocks have {warps} warps each",
                warp.1, warp.0
            ));
        }
        self.look = warp;
        Ok(())
    }

    /// What the launch is at the position: of the warp that one looks at.
    ///
    /// # Errors
    /// The simulator's, which would be a bug of ours.
    pub fn view(&mut self) -> Result<&View, Error> {
        let at = (self.position(), self.look);
        let fresh = match self.seen.take() {
            Some((position, look, view)) if (position, look) == at => view,
            _ => self.session.view(Some(self.look), (0, WORDS))?,
        };
        Ok(&self.seen.insert((at.0, at.1, fresh)).2)
    }

    /// What the launch is at the position: of any warp.
    ///
    /// # Errors
    /// The simulator's, when there is no such warp.
    pub fn view_of(&mut self, warp: Warp) -> Result<View, Error> {
        if warp == self.look {
            return self.view().cloned();
        }
        self.session.view(Some(warp), (0, WORDS))
    }

    /// The step that leads from a position to the next.
    pub fn step_at(&self, position: u64) -> Option<StepTaken> {
        self.session.step_at(position)
    }

    /// The nearest step of the warp that one looks at, from a position on or before it.
    pub fn own_step(&self, position: u64, direction: Direction) -> Option<StepTaken> {
        let own = |step: StepTaken| (step.block, step.warp) == self.look;
        let at = match direction {
            Direction::Forward => self.session.next_step(position, own),
            Direction::Back => self.session.step_before(position, own),
        };
        at.and_then(|at| self.step_at(at))
    }

    /// Where the instruction of a step stands.
    pub fn place(&self, step: StepTaken) -> &Place {
        &self.places[step.instruction as usize]
    }

    /// Where every instruction stands.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Goes to a position.
    pub fn seek(&mut self, position: u64) {
        self.session.seek(position);
    }

    /// Steps by a unit as often as is said, and tells how often it was possible.
    pub fn step(&mut self, unit: Unit, direction: Direction, times: u64) -> u64 {
        for done in 0..times {
            let from = self.position();
            let to = self.session.step_from(from, unit, direction, self.look.0, self.look.1);
            match to.filter(|&to| to != from) {
                Some(to) => self.session.seek(to),
                None => return done,
            }
        }
        times
    }

    /// Goes to the nearest event of a kind, and tells whether there is one.
    pub fn event(&mut self, event: Event, direction: Direction) -> bool {
        let to = self.session.event_from(self.position(), event, direction, None, None);
        self.jump(to)
    }

    /// Who wrote a place last: the position behind that step, and the lanes.
    pub fn last_write(&self, word: Word) -> Option<sim::session::LastWrite> {
        self.session.last_write(self.position(), word)
    }

    /// Goes to a position, and looks at the warp of the step before it. One can return from there.
    pub fn jump(&mut self, to: Option<u64>) -> bool {
        let Some(to) = to else { return false };
        let from = (self.position(), self.look);
        self.session.seek(to);
        if let Some(last) = self.position().checked_sub(1).and_then(|last| self.step_at(last)) {
            self.look = (last.block, last.warp);
        }
        if (self.position(), self.look) != from {
            self.before.push(from);
        }
        true
    }

    /// Goes back to where the last jump came from, and tells whether there was one.
    pub fn jump_back(&mut self) -> bool {
        let Some((position, look)) = self.before.pop() else { return false };
        self.session.seek(position);
        self.look = look;
        true
    }

    /// Runs to the next breakpoint or finding, or to an end; back: to the one before.
    pub fn run(&mut self, direction: Direction) -> Stop {
        let from = self.position();
        let breakpoint = self.next_breakpoint(from, direction);
        let findings = self.findings().iter().enumerate().filter(|_| self.stops_at_findings);
        let findings = findings.map(|(index, found)| (found.position, index));
        let finding = match direction {
            Direction::Forward => findings.filter(|(at, _)| *at > from).min(),
            Direction::Back => {
                findings.filter(|(at, _)| *at < from).max_by_key(|&(at, index)| (at, std::cmp::Reverse(index)))
            }
        };
        let nearer = |a: u64, b: u64| if direction == Direction::Forward { a <= b } else { a >= b };
        match (breakpoint, finding) {
            (at, Some((found, index))) if at.is_none_or(|(at, _)| nearer(found, at)) => {
                self.jump(Some(found));
                Stop::Finding(index)
            }
            (Some((at, number)), _) => {
                self.before.push((from, self.look));
                self.session.seek(at);
                if let Some(step) = self.step_at(at) {
                    self.look = (step.block, step.warp);
                }
                Stop::Breakpoint(number)
            }
            _ => {
                let (to, stop) = match direction {
                    Direction::Forward => (self.length(), Stop::End),
                    Direction::Back => (0, Stop::Beginning),
                };
                self.before.push((from, self.look));
                self.session.seek(to);
                stop
            }
        }
    }

    /// Bytes of a buffer in global memory, by its number: those that it has from an offset on.
    ///
    /// # Errors
    /// The simulator's, when there is no such buffer.
    pub fn bytes(&mut self, buffer: usize, from: u64, bytes: u64) -> Result<Vec<u8>, Error> {
        match self.about.buffers.get(buffer) {
            Some(PreparedBuffer { argument, .. }) => self.session.buffer(*argument, from, bytes),
            None => Ok(Vec::new()),
        }
    }

    /// What happens in equal parts of the launch.
    pub fn timeline(&self, columns: usize) -> Vec<(Vec<Event>, u8)> {
        self.session.timeline(columns)
    }

    /// `block (0,1,0)`, as CUDA counts blocks.
    pub fn block_index(&self, block: u64) -> String {
        let at = self.about.grid.coordinates(block);
        format!("({},{},{})", at.x, at.y, at.z)
    }
}
