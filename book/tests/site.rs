//! Whole books: small ones from made-up runs, and the real one from real runs.

mod common;

use std::path::{Path, PathBuf};
use std::{fs, io};

use book::BuildError;
use book::site::build_with;
use common::Fake;

/// Writes a book with one chapter.
fn small_book(configuration: &str, chapter: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("chapters/deep")).unwrap();
    fs::write(root.path().join("book.toml"), format!("[book]\nsrc = \"chapters\"\n{configuration}")).unwrap();
    fs::write(root.path().join("chapters/SUMMARY.md"), "# Summary\n\n- [A](deep/a.md)\n- [B](b.md)\n").unwrap();
    fs::write(root.path().join("chapters/deep/a.md"), chapter).unwrap();
    fs::write(root.path().join("chapters/b.md"), "minutes: 2\n\n# B\n\n{{#wb file fake.cu}}\n").unwrap();
    root
}

const CHAPTER: &str = "minutes: 3\n\n# A\n\nIt is {{#wb number kernel=one case=small of=\"shared wavefronts\"}}.\n\n\
                       {{#wb lines kernel=one case=small}}\n\nShown: \\{{#wb closing}}\n";

#[test]
fn a_small_book_is_built_and_its_links_lead_to_the_source() {
    let root = small_book("", CHAPTER);
    let out = root.path().join("out");
    let built = build_with(root.path(), Some(&out), Fake::default()).unwrap();
    assert_eq!((built.chapters, built.index), (2, out.join("index.html")));
    let page = fs::read_to_string(out.join("deep/a.html")).unwrap();
    assert!(page.contains("<p class=\"wb-minutes\">About 3 minutes</p>"));
    assert!(page.contains(">1,010</data>"));
    assert!(page.contains("href=\"../b.html#fake-cu-L3\""));
    assert!(page.contains("{{#wb closing}}"), "an escaped directive is shown");
    assert!(fs::read_to_string(out.join("b.html")).unwrap().contains("id=\"fake-cu-L3\""));
}

#[test]
fn a_chapter_is_cut_into_pages_and_places_are_found_on_them() {
    let chapter = "minutes: 4\n\n# A\n\nSee [there](#second).\n\n## First\n\n{{#wb page more \"More\"}}\n\n## Second\n\n\
                   {{#wb lines kernel=one case=small}}\n\nAnd [back](#first).\n";
    let root = small_book("", chapter);
    fs::write(
        root.path().join("chapters/b.md"),
        "minutes: 2\n\n# B\n\n[A](deep/a.md#second)\n\n{{#wb file fake.cu}}\n",
    )
    .unwrap();
    let out = root.path().join("out");
    build_with(root.path(), Some(&out), Fake::default()).unwrap();
    let page = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let (first, more) = (page("deep/a.html"), page("deep/a-more.html"));
    assert!(first.contains("href=\"a-more.html#second\"") && !first.contains("id=\"second\""), "{first}");
    assert!(first.contains("class=\"wb-moved\">{\"more\":\"a-more.html\",\"second\":\"a-more.html\"}"), "{first}");
    assert!(
        more.contains("id=\"second\"")
            && more.contains("href=\"a.html#first\"")
            && more.contains("../b.html#fake-cu-L3")
    );
    assert!(page("b.html").contains("href=\"deep/a-more.html#second\"") && page("toc.html").contains("a-more.html"));
    // A fault on a later page has the line of the chapter's file; a page does not end within a question.
    let root = small_book("", &chapter.replace("case=small", "case=none"));
    let error = build_with(root.path(), None, Fake::default()).unwrap_err().to_string();
    assert!(error.contains("a.md:13:"), "{error}");
    let root = small_book("", "minutes: 3\n\n# A\n\n{{#wb steps \"x\"}}\n{{#wb page more More}}\n{{#wb end}}\n");
    let error = build_with(root.path(), None, Fake::default()).unwrap_err().to_string();
    assert!(error.contains("a.md:6: a page cannot end within a block"), "{error}");
}

#[test]
fn a_wrong_chapter_is_named_with_its_lines_and_nothing_is_written() {
    let root = small_book("", "minutes: 3\n\n# A\n\n{{#wb picture}}\n");
    let out = root.path().join("out");
    let error = build_with(root.path(), Some(&out), Fake::default()).unwrap_err();
    assert!(matches!(error, BuildError::Faults(_)) && error.exit_code() == 2);
    let text = error.to_string();
    assert!(
        text.starts_with(&root.path().join("chapters/deep/a.md:5: there is no directive").display().to_string()),
        "{text}"
    );
    assert!(!out.exists());
    let root = small_book("", "# A\n");
    let error = build_with(root.path(), None, Fake::default()).unwrap_err().to_string();
    assert!(error.contains("a.md:1: a chapter's first line says"), "{error}");
}

#[test]
fn a_question_has_a_name_of_its_own() {
    let quiz = "{{#wb quiz twice words=lane of=wavefronts}}\nWhy?\n{{#wb because}}\nSo.\n{{#wb end}}\n";
    let root = small_book("", &format!("minutes: 3\n\n# A\n\n{quiz}\n{quiz}"));
    let error = build_with(root.path(), None, Fake::default()).unwrap_err().to_string();
    assert!(error.contains("a.md:11: the name twice is given in deep/a.md:5 already"), "{error}");
}

#[test]
fn a_contradicted_number_ends_with_exit_code_1() {
    let root = small_book("", "minutes: 3\n\n{{#wb closing}}\n");
    let error = build_with(root.path(), None, Fake { simulated: 1, measured: Some(2), ..Fake::default() }).unwrap_err();
    assert_eq!(error.exit_code(), 1);
}

#[test]
fn what_mdbook_only_logs_fails_the_build() {
    // mdBook logs this one and builds on with default settings.
    let root = small_book("[output.html]\nno-such-setting = 1\n", CHAPTER);
    let out = root.path().join("out");
    let error = build_with(root.path(), Some(&out), Fake::default()).unwrap_err();
    let BuildError::Complained(complaints) = &error else { panic!("{error}") };
    assert!(complaints.iter().any(|c| c.starts_with("error: ") && c.contains("output.html")), "{complaints:?}");
}

#[test]
fn a_missing_book_and_a_missing_chapter_are_refused() {
    let empty = tempfile::tempdir().unwrap();
    let error = build_with(empty.path(), None, Fake::default()).unwrap_err();
    assert!(matches!(&error, BuildError::NoBook(_)) && error.exit_code() == 2, "{error}");
    assert!(matches!(book::find(empty.path()), Err(BuildError::NoBook(_))));
    let root = small_book("", CHAPTER);
    fs::remove_file(root.path().join("chapters/b.md")).unwrap();
    let error = build_with(root.path(), None, Fake::default()).unwrap_err();
    assert!(matches!(error, BuildError::Refused(_)) && error.to_string().contains("b.md"), "{error}");
}

/// What mdBook writes to a preprocessor's standard input.
fn protocol_input(root: &Path) -> Vec<u8> {
    let book = mdbook_driver::MDBook::load(root).unwrap();
    let context =
        mdbook_preprocessor::PreprocessorContext::new(root.to_owned(), book.config.clone(), "html".to_owned());
    serde_json::to_vec(&(context, book.book)).unwrap()
}

#[test]
fn mdbooks_protocol_is_spoken_and_other_input_is_refused() {
    let root = small_book("", "minutes: 3\n\n# A\n");
    fs::write(root.path().join("chapters/b.md"), "minutes: 2\n\n# B\n\n{{#wb counter-index}}\n").unwrap();
    let mut output = Vec::new();
    book::preprocess(&*protocol_input(root.path()), &mut output).unwrap();
    let filled: mdbook_driver::book::Book = serde_json::from_slice(&output).unwrap();
    let text = serde_json::to_string(&filled).unwrap();
    assert!(text.contains(common::LD) && !text.contains("{{#wb"), "{text}");
    fs::write(root.path().join("chapters/b.md"), "minutes: 2\n\n{{#wb nothing}}\n").unwrap();
    let error = book::preprocess(&*protocol_input(root.path()), io::sink()).unwrap_err();
    assert!(
        matches!(&error, BuildError::Faults(_)) && error.to_string().contains("b.md:3: there is no directive"),
        "{error}"
    );
    let error = book::preprocess(&b"not JSON"[..], io::sink()).unwrap_err();
    assert!(matches!(error, BuildError::Refused(_)), "{error}");
}

#[test]
fn pages_of_the_reference_hang_below_the_chapter_that_asks_for_them() {
    let chapter = "minutes: 3\n\n# A\n\n{{#wb number kernel=one case=small of=\"shared load wavefronts\"}}\n";
    let root = small_book("", chapter);
    let index = "minutes: 2\n\n# B\n\n{{#wb counter-index}}\n\n{{#wb file fake.cu}}\n";
    fs::write(root.path().join("chapters/b.md"), index).unwrap();
    let out = root.path().join("out");
    build_with(root.path(), Some(&out), Fake::default()).unwrap();
    let overview = fs::read_to_string(out.join("b.html")).unwrap();
    assert!(overview.contains("href=\"b/shared.html#shared-load-wavefronts\""), "{overview}");
    let page = fs::read_to_string(out.join("b/shared.html")).unwrap();
    assert!(page.contains("id=\"shared-load-wavefronts\"") && page.contains(common::LD), "{page}");
    assert!(page.contains("What shared load wavefronts means.") && page.contains("href=\"../deep/a.html\">A</a>"));
    assert!(page.contains("<caption><code>one</code>, small:") && page.contains("No kernel of the workbook has"));
    assert!(page.contains("About 1 minute<"));
    let contents = fs::read_to_string(out.join("toc.html")).unwrap();
    assert!(contents.contains("b/shared.html") && !contents.contains("b/l1.html"), "{contents}");
    // A page that cannot be filled is named; links go through the folder of SUMMARY.md.
    let root = small_book("", "minutes: 3\n\n# A\n\n{{#wb counter-index}}\n");
    let error = build_with(root.path(), None, Fake::default()).unwrap_err().to_string();
    assert!(error.contains("deep/a.md:5: `counter-index` belongs into a chapter beside SUMMARY.md"), "{error}");
    let root = small_book("", "minutes: 3\n\n# A\n");
    fs::write(root.path().join("chapters/b.md"), "minutes: 2\n\n# B\n\n{{#wb counter-index}}\n").unwrap();
    let contradicted = Fake { simulated: 1, measured: Some(2), ..Fake::default() };
    assert!(build_with(root.path(), Some(&root.path().join("out")), contradicted).is_ok(), "`one` agrees");
}

fn our_book() -> PathBuf {
    book::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "html") {
            found.push(path);
        }
    }
}

/// Every `name="…"` in a page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(&*start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// What readers search for, and the page that teaches it: its words are in a heading, which weighs most in a search.
const TAUGHT: [(&str, &str); 7] = [
    ("coalescing", "machine/sectors.html"),
    ("occupancy", "machine/threads.html"),
    ("warp divergence", "machine/divergence.html"),
    ("bank conflicts", "machine/banks.html"),
    ("atomics contention", "machine/votes.html"),
    ("race conditions", "machine/barriers.html"),
    ("contention", "machine/votes.html"),
];

/// The exercises, each with the section of the book that it leads to.
fn sections() -> Vec<(String, String)> {
    let mut all = Vec::new();
    let folders = fs::read_dir(our_book().join("../exercises/solutions")).unwrap();
    for folder in folders {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            let text: toml::Table = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            let section = text.get("section").and_then(|section| section.as_str());
            all.extend(section.map(|section| (path.display().to_string(), section.to_owned())));
        }
    }
    assert!(all.len() > 20);
    all
}

/// Builds the real book from real runs and looks at every page: filled, and without a link that leads nowhere.
#[test]
fn our_book_is_built_from_real_runs_and_its_links_hold() {
    let records = kernels::truth::records().unwrap();
    let Some(scans) = records.iter().find(|r| r.problem == "scan" && r.provenance.slug() == sim::target::DEFAULT)
    else {
        kernels::testing::not_run("building the book from real runs", "no GPU is recorded in kernels/truth");
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let site = out.path().join("site");
    book::build(&our_book(), Some(&site)).unwrap_or_else(|error| panic!("{error}"));
    let mut found = Vec::new();
    pages(&site, &mut found);
    for path in &found {
        let page = fs::read_to_string(path).unwrap();
        assert!(!page.contains("{{#wb"), "{} has an unfilled directive", path.display());
        assert!(
            !page.contains("<desc>"),
            "{}: the search finds what drawings say to those who do not see",
            path.display()
        );
        if path.file_name().is_some_and(|name| name == "print.html" || name == "404.html" || name == "toc.html") {
            continue;
        }
        for link in attributes(&page, "href").into_iter().chain(attributes(&page, "src")) {
            if link.contains("://") || link.starts_with("data:") || link.is_empty() {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.is_file(), "{} links to {link}, which does not exist", path.display());
            if !fragment.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                assert!(
                    attributes(&text, "id").contains(&fragment),
                    "{} links to {link}: no such place",
                    path.display()
                );
            }
        }
    }
    for (exercise, section) in sections() {
        let (file, id) = section.split_once('#').unwrap_or((&section, ""));
        let text = fs::read_to_string(site.join(file.replacen(".md", ".html", 1))).unwrap();
        // The script of the first page leads on to the page of the chapter that has the place.
        let moved = text.split("class=\"wb-moved\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let moved: std::collections::BTreeMap<String, String> =
            moved.map(|list| serde_json::from_str(list).unwrap()).unwrap_or_default();
        let text = moved.get(id).map(|page| fs::read_to_string(site.join(page)).unwrap()).unwrap_or(text);
        assert!(id.is_empty() || attributes(&text, "id").contains(&id), "{exercise} leads to {section}: no such place");
    }
    for (words, page) in TAUGHT {
        let text = fs::read_to_string(site.join(page)).unwrap().to_lowercase();
        let taught = text
            .split("<h")
            .skip(1)
            .filter_map(|rest| rest.split_once("</h"))
            .any(|(head, _)| head.starts_with(['1', '2', '3']) && words.split(' ').all(|word| head.contains(word)));
        assert!(
            taught,
            "no heading of {page} says `{words}`, so a search finds the word's entry and not the page on it"
        );
    }
    let scan = fs::read_to_string(site.join("scan.html")).unwrap();
    let case = kernels::cases::all()
        .into_iter()
        .find(|c| c.version == "scan_blelloch" && c.name == "tile 512, 1 block")
        .unwrap();
    let recorded = scans.case(&case).unwrap().metrics();
    let wavefronts: u64 = [common::LD, common::ST].iter().map(|metric| recorded[*metric]).sum();
    assert!(scan.contains(&format!("<b>{wavefronts}</b> wavefronts")), "the page shows the recorded wavefronts");
    let runnable: Vec<_> = commands(&scan).into_iter().filter(|words| words[0].ends_with(".ptx")).collect();
    assert!(!runnable.is_empty());
    for words in runnable {
        let report = run_command(&words);
        assert!(report.findings.is_empty() && report.metric(common::LD) > 0, "{words:?}: {:?}", report.findings);
    }
    let truth = fs::read_to_string(site.join("truth.html")).unwrap();
    assert!(truth.contains("exact counters agree") && truth.contains(&scans.provenance.gpu));
    for kind in sim::report::FindingKind::ALL {
        let page = fs::read_to_string(site.join(format!("checks/{}.html", kind.name()))).unwrap();
        assert!(page.contains(&format!("[{}]", kind.name())), "{} is shown", kind.name());
    }
    let counters = fs::read_to_string(site.join("counters.html")).unwrap();
    for counter in kernels::counters::EXACT {
        assert!(counters.contains(counter.metric), "{} is on the page of counters", counter.metric);
    }
}

/// The `sim FILE.ptx …` commands of a chapter's page as a reader types them, word by word.
fn commands(page: &str) -> Vec<Vec<&str>> {
    let blocks = page.split("cargo run --release -- sim ").skip(1).filter_map(|rest| rest.split("</code>").next());
    blocks.map(|block| block.split_whitespace().filter(|word| *word != "\\").collect()).collect()
}

/// Runs a command as `warpbook sim` would, and returns the report.
fn run_command(words: &[&str]) -> sim::Report {
    let after = |name: &str| words.iter().position(|word| *word == name).map(|at| words[at + 1]);
    let text = fs::read_to_string(our_book().join("..").join(words[0])).unwrap();
    let args = words.windows(2).filter(|pair| pair[0] == "--arg").map(|pair| match pair[1].split_once(':') {
        Some(("zeros", bytes)) => sim::Arg::Zeros(bytes.parse().unwrap()),
        _ => sim::Arg::Scalar(sim::Scalar::parse(pair[1]).unwrap()),
    });
    let launch = sim::Launch {
        grid: after("--grid").unwrap().parse().unwrap(),
        block: after("--block").unwrap().parse().unwrap(),
        shared_bytes: after("--shared").unwrap().parse().unwrap(),
        args: args.collect(),
    };
    let module = sim::Module::parse(words[0], &text).unwrap();
    sim::simulate(&module, after("--kernel").unwrap(), &launch, &sim::Options::default()).unwrap().report
}
