//! Figures of global memory: a row of eight squares is a sector of 32 bytes, a square a word with the lane that needs it.

use std::collections::BTreeMap;

use markup::svg::{Svg, ranges};
use markup::{Markup, Render, html};

use crate::access::{Access, SECTOR};
use crate::cells::Cell;

/// Side of a word's cell, and words of a sector.
const CELL: u32 = 19;
const WORDS: u64 = SECTOR / 4;
/// Sectors side by side.
const ACROSS: u32 = 4;
/// The most sectors that are drawn.
const MOST: usize = 32;

/// The width of a figure of sectors.
pub const WIDTH: u32 = ACROSS * (WORDS as u32 * CELL + 10);

/// The sectors of one access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    label: String,
    cost: u64,
    /// For every sector the words in it, each with its lanes.
    sectors: BTreeMap<u64, BTreeMap<u64, Vec<u32>>>,
}

impl Panel {
    /// The panel of an access that costs this many sectors, each of which it touches.
    ///
    /// # Errors
    /// A sentence when it touches another number of sectors.
    pub fn new(label: &str, access: &Access, cost: u64) -> Result<Self, String> {
        let panel = Self::of(label, access, cost);
        let touched = panel.touched();
        if touched as u64 == cost {
            Ok(panel)
        } else {
            Err(format!("the figure has {touched} sectors, and the simulator counts {cost}"))
        }
    }

    /// The panel of an access on a GPU that may move more sectors than are touched.
    pub fn of(label: &str, access: &Access, cost: u64) -> Self {
        let mut sectors: BTreeMap<u64, BTreeMap<u64, Vec<u32>>> = BTreeMap::new();
        for (lane, address) in (0..).zip(&access.addresses) {
            let Some(address) = address else { continue };
            for part in 0..u64::from(access.width.div_ceil(4)) {
                let byte = address + 4 * part;
                sectors.entry(byte / SECTOR).or_default().entry(byte % SECTOR / 4).or_default().push(lane);
            }
        }
        Self { label: label.to_owned(), cost, sectors }
    }

    /// How many sectors its lanes touch.
    pub fn touched(&self) -> usize {
        self.sectors.len()
    }

    /// How many bytes its lanes need.
    pub fn needed(&self) -> u64 {
        4 * self.sectors.values().map(BTreeMap::len).sum::<usize>() as u64
    }

    /// What the access is, and what it costs.
    pub fn title(&self) -> String {
        let Self { label, cost, .. } = self;
        format!("{label}: {cost} sectors, {} of {} bytes needed", self.needed(), cost * SECTOR)
    }

    /// What it shows, for those who do not see it.
    pub fn described(&self) -> String {
        let first = self.first();
        let of_sector = |(sector, words): (&u64, &BTreeMap<u64, Vec<u32>>)| {
            let mut lanes: Vec<u32> = words.values().flatten().copied().collect();
            lanes.sort_unstable();
            lanes.dedup();
            format!("byte {}: lanes {}", (sector - first) * SECTOR, ranges(&lanes))
        };
        let list: Vec<String> = self.sectors.iter().map(of_sector).collect();
        format!("{}. {}", self.title(), list.join("; "))
    }

    fn first(&self) -> u64 {
        self.sectors.keys().next().copied().unwrap_or(0)
    }

    /// For every sector its first byte, counted from the first sector's, the lanes that need it, and how many of its bytes
    /// they need.
    pub fn rows(&self) -> Vec<(u64, Vec<u32>, u64)> {
        let first = self.first();
        let row = |(sector, words): (&u64, &BTreeMap<u64, Vec<u32>>)| {
            let mut lanes: Vec<u32> = words.values().flatten().copied().collect();
            lanes.sort_unstable();
            lanes.dedup();
            ((sector - first) * SECTOR, lanes, 4 * words.len() as u64)
        };
        self.sectors.iter().map(row).collect()
    }

    /// Draws it, with its upper edge at `y`; returns its lower edge and the squares.
    pub fn draw(&self, svg: &mut Svg, mut y: u32) -> (u32, Vec<Cell>) {
        let mut cells = Vec::new();
        svg.text(0, y + 14, "wb-svg-title", &self.title());
        y += 22;
        let first = self.first();
        for (at, (sector, words)) in (0u32..).zip(self.sectors.iter().take(MOST)) {
            let (x, top) = (at % ACROSS * (WORDS as u32 * CELL + 10), y + at / ACROSS * 40);
            svg.text(x, top + 10, "wb-svg-small", &format!("byte {}", (sector - first) * SECTOR));
            for word in 0..WORDS {
                let lanes = words.get(&word).map(|lanes| short(lanes)).unwrap_or_default();
                let class = if words.contains_key(&word) { "wb-svg-on" } else { "wb-svg-idle" };
                svg.cell(x + word as u32 * CELL, top + 13, (CELL, CELL), class, &lanes);
                if let Some(lanes) = words.get(&word) {
                    let lanes = lanes.iter().fold(0, |mask, lane| mask | 1 << lane);
                    cells.push(Cell { x: x + word as u32 * CELL, y: top + 13, width: CELL, height: CELL, lanes });
                }
            }
        }
        let rows = self.touched().min(MOST).div_ceil(ACROSS as usize) as u32;
        y += rows * 40 + 6;
        if self.touched() > MOST {
            svg.text(0, y + 10, "wb-svg-beside", &format!("and {} sectors more", self.touched() - MOST));
            y += 20;
        }
        (y, cells)
    }
}

/// Panels below each other as a figure, with `own` as the first sentences of its caption.
pub fn figure(panels: &[Panel], own: impl Render) -> Markup {
    let mut svg = Svg::new(WIDTH);
    let mut y = 0;
    for panel in panels {
        y = panel.draw(&mut svg, y).0;
    }
    let sums: Vec<String> = panels.iter().map(|panel| format!("{}: {} sectors", panel.label, panel.cost)).collect();
    let described: Vec<String> = panels.iter().map(Panel::described).collect();
    let caption = html! {
        (own)
        "A row of eight cells is a sector of 32 bytes, a cell a word, with the lane that needs it. " (sums.join(". "))
        ". Simulated for this page."
    };
    svg.figure("Sectors that a warp touches", &(described.join(". ") + "."), caption)
}

/// Lanes as they fit into a cell.
fn short(lanes: &[u32]) -> String {
    match lanes {
        [lane] => lane.to_string(),
        [first, ..] => format!("{first}+"),
        [] => String::new(),
    }
}
