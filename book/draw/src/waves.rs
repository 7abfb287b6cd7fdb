//! The wave fronts of a table that is written in tiles: one drawing and one sentence for each wave.
//!
//! What is drawn is data of a run: which tile was written by which block, and the tiles whose blocks had written what that
//! block read. A wave is all tiles that need nothing but tiles of waves before it.

use markup::svg::Svg;
use markup::{Markup, number};
use played::{Tile, Waves};

use crate::rounds::Frame;

/// Width and height of a tile.
const TILE: (u32, u32) = (44, 32);
/// From tile to tile.
const GAP: u32 = 14;
/// Room for the numbers of columns and rows.
const EDGE: u32 = 26;
/// Tiles that are named in a sentence, at most.
const NAMED: usize = 8;

/// The drawings: one of the beginning, and one for each wave.
pub fn frames(waves: &Waves) -> Vec<Frame> {
    let last = waves.tiles.iter().map(|tile| tile.wave).max().unwrap_or(0);
    let start = "The beginning: no tile of the table is complete.".to_owned();
    let drawing = draw(waves, None, &start);
    let mut frames = vec![Frame { drawing, said: start }];
    for wave in 0..=last {
        let said = sentence(waves, wave, last);
        frames.push(Frame { drawing: draw(waves, Some(wave), &said), said });
    }
    frames
}

/// The upper left corner of a tile.
fn corner(waves: &Waves, tile: usize) -> (u32, u32) {
    let (x, y) = ((tile % waves.across) as u32, (tile / waves.across) as u32);
    (EDGE + x * (TILE.0 + GAP), EDGE + y * (TILE.1 + GAP))
}

fn draw(waves: &Waves, wave: Option<usize>, title: &str) -> Markup {
    let down = waves.tiles.len().div_ceil(waves.across);
    let mut svg = Svg::new((EDGE + waves.across as u32 * (TILE.0 + GAP)).max(200));
    for x in 0..waves.across {
        svg.text(corner(waves, x).0 + TILE.0 / 2, EDGE - 8, "wb-svg-bank", &x.to_string());
    }
    for y in 0..down {
        svg.text(8, corner(waves, y * waves.across).1 + TILE.1 / 2 + 4, "wb-svg-bank", &y.to_string());
    }
    let now = |tile: &Tile| Some(tile.wave) == wave;
    // Lines lie below the tiles that they join.
    let middle = |tile: usize| {
        let (x, y) = corner(waves, tile);
        (x + TILE.0 / 2, y + TILE.1 / 2)
    };
    for (number, tile) in waves.tiles.iter().enumerate().filter(|(_, tile)| now(tile)) {
        for &other in &tile.reads {
            svg.line(middle(other), middle(number), "wb-svg-edge");
        }
    }
    for (number, tile) in waves.tiles.iter().enumerate() {
        let (x, y) = corner(waves, number);
        let (class, text) = match wave {
            Some(wave) if tile.wave == wave => ("wb-svg-on", (tile.place + 1).to_string()),
            Some(wave) if tile.wave < wave => ("wb-svg-cell", (tile.place + 1).to_string()),
            _ => ("wb-svg-idle", String::new()),
        };
        svg.cell(x, y, TILE, class, &text);
    }
    svg.html(title, &described(waves, wave))
}

/// What is drawn, in words.
fn described(waves: &Waves, wave: Option<usize>) -> String {
    let parts = waves.tiles.iter().enumerate().filter(|(_, tile)| Some(tile.wave) == wave);
    let part = |(number, tile): (usize, &Tile)| {
        let reads: Vec<String> = tile.reads.iter().map(|&other| name(waves, other)).collect();
        let from = if reads.is_empty() { "of no other tile".to_owned() } else { format!("of {}", reads.join(", ")) };
        format!("tile {} is written by block {}, which has read words {from}", name(waves, number), tile.block)
    };
    parts.map(part).collect::<Vec<_>>().join("; ")
}

/// A tile by its column and row.
fn name(waves: &Waves, tile: usize) -> String {
    format!("({}, {})", tile % waves.across, tile / waves.across)
}

/// What happens in a wave.
fn sentence(waves: &Waves, wave: usize, last: usize) -> String {
    let own: Vec<usize> = (0..waves.tiles.len()).filter(|&tile| waves.tiles[tile].wave == wave).collect();
    let mut said = format!("Wave {} of {}. ", wave + 1, last + 1);
    let names = || own.iter().map(|&tile| name(waves, tile)).collect::<Vec<_>>();
    said += &match &own[..] {
        [one] => format!("Tile {}", name(waves, *one)),
        few if few.len() <= NAMED => format!("{} tiles, {},", few.len(), listed(&names())),
        many => format!("{} tiles", many.len()),
    };
    let needed: usize = own.iter().map(|&tile| waves.tiles[tile].reads.len()).max().unwrap_or(0);
    said += match (own.len(), needed) {
        (1, 0) => " reads words of no other tile.",
        (_, 0) => " read words of no other tile.",
        (1, _) => " is written once its block has read words of ",
        _ => " are written once their blocks have read words of ",
    };
    if needed > 0 {
        let mut sources: Vec<usize> = own.iter().flat_map(|&tile| waves.tiles[tile].reads.iter().copied()).collect();
        sources.sort_unstable();
        sources.dedup();
        let sources: Vec<String> = sources.iter().map(|&tile| name(waves, tile)).collect();
        said += &if sources.len() <= NAMED {
            format!("{}.", listed(&sources))
        } else {
            format!("{} tiles of earlier waves.", sources.len())
        };
    }
    let early: u64 = own.iter().map(|&tile| waves.tiles[tile].early).sum();
    if early > 0 {
        let who = if own.len() == 1 { "Its block" } else { "Their blocks" };
        said += &format!(" {who} looked {} times at words that no block had written yet.", number(early));
    }
    let mut places: Vec<usize> = own.iter().map(|&tile| waves.tiles[tile].place + 1).collect();
    places.sort_unstable();
    let places: Vec<String> = places.iter().take(NAMED + 1).map(|&place| ordinal(place)).collect();
    if places.len() <= NAMED {
        let verb = if own.len() == 1 { "It was" } else { "They were" };
        said += &format!(" {verb} the {} to be complete in this run.", listed(&places));
    }
    said
}

/// `a, b and c`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// `1st`, `12th`.
fn ordinal(number: usize) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two by two tiles, each of which needs its left and its upper neighbour.
    fn square() -> Waves {
        let tile = |place, wave, reads: &[usize], early| Tile {
            block: place as u64,
            place,
            wave,
            reads: reads.to_vec(),
            early,
        };
        let tiles = vec![tile(0, 0, &[], 0), tile(1, 1, &[0], 0), tile(2, 1, &[0], 3), tile(3, 2, &[1, 2], 0)];
        Waves { across: 2, tiles }
    }

    #[test]
    fn a_wave_is_told_from_what_was_read() {
        let said: Vec<String> = frames(&square()).into_iter().map(|frame| frame.said).collect();
        assert_eq!(
            said,
            [
                "The beginning: no tile of the table is complete.",
                "Wave 1 of 3. Tile (0, 0) reads words of no other tile. It was the 1st to be complete in this run.",
                "Wave 2 of 3. 2 tiles, (1, 0) and (0, 1), are written once their blocks have read words of (0, 0). Their blocks looked 3 \
                 times at words that no block had written yet. They were the 2nd and 3rd to be complete in this run.",
                "Wave 3 of 3. Tile (1, 1) is written once its block has read words of (1, 0) and (0, 1). It was the 4th to be \
                 complete in this run.",
            ]
        );
    }

    #[test]
    fn all_waves_have_one_size_and_a_line_for_every_tile_that_is_read() {
        let frames = frames(&square());
        let size = |frame: &Frame| {
            frame.drawing.0.split("viewBox=\"").nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned)
        };
        assert!(frames.iter().all(|frame| size(frame) == size(&frames[0]) && size(frame).is_some()));
        let count = |what: &str| frames.iter().map(|frame| frame.drawing.0.matches(what).count()).collect::<Vec<_>>();
        assert_eq!(count("wb-svg-edge"), [0, 0, 2, 2]);
        assert_eq!(count("wb-svg-on"), [0, 1, 2, 1]);
        assert!(
            frames[3].drawing.0.contains("tile (1, 1) is written by block 3, which has read words of (1, 0), (0, 1)")
        );
    }

    #[test]
    fn places_are_numbered_as_people_do() {
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ordinal).join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th"
        );
    }
}
