//! `figure timeline kernel=K case="C" [launch=1] [warps=16]`: what the warps of a multiprocessor do in a predicted launch,
//! as `warpbook sim --timeline` draws it.

use kernels::timing::gantt;

use super::{caption, size};
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, code, html};
use crate::svg::figure;

pub(crate) fn timeline(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let launch = size(directive, "launch", 1, 1, 1000)? as usize;
    let warps = size(directive, "warps", 16, 1, 64)? as usize;
    let own = caption(directive);
    context.check_case(&kernel, &case)?;
    let foretold = context.runs.predicted(&kernel, &case, launch - 1)?;
    let mut timeline = foretold.timeline.clone();
    timeline.lanes.truncate(warps);
    if timeline.lanes.is_empty() {
        return Err(Reason::Wrong(format!("no warp of {kernel} does anything that could be drawn")));
    }
    let drawing = gantt::drawing(&foretold.kernel, Some(&foretold.prediction), &timeline);
    let which = if launch == 1 { String::new() } else { format!(", launch {launch}") };
    let prediction = &foretold.prediction;
    let caption = html! {
        (own) (code(&kernel)) ", " (case) (which) ": a row for each of the first " (timeline.lanes.len())
        " warps of one multiprocessor, from left to right in clocks. Predicted for an H200: "
        (format_args!("{:.1}", prediction.us)) " µs, limited by " (prediction.bound) "."
    };
    Ok(figure(drawing.html(), caption))
}
