//! HTML and SVG of the workbook: the book's pages and figures, the page of `sim --report`, pictures as files.
//!
//! Markup and text are two types. [`Markup`] is HTML that [`html!`] has made, and goes into other markup as it is. Everything
//! else is text (`&str`, `String`, numbers), which `html!` escapes wherever it puts it, in an element or in an attribute. So
//! no text of a source, a report or a reader can become markup, and none can be forgotten.
//!
//! A string becomes markup without `html!` in a few named places, the doors: [`json`] and [`committed`] here, and what
//! `tests/doors.rs` lists beside them. That test also refuses elements that are written into strings.

#![forbid(unsafe_code)]

pub mod drawing;
pub mod svg;
mod table;

use maud::PreEscaped;
pub use maud::{DOCTYPE, Markup, Render, html};
use serde::Serializer;
pub use table::Table;

/// Anything as markup: text is escaped, markup stays as it is.
pub fn text(content: impl Render) -> Markup {
    content.render()
}

/// Each of these as markup, for the heads of a [`Table`].
pub fn texts<T: Render>(contents: impl IntoIterator<Item = T>) -> Vec<Markup> {
    contents.into_iter().map(text).collect()
}

/// A row of a [`Table`]: text and markup side by side, each as [`text`] has it.
#[macro_export]
macro_rules! row {
    ($($cell:expr),* $(,)?) => { vec![$($crate::Render::render(&$cell)),*] };
}

/// These one behind the other, with this text between.
pub fn joined<T: Render>(contents: impl IntoIterator<Item = T>, between: &str) -> Markup {
    html! {
        @for (at, content) in contents.into_iter().enumerate() {
            @if at > 0 { (between) }
            (content)
        }
    }
}

/// Markup that grows.
pub trait Append {
    /// Adds this at its end: text is escaped, markup stays as it is.
    fn add(&mut self, content: impl Render);
}

impl Append for Markup {
    fn add(&mut self, content: impl Render) {
        content.render_to(&mut self.0);
    }
}

/// Code in a sentence.
pub fn code(text: &str) -> Markup {
    html! { code { (text) } }
}

/// A name of code that may be broken behind `_` and `::`, so that narrow screens can show several side by side.
pub fn breakable(name: &str) -> Markup {
    let ends = |before: char, at: char| at == '_' || (at == ':' && before == ':');
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for at in name.chars() {
        if let Some(part) = parts.last_mut() {
            part.push(at);
        }
        if ends(before, at) {
            parts.push(String::new());
        }
        before = at;
    }
    html! {
        code {
            @for (number, part) in parts.iter().enumerate() {
                @if number > 0 { wbr; }
                (part)
            }
        }
    }
}

/// A sentence in which code stands between back quotes; as it is, where one of them is not closed.
pub fn sentence(text: &str) -> Markup {
    let closed = text.matches('`').count().is_multiple_of(2);
    html! {
        @if closed {
            @for (at, part) in text.split('`').enumerate() {
                @if at % 2 == 1 { (code(part)) } @else { (part) }
            }
        } @else { (text) }
    }
}

/// A whole number with a comma after every three digits.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// JSON as the content of a `script` element, which is raw text: nothing in it can end the element, since JSON may write the
/// character that would as an escape.
pub fn json(text: &str) -> Markup {
    PreEscaped(text.replace('<', "\\u003c"))
}

/// The content of a style sheet or a script that is committed, and so cannot come from anywhere else at run time.
pub fn committed(text: &'static str) -> impl Render {
    PreEscaped(text)
}

/// Markup as a string of JSON, for `#[serde(serialize_with)]`: a page's script puts it into the page.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(markup: &Markup, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&markup.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_commas() {
        assert_eq!([0, 999, 1_000, 4_194_304].map(number), ["0", "999", "1,000", "4,194,304"]);
    }

    #[test]
    fn text_is_escaped_and_markup_is_not() {
        assert_eq!(code("a<b> & \"p\"").0, "<code>a&lt;b&gt; &amp; &quot;p&quot;</code>");
        assert_eq!(joined([code("<"), text("<")], " & ").0, "<code>&lt;</code> &amp; &lt;");
        let mut all = text("1 < 2");
        all.add(code("x"));
        all.add("<b>");
        assert_eq!(all.0, "1 &lt; 2<code>x</code>&lt;b&gt;");
        let cells: Vec<Markup> = row![code("x"), "<b>", 7, "y".to_owned()];
        assert_eq!(cells.iter().map(|cell| &*cell.0).collect::<Vec<_>>(), ["<code>x</code>", "&lt;b&gt;", "7", "y"]);
    }

    #[test]
    fn names_break_behind_underscores_and_colons() {
        assert_eq!(breakable("a_b").0, "<code>a_<wbr>b</code>");
        assert_eq!(breakable("cub::A<x:y>").0, "<code>cub::<wbr>A&lt;x:y&gt;</code>");
    }

    #[test]
    fn a_sentence_has_its_code_and_one_back_quote_is_none() {
        assert_eq!(sentence("an `a<b` & more").0, "an <code>a&lt;b</code> &amp; more");
        assert_eq!(sentence("5` < 6").0, "5` &lt; 6");
    }

    #[test]
    fn json_cannot_end_its_element() {
        assert_eq!(json("{\"a\":\"</script>\"}").0, "{\"a\":\"\\u003c/script>\"}");
    }
}
