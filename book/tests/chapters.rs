//! What every chapter on a problem owes its reader: all versions with their counters and their times, figures, questions,
//! something to try, the exercises, and a length that can be read at a sitting.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use book::directive::{Directive, Piece, pieces};
use serde::Deserialize;

/// The chapters, each with the problems that it is about.
const CHAPTERS: [(&str, &[&str]); 8] = [
    ("reduction.md", &["copy", "reduction"]),
    ("scan.md", &["scan"]),
    ("array_scan.md", &["array_scan"]),
    ("compaction.md", &["compaction"]),
    ("histogram.md", &["histogram"]),
    ("reduce_by_key.md", &["reduce_by_key"]),
    ("summed_area_table.md", &["summed_area_table"]),
    ("sort.md", &["merge_sort", "radix_sort"]),
];

/// The groups of exercises, each with the chapters that send their readers to it.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "00_machine",
        &[
            "machine/threads.md",
            "machine/banks.md",
            "machine/sectors.md",
            "machine/divergence.md",
            "machine/barriers.md",
            "machine/votes.md",
        ],
    ),
    ("01_reduction_scan", &["reduction.md", "scan.md", "array_scan.md"]),
    ("02_compaction", &["compaction.md"]),
    ("03_histogram", &["histogram.md"]),
    ("04_reduce_by_key", &["reduce_by_key.md"]),
    ("05_summed_area_tables", &["summed_area_table.md"]),
    ("06_sort", &["sort.md"]),
];

/// What readers change, run or step in the page: their sections have the class `wb-widget`.
const TRIED: [&str; 4] = ["explorer", "panel", "stepper", "play"];

/// How many of them a chapter on the machine or on a problem has at least.
const WIDGETS: usize = 2;

/// Characters before and behind a widget within which something is asked of its reader.
const ASKED: usize = 900;

/// What draws something. Ladders do, too, but are not counted: a chart of times explains no algorithm.
const DRAWN: [&str; 4] = ["figure", "play", "bars", "bank-map"];

fn our_book() -> PathBuf {
    book::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn chapter(name: &str) -> String {
    let path = our_book().join("chapters").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn directives(text: &str) -> Vec<Directive> {
    let pieces = pieces(text).unwrap_or_else(|malformed| panic!("{malformed:?}"));
    let directive = |piece| match piece {
        Piece::Directive(directive) => Some(directive),
        Piece::Text(_) => None,
    };
    pieces.into_iter().filter_map(directive).collect()
}

/// The names in these options of a directive.
fn names(directive: &mut Directive, options: &[&str]) -> Vec<String> {
    let values = options.iter().filter_map(|option| directive.maybe(option));
    values.flat_map(|value| value.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// The versions whose counters a chapter shows; of a version that is wrong on purpose, what is found in it.
fn counted(text: &str) -> BTreeSet<String> {
    let shown = directives(text).into_iter();
    let shown = shown.filter(|own| ["counters", "compare", "lines", "bars", "wrong"].contains(&&*own.name));
    shown.flat_map(|mut own| names(&mut own, &["kernel", "kernels"])).collect()
}

/// The versions whose times a chapter shows. A ladder without names has all versions of its problem.
fn timed(text: &str) -> BTreeSet<String> {
    let mut timed = BTreeSet::new();
    for mut own in directives(text) {
        let name = own.name.clone();
        match &*name {
            "ladder" if !own.has("versions") => {
                let problem = own.option("problem").unwrap();
                let problem = kernels::problem::find(&problem).unwrap_or_else(|| panic!("no problem {problem}"));
                timed.extend(problem.versions.iter().map(|&version| version.to_owned()));
            }
            "ladder" | "number" => timed.extend(names(&mut own, &["versions", "version"])),
            "compare" => {
                let rows = own.maybe("rows").unwrap_or_default();
                if rows.split("; ").any(|row| row == "time") {
                    timed.extend(names(&mut own, &["kernels"]));
                }
            }
            _ => {}
        }
    }
    timed
}

/// The versions that a chapter sets beside the least that any kernel needs: those of the workloads that have one of the cases.
fn beside_the_least(text: &str) -> BTreeSet<String> {
    let cases = kernels::cases::all();
    let mut shown = BTreeSet::new();
    for mut own in directives(text).into_iter().filter(|own| own.name == "least") {
        let problem = own.option("problem").unwrap();
        let only = own.maybe("versions").map(|only| only.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let listed = own.option("cases").unwrap();
        let listed: Vec<&str> = listed.split(';').map(str::trim).collect();
        let has = |case: &&kernels::case::Case| case.problem == problem && listed.contains(&&*case.name);
        let versions = cases.iter().filter(has).map(|case| case.version.to_owned());
        shown.extend(versions.filter(|version| only.as_ref().is_none_or(|only| only.contains(version))));
    }
    shown
}

/// The words that stand in a chapter's text, without its directives and its listings.
fn words(text: &str) -> usize {
    let pieces = pieces(text).unwrap();
    let text: String =
        pieces.iter().filter_map(|piece| if let Piece::Text(text) = piece { Some(*text) } else { None }).collect();
    // Fences open and close: every second part is code.
    text.split("```").step_by(2).map(|prose| prose.split_whitespace().count()).sum()
}

#[test]
fn what_is_missing_is_seen() {
    let text = "One two.\n\n{{#wb compare kernels=\"a b\" case=x rows=\"barriers; time\"}}\n\n```sh\nno word\n```\n\n\
                {{#wb wrong kernel=c case=x}} {{#wb number version=d size=x of=time}} {{#wb number kernel=e case=x of=time}}\n";
    let of = |letters: &str| letters.chars().map(String::from).collect::<BTreeSet<_>>();
    assert_eq!((counted(text), timed(text), words(text)), (of("abc"), of("abd"), 2));
    let all = timed("{{#wb ladder problem=scan size=\"2^28\"}}");
    assert!(all.contains("scan_naive") && all.len() == kernels::problem::find("scan").unwrap().versions.len());
}

#[test]
fn every_version_is_shown_with_its_counters_and_its_time() {
    let covered: BTreeSet<&str> = CHAPTERS.iter().flat_map(|(_, problems)| *problems).copied().collect();
    let all: BTreeSet<&str> = kernels::problem::all().iter().map(|problem| problem.name).collect();
    assert_eq!(covered, all, "each problem has its chapter");
    for (name, problems) in CHAPTERS {
        let text = chapter(name);
        let (counted, timed) = (counted(&text), timed(&text));
        let versions = problems.iter().flat_map(|problem| kernels::problem::find(problem).unwrap().versions);
        for version in versions {
            assert!(counted.contains(*version), "{name} shows no counters of {version}");
            assert!(timed.contains(*version), "{name} shows no time of {version}");
        }
    }
}

/// The distance from the best that is possible is told of every version, but for those that are wrong on purpose.
#[test]
fn every_version_is_beside_the_least() {
    let wrong = |case: &kernels::case::Case| case.verdict != kernels::verdict::Verdict::Right;
    let wrong: BTreeSet<&str> =
        kernels::cases::all().iter().filter(|case| wrong(case)).map(|case| case.version).collect();
    for (name, problems) in CHAPTERS {
        let shown = beside_the_least(&chapter(name));
        let versions = problems.iter().flat_map(|problem| kernels::problem::find(problem).unwrap().versions);
        for version in versions.filter(|version| !wrong.contains(**version)) {
            assert!(shown.contains(*version), "{name} does not say how far {version} is from the least");
        }
    }
}

/// The table of the least, filled from real runs: its numbers follow from counts, bytes and times.
#[test]
fn the_table_of_the_least_has_what_was_counted_over_what_is_needed() {
    let (runs, pages) = (book::RealRuns::new(), BTreeMap::new());
    let fill = |text: &str| {
        let filled = book::fill::Filler::new(&runs, &pages, "../").fill(text);
        filled.map_err(|faults| faults[0].1.to_string())
    };
    let directive =
        |options: &str| format!("{{{{#wb least problem=reduction size=\"2^28\" data=\"ints\" {options}}}}}\n");
    let html = fill(&directive("cases=\"4099 elements\" versions=\"reduce_modulo reduce_vector4\"")).unwrap();
    let rows: Vec<&str> = html.split("<tr>").skip(2).collect();
    assert_eq!(rows.len(), 2, "{html}");
    let record = &kernels::bench::record::records().unwrap()[0];
    let blocks = kernels::bench::view::blocks(record, &|row| row.problem == "reduction" && row.size == "2^28");
    for (version, row) in ["reduce_modulo", "reduce_vector4"].into_iter().zip(rows) {
        let run = book::runs::Runs::run(&runs, version, "4099 elements").unwrap();
        let sectors: u64 = kernels::least::SECTORS.iter().map(|counter| run.report.metric(counter)).sum();
        // 4,099 ints, and one.
        let least = 513 + 1;
        let line = blocks[0].lines.iter().find(|line| line.row.version == version).unwrap();
        for cell in [
            markup(sectors),
            format!("{:.2}", sectors as f64 / f64::from(least)),
            format!("{:.2}", line.over_least.unwrap()),
        ] {
            assert!(row.contains(&format!(">{cell}</td>")), "{version}: {cell}: {row}");
        }
    }
    assert!(html.contains("513 sectors read and 1 written"), "{html}");
    for (options, fault) in [
        ("cases=\"4098 elements\"", "no version of this table is shown with the case \"4098 elements\""),
        ("cases=\"4099 elements\" versions=reduce", "`reduce` was not timed on this workload"),
        ("cases=\";\"", "needs a case"),
    ] {
        assert!(fill(&directive(options)).unwrap_err().contains(fault), "{options}");
    }
}

/// A number as the book writes it.
fn markup(number: u64) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

#[test]
fn every_chapter_draws_asks_and_gives_something_to_try() {
    for (name, _) in CHAPTERS {
        let text = chapter(name);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for own in directives(&text) {
            *counts.entry(own.name).or_default() += 1;
        }
        let of = |names: &[&str]| names.iter().filter_map(|name| counts.get(*name)).sum::<usize>();
        assert!(of(&DRAWN) >= 6, "{name} has {} figures", of(&DRAWN));
        assert!(of(&["quiz"]) >= 8, "{name} has {} questions", of(&["quiz"]));
        assert!(of(&["predict"]) >= 3, "{name} asks for {} predictions", of(&["predict"]));
        let tries = text.matches("**Try it.**").count();
        assert!(tries >= 4, "{name} has {tries} things to try");
        for part in
            ["## A question", "## Modify it", "## Make it", "## What was printed, and what is true", "## Sources"]
        {
            assert!(text.lines().any(|line| line == part), "{name} has no part `{part}`");
        }
        let words = words(&text);
        assert!((2_500..=4_500).contains(&words), "{name} has {words} words");
    }
}

#[derive(Deserialize)]
struct Course {
    group: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    dir: String,
    exercises: Vec<String>,
}

/// A reader is to do something: change, run or step it, and guess before that.
#[test]
fn every_chapter_on_the_machine_or_a_problem_has_widgets_and_asks_before_they_are_used() {
    let machine = GROUPS[0].1.iter().copied();
    for name in machine.chain(CHAPTERS.iter().map(|(name, _)| *name)) {
        let text = chapter(name);
        let counts = directives(&text).iter().filter(|own| TRIED.contains(&&*own.name)).count();
        assert!(counts >= WIDGETS, "{name} has {counts} widgets, and {WIDGETS} are owed");
        let places = |kind: &str| text.match_indices(&format!("{{{{#wb {kind} ")).map(|(at, _)| at).collect::<Vec<_>>();
        for at in TRIED.iter().flat_map(|kind| places(kind)) {
            let directive = &text[at..at + text[at..].find("}}").unwrap_or(0)];
            // The sentences around it, or the widget's own question or task.
            let before = &text[text[..at].char_indices().rev().nth(ASKED).map_or(0, |(from, _)| from)..at];
            let after: String = text[at + directive.len()..].chars().take(ASKED).collect();
            let asks =
                |text: &str| ["redict", "?", "uess", "wb predict", "wb quiz"].iter().any(|word| text.contains(word));
            let own = ["ask=", "task="].iter().any(|option| directive.contains(option));
            let place = directive.lines().next().unwrap_or_default();
            assert!(own || asks(before) || asks(&after), "{name}: nothing is asked around {place}");
        }
    }
}

#[test]
fn every_exercise_is_named_in_the_chapters_that_lead_to_it() {
    let text = fs::read_to_string(our_book().join("../exercises/info.toml")).unwrap();
    let course: Course = toml::from_str(&text).unwrap();
    for group in &course.group {
        let chapters =
            GROUPS.iter().find(|(dir, _)| *dir == group.dir).unwrap_or_else(|| panic!("{} is new", group.dir)).1;
        let text: String = chapters.iter().map(|name| chapter(name)).collect();
        let lines: Vec<&str> = text.split("\n\n").filter(|part| part.starts_with("**Exercise")).collect();
        for exercise in &group.exercises {
            let named = lines.iter().any(|line| line.contains(&format!("`{exercise}`")));
            assert!(named, "no step of {} sends its reader to {exercise}", chapters.join(", "));
        }
    }
}
