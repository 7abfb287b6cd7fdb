//! Lines that are longer than the terminal is wide, broken between words.

use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// Wraps every line that does not fit. What follows stands below the last column that the line has, or is indented.
pub(super) fn text(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if display_width(line) <= width || stays(line) {
            out.push_str(line);
        } else {
            out.push_str(&lines(line, width, hanging(line, width)).join("\n"));
            // A question ends with a space, behind which the answer is typed.
            out.push_str(&line[line.trim_end_matches(' ').len()..]);
        }
        out.push_str(end);
    }
    out
}

/// The lines that one becomes. Words are never broken: paths and names of counters must stay what they are.
pub(super) fn lines(line: &str, width: usize, indent: usize) -> Vec<String> {
    let below = " ".repeat(indent);
    let options = Options::new(width)
        .subsequent_indent(&below)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(line, options).into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// Whether a line must not be broken: a command that is to be typed, a source line with what marks it, a table's line.
fn stays(line: &str) -> bool {
    let text = line.trim_start();
    let gutter = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    ["$ ", "warpbook ", "cargo "].iter().any(|command| text.starts_with(command))
        || gutter.starts_with('|')
        || text.starts_with(['│', '┌', '├', '└'])
}

/// How far the lines below are indented: to the last column that begins in the left half.
fn hanging(line: &str, width: usize) -> usize {
    let lead = line.len() - line.trim_start_matches(' ').len();
    let mut column = lead + 2;
    let (mut at, mut spaces) = (0, 0);
    for c in line.chars() {
        if at > width / 2 {
            break;
        }
        if c != ' ' && spaces >= 2 && at > lead {
            column = at;
        }
        spaces = if c == ' ' { spaces + 1 } else { 0 };
        at += display_width(c.encode_utf8(&mut [0; 4]));
    }
    column.min(width / 2)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn sentences_wrap_at_words_and_hang_below_their_column() {
        let long = "note: a sentence that is longer than forty columns wraps at its words\nshort\n";
        assert_eq!(text(long, 40), "note: a sentence that is longer than\n  forty columns wraps at its words\nshort\n");
        let listed = "ok       NVRTC: what was found, and where it was found on this machine";
        let laid = "ok       NVRTC: what was found, and\n         where it was found on this\n         machine";
        assert_eq!(text(listed, 40), laid);
        assert_eq!(text(long, 80), long, "what fits stays as it is");
        assert_eq!(
            text("a file becomes the starter again. Type y: ", 36),
            "a file becomes the starter again.\n  Type y: "
        );
    }

    #[test]
    fn what_is_typed_or_drawn_is_not_broken() {
        for line in [
            "  warpbook sim exercises/.warpbook-cases/block_sum-1/case.toml --access 20",
            "12 |     if (threadIdx.x == 0) out[blockIdx.x] = partial[0];",
            "a/path/that/is/longer/than/any/terminal/and/has/no/word/in/it",
        ] {
            assert_eq!(text(line, 40), line);
        }
    }
}
