//! Loads and stores of shared memory: banks.

use markup::svg::{Svg, ranges};
use markup::{Append, Markup, Table, row, text, texts};
use sim::memory::banks::Direction;
use sim::target::Rules;

use super::served::{Served, Unit};
use super::{Answer, Fault, Kind, Lane, State, Swizzle, address};
use crate::access::{Access, LANES, Space};
use crate::banks::{Bank, CELL, Panel};
use crate::targets::{self, Gpu};

/// Squares of a column before it is folded.
pub(super) const FOLD: u32 = 8;

/// The GPU of a state.
pub(super) fn gpu(state: &State) -> Result<&'static Gpu, Fault> {
    targets::find(&state.target).ok_or_else(|| {
        let known: Vec<&str> = targets::GPUS.iter().map(|gpu| gpu.name).collect();
        Fault::of("target", format!("there is no target `{}`; there are: {}", state.target, known.join(", ")))
    })
}

/// Whether a load or a store is made.
pub(super) fn direction(state: &State) -> Result<Direction, Fault> {
    match state.kind {
        Kind::Load => Ok(Direction::Load),
        Kind::Store => Ok(Direction::Store),
        Kind::Add | Kind::Increment | Kind::CompareAndSwap => {
            Err(Fault::of("kind", "an atomic is explored in the mode `atomics`"))
        }
    }
}

/// Addresses as shared memory has them.
pub(super) fn narrow(access: &Access) -> ([u32; 32], u32) {
    let (addresses, active) = access.lanes();
    (addresses.map(|address| address as u32), active)
}

/// Wavefronts of a load or a store, and of as many lanes side by side.
pub(super) fn cost(access: &Access, rules: &Rules, direction: Direction) -> (u64, u64) {
    let (addresses, active) = narrow(access);
    let cost = rules.wavefronts(&addresses, active, access.width, direction);
    (cost.into(), rules.ideal_wavefronts(active, access.width).into())
}

pub(super) fn answer(state: &State) -> Result<Answer, Fault> {
    let (gpu, direction) = (gpu(state)?, direction(state)?);
    let access = address::access(state)?;
    let (cost, ideal) = cost(&access, &gpu.rules, direction);
    let served = Served::of(&access, &gpu.rules, Unit::Words, cost);
    let formula = address::formula(state);
    let on = if gpu.name == sim::target::DEFAULT { String::new() } else { format!(" on {}", gpu.title) };
    let status = format!("{}: {}{on}, best {ideal}. {}", what(state, &formula), wavefronts(cost), spread(&served));
    Ok(shown(state, gpu, &access, &served, (cost, ideal), &formula, status))
}

/// What is shown of an access that banks serve, with what is read aloud of it.
pub(super) fn shown(
    state: &State,
    gpu: &Gpu,
    access: &Access,
    served: &Served,
    (cost, ideal): (u64, u64),
    formula: &str,
    status: String,
) -> Answer {
    let panel = Panel::of(&address::label(state, formula), served.passes.clone(), cost, Some(FOLD));
    let columns = served.passes.first().map_or(LANES, |pass| pass.banks.len() as u32);
    let mut svg = Svg::new(columns * CELL);
    let cells = panel.draw(&mut svg, 0);
    let square = match state.kind {
        Kind::Load | Kind::Store | Kind::Increment => "a word with the lane that needs it",
        Kind::Add | Kind::CompareAndSwap => "a lane whose word lies there",
    };
    let columns = if served.is_explained {
        match state.kind {
            Kind::CompareAndSwap => "each square takes two wavefronts",
            _ if served.passes.len() > 1 => {
                "the parts are served one after the other, each as long as its highest column"
            }
            _ => "the height of the highest column is the number of wavefronts",
        }
    } else {
        "in which order this GPU serves them is not drawn"
    };
    let caption = text(format_args!("{status} A column is a bank, a square is {square}, and {columns}."));
    Answer {
        state: state.clone(),
        formula: formula.to_owned(),
        cost: Some(cost),
        ideal: Some(ideal),
        unit: Space::Shared.unit(),
        turns: served.turns.clone(),
        figure: svg.html(&panel.title(), &panel.described),
        caption,
        table: table(state, gpu, access, served),
        note: note(state, cost),
        lanes: (0..LANES).map(|lane| lane_of(gpu, access, served, lane)).collect(),
        cells,
        size: svg.size(),
        ranges: state.ranges(),
        status,
    }
}

/// What is set, in words.
pub(super) fn what(state: &State, formula: &str) -> String {
    if state.addresses.is_some() {
        return "These addresses".to_owned();
    }
    let wide = if state.width > 4 { format!(", {} bytes per lane", state.width) } else { String::new() };
    let laid = match state.swizzle {
        Swizzle::Xor => ", XORed with the row".to_owned(),
        Swizzle::Pad => format!(", padded after every {}", state.every),
        Swizzle::None => String::new(),
    };
    let few = if state.active == u32::MAX { String::new() } else { format!(", {} lanes", state.active.count_ones()) };
    match &state.formula {
        Some(_) => format!("Word {formula}{wide}{laid}{few}"),
        None => format!("Stride {}{wide}{laid}{few}", state.stride),
    }
}

pub(super) fn wavefronts(cost: u64) -> String {
    format!("{cost} wavefront{}", if cost == 1 { "" } else { "s" })
}

/// How the words are spread over the banks, in sentences.
fn spread(served: &Served) -> String {
    let plural = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    if !served.is_explained {
        return "In which order this GPU serves the lanes is not known from the cost.".to_owned();
    }
    if let [pass] = &served.passes[..] {
        let used: Vec<usize> = pass.banks.iter().map(Vec::len).filter(|height| *height > 0).collect();
        let most = pass.height() as usize;
        let deliver = if used.len() == 1 { "delivers" } else { "deliver" };
        let even = if used.iter().all(|height| *height == most) {
            let each = if used.len() == 1 { "" } else { " each" };
            format!("{} {deliver} {}{each}", plural(used.len(), "bank"), plural(most, "word"))
        } else {
            format!("{} {deliver} words, the fullest {most}", plural(used.len(), "bank"))
        };
        let idle = pass.banks.len() - used.len();
        let idle = match idle {
            0 => String::new(),
            1 => ", 1 is idle".to_owned(),
            _ => format!(", {idle} are idle"),
        };
        let worst = pass.banks.iter().enumerate().find(|(_, bank)| bank.len() == most && most > 1);
        let worst =
            worst.map_or_else(String::new, |(number, bank)| format!(" Worst: bank {number}, {}.", lanes_of(bank)));
        return format!("{even}{idle}.{worst}");
    }
    let heights: Vec<String> = served.passes.iter().map(|pass| pass.height().to_string()).collect();
    format!("The lanes are served in {} parts, which take {}.", served.passes.len(), heights.join(" + "))
}

fn lanes_of(bank: &Bank) -> String {
    let mut lanes: Vec<u32> = bank.iter().flat_map(|(_, lanes)| lanes).copied().collect();
    lanes.sort_unstable();
    lanes.dedup();
    format!("lane{} {}", if lanes.len() == 1 { "" } else { "s" }, ranges(&lanes))
}

/// The greatest common divisor that a stride's cost is, where it is one.
fn note(state: &State, cost: u64) -> String {
    let plain = state.formula.is_none() && state.addresses.is_none() && state.swizzle == Swizzle::None;
    if !plain || state.width != 4 || state.stride == 0 || state.active != u32::MAX {
        return String::new();
    }
    let (mut a, mut b) = (u64::from(state.stride), u64::from(LANES));
    while b != 0 {
        (a, b) = (b, a % b);
    }
    if a == cost { format!("gcd({}, 32) = {a}", state.stride) } else { String::new() }
}

/// The word of a lane, its bank, its turn, and the lanes that it waits for.
fn place(gpu: &Gpu, access: &Access, served: &Served, lane: u32) -> Option<(u64, u32, Option<u32>, Vec<u32>)> {
    let word = access.addresses.get(lane as usize).copied().flatten()? / 4;
    let (bank, _) = gpu.rules.bank_and_row(word as u32);
    let turn = served.turns.get(lane as usize).copied().flatten();
    let mut before = Vec::new();
    for bank in served.passes.iter().filter(|pass| pass.lanes >> lane & 1 == 1).flat_map(|pass| &pass.banks) {
        let at = bank.iter().position(|(_, lanes)| lanes.contains(&lane)).unwrap_or(0);
        let below: Vec<u32> = bank[..at].iter().filter_map(|(_, lanes)| lanes.first()).copied().collect();
        if below.len() > before.len() {
            before = below;
        }
    }
    Some((word, bank, turn, before))
}

fn lane_of(gpu: &Gpu, access: &Access, served: &Served, lane: u32) -> Lane {
    let Some((word, bank, turn, before)) = place(gpu, access, served, lane) else {
        return Lane { text: format!("lane {lane} takes no part"), on: false };
    };
    let words = access.width.div_ceil(4);
    let place = if words > 1 {
        format!("words {word} to {}, from bank {bank} on", word + u64::from(words) - 1)
    } else {
        format!("word {word}, bank {bank}")
    };
    let turn = turn.map_or_else(String::new, |turn| format!(", turn {turn}"));
    let waits = match &before[..] {
        [] => String::new(),
        [one] => format!(", waits for lane {one}"),
        [first, .., last] => format!(", waits for {} lanes ({first} to {last})", before.len()),
    };
    Lane { text: format!("lane {lane}: {place}{turn}{waits}"), on: true }
}

fn table(state: &State, gpu: &Gpu, access: &Access, served: &Served) -> Markup {
    let mut table = Table {
        caption: text(format_args!("What every lane needs, on {}.", gpu.title)),
        heads: texts(["lane", "word", "bank", "turn"]),
        ..Table::default()
    };
    for lane in 0..LANES {
        let cells = match place(gpu, access, served, lane) {
            Some((word, bank, turn, _)) => {
                row![lane, word, bank, turn.map_or_else(|| "–".to_owned(), |turn| turn.to_string())]
            }
            None => row![lane, "–", "–", "–"],
        };
        table.rows.push(cells);
    }
    if state.width > 4 {
        table.caption.add(" Of several words, the first one and its bank.");
    }
    table.html()
}
