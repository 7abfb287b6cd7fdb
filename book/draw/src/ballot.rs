//! Figures of a ballot of a warp, and for every lane the number of set bits below it.

use markup::svg::{Svg, ranges};
use markup::{Markup, Render, html};

use crate::access::LANES;
use crate::cells::Cell;

/// Side of a cell.
const CELL: u32 = 20;
/// Where the cells begin.
const LEFT: u32 = 110;

/// The place of a lane: the set bits of the ballot below its own.
pub fn rank(ballot: u32, lane: u32) -> u32 {
    (ballot & ((1u32 << lane) - 1)).count_ones()
}

/// The drawing of a ballot, the cells of all lanes, and its title and description.
pub fn draw(mask: u32) -> (Svg, Vec<Cell>, String, String) {
    let mut svg = Svg::new(LEFT + LANES * CELL);
    let mut cells = Vec::new();
    let rows = [(14, "lane"), (CELL + 18, "bit of the ballot"), (2 * (CELL + 6) + 14, "set bits below")];
    for (y, name) in rows.into_iter().chain([(3 * (CELL + 6) + 28, "place")]) {
        svg.text(0, y, "wb-svg-beside", name);
    }
    let set: Vec<u32> = (0..LANES).filter(|lane| mask >> lane & 1 == 1).collect();
    for lane in 0..LANES {
        let x = LEFT + lane * CELL;
        let on = mask >> lane & 1 == 1;
        svg.text(x + CELL / 2, 14, "wb-svg-bank", &lane.to_string());
        let class = if on { "wb-svg-on" } else { "wb-svg-idle" };
        svg.cell(x, CELL + 4, (CELL, CELL), class, if on { "1" } else { "0" });
        cells.push(Cell { x, y: CELL + 4, width: CELL, height: CELL, lanes: 1 << lane });
        svg.text(
            x + CELL / 2,
            2 * (CELL + 6) + 14,
            if on { "wb-svg-lane" } else { "wb-svg-bank" },
            &rank(mask, lane).to_string(),
        );
    }
    // The lanes whose bit is set write side by side, in their order.
    for &lane in &set {
        let from = LEFT + lane * CELL + CELL / 2;
        let to = LEFT + rank(mask, lane) * CELL + CELL / 2;
        svg.line((from, 2 * (CELL + 6) + 18), (to, 3 * (CELL + 6) + 14), "wb-svg-edge");
        svg.cell(LEFT + rank(mask, lane) * CELL, 3 * (CELL + 6) + 14, (CELL, CELL), "wb-svg-on", &lane.to_string());
    }
    let title = format!("A ballot with {} set bits, and the places of their lanes", set.len());
    let described = format!("The ballot is {mask:#010x}. Set are the bits of lanes {}.", ranges(&set));
    (svg, cells, title, described)
}

/// What stands below the drawing.
pub fn caption(mask: u32) -> Markup {
    html! {
        "The ballot is " code { (format_args!("{mask:#010x}")) } ": " (mask.count_ones()) " of 32 bits are set. A lane’s place is \
         the number of set bits below its own, so that the lanes whose bit is set write side by side and in order."
    }
}

/// A ballot as a figure, with `own` as the first sentences of its caption.
pub fn figure(mask: u32, own: impl Render) -> Markup {
    let (svg, _, title, described) = draw(mask);
    svg.figure(&title, &described, html! { (own) (caption(mask)) })
}
