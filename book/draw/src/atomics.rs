//! Figures of atomics: a column is a word, a square a lane that updates it.

use std::collections::BTreeMap;

use markup::svg::{Svg, ranges};

use crate::access::{Access, LANES};
use crate::cells::Cell;

/// Side of a square.
const CELL: u32 = 20;
/// Squares of a column before it is folded.
const FOLD: usize = 8;

/// Which lanes meet where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meeting {
    /// For the first byte of every element its lanes.
    pub elements: BTreeMap<u64, Vec<u32>>,
}

impl Meeting {
    /// Of an access.
    pub fn of(access: &Access) -> Self {
        let mut elements: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (lane, address) in (0..).zip(&access.addresses) {
            if let Some(address) = address {
                elements.entry(*address).or_default().push(lane);
            }
        }
        Self { elements }
    }

    /// The largest number of lanes at one element.
    pub fn most(&self) -> usize {
        self.elements.values().map(Vec::len).max().unwrap_or(0)
    }

    /// What it shows, for those who do not see it.
    pub fn described(&self) -> String {
        let list: Vec<String> =
            self.elements.iter().map(|(byte, lanes)| format!("byte {byte}: lanes {}", ranges(lanes))).collect();
        format!("{}.", list.join("; "))
    }

    /// The drawing below a title, and its squares.
    pub fn draw(&self, title: &str) -> (Svg, Vec<Cell>) {
        let mut svg = Svg::new(LANES * CELL);
        let mut cells = Vec::new();
        svg.text(0, CELL - 6, "wb-svg-title", title);
        let rows = if self.most() > FOLD { FOLD + 1 } else { self.most() };
        let base = (rows as u32 + 1) * CELL;
        for (column, lanes) in (0..).zip(self.elements.values()) {
            let x = column * CELL;
            let shown = lanes.len().min(FOLD);
            for (height, &lane) in (1..).zip(&lanes[..shown]) {
                let class = if height == 1 { "wb-svg-first" } else { "wb-svg-more" };
                let y = base - height * CELL;
                svg.cell(x, y, (CELL, CELL), class, &lane.to_string());
                cells.push(Cell { x, y, width: CELL, height: CELL, lanes: 1 << lane });
            }
            if lanes.len() > shown {
                let y = base - shown as u32 * CELL - 6;
                svg.text(x + CELL / 2, y, "wb-svg-lane", &format!("+{}", lanes.len() - shown));
            }
            svg.text(x + CELL / 2, base + 13, "wb-svg-bank", &column.to_string());
        }
        svg.line((0, base), (LANES * CELL, base), "wb-svg-base");
        svg.reach(base + CELL);
        (svg, cells)
    }
}
