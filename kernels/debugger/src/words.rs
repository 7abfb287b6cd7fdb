//! Lanes, states and places in words: those of the book's stepper.

use sim::session::{Event, Place, State, Unit};

/// The lanes of a mask, lowest first.
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// `lanes 0–3, 9`.
pub(crate) fn lanes(mask: u32) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in lanes_of(mask) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let run = |&(from, to): &(u32, u32)| if from == to { from.to_string() } else { format!("{from}–{to}") };
    match &runs[..] {
        [] => "no lane".to_owned(),
        [(0, 31)] => "all 32 lanes".to_owned(),
        [(from, to)] if from == to => format!("lane {from}"),
        runs => format!("lanes {}", runs.iter().map(run).collect::<Vec<_>>().join(", ")),
    }
}

/// What a warp or a path does.
pub(crate) fn state(state: &State) -> String {
    match state {
        State::NotStarted => "has not started".to_owned(),
        State::Ready => "can go on".to_owned(),
        State::AtBarrier(id) => format!("waits at barrier {id}"),
        State::ForLanes(mask) => format!("waits for {}", lanes(*mask)),
        State::ToReconverge => "waits to reconverge".to_owned(),
        State::Spinning => "spins".to_owned(),
        State::Exited => "has exited".to_owned(),
    }
}

/// The file's name without its folders.
pub(crate) fn base(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `line 12 of a.cuh, called in line 40`; files that are `own` are not named.
pub(crate) fn place(place: &Place, own: &str) -> String {
    let of = |file: &str| if base(file) == base(own) { String::new() } else { format!(" of {}", base(file)) };
    let callers: String =
        place.inlined_in.iter().map(|at| format!(", called in line {}{}", at.line, of(&at.file))).collect();
    format!("line {}{}{callers}", place.line, of(&place.file))
}

/// The events that one can jump to, with what commands and readers call them.
pub(crate) const EVENTS: [(Event, &str, &str); 8] = [
    (Event::Divergence, "divergence", "divergence"),
    (Event::Conflict, "conflict", "bank conflict"),
    (Event::Scattered, "scattered", "scattered access"),
    (Event::Atomic, "atomic", "atomic"),
    (Event::Barrier, "barrier", "barrier"),
    (Event::Finding, "finding", "finding"),
    (Event::Shared, "shared", "shared access"),
    (Event::Global, "global", "global access"),
];

/// What readers call an event.
pub(crate) fn event(event: Event) -> &'static str {
    EVENTS.iter().find(|(own, ..)| *own == event).map_or("", |(.., title)| title)
}

/// The units of a step, with what commands and readers call them.
pub(crate) const UNITS: [(Unit, &str, &str); 4] = [
    (Unit::Warp, "warp", "instruction of this warp"),
    (Unit::Line, "line", "source line of this warp"),
    (Unit::Block, "block", "instruction of this block"),
    (Unit::Step, "any", "instruction of any warp"),
];

/// What readers call a unit.
pub(crate) fn unit(unit: Unit) -> &'static str {
    UNITS.iter().find(|(own, ..)| *own == unit).map_or("", |(.., title)| title)
}

/// `1 warp`, `3 warps`.
pub(crate) fn count(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// `1, 2, 3`.
pub(crate) fn list(numbers: &[u32]) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_runs() {
        assert_eq!(lanes(0), "no lane");
        assert_eq!(lanes(u32::MAX), "all 32 lanes");
        assert_eq!(lanes(1 << 7), "lane 7");
        assert_eq!(lanes(0b10_0000_1111), "lanes 0–3, 9");
        assert_eq!(lanes(0xffff_0000), "lanes 16–31");
    }

    #[test]
    fn places_name_other_files_only() {
        let listed = sim::session::Listed { file: "/x/k.cu".to_owned(), line: 40 };
        let own =
            Place { file: "a.cuh".to_owned(), line: 12, inlined_in: vec![listed], ptx_line: 1, text: String::new() };
        assert_eq!(place(&own, "k.cu"), "line 12 of a.cuh, called in line 40");
        assert_eq!(place(&own, "a.cuh"), "line 12, called in line 40 of k.cu");
    }
}
