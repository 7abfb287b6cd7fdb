//! Loads and stores of global memory: sectors.

use markup::svg::{Svg, ranges};
use markup::{Table, html, row, text, texts};
use sim::memory::banks::Direction;
use sim::target::{Coalescing, Rules};

use super::shared::{direction, gpu};
use super::{Answer, Fault, Lane, State, address};
use crate::access::{Access, LANES, SECTOR, Space};
use crate::sectors::{Panel, WIDTH};

/// Sectors of a load or a store, and of as many lanes side by side.
pub(super) fn cost(access: &Access, rules: &Rules, direction: Direction) -> (u64, u64) {
    let (addresses, active) = access.lanes();
    let traffic = rules.traffic(&addresses, active, access.width, direction);
    (traffic.sectors.into(), rules.ideal_sectors(active, access.width, direction).into())
}

pub(super) fn answer(state: &State) -> Result<Answer, Fault> {
    let (gpu, direction) = (gpu(state)?, direction(state)?);
    let access = address::access(state)?;
    let (cost, ideal) = cost(&access, &gpu.rules, direction);
    let formula = address::formula(state);
    let panel = Panel::of(&address::label(state, &formula), &access, cost);
    let mut svg = Svg::new(WIDTH);
    let (bottom, cells) = panel.draw(&mut svg, 0);
    svg.reach(bottom);
    let moved = cost * SECTOR;
    let on = if gpu.name == sim::target::DEFAULT { String::new() } else { format!(" on {}", gpu.title) };
    let few = if state.active == u32::MAX { String::new() } else { format!(" by {} lanes", state.active.count_ones()) };
    let status = format!(
        "{}{few}: {}{on}, best {ideal}. {} of {moved} bytes are needed.",
        what(state, &formula),
        sectors(cost),
        panel.needed()
    );
    let more = if gpu.rules.coalescing != Coalescing::Sectors && cost != panel.touched() as u64 {
        format!(
            " The lanes touch {}; this GPU moves them in larger pieces or more than once.",
            sectors(panel.touched() as u64)
        )
    } else {
        String::new()
    };
    let caption = html! {
        (status) (more) " A row of eight cells is a sector of 32 bytes, a cell a word, with the lane that needs it."
    };
    let mut table = Table {
        caption: text("Every sector that the warp touches. Bytes count from the first one’s beginning."),
        heads: texts(["sector", "lanes", "bytes needed"]),
        text_columns: 2,
        ..Table::default()
    };
    for (byte, lanes, bytes) in panel.rows() {
        table.rows.push(row![format_args!("byte {byte}"), ranges(&lanes), bytes]);
    }
    let first = access.addresses.iter().flatten().min().map_or(0, |address| address / SECTOR);
    let lane_of = |lane: u32| match access.addresses[lane as usize] {
        Some(byte) => {
            let sector = byte / SECTOR;
            let with = (0..LANES).filter(|other| {
                *other != lane && access.addresses[*other as usize].is_some_and(|own| own / SECTOR == sector)
            });
            let with = match with.count() {
                0 => "alone in its sector".to_owned(),
                1 => "with 1 other lane".to_owned(),
                count => format!("with {count} other lanes"),
            };
            Lane {
                text: format!("lane {lane}: byte {byte}, sector at byte {}, {with}", (sector - first) * SECTOR),
                on: true,
            }
        }
        None => Lane { text: format!("lane {lane} takes no part"), on: false },
    };
    Ok(Answer {
        state: state.clone(),
        cost: Some(cost),
        ideal: Some(ideal),
        unit: Space::Global.unit(),
        turns: vec![None; LANES as usize],
        figure: svg.html(&panel.title(), &format!("{}.", panel.described())),
        caption,
        table: table.html(),
        note: String::new(),
        lanes: (0..LANES).map(lane_of).collect(),
        cells,
        size: svg.size(),
        ranges: state.ranges(),
        status,
        formula,
    })
}

pub(super) fn sectors(count: u64) -> String {
    format!("{count} sector{}", if count == 1 { "" } else { "s" })
}

/// What is set, in words.
fn what(state: &State, formula: &str) -> String {
    if state.addresses.is_some() {
        return "These addresses".to_owned();
    }
    let wide = if state.width > 4 { format!(", {} bytes per lane", state.width) } else { String::new() };
    if state.formula.is_some() {
        return format!("Byte {formula}{wide}");
    }
    let from = if state.offset == 0 { String::new() } else { format!(", from byte {} on", state.offset) };
    let words = if state.stride == 1 { "word" } else { "words" };
    format!("{} {words} apart{from}{wide}", state.stride)
}
