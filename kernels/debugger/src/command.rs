//! The commands that are typed: what they are called and how they are read.

use sim::session::{Direction, Event, Unit};

use crate::model::Spot;
use crate::words::{EVENTS, UNITS};

/// A place in memory, or a register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    /// What is called so: a register, a variable in shared memory, a buffer.
    Named(String),
    /// Some elements of what is called so: from one on, how many.
    Elements(String, u64, u64),
    /// Some words of the block's shared memory.
    Words(u32, u32),
}

/// Something to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the commands")]
pub enum Show {
    Where,
    List,
    Ptx,
    Registers,
    Warps,
    Paths,
    Access,
    Findings,
    Breakpoints,
    Timeline,
    Help,
}

/// What is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A step by a unit, or by the one that was chosen, so often.
    Step(Option<Unit>, Direction, u64),
    /// To another line of this function.
    Over(Direction),
    /// Out of the function that is inlined here.
    Out,
    /// The unit of steps.
    Unit(Unit),
    /// To the next or the previous event of a kind.
    Event(Event, Direction),
    /// To the step that wrote this last.
    Who(Thing),
    /// To a position; the end, if none is named.
    Go(Option<u64>),
    /// Back to where a jump came from.
    Return,
    /// Looks at a warp, of a block or of this one.
    Look(Option<u64>, u32),
    /// A breakpoint; in the file that is shown, if none is named.
    Break(Option<String>, u32),
    /// A breakpoint at a line of the PTX.
    BreakPtx(u32),
    /// Without a breakpoint, by its number, or without any.
    Delete(Option<u32>),
    /// To the next or the previous breakpoint or finding.
    Run(Direction),
    /// A value.
    Print(Thing),
    /// Something of the position.
    Show(Show),
}

/// The commands, with what they do: the text of `help`.
pub const HELP: &str = "\
step [UNIT] [N]       N steps on, back [UNIT] [N]: back; UNIT is warp (an instruction of this warp, as long as
                      nothing else is chosen), line (a source line of it), block or any (of any warp)
unit UNIT             the unit of steps that name none
over, over back, out  to another line of this function, back, out of what is inlined here
next EVENT            to the next divergence, conflict, scattered, atomic, barrier, finding, shared or global
previous EVENT        to the one before
who THING             to the step that wrote it last: s_data[3], 35 (word of shared memory), x[7] (of a buffer)
return                back to where a jump came from
go N, start, end      to a position
look [BLOCK] WARP     another warp
break [FILE:]LINE     a breakpoint, at the next line with code; break ptx:LINE: in the PTX
delete N, delete all  without it
run, run back         to the next breakpoint or finding, to the one before
print THING           %f1 by lane, s_data[0..8], 0..32, x[7]
where, list, ptx, registers, warps, paths, access, findings, breakpoints, timeline, help
";

/// Reads commands with semicolons or ends of lines between them; `#` begins a comment.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.flat_map(|line| line.split(';')).map(str::trim).filter(|command| !command.is_empty())
}

fn number<T: std::str::FromStr>(what: &str, text: &str) -> Result<T, String> {
    text.replace([',', '_'], "").parse().map_err(|_| format!("`{text}` is no {what}"))
}

fn event(word: Option<&&str>) -> Result<Event, String> {
    let names = EVENTS.map(|(_, name, _)| name).join(", ");
    let word = word.ok_or_else(|| format!("of which kind? one of {names}"))?;
    let found = EVENTS.iter().find(|(_, name, _)| name == word);
    found.map(|(event, ..)| *event).ok_or_else(|| format!("`{word}` is none of the events {names}"))
}

fn unit(word: &str) -> Option<Unit> {
    UNITS.iter().find(|(_, name, _)| *name == word).map(|(unit, ..)| *unit)
}

/// Reads what `print` and `who` are about.
pub fn thing(text: &str) -> Result<Thing, String> {
    let text = text.trim();
    let range = |text: &str| -> Result<(u64, u64), String> {
        match text.split_once("..") {
            None => Ok((number("number", text.trim())?, 1)),
            Some((from, to)) => {
                let (from, to): (u64, u64) = (number("number", from.trim())?, number("number", to.trim())?);
                let count = to.checked_sub(from).filter(|count| *count > 0);
                Ok((from, count.ok_or_else(|| format!("`{text}` is no range: it ends before it begins"))?))
            }
        }
    };
    if let Some((name, rest)) = text.split_once('[') {
        let inner = rest.strip_suffix(']').ok_or_else(|| format!("`{text}` lacks its `]`"))?;
        let (from, count) = range(inner)?;
        return Ok(Thing::Elements(name.trim().to_owned(), from, count));
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        let (from, count) = range(text)?;
        let word = |number: u64| u32::try_from(number).map_err(|_| format!("no shared memory has a word {number}"));
        return Ok(Thing::Words(word(from)?, word(count)?));
    }
    if text.is_empty() {
        return Err("of what? s_data[3], 35 (a word of shared memory), x[7] (of a buffer) or a register".to_owned());
    }
    Ok(Thing::Named(text.to_owned()))
}

fn step(words: &[&str], direction: Direction) -> Result<Command, String> {
    let (unit, rest) = match words.first().and_then(|word| unit(word)) {
        Some(unit) => (Some(unit), &words[1..]),
        None => (None, words),
    };
    let names = UNITS.map(|(_, name, _)| name).join(", ");
    match rest {
        [] => Ok(Command::Step(unit, direction, 1)),
        [times] => {
            let times = number("number", times).map_err(|why| format!("{why}, and no unit of {names}"))?;
            Ok(Command::Step(unit, direction, times))
        }
        [_, more, ..] => Err(format!("`{more}` is too much")),
    }
}

fn breakpoint(word: &str) -> Result<Command, String> {
    match word.rsplit_once(':') {
        Some(("ptx", line)) => Ok(Command::BreakPtx(number("line", line)?)),
        Some((file, line)) => Ok(Command::Break(Some(file.to_owned()), number("line", line)?)),
        None => Ok(Command::Break(None, number("line", word)?)),
    }
}

impl Command {
    /// Reads one.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((&name, rest)) = words.split_first() else { return Err("there is no command".to_owned()) };
        let after = text.trim_start()[name.len()..].trim();
        let none = |command: Self| match rest.first() {
            None => Ok(command),
            Some(more) => Err(format!("`{more}` is too much")),
        };
        let back = |forwards: Self, backwards: Self| match rest {
            [] => Ok(forwards),
            ["back"] => Ok(backwards),
            [more, ..] => Err(format!("`{more}` is not `back`")),
        };
        let read = match name {
            "step" | "s" => step(rest, Direction::Forward),
            "back" | "b" => step(rest, Direction::Back),
            "over" | "o" => back(Self::Over(Direction::Forward), Self::Over(Direction::Back)),
            "out" => none(Self::Out),
            "unit" => match rest {
                [word] if unit(word).is_some() => Ok(Self::Unit(unit(word).unwrap_or_default())),
                _ => Err(format!("one of {} is a unit", UNITS.map(|(_, name, _)| name).join(", "))),
            },
            "next" | "n" => event(rest.first()).map(|event| Self::Event(event, Direction::Forward)),
            "previous" | "p" => event(rest.first()).map(|event| Self::Event(event, Direction::Back)),
            "who" | "w" => thing(after).map(Self::Who),
            "return" => none(Self::Return),
            "go" | "g" => match rest {
                [word] => number("position", word).map(|to| Self::Go(Some(to))),
                _ => Err("to which position?".to_owned()),
            },
            "start" => none(Self::Go(Some(0))),
            "end" => none(Self::Go(None)),
            "look" | "l" => match rest {
                [warp] => Ok(Self::Look(None, number("warp", warp)?)),
                [block, warp] => Ok(Self::Look(Some(number("block", block)?), number("warp", warp)?)),
                _ => Err("at which warp? a block's number may stand before it".to_owned()),
            },
            "break" => match rest {
                [word] => breakpoint(word),
                _ => Err("at which line? 74, scan.cu:74 or ptx:120".to_owned()),
            },
            "delete" => match rest {
                ["all"] => Ok(Self::Delete(None)),
                [word] => number("breakpoint", word).map(|number| Self::Delete(Some(number))),
                _ => Err("which one? a number, or all".to_owned()),
            },
            "run" | "r" => back(Self::Run(Direction::Forward), Self::Run(Direction::Back)),
            "print" => thing(after).map(Self::Print),
            other => {
                let show = match other {
                    "where" => Show::Where,
                    "list" => Show::List,
                    "ptx" => Show::Ptx,
                    "registers" => Show::Registers,
                    "warps" => Show::Warps,
                    "paths" => Show::Paths,
                    "access" => Show::Access,
                    "findings" => Show::Findings,
                    "breakpoints" => Show::Breakpoints,
                    "timeline" => Show::Timeline,
                    "help" => Show::Help,
                    _ => return Err(format!("`{other}` is no command; `help` lists them")),
                };
                none(Self::Show(show))
            }
        };
        read.map_err(|why| format!("{name}: {why}"))
    }

    /// The spot of a breakpoint that a command sets, in a file if it names none.
    pub(crate) fn spot(file: Option<String>, line: u32, own: &str) -> Spot {
        Spot::Source { file: file.unwrap_or_else(|| own.to_owned()), line }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read() {
        for (text, command) in [
            ("step", Command::Step(None, Direction::Forward, 1)),
            ("step 10", Command::Step(None, Direction::Forward, 10)),
            ("back line 2", Command::Step(Some(Unit::Line), Direction::Back, 2)),
            ("s any", Command::Step(Some(Unit::Step), Direction::Forward, 1)),
            ("next barrier", Command::Event(Event::Barrier, Direction::Forward)),
            ("who s_data[3]", Command::Who(Thing::Elements("s_data".to_owned(), 3, 1))),
            ("print 0..32", Command::Print(Thing::Words(0, 32))),
            ("print %f1", Command::Print(Thing::Named("%f1".to_owned()))),
            ("go 1,234", Command::Go(Some(1234))),
            ("look 1 3", Command::Look(Some(1), 3)),
            ("break scan.cu:74", Command::Break(Some("scan.cu".to_owned()), 74)),
            ("break ptx:120", Command::BreakPtx(120)),
            ("run back", Command::Run(Direction::Back)),
            ("findings", Command::Show(Show::Findings)),
        ] {
            assert_eq!(Command::parse(text), Ok(command), "{text}");
        }
        let commands: Vec<&str> = split("step 3; next barrier # to it\n\n;run ").collect();
        assert_eq!(commands, ["step 3", "next barrier", "run"]);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (text, part) in [
            ("", "no command"),
            ("jump", "`jump` is no command; `help` lists them"),
            ("step tile", "step: `tile` is no number, and no unit of warp, line, block, any"),
            ("step 1 2", "`2` is too much"),
            ("next", "of which kind? one of divergence, conflict"),
            ("next bank", "`bank` is none of the events"),
            ("who", "of what?"),
            ("print a[3", "lacks its `]`"),
            ("print a[5..3]", "ends before it begins"),
            ("print 99999999999", "no shared memory has a word"),
            ("print 99999999999999999999999", "is no number"),
            ("go", "to which position?"),
            ("break x", "`x` is no line"),
            ("out back", "`back` is too much"),
            ("over there", "is not `back`"),
            ("unit", "is a unit"),
        ] {
            let why = Command::parse(text).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
    }
}
