//! A comparison as one page of HTML that needs nothing else: no script, no style sheet, no picture.

use markup::{DOCTYPE, Markup, committed, html};

use super::comparison::{Comparison, CounterRow, Row};
use super::flat;
use crate::baseline::Changed;

/// The page's look: the reader's own font size and colours, light or dark.
const STYLE: &str = "
:root { color-scheme: light dark; --line: #8886; --bad: #b00020; --mild: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; --mild: #ffcf70; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 80rem; padding: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: left; vertical-align: top; }
td.n { text-align: right; white-space: nowrap; }
.bad { color: var(--bad); font-weight: 600; }
.known { color: var(--mild); }
summary { cursor: pointer; }
";

/// The page. Only counters that are called like one of `parts` are listed (all, if there are none).
pub fn page(comparison: &Comparison, parts: &[String]) -> String {
    let summary = &comparison.summary;
    let mut problems: Vec<&str> = comparison.rows.iter().map(|row| row.problem).collect();
    problems.dedup();
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Simulated beside measured" }
                style { (committed(STYLE)) }
            }
            "\n"
            body {
                main {
                    h1 { "Simulated beside measured" }
                    "\n"
                    p class=[(!summary.agrees).then_some("bad")] { (summary.closing) "." }
                    "\n"
                    @if comparison.records.is_empty() {
                        p { "Nothing was measured: only the simulator knows " (comparison.target) "." }
                        "\n"
                    }
                    (list("To be looked at in the list of known differences", &summary.review))
                    (records(comparison))
                    (changes(comparison))
                    (unequal(comparison, parts))
                    @for problem in problems {
                        h2 { (problem) }
                        "\n"
                        (cases(comparison.rows.iter().filter(|row| row.problem == problem), problem))
                    }
                }
            }
        }
        "\n"
    };
    page.into_string()
}

/// A paragraph for every sentence, behind a heading.
fn list(title: &str, sentences: &[String]) -> Markup {
    html! {
        @if !sentences.is_empty() {
            h2 { (title) }
            "\n"
            ul { @for sentence in sentences { li { (sentence) } "\n" } }
            "\n"
        }
    }
}

fn records(comparison: &Comparison) -> Markup {
    if comparison.records.is_empty() {
        return Markup::default();
    }
    let rows = html! {
        @for record in &comparison.records {
            @let p = &record.provenance;
            tr {
                th scope="row" { (record.file) }
                @for cell in [&p.gpu, &p.driver, &p.ncu, &p.date] { td { (cell) } }
            }
            "\n"
        }
    };
    table("Where the measured numbers come from", &["record", "GPU", "driver", "Nsight Compute", "day"], 5, &rows)
}

/// What code that is not the recorded code counts otherwise.
fn changes(comparison: &Comparison) -> Markup {
    let rows = |lines: &[Changed]| {
        html! {
            @for line in lines {
                @for counter in &line.counters {
                    tr {
                        th scope="row" { (line.line.map_or("gone".to_owned(), |line| line.to_string())) }
                        td { code { (line.text) } }
                        td { (counter.label) }
                        (cell(Some(counter.was)))
                        (cell(Some(counter.now)))
                    }
                    "\n"
                }
            }
        }
    };
    html! {
        @for changes in &comparison.changes {
            @let title = format!("What {} counts otherwise than the code that was recorded", changes.file);
            (table(&title, &["line", "text", "counter", "recorded code", "now"], 3, &rows(&changes.lines)))
        }
    }
}

/// Every counter that is not equal.
fn unequal(comparison: &Comparison, parts: &[String]) -> Markup {
    let worst = flat::worst(comparison, parts);
    if worst.is_empty() {
        return Markup::default();
    }
    let rows = html! {
        @for flat in &worst {
            @let CounterRow { label, simulated, measured, known, agrees, .. } = *flat.counter;
            tr {
                th scope="row" { (flat.row.version) }
                td { (flat.row.case) }
                td { (label) }
                (cell(Some(simulated)))
                (cell(measured))
                td class=(if agrees == Some(false) { "bad" } else { "known" }) { (flat.counter.word()) }
                td { @if let Some(known) = known { (known.cause) " (" (known.page) ")" } }
            }
            "\n"
        }
    };
    let heads = ["version", "case", "counter", "simulated", "measured", "verdict", "cause"];
    html! {
        h2 { "Not equal" }
        "\n"
        details {
            summary { (worst.len()) " counters, the farthest apart first" }
            "\n"
            (table("Counters that are not equal", &heads, 3, &rows))
        }
        "\n"
    }
}

/// A line for every case.
fn cases<'a>(rows: impl Iterator<Item = &'a Row>, problem: &str) -> Markup {
    let heads = ["version", "case", "data", "result", "counters equal", "known to differ", "not repeated", "µs"];
    let rows = html! { @for row in rows { (case(row)) "\n" } };
    table(&format!("The cases of {problem}"), &heads, 4, &rows)
}

fn case(row: &Row) -> Markup {
    let count = |wanted: &dyn Fn(&CounterRow) -> bool| row.judged().filter(|counter| wanted(counter)).count();
    let compared = count(&|counter| counter.agrees.is_some());
    let equal = count(&|counter| counter.agrees == Some(true));
    let of_word = |word: &str| count(&|counter| counter.word() == word) as u64;
    let result = if row.results_agree() { row.verdict.word() } else { "WRONG" };
    let time = row.live.as_ref().map(|live| live.times).or(row.recorded.as_ref().map(|r| r.times));
    html! {
        tr {
            th scope="row" { (row.version) }
            td { (row.case) }
            td { (row.data) }
            td class=[(!row.results_agree()).then_some("bad")] { (result) }
            td class=(if equal == compared { "n" } else { "n bad" }) {
                @if row.recorded.is_some() { (equal) " of " (compared) } @else { "simulator only" }
            }
            (cell(Some(of_word("known to differ"))))
            (cell(Some(of_word("not repeated"))))
            td class="n" { (time.map_or("–".to_owned(), |times| format!("{:.1}", times.median_us()))) }
        }
    }
}

/// A table; what is wider than the page can be scrolled, also by keyboard.
fn table(caption: &str, heads: &[&str], text_columns: usize, rows: &Markup) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label=(caption) {
            "\n"
            table {
                caption { (caption) }
                "\n"
                thead {
                    tr {
                        @for (index, head) in heads.iter().enumerate() {
                            th scope="col" class=[(index >= text_columns).then_some("n")] { (head) }
                        }
                    }
                }
                "\n"
                tbody { "\n" (rows) }
            }
        }
        "\n"
    }
}

fn cell(value: Option<u64>) -> Markup {
    html! { td class="n" { (value.map_or("–".to_owned(), |value| value.to_string())) } }
}
