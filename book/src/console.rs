//! Commands and what they print, for pages that are [`WIDTH`] columns wide: as a terminal of that width would show them.
//!
//! Chapters have commands and outputs as they are typed and piped, in lines of any length, since tests run them. Here a long
//! command is broken as a shell allows it, and a long line of output between words. Code of kernels is never touched: its
//! sources are that narrow ([`too_wide`] says where they are not).

/// The columns of code, commands and outputs on a page.
pub const WIDTH: usize = 88;

/// What a fence holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// Commands alone.
    Commands,
    /// Commands behind `$ ` and what they print, or output alone.
    Output,
    /// Anything else, which stays.
    Other,
}

/// A line of a chapter with its line feed, and what it belongs to; None for text and for the fences themselves.
fn fenced(text: &str) -> impl Iterator<Item = (Option<Holds>, &str)> {
    let mut open: Option<(&str, Holds)> = None;
    text.split_inclusive('\n').map(move |line| {
        let plain = line.trim_start();
        let ticks = plain.len() - plain.trim_start_matches('`').len();
        match open {
            Some((mark, _)) if ticks >= mark.len() && plain[ticks..].trim().is_empty() => {
                open = None;
                (None, line)
            }
            Some((_, holds)) => (Some(holds), line),
            None => {
                if ticks >= 3 {
                    let holds = match plain[ticks..].trim() {
                        "sh" => Holds::Commands,
                        "console" | "text" => Holds::Output,
                        _ => Holds::Other,
                    };
                    open = Some((&plain[..ticks], holds));
                }
                (None, line)
            }
        }
    })
}

/// A filled chapter whose commands and outputs fit the width.
pub fn narrow(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (holds, line) in fenced(text) {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        if columns(body) <= WIDTH {
            out.push_str(line);
            continue;
        }
        let is_command = || ["warpbook ", "cargo "].iter().any(|name| body.trim_start().starts_with(name));
        let lines = match holds {
            Some(Holds::Commands) => command(body),
            Some(Holds::Output) if body.starts_with("$ ") || is_command() => command(body),
            Some(Holds::Output) => output(body),
            Some(Holds::Other) | None => vec![body.to_owned()],
        };
        out.push_str(&lines.join("\n"));
        out.push_str(end);
    }
    out
}

/// The lines of code, commands and outputs that are wider than the width: their columns and texts.
pub fn too_wide(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = fenced(text).filter_map(|(holds, line)| holds.map(|_| line.trim_end()));
    code.map(|line| (columns(line), line)).filter(|(columns, _)| *columns > WIDTH)
}

/// A line of source in the lines that it takes where its file must stay as it was recorded.
pub(crate) fn broken(line: &str) -> Vec<String> {
    if columns(line) <= WIDTH {
        return vec![line.to_owned()];
    }
    let text = line.trim_start();
    let lead = line.len() - text.len();
    fill(&" ".repeat(lead), text, &" ".repeat(lead + 4))
}

fn columns(line: &str) -> usize {
    line.chars().count()
}

/// A command in several lines, each but the last with the shell's `\`. A remark behind it comes before it.
fn command(line: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = line;
    if let Some((before, remark)) = line.split_once("  # ") {
        lines.push(format!("# {remark}"));
        line = before.trim_end();
    }
    let lead = line.len() - line.trim_start().len();
    let mut own = " ".repeat(lead);
    let below = " ".repeat(lead + 4);
    let mut is_first = true;
    for word in words(line.trim_start()) {
        // A word that follows keeps room for the blank and the backslash behind it.
        if !is_first && columns(&own) + 1 + columns(word) + 2 > WIDTH {
            lines.push(format!("{own} \\"));
            own = format!("{below}{word}");
        } else {
            if !is_first {
                own.push(' ');
            }
            own.push_str(word);
        }
        is_first = false;
    }
    lines.push(own);
    lines
}

/// The words of a command: blanks within quotes separate nothing, and an option stays with its value.
fn words(line: &str) -> Vec<&str> {
    let (mut words, mut start, mut quote) = (Vec::new(), 0, None);
    for (at, c) in line.char_indices() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (' ', None) => {
                let word = &line[start..at];
                let next_is_value = !line[at + 1..].starts_with('-');
                if word.starts_with("--") && word.len() > 2 && !word.contains([' ', '=']) && next_is_value {
                    continue;
                }
                if !word.is_empty() {
                    words.push(word);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < line.len() {
        words.push(&line[start..]);
    }
    words
}

/// A line of output in several, broken between words. What follows stands below the last column that begins in the left
/// half; of a line of source behind its gutter, behind a gutter.
fn output(line: &str) -> Vec<String> {
    let text = line.trim_start();
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if let Some(source) = number.trim_start().strip_prefix("| ") {
        let gutter = columns(line) - columns(source) - 2;
        let indent = source.len() - source.trim_start().len();
        let below = format!("{}| {}", " ".repeat(gutter), " ".repeat(indent));
        // Marks below a long line of source end where the page does.
        let room = WIDTH - columns(&below);
        let mark = source.trim_start().chars().next().filter(|c| "^-".contains(*c));
        let marks = mark.map_or(0, |mark| source.trim_start().chars().take_while(|c| *c == mark).count());
        let source = if marks > room { &source[marks - room + indent..] } else { &source[indent..] };
        let head: String = line.chars().take(gutter + 2 + indent).collect();
        return fill(&head, source, &below);
    }
    let lead = line.len() - text.len();
    fill(&" ".repeat(lead), text, &" ".repeat(hanging(line)))
}

/// Words behind `head`, then behind `below`.
fn fill(head: &str, text: &str, below: &str) -> Vec<String> {
    let (mut lines, mut own) = (Vec::new(), head.to_owned());
    let mut rest = text;
    let mut is_empty = true;
    while !rest.is_empty() {
        // A word with the blanks before it, which tables are made of.
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        let end = rest[blanks..].find(' ').map_or(rest.len(), |end| blanks + end);
        let word = &rest[..end];
        if !is_empty && columns(&own) + columns(word) > WIDTH {
            lines.push(own);
            own = format!("{below}{}", word.trim_start_matches(' '));
        } else {
            own.push_str(word);
        }
        is_empty = false;
        rest = &rest[end..];
    }
    lines.push(own);
    lines
}

/// How far the lines below are indented: to the last column that begins in the left half.
fn hanging(line: &str) -> usize {
    let lead = line.len() - line.trim_start_matches(' ').len();
    let (mut column, mut spaces) = (lead + 2, 0);
    for (at, c) in line.chars().enumerate().take(WIDTH / 2) {
        if c != ' ' && spaces >= 2 && at > lead {
            column = at;
        }
        spaces = if c == ' ' { spaces + 1 } else { 0 };
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_break_where_a_shell_allows_it() {
        let long = format!(
            "warpbook sim a.cu --arg 'f32[n] = 1' {} --expect \"y=x y\"",
            "--arg 'i32[64]=iota' ".repeat(4).trim()
        );
        let text = format!("```sh\n{long}\n```\n");
        let laid = narrow(&text);
        assert_eq!(too_wide(&text).count(), 1);
        assert_eq!(too_wide(&laid).count(), 0, "{laid}");
        assert_eq!(laid.replace(" \\\n    ", " "), text, "nothing but the breaks is new");
        assert!(laid.lines().all(|line| line.matches('\'').count() % 2 == 0), "no break within quotes: {laid}");
        let remark = format!("```sh\nwarpbook watch      # {}\n```\n", "a remark ".repeat(9).trim());
        assert!(narrow(&remark).starts_with("```sh\n# a remark"), "{}", narrow(&remark));
        assert!(narrow(&remark).ends_with("\nwarpbook watch\n```\n"));
    }

    #[test]
    fn outputs_break_between_words_and_below_their_column() {
        let text = format!("```console\n$ x\nnote:   {}\n```\n", "word ".repeat(30).trim());
        let laid = narrow(&text);
        assert_eq!(too_wide(&laid).count(), 0);
        assert!(laid.contains("\n        word"), "{laid}");
        let marked = format!("```text\n6 |     {} reads\n  |     {} block 0\n```\n", "x + ".repeat(22), "^".repeat(95));
        let laid = narrow(&marked);
        assert_eq!(too_wide(&laid).count(), 0, "{laid}");
        assert!(laid.contains("\n  |     ^^^^") && laid.contains("\n  |     block 0"), "{laid}");
    }

    #[test]
    fn code_and_text_stay_and_wide_code_is_told() {
        let wide = "x".repeat(50) + " " + &"y".repeat(50);
        let text = format!("{wide}\n\n````cpp\n{wide}\n```\n````\n\n{wide}\n");
        assert_eq!(narrow(&text), text);
        assert_eq!(too_wide(&text).collect::<Vec<_>>(), [(101, &*wide)]);
        assert_eq!(
            broken(&format!("  {wide}")),
            [format!("  {}", "x".repeat(50)), format!("      {}", "y".repeat(50))]
        );
        assert_eq!(broken("  short"), ["  short"]);
    }
}
