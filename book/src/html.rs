//! Small pieces of HTML: escaped text, numbers, tables. Those that figures need, too, are of the crate `draw`.

pub(crate) use draw::html::{Table, code, escape, number};

/// A time, in the unit that leaves one to three digits before the point.
pub(crate) fn time(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", ns as f64 / 1e3),
        _ => format!("{:.1} ms", ns as f64 / 1e6),
    }
}

/// What a reader opens to see, as an HTML block without blank lines.
pub(crate) fn folded(summary: &str, content: &str) -> String {
    format!("<details class=\"wb-answer\">\n<summary>{}</summary>\n{content}</details>\n", escape(summary))
}

/// The table of the numbers that a chart beside it shows already, folded.
pub(crate) fn numbers(summary: &str, table: &Table) -> String {
    format!("<details class=\"wb-numbers\">\n<summary>{}</summary>\n{}</details>\n", escape(summary), table.html())
}

/// A text with a capital at its beginning.
pub(crate) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!([0, 999, 1_000, 4_194_304].map(number), ["0", "999", "1,000", "4,194,304"]);
        assert_eq!([950, 2_464, 1_250_000].map(time), ["950 ns", "2.5 µs", "1.2 ms"]);
    }

    #[test]
    fn code_is_escaped() {
        assert_eq!(code("a<b> & \"p\""), "<code>a&lt;b&gt; &amp; &quot;p&quot;</code>");
    }
}
