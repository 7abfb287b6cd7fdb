//! What a step did, in words.

use super::view::{Done, State, WarpView};
use crate::lanes::lanes_text;

/// A number of things.
fn plural(count: u32, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// What the last step did and what became of its warp; `start` at the beginning.
pub(super) fn of(last: Option<&Done>, warp: &WarpView, many_blocks: bool) -> String {
    let Some(last) = last else { return "At the beginning: nothing has been executed.".to_owned() };
    let block = if many_blocks { format!(" of block {}", last.block) } else { String::new() };
    let mut text = format!("Line {}, warp {}{block}: ", last.place.line, last.warp);
    let opcode = last.place.text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
    text += opcode.trim_end_matches(';');
    let lanes = last.lanes.count_ones();
    text += &match lanes {
        0 => ", executed by no lane".to_owned(),
        32 => ", all 32 lanes".to_owned(),
        1..=4 => format!(", {}", lanes_text(last.lanes)),
        lanes => format!(", {lanes} of 32 lanes"),
    };
    for access in &last.accesses {
        text += &format!("; {}", access.what);
        if let (Some(cost), Some(ideal)) = (access.cost, access.ideal) {
            text += &format!(", {}", plural(cost, if access.shared { "wavefront" } else { "sector" }));
            if cost > ideal {
                text += &format!(", at best {ideal}");
            }
        }
    }
    if last.events.contains(&super::Event::Divergence) {
        text += "; the lanes diverge";
    }
    text.push('.');
    if (warp.block, warp.warp) == (last.block, last.warp) {
        let waits = warp.paths.iter().find_map(|path| match path.state {
            State::AtBarrier(id) => Some(format!(" It waits at barrier {id}.")),
            State::ForLanes(_) => Some(" Lanes of it wait for others.".to_owned()),
            _ => None,
        });
        text += &if warp.live == 0 { " It has exited.".to_owned() } else { waits.unwrap_or_default() };
    }
    text
}
