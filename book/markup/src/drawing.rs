//! Drawings whose shapes lie anywhere: charts over axes. One stands in a file of its own or in a page.

use std::fmt;

use maud::{Markup, Render, html};

/// A length with one digit behind the point.
#[derive(Debug, Clone, Copy)]
pub struct Tenths(pub f64);

impl Render for Tenths {
    fn render_to(&self, buffer: &mut String) {
        format_args!("{:.1}", self.0).render_to(buffer);
    }
}

/// A length with two digits behind the point.
#[derive(Debug, Clone, Copy)]
pub struct Hundredths(pub f64);

impl Render for Hundredths {
    fn render_to(&self, buffer: &mut String) {
        format_args!("{:.2}", self.0).render_to(buffer);
    }
}

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.0)
    }
}

/// A text whose base line is `y`. The class may be empty.
pub fn text(class: &str, x: f64, y: f64, text: &str) -> Markup {
    label(class, (Tenths(x), Tenths(y)), text)
}

/// The same with lengths of other digits.
pub fn label(class: &str, (x, y): (impl Render, impl Render), text: &str) -> Markup {
    html! { text class=(class) x=(x) y=(y) { (text) } "\n" }
}

/// A rectangle from its upper left corner.
pub fn rect(class: &str, x: impl Render, y: impl Render, (width, height): (impl Render, impl Render)) -> Markup {
    html! { rect class=(class) x=(x) y=(y) width=(width) height=(height) {} "\n" }
}

/// A line.
pub fn line(class: &str, (x1, y1): (impl Render, impl Render), (x2, y2): (impl Render, impl Render)) -> Markup {
    html! { line class=(class) x1=(x1) x2=(x2) y1=(y1) y2=(y2) {} "\n" }
}

/// A dot with what it says to those who point at it.
pub fn dot((x, y): (f64, f64), radius: f64, says: &str) -> Markup {
    html! { circle class="dot" cx=(Tenths(x)) cy=(Tenths(y)) r=(radius) { title { (says) } } "\n" }
}

/// A drawing whose shapes have classes; whoever shows it gives the classes their colours.
#[derive(Debug, Clone, Default)]
pub struct Drawing {
    /// Width in its own units.
    pub width: f64,
    /// Height in its own units.
    pub height: f64,
    /// What it is.
    pub title: String,
    /// What it shows, in sentences, for those who do not see it.
    pub description: String,
    /// The shapes.
    pub body: Markup,
}

impl Drawing {
    /// The drawing as a file of its own, with these rules for its classes and a ground behind it.
    pub fn file(&self, style: &'static str) -> String {
        let Self { width, height, title, description, body } = self;
        let file = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } width=(width) height=(height)
                role="img" aria-labelledby="title desc" {
                "\n"
                title id="title" { (title) }
                "\n"
                desc id="desc" { (description) }
                "\n"
                style { (crate::committed(style)) }
                "\n"
                rect class="ground" width=(width) height=(height) {}
                "\n"
                (body)
            }
            "\n"
        };
        file.into_string()
    }

    /// The drawing in a page whose style sheet has its classes, in a frame that scrolls on narrow screens.
    pub fn html(&self) -> Markup {
        let Self { width, height, title, description, body } = self;
        html! {
            div class="wb-scroll" tabindex="0" {
                svg class="wb-drawn" viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(title)
                    aria-description=(description)
                    style={ "min-width:" (format_args!("{:.0}", width * 0.8)) "px;max-width:" (width) "px" } {
                    "\n"
                    (body)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup() {
        let drawn = text("end", 1.0, 2.25, "x<y");
        assert_eq!(drawn.0, "<text class=\"end\" x=\"1.0\" y=\"2.2\">x&lt;y</text>\n");
        assert!(dot((1.0, 2.0), 4.5, "a<b").0.contains("r=\"4.5\"><title>a&lt;b</title></circle>"));
    }

    #[test]
    fn a_file_has_its_words_its_rules_and_a_ground() {
        let drawing = Drawing { width: 10.0, height: 20.0, title: "A & B".to_owned(), ..Drawing::default() };
        let file = drawing.file("text{fill:red}");
        assert!(file.starts_with("<svg xmlns") && file.ends_with("</svg>\n"), "{file}");
        assert!(file.contains("viewBox=\"0 0 10 20\"") && file.contains("<title id=\"title\">A &amp; B</title>"));
        assert!(file.contains("<style>text{fill:red}</style>") && file.contains("<rect class=\"ground\""));
    }
}
