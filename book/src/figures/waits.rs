//! `figure waits kernels="A B" case="C"`: what the warps of a block have to do before its barriers, and how long they wait
//! there.

use super::caption;
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, number};
use crate::svg::Svg;
use crate::value::details;

/// Where bars begin, and the width of the longest.
const LEFT: u32 = 150;
const FULL: u64 = 380;
/// Height of a bar with its gap.
const ROW: u32 = 22;

pub(crate) fn waits(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernels, case) = (directive.option("kernels")?, directive.option("case")?);
    let own = caption(directive);
    let mut bars = Vec::new();
    for kernel in kernels.split_whitespace() {
        let lines = details::lines(context, kernel, &case, None)?;
        let barriers: Vec<_> = lines.iter().flat_map(|line| &line.barriers).collect();
        if barriers.is_empty() {
            return Err(Reason::Wrong(format!("{kernel} has no barrier")));
        }
        let warps: u64 = barriers.iter().map(|barrier| barrier.warps).sum();
        let steps: u64 = barriers.iter().map(|barrier| barrier.steps).sum();
        let most = barriers.iter().map(|barrier| barrier.most).max().unwrap_or(0);
        let mut last: Vec<u32> = barriers.iter().flat_map(|barrier| barrier.last.keys().copied()).collect();
        last.sort_unstable();
        last.dedup();
        bars.push((kernel, warps, steps, most, last));
    }
    let longest = bars.iter().map(|(_, _, steps, ..)| *steps).max().unwrap_or(0).max(1);
    let mut svg = Svg::new(LEFT + FULL as u32 + 130);
    let (mut y, mut described) = (0, Vec::new());
    for (kernel, warps, steps, most, last) in &bars {
        let width = ((steps * FULL / longest) as u32).max(1);
        svg.text(LEFT - 8, y + 15, "wb-svg-name", kernel);
        svg.rect(LEFT, y + 2, (width, ROW - 6), "wb-svg-warn");
        svg.text(LEFT + width + 6, y + 15, "wb-svg-beside", &format!("{} steps", number(*steps)));
        y += ROW;
        let list: Vec<String> = last.iter().map(u32::to_string).collect();
        let sentence = format!(
            "{kernel}: {warps} arrivals of warps wait {} steps together, the longest {most}; last came warp {}",
            number(*steps),
            list.join(" or ")
        );
        svg.text(LEFT, y + 12, "wb-svg-small", &sentence);
        described.push(sentence);
        y += ROW;
    }
    let caption = format!(
        "{own}Waiting at barriers, {}. A step is one instruction of one warp in the simulator’s own order: this shows who \
         waits for whom, not for how long on a GPU.",
        case
    );
    Ok(svg.figure("Steps that warps wait at barriers", &(described.join(". ") + "."), caption))
}
