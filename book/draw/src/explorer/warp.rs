//! Ballots of a warp, and the threads of a block.

use markup::svg::{Svg, ranges};
use markup::{Markup, Table, html, row, text, texts};

use super::{Answer, Fault, Lane, State, address};
use crate::access::LANES;
use crate::ballot::{self, rank};
use crate::threads::Block;

pub(super) fn ballot(state: &State) -> Result<Answer, Fault> {
    state.checked()?;
    let mask = address::ballot(state)?;
    let (svg, cells, title, described) = ballot::draw(mask);
    let set: Vec<u32> = (0..LANES).filter(|lane| mask >> lane & 1 == 1).collect();
    let status = if set.is_empty() {
        "No lane votes yes: the ballot is 0.".to_owned()
    } else {
        format!("{} of 32 lanes vote yes: {}. The ballot is {mask:#010x}.", set.len(), ranges(&set))
    };
    let lane_of = |lane: u32| {
        let on = mask >> lane & 1 == 1;
        let below = rank(mask, lane);
        let text = if on {
            format!("lane {lane} votes yes, {below} below it do: its place is {below}")
        } else {
            format!("lane {lane} votes no, {below} below it vote yes")
        };
        Lane { text, on }
    };
    let mut table = Table {
        caption: text("The votes of all lanes."),
        heads: texts(["lane", "bit of the ballot", "set bits below", "place"]),
        ..Table::default()
    };
    for lane in 0..LANES {
        let (bit, below) = (mask >> lane & 1, rank(mask, lane));
        let place = if bit == 1 { below.to_string() } else { "–".to_owned() };
        table.rows.push(row![lane, bit, below, place]);
    }
    let votes =
        if set.is_empty() { "No lane votes yes.".to_owned() } else { format!("Lanes {} vote yes.", ranges(&set)) };
    // From now on the mask is what counts: pressing a lane changes it.
    let state = State { active: mask, formula: None, ..state.clone() };
    Ok(shown(
        &state,
        String::new(),
        (svg, cells, &title, &described),
        html! { (votes) " " (ballot::caption(mask)) },
        status,
        &table,
        (0..LANES).map(lane_of),
    ))
}

pub(super) fn threads(state: &State) -> Result<Answer, Fault> {
    let (x, y) = (state.x, state.y);
    let too_large =
        || Fault::of("x", format!("a block of {x} by {y} is too large to draw: at most 36 by 32 and 512 threads"));
    let block = Block::new(x, y).ok_or_else(too_large)?;
    let (svg, cells) = block.draw();
    let (count, warps) = (block.threads(), block.warps());
    let idle = warps * LANES - count;
    let status = format!(
        "A block of {x} by {y}: {count} thread{}, {warps} warp{}, {idle} lane{} without a thread.",
        if count == 1 { "" } else { "s" },
        if warps == 1 { "" } else { "s" },
        if idle == 1 { "" } else { "s" },
    );
    let lane_of = |thread: u32| Lane {
        text: format!(
            "thread ({}, {}): number {thread}, warp {}, lane {}",
            thread % x,
            thread / x,
            thread / LANES,
            thread % LANES
        ),
        on: true,
    };
    let mut table = Table {
        caption: text("The rows of the block."),
        heads: texts(["row", "first thread", "last thread"]),
        text_columns: 3,
        ..Table::default()
    };
    for row in 0..y {
        let of = |thread: u32| format!("warp {}, lane {}", thread / LANES, thread % LANES);
        table.rows.push(row![format_args!("y {row}"), of(row * x), of(row * x + x - 1)]);
    }
    let title = block.title();
    let described = block.described();
    Ok(shown(
        state,
        String::new(),
        (svg, cells, &title, &described),
        text(block.caption()),
        status,
        &table,
        (0..count).map(lane_of),
    ))
}

type Drawing<'a> = (Svg, Vec<crate::cells::Cell>, &'a str, &'a str);

fn shown(
    state: &State,
    formula: String,
    (svg, cells, title, described): Drawing<'_>,
    caption: Markup,
    status: String,
    table: &Table,
    lanes: impl Iterator<Item = Lane>,
) -> Answer {
    Answer {
        state: state.clone(),
        formula,
        cost: None,
        ideal: None,
        unit: "",
        turns: Vec::new(),
        figure: svg.html(title, described),
        caption,
        status,
        table: table.html(),
        note: String::new(),
        lanes: lanes.collect(),
        cells,
        size: svg.size(),
        ranges: state.ranges(),
    }
}
