//! Long chapters, cut into pages of the site where they have `{{#wb page SLUG "Title"}}`.
//!
//! A chapter stays one file, is filled as a whole and cut afterwards: the first page keeps its path, and the others lie beside
//! it, `histogram-copies.md` beside `histogram.md`, below it in the table of contents. Every page names the others, and ends
//! with the versions that the reader knows by then (`{{#wb summary …}}`). Links to a place in the chapter are led to its page.

mod places;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mdbook_preprocessor::book::{Book, BookItem, Chapter, SectionNumber};

use crate::directive::{Directive, Piece, pieces};
use crate::home::Home;
use crate::html::{Markdown, Markup, html};
use crate::summary;
use places::Places;

/// What a mark in a filled chapter begins with; it ends at the comment's end.
const MARK: &str = "<!--wb-page ";

/// What a chapter's text says of its pages before it is filled.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    homes: BTreeMap<String, Home>,
    /// The words of each page.
    words: Vec<usize>,
}

/// `page SLUG "Title"`: the mark at which the chapter is cut.
pub(crate) fn mark(directive: &mut Directive) -> Result<Markdown, String> {
    let slug = directive.word("the last part of the page's path, such as `copies`")?;
    let title = directive.word("a title, such as \"Copies of the bins\"")?;
    if !slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') || slug.is_empty() {
        return Err(format!("`{slug}` names no page: use small letters, digits and `-`"));
    }
    Ok(format!("{MARK}{slug}|{title}-->\n").into())
}

impl Outline {
    /// Reads a chapter with its directives.
    pub(crate) fn read(text: &str) -> Self {
        let mut outline = Self { words: vec![0], ..Self::default() };
        // How good a place is: the version's own listing, then its counters, then its time.
        let mut found: BTreeMap<String, (u8, Home)> = BTreeMap::new();
        let mut anchor = None;
        for piece in pieces(text).unwrap_or_default() {
            let page = outline.words.len() - 1;
            match piece {
                Piece::Text(text) => {
                    outline.words[page] += text.split_whitespace().count();
                    anchor = headings(text).last().or(anchor);
                }
                Piece::Directive(own) if own.name == "page" => {
                    outline.words.push(0);
                    anchor = None;
                }
                Piece::Directive(mut own) => {
                    let rank = match &*own.name {
                        "source" => 0,
                        "counters" | "compare" | "lines" | "bars" | "wrong" => 1,
                        "ladder" => 2,
                        _ => continue,
                    };
                    let place =
                        own.word("").ok().and_then(|place| place.split_once(':').map(|(_, name)| name.to_owned()));
                    let named = ["kernel", "kernels", "versions"].into_iter().filter_map(|option| own.maybe(option));
                    let named: Vec<String> = named
                        .flat_map(|names| names.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
                        .collect();
                    for name in place.into_iter().filter(|_| rank == 0).chain(named) {
                        let home = Home { page, anchor: anchor.clone() };
                        let better = found.get(&name).is_none_or(|(known, _)| rank < *known);
                        if better {
                            found.insert(name, (rank, home));
                        }
                    }
                }
            }
        }
        outline.homes = found.into_iter().map(|(name, (_, home))| (name, home)).collect();
        outline
    }

    /// The minutes of a page: its share of the chapter's words.
    fn minutes(&self, page: usize, minutes: u32) -> u32 {
        let all: usize = self.words.iter().sum::<usize>().max(1);
        let own = self.words.get(page).copied().unwrap_or(0);
        ((minutes as usize * own + all / 2) / all).max(1) as u32
    }
}

/// One page of a chapter.
#[derive(Debug)]
pub(crate) struct Part {
    /// Nothing for the first, which keeps the chapter's path.
    slug: Option<String>,
    title: String,
    text: String,
    minutes: u32,
}

impl Part {
    /// The page with a line for the reader below its title, that says how long it takes.
    pub(crate) fn shown(&self) -> String {
        let unit = if self.minutes == 1 { "minute" } else { "minutes" };
        let line = html! { p class="wb-minutes" { "About " (self.minutes) " " (unit) } "\n" }.into_string();
        match self.text.split_once('\n') {
            Some((title, rest)) if title.starts_with("# ") => format!("{title}\n\n{line}\n{rest}"),
            _ => format!("{line}\n{}", self.text),
        }
    }
}

/// Cuts a filled chapter with its title at its marks, gives each page its links to the others, and its summary.
///
/// # Errors
/// Two pages with one name.
pub(crate) fn cut(name: &str, path: &Path, text: &str, outline: &Outline, minutes: u32) -> Result<Vec<Part>, String> {
    let (text, rows) = summary::take(text);
    let mut parts: Vec<Part> = Vec::new();
    for (at, piece) in text.split(MARK).enumerate() {
        let (slug, title, text) = match piece.split_once("-->").filter(|_| at > 0) {
            Some((head, text)) => {
                let (slug, title) = head.split_once('|').unwrap_or((head, head));
                (Some(slug.to_owned()), title.to_owned(), format!("# {title}\n\n{}", text.trim_start()))
            }
            None => (None, name.to_owned(), piece.to_owned()),
        };
        if slug.is_some() && parts.iter().any(|part| part.slug == slug) {
            return Err(format!("two pages of this chapter are named `{}`", slug.unwrap_or_default()));
        }
        parts.push(Part { slug, title, text, minutes: outline.minutes(at, minutes) });
    }
    let count = parts.len();
    if count == 1 {
        parts[0].minutes = minutes;
    }
    let files: Vec<String> = parts.iter().map(|part| file_name(path, part, "html")).collect();
    let titles: Vec<String> = parts.iter().map(|part| part.title.clone()).collect();
    for (at, part) in parts.iter_mut().enumerate() {
        let summary = summary::shown(&rows, &outline.homes, &files, at, name).into_string();
        let navigation =
            if count > 1 { navigation(name, &titles, &files, at).into_string() + "\n\n" } else { String::new() };
        part.text = match part.text.split_once('\n') {
            Some((title, rest)) if title.starts_with("# ") => {
                format!("{title}\n\n{navigation}{}\n\n{summary}", rest.trim())
            }
            _ => format!("{navigation}{}\n\n{summary}", part.text.trim()),
        };
    }
    Ok(parts)
}

/// The list of a chapter's pages.
fn navigation(name: &str, titles: &[String], files: &[String], own: usize) -> Markup {
    html! {
        nav class="wb-pages" aria-label="The pages of this chapter" {
            "\n"
            p { "Page " (own + 1) " of " (titles.len()) " of “" (name) "”" }
            "\n"
            ol {
                "\n"
                @for (at, (title, file)) in titles.iter().zip(files).enumerate() {
                    @if at == own { li aria-current="page" { (title) } }
                    @else { li { a href=(file) { (title) } } }
                    "\n"
                }
            }
            "\n"
        }
    }
}

/// The name of a page's file, beside the chapter's.
fn file_name(chapter: &Path, part: &Part, extension: &str) -> String {
    let stem = chapter.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    match &part.slug {
        Some(slug) => format!("{stem}-{slug}.{extension}"),
        None => format!("{stem}.{extension}"),
    }
}

/// Puts the pages of chapters into the book, by the chapter's path, and leads all links to the right page.
///
/// # Errors
/// A page whose path another chapter has.
pub(crate) fn place(book: &mut Book, mut cut: BTreeMap<PathBuf, Vec<(Part, String)>>) -> Result<(), (PathBuf, String)> {
    let taken: BTreeSet<PathBuf> = book.chapters().filter_map(|chapter| chapter.path.clone()).collect();
    let mut places = Places::default();
    let mut clash = None;
    book.for_each_chapter_mut(|chapter| {
        let Some(path) = chapter.path.clone() else { return };
        let Some(parts) = cut.remove(&path) else { return };
        let mut own = BTreeMap::new();
        let mut items = Vec::new();
        for (part, content) in parts {
            let page = path.with_file_name(file_name(&path, &part, "md"));
            for id in identifiers(&content) {
                own.entry(id).or_insert_with(|| page.clone());
            }
            if part.slug.is_none() {
                chapter.content = content;
                continue;
            }
            if taken.contains(&page) {
                clash = Some((
                    path.clone(),
                    format!("a page of this chapter would be {}, which is a chapter", page.display()),
                ));
            }
            let mut names = chapter.parent_names.clone();
            names.push(chapter.name.clone());
            let mut item = Chapter::new(&part.title, content, page, names);
            item.source_path.clone_from(&chapter.source_path);
            item.number = chapter.number.as_ref().map(|number| {
                let mut number = number.to_vec();
                number.push(items.len() as u32 + 1);
                SectionNumber::new(number)
            });
            items.push(BookItem::Chapter(item));
        }
        // Pages that are made for the chapter come after its own.
        for item in &mut chapter.sub_items {
            if let BookItem::Chapter(Chapter { number: Some(number), .. }) = item
                && let Some(last) = number.last_mut()
            {
                *last += items.len() as u32;
            }
        }
        items.append(&mut chapter.sub_items);
        chapter.sub_items = items;
        let moved: BTreeMap<&str, String> = own
            .iter()
            .filter(|(_, page)| **page != path)
            .map(|(id, page)| {
                (&**id, page.with_extension("html").file_name().unwrap_or_default().to_string_lossy().into_owned())
            })
            .collect();
        if !moved.is_empty() {
            let list = serde_json::to_string(&moved).unwrap_or_default();
            let script = html! { script type="application/json" class="wb-moved" { (markup::json(&list)) } "\n" };
            chapter.content += "\n\n";
            chapter.content += &script.into_string();
        }
        places.0.insert(path, own);
    });
    if let Some(clash) = clash {
        return Err(clash);
    }
    book.for_each_chapter_mut(|chapter| {
        if let Some(path) = &chapter.path {
            let source = chapter.source_path.as_ref().filter(|source| places.0.contains_key(*source));
            chapter.content = places.lead(path, source.unwrap_or(path), &chapter.content);
        }
    });
    Ok(())
}

/// The identifiers that mdBook gives the headings of a text, in their order.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let mut fenced = false;
    text.lines().filter_map(move |line| {
        fenced ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        let is_heading = !fenced && (1..=6).contains(&level) && title.starts_with(' ');
        is_heading.then(|| identifier(title.trim()))
    })
}

/// The identifier that mdBook makes of a title.
fn identifier(title: &str) -> String {
    let kept = title.chars().filter_map(|c| match c {
        c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}

/// All identifiers of a filled page.
fn identifiers(text: &str) -> Vec<String> {
    let given = text.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned);
    headings(text).chain(given).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Bins\n\nOne [two](#second) words.\n\n## First\n\n<!--wb-page more|More of it-->\n\n## Second\n\nSee [one](#first).\n";

    fn parts() -> Vec<Part> {
        cut("Bins", Path::new("deep/bins.md"), TEXT, &Outline { words: vec![30, 10], ..Outline::default() }, 20)
            .unwrap()
    }

    #[test]
    fn a_chapter_is_cut_at_its_marks_and_each_page_names_the_others() {
        let parts = parts();
        assert_eq!(parts.iter().map(|part| part.minutes).collect::<Vec<_>>(), [15, 5]);
        assert!(parts[0].text.starts_with("# Bins\n\n<nav") && parts[1].text.starts_with("# More of it\n\n<nav"));
        assert!(parts[0].text.contains("<li><a href=\"bins-more.html\">More of it</a></li>"), "{}", parts[0].text);
        assert!(parts[1].text.contains("<li aria-current=\"page\">More of it</li>"));
        assert!(parts[0].text.contains("## First") && !parts[0].text.contains("## Second"));
        let one = cut("Bins", Path::new("bins.md"), "# Bins\n\nText.\n", &Outline::read("# Bins"), 9).unwrap();
        assert!(one.len() == 1 && one[0].minutes == 9 && !one[0].text.contains("<nav"));
        let twice = format!("{TEXT}{TEXT}");
        assert!(cut("Bins", Path::new("bins.md"), &twice, &Outline::default(), 9).unwrap_err().contains("`more`"));
    }

    #[test]
    fn links_lead_to_the_page_that_has_the_place() {
        let mut book = Book::new();
        for (name, path, content) in [
            ("Bins", "deep/bins.md", TEXT),
            (
                "Other",
                "other.md",
                "[a](deep/bins.md#second) <a href=\"deep/bins.html#second\">b</a> [c](deep/bins.md#first) [d](x.md#second)",
            ),
        ] {
            book.push_item(Chapter::new(name, content.to_owned(), path, Vec::new()));
        }
        let with_text = |part: Part| {
            let text = part.text.clone();
            (part, text)
        };
        let cut = BTreeMap::from([(PathBuf::from("deep/bins.md"), parts().into_iter().map(with_text).collect())]);
        place(&mut book, cut).unwrap();
        let text =
            |path: &str| book.chapters().find(|c| c.path.as_deref() == Some(Path::new(path))).unwrap().content.clone();
        assert!(text("deep/bins.md").contains("[two](bins-more.html#second)"), "{}", text("deep/bins.md"));
        assert!(
            text("deep/bins.md")
                .contains("wb-moved\">{\"more-of-it\":\"bins-more.html\",\"second\":\"bins-more.html\"}")
        );
        assert!(text("deep/bins-more.md").contains("[one](bins.html#first)"), "{}", text("deep/bins-more.md"));
        assert_eq!(
            text("other.md"),
            "[a](deep/bins-more.md#second) <a href=\"deep/bins-more.html#second\">b</a> [c](deep/bins.md#first) [d](x.md#second)"
        );
    }

    #[test]
    fn a_version_is_met_at_its_listing_or_else_at_its_counters() {
        let outline = Outline::read(
            "# A\n\n{{#wb ladder problem=x size=1 versions=\"a b c\"}}\n\n## One\n\n{{#wb compare kernels=\"a b\" case=x}}\n\n\
             {{#wb page next Next}}\n\n### Two: `x`\n\n{{#wb source x.cu:a}}\n",
        );
        let home = |name: &str| outline.homes[name].clone();
        assert_eq!(home("a"), Home { page: 1, anchor: Some("two-x".to_owned()) });
        assert_eq!(home("b"), Home { page: 0, anchor: Some("one".to_owned()) });
        assert_eq!((home("c").page, outline.words.len()), (0, 2));
    }
}
