//! Source: the lines of the CUDA source with what each costs, and beside them the machine code.

mod sass;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use sim::report::stall;

use crate::number::{percent, quotient, share, whole};
use crate::origin::{Origin, mark};
use crate::parts::column;
use crate::shown::Shown;
use values::{COLUMNS, THREADS, Values, every, largest};

/// Lines around one that costs something that are shown, too.
const AROUND: u32 = 4;

/// The column that colours the rows at first: clocks where they are known, else instructions.
fn first_heat(largest: &[u64]) -> usize {
    if largest[COLUMNS.len()] > 0 { COLUMNS.len() } else { 0 }
}

/// The section's content.
pub(crate) fn content(shown: &Shown<'_>) -> Markup {
    if !shown.counted() {
        return html! { p { "Only a sample of the thread blocks ran, for the time: nothing was counted." } };
    }
    let files = values::by_line(shown.report);
    if files.is_empty() {
        return html! { p { "No source line is known of any instruction." } };
    }
    let largest = largest(files.values().flat_map(BTreeMap::values));
    let clocks: u64 = files.values().flat_map(BTreeMap::values).map(Values::clocks).sum();
    let heat = first_heat(&largest);
    let titles = COLUMNS.iter().map(|column| column.title).chain(["stalls"]).enumerate();
    let (view, select) = (shown.id("view"), shown.id("heat"));
    html! {
        div class="view" id=(view) {
            p class="choice" {
                label for=(select) { "Rows are coloured by " }
                select id=(select) data-heat-of=(view) disabled {
                    @for (at, title) in titles.filter(|(at, _)| largest[*at] > 0) {
                        option value=(at) selected[at == heat] { (title) }
                    }
                }
                span class="faint" { " The darker, the more, relative to the line with most." }
            }
            div class={ "panes" @if shown.report.machine_code.is_some() { " two" } } {
                (lines(shown, &files, &largest, clocks, heat))
                @if let Some(code) = &shown.report.machine_code { (sass::listing(shown, code, heat)) }
            }
        }
    }
}

/// Cells of a row: its share of the clocks if there are any, and its numbers.
fn cells(values: &Values, clocks: u64, of_code: bool) -> Markup {
    let number = |value: u64| if value == 0 { String::new() } else { whole(value) };
    html! {
        @if clocks > 0 {
            @let first = stall::first(&values.stalls);
            td class="n" { @if values.clocks() > 0 { (percent(share(values.clocks(), clocks))) } }
            td class="reason" { @if let Some((name, percent)) = first { (name) " " (format!("{percent:.0} %")) } }
        }
        @for column in COLUMNS.iter().filter(|column| !of_code || column.of_code) {
            td class="n" { (number((column.value)(values))) }
            @if column.title == THREADS {
                td class="n" { (quotient(Some(values.threads), Some(values.instructions)).unwrap_or_default()) }
            }
        }
    }
}

/// The heads of these cells.
fn heads(shown: &Shown<'_>, clocks: u64, of_code: bool) -> Markup {
    html! {
        @if clocks > 0 {
            (column("stalls", Origin::Predicted))
            th scope="col" { "first reason" br; (mark(Origin::Predicted)) }
        }
        @for head in COLUMNS.iter().filter(|column| !of_code || column.of_code) {
            (column(head.title, (head.origin)(shown)))
            @if head.title == THREADS { (column("lanes each", (head.origin)(shown))) }
        }
    }
}

/// How large the values of a row are, each relative to the largest of its column, for the page's script.
fn heats(values: &Values, largest: &[u64]) -> Vec<String> {
    let part = |(value, most): (u64, &u64)| format!("{:.2}", share(value, *most) / 100.0);
    every(values).zip(largest).map(part).collect()
}

/// The table of source lines, a body for each file, those first whose lines execute most.
fn lines(shown: &Shown<'_>, files: &values::ByLine, largest: &[u64], clocks: u64, heat: usize) -> Markup {
    let mut order: Vec<(&String, &BTreeMap<u32, Values>)> = files.iter().collect();
    order.sort_by_key(|(_, lines)| std::cmp::Reverse(lines.values().map(|values| values.instructions).sum::<u64>()));
    let width = 2 + COLUMNS.len() + 1 + if clocks > 0 { 2 } else { 0 };
    html! {
        div class="scroll tall" tabindex="0" role="region" aria-label="Source lines, to scroll" {
            table class="code" aria-label="Source lines" {
                                thead { tr { th scope="col" class="n" { "line" } th scope="col" { "source" } (heads(shown, clocks, false)) } }
                @for (file, lines) in order {
                    @let source = shown.profile.sources.get(file);
                    tbody {
                        tr class="file" { th colspan=(width) scope="rowgroup" {
                            (file)
                            @if source.is_none() { span class="faint" { " (its text is not at hand)" } }
                        } }
                        @for row in rows(shown, file, lines, source) {
                            @match row {
                                Row::Gap(from, to) => tr class="gap" { td {} td colspan=(width - 1) { "lines " (from) " to " (to) } },
                                Row::Line(number, text) => (line(shown, file, number, text, lines.get(&number), largest, clocks, heat)),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A row of the source: a line with its text, or lines that are left out.
enum Row<'a> {
    Line(u32, &'a str),
    Gap(u32, u32),
}

/// The rows of a file: lines that cost something or have a finding or an advice, and those around them.
fn rows<'a>(shown: &Shown<'_>, file: &str, lines: &BTreeMap<u32, Values>, source: Option<&'a String>) -> Vec<Row<'a>> {
    let findings = shown.report.findings.iter().filter(|finding| finding.file == file).map(|finding| finding.line);
    let advice = shown.launch.advice.into_iter().flatten().filter(|advice| advice.file == file);
    let advice = advice.flat_map(|advice| advice.also.iter().copied().chain([advice.line]));
    let wanted: BTreeSet<u32> = lines.keys().copied().chain(findings).chain(advice).collect();
    let Some(source) = source else { return wanted.into_iter().map(|number| Row::Line(number, "")).collect() };
    let mut rows = Vec::new();
    let mut gap = None;
    for (number, text) in (1u32..).zip(source.lines()) {
        let near = wanted.range(number.saturating_sub(AROUND)..=number.saturating_add(AROUND)).next().is_some();
        if near {
            rows.extend(gap.take().map(|from| Row::Gap(from, number - 1)));
            rows.push(Row::Line(number, text));
        } else {
            gap.get_or_insert(number);
        }
    }
    rows
}

#[allow(clippy::too_many_arguments, reason = "a row of a table with all that it depends on")]
fn line(
    shown: &Shown<'_>,
    file: &str,
    number: u32,
    text: &str,
    values: Option<&Values>,
    largest: &[u64],
    clocks: u64,
    heat: usize,
) -> Markup {
    let none = Values::default();
    let heats = values.map(|values| heats(values, largest));
    let values = values.unwrap_or(&none);
    let key = shown.files.key(file, number);
    let style = heats.as_ref().map(|heats| format!("--h:{}", heats[heat]));
    html! {
        tr id=[key.as_ref().map(|key| shown.id("s") + key)] data-at=[key.as_deref()]
            data-heat=[heats.map(|heats| heats.join(" "))] style=[style] {
            td class="n line" {
                @match &key {
                    Some(key) => a href={ "#" (shown.id("s")) (key) } data-go=(key) { (number) },
                    None => (number),
                }
            }
            td class="text source" { code { (text) } }
            (cells(values, clocks, false))
        }
    }
}
