//! `summary`: the versions of a chapter with their times, on every page of it: those that the reader has met by then with
//! their numbers, the others with a link alone, so that nothing is given away.
//!
//! The directive leaves its rows in a comment of the filled chapter; `parts.rs` takes them from there when it cuts it.

use std::collections::BTreeMap;

use crate::context::Context;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::home::{self, Home};
use crate::html::{Markdown, Markup, Table, html, joined, row, text, texts};
use crate::ladder::large;
use crate::value::workload;

const MARK: &str = "<!--wb-summary\n";
const END: &str = "\n-->";

/// The rows of one `summary`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    /// What was measured, as HTML.
    caption: String,
    /// Version, time in microseconds, bytes per second, share of a copy in per cent, time over the least time.
    versions: Vec<[String; 5]>,
}

/// `summary problem=P size="2^28" data="D" [version=V]`: how fast all versions of a problem are that were timed on this workload,
/// or, where several have this size and data, on that of `V`.
pub(crate) fn summary(context: &Context<'_>, directive: &mut Directive) -> Result<Markdown, Reason> {
    let (problem, size) = (directive.option("problem")?, directive.option("size")?);
    let data = directive.maybe("data");
    let version = directive.maybe("version");
    let block = workload(context, Some(&problem), version.as_deref(), &size, data.as_deref())?;
    let record = context.runs.bench().map_err(Reason::Wrong)?;
    let gpu = record.provenance.gpu.trim_start_matches("NVIDIA ");
    let mut text = format!(
        "{} {}, {}: median times on an {gpu} on {}, the share of a copy’s speed, and the time as a multiple of the least that any \
         kernel needs.",
        block.size, block.unit, block.data, record.provenance.date
    );
    for line in block.lines.iter().filter(|line| !line.row.peer) {
        let Some(times) = line.times() else { continue };
        let share = line.percent_of_copy.map_or_else(|| "–".to_owned(), |share| format!("{share:.1}"));
        let speed = line.gb_per_s.map_or_else(|| "–".to_owned(), large);
        let over = line.over_least.map_or_else(|| "–".to_owned(), |over| format!("{over:.2}"));
        let micro = large(times.median_ns as f64 / 1e3);
        text += &format!("\n{}\t{micro}\t{speed}\t{share}\t{over}", line.row.version);
    }
    Ok(format!("{MARK}{text}{END}\n").into())
}

/// Takes the rows out of a filled chapter.
pub(crate) fn take(text: &str) -> (String, Vec<Rows>) {
    let (mut left, mut all) = (String::new(), Vec::new());
    let mut pieces = text.split(MARK);
    left.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (inside, after) = piece.split_once(END).unwrap_or((piece, ""));
        let mut lines = inside.lines();
        let caption = lines.next().unwrap_or_default().to_owned();
        let row = |line: &str| {
            let mut cells = line.split('\t').map(str::to_owned);
            std::array::from_fn(|_| cells.next().unwrap_or_default())
        };
        all.push(Rows { caption, versions: lines.map(row).collect() });
        left.push_str(after);
    }
    (left, all)
}

/// The summary of a page, whose number is `own`, as HTML; nothing where the chapter has none.
pub(crate) fn shown(all: &[Rows], homes: &BTreeMap<String, Home>, files: &[String], own: usize, name: &str) -> Markup {
    if all.is_empty() {
        return Markup::default();
    }
    let last = own + 1 == files.len();
    let title = if last { format!("All versions of “{name}”") } else { "The versions so far".to_owned() };
    html! {
        section class="wb-summary" aria-label="The versions and their times" {
            "\n"
            p class="wb-summary-title" { (title) }
            "\n"
            @for rows in all { (workload_of(rows, homes, files, own)) }
        }
        "\n"
    }
}

/// The versions of one workload.
fn workload_of(rows: &Rows, homes: &BTreeMap<String, Home>, files: &[String], own: usize) -> Markup {
    let mut table = Table { text_columns: 1, caption: text(&rows.caption), ..Table::default() };
    table.heads = texts(["version", "µs", "GB/s", "% of copy", "× least"]);
    let mut later: Vec<(usize, Markup)> = Vec::new();
    for [version, time, speed, share, over] in &rows.versions {
        let home = homes.get(version);
        let link = home::link(version, home, files, own);
        match home {
            Some(Home { page, .. }) if *page > own => later.push((*page, link)),
            _ => {
                let width = share.replace('–', "0");
                let bar = html! { span class="wb-share" style={ "--wb-share:" (width) "%" } { (share) } };
                let new = home.is_some_and(|home| home.page == own) && files.len() > 1;
                let link = if new {
                    html! { b { (link) } }
                } else {
                    link
                };
                table.rows.push(row![link, time, speed, bar, over]);
            }
        }
    }
    later.sort_by_key(|(page, _)| *page);
    html! {
        @if !table.rows.is_empty() { (table.html()) }
        @if !later.is_empty() {
            p class="wb-caption" { "Still to come: " (joined(later.iter().map(|(_, link)| link), ", ")) "." }
            "\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_later_pages_are_named_without_their_numbers() {
        let text =
            format!("before\n{MARK}2^28 ints\na\t10.5\t3,000\t75.0\t1.40\nb\t8.1\t4,000\t98.5\t1.08{END}\nafter");
        let (left, rows) = take(&text);
        assert_eq!(left, "before\n\nafter");
        assert_eq!(rows[0].versions[1], ["b", "8.1", "4,000", "98.5", "1.08"].map(str::to_owned));
        let home = |page| Home { page, anchor: Some("here".to_owned()) };
        let homes = BTreeMap::from([("a".to_owned(), home(0)), ("b".to_owned(), home(1))]);
        let files = ["x.html".to_owned(), "x-next.html".to_owned()];
        let first = shown(&rows, &homes, &files, 0, "X").0;
        assert!(
            first.contains("10.5")
                && first.contains("1.40")
                && !first.contains("8.1")
                && first.contains("href=\"x-next.html#here\""),
            "{first}"
        );
        assert!(first.contains("so far") && first.contains("Still to come"), "{first}");
        let last = shown(&rows, &homes, &files, 1, "X").0;
        assert!(last.contains("10.5") && last.contains("8.1") && last.contains("All versions"), "{last}");
        assert!(!last.contains("Still to come") && !last.contains("\n\n"), "{last}");
        assert_eq!(shown(&[], &homes, &files, 0, "X").0, "");
    }
}
