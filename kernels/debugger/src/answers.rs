//! Carries out commands and answers in plain text.

mod show;

use sim::session::{Direction, Unit};

use crate::command::{Command, Show, split};
use crate::model::{Model, Spot, Stop};
use crate::words;
pub(crate) use show::{access, barrier, by_lane, column, sentences};

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The launch stands where it went; a sentence, if there is something to say of that.
    Moved(String),
    /// An answer.
    Said(String),
}

/// A model that takes commands.
#[derive(Debug)]
pub struct Commands {
    /// What is stepped.
    pub model: Model,
    /// The unit of steps that name none.
    pub unit: Unit,
}

impl Commands {
    /// Begins where the model is.
    pub fn new(model: Model) -> Self {
        Self { model, unit: Unit::Warp }
    }

    /// Carries out a text of commands, and hands every answer, with the command, to `tell`.
    ///
    /// # Errors
    /// A sentence that names the command which cannot be read or carried out; those after it are left out.
    pub fn all(&mut self, text: &str, mut tell: impl FnMut(&str, &str)) -> Result<(), String> {
        for command in split(text) {
            let read = Command::parse(command).map_err(|why| format!("the command `{command}`: {why}"))?;
            let answer = self.answer(read).map_err(|why| format!("the command `{command}`: {why}"))?;
            tell(command, &answer);
        }
        Ok(())
    }

    /// Carries one out, and answers.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn answer(&mut self, command: Command) -> Result<String, String> {
        match self.carry_out(command)? {
            Outcome::Said(text) => Ok(text),
            Outcome::Moved(how) if how.is_empty() => self.show(Show::Where),
            Outcome::Moved(how) => Ok(format!("{how}\n{}", self.show(Show::Where)?)),
        }
    }

    /// Carries one out.
    ///
    /// # Errors
    /// A sentence for the user.
    pub(crate) fn carry_out(&mut self, command: Command) -> Result<Outcome, String> {
        let none = |found: bool| if found { String::new() } else { "There is none.".to_owned() };
        Ok(Outcome::Moved(match command {
            Command::Step(unit, direction, times) => {
                let done = self.model.step(unit.unwrap_or(self.unit), direction, times);
                match done == times || times == 1 {
                    true => none(done == times),
                    false => format!("Only {} of {times}.", words::count(done, "step")),
                }
            }
            Command::Over(direction) => none(self.model.over(direction)),
            Command::Out => none(self.model.out()),
            Command::Event(event, direction) => none(self.model.event(event, direction)),
            Command::Who(thing) => {
                let word = self.model.memory(&thing)?;
                let Some(write) = self.model.last_write(word) else {
                    return Ok(Outcome::Said("no step before this one wrote it\n".to_owned()));
                };
                self.model.jump(Some(write.position));
                let (warp, block, lanes) = (write.warp, write.block, words::lanes(write.lanes));
                format!("Written by warp {warp} of block {block}, {lanes}.")
            }
            Command::Go(to) => {
                self.model.seek(to.unwrap_or(u64::MAX));
                String::new()
            }
            Command::Return => none(self.model.jump_back()),
            Command::Run(direction) => {
                let stop = self.model.run(direction);
                self.stopped(stop)
            }
            other => return self.say(other).map(Outcome::Said),
        }))
    }

    /// Carries out a command that goes nowhere.
    fn say(&mut self, command: Command) -> Result<String, String> {
        match command {
            Command::Unit(unit) => {
                self.unit = unit;
                Ok(format!("a step is now one {}\n", words::unit(unit)))
            }
            Command::Look(block, warp) => {
                let block = block.unwrap_or(self.model.look().0);
                self.model.look_at((block, warp))?;
                self.show(Show::Paths)
            }
            Command::Break(file, line) => {
                let own = match self.model.shown_file() {
                    Some((file, _)) => file,
                    None => self.model.sources.own.clone(),
                };
                self.set(&Command::spot(file, line, &own))
            }
            Command::BreakPtx(line) => self.set(&Spot::Ptx(line)),
            Command::Delete(number) => {
                let removed = self.model.remove_breakpoints(|own| number.is_none_or(|number| own.number == number));
                match (removed, number) {
                    (0, Some(number)) => Err(format!("there is no breakpoint {number}")),
                    _ => Ok(format!("{} removed\n", words::count(removed as u64, "breakpoint"))),
                }
            }
            Command::Print(thing) => self.print(&thing),
            Command::Show(show) => self.show(show),
            _ => Ok(String::new()),
        }
    }

    fn set(&mut self, spot: &Spot) -> Result<String, String> {
        let wanted = spot.clone();
        let Some(set) = self.model.add_breakpoint(spot) else {
            return Err(format!("{wanted} has no code, and none behind it has"));
        };
        let moved = if set.spot == wanted { "" } else { ", the next with code" };
        Ok(format!("breakpoint {} at {}{moved}\n", set.number, set.spot))
    }

    /// Why a run stopped, in words.
    pub(crate) fn stopped(&self, stop: Stop) -> String {
        match stop {
            Stop::Breakpoint(number) => format!("Breakpoint {number}."),
            Stop::Finding(index) => {
                let finding = &self.model.findings()[index].finding;
                format!("{} [{}]: {}.", capital(finding.severity.title()), finding.kind.name(), finding.message)
            }
            Stop::End if self.model.is_complete() => "The end of the launch.".to_owned(),
            Stop::End => "The end of what was recorded; the launch goes on (--steps).".to_owned(),
            Stop::Beginning => "The beginning.".to_owned(),
        }
    }

    /// Steps by the chosen unit.
    pub fn step(&mut self, direction: Direction) -> Result<String, String> {
        self.answer(Command::Step(None, direction, 1))
    }
}

/// A word with a capital letter.
pub(crate) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
