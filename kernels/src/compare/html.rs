//! A comparison as one page of HTML that needs nothing else: no script, no style sheet, no picture.

use std::fmt::Write as _;

use super::comparison::{Comparison, CounterRow, Row};
use super::flat;
use crate::svg::escape;

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
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>Simulated beside measured</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<main>\n<h1>Simulated beside measured</h1>\n<p{}>{}.</p>\n",
        if summary.agrees { "" } else { " class=\"bad\"" },
        escape(&summary.closing)
    );
    if comparison.records.is_empty() {
        let _ = writeln!(html, "<p>Nothing was measured: only the simulator knows {}.</p>", escape(&comparison.target));
    }
    list(&mut html, "To be looked at in the list of known differences", &summary.review);
    records(&mut html, comparison);
    changes(&mut html, comparison);
    unequal(&mut html, comparison, parts);
    let mut problems: Vec<&str> = comparison.rows.iter().map(|row| row.problem).collect();
    problems.dedup();
    for problem in problems {
        let _ = writeln!(html, "<h2>{problem}</h2>");
        cases(&mut html, comparison.rows.iter().filter(|row| row.problem == problem), problem);
    }
    html += "</main>\n</body>\n</html>\n";
    html
}

/// A paragraph for every sentence, behind a heading.
fn list(html: &mut String, title: &str, sentences: &[String]) {
    if sentences.is_empty() {
        return;
    }
    let _ = writeln!(html, "<h2>{title}</h2>\n<ul>");
    for sentence in sentences {
        let _ = writeln!(html, "<li>{}</li>", escape(sentence));
    }
    *html += "</ul>\n";
}

fn records(html: &mut String, comparison: &Comparison) {
    if comparison.records.is_empty() {
        return;
    }
    table(html, "Where the measured numbers come from", &["record", "GPU", "driver", "Nsight Compute", "day"], 5);
    for record in &comparison.records {
        let p = &record.provenance;
        let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escape(&record.file));
        for cell in [&p.gpu, &p.driver, &p.ncu, &p.date] {
            let _ = write!(html, "<td>{}</td>", escape(cell));
        }
        *html += "</tr>\n";
    }
    *html += "</tbody></table></div>\n";
}

/// What code that is not the recorded code counts otherwise.
fn changes(html: &mut String, comparison: &Comparison) {
    for changes in &comparison.changes {
        let title = format!("What {} counts otherwise than the code that was recorded", changes.file);
        table(html, &escape(&title), &["line", "text", "counter", "recorded code", "now"], 3);
        for line in &changes.lines {
            for counter in &line.counters {
                let number = line.line.map_or("gone".to_owned(), |line| line.to_string());
                let _ = writeln!(
                    html,
                    "<tr><th scope=\"row\">{number}</th><td><code>{}</code></td><td>{}</td>{}{}</tr>",
                    escape(&line.text),
                    escape(counter.label),
                    cell(Some(counter.was)),
                    cell(Some(counter.now)),
                );
            }
        }
        *html += "</tbody></table></div>\n";
    }
}

/// Every counter that is not equal.
fn unequal(html: &mut String, comparison: &Comparison, parts: &[String]) {
    let worst = flat::worst(comparison, parts);
    if worst.is_empty() {
        return;
    }
    *html += "<h2>Not equal</h2>\n<details><summary>";
    let _ = write!(html, "{} counters, the farthest apart first", worst.len());
    *html += "</summary>\n";
    let heads = ["version", "case", "counter", "simulated", "measured", "verdict", "cause"];
    table(html, "Counters that are not equal", &heads, 3);
    for flat in worst {
        let CounterRow { label, simulated, measured, known, agrees, .. } = *flat.counter;
        let class = if agrees == Some(false) { "bad" } else { "known" };
        let cause = known.map_or(String::new(), |known| format!("{} ({})", escape(known.cause), escape(known.page)));
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>{}{}<td class=\"{class}\">{}</td><td>{cause}</td></tr>",
            flat.row.version,
            escape(&flat.row.case),
            escape(label),
            cell(Some(simulated)),
            cell(measured),
            flat.counter.word(),
        );
    }
    *html += "</tbody></table></div>\n</details>\n";
}

/// A line for every case.
fn cases<'a>(html: &mut String, rows: impl Iterator<Item = &'a Row>, problem: &str) {
    let heads = ["version", "case", "data", "result", "counters equal", "known to differ", "not repeated", "µs"];
    table(html, &format!("The cases of {problem}"), &heads, 4);
    for row in rows {
        let count = |wanted: &dyn Fn(&CounterRow) -> bool| row.judged().filter(|counter| wanted(counter)).count();
        let compared = count(&|counter| counter.agrees.is_some());
        let equal = count(&|counter| counter.agrees == Some(true));
        let of_word = |word: &str| count(&|counter| counter.word() == word) as u64;
        let result = if row.results_agree() { row.verdict.word() } else { "WRONG" };
        let time = row.live.as_ref().map(|live| live.times).or(row.recorded.as_ref().map(|r| r.times));
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td{}>{result}</td><td class=\"n{}\">{}</td>{}{}<td \
             class=\"n\">{}</td></tr>",
            row.version,
            escape(&row.case),
            escape(row.data),
            if row.results_agree() { "" } else { " class=\"bad\"" },
            if equal == compared { "" } else { " bad" },
            if row.recorded.is_some() { format!("{equal} of {compared}") } else { "simulator only".to_owned() },
            cell(Some(of_word("known to differ"))),
            cell(Some(of_word("not repeated"))),
            time.map_or("–".to_owned(), |times| format!("{:.1}", times.median_us())),
        );
    }
    *html += "</tbody></table></div>\n";
}

/// Begins a table; what is wider than the page can be scrolled, also by keyboard.
fn table(html: &mut String, caption: &str, heads: &[&str], text_columns: usize) {
    let _ = write!(
        html,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\n<table><caption>{caption}</caption>\n\
         <thead><tr>"
    );
    for (index, head) in heads.iter().enumerate() {
        let class = if index < text_columns { "" } else { " class=\"n\"" };
        let _ = write!(html, "<th scope=\"col\"{class}>{head}</th>");
    }
    *html += "</tr></thead>\n<tbody>\n";
}

fn cell(value: Option<u64>) -> String {
    value.map_or("<td class=\"n\">–</td>".to_owned(), |value| format!("<td class=\"n\">{value}</td>"))
}
