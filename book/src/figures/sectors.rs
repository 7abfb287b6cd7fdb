//! `figure sectors …`: which sectors of global memory the lanes of one access touch, and how much of each they need.
//!
//! The access is a formula (`bytes="lane * 8" [width=4]`, several with `;` between and `labels="A; B"`), or the worst one
//! on a line of a kernel (`kernel=K case="C" at="code"`).

use draw::sectors::Panel;

use super::caption;
use crate::access::{Access, Space, width};
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::Markup;
use crate::value::details;

pub(crate) fn sectors(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let own = caption(directive);
    let accesses = accesses(context, directive)?;
    let panels = accesses.iter().map(|(label, access, cost)| Panel::new(label, access, *cost));
    let panels: Vec<Panel> = panels.collect::<Result<_, _>>().map_err(Reason::Contradicted)?;
    Ok(draw::sectors::figure(&panels, own))
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
