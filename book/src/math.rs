//! Mathematics: `$…$` in a line and `$$…$$` as a block, in LaTeX's notation, become MathML, which browsers show without
//! scripts or fonts of ours.
//!
//! A `$` opens a formula if what follows it is no space, and closes one if what is before it is no space and what follows no
//! digit. Code, directives and `\$` are left alone. Lines keep their numbers.

use std::convert::Infallible;

use markup::{Markup, html};
use maud::PreEscaped;

use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

/// The text with its formulas as MathML.
///
/// # Errors
/// For every formula that cannot be read: its line, from 1, and why.
pub(crate) fn render(text: &str) -> Result<String, Vec<(u32, String)>> {
    let (mut out, mut faults) = (String::with_capacity(text.len()), Vec::new());
    let mut at = 0;
    // The fence of the code block that this line is in.
    let mut fence: Option<&str> = None;
    while at < text.len() {
        let rest = &text[at..];
        let starts_line = at == 0 || text[..at].ends_with('\n');
        if starts_line {
            let line = rest.split_inclusive('\n').next().unwrap_or(rest);
            let marks = fence_marks(line);
            match (fence, marks) {
                (Some(open), marks) => {
                    if marks.is_some_and(|marks| marks.starts_with(open) && line.trim() == marks) {
                        fence = None;
                    }
                    out.push_str(line);
                    at += line.len();
                    continue;
                }
                (None, Some(marks)) => {
                    fence = Some(marks);
                    out.push_str(line);
                    at += line.len();
                    continue;
                }
                (None, None) if line.starts_with("    ") && (at == 0 || text[..at].ends_with("\n\n")) => {
                    out.push_str(line);
                    at += line.len();
                    continue;
                }
                (None, None) => {}
            }
        }
        let skip = verbatim(rest);
        if skip > 0 {
            out.push_str(&rest[..skip]);
            at += skip;
            continue;
        }
        if rest.starts_with('$') {
            let (open, block) = if rest.starts_with("$$") { (2, true) } else { (1, false) };
            if let Some(length) = closing(&rest[open..], block) {
                let formula = &rest[open..open + length];
                match mathml(formula, block) {
                    Ok(formula) => out.push_str(&formula.0),
                    Err(why) => {
                        let line = text[..at].matches('\n').count() as u32 + 1;
                        faults.push((line, format!("the formula `{}` cannot be read: {why}", formula.trim())));
                    }
                }
                // The lines that follow keep their numbers.
                out.extend(std::iter::repeat_n('\n', formula.matches('\n').count()));
                at += open + length + open;
                continue;
            }
        }
        let step = rest.chars().next().map_or(1, char::len_utf8);
        out.push_str(&rest[..step]);
        at += step;
    }
    if faults.is_empty() { Ok(out) } else { Err(faults) }
}

/// The marks that open or close a fenced code block.
fn fence_marks(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let marks = &line[..line.len() - line.trim_start_matches(first).len()];
    (marks.len() >= 3).then_some(marks)
}

/// How many bytes from here are code in a line, a directive, a tag, or an escaped character.
fn verbatim(rest: &str) -> usize {
    if rest.starts_with('`') {
        let marks = rest.len() - rest.trim_start_matches('`').len();
        let fence = &rest[..marks];
        return rest[marks..].find(fence).map_or(marks, |end| marks + end + marks);
    }
    if rest.starts_with("{{#") {
        return rest.find("}}").map_or(3, |end| end + 2);
    }
    if let Some(after) = rest.strip_prefix('\\') {
        return 1 + after.chars().next().map_or(0, char::len_utf8);
    }
    0
}

/// The length of the formula that begins here, if it is closed in its paragraph.
fn closing(rest: &str, block: bool) -> Option<usize> {
    let paragraph = rest.find("\n\n").unwrap_or(rest.len());
    let rest = &rest[..paragraph];
    if block {
        return rest.find("$$").filter(|length| !rest[..*length].trim().is_empty());
    }
    if rest.starts_with(char::is_whitespace) {
        return None;
    }
    let ends = rest.match_indices('$').map(|(at, _)| at);
    let mut ends = ends.filter(|&at| {
        let before = rest[..at].chars().next_back();
        let after = rest[at + 1..].chars().next();
        before.is_some_and(|c| !c.is_whitespace() && c != '\\') && !after.is_some_and(|c| c.is_ascii_digit())
    });
    ends.next()
}

fn mathml(formula: &str, block: bool) -> Result<Markup, String> {
    let storage = Storage::new();
    let mut events = Vec::new();
    for event in Parser::new(formula, &storage) {
        events.push(Ok::<_, Infallible>(event.map_err(|error| error.to_string())?));
    }
    let mode = if block { DisplayMode::Block } else { DisplayMode::Inline };
    let config = RenderConfig { display_mode: mode, ..RenderConfig::default() };
    let mut html = String::new();
    push_mathml(&mut html, events.into_iter(), config).map_err(|error| error.to_string())?;
    // A blank line would end the HTML. What pulldown-latex has written is markup: a door.
    let formula = PreEscaped(html.lines().map(str::trim).collect::<String>());
    Ok(if block {
        html! { div class="wb-math" tabindex="0" { (formula) } }
    } else {
        formula
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_mathml_and_lines_keep_their_numbers() {
        let shown = render("A $n^2$ and\n\n$$\n\\log_2 n\n$$\n\nend").unwrap();
        assert!(
            shown.starts_with("A <math") && shown.contains("<msup>") && shown.contains("display=\"block\""),
            "{shown}"
        );
        assert_eq!(shown.matches('\n').count(), 6);
        assert!(!shown.contains('$'));
    }

    #[test]
    fn prices_code_and_directives_are_left_alone() {
        for text in
            ["it costs 5 $ or $ 6", "`a $b$`", "```sh\n$x$\n```\n", "{{#wb x \"$a$\"}}", "\\$a\\$", "from $5 to $10"]
        {
            assert_eq!(render(text).unwrap(), text);
        }
        let after = render("```sh\n$x$\n```\n$y$").unwrap();
        assert!(after.starts_with("```sh\n$x$\n```\n<math"), "{after}");
    }

    #[test]
    fn what_cannot_be_read_has_its_line() {
        let faults = render("a\n\n$\\nosuch{$\n").unwrap_err();
        assert_eq!(faults[0].0, 3, "{faults:?}");
    }
}
