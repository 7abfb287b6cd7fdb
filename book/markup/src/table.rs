//! Tables of a page.

use maud::{Markup, html};

/// A table: a caption, column heads, rows of a head and cells.
#[derive(Debug, Default)]
pub struct Table {
    /// Below the table.
    pub caption: Markup,
    /// Of columns.
    pub heads: Vec<Markup>,
    /// A head and cells each.
    pub rows: Vec<Vec<Markup>>,
    /// A last row with totals.
    pub total: Option<Vec<Markup>>,
    /// How many columns from the left hold text; the others hold numbers.
    pub text_columns: usize,
}

impl Table {
    /// The table as an HTML block without blank lines, in a frame that scrolls on narrow screens.
    pub fn html(&self) -> Markup {
        let class = |column: usize| (column >= self.text_columns).then_some("wb-n");
        let row = |cells: &[Markup]| {
            html! {
                tr {
                    @for (column, cell) in cells.iter().enumerate() {
                        @if column == 0 { th scope="row" class=[class(column)] { (cell) } }
                        @else { td class=[class(column)] { (cell) } }
                    }
                }
                "\n"
            }
        };
        html! {
            div class="wb-table" tabindex="0" {
                table {
                    "\n"
                    caption { (self.caption) }
                    "\n"
                    thead {
                        tr {
                            @for (column, head) in self.heads.iter().enumerate() {
                                th scope="col" class=[class(column)] { (head) }
                            }
                        }
                    }
                    "\n"
                    tbody { "\n" @for cells in &self.rows { (row(cells)) } }
                    "\n"
                    @if let Some(total) = &self.total { tfoot { "\n" (row(total)) } "\n" }
                }
            }
            "\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{row, text, texts};

    #[test]
    fn a_table_has_heads_for_rows_and_columns_and_no_blank_line() {
        let table = Table {
            caption: text("a caption"),
            heads: texts(["counter", "simulated"]),
            rows: vec![row!["loads", 3]],
            total: Some(row!["total", 3]),
            text_columns: 1,
        };
        let html = table.html().0;
        assert_eq!(
            html,
            "<div class=\"wb-table\" tabindex=\"0\"><table>\n<caption>a caption</caption>\n\
             <thead><tr><th scope=\"col\">counter</th><th scope=\"col\" class=\"wb-n\">simulated</th></tr></thead>\n\
             <tbody>\n<tr><th scope=\"row\">loads</th><td class=\"wb-n\">3</td></tr>\n</tbody>\n\
             <tfoot>\n<tr><th scope=\"row\">total</th><td class=\"wb-n\">3</td></tr>\n</tfoot>\n</table></div>\n"
        );
    }
}
