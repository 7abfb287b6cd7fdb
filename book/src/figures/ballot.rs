//! `figure ballot bits="FORMULA of lane"`: a ballot of a warp, and for every lane the number of set bits below it.

use super::caption;
use crate::access::LANES;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::svg::{Svg, ranges};
use crate::value;

/// Side of a cell.
const CELL: u32 = 20;

pub(crate) fn ballot(directive: &mut Directive) -> Result<String, Reason> {
    let formula = directive.option("bits")?;
    let own = caption(directive);
    let mask = value::ballot(&formula)?;
    let rank = |lane: u32| (mask & ((1u32 << lane) - 1)).count_ones();
    let left = 110;
    let mut svg = Svg::new(left + LANES * CELL);
    let rows = [(14, "lane"), (CELL + 18, "bit of the ballot"), (2 * (CELL + 6) + 14, "set bits below")];
    for (y, name) in rows.into_iter().chain([(3 * (CELL + 6) + 28, "place")]) {
        svg.text(0, y, "wb-svg-beside", name);
    }
    let set: Vec<u32> = (0..LANES).filter(|lane| mask >> lane & 1 == 1).collect();
    for lane in 0..LANES {
        let x = left + lane * CELL;
        let on = mask >> lane & 1 == 1;
        svg.text(x + CELL / 2, 14, "wb-svg-bank", &lane.to_string());
        let class = if on { "wb-svg-on" } else { "wb-svg-idle" };
        svg.cell(x, CELL + 4, (CELL, CELL), class, if on { "1" } else { "0" });
        svg.text(
            x + CELL / 2,
            2 * (CELL + 6) + 14,
            if on { "wb-svg-lane" } else { "wb-svg-bank" },
            &rank(lane).to_string(),
        );
    }
    // The lanes whose bit is set write side by side, in their order.
    for &lane in &set {
        let from = left + lane * CELL + CELL / 2;
        let to = left + rank(lane) * CELL + CELL / 2;
        svg.line((from, 2 * (CELL + 6) + 18), (to, 3 * (CELL + 6) + 14), "wb-svg-edge");
        svg.cell(left + rank(lane) * CELL, 3 * (CELL + 6) + 14, (CELL, CELL), "wb-svg-on", &lane.to_string());
    }
    let title = format!("A ballot with {} set bits, and the places of their lanes", set.len());
    let described = format!("The ballot is {mask:#010x}. Set are the bits of lanes {}.", ranges(&set));
    let caption = format!(
        "{own}The ballot is <code>{mask:#010x}</code>: {} of 32 bits are set. A lane’s place is the number of set bits below \
         its own, so that the lanes whose bit is set write side by side and in order.",
        set.len()
    );
    Ok(svg.figure(&title, &described, &caption))
}
