//! What a screen shows, and what its keys do.

use ratatui::crossterm::event::KeyCode;
use sim::session::{Direction, Event, Unit};

use crate::answers::{Commands, Outcome};
use crate::command::{Command, Thing};
use crate::words::{EVENTS, UNITS};

/// The keys, with what they do: those of the book's stepper first.
pub(super) const KEYS: [(&str, &str); 21] = [
    (". ,", "a step on, a step back"),
    ("> <", "to the next barrier, to the barrier before"),
    ("n p", "to the next event of the chosen kind, to the event before"),
    ("w", "who wrote the selected word of shared memory"),
    ("[ ]", "the warp before, the next warp"),
    ("Home End", "to the beginning, to the end"),
    ("Backspace", "back to where a jump came from"),
    ("r", "back to where it began"),
    ("Space", "play and pause"),
    ("arrows", "another word of shared memory"),
    ("u", "another unit of steps"),
    ("e", "another kind of event"),
    ("o O", "over to another line of this function, back"),
    ("x", "out of what is inlined here"),
    ("b", "a breakpoint at the current line, or none"),
    ("c C", "run to the next breakpoint or finding, to the one before"),
    ("f", "to the next finding"),
    ("Tab", "another pane, where not all have room"),
    (":", "type a command (`help` lists them)"),
    ("?", "this list"),
    ("q", "quit"),
];

/// What the lower pane shows where not all have room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pane {
    Registers,
    Shared,
    Access,
    Findings,
}

impl Pane {
    pub(super) const ALL: [Self; 4] = [Self::Registers, Self::Shared, Self::Access, Self::Findings];

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Registers => "Registers",
            Self::Shared => "Shared memory",
            Self::Access => "Last access",
            Self::Findings => "Findings",
        }
    }
}

/// The screen.
#[derive(Debug)]
pub struct Screen {
    pub(super) commands: Commands,
    pub(super) colours: bool,
    pub(super) event: Event,
    pub(super) pane: Pane,
    /// The word of shared memory that is selected.
    pub(super) selected: u32,
    /// The answer of the last command, or what is wrong.
    pub(super) message: String,
    /// The command that is being typed.
    pub(super) typed: Option<String>,
    pub(super) help: bool,
    /// The answer of a command that was typed, if it is longer than a line.
    pub(super) long: Option<String>,
    plays: bool,
    ended: bool,
    began: (u64, (u64, u32)),
}

impl Screen {
    /// A screen of a launch, with colours or without.
    #[must_use]
    pub fn new(commands: Commands, colours: bool) -> Self {
        let began = (commands.model.position(), commands.model.look());
        Self {
            commands,
            colours,
            event: Event::Divergence,
            pane: Pane::Registers,
            selected: 0,
            message: String::new(),
            typed: None,
            help: false,
            long: None,
            plays: false,
            ended: false,
            began,
        }
    }

    /// Whether the reader has quit.
    pub const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether it steps by itself.
    pub const fn plays(&self) -> bool {
        self.plays
    }

    /// Quits.
    pub fn quit(&mut self) {
        self.ended = true;
    }

    /// A step of play.
    pub fn beat(&mut self) {
        let end = self.commands.model.length();
        self.answer(Command::Step(None, Direction::Forward, 1));
        self.plays &= self.commands.model.position() < end;
    }

    /// Presses a key.
    pub fn press(&mut self, key: KeyCode) {
        if let Some(typed) = &mut self.typed {
            match key {
                KeyCode::Enter => self.enter(),
                KeyCode::Esc => self.typed = None,
                KeyCode::Backspace if typed.pop().is_none() => self.typed = None,
                KeyCode::Char(letter) => typed.push(letter),
                _ => {}
            }
            return;
        }
        if self.help || self.long.is_some() {
            self.help = false;
            self.long = None;
            if key == KeyCode::Char('q') {
                self.ended = true;
            }
            return;
        }
        self.message.clear();
        if key != KeyCode::Char(' ') {
            self.plays = false;
        }
        let (forward, back) = (Direction::Forward, Direction::Back);
        match key {
            KeyCode::Char('.') => self.answer(Command::Step(None, forward, 1)),
            KeyCode::Char(',') => self.answer(Command::Step(None, back, 1)),
            KeyCode::Char('>') => self.answer(Command::Event(Event::Barrier, forward)),
            KeyCode::Char('<') => self.answer(Command::Event(Event::Barrier, back)),
            KeyCode::Char('n') => self.answer(Command::Event(self.event, forward)),
            KeyCode::Char('p') => self.answer(Command::Event(self.event, back)),
            KeyCode::Char('f') => self.answer(Command::Event(Event::Finding, forward)),
            KeyCode::Char('w') => self.answer(Command::Who(Thing::Words(self.selected, 1))),
            KeyCode::Char('[') => self.other(-1),
            KeyCode::Char(']') => self.other(1),
            KeyCode::Home => self.answer(Command::Go(Some(0))),
            KeyCode::End => self.answer(Command::Go(None)),
            KeyCode::Backspace => self.answer(Command::Return),
            KeyCode::Char('r') => {
                self.commands.model.seek(self.began.0);
                self.message = self.commands.model.look_at(self.began.1).err().unwrap_or_default();
            }
            KeyCode::Char(' ') => self.plays = !self.plays,
            KeyCode::Char('o') => self.answer(Command::Over(forward)),
            KeyCode::Char('O') => self.answer(Command::Over(back)),
            KeyCode::Char('x') => self.answer(Command::Out),
            KeyCode::Char('c') => self.answer(Command::Run(forward)),
            KeyCode::Char('C') => self.answer(Command::Run(back)),
            KeyCode::Char('b') => self.toggle_breakpoint(),
            KeyCode::Char('u') => self.commands.unit = after(&UNITS.map(|(unit, ..)| unit), self.commands.unit),
            KeyCode::Char('e') => self.event = after(&EVENTS.map(|(event, ..)| event), self.event),
            KeyCode::Tab => self.pane = after(&Pane::ALL, self.pane),
            KeyCode::Left => self.select(-1),
            KeyCode::Right => self.select(1),
            KeyCode::Up => self.select(-32),
            KeyCode::Down => self.select(32),
            KeyCode::Char(':') => self.typed = Some(String::new()),
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('q') => self.ended = true,
            _ => {}
        }
    }

    /// Carries a command out. Where the launch is, the screen shows.
    fn answer(&mut self, command: Command) {
        self.message = match self.commands.carry_out(command) {
            Ok(Outcome::Moved(answer) | Outcome::Said(answer)) => answer.trim_end().to_owned(),
            Err(why) => why,
        };
    }

    fn enter(&mut self) {
        let Some(typed) = self.typed.take() else { return };
        self.message.clear();
        let mut answers = String::new();
        let result = self.commands.all(&typed, |_, answer| answers += answer);
        match result {
            Ok(()) if answers.lines().count() > 1 => self.long = Some(answers),
            Ok(()) => self.message = answers.trim_end().to_owned(),
            Err(why) => self.message = why,
        }
    }

    fn other(&mut self, by: i64) {
        let model = &mut self.commands.model;
        let (warps, (block, warp)) = (u64::from(model.warps()), model.look());
        let to = block.saturating_mul(warps).saturating_add(warp.into()).checked_add_signed(by);
        if let Some(to) = to.map(|index| (index / warps, (index % warps) as u32)).filter(|to| model.has(*to)) {
            self.message = model.look_at(to).err().unwrap_or_default();
        }
    }

    fn select(&mut self, by: i32) {
        let words = self.commands.model.view().ok().and_then(|view| view.block.shared.as_ref());
        let count = words.map_or(0, |shared| shared.values.len() as u32);
        if let Some(to) = self.selected.checked_add_signed(by).filter(|to| *to < count) {
            self.selected = to;
        }
    }

    fn toggle_breakpoint(&mut self) {
        let model = &mut self.commands.model;
        let Some(here) = model.here() else { return };
        let (file, line) = match model.shown_file() {
            Some((file, Some(_))) => {
                let marks = model.marks(&file);
                (Some(file), marks.focus())
            }
            _ => (None, here.ptx_line),
        };
        let command = match file {
            Some(file) => Command::Break(Some(file), line),
            None => Command::BreakPtx(line),
        };
        let spot = match &command {
            Command::Break(file, line) => Command::spot(file.clone(), *line, ""),
            _ => crate::model::Spot::Ptx(line),
        };
        if model.remove_breakpoints(|own| own.spot == spot) == 0 {
            self.answer(command);
        } else {
            self.message = format!("no breakpoint at {spot} any more");
        }
    }
}

/// The one behind another in a list, and the first behind the last.
fn after<T: Copy + PartialEq>(list: &[T], one: T) -> T {
    let at = list.iter().position(|own| *own == one).map_or(0, |at| (at + 1) % list.len());
    list[at]
}

impl Screen {
    /// The unit of steps.
    pub(super) const fn unit(&self) -> Unit {
        self.commands.unit
    }
}
