//! The operations on sessions: launches that are stepped forwards and back.

use sim::session::{Limits, Session, View};
use sim::{Arg, Checks, Module, Options, simulate};

use crate::inputs;
use crate::protocol::{Closed, Column, Done, Failure, Find, Look, Moved, Open, Opened, Seek, Show, Step, Wanted};
use crate::running::{self, Meter};

/// Sessions that are kept; the oldest goes first.
const KEPT: usize = 4;

/// Most steps of a session.
const MOST_STEPS: u64 = 1 << 21;

/// Bytes that the snapshots of a session may take.
const SNAPSHOTS: usize = 32 << 20;

/// Most parts of a timeline.
const MOST_COLUMNS: usize = 2048;

/// The sessions of an engine.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    /// With their numbers, the oldest first.
    open: Vec<(u64, Session)>,
    /// The number of the latest.
    last: u64,
}

impl Sessions {
    /// Opens one.
    pub(crate) fn open(&mut self, module: &Module, request: &Open) -> Result<Done, Failure> {
        let names = inputs::names(&request.numbers)?;
        let mut buffers = running::buffers(&request.buffers, &names, request.memory)?;
        let stepped = request.launches.get(request.launch);
        let stepped = stepped.ok_or_else(|| Failure::input(format!("there is no launch {}", request.launch)))?;
        let meter = Meter::new(request.budget);
        let defaults = Options::default();
        let options = Options {
            target: request.target.clone().unwrap_or(defaults.target),
            seed: request.seed,
            memory: Some(request.memory),
            watch: Some(meter.watch()),
            ..defaults
        };
        let mut module = module.clone();
        for launch in &request.launches[..request.launch] {
            let taken = inputs::launch(launch, &mut buffers, &names)?;
            let plain = Options { checks: Checks::NONE, ..options.clone() };
            let outcome = simulate(&module, &launch.kernel, &taken.launch, &plain);
            let mut outcome = outcome.map_err(|error| meter.failure(error))?;
            for (argument, buffer) in taken.passed {
                buffers[buffer].content = Arg::Buffer(outcome.buffers[argument].take().unwrap_or_default());
            }
            for (name, bytes) in &outcome.variables {
                module.write_variable(name, bytes)?;
            }
        }
        let taken = inputs::launch(stepped, &mut buffers, &names)?;
        let limits = Limits { steps: request.steps.clamp(1, MOST_STEPS), bytes: SNAPSHOTS };
        // What is recorded is bounded by its own number; whoever asks for it can still stop it.
        let options = Options { watch: Some(Meter::new(u64::MAX).watch()), ..options };
        let opened = Session::new(&module, &stepped.kernel, &taken.launch, &options, limits);
        let mut session = opened.map_err(|error| meter.failure(error))?;
        let view = request.show.as_ref().map(|show| look(&mut session, show)).transpose()?;
        let timeline = session.timeline(request.columns.min(MOST_COLUMNS)).into_iter();
        self.last += 1;
        let opened = Opened {
            session: self.last,
            length: session.length(),
            complete: session.is_complete(),
            blocks: taken.launch.grid.count(),
            warps: taken.launch.block.count().div_ceil(32),
            findings: session.findings().to_vec(),
            timeline: timeline.map(|(events, excess)| Column { events, excess }).collect(),
            view,
        };
        if self.open.len() == KEPT {
            self.open.remove(0);
        }
        self.open.push((self.last, session));
        Ok(Done::Open(opened))
    }

    /// Steps one.
    pub(crate) fn step(&mut self, request: &Step) -> Result<Done, Failure> {
        let session = self.find(request.session)?;
        let (block, warp) = request.warp;
        let to = session.step_from(session.position(), request.unit, request.direction, block, warp);
        go(session, to, request.show.as_ref())
    }

    /// Goes to a position.
    pub(crate) fn seek(&mut self, request: &Seek) -> Result<Done, Failure> {
        go(self.find(request.session)?, Some(request.position), request.show.as_ref())
    }

    /// Goes to what is looked for.
    pub(crate) fn look_for(&mut self, request: &Find) -> Result<Done, Failure> {
        let session = self.find(request.session)?;
        let from = session.position();
        let to = match request.wanted {
            Wanted::Event { event, direction, block, warp } => session.event_from(from, event, direction, block, warp),
            Wanted::LastWrite(word) => session.last_write(from, word).map(|write| write.position),
        };
        go(session, to, request.show.as_ref())
    }

    /// Looks at where one is.
    pub(crate) fn view(&mut self, request: &Look) -> Result<Done, Failure> {
        let session = self.find(request.session)?;
        let here = session.position();
        go(session, Some(here), Some(&request.show))
    }

    /// Ends one.
    pub(crate) fn close(&mut self, number: u64) -> Done {
        let before = self.open.len();
        self.open.retain(|(own, _)| *own != number);
        Done::Close(Closed { closed: self.open.len() < before })
    }

    fn find(&mut self, number: u64) -> Result<&mut Session, Failure> {
        let found = self.open.iter_mut().find(|(own, _)| *own == number).map(|(_, session)| session);
        found.ok_or_else(|| Failure::input(format!("no session {number} is open")))
    }
}

/// Goes to a position, if there is one to go to.
fn go(session: &mut Session, to: Option<u64>, show: Option<&Show>) -> Result<Done, Failure> {
    if let Some(to) = to {
        session.seek(to);
    }
    let view = show.map(|show| look(session, show)).transpose()?;
    Ok(Done::Moved(Moved { position: session.position(), found: to.is_some(), view }))
}

fn look(session: &mut Session, show: &Show) -> Result<View, Failure> {
    Ok(session.view(show.warp, show.shared)?)
}
