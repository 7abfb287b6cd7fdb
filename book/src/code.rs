//! Listings as HTML: lines of code beside their numbers.

use crate::console;
use crate::html::{self, escape};
use crate::repeats::Part;
use crate::source::Region;

/// What a line of a file's page is linked to by.
pub(crate) fn line_id(file: &str, line: u32) -> String {
    format!("{}-L{line}", escape(file).replace('.', "-"))
}

/// A listing with a gutter of line numbers; with a caption, or with line numbers that can be linked to.
pub(crate) fn listing(region: &Region<'_>, caption: Option<&str>, linked: Option<&str>) -> String {
    framed(caption, &numbered(&region.lines, linked))
}

/// A listing's parts below its caption.
pub(crate) fn framed(caption: Option<&str>, body: &str) -> String {
    let caption = caption.map(|caption| format!("<p class=\"wb-caption\">{caption}</p>\n")).unwrap_or_default();
    format!("<div class=\"wb-source\">\n{caption}{body}</div>\n")
}

/// A part of a listing; folded if it stands further up on the page.
pub(crate) fn part(part: &Part<'_>) -> String {
    let code = numbered(&part.lines, None);
    match (&part.same_as, part.lines.first(), part.lines.last()) {
        (Some(name), Some((first, _)), Some((last, _))) => format!(
            "<details class=\"wb-same\">\n<summary>Lines {first} to {last}, the same as in {}</summary>\n{code}\n</details>",
            html::code(name)
        ),
        _ => code,
    }
}

/// Lines of code beside their numbers; a line that goes on has the number 0, which is not shown.
fn numbered(lines: &[(u32, &str)], linked: Option<&str>) -> String {
    let number = |(line, _): &(u32, &str)| match linked {
        Some(file) => format!("<span id=\"{}\">{line}</span>", line_id(file, *line)),
        // An empty line would end the block of HTML.
        None if *line == 0 => "<span></span>".to_owned(),
        None => line.to_string(),
    };
    let gutter: Vec<String> = lines.iter().map(number).collect();
    let code: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
    // A fence longer than any in the code.
    let fence = "`".repeat(code.iter().map(|line| line.matches('`').count()).max().unwrap_or(0).max(2) + 1);
    format!(
        "<div class=\"wb-listing\"><pre class=\"wb-gutter\" aria-hidden=\"true\">{}</pre>\n\n{fence}cpp\n{}\n{fence}\n\n</div>",
        gutter.join("\n"),
        code.join("\n")
    )
}

/// Lines of a source that must stay as it was recorded, broken where they are wider than the page. Only the first part of
/// a broken line has its number.
pub(crate) fn broken(lines: &[(u32, String)]) -> Vec<(u32, String)> {
    let parts = |(number, line): &(u32, String)| {
        let number = *number;
        let parts = console::broken(line).into_iter().enumerate();
        parts.map(move |(at, part)| (if at == 0 { number } else { 0 }, part)).collect::<Vec<_>>()
    };
    lines.iter().flat_map(parts).collect()
}
