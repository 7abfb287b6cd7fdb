//! `figure sectors …`: which sectors of global memory the lanes of one access touch, and how much of each they need.
//!
//! The access is a formula (`bytes="lane * 8" [width=4]`, several with `;` between and `labels="A; B"`), or the worst one
//! on a line of a kernel (`kernel=K case="C" at="code"`).

use std::collections::BTreeMap;

use super::caption;
use crate::access::{Access, SECTOR, Space, width};
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::escape;
use crate::svg::{Svg, ranges};
use crate::value::details;

/// Side of a word's cell, and words of a sector.
const CELL: u32 = 19;
const WORDS: u64 = SECTOR / 4;
/// Sectors side by side.
const ACROSS: u32 = 4;
/// The most sectors that are drawn.
const MOST: usize = 32;

pub(crate) fn sectors(context: &Context<'_>, directive: &mut Directive) -> Result<String, Reason> {
    let own = caption(directive);
    let accesses = accesses(context, directive)?;
    let mut svg = Svg::new(ACROSS * (WORDS as u32 * CELL + 10));
    let (mut y, mut described, mut sums) = (0, Vec::new(), Vec::new());
    for (label, access, cost) in &accesses {
        // For every sector the words in it, each with its lanes.
        let mut sectors: BTreeMap<u64, BTreeMap<u64, Vec<u32>>> = BTreeMap::new();
        for (lane, address) in (0..).zip(&access.addresses) {
            let Some(address) = address else { continue };
            for part in 0..u64::from(access.width / 4) {
                let byte = address + 4 * part;
                sectors.entry(byte / SECTOR).or_default().entry(byte % SECTOR / 4).or_default().push(lane);
            }
        }
        if sectors.len() as u64 != *cost {
            return Err(Reason::Contradicted(format!(
                "the figure has {} sectors, and the simulator counts {cost}",
                sectors.len()
            )));
        }
        let used: usize = sectors.values().map(BTreeMap::len).sum();
        let moved = sectors.len() as u64 * SECTOR;
        let title = format!("{label}: {cost} sectors, {} of {moved} bytes needed", used * 4);
        svg.text(0, y + 14, "wb-svg-title", &title);
        y += 22;
        let first = sectors.keys().next().copied().unwrap_or(0);
        for (at, (sector, words)) in (0u32..).zip(sectors.iter().take(MOST)) {
            let (x, top) = (at % ACROSS * (WORDS as u32 * CELL + 10), y + at / ACROSS * 40);
            svg.text(x, top + 10, "wb-svg-small", &format!("byte {}", (sector - first) * SECTOR));
            for word in 0..WORDS {
                let lanes = words.get(&word).map(|lanes| short(lanes)).unwrap_or_default();
                let class = if words.contains_key(&word) { "wb-svg-on" } else { "wb-svg-idle" };
                svg.cell(x + word as u32 * CELL, top + 13, (CELL, CELL), class, &lanes);
            }
        }
        let rows = sectors.len().min(MOST).div_ceil(ACROSS as usize) as u32;
        y += rows * 40 + 6;
        if sectors.len() > MOST {
            svg.text(0, y + 10, "wb-svg-beside", &format!("and {} sectors more", sectors.len() - MOST));
            y += 20;
        }
        let of_sector = |(sector, words): (&u64, &BTreeMap<u64, Vec<u32>>)| {
            let mut lanes: Vec<u32> = words.values().flatten().copied().collect();
            lanes.sort_unstable();
            lanes.dedup();
            format!("byte {}: lanes {}", (sector - first) * SECTOR, ranges(&lanes))
        };
        let list: Vec<String> = sectors.iter().map(of_sector).collect();
        described.push(format!("{title}. {}", list.join("; ")));
        sums.push(format!("{}: {cost} sectors", escape(label)));
    }
    let caption = format!(
        "{own}A row of eight cells is a sector of 32 bytes, a cell a word, with the lane that needs it. {}. Simulated for \
         this page.",
        sums.join(". ")
    );
    Ok(svg.figure("Sectors that a warp touches", &(described.join(". ") + "."), &caption))
}

/// Lanes as they fit into a cell.
fn short(lanes: &[u32]) -> String {
    match lanes {
        [lane] => lane.to_string(),
        [first, ..] => format!("{first}+"),
        [] => String::new(),
    }
}

/// The accesses to draw, with their labels and costs.
fn accesses(context: &Context<'_>, directive: &mut Directive) -> Result<Vec<(String, Access, u64)>, Reason> {
    if let Some(formulas) = directive.maybe("bytes") {
        let width = width(directive)?;
        let labels = directive.maybe("labels");
        let formulas: Vec<&str> = formulas.split(';').map(str::trim).collect();
        let labels: Vec<String> = match &labels {
            Some(labels) => labels.split(';').map(|label| label.trim().to_owned()).collect(),
            None => formulas.iter().map(|formula| format!("lane i at byte {}", formula.replace("lane", "i"))).collect(),
        };
        if labels.len() != formulas.len() {
            return Err(Reason::Wrong("there must be one label for every formula".to_owned()));
        }
        let mut accesses = Vec::new();
        for (formula, label) in formulas.iter().zip(labels) {
            let access = Access::of(Space::Global, formula, 1, width)?;
            let cost = context.cost(&access)?;
            accesses.push((label, access, cost));
        }
        return Ok(accesses);
    }
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let place = directive.option("at")?;
    let lines = details::lines(context, &kernel, &case, Some(&place))?;
    let worst = details::worst(&lines, "sectors")
        .ok_or_else(|| Reason::Wrong(format!("`{place}` of {kernel} makes no access to global memory")))?;
    let addresses = worst.worst.addresses.clone();
    let access = Access { space: Space::Global, width: worst.width.max(4), addresses };
    Ok(vec![(format!("{kernel}, {place}"), access, u64::from(worst.worst.cost))])
}
