//! Tables that fit: in a terminal with borders, its columns wrapped or left out where there is no room; piped as plain
//! columns, whole.

use std::fmt;

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Padding, Style};
use textwrap::core::display_width;

use super::wrap;

/// A column of words is not made narrower than this.
const NARROWEST: usize = 12;
/// What a column takes besides its text: a border and a space on both sides.
const FRAME: usize = 3;

/// A table with a head.
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    /// From this column on, texts are numbers.
    numbers: usize,
    /// Columns that can be left out, the least needed first.
    spare: Vec<usize>,
}

/// A table as it is laid out for a width.
struct Laid {
    /// The columns that are shown, in order.
    columns: Vec<usize>,
    /// How wide the text of each may be.
    widths: Vec<usize>,
}

impl Table {
    pub(super) fn new(head: &[&str], rows: Vec<Vec<String>>, numbers: usize) -> Self {
        // What stands farthest to the right is the detail; the first two columns say what a row is about.
        let spare = (2..head.len()).rev().collect();
        Self { head: head.iter().map(|&title| title.to_owned()).collect(), rows, numbers, spare }
    }

    /// Says which columns can be left out in a narrow terminal, the least needed first.
    pub(crate) fn spare(mut self, titles: &[&str]) -> Self {
        let place = |title: &&str| self.head.iter().position(|own| own == title);
        self.spare = titles.iter().filter_map(place).collect();
        self
    }

    /// The table for a terminal of `width` columns, or for a pipe.
    fn text(&self, width: Option<usize>) -> String {
        match width {
            Some(width) => self.framed(width),
            None => self.plain(),
        }
    }

    /// The cells of a column, its title first.
    fn cells(&self, column: usize) -> impl Iterator<Item = &str> {
        let title = self.head.get(column).map_or("", String::as_str);
        let rows = self.rows.iter().map(move |row| row.get(column).map_or("", String::as_str));
        std::iter::once(title).chain(rows)
    }

    /// How wide a column is, and how narrow it can be: a number is never broken, and no word.
    fn extent(&self, column: usize) -> (usize, usize) {
        let lines = || self.cells(column).flat_map(str::lines);
        let natural = lines().map(display_width).max().unwrap_or(0);
        if column >= self.numbers {
            // Only titles of numbers are broken.
            let numbers = self.cells(column).skip(1).flat_map(str::lines).map(display_width).max().unwrap_or(0);
            let title = self.cells(column).next().into_iter().flat_map(str::split_whitespace).map(display_width).max();
            return (natural, numbers.max(title.unwrap_or(0)));
        }
        let word = lines().flat_map(str::split_whitespace).map(display_width).max().unwrap_or(0);
        (natural, word.max(natural.min(NARROWEST)))
    }

    /// Which columns are shown, and how wide, so that the table fits; the narrowest that is possible if it cannot.
    fn lay(&self, width: usize) -> Laid {
        let mut columns: Vec<usize> = (0..self.head.len()).collect();
        let mut spare = self.spare.iter();
        loop {
            let extents: Vec<(usize, usize)> = columns.iter().map(|&column| self.extent(column)).collect();
            let room = width.saturating_sub(FRAME * columns.len() + 1);
            let mut widths: Vec<usize> = extents.iter().map(|(natural, _)| *natural).collect();
            // The widest column that can still give way gives way first.
            while widths.iter().sum::<usize>() > room {
                let widest = (0..widths.len()).filter(|&at| widths[at] > extents[at].1).max_by_key(|&at| widths[at]);
                match widest {
                    Some(at) => widths[at] -= 1,
                    None => break,
                }
            }
            let fits = widths.iter().sum::<usize>() <= room;
            match spare.next().filter(|_| !fits) {
                Some(left_out) => columns.retain(|column| column != left_out),
                None => return Laid { columns, widths },
            }
        }
    }

    fn framed(&self, width: usize) -> String {
        let Laid { columns, widths } = self.lay(width);
        let mut builder = Builder::default();
        let wrapped = |text: &str, width: usize| {
            let lines: Vec<String> = text.lines().flat_map(|line| wrap::lines(line, width, 0)).collect();
            lines.join("\n")
        };
        for row in std::iter::once(&self.head).chain(&self.rows) {
            let cell = |(&column, &width): (&usize, &usize)| wrapped(row.get(column).map_or("", String::as_str), width);
            builder.push_record(columns.iter().zip(&widths).map(cell));
        }
        let mut table = builder.build();
        table.with(Style::sharp());
        if let Some(first) = columns.iter().position(|&column| column >= self.numbers) {
            table.with(Modify::new(Columns::new(first..)).with(Alignment::right()));
        }
        let left_out: Vec<&str> = (0..self.head.len())
            .filter(|column| !columns.contains(column))
            .map(|column| self.head[column].as_str())
            .collect();
        match left_out.as_slice() {
            [] => table.to_string(),
            titles => {
                let note = format!("not shown in {width} columns: {}", titles.join(", "));
                format!("{table}\n{}", wrap::text(&note, width))
            }
        }
    }

    /// Columns with two spaces between them.
    fn plain(&self) -> String {
        let mut builder = Builder::default();
        for row in std::iter::once(&self.head).chain(&self.rows) {
            builder.push_record(row);
        }
        let mut table = builder.build();
        table.with(Style::empty()).with(Padding::new(0, 2, 0, 0));
        if self.numbers < self.head.len() {
            table.with(Modify::new(Columns::new(self.numbers..)).with(Alignment::right()));
        }
        table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(super::width()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let row =
            |name: &str, words: &str, number: &str, more: &str| [name, words, number, more].map(str::to_owned).to_vec();
        let rows = vec![
            row("scan_naive", "one tile of 512 elements, and one block", "1,024", "3.8"),
            row("scan_blelloch", "two tiles", "16", "14.8"),
        ];
        Table::new(&["version", "case", "wavefronts", "µs"], rows, 2)
    }

    fn widest(text: &str) -> usize {
        text.lines().map(display_width).max().unwrap_or(0)
    }

    #[test]
    fn a_pipe_gets_plain_columns() {
        let text = table().text(None);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "version        case                                     wavefronts    µs");
        assert_eq!(lines[2], "scan_blelloch  two tiles                                        16  14.8");
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn a_terminal_gets_a_table_that_fits() {
        let whole = table().text(Some(100));
        assert!(widest(&whole) <= 100 && whole.lines().count() == 6, "{whole}");
        // Words wrap before a column is left out.
        let wrapped = table().text(Some(64));
        assert!(widest(&wrapped) <= 64 && wrapped.contains("µs") && wrapped.lines().count() > 6, "{wrapped}");
        assert!(wrapped.contains("1,024") && wrapped.contains("scan_blelloch"), "{wrapped}");
        let narrow = table().text(Some(46));
        assert!(widest(&narrow) <= 46 && narrow.contains("not shown in 46 columns: µs"), "{narrow}");
        // What was said to be spare goes first.
        let chosen = table().spare(&["wavefronts"]).text(Some(50));
        assert!(!chosen.contains("1,024") && chosen.contains("14.8"), "{chosen}");
    }

    #[test]
    fn every_width_gives_whole_lines() {
        for width in 40..140 {
            let text = table().text(Some(width));
            assert!(widest(&text) <= width, "{width}:\n{text}");
        }
    }
}
