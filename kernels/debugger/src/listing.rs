//! The code around a position: source and PTX, with marks of where lanes are.

use sim::session::{Direction, Place, View};

use crate::model::{Model, Spot};
use crate::sources::{Text, same_file};

/// What is marked at lines of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Marks {
    /// The line that the shown path executes next.
    pub(crate) now: Option<u32>,
    /// Lines of the other paths of the warp, and of the calls that they are inlined in.
    pub(crate) also: Vec<u32>,
    /// The line of the last step.
    pub(crate) last: Option<u32>,
    /// Lines with breakpoints.
    pub(crate) breakpoints: Vec<u32>,
}

impl Marks {
    /// The mark of a line: `▸` next, `▹` another path, `·` the last step.
    pub(crate) fn of(&self, line: u32) -> char {
        if self.now == Some(line) {
            '▸'
        } else if self.also.contains(&line) {
            '▹'
        } else if self.last == Some(line) {
            '·'
        } else {
            ' '
        }
    }

    /// The line that is to be in sight.
    pub(crate) fn focus(&self) -> u32 {
        self.now.or(self.also.first().copied()).or(self.last).unwrap_or(1)
    }
}

/// The lines of a place in a file: its own, and those of the calls that it is inlined in.
fn lines_in<'a>(place: &'a Place, file: &'a str) -> impl Iterator<Item = u32> + 'a {
    let callers = place.inlined_in.iter().map(|caller| (&caller.file, caller.line));
    std::iter::once((&place.file, place.line))
        .chain(callers)
        .filter(move |(own, _)| **own == *file)
        .map(|(_, line)| line)
}

impl Model {
    /// Where the warp that one looks at is: what it executes next, or where it waits; before its first and behind its last
    /// step, that step's place.
    pub(crate) fn here(&mut self) -> Option<Place> {
        let view = self.view().ok()?;
        let path = view.warp.path.and_then(|path| view.warp.paths.get(path)).or(view.warp.paths.first());
        if let Some(path) = path {
            return Some(path.place.clone());
        }
        let position = self.position();
        self.own_step(position, Direction::Forward)
            .or_else(|| self.own_step(position, Direction::Back))
            .map(|step| self.place(step).clone())
    }

    /// The file that is shown, and its text if there is one: that of the innermost function that has one.
    pub(crate) fn shown_file(&mut self) -> Option<(String, Option<&Text>)> {
        let here = self.here()?;
        let callers = here.inlined_in.iter().map(|caller| caller.file.clone());
        let files: Vec<String> = std::iter::once(here.file.clone()).chain(callers).collect();
        let file = files.iter().find(|file| self.sources.text(file).is_some()).unwrap_or(&files[0]).clone();
        let text = self.sources.text(&file);
        Some((file, text))
    }

    /// What is marked in a source file.
    pub(crate) fn marks(&mut self, file: &str) -> Marks {
        let here = self.here();
        let breakpoints = self.breakpoints().iter().filter_map(|own| match &own.spot {
            Spot::Source { file: of, line } if same_file(of, file) => Some(*line),
            Spot::Source { .. } | Spot::Ptx(_) => None,
        });
        let breakpoints = breakpoints.collect();
        let Ok(view) = self.view() else { return Marks::default() };
        let live = !view.warp.paths.is_empty();
        let mut also: Vec<u32> = view.warp.paths.iter().flat_map(|path| lines_in(&path.place, file)).collect();
        let now = here.as_ref().filter(|_| live).and_then(|place| lines_in(place, file).next());
        also.retain(|line| Some(*line) != now);
        let last = last_place(view).and_then(|place| lines_in(place, file).next());
        Marks { now, also, last, breakpoints }
    }

    /// What is marked in the PTX.
    pub(crate) fn ptx_marks(&mut self) -> Marks {
        let here = self.here().map(|place| place.ptx_line);
        let breakpoints = self.breakpoints().iter().filter_map(|own| match own.spot {
            Spot::Ptx(line) => Some(line),
            Spot::Source { .. } => None,
        });
        let breakpoints = breakpoints.collect();
        let Ok(view) = self.view() else { return Marks::default() };
        let live = !view.warp.paths.is_empty();
        let now = here.filter(|_| live);
        let mut also: Vec<u32> = view.warp.paths.iter().map(|path| path.place.ptx_line).collect();
        also.retain(|line| Some(*line) != now);
        Marks { now, also, last: last_place(view).map(|place| place.ptx_line), breakpoints }
    }
}

fn last_place(view: &View) -> Option<&Place> {
    view.last
        .as_ref()
        .filter(|last| (last.block, last.warp) == (view.warp.block, view.warp.warp))
        .map(|last| &last.place)
}
