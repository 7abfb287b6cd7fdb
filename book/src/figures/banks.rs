//! Figures of shared memory banks: which lane needs which bank, in one round of the scan's tree.
//!
//! Lanes' words come from the kernel's index arithmetic. What they cost is asked of the simulator, access by access, and
//! the accesses of all rounds must add up to what a run of the kernel spends on the line that makes them.

use super::caption;
use draw::banks::{Panel, figure as draw};

use crate::access::{Access, LANES, Space, width};
use crate::context::{Context, recorded};
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, Table, breakable, code, html, number, row, texts};
use crate::quantity::Quantity;
use crate::value::details;

/// The statement of the tree that a round executes: it reads both words and writes the right one.
const STATEMENT: &str = "temp[right] += temp[left];";

/// How many words of padding lie before a word: none, or one after every N and one more after every N * N.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Padding(Option<u32>);

impl Padding {
    fn read(text: &str) -> Result<Self, String> {
        match text.parse() {
            _ if text == "none" => Ok(Self(None)),
            Ok(every) if every > 0 => Ok(Self(Some(every))),
            _ => Err(format!("`{text}` is no padding; write `none`, or a number of words")),
        }
    }

    fn apply(self, word: u32) -> u32 {
        word + self.0.map_or(0, |every| word / every + word / (every * every))
    }

    pub(super) fn name(self) -> String {
        match self.0 {
            None => "Without padding".to_owned(),
            Some(every) => format!("One word of padding after every {every}"),
        }
    }
}

/// One round of the up-sweep over a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round {
    /// Distance from a left word to its right one.
    offset: u32,
    /// Threads that take part.
    pub(super) active: u32,
}

impl Round {
    /// The rounds of a tile, from the leaves to the root.
    pub(super) fn all(tile: u32) -> impl Iterator<Item = Self> {
        (0..tile.ilog2()).map(move |level| Self { offset: 1 << level, active: tile >> (level + 1) })
    }

    pub(super) fn left(self, t: u32, padding: Padding) -> u32 {
        padding.apply(self.offset * (2 * t + 1) - 1)
    }

    pub(super) fn right(self, t: u32, padding: Padding) -> u32 {
        padding.apply(self.offset * (2 * t + 2) - 1)
    }

    /// The threads of every warp that takes part.
    pub(super) fn warps(self) -> impl Iterator<Item = std::ops::Range<u32>> {
        (0..self.active.div_ceil(LANES)).map(move |w| w * LANES..self.active.min((w + 1) * LANES))
    }
}

/// The option `tile=…`: elements of the tree.
pub(super) fn tile(directive: &mut Directive) -> Result<u32, String> {
    let text = directive.option("tile")?;
    let tile = text.parse().ok().filter(|tile: &u32| tile.is_power_of_two() && (2..=1 << 16).contains(tile));
    tile.ok_or_else(|| format!("`tile={text}` is no tile; a tile is 2, 4, 8, … elements"))
}

/// The option `paddings=…`.
pub(super) fn paddings(directive: &mut Directive) -> Result<Vec<Padding>, String> {
    directive.option("paddings")?.split_whitespace().map(Padding::read).collect()
}

/// `bank-map tile=N round=R paddings="none 32"`: the right words of the first warp in a round, bank by bank.
pub(crate) fn bank_map(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (tile, paddings) = (tile(directive)?, paddings(directive)?);
    let which = directive.option("round")?;
    let chosen = which.parse::<usize>().ok().and_then(|r| r.checked_sub(1)).and_then(|r| Round::all(tile).nth(r));
    let round = chosen.ok_or_else(|| format!("a tile of {tile} has no round {which}; rounds count from 1"))?;
    let mut panels = Vec::new();
    for padding in paddings {
        let mut addresses: Vec<Option<u64>> =
            (0..round.active.min(LANES)).map(|t| Some(4 * u64::from(round.right(t, padding)))).collect();
        addresses.resize(LANES as usize, None);
        let access = Access { space: Space::Shared, width: 4, addresses };
        let cost = context.cost(&access)?;
        panels.push(Panel::new(&padding.name(), &access, cost).map_err(Reason::Contradicted)?);
    }
    let lead = html! {
        "Round " (which) " of the up-sweep over " (tile) " elements: the banks that the lanes of the first warp need for "
        (code("temp[right]")) ". "
    };
    Ok(draw(&panels, lead))
}

/// `figure banks`: accesses given as formulas (`words="lane * 2; lane * 2 + floor(lane / 16)" labels="A; B"`), or the worst
/// access of kernels on a line (`kernels="A B" case="C" at="code"`), bank by bank.
pub(crate) fn figure(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let own = caption(directive);
    let mut panels = Vec::new();
    if let Some(formulas) = directive.maybe("words") {
        let width = width(directive)?;
        let formulas: Vec<&str> = formulas.split(';').map(str::trim).collect();
        let labels: Vec<String> = match directive.maybe("labels") {
            Some(labels) => labels.split(';').map(|label| label.trim().to_owned()).collect(),
            None => formulas.iter().map(|formula| format!("Lane i at word {}", formula.replace("lane", "i"))).collect(),
        };
        if labels.len() != formulas.len() {
            return Err(Reason::Wrong("there must be one label for every formula".to_owned()));
        }
        for (formula, label) in formulas.iter().zip(&labels) {
            let access = Access::of(Space::Shared, formula, 4, width)?;
            let cost = context.cost(&access)?;
            panels.push(Panel::new(label, &access, cost).map_err(Reason::Contradicted)?);
        }
    } else {
        let (kernels, case) = (directive.option("kernels")?, directive.option("case")?);
        let place = directive.option("at")?;
        for kernel in kernels.split_whitespace() {
            let lines = details::lines(context, kernel, &case, Some(&place))?;
            let worst = details::worst(&lines, "wavefronts");
            let worst = worst.ok_or_else(|| format!("`{place}` of {kernel} makes no access to shared memory"))?;
            let access =
                Access { space: Space::Shared, width: worst.width.max(4), addresses: worst.worst.addresses.clone() };
            panels.push(Panel::new(kernel, &access, worst.worst.cost.into()).map_err(Reason::Contradicted)?);
        }
        let lead = html! { (own) "The worst access of " (code(&place)) ", " (case) ". " };
        return Ok(draw(&panels, lead));
    }
    Ok(draw(&panels, own))
}

/// `rounds kernels="A B" paddings="none 32" tile=N case="C"`: round by round of the up-sweep, the worst access and the
/// wavefronts of the tree's statement, for kernels that differ in their padding. The case must be one tile.
pub(crate) fn rounds(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (tile, paddings) = (tile(directive)?, paddings(directive)?);
    let kernels = directive.option("kernels")?;
    let kernels: Vec<&str> = kernels.split_whitespace().collect();
    let case = directive.option("case")?;
    let recorded = recorded(directive)?;
    if kernels.len() != paddings.len() {
        return Err(Reason::Wrong("`rounds` needs one padding for every kernel".to_owned()));
    }
    let wavefronts = Quantity::find("shared wavefronts", context.runs)?;
    let mut totals = vec![0; kernels.len()];
    let mut table = Table { text_columns: 1, ..Table::default() };
    table.heads = texts(["round", "threads", "words apart"]);
    for kernel in &kernels {
        table.heads.extend(row![html! { (breakable(kernel)) ": worst access" }, "wavefronts"]);
    }
    for (at, round) in Round::all(tile).enumerate() {
        let mut cells = row![at + 1, number(round.active.into()), number((2 * round.offset).into())];
        for (&padding, total) in paddings.iter().zip(&mut totals) {
            let (mut worst, mut sum) = (0, 0);
            for warp in round.warps() {
                let left: Vec<u32> = warp.clone().map(|t| round.left(t, padding)).collect();
                let right: Vec<u32> = warp.map(|t| round.right(t, padding)).collect();
                let (left, right) = (context.runs.wavefronts(&left)?, context.runs.wavefronts(&right)?);
                worst = worst.max(left).max(right);
                sum += left + 2 * right;
            }
            *total += sum;
            cells.extend(row![number(worst), number(sum)]);
        }
        table.rows.push(cells);
    }
    for (kernel, total) in kernels.iter().zip(&totals) {
        let run = context.run(kernel, &case)?;
        wavefronts.agreed(&run, recorded)?;
        let is_tree = |file: &str, line: u32| -> Result<bool, String> {
            let text = context.runs.source(file)?;
            Ok(text.lines().nth(line as usize - 1).is_some_and(|text| text.trim() == STATEMENT))
        };
        let mut spent = 0;
        for line in &run.report.lines {
            if is_tree(&line.file, line.line)? {
                let loads_and_stores =
                    line.metrics.iter().filter(|(name, _)| name.contains("wavefronts_mem_shared_op_"));
                spent += loads_and_stores.map(|(_, value)| value).sum::<u64>();
            }
        }
        if spent != *total {
            return Err(Reason::Contradicted(format!(
                "the rounds of {kernel} add up to {total} wavefronts, and its run spends {spent} on `{STATEMENT}`"
            )));
        }
    }
    let mut total = row!["all", "", ""];
    total.extend(totals.into_iter().flat_map(|total| row!["", number(total)]));
    table.total = Some(total);
    table.caption = html! {
        "The up-sweep round by round, " (case) ": wavefronts of " (code(STATEMENT))
        ", which reads two words and writes one. Simulated for this page, access by access; the sums are those of the kernels' runs."
    };
    Ok(table.html())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rounds_of_a_tile_halve_the_threads_and_double_the_distance() {
        let rounds: Vec<(u32, u32)> = Round::all(8).map(|round| (round.offset, round.active)).collect();
        assert_eq!(rounds, [(1, 4), (2, 2), (4, 1)]);
        let none = Padding(None);
        let first = Round::all(8).next().unwrap();
        assert_eq!((first.left(3, none), first.right(3, none)), (6, 7));
        let warps: Vec<_> = Round { offset: 1, active: 40 }.warps().collect();
        assert_eq!(warps, [0..32, 32..40]);
    }

    #[test]
    fn padding_follows_the_kernels_formula() {
        let padding = Padding::read("32").unwrap();
        for word in [0, 31, 32, 1023, 1024, 2047] {
            assert_eq!(padding.apply(word), word + (word >> 5) + (word >> 10));
        }
        assert_eq!(Padding::read("none").unwrap().apply(77), 77);
        assert!(Padding::read("0").is_err() && Padding::read("some").is_err());
    }
}
