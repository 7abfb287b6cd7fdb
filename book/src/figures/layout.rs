//! `figure layout bins=B copies=C words="FORMULA of bin and copy"`: where the counters of several copies of a histogram
//! lie in the banks of shared memory.

use std::collections::BTreeMap;

use kernels::launch::expression::{Expression, Names};

use super::{caption, size};
use crate::access::{BANKS, at};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, code, html};
use crate::svg::Svg;

/// Side of a cell.
const CELL: u32 = 20;
/// The most rows.
const ROWS: u64 = 40;

pub(crate) fn layout(directive: &mut Directive) -> Result<Markup, Reason> {
    let bins = size(directive, "bins", 16, 1, 256)?;
    let copies = size(directive, "copies", 1, 1, 32)?;
    let formula = directive.option("words")?;
    let own = caption(directive);
    let expression = Expression::parse(&formula)?;
    let mut words: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
    for copy in 0..copies {
        for bin in 0..bins {
            let names = Names::from([
                ("bin".to_owned(), u64::from(bin).into()),
                ("copy".to_owned(), u64::from(copy).into()),
                ("bins".to_owned(), u64::from(bins).into()),
                ("copies".to_owned(), u64::from(copies).into()),
            ]);
            let word =
                at(&expression, &formula, &names)?.ok_or_else(|| format!("`{formula}` is negative somewhere"))?;
            if let Some((other, of)) = words.insert(word, (bin, copy)) {
                return Err(Reason::Wrong(format!(
                    "`{formula}` puts bin {bin} of copy {copy} where bin {other} of copy {of} is: word {word}"
                )));
            }
        }
    }
    let rows = words.keys().next_back().copied().unwrap_or(0) / u64::from(BANKS) + 1;
    if rows > ROWS {
        return Err(Reason::Wrong(format!("that is {rows} rows of 32 words; {ROWS} can be drawn")));
    }
    let mut svg = Svg::new(36 + BANKS * CELL);
    for bank in 0..BANKS {
        svg.text(36 + bank * CELL + CELL / 2, 12, "wb-svg-bank", &bank.to_string());
    }
    for row in 0..rows as u32 {
        svg.text(30, 18 + row * CELL + 14, "wb-svg-right", &(row * BANKS).to_string());
    }
    for word in 0..rows * u64::from(BANKS) {
        let (x, y) = (36 + (word % u64::from(BANKS)) as u32 * CELL, 18 + (word / u64::from(BANKS)) as u32 * CELL);
        match words.get(&word) {
            Some((bin, copy)) => {
                let class = ["wb-svg-on", "wb-svg-warn", "wb-svg-peer", "wb-svg-cell"][*copy as usize % 4];
                svg.cell(x, y, (CELL, CELL), class, &bin.to_string());
            }
            None => svg.cell(x, y, (CELL, CELL), "wb-svg-idle", ""),
        }
    }
    // What one bin costs when every copy's lane goes to it, and what it costs when lanes of one copy go to all bins.
    let banks = |pick: &dyn Fn(u32, u32) -> bool| {
        let mut banks: Vec<u64> = words
            .iter()
            .filter(|(_, (bin, copy))| pick(*bin, *copy))
            .map(|(word, _)| word % u64::from(BANKS))
            .collect();
        banks.sort_unstable();
        banks.dedup();
        banks.len()
    };
    let (of_bin, of_copy) = (banks(&|bin, _| bin == 0), banks(&|_, copy| copy == 0));
    let title = format!("{copies} copies of {bins} bins in 32 banks");
    let plural = |count: usize| format!("{count} bank{}", if count == 1 { "" } else { "s" });
    let described = format!(
        "Word of bin b in copy c: {formula}. The copies of bin 0 lie in {}, the bins of copy 0 in {}.",
        plural(of_bin),
        plural(of_copy)
    );
    let count = if copies == 1 { "One copy".to_owned() } else { format!("{copies} copies") };
    let caption = html! {
        (own) (count) " of " (bins)
        " bins; a column is a bank, the number in a cell is the bin, its look the copy (they repeat after four). Counter at word "
        (code(&formula)) ". The copies of one bin lie in " (plural(of_bin)) ", the bins of one copy in " (plural(of_copy)) "."
    };
    Ok(svg.figure(&title, &described, caption))
}
