//! A page for every kind of finding: what it means is written by hand in `book/reference`; examples, exercises and what
//! compute-sanitizer says of the same kernels are looked up.

use std::fmt::Write as _;

use kernels::sanitizer::{Comparison, NOTHING, STOPPED, Said, TOOLS, comparison};
use sim::report::FindingKind;

use super::{Page, Sources, listed};
use crate::catalogue;
use crate::fault::Reason;
use crate::html::{self, Markup, Table, code, html, row, sentence, text, texts};

/// Most examples on a page.
const EXAMPLES: usize = 3;

/// Most kernels in a table that is not folded.
const UNFOLDED: usize = 8;

/// The exercises whose starter has findings, and the kinds of them. A test runs them all.
pub const STARTERS: [(&str, &[FindingKind]); 10] = [
    ("across_warps", &[FindingKind::Race]),
    ("in_place_scan", &[FindingKind::Race]),
    ("listing_scan", &[FindingKind::Uninitialized]),
    ("five_rounds", &[FindingKind::Race]),
    ("barrier_in_branch", &[FindingKind::Uninitialized]),
    ("merge_race", &[FindingKind::Race]),
    ("claim_peers", &[FindingKind::Deadlock]),
    ("in_step", &[FindingKind::Race]),
    ("count_of_zeros", &[FindingKind::Race]),
    ("equal_keys", &[FindingKind::Race]),
];

/// What is written about a kind: what it means and why it matters, how to fix it, what the check cannot see.
const fn written(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::OutOfBounds => include_str!("../../reference/out-of-bounds.md"),
        FindingKind::Misaligned => include_str!("../../reference/misaligned.md"),
        FindingKind::InvalidFree => include_str!("../../reference/invalid-free.md"),
        FindingKind::Uninitialized => include_str!("../../reference/uninitialized.md"),
        FindingKind::DivisionByZero => include_str!("../../reference/division-by-zero.md"),
        FindingKind::Race => include_str!("../../reference/race.md"),
        FindingKind::BarrierDivergence => include_str!("../../reference/barrier-divergence.md"),
        FindingKind::InvalidSyncMask => include_str!("../../reference/invalid-sync-mask.md"),
        FindingKind::Deadlock => include_str!("../../reference/deadlock.md"),
        FindingKind::Budget => include_str!("../../reference/budget.md"),
        FindingKind::Assert => include_str!("../../reference/assert.md"),
        FindingKind::Trap => include_str!("../../reference/trap.md"),
    }
}

/// The first sentence of what is written about a kind.
fn summary(kind: FindingKind) -> String {
    let paragraph = written(kind).split("\n\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>();
    let text = paragraph.join(" ");
    text.split_once(". ").map_or(text.clone(), |(first, _)| format!("{first}."))
}

/// The title of a kind's page.
fn title(kind: FindingKind) -> String {
    format!("Finding: {}", kind.name())
}

/// The pages.
///
/// # Errors
/// A kind has no example, the record of compute-sanitizer cannot be read, or the exercises are others than those known.
pub(crate) fn pages(from: &Sources<'_>) -> Result<Vec<Page>, Reason> {
    if !from.exercises.is_empty() {
        let faulty = from.exercises.iter().filter(|exercise| exercise.has_findings).map(|e| &*e.name);
        let (mut own, mut known): (Vec<&str>, Vec<&str>) = (faulty.collect(), STARTERS.map(|(name, _)| name).to_vec());
        own.sort_unstable();
        known.sort_unstable();
        if own != known {
            return Err(Reason::Wrong(format!(
                "the exercises whose starters have findings are {}, and STARTERS in book/src/reference/findings.rs has {}",
                own.join(", "),
                known.join(", ")
            )));
        }
    }
    FindingKind::ALL.into_iter().map(|kind| page(kind, from)).collect()
}

fn page(kind: FindingKind, from: &Sources<'_>) -> Result<Page, Reason> {
    let name = kind.name();
    let (meaning, rest) = written(kind).split_once("\n## ").unwrap_or((written(kind), ""));
    let examples: Vec<&str> = catalogue::of(name).take(EXAMPLES).collect();
    if examples.is_empty() {
        return Err(Reason::Wrong(format!("the catalogue has no kernel to show for `{name}`")));
    }
    let mut text = format!("{meaning}\n\n## {}\n", if examples.len() == 1 { "An example" } else { "Examples" });
    for example in examples {
        let _ = write!(text, "\n{{{{#wb finding {example}}}}}\n");
    }
    let _ = write!(text, "\n## {rest}\n");
    text += &counterpart(kind)?;
    let related: Vec<String> = (from.exercises.iter())
        .filter(|exercise| STARTERS.iter().any(|(own, kinds)| *own == exercise.name && kinds.contains(&kind)))
        .map(super::exercises::Exercise::shown)
        .collect();
    if !related.is_empty() {
        let _ = write!(
            text,
            "\n## Exercises\n\nWhat these exercises give you to fix has such a finding: {}. `warpbook watch` leads through \
             them, and `warpbook exercise check NAME` judges one.\n",
            related.join(", ")
        );
    }
    Ok(Page { slug: name.to_owned(), title: title(kind), text, minutes: 4 })
}

/// What compute-sanitizer has for a kind, and what it says of the catalogue's kernels that have it.
fn counterpart(kind: FindingKind) -> Result<String, Reason> {
    let record = comparison().map_err(Reason::Contradicted)?;
    let with: Vec<&Said> = having(&record, kind.name()).collect();
    let tools = finders(&record, kind.name());
    let mut text = "\n## compute-sanitizer’s counterpart\n\n".to_owned();
    if with.is_empty() {
        text += "None of the catalogue’s kernels with this finding has run under its tools yet.\n";
        return Ok(text);
    }
    if tools.is_empty() {
        text += "None of its tools reports this.\n";
    } else {
        let kernels = if with.len() == 1 { "the kernel".to_owned() } else { format!("the {} kernels", with.len()) };
        let reports = |(tool, count): &(&str, usize)| match with.len() {
            1 => format!("`compute-sanitizer --tool {tool}` reports it"),
            _ => format!("`compute-sanitizer --tool {tool}` reports something of {count}"),
        };
        let list: Vec<String> = tools.iter().map(reports).collect();
        let _ = writeln!(text, "Of {kernels} of the catalogue with this finding, {}, on a GPU.", list.join(", "));
    }
    let of = |key: &str| record.head.get(key).map_or("unknown", String::as_str);
    // Only the tools that say something of one of these kernels: columns of nothing but dashes leave no room for words.
    let spoken: Vec<usize> = (0..TOOLS.len()).filter(|&at| with.iter().any(|said| said.tools[at] != NOTHING)).collect();
    let mut table = Table { text_columns: 2 + spoken.len(), ..Table::default() };
    table.heads = texts(["kernel", "simulator"]);
    table.heads.extend(texts(spoken.iter().map(|&at| TOOLS[at])));
    table.caption = html! {
        "The kernels of the catalogue that have this finding, and what compute-sanitizer " (of("compute-sanitizer"))
        " said of them on an " (of("gpu")) ". Tools that had nothing to say of any of them are left out."
    };
    for said in &with {
        let cell = |at: usize| match said.tools[at].as_str() {
            NOTHING => "–",
            text if text.starts_with(STOPPED) => "(stopped)",
            text => text,
        };
        let mut cells = row![code(&said.kernel), said.warpbook.join(" ")];
        cells.extend(texts(spoken.iter().map(|&at| cell(at))));
        table.rows.push(cells);
    }
    let table = if with.len() > UNFOLDED {
        html::folded(&format!("The {} kernels, one by one", with.len()), table.html())
    } else {
        table.html()
    };
    let _ = write!(
        text,
        "\n{}\nWhy one side alone finds some of them is in [the whole table](../checks.md#beside-compute-sanitizer).\n",
        table.into_string()
    );
    Ok(text)
}

/// The kernels of the record that have a kind of finding.
fn having<'a>(record: &'a Comparison, kind: &'a str) -> impl Iterator<Item = &'a Said> {
    record.kernels.iter().filter(move |said| said.warpbook.iter().any(|own| own == kind))
}

/// The tools that report something of kernels with this kind of finding, and of how many.
fn finders(record: &Comparison, kind: &str) -> Vec<(&'static str, usize)> {
    let reports = |said: &Said, tool: usize| {
        let text = &said.tools[tool];
        text != NOTHING && text != "no end" && !text.starts_with(STOPPED)
    };
    let counts = TOOLS.into_iter().enumerate();
    // A kernel may have several kinds, of which the GPU shows only some.
    let shown = || having(record, kind).filter(|said| !said.missed().contains(&kind));
    let counts = counts.map(|(at, tool)| (tool, shown().filter(|said| reports(said, at)).count()));
    counts.filter(|(_, count)| *count > 0).collect()
}

/// `finding-index`: the kinds, each with its first sentence and a link to its page. `to` leads to the pages.
pub(crate) fn index(to: &str) -> Result<Markup, Reason> {
    let mut table = Table { text_columns: 4, ..Table::default() };
    table.caption = text("Every kind of finding, from the simulator’s own list.");
    table.heads = texts(["finding", "what it is", "examples in the catalogue", "compute-sanitizer"]);
    let record = comparison().map_err(Reason::Contradicted)?;
    for kind in FindingKind::ALL {
        let name = kind.name();
        let waiting = catalogue::of(name).filter(|&kernel| record.waiting.contains(kernel));
        let kernels = having(&record, name).count() + waiting.count();
        let tools: Vec<String> = finders(&record, name).iter().map(|(tool, _)| (*tool).to_owned()).collect();
        table.rows.push(row![
            html! { a href={ (to) (name) ".html" } { (code(name)) } },
            sentence(&summary(kind)),
            kernels,
            listed(&tools),
        ]);
    }
    Ok(table.html())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::{Piece, pieces};

    /// Every kind is led to: by an exercise whose starter has it, or by a chapter that shows a kernel with its whole message.
    #[test]
    fn every_kind_is_led_to() {
        let chapters = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("chapters");
        let mut shown = Vec::new();
        for folder in [chapters.clone(), chapters.join("machine")] {
            for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if file.extension().is_none_or(|is| is != "md") {
                    continue;
                }
                let text = std::fs::read_to_string(&file).unwrap();
                for piece in pieces(&text).unwrap_or_else(|why| panic!("{}: {why:?}", file.display())) {
                    if let Piece::Directive(mut directive) = piece
                        && directive.name == "finding"
                    {
                        shown.push(directive.word("a kernel").unwrap());
                    }
                }
            }
        }
        for kind in FindingKind::ALL {
            let exercise = STARTERS.iter().any(|(_, kinds)| kinds.contains(&kind));
            let chapter = catalogue::of(kind.name()).any(|kernel| shown.iter().any(|own| own == kernel));
            assert!(exercise || chapter, "nothing leads a reader to {}", kind.name());
            let example = catalogue::of(kind.name()).next().expect("a kernel to show");
            let said = catalogue::run(example).unwrap().findings.join("\n");
            assert!(said.contains(&format!("[{}]", kind.name())) && said.contains("help: "), "{said}");
        }
    }

    #[test]
    fn every_kind_has_all_its_sections() {
        for kind in FindingKind::ALL {
            let text = written(kind);
            let heads: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
            assert_eq!(heads, ["## How to fix it", "## What the check cannot see"], "{}", kind.name());
            assert!(summary(kind).ends_with('.') && summary(kind).len() > 30, "{}", summary(kind));
            let page =
                page(kind, &Sources { runs: &crate::RealRuns::new(), chapters: Vec::new(), exercises: Vec::new() });
            let page = page.unwrap();
            assert!(page.text.contains("{{#wb finding ") && page.text.contains("counterpart"), "{}", page.text);
            assert!(!page.text.contains("## Exercises") && page.slug == kind.name());
        }
        assert_eq!(index("checks/").unwrap().0.matches("<a href=\"checks/").count(), FindingKind::ALL.len());
    }

    #[test]
    fn exercises_are_named_where_their_starters_have_the_finding() {
        let course = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../exercises");
        let exercises = super::super::exercises::read(Some(&course)).unwrap();
        let runs = crate::RealRuns::new();
        let mut from = Sources { runs: &runs, chapters: Vec::new(), exercises };
        let pages = pages(&from).unwrap();
        let race = pages.iter().find(|page| page.slug == "race").unwrap();
        assert!(race.text.contains("`in_step` (") && !race.text.contains("`claim_peers` ("), "{}", race.text);
        from.exercises.retain(|exercise| exercise.name != "in_step");
        let Err(Reason::Wrong(why)) = super::pages(&from) else { panic!("one is missing") };
        assert!(why.contains("STARTERS"), "{why}");
    }
}
