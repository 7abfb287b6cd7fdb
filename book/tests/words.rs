//! The words of the texts: what `words.toml` lists is in no chapter, no help text, no message and no claim.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    word: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    word: String,
    instead: String,
    #[serde(default)]
    but: Vec<String>,
}

/// A word of the list, ready to be looked for.
struct Discouraged {
    pattern: Regex,
    instead: String,
    but: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The list, read once.
static DISCOURAGED: LazyLock<Vec<Discouraged>> = LazyLock::new(|| {
    let list: List = toml::from_str(include_str!("../words.toml")).unwrap();
    let ready = |Entry { word, instead, but }: Entry| {
        // The blanks of a phrase may be the end of a line and what is left in front of the next.
        let pattern = format!(r"\b(?:{})\b", word.replace(' ', " +"));
        let pattern = RegexBuilder::new(&pattern).case_insensitive(true).build().unwrap_or_else(|e| panic!("{e}"));
        Discouraged { pattern, instead, but }
    };
    list.word.into_iter().map(ready).collect()
});

/// A pattern, compiled once.
fn regex(pattern: &str) -> Regex {
    static READ: Mutex<BTreeMap<String, Regex>> = Mutex::new(BTreeMap::new());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    read.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).unwrap()).clone()
}

/// `text` with everything that `pattern` matches blanked out; lines stay.
fn without(text: &str, pattern: &str) -> String {
    let pattern = regex(pattern);
    let blank =
        |found: &regex::Captures<'_>| found[0].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect::<String>();
    pattern.replace_all(text, blank).into_owned()
}

/// The sentences of Markdown: without fences, code, places of links, and quotations. Of directives only what readers see.
fn prose(text: &str) -> String {
    let mut open: Option<String> = None;
    let mut lines = String::new();
    for line in text.lines() {
        let plain = line.trim_start();
        let ticks = plain.len() - plain.trim_start_matches('`').len();
        match &open {
            Some(mark) if ticks >= mark.len() && plain[ticks..].trim().is_empty() => open = None,
            Some(_) => {}
            None if ticks >= 3 => open = Some(plain[..ticks].to_owned()),
            None => lines += line,
        }
        lines.push('\n');
    }
    let hidden = r#"(?s)\{\{#wb (number|ratio|claim|hold|quiz|predict|again|wrong|ladder|compare|counters|lines|source|file|command|finding)\b.*?\}\}"#;
    ["(?s)`[^`]*`", hidden, r"\]\([^)]*\)", "“[^”]*”"].iter().fold(lines, |text, pattern| without(&text, pattern))
}

/// The string literals of Rust code that are sentences, and the comments in front of items that are help texts where
/// `help` says so; everything else is blanked out. What follows `#[cfg(test)]` is no text of the program.
fn literals(code: &str, help: bool) -> String {
    let code = code.split("\n#[cfg(test)]").next().unwrap_or_default();
    let mut text = String::new();
    let mut rest = code;
    // Blank, but for ends of lines: the lines of the result are those of the code.
    let blank =
        |skipped: &str, text: &mut String| text.extend(skipped.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
    let token = regex(r##"(?s)//[^\n]*|/\*.*?\*/|r#"(?:.*?)"#|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\[^\n]{1,8}?)'"##);
    while let Some(found) = token.find(rest) {
        blank(&rest[..found.start()], &mut text);
        let own = found.as_str();
        let sentence = own.starts_with(['"', 'r']) && own.trim_matches(['r', '#', '"']).trim().contains(' ');
        let is_help = help && own.starts_with("///");
        if sentence || is_help {
            // A line that ends with a backslash goes on without the blanks before the next.
            text += &own.replace("\\\n", " \n").replace("\\n", "  ");
        } else {
            blank(own, &mut text);
        }
        rest = &rest[found.end()..];
    }
    blank(rest, &mut text);
    without(&without(&text, "(?s)`[^`\n]*`"), "“[^”]*”")
}

/// Where a text has words of the list: the line, the word, and what to write instead.
fn faults(text: &str) -> Vec<(usize, String, String)> {
    // A phrase may go over the end of a line.
    let flat: String = text.chars().map(|c| if c == '\n' { ' ' } else { c }).collect();
    let squeezed = regex(" +");
    let mut faults = Vec::new();
    for Discouraged { pattern, instead, but } in &*DISCOURAGED {
        for found in pattern.find_iter(&flat) {
            let (from, to) = (floor(&flat, found.start().saturating_sub(40)), ceil(&flat, found.end() + 40));
            let around = squeezed.replace_all(&flat[from..to], " ").to_lowercase();
            if but.iter().any(|phrase| around.contains(&phrase.to_lowercase())) {
                continue;
            }
            let line = text[..found.start()].matches('\n').count() + 1;
            faults.push((line, found.as_str().to_owned(), instead.clone()));
        }
    }
    faults
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

/// The files below `folder` whose name ends so.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            // What tests say among themselves is no text of the program.
            let of_tests = path.file_stem().is_some_and(|stem| stem == "tests");
            if of_tests {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Looks at every file, and demands that there are some.
fn check(files: &[PathBuf], text_of: impl Fn(&str) -> String) {
    assert!(!files.is_empty());
    let mut told = Vec::new();
    for path in files {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let short = path.strip_prefix(root()).unwrap_or(path).display();
        for (line, word, instead) in faults(&text_of(&text)) {
            told.push(format!("{short}:{line}: “{word}”; write {instead}"));
        }
    }
    assert!(told.is_empty(), "{} discouraged words (words.toml):\n{}", told.len(), told.join("\n"));
}

#[test]
fn a_planted_word_is_found_and_quotations_and_code_are_not_looked_at() {
    let text = "Fine.\n\nThe lanes\nmeet in a picture.\n\n```text\nmend it\n```\n\nHe says “mend it”; `mend` it, as in [x](mend.md).\n\
                {{#wb number kernel=mend of=\"the picture\"}} {{#wb figure lanes caption=\"A dear one.\"}}\n";
    let found: Vec<(usize, String)> = faults(&prose(text)).into_iter().map(|(line, word, _)| (line, word)).collect();
    let words = [(3, "lanes meet"), (4, "picture"), (11, "dear")];
    assert_eq!(found.len(), words.len(), "{found:?}");
    for (line, word) in words {
        assert!(found.contains(&(line, word.to_owned())), "{word} in {found:?}");
    }
    let code = "/// A picture of help.\nfn mend() { // mend\n    tell(\"the lanes \\\n     meet `mend`\"); other(\"mend\", 'm', r#\"a roof, too\"#);\n}\n\
                #[cfg(test)]\nmod tests { const X: &str = \"to mend it\"; }\n";
    let found: Vec<String> = faults(&literals(code, true)).into_iter().map(|(_, word, _)| word).collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(faults(&literals(code, false)).len(), 2, "comments are no texts of the program");
}

#[test]
fn every_word_of_the_list_is_found_in_a_text_of_its_own() {
    let text = "the seeds, roofs, recorded cases, of the record, lanes part, lanes meet, sit out, go on together, exchanges, take turns, \
                under way, on its way to, hand-over, excess, pictures, dearest, mended, stand in, comes by, how-manieth, 1 lanes are, \
                is told, nobody, held against, set side by side, turned round, a bargain, the copy engine, in step, at hand";
    for Discouraged { pattern, .. } in &*DISCOURAGED {
        assert!(pattern.is_match(text), "{pattern} finds nothing in the test's text: say there what it is for");
    }
}

#[test]
fn the_chapters_and_the_readme_use_the_fields_words() {
    let root = root();
    let mut all = files(&root.join("book/chapters"), ".md");
    all.extend(files(&root.join("book/reference"), ".md"));
    all.extend(["README.md", "book/AUTHORING.md", "exercises/AUTHORING.md"].map(|name| root.join(name)));
    check(&all, prose);
}

#[test]
fn the_help_and_the_messages_use_the_fields_words() {
    let root = root();
    check(&files(&root.join("src"), "cli.rs"), |code| literals(code, true));
    for folder in [
        "src",
        "sim/src",
        "kernels/cuda/front/src",
        "kernels/cuda/src",
        "kernels/launch/src",
        "kernels/src",
        "exercises/src",
        "book/src",
    ] {
        check(&files(&root.join(folder), ".rs"), |code| literals(code, false));
    }
}

#[test]
fn the_claims_use_the_fields_words() {
    check(&[root().join("kernels/claims/claims.toml")], prose);
}
