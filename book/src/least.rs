//! `least`: how far the versions of a problem are from what any kernel must do: sectors, additions of floats and time, beside
//! wavefronts of shared memory without conflicts, and barriers.

use std::rc::Rc;

use kernels::bench::view::{self, Block, Line};
use kernels::least::{Least, SECTORS};

use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::html::{self, Markup, Table, breakable, code, html, joined, row, text, texts};
use crate::ladder::{large, power};
use crate::quantity::Quantity;
use crate::runs::Run;
use crate::tables::Notes;
use crate::value::workload;

/// What stands where there is no number.
const NONE: &str = "–";

/// A version with what was counted of it and how long it took.
struct Version<'a> {
    line: Line<'a>,
    case: String,
    run: Rc<Run>,
    least: Least,
}

/// `least problem=P size="2^28" data="D; E" cases="C; D" [versions="A B"]`. A version's counters are those of the first case that
/// it has, and its time is that of the workload.
pub(crate) fn least(context: &Context<'_>, directive: &mut Directive) -> Result<Markup, Reason> {
    let (problem, size) = (directive.option("problem")?, directive.option("size")?);
    let (data, cases) = (directive.option("data")?, directive.option("cases")?);
    let only = directive.maybe("versions");
    let cases: Vec<&str> = parts(&cases);
    let blocks = parts(&data).into_iter().map(|data| workload(context, Some(&problem), None, &size, Some(data)));
    let blocks = blocks.collect::<Result<Vec<Block<'_>>, Reason>>()?;
    let (mut versions, mut wrong) = (Vec::new(), Vec::new());
    for line in blocks.iter().flat_map(|block| &block.lines).filter(|line| !line.row.peer) {
        let version = &*line.row.version;
        let known = context.runs.cases(version);
        let case = cases.iter().find(|case| known.iter().any(|known| known == *case));
        let wanted = only.as_deref().is_none_or(|only| only.split_whitespace().any(|only| only == version));
        let (Some(case), true) = (case, wanted) else { continue };
        let Some(least) = context.runs.least(version, case).map_err(Reason::Wrong)? else {
            wrong.push(version);
            continue;
        };
        let run = context.run(version, case)?;
        versions.push(Version { line: line.clone(), case: (*case).to_owned(), run, least });
    }
    for only in only.iter().flat_map(|only| only.split_whitespace()) {
        if !versions.iter().any(|version| version.line.row.version == only) {
            return Err(Reason::Wrong(format!("`{only}` was not timed on this workload, or has none of these cases")));
        }
    }
    for case in &cases {
        if !versions.iter().any(|version| version.case == *case) {
            return Err(Reason::Wrong(format!("no version of this table is shown with the case \"{case}\"")));
        }
    }
    if versions.is_empty() {
        return Err(Reason::Wrong("a table of the least needs a case of a right version: cases=\"…\"".to_owned()));
    }
    // The caption is about the first case.
    let first = versions.iter().find(|version| version.case == cases[0]).unwrap_or(&versions[0]);
    let table = table(context, &problem, &blocks, &versions, first)?;
    Ok(html! {
        (table)
        @if !wrong.is_empty() {
            p class="wb-caption" { "Wrong on purpose, and not in the table: " (joined(wrong.iter().map(|own| code(own)), ", ")) "." }
            "\n"
        }
    })
}

/// The parts of a list.
fn parts(list: &str) -> Vec<&str> {
    list.split(';').map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// How many times the least a value is, with two digits.
fn times(value: u64, least: u64) -> String {
    if least == 0 { NONE.to_owned() } else { format!("{:.2}", value as f64 / least as f64) }
}

fn table(
    context: &Context<'_>,
    problem: &str,
    blocks: &[Block<'_>],
    versions: &[Version<'_>],
    first: &Version<'_>,
) -> Result<Markup, Reason> {
    let sectors = Quantity::sum("sectors of global memory", &SECTORS);
    let additions = Quantity::find("float additions", context.runs).ok();
    let additions = additions.filter(|_| versions.iter().any(|version| version.least.additions.is_some()));
    let mut table = Table { text_columns: 1, ..Table::default() };
    table.heads = texts(["version", "µs", "× least", "sectors", "× least"]);
    if additions.is_some() {
        table.heads.extend(texts(["additions", "× least"]));
    }
    table.heads.extend(texts(["wavefronts", "× ideal", "barriers"]));
    let (mut notes, mut bulk) = (Notes::default(), false);
    for Version { line, case, run, least } in versions {
        let name = breakable(&line.row.version);
        let name = if *case == first.case {
            name
        } else {
            html! { (name) br; small { (case) } }
        };
        let (asked, known) = sectors.beside(run, true)?;
        let counted = asked >= least.sectors();
        bulk |= !counted;
        let ratio = if counted { times(asked, least.sectors()) } else { NONE.to_owned() };
        let time = line.times().map_or_else(|| NONE.to_owned(), |times| large(times.median_ns as f64 / 1e3));
        let over = line.over_least.map_or_else(|| NONE.to_owned(), |over| format!("{over:.2}"));
        let mut cells = row![name, time, over, html! { (html::number(asked)) (notes.mark(&known)) }, ratio];
        if let Some(additions) = &additions {
            match least.additions {
                Some(least) => {
                    let (added, known) = additions.beside(run, true)?;
                    if added < least {
                        let message = format!("{}: {added} additions, and {least} at least", line.row.version);
                        return Err(Reason::Contradicted(message));
                    }
                    cells.push(html! { (html::number(added)) (notes.mark(&known)) });
                    cells.push(text(times(added, least)));
                }
                None => cells.extend(texts([NONE, NONE])),
            }
        }
        let own = |metric: &str| run.report.estimates.get(metric).copied().unwrap_or(0);
        let ideal = own("warpbook__shared_wavefronts_ideal.sum");
        let wavefronts = ideal + own("warpbook__shared_wavefronts_excessive.sum");
        cells.extend(texts([
            html::number(wavefronts),
            times(wavefronts, ideal),
            html::number(own("warpbook__barriers.sum")),
        ]));
        table.rows.push(cells);
    }
    let record = context.runs.bench().map_err(Reason::Wrong)?;
    let gpu = record.provenance.gpu.trim_start_matches("NVIDIA ");
    let Least { read_sectors, written_sectors, additions } = first.least;
    let counted = first.run.measured.as_ref();
    let other = versions.iter().any(|version| version.case != first.case);
    table.caption = html! {
        (code(problem)) ": beside the least that any kernel with these inputs and outputs takes. Counters: " (first.case)
        @if other { ", or the input that is named below the version" }
        "; least " (html::number(read_sectors)) " sectors read and " (html::number(written_sectors)) " written"
        @if let Some(additions) = additions { ", " (html::number(additions)) " additions" }
        ". Simulated for this page"
        @if let Some(m) = counted { "; an " (m.gpu) " counted the same sectors on " (m.date) @if notes.any() { ", but for what is marked" } }
        ". Times: "
        @for (at, block) in blocks.iter().enumerate() {
            @if at > 0 { "; " }
            (power(block.size)) " " (block.unit) ", " (block.data)
            @if let Some(us) = view::least_us(record, block.bytes) { ", least " (large(us)) " µs" }
        }
        ", on an " (gpu) " on " (record.provenance.date) "."
        @if bulk { " –: bulk copies move sectors that no counter of L1 counts." }
        (notes.html(context))
    };
    Ok(table.html())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_no_multiple_of_nothing() {
        assert_eq!((&*times(3, 2), &*times(0, 2), &*times(3, 0)), ("1.50", "0.00", NONE));
        assert_eq!(parts(" a, b; c;"), ["a, b", "c"]);
    }
}
