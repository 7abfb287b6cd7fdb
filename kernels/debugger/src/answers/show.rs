//! What commands show of a position.

use std::fmt::Write as _;

use sim::session::{Access, RegisterView, View};

use super::Commands;
use crate::command::{HELP, Show, Thing};
use crate::listing::Marks;
use crate::values::Shown;
use crate::words;

/// Lines of code above and below the current one.
const AROUND: u32 = 5;

/// Columns of a timeline.
const COLUMNS: usize = 64;

/// Where the launch is, in two sentences: what the last step did, and who is next.
pub(crate) fn sentences(view: &View, own: &str) -> String {
    let next = match &view.next {
        Some(next) => {
            let block =
                if next.block == view.block.block { String::new() } else { format!(" of block {}", next.block) };
            format!("Next: warp {}{block}, {}.", next.warp, words::place(&next.place, own))
        }
        None => "Nothing more is executed.".to_owned(),
    };
    format!("{} {next}", view.sentence)
}

/// A register in a line: one value where all lanes have it, else one a lane.
pub(crate) fn register(own: &RegisterView) -> String {
    let written = if own.written { ", written" } else { "" };
    format!("{} ({}{written}): {}", own.name, own.kind, by_lane(&own.values))
}

/// `3.0 in all lanes`, or the values of the lanes in order.
pub(crate) fn by_lane(values: &[Option<String>]) -> String {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".to_owned());
    match values.first() {
        Some(first) if values.iter().all(|value| value == first) => format!("{} in all lanes", text(first)),
        _ => values.iter().map(text).collect::<Vec<_>>().join(" "),
    }
}

/// An access in a line, and its addresses.
pub(crate) fn access(own: &Access) -> String {
    let cost = match (own.cost, own.ideal) {
        (Some(cost), Some(ideal)) => {
            let what = if own.shared { "wavefront" } else { "sector" };
            format!(": {}, best {ideal}", words::count(cost.into(), what))
        }
        _ => String::new(),
    };
    let address = |own: &Option<String>| own.clone().unwrap_or_else(|| "–".to_owned());
    let addresses = own.addresses.iter().map(address).collect::<Vec<_>>().join(" ");
    format!(
        "{}, {} bytes a lane, {}{cost}\n  addresses by lane: {addresses}\n",
        own.what,
        own.width,
        words::lanes(own.lanes)
    )
}

impl Commands {
    pub(super) fn show(&mut self, show: Show) -> Result<String, String> {
        let mut out = String::new();
        match show {
            Show::Where => self.place(&mut out)?,
            Show::List => self.list(&mut out),
            Show::Ptx => {
                let marks = self.model.ptx_marks();
                code(&mut out, &self.model.sources.ptx.lines, &marks);
            }
            Show::Registers => {
                let view = self.model.view().map_err(|error| error.to_string())?;
                if view.warp.registers.is_empty() {
                    out.push_str("no register of the warp is still needed\n");
                }
                view.warp.registers.iter().for_each(|own| out += &format!("{}\n", register(own)));
            }
            Show::Warps => self.warps(&mut out)?,
            Show::Paths => self.paths(&mut out)?,
            Show::Access => {
                let view = self.model.view().map_err(|error| error.to_string())?;
                let accesses = view.last.iter().flat_map(|last| last.accesses.iter().map(move |own| (last.warp, own)));
                for (warp, own) in accesses {
                    let _ = write!(out, "warp {warp}: {}", access(own));
                }
                if out.is_empty() {
                    out.push_str("the last step accessed no memory\n");
                }
            }
            Show::Findings => self.findings(&mut out),
            Show::Breakpoints => {
                for own in self.model.breakpoints() {
                    let _ = writeln!(out, "{}: {}", own.number, own.spot);
                }
                if out.is_empty() {
                    out.push_str("there are no breakpoints\n");
                }
            }
            Show::Timeline => {
                let _ = writeln!(
                    out,
                    "{}",
                    timeline(&self.model.timeline(COLUMNS), self.model.position(), self.model.length())
                );
            }
            Show::Help => out.push_str(HELP),
        }
        Ok(out)
    }

    fn place(&mut self, out: &mut String) -> Result<(), String> {
        let own = self.model.sources.own.clone();
        let (position, length) = (self.model.position(), self.model.length());
        let view = self.model.view().map_err(|error| error.to_string())?;
        let _ = writeln!(out, "step {position} of {length}: {}", sentences(view, &own));
        if let Some(here) = self.model.here() {
            let marks = self.model.marks(&here.file);
            match self.model.sources.text(&here.file).and_then(|text| text.line(here.line)) {
                Some(line) => {
                    let _ = writeln!(out, "{} {:5} | {}", marks.of(here.line), here.line, line.trim_end());
                }
                None => {
                    let _ = writeln!(out, "  {:5} | {}", here.ptx_line, here.text);
                }
            }
        }
        Ok(())
    }

    fn list(&mut self, out: &mut String) {
        let Some((file, _)) = self.model.shown_file() else {
            out.push_str("the warp executes nothing\n");
            return;
        };
        let marks = self.model.marks(&file);
        match self.model.sources.text(&file) {
            Some(text) => {
                let _ = writeln!(out, "{file}");
                code(out, &text.lines, &marks);
            }
            None => {
                let _ = writeln!(out, "{file} was not found (--sources names its folder); `ptx` lists the PTX");
            }
        }
    }

    fn warps(&mut self, out: &mut String) -> Result<(), String> {
        let look = self.model.look();
        let index = self.model.block_index(look.0);
        let view = self.model.view().map_err(|error| error.to_string())?;
        let block = &view.block;
        let _ = writeln!(out, "block {} {index}", block.block);
        for (warp, own) in block.warps.iter().enumerate() {
            let next = view.next.as_ref().is_some_and(|next| (next.block, next.warp as usize) == (block.block, warp));
            let mark = if next { '▸' } else { ' ' };
            let line = if own.line == 0 { String::new() } else { format!(", line {}", own.line) };
            let shown = if look.1 as usize == warp { " (shown)" } else { "" };
            let _ = writeln!(out, "{mark} warp {warp} {}{line}{shown}", words::state(&own.state));
        }
        for own in &block.barriers {
            let _ = writeln!(out, "{}", barrier(own));
        }
        Ok(())
    }

    fn paths(&mut self, out: &mut String) -> Result<(), String> {
        let own = self.model.sources.own.clone();
        let (block, warp) = self.model.look();
        let view = self.model.view().map_err(|error| error.to_string())?;
        let _ = writeln!(out, "block {block}, warp {warp}; not exited: {}", words::lanes(view.warp.live));
        if view.warp.paths.is_empty()
            && let Some(own) = view.block.warps.get(warp as usize)
        {
            let _ = writeln!(out, "  it {}", words::state(&own.state));
        }
        for (at, path) in view.warp.paths.iter().enumerate() {
            let mark = if view.warp.path == Some(at) { '▸' } else { ' ' };
            let place = words::place(&path.place, &own);
            let _ = writeln!(out, "{mark} {}: {}, {}", place, words::lanes(path.lanes), words::state(&path.state));
            let _ = writeln!(out, "    {} (PTX line {})", path.place.text, path.place.ptx_line);
        }
        Ok(())
    }

    fn findings(&self, out: &mut String) {
        for found in self.model.findings() {
            let own = &found.finding;
            let (title, kind, file) = (own.severity.title(), own.kind.name(), words::base(&own.file));
            let _ = writeln!(out, "step {}: {title} [{kind}], {file}:{}: {}", found.position, own.line, own.message);
            let _ = writeln!(out, "  help: {}", own.help);
        }
        if out.is_empty() {
            out.push_str("no findings\n");
        }
    }

    pub(super) fn print(&mut self, thing: &Thing) -> Result<String, String> {
        Ok(match self.model.value(thing)? {
            Shown::Lanes(own) => format!("{}\n", register(&own)),
            Shown::Words { name, kind, first, from, values } => {
                let title = if name.is_empty() { "shared memory".to_owned() } else { name };
                let last = from + values.len() as u64 - 1;
                let mut out =
                    format!("{title}[{from}] to [{last}] as {kind}, from word {first} (bank {}) on\n", first % 32);
                rows(&mut out, from, &values);
                out
            }
            Shown::Elements { name, kind, from, values } => {
                let last = from + (values.len() as u64).saturating_sub(1);
                let mut out = format!("{name}[{from}] to [{last}] as {kind}\n");
                rows(&mut out, from, &values);
                out
            }
        })
    }
}

/// `Barrier 0: warps 0, 1 wait; missing: 2.`
pub(crate) fn barrier(own: &sim::session::BarrierView) -> String {
    let (warps, wait) = if own.waiting.len() == 1 { ("warp", "waits") } else { ("warps", "wait") };
    let missing = if own.missing.is_empty() {
        "none is missing".to_owned()
    } else {
        format!("missing: {}", words::list(&own.missing))
    };
    format!("Barrier {}: {warps} {} {wait}; {missing}.", own.id, words::list(&own.waiting))
}

/// Values, eight in a row.
fn rows(out: &mut String, from: u64, values: &[String]) {
    let width = values.iter().map(|value| value.chars().count()).max().unwrap_or(0);
    for (row, part) in values.chunks(8).enumerate() {
        let cells: Vec<String> = part.iter().map(|value| format!("{value:>width$}")).collect();
        let _ = writeln!(out, "{:7} {}", from + 8 * row as u64, cells.join(" "));
    }
}

/// The lines around the current one.
fn code(out: &mut String, lines: &[String], marks: &Marks) {
    let focus = marks.focus();
    for number in focus.saturating_sub(AROUND).max(1)..=focus.saturating_add(AROUND) {
        let Some(line) = lines.get(number as usize - 1) else { break };
        let stop = if marks.breakpoints.contains(&number) { '●' } else { ' ' };
        let text = format!("{stop}{} {number:5} | {line}", marks.of(number));
        let _ = writeln!(out, "{}", text.trim_end());
    }
}

/// The launch as a strip: the height of a column is what its accesses cost beyond the ideal, `!` a finding, `|` a barrier;
/// below it where one is.
pub(crate) fn timeline(columns: &[(Vec<sim::session::Event>, u8)], position: u64, length: u64) -> String {
    let strip: String = columns.iter().map(column).collect();
    let at = (position * columns.len() as u64).checked_div(length).unwrap_or(0) as usize;
    format!("{strip}\n{}▴", " ".repeat(at.min(columns.len().saturating_sub(1))))
}

/// A column of the strip.
pub(crate) fn column((events, excess): &(Vec<sim::session::Event>, u8)) -> char {
    use sim::session::Event;
    if events.contains(&Event::Finding) {
        '!'
    } else if events.contains(&Event::Barrier) {
        '|'
    } else {
        ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'][usize::from(*excess).div_ceil(2).min(8)]
    }
}
