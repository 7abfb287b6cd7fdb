//! Small pieces of pages beside those of the crate `markup`, and the text of a chapter: Markdown with HTML in it.

use std::fmt;

pub(crate) use markup::{
    Append, Markup, Render, Table, breakable, code, html, joined, number, row, sentence, text, texts,
};

/// A time, in the unit that leaves one to three digits before the point.
pub(crate) fn time(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns as f64 / 1e3),
        _ => format!("{:.1} ms", ns as f64 / 1e6),
    }
}

/// What a reader opens to see, as an HTML block without blank lines.
pub(crate) fn folded(summary: &str, content: impl Render) -> Markup {
    html! { details class="wb-answer" { "\n" summary { (summary) } "\n" (content) } "\n" }
}

/// The table of the numbers that a chart beside it shows already, folded.
pub(crate) fn numbers(summary: &str, table: impl Render) -> Markup {
    html! { details class="wb-numbers" { "\n" summary { (summary) } "\n" (table) } "\n" }
}

/// A widget of a page: its section with its title, what it shows without JavaScript, and what its script needs to know.
pub(crate) fn widget(kind: &str, id: &str, title: &str, content: impl Render, json: &str) -> Markup {
    let of_title = format!("{id}-title");
    html! {
        section class={ "wb-widget wb-" (kind) } data-widget=(kind) id=(id) aria-labelledby=(of_title) {
            "\n"
            p class="wb-lab-title" id=(of_title) { (title) }
            "\n"
            (content)
            script type="application/json" { (markup::json(json)) }
            "\n"
        }
        "\n"
    }
}

/// A text with a capital at its beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A part of a chapter: Markdown, in which HTML may stand. It is made of an author's own words and of what directives make, and
/// never of text that comes from elsewhere, unless as code or as markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Markdown(pub(crate) String);

impl Markdown {
    /// Adds Markdown.
    pub(crate) fn push(&mut self, more: impl Into<Self>) {
        self.0 += &more.into().0;
    }

    /// Adds a block of code, between fences that are longer than any in it.
    pub(crate) fn fenced(&mut self, language: &str, code: &str) {
        let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.0 += &format!("{fence}{language}\n{code}\n{fence}\n");
    }
}

impl From<Markup> for Markdown {
    fn from(html: Markup) -> Self {
        Self(html.into_string())
    }
}

impl From<String> for Markdown {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Markdown {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Markdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The place in an element where Markdown comes: of the private use area, which no chapter has.
const PLACE: &str = "\u{f8ff}";

/// An element whose content is Markdown, or comes later: what opens it and what closes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Around {
    /// The tags before the content.
    pub(crate) before: String,
    /// Those behind it.
    pub(crate) behind: String,
}

impl Around {
    /// Of an element that is made of its content.
    pub(crate) fn of(element: impl FnOnce(&str) -> Markup) -> Self {
        let html = element(PLACE).into_string();
        let (before, behind) = html.split_once(PLACE).unwrap_or((&html, ""));
        Self { before: before.to_owned(), behind: behind.to_owned() }
    }

    /// The element with this content, which begins with a blank line or with HTML.
    pub(crate) fn close(&self, content: &Markdown) -> Markdown {
        Markdown(format!("{}{}{}", self.before, content.0, self.behind))
    }

    /// The element with this content, which blank lines part from its tags.
    pub(crate) fn with(&self, content: &Markdown) -> Markdown {
        Markdown(format!("{}\n\n{}\n{}", self.before, content.0, self.behind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        assert_eq!([950, 2_464, 1_250_000].map(time), ["950 ns", "2.5 µs", "1.2 ms"]);
    }

    #[test]
    fn a_fence_is_longer_than_those_in_it() {
        let mut text = Markdown::default();
        text.fenced("text", "a ``` b");
        assert_eq!(text.0, "````text\na ``` b\n````\n");
        assert_eq!(Markdown::from(code("<")).0, "<code>&lt;</code>");
    }

    #[test]
    fn an_element_opens_before_its_content_and_closes_behind_it() {
        let around = Around::of(|content| html! { div class="wb-frame" title="\"a\"" { (content) b { "x" } } });
        assert_eq!(around.before, "<div class=\"wb-frame\" title=\"&quot;a&quot;\">");
        assert_eq!(around.with(&"*y*".into()).0, format!("{}\n\n*y*\n<b>x</b></div>", around.before));
    }
}
