//! What every picture and page of the workbook shares: text as XML and HTML take it, and a drawing with a title and a
//! description that stands in a file of its own or in a page.

use std::fmt::Write as _;

/// Text as it stands in XML and HTML, also inside an attribute's double quotes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Adds a text whose base line is `y`. The class may be empty.
pub fn text(svg: &mut String, class: &str, x: f64, y: f64, text: &str) {
    let _ = writeln!(svg, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(text));
}

/// A drawing whose shapes have classes; whoever shows it gives the classes their colours.
#[derive(Debug, Clone, Default, PartialEq)]
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
    pub body: String,
}

impl Drawing {
    /// The drawing as a file of its own, with these rules for its classes and a ground behind it.
    pub fn file(&self, style: &str) -> String {
        let Self { width, height, title, description, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">{}</title>\n\
             <desc id=\"desc\">{}</desc>\n<style>{style}</style>\n\
             <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n{body}</svg>\n",
            escape(title),
            escape(description),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup() {
        assert_eq!(escape("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
        let mut svg = String::new();
        text(&mut svg, "end", 1.0, 2.25, "x<y");
        assert_eq!(svg, "<text class=\"end\" x=\"1.0\" y=\"2.2\">x&lt;y</text>\n");
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
