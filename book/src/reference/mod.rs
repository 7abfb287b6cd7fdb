//! The generated reference: a page for every kind of finding, one for every family of counters, and one for every group of
//! exercises.
//!
//! A chapter with the directive `finding-index`, `counter-index` or `exercise-index` gets these pages as sub-chapters. They are made from
//! the simulator's own lists, from the records, from the texts of the other chapters and from the descriptions of the
//! exercises, as Markdown with directives, which are then filled like those of any chapter.

pub(crate) mod counters;
pub(crate) mod exercises;
pub(crate) mod findings;

use std::path::{Path, PathBuf};

use mdbook_preprocessor::book::{Book, BookItem, Chapter, SectionNumber};

use crate::directive::{Directive, Piece, pieces};
use crate::fault::{Fault, Reason};
use crate::runs::Runs;
use exercises::Exercise;

/// A page that is made and not written.
pub(crate) struct Page {
    /// The last part of its path, without `.md`.
    pub(crate) slug: String,
    /// Its title.
    pub(crate) title: String,
    /// Markdown with directives, below the title.
    pub(crate) text: String,
    /// How long a reader needs, in minutes.
    pub(crate) minutes: u32,
}

/// What pages are made from.
pub(crate) struct Sources<'a> {
    pub(crate) runs: &'a dyn Runs,
    /// The written chapters: path, title and text.
    pub(crate) chapters: Vec<(PathBuf, String, String)>,
    /// The exercises; none where the book has no course beside it.
    pub(crate) exercises: Vec<Exercise>,
}

/// Adds the pages that the chapters of `book` ask for. `sources` is the folder of the chapters' files.
pub(crate) fn insert(runs: &dyn Runs, sources: &Path, book: &mut Book) -> Vec<Fault> {
    let wanted: Vec<(PathBuf, Directive)> = written(book)
        .flat_map(|chapter| directives(chapter).into_iter().map(|d| (chapter.path.clone().unwrap_or_default(), d)))
        .filter(|(_, directive)| matches!(&*directive.name, "finding-index" | "counter-index" | "exercise-index"))
        .collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut faults = Vec::new();
    // The course lies beside the book; a book that is somewhere else has none.
    let place = std::path::absolute(sources).unwrap_or_else(|_| sources.to_owned());
    let course = place.parent().and_then(Path::parent).map(|root| root.join("exercises"));
    let exercises = exercises::read(course.as_deref()).unwrap_or_else(|(file, why)| {
        faults.push(Fault { file, line: 1, reason: Reason::Wrong(why) });
        Vec::new()
    });
    let text = |c: &Chapter| (c.path.clone().unwrap_or_default(), c.name.clone(), c.content.clone());
    let from = Sources { runs, chapters: written(book).map(text).collect(), exercises };
    for (path, directive) in wanted {
        // The links between the pages and the rest of the book go through the folder of SUMMARY.md.
        if path.components().count() != 1 {
            let why = format!("`{}` belongs into a chapter beside SUMMARY.md, not in a folder below", directive.name);
            faults.push(Fault { file: sources.join(&path), line: directive.line, reason: Reason::Wrong(why) });
            continue;
        }
        let pages = match &*directive.name {
            "finding-index" => findings::pages(&from),
            "counter-index" => counters::pages(&from),
            _ => {
                list_exercises(book, &path, &from.exercises);
                Ok(exercises::pages(&from.exercises))
            }
        };
        match pages {
            Ok(pages) => add(book, &path, pages),
            Err(reason) => faults.push(Fault { file: sources.join(&path), line: directive.line, reason }),
        }
    }
    faults
}

/// The chapters with a file.
fn written(book: &Book) -> impl Iterator<Item = &Chapter> {
    book.chapters()
}

/// The directives of a chapter; one that cannot be read is reported when the chapter is filled.
fn directives(chapter: &Chapter) -> Vec<Directive> {
    let of = |piece| if let Piece::Directive(directive) = piece { Some(directive) } else { None };
    pieces(&chapter.content).unwrap_or_default().into_iter().filter_map(of).collect()
}

/// Puts the list of exercises into its chapter: only here it is known whether there is a course.
fn list_exercises(book: &mut Book, path: &Path, exercises: &[Exercise]) {
    if exercises.is_empty() {
        return;
    }
    let list = exercises::index(exercises, &format!("{}/", path.with_extension("").display())).into_string();
    book.for_each_chapter_mut(|chapter| {
        if chapter.path.as_deref() == Some(path) {
            chapter.content = chapter.content.replace("{{#wb exercise-index}}", &list);
        }
    });
}

/// Hangs pages under the chapter with this path.
fn add(book: &mut Book, parent: &Path, pages: Vec<Page>) {
    let mut pages = Some(pages);
    book.for_each_chapter_mut(|chapter| {
        if chapter.path.as_deref() != Some(parent) {
            return;
        }
        for page in pages.take().into_iter().flatten() {
            let Page { slug, title, text, minutes } = page;
            let mut names = chapter.parent_names.clone();
            names.push(chapter.name.clone());
            let content = format!("minutes: {minutes}\n\n# {title}\n\n{text}");
            let path = parent.with_extension("").join(format!("{slug}.md"));
            let mut own = Chapter::new(&title, content, path, names);
            own.number = chapter.number.as_ref().map(|number| {
                let mut number = number.clone();
                number.push(chapter.sub_items.len() as u32 + 1);
                SectionNumber::new(number.to_vec())
            });
            chapter.sub_items.push(BookItem::Chapter(own));
        }
    });
}

/// A list of links in a sentence, or a dash.
pub(crate) fn listed(links: &[String]) -> String {
    if links.is_empty() { "–".to_owned() } else { links.join(", ") }
}

/// The heading's identifier, as mdBook makes it of a plain title.
pub(crate) fn anchor(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}
