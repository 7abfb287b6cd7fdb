//! Small pieces of HTML: escaped text, numbers, tables.

/// Text as it stands in HTML, also inside an attribute's double quotes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Code as it stands in HTML.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
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

/// A table: a caption, column heads, rows of a head and cells. Heads and cells are HTML.
#[derive(Debug, Default)]
pub struct Table {
    /// Below the table, as HTML.
    pub caption: String,
    /// Of columns.
    pub heads: Vec<String>,
    /// A head and cells each.
    pub rows: Vec<Vec<String>>,
    /// A last row with totals.
    pub total: Option<Vec<String>>,
    /// How many columns from the left hold text; the others hold numbers.
    pub text_columns: usize,
}

impl Table {
    /// The table as an HTML block without blank lines, in a frame that scrolls on narrow screens.
    pub fn html(&self) -> String {
        let class = |column: usize| if column < self.text_columns { "" } else { " class=\"wb-n\"" };
        let mut html = String::from("<div class=\"wb-table\" tabindex=\"0\"><table>\n");
        html += &format!("<caption>{}</caption>\n<thead><tr>", self.caption);
        for (column, head) in self.heads.iter().enumerate() {
            html += &format!("<th scope=\"col\"{}>{head}</th>", class(column));
        }
        html += "</tr></thead>\n<tbody>\n";
        let row = |cells: &[String]| {
            let mut html = String::from("<tr>");
            for (column, cell) in cells.iter().enumerate() {
                let (tag, scope) = if column == 0 { ("th", " scope=\"row\"") } else { ("td", "") };
                html += &format!("<{tag}{scope}{}>{cell}</{tag}>", class(column));
            }
            html + "</tr>\n"
        };
        html.extend(self.rows.iter().map(|cells| row(cells)));
        html += "</tbody>\n";
        if let Some(total) = &self.total {
            html += &format!("<tfoot>\n{}</tfoot>\n", row(total));
        }
        html + "</table></div>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_commas() {
        assert_eq!([0, 999, 1_000, 4_194_304].map(number), ["0", "999", "1,000", "4,194,304"]);
    }

    #[test]
    fn a_table_has_heads_for_rows_and_columns_and_no_blank_line() {
        let table = Table {
            caption: "a caption".to_owned(),
            heads: vec!["counter".to_owned(), "simulated".to_owned()],
            rows: vec![vec!["loads".to_owned(), "3".to_owned()]],
            total: Some(vec!["total".to_owned(), "3".to_owned()]),
            text_columns: 1,
        };
        let html = table.html();
        assert_eq!(
            html,
            "<div class=\"wb-table\" tabindex=\"0\"><table>\n<caption>a caption</caption>\n\
             <thead><tr><th scope=\"col\">counter</th><th scope=\"col\" class=\"wb-n\">simulated</th></tr></thead>\n\
             <tbody>\n<tr><th scope=\"row\">loads</th><td class=\"wb-n\">3</td></tr>\n</tbody>\n\
             <tfoot>\n<tr><th scope=\"row\">total</th><td class=\"wb-n\">3</td></tr>\n</tfoot>\n</table></div>\n"
        );
    }

    #[test]
    fn code_is_escaped() {
        assert_eq!(code("a<b> & \"p\""), "<code>a&lt;b&gt; &amp; &quot;p&quot;</code>");
    }
}
