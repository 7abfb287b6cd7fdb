//! `figure lanes kernel=K case="C" [at="code"]`: for every source line, how often each lane of a warp takes part.

use super::caption;
use crate::access::LANES;
use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{Markup, code, html};
use crate::svg::{Svg, ranges};
use crate::value::details;

/// Side of a lane's cell.
const CELL: u32 = 14;

pub(crate) fn lanes(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (kernel, case) = (directive.option("kernel")?, directive.option("case")?);
    let place = directive.maybe("at");
    let own = caption(directive);
    let mut lines = details::lines(context, &kernel, &case, place.as_deref())?;
    lines.retain(|line| !line.lanes.by_count.is_empty());
    // Launches of one kernel come to the same lines.
    let mut strips: Vec<(String, u32, Vec<u64>, u64)> = Vec::new();
    for line in lines {
        let file = line.file.rsplit(['/', '\\']).next().unwrap_or(&line.file).to_owned();
        let (times, _) = line.lanes.totals();
        match strips.iter_mut().find(|(own, number, ..)| *own == file && *number == line.line) {
            Some((_, _, lanes, all)) => {
                lanes.iter_mut().zip(&line.lanes.by_lane).for_each(|(sum, more)| *sum += more);
                *all += times;
            }
            None => strips.push((file, line.line, line.lanes.by_lane.clone(), times)),
        }
    }
    if strips.is_empty() {
        return Err(Reason::Wrong(format!("no line of {kernel} executes anything")));
    }
    let left = 264;
    let mut svg = Svg::new(left + LANES * CELL + 56);
    for lane in (0..LANES).step_by(4) {
        svg.text(left + lane * CELL + CELL / 2, 12, "wb-svg-bank", &lane.to_string());
    }
    let (mut y, mut described) = (18, Vec::new());
    for (file, number, lanes, times) in &strips {
        let source = context.runs.source(file)?;
        let text = source.lines().nth(*number as usize - 1).unwrap_or_default().split("//").next().unwrap_or_default();
        svg.text(0, y + 12, "wb-svg-code", &format!("{number} {}", shorten(text.trim(), 34)));
        for (lane, took) in (0..).zip(lanes) {
            svg.shade(left + lane * CELL, y, (CELL - 1, CELL + 2), *took as f64 / (*times).max(1) as f64);
        }
        let active: u64 = lanes.iter().sum();
        let share = 100.0 * active as f64 / (times * u64::from(LANES)).max(1) as f64;
        svg.text(left + LANES * CELL + 6, y + 12, "wb-svg-beside", &format!("{share:.0} %"));
        let busy: Vec<u32> = (0..).zip(lanes).filter(|(_, took)| **took > 0).map(|(lane, _)| lane).collect();
        described.push(format!("line {number}: lanes {} take part, {share:.0} per cent of all", ranges(&busy)));
        y += CELL + 6;
    }
    let caption = html! {
        (own) (code(&kernel)) ", " (case)
        ": how often each of the 32 lanes takes part in the instructions of a line, from never (empty) to always (full); and the \
         share of lanes that are busy. Simulated for this page."
    };
    Ok(svg.figure(&format!("Busy lanes of {kernel}, line by line"), &(described.join("; ") + "."), caption))
}

/// The text, cut to so many characters.
fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most { text.to_owned() } else { text.chars().take(most - 1).chain(['…']).collect() }
}
