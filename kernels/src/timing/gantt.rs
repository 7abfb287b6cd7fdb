//! What the warps of one multiprocessor do in a predicted launch, as an SVG: a row per warp, a colour per state. Legible
//! on light and dark backgrounds; says in words what it shows.

use markup::drawing::{Drawing, Hundredths, Tenths, line, rect, text};
use markup::{Append, Markup};
use sim::Prediction;
use sim::predict::timeline::{State, Timeline};

/// Width of the bars.
const BARS: f64 = 820.0;
/// Width of the names.
const NAMES: f64 = 110.0;
/// Height of a row.
const ROW: f64 = 11.0;
/// Height above the rows.
const HEAD: f64 = 78.0;
/// Height below them.
const FOOT: f64 = 34.0;
/// States in a line of the legend.
const LEGEND: usize = 4;
/// Narrowest bar that is drawn.
const NARROWEST: f64 = 0.35;

/// Colours, for light and for dark backgrounds: blue works, the others wait. Hatching does not depend on colour.
const STYLE: &str = "svg{--ground:#ffffff;--ink:#1a1a1a;--faint:#6b6b6b;--issue:#1f5fa8;--arithmetic:#8fb8de;\
--shared:#4f9d69;--memory:#d9822b;--busy:#b9a3d0;--barrier:#b03a48;--fence:#6b6b6b}\
@media (prefers-color-scheme:dark){svg{--ground:#16181c;--ink:#ececec;--faint:#a0a0a0;--issue:#7db4f0;\
--arithmetic:#3f5f80;--shared:#6fc18c;--memory:#e69a4c;--busy:#6f5c8a;--barrier:#e0707c;--fence:#8a8a8a}}\
text{font:12px sans-serif;fill:var(--ink)}.title{font-weight:bold;font-size:15px}.faint{fill:var(--faint)}\
.end{text-anchor:end}.ground{fill:var(--ground)}.s0{fill:var(--issue)}.s1{fill:var(--arithmetic)}\
.s2{fill:var(--shared)}.s3{fill:var(--memory)}.s4{fill:var(--busy)}.s5{fill:var(--barrier)}.s6{fill:var(--fence)}\
.line{stroke:var(--faint);stroke-width:.5}";

/// The picture of a timeline as a file.
pub fn svg(kernel: &str, prediction: Option<&Prediction>, timeline: &Timeline) -> String {
    drawing(kernel, prediction, timeline).file(STYLE)
}

/// The picture of a timeline. Its classes are `title`, `faint`, `end`, `line`, and `s0` to `s6` for the states in the order
/// of [`State::ALL`].
pub fn drawing(kernel: &str, prediction: Option<&Prediction>, timeline: &Timeline) -> Drawing {
    let end = timeline.lanes.iter().filter_map(|lane| lane.spans.last()).map(|span| span.1).fold(1.0, f64::max);
    let start = timeline.lanes.iter().filter_map(|lane| lane.spans.first()).map(|span| span.0).fold(end, f64::min);
    let height = HEAD + ROW * timeline.lanes.len() as f64 + FOOT;
    let width = NAMES + BARS + 20.0;
    let x = |clock: f64| NAMES + (clock - start) / (end - start).max(1.0) * BARS;
    let mut svg = Markup::default();
    svg.add(text("title", 10.0, 22.0, &format!("{kernel}: the first warps of a multiprocessor, predicted")));
    // Two lines of words: one would be wider than the bars.
    for (number, state) in State::ALL.iter().enumerate() {
        let (row, column) = (number / LEGEND, number % LEGEND);
        let (left, top) = (10.0 + column as f64 * (width - 20.0) / LEGEND as f64, 34.0 + row as f64 * 18.0);
        svg.add(rect(&format!("s{number}"), Tenths(left), Tenths(top), (12, 12)));
        svg.add(text("", left + 16.0, top + 10.0, state.name()));
    }
    let mut block = usize::MAX;
    for (row, lane) in timeline.lanes.iter().enumerate() {
        let top = HEAD + ROW * row as f64;
        if lane.block != block {
            block = lane.block;
            svg.add(text("end faint", NAMES - 8.0, top + 9.0, &format!("block {}", block + 1)));
            svg.add(line("line", (10, Tenths(top)), (NAMES + BARS, Tenths(top))));
        }
        for &(from, to, state) in merged(&lane.spans, NARROWEST * (end - start) / BARS).iter() {
            let (left, wide) = (x(from), x(to) - x(from));
            let size = (Hundredths(wide), Tenths(ROW - 2.0));
            svg.add(rect(&format!("s{}", state as usize), Hundredths(left), Tenths(top + 1.0), size));
        }
    }
    let foot = height - 14.0;
    svg.add(text("faint", NAMES, foot, &format!("clock {start:.0}")));
    svg.add(text("faint end", NAMES + BARS, foot, &format!("clock {end:.0}")));
    Drawing {
        width,
        height,
        title: format!("What warps do in {kernel}"),
        description: words(kernel, prediction, timeline, end - start),
        body: svg,
    }
}

/// Spans that are too narrow to be seen become part of what is longest around them.
fn merged(spans: &[(f64, f64, State)], narrowest: f64) -> Vec<(f64, f64, State)> {
    let mut list: Vec<(f64, f64, State)> = Vec::new();
    let mut at = 0;
    while at < spans.len() {
        let (from, mut to) = (spans[at].0, spans[at].0);
        let mut within = [0.0; State::ALL.len()];
        while at < spans.len() && to - from < narrowest {
            within[spans[at].2 as usize] += spans[at].1 - spans[at].0;
            to = spans[at].1;
            at += 1;
        }
        let most = State::ALL.into_iter().max_by(|a, b| within[*a as usize].total_cmp(&within[*b as usize]));
        let state = most.unwrap_or_default();
        match list.last_mut() {
            Some(last) if last.2 == state && from - last.1 < narrowest => last.1 = to,
            _ => list.push((from, to, state)),
        }
    }
    list
}

fn words(kernel: &str, prediction: Option<&Prediction>, timeline: &Timeline, clocks: f64) -> String {
    let mut totals = [0.0; State::ALL.len()];
    timeline.lanes.iter().flat_map(|lane| &lane.spans).for_each(|span| totals[span.2 as usize] += span.1 - span.0);
    let all: f64 = totals.iter().sum::<f64>().max(1.0);
    let parts: Vec<String> = (State::ALL.iter())
        .filter(|state| totals[**state as usize] / all >= 0.01)
        .map(|state| format!("{} {:.0} %", state.name(), totals[*state as usize] / all * 100.0))
        .collect();
    let bound =
        prediction.map_or(String::new(), |p| format!(" The launch takes {:.1} µs, limited by {}.", p.us, p.bound));
    format!(
        "{} warps of {kernel} on one multiprocessor during {clocks:.0} clocks. Of its time, a warp {}.{bound}",
        timeline.lanes.len(),
        parts.join(", ")
    )
}
