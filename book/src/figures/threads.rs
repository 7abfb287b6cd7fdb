//! `figure threads block=X,Y`: which warp and lane each thread of a block is.

use sim::Dim3;

use super::caption;
use crate::access::LANES;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::svg::Svg;

/// Width of a thread's cell, and its height.
const CELL: (u32, u32) = (20, 20);

pub(crate) fn threads(directive: &mut Directive) -> Result<String, Reason> {
    let text = directive.option("block")?;
    let own = caption(directive);
    let block: Dim3 = text.parse().map_err(Reason::Wrong)?;
    if block.z != 1 || block.x > 36 || block.y > 32 || block.x * block.y > 512 {
        return Err(Reason::Wrong(format!("`block={text}` is too large to draw: at most 36,32 and 512 threads")));
    }
    let left = 40;
    let mut svg = Svg::new((left + block.x * CELL.0 + 4).max(300));
    for x in 0..block.x {
        svg.text(left + x * CELL.0 + CELL.0 / 2, 12, "wb-svg-bank", &x.to_string());
    }
    for y in 0..block.y {
        let top = 18 + y * CELL.1;
        svg.text(left - 6, top + 14, "wb-svg-right", &format!("y {y}"));
        for x in 0..block.x {
            // Threads are numbered along x first; 32 that follow one another are a warp.
            let thread = y * block.x + x;
            let class = ["wb-svg-on", "wb-svg-warn", "wb-svg-peer", "wb-svg-cell"][(thread / LANES % 4) as usize];
            svg.cell(left + x * CELL.0, top, CELL, class, &(thread % LANES).to_string());
        }
    }
    let count = block.x * block.y;
    let warps = count.div_ceil(LANES);
    let idle = warps * LANES - count;
    let title = format!("Warps and lanes of a block of {} by {} threads", block.x, block.y);
    let described =
        format!("Thread (x, y) is number y · {} + x; its warp is that over 32, its lane the rest.", block.x);
    let plural = |count: u32, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let caption = format!(
        "{own}A block of {} × {} threads: every cell is a thread with the number of its lane, every look (they repeat after \
         four) a warp. {} of 32 lanes hold {count} threads; {} without a thread.",
        block.x,
        block.y,
        plural(warps, "warp"),
        if idle == 1 { "1 lane is".to_owned() } else { format!("{idle} lanes are") }
    );
    Ok(svg.figure(&title, &described, &caption))
}
