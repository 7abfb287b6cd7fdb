//! `ladder`: how fast the versions of a problem are on a recorded GPU, beside a copy of the same bytes and the algorithms
//! of others.

use kernels::bench::view::Line;

use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{self, Append, Markup, Table, breakable, code, html, row, sentence, texts};
use crate::svg::{self, Svg};
use crate::value::{line, workload};

/// Where the bars begin at least, and the room from there to the right.
const LEFT: u32 = 190;
const WIDTH: u32 = 470;
/// Width of a bar of 100 %.
const FULL: f64 = 400.0;
/// Height of a bar with its gap.
const ROW: u32 = 22;

/// A number with a digit after the point where it is small.
pub(crate) fn large(value: f64) -> String {
    if value < 1_000.0 { format!("{value:.1}") } else { html::number(value.round() as u64) }
}

/// A size such as `2^28+7` with its power raised.
pub(crate) fn power(size: &str) -> Markup {
    match size.split_once('^') {
        Some((base, rest)) => {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            html! { (base) sup { (rest[..digits]) } (rest[digits..]) }
        }
        None => html! { (size) },
    }
}

/// `ladder problem=P size="2^28" [data="D"] [versions="A B"] [peer=no]`.
pub(crate) fn ladder(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (problem, size) = (directive.option("problem")?, directive.option("size")?);
    let data = directive.maybe("data");
    let versions = directive.maybe("versions");
    let peer = match directive.maybe("peer").as_deref() {
        None | Some("yes") => true,
        Some("no") => false,
        Some(other) => {
            return Err(Reason::Wrong(format!("`peer={other}` is neither `peer=yes` nor `peer=no`")));
        }
    };
    let first = versions.as_deref().and_then(|versions| versions.split_whitespace().next());
    let block = workload(context, Some(&problem), first, &size, data.as_deref())?;
    let mut lines: Vec<&Line<'_>> = match &versions {
        Some(versions) => versions.split_whitespace().map(|version| line(&block, version)).collect::<Result<_, _>>()?,
        None => block.lines.iter().filter(|line| !line.row.peer).collect(),
    };
    if peer {
        let named = |line: &Line<'_>| lines.iter().any(|own| own.row.version == line.row.version);
        let peers: Vec<&Line<'_>> = block.lines.iter().filter(|line| line.row.peer && !named(line)).collect();
        lines.extend(peers);
    }
    let record = context.runs.bench().map_err(Reason::Wrong)?;
    let gpu = record.provenance.gpu.trim_start_matches("NVIDIA ");
    let workload = format!("{} {}, {}", block.size, block.unit, block.data);
    let heads = ["version", "µs", "GB/s", "% of copy", "× least", "× peer"];
    let peers = lines.iter().any(|line| line.row.peer);
    let columns = if peers { 6 } else { 5 };
    let mut table = Table { text_columns: 1, ..Table::default() };
    table.heads = texts(&heads[..columns]);
    let left = svg::room(lines.iter().map(|line| &*line.row.version)).max(LEFT);
    let (mut svg, mut described) = (Svg::new(left + WIDTH), Vec::new());
    let mut y = 4;
    let mut reasons = Markup::default();
    for line in &lines {
        let version = &line.row.version;
        let name = breakable(version);
        let number = |value: Option<f64>, digits| value.map_or_else(|| "–".to_owned(), |v| format!("{v:.digits$}"));
        match line.times() {
            Some(times) => {
                let speed = line.gb_per_s.map_or_else(|| "–".to_owned(), large);
                let micro = large(times.median_ns as f64 / 1e3);
                let share = number(line.percent_of_copy, 1);
                let mut cells = row![name, micro, speed, share, number(line.over_least, 2), number(line.over_peer, 2)];
                cells.truncate(columns);
                table.rows.push(cells);
                let percent = line.percent_of_copy.unwrap_or(0.0);
                let class = if line.row.peer { "wb-svg-peer" } else { "wb-svg-bar" };
                let width = ((percent.min(115.0) * FULL / 100.0).round() as u32).max(1);
                svg.text(left - 8, y + 14, "wb-svg-name", version);
                svg.rect(left, y + 2, (width, ROW - 6), class);
                let (x, place) =
                    if width > 330 { (left + width - 6, "wb-svg-inside") } else { (left + width + 6, "wb-svg-beside") };
                svg.text(x, y + 14, place, &format!("{micro} µs, {speed} GB/s"));
                described.push(format!("{version}: {micro} µs, {speed} GB/s, {share} per cent of a copy"));
            }
            None => {
                let why = line.why().unwrap_or_default();
                reasons.add(html! { br; (code(version)) ": " (sentence(&why)) });
                let mut cells = row![html! { (name) br; small { (sentence(&why)) } }];
                cells.extend(texts(vec!["–"; columns - 1]));
                table.rows.push(cells);
                svg.text(left - 8, y + 14, "wb-svg-name", version);
                svg.text(left + 6, y + 14, "wb-svg-beside", "not timed");
                described.push(format!("{version}: {why}"));
            }
        }
        y += ROW;
    }
    let roof = left + FULL as u32;
    svg.line((left, 0), (left, y), "wb-svg-base");
    svg.line((roof, 0), (roof, y), "wb-svg-roof");
    svg.text(roof, y + 14, "wb-svg-lane", "a copy of as many bytes");
    let caption = html! {
        (code(&problem)) ", " (power(block.size)) " " (block.unit) ", " (block.data)
        ": speed as a share of that of a copy. Measured on an " (gpu) " on " (record.provenance.date) "." (reasons)
    };
    table.caption = html! {
        "Median time, " (html::number(block.bytes)) " bytes (every input and output once) per second, and the share of the speed at \
         which the driver copies as many bytes. “× least”: time as a multiple of the least that any kernel needs, that of an empty launch \
         and of these bytes at the highest rate of memory. “× peer”: time as a multiple of that of the library's algorithm."
    };
    let title = format!("Speed of {problem} for {workload}");
    // One form for one number: the chart has times and speeds, so the table is for who wants all of them.
    Ok(html! {
        (svg.figure(&title, &format!("{}.", described.join("; ")), caption))
        (html::numbers("The same as a table, with shares of a copy", table.html()))
    })
}
