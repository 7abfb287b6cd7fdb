//! `figure atomics kernel=K case="C" [at="code"]`: how many lanes of a warp meet at one address, and the addresses that
//! most lanes of the launch go to.

use std::collections::BTreeMap;

use super::caption;
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, code, html, number};
use crate::svg::{self, Svg};
use crate::value::details;

/// Width of the longest bar, and where bars begin at least.
const FULL: u64 = 400;
const LEFT: u32 = 150;
/// Height of a bar with its gap.
const ROW: u32 = 20;
/// The most addresses that are shown.
const MOST: usize = 8;

pub(crate) fn atomics(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let place = directive.maybe("at");
    let own = caption(directive);
    let lines = details::lines(context, &kernel, &case, place.as_deref())?;
    let (mut together, mut busiest): (BTreeMap<u32, u64>, BTreeMap<String, u64>) = Default::default();
    let mut any = false;
    for atomics in lines.iter().flat_map(|line| &line.accesses).filter_map(|access| access.atomics.as_ref()) {
        any = true;
        atomics.together.iter().for_each(|(lanes, times)| *together.entry(*lanes).or_default() += times);
        atomics.busiest.iter().for_each(|busy| *busiest.entry(busy.place.clone()).or_default() += busy.lanes);
    }
    if !any {
        return Err(Reason::Wrong(format!("{kernel} has no atomic there")));
    }
    let mut busiest: Vec<(String, u64)> = busiest.into_iter().collect();
    busiest.sort_by_key(|(_, lanes)| std::cmp::Reverse(*lanes));
    busiest.truncate(MOST);
    let lanes = |count: u32| format!("{count} lane{}", if count == 1 { "" } else { "s" });
    let together: Vec<(String, u64)> = together.into_iter().map(|(count, times)| (lanes(count), times)).collect();
    let left = svg::room(busiest.iter().map(|(name, _)| &**name)).max(LEFT);
    let mut svg = Svg::new(left + FULL as u32 + 80);
    let mut y = 0;
    let mut described = Vec::new();
    let mut panel = |title: &str, rows: &[(String, u64)]| {
        svg.text(0, y + 14, "wb-svg-title", title);
        y += ROW + 2;
        let most = rows.iter().map(|(_, value)| *value).max().unwrap_or(1).max(1);
        for (name, value) in rows {
            svg.text(left - 8, y + 13, "wb-svg-name", name);
            svg.rect(left, y + 2, (((value * FULL) / most).max(1) as u32, ROW - 6), "wb-svg-warn");
            svg.text(left + (value * FULL / most) as u32 + 6, y + 13, "wb-svg-beside", &number(*value));
            y += ROW;
        }
        y += 8;
        let list: Vec<String> = rows.iter().map(|(name, value)| format!("{name}: {}", number(*value))).collect();
        described.push(format!("{title}: {}", list.join(", ")));
    };
    panel("Lanes of one warp that meet at one address, and how often", &together);
    panel("The busiest addresses, and the lanes that go there", &busiest);
    let caption = html! { (own) "Atomics of " (code(&kernel)) ", " (case) ". Simulated for this page." };
    Ok(svg.figure(&format!("Where the atomics of {kernel} meet"), &(described.join(". ") + "."), caption))
}
