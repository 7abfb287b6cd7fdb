//! `figure roofline problem=P size="2^24" data="…" [versions="A B"]`: the versions of a problem below the roofs of the
//! GPU, from the committed predictions, as `warpbook sim --roofline` draws one launch.

use kernels::timing::{self, Row, roofline};
use sim::Prediction;
use sim::predict::Roofline;
use sim::predict::rates::Rates;

use super::caption;
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, html};
use crate::svg::figure;

/// The GPU of the predictions.
const TARGET: &str = sim::target::DEFAULT;

pub(crate) fn roofline(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (problem, size, data) = (directive.option("problem")?, directive.option("size")?, directive.option("data")?);
    let versions = directive.maybe("versions");
    let own = caption(directive);
    let rows = timing::recorded().map_err(Reason::Wrong)?.rows;
    let of_workload = |row: &&Row| row.problem == problem && row.size == size && (row.data == data || row.unit == data);
    let mut chosen: Vec<&Row> = rows.iter().filter(of_workload).collect();
    if chosen.is_empty() {
        let mut known: Vec<String> =
            rows.iter().map(|row| format!("{} {} {}", row.problem, row.size, row.data)).collect();
        known.dedup();
        return Err(Reason::Wrong(format!(
            "nothing is predicted of {problem} for size {size} and data {data}; there are {}",
            known.join("; ")
        )));
    }
    if let Some(versions) = versions {
        let names: Vec<&str> = versions.split_whitespace().collect();
        if let Some(missing) = names.iter().find(|name| !chosen.iter().any(|row| row.version == **name)) {
            let known: Vec<&str> = chosen.iter().map(|row| &*row.version).collect();
            return Err(Reason::Wrong(format!("{missing} is not predicted there; there are {}", known.join(", "))));
        }
        chosen.retain(|row| names.contains(&&*row.version));
    }
    let target = sim::target::find(TARGET).ok_or_else(|| format!("there is no target {TARGET}"))?;
    let (rates, _) = Rates::of(target);
    let predictions: Vec<(String, Prediction)> =
        chosen.iter().map(|row| (row.version.clone(), of(row, &rates))).collect();
    let shown: Vec<(String, &Prediction)> = predictions.iter().map(|(name, p)| (name.clone(), p)).collect();
    let first = chosen[0];
    let caption = html! {
        (own) (problem) ", " (first.workload())
        ". All launches of a version are one point: further to the right it computes more for each byte that it moves, further up \
         it does so faster. The line is what memory (sloped) and the issue of instructions (flat) allow. Predicted for an H200; \
         the times behind it are compared with measured ones in "
        a href={ (context.to_root) "time.html" } { "How long it takes" } "."
    };
    Ok(figure(roofline::drawing(&shown).html(), caption))
}

/// All launches of a version as one.
fn of(row: &Row, rates: &Rates) -> Prediction {
    let sum = |value: fn(&timing::Launched) -> u64| {
        row.launches.iter().map(|launch| (value(launch) * u64::from(launch.times)) as f64).sum::<f64>()
    };
    let roofline = Roofline::at(sum(|l| l.instructions), sum(|l| l.dram_bytes), row.predicted_us, rates);
    Prediction { us: row.predicted_us, bound: row.bound.clone(), roofline, ..Prediction::default() }
}
