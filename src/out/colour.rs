//! Colours: only marks at the beginning of a line have one, and only where they are wanted.

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

/// Whether a stream wants colours: a terminal does, unless `NO_COLOR`, `CLICOLOR=0` or `TERM=dumb` says otherwise.
/// The log of a test machine (`CI`) shows colours whatever its `TERM` is; `CLICOLOR_FORCE` asks for them everywhere.
pub(super) fn wanted(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// What stands at the beginning of a line, or behind two spaces, with its colour.
const MARKS: [(&str, AnsiColor); 13] = [
    ("error:", AnsiColor::Red),
    ("error ", AnsiColor::Red),
    ("finding:", AnsiColor::Red),
    ("NO ", AnsiColor::Red),
    ("problem ", AnsiColor::Red),
    ("not yet ", AnsiColor::Yellow),
    ("missing ", AnsiColor::Yellow),
    ("remark:", AnsiColor::Yellow),
    ("note:", AnsiColor::Cyan),
    ("help:", AnsiColor::Cyan),
    ("ok ", AnsiColor::Green),
    ("yes ", AnsiColor::Green),
    ("done ", AnsiColor::Green),
];

/// The text with its marks coloured, if that is wanted.
pub(super) fn marked(text: &str, wanted: bool) -> String {
    if !wanted {
        return text.to_owned();
    }
    text.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let (lead, rest) = line.split_at(indent);
    let found = MARKS.iter().find(|(mark, _)| rest.starts_with(mark)).filter(|_| indent <= 4);
    let Some((mark, colour)) = found else { return line.to_owned() };
    let (mark, after) = rest.split_at(mark.trim_end().len());
    let style = Style::new().bold().fg_color(Some((*colour).into()));
    format!("{lead}{style}{mark}{style:#}{after}")
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn only_marks_are_coloured_and_only_where_it_is_wanted() {
        let text = "  yes  it compiles\n  NO   the result is right\nnothing of note: here\n";
        assert_eq!(marked(text, false), text);
        let coloured = marked(text, true);
        assert!(coloured.starts_with("  \u{1b}[") && coloured.contains("yes\u{1b}[0m  it compiles"), "{coloured:?}");
        assert!(coloured.ends_with("nothing of note: here\n"), "{coloured:?}");
    }
}
