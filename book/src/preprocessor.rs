//! The mdBook preprocessor: fills every chapter of a book.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mdbook_preprocessor::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::directive::{Piece, pieces};
use crate::fault::{Fault, Faults, Reason};
use crate::fill::Filler;
use crate::parts::{self, Outline, Part};
use crate::reference;
use crate::runs::Runs;
use crate::{commands, console};

/// The preprocessor's name in `book.toml`.
pub const NAME: &str = "warpbook";

/// The preprocessor, with the runs that it fills chapters from.
pub struct Warpbook<R> {
    runs: R,
    /// The chapters to fill; all where it is empty.
    only: Vec<PathBuf>,
}

impl<R: Runs> Warpbook<R> {
    /// A preprocessor that fills chapters from `runs`.
    pub fn new(runs: R) -> Self {
        Self { runs, only: Vec::new() }
    }

    /// A preprocessor that fills only the chapters with these paths, from the folder of the chapters.
    pub fn only(runs: R, chapters: Vec<PathBuf>) -> Self {
        Self { runs, only: chapters }
    }

    /// Fills the chapters of `book`. `sources` is the folder of the chapters' files, for messages.
    ///
    /// # Errors
    /// Everything that is wrong with any chapter.
    pub fn fill(&self, sources: &Path, book: &mut Book) -> Result<(), Faults> {
        let mut faults = reference::insert(&self.runs, sources, book);
        let pages = file_pages(book);
        faults.extend(twice(sources, book));
        let mut cut = BTreeMap::new();
        book.for_each_chapter_mut(|chapter| {
            let Some(path) = chapter.path.clone() else { return };
            // With a chapter goes what is made for it.
            let is_wanted = |own: &PathBuf| *own == path || path.starts_with(own.with_extension(""));
            if !self.only.is_empty() && !self.only.iter().any(is_wanted) {
                return;
            }
            let file = sources.join(chapter.source_path.as_ref().unwrap_or(&path));
            let to_root = "../".repeat(path.components().count().saturating_sub(1));
            let below = path.file_stem().map(|stem| format!("{}/", stem.to_string_lossy())).unwrap_or_default();
            let filler = Filler::new(&self.runs, &pages, &to_root).with_pages_below(&below);
            let mut report = |(line, reason)| faults.push(Fault { file: file.clone(), line, reason });
            match take_minutes(&chapter.content) {
                Ok(minutes) => match filler.fill(&chapter.content) {
                    Ok(text) => {
                        let body = text.split_once('\n').map_or("", |(_, body)| body).trim_start();
                        let outline = Outline::read(&chapter.content);
                        match parts::cut(&chapter.name, &path, body, &outline, minutes) {
                            Ok(parts) => {
                                let shown = |part: Part| {
                                    let text = console::narrow(&commands::typed(&part.shown()));
                                    for (columns, line) in console::too_wide(&text) {
                                        let message = format!(
                                            "code of {columns} columns is cut off, {} are shown: `{line}`",
                                            console::WIDTH
                                        );
                                        report((1, Reason::Wrong(message)));
                                    }
                                    (part, text)
                                };
                                cut.insert(path, parts.into_iter().map(shown).collect());
                            }
                            Err(message) => report((1, Reason::Wrong(message))),
                        }
                    }
                    Err(all) => all.into_iter().for_each(report),
                },
                Err(message) => report((1, Reason::Wrong(message))),
            }
        });
        if let Err((path, message)) = parts::place(book, cut) {
            faults.push(Fault { file: sources.join(path), line: 1, reason: Reason::Wrong(message) });
        }
        if faults.is_empty() { Ok(()) } else { Err(Faults(faults)) }
    }
}

impl<R: Runs> Preprocessor for Warpbook<R> {
    fn name(&self) -> &str {
        NAME
    }

    fn run(&self, ctx: &PreprocessorContext, mut book: Book) -> anyhow::Result<Book> {
        self.fill(&ctx.root.join(&ctx.config.book.src), &mut book)?;
        Ok(book)
    }
}

/// Questions, explorers, panels, steppers and figures that play whose name another one of the book has: readers' answers are kept under it.
fn twice(sources: &Path, book: &Book) -> Vec<Fault> {
    let (mut seen, mut faults) = (BTreeMap::new(), Vec::new());
    for item in book.iter() {
        let BookItem::Chapter(Chapter { path: Some(path), content, .. }) = item else { continue };
        for piece in pieces(content).unwrap_or_default() {
            let Piece::Directive(mut directive) = piece else { continue };
            let id = match &*directive.name.clone() {
                "quiz" => directive.word("a name").ok(),
                "explorer" | "panel" | "stepper" | "play" => directive.maybe("id"),
                _ => None,
            };
            let Some(id) = id else { continue };
            let place = format!("{}:{}", path.display(), directive.line);
            if let Some(first) = seen.get(&id) {
                let reason = Reason::Wrong(format!("the name {id} is given in {first} already"));
                faults.push(Fault { file: sources.join(path), line: directive.line, reason });
            } else {
                seen.insert(id, place);
            }
        }
    }
    faults
}

/// Which page of the site shows a whole source file: the first chapter with `{{#wb file NAME}}`.
fn file_pages(book: &Book) -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for item in book.iter() {
        let BookItem::Chapter(Chapter { path: Some(path), content, .. }) = item else { continue };
        // A chapter with malformed directives is reported when it is filled.
        for piece in pieces(content).unwrap_or_default() {
            let Piece::Directive(mut directive) = piece else { continue };
            if let ("file", Ok(file)) = (&*directive.name.clone(), directive.word("a file")) {
                pages.entry(file).or_insert_with(|| page_of(path));
            }
        }
    }
    pages
}

/// The page that mdBook makes of a chapter, from the site's root.
fn page_of(path: &Path) -> String {
    let page: PathBuf = path.with_extension("html");
    let parts: Vec<_> = page.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// The number in a chapter's first line, `minutes: 25`: how long a reader needs.
fn take_minutes(text: &str) -> Result<u32, String> {
    let first = text.lines().next().unwrap_or_default();
    let minutes = first.strip_prefix("minutes:").and_then(|minutes| minutes.trim().parse().ok());
    minutes.filter(|minutes| *minutes > 0).ok_or_else(|| {
        format!("a chapter's first line says how long a reader needs, such as `minutes: 25`; this one is `{first}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_taken_from_the_first_line() {
        assert_eq!(take_minutes("minutes: 25\n\n# Scan"), Ok(25));
        assert!(take_minutes("# Scan\n").unwrap_err().contains("`minutes: 25`; this one is `# Scan`"));
        assert!(take_minutes("minutes: 0").is_err() && take_minutes("minutes: soon").is_err());
    }

    #[test]
    fn pages_are_named_as_mdbook_names_them() {
        assert_eq!(page_of(Path::new("sources/scan.md")), "sources/scan.html");
    }
}
