//! `figure timeline kernel=K case="C" [launch=1] [warps=16]`: what the warps of a multiprocessor do in a predicted launch,
//! as `warpbook sim --timeline` draws it.

use kernels::timing::gantt;

use super::{caption, size};
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{code, escape};
use crate::svg::{drawn, figure};

pub(crate) fn timeline(context: &Context<'_>, directive: &mut Directive) -> Result<String, Reason> {
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
    let caption = format!(
        "{own}{}, {}{which}: a row for each of the first {} warps of one multiprocessor, from left to right in clocks. Predicted \
         for an H200: {:.1} µs, limited by {}.",
        code(&kernel),
        escape(&case),
        timeline.lanes.len(),
        foretold.prediction.us,
        escape(&foretold.prediction.bound)
    );
    Ok(figure(&drawn(&drawing), &caption))
}
