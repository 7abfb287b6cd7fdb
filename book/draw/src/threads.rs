//! Figures of a thread block: which warp and lane each of its threads is.

use markup::svg::Svg;
use markup::{Markup, Render, html};

use crate::access::LANES;
use crate::cells::Cell;

/// Width of a thread's cell, and its height.
const CELL: (u32, u32) = (20, 20);
/// Where the cells begin.
const LEFT: u32 = 40;

/// A block of threads that can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Threads in x.
    pub x: u32,
    /// Threads in y.
    pub y: u32,
}

impl Block {
    /// A block that is not too large.
    pub fn new(x: u32, y: u32) -> Option<Self> {
        (1..=36).contains(&x).then_some(())?;
        ((1..=32).contains(&y) && x * y <= 512).then_some(Self { x, y })
    }

    /// Its threads.
    pub fn threads(self) -> u32 {
        self.x * self.y
    }

    /// Its warps.
    pub fn warps(self) -> u32 {
        self.threads().div_ceil(LANES)
    }

    /// What it is.
    pub fn title(self) -> String {
        format!("Warps and lanes of a block of {} by {} threads", self.x, self.y)
    }

    /// How its threads are numbered.
    pub fn described(self) -> String {
        format!("Thread (x, y) is number y · {} + x; its warp is that over 32, its lane the rest.", self.x)
    }

    /// What stands below the drawing.
    pub fn caption(self) -> String {
        let (count, warps) = (self.threads(), self.warps());
        let idle = warps * LANES - count;
        let plural = |count: u32, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        format!(
            "A block of {} × {} threads: every cell is a thread with the number of its lane, every look (they repeat after \
             four) a warp. {} of 32 lanes hold {count} threads; {} without a thread.",
            self.x,
            self.y,
            plural(warps, "warp"),
            if idle == 1 { "1 lane is".to_owned() } else { format!("{idle} lanes are") }
        )
    }

    /// The drawing, and the cells of all threads.
    pub fn draw(self) -> (Svg, Vec<Cell>) {
        let mut svg = Svg::new((LEFT + self.x * CELL.0 + 4).max(300));
        let mut cells = Vec::new();
        for x in 0..self.x {
            svg.text(LEFT + x * CELL.0 + CELL.0 / 2, 12, "wb-svg-bank", &x.to_string());
        }
        for y in 0..self.y {
            let top = 18 + y * CELL.1;
            svg.text(LEFT - 6, top + 14, "wb-svg-right", &format!("y {y}"));
            for x in 0..self.x {
                // Threads are numbered along x first; 32 that follow one another are a warp.
                let thread = y * self.x + x;
                let class = ["wb-svg-on", "wb-svg-warn", "wb-svg-peer", "wb-svg-cell"][(thread / LANES % 4) as usize];
                svg.cell(LEFT + x * CELL.0, top, CELL, class, &(thread % LANES).to_string());
                let x = LEFT + x * CELL.0;
                cells.push(Cell { x, y: top, width: CELL.0, height: CELL.1, lanes: thread });
            }
        }
        (svg, cells)
    }

    /// The block as a figure, with `own` as the first sentences of its caption.
    pub fn figure(self, own: impl Render) -> Markup {
        self.draw().0.figure(&self.title(), &self.described(), html! { (own) (self.caption()) })
    }
}
