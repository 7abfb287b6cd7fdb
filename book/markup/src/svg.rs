//! Drawings on a grid: shapes and text of one figure as SVG, and the figure around it.
//!
//! Colours are classes that the style sheet fills for light and dark themes. Every figure has a title and a text that
//! says what it shows, for those who do not see it.

use maud::{Markup, Render, html};

use crate::Append;

/// A figure that is being drawn. Lengths are in units of the view box; the body text of the page is about 16.
#[derive(Debug, Default)]
pub struct Svg {
    body: Markup,
    width: u32,
    height: u32,
}

impl Svg {
    /// An empty figure of this width.
    pub fn new(width: u32) -> Self {
        Self { width, ..Self::default() }
    }

    /// Its width and its height.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Makes room down to `y`.
    pub fn reach(&mut self, y: u32) {
        self.height = self.height.max(y);
    }

    /// A rectangle.
    pub fn rect(&mut self, x: u32, y: u32, (width, height): (u32, u32), class: &str) {
        self.reach(y + height + 1);
        self.body.add(html! { rect x=(x) y=(y) width=(width) height=(height) class=(class) {} "\n" });
    }

    /// A rectangle that is filled to some degree, 0 to 1.
    pub fn shade(&mut self, x: u32, y: u32, (width, height): (u32, u32), degree: f64) {
        self.rect(x, y, (width, height), "wb-svg-cell");
        if degree > 0.0 {
            let opacity = format!("{:.2}", 0.15 + 0.85 * degree);
            self.body.add(html! {
                rect x=(x) y=(y) width=(width) height=(height) class="wb-svg-solid" fill-opacity=(opacity) {}
                "\n"
            });
        }
    }

    /// A text, whose `y` is its base line.
    pub fn text(&mut self, x: u32, y: u32, class: &str, text: &str) {
        self.reach(y + 4);
        self.body.add(html! { text x=(x) y=(y) class=(class) { (text) } "\n" });
    }

    /// A line.
    pub fn line(&mut self, (x1, y1): (u32, u32), (x2, y2): (u32, u32), class: &str) {
        self.reach(y1.max(y2) + 1);
        self.body.add(html! { path d={ "M" (x1) " " (y1) " L" (x2) " " (y2) } class=(class) {} "\n" });
    }

    /// A ring.
    pub fn ring(&mut self, x: u32, y: u32, radius: u32, class: &str) {
        self.reach(y + radius + 2);
        self.body.add(html! { circle cx=(x) cy=(y) r=(radius) class=(class) {} "\n" });
    }

    /// A square cell with a text in its middle.
    pub fn cell(&mut self, x: u32, y: u32, side: (u32, u32), class: &str, text: &str) {
        self.rect(x + 1, y + 1, (side.0 - 2, side.1 - 2), class);
        if !text.is_empty() {
            self.text(x + side.0 / 2, y + side.1 / 2 + 4, "wb-svg-lane", text);
        }
    }

    /// The drawing, with its title and description. They are attributes: the search for words of the book goes over the text
    /// of its elements, and would find "bank 24: lane 8" before the page that teaches what a bank is.
    pub fn html(&self, title: &str, description: &str) -> Markup {
        // Below this width its text is too small to read, and the drawing scrolls within its frame; and a small drawing is not
        // blown up to the width of the page.
        let (least, most) = (self.width * 4 / 5, self.width * 6 / 5);
        html! {
            div class="wb-scroll" tabindex="0" {
                svg viewBox={ "-1 0 " (self.width + 2) " " (self.height) } role="img" aria-label=(title)
                    aria-description=(description) style={ "min-width:" (least) "px;max-width:" (most) "px" } {
                    "\n"
                    (self.body)
                }
            }
        }
    }

    /// The drawing as a figure.
    pub fn figure(&self, title: &str, description: &str, caption: impl Render) -> Markup {
        figure(self.html(title, description), caption)
    }
}

/// A figure around drawings.
pub fn figure(drawings: impl Render, caption: impl Render) -> Markup {
    html! { figure class="wb-figure" { (drawings) figcaption { (caption) } } "\n" }
}

/// Drawings to step through, each with a caption. Without JavaScript all of them are shown.
pub fn steps(title: &str, frames: &[(Markup, Markup)]) -> Markup {
    html! {
        div class="wb-steps" role="group" aria-label=(title) {
            "\n"
            @for (at, (drawing, caption)) in frames.iter().enumerate() {
                div class="wb-frame" {
                    (figure(drawing, html! { b { "Step " (at + 1) " of " (frames.len()) "." } " " (caption) }))
                }
                "\n"
            }
        }
        "\n"
    }
}

/// The room for the longest of these names in `wb-svg-name`, with a gap behind it.
pub fn room<'a>(names: impl Iterator<Item = &'a str>) -> u32 {
    // Letters of 12 units' height are 6 to 7 wide on average, capitals and the letters of code among them.
    names.map(|name| name.chars().count() as u32 * 7 + 16).max().unwrap_or(0)
}

/// Numbers as they are listed in a sentence, runs of neighbours as `3–7`.
pub fn ranges(numbers: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let text = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    };
    parts.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_listed_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0–2, 5, 7, 8");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn the_longest_name_gets_room() {
        assert_eq!((room(["a", "abc"].into_iter()), room(std::iter::empty())), (37, 0));
    }

    #[test]
    fn a_drawing_has_a_title_a_description_and_room_for_all_of_it() {
        let mut svg = Svg::new(100);
        svg.cell(0, 10, (20, 20), "wb-svg-cell", "<1>");
        let html = svg.figure("A & B", "what", "caption").0;
        assert!(
            html.contains("viewBox=\"-1 0 102 30\"")
                && html.contains("aria-label=\"A &amp; B\" aria-description=\"what\""),
            "{html}"
        );
        assert!(html.contains("&lt;1&gt;") && !html.contains("\n\n"), "{html}");
    }
}
