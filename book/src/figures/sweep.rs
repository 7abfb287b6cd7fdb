//! `figure sweep tile=N paddings="none 32"`: what the worst access of a warp costs in every round of the two sweeps of a
//! scan's tree, for several ways to pad the array.

use super::banks::{Round, paddings, tile};
use super::caption;
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::Markup;
use crate::svg::Svg;

/// Height of the chart, and the height of a cost of 1.
const HEIGHT: u32 = 170;

pub(crate) fn sweep(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (tile, paddings) = (tile(directive)?, paddings(directive)?);
    let own = caption(directive);
    // The down-sweep makes the same accesses as the up-sweep, in the opposite order.
    let up: Vec<Round> = Round::all(tile).collect();
    let rounds: Vec<(String, Round)> = (1..)
        .zip(&up)
        .map(|(at, round)| (format!("up {at}"), *round))
        .chain((1..).zip(up.iter().rev()).map(|(at, round)| (format!("down {at}"), *round)))
        .collect();
    let mut costs = Vec::new();
    for (_, round) in &rounds {
        let mut of_round = Vec::new();
        for &padding in &paddings {
            let mut worst = 0;
            for warp in round.warps() {
                let left: Vec<u32> = warp.clone().map(|t| round.left(t, padding)).collect();
                let right: Vec<u32> = warp.map(|t| round.right(t, padding)).collect();
                worst = worst.max(context.runs.wavefronts(&left)?).max(context.runs.wavefronts(&right)?);
            }
            of_round.push(worst);
        }
        costs.push(of_round);
    }
    let most = costs.iter().flatten().max().copied().unwrap_or(1).max(1);
    let bar = (560 / (rounds.len() * paddings.len() + rounds.len()) as u32).clamp(6, 22);
    let group = bar * (paddings.len() as u32 + 1);
    let mut svg = Svg::new((group * rounds.len() as u32 + 20).max(320));
    let top = 20 * paddings.len() as u32 + 22;
    let classes = ["wb-svg-warn", "wb-svg-on", "wb-svg-idle", "wb-svg-peer"];
    for (at, padding) in paddings.iter().enumerate() {
        svg.rect(4, 4 + 20 * at as u32, (14, 14), classes[at % 4]);
        svg.text(26, 16 + 20 * at as u32, "wb-svg-beside", &padding.name());
    }
    let base = top + HEIGHT;
    let mut described = Vec::new();
    for (at, ((name, round), of_round)) in rounds.iter().zip(&costs).enumerate() {
        let left = 8 + at as u32 * group;
        for (which, cost) in of_round.iter().enumerate() {
            let height = ((cost * u64::from(HEIGHT)) as f64 / most as f64).round() as u32;
            let x = left + which as u32 * bar;
            svg.rect(x, base - height, (bar - 2, height.max(1)), classes[which % 4]);
            svg.text(x + bar / 2 - 1, base - height - 4, "wb-svg-lane", &cost.to_string());
        }
        let (sweep, number) = name.split_once(' ').unwrap_or((name, ""));
        svg.text(left + group / 2 - bar / 2, base + 14, "wb-svg-bank", number);
        if number == "1" {
            svg.text(left, base + 30, "wb-svg-beside", &format!("{sweep}-sweep, round"));
        }
        let list: Vec<String> = of_round.iter().map(u64::to_string).collect();
        described.push(format!("{name} ({} threads): {}", round.active, list.join(" and ")));
    }
    svg.line((0, base), (group * rounds.len() as u32 + 10, base), "wb-svg-base");
    let title = format!("Cost of the worst access in every round, tile of {tile}");
    let caption = format!(
        "{own}The tree over {tile} elements: wavefronts of the worst access of a warp in every round. Simulated for this \
         page, access by access."
    );
    Ok(svg.figure(&title, &(described.join("; ") + "."), caption))
}
