//! A record as a picture: one panel per problem, one bar per version, as an SVG that is legible on light and dark
//! backgrounds and says in words what it shows.

use std::fmt::Write as _;

use markup::drawing::{Drawing, Tenths, dot, rect, text};
use markup::{Append, Markup, html};

use super::record::{Record, Row};
use super::view::{self, Block, Line};

/// Width of the versions' names, in the picture's units.
const NAMES: f64 = 250.0;

/// Width of the longest bar.
const BARS: f64 = 440.0;

/// Width of what is written behind the bars.
const BEHIND: f64 = 210.0;

/// Height of a bar with the space around it.
const LINE: f64 = 20.0;

/// Height of a panel's title and axis.
const HEAD: f64 = 66.0;

/// Colours, for light and for dark backgrounds.
const STYLE: &str = "svg{--ground:#ffffff;--ink:#1a1a1a;--faint:#6b6b6b;--ours:#2f6fb0;--peer:#b0702f;--roof:#1a1a1a}\
@media (prefers-color-scheme:dark){svg{--ground:#16181c;--ink:#ececec;--faint:#a0a0a0;--ours:#6aa6e6;--peer:#e0a05f;\
--roof:#ececec}}text{font:13px sans-serif;fill:var(--ink)}.title{font-weight:bold;font-size:15px}\
.faint{fill:var(--faint);font-size:12px}.end{text-anchor:end}.ground{fill:var(--ground)}.ours{fill:var(--ours)}\
.peer{fill:var(--peer)}.dot{fill:none;stroke:var(--ink);stroke-width:1.2}\
.roof{stroke:var(--roof);stroke-width:1.5;stroke-dasharray:5 3}";

/// The picture of whatever `keep` keeps of a record; `None` where nothing of that was timed.
///
/// A problem's panel shows its largest workload, the first of them if there are several, as bars in GB/s. Rings on the
/// lines are the other workloads of that size. The broken line is the driver's copy of as many bytes.
pub fn svg(record: &Record, keep: &dyn Fn(&Row) -> bool) -> Option<String> {
    let blocks = view::blocks(record, keep);
    let mut problems: Vec<&str> = blocks.iter().map(|block| block.problem).collect();
    problems.dedup();
    let panels: Vec<Panel<'_>> = problems.into_iter().filter_map(|problem| Panel::of(problem, &blocks)).collect();
    if panels.is_empty() {
        return None;
    }
    let height: f64 = panels.iter().map(Panel::height).sum();
    let width = NAMES + BARS + BEHIND;
    let words: Vec<String> = panels.iter().map(Panel::words).collect();
    let p = &record.provenance;
    let mut svg = Markup::default();
    let mut top = 0.0;
    for panel in &panels {
        panel.draw(&mut svg, top);
        top += panel.height();
    }
    let drawing = Drawing {
        width,
        height,
        title: format!("Speed of every version on an {}, {}", p.gpu, p.date),
        description: words.join(" "),
        body: svg,
    };
    Some(drawing.file(STYLE))
}

/// One problem.
struct Panel<'a> {
    main: &'a Block<'a>,
    others: Vec<&'a Block<'a>>,
}

impl<'a> Panel<'a> {
    fn of(problem: &str, blocks: &'a [Block<'a>]) -> Option<Self> {
        let timed = |block: &&Block<'_>| block.lines.iter().any(|line| line.gb_per_s.is_some());
        let own: Vec<&Block<'_>> = blocks.iter().filter(|block| block.problem == problem).filter(timed).collect();
        let elements = |block: &Block<'_>| block.lines.first().map_or(0, |line| line.row.elements);
        // Most versions first: a workload with one version is not what a problem is about.
        let of_most = own.iter().map(|block| block.lines.len()).max()?;
        let largest = own.iter().filter(|b| b.lines.len() == of_most).map(|block| elements(block)).max()?;
        let main = *own.iter().find(|block| elements(block) == largest && block.lines.len() == of_most)?;
        let same =
            |block: &&Block<'_>| elements(block) == largest && block.unit == main.unit && block.data != main.data;
        Some(Self { main, others: own.into_iter().filter(same).collect() })
    }

    fn height(&self) -> f64 {
        HEAD + LINE * self.main.lines.len() as f64 + 14.0
    }

    /// GB/s of a copy of as many bytes.
    fn roof(&self) -> Option<f64> {
        self.main.copy.map(|copy| self.main.bytes as f64 / copy.median_ns.max(1) as f64)
    }

    /// What a line has on the other workloads.
    fn elsewhere(&self, line: &Line<'_>) -> impl Iterator<Item = (f64, &'a str)> {
        let version = line.row.version.clone();
        self.others.iter().filter_map(move |block| {
            let found = block.lines.iter().find(|other| other.row.version == version)?;
            Some((found.gb_per_s?, block.data))
        })
    }

    /// The end of the axis: a round number of GB/s beyond everything.
    fn scale(&self) -> f64 {
        let own = self.main.lines.iter().filter_map(|line| line.gb_per_s);
        let elsewhere = self.main.lines.iter().flat_map(|line| self.elsewhere(line).map(|(rate, _)| rate));
        let most = own.chain(elsewhere).chain(self.roof()).fold(1.0, f64::max);
        let step = 10f64.powf(most.log10().floor()) / 2.0;
        (most / step).ceil() * step
    }

    fn draw(&self, svg: &mut Markup, top: f64) {
        let (scale, main) = (self.scale(), self.main);
        let x = |rate: f64| NAMES + BARS * rate / scale;
        svg.add(text("title", 10.0, top + 22.0, main.problem));
        let rings = if self.others.is_empty() { "" } else { "; rings: the same size with other data" };
        let about = format!("{} {}, {}{rings}", main.size, main.unit, main.data);
        svg.add(text("faint", 10.0, top + 40.0, &about));
        svg.add(text("faint", NAMES, top + 58.0, "0"));
        svg.add(text("faint end", NAMES + BARS, top + 58.0, &format!("{scale} GB/s")));
        for (i, line) in main.lines.iter().enumerate() {
            let y = top + HEAD + LINE * i as f64;
            svg.add(text("end", NAMES - 8.0, y + 14.0, &line.row.version));
            let class = if line.row.peer { "peer" } else { "ours" };
            let Some((rate, times)) = line.gb_per_s.zip(line.times()) else {
                svg.add(text("faint", NAMES + 4.0, y + 14.0, &line.why().unwrap_or_default()));
                continue;
            };
            let width = x(rate) - NAMES;
            svg.add(rect(class, NAMES, Tenths(y + 3.0), (Tenths(width), Tenths(LINE - 6.0))));
            for (rate, data) in self.elsewhere(line) {
                svg.add(dot((x(rate), y + LINE / 2.0), 4.0, &format!("{data}: {rate:.0} GB/s")));
            }
            let behind = format!("{rate:.0} GB/s, {}", microseconds(times.median_ns));
            svg.add(text("", NAMES + BARS + 12.0, y + 14.0, &behind));
        }
        if let Some(roof) = self.roof() {
            let (from, to) = (top + HEAD - 4.0, top + self.height() - 12.0);
            let x = Tenths(x(roof));
            svg.add(html! {
                line class="roof" x1=(x) x2=(x) y1=(Tenths(from)) y2=(Tenths(to)) {
                    title { "a copy of as many bytes: " (format_args!("{roof:.0}")) " GB/s" }
                }
                "\n"
            });
        }
    }

    /// What the panel shows, in a sentence.
    fn words(&self) -> String {
        let rate = |line: &&Line<'_>| line.gb_per_s.unwrap_or_default();
        let best = |peer: bool| {
            let lines = self.main.lines.iter().filter(|line| line.row.peer == peer && line.gb_per_s.is_some());
            lines.max_by(|a, b| rate(a).total_cmp(&rate(b)))
        };
        let slowest = self.main.lines.iter().filter(|line| !line.row.peer && line.gb_per_s.is_some());
        let slowest = slowest.min_by(|a, b| rate(a).total_cmp(&rate(b)));
        let mut words = format!("{}, {} {}, {}:", self.main.problem, self.main.size, self.main.unit, self.main.data);
        if let (Some(best), Some(slowest)) = (best(false), slowest) {
            let (version, slow) = (&best.row.version, &slowest.row.version);
            let _ = write!(words, " from {slow} with {:.0} to {version} with {:.0} GB/s;", rate(&slowest), rate(&best));
        }
        if let Some(peer) = best(true) {
            let _ = write!(words, " {} has {:.0} GB/s;", peer.row.version, rate(&peer));
        }
        if let Some(roof) = self.roof() {
            let _ = write!(words, " a copy of as many bytes has {roof:.0} GB/s;");
        }
        words.pop();
        words.push('.');
        words
    }
}

/// A time for reading.
pub fn microseconds(nanoseconds: u64) -> String {
    let us = nanoseconds as f64 / 1e3;
    if us < 100.0 { format!("{us:.1} µs") } else { format!("{us:.0} µs") }
}
