//! Figures of shared memory banks: a column is a bank, a square a word with the lane that needs it.

use markup::svg::{Svg, ranges};
use markup::{Markup, Render, html};

use crate::access::{Access, BANKS};
use crate::cells::Cell;

/// Side of a square of the figure, in SVG units.
pub const CELL: u32 = 20;

/// The words that a bank must deliver, each with the lanes that need it.
pub type Bank = Vec<(u64, Vec<u32>)>;

/// Lanes that are served together, and what every bank delivers to them, one word after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The lanes, as a mask.
    pub lanes: u32,
    /// What every bank delivers.
    pub banks: Vec<Bank>,
}

impl Pass {
    /// What the fullest bank delivers.
    pub fn height(&self) -> u32 {
        self.banks.iter().map(Vec::len).max().unwrap_or(0) as u32
    }

    /// The squares of a bank that are drawn, and how many are folded away.
    fn shown(&self, bank: &Bank, fold: Option<u32>) -> (usize, usize) {
        match fold {
            Some(most) if bank.len() > most as usize => (most as usize, bank.len() - most as usize),
            _ => (bank.len(), 0),
        }
    }

    fn rows(&self, fold: Option<u32>) -> u32 {
        match fold {
            // Above a column that is folded stands how many more there are.
            Some(most) if self.height() > most => most + 1,
            _ => self.height(),
        }
    }
}

/// The lanes of one access, bank by bank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    name: String,
    passes: Vec<Pass>,
    cost: u64,
    fold: Option<u32>,
    /// What it shows, for those who do not see it.
    pub described: String,
}

impl Panel {
    /// The panel of an access that costs this many wavefronts, on 32 banks and in one piece.
    ///
    /// # Errors
    /// A sentence when the highest column is not the cost of an access of 4 bytes.
    pub fn new(name: &str, access: &Access, cost: u64) -> Result<Self, String> {
        let pass = Pass { lanes: access.lanes().1, banks: access.banks() };
        // Wider accesses are served part by part, whatever the banks are.
        if access.width == 4 && cost != u64::from(pass.height()) {
            return Err(format!(
                "the figure has {} words on one bank, and the simulator counts {cost} wavefronts",
                pass.height()
            ));
        }
        Ok(Self::of(name, vec![pass], cost, None))
    }

    /// The panel of these passes. Columns with more than `fold` squares are cut there.
    pub fn of(name: &str, passes: Vec<Pass>, cost: u64, fold: Option<u32>) -> Self {
        let mut described = format!("{name}.");
        for (pass, number) in passes.iter().zip(1..) {
            let of_bank = |(bank, words): (usize, &Bank)| {
                let mut lanes: Vec<u32> = words.iter().flat_map(|(_, lanes)| lanes).copied().collect();
                lanes.sort_unstable();
                let lanes: Vec<String> = lanes.iter().map(u32::to_string).collect();
                format!("bank {bank}: lanes {}", lanes.join(", "))
            };
            let used = pass.banks.iter().enumerate().filter(|(_, words)| !words.is_empty()).map(of_bank);
            let part = if passes.len() > 1 { format!("Part {number}: ") } else { String::new() };
            described += &format!(" {part}{}.", used.collect::<Vec<_>>().join("; "));
        }
        Self { name: name.to_owned(), passes, cost, fold, described }
    }

    /// What the access is, and what it costs.
    pub fn title(&self) -> String {
        format!("{}: {} wavefront{}", self.name, self.cost, if self.cost == 1 { "" } else { "s" })
    }

    /// Title, squares, bank numbers, and some air.
    pub fn height(&self) -> u32 {
        let rows: u32 = self.passes.iter().map(|pass| pass.rows(self.fold)).sum();
        (rows + 1 + 2 * self.passes.len() as u32) * CELL
    }

    /// Draws it, with its upper edge at `top`; returns the squares.
    pub fn draw(&self, svg: &mut Svg, top: u32) -> Vec<Cell> {
        let mut cells = Vec::new();
        svg.text(0, top + CELL - 6, "wb-svg-title", &self.title());
        let mut base = top + CELL;
        for (number, pass) in self.passes.iter().enumerate() {
            base += pass.rows(self.fold) * CELL;
            for (bank, words) in (0..).zip(&pass.banks) {
                let x = bank * CELL;
                let (shown, folded) = pass.shown(words, self.fold);
                for (height, (_, lanes)) in (1..).zip(&words[..shown]) {
                    let class = if height == 1 { "wb-svg-first" } else { "wb-svg-more" };
                    let label = match &**lanes {
                        [lane] => lane.to_string(),
                        [first, ..] => format!("{first}+"),
                        [] => String::new(),
                    };
                    svg.cell(x, base - height * CELL, (CELL, CELL), class, &label);
                    let lanes = lanes.iter().fold(0, |mask, lane| mask | 1 << lane);
                    cells.push(Cell { x, y: base - height * CELL, width: CELL, height: CELL, lanes });
                }
                if folded > 0 {
                    svg.text(x + CELL / 2, base - shown as u32 * CELL - 6, "wb-svg-lane", &format!("+{folded}"));
                }
                svg.text(x + CELL / 2, base + 13, "wb-svg-bank", &bank.to_string());
            }
            svg.line((0, base), (pass.banks.len() as u32 * CELL, base), "wb-svg-base");
            if self.passes.len() > 1 {
                let lanes: Vec<u32> = (0..32).filter(|lane| pass.lanes >> lane & 1 == 1).collect();
                let text = format!("part {} of {}: lanes {}", number + 1, self.passes.len(), ranges(&lanes));
                svg.text(0, base + 28, "wb-svg-small", &text);
            }
            base += 2 * CELL;
        }
        cells
    }
}

/// Panels below each other as a figure, with `lead` as the first sentences of its caption.
pub fn figure(panels: &[Panel], lead: impl Render) -> Markup {
    let mut svg = Svg::new(BANKS * CELL);
    let mut y = 0;
    for panel in panels {
        panel.draw(&mut svg, y);
        y += panel.height();
    }
    let sums: Vec<String> = panels.iter().map(Panel::title).collect();
    let described: Vec<&str> = panels.iter().map(|panel| &*panel.described).collect();
    let caption = html! {
        (lead)
        "A column is a bank, a square is a word with the lane that needs it, and the height of the highest column is the number \
         of wavefronts. " (sums.join(". ")) "."
    };
    svg.figure(&sums.join(". "), &described.join(" "), caption)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Space;

    #[test]
    fn high_columns_fold_and_keep_their_cost() {
        let access = Access::of(Space::Shared, "lane * 32", 4, 4).unwrap();
        let pass = Pass { lanes: u32::MAX, banks: access.banks() };
        let (plain, folded) = (Panel::of("a", vec![pass.clone()], 32, None), Panel::of("a", vec![pass], 32, Some(8)));
        assert_eq!((plain.height(), folded.height()), (35 * CELL, 12 * CELL));
        let mut svg = Svg::new(BANKS * CELL);
        assert_eq!(folded.draw(&mut svg, 0).len(), 8);
        assert!(svg.html("a", "b").0.contains(">+24</text>"));
        assert!(Panel::new("a", &access, 31).unwrap_err().contains("32 words on one bank"));
        assert_eq!(Panel::new("a", &access, 32).unwrap(), plain);
    }
}
